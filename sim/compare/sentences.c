/* sentences.c -- a comparison as sentences, the whole of it as one, and how far from the best possible. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "compare/view.h"
#include "compare/metric_info.h"

/* ---- sentences ---- */

struct text { char *s; size_t n, cap, n_claims, first; };      /* first: where the first claim ends */

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = mem_vprintf(fmt, ap);
    va_end(ap);
    size_t n = strlen(s);
    MEM_RESERVE(t->s, t->cap, t->n + n + 1);
    memcpy(t->s + t->n, s, n + 1);
    t->n += n;
    mem_free(s);
}

/* "4.1 % ± 0.9 %", "3.0 % [1.2, 6.6]", "12.5 ± 2.0 min". */
static void add_amount(struct text *t, const struct compare_change *g, bool is_tail)
{
    double sign = g->by.mean < 0 ? -g->scale.by : g->scale.by, x = sign * g->by.mean;
    double lo = sign * (sign < 0 ? g->by.hi : g->by.lo), hi = sign * (sign < 0 ? g->by.lo : g->by.hi);
    const char *unit = g->is_percent ? " %" : g->scale.unit, *gap = !g->is_percent && g->scale.unit[0] ? " " : "";
    int digits = g->is_percent ? 1 : compare_digits(x);
    if (!(g->by.half > 0)) add(t, "%.*f%s%s", digits, x, gap, unit);
    else if (is_tail && g->by.n >= STATS_SKEW_LEAST) add(t, "%.*f%s%s [%.*f, %.*f]", digits, x, gap, unit, digits, lo, digits, hi);
    else add(t, "%.*f%s \u00b1 %.*f%s%s", digits, x, g->is_percent ? unit : "", digits, g->by.half * g->scale.by, gap,
             unit);
}

/* "(p99)" where the metric is not the mean of its family. */
static void add_tail(struct text *t, const char *metric)
{
    const char *tail = metric_info_tail(metric);
    if (tail[0] != '\0' && strcmp(tail, "_mean") != 0) add(t, " (%s)", tail + 1);
}

static void add_claim(struct text *t, const char *metric, const struct compare_change *g)
{
    const struct metric_info *m = metric_info_of(metric);
    const char *phrase = m == NULL ? "has %s" : g->by.mean < 0 ? m->less : m->more, *at = strstr(phrase, "%s");
    add(t, "%.*s", (int)(at - phrase), phrase);
    add_amount(t, g, metric_info_is_tail(metric));
    if (m == NULL) { add(t, " %s %s", g->by.mean < 0 ? "less" : "more", metric); return; }
    add(t, "%s", at + 2);
    add_tail(t, metric);
}

static void add_noun(struct text *t, const char *metric)
{
    const struct metric_info *m = metric_info_of(metric);
    add(t, "%s%s", t->n > 0 ? ", " : "", m != NULL ? m->noun : metric);
    if (m != NULL) add_tail(t, metric);
}

enum verdict { DIFFERS, INDISTINGUISHABLE, SAME, OPEN, UNKNOWN };

static enum verdict judge(const struct compare_change *g)
{
    if (isnan(g->by.mean)) return UNKNOWN;
    if (isinf(g->by.half)) return OPEN;
    if (g->by.mean == 0 && !(g->by.half > 0)) return SAME;
    if (!(g->by.half > 0)) return DIFFERS;         /* one seed, or all seeds alike */
    return g->by.lo <= 0 && g->by.hi >= 0 ? INDISTINGUISHABLE : DIFFERS;
}

static bool is_worse(const char *metric, const struct compare_change *g)
{
    const struct metric_info *m = metric_info_of(metric);
    return m != NULL && m->better == (g->by.mean < 0 ? BETTER_HIGHER : BETTER_LOWER);
}

static bool has_common_seed(const struct compare_policy *a, const struct compare_policy *b)
{
    for (size_t i = 0; i < a->n_runs; i++)
        for (size_t k = 0; k < b->n_runs; k++)
            if (a->seed[i] == b->seed[k]) return true;
    return false;
}

