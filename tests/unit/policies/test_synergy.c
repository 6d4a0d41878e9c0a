/* Synergy's wishes, alloc=opt: beside the best of all choices of pairs that there are. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "ref/stage.h"
#include "synergy/state.h"

enum { UNITS = 3, CASES = 60, CORES = 8, GPUS = 4, CORE = 1000 };
static const int64_t GIB = INT64_C(1) << 30, MEM = INT64_C(80) << 30;

/* A unit goes at its best with so many cores and GiB, and in proportion to what it lacks of either. */
static struct { int64_t cores, mem; } need[UNITS];

static int64_t speed(void *ctx, pol_task t, uint32_t type, int64_t cpu_milli, int64_t mem_b)
{
    (void)ctx, (void)type;
    double of_cores = (double)cpu_milli / (double)(need[t.slot].cores * CORE);
    double of_mem = (double)mem_b / (double)need[t.slot].mem;
    return (int64_t)(fmin(1, fmin(of_cores, of_mem)) * 1e6);
}

static double rate(uint32_t i, int64_t cores, int64_t mem)
{
    const pol_task t = { i, 0 };
    return (double)speed(NULL, t, 0, cores * CORE, mem) / (double)speed(NULL, t, 0, 2 * CORE, MEM / GPUS);
}

/* The greatest sum of rates, no unit below its fair share, which is 2 cores and 20 GiB.  Memory: as wish.c has pairs. */
static double best_from(uint32_t i, int64_t cores, int64_t mem)
{
    const int64_t fair = MEM / GPUS;
    double best = -INFINITY;
    if (i == UNITS) return 0;
    const int64_t some[] = { fair / 3, fair, 2 * fair, 3 * fair, 4 * fair, need[i].mem };
    for (int64_t c = 1; c <= cores; c++)
        for (int m = 0; m < 6; m++)
            if (some[m] <= mem && rate(i, c, some[m]) >= 1)
                best = fmax(best, rate(i, c, some[m]) + best_from(i + 1, cores - c, mem - some[m]));
    return best;
}

Test(synergy, wishes_are_the_best_of_all_choices)
{
    const struct pol_profiles profiles = { .size = sizeof profiles, .speed = speed };
    const struct pol_host host = { .size = sizeof host };
    struct pol_card card[GPUS];
    const struct pol_shape shape = { .n_gpu = 1, .gpu_milli = 1000 };
    const struct pol_node node = { .cpu_total = CORES * CORE, .cpu_free = CORES * CORE, .mem_total = MEM, .mem_free = MEM,
                                   .n_gpu = GPUS, .is_up = 1 };
    const struct pol_view view = { .n_nodes = 1, .n_cards = GPUS, .n_shapes = 1, .node = &node, .card = card,
                                   .shape = &shape };
    struct book book = { .cpu_free = CORES * CORE, .cpu_total = CORES * CORE, .mem_free = MEM, .mem_total = MEM,
                         .gpu_free = GPUS };
    struct rng r;
    uint32_t better = 0;
    for (int k = 0; k < GPUS; k++) card[k] = (struct pol_card){ .milli_free = 1000 };
    rng_init(&r, 3, "synergy", 0);
    for (int c = 0; c < CASES; c++) {
        struct synergy_unit unit[UNITS];
        struct grant best[UNITS];
        uint32_t turn[UNITS] = { 0, 1, 2 };
        struct synergy s = { .host = &host, .profiles = &profiles, .alloc = ALLOC_OPT, .view = &view, .unit = unit,
                             .n_units = UNITS, .book = &book, .turn = turn, .lp = lp_create(LP_MIN) };
        double sum = 0;
        int64_t cpu = 0, mem = 0;
        for (uint32_t i = 0; i < UNITS; i++) {
            need[i].cores = 1 + (int64_t)rng_below(&r, 8);
            need[i].mem = (5 + (int64_t)rng_below(&r, 60)) * GIB;
            best[i] = (struct grant){ need[i].cores * CORE, need[i].mem };
            unit[i] = (struct synergy_unit){ .task = { i, 0 }, .gpus = 1, .task_gpus = 1, .n_tasks = 1,
                                             .best = &best[i] };
        }
        synergy_wish(&s, UNITS);
        for (uint32_t i = 0; i < UNITS; i++) {
            double got = rate(i, unit[i].wish.cpu_milli / CORE, unit[i].wish.mem_b);
            cr_assert_geq(got, 1);
            cpu += unit[i].wish.cpu_milli;
            mem += unit[i].wish.mem_b;
            sum += got;
        }
        cr_assert(cpu <= CORES * CORE && mem <= MEM);
        cr_assert_float_eq(sum, best_from(0, CORES, MEM), 1e-6, "case %d: %g", c, sum);
        better += sum > UNITS + 0.1;
        lp_destroy(s.lp);
        free(s.column);
    }
    cr_assert_gt(better, CASES / 4);
}

