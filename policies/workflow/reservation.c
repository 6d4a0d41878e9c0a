/*
 * reservation.c -- the books of one reservation and the plan that makes it, see
 * reservation.h.
 */
#include "workflow/reservation.h"

#include "lib/util.h"

enum { WHOLE = 1000 };

static struct reservation_card *cards_of(const struct reservation_part *p, enum reservation_sums what)
{
    return p->card + (size_t)what * p->n_gpu;
}

void reservation_drop(struct reservation *r)
{
    for (uint32_t i = 0; i < r->n_parts; i++) free(r->part[i].card);
    r->n_parts = 0;
    memset(r->licence, 0, sizeof r->licence);
}

void reservation_fini(struct reservation *r)
{
    reservation_drop(r);
    free(r->part);
    free(r->task);
    free(r->step_start);
    memset(r, 0, sizeof *r);
}

static void zero(struct reservation_part *p, enum reservation_sums what)
{
    memset(&p->sum[what], 0, sizeof p->sum[what]);
    memset(cards_of(p, what), 0, p->n_gpu * sizeof *p->card);
}

/* The part of a node, a new one if there is none yet. */
static uint32_t part_of(struct reservation *r, const struct plan *p, uint32_t node)
{
    for (uint32_t i = 0; i < r->n_parts; i++) if (r->part[i].node == node) return i;
    POL_RESERVE(r->part, r->cap_part, (size_t)r->n_parts + 1);
    uint32_t n_gpu = p->node[node].n.n_gpu;
    r->part[r->n_parts] = (struct reservation_part){ .node = node, .n_gpu = n_gpu };
    r->part[r->n_parts].card = pol_alloc((size_t)WF_SUMS * n_gpu, sizeof *r->part->card);
    return r->n_parts++;
}

struct reservation_take reservation_take(const struct plan *p, uint32_t node, uint32_t shape, uint64_t cards)
{
    const struct pol_shape *s = &p->shape[shape];
    const struct pol_node *n = &p->node[node].n;
    struct reservation_take t = { .shape = shape,
                                  .cards = cards,
                                  .sum = { .cpu = pol_node_cpu_of(n, s), .mem = pol_node_mem_of(n, s), .n_tasks = 1 } };
    for (int k = 0; k < POL_ENGINES_MAX; k++) t.sum.engine[k] = s->exclusive ? n->engine_total[k] : s->engine[k];
    for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++) t.licence[k] = plan_licence(p, shape, k);
    return t;
}

void reservation_move(struct reservation *r, const struct plan *p, enum reservation_sums what, uint32_t part,
                      const struct reservation_take *t, int sign)
{
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) r->licence[what][k] += sign * t->licence[k];
    if (part == POL_NONE) return;
    struct reservation_part *o = &r->part[part];
    struct reservation_sum *a = &o->sum[what];
    const struct pol_shape *s = &p->shape[t->shape];
    a->cpu += sign * t->sum.cpu;
    a->mem += sign * t->sum.mem;
    a->n_tasks += sign * t->sum.n_tasks;
    for (int k = 0; k < POL_ENGINES_MAX; k++) a->engine[k] += sign * t->sum.engine[k];
    for (uint64_t left = t->cards; left != 0; left &= left - 1) {
        uint32_t k = (uint32_t)__builtin_ctzll(left);
        const struct pol_card *card = &plan_cards_of(p, o->node)[k];
        struct reservation_card *c = &cards_of(o, what)[k];
        c->milli += sign * (s->exclusive ? WHOLE : s->gpu_milli);
        c->mem += sign * pol_node_card_mem_of(card, s);
        c->cores += sign * pol_node_card_cores_of(card, s);
    }
}

static void need_nothing(struct reservation *r)
{
    for (uint32_t i = 0; i < r->n_parts; i++) zero(&r->part[i], WF_NEED);
    memset(r->licence[WF_NEED], 0, sizeof r->licence[WF_NEED]);
}

/* ---- planning ---- */

static int64_t most64(int64_t a, int64_t b) { return a > b ? a : b; }
static int32_t most32(int32_t a, int32_t b) { return a > b ? a : b; }

