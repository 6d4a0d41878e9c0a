/*
 * bench_flow -- build and solve, in one run: the structured solver on a round
 * (.inst), our network simplex and LEMON's on the aggregated graph (.min) of
 * the same optimum, rounds of other shapes and sizes that are made up
 * (ref/madeflow.h), and sequences of rounds warm against from scratch.
 * Medians of processor time; the runs alternate so that a busy machine slows all alike.
 * usage: bench_flow [FOLDER [NAME]]     FOLDER holds NAME.inst, NAME.agg.min, NAME.*.seq
 * With a NAME only the made-up rounds of that shape.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "cmd/flow/flow_model.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/flow/mcf.h"
#include "input/flow/dimacs.h"
#include "ref/madeflow.h"

#ifdef BENCH_LEMON
double bench_lemon(uint32_t n, uint32_t m, const uint32_t *from, const uint32_t *to, const int64_t *cap,
                   const int64_t *cost, const int64_t *supply, int64_t *total);
#else
static double bench_lemon(uint32_t n, uint32_t m, const uint32_t *from, const uint32_t *to, const int64_t *cap,
                          const int64_t *cost, const int64_t *supply, int64_t *total)
{
    (void)n; (void)m; (void)from; (void)to; (void)cap; (void)cost; (void)supply; (void)total;
    return -1;
}
#endif

enum { RUNS_MAX = 41 };

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, by_value);
    return x[n / 2];
}

static void must(enum st st, const struct diag *d)
{
    if (st == ST_OK) return;
    diag_print(d, stderr);
    exit(diag_exit_status(st));
}

/* ---- one round ---- */

static double structured(const struct flow_round *f, struct assign_result *r, size_t *bytes)
{
    struct flow_model m;
    struct diag d = { 0 };
    double t0 = now_ms();
    must(flow_model_init(&m, f, "", &d), &d);
    for (uint32_t g = 0; g < f->n_gpus; g++) flow_model_gpu(&m, g, true);
    for (uint32_t t = 0; t < f->n_tasks; t++) flow_model_task(&m, t);
    if (assign_solve(m.s, r) != ASSIGN_OK) exit(1);
    double took = now_ms() - t0;
    *bytes = assign_bytes(m.s);
    flow_model_fini(&m);
    return took;
}

static double simplex(const struct flow_net *in, int64_t *cost)
{
    double t0 = now_ms();
    struct mcf_arc *arc;
    MEM_ARRAY(arc, in->m);
    for (uint32_t e = 0; e < in->m; e++) arc[e] = (struct mcf_arc){ in->from[e], in->to[e], in->cap[e], in->cost[e] };
    struct mcf g = { .n = in->n, .m = in->m, .supply = in->supply, .arc = arc };
    MEM_ARRAY(g.flow, g.m);
    MEM_ARRAY(g.pi, g.n);
    if (mcf_solve(&g) != MCF_OK) exit(1);
    double took = now_ms() - t0;
    *cost = g.cost;
    mem_free(arc); mem_free(g.flow); mem_free(g.pi);
    return took;
}

/* One line; runs of our simplex: as many, or none. */
static void bench_pair(const char *name, const struct flow_round *f, const struct flow_net *net, int n, bool has_simplex)
{
    struct assign_result r;
    double ours[RUNS_MAX], ns[RUNS_MAX], lemon[RUNS_MAX];
    int64_t ns_cost = 0, lemon_cost = 0;
    size_t bytes = 0;
    for (int i = 0; i < n; i++) {
        ours[i] = structured(f, &r, &bytes);
        if (has_simplex) ns[i] = simplex(net, &ns_cost);
        lemon[i] = bench_lemon(net->n, net->m, net->from, net->to, net->cap, net->cost, net->supply, &lemon_cost);
    }
    double a = median(ours, n), b = has_simplex ? median(ns, n) : 0, c = median(lemon, n);
    (void)printf("flow  %-12s structured %9.3f ms  %5.1f MB", name, a, (double)bytes / 1e6);
    if (has_simplex) (void)printf("   simplex %9.3f ms", b);
    else (void)printf("   %20s", "");
    if (c >= 0) (void)printf("   LEMON %9.3f ms   structured/LEMON %5.3f", c, a / c);
    else (void)printf("   LEMON skipped");
    if (has_simplex && c >= 0) (void)printf("  simplex/LEMON %5.2f", b / c);
    else if (has_simplex) (void)printf("   structured/simplex %5.3f", a / b);
    (void)printf("%s\n", (!has_simplex || r.cost == ns_cost) && (c < 0 || r.cost == lemon_cost) ? "" : "   COSTS DIFFER");
}

