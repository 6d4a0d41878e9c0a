/* load: policy 'bad' cannot be created: there is no moon */
#define CREATE my_create
#include "bad.h"

static void *my_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)host, (void)value, (void)flags;
    (void)snprintf(error, cap, "there is no moon");
    return NULL;
}
