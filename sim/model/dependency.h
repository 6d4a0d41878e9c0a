/*
 * dependency.h -- jobs that wait for other jobs before they arrive.  Layer: model.
 *
 * As Slurm has it: a job is submitted, and becomes eligible when what it waits for has come about; until then
 * no policy knows of it.  A job can name only jobs submitted before it, so that none waits in a circle; one
 * that it names and that was not submitted before it counts as over.  This knows neither clock nor jobs: it
 * is told what happens, and tells when a dependent is due.
 *
 * Memory: the id and some 40 bytes for each job that others name, to the end; some 60 bytes for each job that
 * waits, and 32 for each condition, while it does.
 */
#ifndef MODEL_DEPENDENCY_H
#define MODEL_DEPENDENCY_H

#include "base/base.h"
#include "base/intern.h"

/* after: it started, or ended without; any: it ended; ok: it was done; notok: it ended otherwise. */
enum dependency_kind { DEPENDENCY_AFTER, DEPENDENCY_ANY, DEPENDENCY_OK, DEPENDENCY_NOTOK };
extern const char *const dependency_name[];         /* "after", "afterany"...: what texts call them */

/* One condition; met so long after what it waits for. */
struct dependency { enum dependency_kind kind; const char *id; sim_tick delay; };

/*
 * KIND:ID[+DELAY][:ID[+DELAY]]..., joined by ',' (all must be met) or '?' (one of them); a delay is in minutes, or with
 * an s behind it in seconds, to six decimals.  What one text says, in memory that the next reuses.
 */
struct dependency_list { struct dependency *at; size_t n, cap; char *words; bool is_any; };
/* false: error filled. */
bool dependency_parse(struct dependency_list *l, const char *text, char *error, size_t cap);
void dependency_list_fini(struct dependency_list *l);       /* zero-initialise to begin */

struct dependency_queue;

/* A job that waits; number: in order of submission; last: the id of the job that settled it, NULL: none. */
struct dependent { uint32_t job; uint64_t number; sim_tick at; bool is_live, is_never; const char *last; };

/* due: dependent k may go, or never will (is_never), at `at`, which may be past; called anew when that is sooner. */
struct dependency_queue *dependency_queue_create(void (*due)(void *ctx, uint32_t k, sim_tick at), void *ctx);
void dependency_queue_destroy(struct dependency_queue *x);          /* NULL is fine */

/* A job that others name was submitted; its number here. */
uint32_t dependency_queue_name(struct dependency_queue *x, const char *id);
void dependency_queue_started(struct dependency_queue *x, uint32_t named, sim_tick now);
void dependency_queue_ended(struct dependency_queue *x, uint32_t named, bool is_ok, sim_tick now);

/* A job waits for what `text` (which parses) says. */
void dependency_queue_add(struct dependency_queue *x, uint32_t job, uint64_t number, const char *text, sim_tick now);
uint32_t dependency_queue_n(const struct dependency_queue *x);      /* slots of dependents, live or not */
const struct dependent *dependency_queue_at(const struct dependency_queue *x, uint32_t k);
void dependency_queue_remove(struct dependency_queue *x, uint32_t k);       /* it went, or never will */

#endif
