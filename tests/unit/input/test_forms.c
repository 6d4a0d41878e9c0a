/*
 * Unit tests of sim/input/tasks/forms: the tasks that a stage's form generates (S4-21).
 * With x of n items and y of m: y = F(x) makes n tasks, z = F(x, y) and the
 * wavefront n * m; task [i,j] is number i * m + j.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "base/rng.h"
#include "input/tasks/forms.h"
#include "model/graph.h"

enum { ITEMS = 64 };
static struct forms f;
static struct task_input x[ITEMS], y[ITEMS];

/* Blocks 0, 1 ... are x; blocks 1000, 1001 ... are y. */
static void setup(void)
{
    for (uint32_t k = 0; k < ITEMS; k++) {
        x[k] = (struct task_input){ .block = k, .task = NONE };
        y[k] = (struct task_input){ .block = 1000 + k, .task = NONE };
    }
}

static void teardown(void) { forms_fini(&f); }

TestSuite(forms, .init = setup, .fini = teardown);

static uint32_t add(enum form form, uint32_t n, uint32_t m)
{
    return forms_add(&f, &(struct form_stage){ .form = form, .x = x, .nx = n, .y = y, .ny = m, .out = 7 });
}

static uint32_t n_in(const struct task_graph *g, uint32_t k) { return g->in_start[k + 1] - g->in_start[k]; }
static uint32_t block(const struct task_graph *g, uint32_t k, uint32_t i) { return g->in[g->in_start[k] + i].block; }

static bool waits(const struct task_graph *g, uint32_t k, uint32_t before)
{
    for (uint32_t e = g->after_start[k]; e < g->after_start[k + 1]; e++) if (g->after[e] == before) return true;
    return false;
}

static uint32_t n_waits(const struct task_graph *g, uint32_t k) { return g->after_start[k + 1] - g->after_start[k]; }

Test(forms, one_task_reads_all_of_x_which_may_be_nothing)
{
    cr_expect_eq(add(FORM_ONE, 3, 0), 0);
    cr_expect_eq(add(FORM_ONE, 0, 0), 1);
    struct task_graph g = forms_graph(&f);
    cr_expect(f.n == 2 && n_in(&g, 0) == 3 && n_in(&g, 1) == 0 && n_waits(&g, 0) == 0 && n_waits(&g, 1) == 0);
    cr_expect(block(&g, 0, 0) == 0 && block(&g, 0, 2) == 2 && g.out[0] == 7 && g.out[1] == 7);
}

Test(forms, s4_21_map_makes_n_tasks_of_one_item_each)
{
    add(FORM_MAP, 5, 0);
    struct task_graph g = forms_graph(&f);
    cr_expect_eq(f.n, 5);
    for (uint32_t i = 0; i < 5; i++) cr_expect(n_in(&g, i) == 1 && block(&g, i, 0) == i && n_waits(&g, i) == 0);
}

Test(forms, s4_21_cross_makes_n_times_m_tasks_one_a_pair)
{
    add(FORM_CROSS, 3, 4);
    struct task_graph g = forms_graph(&f);
    cr_expect_eq(f.n, 12);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t k = i * 4 + j;
            cr_expect(n_in(&g, k) == 2 && block(&g, k, 0) == i && block(&g, k, 1) == 1000 + j && n_waits(&g, k) == 0);
        }
}

Test(forms, s4_21_wavefront_waits_for_the_task_above_and_the_one_to_the_left)
{
    add(FORM_MAP, 2, 0);            /* so that the grid does not begin at 0 */
    uint32_t at = add(FORM_WAVEFRONT, 3, 4);
    struct task_graph g = forms_graph(&f);
    cr_expect(at == 2 && f.n == 14);
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 4; j++) {
            uint32_t k = at + i * 4 + j;
            cr_expect_eq(n_waits(&g, k), (uint32_t)(i > 0) + (j > 0));
            if (i > 0) cr_expect(waits(&g, k, k - 4));
            if (j > 0) cr_expect(waits(&g, k, k - 1));
        }
}

/* With tasks of 1 us, the tasks on a diagonal run together: n + m - 1 us. */
Test(forms, a_wavefront_takes_n_plus_m_minus_1_steps)
{
    sim_tick dur[15];
    uint32_t bad;
    struct form_stage s = { .form = FORM_WAVEFRONT, .x = x, .nx = 3, .y = y, .ny = 5 };
    forms_add(&f, &s);
    for (uint32_t k = 0; k < 15; k++) dur[k] = 1;
    struct task_graph g = forms_graph(&f);
    struct graph *live = graph_create(&g, 15, &bad);
    cr_assert_not_null(live);
    cr_expect_eq(graph_longest(live, dur), 7);
    cr_expect_eq(forms_chain(&s), 7);
    graph_destroy(live);
}

