/*
 * A metric is computed in a file of sim/metrics, explained in results/README.md and put in words by
 * compare/metric_info.c: whatever one of them names, the others know.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "compare/metric_info.h"
#include "metrics/collector.h"

#define ADDRESS_OF(name) &name##_collector,
static const struct collector *const collectors[] = { COLLECTORS(ADDRESS_OF) };

/* Of the repository, from whose root tests run. */
static char *file(const char *path)
{
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s: tests run from the root of the repository", path);
    char *text = NULL;
    size_t cap = 0, n = 0;
    for (int c; (c = getc(f)) != EOF; text[n++] = (char)c) MEM_RESERVE(text, cap, n + 2);
    text[n] = '\0';
    (void)fclose(f);
    return text;
}

static const struct collector_metric *find(const char *name, bool is_series)
{
    for (size_t i = 0; i < ARRAY_LEN(collectors); i++)
        for (const struct collector_metric *m = collectors[i]->metric; m->name != NULL; m++)
            if ((m->form == COLLECTOR_SERIES) == is_series && strcmp(m->name, name) == 0) return m;
    return NULL;
}

/* The next `...` of a line from *at on, within [*at, end), into name; false when there is none. */
static bool next_quoted(const char **at, const char *end, char name[64])
{
    const char *from = memchr(*at, '`', (size_t)(end - *at));
    const char *to = from != NULL ? memchr(from + 1, '`', (size_t)(end - from - 1)) : NULL;
    if (to == NULL) return false;
    (void)snprintf(name, 64, "%.*s", (int)(to - from - 1), from + 1);
    *at = to + 1;
    return true;
}

Test(names, whatever_a_collector_emits_is_explained)
{
    char *text = file("results/README.md"), *series = strstr(text, "\n## Series");
    cr_assert_not_null(series);
    for (size_t i = 0; i < ARRAY_LEN(collectors); i++)
        for (const struct collector_metric *m = collectors[i]->metric; m->name != NULL; m++) {
            char quoted[80];
            (void)snprintf(quoted, sizeof quoted, "`%s`", m->name);
            cr_expect(strstr(m->form == COLLECTOR_SERIES ? series : text, quoted) != NULL, "results/README.md lacks %s", quoted);
        }
    mem_free(text);
}

/* The k-th of the units in text [n], as "1, B" or "scope `all`, h"; of fewer the last. */
static void unit_of(const char *text, size_t n, size_t k, char unit[16])
{
    if (strncmp(text, "scope ", 6) == 0) k = 1;
    for (const char *comma; k > 0 && (comma = memchr(text, ',', n)) != NULL; k--) {
        n -= (size_t)(comma + 1 - text);
        text = comma + 1;
    }
    while (n > 0 && *text == ' ') { text++; n--; }
    size_t len = strcspn(text, ", |)");
    (void)snprintf(unit, 16, "%.*s", (int)(len < n ? len : n), text);
}

/* Names in [from, to) and their units; unit NULL: not stated. */
static int check_names(const char *from, const char *to, const char *unit, size_t n_unit)
{
    int n = 0;
    char name[64], stated[16];
    for (; next_quoted(&from, to, name); n++) {
        const struct collector_metric *m = find(name, false);
        cr_expect_not_null(m, "no collector emits `%s`", name);
        if (m == NULL || unit == NULL) continue;
        unit_of(unit, n_unit, (size_t)n, stated);
        cr_expect_str_eq(m->unit, stated, "`%s` is in %s, explained in '%s'", name, m->unit, stated);
    }
    return n;
}

/* Items "- **`NAME`, `NAME`** (UNIT): ..." and rows "| `NAME`, `NAME` | UNIT | ..." of tables with a column of that heading. */
Test(names, whatever_is_explained_a_collector_emits_in_that_unit)
{
    char *text = file("results/README.md"), *end = strstr(text, "\n## Series");
    bool has_unit = false;
    int n = 0;
    cr_assert_not_null(end);
    for (char *line = strstr(text, "\n## Job metrics"); line != NULL && line < end; line = strchr(line + 1, '\n')) {
        const char *from = line + 1, *to, *close;
        if (strncmp(from, "| name | ", 9) == 0) has_unit = strncmp(from + 9, "unit |", 6) == 0;
        if (strncmp(from, "- **`", 5) == 0) {
            to = strstr(from + 4, "**");
            close = to != NULL && strncmp(to, "** (", 4) == 0 ? strchr(to, ')') : NULL;
            n += to != NULL ? check_names(from, to, close != NULL ? to + 4 : NULL, close != NULL ? (size_t)(close - to - 4) : 0) : 0;
        } else if (strncmp(from, "| `", 3) == 0) {
            to = strstr(from + 2, " | ");
            n += to != NULL ? check_names(from, to, has_unit ? to + 3 : NULL, has_unit ? strcspn(to + 3, "|") : 0) : 0;
        }
    }
    cr_expect_gt(n, 80);
    mem_free(text);
}

