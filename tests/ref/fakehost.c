#include "ref/fakehost.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MB INT64_C(1000000)
#define GB (1000 * MB)

static const struct pol_job_info *lend_job(void *ctx, pol_job j)
{
    struct fakehost *h = ctx;
    return j.slot < h->n_jobs ? &h->job[j.slot] : NULL;
}

static const struct pol_task_info *lend_task(void *ctx, pol_task t)
{
    struct fakehost *h = ctx;
    if (t.slot >= h->n_tasks) return NULL;
    struct fake_task *k = &h->task[t.slot];
    k->shown = k->info;
    if (k->info.is_running) k->shown.attained_us += h->view.now_us - k->info.started_us;
    return &k->shown;
}

static const char *lend_name(void *ctx, uint32_t type, uint32_t id)
{
    static char name[16];
    (void)ctx;
    (void)snprintf(name, sizeof name, "u%u", id);
    return type == POL_NAME_USER ? name : NULL;
}

/* ---- what tasks read ---- */

static struct pol_input lend_input(void *ctx, pol_task t, uint32_t k)
{
    struct fakehost *h = ctx;
    const struct fake_input *in = &h->task[t.slot].input[k];
    cr_assert_lt(k, h->task[t.slot].n_inputs);
    return (struct pol_input){ .size_b = in->size_b, .replica = in->replica, .n_replicas = in->n };
}

static uint32_t lend_n_inputs(void *ctx, pol_task t) { return ((const struct fakehost *)ctx)->task[t.slot].n_inputs; }

static int64_t nominal_us(int64_t size, int64_t bps) { return bps == 0 ? 0 : size * 1000000 / bps; }

struct pol_transfer fakehost_transfer(const struct fakehost *h, pol_task t, uint32_t node)
{
    struct pol_transfer sum = { 0 };
    for (uint32_t k = 0; k < h->task[t.slot].n_inputs; k++) {
        const struct fake_input *in = &h->task[t.slot].input[k];
        bool local = false, rack = false;
        for (uint32_t i = 0; i < in->n; i++) {
            local |= in->replica[i] == node;
            rack |= h->node[in->replica[i]].rack == h->node[node].rack;
        }
        *(local ? &sum.local_b : rack ? &sum.rack_b : &sum.cross_b) += in->size_b;
        if (local) sum.local_us += nominal_us(in->size_b, h->disk_bps);
        else if (rack) sum.rack_us += nominal_us(in->size_b, h->rack_bps);
        else sum.cross_us += nominal_us(in->size_b, h->aggregation_bps);
    }
    return sum;
}

static uint64_t lend_measured(void *ctx) { return ((const struct fakehost *)ctx)->measured; }

static struct pol_transfer lend_transfer(void *ctx, pol_task t, uint32_t node) { return fakehost_transfer(ctx, t, node); }

void fakehost_input(struct fakehost *h, uint32_t task, int64_t size_b, const uint32_t *replica, uint32_t n)
{
    struct fake_task *t = &h->task[task];
    cr_assert(t->n_inputs < FAKE_INPUTS && n <= FAKE_REPLICAS);
    struct fake_input *in = &t->input[t->n_inputs++];
    in->size_b = size_b;
    in->n = n;
    memcpy(in->replica, replica, n * sizeof *replica);
}

/* ---- acts ---- */

static void touch(struct fakehost *h, uint32_t node)
{
    if (!h->is_changed[node]) h->changed[h->view.n_changed++] = node;
    h->is_changed[node] = true;
}

static void move(struct fakehost *h, struct pol_task_info *t, int sign)
{
    struct pol_node *n = &h->node[t->node];
    const struct pol_shape *s = &h->shape[t->shape];
    n->cpu_free += sign * s->cpu_milli;
    n->mem_free += sign * s->mem_b;
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        if ((t->cards >> k & 1) == 0) continue;
        struct pol_card *c = &h->card[n->card0 + k];
        c->milli_free += sign * s->gpu_milli;
        if (c->mem_total > 0) c->mem_free += sign * s->gpu_mem_b;
        cr_assert(c->milli_free >= 0 && c->mem_free >= 0, "a card is given twice");
    }
    n->n_tasks -= (uint32_t)sign;
    cr_assert(n->is_up && n->cpu_free >= 0 && n->mem_free >= 0, "a node gives more than it has");
    touch(h, t->node);
}

static void say(struct fakehost *h, struct fake_entry e)
{
    cr_assert(h->n_log < FAKE_LOG);
    h->log[h->n_log++] = e;
}

