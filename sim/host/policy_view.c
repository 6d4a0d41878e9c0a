/*
 * policy_view.c -- the world mirrored into the structs of policy.h.
 *
 * Nodes and cards are the ledger's own, which does not change while a policy
 * decides; shapes that are new or renewed are copied.  The info of a job or task
 * is filled when it is first asked for in a call, and marked with the number of the call, so that it need not be cleared.
 */
#include "host/policy_view.h"

#include <string.h>

#include "host/policy_calls.h"
#include "host/policy_profiles.h"
#include "base/mem.h"
#include "model/graph.h"

_Static_assert(POL_ENGINES_MAX == (int)ENGINE_TYPES_MAX, "the ABI shows every engine kind");

/* In create that of the run to come; NULL outside of create and decide. */
static const struct cluster *cluster_of(const struct policy_view *p) { return p->w != NULL ? world_cluster(p->w) : p->to_come; }

/* ---- what the policy reads ---- */

const struct pol_job_info *policy_view_job(void *ctx, pol_job h)
{
    struct policy_view *p = ctx;
    const struct world *w = p->w;
    if (w == NULL || h.slot >= world_n_job_slots(w)) return NULL;
    const struct job *j = world_job(w, h.slot);
    if (!j->is_live || j->gen != h.gen) return NULL;
    struct pol_job_info *i = &p->job[h.slot].info;
    if (p->job[h.slot].call == p->call) return i;
    p->job[h.slot].call = p->call;
    const struct profiles *profiles = world_config(w)->profiles;
    *i = (struct pol_job_info){
        .ordinal = j->ordinal, .submit_us = j->submit, .limit_us = j->limit,
        .true_dur_us = p->is_clairvoyant ? j->nominal : -1,
        .first_task = { j->first_task, world_task(w, j->first_task)->gen },
        .n_tasks = j->n_tasks, .n_waiting = j->n_waiting, .n_running = j->n_running,
        .user = j->user, .queue = j->queue, .priority = j->priority, .is_gang = j->gang,
        .category = profiles != NULL && j->model != NONE ? profiles_category(profiles, j->model) : POL_NONE,
        .hints = j->hints.told, .weights_thousands = j->hints.weights, .work_us = j->hints.work_us,
        .n_stages = j->graph != NULL ? j->graph->n_levels : 0,
    };
    return i;
}

static const struct pol_task_info *view_task(void *ctx, pol_task h)
{
    struct policy_view *p = ctx;
    const struct world *w = p->w;
    if (w == NULL || h.slot >= world_n_task_slots(w)) return NULL;
    const struct task *t = world_task(w, h.slot);
    if (!t->is_live || t->gen != h.gen) return NULL;
    struct pol_task_info *i = &p->task[h.slot].info;
    if (p->task[h.slot].call == p->call) return i;
    p->task[h.slot].call = p->call;
    const struct job *j = world_job(w, t->job);
    *i = (struct pol_task_info){
        .job = { t->job, j->gen },
        .next = { t->next, t->next == NONE ? 0 : world_task(w, t->next)->gen },
        .index = t->index, .shape = t->shape, .node = POL_NONE, .started_us = -1,
        .attained_us = t->attained,
        .true_left_us = p->is_clairvoyant ? world_left(w, h.slot) : -1,
        .is_waiting = t->state == TASK_WAITING,
        .stage = j->graph != NULL ? j->graph->level[t->index] : 0,
    };
    if (t->state != TASK_RUNNING) return i;
    const struct hold *hold = &world_cluster(w)->hold[h.slot];
    i->is_running = 1;
    i->node = hold->node;
    i->cards = hold->cards;
    i->started_us = t->started_at;
    i->attained_us = world_attained(w, h.slot);
    i->cpu_milli = hold->cpu_milli;
    i->mem_b = hold->mem_b;
    return i;
}

static bool is_live_task(const struct policy_view *p, pol_task h)
{
    if (p->w == NULL || h.slot >= world_n_task_slots(p->w)) return false;
    const struct task *t = world_task(p->w, h.slot);
    return t->is_live && t->gen == h.gen;
}