/* Does a sentence say how much, once, and ask nothing else of printf? */
static bool says_how_much(const char *s)
{
    const char *at = strstr(s, "%s");
    return at != NULL && strchr(s, '%') == at && strchr(at + 1, '%') == NULL;
}

Test(names, every_metric_has_a_row_of_its_meaning)
{
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(collectors); i++)
        for (const struct collector_metric *m = collectors[i]->metric; m->name != NULL; m++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s%s", m->name, m->form == COLLECTOR_SPREAD ? "_p95" : "");
            if (m->form == COLLECTOR_SERIES || m->form == COLLECTOR_WALL || name[0] == 'X') continue;
            const struct metric_info *row = metric_info_of(name);
            cr_expect_not_null(row, "metric_info.c has no row of %s", name);
            if (row == NULL) continue;
            cr_expect(row->noun[0] != '\0' && says_how_much(row->less) && says_how_much(row->more), "%s", name);
            cr_expect(row->meaning != NULL && strlen(row->meaning) > 5 && strchr(".;,", row->meaning[strlen(row->meaning) - 1]) == NULL,
                      "%s: '%s'", name, row->meaning != NULL ? row->meaning : "no meaning");
            n++;
        }
    cr_expect_gt(n, 80);
}

Test(names, a_meaning_says_what_the_tail_makes_of_it)
{
    static const struct { const char *metric, *meaning; } all[] = {
        { "makespan", "Time from the first submission to the last end" },
        { "jct_mean", "Time from the submission of a job to its end; mean over jobs" },
        { "jct_p99", "Time from the submission of a job to its end; 99th percentile: 99 of 100 jobs have less" },
        { "jct_max", "Time from the submission of a job to its end; the largest of any job" },
        { "queue_node_max", "The most tasks that waited in the queue of one node at once" },    /* no tail of a family */
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        char *s = metric_info_meaning(all[i].metric);
        cr_expect_str_eq(s, all[i].meaning);
        mem_free(s);
    }
    cr_expect_null(metric_info_meaning("a_note_of_a_policy"));
}

/* A metric by its full name: a family's with a tail. */
static bool is_emitted(const char *name)
{
    const struct collector_metric *m = find(name, false);
    if (m != NULL) return m->form != COLLECTOR_SPREAD;
    char family[64];
    (void)snprintf(family, sizeof family, "%.*s", (int)(strlen(name) - strlen(metric_info_tail(name))), name);
    m = find(family, false);
    return m != NULL && m->form == COLLECTOR_SPREAD && metric_info_tail(name)[0] != '\0';
}

/* Rows of metric_info.c are { "NAME", BETTER_... */
Test(names, meanings_and_lists_are_of_metrics_that_there_are)
{
    char *text = file("sim/compare/metric_info.c");
    int n = 0;
    for (const char *at = text; (at = strstr(at, "\n    { \"")) != NULL;) {
        char name[64];
        at += strlen("\n    { \"");
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\""), at);
        if (strncmp(at + strlen(name), "\", BETTER_", 10) != 0) continue;
        n++;
        cr_expect_not_null(find(name, false), "no collector emits '%s'", name);
    }
    cr_expect_gt(n, 50);
    for (size_t i = 0; i < METRIC_LISTS; i++)
        for (size_t k = 0; k < metric_info_lists[i].n; k++)
            cr_expect(is_emitted(metric_info_lists[i].at[k]), "no collector emits '%s'", metric_info_lists[i].at[k]);
    for (size_t i = 0; i < METRIC_TROUBLES; i++) cr_expect(is_emitted(metric_info_troubles[i].metric), "%s", metric_info_troubles[i].metric);
    for (size_t i = 0; i < METRIC_BOUNDED; i++)
        cr_expect(is_emitted(metric_info_bounded[i].metric) && is_emitted(metric_info_bounded[i].bound), "%s", metric_info_bounded[i].metric);
    mem_free(text);
}
