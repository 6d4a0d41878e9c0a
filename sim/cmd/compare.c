/* fairway compare: the policies of a database side by side. */
#include "cmd/cmd.h"
#include "compare/published.h"
#include "compare/tornado.h"

struct args { const char *scope, *base; int format; struct option_list metric; sim_tick from, to; bool published, batches, changes; };

/* The latest sweep of changes in the file. */
static enum st on_changes(const struct args *a, const struct compare_opts *o, struct store *s, struct diag *d)
{
    size_t n, last;
    struct tornado t;
    TRY(tornado_count(s, NULL, &n, &last, d));
    TRY(tornado_load(&t, s, last, d));
    if (a->from != 0 || a->to != TICK_NEVER) t.c.window = (struct window){ a->from, a->to };
    const enum st st = tornado_print(&t, o, stdout, d);
    tornado_fini(&t);
    return st;
}

static enum st on_db(void *opts, const struct cmd_args *args, struct store *s, struct diag *d)
{
    const struct args *a = opts;
    const struct compare_opts o = { .metric = option_list_array(&a->metric), .n_metrics = a->metric.n,
                                    .scope = a->scope, .base = a->base, .format = (enum table_format)a->format };
    struct compare c;
    (void)args;
    if (a->changes) return on_changes(a, &o, s, d);
    TRY(compare_load(&c, s, d));
    if (a->from != 0 || a->to != TICK_NEVER) c.window = (struct window){ a->from, a->to };
    enum st st = a->batches ? compare_batches(&c, d) : ST_OK;
    if (st == ST_OK) st = a->published ? published_print_all(&c, o.format, stdout, d) : compare_print(&c, &o, stdout, d);
    compare_fini(&c);
    return st;
}

static const struct cmd_option options[] = {
    { "metric", 'm', OPTION_WORDS, "METRIC,...", "which metrics, of those in\n" DIAG_DOC("results/README.md"),
      .offset = offsetof(struct args, metric) },
    { "scope", 0, OPTION_TEXT, "SCOPE",
      "all (the default), class=NAME, gpus=2-3, user=NAME, samples or\nnotes (figures of what policies note)",
      .offset = offsetof(struct args, scope) },
    { "against", 0, OPTION_TEXT, "POLICY", "what the others are compared with (default: the first run)",
      .offset = offsetof(struct args, base), .words = "@policies" },
    { "base", 0, OPTION_TEXT, "POLICY", "the same", .offset = offsetof(struct args, base), .words = "@policies" },
    { "from", 0, OPTION_SECONDS, "T", "a window (4h, 30m; bare: seconds): job metrics over the jobs submitted in\n"
      "it, utilisation over its samples; other metrics are of whole runs", .offset = offsetof(struct args, from) },
    { "to", 0, OPTION_SECONDS, "T", "its end", .offset = offsetof(struct args, to) },
    { "batches", 0, OPTION_FLAG, NULL, "intervals from batches of one long run's jobs, after its warm-up, where\n"
      "the policies have one run each: for traces of which seeds change nothing", .offset = offsetof(struct args, batches) },
    { "published", 0, OPTION_FLAG, NULL, "the figures that papers publish of these scenarios beside ours, alone",
      .offset = offsetof(struct args, published), .not_with = "metric|scope|against|base|from|to|batches" },
    { "changes", 0, OPTION_FLAG, NULL, "of a sweep of changes: what each does to its base, and all together, the largest\n"
      "first (metric: jct_mean)", .offset = offsetof(struct args, changes), .not_with = "against|base|batches|published" },
    { "format", 0, OPTION_CHOICE, "F", "text (the default), markdown, latex, csv or json",
      .offset = offsetof(struct args, format), .words = "text markdown latex csv json" },
    OPTION_TABLE(struct args, format, "markdown", TABLE_MARKDOWN, "Markdown"),
    OPTION_TABLE(struct args, format, "latex", TABLE_LATEX, "LaTeX"),
    OPTION_TABLE(struct args, format, "csv", TABLE_CSV, "CSV"),
    OPTION_TABLE(struct args, format, "json", TABLE_JSON, "JSON"),
    { 0 },
};

const struct cmd cmd_compare = {
    .name = "compare", .summary = "policies side by side, paired by seed, with 95 % intervals",
    .synopsis = "FILE.db [OPTIONS]",
    .notes = "Differences are paired by seed, with 95 % intervals: Student's t, and for _p95, _p99 and _max of\n"
             "eight seeds or more corrected for skewness.  csv and json: every number in full, a row a policy and metric.\n"
             "Only finished runs are compared; the others are listed below the table.\n",
    .option = options, .size = sizeof(struct args), .defaults = &(const struct args){ .to = TICK_NEVER },
    .expected = "one database", .min_args = 1, .max_args = 1, .arg = { "*.db" }, .on_db = on_db,
};