const struct world *policy_view_world_of(const struct policy_view *p, pol_task h) { return is_live_task(p, h) ? p->w : NULL; }

static uint32_t view_n_inputs(void *ctx, pol_task h)
{
    const struct policy_view *p = ctx;
    return is_live_task(p, h) ? world_n_inputs(p->w, h.slot) : 0;
}

static struct pol_input view_input(void *ctx, pol_task h, uint32_t k)
{
    const struct policy_view *p = ctx;
    if (!is_live_task(p, h) || k >= world_n_inputs(p->w, h.slot)) return (struct pol_input){ .size_b = 0 };
    struct world_input in = world_input(p->w, h.slot, k);
    return (struct pol_input){ .size_b = in.size, .replica = in.replica, .n_replicas = in.n_replicas };
}

static struct pol_transfer view_transfer(void *ctx, pol_task h, uint32_t node)
{
    const struct policy_view *p = ctx;
    struct pol_transfer sum = { 0 };
    if (!is_live_task(p, h) || node >= world_cluster(p->w)->n_nodes) return sum;
    const struct net_spec *net = &world_config(p->w)->net;
    int64_t *const bytes[LEVELS] = { &sum.local_b, &sum.rack_b, &sum.cross_b };
    int64_t *const us[LEVELS] = { &sum.local_us, &sum.rack_us, &sum.cross_us };
    for (uint32_t k = 0, n = world_n_inputs(p->w, h.slot); k < n; k++) {
        struct world_input in = world_input(p->w, h.slot, k);
        enum data_level level = net_level(net, world_cluster(p->w), in.replica, in.n_replicas, node);
        *bytes[level] += in.size;
        *us[level] += world_transfer_us(p->w, level, in.size);
    }
    return sum;
}

static pol_task view_writer(void *ctx, pol_task h, uint32_t k)
{
    const struct policy_view *p = ctx;
    uint32_t t = is_live_task(p, h) && k < world_n_inputs(p->w, h.slot) ? world_input(p->w, h.slot, k).writer : NONE;
    return t == NONE ? (pol_task){ POL_NONE, 0 } : (pol_task){ t, world_task(p->w, t)->gen };
}

static int64_t view_output_b(void *ctx, pol_task h)
{
    const struct policy_view *p = ctx;
    return is_live_task(p, h) ? world_output(p->w, h.slot) : 0;
}

static int64_t view_read_us(void *ctx, int64_t size_b, uint32_t from, uint32_t to)
{
    const struct policy_view *p = ctx;
    if (p->w == NULL || from >= world_cluster(p->w)->n_nodes || to >= world_cluster(p->w)->n_nodes || size_b < 0) return 0;
    const struct net_spec *net = &world_config(p->w)->net;
    return world_transfer_us(p->w, net_level(net, world_cluster(p->w), &from, 1, to), size_b);
}

static uint64_t view_measured(void *ctx)
{
    const struct policy_view *p = ctx;
    return p->w == NULL ? 0 : world_transfers_measured(p->w);
}

static int64_t view_reading_us(void *ctx, pol_task h, uint32_t node)
{
    const struct policy_view *p = ctx;
    return is_live_task(p, h) && node < world_cluster(p->w)->n_nodes ? world_reading_us(p->w, h.slot, node) : 0;
}

static struct pol_reading view_reading(void *ctx, pol_task h)
{
    const struct policy_view *p = ctx;
    if (!is_live_task(p, h)) return (struct pol_reading){ -1, -1 };
    struct speed_reading r = world_read(p->w, h.slot);
    return (struct pol_reading){ .gpu_util = r.util < 0 ? -1 : mul_div(r.util, 1000000, RATE_ONE), .mem_bw = r.bw };
}

/* ---- elastic/1 ---- */

static const struct job *live_job(const struct policy_view *p, pol_job h)
{
    if (p->w == NULL || h.slot >= world_n_job_slots(p->w)) return NULL;
    const struct job *j = world_job(p->w, h.slot);
    return j->is_live && j->gen == h.gen ? j : NULL;
}

