/* fairway profile SCENARIO: which engines suit each task, by running its calls on every kind. */
#include <stdio.h>
#include "cmd/cmd.h"
#include "input/tasks/relation.h"
#include "input/scenario/scenario.h"

static enum st write_tasks(FILE *f, struct scenario *s, enum relation_form form, bool pairs, struct diag *d)
{
    struct trace t;
    struct source src = { .ctx = NULL };
    struct job_spec j;
    TRY(trace_seed(&s->trace, s->asked.n_seeds > 0 ? s->asked.seed[0] : 1, d));
    TRY(trace_prepare(&t, &s->trace, &s->cluster, &s->perf, d));
    enum st st = trace_source_open(&t, &src, d);
    uint64_t n = 0;
    relation_write_header(f);
    while (st == ST_OK && (st = src.next(src.ctx, &j, d)) == ST_OK) {
        uint32_t n_tasks = 0;
        for (uint32_t g = 0; g < j.n_groups; g++) n_tasks += j.group[g].n;
        for (uint32_t k = 0; j.calls != NULL && k < n_tasks; k++, n++) {
            sim_tick us[ENGINE_TYPES_MAX];
            relation_profile(&s->engines.times, j.calls->call + j.calls->first[k], j.calls->n[k], us);
            struct relation_row row = relation_of_times(us, form);
            relation_write(f, j.id, k, &row, pairs, &s->cluster);
        }
    }
    trace_source_close(&src);
    trace_fini(&t);
    if (st == ST_END && n == 0) return diag_set(d, ST_EINPUT, "no task of this scenario is made of API calls; there is nothing to profile");
    return st == ST_END ? ST_OK : st;
}

struct args { int form; bool vector; const char *out; };

static int run(void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
    struct scenario s;
    struct diag d = { 0 };
    FILE *f;
    char *part;
    if (scn_load(&s, a->at[0], NULL, 0, &d) != ST_OK) return cmd_fail(&d);
    enum st st = cmd_output_open(&f, &part, o->out, &d);
    if (st == ST_OK) {
        st = write_tasks(f, &s, (enum relation_form)o->form, !o->vector, &d);
        st = cmd_output_close(f, part, o->out, st, &d);
    }
    scn_fini(&s);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

static const struct cmd_option options[] = {
    { "form", 'f', OPTION_CHOICE, "FORM", "rank, time (default) or efficiency",
      .offset = offsetof(struct args, form), .words = "rank time efficiency" },
    { "vector", 'v', OPTION_FLAG, NULL,
      "figures in the order of the cluster's engines, not engine:figure pairs, best first",
      .offset = offsetof(struct args, vector) },
    { "output", 'o', OPTION_TEXT, "FILE", "default: standard output",
      .offset = offsetof(struct args, out), .words = "*" },
    { 0 },
};

const struct cmd cmd_profile = {
    .name = "profile", .summary = "which engines suit each task of a scenario",
    .synopsis = "SCENARIO.yaml [OPTIONS]",
    .about = "Run the API calls of each task on every kind of engine, one after the other, and\n"
             "write what they take: a relation of tasks to engines, which `engines: {relation: FILE}`\n"
             "of a scenario reads.  Without one a policy is told the times.\n"
             "Of jobs that are drawn from the seed: those of the scenario's first.\n"
             "The format: " DIAG_DOC("traces/README.md") ".\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .form = RELATION_TIME,
        .out = "-" },
    .expected = "one scenario", .min_args = 1, .max_args = 1, .arg = { "*.yaml *.yml" }, .run = run,
};
