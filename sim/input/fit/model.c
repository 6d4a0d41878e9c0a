/* model.c -- distributions as means of their parts, and the file of a model. */
#include "input/fit/model.h"

#include <math.h>
#include "base/mem.h"
#include "input/text/ydoc.h"

/* ---- distributions ---- */

/* Finer towards the end, where little of the jobs is most of the work. */
static const double cut[MODEL_CUTS] = { .05, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, .98, .99, .995, .999, 1 };

struct model_bins model_bins_of(const double *sorted, size_t n)
{
    struct model_bins b = { .n = 0 };
    size_t from = 0;
    for (uint32_t i = 0; i < MODEL_CUTS; i++) {
        size_t to = (size_t)llround(cut[i] * (double)n);
        bool is_last = i + 1 == MODEL_CUTS;
        if (!is_last && (to < from + MODEL_LEAST || n - to < MODEL_LEAST)) continue;
        double sum = 0;
        for (size_t k = from; k < to; k++) sum += sorted[k];
        b.upto[b.n] = (double)to / (double)n;
        b.mean[b.n++] = sum / (double)(to - from);
        from = to;
    }
    return b;
}

double model_bins_at(const struct model_bins *b, double p)
{
    uint32_t i = 0;
    if (b->n == 0) return 0;
    while (i + 1 < b->n && p >= b->upto[i]) i++;
    double low = i > 0 ? b->upto[i - 1] : 0, at = (p - low) / (b->upto[i] - low);
    double before = i > 0 ? b->mean[i] - b->mean[i - 1] : b->mean[i],
           after = i + 1 < b->n ? b->mean[i + 1] - b->mean[i] : before;
    if (b->n == 1) before = after = 0;
    return b->mean[i] + (2 * at - 1) * fmin(before, after) / 2;
}

double model_bins_mean(const struct model_bins *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < b->n; i++) sum += b->mean[i] * (b->upto[i] - (i > 0 ? b->upto[i - 1] : 0));
    return sum;
}

/* ---- what is expected ---- */

void model_expect(const struct model *m, const struct model_class *c, double *days, double *sessions)
{
    const double rest = 1 - c->stay + c->come;
    const double mean = model_bins_mean(&c->sessions);
    double p = rest > 0 ? c->come / rest : 1;
    *days = *sessions = 0;
    enum { WARM = 50, WEEKS = 100 };
    for (int day = 0; day < (WARM + WEEKS) * MODEL_WEEK; day++) {
        const int w = day % MODEL_WEEK;
        p = p * model_odds(c->stay, m->active[w]) + (1 - p) * model_odds(c->come, m->active[w]);
        if (day < WARM * MODEL_WEEK) continue;
        *days += p / (WEEKS * MODEL_WEEK);
        *sessions += p * m->busy[w] * mean / (WEEKS * MODEL_WEEK);
    }
}

void model_fini(struct model *m)
{
    for (size_t i = 0; i < m->n; i++)
        for (uint32_t k = 0; k < m->at[i].n; k++) mem_free(m->at[i].batch[k].kind);
    mem_free(m->at);
    *m = (struct model){ .n = 0 };
}

/* ---- writing ---- */

static void put(FILE *to, double x)
{
    double unit = x > 0 ? pow(10, floor(log10(x)) - 2) : 1;
    (void)fprintf(to, "%.10g", round(x / unit) * unit);
}

static void put_list(FILE *to, const char *key, const double *x, size_t n)
{
    (void)fprintf(to, "%s[", key);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) (void)fprintf(to, ", ");
        put(to, x[i]);
    }
    (void)fprintf(to, "]");
}

static void put_bins(FILE *to, const char *key, const struct model_bins *b)
{
    (void)fprintf(to, "%s{", key);
    for (uint32_t i = 0; i < b->n; i++) {
        (void)fprintf(to, "%s%.3g: ", i > 0 ? ", " : "", b->upto[i]);
        put(to, b->mean[i]);
    }
    (void)fprintf(to, "}");
}

static void put_number(FILE *to, const char *key, double x)
{
    (void)fprintf(to, "%s", key);
    put(to, x);
}

