/*
 * history.c -- what searches found, from one run to another: read from what the host took from a file, and saved as
 * notes of the run.  README.md, multiqueue, "A second month".
 */
#include "multiqueue/state.h"

#include <inttypes.h>
#include "lib/util.h"

/* The host numbers categories from 0 on; POL_NONE: the profiles have none of that name. */
static uint32_t category(const struct pol_host *h, const char *name, size_t len)
{
    const char *k;
    for (uint32_t i = 0; (k = h->name(h->ctx, POL_NAME_CATEGORY, i)) != NULL; i++)
        if (strlen(k) == len && memcmp(k, name, len) == 0) return i;
    return POL_NONE;
}

/* Rows "LINE GPUS TASKS CORES UTIL CATEGORY", whose figures the host checked. */
bool history_read(struct mq *m, const char *text, char *error, size_t cap)
{
    for (const char *end; *text != '\0'; text = end + 1) {
        uint64_t v[5];
        char *at = (char *)(uintptr_t)text;
        end = strchr(text, '\n');
        for (int k = 0; k < 5; k++) v[k] = strtoull(at, &at, 10);
        const char *name = at + 1;
        struct search_past p = { .category = category(m->sched.host, name, (size_t)(end - name)),
                                 .n_gpu = (uint32_t)v[1], .n_tasks = (uint32_t)v[2], .cores = (uint32_t)v[3], .util = (int64_t)v[4] };
        if (p.category == POL_NONE) {
            (void)snprintf(error, cap, "history_file, line %" PRIu64 ": no model of the scenario's profiles is of the category '%.*s'",
                           v[0], (int)(end - name), name);
            return false;
        }
        search_learn(&m->history, p);
        int64_t cpu = (int64_t)p.cores * 1000;
        if (m->param.reserve < 0 && cpu > m->cores.reserve) m->cores.reserve = cpu;     /* S0-11: of all so far */
    }
    return true;
}

static void note(const struct mq *m, const char *what, const struct search_past *p, double value)
{
    const struct pol_host *h = m->sched.host;
    const char *kind = h->name(h->ctx, POL_NAME_CATEGORY, p->category);
    size_t cap = strlen(what) + strlen(kind) + 32;
    char *name = pol_alloc(cap, 1);
    (void)snprintf(name, cap, "%s:%u:%u:%s", what, p->n_gpu, p->n_tasks, kind);
    h->note(h->ctx, name, value);
    free(name);
}

/* Two notes, in whose names is which row they are of: scenarios/multiqueue/history.sql makes the file of them. */
void history_save(const struct mq *m, const struct search_past *p)
{
    if (!m->param.save_history) return;
    note(m, "history_cores", p, p->cores);
    note(m, "history_util", p, (double)p->util / 1e6);
}

void history_save_all(const struct mq *m)
{
    for (size_t i = 0; i < m->history.n; i++) history_save(m, &m->history.at[i]);
}
