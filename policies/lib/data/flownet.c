/*
 * flownet.c -- the cluster and the waiting tasks as the solver is told of them, see
 * flownet.h.
 */
#include "lib/data/flownet.h"

#include "lib/util.h"

/*
 * From how many empty places on the solver searches from each (assign_fill_from).  It then
 * chooses differently among equal optima; a cluster of some dozens of GPUs would gain
 * microseconds by that, so there it is not done, and published results stay as they are.
 */
enum { FILL_FROM = 64 };
enum { LAST_CLASS = ASSIGN_CLASSES_MAX - 1, WHOLE = 1000 };

void flownet_init(struct flownet *n, struct sched *sched, struct gpujobs *jobs)
{
    memset(n, 0, sizeof *n);
    n->sched = sched;
    n->jobs = jobs;
}

void flownet_fini(struct flownet *n)
{
    assign_destroy(n->assign);
    free(n->cards.class); free(n->cards.class_of); free(n->cards.first); free(n->places.extra); free(n->places.less); free(n->cards.overflow);
    free(n->fits); free(n->job); free(n->places.open); free(n->near); free(n->put); free(n->places.closed);
}

static void fail(struct flownet *n, const char *message)
{
    const struct pol_host *h = n->sched->host;
    n->has_failed = true;
    h->fail(h->ctx, message);
}

/* ---- classes of cards ---- */

/* Cards on which the same requests could ever fit are of one class: an idle node with that card alone. */
static uint32_t find_class(struct flownet *n, const struct pol_node *node, const struct pol_card *card)
{
    struct flownet_class c;
    memset(&c, 0, sizeof c);                /* compared as a whole */
    c.node.cpu_total = node->cpu_total - node->cpu_reserved;
    c.node.mem_total = node->mem_total - node->mem_reserved;
    c.node.labels = node->labels;
    c.node.gpu_type = node->gpu_type;
    c.node.n_gpu = 1;
    memcpy(c.node.engine_total, node->engine_total, sizeof c.node.engine_total);
    c.card.mem_total = card->mem_total;
    c.card.core_total = card->core_total;
    pol_node_empty(&c.node, &c.card);
    uint32_t i = 0;
    while (i < n->cards.n_classes && memcmp(&n->cards.class[i], &c, sizeof c) != 0) i++;
    if (i == n->cards.n_classes) {
        POL_RESERVE(n->cards.class, n->cards.cap_classes, (size_t)++n->cards.n_classes);
        memcpy(&n->cards.class[i], &c, sizeof c);
    }
    return i;
}

static bool class_fits(const struct flownet_class *c, const struct pol_shape *s) { return pol_node_fits(&c->node, &c->card, s); }

/* The solver's class of a card: all card classes beyond the last share that. */
static uint32_t gpu_class_of(const struct flownet *n, uint32_t card)
{
    return n->cards.class_of[card] < LAST_CLASS ? n->cards.class_of[card] : LAST_CLASS;
}

