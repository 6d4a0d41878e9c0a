/* fairway stages: what was reserved, shared and taken back, stage by stage. */
#include "cmd/cmd.h"
#include "explain/stage_table.h"

struct args { int64_t run; const char *resource; enum table_format format; };

static enum st on_db(void *opts, const struct cmd_args *a, struct store *s, struct diag *d)
{
    const struct args *o = opts;
    (void)a;
    return stage_table_print(s, o->run, o->resource, o->format, stdout, d);
}

static const struct cmd_option options[] = {
    { "run", 0, OPTION_COUNT, "N", "which run (default: the first that reserved anything)",
      .offset = offsetof(struct args, run), .min = 1,
      .expected = "a run's number" },
    { "resource", 0, OPTION_TEXT, "cpu|gpu|LICENCE", "cores, GPUs or one kind of licence alone",
      .offset = offsetof(struct args, resource), .words = "cpu gpu" },
    OPTION_TABLE(struct args, format, "csv", TABLE_CSV, "CSV"),
    OPTION_TABLE(struct args, format, "json", TABLE_JSON, "JSON"),
    OPTION_TABLE(struct args, format, "markdown", TABLE_MARKDOWN, "Markdown"),
    { 0 },
};

const struct cmd cmd_stages = {
    .name = "stages", .summary = "a workflow's reservation stage by stage: needed, shared, taken back",
    .synopsis = "FILE.db [OPTIONS]",
    .notes = "At the start of each stage: what is reserved, what the stage needs, what can be shared\n"
             "(reserved - needed), what was taken back from borrowers for it, and what was usable\n"
             "before that.  The definitions: " DIAG_DOC("results/README.md") ".\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .run = -1 },
    .expected = "one database", .min_args = 1, .max_args = 1, .arg = { "*.db" }, .on_db = on_db,
};
