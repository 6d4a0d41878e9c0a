#include "metrics/fragmentation.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

void frag_init(struct frag *f, uint32_t n_nodes)
{
    memset(f, 0, sizeof *f);
    f->n_nodes = n_nodes;
    MEM_ARRAY(f->free_milli, n_nodes);
    MEM_ARRAY(f->expected, n_nodes);
    MEM_ARRAY(f->is_dirty, n_nodes);
    MEM_ARRAY(f->dirty, n_nodes);
    for (uint32_t n = 0; n < n_nodes; n++) frag_node(f, n);
}

void frag_fini(struct frag *f)
{
    mem_free(f->arrived);
    mem_free(f->waiting);
    mem_free(f->free_milli);
    mem_free(f->expected);
    mem_free(f->is_dirty);
    mem_free(f->dirty);
    memset(f, 0, sizeof *f);
}

void frag_node(struct frag *f, uint32_t node)
{
    if (f->is_dirty[node]) return;
    f->is_dirty[node] = true;
    f->dirty[f->n_dirty++] = node;
}

void frag_arrived(struct frag *f, const struct world *w, uint32_t job)
{
    uint32_t n = world_n_shapes(w);
    MEM_RESERVE(f->arrived, f->cap_arrived, n);
    MEM_RESERVE(f->waiting, f->cap_waiting, n);
    for (uint32_t t = world_job(w, job)->first_task; t != NONE;) {
        const struct task *k = world_task(w, t);
        f->arrived[k->shape]++;
        f->waiting[k->shape]++;
        f->n_arrived++;
        t = k->next;
    }
}

void frag_ended(struct frag *f, const struct world *w, uint32_t job)
{
    for (uint32_t t = world_job(w, job)->first_task; t != NONE;) {
        const struct task *k = world_task(w, t);
        if (k->state == TASK_WAITING) f->waiting[k->shape]--;
        t = k->next;
    }
}

void frag_started(struct frag *f, const struct world *w, uint32_t task)
{
    f->waiting[world_task(w, task)->shape]--;
    frag_node(f, world_cluster(w)->hold[task].node);
}

void frag_stopped(struct frag *f, const struct world *w, uint32_t task, enum stop_why why)
{
    if (why != STOP_DONE && why != STOP_TIMEOUT && why != STOP_MISMATCH) f->waiting[world_task(w, task)->shape]++;
    frag_node(f, world_cluster(w)->hold[task].node);
}

/* The most frequent shapes, ties to the lower id: insertion into a short list. */
static uint32_t most_frequent(const uint64_t *count, uint32_t n, const struct shapes *s, bool gpu_only, uint32_t *out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (count[i] == 0 || (gpu_only && s->at[i].n_gpu == 0)) continue;
        uint32_t at = kept;
        while (at > 0 && count[out[at - 1]] < count[i]) at--;
        if (at == FRAG_TYPICAL) continue;
        if (kept < FRAG_TYPICAL) kept++;
        memmove(out + at + 1, out + at, (kept - 1 - at) * sizeof *out);
        out[at] = i;
    }
    return kept;
}

/* Free capacity of a node's cards that cannot serve the shape. */
static int64_t useless(const struct cluster *c, uint32_t node, int64_t free_milli, const struct shape *s)
{
    const struct node *n = &c->node[node];
    if (s->n_gpu == 0 || !cluster_fits(c, node, s)) return free_milli;
    int64_t sum = 0;
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        int32_t left = c->card[n->card0 + k].milli_free;
        if (left < s->gpu_milli) sum += left;
    }
    return sum;
}

static void look_at(struct frag *f, const struct world *w, uint32_t node)
{
    const struct node *n = &world_cluster(w)->node[node];
    double weight = 0, sum = 0;
    f->free_milli[node] = 0;
    f->expected[node] = 0;
    if (!n->is_up) return;
    for (uint32_t k = 0; k < n->n_gpu; k++) f->free_milli[node] += world_cluster(w)->card[n->card0 + k].milli_free;
    if (f->free_milli[node] == 0) return;
    for (uint32_t i = 0; i < f->n_typical; i++) {
        double share = (double)f->arrived[f->typical[i]];
        weight += share;
        sum += share * (double)useless(world_cluster(w), node, f->free_milli[node], world_shape(w, f->typical[i]));
    }
    if (weight > 0) f->expected[node] = sum / weight;
}

