/*
 * mapping.h -- a map: which column of somebody's table is which figure of a job.  Layer: input.
 *
 * YAML, a file that can be shared or a part of the scenario; its reference is traces/README.md, "Tables".
 */
#ifndef INPUT_TRACE_MAPPING_H
#define INPUT_TRACE_MAPPING_H

#include "input/text/expr.h"
#include "input/text/rows.h"
#include "input/text/ydoc.h"
#include "input/trace/option.h"

enum mapping_figure {
    MAPPING_ID, MAPPING_SUBMIT, MAPPING_START, MAPPING_WAIT, MAPPING_END, MAPPING_DURATION, MAPPING_LIMIT,
    MAPPING_USER, MAPPING_QUEUE, MAPPING_MODEL, MAPPING_CLASS, MAPPING_TASKS, MAPPING_GANG, MAPPING_GPUS,
    MAPPING_CPUS, MAPPING_MEM, MAPPING_GPU_TYPE, MAPPING_GPU_MEM, MAPPING_LABELS, MAPPING_EXCLUSIVE, MAPPING_PRIORITY,
    MAPPING_NODES, MAPPING_STATE, MAPPING_FIGURES
};
enum mapping_dimension { MAPPING_TEXT, MAPPING_COUNT, MAPPING_INSTANT, MAPPING_SPAN, MAPPING_BYTES };
extern const struct mapping_figure_kind {
    const char *name;
    enum mapping_dimension dimension;
} mapping_figures[MAPPING_FIGURES];

/* How one figure is made of a row. */
struct mapping_value {
    const struct ydoc_node *node;       /* where it stands; NULL: the figure is not mapped */
    struct expr *expr;                  /* NULL: `prefix` and the row's line */
    int *column;                        /* [expr_n_names] in the rows */
    enum mapping_dimension dimension;
    int64_t unit;                       /* of a bare number: microseconds, bytes; 0: it must say */
    struct value_dates dates;
    const char *prefix;                 /* put before it */
    struct mapping_value *join;         /* put behind it, after a '/'; NULL: nothing */
    bool is_optional;                   /* columns may be missing */
};

struct mapping {
    struct ydoc doc;                    /* of a file; the root of others is borrowed */
    char kind;                          /* rows.h; 0: by the file's name */
    const char **header; size_t n_header;
    const char **empty; size_t n_empty; /* words that stand for nothing */
    struct mapping_value *where; size_t n_where;
    struct mapping_value of[MAPPING_FIGURES];
};

/* Zeroes to begin; given back by the caller on failure, too. */
enum st mapping_read(struct mapping *m, const struct trace_document *from, struct diag *d);
void    mapping_fini(struct mapping *m);
/* Find the columns in a table; ST_EINPUT with the map's place where one is missing. */
enum st mapping_bind(struct mapping *m, struct rows *r, const char *path, struct diag *d);

#endif
