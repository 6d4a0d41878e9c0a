#include "ref/flowgraph.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE INT64_MAX

static struct pol_transfer transfer(const struct fakehost *h, uint32_t task, uint32_t node)
{
    return fakehost_transfer(h, (pol_task){ task, 0 }, node);
}

/* ---- costs ---- */

/* Quincy: the cheapest of the node's own arc, its rack's aggregator and the cluster's. */
static int64_t quincy_price(const struct flowgraph *f, const struct fakehost *h, uint32_t task, uint32_t node)
{
    struct pol_transfer x = transfer(h, task, node);
    int64_t all = x.local_b + x.rack_b + x.cross_b, worst = -1, rack = h->node[node].rack;
    if (x.local_b * 10 >= all && all > 0) return (x.rack_b * f->rule.a1 + x.cross_b * f->rule.a2) / 1000000;
    /* The worst node of the rack holds nothing, if there is such a one. */
    for (int pass = 0; pass < 2 && worst < 0; pass++)
        for (uint32_t i = 0; i < h->view.n_nodes; i++) {
            struct pol_transfer y = transfer(h, task, i);
            bool holds = false;
            for (uint32_t k = 0; k < h->task[task].n_inputs; k++)
                for (uint32_t r = 0; r < h->task[task].input[k].n; r++) holds |= h->task[task].input[k].replica[r] == i;
            if (h->node[i].rack != rack || (pass == 0 && holds)) continue;
            int64_t c = (y.rack_b * f->rule.a1 + y.cross_b * f->rule.a2) / 1000000;
            if (c > worst) worst = c;
        }
    if ((x.local_b + x.rack_b) * 10 >= all && x.local_b + x.rack_b > 0) return worst;
    return all * f->rule.a2 / 1000000;
}

static int64_t price(const struct flowgraph *f, const struct fakehost *h, uint32_t task, uint32_t node)
{
    if (h->task[task].n_inputs == 0) return 0;
    if (f->rule.share == FLOWGRAPH_QUINCY) return quincy_price(f, h, task, node);
    struct pol_transfer x = transfer(h, task, node);
    return (x.local_us * 1000 + x.rack_us * f->rule.a1 + x.cross_us * f->rule.a2) / 1000;
}

static bool can(const struct fakehost *h, uint32_t task, uint32_t card)
{
    int64_t has = h->card[card].mem_total, asks = h->shape[h->task[task].info.shape].gpu_mem_b;
    return asks == 0 || has == 0 || asks <= has;
}

static int64_t cost(const struct flowgraph *f, const struct fakehost *h, const struct flowgraph_task *t, uint32_t g)
{
    uint32_t node = f->gpu_node[g];
    if (!can(h, t->id, f->gpu_card[g])) return NOWHERE;
    return t->is_running && h->task[t->id].info.node == node ? t->stay : price(f, h, t->id, node);
}

/* ---- shares ---- */

static void make_shares(struct flowgraph *f, const struct fakehost *h)
{
    int64_t q = h->view.gpu_total / 1000, want[FAKE_TASKS], k = 0, sum = 0, even[FAKE_TASKS];
    for (uint32_t j = 0; j < h->n_jobs; j++) {
        want[j] = h->job[j].n_running + h->job[j].n_waiting;
        even[j] = 0;
        k += want[j] > 0;
    }
    /* A GPU to each in turn until nothing is left or wanted. */
    for (bool any = true; any && sum < q;) {
        any = false;
        for (uint32_t j = 0; j < h->n_jobs && sum < q; j++) {
            if (even[j] == want[j]) continue;
            even[j]++, sum++;
            any = true;
        }
    }
    for (uint32_t j = 0; j < h->n_jobs; j++) {
        int64_t basic = k > 0 && q / k < want[j] ? q / k : want[j], held = f->rule.replaces ? (int64_t)(h->job[j].n_running + h->job[j].n_waiting) - f->n_of[j] : h->job[j].n_running;
        int64_t share = f->rule.share == FLOWGRAPH_BASIC && k <= q ? basic : even[j];
        f->share[j] = f->rule.share == FLOWGRAPH_ALL ? f->n_of[j] : f->rule.share == FLOWGRAPH_QUINCY ? 0 :
                      f->rule.share == FLOWGRAPH_ONE ? (even[j] > 0 && held == 0) : share > held ? share - held : 0;
    }
}

