/*
 * job_plan.c -- HEFT for a job that arrived: what its edges carry, how long that takes
 * between two nodes and on the mean, and where its tasks are booked.
 *
 * Where transfers overlap with computing (data/1), an edge costs its way between the
 * two nodes; else a task reads its inputs itself, in the time that it is booked for.
 * Cost: that of heft_plan, and O(inputs of the job's tasks x timelines).
 */
#include "lib/util.h"
#include "mapper/heft.h"
#include "mapper/state.h"

/* While a job is planned its tasks are named NO_SLOT + index on the timelines: no task's slot is that high. */
#define NO_SLOT (UINT32_C(1) << 31)

/* The job as heft_plan sees it, and asks back about. */
struct job_plan {
    const struct mapper *m;
    uint32_t n, n_edges;
    pol_task *task;             /* [n] */
    uint32_t *shape;            /* [n] */
    uint32_t *next_start, *next; size_t cap_next;   /* its edges, as heft.h has them */
    uint32_t *from;     size_t cap_from;            /* [n_edges] the task before */
    int64_t *bytes, *comm;      /* [n_edges] what the edge carries, and the mean time of that */
    int64_t *w;                 /* [n][POL_ENGINES_MAX] */
    struct heft_out *out;       /* [n] */
};

static void *host_ctx(const struct job_plan *p) { return p->m->dispatcher.host->ctx; }
static uint32_t node_of(const struct job_plan *p, uint32_t line) { return p->m->line[line].node; }

static bool may_use(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    const struct dispatcher *h = &p->m->dispatcher;
    return h->view->node[node_of(p, line)].is_up && dispatcher_shape_suits(h, p->shape[task], node_of(p, line));
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

/* The index in its job of the task that writes input k of a task; POL_NONE: it is a block. */
static uint32_t writer_of(const struct job_plan *p, pol_task t, uint32_t k)
{
    pol_task writer = p->m->data->writer(host_ctx(p), t, k);
    return writer.slot == POL_NONE ? POL_NONE : p->m->dispatcher.host->task(host_ctx(p), writer)->index;
}

/* A task reads its inputs one after the other, from where their writers are planned, and writes its output. */
static int64_t read_and_write_us(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    const struct pol_data *data = p->m->data;
    uint32_t to = node_of(p, line), n = data->n_inputs(host_ctx(p), p->task[task]);
    int64_t us = mapper_write_us(p->m, p->task[task], to);
    for (uint32_t k = 0; k < n; k++) {
        struct pol_input in = data->input(host_ctx(p), p->task[task], k);
        uint32_t writer = writer_of(p, p->task[task], k);
        uint32_t at = writer != POL_NONE ? p->out[writer].line : POL_NONE;
        uint32_t from = at != POL_NONE ? node_of(p, at) : POL_NONE;
        us = pol_after(us, from != POL_NONE ? read_from(p->m, in.size_b, &from, 1, to)
                                            : read_from(p->m, in.size_b, in.replica, in.n_replicas, to));
    }
    return us;
}

/* ---- where transfers overlap with computing ---- */

static int64_t write_us(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    return mapper_write_us(p->m, p->task[task], node_of(p, line));
}

static int64_t way_us(const void *ctx, uint32_t edge, uint32_t from, uint32_t to)
{
    const struct job_plan *p = ctx;
    return p->bytes[edge] > 0 ? p->m->data->read_us(host_ctx(p), p->bytes[edge], node_of(p, from), node_of(p, to)) : 0;
}

/* Blocks leave when the job comes, which is now. */
static int64_t blocks_there(const void *ctx, uint32_t task, uint32_t line)
{
    const struct job_plan *p = ctx;
    const struct pol_data *data = p->m->data;
    int64_t last = 0;
    for (uint32_t k = 0, n = data->n_inputs(host_ctx(p), p->task[task]); k < n; k++) {
        if (writer_of(p, p->task[task], k) != POL_NONE) continue;
        struct pol_input in = data->input(host_ctx(p), p->task[task], k);
        int64_t us = read_from(p->m, in.size_b, in.replica, in.n_replicas, node_of(p, line));
        if (us > last) last = us;
    }
    return pol_after(p->m->dispatcher.view->now_us, last);
}

/* ---- what edges carry ---- */

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
    for (int k = 0; k < 2 && size > 0; k++)
        if (p->n[k] > 0) sum += p->n[k] * (double)m->data->read_us(m->dispatcher.host->ctx, size, p->from[k], p->to[k]);
    return n > 0 ? (int64_t)(sum / n) : 0;
}

/*
 * The bytes of each edge: what the task at its end reads of the one at its beginning, the largest read where all go
 * at once, their sum where they go one after the other.
 */
