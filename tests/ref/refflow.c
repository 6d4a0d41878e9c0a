#include "ref/refflow.h"

#include <string.h>
#include "base/mem.h"

/* ---- random rounds ---- */

static uint32_t upto(struct rng *g, uint32_t n) { return (uint32_t)rng_below(g, n); }

static int64_t cost(struct rng *g, const struct ref_shape *shape)
{
    int64_t c = (int64_t)rng_below(g, (uint64_t)shape->costs);
    if (!shape->is_wild) return c;
    if (upto(g, 12) == 0) return ASSIGN_NEVER;
    return upto(g, 8) == 0 ? -c : c;
}

void ref_random_task(const struct ref_round *r, struct ref_task *t, struct rng *g, const struct ref_shape *shape)
{
    *t = (struct ref_task){ .job = upto(g, r->n_jobs), .is_here = true };
    uint64_t classes = (UINT64_C(1) << r->n_classes) - 1;
    t->fits = shape->is_wild ? rng_below(g, classes + 1) : classes << upto(g, r->n_classes) & classes;
    int64_t c[3] = { cost(g, shape), cost(g, shape), cost(g, shape) };
    if (!shape->is_wild)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 2; k++) if (c[k] > c[k + 1]) { int64_t x = c[k]; c[k] = c[k + 1]; c[k + 1] = x; }
    t->far = c[2];
    for (uint32_t want = upto(g, 4); want > 0 && t->n_near + 1 < REF_NEAR; want--) {
        uint32_t node = upto(g, r->n_nodes), is_rack = shape->is_wild ? upto(g, 2) : 0, rack = r->rack[node];
        uint32_t at = is_rack ? rack : node;
        bool has = false, has_rack = false;
        for (uint32_t k = 0; k < t->n_near; k++) {
            has |= t->near[k].at == at && t->near[k].is_rack == is_rack;
            has_rack |= t->near[k].is_rack && t->near[k].at == rack;
        }
        if (has) continue;
        t->near[t->n_near++] = (struct assign_near){ at, is_rack, shape->is_wild ? cost(g, shape) : c[0] };
        if (!shape->is_wild && !has_rack) t->near[t->n_near++] = (struct assign_near){ rack, 1, c[1] };
    }
}

void ref_random_job(struct ref_job *j, struct rng *g, const struct ref_shape *shape)
{
    j->share = upto(g, 3) == 0 ? 0 : upto(g, 1 + shape->tasks / shape->jobs * 2);
    j->alpha = (int64_t)rng_below(g, (uint64_t)shape->costs * 2);
}

void ref_random(struct ref_round *r, struct rng *g, const struct ref_shape *shape)
{
    memset(r, 0, sizeof *r);
    r->n_racks = 1 + upto(g, shape->racks);
    r->n_nodes = 1 + upto(g, shape->nodes);
    r->n_classes = 1 + upto(g, shape->classes);
    r->n_jobs = 1 + upto(g, shape->jobs);
    r->n_gpus = upto(g, shape->gpus + 1);
    r->n_tasks = upto(g, shape->tasks + 1);
    for (uint32_t i = 0; i < r->n_nodes; i++) r->rack[i] = upto(g, r->n_racks);
    for (uint32_t i = 0; i < r->n_gpus; i++) r->gpu[i] = (struct ref_gpu){ upto(g, r->n_nodes), upto(g, r->n_classes), true };
    for (uint32_t i = 0; i < r->n_jobs; i++) ref_random_job(&r->job[i], g, shape);
    for (uint32_t i = 0; i < r->n_tasks; i++) ref_random_task(r, &r->task[i], g, shape);
}

/* ---- the paper's network ---- */

