/*
 * refaffinity.c -- refaffinity.h.  A task is in one place at a time, and `place` says
 * since when it is there beside the others: who came first is found by looking at all.
 */
#include "ref/refaffinity.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TASKS = 256, NODES = 16, TYPES = ENGINE_TYPES_MAX };
enum where { AWAY, MASTER, QUEUE, RUNS, OVER };

struct ref_task {
    uint32_t job, index;
    enum where where;
    uint32_t node, for_engine;      /* in whose queue or on which it runs; engine that it was sent for, NONE */
    uint64_t place;
    uint32_t call;                  /* number of its next call, or of the one that runs */
    bool may_call, is_calling;
    uint64_t seeks;                 /* when its call began to wait for other nodes' engines; 0: it does not */
    uint32_t at, engine;            /* of the call that runs */
    sim_tick exec, way, ends;
};

struct ref {
    const struct yard *y;
    const struct ref_affinity *p;
    struct ref_task task[TASKS];
    uint32_t n, next_job, n_nodes, n_types;
    int32_t free[NODES][TYPES];
    uint64_t clock;                 /* of places */
    sim_tick now;
    FILE *log;
};

static void say(struct ref *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct ref *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)fprintf(r->log, "%" PRId64 " ", r->now);
    (void)vfprintf(r->log, fmt, ap);
    (void)fputc('\n', r->log);
    va_end(ap);
}

static void put(struct ref *r, struct ref_task *t, enum where where, uint32_t node)
{
    t->where = where;
    t->node = node;
    t->place = ++r->clock;
}

/* ---- times ---- */

static const struct call *call_of(const struct ref *r, const struct ref_task *t)
{
    return &r->y->call[r->y->job[t->job].first + t->call];
}

/* Of a call on an engine type; -1: it cannot run there. */
static sim_tick exec_us(const struct ref *r, const struct call *c, uint32_t type)
{
    return calltime_us(&r->y->times, c->api, type, c->size);
}

static int64_t round_up(int64_t bytes, int64_t bps) { return bps == 0 ? 0 : (bytes * TICK_SEC + bps - 1) / bps; }

/* There and back: the latency of both ends each time, and the bytes over the slower link. */
static sim_tick way_us(const struct ref *r, const struct call *c, uint32_t from, uint32_t to)
{
    const struct node_own *a = &r->y->cluster.own[from], *b = &r->y->cluster.own[to];
    int64_t bps = a->link_bps < b->link_bps ? a->link_bps : b->link_bps;
    if (bps == 0) bps = a->link_bps + b->link_bps;          /* 0 is no limit: the other end's */
    if (from == to) return 0;
    return 2 * (a->latency_us + b->latency_us) + round_up(c->size, bps) + round_up(c->result, bps);
}

static int32_t has(const struct ref *r, uint32_t node, uint32_t type) { return r->y->cluster.node[node].engine_total[type]; }

static bool anyone_has(const struct ref *r, uint32_t type)
{
    for (uint32_t i = 0; i < r->n_nodes; i++) if (has(r, i, type) > 0) return true;
    return false;
}

/* All calls of a task on one engine type; -1: one of them cannot run there. */
static sim_tick task_us(const struct ref *r, const struct ref_task *t, uint32_t type)
{
    const struct yard_job *j = &r->y->job[t->job];
    sim_tick sum = 0;
    for (uint32_t k = 0; k < j->n; k++) {
        sim_tick us = exec_us(r, &r->y->call[j->first + k], type);
        if (us < 0) return -1;
        sum += us;
    }
    return sum;
}

/* ---- the master (S2-5 to S2-8) ---- */

/* Is the type one that the task is sent for? */
static bool is_target(const struct ref *r, const struct ref_task *t, uint32_t type)
{
    sim_tick best = -1, us = task_us(r, t, type);
    for (uint32_t k = 0; k < r->n_types; k++) {
        sim_tick at = task_us(r, t, k);
        if (anyone_has(r, k) && at >= 0 && (best < 0 || at < best)) best = at;
    }
    if (us < 0 || best < 0) return false;
    if (us <= best) return true;
    return !r->p->target_best && (double)best > r->p->least * (double)us;
}

