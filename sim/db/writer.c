/*
 * writer.c -- the thread of writer.h: a ring of places under one lock.
 *
 * n_filled and n_done only grow, so place i is free where n_filled - n_done < WRITER_PLACES.
 */
#include "db/writer.h"

#include <pthread.h>

#include "base/mem.h"
#include "base/thread.h"

struct writer {
    enum st (*work)(void *ctx, size_t place, struct diag *d);
    void    *ctx;
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  changed;    /* of what follows; one side waits at a time */
    size_t   n_filled, n_done;
    bool     is_over;           /* no more is filled */
    bool     has_failed;
    struct diag failed;         /* the thread's, until it is joined */
};

static void *run(void *ctx)
{
    struct writer *w = ctx;
    (void)pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->n_done == w->n_filled && !w->is_over) (void)pthread_cond_wait(&w->changed, &w->lock);
        if (w->n_done == w->n_filled) break;
        bool has_failed = w->has_failed;
        (void)pthread_mutex_unlock(&w->lock);
        if (!has_failed) has_failed = w->work(w->ctx, w->n_done % WRITER_PLACES, &w->failed) != ST_OK;
        (void)pthread_mutex_lock(&w->lock);
        w->has_failed = has_failed;
        w->n_done++;
        if (w->n_filled - w->n_done <= WRITER_PLACES / 2) (void)pthread_cond_signal(&w->changed);     /* an owner sleeps for some places */
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

struct writer *writer_start(enum st (*work)(void *ctx, size_t place, struct diag *d), void *ctx)
{
    struct writer *w;
    MEM_NEW(w);
    w->work = work;
    w->ctx = ctx;
    (void)pthread_mutex_init(&w->lock, NULL);
    (void)pthread_cond_init(&w->changed, NULL);
    if (thread_start(&w->thread, run, w)) return w;
    mem_free(w);
    return NULL;
}

bool writer_place(struct writer *w, size_t *place)
{
    (void)pthread_mutex_lock(&w->lock);
    while (w->n_filled - w->n_done == WRITER_PLACES) (void)pthread_cond_wait(&w->changed, &w->lock);
    const bool goes_on = !w->has_failed;
    (void)pthread_mutex_unlock(&w->lock);
    *place = w->n_filled % WRITER_PLACES;
    return goes_on;
}

void writer_go(struct writer *w)
{
    (void)pthread_mutex_lock(&w->lock);
    w->n_filled++;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

enum st writer_stop(struct writer *w, struct diag *d)
{
    (void)pthread_mutex_lock(&w->lock);
    w->is_over = true;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    const enum st st = w->has_failed ? w->failed.code : ST_OK;
    if (st != ST_OK && d->code == ST_OK) *d = w->failed;
    (void)pthread_cond_destroy(&w->changed);
    (void)pthread_mutex_destroy(&w->lock);
    mem_free(w);
    return st;
}
