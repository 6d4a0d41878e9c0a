/* A thread that writes: in order, not too far behind, and not at all after a failure. */
#include <criterion/criterion.h>
#include <string.h>
#include "db/writer.h"

enum { N = 100000, FAILS_AT = 777 };

static uint32_t filled[WRITER_PLACES];
static uint32_t n_given, n_done, fails_at, n_wrong;

/* Places hold the numbers of what was given. */
static enum st work(void *ctx, size_t place, struct diag *d)
{
    n_wrong += ctx != filled || filled[place] != n_done;
    if (n_done == fails_at) return diag_set(d, ST_EWORLD, "the disk is full");
    n_done++;
    return ST_OK;
}

static bool give(struct writer *w)
{
    size_t place;
    if (!writer_place(w, &place)) return false;
    filled[place] = n_given++;
    writer_go(w);
    return true;
}

Test(writer, does_everything_in_order)
{
    struct diag d = { 0 };
    fails_at = UINT32_MAX;
    for (int round = 0; round < 3; round++) {
        n_given = n_done = 0;
        struct writer *w = writer_start(work, filled);
        cr_assert_not_null(w);
        for (uint32_t i = 0; i < (round == 0 ? 0 : round == 1 ? 5 : N); i++) cr_assert(give(w));
        cr_assert_eq(writer_stop(w, &d), ST_OK);
        cr_expect_eq(n_done, n_given);
    }
    cr_expect_eq(n_wrong, 0);
}

Test(writer, stops_at_a_failure_and_says_it_once)
{
    struct diag d = { 0 };
    fails_at = FAILS_AT;
    struct writer *w = writer_start(work, filled);
    cr_assert_not_null(w);
    while (give(w)) cr_assert_leq(n_given, FAILS_AT + 1 + WRITER_PLACES);
    cr_expect_eq(writer_stop(w, &d), ST_EWORLD);
    cr_expect_str_eq(d.msg, "the disk is full");
    cr_expect_eq(n_done, FAILS_AT);
    cr_expect_eq(n_wrong, 0);
}
