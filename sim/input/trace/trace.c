/*
 * trace.c -- from a format's reader to a stream of jobs in order of time.
 *
 * scan() reads all of a file as it stands, checks every row and counts repairs.  Its jobs are kept (spill.h) as long as
 * they fit memory, and then the stream hands these out, sorted where rows were out of order.  A larger file is
 * read again by the stream; if it was out of order, by read_again() into a temporary file first.
 * A job handed out is valid until the next.
 */
#include "input/trace/trace.h"

#include <math.h>
#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"
#include "base/rng.h"
#include "input/trace/content.h"
#include "input/trace/format/as_calls.h"
#include "input/trace/ids.h"
#include "input/trace/reader.h"
#include "input/trace/spill.h"
#include "model/calls/calltime.h"
#include "model/calls/relation.h"
#include "model/dependency.h"
#include "model/speed/scaling.h"

/* ---- repairs ---- */

enum st trace_repair(const struct trace_env *env, const char *what, uint32_t line, struct diag *d)
{
    if (env->opts->strict) {
        (void)diag_at(d, ST_EINPUT, env->opts->path, line, 0, "%s", what);
        return diag_hint(d, "strict makes every repair an error; without it this one is counted and reported");
    }
    trace_count(env, what, line);
    return ST_OK;
}

void trace_count(const struct trace_env *env, const char *what, uint32_t line)
{
    struct trace_repairs *r = env->repairs;
    if (r == NULL) return;
    size_t i = 0;
    while (i < r->n && strcmp(r->at[i].what, what) != 0) i++;
    if (i == r->n) {
        MEM_PUSH(r->at, r->n, r->cap, (struct trace_repair){ .what = what, .first_line = line });
    }
    r->at[i].count++;
}

/* ---- the raw reader ---- */

enum st trace_reader_open(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    const struct trace_format *f = env->opts->format;
    if (!f->no_file && env->opts->path == NULL)
        return diag_set(d, ST_EINPUT, "a trace of format '%s' needs a file", f->name);
    *out = (struct trace_reader){ .ctx = NULL };
    enum st st = f->open(env, out, d);
    if (st != ST_OK && out->close != NULL) {
        out->close(out->ctx);
        *out = (struct trace_reader){ .ctx = NULL };
    }
    if (st == ST_OK) as_calls_open(env, out);
    return st;
}

static sim_tick longest(const struct job_spec *s)
{
    sim_tick dur = 0;
    for (uint32_t k = 0; k < s->n_groups; k++) dur = i64_max(dur, s->group[k].dur);
    return dur;
}

static uint64_t mixed(const char *s)
{
    uint64_t h = hash64_text(HASH64_INIT, s);
    h ^= h >> 33; h *= UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 33; h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 33;
}

/* A job keeps its model whatever else the trace holds: the draw depends on the seed and its id alone. */
static const char *draw_model(const struct trace_opts *o, const struct job_spec *s)
{
    struct rng r;
    bool any = false;
    for (uint32_t k = 0; k < s->n_groups; k++) any = any || s->group[k].shape.n_gpu > 0;
    if (!any) return NULL;
    rng_init(&r, o->seed, "model", mixed(s->id));
    return o->dflt.models[rng_below(&r, o->dflt.n_models)];
}

/*
 * A job of whole GPUs and of one size, whose model is called as a scaling, may run on 1 to `elastic_gpus`, or to what it
 * asks.  One whose sizes the scaling does not all know stays as it is.
 */
static void make_elastic(const struct trace_env *env, struct job_spec *s)
{
    const struct scaling *x = env->opts->scaling;
    const struct task_group *g = s->group;
    char lacks[400];
    if (s->elastic.max > 0 || s->model == NULL || s->n_groups > 1 || !(s->gang || g->n == 1) || s->node != NULL ||
        s->graph != NULL || s->calls != NULL || g->shape.n_gpu == 0 || g->shape.gpu_milli < GPU_WHOLE) return;
    uint32_t id = intern_find(&x->names, s->model), gpus = (uint32_t)g->shape.n_gpu, max = env->opts->dflt.elastic_gpus / gpus;
    if (max < g->n) max = g->n;
    if (id == NONE) return;
    if (max > SCALING_GPUS_MAX || !scaling_accepts(x, id, g->n * gpus) ||
        scaling_lacks(x, id, env->cluster, g->shape.gpu_types, gpus, max * gpus, lacks, sizeof lacks) != NULL) {
        trace_count(env, "job of one size, as its model's scaling does not know all others", s->line);
        return;
    }
    trace_count(env, "job that may run on other numbers of GPUs, by its model's scaling", s->line);
    s->gang = true;
    s->elastic = (struct elastic){ .min = 1, .max = max, .scaling = id };
}

