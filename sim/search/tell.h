/*
 * tell.h -- what the tables of searches share.  Layer: search, private.
 */
#ifndef SEARCH_TELL_H
#define SEARCH_TELL_H

#include "base/table.h"
#include "search/search.h"

/* A target as "wait_p95 of LAS, class=single". */
void tell_name(FILE *to, const struct targets *t, size_t i);
/* "512 [480, 544]", with a unit behind each number's end; no interval: "512 (no interval)". */
void tell_interval(FILE *to, const struct stats_ci *c);
void tell_cell(struct table *t, const struct stats_ci *c, const char *unit);
/* Beginning with a capital letter. */
void    tell_sentence(char *words, FILE *to);
/* Jobs of the set's runs that did not end as they should. */
enum st tell_troubles(const struct search *s, const struct trial_set *x, FILE *to, struct diag *d);

#endif
