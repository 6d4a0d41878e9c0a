/*
 * synergy.c -- GPUs in rounds by any order, with cores and memory as jobs profit by them.  README.md, synergy.
 *
 * At the begin of a round all units, whether they run or wait, are put in order and given places anew on empty books
 * (grant.c).  Then who is not among them stops, who is elsewhere now stops and starts there at the same instant, who
 * stays gets its new cores and memory without a restart, and who waited starts.  Between rounds nothing is decided:
 * what an early end leaves stays idle.
 *
 * Cost of a round: O(units log units) besides grant.c; of another call O(events x units).
 * Source: Mohan et al., Looking Beyond GPUs for DNN Scheduling on Multi-Tenant Clusters (Synergy), OSDI 2022;
 * its simulator, github.com/msr-fiddle/synergy.
 */
#include "synergy/state.h"
#include "builtin.h"

enum { P_ALLOC, P_ORDER, P_ROUND, P_PLACE, P_REFILL };

static const struct pol_param params[] = {
    [P_ALLOC] = { .name = "alloc",
                  .type = POL_CHOICE,
                  .dflt = "tune",
                  .choices = "proportional|greedy|tune|opt",
                  .help = "cores and memory: by GPUs; as each goes best or not at all; as each goes best while there "
                          "is enough; or by a program, so that all together go best" },
    [P_ORDER] = { .name = "order",
                  .type = POL_CHOICE,
                  .dflt = "srtf",
                  .choices = "fifo|srtf|las|ftf|ftf-least|drf|tetris",
                  .help = "who comes first in a round" },
    [P_ROUND] = { .name = "round",
                  .type = POL_DURATION,
                  .dflt = "300s",
                  .help = "how long a round lasts; they begin at multiples of it" },
    [P_PLACE] = { .name = "place",
                  .type = POL_CHOICE,
                  .dflt = "pack",
                  .choices = "pack|first",
                  .help =
                      "on the node with the fewest free GPUs that has room for all, or on the first nodes with room" },
    [P_REFILL] = { .name = "refill",
                   .type = POL_BOOL,
                   .dflt = "true",
                   .help = "who lacks cores or memory leaves its GPUs to those after it; false: only those whose GPUs "
                           "are free in turn are looked at" },
};

/* ---- units ---- */

static void fail(struct synergy *s, pol_job j, const char *what)
{
    char text[256];
    const char *name = s->host->name(s->host->ctx, POL_NAME_JOB, j.slot);
    (void)snprintf(text, sizeof text, "job '%s' %s", name != NULL ? name : "?", what);
    s->host->fail(s->host->ctx, text);
}

/* On each type of GPU that nodes have, what it needs to go at its best.  False: there is no profile. */
static bool find_needs(struct synergy *s, struct synergy_unit *u)
{
    const struct pol_view *v = s->view;
    u->best = pol_alloc(v->n_gpu_types, sizeof *u->best);
    for (uint32_t i = 0; i < v->n_gpu_types; i++) {
        struct pol_needs n = s->profiles->needs(s->host->ctx, u->task, i);
        if (n.cpu_milli < 0) return false;
        u->best[i] = (struct grant){ n.cpu_milli, n.mem_b > 0 ? n.mem_b : v->shape[u->shape].mem_b * u->n_tasks };
    }
    return true;
}

static void add(struct synergy *s, pol_task t, uint32_t n_tasks)
{
    const struct pol_task_info *ti = s->host->task(s->host->ctx, t);
    const struct pol_shape *shape = &s->view->shape[ti->shape];
    struct synergy_unit u = { .job = ti->job, .task = t, .index = ti->index, .n_tasks = n_tasks, .shape = ti->shape,
                              .ordinal = s->host->job(s->host->ctx, ti->job)->ordinal,
                              .task_gpus = shape->n_gpu, .gpus = (int64_t)shape->n_gpu * n_tasks };
    if (shape->n_gpu == 0) { fail(s, ti->job, "asks for no GPU: synergy gives cores and memory by GPUs"); return; }
    if (shape->gpu_milli != FITS_WHOLE_CARD || shape->exclusive) {
        fail(s, ti->job,
             "asks for a part of a GPU or a whole node: synergy gives whole GPUs, with the cores and memory that it "
             "chooses");
        return;
    }
    pol_task k = t;
    for (uint32_t i = 0; i < n_tasks; i++, k = ti->next) {
        ti = s->host->task(s->host->ctx, k);
        if (ti->shape == u.shape) continue;
        fail(s, ti->job, "has tasks that ask for different things: synergy gives all tasks of a gang the same");
        return;
    }
    bool is_known = find_needs(s, &u);
    u.now = pol_alloc(n_tasks, sizeof *u.now);
    u.then = pol_alloc(n_tasks, sizeof *u.then);
    POL_PUSH(s->unit, s->n_units, s->cap_units, u);
    if (!is_known && s->alloc != ALLOC_PROPORTIONAL)
        fail(s, u.job,
             "has no profile: alloc=greedy, tune and opt need its speed by cores and memory (model, and "
             "profiles.file)");
}

