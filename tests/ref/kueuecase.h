/* kueuecase.h -- random cases for kueue: its objects, and what jobs need for them. */
#ifndef KUEUECASE_H
#define KUEUECASE_H

#include <stdio.h>
#include "ref/refsim.h"

/* As refcase_make, with the policy kueue, its objects and a placement rule. */
void kueuecase_make(struct ref_case *c, uint64_t seed);
/* The objects as YAML. */
void kueuecase_write(const struct ref_kueue *k, FILE *f);

#endif
