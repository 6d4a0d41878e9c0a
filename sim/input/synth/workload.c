/*
 * The workload of workload.h as a source of jobs.  Layer: input.
 *
 * What the source leaves open, and what stands here for it:
 * - No size of any intermediate result is given, and Table 1 counts inputs
 *   alone (1.3 TB, S4-23): tasks write nothing, and later tasks only wait.
 * - MM: n multiplications, each of a block of A and a block of B, then n
 *   additions, each after all multiplications.
 * - Every job ends in one merge on a CPU ("the engine starts a merge task");
 *   SIO's is its reduce, Sort's puts the sorted segments out.
 * - kmeans: an iteration's tasks wait for all of the last one's; blocks are
 *   read in the first iteration and kept.
 * - A job's blocks are parts of one file, one after the other; of MM's two
 *   matrices each is a file ("stored in two large files"). A file's first block
 *   stands for it.
 */
#include "input/synth/workload.h"

#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"
#include "input/trace/reader.h"

#define GB INT64_C(1000000000)
#define MB INT64_C(1000000)

enum workload_app { WORKLOAD_MM, WORKLOAD_SIO, WORKLOAD_PRIME, WORKLOAD_SORT, WORKLOAD_KMEANS, WORKLOAD_YOLO, WORKLOAD_SPARSE };

/* One of the jobs. */
struct workload_job {
    const char *id;
    enum workload_app app;
    uint32_t n;                 /* blocks */
    int64_t  block_b, second_b; /* of each block; of MM's second matrix, else 0.  Yolo: block_b 0, from image_b */
};
enum { WORKLOAD_JOBS = 36, WORKLOAD_ALL = 37 };

static const struct workload_job workload_job[WORKLOAD_ALL] = {
    { "J1", WORKLOAD_MM, 6, GB, GB }, { "J2", WORKLOAD_MM, 10, GB, GB }, { "J3", WORKLOAD_MM, 15, GB, GB }, { "J4", WORKLOAD_MM, 20, GB, GB },
    { "J5", WORKLOAD_MM, 8, GB, 60 * MB }, { "J6", WORKLOAD_MM, 10, GB, 60 * MB }, { "J7", WORKLOAD_MM, 20, GB, 60 * MB }, { "J8", WORKLOAD_MM, 30, GB, 60 * MB },
    { "J9", WORKLOAD_SIO, 5, 3 * GB, 0 }, { "J10", WORKLOAD_SIO, 6, 3 * GB, 0 }, { "J11", WORKLOAD_SIO, 8, 3 * GB, 0 }, { "J12", WORKLOAD_SIO, 10, 3 * GB, 0 },
    { "J13", WORKLOAD_SIO, 15, 3 * GB, 0 }, { "J14", WORKLOAD_SIO, 20, 3 * GB, 0 }, { "J15", WORKLOAD_SIO, 30, 3 * GB, 0 }, { "J16", WORKLOAD_SIO, 60, 3 * GB, 0 },
    { "J17", WORKLOAD_PRIME, 4, 2 * GB, 0 }, { "J18", WORKLOAD_PRIME, 8, 2 * GB, 0 }, { "J19", WORKLOAD_PRIME, 10, 2 * GB, 0 }, { "J20", WORKLOAD_PRIME, 15, 2 * GB, 0 },
    { "J21", WORKLOAD_PRIME, 20, 2 * GB, 0 }, { "J22", WORKLOAD_PRIME, 30, 2 * GB, 0 }, { "J23", WORKLOAD_PRIME, 40, 2 * GB, 0 }, { "J24", WORKLOAD_PRIME, 60, 2 * GB, 0 },
    { "J25", WORKLOAD_SORT, 5, 2 * GB, 0 }, { "J26", WORKLOAD_SORT, 6, 2 * GB, 0 }, { "J27", WORKLOAD_SORT, 8, 2 * GB, 0 }, { "J28", WORKLOAD_SORT, 10, 2 * GB, 0 },
    { "J29", WORKLOAD_SORT, 30, 2 * GB, 0 }, { "J30", WORKLOAD_SORT, 60, 2 * GB, 0 },
    { "J31", WORKLOAD_KMEANS, 5, 500 * MB, 0 }, { "J32", WORKLOAD_KMEANS, 8, 500 * MB, 0 }, { "J33", WORKLOAD_KMEANS, 10, 500 * MB, 0 },
    { "J34", WORKLOAD_YOLO, 5, 0, 0 }, { "J35", WORKLOAD_YOLO, 10, 0, 0 }, { "J36", WORKLOAD_YOLO, 20, 0, 0 },
    { "J37", WORKLOAD_SPARSE, 3, 28 * MB, 0 },
};

enum { ITERATIONS = 10, IMAGES = 10000, BLOCKS_MAX = 60 };
/* kmeans: 100 tasks, 900 waits and the merge; MM: 900 waits of 30 additions for 30 multiplications, and the merge. */
enum { TASKS_MAX = 128, AFTER_MAX = 1024, INPUTS_MAX = 2 * BLOCKS_MAX, GROUPS_MAX = 4 };

