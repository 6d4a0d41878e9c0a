/* fuzz_trace.c -- every trace format that reads a file: the first byte chooses it, the others are the file. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include "input/kube/nodes.h"
#include "input/trace/trace.h"
#include "model/calls/calltime.h"

enum { JOBS_MAX = 4096 };

static const struct trace_format *choose(uint8_t byte)
{
    size_t n = 0;
    for (size_t i = 0; trace_formats[i] != NULL; i++) n += !trace_formats[i]->no_file;
    size_t which = byte % n;
    for (size_t i = 0;; i++)
        if (!trace_formats[i]->no_file && which-- == 0) return trace_formats[i];
}

/* A few nodes of each kind, so that what asks for GPUs, types and engines finds some. */
static void build(struct cluster *c)
{
    struct diag d = { 0 };
    struct node_spec a = {
        .name = "n0", .cpu_milli = 64000, .mem_b = INT64_C(1) << 38, .n_gpu = 8, .gpu_type = "V100", .engine = { 2, 1 }
    };
    struct node_spec b = { .name = "n1", .cpu_milli = 16000, .mem_b = INT64_C(1) << 34, .engine = { 1 } };
    if (cluster_add(c, &a, &d) != ST_OK || cluster_add(c, &b, &d) != ST_OK) abort();
    (void)intern_id(&c->engines, "cpu");
    (void)intern_id(&c->engines, "gpu");
    cluster_seal(c);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct cluster c = { 0 };
    struct throughput perf = { 0 };
    struct data blocks = { .n_replicas = 0 };
    struct calltime times = { .cap_row = 0 };
    struct kube_nodes nodes = { .n_prefer = 0 };
    struct trace_opts o;
    struct trace t;
    struct diag d = { 0 };
    if (n < 2) return -1;
    if (trace_opts_init(&o, choose(data[0])->name, &d) != ST_OK) abort();
    build(&c);
    o.path = fuzz_file(data + 2, n - 2);
    o.strict = data[1] & 1;
    o.data = &blocks;
    o.times = &times;
    o.has_times = o.reads_times = (data[1] & 2) != 0;
    o.kube_nodes = data[1] & 4 ? &nodes : NULL;
    enum st st = trace_prepare(&t, &o, &c, &perf, &d);
    if (st == ST_OK) {
        st = stream(&t, &d);
        trace_fini(&t);
    }
    if (st != ST_OK && (st != ST_EINPUT || d.msg[0] == '\0')) abort(); /* refused, in words */
    trace_opts_fini(&o);
    calltime_fini(&times);
    data_fini(&blocks);
    kube_nodes_fini(&nodes);
    throughput_fini(&perf);
    cluster_fini(&c);
    return 0;
}