static bool has_target(const struct ref *r, const struct ref_task *t, uint32_t node)
{
    for (uint32_t k = 0; k < r->n_types; k++) if (has(r, node, k) > 0 && is_target(r, t, k)) return true;
    return false;
}

static uint32_t count(const struct ref *r, uint32_t node, enum where where)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n; i++) n += r->task[i].where == where && r->task[i].node == node;
    return n;
}

static uint32_t n_tasks(const struct ref *r, uint32_t node) { return count(r, node, QUEUE) + count(r, node, RUNS); }

static uint32_t n_engines(const struct ref *r, uint32_t node)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < r->n_types; k++) n += (uint32_t)has(r, node, k);
    return n;
}

static double load(const struct ref *r, uint32_t node)
{
    return (double)n_tasks(r, node) / (n_engines(r, node) > 0 ? n_engines(r, node) : 1);
}

/* Target engines free there, less the tasks queued there for them. */
static int64_t available(const struct ref *r, const struct ref_task *t, uint32_t node)
{
    int64_t n = 0;
    for (uint32_t k = 0; k < r->n_types; k++) {
        if (!is_target(r, t, k)) continue;
        n += r->free[node][k];
        for (uint32_t i = 0; i < r->n; i++)
            n -= r->task[i].where == QUEUE && r->task[i].node == node && r->task[i].for_engine == k;
    }
    return n;
}

static uint32_t fewest_tasks(const struct ref *r)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < r->n_nodes; i++) if (n_tasks(r, i) < n_tasks(r, best)) best = i;
    return best;
}

static uint32_t choose_node(const struct ref *r, const struct ref_task *t)
{
    uint32_t best = NONE;
    if (r->p->is_balance) return fewest_tasks(r);
    for (uint32_t i = 0; i < r->n_nodes && r->p->by_load; i++)
        if (has_target(r, t, i) && load(r, i) < r->p->load) return i;
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        if (!has_target(r, t, i)) continue;
        int64_t more = best == NONE || r->p->by_load ? 0 : available(r, t, i) - available(r, t, best);
        if (best == NONE || more > 0 || (more == 0 && load(r, i) < load(r, best))) best = i;
    }
    return best != NONE ? best : fewest_tasks(r);
}

/* The best of the task's targets that the node has. */
static uint32_t sent_for(const struct ref *r, const struct ref_task *t, uint32_t node)
{
    uint32_t best = NONE;
    if (r->p->is_balance) return NONE;
    for (uint32_t k = 0; k < r->n_types; k++)
        if (has(r, node, k) > 0 && is_target(r, t, k) && (best == NONE || task_us(r, t, k) < task_us(r, t, best)))
            best = k;
    return best;
}

static void send(struct ref *r, struct ref_task *t, uint32_t node)
{
    t->for_engine = sent_for(r, t, node);
    put(r, t, QUEUE, node);
    say(r, "send j%u %u n%u", t->job, t->index, node);
}

/* Of those in a place, the first who came after a time; node NONE: whatever node. */
static struct ref_task *first_in(struct ref *r, enum where where, uint32_t node, uint64_t after)
{
    struct ref_task *found = NULL;
    for (uint32_t i = 0; i < r->n; i++) {
        struct ref_task *t = &r->task[i];
        if (t->where != where || (node != NONE && t->node != node) || t->place <= after) continue;
        if (found == NULL || t->place < found->place) found = t;
    }
    return found;
}

/* So many at a time, by the loads before any of them is sent (S2-1). */
static void run_master(struct ref *r)
{
    for (;;) {
        struct ref_task *taken[TASKS], *t = first_in(r, MASTER, NONE, 0);
        uint32_t node[TASKS], n = 0;
        for (; t != NULL && (r->p->take == 0 || n < r->p->take); t = first_in(r, MASTER, NONE, t->place)) {
            taken[n] = t;
            node[n++] = choose_node(r, t);
        }
        if (n == 0) return;
        for (uint32_t i = 0; i < n; i++) send(r, taken[i], node[i]);
    }
}

/* ---- one call (S2-11 to S2-14) ---- */