static int64_t block_size(const struct workload_job *j, const struct workload_opts *o)
{
    return j->app == WORKLOAD_YOLO ? IMAGES / (int64_t)j->n * o->image_b : j->block_b;
}

struct maker {
    struct trace_env env;
    const struct workload_opts *o;
    uint32_t users, jobs_per_user;
    uint32_t order[WORKLOAD_ALL * 64], n, next;     /* job numbers; with users, position k is user k mod users */
    char     id[32], user[32];
    struct task_group group[GROUPS_MAX];
    uint32_t n_groups, n_tasks, n_in, n_after;
    struct task_graph graph;
    uint32_t in_start[TASKS_MAX + 1], after_start[TASKS_MAX + 1], after[AFTER_MAX];
    struct task_input in[INPUTS_MAX];
    int64_t  out[TASKS_MAX];
};

/* ---- one job's tasks ---- */

/* Block k of a file, by name; the first pass over the trace adds it, block 0 before the others. */
static uint32_t block(struct maker *m, const char *job, const char *operand, uint32_t k, int64_t size)
{
    char name[48];
    struct data *data = m->env.data;
    (void)snprintf(name, sizeof name, "%s/%s%u", job, operand, k);
    uint32_t id = intern_find(&data->names, name);
    if (id != NONE) return id;
    id = data_add(data, name, size);
    (void)snprintf(name, sizeof name, "%s/%s0", job, operand);
    data_part(data, id, intern_find(&data->names, name));
    return id;
}

/* n tasks alike; gpu_mem_b 0: on a CPU. */
static void tasks(struct maker *m, uint32_t n, int64_t gpu_mem_b, sim_tick dur)
{
    struct task_group *g = &m->group[m->n_groups++];
    *g = (struct task_group){ .n = n, .dur = dur, .shape = { .cpu_milli = 1000 } };
    if (gpu_mem_b > 0) { g->shape.n_gpu = 1; g->shape.gpu_milli = GPU_WHOLE; g->shape.gpu_mem_b = gpu_mem_b; }
}

static void begin_task(struct maker *m)
{
    SIM_ASSERT(m->n_tasks < TASKS_MAX);
    m->in_start[m->n_tasks] = m->n_in;
    m->after_start[m->n_tasks] = m->n_after;
    m->n_tasks++;
}

static void reads(struct maker *m, uint32_t b) { m->in[m->n_in++] = (struct task_input){ .block = b, .task = NONE }; }

static void waits_for(struct maker *m, uint32_t from, uint32_t n)
{
    SIM_ASSERT(m->n_after + n <= AFTER_MAX);
    for (uint32_t k = 0; k < n; k++) m->after[m->n_after++] = from + k;
}

static void make_tasks(struct maker *m, const struct workload_job *j)
{
    int64_t size = block_size(j, m->o), mem = size + j->second_b;
    sim_tick compute = j->app == WORKLOAD_YOLO ? (sim_tick)((double)(IMAGES / (int64_t)j->n) / m->o->images_per_s * 1e6)
                                          : mul_div(mem, TICK_SEC, m->o->compute_bps);
    m->n_groups = m->n_tasks = m->n_in = m->n_after = 0;
    uint32_t rounds = j->app == WORKLOAD_KMEANS ? ITERATIONS : 1, last = 0;
    for (uint32_t r = 0; r < rounds; r++) {
        uint32_t first = m->n_tasks;
        for (uint32_t k = 0; k < j->n; k++) {
            begin_task(m);
            if (r > 0) { waits_for(m, last, j->n); continue; }
            reads(m, block(m, j->id, j->second_b > 0 ? "A" : "b", k, size));
            if (j->second_b > 0) reads(m, block(m, j->id, "B", k, j->second_b));
        }
        last = first;
    }
    tasks(m, rounds * j->n, mem, compute);
    if (j->app == WORKLOAD_MM) {
        uint32_t first = m->n_tasks;
        for (uint32_t k = 0; k < j->n; k++) { begin_task(m); waits_for(m, last, j->n); }
        tasks(m, j->n, mem, m->o->add_us);
        last = first;
    }
    begin_task(m);
    waits_for(m, last, j->n);
    tasks(m, 1, 0, m->o->merge_us);
    m->in_start[m->n_tasks] = m->n_in;
    m->after_start[m->n_tasks] = m->n_after;
    m->graph = (struct task_graph){ .in_start = m->in_start, .in = m->in, .after_start = m->after_start, .after = m->after, .out = m->out };
}

/* ---- the source ---- */

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct maker *m = ctx;
    (void)d;
    if (m->next == m->n) return ST_END;
    const struct workload_job *j = &workload_job[m->order[m->next]];
    uint32_t user = m->users > 0 ? m->next % m->users : 0;    /* users take turns in the order of submission */
    m->next++;
    make_tasks(m, j);
    trace_blank(out);
    if (m->users > 0) (void)snprintf(m->id, sizeof m->id, "u%u-%u-%s", user + 1, (m->next - 1) / m->users + 1, j->id);
    else (void)snprintf(m->id, sizeof m->id, "%s", j->id);
    (void)snprintf(m->user, sizeof m->user, "user%u", user + 1);
    out->id = m->id;
    out->user = m->user;
    out->group = m->group;
    out->n_groups = m->n_groups;
    out->graph = &m->graph;
    out->line = m->next;
    return ST_OK;
}

