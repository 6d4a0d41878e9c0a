/* Charts as SVG inside the page: each picture's ids get a prefix of its own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "plot/plot.h"
#include "report/report.h"

/* Wide ones have panels side by side; rare ones are mentioned only where they are drawn. */
static const struct { const char *figure, *caption, *takes_metric; bool is_wide, is_rare; } charts[] = {
    { "bars", "Completion time relative to the first policy: mean, 95th and 99th percentile. Whiskers are 95 % intervals over seeds, paired.", NULL, false, false },
    { "cdf", "Completion time of every job, all seeds together: how many jobs (vertical) were done within a time (horizontal, logarithmic).", NULL, false, false },
    { "cdf", "Waiting time of every job until its first start, all seeds together.", "wait", false, false },
    { "timeline", "GPUs allocated and tasks waiting over time, each policy's first seed.", NULL, false, false },
    { "gantt", "Who held which GPU when, on the busiest nodes of the first run.", NULL, false, false },
    { "fairness", "Jain's index over users' dominant shares, finish-time fairness, and the share of jobs later than fair.", NULL, true, false },
    { "jobs-ideal", "Each job's time sharing the cluster beside its ideal times alone.", NULL, true, false },
    { "engine-bars", "Makespan and mean task time relative to the first policy, calls to other nodes, and the useful work of engines by kind.", NULL, true, true },
    { "data-bars", "Total time, deviation from fairness, and bytes read by distance.", NULL, true, false },
    { "frag-load", "Fragments among the free GPUs, GPUs and CPUs allocated, and pods unscheduled while the cluster fills.", NULL, true, true },
    { "lending", "Cores reserved for workflows: used, lent and idle, in the first run that reserved any.", NULL, false, true },
    { "workflow-gantt", "When the tasks of each workflow ran in the first run, coloured by stage.", NULL, false, true },
    { "engines", "Which API call was on which engine when, in the first run.", NULL, false, true },
};

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

static enum st one(const struct compare *c, const struct compare_case *k, size_t index, size_t chart, const char *path, FILE *to, struct diag *d)
{
    char prefix[32];
    const struct plot_figure *f = plot_find(charts[chart].figure, d);
    if (f == NULL) return d->code;
    struct plot_opts o = { .out = path, .scenario = k->title, .metric = charts[chart].takes_metric, .run = -1, .from = -1, .to = -1 };
    TRY(plot_make(c->store, f, &o, d));
    char *svg = read_all(path, d);
    if (svg == NULL) return d->code;
    (void)snprintf(prefix, sizeof prefix, "k%zuc%zu-", index, chart);
    (void)fprintf(to, "<figure class=\"chart%s\" id=\"%sfig\">", charts[chart].is_wide ? " wide" : "", prefix);
    inline_svg(svg, prefix, charts[chart].caption, to);
    (void)fputs("<figcaption>", to);
    report_text(charts[chart].caption, to);
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

enum st report_charts(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d)
{
    char dir[256], path[300];
    bool any = false;
    enum st st = ST_OK;
    TRY(temp_dir(dir, sizeof dir, d));
    (void)snprintf(path, sizeof path, "%s/chart.svg", dir);
    (void)fputs("<div class=\"charts\">\n", to);
    struct diag error[ARRAY_LEN(charts)];
    memset(error, 0, sizeof error);
    for (size_t i = 0; i < ARRAY_LEN(charts) && st == ST_OK; i++) {
        st = one(c, k, index, i, path, to, &error[i]);
        if (st == ST_EINPUT) st = ST_OK;        /* nothing to draw: mentioned below */
        else if (st != ST_OK) *d = error[i];
        (void)unlink(path);
    }
    (void)rmdir(dir);
    (void)fputs("</div>\n", to);
    for (size_t i = 0; i < ARRAY_LEN(charts) && st == ST_OK; i++) {
        if (error[i].code == ST_OK || charts[i].is_rare) continue;
        (void)fputs(any ? "; " : "<p class=\"quiet\">Not drawn: ", to);
        (void)fprintf(to, "<b>%s</b> (", charts[i].figure);
        report_text(error[i].msg, to);
        (void)fputc(')', to);
        any = true;
    }
    if (any) (void)fputs(".</p>\n", to);
    if (st == ST_EWORLD && strstr(d->msg, "gnuplot") != NULL && strstr(d->msg, "not installed") != NULL) {
        d->hint[0] = '\0';
        diag_hint(d, "install it (on Debian: apt-get install gnuplot-nox), or leave the charts out with --no-charts");
    }
    return st;
}
