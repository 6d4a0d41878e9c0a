/*
 * plan.c -- the private copy of what is free, see plan.h.
 *
 * Undo is a log: before a node changes under a mark, the node and its cards are
 * copied to the log's end; undoing copies them back, the latest first.
 */
#include "lib/place/plan.h"

#include "lib/util.h"

enum { WHOLE = 1000, NODE_CLASSES_MAX = 64 };

struct plan_old { uint32_t id; struct plan_node node; };

void plan_fini(struct plan *p)
{
    POL_FREE(p->node, p->card, p->card0, p->node_class, p->touches.last, p->touches.log, p->undo.node, p->undo.card,
             p->bare.shape);
    memset(p, 0, sizeof *p);
}

static void touch(struct plan *p, uint32_t node)
{
    p->change_epoch = ++p->last_epoch;
    p->touches.n++;
    p->touches.log[p->touches.n & p->touches.mask] = node;
    p->touches.last[node] = p->touches.n;
}

/* ---- in step with the view ---- */

static void part_cards(struct plan *p, uint32_t node)
{
    const uint32_t n = p->node[node].n.n_gpu;
    memcpy(&p->card[p->card_end], &p->card[p->card0[node]], n * sizeof *p->card);
    p->card0[node] = p->card_end;
    p->card_end += n;
}

/* The node's cards, to change them: those that it has in common with others it keeps for itself from then on. */
static inline struct pol_card *own_cards(struct plan *p, uint32_t node)
{
    if (p->card0[node] < p->card_own) part_cards(p, node);
    return &p->card[p->card0[node]];
}

static void sum_cards(struct plan_node *o, const struct pol_card *card)
{
    o->gpu_free = 0;
    o->n_idle = 0;
    o->idle = 0;
    for (uint32_t k = 0; k < o->n.n_gpu; k++) {
        const uint64_t is_idle = card[k].milli_free == WHOLE;
        o->gpu_free += card[k].milli_free;
        o->n_idle += (int32_t)is_idle;
        o->idle |= is_idle << k;
    }
}

/* The node's part of the sums over all that are up: sign -1 before it changes, +1 after. */
static void sum(struct plan *p, const struct plan_node *o, int sign)
{
    if (!o->n.is_up) return;
    p->gpu_free += sign * o->gpu_free;
    p->n_idle += sign * o->n_idle;
}

/* A node changes, its cards as well. */
static void put(struct plan *p, uint32_t node, const struct plan_node *o, const struct pol_card *card)
{
    sum(p, &p->node[node], -1);
    sum(p, o, +1);
    p->node[node] = *o;
    if (o->n.n_gpu > 0) memcpy(own_cards(p, node), card, o->n.n_gpu * sizeof *card);
    touch(p, node);
}

static bool alike(const struct plan *p, uint32_t x, uint32_t y)
{
    const struct pol_node *a = &p->node[x].n, *b = &p->node[y].n;
    const struct pol_card *card = plan_cards_of(p, x), *other = plan_cards_of(p, y);
    if (a->cpu_total != b->cpu_total || a->mem_total != b->mem_total || a->labels != b->labels || a->n_gpu != b->n_gpu ||
        a->gpu_type != b->gpu_type || a->max_tasks != b->max_tasks ||
        a->cpu_reserved != b->cpu_reserved || a->mem_reserved != b->mem_reserved || memcmp(a->engine_total, b->engine_total, sizeof a->engine_total) != 0) return false;
    for (uint32_t k = 0; k < a->n_gpu && card != other; k++)
        if (card[k].mem_total != other[k].mem_total || card[k].core_total != other[k].core_total) return false;
    return true;
}

static void classify(struct plan *p)
{
    uint32_t first[NODE_CLASSES_MAX];
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t k = 0;
        while (k < p->n_node_classes && !alike(p, first[k], i)) k++;
        if (k == p->n_node_classes && k < NODE_CLASSES_MAX) first[p->n_node_classes++] = i;
        p->node_class[i] = k < NODE_CLASSES_MAX ? k : POL_NONE;
    }
}

