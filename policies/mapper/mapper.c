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
#include "builtin.h"
#include "lib/calls/dispatcher.h"
#include "mapper/heft.h"
#include "lib/util.h"

/* While a job is planned its tasks are named NO_SLOT + index on the timelines: no task's slot is that high. */
#define NO_SLOT (UINT32_C(1) << 31)

enum rule { MET, MCT, MIN_MIN, DMDA, HEFT };

/* What is planned for a task; kept while it is blocked, waits or runs. */
struct planned {
    uint32_t line; bool is_planned;             /* line POL_NONE: no one engine type runs all of its calls */
    uint32_t forgotten;                         /* number of the forgetting that last came by */
};

struct mapper {
    struct dispatcher dispatcher;
    const struct pol_data *data;                /* the host's */
    const struct pol_graph *graph;
    enum rule rule;
    struct engine_timeline *line;  uint32_t n_lines;       /* by node, engine type, number */
    uint32_t *first_line;                       /* [n_nodes + 1] */
    struct planned *plan;  size_t cap_plan;     /* by task slot */
    int64_t *time;         size_t cap_time;     /* by task slot x engine type; of tasks with the master */
    uint32_t n_forgettings;
};

/* ---- estimates ---- */

/* Time of all calls of a task on each engine type; -1: one of them cannot run there. */
static void time_task(const struct mapper *m, pol_task t, uint32_t n_calls, int64_t us[POL_ENGINES_MAX])
{
    for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) us[e] = 0;
    for (uint32_t k = 0; k < n_calls; k++) {
        struct pol_call c = m->dispatcher.calls->info(m->dispatcher.host->ctx, t, k);
        for (uint32_t e = 0; e < POL_ENGINES_MAX; e++) us[e] = us[e] < 0 || c.us[e] < 0 ? -1 : pol_after(us[e], c.us[e]);
    }
}

static bool is_open(const struct mapper *m, uint32_t task, uint32_t line)
{
    return m->dispatcher.view->node[m->line[line].node].is_up && dispatcher_suits(&m->dispatcher, task, m->line[line].node);
}

/* The timeline for a task by the rule, and when it would end there, in *end; POL_NONE: none now. */
static uint32_t best_line(const struct mapper *m, uint32_t task, int64_t *end)
{
    const struct pol_host *host = m->dispatcher.host;
    const int64_t *us = m->time + (size_t)task * POL_ENGINES_MAX;
    uint32_t best = POL_NONE;
    int64_t best_key = 0;
    for (uint32_t l = 0; l < m->n_lines; l++) {
        int64_t w = us[m->line[l].engine];
        if (w < 0 || !is_open(m, task, l)) continue;
        int64_t way = 0;
        if (m->rule == DMDA) {
            struct pol_transfer x = m->data->transfer(host->ctx, dispatcher_task(&m->dispatcher, task)->task, m->line[l].node);
            way = x.local_us + x.rack_us + x.cross_us;
        }
        int64_t done = pol_after(engine_timeline_fit(&m->line[l], m->dispatcher.view->now_us, w, m->rule == HEFT), pol_after(w, way));
        /* MET looks at the time alone; of equal engines it takes the one that is ready first. */
        int64_t key = m->rule == MET ? w : done;
        if (best != POL_NONE && (key > best_key || (key == best_key && done >= *end))) continue;
        best = l;
        best_key = key;
        *end = done;
    }
    return best;
}

static void assign(struct mapper *m, uint32_t task, uint32_t line)
{
    int64_t w = m->time[(size_t)task * POL_ENGINES_MAX + m->line[line].engine];
    engine_timeline_put(&m->line[line], task, engine_timeline_fit(&m->line[line], m->dispatcher.view->now_us, w, m->rule == HEFT), w);
    m->plan[task] = (struct planned){ .line = line, .is_planned = true };
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
    m->plan[task] = (struct planned){ .line = POL_NONE, .is_planned = true };
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
            struct planned *p = &m->plan[f.slot];
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
    if (m->rule == MIN_MIN) run_min_min(m);
    for (uint32_t t = h->master.first, next; t != POL_NONE; t = next) {
        next = dispatcher_task(h, t)->next;
        if (!m->plan[t].is_planned) {
            int64_t end = 0;
            uint32_t l = best_line(m, t, &end);
            if (l == POL_NONE) { send_loose(m, t); continue; }
            if (m->rule == HEFT) forget_followers(m, t);
            assign(m, t, l);
        } else if (m->plan[t].line == POL_NONE) {
            send_loose(m, t);
            continue;
        }
        if (h->view->node[m->line[m->plan[t].line].node].is_up) send(m, t);
    }
}

