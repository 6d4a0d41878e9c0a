/* Text that is written as to a file is whole, or the program ends and says so; arrays that grow. */
#include <criterion/criterion.h>
#include <string.h>
#include "base/mem.h"

Test(mem, text_that_is_written_is_whole)
{
    struct mem_text t;
    mem_text_open(&t);
    for (int i = 0; i < 10000; i++) (void)fprintf(t.to, "%d,", i % 10);
    char *text = mem_text_close(&t);
    cr_assert_eq(strlen(text), 20000);
    cr_assert_eq(text[19998], '9');
    mem_free(text);
}

Test(mem, no_text_is_an_empty_one)
{
    struct mem_text t;
    mem_text_open(&t);
    char *text = mem_text_close(&t);
    cr_assert_str_empty(text);
    mem_free(text);
}

Test(mem, text_that_cannot_be_written_ends_the_program, .exit_code = 3)
{
    struct mem_text t;
    mem_text_open(&t);
    (void)fclose(t.to);
    t.to = fopen("/dev/full", "w");
    (void)fputs("lost", t.to);
    (void)mem_text_close(&t);
}

Test(mem, arrays_grow_and_keep_what_they_hold)
{
    int *zeroed = NULL, *plain = NULL;
    size_t cap = 0, cap_plain = 0;
    for (int i = 0; i < 5000; i++) {
        MEM_RESERVE(zeroed, cap, (size_t)i + 1);
        cr_assert_eq(zeroed[cap - 1], 0);
        MEM_ROOM(plain, cap_plain, (size_t)i + 1);
        zeroed[i] = plain[i] = i + 1;
        cr_assert(cap > (size_t)i && cap == cap_plain);
    }
    for (int i = 0; i < 5000; i++) cr_assert(zeroed[i] == i + 1 && plain[i] == i + 1);
    MEM_FREE(zeroed, plain);
}