/* A card as the plan sees it: by count there is nothing on it but itself. */
static struct pol_card seen(const struct plan *p, const struct pol_card *c)
{
    return p->by_count ? (struct pol_card){ .milli_free = c->milli_free } : *c;
}

static bool has_like_cards(const struct pol_node *n, const struct pol_card *c)
{
    uint32_t k = 1;
    while (k < n->n_gpu && c[k].mem_total == c->mem_total && c[k].core_total == c->core_total) k++;
    return k >= n->n_gpu;
}

/* The sums over a node's cards, which are those of the one before if they are as theirs. */
static void take_cards(struct plan *p, const struct pol_view *v, uint32_t i)
{
    struct plan_node *o = &p->node[i];
    const struct pol_card *card = &v->card[o->n.card0];
    if (i > 0 && o[-1].n.n_gpu == o->n.n_gpu && memcmp(card, &v->card[o[-1].n.card0], o->n.n_gpu * sizeof *card) == 0) {
        p->card0[i] = p->card0[i - 1];
        o->gpu_free = o[-1].gpu_free;
        o->n_idle = o[-1].n_idle;
        o->idle = o[-1].idle;
        o->has_like_cards = o[-1].has_like_cards;
        return;
    }
    p->card0[i] = p->card_end;
    for (uint32_t k = 0; k < o->n.n_gpu; k++) p->card[p->card_end++] = seen(p, &card[k]);
    sum_cards(o, plan_cards_of(p, i));
    o->has_like_cards = has_like_cards(&o->n, plan_cards_of(p, i));
}

static void build(struct plan *p, const struct pol_view *v)
{
    p->n_nodes = v->n_nodes;
    p->n_cards = v->n_cards;
    POL_LARGE(p->node, p->n_nodes);
    POL_LARGE(p->card, (size_t)2 * p->n_cards);      /* at most, so that it never moves; memory goes to what is in use */
    POL_LARGE(p->card0, p->n_nodes);
    p->node_class = pol_alloc(p->n_nodes, sizeof *p->node_class);
    p->touches.last = pol_alloc(p->n_nodes, sizeof *p->touches.last);
    uint32_t size = 64;
    while (size <= p->n_nodes) size *= 2;
    p->touches.log = pol_alloc(size, sizeof *p->touches.log);
    p->touches.mask = size - 1;
    const int32_t none[POL_ENGINES_MAX] = { 0 };
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        struct plan_node *o = &p->node[i];
        *o = (struct plan_node){ .n = v->node[i] };
        take_cards(p, v, i);
        sum(p, o, +1);
        o->has_engines = memcmp(o->n.engine_total, none, sizeof none) != 0;
        if (o->n.cpu_total > p->largest.cpu) p->largest.cpu = o->n.cpu_total;
        if (o->n.mem_total > p->largest.mem) p->largest.mem = o->n.mem_total;
        if ((int64_t)o->n.n_gpu * WHOLE > p->largest.gpu) p->largest.gpu = (int64_t)o->n.n_gpu * WHOLE;
        touch(p, i);
    }
    p->card_own = p->card_end;
    p->freed_epoch = ++p->last_epoch;
    classify(p);
}

/* Is the node in the view as in the plan, but for its cards? */
static inline bool is_same_beside_cards(const struct plan_node *o, const struct pol_node *n)
{
    return n->cpu_free == o->n.cpu_free && n->mem_free == o->n.mem_free && n->n_tasks == o->n.n_tasks && n->is_up == o->n.is_up &&
           (!o->has_engines || memcmp(n->engine_free, o->n.engine_free, sizeof n->engine_free) == 0);
}

/* Are its cards, too?  By count nobody knows before each was looked at. */
static inline bool is_foreseen(const struct plan *p, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    return is_same_beside_cards(&p->node[i], n) && !p->by_count &&      /* a card has no padding */
           memcmp(&v->card[n->card0], plan_cards_of(p, i), n->n_gpu * sizeof *p->card) == 0;
}

