/* refcase_tell.c -- two logs of a case compared, and told around where they differ, of the smallest case that does. */
#include "ref/refcase.h"

#include <inttypes.h>
#include <string.h>
#include "ref/kueuecase.h"

static bool same(const struct ref_event *a, const struct ref_event *b)
{
    return a->at == b->at && a->type == b->type && a->job == b->job && a->task == b->task && a->node == b->node &&
           a->cards == b->cards && strcmp(a->reason, b->reason) == 0;
}

long refcase_difference(const struct ref_log *a, const struct ref_log *b)
{
    size_t n = a->n < b->n ? a->n : b->n;
    for (size_t i = 0; i < n; i++)
        if (!same(&a->ev[i], &b->ev[i])) return (long)i;
    return a->n == b->n && strcmp(a->error, b->error) == 0 ? -1 : (long)n;
}

static bool differs(const struct ref_case *c, struct ref_log *real, struct ref_log *ref, long *at)
{
    struct refcase_run run = { 0 };
    ref_log_fini(real);
    ref_log_fini(ref);
    refcase_run_real(c, &run, real);
    ref_run(c, ref);
    *at = refcase_difference(real, ref);
    return *at >= 0;
}

static void drop_job(struct ref_case *c, int j)
{
    memmove(&c->job[j], &c->job[j + 1], (size_t)(c->n_jobs - j - 1) * sizeof c->job[0]);
    c->n_jobs--;
    for (int i = j; i < c->n_jobs; i++) {
        struct ref_job *o = &c->job[i];
        int n = 0;
        for (int k = 0; k < o->n_after; k++) {
            struct ref_after a = o->after[k];
            if (a.before == j) continue;
            a.before -= a.before > j;
            o->after[n++] = a;
        }
        o->n_after = n;
    }
}

static void drop_fault(struct ref_case *c, int f)
{
    memmove(&c->fault[f], &c->fault[f + 1], (size_t)(c->n_faults - f - 1) * sizeof c->fault[0]);
    c->n_faults--;
}

static void drop_node(struct ref_case *c, int n)
{
    memmove(&c->node[n], &c->node[n + 1], (size_t)(c->n_nodes - n - 1) * sizeof c->node[0]);
    c->n_nodes--;
    for (int f = c->n_faults; f-- > 0;) {
        if (c->fault[f].node == n) drop_fault(c, f);
        else c->fault[f].node -= c->fault[f].node > n;
    }
}

static void shrink(struct ref_case *c, struct ref_log *real, struct ref_log *ref)
{
    long at;
    bool smaller = true;
    while (smaller) {
        smaller = false;
        for (int i = c->n_jobs + c->n_faults + c->n_nodes; i-- > 0;) {
            struct ref_case t = *c;
            /* A flavor of kueue may be of that node alone. */
            if (i < c->n_nodes) { if (c->n_nodes == 1 || c->policy.order == REF_KUEUE) continue; drop_node(&t, i); }
            else if (i < c->n_nodes + c->n_faults) drop_fault(&t, i - c->n_nodes);
            else drop_job(&t, i - c->n_nodes - c->n_faults);
            if (differs(&t, real, ref, &at)) { *c = t; smaller = true; break; }
        }
    }
}

/* ---- telling ---- */