/* "gsp finishes jobs 4.1 % ± 0.9 % sooner than gs, but ...; fairness among users indistinguishable at 10 seeds". */
char *compare_sentence(const struct compare_view *v, const struct compare_policy *p, size_t *judged)
{
    struct text good = { 0 }, bad = { 0 }, open = { 0 }, same = { 0 }, undecided = { 0 }, all = { 0 };
    size_t pairs = 0;
    for (size_t i = 0; i < v->n_metrics; i++) {
        struct compare_change g = compare_change_of(v, p, v->metric[i]);
        enum verdict is = judge(&g);
        if (g.by.n > pairs) pairs = g.by.n;
        *judged += g.by.half > 0 && isfinite(g.by.half);
        if (is == DIFFERS) {
            struct text *t = is_worse(v->metric[i], &g) ? &bad : &good;
            if (t->n > 0) add(t, ", ");
            add_claim(t, v->metric[i], &g);
            if (t->n_claims++ == 0) t->first = t->n;
        } else if (is != UNKNOWN) {
            add_noun(is == SAME ? &same : is == OPEN ? &undecided : &open, v->metric[i]);
        }
    }
    add(&all, "%s", p->label);
    const struct text *lead = good.n > 0 ? &good : &bad;
    if (lead->n > 0) add(&all, " %.*s than %s%s", (int)lead->first, lead->s, v->base->label, lead->s + lead->first);
    if (good.n > 0 && bad.n > 0) add(&all, ", but %s", bad.s);
    if (lead->n == 0)
        add(&all, pairs > 0 ? " and %s are not told apart" :
                  has_common_seed(p, v->base) ? " and %s have none of these numbers in common" : " and %s have no seed in common", v->base->label);
    if (open.n > 0)
        add(&all, p->batches != NULL ? "; %s indistinguishable in %zu batches" : "; %s indistinguishable at %zu seeds",
            open.s, pairs);
    if (undecided.n > 0) add(&all, "; %s open, as the run is too short", undecided.s);
    if (same.n > 0) add(&all, "; %s the same", same.s);
    add(&all, pairs == 1 ? " (one seed: one case, no evidence)." : ".");
    mem_free(good.s); mem_free(bad.s); mem_free(open.s); mem_free(same.s); mem_free(undecided.s);
    return all.s;
}

char *compare_sentence_caution(size_t judged)
{
    struct text t = { 0 };
    if (judged < 20) return NULL;
    add(&t, "These are %zu intervals of 95 %%: were nothing different, about %zu would still leave 0 out.",
        judged, (judged + 10) / 20);
    return t.s;
}

static bool has_equal_runs(const struct compare_policy *a, const struct compare_policy *b)
{
    return a->n_runs == b->n_runs && memcmp(a->seed, b->seed, a->n_runs * sizeof *a->seed) == 0
           && memcmp(a->digest, b->digest, a->n_runs * sizeof *a->digest) == 0;
}

/* "fifo, easy and sjf", the policies whose runs are equal to those of the first; not again where it is not the first. */
static void add_equal(struct text *t, const struct compare_case *k, size_t first)
{
    size_t last = first;
    for (size_t i = 0; i < first; i++) if (has_equal_runs(&k->policy[i], &k->policy[first])) return;
    for (size_t i = first + 1; i < k->n_policies; i++) if (has_equal_runs(&k->policy[first], &k->policy[i])) last = i;
    for (size_t i = first; i <= last && last > first; i++)
        if (has_equal_runs(&k->policy[first], &k->policy[i]))
            add(t, "%s%s", i == first ? "" : i < last ? ", " : " and ", k->policy[i].label);
}

char *compare_remark(const struct compare_view *v, size_t i)
{
    const size_t n = v->k->n_policies;
    const struct compare_policy *p = &v->k->policy[i % n];
    struct text t = { 0 };
    if (i >= n) {
        add_equal(&t, v->k, i - n);
        if (t.n > 0) add(&t, ": equal runs, to the last event.");
    } else if (compare_mean(v->c, p, "jobs_unlimited", "all").mean > 0) {
        add(&t, "%s goes by limits, and %.6g of %.6g jobs have none: it has no estimate of them.", p->label,
            compare_mean(v->c, p, "jobs_unlimited", "all").mean, compare_mean(v->c, p, "jobs_arrived", "all").mean);
    }
    return t.s;
}

