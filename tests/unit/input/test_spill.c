/*
 * Jobs that are kept come back as they were, in order of time, whether they lie in memory or in a file: some of all that
 * a job may have, each drawn to be there or not, against a plain copy.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "input/trace/spill.h"

enum { JOBS = 500, GROUPS = 4, TEXT = 40 };

struct kept { struct job_spec spec; struct task_group group[GROUPS]; char text[7][TEXT]; };

static const char *text(struct kept *k, struct rng *g, int i, const char *what)
{
    if (i > 0 && rng_below(g, 3) == 0) return NULL;
    (void)snprintf(k->text[i], TEXT, "%s%.*s%d", what, (int)rng_below(g, 20), "aaaaaaaaaaaaaaaaaaaa", (int)rng_below(g, 1000));
    return k->text[i];
}

static void draw(struct kept *k, struct rng *g, size_t i)
{
    memset(k, 0, sizeof *k);
    k->spec = (struct job_spec){ .submit = (sim_tick)rng_below(g, JOBS / 3) * 7, .limit = (int64_t)rng_below(g, 3) - 1,
                                 .gang = rng_below(g, 2) == 0, .priority = (int32_t)rng_below(g, 9) - 4, .line = (uint32_t)i + 1,
                                 .elastic = { .min = (uint32_t)rng_below(g, 3) }, .n_groups = 1 + (uint32_t)rng_below(g, GROUPS),
                                 .past = { .is_known = rng_below(g, 2) == 0, .start = (sim_tick)rng_below(g, 100), .end = -1 } };
    k->spec.id = text(k, g, 0, "id");
    k->spec.user = text(k, g, 1, "user");
    k->spec.queue = text(k, g, 2, "queue");
    k->spec.model = text(k, g, 3, "model");
    k->spec.after = text(k, g, 4, "after");
    k->spec.node = text(k, g, 5, "node");
    k->spec.past.nodes = text(k, g, 6, "n");
    for (uint32_t n = 0; n < k->spec.n_groups; n++) {
        struct task_group *t = &k->group[n];
        t->n = 1 + (uint32_t)rng_below(g, 5);
        t->dur = (sim_tick)rng_below(g, UINT64_C(1) << 50);
        t->shape.cpu_milli = (int64_t)rng_below(g, 3) * 1000;
        t->shape.n_gpu = (int32_t)rng_below(g, 9);
    }
}

static void is_text(const char *got, const char *want)
{
    cr_assert((got == NULL) == (want == NULL));
    if (want != NULL) cr_assert_str_eq(got, want);
}

static void is_job(const struct job_spec *got, const struct kept *k)
{
    const struct job_spec *want = &k->spec;
    is_text(got->id, want->id);
    is_text(got->user, want->user);
    is_text(got->queue, want->queue);
    is_text(got->model, want->model);
    is_text(got->klass, NULL);
    is_text(got->after, want->after);
    is_text(got->node, want->node);
    is_text(got->past.nodes, want->past.nodes);
    cr_assert(got->submit == want->submit && got->limit == want->limit && got->gang == want->gang && got->line == want->line &&
              got->priority == want->priority && got->elastic.min == want->elastic.min && got->past.end == -1 &&
              got->past.start == want->past.start && got->past.is_known == want->past.is_known);
    cr_assert_eq(got->n_groups, want->n_groups);
    for (uint32_t n = 0; n < want->n_groups; n++) {
        const struct task_group *a = &got->group[n], *b = &k->group[n];
        cr_assert(a->n == b->n && a->dur == b->dur && a->shape.cpu_milli == b->shape.cpu_milli && a->shape.n_gpu == b->shape.n_gpu);
    }
}

static int by_submit(const void *a, const void *b)
{
    const struct kept *x = a, *y = b;
    return x->spec.submit != y->spec.submit ? (x->spec.submit > y->spec.submit) - (x->spec.submit < y->spec.submit)
                                            : (x->spec.line > y->spec.line) - (x->spec.line < y->spec.line);
}

/* memory: of so many bytes, more are in a file.  Each second time the first part of them is wanted. */
static void there_and_back(int64_t memory, uint64_t seed)
{
    struct kept *all = calloc(JOBS, sizeof *all);
    struct spill *x = spill_create(memory);
    struct spill_job job = { 0 };
    struct job_spec got;
    struct diag d = { 0 };
    struct rng g;
    const size_t most = seed % 2 == 0 ? 0 : JOBS * seed / 21, n_read = most > 0 ? most : JOBS;
    rng_init(&g, seed, "spill", 0);
    for (size_t i = 0; i < JOBS; i++) {
        draw(&all[i], &g, i);
        all[i].spec.group = all[i].group;
        cr_assert_eq(spill_add(x, &all[i].spec, &d), ST_OK, "%s", d.msg);
    }
    cr_assert_eq(spill_is_full(x), memory < SPILL_MEMORY);
    cr_assert_eq(spill_sort(x, 0, 0, INT64_MAX, 0, most, &d), ST_OK, "%s", d.msg);
    qsort(all, JOBS, sizeof *all, by_submit);
    for (size_t i = 0; i < n_read; i++) {
        cr_assert_eq(spill_read(x, i, &job, &got, &d), ST_OK, "%s", d.msg);
        struct kept *k = &all[i];       /* it was moved, and its texts with it */
        const char **const texts[] = { &k->spec.id, &k->spec.user, &k->spec.queue, &k->spec.model, &k->spec.after, &k->spec.node,
                                       &k->spec.past.nodes };
        for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
            if (*texts[n] != NULL) *texts[n] = k->text[n];
        is_job(&got, k);
    }
    cr_assert_eq(spill_read(x, JOBS, &job, &got, &d), ST_END);
    spill_job_fini(&job);
    spill_destroy(x);
    free(all);
}

Test(spill, jobs_come_back_from_memory)
{
    for (uint64_t seed = 1; seed <= 20; seed++) there_and_back(SPILL_MEMORY, seed);
}

Test(spill, jobs_come_back_from_a_file)
{
    for (uint64_t seed = 1; seed <= 20; seed++) there_and_back((int64_t)(seed - 1) * 1000, seed);
}