static struct pol_sizes view_sizes(void *ctx, pol_job h)
{
    const struct job *j = live_job(ctx, h);
    if (j == NULL) return (struct pol_sizes){ 0 };
    if (j->elastic.max == 0) return (struct pol_sizes){ j->n_tasks, j->n_tasks, j->n_tasks, 0 };
    return (struct pol_sizes){ j->elastic.min, j->elastic.max, j->n_asked, 1 };
}

static int64_t view_speed(void *ctx, pol_job h, uint32_t gpu_type, uint32_t n, uint32_t n_nodes)
{
    const struct policy_view *p = ctx;
    return live_job(p, h) == NULL ? 0 : mul_div(world_scale_speed(p->w, h.slot, gpu_type, n, n_nodes), 1000000, RATE_ONE);
}

static int64_t view_restart(void *ctx, pol_job h, uint32_t gpu_type)
{
    const struct policy_view *p = ctx;
    return live_job(p, h) == NULL ? 0 : world_scale_restart_us(p->w, h.slot, gpu_type);
}

/* ---- speeds/1 ---- */

static int64_t view_speed_on(void *ctx, pol_job h, uint32_t gpu_type, bool *is_known)
{
    const struct policy_view *p = ctx;
    const struct job *j = live_job(p, h);
    if (is_known != NULL) *is_known = false;
    if (j == NULL || gpu_type >= world_cluster(p->w)->gpu_types.n) return 0;
    const struct throughput *perf = world_config(p->w)->throughput;
    if (is_known != NULL) *is_known = j->model == NONE || throughput_is_known(perf, j->model, gpu_type);
    return mul_div(throughput_rate(perf, world_cluster(p->w), j->model, gpu_type), 1000000, RATE_ONE);
}

static int64_t view_speed_beside(void *ctx, pol_job h, pol_job other, uint32_t gpu_type)
{
    const struct policy_view *p = ctx;
    const struct job *j = live_job(p, h), *o = live_job(p, other);
    const struct profiles *profiles = p->w != NULL ? world_config(p->w)->profiles : NULL;
    double speed;
    if (j == NULL || o == NULL || profiles == NULL) return 0;
    return measured_find(&profiles->sharing.pairs, j->model, o->model, gpu_type, &speed) ? (int64_t)(speed * 1e6) : 0;
}

static int64_t view_beside_mean(void *ctx, pol_job h, uint32_t gpu_type)
{
    const struct policy_view *p = ctx;
    const struct job *j = live_job(p, h);
    const struct profiles *profiles = j != NULL ? world_config(p->w)->profiles : NULL;
    return profiles == NULL ? 0 : (int64_t)(measured_mean(&profiles->sharing.pairs, j->model, gpu_type) * 1e6);
}

static double view_steps_per_s(void *ctx, pol_job h)
{
    const struct policy_view *p = ctx;
    const struct job *j = live_job(p, h);
    return j == NULL ? 0 : throughput_steps(world_config(p->w)->throughput, j->model);
}

/* ---- goodput/1 ---- */

static struct pol_step step_of(const struct adaptive_at *a)
{
    return (struct pol_step){ .batch = a->goodput > 0 ? a->batch : 0, .local = a->local, .accumulate = a->accumulate, .grad_s = a->grad, .step_s = a->step };
}

/* Any row of the job's scaling with a model: its batches are those of all. */
static const struct scaling_row *model_of(const struct policy_view *p, pol_job h)
{
    if (live_job(p, h) == NULL) return NULL;
    for (uint32_t g = 0; g < world_cluster(p->w)->gpu_types.n; g++) {
        const struct scaling_row *row = world_scale_row(p->w, h.slot, g);
        if (row != NULL && row->model != NULL) return row;
    }
    return NULL;
}

static double told_left(const struct policy_view *p, const struct scaling_row *row, uint32_t job)
{
    const struct job *j = world_job(p->w, job);
    return p->is_clairvoyant ? scaling_told(row, j->nominal, world_left(p->w, j->first_task)) : -1;
}