/* ---- the network ---- */

static void add_task(struct flowgraph *f, const struct fakehost *h, uint32_t id)
{
    const struct pol_task_info *i = &h->task[id].info;
    bool quincy = f->rule.share == FLOWGRAPH_QUINCY;
    int64_t waited = f->waited[id], leave = 2 * f->rule.alpha, now = h->view.now_us;
    /* Rounded as policies/README.md says; what waits costs a millionth more. */
    if (quincy) leave = i->is_running ? waited * f->rule.alpha / 1000 : now * f->rule.alpha / 1000 - (now - waited) * f->rule.alpha / 1000 + 1;
    struct flowgraph_task t = { .id = id, .job = i->job.slot, .leave = leave, .is_running = i->is_running, .must_node = POL_NONE };
    if (i->is_running) {
        t.stay = price(f, h, id, i->node) - (h->view.now_us - i->started_us);
        if (t.stay > leave - 1) t.stay = leave - 1;
    }
    f->n_of[t.job]++;
    f->task[f->n_tasks++] = t;
}

void flowgraph_make(struct flowgraph *f, const struct fakehost *h, const uint32_t *more, uint32_t n_more)
{
    f->n_gpus = f->n_tasks = 0;
    f->n_jobs = h->n_jobs;
    memset(f->n_of, 0, sizeof f->n_of);
    for (uint32_t i = 0; i < h->view.n_nodes; i++)
        for (uint32_t k = 0; k < h->node[i].n_gpu; k++) {
            uint32_t card = h->node[i].card0 + k;
            bool usable = h->node[i].is_up && h->card[card].milli_free == 1000;
            for (uint32_t t = 0; f->rule.replaces && t < h->n_tasks; t++) {
                const struct pol_task_info *x = &h->task[t].info;
                usable |= x->is_running && x->node == i && (x->cards >> k & 1) && x->started_us < h->view.now_us;
            }
            for (uint32_t m = 0; m < n_more; m++) usable |= more[m] == (i << 8 | k);
            if (!usable) continue;
            f->gpu_node[f->n_gpus] = i;
            f->gpu_card[f->n_gpus++] = card;
        }
    for (uint32_t t = 0; t < h->n_tasks; t++) {
        const struct pol_task_info *x = &h->task[t].info;
        if (x->is_waiting || (f->rule.replaces && x->is_running && x->started_us < h->view.now_us)) add_task(f, h, t);
    }
    make_shares(f, h);
}

void flowgraph_decided(struct flowgraph *f, const struct fakehost *h, size_t from, size_t to)
{
    for (uint32_t i = 0; i < f->n_tasks; i++) {
        struct flowgraph_task *t = &f->task[i];
        const struct fake_entry *e = NULL;
        for (size_t k = from; k < to; k++)
            if (h->log[k].task == t->id) e = &h->log[k];
        t->must_go = e != NULL && !e->is_start;
        t->must_stay = t->is_running && e == NULL;
        t->must_wait = !t->is_running && e == NULL;
        if (e != NULL && e->is_start) t->must_node = e->node;
    }
}

/* Vertices: S, jobs, unscheduled, GPUs, tasks, E. */
static uint32_t job_v(uint32_t j) { return 1 + j; }
static uint32_t un_v(const struct flowgraph *f, uint32_t j) { return 1 + f->n_jobs + j; }
static uint32_t gpu_v(const struct flowgraph *f, uint32_t g) { return 1 + 2 * f->n_jobs + g; }
static uint32_t task_v(const struct flowgraph *f, uint32_t t) { return 1 + 2 * f->n_jobs + f->n_gpus + t; }
static uint32_t end_v(const struct flowgraph *f) { return task_v(f, f->n_tasks); }

