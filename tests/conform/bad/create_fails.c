/* create: policy 'bad' failed in create: no licence */
#include "policy.h"
static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *why, size_t cap);
#define CREATE my_create
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *why, size_t cap)
{
    host->fail(host->ctx, "no licence");
    return create(host, value, flags, why, cap);
}
