/*
 * Pods and nodes from kubectl: quantities, requests, which nodes a pod may go to, and what is told of the rest.
 * S3-1, S3-2.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "input/kube/nodes.h"
#include "input/kube/quantity.h"
#include "input/trace/trace.h"
#include "ref/traceopts.h"
#include "ref/temp.h"

#define GIB (INT64_C(1) << 30)

/* ---- quantities and times ---- */

Test(kubectl, quantities_are_exact_and_rounded_up)
{
    static const struct { const char *s; int64_t scale, want; } ok[] = {
        { "0", 1000, 0 }, { "1", 1000, 1000 }, { "500m", 1000, 500 }, { "0.5", 1000, 500 }, { "1.0005", 1000, 1001 }, { "100u", 1000, 1 },
        { "1n", 1000, 1 }, { "1500m", 1, 2 }, { "16Gi", 1, 16 * GIB }, { "1Ki", 1, 1024 }, { "1k", 1, 1000 }, { "1.5Mi", 1, 1572864 },
        { "128974848", 1, 128974848 }, { "129e6", 1, 129000000 }, { "129M", 1, 129000000 }, { "1E3", 1, 1000 }, { "1E", 1, INT64_C(1000000000000000000) },
        { "2e-3", 1000, 2 }, { "7Ei", 1, 7 * (INT64_C(1) << 60) }, { "+3", 1, 3 }, { ".5", 1000, 500 }, { "5.", 1, 5 },
        { "123456789.987654321G", 1, INT64_C(123456789987654321) }, { "1e-40", 1, 1 }, { "9223372036854775807", 1, INT64_MAX },
    };
    static const char *const bad[] = { "", "m", "-1", "1 ", " 1", "1KB", "1kB", "1Gib", "1K", "1i", "1e", "1e+", "1.2.3", "8Ei", "1e99", "0x10", "1 k", "1e41",
                                       "9223372036854775808", "99999999999999999999999999999999999999999999" };
    int64_t v;
    for (size_t i = 0; i < ARRAY_LEN(ok); i++) {
        cr_assert(kube_quantity(ok[i].s, ok[i].scale, &v), "%s", ok[i].s);
        cr_expect_eq(v, ok[i].want, "%s: %ld", ok[i].s, (long)v);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect(!kube_quantity(bad[i], 1000, &v), "'%s' is taken as %ld", bad[i], (long)v);
}

Test(kubectl, times_are_rfc_3339)
{
    int64_t v;
    cr_assert(kube_time("1970-01-01T00:00:00Z", &v) && v == 0);
    cr_assert(kube_time("2023-02-20T09:38:18Z", &v) && v == INT64_C(1676885898) * TICK_SEC);
    cr_assert(kube_time("2024-02-29T23:59:59.25Z", &v) && v == INT64_C(1709251199) * TICK_SEC + 250000);
    cr_assert(kube_time("2023-02-20T10:38:18+01:00", &v) && v == INT64_C(1676885898) * TICK_SEC);
    static const char *const bad[] = { "", "2023-02-20", "2023-02-20 09:38:18Z", "2023-13-20T09:38:18Z", "2023-02-20T09:38:18", "1969-12-31T23:59:59Z",
                                       "2023-02-20T09:38:18Zx", "2023-02-20T09:38:18.Z", "2023-02-20T09:38:18+1:00" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect(!kube_time(bad[i], &v), "'%s'", bad[i]);
}

/* ---- a small cluster ---- */

static const char nodes_json[] =
    "{\"kind\": \"List\", \"items\": [\n"
    "{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\", \"labels\": {\"disk\": \"ssd\", \"gen\": \"3\", \"nvidia.com/gpu.product\": \"V100\", \"nvidia.com/gpu.memory\": \"32768\"},\n"
    "   \"annotations\": {\"oks/gpu-core\": \"5120\"}},\n"
    "  \"spec\": {\"taints\": [{\"key\": \"gpu\", \"value\": \"yes\", \"effect\": \"NoSchedule\"}]},\n"
    "  \"status\": {\"capacity\": {\"cpu\": \"33\"}, \"allocatable\": {\"cpu\": \"31500m\", \"memory\": \"100Gi\", \"pods\": \"110\", \"nvidia.com/gpu\": \"2\"}}},\n"
    "{\"kind\": \"Node\", \"metadata\": {\"name\": \"b\", \"labels\": {\"disk\": \"hdd\", \"gen\": \"5\", \"topology.kubernetes.io/zone\": \"east\"},\n"
    "   \"annotations\": {\"oks/gpus\": \"1\", \"other/gpus\": \"1\"}},\n"
    "  \"spec\": {\"taints\": [{\"key\": \"soft\", \"effect\": \"PreferNoSchedule\"}]},\n"
    "  \"status\": {\"allocatable\": {\"cpu\": \"16\", \"memory\": \"65536Mi\", \"pods\": \"3\"}}},\n"
    "{\"kind\": \"Node\", \"metadata\": {\"name\": \"c\", \"labels\": {\"gen\": \"x\"}, \"annotations\": {\"oks/gpu-number\": \"1\", \"oks/gpu-memory\": \"16000\"}},\n"
    "  \"spec\": {\"unschedulable\": true}, \"status\": {\"allocatable\": {\"cpu\": 8, \"memory\": \"32Gi\"}}}\n"
    "]}\n";

static struct cluster cluster;
static struct throughput perf;
static struct kube_nodes nodes;
static struct trace_opts o;
static struct trace t;
static struct diag d;
static char path[64], node_path[64];

static enum st add(struct node_sink *to, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *dg)
{
    (void)file; (void)line; (void)col;
    return cluster_add(to->cluster, s, dg);
}

static void setup(void)
{
    struct node_sink sink = { .cluster = &cluster, .add = add };
    temp_file(node_path, nodes_json);
    cr_assert_eq(kube_nodes_load(&nodes, &sink, node_path, &d), ST_OK, "%s", d.msg);
    cluster_seal(&cluster);
    o = (struct trace_opts){ .path = path, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1, .kube_nodes = &nodes };
    traceopts_format(&o, "kubectl");
    traceopts_set(&o, "duration", "7us");
}

static void teardown(void)
{
    trace_fini(&t);
    kube_nodes_fini(&nodes);
    cluster_fini(&cluster);
    trace_opts_fini(&o);
    if (path[0] != '\0') unlink(path);
    unlink(node_path);
}

TestSuite(kubectl_pods, .init = setup, .fini = teardown);

static struct source source;
static struct job_spec j;

static void open_pods(const char *items)
{
    char text[8192];
    (void)snprintf(text, sizeof text, "{\"kind\": \"List\", \"items\": [\n%s\n]}\n", items);
    temp_file(path, text);
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "line %u: %s", d.line, d.msg);
    cr_assert_eq(trace_source_open(&t, &source, &d), ST_OK);
}

static const struct shape *next_pod(const char *id)
{
    cr_assert_eq(source.next(source.ctx, &j, &d), ST_OK, "no %s", id);
    cr_assert_str_eq(j.id, id);
    return &j.group[0].shape;
}

static void close_pods(void)
{
    cr_assert_eq(source.next(source.ctx, &j, &d), ST_END);
    trace_source_close(&source);
}

static uint64_t repairs(const char *what)
{
    for (size_t i = 0; i < t.repairs.n; i++)
        if (strstr(t.repairs.at[i].what, what) != NULL) return t.repairs.at[i].count;
    return 0;
}

#define POD(name, meta, spec, status) "{\"kind\": \"Pod\", \"metadata\": {\"name\": \"" name "\"" meta "}, \"spec\": {" spec "}, \"status\": {" status "}}"
#define TOLERANT ", \"tolerations\": [{\"operator\": \"Exists\"}]"
#define ONE(req) "\"containers\": [{\"resources\": {\"requests\": {" req "}}}]"

Test(kubectl_pods, nodes_are_what_is_allocatable)
{
    cr_assert_eq(cluster.n_nodes, 3);
    const struct pol_node *a = &cluster.node[0], *b = &cluster.node[1], *c = &cluster.node[2];
    cr_assert(a->cpu_total == 31500 && a->mem_total == 100 * GIB && a->max_tasks == 110 && a->n_gpu == 2);
    cr_assert(cluster.card[0].mem_total == 32 * GIB && cluster.card[0].core_total == 5120);
    cr_assert_str_eq(intern_name(&cluster.gpu_types, a->gpu_type), "V100");
    cr_assert(b->cpu_total == 16000 && b->mem_total == 64 * GIB && b->max_tasks == 3 && b->n_gpu == 0);
    cr_assert_str_eq(intern_name(&cluster.rack_names, b->rack), "east");
    cr_assert(c->cpu_total == 8000 && c->max_tasks == 0 && c->n_gpu == 1 && cluster.card[c->card0].mem_total == INT64_C(16000000000));
}

/* S3-1, S3-2: a GPU pod is one that is annotated; cores and MB of each card. */
Test(kubectl_pods, S3_1_S3_2_annotations)
{
    open_pods(POD("p", ", \"namespace\": \"n\", \"annotations\": {\"oks/gpu-number\": \"2\", \"oks/gpu-core\": \"2000\", \"oks/gpu-memory\": \"32000\"}",
                  ONE("\"cpu\": \"1\"") ", \"priority\": 9, \"tolerations\": [{\"operator\": \"Exists\"}]", "") ",\n"
              POD("q", "", ONE("\"memory\": \"1Gi\"") ", \"tolerations\": [{\"operator\": \"Exists\"}]", "") ",\n"
              POD("r", "", "\"tolerations\": [{\"operator\": \"Exists\"}], \"containers\": [{\"resources\": {\"limits\": {\"nvidia.com/gpu\": \"1\", \"cpu\": \"2\"}}}]", ""));
    const struct shape *s = next_pod("n/p");
    cr_assert(s->n_gpu == 2 && s->gpu_milli == 1000 && s->gpu_cores == 2000 && s->gpu_mem_b == INT64_C(32000000000) && s->cpu_milli == 1000);
    cr_assert(j.priority == 9 && j.group[0].dur == 7 && s->need_all == 0);
    cr_assert_str_eq(j.user, "n");
    s = next_pod("default/q");
    cr_assert(s->n_gpu == 0 && s->gpu_milli == 0 && s->mem_b == GIB);
    s = next_pod("default/r");
    cr_assert(s->n_gpu == 1 && s->gpu_mem_b == 0 && s->cpu_milli == 2000);      /* a limit alone is the request */
    close_pods();
}

/* The paper's own spelling of the number, and a key that is neither. */
Test(kubectl_pods, S3_2_the_number_without_a_hyphen_is_understood_and_unknown_annotations_are_told)
{
    open_pods(POD("p", ", \"annotations\": {\"oks/gpunumber\": \"1\", \"oks/gpu-memory\": \"16000\"}", ONE("\"cpu\": \"1\"") TOLERANT, "") ",\n"
              POD("q", ", \"annotations\": {\"oks/gpu-num\": \"2\", \"x/y\": \"z\"}", ONE("\"cpu\": \"1\""), ""));
    const struct shape *s = next_pod("default/p");
    cr_assert(s->n_gpu == 1 && s->gpu_mem_b == INT64_C(16000000000));
    s = next_pod("default/q");
    cr_assert_eq(s->n_gpu, 0);
    close_pods();
    cr_assert_eq(repairs("annotation oks/... of a pod"), 1);
    cr_assert_eq(repairs("annotation oks/... of a node"), 1);
}

/* Containers 1 + 2; init 4 then a sidecar of 1, then 5 beside it: max(3 + 1, 4, 1 + 5) = 6, and the pod's overhead. */
Test(kubectl_pods, init_containers_sidecars_and_overhead)
{
    open_pods(POD("p", "", "\"tolerations\": [{\"operator\": \"Exists\"}], \"overhead\": {\"cpu\": \"250m\", \"memory\": \"120Mi\"},"
                  "\"containers\": [{\"resources\": {\"requests\": {\"cpu\": \"1\"}}}, {\"resources\": {\"requests\": {\"cpu\": \"2\"}}}],"
                  "\"initContainers\": [{\"resources\": {\"requests\": {\"cpu\": \"4\"}}}, {\"restartPolicy\": \"Always\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}},"
                  "{\"resources\": {\"requests\": {\"cpu\": \"5\"}}}]", ""));
    const struct shape *s = next_pod("default/p");
    cr_assert_eq(s->cpu_milli, 6250);
    cr_assert_eq(s->mem_b, 120 << 20);
    close_pods();
}

/* Bits of the nodes that the next pod may go to. */
static uint32_t where(const char *id)
{
    const struct shape *s = next_pod(id);
    uint32_t set = 0;
    for (uint32_t i = 0; i < cluster.n_nodes; i++) set |= (uint32_t)((cluster.node[i].labels & s->need_all) == s->need_all) << i;
    return set;
}

#define AFFINITY(terms) ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": [" terms "]}}}"
#define EXPR(e) "{\"matchExpressions\": [" e "]}"
#define TERM_OF(key, op, values) "{\"key\": \"" key "\", \"operator\": \"" op "\"" values "}"

Test(kubectl_pods, selectors_affinity_and_taints_come_to_sets_of_nodes)
{
    enum { A = 1, B = 2, C = 4 };
    static const struct { const char *spec; uint32_t want; } of[] = {
        { "", B },                                                                  /* a is tainted, c cordoned */
        { TOLERANT, A | B | C },
        { ", \"tolerations\": [{\"key\": \"gpu\", \"value\": \"yes\", \"effect\": \"NoSchedule\"}]", A | B },
        { ", \"tolerations\": [{\"key\": \"gpu\", \"value\": \"no\"}]", B },
        { ", \"tolerations\": [{\"key\": \"gpu\", \"operator\": \"Exists\", \"effect\": \"NoExecute\"}]", B },
        { ", \"tolerations\": [{\"key\": \"node.kubernetes.io/unschedulable\", \"operator\": \"Exists\"}]", B | C },
        { TOLERANT ", \"nodeSelector\": {\"disk\": \"ssd\"}", A },
        { TOLERANT ", \"nodeSelector\": {\"disk\": \"ssd\", \"gen\": \"5\"}", 0 },
        { TOLERANT AFFINITY(EXPR(TERM_OF("disk", "In", ", \"values\": [\"hdd\", \"ssd\"]"))), A | B },
        { TOLERANT AFFINITY(EXPR(TERM_OF("disk", "NotIn", ", \"values\": [\"hdd\"]"))), A | C },
        { TOLERANT AFFINITY(EXPR(TERM_OF("disk", "Exists", ""))), A | B },
        { TOLERANT AFFINITY(EXPR(TERM_OF("disk", "DoesNotExist", ""))), C },
        { TOLERANT AFFINITY(EXPR(TERM_OF("gen", "Gt", ", \"values\": [\"3\"]"))), B },
        { TOLERANT AFFINITY(EXPR(TERM_OF("gen", "Lt", ", \"values\": [\"5\"]"))), A },
        { TOLERANT AFFINITY(EXPR(TERM_OF("disk", "Exists", "") ", " TERM_OF("gen", "Gt", ", \"values\": [\"3\"]"))), B },
        { TOLERANT AFFINITY(EXPR(TERM_OF("gen", "Lt", ", \"values\": [\"5\"]")) ", " EXPR(TERM_OF("disk", "DoesNotExist", ""))), A | C },
        { TOLERANT AFFINITY("{\"matchFields\": [" TERM_OF("metadata.name", "In", ", \"values\": [\"b\"]") "]}"), B },
        { TOLERANT AFFINITY("{}"), 0 },
    };
    char items[8192] = "", id[32];
    traceopts_set(&o, "bound", "keep");
    for (size_t i = 0, n = 0; i < ARRAY_LEN(of); i++)
        n += (size_t)snprintf(items + n, sizeof items - n, "%s{\"metadata\": {\"name\": \"p%02zu\"}, \"spec\": {\"containers\": [{}]%s}, \"status\": {}}", i ? ",\n" : "", i, of[i].spec);
    open_pods(items);
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        (void)snprintf(id, sizeof id, "default/p%02zu", i);
        cr_expect_eq(where(id), of[i].want, "%s", of[i].spec);
    }
    close_pods();
    cr_assert_eq(cluster.labels.n, 7);         /* {b}, {ab}, {bc}, {a}, {}, {ac}, {c}; all nodes need none */
}

