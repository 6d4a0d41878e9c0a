/*
 * KubeSchedulerConfigurations with a few bytes changed, or words that mean something put elsewhere: refused with a
 * place in the file, or taken by the policy; never anything else.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>
#include "base/rng.h"
#include "host/host.h"
#include "ref/temp.h"

enum { TEXT_MAX = 8192, CASES = 3000 };

static const char *const configs[] = {
    "apiVersion: kubescheduler.config.k8s.io/v1beta1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 30\n"
    "leaderElection: {leaderElect: true}\nprofiles:\n- schedulerName: a\n  plugins:\n    score:\n"
    "      disabled: [{name: NodeResourcesLeastAllocated}, {name: '*'}]\n"
    "      enabled:\n      - {name: RequestedToCapacityRatio, weight: 2}\n      - name: NodeAffinity\n      - name: "
    "NodeLabel\n"
    "    filter: {disabled: [{name: NodePorts}]}\n    postFilter: {disabled: [{name: DefaultPreemption}]}\n  "
    "pluginConfig:\n"
    "  - name: RequestedToCapacityRatio\n    args:\n      kind: RequestedToCapacityRatioArgs\n"
    "      shape: [{utilization: 0, score: 0}, {utilization: 70, score: 9}, {utilization: 100, score: 10}]\n"
    "      resources: [{name: cpu, weight: 3}, {name: nvidia.com/gpu}]\n- schedulerName: b\n",
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
    "- percentageOfNodesToScore: 0\n  plugins:\n    multiPoint:\n      enabled: [{name: Coscheduling, weight: 3}]\n"
    "      disabled: [{name: NodeResourcesBalancedAllocation}]\n  pluginConfig:\n  - name: NodeResourcesFit\n    "
    "args:\n"
    "      scoringStrategy:\n        type: RequestedToCapacityRatio\n        resources: [{name: memory, weight: 100}]\n"
    "        requestedToCapacityRatio: {shape: [{utilization: 0, score: 10}, {utilization: 100, score: 0}]}\n",
};

static void mutate(struct rng *r, char *s)
{
    static const char *const word[] = { "null",
                                        "{}",
                                        "[]",
                                        "''",
                                        "-1",
                                        "0",
                                        "99999999999999999999",
                                        "cpu",
                                        "'*'",
                                        "\n",
                                        "- ",
                                        ":",
                                        "NodeResourcesFit",
                                        "NodeResourcesMostAllocated",
                                        "RequestedToCapacityRatio",
                                        "shape",
                                        "\t",
                                        ";",
                                        "/",
                                        "v1beta1",
                                        "weight: 7",
                                        "type: MostAllocated",
                                        "DefaultPreemption",
                                        "name: x" };
    for (uint64_t n = 1 + rng_below(r, 3); n > 0; n--) {
        size_t len = strlen(s), at = (size_t)rng_below(r, len), gap = 1 + (size_t)rng_below(r, 12);
        const char *w = word[rng_below(r, ARRAY_LEN(word))];
        if (at + gap > len) gap = len - at;
        switch (rng_below(r, 3)) {
        case 0: s[at] = (char)(' ' + rng_below(r, 95)); break;
        case 1: memmove(s + at, s + at + gap, len - at - gap + 1); break;
        default:
            if (len + strlen(w) >= TEXT_MAX) break;
            memmove(s + at + strlen(w), s + at, len - at + 1);
            memcpy(s + at, w, strlen(w));
            break;
        }
        if (s[0] == '\0') strcpy(s, "a");
    }
}

Test(kube_config_fuzz, damaged_configurations_are_refused_with_a_place_or_taken)
{
    size_t n_taken = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct rng r;
        char text[TEXT_MAX], path[TEMP_PATH], spec[TEMP_PATH + 64];
        struct diag d = { 0 };
        struct host *h;
        rng_init(&r, seed, "kube config fuzz", 0);
        (void)snprintf(text, sizeof text, "%s", configs[rng_below(&r, ARRAY_LEN(configs))]);
        if (seed > ARRAY_LEN(configs)) mutate(&r, text);
        temp_file(path, text);
        (void)snprintf(spec, sizeof spec, "kube-default:config=%s", path);
        enum st st = host_create(&h, spec, NULL, NULL, NULL, &(struct host_hooks){ .ctx = NULL }, &d);
        if (st == ST_OK) host_destroy(h);
        n_taken += st == ST_OK;
        cr_expect(st == ST_OK || (st == ST_EINPUT && strcmp(d.file, path) == 0 && d.line > 0 && d.msg[0] != '\0'),
                  "seed %lu: %d %s:%u: %s\n%s", (unsigned long)seed, (int)st, d.file, d.line, d.msg, text);
        (void)unlink(path);
    }
    cr_assert(n_taken > CASES / 10 && n_taken < CASES * 9 / 10, "%zu of %d are taken", n_taken, CASES);
}