/* Adopt the view's state of one node. */
__attribute__((noinline))               /* rare, and who looks whether it is needed is to stay small */
static void adopt(struct plan *p, const struct pol_view *v, uint32_t i)
{
    struct plan_node *o = &p->node[i];
    const struct pol_node *n = &v->node[i];
    bool same = is_same_beside_cards(o, n);
    bool grew = n->cpu_free > o->n.cpu_free || n->mem_free > o->n.mem_free || n->n_tasks < o->n.n_tasks || n->is_up > o->n.is_up;
    for (int k = 0; k < POL_ENGINES_MAX; k++) grew |= n->engine_free[k] > o->n.engine_free[k];
    struct pol_card *card = own_cards(p, i);
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        const struct pol_card to = seen(p, &v->card[n->card0 + k]), *was = &card[k];
        grew |= to.milli_free > was->milli_free || to.mem_free > was->mem_free || to.core_free > was->core_free;
        same &= to.milli_free == was->milli_free && to.mem_free == was->mem_free && to.core_free == was->core_free;
        card[k] = to;
    }
    if (same) return;
    sum(p, o, -1);
    o->n = *n;
    sum_cards(o, card);
    sum(p, o, +1);
    touch(p, i);
    if (!grew) return;
    p->freed_epoch = ++p->last_epoch;
    p->n_grown++;
}

void plan_reuses(struct plan *p, const struct pol_host *host)
{
    p->shapes = host->extension(host->ctx, POL_SHAPES);
}

static void bare(struct plan *p, const struct pol_shape *s, uint32_t id)
{
    p->bare.shape[id] = *s;
    p->bare.shape[id].gpu_mem_b = 0;
    p->bare.shape[id].gpu_cores = 0;
}

void plan_shapes(struct plan *p, const struct pol_view *v)
{
    p->gpu_type = v->gpu_type;
    p->n_gpu_types = v->n_gpu_types;
    p->shape = v->shape;
    if (!p->by_count) return;
    POL_RESERVE(p->bare.shape, p->bare.cap, v->n_shapes);
    for (uint32_t i = 0; i < plan_n_renewed(p); i++) bare(p, &v->shape[p->shapes->renewed[i]], p->shapes->renewed[i]);
    for (; p->bare.n < v->n_shapes; p->bare.n++) bare(p, &v->shape[p->bare.n], p->bare.n);
    p->shape = p->bare.shape;
}

void plan_nodes(struct plan *p, const struct pol_view *v)
{
    if (p->node == NULL) { build(p, v); return; }
    for (uint32_t i = 0; i < v->n_changed; i++)         /* usually the plan has foreseen what became of a node */
        if (!is_foreseen(p, v, v->changed[i])) adopt(p, v, v->changed[i]);
}

void plan_sync(struct plan *p, const struct pol_view *v)
{
    plan_shapes(p, v);
    plan_nodes(p, v);
}

void plan_renew(struct plan *p) { p->change_epoch = ++p->last_epoch; }

/* ---- changing ---- */

static void save(struct plan *p, uint32_t node)
{
    if (p->undo.depth == 0) return;
    const struct plan_node *o = &p->node[node];
    POL_PUSH(p->undo.node, p->undo.n, p->undo.cap, (struct plan_old){ node, *o });
    if (o->n.n_gpu == 0) return;
    POL_RESERVE(p->undo.card, p->undo.cap_cards, p->undo.n_cards + o->n.n_gpu);
    memcpy(&p->undo.card[p->undo.n_cards], plan_cards_of(p, node), o->n.n_gpu * sizeof *p->card);
    p->undo.n_cards += o->n.n_gpu;
}

