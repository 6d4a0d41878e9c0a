/*
 * The kube- policies against the reference of tests/ref, event for event, on random cases: priorities and
 * preemption, gangs, cards by count and by memory, scores of every kind, preferences, configurations, parts of the
 * nodes.  FAIRWAY_LONG=1 runs 10 times as many; FAIRWAY_SEED=n runs only that seed.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "ref/refkube.h"

enum { CASES = 2000, LONG_FACTOR = 10 };

struct pair { struct wf_log real, ref; char error[512]; long at; };

static void forget(struct pair *p)
{
    wfcase_log_fini(&p->real);
    wfcase_log_fini(&p->ref);
}

static bool differs(const struct kubecase *c, struct pair *p)
{
    forget(p);
    kubecase_run(c, &p->real, p->error, sizeof p->error);
    refkube_run(c, &p->ref);
    size_t i = 0;
    while (i < p->real.n && i < p->ref.n && p->real.line[i].at == p->ref.line[i].at &&
           strcmp(p->real.line[i].text, p->ref.line[i].text) == 0)
        i++;
    p->at = (long)i;
    return p->error[0] != '\0' || i < p->real.n || i < p->ref.n;
}

/* Jobs and faults that are not needed for the difference go. */
static void shrink(struct kubecase *c, struct pair *p)
{
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (int i = c->n_jobs + c->n_faults; i-- > 0 && !smaller;) {
            static struct kubecase t;
            t = *c;
            int f = i - c->n_jobs;
            if (f >= 0) memmove(&t.fault[f], &t.fault[f + 1], (size_t)(--t.n_faults - f) * sizeof t.fault[0]);
            else memmove(&t.job[i], &t.job[i + 1], (size_t)(--t.n_jobs - i) * sizeof t.job[0]);
            if (t.n_jobs > 0 && differs(&t, p)) { *c = t; smaller = true; }
        }
    }
    (void)differs(c, p);
}

static void tell(const char *who, const struct wf_log *log, long at)
{
    fprintf(stderr, "%s:\n", who);
    for (long i = at > 15 ? at - 15 : 0; i < (long)log->n && i < at + 6; i++)
        fprintf(stderr, "%s t=%-5" PRId64 " %s\n", i == at ? ">>" : "  ", log->line[i].at, log->line[i].text);
}

Test(kube_reference, S3_a_second_implementation_does_the_same)
{
    const char *only = getenv("FAIRWAY_SEED"), *all = getenv("FAIRWAY_LONG");
    uint64_t n = CASES * (all != NULL && *all == '1' ? LONG_FACTOR : 1);
    size_t n_preempted = 0, n_mismatches = 0, n_starts = 0;
    static struct kubecase c;
    static struct pair p;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t seed = 1 + i;
        if (only != NULL) { seed = strtoull(only, NULL, 10); i = n; }
        kubecase_make(&c, seed);
        if (differs(&c, &p)) {
            shrink(&c, &p);
            kubecase_tell(&c, stderr);
            fprintf(stderr, "%s\n", p.error);
            tell("policy", &p.real, p.at);
            tell("reference", &p.ref, p.at);
            cr_assert_fail("seed %" PRIu64 ": the policy and the reference differ (see above)", seed);
        }
        for (size_t k = 0; k < p.ref.n; k++) {
            n_starts += strncmp(p.ref.line[k].text, "start", 5) == 0;
            n_preempted += strstr(p.ref.line[k].text, "preempted") != NULL;
            n_mismatches += strstr(p.ref.line[k].text, "mismatch") != NULL;
        }
        forget(&p);
    }
    /* What is to be compared has happened. */
    cr_assert(only != NULL || (n_starts > 20 * n && n_preempted > n / 2 && n_mismatches > n / 2),
              "%zu starts, %zu preempted, %zu mismatches", n_starts, n_preempted, n_mismatches);
}