static void arrived(struct synergy *s, pol_job j)
{
    const struct pol_job_info *ji = s->host->job(s->host->ctx, j);
    const struct pol_task_info *ti;
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next) {
        ti = s->host->task(s->host->ctx, t);
        if (ti->is_waiting) add(s, t, ji->is_gang ? ji->n_tasks : 1);
        if (ji->is_gang) return;
    }
}

static bool is_known(const struct synergy *s, pol_task t)
{
    for (size_t i = 0; i < s->n_units; i++)
        if (s->unit[i].task.slot == t.slot && s->unit[i].task.gen == t.gen) return true;
    return false;
}

static void drop(struct synergy_unit *u) { POL_FREE(u->best, u->now, u->then); }

static bool is_over(const struct synergy_unit *u, const struct pol_task_info *ti, const struct pol_event *ev,
                    size_t n_ev)
{
    if (ti == NULL || (!ti->is_running && !ti->is_waiting)) return true;
    for (size_t k = 0; k < n_ev; k++)
        if (ev[k].type == POL_JOB_ENDED && ev[k].job.slot == u->job.slot && ev[k].job.gen == u->job.gen) return true;
    return false;
}

/* Whose tasks have ended is forgotten; what runs is where it is now. */
static void look(struct synergy *s, const struct pol_event *ev, size_t n_ev)
{
    size_t n = 0;
    for (size_t k = 0; k < n_ev; k++) {
        if (ev[k].type == POL_ARRIVED) arrived(s, ev[k].job);
        else if (ev[k].type == POL_READY && !is_known(s, ev[k].task)) {
            const struct pol_job_info *ji = s->host->job(s->host->ctx, ev[k].job);
            add(s, ev[k].task, ji->is_gang ? ji->n_tasks : 1);
        }
    }
    for (size_t i = 0; i < s->n_units; i++) {
        struct synergy_unit u = s->unit[i];
        const struct pol_task_info *ti = s->host->task(s->host->ctx, u.task);
        if (is_over(&u, ti, ev, n_ev)) { drop(&u); continue; }
        u.runs = ti->is_running != 0;
        pol_task t = u.task;
        for (uint32_t k = 0; u.runs && k < u.n_tasks; k++, t = ti->next) {
            ti = s->host->task(s->host->ctx, t);
            u.now[k] = (struct part){ ti->node, { ti->cpu_milli, ti->mem_b } };
        }
        s->unit[n++] = u;
    }
    s->n_units = n;
}

/* What is free on each node beside what is not ours. */
static void open_books(struct synergy *s)
{
    const struct pol_view *v = s->view;
    POL_RESERVE(s->book, s->cap_book, v->n_nodes);
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        const struct pol_node *n = &v->node[i];
        s->book[i] = (struct book){ .cpu_free = n->cpu_free, .mem_free = n->mem_free,
            .cpu_total = n->cpu_total - n->cpu_reserved, .mem_total = n->mem_total - n->mem_reserved };
        for (uint32_t k = n->card0; k < n->card0 + n->n_gpu; k++)
            s->book[i].gpu_free += v->card[k].milli_free == FITS_WHOLE_CARD;
    }
    for (size_t i = 0; i < s->n_units; i++) {
        const struct synergy_unit *u = &s->unit[i];
        for (uint32_t k = 0; u->runs && k < u->n_tasks; k++) {
            struct book *b = &s->book[u->now[k].node];
            b->cpu_free += u->now[k].has.cpu_milli;
            b->mem_free += u->now[k].has.mem_b;
            b->gpu_free += u->task_gpus;
        }
    }
}

/* ---- the order ---- */

uint32_t synergy_some_node(const struct synergy *s, const struct synergy_unit *u)
{
    for (uint32_t i = 0; i < s->view->n_nodes; i++) if (synergy_may_run(s, u, i)) return i;
    return POL_NONE;
}