#define PREFERS(terms) \
    ", \"affinity\": {\"nodeAffinity\": {\"preferredDuringSchedulingIgnoredDuringExecution\": [" terms "]}}"
#define WEIGHED(w, e) "{\"weight\": " w ", \"preference\": " EXPR(e) "}"

/* Of a (ssd, gen 3), b (hdd, gen 5) and c (gen x): the sum of the weights of the terms that each meets. */
Test(kubectl_pods, S3_20_preferred_node_affinity_comes_to_sums_of_weights)
{
    static const struct { const char *spec; int32_t want[3];
    } of[] = {
        { "", { 0, 0, 0 } },
        { PREFERS(WEIGHED("30", TERM_OF("disk", "Exists", "")) ", " WEIGHED(
              "50", TERM_OF("gen", "Gt", ", \"values\": [\"3\"]"))),
          { 30, 80, 0 } },
        { PREFERS(WEIGHED("100", TERM_OF("disk", "DoesNotExist", ""))), { 0, 0, 100 } },
        { PREFERS(WEIGHED("7", TERM_OF("none", "Exists", ""))), { 0, 0, 0 } },
        { PREFERS("{\"weight\": 9, \"preference\": {}}"), { 0, 0, 0 } }, /* an empty term is none */
        { PREFERS(WEIGHED("50", TERM_OF("gen", "Gt", ", \"values\": [\"3\"]")) ", " WEIGHED(
              "30", TERM_OF("disk", "Exists", ""))),
          { 30, 80, 0 } },
    };
    char items[8192] = "", id[32];
    for (size_t i = 0, n = 0; i < ARRAY_LEN(of); i++)
        n += (size_t)snprintf(
            items + n, sizeof items - n,
            "%s{\"metadata\": {\"name\": \"p%02zu\"}, \"spec\": {\"containers\": [{}]%s}, \"status\": {}}",
            i ? ",\n" : "", i, of[i].spec);
    open_pods(items);
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        (void)snprintf(id, sizeof id, "default/p%02zu", i);
        const int32_t *sum = cluster_preferred(&cluster, next_pod(id)->prefers);
        for (int n = 0; n < 3; n++) cr_expect_eq(sum != NULL ? sum[n] : 0, of[i].want[n], "%s: node %d", of[i].spec, n);
    }
    close_pods();
    cr_assert_eq(cluster.preferences.n, 2);
    cr_assert_eq(cluster.preferences.n_jobs, 3);
}

