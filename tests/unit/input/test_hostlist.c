/* Unit tests of sim/input/cluster/hostlist. */
#include <criterion/criterion.h>
#include <string.h>
#include "input/cluster/hostlist.h"

static void hosts(const char *text, const char *want)
{
    struct hostlist h;
    char got[512] = "";
    cr_assert_null(hostlist_parse(&h, text), "%s", text);
    for (size_t i = 0; i < h.n; i++) { strcat(got, i > 0 ? " " : ""); strcat(got, h.name[i]); }
    cr_expect_str_eq(got, want);
    hostlist_fini(&h);
}

Test(hostlist, ranges_keep_leading_zeroes_and_groups_multiply)
{
    hosts("n1", "n1");
    hosts("n[001-003,100]", "n001 n002 n003 n100");
    hosts("a,b[9-11],c-x", "a b9 b10 b11 c-x");
    hosts("r[1-2]n[01-02]", "r1n01 r1n02 r2n01 r2n02");
    hosts("g[1-2].cluster", "g1.cluster g2.cluster");
    hosts("/dev/nvidia[0-1]", "/dev/nvidia0 /dev/nvidia1");
}

Test(hostlist, bad_lists_are_refused)
{
    static const char *const bad[] = {
        "", "a,,b", "n[1-3", "n1-3]", "n[]", "n[a-b]", "n[3-1]", "n[1-]", "n[1;2]", "n[0000000001]", "n[0-999999999]",
        "n[1-1000][1-1000]", "n[1][1][1][1][1]", "n[1,]", "a,",
    };
    struct hostlist h;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        cr_expect_not_null(hostlist_parse(&h, bad[i]), "%s", bad[i]);
        cr_expect_null(h.name);
    }
}
