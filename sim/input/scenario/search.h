/*
 * search.h -- the `search` section of a scenario: what is varied, what is wanted, how
 * long it is looked for.  Layer: input.
 *
 * Here is the section's form alone.  Whether a path, a parameter, a policy or a
 * metric exists shows where runs are made (sim/search); so everything that may turn
 * out wrong keeps its node.  scenarios/REFERENCE.md is the reference of the section.
 */
#ifndef INPUT_SCENARIO_SEARCH_H
#define INPUT_SCENARIO_SEARCH_H

#include "input/scenario/scenario.h"
#include "input/text/ydoc.h"

enum { SEARCH_VARIABLES_MAX = 64, SEARCH_SETS_MAX = 100000, SEARCH_LOOKS_MAX = 8 };

/* How it is looked for: the nearest to what is wanted, the smallest cluster that keeps promises, or by a race. */
enum search_method { SEARCH_NEAREST, SEARCH_SIZE, SEARCH_RACE };

/* Where a value is put: a path of a scenario, or POLICY.PARAMETER; the value times `factor` where that is not 1. */
struct search_place { char *scenario, *path; double factor; };      /* scenario: its name; NULL: every one */

/* A variable takes the values of a list, or those of a range: n_values 0. */
struct search_variable {
    const char *name;           /* as its key has it */
    bool   is_param;            /* POLICY.PARAMETER, else a path */
    const struct ydoc_node *node;
    struct search_place *place; size_t n_places;
    char **value; size_t n_values;      /* as one would write them */
    double from, to, step;      /* step 0: any value between */
    bool   is_log;
    char  *unit;                /* what stands behind the numbers: "MB/s", "" */
};

/* A metric that is asked for: of a policy, or its ratio to another's. */
struct search_metric { const char *policy, *against, *metric, *scope; const struct ydoc_node *node; };
struct search_limit { struct search_metric of; double bound; bool is_least; };
/* Every figure and statement of this metric weighs so many times what it would. */
struct search_weight { const char *metric; double factor; const struct ydoc_node *node; };

struct search_spec {
    struct ydoc doc;            /* after --set; what follows borrows from it */
    const struct ydoc_node *section;
    char  *path;
    enum search_method method;
    /* Of a size the last variable is the load, if there are several: ascending from that as stated. */
    struct search_variable *variable; size_t n_variables;
    char **with; size_t n_with;         /* paths of further scenarios that each set is put into */
    double *load; size_t n_loads;       /* of a size: by how much more than stated, ascending from 1 */

    bool   has_figures;         /* the distance to figures; else `metric` */
    const char *figures;        /* path as it is written; NULL: the table of published figures */
    const struct ydoc_node *figures_node;
    double weight_figures, weight_statements, missed;
    struct search_weight *weight; size_t n_weights;
    struct search_metric metric, second;        /* second: of a race for a front, else its metric is NULL */
    bool   maximise, maximise_second;
    bool   is_cost;             /* of a size: what nodes and cards cost is minimised, else their number */
    const struct ydoc_node *objective;
    struct search_limit *limit; size_t n_limits;        /* or promises */

    /* Seeds are used by looks: n_seeds, then twice as many and so on; seed [search_seeds_at(s, s->looks)]. */
    uint64_t *seed, *fresh_seed; size_t n_seeds, n_fresh;
    bool     has_fresh;         /* fresh_seed is stated; else n_fresh are as many as all looks have */
    size_t   looks;
    double   confidence;
    uint64_t draw;              /* seed of the hypercube */
    size_t   samples, starts, best;     /* samples 0: as the budget allows */
    uint64_t budget_runs;       /* 0: none */
    double   budget_s;          /* 0: none */
    const struct ydoc_node *budget_node;
};

/* Read and check the section of a scenario's file.  ST_EINPUT also when it has none.  On error *s is empty. */
enum st search_load(struct search_spec *s, const char *path, const char *const *set, size_t n_set, struct diag *d);
void    search_fini(struct search_spec *s);
/* How many seeds `looks` looks have met. */
size_t  search_seeds_at(const struct search_spec *s, size_t looks);
/* The same of a document at hand, for its mistakes alone; no section is fine. */
enum st search_check(const char *path, const struct ydoc *y, struct diag *d);

#endif
