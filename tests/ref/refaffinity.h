/*
 * refaffinity.h -- affinity and balance a second time, slowly, from their rules in
 * policies/README.md alone: the master, the nodes, the calls and the time that they
 * take, without lists, counts or bit sets.  Runs what a struct yard holds (faults
 * excepted) and writes the log that the product writes.
 */
#ifndef REF_REFAFFINITY_H
#define REF_REFAFFINITY_H

#include "ref/yard.h"

enum ref_cross { REF_LIMIT, REF_LEAST, REF_OFF };

struct ref_affinity {
    bool   is_balance;              /* the master knows nothing of engines */
    bool   target_best, call_best;  /* target=best, condition=best */
    double least, call_least;
    bool   by_load;                 /* balance=load */
    double load;
    enum ref_cross cross;
    sim_tick overhead;
    bool   worth, rebalance;
    uint32_t width, take;
};

/* Into log [cap].  False: it came to a stand with tasks left. */
bool ref_affinity_run(const struct yard *y, const struct ref_affinity *p, char *log, size_t cap);

#endif