/* What is nothing, or one task, is left out. */
static void put_kind(FILE *to, const struct model_kind *k)
{
    const struct {
        const char *key;
        double x;
    } ask[] = { { "gpus", (double)k->gpu_milli / 1000 },
                { "cpus", (double)k->cpu_milli / 1000 },
                { "mem_mib", (double)k->mem_b / 0x1p20 },
                { "gpu_mem_mib", (double)k->gpu_mem_b / 0x1p20 },
                { "gang", k->gang },
                { "exclusive", k->exclusive } };
    put_number(to, "          - {weight: ", k->weight);
    if (k->tasks != 1) (void)fprintf(to, ", tasks: %lld", (long long)k->tasks);
    for (size_t i = 0; i < ARRAY_LEN(ask); i++)
        if (ask[i].x > 0) (void)fprintf(to, ", %s: %.10g", ask[i].key, ask[i].x);
    put_bins(to, ", duration_s: ", &k->duration);
    if (k->limited > 0) {
        put_number(to, ", limited: ", k->limited);
        for (int i = 0; i < MODEL_THIRDS; i++)
            if (k->limit[i].n > 0) put_bins(to, i == 0 ? ", limit_s: [" : ", ", &k->limit[i]);
        (void)fprintf(to, "]");
    }
    (void)fprintf(to, "}\n");
}

static void put_class(FILE *to, const struct model_class *c)
{
    (void)fprintf(to, "  - users: %lld\n", (long long)c->users);
    put_number(to, "    come: ", c->come);
    put_number(to, "\n    stay: ", c->stay);
    put_number(to, "\n    persist: ", c->persist);
    put_number(to, "\n    persist_week: ", c->persist_week);
    put_bins(to, "\n    sessions_in_day: ", &c->sessions);
    put_bins(to, "\n    jobs_in_session: ", &c->jobs);
    (void)fprintf(to, "\n    batches:\n");
    for (uint32_t i = 0; i < c->n; i++) {
        const struct model_batch *b = &c->batch[i];
        (void)fprintf(to, "      - from: %lld\n", (long long)b->from);
        put_bins(to, "        gap_s: ", &b->gap);
        put_number(to, "\n        repeat: ", b->repeat);
        put_number(to, "\n        again: ", b->again);
        put_number(to, "\n        repeat_duration: ", b->repeat_duration);
        (void)fprintf(to, "\n        kinds:\n");
        for (size_t k = 0; k < b->n; k++) put_kind(to, &b->kind[k]);
    }
}

void model_write(const struct model *m, FILE *to)
{
    (void)fprintf(
        to,
        "# Learnt by `fairway trace fit`; `fairway trace generate --model` makes jobs from it.\n"
        "# A distribution is {share: mean}: the mean of the values up to that share of all.  Times in s,\n"
        "# memory in MiB, of all tasks of a job together.  Every word: " DIAG_DOC("traces/README.md") ".\n"
        "fairway_model: %d\nleast: %d\ndays: %lld\njobs: ",
        MODEL_VERSION, MODEL_LEAST, (long long)m->days);
    put(to, (double)m->jobs);
    put_list(to, "\nactive_by_weekday: ", m->active, MODEL_WEEK);
    put_list(to, "\nsessions_by_weekday: ", m->busy, MODEL_WEEK);
    (void)fprintf(to, "\nhours:\n");
    for (int w = 0; w < MODEL_WEEK; w++) {
        put_list(to, "  - ", m->hour[w], MODEL_DAY);
        (void)fputc('\n', to);
    }
    (void)fprintf(to, "classes:\n");
    for (size_t i = 0; i < m->n; i++) put_class(to, &m->at[i]);
}

/* ---- reading ---- */

#define SECONDS_MAX ((double)DUR_MAX / (double)TICK_SEC)

static const struct ydoc_node *needed(const struct ydoc_node *map, const char *key, enum ydoc_type type, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    if (n == NULL) (void)ydoc_error(map, d, "found no '%s'", key);
    else if (n->type != type)
        (void)ydoc_expected(n, d, type == YDOC_LIST ? "a list" : type == YDOC_MAP ? "a map" : "a value");
    return n != NULL && n->type == type ? n : NULL;
}

static enum st read_list(const struct ydoc_node *list, size_t n, double *x, struct diag *d)
{
    if (list == NULL) return d->code;
    if (list->type != YDOC_LIST || list->n != n) return ydoc_error(list, d, "expected a list of %zu numbers", n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        TRY(ydoc_node_double(list->at[i], 0, 1e9, &x[i], d));
        sum += x[i];
    }
    return sum > 0 ? ST_OK : ydoc_error(list, d, "every number of the list is 0");
}

