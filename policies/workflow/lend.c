/*
 * lend.c -- share groups: reading `shares=`, who belongs to which, and dividing an
 * amount among them, see lend.h.
 */
#include "workflow/lend.h"

#include "lib/util.h"

enum { PRIO_MAX = 1000, RATIO_MAX = 1000000 };

static const char *skip(const char *s) { while (*s == ' ' || *s == '\t') s++; return s; }

static char *copy(const char *s, size_t n)
{
    char *t = pol_alloc(n + 1, 1);
    memcpy(t, s, n);
    return t;
}

static bool is_word(const char *s, size_t n, const char *word) { return strlen(word) == n && strncmp(s, word, n) == 0; }

/* A number from 0 to `most` at *s, which moves behind it; -1: none. */
static int64_t number(const char **s, int64_t most)
{
    int64_t v = -1;
    for (; **s >= '0' && **s <= '9' && v <= most; (*s)++) v = (v < 0 ? 0 : v * 10) + (**s - '0');
    return v > most ? -1 : v;
}

void lend_read_name(struct lend_group *g, const char *s, size_t n, bool is_owner)
{
    static const struct { const char *prefix; enum lend_who who; } prefixes[] = {
        { "user:", LEND_USER },
        { "queue:", LEND_QUEUE },
        { "machines:", LEND_MACHINES },
        { "workflow:", LEND_WORKFLOW },
    };
    *g = (struct lend_group){ .who = is_owner ? LEND_NAME : LEND_USER };
    if (is_word(s, n, "*") || (is_owner && (is_word(s, n, "wf") || is_word(s, n, "workflow")))) g->who = LEND_ANY;
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; k++) {
        size_t len = strlen(prefixes[k].prefix);
        if (n <= len || strncmp(s, prefixes[k].prefix, len) != 0) continue;
        g->who = prefixes[k].who;
        s += len;
        n -= len;
        break;
    }
    g->name = copy(s, n);
}

/* "[name,pN]" or "[name,pN,ratio]" at *s, which moves behind it. */
static bool read_entry(struct lend_group *g, const char **s, bool is_owner, char *error, size_t cap)
{
    const char *at = skip(*s);
    if (*at != '[') { (void)snprintf(error, cap, "shares: expected '[' at '%.40s'", at); return false; }
    at = skip(at + 1);
    size_t n = strcspn(at, ",] \t");
    if (n == 0) { (void)snprintf(error, cap, "shares: expected a name at '%.40s'", at); return false; }
    lend_read_name(g, at, n, is_owner);
    at = skip(at + n);
    if (g->who == LEND_WORKFLOW && !is_owner)
        return pol_error(error, cap, "shares: a workflow, '%s', lends and does not borrow", g->name);
    if (*at == ',') at = skip(at + 1); else at = "";
    const char *prio = at;
    if (*at == 'p') { at++; g->prio = number(&at, PRIO_MAX); } else g->prio = -1;
    if (g->prio < 0)
        return pol_error(error, cap, "shares: expected a priority p0 .. p%d after '%s', found '%.20s'", PRIO_MAX, g->name,
                       prio);
    at = skip(at);
    if (*at == ',') {
        at = skip(at + 1);
        const char *ratio = at;
        g->ratio = number(&at, RATIO_MAX);
        if (g->ratio <= 0)
            return pol_error(error, cap, "shares: expected a ratio 1 .. %d for '%s', found '%.20s'", RATIO_MAX, g->name,
                           ratio);
        if (is_owner) { (void)snprintf(error, cap, "shares: the lender '%s' has no ratio", g->name); return false; }
        at = skip(at);
    }
    if (*at != ']') { (void)snprintf(error, cap, "shares: expected ']' at '%.40s'", at); return false; }
    *s = skip(at + 1);
    return true;
}

static bool check(const struct lend_shares *s, char *error, size_t cap)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct lend_group *g = &s->at[i];
        if (g->prio <= s->owner.prio)
            return pol_error(error, cap, "shares: the lender's p%d must be above p%d of '%s'", (int)s->owner.prio,
                           (int)g->prio, g->name);
        for (uint32_t k = 0; k < i; k++) {
            if (s->at[k].who == g->who && strcmp(s->at[k].name, g->name) == 0)
                return pol_error(error, cap, "shares: '%s' stands twice", g->name);
            if (s->at[k].prio == g->prio && (s->at[k].ratio > 0) != (g->ratio > 0))
                return pol_error(error, cap, "shares: of '%s' and '%s', both p%d, one has a ratio and one has none",
                               s->at[k].name, g->name, (int)g->prio);
        }
    }
    if (s->n == 0) (void)snprintf(error, cap, "shares: nobody stands after the lender");
    return s->n > 0;
}

static bool read_list(struct lend_shares *s, const char **text, char *error, size_t cap)
{
    const char *at = *text;
    bool ok = read_entry(&s->owner, &at, true, error, cap);
    while (ok && *at != '\0' && *at != ';') {
        if (*at != ',') { (void)snprintf(error, cap, "shares: expected ',' at '%.40s'", at); ok = false; break; }
        at++;
        POL_RESERVE(s->at, s->cap, (size_t)s->n + 1);
        ok = read_entry(&s->at[s->n++], &at, false, error, cap);
    }
    *text = at;
    return ok && check(s, error, cap);
}

