/* An id that was used before is found, and its lines, whether hashes are in memory or in parts of a file. */
#include <criterion/criterion.h>
#include "input/trace/ids.h"

static uint64_t hash(uint64_t i) { return i * UINT64_C(0x9e3779b97f4a7c15); }

/* Ids 1 to n on lines of their number; then line n + 1 with id `again`.  Few enough in memory for a file. */
static void add(struct ids *s, uint32_t n, uint32_t again, uint32_t *line, uint32_t *before)
{
    struct diag d = { .code = ST_OK };
    for (uint32_t i = 1; i <= n; i++) {
        cr_assert_eq(ids_add(s, hash(i), i, before, &d), ST_OK);
        cr_assert_eq(*before, 0);
    }
    *line = n + 1;
    cr_assert_eq(ids_add(s, hash(again), n + 1, before, &d), ST_OK);
    if (*before == 0) cr_assert_eq(ids_finish(s, line, before, &d), ST_OK);
}

Test(ids, one_in_memory_is_found_at_once)
{
    struct ids s = { .at = NULL };
    uint32_t line, before;
    add(&s, 1000, 17, &line, &before);
    cr_assert(line == 1001 && before == 17);
    ids_fini(&s);
}

/* Up to some eight blocks a part. */
Test(ids, one_in_a_file_is_found_at_the_end)
{
    for (uint32_t n = 100; n < 3000000; n = n * 3 + 1) {
        struct ids s = { .most = 100 };
        uint32_t line, before;
        add(&s, n, 17, &line, &before);
        cr_assert(line == n + 1 && before == 17, "of %u: %u, %u", n, line, before);
        ids_fini(&s);
    }
}

Test(ids, the_first_line_of_several_is_told)
{
    struct ids s = { .most = 64 };
    struct diag d = { .code = ST_OK };
    uint32_t line, before;
    for (uint32_t i = 0; i < 5000; i++) cr_assert_eq(ids_add(&s, hash(i % 1500), i + 1, &before, &d), ST_OK);
    cr_assert_eq(ids_finish(&s, &line, &before, &d), ST_OK);
    cr_assert(line == 1501 && before == 1);
    ids_fini(&s);
}

/* Lines in blocks of the file, and in those that are not full; each of the ids that are used again comes three times. */
Test(ids, the_first_line_is_told_wherever_it_is)
{
    for (uint32_t first = 1000000; first < 2000000; first += 333331) {
        struct ids s = { .most = 100 };
        struct diag d = { .code = ST_OK };
        uint32_t line, before;
        for (uint32_t i = 1; i < 2000000; i++)
            cr_assert_eq(ids_add(&s, hash(i < first ? i : 7 + (i - first) / 2), i, &before, &d), ST_OK);
        cr_assert_eq(ids_finish(&s, &line, &before, &d), ST_OK);
        cr_assert(line == first && before == 7, "of %u: %u, %u", first, line, before);
        ids_fini(&s);
    }
}

Test(ids, different_ones_are_not_found)
{
    struct ids s = { .most = 128 };
    uint32_t line, before;
    add(&s, 128 * 40 - 1, 128 * 40, &line, &before);
    cr_assert(line == 0 && before == 0);
    ids_fini(&s);
}
