/* fairway trace: look at traces, convert, make and learn from them, guess maps of tables; say what formats take. */
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/trace/trace_fit.h"
#include "cmd/trace/trace_options.h"
#include "cmd/trace/trace_stats.h"
#include "input/fit/resample.h"
#include "input/synth/generator.h"
#include "input/scenario/scenario.h"
#include "input/trace/guess.h"
#include "input/trace/format/native.h"

enum verb { V_STATS, V_CONVERT, V_GENERATE, V_OPTIONS, V_GUESS, V_FIT, V_RESAMPLE };

struct args {
    struct trace_opts trace;
    struct trace_options of_format;
    struct resample_opts resample;
    struct option_list set;
    const char *scenario, *output, *model, *db;
    int64_t gpus_per_task, max_jobs, seed, draws;
    enum verb verb;
    enum table_format table;
    bool list;
};

static void say_repairs(const struct trace *t)
{
    for (size_t i = 0; i < t->repairs.n; i++)
        (void)fprintf(stderr, "note: %s: %llu rows, first at line %u\n", t->repairs.at[i].what,
                      (unsigned long long)t->repairs.at[i].count, t->repairs.at[i].first_line);
}

static enum st print_stats(const struct trace *t, enum table_format form, struct diag *d)
{
    struct table *table;
    TRY(trace_stats_table(t, &table, d));
    table_end(table, form, stdout);
    return ST_OK;
}

static enum st write_native(const struct trace *t, const char *output, struct diag *d)
{
    struct source src;
    struct job_spec s;
    TRY(trace_source_open(t, &src, d));
    FILE *f;
    char *part;
    enum st st = cmd_output_open(&f, &part, output, d);
    if (st == ST_OK) {
        const struct native_form form = { .bare = !t->opts.format->binds_nodes, .past = t->facts.n_recorded > 0,
                                          .after = t->facts.n_dependent > 0, .restores = t->facts.has_restores };
        native_write_header(f, t->cluster, form);
        while ((st = src.next(src.ctx, &s, d)) == ST_OK && s.graph == NULL) native_write(f, &s, t->cluster, form);
        if (st == ST_OK)
            st = diag_at(d, ST_EINPUT, t->opts.path, s.line, 0, "tasks of job '%s' wait for each other, which one file of jobs cannot tell; nothing to convert: it is native already", s.id);
        st = cmd_output_close(f, part, output, st == ST_END ? ST_OK : st, d);
    }
    trace_source_close(&src);
    return st;
}

static enum st write_resampled(const struct args *a, const struct trace *t, struct diag *d)
{
    struct resample_opts o = a->resample;
    struct resample_facts facts;
    FILE *f;
    char *part;
    o.seed = (uint64_t)a->seed;
    TRY(cmd_output_open(&f, &part, a->output, d));
    TRY(cmd_output_close(f, part, a->output, resample_write(t, &o, f, &facts, d), d));
    if (facts.past_last_week > 0)
        (void)fprintf(stderr, "note: %llu jobs after the last whole week are not drawn from\n",
                      (unsigned long long)facts.past_last_week);
    if (facts.dependent > 0)
        (void)fprintf(stderr, "note: %llu jobs waited for others, and wait for none now\n",
                      (unsigned long long)facts.dependent);
    return ST_OK;
}

/* What is asked of a trace, whether a file or a scenario's. */
static enum st on_trace(const struct args *a, const struct trace *t, struct diag *d)
{
    const struct trace_fit_opts fit = { .output = a->output, .db = a->db, .draws = (size_t)a->draws, .table = a->table };
    if (a->verb == V_STATS) return print_stats(t, a->table, d);
    say_repairs(t);
    switch (a->verb) {
    case V_FIT:      return trace_fit(t, &fit, d);
    case V_RESAMPLE: return write_resampled(a, t, d);
    default:         return write_native(t, a->output, d);
    }
}

static enum st on_file(const struct args *a, struct diag *d)
{
    struct cluster cluster = { .n_nodes = 0 };
    struct throughput perf = { .rate = NULL };
    struct trace t = { .spill = NULL };
    enum st st = trace_prepare(&t, &a->trace, &cluster, &perf, d);
    if (st == ST_OK) st = on_trace(a, &t, d);
    trace_fini(&t);
    throughput_fini(&perf);
    cluster_fini(&cluster);
    return st;
}

