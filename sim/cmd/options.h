/*
 * options.h -- lists that options take, "a,b,c", repeated or not.  Layer: cmd.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/base.h"

struct words { char **at; size_t n, cap; };     /* zero-initialise to begin */

void words_add(struct words *w, const char *list);      /* splits at commas; empty words are left out */
void words_fini(struct words *w);
static inline const char *const *words_text(const struct words *w) { return (const char *const *)w->at; }

#endif
