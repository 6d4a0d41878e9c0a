/*
 * Pods and nodes with a few bytes changed, or words that mean something put
 * elsewhere: read, or refused with a message; never anything else.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/rng.h"
#include "input/kube/nodes.h"
#include "input/trace/trace.h"
#include "ref/traceopts.h"

enum { TEXT_MAX = 8192, CASES = 3000 };

static const char nodes_text[] =
    "{\"kind\": \"List\", \"items\": [{\"kind\": \"Node\", \"metadata\": {\"name\": \"a\", \"labels\": {\"disk\": \"ssd\", \"gen\": \"3\"}},"
    "\"spec\": {\"taints\": [{\"key\": \"gpu\", \"value\": \"yes\", \"effect\": \"NoSchedule\"}]},"
    "\"status\": {\"allocatable\": {\"cpu\": \"31500m\", \"memory\": \"100Gi\", \"pods\": \"110\", \"nvidia.com/gpu\": \"2\"}}},"
    "{\"kind\": \"Node\", \"metadata\": {\"name\": \"b\"}, \"spec\": {\"unschedulable\": true}, \"status\": {\"allocatable\": {\"cpu\": 8, \"memory\": \"32Gi\"}}}]}";

static const char pods_text[] =
    "{\"kind\": \"List\", \"items\": [{\"kind\": \"Pod\", \"metadata\": {\"name\": \"p\", \"namespace\": \"n\", "
    "\"creationTimestamp\": \"2023-01-01T00:00:10Z\","
    "\"annotations\": {\"oks/gpu-number\": \"1\", \"oks/gpu-core\": \"2000\", \"oks/gpu-memory\": \"16000\"}},"
    "\"spec\": {\"containers\": [{\"resources\": {\"requests\": {\"cpu\": \"1\", \"memory\": \"1.5Gi\"}, \"limits\": "
    "{\"nvidia.com/gpu\": \"1\"}}}],"
    "\"tolerations\": [{\"key\": \"gpu\", \"operator\": \"Exists\"}], \"nodeSelector\": {\"disk\": \"ssd\"}, "
    "\"overhead\": {\"cpu\": \"10m\"},"
    "\"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": {\"nodeSelectorTerms\": "
    "[{\"matchExpressions\":"
    "[{\"key\": \"gen\", \"operator\": \"Gt\", \"values\": [\"2\"]}]}]}, "
    "\"preferredDuringSchedulingIgnoredDuringExecution\":"
    "[{\"weight\": 30, \"preference\": {\"matchExpressions\": [{\"key\": \"disk\", \"operator\": \"Exists\"}]}}]}}}, "
    "\"status\": {\"phase\": \"Pending\"}},"
    "{\"metadata\": {\"name\": \"q\"}, \"spec\": {\"nodeName\": \"b\", \"containers\": [{}], \"initContainers\": "
    "[{\"restartPolicy\": \"Always\"}]},"
    "\"status\": {\"phase\": \"Running\", \"containerStatuses\": [{\"state\": {\"terminated\": {\"startedAt\": "
    "\"2023-01-01T00:00:20Z\", \"finishedAt\": \"2023-01-01T00:01:00Z\"}}}]}}]}";

static void mutate(struct rng *r, char *s)
{
    static const char *const word[] = { "null", "{}", "[]", "\"\"", "-1", "1e99", "\"8Ei\"", "\"NotIn\"", "\"items\"", "true", "9223372036854775808", "\\u0000", "]", "}", "\"a\":1,", ":" };
    for (uint64_t n = 1 + rng_below(r, 4); n > 0; n--) {
        size_t len = strlen(s), at = (size_t)rng_below(r, len), gap = 1 + (size_t)rng_below(r, 12);
        const char *w = word[rng_below(r, ARRAY_LEN(word))];
        if (at + gap > len) gap = len - at;
        switch (rng_below(r, 4)) {
        case 0: s[at] = (char)(1 + rng_below(r, 255)); break;
        case 1: memmove(s + at, s + at + gap, len - at - gap + 1); break;
        case 2:     /* a value or name gives way to a word */
            if (strchr("\"{[0123456789", s[at]) == NULL) break;
            /* fall through */
        default:
            if (len + strlen(w) >= TEXT_MAX) break;
            memmove(s + at + strlen(w), s + at, len - at + 1);
            memcpy(s + at, w, strlen(w));
            break;
        }
        if (s[0] == '\0') strcpy(s, "{");
    }
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

static enum st add(struct node_sink *to, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    struct diag own = { 0 };
    if (cluster_add(to->cluster, s, &own) == ST_OK) return ST_OK;
    return diag_at(d, own.code, file, line, col, "%s", own.msg);
}

static int read_case(const char *node_path, const char *pod_path, const char *bound)
{
    struct cluster c = { 0 };
    struct throughput perf = { 0 };
    struct kube_nodes nodes = { .n_prefer = 0 };
    struct node_sink sink = { .cluster = &c, .add = add };
    struct trace t;
    struct diag d = { 0 };
    struct trace_opts o = { .path = pod_path, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1, .kube_nodes = &nodes };
    traceopts_format(&o, "kubectl");
    traceopts_set(&o, "bound", bound);
    traceopts_set(&o, "duration", "0");
    enum st st = kube_nodes_load(&nodes, &sink, node_path, &d);
    if (st == ST_OK) {
        cluster_seal(&c);
        st = trace_prepare(&t, &o, &c, &perf, &d);
        if (st == ST_OK) trace_fini(&t);
    }
    cr_assert(st == ST_OK || (st == ST_EINPUT && d.msg[0] != '\0'), "status %d: %s", (int)st, d.msg);
    trace_opts_fini(&o);
    kube_nodes_fini(&nodes);
    cluster_fini(&c);
    throughput_fini(&perf);
    return st == ST_OK;
}

Test(kubectl_fuzz, changed_files_are_read_or_refused)
{
    char node_path[] = "/tmp/fairway-test-XXXXXX", pod_path[] = "/tmp/fairway-test-XXXXXX", text[TEXT_MAX];
    int good = 0;
    close(mkstemp(node_path));
    close(mkstemp(pod_path));
    put(node_path, nodes_text);
    put(pod_path, pods_text);
    cr_assert(read_case(node_path, pod_path, "keep") && read_case(node_path, pod_path, "replay") == 0);      /* q has no creationTimestamp */
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct rng r;
        bool of_nodes = seed % 3 == 0;
        rng_init(&r, seed, "kubectl fuzz", 0);
        strcpy(text, of_nodes ? nodes_text : pods_text);
        mutate(&r, text);
        put(of_nodes ? node_path : pod_path, text);
        good += read_case(node_path, pod_path, seed % 2 ? "keep" : "replay");
        put(of_nodes ? node_path : pod_path, of_nodes ? nodes_text : pods_text);
    }
    cr_assert(good > 0 && good < CASES, "%d of %d were read", good, CASES);
    unlink(node_path);
    unlink(pod_path);
}
