/*
 * mapper.c -- list schedulers for tasks of API calls: each task goes whole to one
 * engine, chosen by when it would end there.  README.md, met, mct, min-min, dmda
 * and heft.
 *
 * Each engine has a timeline on which tasks are booked.  The times are those of
 * the tables, so unless a node is lost a task ends when its booking says.
 *
 * Cost: O(engines x bookings) for each task placed; min-min as often as tasks wait.
 * Source: Braun et al., JPDC 61(6), 2001, section 3 (met, mct, min-min); StarPU
 * handbook (dmda); Topcuoglu, Hariri, Wu, TPDS 13(3), 2002 (heft).
 */
#include "mapper/state.h"

#include "builtin.h"
#include "lib/util.h"

/* ---- estimates ---- */

void mapper_time(const struct mapper *m, pol_task t, uint32_t n_calls, int64_t us[POL_ENGINES_MAX])
{
    for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) us[e] = 0;
    for (uint32_t k = 0; k < n_calls; k++) {
        struct pol_call c = m->dispatcher.calls->info(m->dispatcher.host->ctx, t, k);
        for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) us[e] = us[e] < 0 || c.us[e] < 0 ? -1 : pol_after(us[e], c.us[e]);
    }
}

int64_t mapper_write_us(const struct mapper *m, pol_task t, uint32_t node)
{
    void *host = m->dispatcher.host->ctx;
    return m->data->read_us(host, m->data->output_b(host, t), node, node);
}

static bool is_open(const struct mapper *m, uint32_t task, uint32_t line)
{
    return m->dispatcher.view->node[m->line[line].node].is_up && dispatcher_suits(&m->dispatcher, task, m->line[line].node);
}

/*
 * Where the task would be booked on a timeline.  Those who look at data book the time in which it reads and writes,
 * too; where transfers overlap with computing, it reads before its booking begins.
 */
struct booking { int64_t start, dur; };

static struct booking book(const struct mapper *m, uint32_t task, uint32_t line)
{
    const struct engine_timeline *l = &m->line[line];
    int64_t w = m->time[(size_t)task * POL_ENGINES_MAX + l->engine], ready = m->dispatcher.view->now_us;
    if (m->rule == MAPPER_DMDA || m->rule == MAPPER_HEFT) {
        pol_task t = dispatcher_task(&m->dispatcher, task)->task;
        int64_t reading = m->data->reading_us(m->dispatcher.host->ctx, t, l->node);
        if (m->data->overlaps) ready = pol_after(ready, reading); else w = pol_after(w, reading);
        w = pol_after(w, mapper_write_us(m, t, l->node));
    }
    return (struct booking){ engine_timeline_fit(l, ready, w, m->rule == MAPPER_HEFT), w };
}

/* The timeline for a task by the rule, and when it would end there, in *end; POL_NONE: none now. */
static uint32_t best_line(const struct mapper *m, uint32_t task, int64_t *end)
{
    const int64_t *us = m->time + (size_t)task * POL_ENGINES_MAX;
    uint32_t best = POL_NONE;
    int64_t best_key = 0;
    for (uint32_t l = 0; l < m->n_lines; l++) {
        int64_t w = us[m->line[l].engine];
        if (w < 0 || !is_open(m, task, l)) continue;
        struct booking b = book(m, task, l);
        int64_t done = pol_after(b.start, b.dur);
        /* MET looks at the time alone; of equal engines it takes the one that is ready first. */
        int64_t key = m->rule == MAPPER_MET ? w : done;
        if (best != POL_NONE && (key > best_key || (key == best_key && done >= *end))) continue;
        best = l;
        best_key = key;
        *end = done;
    }
    return best;
}

static void assign(struct mapper *m, uint32_t task, uint32_t line)
{
    struct booking b = book(m, task, line);
    engine_timeline_put(&m->line[line], task, b.start, b.dur);
    m->plan[task] = (struct mapper_plan){ .line = line, .is_planned = true };
}

/* ---- the master ---- */

static void send(struct mapper *m, uint32_t task)
{
    const struct engine_timeline *l = &m->line[m->plan[task].line];
    dispatcher_send(&m->dispatcher, task, l->node, l->engine, "ends there first");
}

/* Calls of several engine types, or for no engine that is up: to the node with fewest tasks. */
static void send_loose(struct mapper *m, uint32_t task)
{
    const struct dispatcher *h = &m->dispatcher;
    uint32_t best = POL_NONE;
    const int64_t *us = m->time + (size_t)task * POL_ENGINES_MAX;
    for (uint32_t l = 0; l < m->n_lines; l++)
        if (us[m->line[l].engine] >= 0 && dispatcher_suits(h, task, m->line[l].node)) return;   /* down now: it waits */
    for (uint32_t i = 0; i < h->n_nodes; i++) {
        if (!h->view->node[i].is_up || !dispatcher_suits(h, task, i)) continue;
        if (best == POL_NONE || h->node[i].queue.n + h->node[i].running.n < h->node[best].queue.n + h->node[best].running.n) best = i;
    }
    if (best == POL_NONE) return;
    m->plan[task] = (struct mapper_plan){ .line = POL_NONE, .is_planned = true };
    dispatcher_send(&m->dispatcher, task, best, POL_NONE, "no one kind of engine runs all its calls");
}

