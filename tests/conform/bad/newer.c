/* load: its table uses what a newer minor of the policy ABI added */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

/* What a host of some later minor would ask for, under the name that the present one looks for. */
extern const struct newer { struct pol_ops ops; void (*hint)(void); } newer_table __asm__("fairway_policy");
static void hint(void) { }
const struct newer newer_table = {
    .ops = { .abi_major = POL_ABI_MAJOR, .size = sizeof(struct newer), .name = "bad", .source = "a test", .summary = "of another age",
             .create = create, .decide = decide, .destroy = destroy },
    .hint = hint,
};