int64_t ref_cost(const struct ref_round *r, const struct ref_task *t, const struct ref_gpu *g)
{
    if ((t->fits >> g->class & 1) == 0) return ASSIGN_NEVER;
    for (uint32_t k = 0; k < t->n_near; k++) if (!t->near[k].is_rack && t->near[k].at == g->node) return t->near[k].cost;
    for (uint32_t k = 0; k < t->n_near; k++) if (t->near[k].is_rack && t->near[k].at == r->rack[g->node]) return t->near[k].cost;
    return t->far;
}

static void arc(struct ref_net *n, uint32_t from, uint32_t to, int64_t cap, int64_t c) { n->arc[n->m++] = (struct mcf_arc){ from, to, cap, c }; }

/* S, jobs, tasks, unscheduled, GPUs, E. */
void ref_net_init(struct ref_net *net, const struct ref_round *r)
{
    uint32_t n_task[REF_JOBS] = { 0 }, task_v[REF_TASKS], gpu_v[REF_GPUS], v = 1 + r->n_jobs;
    *net = (struct ref_net){ .n = 0 };
    MEM_ARRAY(net->arc, (size_t)3 * r->n_jobs + r->n_gpus + (size_t)(r->n_gpus + 1) * r->n_tasks);
    for (uint32_t t = 0; t < r->n_tasks; t++) if (r->task[t].is_here) { task_v[t] = v++; n_task[r->task[t].job]++; }
    uint32_t first_u = v;
    v += r->n_jobs;
    for (uint32_t g = 0; g < r->n_gpus; g++) if (r->gpu[g].is_here) gpu_v[g] = v++;
    uint32_t end = v++;
    net->n = v;
    for (uint32_t j = 0; j < r->n_jobs; j++) {
        int64_t may = n_task[j] > r->job[j].share ? n_task[j] - r->job[j].share : 0;
        arc(net, 0, 1 + j, n_task[j], 0);
        arc(net, 1 + j, first_u + j, may, r->job[j].alpha);
        arc(net, first_u + j, end, may, 0);
    }
    for (uint32_t t = 0; t < r->n_tasks; t++) {
        if (!r->task[t].is_here) continue;
        arc(net, 1 + r->task[t].job, task_v[t], 1, 0);
        for (uint32_t g = 0; g < r->n_gpus; g++) {
            int64_t c = r->gpu[g].is_here ? ref_cost(r, &r->task[t], &r->gpu[g]) : ASSIGN_NEVER;
            if (c != ASSIGN_NEVER) arc(net, task_v[t], gpu_v[g], 1, c);
        }
    }
    for (uint32_t g = 0; g < r->n_gpus; g++) if (r->gpu[g].is_here) arc(net, gpu_v[g], end, 1, 0);
    MEM_ARRAY(net->supply, net->n);
    for (uint32_t j = 0; j < r->n_jobs; j++) net->supply[0] += n_task[j];
    net->supply[end] = -net->supply[0];
}

void ref_net_fini(struct ref_net *net) { mem_free(net->arc); mem_free(net->supply); }

/* ---- successive shortest paths ---- */

struct ref_answer ref_ssp(const struct ref_net *net)
{
    struct ref_answer a = { 0, 0 };
    int64_t *flow, *dist;
    int32_t *by;                        /* arc + 1 that reached the vertex; negative: backwards */
    MEM_ARRAY(flow, net->m);
    MEM_ARRAY(dist, net->n);
    MEM_ARRAY(by, net->n);
    for (uint32_t end = net->n - 1; ; ) {
        for (uint32_t v = 0; v < net->n; v++) { dist[v] = INT64_MAX; by[v] = 0; }
        dist[0] = 0;
        for (bool any = true; any; ) {
            any = false;
            for (uint32_t e = 0; e < net->m; e++) {
                uint32_t u = net->arc[e].from, v = net->arc[e].to;
                int64_t c = net->arc[e].cost;
                if (flow[e] < net->arc[e].cap && dist[u] != INT64_MAX && dist[u] + c < dist[v]) { dist[v] = dist[u] + c; by[v] = (int32_t)e + 1; any = true; }
                if (flow[e] > 0 && dist[v] != INT64_MAX && dist[v] - c < dist[u]) { dist[u] = dist[v] - c; by[u] = -(int32_t)e - 1; any = true; }
            }
        }
        if (dist[end] == INT64_MAX) break;
        for (uint32_t v = end; v != 0; ) {
            uint32_t e = (uint32_t)(by[v] > 0 ? by[v] : -by[v]) - 1;
            flow[e] += by[v] > 0 ? 1 : -1;
            v = by[v] > 0 ? net->arc[e].from : net->arc[e].to;
        }
        a.flow++;
        a.cost += dist[end];
    }
    mem_free(flow); mem_free(dist); mem_free(by);
    return a;
}