static void need_task(struct reservation *r, const struct plan *p, const struct reservation_task *t)
{
    struct reservation_take take = reservation_take(p, t->place.node, t->shape, t->place.cards);
    reservation_move(r, p, WF_NEED, t->part, &take, +1);
}

/*
 * What is kept of a part and not needed, as a node of its own; less `loans` (0 or 1) times what is lent of it.
 * card: [FITS_CARDS_MAX] out.
 */
static struct pol_node rest_of(const struct reservation *r, const struct plan *p, uint32_t part, int loans,
                               struct pol_card *card)
{
    const struct reservation_part *o = &r->part[part];
    const struct reservation_sum *k = &o->sum[WF_KEPT], *n = &o->sum[WF_NEED], *l = &o->sum[WF_LENT];
    struct pol_node node = p->node[o->node].n;
    node.cpu_free = k->cpu - n->cpu - loans * l->cpu;
    node.mem_free = k->mem - n->mem - loans * l->mem;
    for (int e = 0; e < POL_ENGINES_MAX; e++) node.engine_free[e] = k->engine[e] - n->engine[e] - loans * l->engine[e];
    for (uint32_t c = 0; c < o->n_gpu; c++) {
        const struct reservation_card *kept = &cards_of(o, WF_KEPT)[c];
        const struct reservation_card *need = &cards_of(o, WF_NEED)[c], *lent = &cards_of(o, WF_LENT)[c];
        card[c] = plan_cards_of(p, o->node)[c];
        card[c].milli_free = kept->milli - need->milli - loans * lent->milli;
        card[c].mem_free = kept->mem - need->mem - loans * lent->mem;
        card[c].core_free = kept->cores - need->cores - loans * lent->cores;
    }
    return node;
}

/* Does it fit in what is kept of the part and not needed, lent or not?  Its cards out. */
static bool fits_inside(const struct reservation *r, const struct plan *p, uint32_t part, const struct pol_shape *s,
                        uint64_t *cards)
{
    struct pol_card card[FITS_CARDS_MAX];
    struct pol_node node = rest_of(r, p, part, 0, card);
    node.max_tasks = 0;             /* asked of the whole node, plan_fits */
    if (!pol_node_fits_beside_cards(&node, s)) return false;
    *cards = pol_node_pick_cards(&node, card, s);
    return s->n_gpu == 0 || *cards != 0;
}

/* A place for the task inside what is kept already and this step has not taken: the first part with room. */
static bool place_inside(struct reservation *r, const struct plan *p, struct reservation_task *t)
{
    const struct pol_shape *s = &p->shape[t->shape];
    for (uint32_t i = 0; i < r->n_parts; i++) {
        uint64_t cards = 0;
        /* plan_fits: the node may run no more tasks, however much of it is kept. */
        if (s->exclusive || !fits_inside(r, p, i, s, &cards) || !plan_fits(p, r->part[i].node, s)) continue;
        t->place = (struct pol_place){ .node = r->part[i].node, .cards = cards };
        t->part = i;
        return true;
    }
    return false;
}

/* Plan one step in the plan as the step's tasks so far leave it; what they need is summed in `need`. */
static bool plan_step(struct reservation *r, struct placement *pl, uint32_t step, enum reservation_rule rule)
{
    struct plan *p = pl->plan;
    need_nothing(r);
    for (uint32_t i = r->step_start[step]; i < r->step_start[step + 1]; i++) {
        struct reservation_task *t = &r->task[i];
        if (t->is_done) continue;
        const struct pol_shape *s = &p->shape[t->shape];
        if (rule == WF_RULE_AS_MADE) {
            if (!plan_fits(p, t->made.node, s)) return false;
            t->place = t->made;
            t->part = part_of(r, p, t->place.node);
        } else if (rule == WF_RULE_SUM || !place_inside(r, p, t)) {      /* summed steps have nothing in common */
            if (!placement_find(pl, t->shape, &t->place)) return false;
            t->part = part_of(r, p, t->place.node);
        }
        plan_allocate(p, t->place.node, s, t->place.cards);
        need_task(r, p, t);
    }
    return true;
}