/* Can it run on the type, on the node (NONE: on any)? */
static bool can(const struct ref *r, const struct call *c, uint32_t node, uint32_t type)
{
    return exec_us(r, c, type) >= 0 && (node == NONE ? anyone_has(r, type) : has(r, node, type) > 0);
}

static bool can_any(const struct ref *r, const struct call *c, uint32_t node)
{
    for (uint32_t k = 0; k < r->n_types; k++) if (can(r, c, node, k)) return true;
    return false;
}

/* Does the type meet the condition?  Measured against the best in reach. */
static bool meets(const struct ref *r, const struct ref_task *t, uint32_t type)
{
    const struct call *c = call_of(r, t);
    uint32_t among = r->p->cross != REF_OFF || !can_any(r, c, t->node) ? NONE : t->node;
    sim_tick best = -1, us = exec_us(r, c, type);
    if (!can(r, c, among, type)) return false;
    for (uint32_t k = 0; k < r->n_types; k++)
        if (can(r, c, among, k) && (best < 0 || exec_us(r, c, k) < best)) best = exec_us(r, c, k);
    return us == best || (!r->p->call_best && (double)best > r->p->call_least * (double)us);
}

/* The fastest type at home that can run the call: `meeting` the condition, with one `idle`; NONE. */
static uint32_t fastest_home(const struct ref *r, const struct ref_task *t, bool meeting, bool idle)
{
    const struct call *c = call_of(r, t);
    uint32_t best = NONE;
    for (uint32_t k = 0; k < r->n_types; k++) {
        if (!can(r, c, t->node, k) || (meeting && !meets(r, t, k)) || (idle && r->free[t->node][k] == 0)) continue;
        if (best == NONE || exec_us(r, c, k) < exec_us(r, c, best)) best = k;
    }
    return best;
}

/* May the call go to an engine of the type on another node that meets the condition? */
static bool may_travel(const struct ref *r, const struct ref_task *t, uint32_t node, uint32_t type)
{
    const struct call *c = call_of(r, t);
    if (node == t->node || !can(r, c, node, type)) return false;
    sim_tick way = way_us(r, c, t->node, node);
    bool near = r->p->cross == REF_LEAST || (r->p->cross == REF_LIMIT && way < r->p->overhead);
    bool home_meets = fastest_home(r, t, true, false) != NONE;
    uint32_t home = fastest_home(r, t, false, false);
    bool worth = !r->p->worth || home_meets || home == NONE || exec_us(r, c, type) + way < exec_us(r, c, home);
    return meets(r, t, type) && near && worth;
}

static bool may_travel_anywhere(const struct ref *r, const struct ref_task *t)
{
    for (uint32_t i = 0; i < r->n_nodes; i++)
        for (uint32_t k = 0; k < r->n_types; k++) if (may_travel(r, t, i, k)) return true;
    return false;
}

/* Where it may go: as above, and if that is nowhere, anywhere at all when home cannot run it. */
static bool may_go(const struct ref *r, const struct ref_task *t, uint32_t node, uint32_t type)
{
    if (may_travel_anywhere(r, t)) return may_travel(r, t, node, type);
    return !can_any(r, call_of(r, t), t->node) && node != t->node && can(r, call_of(r, t), node, type);
}

static void begin_call(struct ref *r, struct ref_task *t, uint32_t node, uint32_t type)
{
    const struct call *c = call_of(r, t);
    t->may_call = false;
    t->is_calling = true;
    t->seeks = 0;
    t->at = node;
    t->engine = type;
    t->exec = exec_us(r, c, type);
    t->way = way_us(r, c, t->node, node);
    t->ends = r->now + t->exec + t->way;
    r->free[node][type]--;
}

static void try_home(struct ref *r, struct ref_task *t)
{
    uint32_t type = fastest_home(r, t, true, true);
    if (type != NONE) { begin_call(r, t, t->node, type); return; }
    if (t->seeks > 0) return;
    bool home_meets = fastest_home(r, t, true, false) != NONE, can_home = can_any(r, call_of(r, t), t->node);
    if (may_travel_anywhere(r, t) || !can_home) { t->seeks = ++r->clock; return; }
    if (home_meets) return;
    type = fastest_home(r, t, false, true);
    if (type != NONE) begin_call(r, t, t->node, type);
}