/* ---- HEFT: a job as a whole, at its arrival ---- */

/* What heft_plan asks back about: the job's tasks and where they are planned so far. */
struct job_plan { const struct mapper *m; const pol_task *task; const struct heft_out *out; };

static bool may_use(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    (void)task;
    return p->m->dispatcher.view->node[p->m->line[line].node].is_up != 0;
}

/* From the nearest of these nodes. */
static int64_t read_from(const struct mapper *m, int64_t size, const uint32_t *from, uint32_t n, uint32_t to)
{
    int64_t least = n > 0 ? POL_NEVER : 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t us = m->data->read_us(m->dispatcher.host->ctx, size, from[i], to);
        if (us < least) least = us;
    }
    return least;
}

/* A task reads its inputs one after the other, from where their writers are planned, and writes its output. */
static int64_t read_time(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    const struct pol_data *data = p->m->data;
    void *host = p->m->dispatcher.host->ctx;
    uint32_t to = p->m->line[line].node, n = data->n_inputs(host, p->task[task]);
    int64_t us = data->read_us(host, data->output_b(host, p->task[task]), to, to);
    for (uint32_t k = 0; k < n; k++) {
        struct pol_input in = data->input(host, p->task[task], k);
        pol_task writer = data->writer(host, p->task[task], k);
        uint32_t from = POL_NONE;
        if (writer.slot != POL_NONE) {
            uint32_t at = p->out[p->m->dispatcher.host->task(p->m->dispatcher.host->ctx, writer)->index].line;
            if (at != POL_NONE) from = p->m->line[at].node;
        }
        us = pol_after(us, from != POL_NONE ? read_from(p->m, in.size_b, &from, 1, to) : read_from(p->m, in.size_b, in.replica, in.n_replicas, to));
    }
    return us;
}

/* Pairs of different nodes in one rack and in two, with one of each; of a rack's nodes the numbers need not follow. */
struct pairs { double n[2]; uint32_t from[2], to[2]; };

static struct pairs count_pairs(const struct pol_view *v)
{
    struct pairs p = { .n = { 0, 0 } };
    uint32_t *n = pol_alloc(v->n_racks, sizeof *n), *first = pol_alloc(v->n_racks, sizeof *first);
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        uint32_t r = v->node[i].rack;
        if (n[r]++ == 0) first[r] = i;
        else { p.from[0] = first[r]; p.to[0] = i; }
        if (r != v->node[0].rack) p.to[1] = i;
    }
    for (uint32_t r = 0; r < v->n_racks; r++) {
        p.n[0] += (double)n[r] * (n[r] - (n[r] > 0));
        p.n[1] += (double)n[r] * (v->n_nodes - n[r]);
    }
    free(n);
    free(first);
    return p;
}

/* The mean over all pairs of different nodes, for ranks; 0 where there is one node alone. */
static int64_t mean_way(const struct mapper *m, const struct pairs *p, int64_t size)
{
    double sum = 0, n = p->n[0] + p->n[1];
    for (int k = 0; k < 2; k++)
        if (p->n[k] > 0) sum += p->n[k] * (double)m->data->read_us(m->dispatcher.host->ctx, size, p->from[k], p->to[k]);
    return n > 0 ? (int64_t)(sum / n) : 0;
}

/* Does it read what the other writes?  Then the edge costs its way. */
static bool reads_from(const struct mapper *m, pol_task t, pol_task writer)
{
    void *host = m->dispatcher.host->ctx;
    for (uint32_t k = 0, n = m->data->n_inputs(host, t); k < n; k++)
        if (m->data->writer(host, t, k).slot == writer.slot) return true;
    return false;
}

