/* Arrays whose pages lie in a file hold what was written, in any order of access; zero where nothing was. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/rng.h"
#include "base/scratch.h"

struct wide { uint64_t x, y[8]; };      /* 72 bytes: pages are not full */

/* Three times what is in memory. */
static const uint64_t MANY = 3 * (uint64_t)SCRATCH_FRAMES * (SCRATCH_PAGE / 128);

Test(scratch, what_outgrows_memory_is_as_it_was_written)
{
    struct scratch s;
    scratch_init(&s, sizeof(struct wide));
    for (uint64_t i = 0; i < MANY; i++) *(struct wide *)scratch_put(&s, i) = (struct wide){ .x = i, .y = { [7] = ~i } };
    cr_assert_not_null(s.file, "it did not outgrow memory");
    cr_assert_eq(s.n, MANY);
    for (uint64_t i = MANY; i-- > 0;) {
        const struct wide *w = scratch_get(&s, i);
        cr_assert(w->x == i && w->y[7] == ~i);
    }
    scratch_fini(&s);
}

Test(scratch, elements_anywhere_are_beside_a_plain_array)
{
    struct scratch s;
    struct rng r;
    uint64_t *plain;
    MEM_ARRAY(plain, MANY);
    rng_init(&r, 1, "scratch", 0);
    scratch_init(&s, sizeof(struct wide));
    (void)scratch_put(&s, MANY - 1);
    for (int k = 0; k < 20000; k++) {
        uint64_t i = rng_below(&r, MANY), old = ((const struct wide *)scratch_get(&s, i))->x;
        cr_assert_eq(old, plain[i]);
        if (k % 2 == 0) ((struct wide *)scratch_put(&s, i))->x = plain[i] = i + 1;
    }
    scratch_fini(&s);
    mem_free(plain);
}

/* Numbers of all lengths, in more pages than are in memory; twice, as is done once they are all there. */
Test(scratch, packed_numbers_are_as_they_were_written)
{
    const uint64_t n = 3 * (uint64_t)SCRATCH_FRAMES * SCRATCH_PAGE / 40;
    struct scratch s;
    struct rng r;
    uint64_t at, x[SCRATCH_NUMBERS];
    scratch_init(&s, 1);
    for (int turn = 0; turn < 3; turn++) {
        rng_init(&r, 1, "scratch", 0);
        at = 0;
        for (uint64_t i = 0; i < n; i++) {
            uint64_t want[SCRATCH_NUMBERS];
            for (int k = 0; k < SCRATCH_NUMBERS; k++) want[k] = UINT64_MAX >> rng_below(&r, 64) >> rng_below(&r, 2) * i % 64;
            if (turn == 0) { scratch_append(&s, want); continue; }
            scratch_take(&s, &at, x);
            cr_assert_arr_eq(x, want, sizeof x);
        }
        cr_assert(turn == 0 || at == s.n);
    }
    cr_assert_not_null(s.file, "it did not outgrow memory");
    scratch_fini(&s);
}

Test(scratch, without_room_for_the_file_the_program_ends, .exit_code = 3)
{
    struct scratch s;
    (void)setenv("TMPDIR", "/nowhere/at/all", 1);
    scratch_init(&s, sizeof(struct wide));
    for (uint64_t i = 0; i < MANY; i++) (void)scratch_put(&s, i);
}
