/*
 * native_priv.h -- the columns of the native format, for its reader and its writer
 * alone.  Layer: input.  traces/README.md is their reference.
 */
#ifndef INPUT_TRACE_NATIVE_PRIV_H
#define INPUT_TRACE_NATIVE_PRIV_H

#include "base/base.h"

enum native_col {
    ID, SUBMIT, DURATION, USER, QUEUE, TASKS, GANG, CPUS, MEM, GPUS, GPU_MILLI, GPU_MEM, GPU_TYPE, LABELS, EXCLUSIVE,
    LIMIT, MODEL, PRIORITY, CLASS, MEM_BW, HINTS, GPU_CORES, NODE, LICENCES, START, END, NODES, STATE, WORKFLOW,
    MIN_TASKS, MAX_TASKS, SCALING, AFTER, RESTORE, N_COLS
};
enum { NATIVE_GROUPS_MAX = 64, NATIVE_HINTS = 3 };
#define NATIVE_MIB (INT64_C(1) << 20)

extern const char *const native_columns[N_COLS];
extern const char *const native_hints[NATIVE_HINTS];    /* of bits HINT_..., in order */

#endif
