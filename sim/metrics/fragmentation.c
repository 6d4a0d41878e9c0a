/*
 * fragmentation.c -- the collector of how much of the free GPU capacity is of no use,
 * and of what a cluster is like while it is filled.
 *
 * Three measures, all in thousandths of cards over nodes that are up, looked at
 * when a sample is taken; formulas in results/README.md.  What a node
 * contributes is remembered until it changes, so a sample costs in proportion
 * to the nodes touched since the last, plus, while GPU tasks wait, the nodes
 * with a free GPU.
 */
#include "metrics/collector.h"

#include <string.h>

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "frag_expected", "1", COLLECTOR_ONE }, { "frag_stranded", "1", COLLECTOR_ONE }, { "frag_lack_cpu", "1", COLLECTOR_ONE },
    { "frag_at_80", "1", COLLECTOR_ONE }, { "frag_at_90", "1", COLLECTOR_ONE },
    { "gpu_at_100", "1", COLLECTOR_ONE }, { "cpu_at_100", "1", COLLECTOR_ONE }, { "unscheduled", "1", COLLECTOR_ONE },
    { "frag_expected", "1", COLLECTOR_SERIES }, { "frag_stranded", "1", COLLECTOR_SERIES }, { "frag_lack_cpu", "1", COLLECTOR_SERIES },
    { "gpu_asked", "1", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

enum { TYPICAL = 32 };          /* shapes looked at, the most frequent */

/* Filling: what the first sample at or above each load shows. */
enum fill_point { FRAG_AT_80, FRAG_AT_90, GPU_AT_100, CPU_AT_100, FILL_POINTS };

/* Free on the cards of a node that is up: in all, and on the one that has least of those that have any. */
struct spare { int64_t milli; int32_t least; };

/* Over samples in which it was defined. */
struct mean { double sum; uint64_t n; };

struct fragmentation {
    const struct collector_out *out;
    uint64_t *arrived, *waiting; size_t cap_arrived, cap_waiting;   /* tasks by shape */
    uint64_t  n_arrived, n_typical_at;      /* tasks; when the typical list was made */
    uint32_t  typical[TYPICAL]; uint32_t n_typical;
    struct spare *spare; double *expected; bool *is_dirty;          /* [n_nodes] */
    uint32_t *dirty; uint32_t n_dirty, n_nodes;
    struct mean mean_expected, mean_stranded, mean_lack_cpu;
    sim_wide asked;                         /* thousandths of cards that jobs which arrived ask for */
    double    at_load[FILL_POINTS];         /* while filling: NaN until the load is reached */
    uint64_t  n_unscheduled;                /* jobs that never started, rejected ones left out */
};

static void touch(struct fragmentation *f, uint32_t node)
{
    if (f->is_dirty[node]) return;
    f->is_dirty[node] = true;
    f->dirty[f->n_dirty++] = node;
}

/* Only sampled runs have these, and those that are filled. */
static bool init(void *self, const struct world *w)
{
    struct fragmentation *f = self;
    if (world_config(w)->sample_every <= 0 && !f->out->opts->fills) return false;
    f->n_nodes = world_cluster(w)->n_nodes;
    MEM_ARRAY(f->spare, f->n_nodes);
    MEM_ARRAY(f->expected, f->n_nodes);
    MEM_ARRAY(f->is_dirty, f->n_nodes);
    MEM_ARRAY(f->dirty, f->n_nodes);
    for (uint32_t n = 0; n < f->n_nodes; n++) touch(f, n);
    for (int i = 0; i < FILL_POINTS; i++) f->at_load[i] = NAN;
    return true;
}

static void fini(void *self)
{
    struct fragmentation *f = self;
    MEM_FREE(f->arrived, f->waiting, f->spare, f->expected, f->is_dirty, f->dirty);
}

/* ---- while things happen ---- */

static void on_arrived(void *self, const struct world *w, uint32_t job)
{
    struct fragmentation *f = self;
    const struct job *j = world_job(w, job);
    uint32_t n = world_n_shapes(w);
    f->asked += j->gpu_milli_total;
    MEM_RESERVE(f->arrived, f->cap_arrived, n);
    MEM_RESERVE(f->waiting, f->cap_waiting, n);
    for (uint32_t t = j->first_task; t != NONE;) {
        const struct task *k = world_task(w, t);
        f->arrived[k->shape]++;
        f->waiting[k->shape] += k->state == TASK_WAITING;
        f->n_arrived++;
        t = k->next;
    }
}

static void on_job_dropped(void *self, const struct world *w, uint32_t job)
{
    struct fragmentation *f = self;
    const struct job *j = world_job(w, job);
    f->n_unscheduled += j->status == JOB_UNFINISHED && j->first_start < 0;
    for (uint32_t t = j->first_task; t != NONE;) {
        const struct task *k = world_task(w, t);
        if (k->state == TASK_WAITING) f->waiting[k->shape]--;
        t = k->next;
    }
}

static void on_ready(void *self, const struct world *w, uint32_t task)
{
    struct fragmentation *f = self;
    f->waiting[world_task(w, task)->shape]++;
}

static void on_sized(void *self, const struct world *w, uint32_t job, uint32_t was)
{
    struct fragmentation *f = self;
    const struct job *j = world_job(w, job);
    f->waiting[world_task(w, j->first_task)->shape] += j->n_tasks - (uint64_t)was;
}

static void on_started(void *self, const struct world *w, uint32_t task)
{
    struct fragmentation *f = self;
    f->waiting[world_task(w, task)->shape]--;
    touch(f, world_cluster(w)->hold[task].node);
}

static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct fragmentation *f = self;
    if (reason != STOP_DONE && reason != STOP_TIMEOUT && reason != STOP_MISMATCH) f->waiting[world_task(w, task)->shape]++;
    touch(f, world_cluster(w)->hold[task].node);
}

