/*
 * chance.h -- cases of the battery that are drawn.  Layer: host, private to conform.
 */
#ifndef HOST_CONFORM_CHANCE_H
#define HOST_CONFORM_CHANCE_H

#include "host/conform/cases.h"

/* Gangs, shares of cards, exclusive jobs and lost nodes. */
void chance_case(struct conform_case *c, uint64_t seed);
/* Every property that a node, a card or a request can have, drawn for each by itself. */
void chance_features(struct conform_case *c, uint64_t seed);

#endif