/* Once, when the plan first shows the cluster: tell the solver every site that can ever have places. */
static void build(struct flownet *n)
{
    const struct plan *p = &n->sched->plan;
    uint32_t *rack = pol_alloc(p->n_nodes, sizeof *rack), n_racks = 0;
    n->cards.class_of = pol_alloc(p->n_cards, sizeof *n->cards.class_of);
    n->cards.first = pol_alloc(p->n_cards, sizeof *n->cards.first);
    n->places.extra = pol_alloc(p->n_cards, sizeof *n->places.extra);
    n->places.less = pol_alloc(p->n_cards, sizeof *n->places.less);
    n->cards.overflow = pol_alloc(p->n_nodes, sizeof *n->cards.overflow);
    n->places.open = pol_alloc((p->n_nodes + 63) / 64, sizeof *n->places.open);
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct pol_node *o = &p->node[i].n;
        rack[i] = o->rack;
        if (o->rack >= n_racks) n_racks = o->rack + 1;
        for (uint32_t k = o->card0; k < o->card0 + o->n_gpu; k++) {
            n->cards.class_of[k] = find_class(n, o, &plan_cards_of(p, i)[k - o->card0]);
            n->cards.first[k] = o->card0;
            while (gpu_class_of(n, n->cards.first[k]) != gpu_class_of(n, k)) n->cards.first[k]++;
            if (n->cards.class_of[k] >= LAST_CLASS && (n->cards.n_overflow == 0 || n->cards.overflow[n->cards.n_overflow - 1] != i)) n->cards.overflow[n->cards.n_overflow++] = i;
        }
    }
    n->assign = assign_create(n_racks, p->n_nodes, rack, ASSIGN_CLASSES_MAX);
    assign_fill_from(n->assign, FILL_FROM);
    for (uint32_t i = 0; i < p->n_nodes; i++)
        for (uint32_t k = p->node[i].n.card0; k < p->node[i].n.card0 + p->node[i].n.n_gpu; k++)
            if (n->cards.first[k] == k) assign_places(n->assign, i, gpu_class_of(n, k), 0);
    free(rack);
}

static const struct pol_shape *shape_of(const struct flownet *n, const struct unit *u)
{
    return &n->sched->view->shape[n->sched->classes.at[u->request_class].shape[0]];
}

/* The GPU classes that a request class fits, as bits. */
static uint64_t fits_of(struct flownet *n, uint32_t class)
{
    POL_RESERVE(n->fits, n->cap_fits, (size_t)class + 1);
    struct flownet_fits *f = &n->fits[class];
    if (f->is_known) return f->classes;
    const struct pol_shape *s = &n->sched->view->shape[n->sched->classes.at[class].shape[0]];
    for (uint32_t c = 0; c < n->cards.n_classes; c++)
        if (class_fits(&n->cards.class[c], s)) f->classes |= UINT64_C(1) << (c < LAST_CLASS ? c : LAST_CLASS);
    f->is_known = true;
    return f->classes;
}

void flownet_class_gone(struct flownet *n, uint32_t class)
{
    if (class < n->cap_fits) n->fits[class] = (struct flownet_fits){ 0 };
}

/* ---- tasks ---- */

/* What the task costs on a node or in a rack; said again, the later holds. */
static void say_near(struct flownet *n, uint32_t *n_near, uint32_t at, uint32_t is_rack, int64_t cost)
{
    for (uint32_t k = 0; k < *n_near; k++)
        if (n->near[k].at == at && n->near[k].is_rack == is_rack) {
            n->near[k].cost = cost;
            return;
        }
    POL_PUSH(n->near, *n_near, n->cap_near, (struct assign_near){ at, is_rack, cost });
}

/* Name the nodes where no card of the last GPU class fits, though some cards of that class do elsewhere. */
static void say_misfits(struct flownet *n, uint32_t *n_near, const struct pol_shape *s)
{
    for (uint32_t i = 0; i < n->cards.n_overflow; i++) {
        const struct pol_node *o = &n->sched->plan.node[n->cards.overflow[i]].n;
        bool fits = false;
        for (uint32_t k = o->card0; k < o->card0 + o->n_gpu; k++)
            fits |= n->cards.class_of[k] >= LAST_CLASS && class_fits(&n->cards.class[n->cards.class_of[k]], s);
        if (!fits) say_near(n, n_near, n->cards.overflow[i], 0, ASSIGN_NEVER);
    }
}