static void on_node_changed(void *self, const struct world *w, uint32_t node)
{
    (void)w;
    touch(self, node);
}

/* ---- when a sample is taken ---- */

/* The most frequent shapes, ties to the lower id: insertion into a short list. */
static uint32_t most_frequent(const uint64_t *count, uint32_t n, const struct shapes *s, bool gpu_only, uint32_t *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (count[i] == 0 || (gpu_only && s->at[i].n_gpu == 0)) continue;
        uint32_t at = kept;
        while (at > 0 && count[out[at - 1]] < count[i]) at--;
        if (at == TYPICAL) continue;
        if (kept < TYPICAL) kept++;
        memmove(out + at + 1, out + at, (kept - 1 - at) * sizeof *out);
        out[at] = i;
    }
    return kept;
}

/* Free capacity of a node's cards that cannot serve the shape.  What is free on all mostly tells, without asking each. */
static int64_t useless(const struct cluster *c, uint32_t node, const struct spare *free, const struct shape *s)
{
    const struct pol_node *n = &c->node[node];
    if (s->n_gpu == 0 || free->milli < (int64_t)s->n_gpu * s->gpu_milli || !cluster_fits(c, node, s)) return free->milli;
    if (free->least >= s->gpu_milli) return 0;
    int64_t sum = 0;
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        int32_t left = c->card[n->card0 + k].milli_free;
        if (left < s->gpu_milli) sum += left;
    }
    return sum;
}

static void look_at(struct fragmentation *f, const struct world *w, uint32_t node)
{
    const struct cluster *c = world_cluster(w);
    const struct pol_node *n = &c->node[node];
    double weight = 0, sum = 0;
    struct spare free = { 0, GPU_WHOLE };
    for (uint32_t k = 0; k < n->n_gpu && n->is_up; k++) {
        const int32_t left = c->card[n->card0 + k].milli_free;
        free.milli += left;
        if (left > 0 && left < free.least) free.least = left;
    }
    f->spare[node] = free;
    f->expected[node] = 0;
    if (free.milli == 0) return;
    for (uint32_t i = 0; i < f->n_typical; i++) {
        double share = (double)f->arrived[f->typical[i]];
        weight += share;
        sum += share * (double)useless(c, node, &free, world_shape(w, f->typical[i]));
    }
    if (weight > 0) f->expected[node] = sum / weight;
}

