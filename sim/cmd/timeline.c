/* fairway timeline: one run for Perfetto, or for evalys. */
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "db/check.h"
#include "explain/timeline.h"

struct args { const char *out; bool batsim; };

static enum st write_run(struct store *s, const struct args *a, const char *run, FILE *to, struct diag *d)
{
    struct selection p;
    TRY(select_run(&p, s, run, d));
    enum st st = check_run(s, p.run, d);
    if (st == ST_OK) st = (a->batsim ? timeline_batsim : timeline_write)(s, &p, to, d);
    select_fini(&p);
    return st;
}

static enum st on_db(void *opts, const struct cmd_args *args, struct store *s, struct diag *d)
{
    const struct args *a = opts;
    const char *out = a->out != NULL ? a->out : a->batsim ? "jobs.csv" : "timeline.json";
    FILE *to;
    char *temp;
    TRY(cmd_output_open(&to, &temp, out, d));
    TRY(cmd_output_close(to, temp, out, write_run(s, a, args->at[1], to, d), d));
    if (strcmp(out, "-") != 0) (void)printf("%s\n", out);
    return ST_OK;
}

static const struct cmd_option options[] = {
    { "output", 'o', OPTION_TEXT, "FILE", "default: timeline.json, or jobs.csv; - is standard output",
      .offset = offsetof(struct args, out), .words = "*" },
    { "batsim", 0, OPTION_FLAG, NULL, "one row a job, in the columns of Batsim's jobs.csv, which evalys reads",
      .offset = offsetof(struct args, batsim) },
    { 0 },
};

const struct cmd cmd_timeline = {
    .name = "timeline", .summary = "every GPU of a run over time, for Perfetto or evalys",
    .synopsis = "FILE.db RUN [OPTIONS]",
    .about = "RUN is the number of a finished run, or its policy's label, with /SEED where there are several.\n",
    .notes = "Open the JSON in ui.perfetto.dev or chrome://tracing: a process a node, a track a GPU,\n"
             "arrows from where a task was stopped to where it goes on, counters of queue and use.\n"
             "Needs a run with `output: {attempts: true}`.\n",
    .option = options, .size = sizeof(struct args),
    .expected = "a database and a run", .min_args = 2, .max_args = 2, .arg = { "*.db" }, .on_db = on_db,
};