static void start(void *ctx, pol_task t, const struct pol_place *p, uint32_t n, const char *reason)
{
    struct fakehost *h = ctx;
    uint32_t job = h->task[t.slot].info.job.slot;
    (void)reason;
    cr_assert(h->job[job].is_gang ? n == h->job[job].n_tasks && t.slot == h->job[job].first_task.slot : n == 1);
    for (uint32_t i = 0; i < n; i++) say(h, (struct fake_entry){ true, job, t.slot + i, p[i].node, p[i].cards });
}

static void preempt(void *ctx, pol_task t, const char *reason)
{
    struct fakehost *h = ctx;
    (void)reason;
    cr_assert((h->ops->flags & POL_PREEMPTS) != 0);
    say(h, (struct fake_entry){ false, h->task[t.slot].info.job.slot, t.slot, POL_NONE, 0 });
}

static void wake(void *ctx, int64_t at)
{
    struct fakehost *h = ctx;
    cr_assert(at > h->view.now_us);
    h->wake[h->n_wakes++] = at;
}

static void note(void *ctx, const char *name, double value) { (void)ctx, (void)name, (void)value; }
static void hold(void *ctx, pol_task t, bool is_head, const char *reason)
{
    const struct fakehost *h = ctx;
    (void)is_head;
    cr_assert(reason != NULL && t.slot < h->n_tasks && !h->task[t.slot].info.is_running);
}
static void fail(void *ctx, const char *message) { (void)ctx; cr_assert_fail("the policy gave up: %s", message); }

static const void *extension(void *ctx, const char *name)
{
    static const struct pol_data data = { .size = sizeof data, .n_inputs = lend_n_inputs, .input = lend_input, .transfer = lend_transfer,
                                         .measured = lend_measured };
    const struct fakehost *h = ctx;
    return strcmp(name, POL_DATA) == 0 ? (const void *)&data : strcmp(name, POL_LICENCES) == 0 ? (const void *)&h->licences : NULL;
}

static const struct pol_view *lend_view(void *ctx) { return &((const struct fakehost *)ctx)->view; }

struct fakehost *fakehost_create(void)
{
    struct fakehost *h = calloc(1, sizeof *h);
    h->api = (struct pol_host){
        .abi_major = POL_ABI_MAJOR, .size = sizeof h->api, .ctx = h, .view = lend_view, .job = lend_job, .task = lend_task, .name = lend_name,
        .start = start, .preempt = preempt, .wake = wake, .note = note, .fail = fail,
        .hold = hold, .is_audited = 1, .extension = extension,
    };
    h->licences.size = sizeof h->licences;
    h->view.node = h->node;
    h->view.card = h->card;
    h->view.shape = h->shape;
    h->view.changed = h->changed;
    return h;
}

uint32_t fakehost_node(struct fakehost *h, int64_t cpu_milli, int64_t mem_b, uint32_t n_gpu, int64_t gpu_mem_b)
{
    struct pol_view *v = &h->view;
    h->node[v->n_nodes] = (struct pol_node){
        .cpu_total = cpu_milli, .cpu_free = cpu_milli, .mem_total = mem_b, .mem_free = mem_b, .card0 = v->n_cards,
        .n_gpu = n_gpu, .gpu_type = n_gpu > 0 ? 0 : POL_NONE, .is_up = 1,
    };
    for (uint32_t k = 0; k < n_gpu; k++) h->card[v->n_cards++] = (struct pol_card){ gpu_mem_b, gpu_mem_b, 1000, 0, 0, 0 };
    v->cpu_total += cpu_milli;
    v->mem_total += mem_b;
    v->gpu_total += (int64_t)n_gpu * 1000;
    return v->n_nodes++;
}

static union pol_value value_of(const struct pol_param *p, const char *s, size_t n)
{
    static char text[256];
    union pol_value v = { 0 };
    (void)snprintf(text, sizeof text, "%.*s", (int)n, s);
    if (p->type == POL_TEXT || p->type == POL_FILE) v.s = text;
    else if (p->type == POL_NUMBER) v.x = strtod(text, NULL);
    else if (p->type == POL_BOOL) v.i = strcmp(text, "true") == 0;
    else if (p->type != POL_CHOICE && p->type != POL_PLUGIN) v.i = strcmp(text, "1h") == 0 ? INT64_C(3600000000) : strtoll(text, NULL, 10);
    else for (const char *c = p->choices; strncmp(c, text, n) != 0 || (c[n] != '|' && c[n] != '\0'); v.i++) {
        c = strchr(c, '|');
        cr_assert(c != NULL, "no choice %s", text);
        c++;
    }
    if (p->type == POL_PLUGIN) {        /* read in create alone */
        static struct pol_chosen chosen;
        chosen = (struct pol_chosen){ NULL, v.i };
        v.chosen = &chosen;
    }
    return v;
}