/* Of all that wait, the one that can end first goes first. */
static void run_min_min(struct mapper *m)
{
    const struct dispatcher *h = &m->dispatcher;
    for (;;) {
        uint32_t task = POL_NONE, line = POL_NONE;
        int64_t first = 0;
        for (uint32_t t = h->master.first; t != POL_NONE; t = dispatcher_task(h, t)->next) {
            int64_t end = 0;
            uint32_t l = best_line(m, t, &end);
            if (l == POL_NONE || (task != POL_NONE && end >= first)) continue;
            task = t;
            line = l;
            first = end;
        }
        if (task == POL_NONE) break;
        assign(m, task, line);
        send(m, task);
    }
}

/*
 * What the job's plan had after a task that is planned anew is planned when it is ready.  Else a booking ahead of the
 * new one could wait for it, and it for the booking: each engine's tasks go in the order of their bookings.
 */
static void forget_followers(struct mapper *m, uint32_t task)
{
    const struct pol_host *host = m->dispatcher.host;
    pol_task *stack = NULL, f;
    size_t n = 0, cap = 0;
    m->n_forgettings++;
    POL_RESERVE(stack, cap, 1);
    stack[n++] = dispatcher_task(&m->dispatcher, task)->task;
    while (n > 0) {
        pol_task t = stack[--n];
        for (uint32_t k = 0; (f = m->graph->follower(host->ctx, t, k)).slot != POL_NONE; k++) {
            struct mapper_plan *p = &m->plan[f.slot];
            if (p->forgotten == m->n_forgettings) continue;
            p->forgotten = m->n_forgettings;
            if (p->is_planned && p->line != POL_NONE) engine_timeline_drop(&m->line[p->line], f.slot);
            p->is_planned = false;
            POL_RESERVE(stack, cap, n + 1);
            stack[n++] = f;
        }
    }
    free(stack);
}

static void run_master(struct mapper *m)
{
    const struct dispatcher *h = &m->dispatcher;
    if (m->rule == MAPPER_MIN_MIN) run_min_min(m);
    for (uint32_t t = h->master.first, next; t != POL_NONE; t = next) {
        next = dispatcher_task(h, t)->next;
        if (!m->plan[t].is_planned) {
            int64_t end = 0;
            uint32_t l = best_line(m, t, &end);
            if (l == POL_NONE) { send_loose(m, t); continue; }
            if (m->rule == MAPPER_HEFT) forget_followers(m, t);
            assign(m, t, l);
        } else if (m->plan[t].line == POL_NONE) {
            send_loose(m, t);
            continue;
        }
        if (h->view->node[m->line[m->plan[t].line].node].is_up) send(m, t);
    }
}

/* ---- the nodes ---- */

/* A call of a task without a timeline: any engine free at home, else anywhere. */
static void call_loose(struct mapper *m, uint32_t t)
{
    struct dispatcher *h = &m->dispatcher;
    const struct dispatcher_task *k = dispatcher_task(h, t);
    uint32_t node = POL_NONE, engine = 0;
    for (uint32_t i = 0; i < h->n_nodes; i++) {
        uint32_t at = i == 0 ? k->node : i <= k->node ? i - 1 : i;     /* home first */
        for (uint32_t e = 0; e < h->view->n_engines; e++) {
            if (k->call.us[e] < 0 || dispatcher_free(h, at, e) <= 0) continue;
            if (node == POL_NONE || (node == at && k->call.us[e] < k->call.us[engine])) { node = at; engine = e; }
        }
        if (node != POL_NONE) break;
    }
    if (node != POL_NONE) dispatcher_call(h, t, node, engine, "a free engine that can run it");
}

/* Each timeline's first task makes its calls; when it is not there yet, the timeline waits for it. */
static void run_node(struct mapper *m, uint32_t node)
{
    struct dispatcher *h = &m->dispatcher;
    if (!h->view->node[node].is_up) return;
    for (uint32_t t = h->node[node].running.first, next; t != POL_NONE; t = next) {
        next = dispatcher_task(h, t)->next;
        if (!dispatcher_task(h, t)->is_idle || m->plan[t].line == POL_NONE) continue;
        if (dispatcher_task(h, t)->call.us[m->line[m->plan[t].line].engine] >= 0 && dispatcher_free(h, node, m->line[m->plan[t].line].engine) > 0)
            dispatcher_call(h, t, node, m->line[m->plan[t].line].engine, "the engine that it was sent for");
    }
    for (uint32_t l = m->first_line[node]; l < m->first_line[node + 1]; l++) {
        uint32_t t = m->line[l].n > 0 ? m->line[l].slot[0].task : POL_NONE;
        if (t == POL_NONE || t >= h->cap_task || dispatcher_task(h, t)->state != DISPATCHER_QUEUED || dispatcher_task(h, t)->node != node) continue;
        if (dispatcher_free(h, node, m->line[l].engine) > 0) (void)dispatcher_start(h, t, "its turn on that engine");
    }
    for (uint32_t t = h->node[node].queue.first, next; t != POL_NONE; t = next) {
        next = dispatcher_task(h, t)->next;
        if (m->plan[t].line == POL_NONE) (void)dispatcher_start(h, t, "nothing to wait for");
    }
}

