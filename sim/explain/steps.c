/* steps.c -- the steps of a story: made, named, freed. */
#include "explain/explain_priv.h"

#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

enum st explain_query(const struct explain_state *l, const char *sql, sqlite3_stmt **q, struct diag *d)
{
    TRY(query_run(l->store, l->e->run->run, sql, q, d));
    if (sqlite3_bind_parameter_count(*q) > 1) (void)sqlite3_bind_int64(*q, 2, (int64_t)l->e->ordinal);
    return ST_OK;
}

void explain_names_add(struct explain_names *n, const char *name)
{
    if (n->all++ >= EXPLAIN_NAMES) return;
    MEM_PUSH(n->at, n->n, n->cap, mem_strdup(name));
}

void explain_names_add_job(const struct explain_state *l, struct explain_names *n, uint64_t ordinal)
{
    sqlite3_stmt *q;
    struct diag ignored = { 0 };
    if (n->all >= EXPLAIN_NAMES) { n->all++; return; }
    if (explain_query(l, "SELECT id FROM job WHERE run = ?1 AND ordinal = ?2", &q, &ignored) == ST_OK && q != NULL) {
        (void)sqlite3_bind_int64(q, 2, (int64_t)ordinal);
        explain_names_add(n, sqlite3_step(q) == SQLITE_ROW ? query_text(q, 0) : "?");
    }
    (void)sqlite3_finalize(q);
}

struct explain_step *explain_step_add(struct explain *e, enum explain_step_type type, int64_t at)
{
    struct explain_step *s = MEM_NEXT(e->step, e->n_steps, e->cap_steps);
    *s = (struct explain_step){ .type = type, .at = at, .until = at, .task = -1, .call.call = -1 };
    return s;
}

static void names_fini(struct explain_names *n)
{
    for (size_t i = 0; i < n->n; i++) mem_free(n->at[i]);
    mem_free(n->at);
}

void explain_stretch_fini(struct explain_stretch *p)
{
    mem_free(p->text);
    mem_free(p->reason);
    names_fini(&p->jobs);
}

void explain_fini(struct explain *e)
{
    for (size_t i = 0; i < e->n_steps; i++) {
        struct explain_step *s = &e->step[i];
        for (size_t k = 0; k < s->n_stretches; k++) explain_stretch_fini(&s->stretch[k]);
        MEM_FREE(s->text, s->more, s->reason, s->stretch, s->call.api, s->call.engine);
        names_fini(&s->nodes);
        names_fini(&s->jobs);
    }
    explain_scores_fini(e);
    mem_free(e->step); mem_free(e->id); mem_free(e->user); mem_free(e->klass); mem_free(e->status); mem_free(e->request);
    memset(e, 0, sizeof *e);
}

const char *explain_outcome(const char *outcome)
{
    static const struct { const char *outcome, *text; } all[] = {
        { "preempted", "preempted" }, { "scaled", "stopped to go on at another size," }, { "failed", "interrupted, the node failed," },
        { "mismatch", "failed, its cards have not the memory or cores it asks," }, { "timeout", "cut off at the time limit" },
        { "horizon", "still running when the run was cut off," },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) if (strcmp(all[i].outcome, outcome) == 0) return all[i].text;
    return NULL;
}