/* Add what the step needs to what is kept: the larger of the two, or both together (sum). */
static void keep_step(struct reservation *r, enum reservation_rule rule)
{
    for (uint32_t i = 0; i < r->n_parts; i++) {
        struct reservation_part *o = &r->part[i];
        struct reservation_sum *k = &o->sum[WF_KEPT];
        const struct reservation_sum *n = &o->sum[WF_NEED];
        k->cpu = rule == WF_RULE_SUM ? k->cpu + n->cpu : most64(k->cpu, n->cpu);
        k->mem = rule == WF_RULE_SUM ? k->mem + n->mem : most64(k->mem, n->mem);
        k->n_tasks = rule == WF_RULE_SUM ? k->n_tasks + n->n_tasks : most32(k->n_tasks, n->n_tasks);
        for (int e = 0; e < POL_ENGINES_MAX; e++)
            k->engine[e] = rule == WF_RULE_SUM ? k->engine[e] + n->engine[e] : most32(k->engine[e], n->engine[e]);
        for (uint32_t c = 0; c < o->n_gpu; c++) {
            struct reservation_card *a = &cards_of(o, WF_KEPT)[c];
            const struct reservation_card *b = &cards_of(o, WF_NEED)[c];
            a->milli = rule == WF_RULE_SUM ? a->milli + b->milli : most32(a->milli, b->milli);
            a->mem = rule == WF_RULE_SUM ? a->mem + b->mem : most64(a->mem, b->mem);
            a->cores = rule == WF_RULE_SUM ? a->cores + b->cores : most32(a->cores, b->cores);
        }
    }
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) {
        int64_t *kept = &r->licence[WF_KEPT][k], need = r->licence[WF_NEED][k];
        *kept = rule == WF_RULE_SUM ? *kept + need : most64(*kept, need);
    }
}

/* Keep more cores and whole idle cards, from the lowest node on, until there are as many as were asked for. */
static bool keep_more(struct reservation *r, const struct plan *p, const struct reservation_amount *want)
{
    struct reservation_amount have = reservation_total(r, WF_KEPT);
    int64_t cpu = want->cpu_milli - have.cpu_milli, gpu = want->gpu_milli - have.gpu_milli;
    for (uint32_t i = 0; i < p->n_nodes && (cpu > 0 || gpu > 0); i++) {
        const struct pol_node *n = &p->node[i].n;
        if (!n->is_up || (n->cpu_free == 0 && p->node[i].n_idle == 0)) continue;
        uint32_t part = part_of(r, p, i);           /* may move r->part */
        struct reservation_part *o = &r->part[part];
        /* Exclusive tasks must find the node taken. */
        if (o->sum[WF_KEPT].n_tasks == 0) o->sum[WF_KEPT].n_tasks = 1;
        int64_t more = n->cpu_free - o->sum[WF_KEPT].cpu;
        if (more > cpu) more = cpu;
        if (more > 0) { o->sum[WF_KEPT].cpu += more; cpu -= more; }
        for (uint32_t c = 0; c < n->n_gpu && gpu > 0; c++) {
            struct reservation_card *k = &cards_of(o, WF_KEPT)[c];
            const struct pol_card *card = &plan_cards_of(p, i)[c];
            if (k->milli > 0 || card->milli_free < WHOLE) continue;
            k->milli = WHOLE;
            k->mem = card->mem_free;
            k->cores = card->core_free;
            gpu -= WHOLE;
        }
    }
    for (int k = 0; k < PLAN_LICENCES_MAX; k++)
        r->licence[WF_KEPT][k] = most64(r->licence[WF_KEPT][k], want->licence[k]);
    return cpu <= 0 && gpu <= 0;
}

