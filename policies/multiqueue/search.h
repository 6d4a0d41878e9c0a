/*
 * search.h -- how many CPU cores a training job needs, found by trying.
 * README.md, multiqueue.  Source: CODA's patent, steps S300 (S0-2 to S0-10).
 *
 * A probe is one run of a set time at one core count, at whose end the GPU utilisation is
 * read.  First one core fewer at a time is tried while that is accepted; if the first such
 * step was not, one more at a time while utilisation rises.  Cost: O(1) a step.
 */
#ifndef MQ_SEARCH_H
#define MQ_SEARCH_H

#include "policy.h"

/* One core fewer is accepted if utilisation is not lower (slim), or only if it is higher (literal). */
enum search_rule { SEARCH_SLIM, SEARCH_LITERAL };
enum search_phase { SEARCH_OFF, SEARCH_FIRST, SEARCH_DOWN, SEARCH_UP, SEARCH_DONE };

struct search {
    uint8_t  phase;             /* enum search_phase */
    bool     went_down;
    uint32_t cores;             /* being probed; when done, the answer */
    uint32_t best;
    uint32_t probes;            /* finished */
    int64_t  util;              /* at best, millionths */
};

/* Where to begin: `history` moved by one for each hint; at least 1. */
uint32_t search_start(uint32_t history, uint32_t hints);
void search_begin(struct search *s, uint32_t cores);
/*
 * The probe at s->cores saw `util`.  A difference of at most `tolerance` is
 * none.  False: the search is over and s->cores is its answer; else s->cores is
 * the next count to probe.
 */
bool search_step(struct search *s, enum search_rule rule, int64_t util, int64_t tolerance);
/* s->cores cannot be had: the best count so far is the answer. */
void search_stop(struct search *s);

/* What was found before: by category of model, and by layout. */
struct search_past { uint32_t category, n_gpu, n_tasks, cores; int64_t util; };     /* util: there, millionths */
struct search_history { struct search_past *at; size_t n, cap; };
void     search_history_fini(struct search_history *h);
/* NULL: nothing known. */
const struct search_past *search_known(const struct search_history *h, uint32_t category, uint32_t n_gpu, uint32_t n_tasks);
void     search_learn(struct search_history *h, struct search_past past);

#endif
