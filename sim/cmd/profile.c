/* fairway profile SCENARIO: which engines suit each task, by running its calls on every kind. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
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

static int run(int argc, char **argv)
{
    static const struct option options[] = {
        { "form", required_argument, NULL, 'f' }, { "vector", no_argument, NULL, 'v' }, { "output", required_argument, NULL, 'o' }, { NULL, 0, NULL, 0 },
    };
    const char *out = NULL;
    uint32_t form = RELATION_TIME;
    bool pairs = true;
    for (int c; (c = getopt_long(argc, argv, ":f:vo:", options, NULL)) != -1;) {
        switch (c) {
        case 'f':
            for (form = 0; form < RELATION_FORMS && strcmp(relation_form_name[form], optarg) != 0; form++) { }
            if (form == RELATION_FORMS) return cmd_usage_error(&cmd_profile, "--form is '%s'; expected rank, time or efficiency", optarg);
            break;
        case 'v': pairs = false; break;
        case 'o': out = optarg; break;
        default: return cmd_option_error(&cmd_profile, c, argv);
        }
    }
    if (argc - optind != 1) return cmd_usage_error(&cmd_profile, "expected one scenario, found %d", argc - optind);
    struct scenario s;
    struct diag d = { 0 };
    if (scn_load(&s, argv[optind], NULL, 0, &d) != ST_OK) return cmd_fail(&d);
    FILE *f = out != NULL ? fopen(out, "w") : stdout;
    enum st st = f == NULL ? diag_at(&d, ST_EWORLD, out, 0, 0, "cannot be written: %s", strerror(errno))
                           : write_tasks(f, &s, (enum relation_form)form, pairs, &d);
    if (f != NULL && out != NULL && fclose(f) != 0 && st == ST_OK) st = diag_at(&d, ST_EWORLD, out, 0, 0, "cannot be written: %s", strerror(errno));
    scn_fini(&s);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

const struct cmd cmd_profile = {
    .name = "profile", .summary = "which engines suit each task of a scenario",
    .usage =
        "usage: fairway profile SCENARIO [--form FORM] [--vector] [-o FILE]\n"
        "\n"
        "Run the API calls of each task on every kind of engine, one after the other, and\n"
        "write what they take: a relation of tasks to engines, which `engines: {relation: FILE}`\n"
        "of a scenario reads.  Without one a policy is told the times.\n"
        "Of jobs that are drawn from the seed: those of the scenario's first.\n"
        "The format: " DIAG_DOC("traces/README.md") ".\n"
        "\n"
        "  -f, --form FORM     rank, time (default) or efficiency\n"
        "  -v, --vector        figures in the order of the cluster's engines, not engine:figure pairs, best first\n"
        "  -o, --output FILE   default: standard output\n",
    .run = run,
};
