/* create: policy 'bad' broke its contract in create: it sets flags 0x1, and its table has only 0 */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    *flags |= POL_PREEMPTS;
    return create(host, value, flags, error, cap);
}