const char *compare_waits(const struct compare_view *v)
{
    for (size_t i = 0; i < v->n_metrics; i++) {
        const struct metric_info *m = metric_info_of(v->metric[i]);
        if (m != NULL && (strcmp(m->name, "wait") == 0 || strcmp(m->name, "not_running") == 0))
            return "wait: until a job's first start; not_running: all the time from its arrival to its end in which"
                   " none of its tasks ran, after interruptions too.";
    }
    return NULL;
}

static void print_remarks(const struct compare_view *v)
{
    bool any = false;
    for (size_t i = 0; i < 2 * v->k->n_policies; i++) {
        char *s = compare_remark(v, i);
        if (s != NULL && !any) (void)fputc('\n', v->to);
        if (s != NULL) compare_line(v, "%s", s);
        any = any || s != NULL;
        mem_free(s);
    }
}

void compare_print_sentences(const struct compare_view *v)
{
    size_t judged = 0;
    (void)fputc('\n', v->to);
    compare_line(v, "In words:");
    (void)fputc('\n', v->to);
    for (size_t i = 0; i < v->k->n_policies; i++) {
        if (&v->k->policy[i] == v->base) continue;
        char *s = compare_sentence(v, &v->k->policy[i], &judged);
        if (v->format == TABLE_MARKDOWN) (void)fputs("- ", v->to);
        compare_line(v, "%s", s);
        if (v->format == TABLE_LATEX) (void)fputc('\n', v->to);      /* a paragraph each */
        mem_free(s);
    }
    print_remarks(v);
    char *caution = compare_sentence_caution(judged);
    if (caution == NULL) return;
    (void)fputc('\n', v->to);
    compare_line(v, "%s", caution);
    mem_free(caution);
}

/* ---- what became of the jobs, and the whole case in one sentence ---- */

static double mean_of(const struct compare_view *v, const struct compare_policy *p, const char *metric)
{
    return compare_mean(v->c, p, metric, "all").mean;
}

char *compare_fates(const struct compare_view *v, const struct compare_policy *p)
{
    struct text t = { 0 };
    const double arrived = mean_of(v, p, "jobs_arrived"), done = mean_of(v, p, "jobs_done");
    if (arrived > 0 && done == arrived) add(&t, "all %.6g jobs done", done);
    else if (arrived > 0) add(&t, "%.6g of %.6g jobs done", done, arrived);
    else add(&t, "%.6g jobs done", done);
    for (size_t i = 0; i < METRIC_TROUBLES; i++) {
        double n = mean_of(v, p, metric_info_troubles[i].metric);
        if (n > 0) add(&t, ", %.6g %s", n, metric_info_troubles[i].heading);
    }
    return t.s;
}

static double lost_jobs(const struct compare_view *v, const struct compare_policy *p)
{
    return mean_of(v, p, "jobs_arrived") - mean_of(v, p, "jobs_done") - mean_of(v, p, "jobs_timeout");
}

/* Those that may be called best: of two and more that are told no true durations these, else all. */
static size_t candidates(const struct compare_view *v, bool *is_one)
{
    size_t honest = 0;
    for (size_t i = 0; i < v->k->n_policies; i++) honest += !v->k->policy[i].clairvoyant;
    for (size_t i = 0; i < v->k->n_policies; i++) is_one[i] = honest < 2 || !v->k->policy[i].clairvoyant;
    return honest < 2 ? v->k->n_policies : honest;
}

/* The one with the best mean; v->base where none is better, NULL where none has the metric. */
static const struct compare_policy *best_of(const struct compare_view *v, const char *metric, const bool *is_one)
{
    const struct metric_info *m = metric_info_of(metric);
    const double sign = m != NULL && m->better == BETTER_HIGHER ? -1 : 1;
    const struct compare_policy *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < v->k->n_policies; i++) {
        double x = sign * compare_mean(v->c, &v->k->policy[i], metric, v->scope).mean;
        if (!is_one[i] || isnan(x) || !(x < least || (x == least && &v->k->policy[i] == v->base))) continue;
        least = x;
        best = &v->k->policy[i];
    }
    return best;
}