static enum st on_scenario(const struct args *a, struct diag *d)
{
    struct scenario s = { .horizon = 0 };
    struct trace t = { .spill = NULL };
    TRY(scn_load(&s, a->scenario, option_list_array(&a->set), a->set.n, d));
    enum st st = trace_seed(&s.trace, s.asked.n_seeds > 0 ? s.asked.seed[0] : 1, d);
    if (st == ST_OK) st = trace_prepare(&t, &s.trace, &s.cluster, &s.perf, d);
    if (st == ST_OK) st = on_trace(a, &t, d);
    trace_fini(&t);
    scn_fini(&s);
    return st;
}

static int list_options(const struct trace_option *x, size_t n, enum table_format form)
{
    table_end(trace_options_table(x, n), form, stdout);
    return 0;
}

static enum st generate(const struct args *a, struct diag *d)
{
    struct cluster cluster = { .n_nodes = 0 };
    struct trace_env env = { .opts = &a->trace, .cluster = &cluster };
    struct trace_reader r = { .ctx = NULL };
    struct job_spec s;
    TRY(trace_reader_open(&env, &r, d));
    FILE *f;
    char *part;
    enum st st = cmd_output_open(&f, &part, a->output, d);
    if (st == ST_OK) {
        native_write_header(f, &cluster, (struct native_form){ .bare = true });
        while ((st = r.next(r.ctx, &s, d)) == ST_OK)
            native_write(f, &s, &cluster, (struct native_form){ .bare = true });
        st = cmd_output_close(f, part, a->output, st == ST_END ? ST_OK : st, d);
    }
    r.close(r.ctx);
    cluster_fini(&cluster);
    return st;
}

/* The words key=value into a table of parameters: 0, or 2 with the usage error told. */
static int set_params(const struct cmd_args *args, int from, const struct trace_option *x, size_t n, void *own,
                      const char *of)
{
    char error[512], key[64];
    for (int i = from; i < args->n; i++) {
        const char *word = args->at[i], *eq = strchr(word, '='), *near = NULL;
        if (eq == NULL || (size_t)(eq - word) >= sizeof key)
            return cmd_usage_error(&cmd_trace, "'%s' is not a parameter, expected key=value", word);
        (void)snprintf(key, sizeof key, "%.*s", (int)(eq - word), word);
        if (trace_option_set(x, n, own, of, key, eq + 1, error, sizeof error, &near)) continue;
        if (near != NULL) return cmd_usage_error(&cmd_trace, "%s; did you mean '%s'?", error, near);
        return cmd_usage_error(&cmd_trace, "%s: %s", key, error);
    }
    return 0;
}

static int run_generate(const struct args *a, const struct cmd_args *args)
{
    char error[512];
    const struct trace_option *map = &a->trace.format->option[0];       /* of both that make jobs it is the only one */
    const char *of = a->model != NULL ? "a model" : "the generator";
    struct diag d = { .code = ST_OK };
    int status = set_params(args, 0, map->sub, map->n_sub, a->trace.own, of);
    if (status != 0) return status;
    if (a->model != NULL
            ? !trace_option_set(map->sub, map->n_sub, a->trace.own, of, "file", a->model, error, sizeof error, NULL)
            : !gen_check(a->trace.own, error, sizeof error))
        return cmd_usage_error(&cmd_trace, "%s", error);
    if (a->list) return list_options(map->sub, map->n_sub, a->table);
    if (a->table != TABLE_TEXT)
        return cmd_usage_error(&cmd_trace, "--json and --csv go with --list; a trace is always CSV");
    return generate(a, &d) == ST_OK ? 0 : cmd_fail(&d);
}

static enum st guess(const struct args *a, const char *path, struct diag *d)
{
    FILE *f;
    char *part;
    TRY(cmd_output_open(&f, &part, a->output, d));
    return cmd_output_close(f, part, a->output, guess_map(path, f, d), d);
}

/* The verb, with everything parsed and the format's options at hand. */
static int run_verb(struct args *a, const struct cmd_args *args)
{
    struct diag d = { .code = ST_OK };
    bool is_usage = false;
    if (trace_options_apply(&a->of_format, &a->trace, &is_usage, &d) != ST_OK) return is_usage ? cmd_usage_error(&cmd_trace, "%s", d.msg) : cmd_fail(&d);
    if (args->verb == V_GENERATE) return run_generate(a, args);
    if (args->verb == V_OPTIONS) return list_options(a->trace.format->option, a->trace.format->n_options, a->table);
    if (a->trace.format->no_file && !a->trace.format->needs_scenario)
        return cmd_usage_error(&cmd_trace, "format %s has no file; use 'trace generate'", a->trace.format->name);
    if (args->n != 1 && (args->verb != V_RESAMPLE || args->n == 0))
        return cmd_usage_error(&cmd_trace, "expected one trace file, found %d", args->n);
    a->trace.path = args->at[0];
    return on_file(a, &d) == ST_OK ? 0 : cmd_fail(&d);
}