static void bench_round(const char *folder, const char *name)
{
    char path[1024];
    struct diag d = { 0 };
    struct flow_round f;
    struct flow_net net;
    (void)snprintf(path, sizeof path, "%s/%s.inst", folder, name);
    must(flow_round_read(&f, path, &d), &d);
    (void)snprintf(path, sizeof path, "%s/%s.agg.min", folder, name);
    must(flow_net_read(&net, path, &d), &d);
    bench_pair(name, &f, &net, f.n_tasks < 1000 ? RUNS_MAX : net.m < 200000 ? 9 : 3, true);
    flow_round_fini(&f);
    flow_net_fini(&net);
}

/* Five tasks a card; our simplex is left out at 10,000 cards, where it would take most of the run. */
static const struct made_shape made[] = {
    /* name     cards   jobs  tasks levels mixed big zipf sizes      disks  reps  a1    a2    alpha    all */
    { "skew",    2000,  100, 10000, 3, false,  0, 0.9, MADE_LOGNORMAL, 1.5, 1, 3, 4000, 10000, 30000000, false },
    { "memory",  2000,  100, 10000, 4, true,   0, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "big",     2000,  100, 10000, 4, true,  60, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "slow",    2000,  100, 10000, 1, false,  0, 1.4, MADE_LOGNORMAL, 1.0, 3, 3, 1000,  1500, 30000000, false },
    { "plain",  10000,  100, 50000, 1, false,  0, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "block",  10000,  100, 50000, 1, false,  0, 0.0, MADE_BLOCKS,    1.0, 3, 3, 4000, 10000, 30000000, false },
    { "skew",   10000,  100, 50000, 3, false,  0, 0.9, MADE_LOGNORMAL, 1.5, 1, 3, 4000, 10000, 30000000, false },
    { "memory", 10000,  100, 50000, 4, true,   0, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "big",    10000,  100, 50000, 4, true,  60, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "shares", 10000,  300, 50000, 6, true,  20, 0.8, MADE_LOGNORMAL, 3.0, 1, 3, 4000, 10000,  1000000, false },
    { "disks",  10000,  100, 50000, 4, true,   0, 1.2, MADE_LOGNORMAL, 5.0, 1, 3, 1000,  4000, 30000000, false },
};

static void bench_made(const struct made_shape *m)
{
    char name[64];
    struct flow_round f;
    struct flow_net net;
    struct assign_result r;
    size_t bytes;
    made_round(&f, m, 1);
    (void)structured(&f, &r, &bytes);           /* the flow; LEMON takes no other */
    made_net(&net, &f, r.flow);
    (void)snprintf(name, sizeof name, "%s %u", m->name, m->gpus);
    bench_pair(name, &f, &net, 3, m->gpus <= 2000);
    flow_round_fini(&f);
    flow_net_fini(&net);
}

/* ---- sequences ---- */

struct seq_times { double sum, most; int n; };

static void apply(struct flow_model *m, const struct flow_seq_round *r, bool *task, bool *gpu)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct flow_change *c = &r->change[i];
        switch ((enum flow_what)c->what) {
        case FLOW_TASK_GOES:  if (m->s) assign_remove(m->s, c->id); task[c->id] = false; break;
        case FLOW_TASK_COMES: if (m->s) flow_model_task(m, c->id); task[c->id] = true; break;
        case FLOW_GPU_GOES:   if (m->s) flow_model_gpu(m, c->id, false); gpu[c->id] = false; break;
        case FLOW_GPU_COMES:  if (m->s) flow_model_gpu(m, c->id, true); gpu[c->id] = true; break;
        case FLOW_SHARE:      if (m->s) assign_job(m->s, c->id, c->share, m->f->alpha); break;
        }
    }
}