/* card: the node's own. */
static void move_all(struct plan_node *o, struct pol_card *card, bool allocate)
{
    o->n.cpu_free = allocate ? 0 : o->n.cpu_total - o->n.cpu_reserved;
    o->n.mem_free = allocate ? 0 : o->n.mem_total - o->n.mem_reserved;
    for (int k = 0; k < POL_ENGINES_MAX; k++) o->n.engine_free[k] = allocate ? 0 : o->n.engine_total[k];
    for (uint32_t k = 0; k < o->n.n_gpu; k++) {
        card[k].milli_free = allocate ? 0 : WHOLE;
        card[k].mem_free = allocate ? 0 : card[k].mem_total;
        card[k].core_free = allocate ? 0 : card[k].core_total;
    }
    o->gpu_free = allocate ? 0 : (int32_t)o->n.n_gpu * WHOLE;
    o->n_idle = allocate ? 0 : (int32_t)o->n.n_gpu;
    o->idle = allocate ? 0 : pol_node_all_cards(&o->n);
}

/* What the task holds of its cards besides their shares. */
static void move_cards(struct pol_card *card, const struct pol_shape *s, uint64_t cards, int sign)
{
    for (uint64_t left = cards; left != 0; left &= left - 1) {
        struct pol_card *c = &card[__builtin_ctzll(left)];
        c->mem_free += sign * pol_node_card_mem_of(c, s);
        c->core_free += sign * pol_node_card_cores_of(c, s);
    }
}

/* Of these cards, which are idle now? */
static void note_idle(struct plan_node *o, const struct pol_card *card, uint64_t cards)
{
    for (uint64_t left = cards; left != 0; left &= left - 1) {
        const int k = __builtin_ctzll(left);
        const uint64_t was = o->idle >> k & 1, is = card[k].milli_free == WHOLE;
        o->n_idle += (int32_t)is - (int32_t)was;
        o->idle ^= (was ^ is) << k;
    }
}

static inline void move_some(struct plan_node *o, struct pol_card *card, const struct pol_shape *s, uint64_t cards, int sign)
{
    const int32_t milli = sign * s->gpu_milli;
    int32_t n = 0;
    for (uint64_t left = cards; left != 0; left &= left - 1, n++) card[(uint32_t)__builtin_ctzll(left)].milli_free += milli;
    if (s->gpu_mem_b != 0 || s->gpu_cores != 0) move_cards(card, s, cards, sign);
    o->gpu_free += n * milli;
    if (s->gpu_milli == WHOLE) {        /* all of them were idle, or are now */
        o->n_idle += sign * n;
        o->idle ^= cards;
    } else {
        note_idle(o, card, cards);
    }
    o->n.cpu_free += sign * s->cpu_milli;
    o->n.mem_free += sign * s->mem_b;
    for (int k = 0; k < POL_ENGINES_MAX && o->has_engines; k++) o->n.engine_free[k] += sign * s->engine[k];
    if (s->cpu_milli == 0) o->n_no_cpu -= (uint32_t)sign;
    if (s->mem_b == 0) o->n_no_mem -= (uint32_t)sign;
}

static inline void move(struct plan_node *o, struct pol_card *card, const struct pol_shape *s, uint64_t cards, int sign)
{
    if (s->exclusive) move_all(o, card, sign < 0);
    else move_some(o, card, s, cards, sign);
    o->n.n_tasks -= (uint32_t)sign;
}

static void change(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards, int sign)
{
    struct plan_node *o = &p->node[node];
    const int32_t gpu_free = o->gpu_free, n_idle = o->n_idle;
    save(p, node);
    move(o, own_cards(p, node), s, cards, sign);
    if (o->n.is_up) {
        p->gpu_free += o->gpu_free - gpu_free;
        p->n_idle += o->n_idle - n_idle;
    }
    touch(p, node);
}

void plan_allocate(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards) { change(p, node, s, cards, -1); }

void plan_release(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards)
{
    change(p, node, s, cards, +1);
    p->undo.n_releases++;
    p->freed_epoch = ++p->last_epoch;
}

