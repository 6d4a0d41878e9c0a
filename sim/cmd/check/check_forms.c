/* check_forms.c -- JSON, GitHub's annotations and JUnit's XML of what `fairway check` found. */
#include "cmd/check/check_forms.h"

#include <math.h>
#include <string.h>
#include "base/jsonout.h"
#include "base/text.h"
#include "cmd/cmd.h"

static const char *state(const struct verdict *v)
{
    if (v->renamed != NULL) return "renamed";
    return v->now.n == 0 ? "gone" : v->moved ? "moved" : "kept";
}

void check_json(const struct check_judged *j, size_t n, FILE *to)
{
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        const struct guard *g = j[i].guard;
        const struct verdict *v = &j[i].verdict;
        char note[BASELINE_NOTE];
        const bool is_there = v->now.n > 0;
        json_t *runs = json_array(), *o = json_object();
        for (size_t k = 0; v->policy != NULL && k < v->policy->n_runs; k++) json_array_append_new(runs,
            json_integer(v->policy->run[k]));
        json_object_set_new(o, "scenario", jsonout_text(g->scenario));
        json_object_set_new(o, "policy", jsonout_text(g->policy));
        json_object_set_new(o, "metric", jsonout_text(g->metric));
        json_object_set_new(o, "scope", jsonout_text(g->scope));
        json_object_set_new(o, "state", json_string(state(v)));
        json_object_set_new(o, "baseline", jsonout_number(g->value));
        json_object_set_new(o, "now", jsonout_number(is_there ? v->now.mean : (double)NAN));
        json_object_set_new(o, "change", jsonout_number(is_there ? v->now.mean - g->value : (double)NAN));
        json_object_set_new(o, "ratio", jsonout_number(is_there && g->value != 0 ? v->now.mean / g->value
            : (double)NAN));
        json_object_set_new(o, "tolerance", jsonout_text(g->tolerance));
        json_object_set_new(o, "runs", runs);
        json_object_set_new(o, "furthest_run", v->furthest < 0 ? json_null() : json_integer(v->furthest));
        json_object_set_new(o, "furthest", jsonout_number(v->furthest < 0 ? (double)NAN : v->furthest_value));
        json_object_set_new(o, "now_called", jsonout_text(v->renamed));
        json_object_set_new(o, "scenario_changed", json_boolean(v->scenario_changed));
        json_object_set_new(o, "trace_changed", json_boolean(v->trace_changed));
        json_object_set_new(o, "note", jsonout_text(baseline_note(v, note)));
        json_array_append_new(all, o);
    }
    jsonout_print(all, JSON_INDENT(1), to);
    (void)fputc('\n', to);
}

/* "demo, DRF: jain (all) was 0.3 and is 0.46, tolerance 2%; the trace changed" */
static void words(const struct check_judged *j, char *buf, size_t cap)
{
    const struct guard *g = j->guard;
    const struct verdict *v = &j->verdict;
    char note[BASELINE_NOTE];
    int at = snprintf(buf, cap, "%.200s, %.200s: %.100s (%.100s) was %.6g and is ", g->scenario, g->policy, g->metric,
        g->scope, g->value);
    if (v->now.n > 0) at += snprintf(buf + at, cap - (size_t)at, "%.6g", v->now.mean);
    else at += snprintf(buf + at, cap - (size_t)at, "gone");
    at += snprintf(buf + at, cap - (size_t)at, ", tolerance %.50s", g->tolerance);
    if (baseline_note(v, note)[0] != '\0') (void)snprintf(buf + at, cap - (size_t)at, "; %s", note);
}

enum { WORDS = 2048 };

/* As workflow commands want it: a property has ':' and ',' escaped, too. */
static void put_escaped(const char *s, bool is_property, FILE *to)
{
    for (; *s != '\0'; s++) {
        bool must = strchr("%\r\n", *s) != NULL || (is_property && strchr(":,", *s) != NULL);
        if (must) (void)fprintf(to, "%%%02X", (unsigned)(unsigned char)*s);
        else (void)fputc(*s, to);
    }
}

void check_github(const struct check_judged *j, size_t n, const char *path, FILE *to)
{
    char text[WORDS];
    for (size_t i = 0; i < n; i++) {
        if (!j[i].verdict.moved) continue;
        words(&j[i], text, sizeof text);
        (void)fputs("::error file=", to);
        put_escaped(path, true, to);
        (void)fprintf(to, ",line=%u,title=fairway check::", j[i].guard->line);
        put_escaped(text, false, to);
        (void)fputc('\n', to);
    }
}

/* Text of an attribute or an element; a control character, which XML has not, is a blank. */
static void put_xml(const char *s, FILE *to)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '&': (void)fputs("&amp;", to); break;
        case '<': (void)fputs("&lt;", to); break;
        case '>': (void)fputs("&gt;", to); break;
        case '"': (void)fputs("&quot;", to); break;
        default: (void)fputc((unsigned char)*s < 0x20 ? ' ' : *s, to);
        }
    }
}

enum st check_junit(const struct check_judged *j, size_t n, const char *path, struct diag *d)
{
    FILE *f;
    char *temp, text[WORDS];
    size_t n_moved = 0;
    TRY(cmd_output_open(&f, &temp, path, d));
    for (size_t i = 0; i < n; i++) n_moved += j[i].verdict.moved;
    (void)fprintf(f, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                     "<testsuite name=\"fairway check\" tests=\"%zu\" failures=\"%zu\">\n", n, n_moved);
    for (size_t i = 0; i < n; i++) {
        const struct guard *g = j[i].guard;
        (void)fputs("<testcase classname=\"", f);
        put_xml(g->scenario, f);
        (void)fputs("\" name=\"", f);
        put_xml(g->policy, f);
        (void)fputs(": ", f);
        put_xml(g->metric, f);
        (void)fputs(", ", f);
        put_xml(g->scope, f);
        (void)fputs("\">", f);
        words(&j[i], text, sizeof text);
        if (j[i].verdict.moved) {
            (void)fprintf(f, "<failure type=\"%s\" message=\"", state(&j[i].verdict));
            put_xml(text, f);
            (void)fputs("\"/>", f);
        }
        (void)fputs("</testcase>\n", f);
    }
    (void)fputs("</testsuite>\n</testsuites>\n", f);
    return cmd_output_close(f, temp, path, ST_OK, d);
}
