/* search.c -- the steps of one search for a number of cores, see search.h. */
#include "multiqueue/search.h"

#include "lib/util.h"

uint32_t search_start(uint32_t history, uint32_t hints)
{
    int64_t at = history;
    if (hints & POL_HINT_PIPELINED) at--;
    if (hints & POL_HINT_HEAVY_WEIGHTS) at--;
    if (hints & POL_HINT_COMPLEX_CPU) at++;
    return at < 1 ? 1 : (uint32_t)at;
}

void search_begin(struct search *s, uint32_t cores) { *s = (struct search){ .phase = SEARCH_FIRST, .cores = cores, .best = cores }; }

void search_stop(struct search *s)
{
    s->phase = SEARCH_DONE;
    s->cores = s->best;
}

static bool go(struct search *s, enum search_phase phase, uint32_t cores)
{
    s->phase = (uint8_t)phase;
    s->cores = cores;
    return true;
}

bool search_step(struct search *s, enum search_rule rule, int64_t util, int64_t tolerance)
{
    bool is_higher = util > s->util + tolerance, is_lower = util < s->util - tolerance;
    s->probes++;
    switch ((enum search_phase)s->phase) {
    case SEARCH_FIRST:
        s->util = util;
        return s->cores > 1 ? go(s, SEARCH_DOWN, s->cores - 1) : go(s, SEARCH_UP, s->cores + 1);
    case SEARCH_DOWN:
        if (rule == SEARCH_SLIM ? !is_lower : is_higher) {
            s->best = s->cores;
            s->went_down = true;
            if (util > s->util) s->util = util;     /* else many small losses would pass for none */
            if (s->cores > 1) return go(s, SEARCH_DOWN, s->cores - 1);
        } else if (!s->went_down) {
            return go(s, SEARCH_UP, s->best + 1);
        }
        break;
    case SEARCH_UP:
        if (!is_higher) break;
        s->best = s->cores;
        s->util = util;
        return go(s, SEARCH_UP, s->cores + 1);
    case SEARCH_OFF: case SEARCH_DONE:
        break;
    }
    search_stop(s);
    return false;
}

void search_history_fini(struct search_history *h) { free(h->at); }

static struct search_past *find(const struct search_history *h, uint32_t category, uint32_t n_gpu, uint32_t n_tasks)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].category == category && h->at[i].n_gpu == n_gpu && h->at[i].n_tasks == n_tasks) return &h->at[i];
    return NULL;
}

const struct search_past *search_known(const struct search_history *h, uint32_t category, uint32_t n_gpu, uint32_t n_tasks)
{
    return find(h, category, n_gpu, n_tasks);
}

void search_learn(struct search_history *h, struct search_past past)
{
    struct search_past *p = find(h, past.category, past.n_gpu, past.n_tasks);
    if (p == NULL) {
        POL_RESERVE(h->at, h->cap, h->n + 1);
        p = &h->at[h->n++];
    }
    *p = past;
}