static struct pol_batches view_batches(void *ctx, pol_job h)
{
    const struct policy_view *p = ctx;
    const struct scaling_row *row = model_of(p, h);
    if (row == NULL) return (struct pol_batches){ 0 };
    const struct adaptive *a = row->model;
    return (struct pol_batches){ .first = a->batch, .max = a->max_batch, .fixed = a->fixed, .min_local = a->min_local,
                                 .max_local = a->max_local, .left = told_left(p, row, h.slot) };
}

static struct pol_step view_step(void *ctx, pol_job h, uint32_t gpu_type, uint32_t n, uint32_t n_nodes)
{
    const struct policy_view *p = ctx;
    struct adaptive_at a = live_job(p, h) == NULL ? (struct adaptive_at){ 0 } : world_scale_step(p->w, h.slot, gpu_type, n, n_nodes);
    return step_of(&a);
}

static struct pol_step view_trains(void *ctx, pol_job h)
{
    const struct policy_view *p = ctx;
    struct adaptive_at a = live_job(p, h) == NULL ? (struct adaptive_at){ 0 } : world_scale_measured(p->w, h.slot);
    return step_of(&a);
}

static double view_noise(void *ctx, pol_job h)
{
    const struct scaling_row *row = model_of(ctx, h);
    return row == NULL ? 0 : row->model->noise;
}

static const char *name_in(const struct intern *t, uint32_t id) { return id < t->n ? intern_name(t, id) : NULL; }

static const char *view_name(void *ctx, uint32_t type, uint32_t id)
{
    const struct policy_view *p = ctx;
    const struct world *w = p->w;
    const struct cluster *c = cluster_of(p);
    const struct profiles *profiles = w != NULL ? world_config(w)->profiles : p->profiles_to_come;
    if (c == NULL) return NULL;
    switch ((enum pol_name_type)type) {
    case POL_NAME_NODE:     return name_in(&c->node_names, id);
    case POL_NAME_RACK:     return name_in(&c->rack_names, id);
    case POL_NAME_GPU_TYPE: return name_in(&c->gpu_types, id);
    case POL_NAME_LABEL:    return name_in(&c->labels, id);
    case POL_NAME_ENGINE:   return name_in(&c->engines, id);
    case POL_NAME_USER:     return w != NULL ? name_in(world_users(w), id) : NULL;
    case POL_NAME_QUEUE:    return w != NULL ? name_in(world_queues(w), id) : NULL;
    case POL_NAME_CATEGORY: return profiles != NULL ? name_in(&profiles->categories, id) : NULL;
    case POL_NAME_LICENCE:  return name_in(&c->licences, id);
    case POL_NAME_JOB:      return w != NULL && id < world_n_job_slots(w) && world_job(w, id)->is_live ? world_job(w, id)->id : NULL;
    }
    return NULL;
}

static uint32_t view_label(void *ctx, const char *name)
{
    const struct policy_view *p = ctx;
    const struct cluster *c = cluster_of(p);
    return c != NULL ? intern_find(&c->labels, name) : POL_NONE;
}

static const int32_t *view_licences(void *ctx, uint32_t shape)
{
    const struct policy_view *p = ctx;
    return p->ext.licences.n > 0 && shape < p->view.n_shapes ? p->licence + (size_t)shape * LICENCES_MAX : NULL;
}

static const int32_t *view_preferences(void *ctx, uint32_t shape)
{
    const struct policy_view *p = ctx;
    return shape < p->view.n_shapes ? cluster_preferred(world_cluster(p->w), world_shapes(p->w)->at[shape].prefers)
                                    : NULL;
}

static struct pol_record view_record(void *ctx, pol_job h)
{
    const struct policy_view *p = ctx;
    const struct job *j = p->w != NULL && h.slot < world_n_job_slots(p->w) ? world_job(p->w, h.slot) : NULL;
    if (j == NULL || !j->is_live || j->gen != h.gen || j->record == NULL)
        return (struct pol_record){ .start_us = -1, .end_us = -1 };
    return (struct pol_record){ .start_us = j->record->start, .end_us = p->is_clairvoyant ? j->record->end : -1,
                                .node = j->record->node, .n_nodes = j->record->n_nodes };
}

