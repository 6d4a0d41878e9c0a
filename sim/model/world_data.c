/*
 * world_data.c -- a task reads its inputs, writes its output, and lets go who
 * waited for it.
 *
 * Inputs are read one after the other.  In nominal mode each is the task's own
 * activity, for the time that its level takes; in shared mode a flow of the
 * network.  In overlap mode each has been on its way to the task's node since it
 * was there, an output since it was written, a block since the job came, and the
 * task only waits for what is not through: in any order that ends with the last.
 * Where a task would run was foreseen then, as HEFT does.  The output is written
 * to the node's disk.  A node's disk can be read while the node is down: storage is
 * a service of its own.
 */
#include "model/world_priv.h"

#include "base/mem.h"
#include "model/graph.h"

static const struct task_input *input_at(const struct world *w, uint32_t t, uint32_t k)
{
    const struct graph *g = w->jobs.job[w->jobs.task[t].job].graph;
    return &g->in[g->in_start[w->jobs.task[t].index] + k];
}

uint32_t world_n_inputs(const struct world *w, uint32_t task)
{
    const struct graph *g = w->jobs.job[w->jobs.task[task].job].graph;
    return g == NULL ? 0 : graph_n_inputs(g, w->jobs.task[task].index);
}

struct world_input world_input(const struct world *w, uint32_t task, uint32_t k)
{
    const struct task_input *in = input_at(w, task, k);
    const struct graph *g = w->jobs.job[w->jobs.task[task].job].graph;
    if (in->block == NONE)
        return (struct world_input){ .size = in->part > 0 ? in->part : g->out[in->task],
                                     .replica = &g->out_node[in->task], .n_replicas = g->out_node[in->task] != NONE,
                                     .writer = g->slot[in->task], .since = g->out_at[in->task] };
    const struct block *b = &w->cfg.data->block[in->block];
    return (struct world_input){ .size = b->size, .replica = b->n > 0 ? &w->cfg.data->replica[b->first] : NULL, .n_replicas = b->n,
                                 .writer = NONE, .since = world_job_of(w, task)->submit };
}

static sim_tick input_us(const struct world *w, const struct world_input *in, uint32_t node)
{
    return world_transfer_us(w, net_level(&w->cfg.net, w->cluster, in->replica, in->n_replicas, node), in->size);
}

sim_tick world_reading_us(const struct world *w, uint32_t task, uint32_t node)
{
    sim_tick sum = 0, last = w->loop.now;
    for (uint32_t k = 0, n = world_n_inputs(w, task); k < n; k++) {
        struct world_input in = world_input(w, task, k);
        sim_tick us = input_us(w, &in, node);
        sum += us;
        last = i64_max(last, in.since + us);
    }
    return w->cfg.net.mode == NET_OVERLAP ? last - w->loop.now : sum;
}

int64_t world_output(const struct world *w, uint32_t task)
{
    const struct graph *g = w->jobs.job[w->jobs.task[task].job].graph;
    return g == NULL ? 0 : g->out[w->jobs.task[task].index];
}

int64_t world_transfer_us(const struct world *w, enum data_level level, int64_t size)
{
    return w->net == NULL ? net_nominal_us(&w->cfg.net, level, size) : net_measured_us(w->net, level, size);
}

uint64_t world_transfers_measured(const struct world *w) { return w->net == NULL ? 0 : net_measured(w->net); }

static enum data_level level_here(const struct world *w, uint32_t t, const struct world_input *in)
{
    return net_level(&w->cfg.net, w->cluster, in->replica, in->n_replicas, w->cluster->hold[t].node);
}

static void open_flow(struct world *w, uint32_t t, uint32_t src, uint32_t dst, int64_t size)
{
    struct task *k = task_at(w, t);
    k->flow = net_start(w->net, src, dst, size, order_of(w, t), w->loop.now);
    MEM_RESERVE(w->flow_task, w->cap_flow_task, (size_t)k->flow + 1);
    w->flow_task[k->flow] = t;
}

static void begin_nominal(struct world *w, uint32_t t, int64_t us)
{
    act_start(&task_at(w, t)->act, &w->loop.q, ev_slot(SLOT_ACT, t), order_of(w, t), us << RATE_BITS, RATE_ONE, w->loop.now);
}

/* Read input number `input`, or compute when there is none left. */
static void read_next(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    if (k->input == world_n_inputs(w, t)) { world_unit_compute(w, t); return; }
    struct world_input in = world_input(w, t, k->input);
    uint32_t here = w->cluster->hold[t].node;
    if (w->net != NULL) {
        enum data_level level = level_here(w, t, &in);
        open_flow(w, t, data_source(w->cluster, in.replica, in.n_replicas, here, level, k->index), here, in.size);
        return;
    }
    sim_tick us = input_us(w, &in, here), gone = w->cfg.net.mode == NET_OVERLAP ? w->loop.now - in.since : 0;
    begin_nominal(w, t, i64_max(us - gone, 0));
}

