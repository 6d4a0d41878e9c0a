/*
 * option_list.h -- lists that options take, "a,b,c", repeated or not.  Layer: cmd.
 */
#ifndef CMD_OPTION_LIST_H
#define CMD_OPTION_LIST_H

#include "base/base.h"

struct option_list { char **at; size_t n, cap; };     /* zero-initialise to begin */

void option_list_add(struct option_list *w, const char *list);      /* splits at commas; empty items are left out */
void option_list_fini(struct option_list *w);
static inline const char *const *option_list_array(const struct option_list *w) { return (const char *const *)w->at; }

#endif