/* The typical list follows the arrivals, and is made again when half as many more came. */
static void refresh(struct frag *f, const struct world *w)
{
    if (f->n_typical > 0 && f->n_arrived < f->n_typical_at + (f->n_typical_at + 1) / 2) return;
    f->n_typical_at = f->n_arrived;
    f->n_typical = most_frequent(f->arrived, (uint32_t)f->cap_arrived < world_n_shapes(w) ? (uint32_t)f->cap_arrived : world_n_shapes(w),
                                 world_shapes(w), false, f->typical);
    for (uint32_t n = 0; n < f->n_nodes; n++) frag_node(f, n);
}

/* Free capacity of a node that is useless to every one of the shapes: the least of what is to each. */
static int64_t useless_to_all(const struct frag *f, const struct world *w, uint32_t node, const uint32_t *wants, uint32_t n_wants)
{
    int64_t least = f->free_milli[node];
    for (uint32_t i = 0; i < n_wants && least > 0; i++)
        least = i64_min(least, useless(world_cluster(w), node, f->free_milli[node], world_shape(w, wants[i])));
    return least;
}

/* The same were there cores enough; notes which shapes could then use some of it. */
static int64_t useless_for_others(const struct frag *f, const struct world *w, uint32_t node, const uint32_t *wants, uint32_t n_wants, bool *lacks)
{
    int64_t least = f->free_milli[node];
    for (uint32_t i = 0; i < n_wants; i++) {
        struct shape s = *world_shape(w, wants[i]);
        s.cpu_milli = 0;
        int64_t x = useless(world_cluster(w), node, f->free_milli[node], &s);
        if (x < f->free_milli[node]) lacks[i] = true;
        least = i64_min(least, x);
    }
    return least;
}

/* GPU capacity that the waiting tasks of these shapes ask for. */
static double asked_by(const struct frag *f, const struct world *w, const uint32_t *wants, uint32_t n_wants, const bool *lacks)
{
    double sum = 0;
    for (uint32_t i = 0; i < n_wants; i++) {
        const struct shape *s = world_shape(w, wants[i]);
        if (lacks[i]) sum += (double)f->waiting[wants[i]] * s->n_gpu * s->gpu_milli;
    }
    return sum;
}

struct frag_now frag_sample(struct frag *f, const struct world *w)
{
    refresh(f, w);
    for (uint32_t i = 0; i < f->n_dirty; i++) {
        look_at(f, w, f->dirty[i]);
        f->is_dirty[f->dirty[i]] = false;
    }
    f->n_dirty = 0;

    uint32_t wants[FRAG_TYPICAL];
    bool lacks[FRAG_TYPICAL] = { false };
    uint32_t n_wants = most_frequent(f->waiting, (uint32_t)f->cap_waiting < world_n_shapes(w) ? (uint32_t)f->cap_waiting : world_n_shapes(w),
                                     world_shapes(w), true, wants);
    double all = 0, expected = 0, stranded = 0, lack = 0;
    for (uint32_t n = 0; n < f->n_nodes; n++) {
        if (f->free_milli[n] == 0) continue;
        all += (double)f->free_milli[n];
        expected += f->expected[n];
        int64_t least = useless_to_all(f, w, n, wants, n_wants);
        stranded += (double)least;
        if (least > 0) lack += (double)(least - useless_for_others(f, w, n, wants, n_wants, lacks));
    }
    double total = (double)world_cluster(w)->sum.gpu_total;
    return (struct frag_now){
        .expected = all > 0 && f->n_typical > 0 ? expected / all : NAN,
        .stranded = all > 0 && n_wants > 0 ? stranded / all : NAN,
        .lack_cpu = total > 0 ? fmin(lack, asked_by(f, w, wants, n_wants, lacks)) / total : NAN,
    };
}