static const char three[] =
    POD("done", ", \"creationTimestamp\": \"2023-01-01T00:00:10Z\"", ONE("\"cpu\": \"1\"") TOLERANT ", \"nodeName\": \"b\"",
        "\"phase\": \"Succeeded\", \"containerStatuses\": [{\"state\": {\"terminated\": {\"startedAt\": \"2023-01-01T00:00:20Z\", \"finishedAt\": \"2023-01-01T00:01:00Z\"}}},"
        "{\"state\": {\"terminated\": {\"startedAt\": \"2023-01-01T00:00:21Z\", \"finishedAt\": \"2023-01-01T00:01:05Z\"}}}]") ",\n"
    POD("waits", ", \"creationTimestamp\": \"2023-01-01T00:00:00Z\"", ONE("\"cpu\": \"1\"") TOLERANT, "\"phase\": \"Pending\"") ",\n"
    POD("runs", ", \"creationTimestamp\": \"2023-01-01T00:00:30Z\"", ONE("\"cpu\": \"1\"") ", \"nodeName\": \"a\"", "\"phase\": \"Running\"");

/* The bound pod first, where it is, though a's taint would not have it now. */
Test(kubectl_pods, a_snapshot_keeps_what_runs_and_leaves_out_what_ended)
{
    open_pods(three);
    const struct shape *s = next_pod("default/runs");
    cr_assert(j.submit == 0 && s->need_all == 0);
    cr_assert_str_eq(j.node, "a");
    (void)next_pod("default/waits");
    cr_assert(j.submit == 0 && j.node == NULL && j.line == 3);
    close_pods();
    cr_assert_eq(repairs("left out of the snapshot"), 1);
    cr_assert_eq(repairs("PreferNoSchedule"), 1);
}

