/* fairway stages: what was reserved, shared and taken back, stage by stage. */
#include <getopt.h>
#include "cmd/cmd.h"
#include "base/text.h"
#include "explain/stage_table.h"

enum { OPT_CSV = 256, OPT_JSON, OPT_MARKDOWN, OPT_RUN, OPT_RESOURCE };

static const struct option long_opts[] = {
    { "run", required_argument, NULL, OPT_RUN }, { "resource", required_argument, NULL, OPT_RESOURCE },
    { "csv", no_argument, NULL, OPT_CSV }, { "json", no_argument, NULL, OPT_JSON }, { "markdown", no_argument, NULL, OPT_MARKDOWN }, { 0 },
};

static int run(int argc, char **argv)
{
    enum table_format format = TABLE_TEXT;
    const char *resource = NULL;
    int64_t which = -1;
    struct diag d = { 0 };
    struct store *s;
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":", long_opts, NULL)) != -1;) {
        switch (c) {
        case OPT_RUN:
            if (!text_int(optarg, &which) || which < 1) return cmd_usage_error(&cmd_stages, "--run is '%s', expected a run's number", optarg);
            break;
        case OPT_RESOURCE: resource = optarg; break;
        case OPT_CSV:      format = TABLE_CSV; break;
        case OPT_JSON:     format = TABLE_JSON; break;
        case OPT_MARKDOWN: format = TABLE_MARKDOWN; break;
        default: return cmd_option_error(&cmd_stages, c, argv);
        }
    }
    if (argc - optind != 1) return cmd_usage_error(&cmd_stages, "expected one database, found %d", argc - optind);
    if (store_open_read(&s, argv[optind], &d) != ST_OK) return cmd_fail(&d);
    enum st st = stage_table_print(s, which, resource, format, stdout, &d);
    store_close(s);
    return st == ST_OK ? 0 : cmd_fail(&d);
}

const struct cmd cmd_stages = {
    .name = "stages", .summary = "a workflow's reservation stage by stage: needed, shared, taken back",
    .usage = "usage: fairway stages FILE.db [--run N] [--resource cpu|gpu|LICENCE]\n"
             "                      [--csv | --json | --markdown]\n\n"
             "      --run N              which run (default: the first that reserved anything)\n"
             "      --resource R         cores, GPUs or one kind of licence alone\n"
             "      --csv, --json        for programs\n"
             "      --markdown           the table as Markdown\n\n"
             "At the start of each stage: what is reserved, what the stage needs, what can be shared\n"
             "(reserved - needed), what was taken back from borrowers for it, and what was usable\n"
             "before that.  The definitions: " DIAG_DOC("results/README.md") ".\n",
    .run = run,
};