/* What of the metrics got worse, as claims. */
static void add_worse(struct text *t, const struct compare_view *v, const struct compare_policy *p)
{
    size_t n = 0;
    for (size_t i = 1; i < v->n_metrics; i++) {
        struct compare_change g = compare_change_of(v, p, v->metric[i]);
        if (judge(&g) != DIFFERS || !is_worse(v->metric[i], &g)) continue;
        add(t, n++ == 0 ? ", but " : ", ");
        add_claim(t, v->metric[i], &g);
    }
}

/* ": WHO finishes jobs 20 % sooner than BASE", by the first metric; nothing where they are not told apart. */
static bool add_lead(struct text *t, const struct compare_view *v, const struct compare_policy *p, const char *who)
{
    struct compare_change g = compare_change_of(v, p, v->metric[0]);
    if (p == v->base || judge(&g) != DIFFERS) return false;
    add(t, ": %s ", who);
    add_claim(t, v->metric[0], &g);
    add(t, " than %s", v->base->label);
    return true;
}

/* "; easy and las are not told apart from it": the candidates that may be as good, by name where they are few. */
static void add_peers(struct text *t, const char *before, const struct compare_view *v,
                      const struct compare_policy *best, const bool *is_one)
{
    enum { NAMED = 3 };
    struct compare_view against = *v;
    const struct compare_policy *peer[NAMED];
    size_t n = 0;
    against.base = best;
    for (size_t i = 0; i < v->k->n_policies; i++) {
        const struct compare_policy *p = &v->k->policy[i];
        struct compare_change g = compare_change_of(&against, p, v->metric[0]);
        enum verdict is = judge(&g);
        if (p == best || !is_one[i] || is == DIFFERS || is == UNKNOWN) continue;
        if (n < NAMED) peer[n] = p;
        n++;
    }
    if (n == 0) return;
    add(t, "%s", before);
    if (n > NAMED) add(t, "%zu others", n);
    for (size_t i = 0; i < n && n <= NAMED; i++)
        add(t, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " and ", peer[i]->label);
    add(t, " %s not told apart from it", n > 1 ? "are" : "is");
}

static char *conclude_one(const struct compare_view *v, const struct compare_policy *p)
{
    struct text t = { 0 };
    char *fates = compare_fates(v, p);
    const struct compare_scale scale = compare_scale_of(v, v->metric[0]);
    const struct stats_ci x = compare_mean(v->c, p, v->metric[0], v->scope);
    add(&t, "Under %s: %s", p->label, fates);
    mem_free(fates);
    if (!isnan(x.mean)) {
        const double mean = x.mean * scale.by;
        struct text noun = { 0 };
        add_noun(&noun, v->metric[0]);
        add(&t, "; %s %.*f", noun.s, compare_digits(mean), mean);
        if (x.half > 0 && isfinite(x.half)) add(&t, " \u00b1 %.*f", compare_digits(mean), x.half * scale.by);
        add(&t, "%s%s", scale.unit[0] != '\0' ? " " : "", scale.unit);
        mem_free(noun.s);
    }
    if (p->n_runs > 1) add(&t, ", mean of %zu seeds", p->n_runs);
    add(&t, ".");
    return t.s;
}

