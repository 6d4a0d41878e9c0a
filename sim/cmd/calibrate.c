/* fairway calibrate: what happened beside what a policy would have done, and what the cluster's description lacks. */
#include "calibrate/calibrate.h"
#include "cmd/cmd.h"

static enum st on_db(void *opts, const struct cmd_args *args, struct store *s, struct diag *d)
{
    (void)args;
    return calibrate(s, opts, stdout, d);
}

static const struct cmd_option options[] = {
    { "policy", 'p', OPTION_TEXT, "POLICY", "one simulated policy alone (default: all)",
      .offset = offsetof(struct calibrate_opts, policy), .words = "@policies" },
    { "scenario", 0, OPTION_TEXT, "TITLE", "which scenario, where the database has the record of several",
      .offset = offsetof(struct calibrate_opts, scenario) },
    { "search", 0, OPTION_TEXT, "OUT.yaml",
      "write the scenario, with a search for the number of nodes that brings the\n"
      "first policy's waits nearest to the record, and its figures to OUT.csv",
      .offset = offsetof(struct calibrate_opts, search), .words = "*.yaml *.yml" },
    OPTION_TABLE(struct calibrate_opts, format, "markdown", TABLE_MARKDOWN, "Markdown"),
    OPTION_TABLE(struct calibrate_opts, format, "latex", TABLE_LATEX, "LaTeX"),
    OPTION_TABLE(struct calibrate_opts, format, "csv", TABLE_CSV, "CSV: a row a figure"),
    OPTION_TABLE(struct calibrate_opts, format, "json", TABLE_JSON, "JSON: a row a figure"),
    { 0 },
};

const struct cmd cmd_calibrate = {
    .name = "calibrate", .summary = "what happened beside what policies would have done, and why they differ",
    .synopsis = "FILE.db [OPTIONS]",
    .notes = "Of a database with a run of `recorded` and of other policies: waits, their rank correlation,\n"
             "utilisation, and which waits the described capacity explains.  The figures are defined in\n"
             DIAG_DOC("results/README.md") ".\n",
    .option = options, .size = sizeof(struct calibrate_opts),
    .expected = "one database", .min_args = 1, .max_args = 1, .arg = { "*.db" }, .on_db = on_db,
};