/*
 * Two nodes.  A unit of six GPUs is wider than either, and has its fair share of 12 of their 16 cores; what is left for
 * one that would have 8 is 4, not all that it can use.
 */
Test(synergy, who_is_wider_than_a_node_takes_its_part_of_what_there_is)
{
    const struct pol_profiles profiles = { .size = sizeof profiles, .speed = speed };
    const struct pol_host host = { .size = sizeof host };
    struct pol_card card[2 * GPUS];
    struct pol_node node[2];
    struct book book[2];
    const struct pol_shape shape = { .n_gpu = 1, .gpu_milli = 1000 };
    for (uint32_t k = 0; k < 2 * GPUS; k++) card[k] = (struct pol_card){ .milli_free = 1000 };
    for (uint32_t k = 0; k < 2; k++) {
        node[k] = (struct pol_node){ .cpu_total = CORES * CORE, .cpu_free = CORES * CORE, .mem_total = MEM, .mem_free = MEM,
                                     .n_gpu = GPUS, .card0 = k * GPUS, .is_up = 1 };
        book[k] = (struct book){ .cpu_free = CORES * CORE, .cpu_total = CORES * CORE, .mem_free = MEM, .mem_total = MEM,
                                 .gpu_free = GPUS };
    }
    const struct pol_view view = { .n_nodes = 2, .n_cards = 2 * GPUS, .n_shapes = 1, .node = node, .card = card,
                                   .shape = &shape };
    struct grant best[] = { { 12 * CORE, 6 * MEM / GPUS }, { 8 * CORE, MEM / GPUS } };
    struct synergy_unit unit[] = {
        { .task = { 0, 0 }, .gpus = 6, .task_gpus = 1, .n_tasks = 6, .best = &best[0] },
        { .task = { 1, 0 }, .gpus = 1, .task_gpus = 1, .n_tasks = 1, .best = &best[1] },
    };
    uint32_t turn[] = { 0, 1 };
    struct synergy s = { .host = &host, .profiles = &profiles, .alloc = ALLOC_OPT, .view = &view, .unit = unit,
                         .n_units = 2, .book = book, .turn = turn, .lp = lp_create(LP_MIN) };
    for (int i = 0; i < 2; i++) {
        need[i].cores = best[i].cpu_milli / CORE;
        need[i].mem = best[i].mem_b;
    }
    synergy_wish(&s, 2);
    cr_assert_eq(unit[0].wish.cpu_milli, 12 * CORE);
    cr_assert_eq(unit[1].wish.cpu_milli, 4 * CORE, "%d", (int)unit[1].wish.cpu_milli);
    /* Where 6 are the most that it can use, it has no more, and the other one its 8. */
    best[0].cpu_milli = 6 * CORE;
    need[0].cores = 6;
    synergy_wish(&s, 2);
    cr_assert_eq(unit[0].wish.cpu_milli, 6 * CORE, "%d", (int)unit[0].wish.cpu_milli);
    cr_assert_eq(unit[1].wish.cpu_milli, 8 * CORE, "%d", (int)unit[1].wish.cpu_milli);
    lp_destroy(s.lp);
    free(s.column);
}

/* A gang of tasks that ask for one GPU and for two. */
Test(synergy, tasks_of_a_gang_that_ask_for_different_things_are_refused)
{
    static struct stage stage;
    stage_init(&stage);
    stage.policy = "synergy:alloc=proportional";
    stage_node(&stage, 8000, 4, "V100", 1);
    stage_job(&stage, 0, 10, 1000, 1)->gang = true;
    stage_group(&stage, 1, 10, 1000, 2);
    stage_run(&stage);
    cr_assert_eq(stage.result, ST_EPOLICY);
    cr_assert_not_null(strstr(stage.diag.msg, "has tasks that ask for different things"), "%s", stage.diag.msg);
    stage_fini(&stage);
}