/* The typical list follows the arrivals, and is made again when half as many more came. */
static void refresh(struct fragmentation *f, const struct world *w)
{
    if (f->n_typical > 0 && f->n_arrived < f->n_typical_at + (f->n_typical_at + 1) / 2) return;
    f->n_typical_at = f->n_arrived;
    f->n_typical = most_frequent(f->arrived, (uint32_t)f->cap_arrived < world_n_shapes(w) ? (uint32_t)f->cap_arrived : world_n_shapes(w),
                                 world_shapes(w), false, f->typical);
    for (uint32_t n = 0; n < f->n_nodes; n++) touch(f, n);
}

/* Free capacity of a node that is useless to every one of the shapes: the least of what is to each. */
static int64_t useless_to_all(const struct fragmentation *f, const struct world *w, uint32_t node, const uint32_t *wants, uint32_t n_wants)
{
    int64_t least = f->spare[node].milli;
    for (uint32_t i = 0; i < n_wants && least > 0; i++)
        least = i64_min(least, useless(world_cluster(w), node, &f->spare[node], world_shape(w, wants[i])));
    return least;
}

/* The same were there cores enough; notes which shapes could then use some of it. */
static int64_t useless_for_others(const struct fragmentation *f, const struct world *w, uint32_t node, const uint32_t *wants, uint32_t n_wants, bool *lacks)
{
    const struct spare *free = &f->spare[node];
    int64_t least = free->milli;
    for (uint32_t i = 0; i < n_wants; i++) {
        struct shape s = *world_shape(w, wants[i]);
        s.cpu_milli = 0;
        int64_t x = useless(world_cluster(w), node, free, &s);
        if (x < free->milli) lacks[i] = true;
        least = i64_min(least, x);
    }
    return least;
}

/* GPU capacity that the waiting tasks of these shapes ask for. */
static double asked_by(const struct fragmentation *f, const struct world *w, const uint32_t *wants, uint32_t n_wants, const bool *lacks)
{
    double sum = 0;
    for (uint32_t i = 0; i < n_wants; i++) {
        const struct shape *s = world_shape(w, wants[i]);
        if (lacks[i]) sum += (double)f->waiting[wants[i]] * s->n_gpu * s->gpu_milli;
    }
    return sum;
}

/*
 * expected, stranded: shares of the free GPU capacity, 0..1; NaN when nothing is free or, for stranded,
 * no GPU task waits.  lack_cpu: of all capacity; NaN without any.
 */
struct found { double expected, stranded, lack_cpu; };

/* Every task that waits was told of, and no other. */
static void audit(const struct fragmentation *f, const struct world *w)
{
    uint64_t *waiting;
    MEM_ARRAY(waiting, f->cap_waiting);
    for (uint32_t k = 0; k < world_n_task_slots(w); k++) {
        const struct task *t = world_task(w, k);
        if (t->is_live && t->state == TASK_WAITING) waiting[t->shape]++;
    }
    SIM_ASSERT(f->cap_waiting == 0 || memcmp(waiting, f->waiting, f->cap_waiting * sizeof *waiting) == 0);
    mem_free(waiting);
}

static struct found look(struct fragmentation *f, const struct world *w)
{
    if (world_config(w)->audit) audit(f, w);
    refresh(f, w);
    for (uint32_t i = 0; i < f->n_dirty; i++) {
        look_at(f, w, f->dirty[i]);
        f->is_dirty[f->dirty[i]] = false;
    }
    f->n_dirty = 0;