/* In order of creation; 00:20 to 01:05. */
Test(kubectl_pods, a_replay_goes_by_creation_and_forgets_the_nodes)
{
    traceopts_set(&o, "bound", "replay");
    open_pods(three);
    (void)next_pod("default/waits");
    cr_assert_eq(j.submit, 0);
    (void)next_pod("default/done");
    cr_assert(j.submit == 10 * TICK_SEC && j.node == NULL && j.group[0].dur == 45 * TICK_SEC);
    (void)next_pod("default/runs");
    cr_assert(j.submit == 30 * TICK_SEC && j.node == NULL && j.group[0].dur == 7);
    close_pods();
    cr_assert_eq(repairs("default duration"), 2);
}

Test(kubectl_pods, what_is_not_modelled_is_told)
{
    open_pods(POD("p", "", "\"containers\": [{\"resources\": {\"requests\": {\"ephemeral-storage\": \"1Gi\", \"hugepages-2Mi\": \"4Mi\", \"rdma/hca\": \"1\"}, \"limits\": {\"rdma/hca\": \"1\"}},"
                  "\"ports\": [{\"containerPort\": 80}, {\"hostPort\": 80}]}], \"schedulerName\": \"volcano\", \"topologySpreadConstraints\": [{}],"
                  "\"volumes\": [{\"emptyDir\": {}}, {\"persistentVolumeClaim\": {\"claimName\": \"x\"}}],"
                  "\"affinity\": {\"podAffinity\": {\"x\": 1}, \"podAntiAffinity\": {}}", ""));
    static const char *const told[] = { "ephemeral-storage", "hugepages", "extended resource", "hostPort", "schedulerName", "topologySpread", "persistentVolume",
                                        "podAffinity" };
    for (size_t i = 0; i < ARRAY_LEN(told); i++) cr_expect_eq(repairs(told[i]), 1, "%s", told[i]);
    cr_assert_eq(repairs("podAntiAffinity"), 0);
    trace_source_close(&source);
}

