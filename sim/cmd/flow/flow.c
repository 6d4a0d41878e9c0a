/* fairway flow: solve a flow problem from a file, and prove the answer. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cmd/cmd.h"
#include "cmd/flow/flow_model.h"
#include "base/mem.h"
#include "base/stopwatch.h"
#include "lib/flow/mcf.h"
#include "input/flow/dimacs.h"

struct opts { const char *file, *sequence, *solution, *duals; bool again; };

static double now_ms(void) { return (double)stopwatch_clock() * 1e-6; }

static enum st open_out(FILE **f, const char *path, struct diag *d)
{
    *f = fopen(path, "w");
    return *f != NULL ? ST_OK : diag_at(d, ST_EWORLD, path, 0, 0, "cannot be written: %s", strerror(errno));
}

static enum st close_out(FILE *f, const char *path, struct diag *d)
{
    bool bad = ferror(f) != 0;
    if (fclose(f) != 0 || bad) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot be written");
    return ST_OK;
}

/* ---- .min ---- */

static enum st write_net(const struct opts *o, const struct mcf *g, struct diag *d)
{
    FILE *f;
    if (o->solution != NULL) {
        TRY(open_out(&f, o->solution, d));
        (void)fprintf(f, "s %" PRId64 "\n", g->cost);
        for (uint32_t e = 0; e < g->m; e++)
            if (g->flow[e] != 0) (void)fprintf(f, "f %u %u %" PRId64 "\n", g->arc[e].from + 1, g->arc[e].to + 1, g->flow[e]);
        TRY(close_out(f, o->solution, d));
    }
    if (o->duals != NULL) {
        TRY(open_out(&f, o->duals, d));
        for (uint32_t u = 0; u < g->n; u++) (void)fprintf(f, "n %u %" PRId64 "\n", u + 1, g->pi[u]);
        TRY(close_out(f, o->duals, d));
    }
    return ST_OK;
}

static enum st solve_net(const struct opts *o, bool *proved, struct diag *d)
{
    struct flow_net in;
    struct mcf_arc *arc;
    char error[256];
    TRY(flow_net_read(&in, o->file, d));
    double t0 = now_ms();
    MEM_ARRAY(arc, in.m);
    for (uint32_t e = 0; e < in.m; e++) arc[e] = (struct mcf_arc){ in.from[e], in.to[e], in.cap[e], in.cost[e] };
    struct mcf g = { .n = in.n, .m = in.m, .supply = in.supply, .arc = arc };
    MEM_ARRAY(g.flow, g.m);
    MEM_ARRAY(g.pi, g.n);
    double t1 = now_ms();
    enum st st = mcf_solve(&g) == MCF_OK ? ST_OK : diag_at(d, ST_EINPUT, o->file, 0, 0, "the figures are too large to add up in 64 bits");
    double t2 = now_ms();
    if (st == ST_OK) {
        (void)printf("flow %" PRId64 " cost %" PRId64 "\n", g.shipped, g.cost);
        (void)printf("build %.3f ms  solve %.3f ms  (%u nodes, %u arcs, %" PRIu64 " pivots)\n", t1 - t0, t2 - t1, g.n, g.m, g.pivots);
        *proved = mcf_verify(&g, error, sizeof error);
        if (!*proved) (void)fprintf(stderr, "fairway flow: the certificate fails: %s\n", error);
        st = write_net(o, &g, d);
    }
    mem_free(arc); mem_free(g.flow); mem_free(g.pi);
    flow_net_fini(&in);
    return st;
}

/* ---- .inst ---- */

static bool proves(const struct flow_model *m, const struct assign_result *r)
{
    char error[256];
    if (assign_verify(m->s, r, error, sizeof error)) return true;
    (void)fprintf(stderr, "fairway flow: the certificate fails: %s\n", error);
    return false;
}

