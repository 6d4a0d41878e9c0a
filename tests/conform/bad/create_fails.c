/* create: policy 'bad' failed in create: no licence */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    host->fail(host->ctx, "no licence");
    return create(host, value, flags, error, cap);
}
