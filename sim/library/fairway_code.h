/*
 * fairway_code.h -- a policy in another language of this process (fairway.h), as the files about it share it.
 * Layer: library.
 */
#ifndef LIBRARY_FAIRWAY_CODE_H
#define LIBRARY_FAIRWAY_CODE_H

#include "host/exec/dialog.h"
#include "library/fairway_priv.h"

struct fairway_code {
    struct fairway_code_ops ops;
    void *self; /* the instance, as its maker calls it */
    struct dialog r;
    const struct pol_view *view; /* NULL outside of a round */
    int64_t *words;
    size_t n_words, cap_words;
    size_t ended; /* where the event before is, if it is that a task ended; else 0 */
    char *names;
    size_t n_names, cap_names;
    int64_t *out; /* where it writes decisions */
    size_t cap_out;
    int64_t *said; /* the decisions of this round */
    size_t n_said, cap_said;
    struct planned_place *place;
    size_t cap_place;
    struct pol_place *gang;
    size_t cap_gang;
    struct pol_event *rare;
    size_t n_rare, cap_rare; /* events that are told as text */
    char **reason;
    size_t n_reasons, cap_reasons;
    int64_t most[3];             /* cores, memory and cards' thousandths of the largest nodes */
    bool moved;                  /* what the block tells has come to lie elsewhere */
    char error[REPLY_ERROR_MAX]; /* "": nothing failed */
};

/* The round in words, and as text in c->r.out what words do not say; c->r.out.n 0: nothing. */
void fairway_code_tell(struct fairway_code *c, const struct pol_view *v, const struct pol_event *ev, size_t n_ev);
/* What was said in this round; c->error filled: some of it names what there is not. */
void fairway_code_carry_out(struct fairway_code *c);

#endif