static void create(struct fakehost *h, const struct pol_ops *ops, const char *params, char *error, size_t cap)
{
    union pol_value value[16];
    for (uint32_t i = 0; i < ops->n_params; i++) {
        const struct pol_param *p = &ops->params[i];
        const char *s = params;
        while ((s = strstr(s, p->name)) != NULL && ((s > params && s[-1] != ',') || s[strlen(p->name)] != '=')) s++;
        value[i] = s == NULL ? value_of(p, p->dflt, strlen(p->dflt))
                             : value_of(p, s + strlen(p->name) + 1, strcspn(s, ",") - strlen(p->name) - 1);
    }
    uint32_t flags = ops->flags;
    h->ops = ops;
    h->self = ops->create(&h->api, value, &flags, error, cap);
}

void fakehost_open(struct fakehost *h, const struct pol_ops *ops, const char *params)
{
    char error[256] = "";
    create(h, ops, params, error, sizeof error);
    cr_assert(h->self != NULL, "%s", error);
}

void fakehost_refuses(struct fakehost *h, const struct pol_ops *ops, const char *params, const char *words)
{
    char error[256] = "";
    create(h, ops, params, error, sizeof error);
    cr_assert(h->self == NULL && strstr(error, words) != NULL, "%s: '%s'", params, error);
}

void fakehost_destroy(struct fakehost *h)
{
    if (h->self != NULL) h->ops->destroy(h->self);
    free(h);
}

void fakehost_racks(struct fakehost *h, uint32_t racks, uint32_t per_rack, uint32_t gpus)
{
    h->view.n_racks = racks;
    for (uint32_t i = 0; i < racks * per_rack; i++) {
        uint32_t n = fakehost_node(h, 16000, 64 * GB, gpus, 10 * GB);
        h->node[n].rack = i / per_rack;
    }
    (void)fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 1000, .gpu_mem_b = GB });
}

static void draw_speeds(struct fakehost *h, struct rng *g)
{
    static const int64_t speed[] = { 0, 50 * MB, 100 * MB, 200 * MB, 400 * MB };
    h->disk_bps = speed[rng_below(g, 5)];
    h->rack_bps = speed[rng_below(g, 5)];
    h->aggregation_bps = speed[rng_below(g, 5)];
}

void fakehost_speeds(struct fakehost *h, struct rng *g)
{
    draw_speeds(h, g);
    h->measured++;
}

void fakehost_random(struct fakehost *h, struct rng *g, bool alike)
{
    draw_speeds(h, g);
    uint32_t racks = 1 + (uint32_t)rng_below(g, 4), n = 1 + (uint32_t)rng_below(g, 9);
    h->view.n_racks = racks;
    for (uint32_t i = 0; i < n; i++) {
        (void)fakehost_node(h, 64000, 64 * GB, (uint32_t)rng_below(g, 4), rng_below(g, 2) || alike ? 20 * GB : 10 * GB);
        h->node[i].rack = (uint32_t)rng_below(g, racks);
    }
    for (uint32_t i = 0; i < 3; i++)
        (void)fakehost_shape(h, (struct pol_shape){ .cpu_milli = 100, .n_gpu = 1, .gpu_milli = 1000, .gpu_mem_b = (5 + 5 * i) * GB });
}

uint32_t fakehost_shape(struct fakehost *h, struct pol_shape s)
{
    h->shape[h->view.n_shapes] = s;
    return h->view.n_shapes++;
}

uint32_t fakehost_job(struct fakehost *h, uint32_t user, uint32_t shape, uint32_t n, bool gang, int64_t limit, int64_t dur)
{
    uint32_t j = h->n_jobs++;
    cr_assert(h->n_tasks + n <= FAKE_TASKS);
    h->job[j] = (struct pol_job_info){ .ordinal = j, .submit_us = h->view.now_us, .limit_us = limit, .true_dur_us = dur,
                                       .first_task = { h->n_tasks, 0 }, .n_tasks = n, .n_waiting = n, .user = user,
                                       .queue = POL_NONE, .is_gang = gang };
    for (uint32_t i = 0; i < n; i++, h->n_tasks++)
        h->task[h->n_tasks].info = (struct pol_task_info){
            .job = { j, 0 }, .next = { i + 1 < n ? h->n_tasks + 1 : POL_NONE, 0 }, .index = i, .shape = shape,
            .node = POL_NONE, .started_us = -1, .true_left_us = dur, .is_waiting = 1 };
    if (user >= h->view.n_users) h->view.n_users = user + 1;
    h->event[h->n_events++] = (struct pol_event){ .type = POL_ARRIVED, .job = { j, 0 }, .task = { POL_NONE, 0 } };
    return j;
}

