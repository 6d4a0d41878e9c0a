/* run: policy 'bad' crashed in destroy: signal 11 */
static void my_destroy(void *self);
#define DESTROY my_destroy
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

/* The check before the run creates and destroys one that has decided nothing. */
static void my_destroy(void *self)
{
    struct mine *m = self;
    volatile int *nowhere = (volatile int *)(uintptr_t)(m->n_calls % 2);
    if (m->n_calls > 0) *nowhere = 1;
    destroy(self);
}
