/*
 * recorded.c -- what happened: each job starts when and where the trace says.  README.md, recorded.
 *
 * Units whose time has not come are in a queue of their own, in the order of their recorded starts; the policy
 * wakes for the first.  Those that are due are placed at once, on their nodes, else on others; what then finds no
 * place joins the units of no record and waits in order, and is tried after whatever is due.
 *
 * Cost: O(units due) placements and one list_run (lib/sched/list.h) a decision.
 */
#include "lib/sched/list.h"
#include "lib/util.h"
#include "builtin.h"

/* What was told of the job that has this slot. */
struct told { uint64_t job; uint32_t kinds; };      /* job: 1 + its ordinal */

struct recorded {
    struct sched sched;
    const struct pol_recorded *recorded;
    struct queue later;                 /* units with a recorded start after `released` */
    int64_t released, woken;            /* woken: the instant of the last wake that was asked for */
    uint32_t *due; size_t cap_due;
    struct told *told; size_t cap_told;
};

static const struct pol_param params[] = { PLACEMENT_PARAM };

static struct pol_record record_of(const struct recorded *r, const struct unit *u)
{
    return r->recorded->of(r->sched.host->ctx, u->job);
}

static int64_t wait_key(void *self, const struct unit *u)
{
    const struct recorded *r = self;
    int64_t start = record_of(r, u).start_us;
    return start >= 0 ? start : r->sched.view->now_us;
}

/* All that wait in `later` have keys above `released`, and none that waits elsewhere has. */
static struct queue *queue_of(void *self, const struct unit *u)
{
    struct recorded *r = self;
    return u->key > r->released ? &r->later : &r->sched.wait;
}

static void tell(struct recorded *r, const struct unit *u, enum pol_contradiction what)
{
    POL_RESERVE(r->told, r->cap_told, (size_t)u->job.slot + 1);
    struct told *t = &r->told[u->job.slot];
    if (t->job != u->ordinal + 1) *t = (struct told){ .job = u->ordinal + 1 };
    if ((t->kinds >> what & 1) != 0) return;
    t->kinds |= 1u << what;
    r->recorded->contradicts(r->sched.host->ctx, u->job, what);
}

/* Units whose time has come go from `later` to the queue of those that wait; those with a record are listed. */
static size_t release(struct recorded *r)
{
    struct sched *d = &r->sched;
    size_t n = 0;
    uint32_t id;
    while ((id = queue_first(&r->later)) != POL_NONE && sched_unit(d, id)->key <= d->view->now_us) {
        queue_del(&r->later, &d->units, id);
        queue_add(&d->wait, &d->units, id);
        if (record_of(r, sched_unit(d, id)).start_us < 0) tell(r, sched_unit(d, id), POL_UNRECORDED);
        else POL_PUSH(r->due, n, r->cap_due, id);
    }
    r->released = d->view->now_us;
    return n;
}

/* First whoever's own nodes have room, so that none of these is taken by one that starts on others. */
static void start_due(struct recorded *r, size_t n)
{
    struct sched *d = &r->sched;
    for (size_t i = 0; i < n; i++) {
        const struct pol_record was = record_of(r, sched_unit(d, r->due[i]));
        if (sched_place_on(d, r->due[i], was.node, was.n_nodes))
            sched_start(d, r->due[i], "its recorded start, on its recorded nodes");
    }
    for (size_t i = 0; i < n; i++) {
        const struct unit *u = sched_unit(d, r->due[i]);
        if (u->state != UNIT_WAITING || !sched_try(d, r->due[i], "its recorded start")) continue;
        if (record_of(r, u).n_nodes > 0) tell(r, u, POL_ELSEWHERE);
    }
}

static void decide(void *self)
{
    struct recorded *r = self;
    struct sched *d = &r->sched;
    const size_t n = release(r);
    start_due(r, n);
    list_run(d, LIST_SKIP);
    for (size_t i = 0; i < n; i++)
        if (sched_unit(d, r->due[i])->state == UNIT_WAITING) tell(r, sched_unit(d, r->due[i]), POL_LATE);
    const uint32_t next = queue_first(&r->later);
    if (next == POL_NONE) return;
    const int64_t at = sched_unit(d, next)->key;
    if (r->woken > d->view->now_us && r->woken <= at) return;
    d->host->wake(d->host->ctx, at);
    r->woken = at;
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct recorded *r = self;
    (void)value, (void)error, (void)cap;
    r->recorded = pol_extension(r->sched.host, POL_RECORDED);
    r->released = r->woken = -1;
    return true;
}

static void fini(void *self)
{
    struct recorded *r = self;
    queue_fini(&r->later);
    POL_FREE(r->due, r->told);
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .queue = queue_of, .knows_licences = true,
    .size = sizeof(struct recorded), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_recorded, ops, params,
            .name = "recorded", .source = "what happened: the starts and nodes that the trace tells of",
            .summary = "each job starts when and where the trace says; what contradicts the cluster is counted");
