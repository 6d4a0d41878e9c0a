/* promise_tell.c -- the smallest sizes in words and tables, of promise.h. */
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/table.h"
#include "search/promise.h"
#include "search/tell.h"

/* "13 nodes", "a cost of 52.4 an hour"; with more than one group, of what. */
static char *size_words(const struct search *s, const struct trial_set *x)
{
    const struct search_spec *spec = s->trial.spec;
    const size_t n_groups = spec->n_variables - (spec->n_loads > 1);
    struct mem_text text;
    mem_text_open(&text);
    if (spec->is_cost) (void)fprintf(text.to, "a cost of %.6g an hour", x->objective);
    else (void)fprintf(text.to, "%.0f node%s", x->objective, x->objective > 1 ? "s" : "");
    for (size_t v = 0; v < n_groups && (n_groups > 1 || spec->is_cost); v++)
        (void)fprintf(text.to, "%s%s=%s%s", v == 0 ? " (" : ", ", spec->variable[v].name, x->value[v],
                      v + 1 == n_groups ? ")" : "");
    return mem_text_close(&text);
}

/* The first promise with this verdict; the error of a run where there was one. */
static void put_reason(FILE *to, const struct search *s, const struct trial_set *x, enum trial_verdict verdict)
{
    const struct targets *t = s->trial.targets;
    if (x->error != NULL) {
        (void)fprintf(to, "%s", x->error);
        return;
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct published_row *r = &t->at[i].row;
        if (promise_of(r, &x->ci[i]) != verdict) continue;
        tell_name(to, t, i);
        (void)fputs(" is ", to);
        tell_interval(to, &x->ci[i]);
        (void)fprintf(to, ", promised at %s %.6g", r->is == '<' ? "most" : "least", r->value);
        return;
    }
}

static void put_fresh(FILE *to, const struct search *s, const struct search_answer *a)
{
    const struct trial_set *x = a->fresh;
    if (x == NULL) {
        (void)fprintf(to,
                      " Nothing here is drawn from the seed: intervals are of batches of one run, and no fresh seeds "
                      "can judge it again.");
        return;
    }
    if (x->verdict == TRIAL_KEPT) {
        (void)fprintf(to, " On %zu fresh seeds it keeps them too.", x->n_met);
        return;
    }
    (void)fprintf(to, " On %zu fresh seeds %s: ", x->n_met,
                  x->verdict == TRIAL_BROKEN ? "it does not" : "that is open");
    put_reason(to, s, x, x->verdict);
    (void)fputc('.', to);
}

/* Why it is not decided. */
static void put_open(FILE *to, const struct search *s, const struct search_answer *a)
{
    const struct search_spec *spec = s->trial.spec;
    if (a->open != NULL) {
        char *size = size_words(s, a->open);
        (void)fprintf(to, "; after %zu seed%s it cannot be told of %s, where ", a->open->n_met,
                      a->open->n_met == 1 ? "" : "s", size);
        put_reason(to, s, a->open, TRIAL_OPEN);
        mem_free(size);
    }
    if (s->is_over && spec->budget_runs > 0)
        (void)fprintf(to, "; the budget of %llu runs is spent", (unsigned long long)spec->budget_runs);
    else if (s->is_over) (void)fprintf(to, "; the budget of %g minutes is spent", spec->budget_s / 60);
}

static void put_least(FILE *to, const struct search *s, const struct search_answer *a)
{
    if (s->trial.spec->is_cost) (void)fprintf(to, "what costs less than %.6g an hour", a->least);
    else (void)fprintf(to, "fewer than %.0f nodes", a->least);
}

/* What breaks a promise at less load breaks it here, too: its numbers are those of less load. */
static const char *where(const struct search *s, const struct search_answer *a)
{
    const struct search_spec *spec = s->trial.spec;
    if (spec->n_loads < 2) return "";
    const size_t k = (size_t)(a->broken->at[spec->n_variables - 1] * (double)spec->n_loads);
    return spec->load[k] < a->load ? ", even at less load," : "";
}

char *promise_words(const struct search *s, const struct search_answer *a)
{
    const bool is_cost = s->trial.spec->is_cost;
    struct mem_text text;
    mem_text_open(&text);
    FILE *to = text.to;
    if (a->load > 1) (void)fprintf(to, "With %.4g %% more load: ", 100 * (a->load - 1));
    char *size = a->kept != NULL ? size_words(s, a->kept) : NULL,
         *broken = a->broken != NULL ? size_words(s, a->broken) : NULL;
    if (!a->is_decided) (void)fputs("not decided: ", to);
    if (size != NULL) (void)fprintf(to, "%s keep%s every promise", size, is_cost || a->kept->objective <= 1 ? "s" : "");
    if (a->is_decided && a->is_first) {
        (void)fprintf(to, ", and nothing %s is in the ranges", is_cost ? "cheaper" : "smaller");
    } else if (a->is_decided && size != NULL) {
        (void)fprintf(to, ", and nothing %s does", is_cost ? "cheaper" : "smaller");
        if (broken != NULL) {
            (void)fprintf(to, ": with %s%s ", broken, where(s, a));
            put_reason(to, s, a->broken, TRIAL_BROKEN);
        }
    } else if (a->is_decided) {
        (void)fprintf(to, "no size keeps every promise: with %s%s ", broken, where(s, a));
        put_reason(to, s, a->broken, TRIAL_BROKEN);
    } else {
        if (broken != NULL) {
            (void)fputs(size != NULL ? ", " : "", to);
            put_least(to, s, a);
            (void)fprintf(to, "%s%s", is_cost ? " does not" : " do not", size == NULL ? " keep every promise" : "");
        }
        if (size == NULL && broken == NULL) (void)fputs("no size is shown to keep every promise, or to break one", to);
        put_open(to, s, a);
    }
    (void)fputc('.', to);
    if (a->kept != NULL) put_fresh(to, s, a);
    MEM_FREE(size, broken);
    return mem_text_close(&text);
}