/* The same round from nothing: what is there is told and solved again. */
static double scratch(const struct flow_round *f, const bool *task, const bool *gpu, const uint32_t *share)
{
    struct flow_model m;
    struct assign_result r;
    struct diag d = { 0 };
    double t0 = now_ms();
    must(flow_model_init(&m, f, "", &d), &d);
    for (uint32_t j = 0; j < f->n_jobs; j++) assign_job(m.s, j, share[j], f->alpha);
    for (uint32_t g = 0; g < f->n_gpus; g++) if (gpu[g]) flow_model_gpu(&m, g, true);
    for (uint32_t t = 0; t < f->n_tasks; t++) if (task[t]) flow_model_task(&m, t);
    if (assign_solve(m.s, &r) != ASSIGN_OK) exit(1);
    double took = now_ms() - t0;
    flow_model_fini(&m);
    return took;
}

static void bench_sequence(const char *folder, const char *name, const char *kind)
{
    char path[1024];
    struct diag d = { 0 };
    struct flow_round f;
    struct flow_model m;
    struct flow_seq *seq;
    struct flow_seq_round r;
    struct assign_result got;
    struct seq_times warm = { 0 }, cold = { 0 };
    bool *task, *gpu;
    uint32_t *share;
    (void)snprintf(path, sizeof path, "%s/%s.inst", folder, name);
    must(flow_round_read(&f, path, &d), &d);
    must(flow_model_init(&m, &f, path, &d), &d);
    (void)snprintf(path, sizeof path, "%s/%s.%s.seq", folder, name, kind);
    must(flow_seq_open(&seq, path, &f, &d), &d);
    MEM_ARRAY(task, f.n_tasks);
    MEM_ARRAY(gpu, f.n_gpus);
    MEM_ARRAY(share, f.n_jobs);
    memcpy(share, f.job_share, f.n_jobs * sizeof *share);
    bool same = true;
    for (int round = 0; flow_seq_next(seq, &r, &d) == ST_OK; round++) {
        for (size_t i = 0; i < r.n; i++) if (r.change[i].what == FLOW_SHARE) share[r.change[i].id] = r.change[i].share;
        double t0 = now_ms();
        apply(&m, &r, task, gpu);
        if (assign_solve(m.s, &got) != ASSIGN_OK) exit(1);
        double t = now_ms() - t0;
        same &= !r.has_opt || (got.flow == r.flow && got.cost == r.cost);
        if (round == 0) continue;
        warm.sum += t;
        warm.n++;
        if (t > warm.most) warm.most = t;
        if (round % 10 == 0) { cold.sum += scratch(&f, task, gpu, share); cold.n++; }
    }
    must(d.code, &d);
    double w = warm.sum / warm.n, c = cold.sum / cold.n;
    (void)printf("flow  %-12s %-9s round mean %7.3f ms  most %7.3f ms   from scratch %7.3f ms   ratio %5.3f%s\n", name, kind, w, warm.most, c, w / c, same ? "" : "   OPTIMA DIFFER");
    flow_seq_close(seq);
    flow_model_fini(&m);
    flow_round_fini(&f);
    mem_free(task); mem_free(gpu); mem_free(share);
}

/* ---- larger clusters, made up ---- */

struct large { struct assign *s; struct rng g; uint32_t nodes, racks, jobs, per_node, next_task; };

