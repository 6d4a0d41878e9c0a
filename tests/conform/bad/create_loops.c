/* create: policy 'bad' did not return within 300 ms, in create */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    for (volatile int i = 0; i < 2; i = 0) { }
    return create(host, value, flags, error, cap);
}
