/* create: policy 'bad' broke its contract in create: it decides outside of decide */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    host->wake(host->ctx, 1000);
    return create(host, value, flags, error, cap);
}
