/*
 * dependency.c -- conditions as text, and who waits for whom.
 *
 * Each named job has a list of the conditions on it, walked once when it starts and once when it ends, and freed then:
 * O(conditions) over a run.
 */
#include "model/dependency.h"

#include <string.h>
#include "base/mem.h"
#include "base/text.h"

const char *const dependency_name[] = {
    [DEPENDENCY_AFTER] = "after", [DEPENDENCY_ANY] = "afterany",
    [DEPENDENCY_OK] = "afterok",  [DEPENDENCY_NOTOK] = "afternotok",
};
enum { KINDS = DEPENDENCY_NOTOK + 1, DELAY_DECIMALS = 6 };

/* ---- as text ---- */

/* Minutes, or seconds before an 's'. */
static bool read_delay(const char *s, sim_tick *out)
{
    size_t n = strlen(s), decimals = 0;
    const bool is_seconds = n > 0 && s[n - 1] == 's';
    int64_t v = 0, scale = 1;
    bool is_part = false;
    n -= is_seconds;
    if (n == 0 || n > 16) return false;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '.' && !is_part && i > 0 && i + 1 < n) {
            is_part = true;
            continue;
        }
        if (s[i] < '0' || s[i] > '9' || (is_part && decimals++ == DELAY_DECIMALS)) return false;
        v = v * 10 + (s[i] - '0');
        scale *= is_part ? 10 : 1;
    }
    const int64_t unit = is_seconds ? TICK_SEC : 60 * TICK_SEC;
    if (v / scale > DUR_MAX / unit) return false;
    *out = v / scale * unit + v % scale * unit / scale;
    return true;
}

static bool read_kind(const char *word, enum dependency_kind *out)
{
    for (int k = 0; k < KINDS; k++)
        if (strcmp(word, dependency_name[k]) == 0) {
            *out = (enum dependency_kind)k;
            return true;
        }
    return false;
}

/* One condition, "ID[+DELAY]"; `word` is cut at the plus. */
static bool read_id(struct dependency_list *l, enum dependency_kind kind, char *word, char *error, size_t cap)
{
    struct dependency one = { .kind = kind, .id = word };
    char *plus = strchr(word, '+');
    if (plus != NULL) *plus = '\0';
    if (*word == '\0') return text_error(error, cap, "a job's id is missing after '%s'", dependency_name[kind]);
    if (plus != NULL && !read_delay(plus + 1, &one.delay))
        return text_error(error, cap, "'%.40s' is not a delay: expected minutes, or seconds such as 90s", plus + 1);
    MEM_PUSH(l->at, l->n, l->cap, one);
    return true;
}

bool dependency_parse(struct dependency_list *l, const char *text, char *error, size_t cap)
{
    mem_free(l->words);
    l->words = mem_strdup(text);
    l->n = 0;
    l->is_any = strchr(text, '?') != NULL;
    if (l->is_any && strchr(text, ',') != NULL)
        return text_error(error, cap, "conditions are joined by ',' or by '?', not by both");
    for (char *item = l->words; item != NULL;) {
        char *next = strchr(item, l->is_any ? '?' : ','), *id;
        enum dependency_kind kind;
        if (next != NULL) *next++ = '\0';
        id = strchr(item, ':');
        if (id != NULL) *id++ = '\0';
        if (!read_kind(item, &kind))
            return text_error(error, cap, "unknown dependency '%.40s', expected after, afterany, afterok or afternotok",
                              item);
        if (id == NULL) return text_error(error, cap, "a job's id is missing after '%s'", item);
        while (id != NULL) {
            char *colon = strchr(id, ':');
            if (colon != NULL) *colon++ = '\0';
            if (!read_id(l, kind, id, error, cap)) return false;
            id = colon;
        }
        item = next;
    }
    return true;
}

void dependency_list_fini(struct dependency_list *l)
{
    MEM_FREE(l->at, l->words);
    *l = (struct dependency_list){ .n = 0 };
}

/* ---- who waits for whom ---- */

struct condition { struct condition *next; enum dependency_kind kind; uint32_t dependent, gen; sim_tick delay; };
struct named { sim_tick started, ended; bool is_ok; struct condition *first; };       /* -1: not yet */
struct waiting { struct dependent it; uint32_t gen, n_left; bool is_any; };

struct dependency_queue {
    void (*due)(void *ctx, uint32_t k, sim_tick at);
    void *ctx;
    struct intern ids;
    struct named *named;     size_t cap_named;      /* [ids.n] */
    struct waiting *waiting; size_t cap_waiting;    uint32_t n;
    uint32_t *free;          size_t cap_free;       uint32_t n_free;
    struct dependency_list list;                    /* of the job at hand */
};

struct dependency_queue *dependency_queue_create(void (*due)(void *ctx, uint32_t k, sim_tick at), void *ctx)
{
    struct dependency_queue *x;
    MEM_NEW(x);
    x->due = due;
    x->ctx = ctx;
    return x;
}

static void free_conditions(struct named *p)
{
    for (struct condition *c = p->first, *next; c != NULL; c = next) {
        next = c->next;
        mem_free(c);
    }
    p->first = NULL;
}