static const void *view_extension(void *ctx, const char *name)
{
    struct policy_view *p = ctx;
    const struct { const char *name; const void *at;
    } known[] = {
        { POL_LICENCES, &p->ext.licences },
        { POL_SHAPES, &p->ext.shapes },
        { POL_GRAPH, &p->ext.graph },
        { POL_DATA, &p->ext.data },
        { POL_CORES, &p->ext.cores },
        { POL_RESERVATIONS, &p->ext.reservations },
        { POL_CALLS, &p->ext.calls },
        { POL_HOLDS, &p->ext.holds },
        { POL_SCORES, &p->ext.scores },
        { POL_PREFERENCES, &p->ext.preferences },
        { POL_RECORDED, &p->ext.recorded },
        { POL_ELASTIC, &p->ext.elastic },
        { POL_CLIENT, p->client },
        { POL_SPEEDS, &p->ext.speeds },
        { POL_PROFILES, &p->ext.profiles },
        { POL_GOODPUT, &p->ext.goodput },
    };
    for (size_t i = 0; name != NULL && i < ARRAY_LEN(known); i++) {
        if (strcmp(name, known[i].name) != 0) continue;
        p->knows_licences |= known[i].at == &p->ext.licences;
        p->knows_shapes |= known[i].at == &p->ext.shapes;
        p->knows_scores |= known[i].at == &p->ext.scores;
        p->knows_preferences |= known[i].at == &p->ext.preferences;
        p->knows_profiles |= known[i].at == &p->ext.profiles || known[i].at == &p->ext.goodput;
        return known[i].at;
    }
    return NULL;
}

/* ---- the mirror ---- */

/* Where the ledger's own are not shown. */
static void copy_node(struct policy_view *p, const struct cluster *c, uint32_t i)
{
    const struct pol_node *n = &c->node[i];
    p->node[i] = *n;
    if (n->n_gpu > 0) memcpy(&p->card[n->card0], &c->card[n->card0], n->n_gpu * sizeof *p->card);
}

static void show_shape(struct policy_view *p, uint32_t id)
{
    const struct shape *a = &world_shapes(p->w)->at[id];
    p->shape[id] = (struct pol_shape){
        .cpu_milli = a->cpu_milli, .mem_b = a->mem_b, .gpu_mem_b = a->gpu_mem_b, .gpu_types = a->gpu_types,
        .need_all = a->need_all, .need_any = a->need_any, .n_gpu = a->n_gpu, .gpu_milli = a->gpu_milli,
        .exclusive = a->exclusive, .gpu_cores = a->gpu_cores,
    };
    memcpy(&p->licence[(size_t)id * LICENCES_MAX], a->licence, sizeof a->licence);
    memcpy(p->shape[id].engine, a->engine, sizeof a->engine);
}

static void show_shapes(struct policy_view *p)
{
    const struct shapes *s = world_shapes(p->w);
    p->ext.shapes.n_renewed = (uint32_t)s->n_renewed;
    p->ext.shapes.renewed = s->renewed;
    p->view.shape = p->shape;
    if (s->n_renewed == 0 && p->view.n_shapes == s->n) return;
    MEM_RESERVE(p->shape, p->cap_shape, s->n);
    MEM_RESERVE(p->licence, p->cap_licence, (size_t)s->n * LICENCES_MAX);
    for (size_t i = 0; i < s->n_renewed; i++) show_shape(p, s->renewed[i]);
    for (uint32_t i = p->view.n_shapes; i < s->n; i++) show_shape(p, i);
    p->view.n_shapes = s->n;
    p->view.shape = p->shape;
}