static void plan_job(struct mapper *m, pol_job job)
{
    const struct pol_host *host = m->dispatcher.host;
    const struct pol_calls *calls = m->dispatcher.calls;
    const struct pol_job_info *ji = host->job(host->ctx, job);
    if (ji == NULL || calls->state(host->ctx, ji->first_task).n_calls == 0) return;
    const struct pol_task_info *ti;
    uint32_t n = ji->n_tasks, edges = 0;
    pol_task *task = pol_alloc(n, sizeof *task), f;
    uint32_t *next_start = pol_alloc((size_t)n + 1, sizeof *next_start), *next = NULL;
    int64_t *w = pol_alloc((size_t)n * POL_ENGINES_MAX, sizeof *w), *comm = NULL;
    size_t cap = 0, cap_comm = 0;
    struct heft_out *out = pol_alloc(n, sizeof *out);
    const struct pairs pairs = count_pairs(m->dispatcher.view);
    uint32_t i = 0;
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next, i++) {
        ti = host->task(host->ctx, t);
        task[i] = t;
        time_task(m, t, calls->state(host->ctx, t).n_calls, w + (size_t)i * POL_ENGINES_MAX);
        int64_t way = mean_way(m, &pairs, m->data->output_b(host->ctx, t));
        for (uint32_t k = 0; (f = m->graph->follower(host->ctx, t, k)).slot != POL_NONE; k++) {
            POL_RESERVE(next, cap, (size_t)edges + 1);
            POL_RESERVE(comm, cap_comm, (size_t)edges + 1);
            comm[edges] = way > 0 && reads_from(m, f, t) ? way : 0;
            next[edges++] = host->task(host->ctx, f)->index;
        }
        next_start[i + 1] = edges;
    }
    const struct job_plan plan = { .m = m, .task = task, .out = out };
    heft_plan(&(struct heft_in){ .n = n, .n_engines = POL_ENGINES_MAX, .first = NO_SLOT, .w = w, .next_start = next_start, .next = next, .comm = comm,
                                 .now = m->dispatcher.view->now_us, .may = may_use, .read = read_time, .ctx = &plan }, m->line, m->n_lines, out);
    for (i = 0; i < n; i++) if (out[i].line != POL_NONE) engine_timeline_drop(&m->line[out[i].line], NO_SLOT + i);
    for (i = 0; i < n; i++) {
        uint32_t l = out[i].line, t = task[i].slot;
        POL_RESERVE(m->plan, m->cap_plan, (size_t)t + 1);
        m->plan[t] = (struct planned){ .line = l, .is_planned = l != POL_NONE };
        if (l != POL_NONE) engine_timeline_put(&m->line[l], t, out[i].start, out[i].end - out[i].start);
    }
    free(task);
    free(next_start);
    free(next);
    free(w);
    free(comm);
    free(out);
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
    time_task(m, dispatcher_task(&m->dispatcher, t)->task, dispatcher_task(&m->dispatcher, t)->n_calls, m->time + (size_t)t * POL_ENGINES_MAX);
}

/* Done, or to be planned anew. */
static void left(void *self, uint32_t t)
{
    struct mapper *m = self;
    if (m->plan[t].is_planned && m->plan[t].line != POL_NONE) engine_timeline_drop(&m->line[m->plan[t].line], t);
    m->plan[t].is_planned = false;
}

static void *create_rule(const struct pol_host *host, enum rule rule)
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
    for (size_t i = 0; i < n_ev && m->rule == HEFT; i++)
        if (ev[i].type == POL_ARRIVED) plan_job(m, ev[i].job);
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

MAPPER(met, "met", MET, "Braun et al., JPDC 61(6), 2001, section 3: minimum execution time", "each task of API calls to the kind of engine that is fastest for it");
MAPPER(mct, "mct", MCT, "Braun et al., section 3: minimum completion time", "each task of API calls to the engine that would end it first");
MAPPER(min_min, "min-min", MIN_MIN, "Braun et al., section 3: Min-min", "of all waiting tasks of API calls, the one that can end first goes first");
MAPPER(dmda, "dmda", DMDA, "StarPU handbook, dmda: deque model data aware", "as mct, with the time that its inputs need to get there");
MAPPER(heft, "heft", HEFT, "Topcuoglu, Hariri, Wu, TPDS 13(3), 2002: HEFT, insertion based", "jobs of API calls planned as a whole, longest chain first, into gaps");