/* Steps from the largest on: what the smaller take then mostly lies inside. */
static void order_steps(const struct reservation *r, const struct plan *p, uint32_t first, uint32_t *order)
{
    int64_t *size = pol_alloc(r->n_steps, sizeof *size);
    for (uint32_t s = first; s < r->n_steps; s++) {
        for (uint32_t i = r->step_start[s]; i < r->step_start[s + 1]; i++) {
            const struct pol_shape *sh = &p->shape[r->task[i].shape];
            /* Cards are scarcer. */
            if (!r->task[i].is_done) size[s] += sh->cpu_milli + (int64_t)sh->n_gpu * sh->gpu_milli * 64;
        }
        uint32_t at = s - first;
        for (; at > 0 && size[order[at - 1]] < size[s]; at--) order[at] = order[at - 1];
        order[at] = s;
    }
    free(size);
}

bool reservation_plan(struct reservation *r, struct placement *pl, uint32_t first, enum reservation_rule rule,
               const struct reservation_amount *extra, const int64_t *free_licence)
{
    struct plan *p = pl->plan;
    uint32_t *order = pol_alloc(r->n_steps, sizeof *order);
    bool ok = true;
    reservation_drop(r);
    order_steps(r, p, first, order);
    struct plan_mark all = plan_mark(p);
    for (uint32_t k = 0; k < r->n_steps - first && ok; k++) {
        struct plan_mark m = plan_mark(p);
        ok = plan_step(r, pl, order[k], rule);
        if (rule == WF_RULE_SUM && ok) plan_keep(p, m);
        else plan_undo(p, m);
        if (ok) keep_step(r, rule);
    }
    plan_undo(p, all);
    need_nothing(r);
    if (ok && extra != NULL) ok = keep_more(r, p, extra);
    for (int k = 0; k < PLAN_LICENCES_MAX && ok; k++) ok = r->licence[WF_KEPT][k] <= free_licence[k];
    if (!ok) reservation_drop(r);
    free(order);
    return ok;
}

void reservation_enter(struct reservation *r, const struct plan *p, uint32_t step)
{
    need_nothing(r);
    for (uint32_t i = r->step_start[step]; i < r->step_start[step + 1]; i++) {
        if (r->task[i].is_done) continue;
        need_task(r, p, &r->task[i]);
        r->task[i].is_due = !r->task[i].is_running;
    }
}

/* Is the task's place as it is planned within what is kept and not needed? */
static bool place_is_free(const struct reservation *r, const struct plan *p, const struct reservation_task *t)
{
    struct pol_card card[FITS_CARDS_MAX];
    struct pol_node node = rest_of(r, p, t->part, 0, card);
    const struct pol_shape *s = &p->shape[t->shape];
    node.max_tasks = node.n_tasks = 0;
    if (s->exclusive) return r->part[t->part].sum[WF_NEED].n_tasks == 0;
    return pol_node_fits_on(&node, card, s, t->place.cards);
}

/* Room for the task beside what is needed so far, whatever is lent of it; its place and part are set. */
static bool find_place(struct reservation *r, const struct plan *p, struct reservation_task *t)
{
    const struct pol_shape *s = &p->shape[t->shape];
    for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++)
        if (r->licence[WF_NEED][k] + plan_licence(p, t->shape, k) > r->licence[WF_KEPT][k]) return false;
    for (uint32_t i = 0; i <= r->n_parts; i++) {
        const uint32_t part = i == 0 ? t->part : i - 1;
        const struct reservation_part *o = &r->part[part];
        const struct pol_node *n = &p->node[o->node].n;
        uint64_t cards = t->place.cards;
        if (n->max_tasks > 0 && o->sum[WF_NEED].n_tasks >= o->sum[WF_KEPT].n_tasks) continue;
        if (i == 0 ? !place_is_free(r, p, t) : s->exclusive || !fits_inside(r, p, part, s, &cards)) continue;
        t->part = part;
        t->place = (struct pol_place){ .node = o->node, .cards = cards };
        return true;
    }
    return false;
}

void reservation_enter_ready(struct reservation *r, const struct plan *p, const bool *is_ready)
{
    need_nothing(r);
    for (uint32_t i = 0; i < r->n_tasks; i++) if (r->task[i].is_running) need_task(r, p, &r->task[i]);
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        struct reservation_task *t = &r->task[i];
        if (t->is_done || t->is_running || !is_ready[i] || !find_place(r, p, t)) continue;
        t->is_due = true;
        need_task(r, p, t);
    }
}