/* Where the cluster's arrays are; after a call the ledger's own still may be read. */
static void show_arrays(struct policy_view *p, const struct cluster *c)
{
    p->view.n_nodes = c->n_nodes;
    p->view.n_cards = c->n_cards;
    p->view.node = p->node != NULL ? p->node : c->node;
    p->view.card = p->card != NULL ? p->card : c->card;
    p->view.gpu_type = p->gpu_type;
    p->ext.cores.mem_bw = p->mem_bw;
    p->ext.calls.queued = p->queued;
    p->ext.calls.tier = p->tier;
    p->ext.licences.total = c->licence_total;
    p->ext.licences.free = c->licence_free;
}

/* Overwrite what is there, so that a policy that kept a pointer to it goes wrong; freed a call later. */
static void poison(struct policy_view *p, void *old, size_t bytes)
{
    memset(old, 0xa5, bytes);
    MEM_PUSH(p->poisoned, p->n_poisoned, p->cap_poisoned, old);
}

static void *move_array(struct policy_view *p, void *old, size_t n, size_t size)
{
    if (old == NULL) return NULL;
    void *now = mem_alloc(n, size);
    memcpy(now, old, n * size);
    poison(p, old, n * size);
    return now;
}

static void free_cluster(struct policy_view *p)
{
    mem_free(p->mem_bw); mem_free(p->queued); mem_free(p->tier); mem_free(p->node); mem_free(p->card); mem_free(p->gpu_type);
    p->mem_bw = NULL;
    p->queued = p->tier = NULL;
    p->node = NULL;
    p->card = NULL;
    p->gpu_type = NULL;
}

/* After a call: nothing that the policy read is where it was. */
static void move_memory(struct policy_view *p)
{
    while (p->n_poisoned > 0) mem_free(p->poisoned[--p->n_poisoned]);
    const struct cluster *c = cluster_of(p);
    p->node = move_array(p, p->node, c->n_nodes, sizeof *p->node);
    p->mem_bw = move_array(p, p->mem_bw, c->n_nodes, sizeof *p->mem_bw);
    p->queued = move_array(p, p->queued, c->n_nodes, sizeof *p->queued);
    p->tier = move_array(p, p->tier, c->n_nodes, sizeof *p->tier);
    p->card = move_array(p, p->card, c->n_cards, sizeof *p->card);
    show_arrays(p, c);
    p->shape = move_array(p, p->shape, p->cap_shape, sizeof *p->shape);
    p->licence = move_array(p, p->licence, p->cap_licence, sizeof *p->licence);
    p->job = move_array(p, p->job, p->cap_job, sizeof *p->job);
    p->task = move_array(p, p->task, p->cap_task, sizeof *p->task);
    p->event = move_array(p, p->event, p->cap_event, sizeof *p->event);
}

static void list_all_changed(struct policy_view *p)
{
    uint32_t n = world_cluster(p->w)->n_nodes;
    if (p->every_node == NULL) {
        MEM_ARRAY(p->every_node, n);
        for (uint32_t i = 0; i < n; i++) p->every_node[i] = i;
    }
    p->view.changed = p->every_node;
    p->view.n_changed = n;
}

/* What never changes; the totals are shown at each call. */
static void show_cluster(struct policy_view *p, const struct cluster *c)
{
    if (p->tricks.moves_memory) {
        MEM_ARRAY(p->node, c->n_nodes);
        MEM_ARRAY(p->card, c->n_cards);
    }
    MEM_ARRAY(p->mem_bw, c->n_nodes);
    MEM_ARRAY(p->gpu_type, c->gpu_types.n);
    MEM_ARRAY(p->queued, c->n_nodes);
    MEM_ARRAY(p->tier, c->n_nodes);
    p->ext.calls.n_tiers = policy_calls_tiers(c, p->tier);
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        if (p->node != NULL) copy_node(p, c, i);
        p->mem_bw[i] = c->own[i].mem_bw;
    }
    for (uint32_t i = 0; i < c->gpu_types.n; i++)
        p->gpu_type[i] = (struct pol_gpu_type){ .compute_mflops = c->gpu_figures[i].compute_mflops,
            .bandwidth_bps = c->gpu_figures[i].bandwidth_bps, .clock_khz = c->gpu_figures[i].clock_khz };
    show_arrays(p, c);
    p->is_shown = true;
}

