/*
 * isolated.c -- jobs run alone, each distinct one once.
 *
 * Jobs that ask for exactly the same, by a hash of all that the time hangs on,
 * share one result: many jobs of a trace are alike.
 */
#include "run/isolated.h"

#include <stdio.h>
#include <string.h>

#include "host/host.h"
#include "run/setup.h"
#include "base/hash.h"
#include "base/mem.h"

/* One job, given once.  Its spec stays whole: the trace's source moves on only
 * when the job has been run. */
struct alone { const struct job_spec *job; bool given; };

static enum st next_alone(void *ctx, struct job_spec *out, struct diag *d)
{
    struct alone *a = ctx;
    (void)d;
    if (a->given) return ST_END;
    a->given = true;
    *out = *a->job;
    out->submit = 0;
    return ST_OK;
}

static void on_job_ended(void *ctx, const struct world *w, uint32_t job)
{
    int64_t *us = ctx;
    const struct job *j = world_job(w, job);
    if (j->status == JOB_DONE) *us = j->end - j->first_start;
}

/* Run it with at most `quota` cards (0: all); *us out. */
static enum st run_alone(struct scenario *s, const struct job_spec *job, uint64_t seed, uint32_t quota, int64_t *us, struct diag *d)
{
    char spec[32];
    struct host *h;
    struct alone alone = { .job = job };
    enum st st;
    *us = -1;
    (void)snprintf(spec, sizeof spec, "gs:quota=%u", quota);
    struct world_config cfg = setup_world(s, seed);
    cfg.reject_infeasible = true;
    TRY(host_create(&h, spec, NULL, &cfg, &(struct host_origin){ 0 }, NULL, d));
    struct world *w = world_create(&cfg, (struct source){ &alone, next_alone }, host_decider(h));
    world_observe(w, (struct observer){ .ctx = us, .job_ended = on_job_ended });
    while ((st = world_step(w, d)) == ST_OK) { }
    world_destroy(w);
    host_destroy(h);
    return st == ST_END ? ST_OK : st;
}

/* Would its largest piece fit in the quota?  A gang is one piece, else a task. */
static bool fits(const struct job_spec *job, uint32_t quota)
{
    uint64_t sum = 0;
    for (uint32_t g = 0; g < job->n_groups; g++) {
        if ((uint32_t)job->group[g].shape.n_gpu > quota) return false;
        sum += (uint64_t)job->group[g].shape.n_gpu * job->group[g].n;
    }
    return !job->gang || sum <= quota;
}

/* Everything of a job that its time alone hangs on, field by field: structs have holes. */
static void key_of(const struct job_spec *j, char out[HASH_HEX])
{
#define FOLD(x) hash_bytes(&h, &(x), sizeof (x))
    struct hash128 h;
    uint32_t n_tasks = 0;
    hash_init(&h);
    hash_text(&h, j->model ? j->model : "");
    FOLD(j->limit);
    FOLD(j->gang);
    FOLD(j->elastic.max); FOLD(j->elastic.scaling);
    FOLD(j->n_groups);
    for (uint32_t g = 0; g < j->n_groups; g++) {
        const struct task_group *q = &j->group[g];
        FOLD(q->n); FOLD(q->dur);
        FOLD(q->shape.cpu_milli); FOLD(q->shape.mem_b); FOLD(q->shape.gpu_mem_b); FOLD(q->shape.gpu_cores); FOLD(q->shape.n_gpu); FOLD(q->shape.gpu_milli);
        FOLD(q->shape.gpu_types); FOLD(q->shape.need_all); FOLD(q->shape.need_any);
        FOLD(q->shape.engine); FOLD(q->shape.exclusive); FOLD(q->shape.prefers);
        n_tasks += q->n;
    }
    const struct task_graph *t = j->graph;
    if (t != NULL) {
        hash_bytes(&h, t->in_start, (n_tasks + 1) * sizeof *t->in_start);
        for (uint32_t i = 0; i < t->in_start[n_tasks]; i++) { FOLD(t->in[i].block); FOLD(t->in[i].task); }
        hash_bytes(&h, t->after_start, (n_tasks + 1) * sizeof *t->after_start);
        hash_bytes(&h, t->after, t->after_start[n_tasks] * sizeof *t->after);
        hash_bytes(&h, t->out, n_tasks * sizeof *t->out);
    }
    hash_hex(&h, out);
#undef FOLD
}

static enum st find_one(struct isolated_times *i, struct scenario *s, const struct job_spec *job, uint64_t seed, uint32_t quota, struct diag *d)
{
    i->whole[i->n] = i->share[i->n] = -1;
    TRY(run_alone(s, job, seed, 0, &i->whole[i->n], d));
    if (fits(job, quota)) TRY(run_alone(s, job, seed, quota, &i->share[i->n], d));
    i->n_distinct++;
    return ST_OK;
}

enum st isolated_of_source(struct isolated_times *out, struct scenario *s, struct source src, uint64_t seed, struct diag *d)
{
    struct intern seen = { 0 };         /* of distinct jobs, in order */
    uint64_t *first = NULL;             /* by seen: the ordinal of the one that was run */
    size_t cap_whole = 0, cap_share = 0, cap_first = 0;
    uint32_t quota = s->cluster.n_cards / s->output.ideal_share;
    struct job_spec job;
    enum st st;
    SIM_ASSERT(s->output.ideal_share >= 1);
    memset(out, 0, sizeof *out);
    if (quota < 1) quota = 1;
    for (; (st = src.next(src.ctx, &job, d)) == ST_OK; out->n++) {
        char key[HASH_HEX];
        key_of(&job, key);
        uint32_t id = intern_id(&seen, key);
        MEM_RESERVE(out->whole, cap_whole, out->n + 1);
        MEM_RESERVE(out->share, cap_share, out->n + 1);
        if (id < out->n_distinct) {
            out->whole[out->n] = out->whole[first[id]];
            out->share[out->n] = out->share[first[id]];
            continue;
        }
        MEM_RESERVE(first, cap_first, (size_t)id + 1);
        first[id] = out->n;
        st = find_one(out, s, &job, seed, quota, d);
        if (st != ST_OK) break;
    }
    intern_fini(&seen);
    mem_free(first);
    if (st == ST_END) return ST_OK;
    diag_hint(d, "found while running each job alone, for `output: {ideal: %u}`", s->output.ideal_share);
    isolated_fini(out);
    return st;
}

enum st isolated_find(struct isolated_times *out, struct scenario *s, const struct trace *t, uint64_t seed, struct diag *d)
{
    struct source src;
    TRY(trace_source_open(t, &src, d));
    enum st st = isolated_of_source(out, s, src, seed, d);
    trace_source_close(&src);
    return st;
}

void isolated_fini(struct isolated_times *i)
{
    mem_free(i->whole);
    mem_free(i->share);
    memset(i, 0, sizeof *i);
}
