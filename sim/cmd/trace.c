/* fairway trace: look at traces, convert them to the native format, make them; say what formats take. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/trace_options.h"
#include "cmd/trace_stats.h"
#include "base/mem.h"
#include "base/text.h"
#include "input/synth/generator.h"
#include "input/scenario/scenario.h"
#include "input/trace/native.h"

enum verb { V_STATS = 1, V_CONVERT = 2, V_GENERATE = 4, V_OPTIONS = 8 };
enum opt {
    O_STRICT = 256, O_FROM, O_TO, O_MAX_JOBS, O_SPEEDUP, O_GPUS_PER_TASK, O_CPUS_PER_GPU, O_CPUS, O_MEM_PER_GPU,
    O_MEM, O_USER, O_QUEUE, O_MODEL, O_LIMIT, O_LIMIT_FACTOR, O_SCENARIO,
    O_JSON, O_CSV, O_LIST
};

/* Of every format; the formats' own come from their tables. */
static const struct option common[] = {
    { "format", required_argument, NULL, 'f' }, { "strict", no_argument, NULL, O_STRICT },
    { "from", required_argument, NULL, O_FROM }, { "to", required_argument, NULL, O_TO },
    { "max-jobs", required_argument, NULL, O_MAX_JOBS }, { "speedup", required_argument, NULL, O_SPEEDUP },
    { "gpus-per-task", required_argument, NULL, O_GPUS_PER_TASK }, { "cpus-per-gpu", required_argument, NULL, O_CPUS_PER_GPU },
    { "cpus", required_argument, NULL, O_CPUS }, { "mem-per-gpu", required_argument, NULL, O_MEM_PER_GPU },
    { "mem", required_argument, NULL, O_MEM }, { "user", required_argument, NULL, O_USER },
    { "queue", required_argument, NULL, O_QUEUE }, { "model", required_argument, NULL, O_MODEL },
    { "limit", required_argument, NULL, O_LIMIT }, { "limit-factor", required_argument, NULL, O_LIMIT_FACTOR },
    { "scenario", required_argument, NULL, O_SCENARIO },
    { "json", no_argument, NULL, O_JSON }, { "csv", no_argument, NULL, O_CSV }, { "list", no_argument, NULL, O_LIST },
    { "seed", required_argument, NULL, 's' }, { "output", required_argument, NULL, 'o' }
};
static struct option long_opts[ARRAY_LEN(common) + TRACE_OPTIONS_MAX + 1];

struct args {
    enum verb verb;
    struct trace_opts trace;
    const char *format;
    struct trace_options of_format;
    const char *scenario, *output;
    enum table_format table;
    bool list, any_trace_option;        /* an option that a scenario states itself */
};

/* Which verbs take the option. */
static int verbs_of(int c)
{
    switch (c) {
    case 's': return V_GENERATE;
    case 'o': return V_CONVERT | V_GENERATE;
    case O_LIST: return V_GENERATE;
    case O_SCENARIO: return V_STATS;
    case O_JSON: case O_CSV: return V_STATS | V_GENERATE | V_OPTIONS;
    default: return V_STATS | V_CONVERT;
    }
}

static const char *long_name(int c)
{
    for (size_t i = 0; long_opts[i].name != NULL; i++)
        if (long_opts[i].val == c) return long_opts[i].name;
    return "?";
}

/* The value of a quantity option; 0 or the exit status. */
static int quantity(int c, enum text_dimension dimension, int64_t unit, int64_t min, int64_t *out)
{
    char error[256];
    if (!text_parse(optarg, dimension, unit, out, error, sizeof error)) return cmd_usage_error(&cmd_trace, "--%s: %s", long_name(c), error);
    if (*out < min) return cmd_usage_error(&cmd_trace, "--%s: '%s' is below %lld", long_name(c), optarg, (long long)min);
    return 0;
}

static int above_zero(int c, double *out)
{
    if (!text_double(optarg, out) || !(*out > 0)) return cmd_usage_error(&cmd_trace, "--%s: '%s' is not a number above 0", long_name(c), optarg);
    return 0;
}