static void show_totals(struct policy_view *p, const struct cluster *c)
{
    struct pol_view *v = &p->view;
    p->ext.licences.n = c->licences.n;
    v->n_gpu_types = c->gpu_types.n;
    v->n_racks = c->rack_names.n;
    v->n_engines = c->engines.n;
    v->changed = c->changed;
    v->n_changed = c->n_changed;
    v->cpu_total = c->sum.cpu_total;
    v->mem_total = c->sum.mem_total;
    v->gpu_total = c->sum.gpu_total;
}

static void show_world(struct policy_view *p)
{
    const struct world *w = p->w;
    const struct cluster *c = world_cluster(w);
    if (!p->is_shown) {
        show_cluster(p, c);
        p->ext.data.overlaps = world_config(w)->net.mode == NET_OVERLAP;
    }
    for (uint32_t i = 0; i < c->n_changed && p->node != NULL; i++) copy_node(p, c, c->changed[i]);
    const struct call_queue *q = world_calls(w);
    for (uint32_t i = 0; i < c->n_changed && q != NULL; i++) p->queued[c->changed[i]] = q->queue[c->changed[i]].n;
    show_shapes(p);
    show_totals(p, c);
    if (p->tricks.lists_all_changed) list_all_changed(p);
    p->view.now_us = world_now(w);
    p->view.n_users = world_users(w)->n;
    p->view.n_waiting = world_n_waiting(w);
    p->view.n_running = world_n_running(w);
    /* Infos are filled when asked for; here only room for every slot. */
    uint32_t n_jobs = world_n_job_slots(w), n_tasks = world_n_task_slots(w);
    MEM_RESERVE(p->job, p->cap_job, n_jobs);
    MEM_RESERVE(p->task, p->cap_task, n_tasks);
    p->call++;
}

static const uint32_t event_type[] = {
    [NOTICE_ARRIVED] = POL_ARRIVED, [NOTICE_READY] = POL_READY, [NOTICE_TASK_ENDED] = POL_TASK_ENDED,
    [NOTICE_JOB_ENDED] = POL_JOB_ENDED, [NOTICE_NODE_DOWN] = POL_NODE_DOWN, [NOTICE_NODE_UP] = POL_NODE_UP,
    [NOTICE_TIMER] = POL_TIMER, [NOTICE_CALL] = POL_CALL,
};

static void show_events(struct policy_view *p, const struct notice *n, size_t n_notices)
{
    const struct world *w = p->w;
    for (size_t i = 0; i < n_notices; i++) {
        struct pol_event *e = &p->event[i];
        uint32_t task = n[i].task;
        if (n[i].type == NOTICE_READY && task == NONE) task = world_job(w, n[i].job)->first_task;
        *e = (struct pol_event){ .type = event_type[n[i].type], .node = n[i].node,
                                 .job = { POL_NONE, 0 }, .task = { POL_NONE, 0 } };
        if (n[i].job != NONE) e->job = (pol_job){ n[i].job, world_job(w, n[i].job)->gen };
        if (task != NONE) e->task = (pol_task){ task, world_task(w, task)->gen };
    }
}

size_t policy_view_show(struct policy_view *p, const struct notice *n, size_t n_notices,
                        const struct pol_event *refused, size_t n_refused)
{
    show_world(p);
    MEM_RESERVE(p->event, p->cap_event, n_notices + n_refused);
    show_events(p, n, n_notices);
    if (n_refused > 0) memcpy(p->event + n_notices, refused, n_refused * sizeof *refused);
    return n_notices + n_refused;
}

struct pol_view *policy_view_begin(struct policy_view *p)
{
    struct pol_view *view = &p->view;
    if (p->tricks.moves_memory) { MEM_NEW(view); *view = p->view; }
    p->lent = view;
    return view;
}

void policy_view_end(struct policy_view *p, struct pol_view *view)
{
    p->lent = NULL;
    if (!p->tricks.moves_memory) return;
    move_memory(p);
    poison(p, view, sizeof *view);
}

