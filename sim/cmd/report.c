/* fairway report: a database as one HTML page. */
#include <string.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/report.h"

struct args { const char *out; struct report_opts page; };

static enum st report(const char *db, const char *out, const struct report_opts *o, struct diag *d)
{
    struct store *s;
    FILE *to;
    char *temp;
    TRY(store_open_read(&s, db, d));
    enum st st = cmd_output_open(&to, &temp, out, d);
    if (st == ST_OK) {
        st = report_write(s, o, to, d);
        st = cmd_output_close(to, temp, out, st, d);
    }
    store_close(s);
    if (st == ST_OK && strcmp(out, "-") != 0) text_line(stdout, "%s", out);
    return st;
}

static int run(void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
    struct diag d = { 0 };
    return report(a->at[0], o->out, &o->page, &d) == ST_OK ? 0 : cmd_fail(&d);
}

static const struct cmd_option options[] = {
    { "output", 'o', OPTION_TEXT, "FILE", "default: report.html; - is standard output",
      .offset = offsetof(struct args, out), .words = "*" },
    { "no-charts", 0, OPTION_FLAG, NULL, "leave out what gnuplot draws",
      .offset = offsetof(struct args, page.no_charts) },
    { 0 },
};

const struct cmd cmd_report = {
    .name = "report", .summary = "the whole database as one HTML page: tables, charts, a timeline to zoom into, provenance",
    .synopsis = "FILE.db [OPTIONS]",
    .notes = "The page needs no network and no other file.  It shows finished runs; the others are named.\n"
             "The timeline needs runs with `output: {attempts: true}`, its curves `sample_every`.\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .out = "report.html" },
    .expected = "one database", .min_args = 1, .max_args = 1, .arg = { "*.db" }, .run = run,
};
