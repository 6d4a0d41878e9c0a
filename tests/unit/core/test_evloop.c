/* The instant loop: phases, rounds, the settling limit, what enters the digest. */
#include <criterion/criterion.h>
#include <string.h>
#include "core/evloop.h"

struct trail {
    struct evloop *e;
    char text[256];             /* F T S R(epair) A(rrival): events; d: decide; a: after */
    int  extra_rounds;          /* decide asks for that many more */
    int  arm_now;               /* decide arms that many events due now, one a round */
    bool fold;
    enum st fail;
};

static void note(struct trail *t, char c)
{
    size_t n = strlen(t->text);
    if (n + 1 < sizeof t->text) t->text[n] = c;
}

static void apply(void *ctx, const struct ev *e)
{
    struct trail *t = ctx;
    note(t, "FXRATS"[e->cls]);
    if (t->fold) evloop_fold(t->e, e->subject);
}

static enum st decide(void *ctx, bool *again, struct diag *d)
{
    struct trail *t = ctx;
    note(t, 'd');
    if (t->fail != ST_OK) return diag_set(d, t->fail, "no");
    if (t->arm_now > 0) {
        t->arm_now--;
        evq_set(&t->e->q, (struct ev){ .at = t->e->now, .slot = 50, .cls = EV_TIMER });
    }
    *again = t->extra_rounds != 0;
    if (t->extra_rounds > 0) t->extra_rounds--;
    return ST_OK;
}

static void sample(void *ctx, const struct ev *e) { (void)e; note(ctx, 'S'); }
static enum st after(void *ctx, struct diag *d) { (void)d; note(ctx, 'a'); return ST_OK; }

static const struct evloop_ops ops = { .apply = apply, .decide = decide, .sample = sample, .after = after };

static void arm(struct evloop *e, sim_tick at, enum ev_class cls, uint32_t slot)
{
    evq_set(&e->q, (struct ev){ .at = at, .cls = (uint8_t)cls, .subject = slot, .slot = slot });
}

Test(engine, one_instant_applies_everything_then_decides_once_then_samples)
{
    struct evloop e;
    struct trail t = { .e = &e };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 5, EV_SAMPLE, 0);
    arm(&e, 5, EV_TIMER, 1);
    arm(&e, 5, EV_ARRIVAL, 2);
    arm(&e, 5, EV_REPAIR, 3);
    arm(&e, 5, EV_FAULT, 4);
    arm(&e, 5, EV_FINISH, 5);
    arm(&e, 6, EV_FINISH, 6);
    cr_assert_eq(evloop_step(&e, &d), ST_OK);
    cr_assert_str_eq(t.text, "FXRATdaS");
    cr_assert_eq(e.now, 5);
    cr_assert_eq(e.n_events, 5);
    cr_assert_eq(e.n_instants, 1);
    cr_assert_eq(evloop_step(&e, &d), ST_OK);
    cr_assert_str_eq(t.text, "FXRATdaSFda");
    cr_assert_eq(evloop_step(&e, &d), ST_END);
    evloop_fini(&e);
}

Test(engine, what_becomes_due_now_gets_another_round_before_the_sample)
{
    struct evloop e;
    struct trail t = { .e = &e, .arm_now = 2 };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 0);
    arm(&e, 1, EV_SAMPLE, 1);
    cr_assert_eq(evloop_step(&e, &d), ST_OK);
    cr_assert_str_eq(t.text, "AdTdTdaS");
    cr_assert_eq(e.n_rounds, 3);
    cr_assert_eq(e.n_instants, 1);
    evloop_fini(&e);
}

Test(engine, a_decider_that_wants_more_is_asked_again_at_the_same_instant)
{
    struct evloop e;
    struct trail t = { .e = &e, .extra_rounds = 2 };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 0);
    cr_assert_eq(evloop_step(&e, &d), ST_OK);
    cr_assert_str_eq(t.text, "Addda");
    evloop_fini(&e);
}

Test(engine, a_decider_that_never_settles_is_stopped)
{
    struct evloop e;
    struct trail t = { .e = &e, .extra_rounds = -1 };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 77, EV_ARRIVAL, 0);
    cr_assert_eq(evloop_step(&e, &d), ST_EPOLICY);
    cr_assert_not_null(strstr(d.msg, "does not settle"), "%s", d.msg);
    cr_assert_not_null(strstr(d.msg, "t=77"), "%s", d.msg);
    evloop_fini(&e);
}

Test(engine, events_due_now_for_ever_are_stopped_too)
{
    struct evloop e;
    struct trail t = { .e = &e, .arm_now = 1 << 30 };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 0);
    cr_assert_eq(evloop_step(&e, &d), ST_EPOLICY);
    evloop_fini(&e);
}

Test(engine, the_last_allowed_round_is_still_allowed)
{
    struct evloop e;
    struct trail t = { .e = &e, .extra_rounds = EVLOOP_ROUNDS - 1 };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 0);
    cr_assert_eq(evloop_step(&e, &d), ST_OK);
    cr_assert_eq(e.n_rounds, EVLOOP_ROUNDS);
    evloop_fini(&e);
}

Test(engine, a_deciders_error_ends_the_step)
{
    struct evloop e;
    struct trail t = { .e = &e, .fail = ST_EPOLICY };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 0);
    cr_assert_eq(evloop_step(&e, &d), ST_EPOLICY);
    cr_assert_str_eq(d.msg, "no");
    evloop_fini(&e);
}

static uint64_t digest_with(bool samples, uint64_t last)
{
    struct evloop e;
    struct trail t = { .e = &e, .fold = true };
    struct diag d = { 0 };
    evloop_init(&e, &ops, &t);
    arm(&e, 1, EV_ARRIVAL, 1);
    arm(&e, 2, EV_ARRIVAL, 2);
    arm(&e, 3, EV_ARRIVAL, (uint32_t)last);
    if (samples) { arm(&e, 1, EV_SAMPLE, 10); arm(&e, 2, EV_SAMPLE, 11); arm(&e, 9, EV_SAMPLE, 12); }
    while (evloop_step(&e, &d) == ST_OK) continue;
    cr_assert_eq(e.n_events, 3);
    cr_assert_eq(e.n_instants, 3, "an instant of samples alone is not counted");
    uint64_t x = e.digest;
    evloop_fini(&e);
    return x;
}

Test(engine, the_digest_sees_events_and_never_samples)
{
    cr_assert_eq(digest_with(false, 3), digest_with(true, 3));
    cr_assert_neq(digest_with(false, 3), digest_with(false, 4));
}

Test(engine, the_digest_depends_on_order)
{
    struct evloop a, b;
    evloop_init(&a, &ops, NULL);
    evloop_init(&b, &ops, NULL);
    evloop_fold(&a, 1); evloop_fold(&a, 2);
    evloop_fold(&b, 2); evloop_fold(&b, 1);
    cr_assert_neq(a.digest, b.digest);
    evloop_fini(&a);
    evloop_fini(&b);
}