static int run(void *opts, const struct cmd_args *args)
{
    struct args *a = opts;
    struct diag d = { .code = ST_OK };
    struct trace_opts of_format;
    if (args->verb == V_GUESS) {
        if (args->n != 1) return cmd_usage_error(&cmd_trace, "expected one table, found %d", args->n);
        return guess(a, args->at[0], &d) == ST_OK ? 0 : cmd_fail(&d);
    }
    if (a->trace.window_to <= a->trace.window_from) return cmd_usage_error(&cmd_trace, "--to is not after --from");
    a->verb = (enum verb)args->verb;
    if (a->verb == V_FIT && strcmp(a->output, "-") == 0)
        return cmd_usage_error(&cmd_trace, "fit needs -o, the file of the model; its table goes to standard output");
    if (a->verb == V_RESAMPLE) {
        trace_option_defaults(resample_params, resample_n_params, &a->resample);
        int status = set_params(args, a->scenario != NULL ? 0 : 1, resample_params, resample_n_params, &a->resample,
                                "resampling");
        if (status != 0) return status;
    } else if (a->scenario != NULL && args->n > 0)
        return cmd_usage_error(&cmd_trace, "--scenario states the trace itself; no file goes with it");
    if (a->scenario != NULL) return on_scenario(a, &d) == ST_OK ? 0 : cmd_fail(&d);
    if (args->verb == V_OPTIONS && args->n != 1)
        return cmd_usage_error(&cmd_trace, "expected one format, found %d", args->n);
    const char *format = args->verb == V_OPTIONS ? args->at[0] : a->of_format.format;
    if (args->verb == V_GENERATE) format = a->model != NULL ? "model" : "generate";
    if (trace_opts_init(&of_format, format, &d) != ST_OK) return cmd_fail(&d);
    a->trace.format = of_format.format;
    a->trace.own = of_format.own;
    a->trace.gpus_per_task = (uint32_t)a->gpus_per_task;
    a->trace.max_jobs = (uint64_t)a->max_jobs;
    a->trace.seed = (uint64_t)a->seed;
    int status = run_verb(a, args);
    trace_opts_fini(&of_format);
    return status;
}

enum {
    SCENARIO_VERBS = 1 << V_STATS | 1 << V_FIT | 1 << V_RESAMPLE, FILE_VERBS = SCENARIO_VERBS | 1 << V_CONVERT,
    TABLE_VERBS = 1 << V_STATS | 1 << V_GENERATE | 1 << V_OPTIONS | 1 << V_FIT,
    SEED_VERBS = 1 << V_GENERATE | 1 << V_RESAMPLE
};

/* What is asked of a file: a scenario states it itself. */
#define OF_FILE(member) .offset = offsetof(struct args, member), .verbs = FILE_VERBS, .not_with = "scenario"

