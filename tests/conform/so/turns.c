/*
 * turns.c -- a policy of turns: in each round those run that ran least so far, ties to the earlier.  It is rounds.h and
 * little else, every rule of that a parameter.
 */
#include "lib/sched/rounds.h"
#include "lib/util.h"

struct turns { struct sched sched; struct rounds rounds; };

static bool runs_before(const struct turns *t, uint32_t a, uint32_t b)
{
    const struct unit *x = &t->sched.units.at[a], *y = &t->sched.units.at[b];
    int64_t now = t->sched.view->now_us;
    int64_t p = x->attained + (x->state == UNIT_RUNNING ? now - x->started : 0);
    int64_t q = y->attained + (y->state == UNIT_RUNNING ? now - y->started : 0);
    return p != q ? p < q : unit_before(x, y);
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct turns *t = self;
    struct rounds *r = &t->rounds;
    sched_open(&t->sched, view, ev, n_ev);
    if (rounds_begin(r)) {
        for (uint32_t i = 1; i < r->n_candidates; i++)
            for (uint32_t k = i; k > 0 && runs_before(t, r->candidate[k], r->candidate[k - 1]); k--) {
                uint32_t id = r->candidate[k];
                r->candidate[k] = r->candidate[k - 1];
                r->candidate[k - 1] = id;
            }
        /* rounds_end stops whoever was given nothing, so the order of candidates is the policy's to change. */
        for (uint32_t i = 0; i < r->n_candidates; i++) {
            uint32_t id = r->candidate[i];
            if (!rounds_keep(r, id) && sched_place(&t->sched, id)) rounds_lease(r, id);
        }
    }
    rounds_end(r, "its turn");
}

enum { P_ROUND, P_CLOCK, P_EACH, P_FILL, P_RESTART };
static const struct pol_param params[] = {
    { .name = "round", .type = POL_DURATION, .dflt = "500us", .help = "length of a lease" },
    { .name = "clock", .type = POL_BOOL, .dflt = "false", .help = "rounds begin at multiples of that" },
    { .name = "each", .type = POL_BOOL, .dflt = "false", .help = "each lease for itself" },
    { .name = "fill", .type = POL_BOOL, .dflt = "false", .help = "lease what early ends leave" },
    { .name = "restart", .type = POL_BOOL, .dflt = "false", .help = "extend no lease" },
};
static const struct sched_ops ops = { .run_key = rounds_run_key };

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags, (void)error, (void)cap;
    struct turns *t = pol_alloc(1, sizeof *t);
    sched_init(&t->sched, host, PLACEMENT_FIRST, &ops, t);
    rounds_init(&t->rounds, &t->sched, &(struct rounds_rule){ .length = value[P_ROUND].i, .on_clock = value[P_CLOCK].i != 0,
        .is_each = value[P_EACH].i != 0, .fills = value[P_FILL].i != 0, .restarts = value[P_RESTART].i != 0 });
    return t;
}

static void destroy(void *self)
{
    struct turns *t = self;
    rounds_fini(&t->rounds);
    sched_fini(&t->sched);
    free(t);
}

const struct pol_ops fairway_policy = {
    POL_HEADER, .name = "turns", .source = "none: it is a test", .summary = "who ran least so far runs in this round",
    .flags = POL_PREEMPTS, .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