void fakehost_block(struct fakehost *h, uint32_t task)
{
    h->task[task].info.is_waiting = 0;
    h->job[h->task[task].info.job.slot].n_waiting--;
}

void fakehost_ready(struct fakehost *h, uint32_t task)
{
    struct pol_task_info *t = &h->task[task].info;
    cr_assert(!t->is_waiting && !t->is_running && !h->task[task].is_done);
    t->is_waiting = 1;
    h->job[t->job.slot].n_waiting++;
    h->event[h->n_events++] = (struct pol_event){ .type = POL_READY, .job = t->job, .task = { task, 0 } };
}

void fakehost_timer(struct fakehost *h)
{
    h->event[h->n_events++] = (struct pol_event){ .type = POL_TIMER, .job = { POL_NONE, 0 }, .task = { POL_NONE, 0 } };
}

static void stop(struct fakehost *h, struct pol_task_info *t)
{
    cr_assert(t->is_running, "what does not run cannot stop");
    move(h, t, +1);
    t->attained_us += h->view.now_us - t->started_us;
    t->is_running = 0;
    t->node = POL_NONE;
    t->started_us = -1;
    h->job[t->job.slot].n_running--;
}

void fakehost_end(struct fakehost *h, uint32_t task)
{
    struct pol_task_info *t = &h->task[task].info;
    struct pol_job_info *j = &h->job[t->job.slot];
    uint32_t node = t->node;
    stop(h, t);
    h->task[task].is_done = true;
    h->event[h->n_events++] = (struct pol_event){ .type = POL_TASK_ENDED, .node = node, .job = t->job, .task = { task, 0 } };
    uint32_t left = 0;
    for (uint32_t i = 0; i < j->n_tasks; i++) left += !h->task[j->first_task.slot + i].is_done;
    if (left == 0)
        h->event[h->n_events++] = (struct pol_event){ .type = POL_JOB_ENDED, .job = t->job, .task = { POL_NONE, 0 } };
}

void fakehost_up(struct fakehost *h, uint32_t node, bool is_up)
{
    cr_assert(h->node[node].n_tasks == 0);
    int sign = h->node[node].is_up == is_up ? 0 : is_up ? 1 : -1;
    h->view.cpu_total += sign * h->node[node].cpu_total;
    h->view.mem_total += sign * h->node[node].mem_total;
    h->view.gpu_total += sign * (int64_t)h->node[node].n_gpu * 1000;
    h->node[node].is_up = is_up;
    touch(h, node);
    h->event[h->n_events++] = (struct pol_event){ .type = is_up ? POL_NODE_UP : POL_NODE_DOWN, .node = node };
}

void fakehost_card(struct fakehost *h, uint32_t node, int32_t milli_free)
{
    h->card[h->node[node].card0].milli_free = milli_free;
    touch(h, node);
}

static void apply(struct fakehost *h, const struct fake_entry *e)
{
    struct pol_task_info *t = &h->task[e->task].info;
    struct pol_job_info *j = &h->job[e->job];
    if (e->is_start) {
        cr_assert(!t->is_running && !h->task[e->task].is_done, "a task is started twice");
        cr_assert(t->is_waiting, "a task is started before its turn");
        t->is_running = 1;
        t->is_waiting = 0;
        t->node = e->node;
        t->cards = e->cards;
        t->started_us = h->view.now_us;
        move(h, t, -1);
        j->n_waiting--;
        j->n_running++;
        return;
    }
    for (uint32_t i = 0; i < (j->is_gang ? j->n_tasks : 1); i++) {
        stop(h, &h->task[e->task + i].info);
        h->task[e->task + i].info.is_waiting = 1;
        j->n_waiting++;
    }
    h->event[h->n_events++] = (struct pol_event){ .type = POL_READY, .job = t->job, .task = { e->task, 0 } };
}

void fakehost_decide(struct fakehost *h, int64_t now)
{
    h->view.now_us = now;
    do {
        struct pol_event ev[FAKE_TASKS];
        size_t n = h->n_events;
        memcpy(ev, h->event, n * sizeof *ev);
        h->n_events = 0;
        if (h->round != NULL) h->round(h, false);
        h->ops->decide(h->self, &h->view, ev, n);
        if (h->round != NULL) h->round(h, true);
        memset(h->is_changed, 0, sizeof h->is_changed);
        h->view.n_changed = 0;
        for (; h->n_applied < h->n_log; h->n_applied++) apply(h, &h->log[h->n_applied]);
    } while (h->n_events > 0);
}