static void refused(const char *items, uint32_t line, const char *what)
{
    char text[4096];
    (void)snprintf(text, sizeof text, "{\"kind\": \"List\",\n\"items\": [\n%s]}", items);
    temp_file(path, text);
    memset(&d, 0, sizeof d);
    cr_assert_neq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "taken: %s", items);
    cr_expect_eq(d.line, line, "%s: line %u, not %u", what, d.line, line);
    cr_expect_not_null(strstr(d.msg, what), "'%s' does not say '%s'", d.msg, what);
    unlink(path);
}

Test(kubectl_pods, mistakes_are_told_with_their_place)
{
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{}]}, \"status\": {}},\n\n{\"metadata\": {\"name\": \"b\"},\n\"spec\": {\"containers\": [{\"resources\": {\"requests\": {\"cpu\": \"1x\"}}}]}}",
            5, "items[1].spec.containers[0].resources.requests: 'cpu': '1x' is not a quantity");
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": 3}}", 3, "items[0].spec.containers: found a number, expected an array");
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {}}", 3, "at least one container");
    refused("{\"metadata\": {}, \"spec\": {}}", 3, "found no 'name'");
    refused("{\"kind\": \"Service\"}", 3, "found kind 'Service', expected Pod");
    refused("[]", 1, "is not an object");
    refused("{\"metadata\": {\"name\": \"a\", }}", 3, "is not JSON");
    refused("{\"metadata\": {\"name\": \"a\", \"annotations\": {\"oks/gpu-number\": \"2\", \"oks/gpunumber\": \"1\"}}, \"spec\": {\"containers\": [{}]}}",
            3, "oks/gpu-number is 2, and oks/gpunumber 1");
    refused("{\"metadata\": {\"name\": \"a\", \"annotations\": {\"oks/gpu-number\": \"two\"}}, \"spec\": {\"containers\": [{}]}}", 3, "not a whole number");
    refused("{\"metadata\": {\"name\": \"a\", \"annotations\": {\"oks/gpu-memory\": \"5\"}}, \"spec\": {\"containers\": [{}]}}", 3, "but for no cards");
    refused("{\"metadata\": {\"name\": \"a\", \"annotations\": {\"oks/gpu-number\": \"2\"}}, \"spec\": {\"containers\": [{\"resources\": {\"limits\": {\"nvidia.com/gpu\": 1}}}]}}", 3, "oks/gpu-number is 2");
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"nodeName\": \"zz\", \"containers\": [{}]}}", 3, "no node 'zz'");
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{}]" AFFINITY(EXPR(TERM_OF("k", "Is", ""))) "}}", 3, "found operator 'Is'");
    refused("{\"metadata\": {\"name\": \"a\", \"creationTimestamp\": \"now\"}, \"spec\": {\"containers\": [{}]}}", 3, "not a time");
    traceopts_format(&o, "kubectl");        /* anew: no duration */
    refused("{\"metadata\": {\"name\": \"a\"}, \"spec\": {\"containers\": [{}]}}", 3, "does not say how long the pod ran");
    cr_assert_not_null(strstr(d.hint, "duration"));
    path[0] = '\0';
}