static enum st read_bins(const struct ydoc_node *n, double least, double most, struct model_bins *b, struct diag *d)
{
    if (n == NULL) return d->code;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map {share: mean}");
    if (n->n > MODEL_CUTS)
        return ydoc_error(n, d, "'%s': found more than %d parts", n->key != NULL ? n->key : "", MODEL_CUTS);
    for (size_t i = 0; i < n->n; i++) {
        TRY(ydoc_node_double(n->at[i], least, most, &b->mean[i], d));
        if (!text_double(n->at[i]->key, &b->upto[i]) || b->upto[i] <= (i > 0 ? b->upto[i - 1] : 0) || b->upto[i] > 1)
            return ydoc_key_error(n->at[i], d, "found share '%s', expected one above the last, and at most 1",
                                  n->at[i]->key);
        if (i > 0 && b->mean[i] < b->mean[i - 1])
            return ydoc_error(n->at[i], d, "found a mean below the one before it");
        b->n++;
    }
    if (b->n > 0 && b->upto[b->n - 1] < 1) return ydoc_error(n, d, "the last share is not 1");
    return ST_OK;
}

static enum st scaled(const struct ydoc_node *n, const char *key, double unit, double most, int64_t *out,
                      struct diag *d)
{
    double x = 0;
    TRY(ydoc_double(n, key, 0, most, &x, d));
    *out = llround(x * unit);
    return ST_OK;
}

static enum st read_kind(const struct ydoc_node *n, struct model_kind *k, struct diag *d)
{
    static const char *const keys[] = { "weight",  "tasks",       "gang",       "exclusive", "gpus",   "cpus",
                                        "mem_mib", "gpu_mem_mib", "duration_s", "limited",   "limit_s" };
    int64_t gang = 0, exclusive = 0;
    const struct ydoc_node *limits;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map");
    TRY(ydoc_keys(n, "a kind of jobs", keys, ARRAY_LEN(keys), d));
    k->tasks = 1;
    k->weight = 1;
    TRY(ydoc_double(n, "weight", YDOC_ABOVE_0, 1e9, &k->weight, d));
    TRY(ydoc_int(n, "tasks", 1, 1000000, &k->tasks, d));
    TRY(ydoc_int(n, "gang", 0, 1, &gang, d));
    TRY(ydoc_int(n, "exclusive", 0, 1, &exclusive, d));
    TRY(scaled(n, "gpus", 1000, 1e6, &k->gpu_milli, d));
    TRY(scaled(n, "cpus", 1000, 1e8, &k->cpu_milli, d));
    TRY(scaled(n, "mem_mib", 0x1p20, 1e12, &k->mem_b, d));
    TRY(scaled(n, "gpu_mem_mib", 0x1p20, 1e9, &k->gpu_mem_b, d));
    k->gang = gang;
    k->exclusive = exclusive;
    TRY(read_bins(needed(n, "duration_s", YDOC_MAP, d), 0, SECONDS_MAX, &k->duration, d));
    if (k->duration.n == 0) return ydoc_error(n, d, "found no duration");
    if ((k->gpu_milli + 999) / 1000 > k->tasks * 64) return ydoc_error(n, d, "a task has more than 64 cards");
    TRY(ydoc_double(n, "limited", 0, 1, &k->limited, d));
    TRY(ydoc_list(n, "limit_s", &limits, d));
    if (limits == NULL) return k->limited > 0 ? ydoc_error(n, d, "found 'limited' without 'limit_s'") : ST_OK;
    if (limits->n != 1 && limits->n != MODEL_THIRDS)
        return ydoc_expected(limits, d, "one distribution or %d", MODEL_THIRDS);
    for (size_t i = 0; i < limits->n; i++) {
        TRY(read_bins(limits->at[i], 0, SECONDS_MAX, &k->limit[i], d));
        if (k->limit[i].n == 0) return ydoc_error(limits, d, "found an empty distribution");
    }
    return ST_OK;
}

static enum st read_batch(const struct ydoc_node *n, int64_t least, struct model_batch *b, struct diag *d)
{
    static const char *const keys[] = { "from", "gap_s", "repeat", "again", "repeat_duration", "kinds" };
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map");
    TRY(ydoc_keys(n, "a batch", keys, ARRAY_LEN(keys), d));
    b->from = least;
    TRY(ydoc_int(n, "from", least, 1000000000, &b->from, d));
    TRY(read_bins(needed(n, "gap_s", YDOC_MAP, d), 0, SECONDS_MAX, &b->gap, d));
    TRY(ydoc_double(n, "repeat", 0, 1, &b->repeat, d));
    TRY(ydoc_double(n, "again", 0, 1, &b->again, d));
    TRY(ydoc_double(n, "repeat_duration", 0, 1, &b->repeat_duration, d));
    const struct ydoc_node *kinds = needed(n, "kinds", YDOC_LIST, d);
    if (kinds == NULL) return d->code;
    if (kinds->n == 0 || kinds->n > MODEL_KINDS_MAX) return ydoc_expected(kinds, d, "1 to %d kinds", MODEL_KINDS_MAX);
    for (size_t i = 0; i < kinds->n; i++) TRY(read_kind(kinds->at[i], MEM_NEXT(b->kind, b->n, b->cap), d));
    return ST_OK;
}