    uint32_t wants[TYPICAL];
    bool lacks[TYPICAL] = { false };
    uint32_t n_wants = most_frequent(f->waiting, (uint32_t)f->cap_waiting < world_n_shapes(w) ? (uint32_t)f->cap_waiting : world_n_shapes(w),
                                     world_shapes(w), true, wants);
    double all = 0, expected = 0, stranded = 0, lack = 0;
    for (uint32_t n = 0; n < f->n_nodes; n++) {
        if (f->spare[n].milli == 0) continue;
        all += (double)f->spare[n].milli;
        expected += f->expected[n];
        int64_t least = useless_to_all(f, w, n, wants, n_wants);
        stranded += (double)least;
        if (least > 0) lack += (double)(least - useless_for_others(f, w, n, wants, n_wants, lacks));
    }
    double total = (double)world_cluster(w)->sum.gpu_total;
    return (struct found){
        .expected = all > 0 && f->n_typical > 0 ? expected / all : NAN,
        .stranded = all > 0 && n_wants > 0 ? stranded / all : NAN,
        .lack_cpu = total > 0 ? fmin(lack, asked_by(f, w, wants, n_wants, lacks)) / total : NAN,
    };
}

static void add(struct mean *m, double x)
{
    if (isnan(x)) return;
    m->sum += x;
    m->n++;
}

static void fill_sample(struct fragmentation *f, const struct cluster_sum *s, sim_tick at, double expected)
{
    static const double load[FILL_POINTS] = { [FRAG_AT_80] = 0.8, [FRAG_AT_90] = 0.9, [GPU_AT_100] = 1, [CPU_AT_100] = 1 };
    const double value[FILL_POINTS] = { expected, expected, collector_ratio((double)s->gpu_used, (double)s->gpu_total),
                                        collector_ratio((double)s->cpu_used, (double)s->cpu_total) };
    double now = collector_ratio((double)f->asked, (double)s->gpu_total);
    collector_put_series(f->out, at, "gpu_asked", now);
    for (int i = 0; i < FILL_POINTS; i++)
        if (isnan(f->at_load[i]) && now >= load[i]) f->at_load[i] = value[i];
}

static void on_sample(void *self, const struct world *w)
{
    struct fragmentation *f = self;
    struct found now = look(f, w);
    sim_tick at = world_now(w);
    add(&f->mean_expected, now.expected);
    add(&f->mean_stranded, now.stranded);
    add(&f->mean_lack_cpu, now.lack_cpu);
    collector_put_series(f->out, at, "frag_expected", now.expected);
    collector_put_series(f->out, at, "frag_stranded", now.stranded);
    collector_put_series(f->out, at, "frag_lack_cpu", now.lack_cpu);
    if (f->out->opts->fills) fill_sample(f, &world_cluster(w)->sum, at, now.expected);
}

/* ---- when the run is over ---- */

static void emit(void *self, const struct world *w)
{
    static const char *const name[FILL_POINTS] = {
        [FRAG_AT_80] = "frag_at_80", [FRAG_AT_90] = "frag_at_90", [GPU_AT_100] = "gpu_at_100", [CPU_AT_100] = "cpu_at_100",
    };
    const struct fragmentation *f = self;
    (void)w;
    /* These hang on when samples are taken, and are absent without: hence a scope of their own. */
    collector_put(f->out, "frag_expected", "samples", collector_ratio(f->mean_expected.sum, (double)f->mean_expected.n));
    collector_put(f->out, "frag_stranded", "samples", collector_ratio(f->mean_stranded.sum, (double)f->mean_stranded.n));
    collector_put(f->out, "frag_lack_cpu", "samples", collector_ratio(f->mean_lack_cpu.sum, (double)f->mean_lack_cpu.n));
    if (!f->out->opts->fills) return;
    for (int i = 0; i < FILL_POINTS; i++) collector_put(f->out, name[i], "all", f->at_load[i]);
    collector_put(f->out, "unscheduled", "all", (double)f->n_unscheduled);
}

const struct collector fragmentation_collector = {
    .metric = metric, .size = sizeof(struct fragmentation), .init = init, .emit = emit, .fini = fini,
    .observer = { .counts_shapes = true, .arrived = on_arrived, .ready = on_ready, .sized = on_sized, .started = on_started,
                  .stopped = on_stopped, .job_dropped = on_job_dropped, .node_changed = on_node_changed, .sample = on_sample },
};
