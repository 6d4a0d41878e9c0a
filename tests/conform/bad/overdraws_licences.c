/* conform: started a task whose licences are not free */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)v, (void)ev, (void)n_ev;
    for (int l = 0; l < POL_LICENCES_MAX; l++) m->kit.licence[l] = INT32_MAX;       /* as if there were enough of all */
    return false;
}