/* ---- every assignment ---- */

struct brute { const struct ref_round *r; struct ref_answer best; uint32_t x[REF_JOBS], n[REF_JOBS]; bool taken[REF_GPUS], any; };

static void assign(struct brute *b, uint32_t t, int64_t sum)
{
    const struct ref_round *r = b->r;
    while (t < r->n_tasks && !r->task[t].is_here) t++;
    if (t == r->n_tasks) {
        struct ref_answer a = { 0, sum };
        for (uint32_t j = 0; j < r->n_jobs; j++) {
            int64_t z = b->n[j] > r->job[j].share ? b->n[j] - r->job[j].share : 0, left = b->n[j] - b->x[j];
            z = left < z ? left : z;
            a.flow += b->x[j] + z;
            a.cost += z * r->job[j].alpha;
        }
        if (!b->any || a.flow > b->best.flow || (a.flow == b->best.flow && a.cost < b->best.cost)) b->best = a;
        b->any = true;
        return;
    }
    assign(b, t + 1, sum);
    for (uint32_t g = 0; g < r->n_gpus; g++) {
        int64_t c = ref_cost(r, &r->task[t], &r->gpu[g]);
        if (b->taken[g] || !r->gpu[g].is_here || c == ASSIGN_NEVER) continue;
        b->taken[g] = true;
        b->x[r->task[t].job]++;
        assign(b, t + 1, sum + c);
        b->x[r->task[t].job]--;
        b->taken[g] = false;
    }
}

struct ref_answer ref_brute(const struct ref_round *r)
{
    struct brute b = { .r = r };
    for (uint32_t t = 0; t < r->n_tasks; t++) if (r->task[t].is_here) b.n[r->task[t].job]++;
    assign(&b, 0, 0);
    return b.best;
}

/* ---- to the solver ---- */

void ref_tell_task(struct assign *s, const struct ref_round *r, uint32_t t)
{
    const struct ref_task *x = &r->task[t];
    assign_add(s, t, &(struct assign_task){ .job = x->job, .fits = x->fits, .far = x->far, .near = x->near, .n_near = x->n_near });
}

void ref_tell_gpus(struct assign *s, const struct ref_round *r)
{
    for (uint32_t n = 0; n < r->n_nodes; n++)
        for (uint32_t k = 0; k < r->n_classes; k++) {
            uint32_t count = 0, all = 0;
            for (uint32_t g = 0; g < r->n_gpus; g++) {
                if (r->gpu[g].node != n || r->gpu[g].class != k) continue;
                all++;
                count += r->gpu[g].is_here;
            }
            if (all > 0) assign_places(s, n, k, count);
        }
}

struct assign *ref_tell(const struct ref_round *r)
{
    struct assign *s = assign_create(r->n_racks, r->n_nodes, r->rack, r->n_classes);
    ref_tell_gpus(s, r);
    for (uint32_t j = 0; j < r->n_jobs; j++) assign_job(s, j, r->job[j].share, r->job[j].alpha);
    for (uint32_t t = 0; t < r->n_tasks; t++) if (r->task[t].is_here) ref_tell_task(s, r, t);
    return s;
}
