/* charts.c -- charts of the page, as SVG. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "plot/plot.h"
#include "report/report_priv.h"

static char *read_all(const char *path, struct diag *d)
{
    FILE *f = fopen(path, "r");
    size_t n = 0, cap = 0, got;
    char *s = NULL;
    if (f == NULL) { (void)diag_at(d, ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno)); return NULL; }
    do {
        MEM_RESERVE(s, cap, n + 65536);
        n += got = fread(s + n, 1, 65535, f);
    } while (got > 0);
    s[n] = '\0';
    (void)fclose(f);
    return s;
}

static enum st draw(const struct compare *c, const struct compare_case *k, const struct plot_figure *f, size_t version,
                    const char *path, json_t *to, struct diag *d)
{
    struct plot_opts o = {
        .out = path, .scenario = k->title, .metric = f->chart[version].metric, .run = -1, .from = -1, .to = -1
    };
    TRY(plot_make(c->store, f, &o, d));
    char *text = read_all(path, d);
    if (text == NULL) return d->code;
    const char *svg = strstr(text, "<svg"); /* after the XML declaration */
    (void)json_array_append_new(to, json_pack("{s:s, s:s, s:b, s:o}", "name", f->name, "caption",
                                              f->chart[version].caption, "wide", f->chart[version].is_wide, "svg",
                                              jsonout_text(svg != NULL ? svg : "")));
    mem_free(text);
    return ST_OK;
}

/* Where the pictures are put for a moment. */
static enum st temp_dir(char *buf, size_t cap, struct diag *d)
{
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(buf, cap, "%s/fairway-XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
    if (mkdtemp(buf) != NULL) return ST_OK;
    return diag_at(d, ST_EWORLD, buf, 0, 0, "cannot make a temporary folder: %s", strerror(errno));
}

/* A figure that has nothing to draw is named, unless only rare runs have it. */
static enum st figure(const struct compare *c, const struct compare_case *k, const struct plot_figure *f,
                      const char *path, json_t *charts, json_t *missing, struct diag *d)
{
    for (size_t v = 0; v < PLOT_CHARTS && f->chart[v].caption != NULL; v++) {
        struct diag error = { 0 };
        enum st st = draw(c, k, f, v, path, charts, &error);
        (void)unlink(path);
        if (st == ST_EINPUT && !f->chart[v].is_rare)
            (void)json_array_append_new(missing, json_pack("[s, o]", f->name, jsonout_text(error.msg)));
        else if (st != ST_OK && st != ST_EINPUT) {
            *d = error;
            return st;
        }
    }
    return ST_OK;
}

enum st report_charts(const struct compare *c, const struct compare_case *k, json_t *to, struct diag *d)
{
    char dir[256], path[300];
    enum st st = ST_OK;
    json_t *charts = json_array(), *missing = json_array();
    (void)json_object_set_new(to, "charts", charts);
    (void)json_object_set_new(to, "not_drawn", missing);
    TRY(temp_dir(dir, sizeof dir, d));
    (void)snprintf(path, sizeof path, "%s/chart.svg", dir);
    for (size_t i = 0; plot_figures[i] != NULL && st == ST_OK; i++)
        st = figure(c, k, plot_figures[i], path, charts, missing, d);
    (void)rmdir(dir);
    if (st == ST_EWORLD && strstr(d->msg, "gnuplot") != NULL && strstr(d->msg, "not installed") != NULL) {
        d->hint[0] = '\0';
        diag_hint(d, "install it (on Debian: apt-get install gnuplot-nox), or leave the charts out with --no-charts");
    }
    return st;
}
