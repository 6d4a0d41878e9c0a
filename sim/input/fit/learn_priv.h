/* learn_priv.h -- what learn.c and learn_kinds.c share.  Layer: input, private. */
#ifndef INPUT_FIT_LEARN_PRIV_H
#define INPUT_FIT_LEARN_PRIV_H

#include "input/fit/learn.h"

struct learn_numbers { double *at; size_t n, cap; };
void learn_numbers_add(struct learn_numbers *x, double v);
struct model_bins learn_numbers_bins(struct learn_numbers *x);      /* sorts and empties them */

/* Kinds of the jobs [n], and how often one is like the one before in its session. */
void   learn_kinds(struct model_batch *b, const struct fit_job *job, const size_t *session, size_t n);

#endif
