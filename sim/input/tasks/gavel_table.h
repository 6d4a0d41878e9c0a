/* gavel_table.h -- Gavel's table of throughputs, a JSON object by GPU type, then by model.  Layer: input. */
#ifndef INPUT_TASKS_GAVEL_TABLE_H
#define INPUT_TASKS_GAVEL_TABLE_H

#include <jansson.h>
#include "model/speed/throughput.h"

bool gavel_table_is(const char *path);                  /* by its name: *.json */
/* To be given back with json_decref. */
enum st gavel_table_load(const char *path, json_t **table, struct diag *d);
/*
 * The rows of a type by its name in the cluster, followed by `suffix`; NULL: there are none, which is an error where
 * nodes have whole cards of that type.
 */
enum st gavel_table_rows(const json_t *table, const char *path, const struct cluster *c, uint32_t type,
    const char *suffix, const json_t **rows, struct diag *d);
/* "('ResNet-50 (batch size 16)', 1)" is model "ResNet-50 (batch size 16)#1". */
enum st gavel_table_model(struct throughput *perf, const char *path, const char *key, uint32_t *model, int *gpus,
    struct diag *d);

#endif