static void close_workload(void *ctx) { mem_free(ctx); }

static void shuffle(uint32_t *x, uint32_t n, struct rng *r)
{
    for (uint32_t i = n; i > 1; i--) {
        uint32_t k = (uint32_t)rng_below(r, i), t = x[i - 1];
        x[i - 1] = x[k];
        x[k] = t;
    }
}

/* Each user's jobs are drawn without repetition, so all of them differ. */
static void order_jobs(struct maker *m, uint64_t seed)
{
    struct rng r;
    uint32_t all[WORKLOAD_ALL], n_all = m->o->extra ? WORKLOAD_ALL : WORKLOAD_JOBS;
    rng_init(&r, seed, "workload order", 0);
    for (uint32_t i = 0; i < n_all; i++) all[i] = i;
    if (m->users == 0) {
        if (m->o->shuffle) shuffle(all, n_all, &r);
        memcpy(m->order, all, n_all * sizeof *all);
        m->n = n_all;
        return;
    }
    m->n = m->users * m->jobs_per_user;
    for (uint32_t u = 0; u < m->users; u++) {
        shuffle(all, n_all, &r);
        for (uint32_t k = 0; k < m->jobs_per_user; k++) m->order[k * m->users + u] = all[k];
    }
}

static enum st open_workload(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    if (env->data == NULL) return diag_set(d, ST_EINPUT, "the format 'workload' needs a scenario: it has data, and a cluster to hold it");
    struct maker *m;
    MEM_NEW(m);
    m->env = *env;
    m->o = env->opts->own;
    m->users = (uint32_t)m->o->users;
    m->jobs_per_user = (uint32_t)m->o->jobs_per_user;
    order_jobs(m, env->opts->seed);
    *out = (struct trace_reader){ .ctx = m, .next = next, .close = close_workload };
    return ST_OK;
}

/* ---- the format ---- */

#define ENTRY(name, member, dflt_, help_, ...) \
    { .key = name, .offset = offsetof(struct workload_opts, member), .dflt = dflt_, .help = help_, __VA_ARGS__ }

static const struct trace_option params[] = {
    ENTRY("compute", compute_bps, "200MB/s", "input that a GPU works through, in every application but Yolo", .type = TRACE_RATE, .min = 1),
    ENTRY("images_per_s", images_per_s, "40", "images that a GPU works through in a second, Yolo", .type = TRACE_NUMBER, .min = YDOC_ABOVE_0, .max = 1e9),
    ENTRY("image", image_b, "160kB", "size of one of Yolo's images", .type = TRACE_BYTES, .min = 1),
    ENTRY("add", add_us, "1s", "an addition of the matrix multiplication, on a GPU", .type = TRACE_DURATION),
    ENTRY("merge", merge_us, "1s", "the step that ends a job, on a CPU", .type = TRACE_DURATION),
    ENTRY("extra", extra, "false", "with J37, of three small tasks", .type = TRACE_BOOL),
    ENTRY("shuffle", shuffle, "false", "jobs in an order drawn from the seed", .type = TRACE_BOOL),
    ENTRY("users", users, NULL, "users, each with jobs of its own, drawn; else one user with all jobs", .type = TRACE_COUNT, .min = 1, .max = 64),
    ENTRY("jobs_per_user", jobs_per_user, "6", "jobs that each of the users submits", .type = TRACE_COUNT, .min = 1, .max = WORKLOAD_JOBS),
};

static const struct trace_option options[] = {
    { .key = "workload", .type = TRACE_MAP, .sub = params, .n_sub = ARRAY_LEN(params), .help = "what the paper leaves open" },
};
static const char *const unused[] = { "defaults", "gpus_per_task", NULL };

static enum st check_workload(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(section, "workload"), *users = ydoc_get(n, "users"), *jobs = ydoc_get(n, "jobs_per_user");
    const struct workload_opts *own = o->own;
    (void)c;
    if (jobs != NULL && users == NULL) return ydoc_key_error(jobs, d, "'jobs_per_user' goes with 'users'");
    if (own->shuffle && users != NULL) return ydoc_error(ydoc_get(n, "shuffle"), d, "'shuffle' orders the 36 jobs; with 'users' each draws its own");
    return ST_OK;
}

const struct trace_format workload_format = {
    .name = "workload", .summary = "the 36 data-intensive jobs of the GPU-flow paper",
    .no_file = true, .needs_scenario = true, .unused = unused, .own_size = sizeof(struct workload_opts),
    .option = options, .n_options = ARRAY_LEN(options), .check = check_workload, .open = open_workload,
};