static void arc(struct flowgraph *f, uint32_t from, uint32_t to, int64_t cap, int64_t c)
{
    f->arc[f->m++] = (struct mcf_arc){ from, to, cap, c };
}

static void arcs_of_task(struct flowgraph *f, const struct fakehost *h, uint32_t i)
{
    const struct flowgraph_task *t = &f->task[i];
    arc(f, job_v(t->job), task_v(f, i), 1, 0);
    for (uint32_t g = 0; g < f->n_gpus && !t->must_wait; g++) {
        bool own = t->is_running && h->task[t->id].info.node == f->gpu_node[g];
        int64_t c = cost(f, h, t, g);
        if (c == NOWHERE || (t->must_stay && !own) || (t->must_go && own)) continue;
        if (t->must_node != POL_NONE && t->must_node != f->gpu_node[g]) continue;
        arc(f, task_v(f, i), gpu_v(f, g), 1, c);
    }
    /* Quincy's are each task's own. */
    if (f->rule.share == FLOWGRAPH_QUINCY && !t->must_stay && t->must_node == POL_NONE) arc(f, task_v(f, i), un_v(f, t->job), 1, t->leave);
}

static void arcs_of_job(struct flowgraph *f, uint32_t j)
{
    if (f->n_of[j] == 0) return;
    bool quincy = f->rule.share == FLOWGRAPH_QUINCY;
    int64_t may = f->n_of[j] > f->share[j] ? f->n_of[j] - f->share[j] : 0;
    arc(f, 0, job_v(j), f->n_of[j], 0);
    if (f->rule.share == FLOWGRAPH_ALL) return;
    if (!quincy) arc(f, job_v(j), un_v(f, j), may, f->rule.alpha);
    arc(f, un_v(f, j), end_v(f), may, quincy ? 0 : f->rule.alpha);
}

static void room(struct flowgraph *f)
{
    f->m = 0;
    free(f->arc);
    f->arc = calloc((size_t)3 * f->n_jobs + f->n_gpus + (size_t)(f->n_gpus + 2) * f->n_tasks + 1, sizeof *f->arc);
}

/* Its GPUs to the sink too: merged, the same arc. */
void flowgraph_local(struct flowgraph *f, const struct fakehost *h, uint32_t job)
{
    room(f);
    for (uint32_t i = 0; i < f->n_tasks; i++)
        if (f->task[i].job == job) arcs_of_task(f, h, i);
    arcs_of_job(f, job);
    for (uint32_t g = 0; g < f->n_gpus; g++) arc(f, gpu_v(f, g), end_v(f), 1, 0);
}

void flowgraph_arcs(struct flowgraph *f, const struct fakehost *h)
{
    room(f);
    f->n = end_v(f) + 1;
    for (uint32_t j = 0; j < f->n_jobs; j++) arcs_of_job(f, j);
    for (uint32_t i = 0; i < f->n_tasks; i++) arcs_of_task(f, h, i);
    for (uint32_t g = 0; g < f->n_gpus; g++) arc(f, gpu_v(f, g), end_v(f), 1, 0);
}

struct flowgraph_answer flowgraph_solve(struct flowgraph *f, const struct fakehost *h)
{
    flowgraph_arcs(f, h);
    int64_t *supply = calloc(f->n, sizeof *supply), *flow = calloc(f->m + 1, sizeof *flow), *pi = calloc(f->n, sizeof *pi);
    supply[0] = f->n_tasks;
    supply[f->n - 1] = -supply[0];
    struct mcf g = { .n = f->n, .m = f->m, .supply = supply, .arc = f->arc, .flow = flow, .pi = pi };
    cr_assert_eq(mcf_solve(&g), MCF_OK);
    free(supply), free(flow), free(pi);
    return (struct flowgraph_answer){ g.shipped, g.cost };
}

void flowgraph_fini(struct flowgraph *f)
{
    free(f->arc);
    f->arc = NULL;
}
