/* thread.c -- a thread begins with the signals blocked that are blocked where it is made. */
#include "base/thread.h"

#include <signal.h>

bool thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx)
{
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool is_made = pthread_create(thread, NULL, run, ctx) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return is_made;
}