char *compare_conclusion(const struct compare_view *v)
{
    const struct compare_case *k = v->k;
    const char *metric = v->metric[0];
    struct text t = { 0 }, noun = { 0 };
    bool *is_one;
    if (k->n_policies == 1) return conclude_one(v, &k->policy[0]);
    MEM_ARRAY(is_one, k->n_policies);
    const size_t n = candidates(v, is_one);
    const struct compare_policy *best = best_of(v, metric, is_one);
    add_noun(&noun, metric);
    add(&t, "Of %zu policies", n);
    if (n < k->n_policies) add(&t, " that are not told true durations,");
    if (best == NULL) {
        add(&t, " none has %s", noun.s);
    } else {
        add(&t, " %s%s does best by %s", best->label,
            best->clairvoyant ? ", which is told true durations," : "", noun.s);
        bool is_told_apart = add_lead(&t, v, best, "it");
        if (is_told_apart) add_worse(&t, v, best);
        if (best == v->base) {
            is_one[best - k->policy] = false;
            const struct compare_policy *next = best_of(v, metric, is_one);
            is_one[best - k->policy] = true;
            is_told_apart = next != NULL && add_lead(&t, v, next, next->label);
        }
        add_peers(&t, is_told_apart ? "; " : ", but ", v, best, is_one);
        if (lost_jobs(v, best) > 0)
            add(&t, "; %.6g of its %.6g jobs did not end and are in no mean", lost_jobs(v, best),
                mean_of(v, best, "jobs_arrived"));
        if (best->n_runs == 1 && best->batches == NULL) add(&t, " (one seed: one case, no evidence)");
    }
    add(&t, ".");
    mem_free(noun.s);
    mem_free(is_one);
    return t.s;
}

/* ---- bounds ---- */

struct stats_ci compare_over_bound(const struct compare *c, const struct compare_policy *p, const char *metric)
{
    double *x;
    size_t n = 0;
    MEM_ARRAY(x, p->n_runs);
    for (size_t b = 0; b < METRIC_BOUNDED && !window_is_on(&c->window); b++) {
        if (strcmp(metric_info_bounded[b].metric, metric) != 0) continue;
        for (size_t i = 0; i < p->n_runs; i++) {
            double at_least = compare_value(c, p->run[i], metric_info_bounded[b].bound, "all"), is = compare_value(c, p->run[i], metric, "all");
            if (at_least > 0 && !isnan(is)) x[n++] = is / at_least;
        }
    }
    struct stats_ci ci = stats_ci95(x, n);
    mem_free(x);
    return ci;
}

static void cell_times(struct table *t, struct stats_ci x)
{
    if (isnan(x.mean)) table_cell(t, "-");
    else if (x.half > 0) table_cell(t, "%.2f \u00b1%.2f", x.mean, x.half);
    else table_cell(t, "%.2f", x.mean);
}

void compare_print_bounds(const struct compare_view *v)
{
    struct compare_scale scale[METRIC_BOUNDED];
    bool any = false;
    for (size_t p = 0; p < v->k->n_policies; p++)
        for (size_t b = 0; b < METRIC_BOUNDED; b++) any = any || compare_over_bound(v->c, &v->k->policy[p], metric_info_bounded[b].metric).n > 0;
    if (!any) return;
    struct table *t = table_create();
    table_column(t, "policy", false);
    for (size_t b = 0; b < METRIC_BOUNDED; b++) {
        char heading[96];
        scale[b] = compare_scale_of(v, metric_info_bounded[b].metric);
        (void)snprintf(heading, sizeof heading, scale[b].unit[0] ? "%s, %s" : "%s", metric_info_bounded[b].metric, scale[b].unit);
        table_column(t, heading, true);
        table_column(t, "bound", true);
        table_column(t, "\u00d7 bound", true);
    }
    for (size_t p = 0; p < v->k->n_policies; p++) {
        const struct compare_policy *q = &v->k->policy[p];
        compare_policy_cell(t, q);
        for (size_t b = 0; b < METRIC_BOUNDED; b++) {
            compare_cell(t, compare_mean(v->c, q, metric_info_bounded[b].metric, "all"), scale[b].by, "");
            struct stats_ci bound = compare_mean(v->c, q, metric_info_bounded[b].bound, "all");
            compare_cell(t, (struct stats_ci){ .mean = bound.mean, .half = NAN }, scale[b].by, "");
            cell_times(t, compare_over_bound(v->c, q, metric_info_bounded[b].metric));
        }
    }
    (void)fputc('\n', v->to);
    compare_line(v, "How far from the best possible (no schedule of the jobs that ended is below the bound; the best one may be above it):");
    (void)fputc('\n', v->to);
    table_end(t, v->format, v->to);
}