bool lend_parse(struct lend_lists *l, const char *text, char *error, size_t cap)
{
    memset(l, 0, sizeof *l);
    const char *at = skip(text);
    if (strncmp(at, "shares:", 7) == 0) at = skip(at + 7);
    if (*at == '\0') at = "[*,p0],[*,p1]";
    for (;;) {
        POL_RESERVE(l->at, l->cap, (size_t)l->n + 1);
        struct lend_shares *s = &l->at[l->n++];
        if (!read_list(s, &at, error, cap)) return false;
        for (uint32_t i = 0; i + 1 < l->n; i++) {
            if (l->at[i].owner.who != s->owner.who || strcmp(l->at[i].owner.name, s->owner.name) != 0) continue;
            return pol_error(error, cap, "shares: two lists have the lender '%s'", s->owner.name);
        }
        if (*at == '\0') return true;
        at++;
    }
}

void lend_fini(struct lend_lists *l)
{
    for (uint32_t k = 0; k < l->n; k++) {
        struct lend_shares *s = &l->at[k];
        free(s->owner.name);
        for (uint32_t i = 0; i < s->n; i++) free(s->at[i].name);
        free(s->at);
    }
    free(l->at);
    memset(l, 0, sizeof *l);
}

bool lend_is_unknown(const struct lend_group *g, const struct pol_host *h, const char *what, char *error, size_t cap)
{
    static const struct { enum lend_who who; uint32_t type, other; const char *kind; } names[] = {
        { LEND_NAME, POL_NAME_USER, POL_NAME_JOB, "neither a workflow nor a user of the trace" },
        { LEND_WORKFLOW, POL_NAME_JOB, POL_NAME_JOB, "no workflow of the trace" },
        { LEND_USER, POL_NAME_USER, POL_NAME_USER, "no user of the trace" },
        { LEND_QUEUE, POL_NAME_QUEUE, POL_NAME_QUEUE, "no queue of the trace" },
        { LEND_MACHINES, POL_NAME_LABEL, POL_NAME_LABEL, "no label of the cluster" },
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].who != g->who || h->knows(h->ctx, names[i].type, g->name) != 0 ||
            h->knows(h->ctx, names[i].other, g->name) != 0)
            continue;
        (void)snprintf(error, cap, "%s: '%s' is %s", what, g->name, names[i].kind);
        return true;
    }
    return false;
}

static bool is_named(const struct lend_group *g, const char *name)
{
    return name != NULL && strcmp(name, g->name) == 0;
}

enum lend_match lend_match(const struct lend_group *g, const struct pol_host *h, pol_job job,
                           const struct pol_job_info *ji, const struct pol_shape *s)
{
    bool is_user = is_named(g, h->name(h->ctx, POL_NAME_USER, ji->user)),
         is_job = is_named(g, h->name(h->ctx, POL_NAME_JOB, job.slot)), is = false;
    switch (g->who) {
    case LEND_ANY:      return LEND_GENERALLY;
    case LEND_NAME:     is = is_user || is_job; break;
    case LEND_WORKFLOW: is = is_job; break;
    case LEND_USER:     is = is_user; break;
    case LEND_QUEUE:    is = ji->queue != POL_NONE && is_named(g, h->name(h->ctx, POL_NAME_QUEUE, ji->queue)); break;
    case LEND_MACHINES:
        for (uint64_t left = s->need_all | s->need_any; left != 0; left &= left - 1)
            is |= is_named(g, h->name(h->ctx, POL_NAME_LABEL, (uint32_t)__builtin_ctzll(left)));
        break;
    }
    return is ? LEND_BY_NAME : LEND_NO;
}

uint32_t lend_group_of(const struct lend_shares *s, const struct pol_host *h, pol_job job,
                       const struct pol_job_info *ji, const struct pol_shape *shape)
{
    uint32_t g = 0;
    while (g < s->n && lend_match(&s->at[g], h, job, ji, shape) == LEND_NO) g++;
    return g;
}

void lend_split(int64_t total, int64_t unit, const int64_t *ratio, uint32_t n, int64_t *part)
{
    int64_t sum = 0, units = (total + unit - 1) / unit, left = units;
    for (uint32_t i = 0; i < n; i++) sum += ratio[i];
    for (uint32_t i = 0; i < n; i++) left -= part[i] = (int64_t)((pol_wide)units * ratio[i] / sum);
    /* What is left is less than n units: one more to each of the largest remainders. */
    for (; left > 0; left--) {
        uint32_t best = 0;
        int64_t most = -1;
        for (uint32_t i = 0; i < n; i++) {
            int64_t rest = part[i] > (int64_t)((pol_wide)units * ratio[i] / sum)
                               ? -1
                               : (int64_t)((pol_wide)units * ratio[i] % sum);
            if (rest > most) { most = rest; best = i; }
        }
        part[best]++;
    }
    for (uint32_t i = 0; i < n; i++) part[i] *= unit;
    /* The last unit may be a part of one: whoever has the last of the units has it. */
    for (uint32_t i = n; i-- > 0 && units * unit > total;)
        if (part[i] > 0) { part[i] -= units * unit - total; break; }
}