/* Tasks of a class take its GPUs in order of id. */
static enum st write_round(const struct opts *o, const struct flow_model *m, const bool *has_gpu, struct diag *d)
{
    const struct flow_round *f = m->f;
    FILE *out;
    if (o->solution != NULL) {
        uint32_t *next;
        TRY(open_out(&out, o->solution, d));
        MEM_ARRAY(next, (size_t)f->n_nodes * m->n_sizes);
        for (uint32_t n = 0; n < f->n_nodes; n++)
            for (uint32_t k = 0; k < m->n_sizes; k++) next[(size_t)n * m->n_sizes + k] = assign_first(m->s, n, k);
        for (uint32_t g = 0; g < f->n_gpus; g++) {
            uint32_t *t = &next[(size_t)f->gpu_node[g] * m->n_sizes + m->gpu_size[g]];
            if ((has_gpu != NULL && !has_gpu[g]) || *t == ASSIGN_NONE) continue;
            (void)fprintf(out, "%u %u\n", *t, g);
            *t = assign_next(m->s, *t);
        }
        mem_free(next);
        TRY(close_out(out, o->solution, d));
    }
    if (o->duals != NULL) {
        TRY(open_out(&out, o->duals, d));
        for (uint32_t g = 0; g < f->n_gpus; g++)
            if (has_gpu == NULL || has_gpu[g]) (void)fprintf(out, "g %u %" PRId64 "\n", g, assign_price(m->s, f->gpu_node[g], m->gpu_size[g]));
        for (uint32_t j = 0; j < f->n_jobs; j++) (void)fprintf(out, "j %u %" PRId64 "\n", j, assign_value(m->s, j));
        TRY(close_out(out, o->duals, d));
    }
    return ST_OK;
}

static enum st too_large(const struct opts *o, struct diag *d)
{
    return diag_at(d, ST_EINPUT, o->file, 0, 0, "costs times tasks are too large to add up in 64 bits");
}

static enum st solve_round(const struct opts *o, const struct flow_round *f, struct flow_model *m, bool *proved, struct diag *d)
{
    struct assign_result r;
    double t0 = now_ms();
    TRY(flow_model_init(m, f, o->file, d));
    for (uint32_t g = 0; g < f->n_gpus; g++) flow_model_gpu(m, g, true);
    for (uint32_t t = 0; t < f->n_tasks; t++) flow_model_task(m, t);
    double t1 = now_ms();
    if (assign_solve(m->s, &r) != ASSIGN_OK) return too_large(o, d);
    double t2 = now_ms();
    (void)printf("flow %" PRId64 " cost %" PRId64 "\n", r.flow, r.cost);
    (void)printf("build %.3f ms  solve %.3f ms  (%u placed, %" PRIu64 " paths, %" PRIu64 " phases, %" PRIu64 " pops, %" PRIu64 " arcs, %" PRIu64 " bids, %.1f MB)\n", t1 - t0, t2 - t1,
                 r.placed, r.stats.paths, r.stats.phases, r.stats.pops, r.stats.arcs, r.stats.bids, (double)assign_bytes(m->s) / 1e6);
    *proved = proves(m, &r);
    return write_round(o, m, NULL, d);
}

/* ---- .seq ---- */

struct timing { double sum, most; uint32_t n; };

static void apply(struct flow_model *m, const struct flow_seq_round *r, bool *has_gpu)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct flow_change *c = &r->change[i];
        switch ((enum flow_what)c->what) {
        case FLOW_TASK_GOES:  assign_remove(m->s, c->id); break;
        case FLOW_TASK_COMES: flow_model_task(m, c->id); break;
        case FLOW_GPU_GOES:   flow_model_gpu(m, c->id, false); has_gpu[c->id] = false; break;
        case FLOW_GPU_COMES:  flow_model_gpu(m, c->id, true); has_gpu[c->id] = true; break;
        case FLOW_SHARE:      assign_job(m->s, c->id, c->share, m->f->alpha); break;
        }
    }
}

static enum st one_round(const struct opts *o, struct flow_model *m, const struct flow_seq_round *r, bool *has_gpu,
                         struct timing *t, bool *proved, struct diag *d)
{
    struct assign_result got;
    double t0 = now_ms();
    if (o->again) assign_forget(m->s);
    apply(m, r, has_gpu);
    double t1 = now_ms();
    if (assign_solve(m->s, &got) != ASSIGN_OK) return too_large(o, d);
    double t2 = now_ms();
    if (t->n++ > 0) {       /* the first round is the cold one */
        t->sum += t2 - t0;
        if (t2 - t0 > t->most) t->most = t2 - t0;
    }
    (void)printf("round %u flow %" PRId64 " cost %" PRId64 "  changes %.3f ms  solve %.3f ms  (%" PRIu64 " paths%s)\n", r->number, got.flow,
                 got.cost, t1 - t0, t2 - t1, got.stats.paths, got.stats.was_cold ? ", cold" : "");
    if (!proves(m, &got)) *proved = false;
    if (r->has_opt && (got.flow != r->flow || got.cost != r->cost)) {
        (void)fprintf(stderr, "%s:%u: round %u: the file states flow %" PRId64 " cost %" PRId64 "\n", o->sequence, r->line, r->number, r->flow, r->cost);
        *proved = false;
    }
    return ST_OK;
}

