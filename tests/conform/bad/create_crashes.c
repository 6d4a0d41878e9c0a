/* create: policy 'bad' crashed in create: signal 11 */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    volatile int *nowhere = (volatile int *)(uintptr_t)cap;
    *nowhere = 1;
    return create(host, value, flags, error, cap);
}