/* Nodes are as far as each other when latency and speed are the same: the first such node. */
static uint32_t tier_of(const struct ref *r, uint32_t node)
{
    const struct node_own *a = &r->y->cluster.own[node];
    for (uint32_t i = 0;; i++) {
        const struct node_own *b = &r->y->cluster.own[i];
        if (a->latency_us == b->latency_us && a->link_bps == b->link_bps) return i;
    }
}

/* The first node of a tier, but for one, with an idle engine of the type; NONE. */
static uint32_t idle_in(const struct ref *r, uint32_t type, uint32_t tier, uint32_t but)
{
    for (uint32_t i = 0; i < r->n_nodes; i++)
        if (i != but && tier_of(r, i) == tier && r->free[i][type] > 0) return i;
    return NONE;
}

static void try_away(struct ref *r, struct ref_task *t)
{
    const struct call *c = call_of(r, t);
    uint32_t node = NONE, type = 0;
    for (uint32_t k = 0; k < r->n_types; k++)
        for (uint32_t tier = 0; tier < r->n_nodes; tier++) {
            uint32_t to = tier_of(r, tier) == tier ? idle_in(r, k, tier, t->node) : NONE;
            if (to == NONE || !may_go(r, t, to, k)) continue;
            sim_tick us = exec_us(r, c, k), way = way_us(r, c, t->node, to);
            sim_tick was_us = exec_us(r, c, type), was_way = node != NONE ? way_us(r, c, t->node, node) : 0;
            bool faster = us < was_us || (us == was_us && way < was_way);
            bool nearer = way < was_way || (way == was_way && us < was_us);
            if (node != NONE && !(r->p->cross == REF_LEAST ? nearer : faster)) continue;
            node = to;
            type = k;
        }
    if (node == NONE) return;
    uint32_t spare = fastest_home(r, t, false, true);
    if (r->p->worth && spare != NONE && exec_us(r, c, spare) <= exec_us(r, c, type) + way_us(r, c, t->node, node)) {
        node = t->node;
        type = spare;
    }
    begin_call(r, t, node, type);
}

/* Engine types in order, nodes equally far as they come; of each, who waits for one in the order in which they began. */
static void serve_waiting(struct ref *r)
{
    for (uint32_t k = 0; k < r->n_types; k++)
        for (uint32_t tier = 0; tier < r->n_nodes; tier++) {
            if (tier_of(r, tier) != tier) continue;
            for (uint64_t after = 0;;) {
                struct ref_task *t = NULL;
                for (uint32_t i = 0; i < r->n; i++) {
                    struct ref_task *o = &r->task[i];
                    bool waits = false;
                    for (uint32_t node = 0; node < r->n_nodes && o->seeks > after; node++)
                        waits = waits || (tier_of(r, node) == tier && may_go(r, o, node, k));
                    if (waits && (t == NULL || o->seeks < t->seeks)) t = o;
                }
                if (t == NULL || idle_in(r, k, tier, NONE) == NONE) break;
                after = t->seeks;
                try_away(r, t);
            }
        }
}

/* ---- a node ---- */

static uint32_t width(const struct ref *r, uint32_t node)
{
    return r->p->width > 0 ? r->p->width : n_engines(r, node) > 0 ? n_engines(r, node) : 1;
}

static void run_node(struct ref *r, uint32_t node)
{
    for (struct ref_task *t = first_in(r, RUNS, node, 0); t != NULL; t = first_in(r, RUNS, node, t->place))
        if (t->may_call) try_home(r, t);
    while (count(r, node, RUNS) < width(r, node)) {
        struct ref_task *t = first_in(r, QUEUE, node, 0);
        if (t == NULL) return;
        put(r, t, RUNS, node);
        say(r, "start j%u %u n%u 0", t->job, t->index, node);
    }
}