/* ---- borrowers ---- */

/* Cards for the task, first of those outside, at most `most` of them: these out as well.  0: too few. */
static uint64_t cards_from_both(const struct pol_node *n, const struct pol_card *outside, struct pol_card *inside,
                                struct pol_shape s, int64_t most, uint64_t *from_outside)
{
    const int32_t asked = s.n_gpu;
    int32_t n_outside = 0;
    uint64_t rest = 0;
    for (uint32_t c = 0; c < n->n_gpu; c++) n_outside += pol_node_card_fits(&outside[c], &s);
    if (n_outside > most) n_outside = (int32_t)most;
    if (n_outside > asked) n_outside = asked;
    s.n_gpu = n_outside;
    *from_outside = n_outside > 0 ? pol_node_pick_cards(n, outside, &s) : 0;
    s.n_gpu = asked - n_outside;
    for (uint64_t left = *from_outside; left != 0; left &= left - 1) inside[__builtin_ctzll(left)].milli_free = 0;
    if (s.n_gpu > 0 && (rest = pol_node_pick_cards(n, inside, &s)) == 0) return 0;
    return *from_outside | rest;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
/* How much of what is asked is not outside. */
static int64_t beyond(int64_t asked, int64_t outside) { return asked - least(asked, most64(outside, 0)); }

bool reservation_can_lend(const struct reservation *r, const struct plan *p, uint32_t part, uint32_t shape,
                          const struct reservation_amount *outside, struct reservation_take *out, uint64_t *cards)
{
    const struct pol_shape *s = &p->shape[shape];
    const uint32_t node = r->part[part].node;
    const struct pol_node *free = &p->node[node].n;
    struct pol_card card[FITS_CARDS_MAX];
    struct pol_node both = rest_of(r, p, part, 1, card);
    uint64_t from_outside = 0;
    if (s->exclusive) return false;
    *out = (struct reservation_take){ .shape = shape };
    out->sum.cpu = beyond(s->cpu_milli, least(free->cpu_free, outside->cpu_milli));
    out->sum.mem = beyond(s->mem_b, free->mem_free);
    both.cpu_free += s->cpu_milli - out->sum.cpu;
    both.mem_free += s->mem_b - out->sum.mem;
    for (int e = 0; e < POL_ENGINES_MAX; e++) {
        out->sum.engine[e] = (int32_t)beyond(s->engine[e], free->engine_free[e]);
        both.engine_free[e] += s->engine[e] - out->sum.engine[e];
    }
    if (!pol_node_fits_beside_cards(&both, s)) return false;
    *cards = 0;
    if (s->n_gpu > 0)
        *cards = cards_from_both(&both, plan_cards_of(p, node), card, *s, most64(outside->gpu_milli, 0) / s->gpu_milli,
                                 &from_outside);
    out->cards = *cards & ~from_outside;
    return s->n_gpu == 0 || *cards != 0;
}

bool reservation_has_rest(const struct reservation *r)
{
    for (int k = 0; k < PLAN_LICENCES_MAX; k++)
        if (r->licence[WF_KEPT][k] > r->licence[WF_NEED][k] + r->licence[WF_LENT][k]) return true;
    for (uint32_t i = 0; i < r->n_parts; i++) {
        const struct reservation_part *o = &r->part[i];
        const struct reservation_sum *k = &o->sum[WF_KEPT], *n = &o->sum[WF_NEED], *l = &o->sum[WF_LENT];
        if (k->cpu > n->cpu + l->cpu || k->mem > n->mem + l->mem) return true;
        for (int e = 0; e < POL_ENGINES_MAX; e++) if (k->engine[e] > n->engine[e] + l->engine[e]) return true;
        for (uint32_t c = 0; c < o->n_gpu; c++)
            if (cards_of(o, WF_KEPT)[c].milli > cards_of(o, WF_NEED)[c].milli + cards_of(o, WF_LENT)[c].milli)
                return true;
    }
    return false;
}

static bool card_is_short(const struct reservation_part *o, uint32_t c)
{
    const struct reservation_card *k = &cards_of(o, WF_KEPT)[c], *n = &cards_of(o, WF_NEED)[c],
                                  *l = &cards_of(o, WF_LENT)[c];
    return n->milli + l->milli > k->milli || n->mem + l->mem > k->mem || n->cores + l->cores > k->cores;
}

/* Is more needed and lent than is kept of a licence of which `t` holds some (NULL: of any)? */
static bool licence_is_short(const struct reservation *r, const struct reservation_take *t)
{
    for (int k = 0; k < PLAN_LICENCES_MAX; k++)
        if (r->licence[WF_NEED][k] + r->licence[WF_LENT][k] > r->licence[WF_KEPT][k] &&
            (t == NULL || t->licence[k] > 0))
            return true;
    return false;
}

bool reservation_is_short(const struct reservation *r, uint32_t part)
{
    if (part == POL_NONE) return licence_is_short(r, NULL);
    const struct reservation_part *o = &r->part[part];
    const struct reservation_sum *k = &o->sum[WF_KEPT], *n = &o->sum[WF_NEED], *l = &o->sum[WF_LENT];
    bool is = n->cpu + l->cpu > k->cpu || n->mem + l->mem > k->mem;
    for (int e = 0; e < POL_ENGINES_MAX; e++) is |= n->engine[e] + l->engine[e] > k->engine[e];
    for (uint32_t c = 0; c < o->n_gpu; c++) is |= card_is_short(o, c);
    return is;
}

bool reservation_holds_short(const struct reservation *r, uint32_t part, const struct reservation_take *t)
{
    if (part == POL_NONE) return licence_is_short(r, t);
    const struct reservation_part *o = &r->part[part];
    const struct reservation_sum *k = &o->sum[WF_KEPT], *n = &o->sum[WF_NEED], *l = &o->sum[WF_LENT];
    if ((t->sum.cpu > 0 && n->cpu + l->cpu > k->cpu) || (t->sum.mem > 0 && n->mem + l->mem > k->mem)) return true;
    for (int e = 0; e < POL_ENGINES_MAX; e++)
        if (t->sum.engine[e] > 0 && n->engine[e] + l->engine[e] > k->engine[e]) return true;
    for (uint64_t left = t->cards; left != 0; left &= left - 1)
        if (card_is_short(o, (uint32_t)__builtin_ctzll(left))) return true;
    return false;
}

int64_t reservation_short_cards(const struct reservation *r, uint32_t part, uint64_t cards)
{
    const struct reservation_part *o = &r->part[part];
    int64_t sum = 0;
    for (uint32_t c = 0; c < o->n_gpu; c++) {
        int64_t more = cards_of(o, WF_NEED)[c].milli + cards_of(o, WF_LENT)[c].milli - cards_of(o, WF_KEPT)[c].milli;
        if (more > 0 && (cards >> c & 1) != 0) sum += more;
    }
    return sum;
}

/* ---- amounts ---- */

struct reservation_amount reservation_total(const struct reservation *r, enum reservation_sums what)
{
    struct reservation_amount a = { 0 };
    for (uint32_t i = 0; i < r->n_parts; i++) {
        a.cpu_milli += r->part[i].sum[what].cpu;
        for (uint32_t c = 0; c < r->part[i].n_gpu; c++) a.gpu_milli += cards_of(&r->part[i], what)[c].milli;
    }
    memcpy(a.licence, r->licence[what], sizeof a.licence);
    return a;
}

struct reservation_amount reservation_amount(const struct plan *p, const struct reservation_take *t)
{
    const struct pol_shape *s = &p->shape[t->shape];
    struct reservation_amount a = { .cpu_milli = t->sum.cpu,
                                    .gpu_milli = (int64_t)__builtin_popcountll(t->cards) *
                                                 (s->exclusive ? WHOLE : s->gpu_milli) };
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) a.licence[k] = t->licence[k];
    return a;
}