static int take(struct args *a, int c)
{
    struct trace_opts *o = &a->trace;
    int64_t v = 0;
    int status = 0;
    switch (c) {
    case 'f': a->format = optarg; return 0;
    case 'o': a->output = optarg; return 0;
    case 's':
        if ((status = quantity(c, TEXT_COUNT, 1, 0, &v)) == 0) o->seed = (uint64_t)v;
        return status;
    case O_STRICT: o->strict = true; return 0;
    case O_FROM: return quantity(c, TEXT_DURATION, TICK_SEC, 0, &o->window_from);
    case O_TO: return quantity(c, TEXT_DURATION, TICK_SEC, 1, &o->window_to);
    case O_MAX_JOBS:
        if ((status = quantity(c, TEXT_COUNT, 1, 1, &v)) == 0) o->max_jobs = (uint64_t)v;
        return status;
    case O_SPEEDUP: return above_zero(c, &o->speedup);
    case O_GPUS_PER_TASK:
        if ((status = quantity(c, TEXT_COUNT, 1, 1, &v)) != 0) return status;
        if (v > NODE_GPUS_MAX) return cmd_usage_error(&cmd_trace, "--gpus-per-task: %lld is above %d", (long long)v, NODE_GPUS_MAX);
        o->gpus_per_task = (uint32_t)v;
        return 0;
    case O_CPUS_PER_GPU: return quantity(c, TEXT_MILLI, 1000, 0, &o->dflt.cpu_milli_per_gpu);
    case O_CPUS: return quantity(c, TEXT_MILLI, 1000, 0, &o->dflt.cpu_milli);
    case O_MEM_PER_GPU: return quantity(c, TEXT_BYTES, 0, 0, &o->dflt.mem_b_per_gpu);
    case O_MEM: return quantity(c, TEXT_BYTES, 0, 0, &o->dflt.mem_b);
    case O_USER: o->dflt.user = optarg; return 0;
    case O_QUEUE: o->dflt.queue = optarg; return 0;
    case O_MODEL: o->dflt.model = optarg; return 0;
    case O_LIMIT: return quantity(c, TEXT_DURATION, TICK_SEC, 1, &o->dflt.limit);
    case O_LIMIT_FACTOR: return above_zero(c, &o->dflt.limit_factor);
    case O_SCENARIO: a->scenario = optarg; return 0;
    case O_JSON: a->table = TABLE_JSON; return 0;
    case O_CSV: a->table = TABLE_CSV; return 0;
    case O_LIST: a->list = true; return 0;
    default: return 2;
    }
}

static int parse_options(struct args *a, const char *verb, int argc, char **argv)
{
    struct diag d = { .code = ST_OK };
    memcpy(long_opts, common, sizeof common);
    trace_options_long(long_opts + ARRAY_LEN(common));
    optind = 1;
    opterr = 0;
    for (int c; (c = getopt_long(argc, argv, ":f:o:s:", long_opts, NULL)) != -1;) {
        if (c == ':') return cmd_usage_error(&cmd_trace, "option '%s' needs a value", argv[optind - 1]);
        if (c == '?') return cmd_usage_error(&cmd_trace, "unknown option '%s'", argv[optind - 1]);
        if ((verbs_of(c) & (int)a->verb) == 0) return cmd_usage_error(&cmd_trace, "'trace %s' takes no --%s", verb, long_name(c));
        a->any_trace_option = a->any_trace_option || (c != O_SCENARIO && c != O_JSON && c != O_CSV);
        if (c >= TRACE_OPTIONS_VAL && trace_options_take(&a->of_format, c, optarg, &d) != ST_OK) return cmd_fail(&d);
        int status = c < TRACE_OPTIONS_VAL ? take(a, c) : 0;
        if (status != 0) return status;
    }
    if (a->trace.window_to <= a->trace.window_from) return cmd_usage_error(&cmd_trace, "--to is not after --from");
    return 0;
}

static const char *output_of(const struct args *a) { return a->output != NULL ? a->output : "-"; }

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
    table_print(table, form, stdout);
    table_destroy(table);
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
        bool bare = !t->opts.format->binds_nodes;
        native_write_header(f, t->cluster, bare);
        while ((st = src.next(src.ctx, &s, d)) == ST_OK && s.graph == NULL) native_write(f, &s, t->cluster, bare);
        if (st == ST_OK)
            st = diag_at(d, ST_EINPUT, t->opts.path, s.line, 0, "tasks of job '%s' wait for each other, which one file of jobs cannot tell; nothing to convert: it is native already", s.id);
        st = cmd_output_close(f, part, output, st == ST_END ? ST_OK : st, d);
    }
    trace_source_close(&src);
    return st;
}

