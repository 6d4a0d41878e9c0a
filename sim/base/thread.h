/*
 * thread.h -- a thread beside the one that goes on.  Layer: base.
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* run(ctx) in a thread that takes no signals: they are the others'.  false: none can be made. */
bool thread_start(pthread_t *thread, void *(*run)(void *ctx), void *ctx);

#endif