static enum st solve_sequence(const struct opts *o, const struct flow_round *f, struct flow_model *m, bool *proved, struct diag *d)
{
    struct flow_seq *seq = NULL;
    struct flow_seq_round r;
    struct timing t = { 0 };
    bool *has_gpu;
    MEM_ARRAY(has_gpu, f->n_gpus);
    *proved = true;
    enum st st = flow_model_init(m, f, o->file, d);
    if (st == ST_OK) st = flow_seq_open(&seq, o->sequence, f, d);
    while (st == ST_OK && (st = flow_seq_next(seq, &r, d)) == ST_OK) st = one_round(o, m, &r, has_gpu, &t, proved, d);
    if (st == ST_END) {
        if (t.n > 1) (void)printf("rounds after the first: mean %.3f ms  most %.3f ms  (changes and solve; %.1f MB)\n", t.sum / (t.n - 1), t.most, (double)assign_bytes(m->s) / 1e6);
        st = write_round(o, m, has_gpu, d);
    }
    flow_seq_close(seq);
    mem_free(has_gpu);
    return st;
}

static enum st solve_inst(const struct opts *o, bool *proved, struct diag *d)
{
    struct flow_round f;
    struct flow_model m = { .f = NULL };
    TRY(flow_round_read(&f, o->file, d));
    enum st st = o->sequence != NULL ? solve_sequence(o, &f, &m, proved, d) : solve_round(o, &f, &m, proved, d);
    flow_model_fini(&m);
    flow_round_fini(&f);
    return st;
}

/* ---- the command ---- */

static bool ends(const char *s, const char *tail)
{
    size_t n = strlen(s), k = strlen(tail);
    return n >= k && strcmp(s + n - k, tail) == 0;
}

static int check_use(const struct opts *o)
{
    if (!ends(o->file, ".min") && !ends(o->file, ".inst"))
        return cmd_usage_error(&cmd_flow, "'%s' ends neither in .min (DIMACS) nor in .inst (a scheduling round)", o->file);
    if (ends(o->file, ".min") && (o->sequence != NULL || o->again))
        return cmd_usage_error(&cmd_flow, "--%s needs a scheduling round (.inst)", o->sequence != NULL ? "sequence" : "cold");
    if (o->again && o->sequence == NULL) return cmd_usage_error(&cmd_flow, "--cold needs --sequence");
    return 0;
}

static int run(void *opts, const struct cmd_args *a)
{
    struct opts *o = opts;
    struct diag d = { 0 };
    bool proved = false;
    o->file = a->at[0];
    int status = check_use(o);
    if (status != 0) return status;
    enum st st = ends(o->file, ".min") ? solve_net(o, &proved, &d) : solve_inst(o, &proved, &d);
    if (st != ST_OK) return cmd_fail(&d);
    return proved ? 0 : 1;
}

static const struct cmd_option options[] = {
    { "sequence", 0, OPTION_TEXT, "FILE.seq", "replay rounds of changes over FILE.inst, each solved from the last",
      .offset = offsetof(struct opts, sequence), .words = "*" },
    { "cold", 0, OPTION_FLAG, NULL, "solve each of them from nothing instead", .offset = offsetof(struct opts, again) },
    { "solution", 0, OPTION_TEXT, "FILE", "write 'task gpu' lines (.inst) or DIMACS 'f' lines (.min)",
      .offset = offsetof(struct opts, solution), .words = "*" },
    { "duals", 0, OPTION_TEXT, "FILE", "write prices 'g gpu price' and values 'j job value', or node potentials",
      .offset = offsetof(struct opts, duals), .words = "*" },
    { 0 },
};

const struct cmd cmd_flow = {
    .name = "flow", .summary = "solve a min-cost-flow problem or scheduling round exactly",
    .synopsis = "FILE [OPTIONS]",
    .about = "FILE.min   DIMACS minimum-cost flow: the cheapest of the largest flows, by network simplex\n"
             "FILE.inst  a scheduling round: the same optimum, by the structured solver; the format:\n"
             "           " DIAG_DOC("policies/lib/flow/README.md") "\n",
    .notes = "Prints 'flow F cost C' and the times of build and solve.  Every answer is checked against its\n"
             "certificate of optimality; the exit status is 1 if one fails, or if a sequence states another optimum.\n",
    .option = options, .size = sizeof(struct opts),
    .expected = "one file", .min_args = 1, .max_args = 1, .arg = { "*.min *.inst" }, .run = run,
};
