/*
 * fuzz_table.c -- maps of tables: a YAML map, a line of three dashes, and a table that it is read by; the first byte
 * says what separates the fields and whether to be strict.
 */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/trace/guess.h"
#include "input/trace/option.h"
#include "input/trace/trace.h"

enum { JOBS_MAX = 4096 };

static void check(enum st st, const struct diag *d)
{
    if (st != ST_OK && (st != ST_EINPUT || d->msg[0] == '\0')) abort();     /* refused, in words */
}

static void guess(const char *path)
{
    struct diag d = { 0 };
    FILE *to = fopen("/dev/null", "w");
    if (to == NULL) abort();
    check(guess_map(path, to, &d), &d);
    (void)fclose(to);
}

static enum st stream(const struct trace *t, struct diag *d)
{
    struct source s;
    struct job_spec job;
    enum st st = trace_source_open(t, &s, d);
    if (st != ST_OK) return st;
    for (int i = 0; st == ST_OK && i < JOBS_MAX; i++) st = s.next(s.ctx, &job, d);
    trace_source_close(&s);
    return st == ST_END ? ST_OK : st;
}

static void replay(const struct ydoc_node *map, const char *path, bool strict)
{
    struct cluster c = { 0 };
    struct throughput perf = { 0 };
    struct trace_opts o;
    struct trace t;
    struct diag d = { 0 };
    struct node_spec n = { .name = "n0", .cpu_milli = 64000, .mem_b = INT64_C(1) << 38, .n_gpu = 8, .gpu_type = "V100" };
    if (trace_opts_init(&o, "table", &d) != ST_OK || cluster_add(&c, &n, &d) != ST_OK) abort();
    cluster_seal(&c);
    const struct trace_option *x = trace_option_find(o.format->option, o.format->n_options, "map");
    ((struct trace_document *)(void *)((char *)o.own + x->offset))->node = map;
    o.path = path;
    o.strict = strict;
    enum st st = trace_prepare(&t, &o, &c, &perf, &d);
    if (st == ST_OK) {
        st = stream(&t, &d);
        trace_fini(&t);
    }
    check(st, &d);
    trace_opts_fini(&o);
    throughput_fini(&perf);
    cluster_fini(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const kinds[] = { "comma", "tab", "pipe", "semicolon", "json" };
    struct ydoc doc = { .root = NULL };
    struct diag d = { 0 };
    if (n < 2) return -1;
    char *text = mem_printf("separator: %s\n%.*s", kinds[data[0] % ARRAY_LEN(kinds)], (int)(n - 1), (const char *)data + 1);
    char *table = strstr(text, "\n---\n");
    const char *rest = table != NULL ? table + 5 : "";
    const char *path = fuzz_file(rest, strlen(rest));
    if (table != NULL) table[1] = '\0';
    guess(path);
    if (ydoc_parse(&doc, "map", text, &d) == ST_OK) replay(doc.root, path, (data[0] & 128) != 0);
    ydoc_fini(&doc);
    mem_free(text);
    return 0;
}
