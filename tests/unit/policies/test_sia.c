/* Sia's integer program against all choices there are. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "lib/lp/program.h"

static const int64_t GIB = INT64_C(1) << 30;
enum { JOBS = 5, TYPES = 2, SIZES = 3, COLUMNS = JOBS * TYPES * SIZES };

static uint64_t state;
static uint32_t below(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % n;
}

/* The least over all choices of a column, or none, for each job from `job` on. */
static double least(const struct program_column *c, size_t job, const int64_t (*left)[PROGRAM_NEEDS], double unused)
{
    if (job == JOBS) return 0;
    double best = least(c, job + 1, left, unused);
    for (size_t i = job * TYPES * SIZES; i < (job + 1) * TYPES * SIZES; i++) {
        int64_t rest[TYPES][PROGRAM_NEEDS];
        bool fits = true;
        memcpy(rest, left, sizeof rest);
        for (int d = 0; d < PROGRAM_NEEDS; d++) fits &= (rest[c[i].type][d] -= c[i].need[d]) >= 0;
        const int64_t (*to)[PROGRAM_NEEDS] = (const int64_t (*)[PROGRAM_NEEDS])rest;
        if (fits) best = fmin(best, c[i].cost - unused + least(c, job + 1, to, unused));
    }
    return best;
}

Test(sia, the_program_finds_the_least_of_all_choices)
{
    struct lp *lp = lp_create(LP_MIN);
    const struct lp_options o = { 0 };
    for (state = 1; state < 60; state++) {
        struct program_column c[COLUMNS];
        uint64_t seed = state;
        for (size_t i = 0; i < COLUMNS; i++) {      /* every second job needs cores, every third memory */
            const int64_t tasks = INT64_C(1) << i % SIZES;
            const size_t job = i / (TYPES * SIZES);
            c[i] = (struct program_column){ .job = job, .type = (uint32_t)(i / SIZES % TYPES),
                                            .cost = (1 + below(120)) / 100.0,
                                            .need = { tasks, job % 2 == 1 ? 4000 * tasks : 0,
                                                      job % 3 == 1 ? GIB * tasks : 0 } };
        }
        const int64_t capacity[TYPES][PROGRAM_NEEDS] = { { 1 + below(6), 4000 * below(5), GIB * below(4) },
                                                         { below(8), 4000 * below(5), GIB * below(4) } };
        cr_assert(program_solve(lp, &o, c, COLUMNS, capacity, TYPES, 1.1));
        double sum = 0;
        int64_t left[TYPES][PROGRAM_NEEDS], of_job[JOBS] = { 0 };
        memcpy(left, capacity, sizeof left);
        for (size_t i = 0; i < COLUMNS; i++) {
            if (!c[i].is_chosen) continue;
            sum += c[i].cost - 1.1;
            for (int d = 0; d < PROGRAM_NEEDS; d++) left[c[i].type][d] -= c[i].need[d];
            of_job[c[i].job]++;
        }
        for (size_t k = 0; k < JOBS; k++) cr_assert_leq(of_job[k], 1);
        for (int d = 0; d < PROGRAM_NEEDS; d++) cr_assert(left[0][d] >= 0 && left[1][d] >= 0);
        cr_assert_float_eq(sum, least(c, 0, capacity, 1.1), 1e-9, "seed %d", (int)seed);
        state = seed;
    }
    lp_destroy(lp);
}