/* A start that cannot be is not kept; names of nodes alone that the cluster does not have are told of. */
static enum st check_past(const struct trace_env *env, struct job_spec *s, struct diag *d)
{
    struct job_past *p = &s->past;
    const struct cluster *c = env->cluster;
    if (!p->is_known) return ST_OK;
    if (p->start < s->submit) {
        p->is_known = false;
        return trace_repair(env, "recorded start is before the arrival, not kept", s->line, d);
    }
    if (p->end >= 0 && p->end < p->start) {
        p->end = -1;
        TRY(trace_repair(env, "recorded end is before the recorded start, not kept", s->line, d));
    }
    for (const char *n = p->nodes; c->n_nodes > 0 && n != NULL && *n != '\0';) {
        size_t len = strcspn(n, ",");
        char name[256];
        (void)snprintf(name, sizeof name, "%.*s", (int)(len < sizeof name ? len : 0), n);
        if (intern_find(&c->node_names, name) == NONE)
            return trace_repair(env, "recorded node that the cluster does not have", s->line, d);
        n += len + (n[len] == ',');
    }
    return ST_OK;
}

/* What the trace left open, from the scenario; and what every reader must have got right. */
static enum st complete(const struct trace_env *env, struct job_spec *s, struct diag *d)
{
    const struct trace_opts *o = env->opts;
    const char *path = o->path != NULL ? o->path : "";
    if (s->user == NULL)  s->user = o->dflt.user;
    if (s->queue == NULL) s->queue = o->dflt.queue;
    if (s->model == NULL) s->model = o->dflt.n_models > 0 ? draw_model(o, s) : o->dflt.model;
    if (o->dflt.elastic_gpus > 0) make_elastic(env, s);
    if (s->submit < 0)
        return diag_at(d, ST_EINPUT, path, s->line, 0, "job '%s' arrives before time 0", s->id);
    if (s->after != NULL && s->calls != NULL)
        return diag_at(d, ST_EINPUT, path, s->line, 0, "job '%s' waits for other jobs, and its tasks make calls, which "
                       "goes together in no run", s->id);
    sim_tick dur = longest(s);
    if (dur > DUR_MAX)
        return diag_at(d, ST_EINPUT, path, s->line, 0, "job '%s' runs longer than %lld days", s->id,
                       (long long)(DUR_MAX / (86400 * TICK_SEC)));
    if (s->limit < 0) {
        if (o->dflt.limit >= 0) s->limit = o->dflt.limit;
        else if (o->dflt.limit_factor > 0) {
            double limit = (double)i64_max(trace_alone(s), 1) * o->dflt.limit_factor;
            if (limit > (double)(INT64_MAX / 8))
                return diag_at(d, ST_EINPUT, path, s->line, 0, "job '%s': %g times its duration is too long a limit", s->id, o->dflt.limit_factor);
            s->limit = i64_max(1, llround(limit));
        }
    }
    SIM_ASSERT(s->n_groups > 0 && s->id != NULL);
    return check_past(env, s, d);
}

/* ---- ids, while the file is checked ---- */

static enum st used_before(const struct trace *t, const struct job_spec *s, uint32_t before, struct diag *d)
{
    return diag_at(d, ST_EINPUT, t->opts.path != NULL ? t->opts.path : "", s->line, 0,
                   "id '%s' was already used on line %u; ids are unique", s->id, before);
}

/* Those that were found alike only when all were read: the job of that line is read again, to say its name. */
static enum st check_ids(const struct trace *t, struct ids *ids, struct diag *d)
{
    const struct trace_env env = { .opts = &t->opts, .cluster = t->cluster, .perf = t->perf, .data = t->opts.data };
    struct trace_reader r;
    struct job_spec s;
    uint32_t line, before;
    TRY(ids_finish(ids, &line, &before, d));
    if (line == 0) return ST_OK;
    TRY(trace_reader_open(&env, &r, d));
    enum st st;
    while ((st = r.next(r.ctx, &s, d)) == ST_OK && s.line != line) { }
    if (st == ST_OK) st = used_before(t, &s, before, d);
    r.close(r.ctx);
    return st == ST_END ? ST_OK : st;
}

