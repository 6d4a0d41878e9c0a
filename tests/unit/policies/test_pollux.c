/* What pollux is made of: the fit of its model, and its search. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "lib/elastic/goodput.h"
#include "pollux/genetic.h"

static const struct pol_batches batches = { .first = 100, .max = 1600, .min_local = 10, .max_local = 200 };

/* Of 0.05 + 0.001 m for a gradient, and 0.02 within and 0.1 + 0.01 (K - 2) between nodes, one after the other. */
static void see(struct goodput *g, uint32_t nodes, uint32_t gpus, double local)
{
    double grad = 0.05 + 0.001 * local, sync = nodes > 1 ? 0.1 + 0.01 * (gpus - 2) : gpus > 1 ? 0.02 : 0;
    cr_assert(goodput_see(g, nodes, gpus, &(struct pol_step){ .batch = local * gpus, .local = local, .grad_s = grad, .step_s = grad + sync }));
}

Test(pollux, the_fit_finds_what_was_measured)
{
    struct goodput g = { 0 };
    for (uint32_t k = 1; k <= 4; k++) see(&g, 1, k, 50 * k);
    for (uint32_t k = 2; k <= 8; k++) see(&g, 2, k, 20 * k);
    goodput_fit(&g);
    /* 12 GPUs of several nodes, 30 examples each: 360 in 0.28 s, at efficiency (900 + 100) / (900 + 360). */
    const struct pol_batches one = { .first = 100, .max = 1600, .fixed = 360, .min_local = 10, .max_local = 200 };
    double found = goodput_at(&g, &one, 900, 3, 12), is = 360 / 0.28 * 1000 / 1260;
    cr_assert_lt(fabs(found / is - 1), 0.03, "%g is not near %g", found, is);
    cr_assert_not(goodput_see(&g, 1, 1, &(struct pol_step){ .batch = 50, .local = 50, .grad_s = 9, .step_s = 9 }), "seen before");
    goodput_fini(&g);
}

Test(pollux, what_was_not_seen_costs_next_to_nothing)
{
    struct goodput g = { 0 };
    see(&g, 1, 1, 50);
    goodput_fit(&g);
    cr_assert_float_eq(g.at[GOODPUT_ALPHA_C], 0.05, 1e-6, "half of 0.1");
    double one = goodput_at(&g, &batches, 1e9, 1, 1), many = goodput_at(&g, &batches, 1e9, 2, 8);
    cr_assert_lt(fabs(many / one - 8), 0.1);
    cr_assert_eq(goodput_at(&g, &batches, 100, 40, 161), 0, "161 GPUs with 10 examples each are more than 1600");
    see(&g, 1, 2, 50);
    goodput_fit(&g);
    cr_assert_geq(g.at[GOODPUT_ALPHA_N], 1.1 * g.at[GOODPUT_ALPHA_R] * (1 - 1e-12), "between nodes at least as much");
    goodput_fini(&g);
}

enum { JOBS = 3, NODES = 2 };

static double speedup(void *ctx, uint32_t job, uint32_t nodes, uint32_t tasks)
{
    (void)ctx;
    return pow(tasks, 0.4 + 0.25 * job) / (nodes > 1 ? 1.2 : 1);
}

/* The greatest value of the first objective over all allocations of 3 jobs on 2 nodes of 4. */
static double best_of_all(void)
{
    double best = 0;
    for (uint32_t k = 0; k < 15625; k++) {
        uint32_t x[JOBS][NODES], left[NODES] = { 4, 4 }, v = k, ok = 1, spread = 0;
        double sum = 0;
        for (uint32_t j = 0; j < JOBS; j++) {
            for (uint32_t n = 0; n < NODES; n++, v /= 5) {
                x[j][n] = v % 5;
                ok &= x[j][n] <= left[n];
                left[n] -= x[j][n];
            }
            uint32_t tasks = x[j][0] + x[j][1], nodes = (uint32_t)(x[j][0] > 0) + (x[j][1] > 0);
            spread += nodes > 1;
            sum += 1 / ((tasks > 0 ? speedup(NULL, j, nodes, tasks) / 4 : 0) + 1e-3);
        }
        if (ok && spread < 2) best = fmax(best, JOBS / sum);
    }
    return best;
}