/* stats and convert of a file. */
static enum st on_file(const struct args *a, struct diag *d)
{
    struct cluster cluster = { .n_nodes = 0 };
    struct throughput perf = { .rate = NULL };
    struct trace t = { .spill = NULL };
    enum st st = trace_prepare(&t, &a->trace, &cluster, &perf, d);
    if (st == ST_OK && a->verb == V_STATS) st = print_stats(&t, a->table, d);
    if (st == ST_OK && a->verb == V_CONVERT) {
        say_repairs(&t);
        st = write_native(&t, output_of(a), d);
    }
    trace_fini(&t);
    throughput_fini(&perf);
    cluster_fini(&cluster);
    return st;
}

static enum st on_scenario(const struct args *a, struct diag *d)
{
    struct scenario s = { .horizon = 0 };
    struct trace t = { .spill = NULL };
    TRY(scn_load(&s, a->scenario, NULL, 0, d));
    enum st st = trace_seed(&s.trace, s.asked.n_seeds > 0 ? s.asked.seed[0] : 1, d);
    if (st == ST_OK) st = trace_prepare(&t, &s.trace, &s.cluster, &s.perf, d);
    if (st == ST_OK) st = print_stats(&t, a->table, d);
    trace_fini(&t);
    scn_fini(&s);
    return st;
}

static int list_options(const struct trace_option *x, size_t n, enum table_format form)
{
    struct table *t = trace_options_table(x, n);
    table_print(t, form, stdout);
    table_destroy(t);
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
    enum st st = cmd_output_open(&f, &part, output_of(a), d);
    if (st == ST_OK) {
        native_write_header(f, &cluster, true);
        while ((st = r.next(r.ctx, &s, d)) == ST_OK) native_write(f, &s, &cluster, true);
        st = cmd_output_close(f, part, output_of(a), st == ST_END ? ST_OK : st, d);
    }
    r.close(r.ctx);
    cluster_fini(&cluster);
    return st;
}

static int run_generate(struct args *a, int argc, char **argv)
{
    char error[512], key[64];
    struct gen_opts *gen = a->trace.own;
    for (int i = optind; i < argc; i++) {
        const char *eq = strchr(argv[i], '='), *near = NULL;
        if (eq == NULL || (size_t)(eq - argv[i]) >= sizeof key) return cmd_usage_error(&cmd_trace, "'%s' is not a parameter, expected key=value", argv[i]);
        (void)snprintf(key, sizeof key, "%.*s", (int)(eq - argv[i]), argv[i]);
        if (gen_set(gen, key, eq + 1, error, sizeof error, &near)) continue;
        if (near != NULL) return cmd_usage_error(&cmd_trace, "%s; did you mean '%s'?", error, near);
        return cmd_usage_error(&cmd_trace, "%s: %s", key, error);
    }
    if (!gen_check(gen, error, sizeof error)) return cmd_usage_error(&cmd_trace, "%s", error);
    if (a->list) return list_options(gen_params, gen_n_params, a->table);
    if (a->table != TABLE_TEXT) return cmd_usage_error(&cmd_trace, "--json and --csv go with --list; a trace is always CSV");
    struct diag d = { .code = ST_OK };
    return generate(a, &d) == ST_OK ? 0 : cmd_fail(&d);
}

/* The verb, with everything parsed and the format's options at hand. */
static int run_verb(struct args *a, int argc, char **argv)
{
    struct diag d = { .code = ST_OK };
    bool is_usage = false;
    int n = argc - optind;
    if (trace_options_apply(&a->of_format, &a->trace, &is_usage, &d) != ST_OK) return is_usage ? cmd_usage_error(&cmd_trace, "%s", d.msg) : cmd_fail(&d);
    if (a->verb == V_GENERATE) return run_generate(a, argc, argv);
    if (a->verb == V_OPTIONS) return list_options(a->trace.format->option, a->trace.format->n_options, a->table);
    if (a->trace.format->no_file && !a->trace.format->needs_scenario)
        return cmd_usage_error(&cmd_trace, "format %s has no file; use 'trace generate'", a->trace.format->name);
    if (n != 1) return cmd_usage_error(&cmd_trace, "expected one trace file, found %d", n);
    a->trace.path = argv[optind];
    return on_file(a, &d) == ST_OK ? 0 : cmd_fail(&d);
}

