/*
 * explain_priv.h -- what the files of explain.h share.  Layer: explain, private.
 *
 * explain.c   the story: what the job is, its arrival and its end
 * request.c   what it asks
 * attempts.c  its own steps, from its attempts and decisions
 * calls.c     of a job of API calls: its tasks in the queues of master and nodes, and their calls
 * wait.c      why it waited, by asking the replayed ledger
 * speeds.c    how fast its tasks computed
 * scores.c    what each node was to it when it asked for one
 * steps.c     steps made, named and freed
 * print.c     for people and as JSON
 */
#ifndef EXPLAIN_EXPLAIN_PRIV_H
#define EXPLAIN_EXPLAIN_PRIV_H

#include <jansson.h>
#include "explain/explain.h"
#include "explain/replay.h"

struct sqlite3_stmt;

/* What each of some equal tasks, task0 and on, asks.  Under a policy that only counts cards (POL_BY_COUNT) without
 * the memory and cores of a card, which never kept it from placing one. */
struct explain_group { struct shape shape; uint32_t task0, n; };

/* Why it cannot start now; kept current as nodes change. */
struct explain_fit {
    const struct explain_group *group;   /* that the per-node figures are of; NULL: none yet */
    uint32_t *room;                 /* [n_nodes] tasks that fit now, `want` at most */
    uint16_t *lacks;                /* [n_nodes] */
    uint32_t  n_lacking[LACK_ALL];  /* nodes by what they lack */
    uint64_t  all;                  /* sum of room */
    uint32_t  want;
};

struct explain_state {
    struct explain *e;
    struct store   *store;
    struct replay   replay;
    struct explain_group *group; size_t n_groups, cap_groups;
    struct explain_fit   fit;
    /* The unit that the policy last called the head of its order, and its reason. */
    struct { uint64_t ordinal; uint32_t task; char *reason; bool is_set; } head;
    const char     *hold;           /* its reason to hold the task that waits, or another of the job's; NULL: none */
};

/* query_run of the run, with the job's ordinal bound to ?2. */
enum st explain_query(const struct explain_state *l, const char *sql, struct sqlite3_stmt **q, struct diag *d);
void    explain_names_add(struct explain_names *n, const char *name);      /* counts it; keeps the first few */
void    explain_stretch_fini(struct explain_stretch *p);
void    explain_names_add_job(const struct explain_state *l, struct explain_names *n, uint64_t ordinal);
struct explain_step *explain_step_add(struct explain *e, enum explain_step_type type, int64_t at);

/* Why a task of the job was given up, by its attempt's outcome; NULL: it was done. */
const char *explain_outcome(const char *outcome);

/* Its request, as groups of equal tasks in l->group and as text. */
enum st explain_request(struct explain_state *l, struct diag *d);
/* Its steps between arrival and end, and the end. */
enum st explain_attempts_steps(struct explain_state *l, struct diag *d);

/* Do its tasks make API calls?  *is: true once one was sent to a node. */
enum st explain_calls_any(const struct explain_state *l, bool *is, struct diag *d);
/* Its steps between arrival and end. */
enum st explain_calls_steps(struct explain_state *l, struct diag *d);

/* "1d 04:12:09.5" since the run began. */
const char *explain_clock(char *buf, size_t cap, int64_t us);

/* Steps of its changes of speed in between the others, if they were recorded. */
enum st explain_speeds(struct explain_state *l, struct diag *d);

/* The scores that were recorded of it, if any. */
enum st explain_scores(struct explain_state *l, struct diag *d);
void    explain_scores_fini(struct explain *e);
/* Lines by text_line, and the member "scores"; nothing where no scores were recorded. */
void    explain_scores_print(const struct explain *e, FILE *to);
void    explain_scores_json(const struct explain *e, json_t *o);

/* Add to the wait, or make its last part longer: the reason from `at` on.  `task` waits. */
void    explain_wait_at(struct explain_state *l, struct explain_step *wait, int64_t at, uint32_t task);
void    explain_fit_fini(struct explain_fit *f);

#endif