static void add(struct flownet *n, const struct unit *u, int64_t shift, uint32_t stay_node, int64_t stay)
{
    if (n->assign == NULL) build(n);
    uint32_t id = u->task.slot, n_near = 0;
    struct assign_task t = { .job = u->job.slot, .fits = fits_of(n, u->request_class), .far = shift };
    int64_t most = stay_node != POL_NONE ? stay : 0;
    if (n->jobs->has_data[id]) {
        const struct locality_reach *r = &n->jobs->locality.reach[id];
        uint32_t all = r->n_nodes + r->n_racks;
        for (uint32_t i = 0; i <= all; i++) {
            int64_t cost = r->at[i].cost < FLOWNET_COST_MAX ? r->at[i].cost + shift : FLOWNET_COST_MAX;
            if (cost > most) most = cost;
            if (i == all) t.far = cost;
            else say_near(n, &n_near, r->at[i].id, i >= r->n_nodes, cost);
        }
    }
    if (stay_node != POL_NONE) say_near(n, &n_near, stay_node, 0, stay);
    if (n->cards.n_overflow > 0 && t.fits >> LAST_CLASS != 0) say_misfits(n, &n_near, shape_of(n, u));
    if (most >= FLOWNET_COST_MAX || shift <= -FLOWNET_COST_MAX || (stay_node != POL_NONE && stay <= -FLOWNET_COST_MAX)) {
        fail(n, "a cost passes 2^50: reading a task's inputs, or its wait, takes more than 35 years as weighted");
        return;
    }
    t.near = n->near;
    t.n_near = n_near;
    assign_add(n->assign, id, &t);
    POL_RESERVE(n->job, n->cap_job, (size_t)u->job.slot + 1);
    n->job[u->job.slot].n_tasks++;
}

void flownet_wait(struct flownet *n, const struct unit *u, int64_t shift) { add(n, u, shift, POL_NONE, 0); }

void flownet_run(struct flownet *n, const struct unit *u, int64_t shift, int64_t stay)
{
    const struct sched_held *h = &n->sched->held[u->task.slot];
    flownet_drop(n, u);
    add(n, u, shift, h->node, stay);
    const struct pol_node *o = &n->sched->plan.node[h->node].n;
    n->places.has_extra = true;
    n->places.extra[n->cards.first[o->card0 + (uint32_t)__builtin_ctzll(h->cards)]]++;
}

void flownet_drop(struct flownet *n, const struct unit *u)
{
    if (n->assign == NULL || !assign_has(n->assign, u->task.slot)) return;
    assign_remove(n->assign, u->task.slot);
    n->job[u->job.slot].n_tasks--;
}

int64_t flownet_price(const struct flownet *n, const struct unit *u, uint32_t node)
{
    return n->jobs->has_data[u->task.slot] ? locality_at(&n->jobs->locality, u->task.slot, node).cost : 0;
}

void flownet_job(struct flownet *n, uint32_t slot, uint32_t share, int64_t alpha)
{
    if (n->assign == NULL) build(n);
    POL_RESERVE(n->job, n->cap_job, (size_t)slot + 1);
    struct flownet_job *j = &n->job[slot];
    if (j->share == share && j->alpha == alpha) return;
    j->share = share;
    j->alpha = alpha;
    assign_job(n->assign, slot, share, alpha);
}

struct flownet_job flownet_told(const struct flownet *n, uint32_t slot)
{
    return slot < n->cap_job ? n->job[slot] : (struct flownet_job){ 0 };
}

/* ---- places ---- */

/* Tell the solver how many places the node has now. */
static void tell_node(struct flownet *n, uint32_t i)
{
    const struct plan *p = &n->sched->plan;
    const struct pol_node *o = &p->node[i].n;
    uint32_t count[FLOWNET_CARDS] = { 0 };
    bool any = false;
    for (uint32_t k = 0; k < o->n_gpu; k++)
        count[n->cards.first[o->card0 + k] - o->card0] += o->is_up && plan_cards_of(p, i)[k].milli_free == WHOLE;
    for (uint32_t k = 0; k < o->n_gpu; k++) {
        uint32_t c = o->card0 + k, have = count[k] + n->places.extra[c];
        if (n->cards.first[c] != c) continue;
        have = have > n->places.less[c] ? have - n->places.less[c] : 0;
        assign_places(n->assign, i, gpu_class_of(n, c), have);
        any |= have > 0;
    }
    uint64_t bit = UINT64_C(1) << i % 64;
    if (any) n->places.open[i / 64] |= bit;
    else n->places.open[i / 64] &= ~bit;
}