Test(forms, s4_21_successors_wait_for_every_predecessor)
{
    struct task_range before[2] = { { .first = add(FORM_MAP, 3, 0), .n = 3 } };
    before[1] = (struct task_range){ .first = add(FORM_ONE, 0, 0), .n = 1 };
    uint32_t at = forms_add(&f, &(struct form_stage){ .form = FORM_CROSS, .x = x, .nx = 2, .y = y, .ny = 2, .after = before, .n_after = 2 });
    struct task_graph g = forms_graph(&f);
    for (uint32_t k = at; k < at + 4; k++) {
        cr_expect_eq(n_waits(&g, k), 4);
        for (uint32_t b = 0; b < 4; b++) cr_expect(waits(&g, k, b));
    }
}

/* Three tasks write 5 bytes each for each of the two of the next stage, which read them, and wait for no other. */
Test(forms, a_stage_reads_what_another_writes_for_it)
{
    struct task_range before = { .first = add(FORM_MAP, 3, 0), .n = 3, .part = 5 };
    struct form_stage s = { .form = FORM_MAP, .x = x, .nx = 2, .after = &before, .n_after = 1 };
    cr_expect(forms_size(&s).inputs == 2 + 2 * 3 && forms_size(&s).waits == 0);
    uint32_t at = forms_add(&f, &s);
    struct task_graph g = forms_graph(&f);
    for (uint32_t k = at; k < at + 2; k++) {
        cr_expect_eq(n_waits(&g, k), 0);
        cr_assert_eq(g.in_start[k + 1] - g.in_start[k], 4);
        for (uint32_t b = 0; b < 3; b++) {
            const struct task_input *in = &g.in[g.in_start[k] + 1 + b];
            cr_expect(in->block == NONE && in->task == b && in->part == 5);
        }
    }
}

Test(forms, a_task_that_reads_an_output_is_the_writers_successor)
{
    uint32_t bad;
    struct task_input out[3];
    add(FORM_MAP, 3, 0);
    for (uint32_t k = 0; k < 3; k++) out[k] = (struct task_input){ .block = NONE, .task = k };
    uint32_t at = forms_add(&f, &(struct form_stage){ .form = FORM_ONE, .x = out, .nx = 3 });
    struct task_graph g = forms_graph(&f);
    struct graph *live = graph_create(&g, f.n, &bad);
    cr_assert_not_null(live);
    cr_expect_eq(live->n_before[at], 3);
    graph_destroy(live);
}

/* forms_size must be what forms_add then makes, whatever the stages; and there is never a circle. */
Test(forms, sizes_are_foretold_and_no_circle_arises)
{
    struct rng r;
    rng_init(&r, 1, "forms", 0);
    for (uint32_t round = 0; round < 200; round++) {
        struct task_range range[8] = { 0 };
        uint32_t bad;
        forms_reset(&f);
        for (uint32_t k = 0; k < 8; k++) {
            struct form_stage s = { .form = (enum form)rng_below(&r, FORMS), .x = x, .nx = 1 + (uint32_t)rng_below(&r, 6),
                                    .y = y, .ny = 1 + (uint32_t)rng_below(&r, 6), .after = range, .n_after = (uint32_t)rng_below(&r, k + 1) };
            if (s.form < FORM_CROSS) s.ny = 0;
            struct forms_size z = forms_size(&s);
            uint32_t n = f.n, in = f.n_in, after = f.n_after;
            range[k].first = forms_add(&f, &s);
            range[k].n = f.n - n;
            cr_assert(z.tasks == f.n - n && z.inputs == f.n_in - in && z.waits == f.n_after - after);
        }
        struct task_graph g = forms_graph(&f);
        struct graph *live = graph_create(&g, f.n, &bad);
        cr_assert_not_null(live, "round %u", round);
        graph_destroy(live);
    }
}

Test(forms, sizes_beyond_any_limit_are_still_right)
{
    struct task_range big = { .n = 1 << 20 };
    struct forms_size z = forms_size(&(struct form_stage){ .form = FORM_WAVEFRONT, .nx = UINT32_MAX, .ny = UINT32_MAX, .after = &big, .n_after = 1 });
    cr_expect(z.tasks == INT64_MAX && z.inputs == INT64_MAX && z.waits == INT64_MAX);
    z = forms_size(&(struct form_stage){ .form = FORM_CROSS, .nx = 1 << 24, .ny = 1 << 24 });
    cr_expect(z.tasks == INT64_C(1) << 48 && z.inputs == INT64_C(1) << 49 && z.waits == 0);
}