Test(pollux, the_search_finds_the_best_and_the_same_again)
{
    const uint32_t min[] = { 1, 1, 1 }, max[] = { 8, 8, 8 };
    const int64_t gpus[] = { 1, 1, 1 }, none[] = { 0, 0, 0 }, cap[] = { 4, 4 }, idle[] = { 0, 0 };
    const uint8_t base[JOBS * NODES] = { 0 }, room[] = { 4, 4, 4, 4, 4, 4 };
    const double factor[] = { 1, 1, 1 };
    uint8_t first[JOBS * NODES];
    for (int again = 0; again < 2; again++) {
        struct genetic s = { .n_jobs = JOBS, .n_nodes = NODES, .population = 50, .generations = 40, .max_nodes = 16,
                             .min = min, .max = max, .need = { gpus, none, none }, .cap = { cap, idle, idle },
                             .room = room, .base = base, .factor = factor, .speedup = speedup, .draws = 7 };
        genetic_run(&s);
        const uint8_t *x = s.front + s.best * JOBS * NODES;
        double sum = 0;
        uint32_t used[NODES] = { 0 };
        for (uint32_t j = 0; j < JOBS; j++) {
            uint32_t a = x[j * NODES], b = x[j * NODES + 1];
            sum += 1 / ((a + b > 0 ? speedup(NULL, j, (uint32_t)(a > 0) + (b > 0), a + b) / 4 : 0) + 1e-3);
            used[0] += a;
            used[1] += b;
        }
        cr_assert(used[0] <= 4 && used[1] <= 4);
        cr_assert_float_eq(JOBS / sum, best_of_all(), 1e-9);
        if (again == 0) memcpy(first, x, sizeof first);
        cr_assert_arr_eq(x, first, sizeof first);
        free(s.front);
    }
}

/* A present allocation stays where a restart would leave little. */
Test(pollux, a_restart_that_costs_more_than_it_brings_is_left_out)
{
    const uint32_t min[] = { 1 }, max[] = { 8 };
    const int64_t gpus[] = { 1 }, none[] = { 0 }, cap[] = { 4, 4 }, idle[] = { 0, 0 };
    const uint8_t base[] = { 2, 0 }, room[] = { 4, 4 };
    double factor[] = { 0.5 };
    for (int k = 0; k < 2; k++) {
        struct genetic s = { .n_jobs = 1, .n_nodes = NODES, .population = 20, .generations = 20, .max_nodes = 16,
                             .min = min, .max = max, .need = { gpus, none, none }, .cap = { cap, idle, idle },
                             .room = room, .base = base, .factor = factor, .speedup = speedup, .draws = 7 };
        genetic_run(&s);
        const uint8_t *x = s.front + s.best * NODES;
        cr_assert_eq(x[0] + x[1], k == 0 ? 2 : 8, "speedup 8^0.4 / 1.2 / 2 is less than 2^0.4");
        free(s.front);
        factor[0] = 1;
    }
}

/* Both nodes have a core less than nothing free: who needs cores has no task, and who needs none is not divided by. */
Test(pollux, the_search_bears_nodes_that_owe_cores)
{
    const uint32_t min[] = { 1, 1 }, max[] = { 4, 4 };
    const int64_t gpus[] = { 1, 1 }, cpu[] = { 1, 0 }, none[] = { 0, 0 }, cap[] = { 4, 4 }, owed[] = { -1, -1 };
    const uint8_t base[] = { 0, 0, 0, 0 }, room[] = { 4, 4, 4, 4 };
    const double factor[] = { 1, 1 };
    struct genetic s = { .n_jobs = 2, .n_nodes = NODES, .population = 20, .generations = 20, .max_nodes = 16,
                         .min = min, .max = max, .need = { gpus, cpu, none }, .cap = { cap, owed, cap },
                         .room = room, .base = base, .factor = factor, .speedup = speedup, .draws = 7 };
    genetic_run(&s);
    const uint8_t *x = s.front + s.best * 2 * NODES;
    cr_assert_eq(x[0] + x[1], 0);
    cr_assert_eq(x[2] + x[3], 4);
    free(s.front);
}

/* Three cores a node, of which tasks of the first two jobs need one each, and no room for the third on node 1. */
Test(pollux, the_search_keeps_to_cores_and_room)
{
    const uint32_t min[] = { 1, 1, 1 }, max[] = { 8, 8, 8 };
    const int64_t gpus[] = { 1, 1, 1 }, cpu[] = { 1, 1, 0 }, none[] = { 0, 0, 0 };
    const int64_t cap[] = { 4, 4 }, cores[] = { 3, 3 }, idle[] = { 0, 0 };
    const uint8_t base[JOBS * NODES] = { 0 }, room[] = { 3, 3, 3, 3, 4, 0 };
    const double factor[] = { 1, 1, 1 };
    struct genetic s = { .n_jobs = JOBS, .n_nodes = NODES, .population = 50, .generations = 40, .max_nodes = 16,
                         .min = min, .max = max, .need = { gpus, cpu, none }, .cap = { cap, cores, idle }, .room = room,
                         .base = base, .factor = factor, .speedup = speedup, .draws = 7 };
    genetic_run(&s);
    for (size_t f = 0; f < s.n_front; f++) {
        const uint8_t *x = s.front + f * JOBS * NODES;
        for (int k = 0; k < NODES; k++) {
            cr_assert_leq(x[k] + x[NODES + k], 3);
            cr_assert_leq(x[k] + x[NODES + k] + x[2 * NODES + k], 4);
        }
        cr_assert_eq(x[2 * NODES + 1], 0);
    }
    const uint8_t *x = s.front + s.best * JOBS * NODES;
    cr_assert(x[0] + x[1] > 0 && x[2] + x[3] > 0 && x[4] > 0, "each job has some");
    free(s.front);
}