double synergy_speed(const struct synergy *s, const struct synergy_unit *u, uint32_t node, const struct grant *g)
{
    int64_t speed = s->profiles->speed(s->host->ctx, u->task, s->view->node[node].gpu_type, g->cpu_milli, g->mem_b);
    return speed < 0 ? 1 : speed < 1 ? 1e-6 : (double)speed / 1e6;
}

/* As it runs now; one that waits as it would by the rule of `alloc`. */
static double present_speed(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    struct grant g = { 0, 0 };
    if (u->runs)
        for (uint32_t k = 0; k < u->n_tasks; k++) {
            g.cpu_milli += u->now[k].has.cpu_milli;
            g.mem_b += u->now[k].has.mem_b;
        }
    else g = s->alloc == ALLOC_PROPORTIONAL ? synergy_fair(s, node, u->gpus) : synergy_best(s, u, node);
    return synergy_speed(s, u, u->runs ? u->now[0].node : node, &g);
}

static double time_left(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    return (double)s->host->task(s->host->ctx, u->task)->true_left_us / present_speed(s, u, node);
}

/* GPUs, cores and memory with which it goes best, over the cluster's: the sum, or the largest. */
static double shares(const struct synergy *s, const struct synergy_unit *u, uint32_t node, bool is_sum)
{
    struct grant g = synergy_best(s, u, node);
    double of[] = { (double)u->gpus * 1000 / (double)s->view->gpu_total,
                    (double)g.cpu_milli / (double)s->view->cpu_total, (double)g.mem_b / (double)s->view->mem_total },
           sum = 0, most = 0;
    for (int i = 0; i < 3; i++) {
        sum += of[i];
        if (of[i] > most) most = of[i];
    }
    return is_sum ? sum : most;
}

/* Time from its arrival to its end as things are, over that alone with its fair share. */
static double unfairness(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    const struct pol_job_info *ji = s->host->job(s->host->ctx, u->job);
    struct grant fair = synergy_fair(s, node, u->gpus);
    double alone = (double)ji->true_dur_us / synergy_speed(s, u, node, &fair);
    return ((double)(s->view->now_us - ji->submit_us) + time_left(s, u, node)) / (alone > 1 ? alone : 1);
}

static double key_of(const struct synergy *s, const struct synergy_unit *u, uint32_t node)
{
    switch (s->order) {
    case ORDER_FIFO:      return 0;
    case ORDER_SRTF:      return time_left(s, u, node);
    case ORDER_LAS:       return (double)s->host->task(s->host->ctx, u->task)->attained_us * (double)u->gpus;
    case ORDER_FTF:       return -unfairness(s, u, node);
    case ORDER_FTF_LEAST: return unfairness(s, u, node);
    case ORDER_DRF:       return shares(s, u, node, false);
    case ORDER_TETRIS:    return shares(s, u, node, true) * time_left(s, u, node);
    }
    return 0;
}

/* ---- a round ---- */

struct turn { double key; uint64_t ordinal; uint32_t index, id; };