void dependency_queue_destroy(struct dependency_queue *x)
{
    if (x == NULL) return;
    for (uint32_t i = 0; i < x->ids.n; i++) free_conditions(&x->named[i]);
    intern_fini(&x->ids);
    dependency_list_fini(&x->list);
    MEM_FREE(x->named, x->waiting, x->free, x);
}

uint32_t dependency_queue_name(struct dependency_queue *x, const char *id)
{
    uint32_t k = intern_id(&x->ids, id);
    MEM_RESERVE(x->named, x->cap_named, (size_t)k + 1);
    x->named[k] = (struct named){ .started = -1, .ended = -1 };
    return k;
}

enum verdict { OPEN, MET, NEVER };

/* *at: when it is met, without the delay. */
static enum verdict judge(const struct named *p, enum dependency_kind kind, sim_tick *at)
{
    *at = kind == DEPENDENCY_AFTER && p->started >= 0 ? p->started : p->ended;
    if (*at < 0) return OPEN;
    return (kind == DEPENDENCY_OK && !p->is_ok) || (kind == DEPENDENCY_NOTOK && p->is_ok) ? NEVER : MET;
}

/* One of its conditions is settled, at `at` if it is met; by: the id of the job that it is about, NULL: none. */
static void settle(struct dependency_queue *x, uint32_t k, bool is_met, sim_tick at, const char *by)
{
    struct waiting *a = &x->waiting[k];
    struct dependent *it = &a->it;
    const bool had_time = it->at >= 0;
    if (it->is_never) return;
    a->n_left--;
    if (!is_met && (!a->is_any || (a->n_left == 0 && !had_time))) {
        it->is_never = true;
        it->last = by;
        x->due(x->ctx, k, 0);
        return;
    }
    if (!is_met) return;
    if (!had_time || (a->is_any ? at < it->at : at >= it->at)) {
        it->at = at;
        it->last = by;
    } else if (a->is_any) {
        return;
    }
    if (a->is_any || a->n_left == 0) x->due(x->ctx, k, it->at);
}

/* What its conditions wait for may have come about. */
static void tell(struct dependency_queue *x, uint32_t id)
{
    struct named *p = &x->named[id];
    struct condition **at = &p->first;
    while (*at != NULL) {
        struct condition *c = *at;
        struct waiting *a = &x->waiting[c->dependent];
        const bool is_stale = !a->it.is_live || a->gen != c->gen;
        sim_tick when = -1;
        const enum verdict v = is_stale ? NEVER : judge(p, c->kind, &when);
        if (v == OPEN) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        if (!is_stale) settle(x, c->dependent, v == MET, when + c->delay, intern_name(&x->ids, id));
        mem_free(c);
    }
}

void dependency_queue_started(struct dependency_queue *x, uint32_t named, sim_tick now)
{
    x->named[named].started = now;
    tell(x, named);
}

void dependency_queue_ended(struct dependency_queue *x, uint32_t named, bool is_ok, sim_tick now)
{
    x->named[named].ended = now;
    x->named[named].is_ok = is_ok;
    tell(x, named);
}

static uint32_t new_slot(struct dependency_queue *x)
{
    if (x->n_free > 0) return x->free[--x->n_free];
    MEM_RESERVE(x->waiting, x->cap_waiting, (size_t)x->n + 1);
    return x->n++;
}

void dependency_queue_add(struct dependency_queue *x, uint32_t job, uint64_t number, const char *text, sim_tick now)
{
    char error[256];
    bool ok = dependency_parse(&x->list, text, error, sizeof error);
    SIM_ASSERT(ok && x->list.n > 0);
    const uint32_t k = new_slot(x), gen = x->waiting[k].gen + 1;
    x->waiting[k] = (struct waiting){ .it = { .job = job, .number = number, .at = -1, .is_live = true },
                                      .gen = gen, .n_left = (uint32_t)x->list.n, .is_any = x->list.is_any };
    for (size_t i = 0; i < x->list.n; i++) {
        const struct dependency *one = &x->list.at[i];
        const uint32_t id = intern_find(&x->ids, one->id);
        sim_tick at = now;
        const enum verdict v = id != NONE ? judge(&x->named[id], one->kind, &at) : MET;
        if (v != OPEN) {
            /* Over before the job came: it waits for the delay alone, if that is not over too. */
            sim_tick when = id != NONE ? at + one->delay : now;
            const bool is_told = v == NEVER || when > now;
            settle(x, k, v == MET, i64_max(when, now), is_told ? intern_name(&x->ids, id) : NULL);
            continue;
        }
        struct condition *c;
        MEM_NEW(c);
        *c = (struct condition){ .next = x->named[id].first, .kind = one->kind, .dependent = k, .gen = gen,
                                 .delay = one->delay };
        x->named[id].first = c;
    }
}

uint32_t dependency_queue_n(const struct dependency_queue *x) { return x->n; }

const struct dependent *dependency_queue_at(const struct dependency_queue *x, uint32_t k) { return &x->waiting[k].it; }

void dependency_queue_remove(struct dependency_queue *x, uint32_t k)
{
    SIM_ASSERT(x->waiting[k].it.is_live);
    x->waiting[k].it.is_live = false;
    MEM_PUSH(x->free, x->n_free, x->cap_free, k);
}