/* ---- the policy ---- */

static void arrived(void *self, uint32_t t)
{
    struct mapper *m = self;
    POL_RESERVE(m->plan, m->cap_plan, (size_t)t + 1);
    POL_RESERVE(m->time, m->cap_time, ((size_t)t + 1) * POL_ENGINES_MAX);
    const struct dispatcher_task *k = dispatcher_task(&m->dispatcher, t);
    mapper_time(m, k->task, k->n_calls, m->time + (size_t)t * POL_ENGINES_MAX);
}

/* Done, or to be planned anew. */
static void left(void *self, uint32_t t)
{
    struct mapper *m = self;
    if (m->plan[t].is_planned && m->plan[t].line != POL_NONE) engine_timeline_drop(&m->line[m->plan[t].line], t);
    m->plan[t].is_planned = false;
}

static void *create_rule(const struct pol_host *host, enum mapper_rule rule)
{
    struct mapper *m = pol_alloc(1, sizeof *m);
    dispatcher_init(&m->dispatcher, host, m);
    m->data = pol_extension(host, POL_DATA);
    m->graph = pol_extension(host, POL_GRAPH);
    m->dispatcher.arrived = arrived;
    m->dispatcher.left = left;
    m->rule = rule;
    return m;
}

static void make_lines(struct mapper *m, const struct pol_view *v)
{
    size_t cap = 0;
    m->first_line = pol_alloc((size_t)v->n_nodes + 1, sizeof *m->first_line);
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        m->first_line[i] = m->n_lines;
        for (uint32_t k = 0; k < v->n_engines; k++)
            for (int32_t c = 0; c < v->node[i].engine_total[k]; c++) {
                POL_RESERVE(m->line, cap, (size_t)m->n_lines + 1);
                m->line[m->n_lines++] = (struct engine_timeline){ .node = i, .engine = k };
            }
    }
    m->first_line[v->n_nodes] = m->n_lines;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct mapper *m = self;
    struct dispatcher *h = &m->dispatcher;
    if (m->first_line == NULL) make_lines(m, view);
    dispatcher_open(h, view, ev, n_ev);
    for (size_t i = 0; i < n_ev && m->rule == MAPPER_HEFT; i++)
        if (ev[i].type == POL_ARRIVED) mapper_plan_job(m, ev[i].job);
    run_master(m);
    dispatcher_sort(h);
    for (uint32_t i = 0; i < h->n_dirty; i++) run_node(m, h->dirty[i]);
    for (uint32_t i = 0; i < h->n_nodes; i++)
        for (uint32_t t = h->node[i].running.first, next; t != POL_NONE; t = next) {
            next = dispatcher_task(h, t)->next;
            if (dispatcher_task(h, t)->is_idle && m->plan[t].line == POL_NONE) call_loose(m, t);
        }
    dispatcher_clean(h);
}

static void destroy(void *self)
{
    struct mapper *m = self;
    dispatcher_fini(&m->dispatcher);
    for (uint32_t i = 0; i < m->n_lines; i++) engine_timeline_fini(&m->line[i]);
    free(m->line);
    free(m->first_line);
    free(m->plan);
    free(m->time);
    free(m);
}

#define MAPPER(id, word, rule_, source_, summary_) \
    static void *create_##id(const struct pol_host *host, const union pol_value *v, uint32_t *flags, char *error, size_t cap) \
    { \
        (void)v, (void)flags, (void)error, (void)cap; \
        return create_rule(host, rule_); \
    } \
    const struct pol_ops pol_##id = { POL_HEADER, .name = word, .source = source_, .summary = summary_, .flags = POL_RUNS_CALLS, \
                                      .create = create_##id, .decide = decide, .destroy = destroy }

MAPPER(met, "met", MAPPER_MET, "Braun et al., JPDC 61(6), 2001, section 3: minimum execution time",
       "each task of API calls to the kind of engine that is fastest for it");
MAPPER(mct, "mct", MAPPER_MCT, "Braun et al., section 3: minimum completion time",
       "each task of API calls to the engine that would end it first");
MAPPER(min_min, "min-min", MAPPER_MIN_MIN, "Braun et al., section 3: Min-min",
       "of all waiting tasks of API calls, the one that can end first goes first");
MAPPER(dmda, "dmda", MAPPER_DMDA, "StarPU handbook, dmda: deque model data aware",
       "as mct, with the time that its inputs need to get there");
MAPPER(heft, "heft", MAPPER_HEFT, "Topcuoglu, Hariri, Wu, TPDS 13(3), 2002: HEFT, insertion based",
       "jobs of API calls planned as a whole, longest chain first, into gaps");