static void tell_case(const struct ref_case *c, FILE *to)
{
    fprintf(to, "checkpoint %" PRId64 ", restore %" PRId64 " as %d, limits %s, infeasible %s, horizon %" PRId64 "\n",
            c->checkpoint_interval, c->restore_cost, (int)c->restore_as, c->enforce_limits ? "kill" : "ignore",
            c->reject_infeasible ? "reject" : "error",
            c->horizon == TICK_NEVER ? -1 : c->horizon);
    for (int n = 0; n < c->n_nodes; n++) {
        const struct ref_node *o = &c->node[n];
        fprintf(to, "node %d: cpu %" PRId64 " mem %" PRId64 " gpus %d type %d (rate %u) gpu mem %" PRId64 " npu %d labels %" PRIx64 " bandwidth %" PRId64 "\n",
                n, o->cpu, o->mem, o->n_gpu, o->type, o->type < 0 ? RATE_ONE : c->type_rate[o->type], o->gpu_mem, o->engine[0], o->labels, o->mem_bw);
    }
    for (int m = 0; m < c->n_models; m++) fprintf(to, "model %d: rates %u %u %u\n", m, c->rate[m][0], c->rate[m][1], c->rate[m][2]);
    for (int m = 0; m < REF_MODELS && c->has_profiles; m++)
        fprintf(to, "model %d: data %" PRId64 " at %" PRId64 ", half below %" PRId64 ", kind %d, cores %d and %d, "
                "traffic %" PRId64 " and %" PRId64 ", slowed %d %d\n", m, c->profile[m].data, c->profile[m].data_bw,
                c->profile[m].half_mem, c->profile[m].category, c->profile[m].on[0].knee,
                c->profile[m].on[1].knee, c->profile[m].on[0].bw, c->profile[m].on[1].bw, c->profile[m].on[0].slows, c->profile[m].on[1].slows);
    if (c->has_profiles)
        fprintf(to, "cores %s, division %s, sharing %d at %g, exchange %" PRId64 " of %" PRId64 ", pairs of model 0 %g %g %g\n", c->as_measured ? "as measured" : "by speed",
                c->is_proportional ? "proportional" : "max-min", c->shares, c->utilisation, c->net_bw, c->card, c->pair[0][0], c->pair[0][1], c->pair[0][2]);
    if (c->has_profiles)
        fprintf(to, "network %s, disk %" PRId64 ", switch %" PRId64 ", cards exchange %" PRId64 " over %" PRId64
                " in groups of %d, else %" PRId64 ", apart %g %g %g\n", c->net_shared ? "shared" : "nominal", c->disk,
                c->rack, c->gpu_bw, c->nvlink, c->group, c->pcie, c->apart[0], c->apart[1], c->apart[2]);
    if (c->multi_from > 0) fprintf(to, "multi from %d, monitor %" PRId64 "\n", c->multi_from, c->monitor);
    for (int j = 0; j < c->n_jobs; j++) {
        const struct ref_job *o = &c->job[j];
        if (o->priority != 0) fprintf(to, "priority %d: ", o->priority);
        fprintf(to, "job %d: submit %" PRId64 " limit %" PRId64 " user %d model %d hints %u (%" PRId64 " %" PRId64 ")%s\n", j, o->submit, o->limit, o->user, o->model,
                o->hints.told, o->hints.weights, o->hints.work_us, o->gang ? " gang" : "");
        for (int k = 0; k < o->n_after; k++)
            fprintf(to, "    after job %d (%d) + %" PRId64 "%s\n", o->after[k].before, (int)o->after[k].kind,
                    o->after[k].delay, o->after_any ? ", or" : "");
        for (int k = 0; k < o->n; k++) {
            const struct shape *s = &o->task[k].shape;
            fprintf(to, "    dur %" PRId64 " bw %" PRId64 ": cpu %" PRId64 " mem %" PRId64 " gpus %d x %d (mem %" PRId64 ", types %" PRIx64 ") all %" PRIx64
                    " any %" PRIx64 " npu %d%s\n", o->task[k].dur, o->task[k].mem_bw, s->cpu_milli, s->mem_b, s->n_gpu, s->gpu_milli, s->gpu_mem_b,
                    s->gpu_types, s->need_all, s->need_any, s->engine[0], s->exclusive ? " exclusive" : "");
        }
    }
    for (int f = 0; f < c->n_faults; f++)
        fprintf(to, "at %" PRId64 " node %d %s\n", c->fault[f].at, c->fault[f].node, c->fault[f].up ? "up" : "down");
}

static void tell_log(const char *who, const struct ref_log *log, long at, FILE *to)
{
    static const char *const type[] = { "start", "stop", "end", "down", "up", "resize" };
    fprintf(to, "%s: %zu events%s%s\n", who, log->n, log->error[0] ? ", then: " : "", log->error);
    for (long i = at > 12 ? at - 12 : 0; i < (long)log->n && i < at + 8; i++) {
        const struct ref_event *e = &log->ev[i];
        fprintf(to, "%s %4ld  t=%-5" PRId64 " %-5s job %d task %d node %d cards %" PRIx64 " %s\n", i == at ? ">>" : "  ", i, e->at,
                type[e->type], e->job, e->task, e->node, e->cards, e->reason);
    }
}

bool refcase_agrees(const struct ref_case *c, FILE *to)
{
    struct ref_log real = { 0 }, ref = { 0 };
    struct ref_case small = *c;
    long at;
    bool ok = !differs(&small, &real, &ref, &at);
    if (!ok) {
        shrink(&small, &real, &ref);
        (void)differs(&small, &real, &ref, &at);
        char spec[REFCASE_SPEC];
        refcase_spec(&c->policy, spec, sizeof spec);
        fprintf(to, "policy %s\n", spec);
        if (c->policy.order == REF_KUEUE) kueuecase_write(&c->policy.kq, to);
        tell_case(&small, to);
        tell_log("simulator", &real, at, to);
        tell_log("reference", &ref, at, to);
    }
    ref_log_fini(&real);
    ref_log_fini(&ref);
    return ok;
}
