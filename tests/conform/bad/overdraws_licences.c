/* conform: started a task whose licences are not free */
#define CREATE create_knowing
#include "bad.h"
#include "extensions.h"

/* It says that it knows licences, and looks at none. */
static void *create_knowing(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)host->extension(host->ctx, POL_LICENCES);
    return create(host, value, flags, error, cap);
}
