/* fairway report: a database as one HTML page. */
#include <string.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "report/report.h"

struct args { const char *out; struct report_opts page; };

static enum st on_db(void *opts, const struct cmd_args *a, struct store *s, struct diag *d)
{
    const struct args *o = opts;
    FILE *to;
    char *temp;
    (void)a;
    TRY(cmd_output_open(&to, &temp, o->out, d));
    TRY(cmd_output_close(to, temp, o->out, report_write(s, &o->page, to, d), d));
    if (strcmp(o->out, "-") != 0) text_line(stdout, "%s", o->out);
    return ST_OK;
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
    .expected = "one database", .min_args = 1, .max_args = 1, .arg = { "*.db" }, .on_db = on_db,
};