/* ---- the windowed stream, on the trace's clock ---- */

struct stream {
    const struct trace *t;
    struct trace_env    env;
    struct trace_reader r;          /* of a sorted file that does not fit memory */
    uint64_t n;                     /* delivered */
    struct spill_job job;           /* of kept jobs */
};

static enum st stream_open(struct stream *s, const struct trace *t, struct diag *d)
{
    *s = (struct stream){ .t = t };
    s->env = (struct trace_env){ .opts = &t->opts, .cluster = t->cluster, .perf = t->perf, .data = t->opts.data };
    return t->spill != NULL ? ST_OK : trace_reader_open(&s->env, &s->r, d);
}

static void stream_close(struct stream *s)
{
    if (s->r.close != NULL) s->r.close(s->r.ctx);
    spill_job_fini(&s->job);
}

/* Of a sorted file: is this job before, in or after the window? */
static int window_side(const struct trace *t, sim_tick submit)
{
    sim_tick at = submit - t->facts.origin;
    return at < t->opts.window_from ? -1 : at >= t->opts.window_to ? 1 : 0;
}

static void mark_named(const struct trace *t, struct job_spec *s)
{
    s->is_named = t->names.named.n > 0 && intern_find(&t->names.named, s->id) != NONE;
}

static enum st stream_next(struct stream *s, struct job_spec *out, struct diag *d)
{
    const struct trace *t = s->t;
    if (t->opts.max_jobs > 0 && s->n == t->opts.max_jobs) return ST_END;
    if (t->spill != NULL) {
        TRY(spill_read(t->spill, s->n++, &s->job, out, d));
        if (out->user_number > 0) out->user = intern_name(&t->names.users, out->user_number - 1);
        mark_named(t, out);
        return ST_OK;
    }
    for (;;) {
        TRY(s->r.next(s->r.ctx, out, d));
        int side = window_side(t, out->submit);
        if (side > 0) return ST_END;
        if (side < 0) continue;
        s->n++;
        TRY(complete(&s->env, out, d));
        mark_named(t, out);
        return ST_OK;
    }
}

/* ---- preparing ---- */

static void count_job(struct trace_facts *f, const struct job_spec *s)
{
    if (f->n_jobs++ == 0) f->first = s->submit;
    f->last = s->submit;
    f->n_dependent += s->after != NULL;
    f->has_restores |= s->restore.is_own;
    if (s->limit >= 0 && trace_alone(s) > s->limit) f->n_past_limit++;
    if (s->past.is_known) {
        f->n_recorded++;
        f->recorded_wait_us += (double)(s->past.start - s->submit);
    }
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct task_group *g = &s->group[k];
        double us = (double)g->dur * g->n;
        f->n_tasks += g->n;
        f->gpu_us += us * ((double)g->shape.n_gpu * g->shape.gpu_milli);
        f->cpu_us += us * (double)g->shape.cpu_milli;
        f->mem_us += us * (double)g->shape.mem_b;
    }
}

/* A relation's rows of which the trace has the task; NULL: not looked at, since other seeds may have other tasks. */
static void find_tasks(const struct relation *r, const struct job_spec *s, bool *found)
{
    uint32_t n = 0, id;
    for (uint32_t g = 0; g < s->n_groups && found != NULL; g++)
        for (uint32_t k = 0; k < s->group[g].n; k++, n++)
            if ((id = relation_task(r, s->id, n)) != NONE) found[id] = true;
}

static enum st check_relation(const struct relation *r, const bool *found, struct diag *d)
{
    for (uint32_t i = 0; found != NULL && i < r->tasks.n; i++)
        if (!found[i])
            return diag_at(d, ST_EINPUT, r->path, r->line[i], 0, "found task '%s', which the trace does not have",
                           intern_name(&r->tasks, i));
    return ST_OK;
}

static void name_others(struct trace_names *n, const char *after)
{
    struct dependency_list l = { .n = 0 };
    char error[256];
    bool ok = dependency_parse(&l, after, error, sizeof error);
    SIM_ASSERT(ok);                     /* readers let nothing else through */
    for (size_t i = 0; i < l.n; i++) (void)intern_id(&n->named, l.at[i].id);
    dependency_list_fini(&l);
}