void flownet_open(struct flownet *n)
{
    const struct plan *p = &n->sched->plan;
    if (n->assign == NULL) build(n);
    if (n->places.has_extra) memset(n->places.extra, 0, p->n_cards * sizeof *n->places.extra);
    n->places.has_extra = false;
    for (uint32_t i = 0; i < n->places.n_closed; i++) {
        const struct pol_node *o = &p->node[n->places.closed[i]].n;
        memset(&n->places.less[o->card0], 0, o->n_gpu * sizeof *n->places.less);
        tell_node(n, n->places.closed[i]);
    }
    n->places.n_closed = 0;
}

void flownet_close(struct flownet *n, uint32_t node, uint32_t card)
{
    POL_PUSH(n->places.closed, n->places.n_closed, n->places.cap_closed, node);
    n->places.less[card]++;
    tell_node(n, node);
}

void flownet_places(struct flownet *n, bool all)
{
    const struct plan *p = &n->sched->plan;
    if (all || n->places.seen == 0 || p->touches.n - n->places.seen > p->touches.mask) {
        for (uint32_t i = 0; i < p->n_nodes; i++) tell_node(n, i);
    } else {
        for (uint64_t k = n->places.seen + 1; k <= p->touches.n; k++) tell_node(n, p->touches.log[k & p->touches.mask]);
    }
    n->places.seen = p->touches.n;
}

uint64_t flownet_card(const struct flownet *n, uint32_t node, uint32_t card, const struct pol_shape *s, uint64_t but)
{
    const struct plan *p = &n->sched->plan;
    const struct pol_node *o = &p->node[node].n;
    for (uint32_t k = card; k < o->card0 + o->n_gpu; k++) {
        uint64_t bit = UINT64_C(1) << (k - o->card0);
        const struct pol_card *c = &plan_cards_of(p, node)[k - o->card0];
        if (n->cards.first[k] == card && c->milli_free == WHOLE && pol_node_card_fits(c, s) && (but & bit) == 0) return bit;
    }
    return 0;
}

/* ---- solving ---- */

static int by_unit(const void *a, const void *b)
{
    const struct flownet_put *x = a, *y = b;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void list_puts(struct flownet *n)
{
    const struct plan *p = &n->sched->plan;
    n->n_put = 0;
    for (size_t w = 0; w < (p->n_nodes + 63) / 64; w++)
        for (uint64_t left = n->places.open[w]; left != 0; left &= left - 1) {
            uint32_t node = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
            const struct pol_node *o = &p->node[node].n;
            for (uint32_t c = o->card0; c < o->card0 + o->n_gpu; c++) {
                if (n->cards.first[c] != c) continue;
                for (uint32_t id = assign_first(n->assign, node, gpu_class_of(n, c)); id != ASSIGN_NONE; id = assign_next(n->assign, id)) {
                    const struct unit *u = sched_unit(n->sched, id);
                    POL_RESERVE(n->put, n->cap_put, (size_t)n->n_put + 1);
                    n->put[n->n_put++] = (struct flownet_put){ .ordinal = u->ordinal, .index = u->index, .unit = id, .node = node, .card = c,
                                                               .is_due = n->job[u->job.slot].share > 0 };
                }
            }
        }
    if (n->n_put > 1) qsort(n->put, n->n_put, sizeof *n->put, by_unit);
}

bool flownet_solve(struct flownet *n, struct assign_result *r)
{
    char error[256], say[400];
    n->n_put = 0;
    if (n->has_failed) return false;
    if (assign_solve(n->assign, r) != ASSIGN_OK) {
        fail(n, "costs so large and tasks so many that their sums could pass 2^60");
        return false;
    }
    if (n->sched->host->is_audited && !assign_verify(n->assign, r, error, sizeof error)) {
        (void)snprintf(say, sizeof say, "audit: the flow is not proved optimal: %s", error);
        fail(n, say);
        return false;
    }
    list_puts(n);
    return true;
}