/* S2-15: of the longest queue that has one, its last task that may be sent here. */
static struct ref_task *find_to_move(struct ref *r, uint32_t node)
{
    struct ref_task *found = NULL;
    for (uint32_t i = 0; i < r->n; i++) {
        struct ref_task *t = &r->task[i];
        if (t->where != QUEUE || t->node == node || (!r->p->is_balance && !has_target(r, t, node))) continue;
        if (found == NULL) { found = t; continue; }
        uint32_t mine = count(r, t->node, QUEUE), theirs = count(r, found->node, QUEUE);
        bool is_later = t->node == found->node && t->place > found->place;
        if (mine > theirs || (mine == theirs && (t->node < found->node || is_later))) found = t;
    }
    return found;
}

static void rebalance(struct ref *r)
{
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        struct ref_task *t;
        while (count(r, i, QUEUE) == 0 && count(r, i, RUNS) < width(r, i) && (t = find_to_move(r, i)) != NULL) {
            send(r, t, i);
            run_node(r, i);
        }
    }
}

/* ---- time ---- */

static void end_call(struct ref *r, struct ref_task *t)
{
    const struct yard_job *j = &r->y->job[t->job];
    bool is_over = true;
    r->free[t->at][t->engine]++;
    t->is_calling = false;
    say(r, "call j%u %u %u n%u %s %" PRId64 "+%" PRId64 " done", t->job, t->index, t->call, t->at,
        intern_name(&r->y->cluster.engines, t->engine), t->exec, t->way);
    if (++t->call < j->n) { t->may_call = true; return; }
    say(r, "stop j%u %u n%u done", t->job, t->index, t->node);
    t->where = OVER;
    for (uint32_t i = 0; i < r->n; i++) is_over = is_over && (r->task[i].job != t->job || r->task[i].where == OVER);
    if (is_over) say(r, "end j%u done", t->job);
}

static void arrive(struct ref *r)
{
    const struct yard_job *j = &r->y->job[r->next_job];
    say(r, "arrive j%u", r->next_job);
    for (uint32_t k = 0; k < j->n_tasks; k++) {
        SIM_ASSERT(r->n < TASKS);
        r->task[r->n] = (struct ref_task){ .job = r->next_job, .index = k, .for_engine = NONE };
        put(r, &r->task[r->n++], MASTER, NONE);
    }
    r->next_job++;
}

/* Rounds of decisions, until nothing that was started is left to make its first call. */
static void decide(struct ref *r)
{
    for (bool again = true; again;) {
        run_master(r);
        for (uint32_t i = 0; i < r->n_nodes; i++) run_node(r, i);
        if (r->p->rebalance) rebalance(r);
        serve_waiting(r);
        again = false;
        for (uint32_t i = 0; i < r->n; i++) {
            struct ref_task *t = &r->task[i];
            if (t->where != RUNS || t->is_calling || t->may_call) continue;
            t->may_call = again = true;
        }
    }
}

static sim_tick next_instant(const struct ref *r)
{
    sim_tick at = r->next_job < r->y->n_jobs ? r->y->job[r->next_job].submit : TICK_NEVER;
    for (uint32_t i = 0; i < r->n; i++) if (r->task[i].is_calling && r->task[i].ends < at) at = r->task[i].ends;
    return at;
}

bool ref_affinity_run(const struct yard *y, const struct ref_affinity *p, char *log, size_t cap)
{
    static struct ref r;
    r = (struct ref){ .y = y, .p = p, .n_nodes = y->cluster.n_nodes, .n_types = y->cluster.engines.n,
                      .log = fmemopen(log, cap, "w") };
    SIM_ASSERT(r.log != NULL && r.n_nodes <= NODES);
    for (uint32_t i = 0; i < r.n_nodes; i++)
        for (uint32_t k = 0; k < r.n_types; k++) r.free[i][k] = has(&r, i, k);
    while ((r.now = next_instant(&r)) != TICK_NEVER) {
        for (uint32_t i = 0; i < r.n; i++)
            if (r.task[i].is_calling && r.task[i].ends == r.now) end_call(&r, &r.task[i]);
        while (r.next_job < y->n_jobs && y->job[r.next_job].submit == r.now) arrive(&r);
        decide(&r);
    }
    bool all = true;
    for (uint32_t i = 0; i < r.n; i++) all = all && r.task[i].where == OVER;
    (void)fclose(r.log);
    return all;
}