static void name_job(struct trace_names *n, struct job_spec *s)
{
    const uint32_t user = intern_id(&n->users, s->user != NULL ? s->user : "-");    /* so the world calls whoever is not named */
    if (s->user != NULL) s->user_number = user + 1;
    if (s->queue != NULL) (void)intern_id(&n->queues, s->queue);
    if (s->after != NULL) name_others(n, s->after);
    if (s->graph == NULL) return;
    MEM_PUSH(n->graph, n->n_graphs, n->cap_graph, hash64_text(HASH64_INIT, s->id));
}

bool trace_has_graph(const struct trace *t, const char *id)
{
    for (size_t i = 0; i < t->names.n_graphs; i++) if (t->names.graph[i] == hash64_text(HASH64_INIT, id)) return true;
    return false;
}

/* A job that was named: of its user the number alone. */
static enum st keep_job(struct spill *x, struct job_spec *s, struct diag *d)
{
    if (s->user_number > 0) s->user = NULL;
    return spill_add(x, s, d);
}

/*
 * One pass over the file as it is: every row checked, every repair counted.
 * While the rows are in order the facts of the window are right as they come;
 * the first row out of order voids them, and they are taken again when sorted.
 */
static enum st scan(struct trace *t, struct diag *d)
{
    struct trace_env env = { .opts = &t->opts, .cluster = t->cluster, .perf = t->perf, .data = t->opts.data, .repairs = &t->repairs };
    struct trace_reader r = { .ctx = NULL };
    bool any_graph = false;
    struct trace_facts *f = &t->facts;
    struct ids ids = { .at = NULL };
    struct job_spec s;
    sim_tick max = INT64_MIN;
    bool *found = NULL;
    TRY(trace_reader_open(&env, &r, d));
    if (t->opts.relation != NULL && !trace_is_drawn(&t->opts)) MEM_ARRAY(found, (size_t)t->opts.relation->tasks.n + 1);
    enum st st;
    f->sorted = true;
    t->spill = spill_create(SPILL_MEMORY);
    while ((st = r.next(r.ctx, &s, d)) == ST_OK) {
        const uint64_t id = r.ids_differ ? 0 : mixed(s.id);
        ids_expect(&ids, id);
        if ((st = complete(&env, &s, d)) != ST_OK) break;
        if (f->n_file++ == 0) f->origin = s.submit;
        any_graph |= s.graph != NULL;
        name_job(&t->names, &s);
        find_tasks(t->opts.relation, &s, found);
        if (s.submit < max || (any_graph && !f->sorted)) {
            f->sorted = false;
            if (r.in_order != NULL || any_graph) {
                st = diag_at(d, ST_EINPUT, t->opts.path, s.line, 0, "job '%s' arrives before the job above it", s.id);
                diag_hint(d, "%s", r.in_order != NULL ? r.in_order
                             : "a trace with workflows is not sorted here: put its jobs in order of submit_s");
                break;
            }
            if ((st = trace_repair(&env, "row out of time order, sorted", s.line, d)) != ST_OK) break;
        }
        if (t->opts.tie_seed > 0 && !spill_can_keep(&s) && s.submit == max)
            trace_count(&env, "job with a graph or calls that arrives with the one before it: they keep their order", s.line);
        if (t->spill != NULL && ((spill_is_full(t->spill) && f->sorted && t->opts.tie_seed == 0) || !spill_can_keep(&s))) {
            spill_destroy(t->spill);            /* read again by whoever wants it */
            t->spill = NULL;
        }
        if (t->spill != NULL && (st = keep_job(t->spill, &s, d)) != ST_OK) break;
        f->origin = i64_min(f->origin, s.submit);
        max = i64_max(max, s.submit);
        if (f->sorted && window_side(t, s.submit) == 0 && (t->opts.max_jobs == 0 || f->n_jobs < t->opts.max_jobs))
            count_job(f, &s);
        uint32_t before = 0;
        if (!r.ids_differ && (st = ids_add(&ids, id, s.line, &before, d)) != ST_OK) break;
        if (before > 0 && (st = used_before(t, &s, before, d)) != ST_OK) break;
    }
    r.close(r.ctx);
    if (st == ST_END && (st = check_ids(t, &ids, d)) == ST_OK) st = ST_END;
    ids_fini(&ids);
    if (st == ST_END) st = check_relation(t->opts.relation, found, d);
    mem_free(found);
    return st;
}