void plan_take_back(struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards, uint64_t change_epoch)
{
    change(p, node, s, cards, +1);
    p->change_epoch = change_epoch;
}

void plan_snap(struct plan_snap *s, const struct plan *p, uint32_t node)
{
    const struct plan_node *o = &p->node[node];
    s->node = *o;
    POL_RESERVE(s->card, s->cap_card, o->n.n_gpu);
    if (o->n.n_gpu > 0) memcpy(s->card, plan_cards_of(p, node), o->n.n_gpu * sizeof *s->card);
}

void plan_snap_allocate(struct plan_snap *s, const struct pol_shape *shape, uint64_t cards) { move(&s->node, s->card, shape, cards, -1); }
void plan_snap_release(struct plan_snap *s, const struct pol_shape *shape, uint64_t cards) { move(&s->node, s->card, shape, cards, +1); }

void plan_limit(struct plan *p, uint32_t node, const struct plan_snap *to)
{
    struct plan_node *o = &p->node[node];
    const struct plan_node *t = &to->node;
    struct pol_card *card = own_cards(p, node);
    save(p, node);
    if (t->n.cpu_free < o->n.cpu_free) o->n.cpu_free = t->n.cpu_free;
    if (t->n.mem_free < o->n.mem_free) o->n.mem_free = t->n.mem_free;
    for (int k = 0; k < POL_ENGINES_MAX; k++)
        if (t->n.engine_free[k] < o->n.engine_free[k]) o->n.engine_free[k] = t->n.engine_free[k];
    for (uint32_t k = 0; k < o->n.n_gpu; k++) {
        struct pol_card *c = &card[k];
        if (to->card[k].milli_free < c->milli_free) c->milli_free = to->card[k].milli_free;
        if (to->card[k].mem_free < c->mem_free) c->mem_free = to->card[k].mem_free;
        if (to->card[k].core_free < c->core_free) c->core_free = to->card[k].core_free;
    }
    if (t->n.n_tasks > o->n.n_tasks) o->n.n_tasks = t->n.n_tasks;
    if (t->n_no_cpu > o->n_no_cpu) o->n_no_cpu = t->n_no_cpu;
    if (t->n_no_mem > o->n_no_mem) o->n_no_mem = t->n_no_mem;
    sum(p, o, -1);
    sum_cards(o, card);
    sum(p, o, +1);
    touch(p, node);
}

void plan_copy_node(struct plan *to, const struct plan *from, uint32_t node)
{
    save(to, node);
    put(to, node, &from->node[node], plan_cards_of(from, node));
    to->freed_epoch = ++to->last_epoch;
}

/* ---- undo ---- */

/*
 * Failures noted inside a mark must not outlive it: the mark begins a new
 * freed_epoch, so that they are told apart, and its end brings the old one back,
 * unless something released was kept.
 */
struct plan_mark plan_mark(struct plan *p)
{
    struct plan_mark m = { p->undo.n, p->undo.n_cards, p->freed_epoch, p->change_epoch, p->undo.n_releases };
    p->undo.depth++;
    p->freed_epoch = ++p->last_epoch;
    return m;
}

void plan_undo(struct plan *p, struct plan_mark m)
{
    while (p->undo.n > m.n_old) {
        const struct plan_old *o = &p->undo.node[--p->undo.n];
        p->undo.n_cards -= o->node.n.n_gpu;
        put(p, o->id, &o->node, o->node.n.n_gpu > 0 ? &p->undo.card[p->undo.n_cards] : NULL);
    }
    p->undo.depth--;
    p->freed_epoch = m.freed_epoch;
    p->change_epoch = m.change_epoch;
}

void plan_keep(struct plan *p, struct plan_mark m)
{
    p->undo.depth--;
    p->freed_epoch = p->undo.n_releases != m.n_releases ? ++p->last_epoch : m.freed_epoch;
    if (p->undo.depth == 0) p->undo.n = p->undo.n_cards = 0;
}