/* ---- tables ---- */

/* How much of the bound is left, in per cent of it; where that is 0 in the metric's unit. */
static void cell_slack(struct table *t, const struct published_row *r, const struct stats_ci *ours)
{
    const double sign = r->is == '<' ? 1 : -1, of = fabs(r->value) > 0 ? 100 / fabs(r->value) : 1;
    const struct stats_ci slack = { .mean = sign * of * (r->value - ours->mean),
                                    .half = ours->half,
                                    .lo = of * (sign > 0 ? r->value - ours->hi : ours->lo - r->value),
                                    .hi = of * (sign > 0 ? r->value - ours->lo : ours->hi - r->value) };
    tell_cell(t, &slack, fabs(r->value) > 0 ? " %" : "");
}

static void tell_sizes(const struct search *s, FILE *to)
{
    const struct search_spec *spec = s->trial.spec;
    const double first = s->answer[0].kept != NULL ? s->answer[0].kept->objective : NAN;
    struct table *t = table_create();
    table_column(t, "load", true);
    table_column(t, spec->is_cost ? "cost an hour" : "nodes", true);
    table_column(t, "more", true);
    for (size_t v = 0; v < spec->n_variables - (spec->n_loads > 1); v++) table_column(t, spec->variable[v].name, true);
    table_column(t, "nothing below", true);
    table_column(t, "decided", false);
    table_column(t, "seeds", true);
    table_column(t, "fresh seeds", false);
    for (size_t i = 0; i < s->n_answers; i++) {
        const struct search_answer *a = &s->answer[i];
        table_cell(t, "%.4g", a->load);
        if (a->kept != NULL) table_cell(t, "%.6g", a->kept->objective);
        else table_cell(t, "%s", "");
        if (a->kept != NULL && i > 0 && !isnan(first)) table_cell(t, "%+.4g", a->kept->objective - first);
        else table_cell(t, "%s", "");
        for (size_t v = 0; v < spec->n_variables - (spec->n_loads > 1); v++)
            table_cell(t, "%s", a->kept != NULL ? a->kept->value[v] : "");
        if (isfinite(a->least)) table_cell(t, "%.6g", a->least);
        else table_cell(t, "%s", "");
        table_cell(t, "%s", a->is_decided ? "yes" : "NO");
        if (a->kept != NULL) table_cell(t, "%zu", a->kept->n_met);
        else table_cell(t, "%s", "");
        table_cell(t, "%s", a->fresh != NULL ? trial_verdict_name[a->fresh->verdict] : "");
    }
    (void)fprintf(
        to, "\nThe smallest size that keeps every promise, by load (nothing below: what is smaller breaks one):\n\n");
    table_end(t, TABLE_TEXT, to);
}

static void tell_promises(const struct search *s, FILE *to)
{
    const struct targets *of = s->trial.targets;
    struct table *t = table_of("#load|promise|#wanted|#ours|#slack|#fresh seeds|#slack");
    for (size_t i = 0; i < s->n_answers; i++)
        for (size_t k = 0; k < of->n && s->answer[i].kept != NULL; k++) {
            const struct trial_set *x[] = { s->answer[i].kept, s->answer[i].fresh };
            const struct published_row *r = &of->at[k].row;
            struct mem_text name;
            mem_text_open(&name);
            tell_name(name.to, of, k);
            char *words = mem_text_close(&name);
            table_cell(t, "%.4g", s->answer[i].load);
            table_cell(t, "%s", words);
            table_cell(t, "at %s %.6g", r->is == '<' ? "most" : "least", r->value);
            for (size_t j = 0; j < 2; j++) {
                if (x[j] == NULL || x[j]->error != NULL) {
                    table_cell(t, "%s", "");
                    table_cell(t, "%s", "");
                    continue;
                }
                tell_cell(t, &x[j]->ci[k], "");
                cell_slack(t, r, &x[j]->ci[k]);
            }
            mem_free(words);
        }
    (void)fprintf(to,
                  "\nWhat it is then, with the interval that decided and with one at %.4g %% of fresh seeds; slack is "
                  "what is left "
                  "of the bound:\n\n",
                  100 * s->trial.spec->confidence);
    table_end(t, TABLE_TEXT, to);
}

enum st promise_tell(const struct search *s, FILE *to, struct diag *d)
{
    bool any = false, is_open = false;
    for (size_t i = 0; i < s->n_answers; i++) {
        char *words = promise_words(s, &s->answer[i]);
        tell_sentence(words, to);
        mem_free(words);
        any = any || s->answer[i].kept != NULL;
        is_open = is_open || s->answer[i].open != NULL;
    }
    char one_history[] = "Nothing hangs on the seed here, and one history has no interval over seeds. Pieces of the "
                         "trace (`trace.instances`), or jobs like its own (`fairway trace fit`, `format: model`), make "
                         "seeds differ.";
    if (is_open && !s->trial.targets->scenario[0].is_drawn) tell_sentence(one_history, to);
    tell_sizes(s, to);
    if (any) tell_promises(s, to);
    (void)fprintf(to, "\n%zu sizes and loads were tried, in %llu runs.\n", s->n_ranked, (unsigned long long)s->n_runs);
    return any ? tell_troubles(s, s->answer[0].kept != NULL ? s->answer[0].kept : s->set[0], to, d) : ST_OK;
}
