/* plot.c -- the table of figures, and one figure made: its case chosen, its options checked, its script run. */
#include "plot/plot.h"

#include <string.h>

#define PLOT_ENTRY(id) &plot_##id,
const struct plot_figure *const plot_figures[] = { PLOT_FIGURES(PLOT_ENTRY) NULL };

const struct plot_figure *plot_find(const char *name, struct diag *d)
{
    const char *names[ARRAY_LEN(plot_figures)];
    size_t n = 0;
    for (; plot_figures[n] != NULL; n++) {
        if (strcmp(plot_figures[n]->name, name) == 0) return plot_figures[n];
        names[n] = plot_figures[n]->name;
    }
    (void)diag_set(d, ST_EINPUT, "there is no figure '%s'; there are", name);
    for (size_t i = 0, at = strlen(d->msg); i < n && at + 64 < sizeof d->msg; at = strlen(d->msg), i++)
        (void)snprintf(d->msg + at, sizeof d->msg - at, "%s%s", i == 0 ? " " : i + 1 < n ? ", " : " and ", names[i]);
    (void)diag_suggest(d, name, names, n);
    return NULL;
}

static enum st check_options(const struct plot_figure *f, const struct plot_opts *o, struct diag *d)
{
    const struct { const char *in_options, *name; bool given; } all[] = {
        { "[-m ", "metric", o->metric != NULL }, { "[--scope ", "scope", o->scope != NULL }, { "[--base ", "base", o->base != NULL },
        { "[--run ", "run", o->run >= 0 }, { "[--nodes ", "nodes", o->nodes != NULL }, { "[--from ", "from", o->from >= 0 },
        { "[--to ", "to", o->to >= 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].given && (f->options == NULL || strstr(f->options, all[i].in_options) == NULL))
            return diag_set(d, ST_EINPUT, "the figure '%s' has no use for --%s", f->name, all[i].name);
    return ST_OK;
}

static bool has_run(const struct compare_case *k, int64_t run)
{
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++)
            if (k->policy[i].run[j] == run) return true;
    return false;
}

/* The case named, or that of the run named, or the only one. */
static enum st choose_case(const struct compare *c, const struct plot_opts *o, const struct compare_case **k, struct diag *d)
{
    for (size_t i = 0; i < c->n; i++) {
        *k = &c->at[i];
        if (o->scenario != NULL ? strcmp(c->at[i].title, o->scenario) == 0 : o->run >= 0 ? has_run(*k, o->run) : c->n == 1) return ST_OK;
    }
    *k = &c->at[0];
    if (o->scenario != NULL) (void)diag_set(d, ST_EINPUT, "the database has no finished run of a scenario '%s'", o->scenario);
    else if (o->run >= 0 && c->n == 1) return ST_OK;    /* the figure says what is wrong with the run */
    else if (o->run >= 0) (void)diag_set(d, ST_EINPUT, "the database has no finished run %lld", (long long)o->run);
    else (void)diag_set(d, ST_EINPUT, "the database has runs of %zu scenarios; choose one", c->n);
    return diag_hint(d, "--scenario '%s', for example", c->at[0].title);
}

static enum st draw(const struct plot_figure *f, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct gnuplot g;
    TRY(gnuplot_begin(&g, o->out, f->name, d));
    enum st st = f->draw(&g, c, k, o, d);
    if (st == ST_OK && k != NULL) st = compare_error(c, d);
    if (st == ST_OK) return gnuplot_end(&g, f->name, d);
    gnuplot_abort(&g);
    return st;
}

enum st plot_make(struct store *s, const struct plot_figure *f, const struct plot_opts *o, struct diag *d)
{
    struct compare c = { .store = s };
    const struct compare_case *k;
    TRY(check_options(f, o, d));
    if (f->is_of_file) return draw(f, &c, NULL, o, d);
    TRY(compare_load(&c, s, d));
    enum st st = choose_case(&c, o, &k, d);
    if (st == ST_OK) st = compare_check_rows(&c, k, d);
    if (st == ST_OK) st = draw(f, &c, k, o, d);
    compare_fini(&c);
    return st;
}
