/*
 * las.c -- least attained service first, in discrete levels.  README.md, las.
 *
 * A running unit's level changes only when its service reaches a threshold.  So a
 * heap holds the instant of each running unit's next crossing, and a decision
 * looks only at those that are due.  A unit that stops leaves its entry in the
 * heap; the entry is recognised as out of date by the start that it names.
 *
 * Cost: O(log running units) a crossing, and preempt_run's (lib/sched/preempt.h).
 * Source: Gu et al., Tiresias, NSDI 2019, section 3 (discretised 2D-LAS).
 */
#include "lib/heap.h"
#include "lib/sched/list.h"
#include "lib/sched/preempt.h"
#include "builtin.h"
#include "lib/util.h"

enum { QUEUES_MAX = 16, CARD = 1000 };

struct crossing { int64_t at; uint64_t ordinal, started_in; uint32_t unit; };

struct las {
    struct sched sched;
    struct preempt preempt;
    int64_t limit[QUEUES_MAX];  /* service at which level i + 1 begins, in thousandths of a card times us */
    uint32_t n_limits;
    struct crossing *heap; size_t cap_heap; uint32_t n_heap;
    int64_t asked;              /* last wake asked for */
};

enum { P_PLACE, P_MODE, P_THRESHOLD, P_FACTOR, P_QUEUES };
static const struct pol_param params[] = {
    PLACEMENT_PARAM, LIST_MODE_PARAM("skip"),
    { .name = "threshold", .type = POL_DURATION, .dflt = "1h", .help = "service at which the first level ends, in one card's time" },
    { .name = "factor", .type = POL_INT, .dflt = "10", .help = "each further threshold is this many times the last" },
    { .name = "queues", .type = POL_INT, .dflt = "2", .help = "levels, 1 to 16" },
};

/* ---- service ---- */

/* Thousandths of cards that a unit's running time counts for. */
static int64_t cards_of(const struct las *l, const struct unit *u)
{
    const struct request_class *k = &l->sched.classes.at[u->request_class];
    int64_t sum = 0;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &l->sched.plan.shape[k->shape[i]];
        sum += s->n_gpu > 0 ? (int64_t)s->n_gpu * s->gpu_milli : CARD;
    }
    return sum;
}

static int64_t level(const struct las *l, const struct unit *u, int64_t attained)
{
    pol_wide service = (pol_wide)attained * cards_of(l, u);
    uint32_t i = 0;
    while (i < l->n_limits && service >= l->limit[i]) i++;
    return i;
}

static int64_t wait_key(void *self, const struct unit *u) { return level(self, u, u->attained); }

/* ---- crossings ---- */

static bool sooner(const struct las *l, const struct crossing *a, const struct crossing *b) { (void)l; return a->at < b->at; }
HEAP(crossings, const struct las *, struct crossing, sooner);

static void pop(struct las *l) { crossings_take(l, l->heap, l->n_heap--, 0); }

/* Note when a running unit of level `key` reaches the next. */
static void foresee(struct las *l, const struct unit *u, int64_t key)
{
    if (key >= l->n_limits) return;
    int64_t cards = cards_of(l, u), need = l->limit[key] / cards + (l->limit[key] % cards != 0);
    POL_RESERVE(l->heap, l->cap_heap, (size_t)l->n_heap + 1);
    crossings_push(l, l->heap, l->n_heap++, (struct crossing){ pol_after(u->started, need - u->attained), u->ordinal, u->started_in, u->task.slot });
}

/* Units run at their present level; those just started come in on top of what they attained. */
static int64_t run_key(void *self, const struct unit *u)
{
    int64_t key = level(self, u, u->attained);
    foresee(self, u, key);
    return key;
}

static bool is_current(const struct las *l, const struct crossing *c)
{
    const struct unit *u = sched_unit(&l->sched, c->unit);
    return u->state == UNIT_RUNNING && u->ordinal == c->ordinal && u->started_in == c->started_in;
}

static void cross(struct las *l)
{
    struct sched *d = &l->sched;
    while (l->n_heap > 0 && l->heap[0].at <= d->view->now_us) {
        struct crossing c = l->heap[0];
        pop(l);
        if (!is_current(l, &c)) continue;
        struct unit *u = sched_unit(d, c.unit);
        unit_set_del(&d->running, &d->units, c.unit);
        u->key = level(l, u, u->attained + d->view->now_us - u->started);
        unit_set_add(&d->running, &d->units, c.unit);
        foresee(l, u, u->key);
        l->preempt.key_epoch++;
    }
}

static void ask(struct las *l)
{
    while (l->n_heap > 0 && !is_current(l, &l->heap[0])) pop(l);
    if (l->n_heap == 0 || l->heap[0].at == l->asked || l->heap[0].at >= POL_NEVER - 1) return;
    l->asked = l->heap[0].at;
    l->sched.host->wake(l->sched.host->ctx, l->asked);
}

/* ---- the policy ---- */

static int64_t victim_bound(void *self, const struct unit *u) { (void)self; return u->key; }

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct las *l = self;
    int64_t limit = value[P_THRESHOLD].i, factor = value[P_FACTOR].i, queues = value[P_QUEUES].i;
    if (limit < 1 || factor < 2 || queues < 1 || queues > QUEUES_MAX) {
        (void)snprintf(error, cap, "threshold must be above 0, factor at least 2, queues from 1 to %d", QUEUES_MAX);
        return false;
    }
    l->asked = -1;
    /* A threshold beyond what 64 bits count is never reached. */
    for (pol_wide x = (pol_wide)limit * CARD; l->n_limits + 1 < queues && x < POL_NEVER; x *= factor) l->limit[l->n_limits++] = (int64_t)x;
    return true;
}

static void decide(void *self)
{
    static const struct preempt_rule rule = { .victim_bound = victim_bound, .reason = "a unit with less service needs the room" };
    struct las *l = self;
    cross(l);
    preempt_run(&l->preempt, &l->sched, &rule, l->sched.mode == LIST_SKIP);
    ask(l);
}

static void fini(void *self)
{
    struct las *l = self;
    preempt_fini(&l->preempt);
    free(l->heap);
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .run_key = run_key, .size = sizeof(struct las), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_las, ops, params,
            .name = "las", .source = "Gu et al., Tiresias, NSDI 2019, section 3: discretised 2D-LAS",
            .summary = "units with the least service (cards x time) first, in levels; preempts higher levels",
            .flags = POL_PREEMPTS);