/*
 * Who waits for a job that the stream does not have before it?  The run takes that one as over.  O(jobs), one reading
 * of the trace.
 */
static enum st check_dependencies(struct trace *t, struct diag *d)
{
    const struct trace_env env = { .opts = &t->opts, .repairs = &t->repairs };
    const struct intern *named = &t->names.named;
    struct dependency_list l = { .n = 0 };
    struct stream in;
    struct job_spec s;
    char error[256];
    bool *is_past;
    TRY(stream_open(&in, t, d));
    MEM_ARRAY(is_past, named->n);
    enum st st;
    while ((st = stream_next(&in, &s, d)) == ST_OK) {
        l.n = 0;
        if (s.after != NULL) (void)dependency_parse(&l, s.after, error, sizeof error);
        for (size_t i = 0; i < l.n && st == ST_OK; i++)
            if (!is_past[intern_find(named, l.at[i].id)])
                st = trace_repair(&env, "waits for a job that is not before it in the trace, which counts as over",
                                  s.line, d);
        if (st != ST_OK) break;
        if (s.is_named) is_past[intern_find(named, s.id)] = true;
    }
    stream_close(&in);
    dependency_list_fini(&l);
    mem_free(is_past);
    return st == ST_END ? ST_OK : st;
}

/* Jobs of a file that did not fit memory, and turned out not to be in order. */
static enum st read_again(struct trace *t, struct diag *d)
{
    struct trace_env env = { .opts = &t->opts, .cluster = t->cluster, .perf = t->perf, .data = t->opts.data };
    struct trace_reader r;
    struct job_spec s;
    t->spill = spill_create(SPILL_MEMORY);
    TRY(trace_reader_open(&env, &r, d));
    enum st st;
    while ((st = r.next(r.ctx, &s, d)) == ST_OK) {
        if (window_side(t, s.submit) != 0) continue;
        if ((st = complete(&env, &s, d)) != ST_OK) break;
        name_job(&t->names, &s);
        if ((st = keep_job(t->spill, &s, d)) != ST_OK) break;
    }
    r.close(r.ctx);
    return st == ST_END ? ST_OK : st;
}

/* Kept jobs in the order and the window of the stream; facts of a file out of order anew. */
static enum st sort_jobs(struct trace *t, struct diag *d)
{
    struct trace_facts *f = &t->facts, zero = { .origin = f->origin, .n_file = f->n_file, .content_hash = f->content_hash };
    struct job_spec s;
    struct stream in;
    enum st st;
    if (t->spill == NULL && f->sorted) return ST_OK;
    if (t->spill == NULL) TRY(read_again(t, d));
    TRY(spill_sort(t->spill, f->origin, t->opts.window_from, t->opts.window_to, t->opts.tie_seed, t->opts.max_jobs, d));
    if (f->sorted && t->opts.tie_seed == 0) return ST_OK;
    *f = zero;
    TRY(stream_open(&in, t, d));
    while ((st = stream_next(&in, &s, d)) == ST_OK) count_job(f, &s);
    stream_close(&in);
    return st == ST_END ? ST_OK : st;
}

static double offered(double demand, int64_t capacity, sim_tick span)
{
    return capacity > 0 && span > 0 ? demand / ((double)capacity * (double)span) : 0;
}

/* Cards, in thousandths, each counting as fast as its type: load 1 is what the cluster can sustain. */
static int64_t gpu_capacity(const struct cluster *c)
{
    double sum = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (c->node[i].n_gpu > 0) sum += GPU_WHOLE * (double)c->node[i].n_gpu * c->gpu_speed[c->node[i].gpu_type];
    return llround(sum);
}

