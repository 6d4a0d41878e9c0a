/* conform: gave up */
#include <stdlib.h>
#include "extensions.h"

static const struct pol_host *asked;

/* It may say so of jobs without a profile, but in one case each has one. */
static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)self, (void)v, (void)ev, (void)n_ev;
    asked->fail(asked->ctx, "this job has no profile");
}
static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)value, (void)flags, (void)error, (void)cap;
    (void)host->extension(host->ctx, POL_PROFILES);
    asked = host;
    return malloc(1);
}
const struct pol_ops fairway_policy = { POL_HEADER, .name = "bad", .source = "a test", .summary = "takes no job",
                                        .create = create, .decide = decide, .destroy = free };
