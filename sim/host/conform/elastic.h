/*
 * elastic.h -- the case whose jobs are all elastic.  Layer: host, private to conform.
 */
#ifndef HOST_CONFORM_ELASTIC_H
#define HOST_CONFORM_ELASTIC_H

#include "host/conform/cases.h"

void elastic_case(struct conform_case *c);

#endif