static void large_task(struct large *l)
{
    struct assign_near near[6];
    int64_t size = (int64_t)(100000 + rng_below(&l->g, 400000));
    struct assign_task t = { .job = (uint32_t)rng_below(&l->g, l->jobs), .fits = 1, .far = size * 8, .near = near };
    for (int k = 0; k < 3; k++) {
        uint32_t node = (uint32_t)rng_below(&l->g, l->nodes), rack = node / 25, i = 0;
        while (i < t.n_near && (near[i].is_rack || near[i].at != node)) i++;
        if (i < t.n_near) continue;
        near[t.n_near++] = (struct assign_near){ node, 0, size * 2 };
        for (i = 0; i < t.n_near && !(near[i].is_rack && near[i].at == rack); i++) {}
        if (i == t.n_near) near[t.n_near++] = (struct assign_near){ rack, 1, size * 3 };
    }
    assign_add(l->s, l->next_task++, &t);
}

/* A full cluster, then rounds: n GPUs come free, n tasks arrive, placements leave. */
static void bench_large(uint32_t gpus, uint32_t tasks, uint32_t n)
{
    struct large l = { .nodes = gpus / 8, .racks = gpus / 200, .jobs = gpus / 20, .per_node = 8 };
    struct assign_result r;
    uint32_t *rack;
    MEM_ARRAY(rack, l.nodes);
    for (uint32_t i = 0; i < l.nodes; i++) rack[i] = i / 25;
    rng_init(&l.g, 1, "bench large", tasks);
    double t0 = now_ms();
    l.s = assign_create(l.racks, l.nodes, rack, 1);
    for (uint32_t i = 0; i < l.nodes; i++) assign_places(l.s, i, 0, 8);
    for (uint32_t j = 0; j < l.jobs; j++) assign_job(l.s, j, 20, 30000000);
    for (uint32_t t = 0; t < tasks; t++) large_task(&l);
    if (assign_solve(l.s, &r) != ASSIGN_OK) exit(1);
    double cold = now_ms() - t0, sum = 0, most = 0;
    size_t bytes = assign_bytes(l.s);
    uint64_t paths = r.stats.paths;
    for (uint32_t i = 0; i < l.nodes; i++) assign_places(l.s, i, 0, 0);
    for (int round = 0; round < 50; round++) {
        double t1 = now_ms();
        for (uint32_t t = 0; t < l.next_task; t++) {
            uint32_t node, kind;
            if (assign_has(l.s, t) && assign_place(l.s, t, &node, &kind)) { assign_places(l.s, node, 0, 0); assign_remove(l.s, t); }
        }
        double t2 = now_ms();
        (void)t1;
        for (uint32_t i = 0; i < n; i++) {
            large_task(&l);
            assign_places(l.s, (uint32_t)rng_below(&l.g, l.nodes), 0, 1);
        }
        if (assign_solve(l.s, &r) != ASSIGN_OK) exit(1);
        double t = now_ms() - t2;
        sum += t;
        if (t > most) most = t;
    }
    (void)printf("flow  %u GPUs, %u tasks: cold %.1f ms (%" PRIu64 " paths, %.1f MB); a dispatch round of %u: mean %.3f ms, most %.3f ms\n",
                 gpus, tasks, cold, paths, (double)bytes / 1e6, n, sum / 50, most);
    assign_destroy(l.s);
    mem_free(rack);
}

int main(int argc, char **argv)
{
    static const char *const rounds[] = { "a1_block", "a2_skew", "a4_nonmono", "a5_short", "b1_block", "b7_nonmono", "b8_steady", "b9_memshort" };
    if (argc > 2) {
        for (size_t i = 0; i < ARRAY_LEN(made); i++) if (strcmp(made[i].name, argv[2]) == 0) bench_made(&made[i]);
        return 0;
    }
    if (argc > 1) {
        for (size_t i = 0; i < ARRAY_LEN(rounds); i++) bench_round(argv[1], rounds[i]);
        bench_sequence(argv[1], "s1_block", "dispatch");
        bench_sequence(argv[1], "s1_block", "reopt");
    }
    for (size_t i = 0; i < ARRAY_LEN(made); i++) bench_made(&made[i]);
    bench_large(2000, 10000, 10);
    bench_large(2000, 20000, 10);
    bench_large(10000, 50000, 10);
    bench_large(10000, 100000, 10);
    return 0;
}