/* ---- in create ---- */

static const struct pol_view *view_view(void *ctx)
{
    struct policy_view *p = ctx;
    if (p->to_come != NULL && !p->is_shown) {
        cluster_reset(p->to_come);
        show_cluster(p, p->to_come);
        show_totals(p, p->to_come);
        *p->lent = p->view;
    }
    return p->lent;
}

void policy_view_open(struct policy_view *p, struct cluster *c)
{
    static struct cluster none;         /* has nothing that a reset could change */
    p->to_come = c != NULL ? c : &none;
    (void)policy_view_begin(p);
}

/* The first decide call shows all anew: a trace may have named more types meanwhile. */
void policy_view_close(struct policy_view *p)
{
    policy_view_end(p, p->lent);
    if (p->is_shown) free_cluster(p);
    p->is_shown = false;
    p->view = (struct pol_view){ 0 };
    p->to_come = NULL;
    p->profiles_to_come = NULL;
}

/* ---- life ---- */

void policy_view_init(struct policy_view *p, struct pol_host *api, const struct host_tricks *tricks)
{
    p->tricks = *tricks;
    api->job = policy_view_job;
    api->task = view_task;
    api->view = view_view;
    api->name = view_name;
    api->label = view_label;
    api->extension = view_extension;
    p->ext.licences = (struct pol_licences){ .size = sizeof p->ext.licences, .asked = view_licences };
    p->ext.shapes = (struct pol_shapes){ .size = sizeof p->ext.shapes };
    p->ext.graph = (struct pol_graph){ .size = sizeof p->ext.graph, .follower = policy_calls_follower };
    p->ext.data = (struct pol_data){ .size = sizeof p->ext.data, .n_inputs = view_n_inputs, .input = view_input, .transfer = view_transfer,
                                     .writer = view_writer, .output_b = view_output_b, .read_us = view_read_us,
                                     .measured = view_measured, .reading_us = view_reading_us };
    p->ext.cores = (struct pol_cores){ .size = sizeof p->ext.cores, .measure = view_reading };
    p->ext.reservations = (struct pol_reservations){ .size = sizeof p->ext.reservations };
    p->ext.holds = (struct pol_holds){ .size = sizeof p->ext.holds };
    p->ext.scores = (struct pol_scores){ .size = sizeof p->ext.scores };
    p->ext.preferences = (struct pol_preferences){ .size = sizeof p->ext.preferences, .of = view_preferences };
    p->ext.recorded = (struct pol_recorded){ .size = sizeof p->ext.recorded, .of = view_record };
    p->ext.goodput = (struct pol_goodput){ .size = sizeof p->ext.goodput, .batches = view_batches, .step = view_step,
                                           .measured = view_trains, .noise = view_noise };
    p->ext.elastic = (struct pol_elastic){ .size = sizeof p->ext.elastic, .sizes = view_sizes, .speed = view_speed,
                                           .restart_us = view_restart };
    p->ext.speeds = (struct pol_speeds){ .size = sizeof p->ext.speeds, .on = view_speed_on, .beside = view_speed_beside,
                                         .steps_per_s = view_steps_per_s, .beside_mean = view_beside_mean };
    p->ext.profiles = (struct pol_profiles){ .size = sizeof p->ext.profiles,
                                             .speed = policy_profiles_speed,
                                             .needs = policy_profiles_needs,
                                             .apart = policy_profiles_apart };
    p->ext.calls = (struct pol_calls){ .size = sizeof p->ext.calls, .state = policy_calls_state, .info = policy_calls_info,
                                       .relation = policy_calls_relation, .overhead = policy_calls_overhead };
}

void policy_view_fini(struct policy_view *p)
{
    free_cluster(p);
    MEM_FREE(p->shape, p->licence, p->job, p->task);
    while (p->n_poisoned > 0) mem_free(p->poisoned[--p->n_poisoned]);
    mem_free(p->poisoned); mem_free(p->every_node); mem_free(p->event);
}