static const struct cmd_option options[] = {
    { "strict", 0, OPTION_FLAG, NULL, "a row that needs a repair is an error", OF_FILE(trace.strict) },
    { "from", 0, OPTION_SECONDS, "T", "only arrivals from there on, counted from the first arrival",
      OF_FILE(trace.window_from) },
    { "to", 0, OPTION_SECONDS, "T", "only arrivals before that", OF_FILE(trace.window_to), .min = 1 },
    { "max-jobs", 0, OPTION_COUNT, "N", "only the first N of these", OF_FILE(max_jobs), .min = 1 },
    { "speedup", 0, OPTION_NUMBER, "X", "divide the gaps between arrivals by X", OF_FILE(trace.speedup) },
    { "gpus-per-task", 0, OPTION_COUNT, "N", "jobs of more cards become gangs of tasks of at most N (8)",
      OF_FILE(gpus_per_task), .min = 1, .max = NODE_GPUS_MAX },
    { "scenario", 0, OPTION_TEXT, "FILE.yaml",
      "stats, fit, resample: the trace as a scenario replays it, on its cluster",
      .offset = offsetof(struct args, scenario), .words = "*.yaml *.yml", .verbs = SCENARIO_VERBS },
    { "set", 0, OPTION_TEXTS, "PATH=VALUE", "change the scenario first; may be repeated",
      .offset = offsetof(struct args, set), .needs = "scenario", .verbs = SCENARIO_VERBS },
    { "model", 0, OPTION_TEXT, "FILE", "generate: jobs like those of the trace that fit learnt this model from",
      .offset = offsetof(struct args, model), .words = "*", .verbs = 1 << V_GENERATE },
    { "list", 0, OPTION_FLAG, NULL, "generate: the generator's parameters, or those of a model",
      .offset = offsetof(struct args, list), .verbs = 1 << V_GENERATE },
    { "seed", 's', OPTION_COUNT, "N", "generate, resample: the seed (1)", .offset = offsetof(struct args, seed),
      .verbs = SEED_VERBS },
    { "draws", 0, OPTION_COUNT, "N", "fit: how many times the model is drawn from, to see how good it is (10)",
      .offset = offsetof(struct args, draws), .min = 1, .max = 1000, .verbs = 1 << V_FIT },
    { "database", 'd', OPTION_TEXT, "FILE", "fit: keep the table there too, for `fairway plot FILE fit`",
      .offset = offsetof(struct args, db), .words = "*.db", .verbs = 1 << V_FIT },
    { "output", 'o', OPTION_TEXT, "FILE", "write there and not to standard output",
      .offset = offsetof(struct args, output), .words = "*",
      .verbs = SEED_VERBS | 1 << V_CONVERT | 1 << V_GUESS | 1 << V_FIT },
    { "json", 0, OPTION_IS, NULL, "the table as JSON", .offset = offsetof(struct args, table), .min = TABLE_JSON,
      .verbs = TABLE_VERBS },
    { "csv", 0, OPTION_IS, NULL, "the table as CSV", .offset = offsetof(struct args, table), .min = TABLE_CSV,
      .verbs = TABLE_VERBS },
    { .help = "What a format does not tell:" },
    { "cpus-per-gpu", 0, OPTION_MILLI, "N", "cores of a task, for each of its cards",
      OF_FILE(trace.dflt.cpu_milli_per_gpu) },
    { "cpus", 0, OPTION_MILLI, "N", "cores of a task without cards", OF_FILE(trace.dflt.cpu_milli) },
    { "mem-per-gpu", 0, OPTION_BYTES, "SIZE", "memory of a task, for each of its cards",
      OF_FILE(trace.dflt.mem_b_per_gpu) },
    { "mem", 0, OPTION_BYTES, "SIZE", "memory of a task without cards", OF_FILE(trace.dflt.mem_b) },
    { "user", 0, OPTION_TEXT, "NAME", "whose the jobs are", OF_FILE(trace.dflt.user) },
    { "queue", 0, OPTION_TEXT, "NAME", "where they are submitted", OF_FILE(trace.dflt.queue) },
    { "model", 0, OPTION_TEXT, "NAME", "what they train", OF_FILE(trace.dflt.model) },
    { "limit", 0, OPTION_SECONDS, "T", "the limit of each", OF_FILE(trace.dflt.limit), .min = 1 },
    { "limit-factor", 0, OPTION_NUMBER, "X", "or limit = X times the true duration", OF_FILE(trace.dflt.limit_factor) },
    { 0 },
};

static const struct cmd_option *more(void) { return trace_options_all(offsetof(struct args, of_format), FILE_VERBS,
    "scenario"); }

const struct cmd cmd_trace = {
    .name = "trace", .summary = "look at, convert and make traces",
    .synopsis = "stats [OPTIONS] FILE          figures and repairs of a trace\n"
                "stats --scenario FILE.yaml    the same as a scenario replays it, with its loads\n"
                "convert [OPTIONS] FILE [-o OUT.csv]\n"
                "generate [-s SEED] [-o OUT.csv] [key=value]...\n"
                "generate --list               the generator's parameters\n"
                "fit [OPTIONS] FILE -o MODEL.yaml      learn a model that names nobody, and how good it is\n"
                "generate --model MODEL.yaml [-s SEED] [-o OUT.csv] [load=X] [span=T]\n"
                "resample [OPTIONS] FILE [-s SEED] [-o OUT.csv] [by=user,week] [load=X] [span=T]\n"
                "guess FILE [-o MAP.yaml]      a map of a table's columns, with reasons and what to fill in\n"
                "options FORMAT                what a trace section may say of this format alone",
    .notes = "convert, generate and resample write the native format; its reference:\n"
             DIAG_DOC("traces/README.md") ".\n",
    .option = options, .more = more, .size = sizeof(struct args),
    .defaults = &(const struct args){
        .trace = { .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1 }, .gpus_per_task = 8,
            .seed = 1, .draws = 10, .output = "-", .of_format.format = "native" },
    .verbs = "stats convert generate options guess fit resample", .arg = { "*" }, .run = run,
};
