/* charts.c -- charts as SVG inside the page: each picture's ids get a prefix of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "plot/plot.h"
#include "report/report_priv.h"

/* Does a reference or a definition of an id end here?  The prefix goes after it. */
static size_t id_mark(const char *s)
{
    static const char *const marks[] = { " id=\"", " id='", "href=\"#", "href='#", "url(#" };
    for (size_t i = 0; i < ARRAY_LEN(marks); i++)
        if (strncmp(s, marks[i], strlen(marks[i])) == 0) return strlen(marks[i]);
    return 0;
}

static void inline_svg(const char *svg, const char *prefix, const char *label, FILE *to)
{
    const char *s = strstr(svg, "<svg");
    if (s == NULL) return;
    (void)fputs("<svg role=\"img\" aria-label=\"", to);
    report_text(label, to);
    (void)fputc('"', to);
    for (s += 4; *s != '\0';) {
        size_t mark = id_mark(s);
        if (mark > 0) {
            (void)fwrite(s, 1, mark, to);
            (void)fputs(prefix, to);
            s += mark;
        } else if (strncmp(s, "<title>", 7) == 0 && strstr(s, "</title>") != NULL) {
            s = strstr(s, "</title>") + 8;      /* gnuplot's own, which would show as a tooltip */
        } else if (strncmp(s, "<desc>", 6) == 0 && strstr(s, "</desc>") != NULL) {
            s = strstr(s, "</desc>") + 7;
        } else {
            (void)fputc(*s++, to);
        }
    }
}

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

/* A figure of the page, with its place on it; and what kept it from being drawn. */
struct chart { const struct plot_figure *figure; size_t version, place; struct diag error; };

static enum st draw(const struct compare *c, const struct compare_case *k, size_t index, const struct chart *h, const char *path, FILE *to, struct diag *d)
{
    char prefix[32];
    const char *caption = h->figure->chart[h->version].caption;
    struct plot_opts o = { .out = path, .scenario = k->title, .metric = h->figure->chart[h->version].metric, .run = -1, .from = -1, .to = -1 };
    TRY(plot_make(c->store, h->figure, &o, d));
    char *svg = read_all(path, d);
    if (svg == NULL) return d->code;
    (void)snprintf(prefix, sizeof prefix, "k%zuc%zu-", index, h->place);
    (void)fprintf(to, "<figure class=\"chart%s\" id=\"%sfig\">", h->figure->chart[h->version].is_wide ? " wide" : "", prefix);
    inline_svg(svg, prefix, caption, to);
    (void)fputs("<figcaption>", to);
    report_text(caption, to);
    (void)fputs("</figcaption></figure>\n", to);
    mem_free(svg);
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

static void print_missing(const struct chart *chart, size_t n, FILE *to)
{
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (chart[i].error.code == ST_OK || chart[i].figure->chart[chart[i].version].is_rare) continue;
        (void)fputs(any ? "; " : "<p class=\"quiet\">Not drawn: ", to);
        (void)fprintf(to, "<b>%s</b> (", chart[i].figure->name);
        report_text(chart[i].error.msg, to);
        (void)fputc(')', to);
        any = true;
    }
    if (any) (void)fputs(".</p>\n", to);
}

static struct chart *list_charts(size_t *n)
{
    struct chart *chart = NULL;
    size_t cap = 0;
    *n = 0;
    for (size_t i = 0; plot_figures[i] != NULL; i++)
        for (size_t v = 0; v < PLOT_CHARTS && plot_figures[i]->chart[v].caption != NULL; v++) {
            MEM_RESERVE(chart, cap, *n + 1);
            chart[*n] = (struct chart){ .figure = plot_figures[i], .version = v, .place = *n };
            ++*n;
        }
    return chart;
}

enum st report_charts(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d)
{
    char dir[256], path[300];
    enum st st = ST_OK;
    size_t n;
    TRY(temp_dir(dir, sizeof dir, d));
    struct chart *chart = list_charts(&n);
    (void)snprintf(path, sizeof path, "%s/chart.svg", dir);
    (void)fputs("<div class=\"charts\">\n", to);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        st = draw(c, k, index, &chart[i], path, to, &chart[i].error);
        if (st == ST_EINPUT) st = ST_OK;        /* nothing to draw: mentioned below */
        else if (st != ST_OK) *d = chart[i].error;
        (void)unlink(path);
    }
    (void)rmdir(dir);
    (void)fputs("</div>\n", to);
    if (st == ST_OK) print_missing(chart, n, to);
    mem_free(chart);
    if (st == ST_EWORLD && strstr(d->msg, "gnuplot") != NULL && strstr(d->msg, "not installed") != NULL) {
        d->hint[0] = '\0';
        diag_hint(d, "install it (on Debian: apt-get install gnuplot-nox), or leave the charts out with --no-charts");
    }
    return st;
}