static enum st find_stretch(struct trace *t, struct diag *d)
{
    struct trace_facts *f = &t->facts;
    const struct cluster_sum *c = &t->cluster->sum;
    sim_tick span = f->last - f->first;
    f->load_gpu = offered(f->gpu_us, gpu_capacity(t->cluster), span);
    f->load_cpu = offered(f->cpu_us, c->cpu_total, span);
    f->load_mem = offered(f->mem_us, c->mem_total, span);
    f->stretch = 1;
    const struct trace_opts *o = &t->opts;
    if (o->load > 0) {
        if (o->speedup > 0 && (o->speedup < 1 || o->speedup > 1))
            return diag_set(d, ST_EINPUT, "the trace's load and speedup exclude each other: both scale the gaps");
        double now = fmax(f->load_gpu, fmax(f->load_cpu, f->load_mem));
        if (!(now > 0))
            return diag_set(d, ST_EINPUT, "the trace's load cannot be scaled to %g: its %llu jobs span no time or ask for nothing",
                            o->load, (unsigned long long)f->n_jobs);
        f->stretch = now / o->load;
    } else if (o->speedup > 0) {
        f->stretch = 1 / o->speedup;
    }
    if ((double)span * f->stretch > (double)(INT64_MAX / 8))
        return diag_set(d, ST_EINPUT, "the trace stretched %g-fold would last longer than the clock can count", f->stretch);
    return ST_OK;
}

bool trace_is_made(const struct trace_opts *o) { return o->format->no_file; }

bool trace_is_drawn(const struct trace_opts *o) { return trace_is_made(o) || o->dflt.n_models > 0 || o->n_instances > 0; }

enum st trace_seed(struct trace_opts *o, uint64_t seed, struct diag *d)
{
    o->seed = seed;
    if (o->n_instances == 0) return ST_OK;
    if (seed < 1 || seed > o->n_instances)
        return diag_set(d, ST_EINPUT, "seed %llu: the trace has instances 1 to %zu, one a seed", (unsigned long long)seed, o->n_instances);
    o->path = o->instance[seed - 1];
    return ST_OK;
}

enum st trace_prepare(struct trace *t, const struct trace_opts *o, struct cluster *c, struct throughput *p, struct diag *d)
{
    *t = (struct trace){ .opts = *o, .cluster = c, .perf = p };
    if (o->window_to <= 0) t->opts.window_to = TICK_NEVER;
    if (o->reads_times) calltime_fini(o->times);       /* of another instance or seed */
    struct content content;
    enum st st = content_begin(&content, o, d);
    if (st == ST_OK) st = content_end(&content, scan(t, d), &t->facts.content_hash, d);
    if (st == ST_OK) st = sort_jobs(t, d);
    if (st == ST_OK && t->names.named.n > 0) st = check_dependencies(t, d);
    if (st == ST_OK && t->facts.n_jobs == 0)
        st = diag_at(d, ST_EINPUT, o->path != NULL ? o->path : "", 0, 0,
                     t->facts.n_file == 0 ? "has no jobs" : "has %llu jobs, but none in the window",
                     (unsigned long long)t->facts.n_file);
    if (st == ST_OK) st = find_stretch(t, d);
    if (st != ST_OK) trace_fini(t);
    return st;
}

void trace_fini(struct trace *t)
{
    spill_destroy(t->spill);
    mem_free(t->repairs.at);
    intern_fini(&t->names.users);
    intern_fini(&t->names.queues);
    intern_fini(&t->names.named);
    mem_free(t->names.graph);
    *t = (struct trace){ .spill = NULL };
}

/* ---- the source ---- */

static enum st source_next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct stream *s = ctx;
    const struct trace_facts *f = &s->t->facts;
    TRY(stream_next(s, out, d));
    sim_tick gap = out->submit - f->first;
    /* Rounding is monotone, so scaled arrivals keep their order. */
    bool is_scaled = f->stretch < 1 || f->stretch > 1;
    out->submit = is_scaled ? llround((double)gap * f->stretch) : gap;
    /* With other gaps between arrivals the cluster would not have been as it was. */
    if (is_scaled) out->past = (struct job_past){ .is_known = false };
    else if (out->past.is_known) {
        out->past.start -= f->first;
        if (out->past.end >= 0) out->past.end -= f->first;
    }
    return ST_OK;
}

enum st trace_source_open(const struct trace *t, struct source *out, struct diag *d)
{
    struct stream *s = mem_alloc(1, sizeof *s);
    enum st st = stream_open(s, t, d);
    if (st != ST_OK) {
        mem_free(s);
        return st;
    }
    *out = (struct source){ .ctx = s, .next = source_next };
    return ST_OK;
}

void trace_source_close(struct source *s)
{
    if (s->ctx == NULL) return;
    stream_close(s->ctx);
    mem_free(s->ctx);
    s->ctx = NULL;
}