static enum st read_class(const struct ydoc_node *n, struct model_class *c, struct diag *d)
{
    static const char *const keys[] = {
        "users", "come", "stay", "persist", "persist_week", "sessions_in_day", "jobs_in_session", "batches"
    };
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map");
    TRY(ydoc_keys(n, "a class of users", keys, ARRAY_LEN(keys), d));
    c->users = 1;
    TRY(ydoc_int(n, "users", 1, 1000000, &c->users, d));
    TRY(ydoc_double(n, "come", 0, 1, &c->come, d));
    TRY(ydoc_double(n, "stay", 0, 1, &c->stay, d));
    TRY(ydoc_double(n, "persist", 0, 1, &c->persist, d));
    TRY(ydoc_double(n, "persist_week", 0, 1, &c->persist_week, d));
    TRY(read_bins(needed(n, "sessions_in_day", YDOC_MAP, d), 0, 1e6, &c->sessions, d));
    TRY(read_bins(needed(n, "jobs_in_session", YDOC_MAP, d), 0, 1e6, &c->jobs, d));
    if (c->sessions.n == 0 || c->jobs.n == 0)
        return ydoc_error(n, d, "found no sessions in a day, or no jobs in a session");
    const struct ydoc_node *batches = needed(n, "batches", YDOC_LIST, d);
    if (batches == NULL) return d->code;
    if (batches->n == 0 || batches->n > MODEL_BATCHES)
        return ydoc_expected(batches, d, "1 to %d batches", MODEL_BATCHES);
    for (size_t i = 0; i < batches->n; i++)
        TRY(read_batch(batches->at[i], i > 0 ? c->batch[i - 1].from + 1 : 1, &c->batch[c->n++], d));
    return ST_OK;
}

static enum st read_root(const struct ydoc_node *root, struct model *m, struct diag *d)
{
    static const char *const keys[] = { "fairway_model",       "least", "days",   "jobs", "active_by_weekday",
                                        "sessions_by_weekday", "hours", "classes" };
    int64_t version = 0, least;
    if (root->type != YDOC_MAP || ydoc_get(root, "fairway_model") == NULL)
        return ydoc_error(root, d, "is no model: it has no 'fairway_model', as `fairway trace fit` writes it");
    TRY(ydoc_int(root, "fairway_model", 1, 1000, &version, d));
    if (version != MODEL_VERSION)
        return ydoc_error(ydoc_get(root, "fairway_model"), d, "found a model of form %lld, expected %d",
                          (long long)version, MODEL_VERSION);
    TRY(ydoc_keys(root, "the model", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_int(root, "least", 1, 1000000, &least, d));
    m->days = 1;
    TRY(ydoc_int(root, "days", 1, MODEL_DAYS_MAX, &m->days, d));
    TRY(ydoc_int(root, "jobs", 1, INT64_C(1000000000000), &m->jobs, d));
    TRY(read_list(needed(root, "active_by_weekday", YDOC_LIST, d), MODEL_WEEK, m->active, d));
    TRY(read_list(needed(root, "sessions_by_weekday", YDOC_LIST, d), MODEL_WEEK, m->busy, d));
    const struct ydoc_node *hours = needed(root, "hours", YDOC_LIST, d),
                           *classes = needed(root, "classes", YDOC_LIST, d);
    if (hours == NULL || classes == NULL) return d->code;
    if (hours->n != MODEL_WEEK) return ydoc_expected(hours, d, "%d lists, one a day of the week", MODEL_WEEK);
    for (size_t w = 0; w < MODEL_WEEK; w++) TRY(read_list(hours->at[w], MODEL_DAY, m->hour[w], d));
    if (classes->n == 0 || classes->n > MODEL_CLASSES_MAX)
        return ydoc_expected(classes, d, "1 to %d classes", MODEL_CLASSES_MAX);
    for (size_t i = 0; i < classes->n; i++) TRY(read_class(classes->at[i], MEM_NEXT(m->at, m->n, m->cap), d));
    return ST_OK;
}

enum st model_read(struct model *m, const char *path, struct diag *d)
{
    struct ydoc y;
    *m = (struct model){ .n = 0 };
    TRY(ydoc_load(&y, path, d));
    enum st st = read_root(y.root, m, d);
    ydoc_fini(&y);
    if (st != ST_OK) model_fini(m);
    return st;
}