static int run(int argc, char **argv)
{
    static const struct { const char *name; enum verb verb; } verbs[] = {
        { "stats", V_STATS }, { "convert", V_CONVERT }, { "generate", V_GENERATE }, { "options", V_OPTIONS } };
    struct args a = { .table = TABLE_TEXT, .format = "native" };
    struct diag d = { .code = ST_OK };
    struct trace_opts of_format;
    size_t v = 0;
    if (argc < 2) return cmd_usage_error(&cmd_trace, "expected stats, convert, generate or options");
    while (v < ARRAY_LEN(verbs) && strcmp(verbs[v].name, argv[1]) != 0) v++;
    if (v == ARRAY_LEN(verbs)) return cmd_usage_error(&cmd_trace, "'%s' is not known, expected stats, convert, generate or options", argv[1]);
    a.verb = verbs[v].verb;
    a.trace = (struct trace_opts){ .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1, .gpus_per_task = 8, .seed = 1 };
    argc--;
    argv++;
    int status = parse_options(&a, argv[0], argc, argv);
    if (status != 0) return status;
    if (a.scenario != NULL) {
        if (argc > optind || a.any_trace_option) return cmd_usage_error(&cmd_trace, "--scenario states the trace itself; no file and no other option goes with it");
        return on_scenario(&a, &d) == ST_OK ? 0 : cmd_fail(&d);
    }
    if (a.verb == V_OPTIONS && argc - optind != 1) return cmd_usage_error(&cmd_trace, "expected one format, found %d", argc - optind);
    if (trace_opts_init(&of_format, a.verb == V_GENERATE ? "generate" : a.verb == V_OPTIONS ? argv[optind] : a.format, &d) != ST_OK) return cmd_fail(&d);
    a.trace.format = of_format.format;
    a.trace.own = of_format.own;
    status = run_verb(&a, argc, argv);
    trace_opts_fini(&of_format);
    return status;
}

/* Made once, and kept. */
static const char *usage(void)
{
    static char *text;
    size_t n;
    FILE *f = text == NULL ? open_memstream(&text, &n) : NULL;
    if (f == NULL) return text != NULL ? text : "";
    (void)fprintf(f,
        "usage: fairway trace stats [options] FILE          figures and repairs of a trace\n"
        "       fairway trace stats --scenario FILE.yaml    the same as a scenario replays it, with its loads\n"
        "       fairway trace convert [options] FILE [-o OUT.csv]\n"
        "       fairway trace generate [-s SEED] [-o OUT.csv] [key=value]...\n"
        "       fairway trace generate --list               the generator's parameters\n"
        "       fairway trace options FORMAT                what a trace section may say of this format alone\n"
        "\n"
        "  -f, --format NAME       ");
    trace_options_print_formats(f);
    (void)fprintf(f, "\n"
        "      --strict            a row that needs a repair is an error\n"
        "      --from T, --to T    only arrivals in [from, to), counted from the first arrival\n"
        "      --max-jobs N        only the first N of these\n"
        "      --speedup X         divide the gaps between arrivals by X\n"
        "      --gpus-per-task N   jobs of more cards become gangs of tasks of at most N (8)\n"
        "  What a format does not tell:\n"
        "      --cpus-per-gpu N, --mem-per-gpu SIZE, --cpus N, --mem SIZE\n"
        "      --user NAME, --queue NAME, --model NAME, --limit T, --limit-factor X\n"
        "  Of one format:\n");
    trace_options_print(f);
    (void)fprintf(f,
        "  -s, --seed N            generate: the seed (1)\n"
        "  -o, --output FILE       write there and not to standard output\n"
        "      --json, --csv       print the table as JSON or CSV\n"
        "\n"
        "convert and generate write the native format; its reference:\n" DIAG_DOC("traces/README.md") ".\n");
    (void)fclose(f);
    return text;
}

const struct cmd cmd_trace = { .name = "trace", .summary = "look at, convert and make traces", .make_usage = usage, .run = run };