static void weigh_edges(struct job_plan *p)
{
    uint32_t *start = pol_alloc((size_t)p->n + 2, sizeof *start), *into = pol_alloc(p->n_edges, sizeof *into);
    int64_t *of = pol_alloc(p->n, sizeof *of);      /* by writer, of one reader at a time */
    for (uint32_t e = 0; e < p->n_edges; e++) start[p->next[e] + 2]++;
    for (uint32_t i = 0; i < p->n; i++) start[i + 2] += start[i + 1];
    for (uint32_t e = 0; e < p->n_edges; e++) into[start[p->next[e] + 1]++] = e;
    for (uint32_t t = 0; t < p->n; t++) {
        uint32_t n = p->m->data->n_inputs(host_ctx(p), p->task[t]);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t writer = writer_of(p, p->task[t], k);
            if (writer == POL_NONE) continue;
            int64_t size = p->m->data->input(host_ctx(p), p->task[t], k).size_b;
            of[writer] = !p->m->data->overlaps ? pol_after(of[writer], size) : size > of[writer] ? size : of[writer];
        }
        for (uint32_t i = start[t]; i < start[t + 1]; i++) p->bytes[into[i]] = of[p->from[into[i]]];
        for (uint32_t i = start[t]; i < start[t + 1]; i++) of[p->from[into[i]]] = 0;
    }
    free(start);
    free(into);
    free(of);
}

static void read_edges(struct job_plan *p, uint32_t i)
{
    pol_task f;
    for (uint32_t k = 0; (f = p->m->graph->follower(host_ctx(p), p->task[i], k)).slot != POL_NONE; k++) {
        POL_RESERVE(p->next, p->cap_next, (size_t)p->n_edges + 1);
        POL_RESERVE(p->from, p->cap_from, (size_t)p->n_edges + 1);
        p->from[p->n_edges] = i;
        p->next[p->n_edges++] = p->m->dispatcher.host->task(host_ctx(p), f)->index;
    }
    p->next_start[i + 1] = p->n_edges;
}

/* ---- the plan ---- */

static void read_job(struct job_plan *p, const struct pol_job_info *ji)
{
    const struct pol_host *host = p->m->dispatcher.host;
    const struct pol_task_info *ti;
    uint32_t i = 0;
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next, i++) {
        ti = host->task(host->ctx, t);
        p->task[i] = t;
        p->shape[i] = ti->shape;
        mapper_time(p->m, t, p->m->dispatcher.calls->state(host->ctx, t).n_calls, p->w + (size_t)i * POL_ENGINES_MAX);
        read_edges(p, i);
    }
    const struct pairs pairs = count_pairs(p->m->dispatcher.view);
    p->bytes = pol_alloc(p->n_edges, sizeof *p->bytes);
    p->comm = pol_alloc(p->n_edges, sizeof *p->comm);
    weigh_edges(p);
    for (uint32_t e = 0; e < p->n_edges; e++) p->comm[e] = mean_way(p->m, &pairs, p->bytes[e]);
}

/* The bookings are the tasks' own from now on. */
static void keep(struct mapper *m, const struct job_plan *p)
{
    const struct heft_out *out = p->out;
    for (uint32_t i = 0; i < p->n; i++)
        if (out[i].line != POL_NONE) engine_timeline_drop(&m->line[out[i].line], NO_SLOT + i);
    for (uint32_t i = 0; i < p->n; i++) {
        uint32_t l = out[i].line, t = p->task[i].slot;
        POL_RESERVE(m->plan, m->cap_plan, (size_t)t + 1);
        m->plan[t] = (struct mapper_plan){ .line = l, .is_planned = l != POL_NONE };
        if (l != POL_NONE) engine_timeline_put(&m->line[l], t, out[i].start, out[i].end - out[i].start);
    }
}

void mapper_plan_job(struct mapper *m, pol_job job)
{
    const struct pol_host *host = m->dispatcher.host;
    const struct pol_job_info *ji = host->job(host->ctx, job);
    if (ji == NULL || m->dispatcher.calls->state(host->ctx, ji->first_task).n_calls == 0) return;
    const size_t n = ji->n_tasks;
    struct job_plan p = { .m = m, .n = ji->n_tasks };
    p.task = pol_alloc(n, sizeof *p.task);
    p.shape = pol_alloc(n, sizeof *p.shape);
    p.next_start = pol_alloc(n + 1, sizeof *p.next_start);
    p.w = pol_alloc(n * POL_ENGINES_MAX, sizeof *p.w);
    p.out = pol_alloc(n, sizeof *p.out);
    read_job(&p, ji);
    struct heft_in in = { .n = p.n, .n_engines = POL_ENGINES_MAX, .first = NO_SLOT, .w = p.w,
                          .next_start = p.next_start, .next = p.next, .comm = p.comm, .now = m->dispatcher.view->now_us,
                          .may = may_use, .read = read_and_write_us, .ctx = &p };
    if (m->data->overlaps) { in.way = way_us; in.there = blocks_there; in.read = write_us; }
    heft_plan(&in, m->line, m->n_lines, p.out);
    keep(m, &p);
    free(p.task);
    free(p.shape);
    free(p.next_start);
    free(p.next);
    free(p.from);
    free(p.bytes);
    free(p.comm);
    free(p.w);
    free(p.out);
}