void world_data_read(struct world *w, uint32_t t)
{
    task_at(w, t)->phase = PHASE_READ;
    task_at(w, t)->input = 0;
    TELL(w, phase, t);
    read_next(w, t);
}

void world_data_write(struct world *w, uint32_t t)
{
    int64_t size = job_of(w, t)->graph->out[task_at(w, t)->index];
    uint32_t here = w->cluster->hold[t].node;
    task_at(w, t)->phase = PHASE_WRITE;
    TELL(w, phase, t);
    if (size == 0) world_unit_finish(w, t, STOP_DONE);
    else if (w->net == NULL) begin_nominal(w, t, net_nominal_us(&w->cfg.net, LEVEL_LOCAL, size));
    else open_flow(w, t, here, here, size);
}

/* The input being read is complete. */
void world_data_step_over(struct world *w, uint32_t t)
{
    struct world_input in = world_input(w, t, task_at(w, t)->input);
    TELL(w, moved, t, level_here(w, t, &in), in.size, true);
    task_at(w, t)->input++;
    read_next(w, t);
}

static void close_flow(struct world *w, uint32_t t)
{
    net_stop(w->net, task_at(w, t)->flow, w->loop.now);
    task_at(w, t)->flow = NONE;
}

void world_data_flow_over(struct world *w, uint32_t flow)
{
    uint32_t t = w->flow_task[flow];
    close_flow(w, t);
    if (task_at(w, t)->phase == PHASE_READ) world_data_step_over(w, t);
    else world_unit_finish(w, t, STOP_DONE);
}

/* Bytes of the present input that have come, rounded down. */
static int64_t come_so_far(const struct world *w, uint32_t t, const struct world_input *in)
{
    const struct task *k = &w->jobs.task[t];
    const int64_t size = in->size;
    if (w->cfg.net.mode == NET_OVERLAP) {
        sim_tick us = input_us(w, in, w->cluster->hold[t].node), spent = w->loop.now - in->since;
        return spent < us ? mul_div(size, spent, us) : size;
    }
    if (w->net != NULL) return size - net_left(w->net, k->flow, w->loop.now);
    sim_tick left = act_left(&k->act, w->loop.now) >> RATE_BITS, spent = w->loop.now - k->act.since;
    return left + spent > 0 ? mul_div(size, spent, left + spent) : size;
}

void world_data_stop(struct world *w, uint32_t t)
{
    const struct task *k = task_at(w, t);
    if (k->phase == PHASE_READ && k->state == TASK_RUNNING && k->input < world_n_inputs(w, t)) {
        /* In overlap mode those after the present one are on their way, too. */
        uint32_t end = w->cfg.net.mode == NET_OVERLAP ? world_n_inputs(w, t) : k->input + 1;
        for (uint32_t i = k->input; i < end; i++) {
            struct world_input in = world_input(w, t, i);
            TELL(w, moved, t, level_here(w, t, &in), come_so_far(w, t, &in), false);
        }
    }
    if (k->flow != NONE) close_flow(w, t);
}

void world_data_unblock(struct world *w, uint32_t t, uint32_t node)
{
    const struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    struct graph *g = j->graph;
    g->out_node[k->index] = node;
    g->out_at[k->index] = w->loop.now;
    for (uint32_t e = g->next_start[k->index]; e < g->next_start[k->index + 1]; e++) {
        uint32_t next = g->next[e];
        if (--g->n_before[next] > 0) continue;
        struct task *n = task_at(w, g->slot[next]);
        n->state = TASK_WAITING;
        n->ready_at = w->loop.now;
        j->n_blocked--;
        j->n_waiting++;
        w->n_waiting++;
        TELL(w, ready, g->slot[next]);
        if (j->calls != NULL) call_queue_wait(w->calls, g->slot[next]);
        world_notify(w, NOTICE_READY, w->jobs.task[t].job, g->slot[next], NONE);
    }
}

void world_data_audit(const struct world *w, uint32_t t)
{
    for (uint32_t k = 0, n = world_n_inputs(w, t); k < n; k++) {
        struct world_input in = world_input(w, t, k);
        sim_tick us = w->cfg.net.mode == NET_OVERLAP ? input_us(w, &in, w->cluster->hold[t].node) : 0;
        SIM_ASSERT(in.since + us <= w->loop.now);
        SIM_ASSERT(in.writer == NONE || (w->jobs.task[in.writer].state == TASK_DONE && in.n_replicas == 1));
    }
}