static int in_turn(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static void plan(struct synergy *s)
{
    struct turn *turn = pol_alloc(s->n_units, sizeof *turn);
    uint32_t n = 0;
    open_books(s);
    POL_RESERVE(s->turn, s->cap_turn, s->n_units + 1);
    for (size_t i = 0; i < s->n_units; i++) {
        struct synergy_unit *u = &s->unit[i];
        uint32_t node = synergy_some_node(s, u);
        u->is_in = u->is_moving = u->is_fair = false;
        u->wish = (struct grant){ 0, 0 };
        if (node != POL_NONE) turn[n++] = (struct turn){ key_of(s, u, node), u->ordinal, u->index, (uint32_t)i };
    }
    if (n > 0) qsort(turn, n, sizeof *turn, in_turn);
    for (uint32_t i = 0; i < n; i++) s->turn[i] = turn[i].id;
    free(turn);
    synergy_grant(s, n);
}

static void start(struct synergy *s, struct synergy_unit *u)
{
    struct pol_place *at = pol_alloc(u->n_tasks, sizeof *at);
    for (uint32_t k = 0; k < u->n_tasks; k++)
        at[k] = (struct pol_place){ .node = u->then[k].node,
                                    .cpu_milli = u->then[k].has.cpu_milli,
                                    .mem_b = u->then[k].has.mem_b };
    s->host->start(s->host->ctx, u->task, at, u->n_tasks, u->is_fair ? "its turn, with its fair share" : "its turn");
    free(at);
    u->runs = true;
    u->is_moving = false;
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Those that stay first give what they are to give, then get what they are to get. */
static void regrant(struct synergy *s, struct synergy_unit *u, bool grows)
{
    pol_task t = u->task;
    for (uint32_t k = 0; k < u->n_tasks; k++, t = s->host->task(s->host->ctx, t)->next) {
        struct grant *has = &u->now[k].has, to = u->then[k].has;
        if (!grows) to = (struct grant){ lesser(to.cpu_milli, has->cpu_milli), lesser(to.mem_b, has->mem_b) };
        if (to.cpu_milli == has->cpu_milli && to.mem_b == has->mem_b) continue;
        s->cores->regrant(s->host->ctx, t, to.cpu_milli, to.mem_b,
                          u->is_fair ? "its fair share for this round" : "as it goes best");
        *has = to;
    }
}

static bool stays(const struct synergy_unit *u)
{
    for (uint32_t k = 0; k < u->n_tasks; k++) if (u->now[k].node != u->then[k].node) return false;
    return u->runs && u->is_in;
}

static void carry_out(struct synergy *s)
{
    for (size_t i = 0; i < s->n_units; i++) {
        struct synergy_unit *u = &s->unit[i];
        u->is_moving = u->is_in && u->runs && !stays(u);
        if (!u->runs || stays(u)) continue;
        s->host->preempt(s->host->ctx, u->task,
                         u->is_in ? "its place in this round is elsewhere" : "others come before it in this round");
        u->runs = false;
    }
    for (int grows = 0; grows < 2; grows++)
        for (size_t i = 0; i < s->n_units; i++) if (stays(&s->unit[i])) regrant(s, &s->unit[i], grows != 0);
    for (size_t i = 0; i < s->n_units; i++)
        if (s->unit[i].is_in && !s->unit[i].runs && !s->unit[i].is_moving) start(s, &s->unit[i]);
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct synergy *s = self;
    bool runs = false, waits = false;
    s->view = v;
    look(s, ev, n_ev);
    for (size_t i = 0; i < s->n_units; i++) runs |= s->unit[i].runs || s->unit[i].is_moving;
    if (s->n_units > 0 && rounds_clock_begin(&s->clock, v->now_us, runs)) {
        plan(s);
        carry_out(s);
    } else {
        for (size_t i = 0; i < s->n_units; i++) if (s->unit[i].is_moving && !s->unit[i].runs) start(s, &s->unit[i]);
    }
    runs = false;
    for (size_t i = 0; i < s->n_units; i++) {
        runs |= s->unit[i].runs || s->unit[i].is_moving;
        waits |= !s->unit[i].runs;
    }
    rounds_clock_ask(&s->clock, s->host, v->now_us, runs, waits);
}

static void destroy(void *self)
{
    struct synergy *s = self;
    for (size_t i = 0; i < s->n_units; i++) drop(&s->unit[i]);
    lp_destroy(s->lp);
    POL_FREE(s->unit, s->book, s->turn, s->given, s->peer, s->column, s);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    if (value[P_ROUND].i < 1) { (void)pol_error(error, cap, "round must be above 0"); return NULL; }
    struct synergy *s = pol_alloc(1, sizeof *s);
    s->host = host;
    s->profiles = pol_extension(host, POL_PROFILES);
    s->cores = pol_extension(host, POL_CORES);
    s->alloc = (enum synergy_alloc)value[P_ALLOC].i;
    s->order = (enum synergy_order)value[P_ORDER].i;
    s->packs = value[P_PLACE].i == 0;
    s->refills = value[P_REFILL].i != 0;
    if (s->order == ORDER_FIFO || s->order == ORDER_LAS || s->order == ORDER_DRF) *flags &= ~(uint32_t)POL_CLAIRVOYANT;
    if (s->alloc == ALLOC_OPT) s->lp = lp_create(LP_MIN);
    rounds_clock_init(&s->clock, value[P_ROUND].i, true);
    return s;
}

const struct pol_ops pol_synergy = {
    POL_HEADER,
    .name = "synergy",
    .source = "Mohan et al., Looking Beyond GPUs for DNN Scheduling (Synergy), OSDI 2022, sections 3 and 4, and its "
              "simulator",
    .summary = "GPUs in rounds by any order; cores and memory as each job profits by them",
    .flags = POL_PREEMPTS | POL_CLAIRVOYANT,
    .n_params = sizeof params / sizeof *params,
    .params = params,
    .create = create,
    .decide = decide,
    .destroy = destroy,
};
