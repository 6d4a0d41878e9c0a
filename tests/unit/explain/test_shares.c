/*
 * What users held beside what was theirs: three users worked out by hand, and random records against the definitions of
 * shares.h applied second by second to every task, which shares nothing with the accounts but the file.
 *
 * By hand, one node of 8 GPUs.  a of ann, 6 GPUs, runs from 0 to 100 s; b of bo, 4 GPUs, comes at 20 s and runs from
 * 100 to 150 s; c of cy, 2 GPUs, comes at 50 s and runs from 100 to 120 s.  In GPU seconds:
 *   20 to 50 s   shares are 4.  bo loses 4 x 30 = 120: ann is 2 above, 2 are idle, so 60 to each
 *   50 to 100 s  shares are 8/3.  bo loses 8/3 x 50 = 133.3, cy 2 x 50 = 100: ann is 10/3 above and 2 are idle,
 *                so 5/8 and 3/8
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/rng.h"
#include "explain/shares/shares.h"

enum { SEC = 1000000, USERS = 4, JOBS = 9, TASKS = 3, TRIES = 3, SPAN = 240 };
static char path[64];
static struct store *store;
static int64_t run;
static struct diag d;
static const char *const user[USERS] = { "ann", "bo", "cy", "di" };

static void set_up(void)
{
    const struct store_run r = { .key = "k",
                                 .scenario = "s",
                                 .title = "t",
                                 .scenario_text = "x",
                                 .trace_path = "p",
                                 .trace_hash = "h",
                                 .policy = "fifo",
                                 .policy_spec = "fifo",
                                 .policy_source = "none",
                                 .seed = 1 };
    (void)snprintf(path, sizeof path, "/tmp/fairway-test-shares-%ld.db", (long)getpid());
    (void)unlink(path);
    memset(&d, 0, sizeof d);
    cr_assert_eq(store_open(&store, path, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_run_begin(store, &r, &run, &d), ST_OK, "%s", d.msg);
}

static void tear_down(void)
{
    store_close(store);
    (void)unlink(path);
}

TestSuite(shares, .init = set_up, .fini = tear_down);

static void add_node(int64_t node, int gpus)
{
    char name[16];
    (void)snprintf(name, sizeof name, "n-%d", (int)node);
    cr_assert_eq(store_node(store, run,
                            &(struct store_node){ .node = node,
                                                  .name = name,
                                                  .rack = "r",
                                                  .gpu_type = "V100",
                                                  .n_gpu = gpus,
                                                  .cpu_milli = 8000,
                                                  .mem_b = 100 },
                            &d),
                 ST_OK, "%s", d.msg);
    cr_assert_eq(store_capability(store, run, &(struct store_capability){ .node = node }, &d), ST_OK, "%s", d.msg);
}

static void add_job(uint64_t ordinal, const char *id, const char *of, int tasks, int gpus, int64_t submit, int64_t end)
{
    cr_assert_eq(store_job(store, run,
                           &(struct store_job){ .ordinal = ordinal,
                                                .id = id,
                                                .user = of,
                                                .queue = "q",
                                                .class = "c",
                                                .status = "done",
                                                .counted = 1,
                                                .submit_us = submit * SEC,
                                                .start_us = submit * SEC,
                                                .end_us = end < 0 ? -1 : end * SEC,
                                                .limit_us = -1,
                                                .n_tasks = tasks,
                                                .n_gpu = tasks * gpus,
                                                .gpu_milli = (int64_t)tasks * gpus * 1000 },
                           &d),
                 ST_OK, "%s", d.msg);
    cr_assert_eq(
        store_request(store, run, &(struct store_request){ .ordinal = ordinal, .n_gpu = gpus, .gpu_milli = 1000 }, &d),
        ST_OK, "%s", d.msg);
}

static void add_attempt(uint64_t ordinal, int task, int attempt, int64_t from, int64_t to, const char *outcome)
{
    cr_assert_eq(store_attempt(store, run,
                               &(struct store_attempt){ .ordinal = ordinal,
                                                        .task = task,
                                                        .attempt = attempt,
                                                        .cards = 1,
                                                        .start_us = from * SEC,
                                                        .end_us = to * SEC,
                                                        .outcome = outcome },
                               &d),
                 ST_OK, "%s", d.msg);
}

static void end_run(void) { cr_assert_eq(store_run_end(store, run, STORE_DONE, 1, NULL, 0, &d), ST_OK, "%s", d.msg); }

static void load(struct shares *x, const struct shares_opts *o)
{
    cr_assert_eq(shares_load(x, store, &(struct selection){ .run = run }, o, &d), ST_OK, "%s", d.msg);
}

static double s(sim_wide x) { return (double)x / (1000.0 * SEC); }      /* GPU seconds */
#define EQ(x, y) cr_assert_float_eq((double)(x), (double)(y), 1e-6, "%.9g, not %.9g", (double)(x), (double)(y))

static void by_hand(void)
{
    add_node(0, 8);
    add_job(0, "a", "ann", 1, 6, 0, 100);
    add_attempt(0, 0, 1, 0, 100, "done");
    add_job(1, "b", "bo", 1, 4, 20, 150);
    add_attempt(1, 0, 1, 100, 150, "done");
    add_job(2, "c", "cy", 1, 2, 50, 120);
    add_attempt(2, 0, 1, 100, 120, "done");
    end_run();
}

/* For 1 us: of 2 GPUs three are entitled to 2/3 each, and hold 667, 667 and 666 thousandths; 2/3 is rounded up. */
static void add_part(uint64_t ordinal, const char *id, const char *of, int64_t milli, bool runs)
{
    const struct store_job job = { .ordinal = ordinal, .id = id, .user = of, .queue = "q", .class = "c", .counted = 1,
                                   .status = "done", .end_us = 1, .limit_us = -1, .n_tasks = 1, .n_gpu = 1,
                                   .gpu_milli = milli };
    const struct store_request ask = { .ordinal = ordinal, .n_gpu = 1, .gpu_milli = milli };
    const struct store_attempt attempt = { .ordinal = ordinal, .attempt = 1, .cards = 1, .end_us = 1,
                                           .outcome = "done" };
    cr_assert_eq(store_job(store, run, &job, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(store_request(store, run, &ask, &d), ST_OK, "%s", d.msg);
    if (runs) cr_assert_eq(store_attempt(store, run, &attempt, &d), ST_OK, "%s", d.msg);
}

Test(shares, a_loss_by_rounding_alone_is_nobodys)
{
    struct shares x;
    add_node(0, 2);
    for (uint64_t u = 0; u < 3; u++) add_part(u, user[u], user[u], u < 2 ? 667 : 666, true);
    for (uint64_t u = 0; u < 3; u++) add_part(3 + u, "waits", user[u], 1000, false);
    end_run();
    load(&x, &(struct shares_opts){ .by = "user", .window = SEC });
    cr_assert(x.party[2].sum.lost == 1);
    cr_assert(x.party[2].lost_to[0] == 0 && x.party[2].lost_to[3] == 1);
    shares_fini(&x);
}

Test(shares, three_users_by_hand)
{
    struct shares x;
    by_hand();
    load(&x, &(struct shares_opts){ .by = "user", .window = 60 * (sim_tick)SEC });
    const struct shares_party *ann = &x.party[0], *bo = &x.party[1], *cy = &x.party[2];
    cr_assert_eq(x.n, 3);
    EQ(s(ann->sum.held), 600); EQ(s(ann->sum.lost), 0); EQ(s(ann->sum.above), 2 * 30 + 10.0 / 3 * 50);
    EQ(s(bo->sum.held), 200); EQ(s(bo->sum.entitled), 120 + 400.0 / 3 + 200); EQ(s(bo->sum.lost), 120 + 400.0 / 3);
    EQ(s(bo->lost_to[0]), 60 + 400.0 / 3 * 5 / 8); EQ(s(bo->lost_to[2]), 0); EQ(s(bo->lost_to[3]), 60 + 50);
    EQ(s(cy->sum.lost), 100); EQ(s(cy->lost_to[0]), 62.5); EQ(s(cy->lost_to[3]), 37.5);
    cr_assert_eq(bo->n_windows, 3); cr_assert_eq(bo->n_below, 2);
    cr_assert_eq(cy->n_windows, 2); cr_assert_eq(cy->n_below, 2);
    cr_assert_eq(x.n_rows, 7);
    EQ(s(x.row[0].sum.entitled), 120 + 120 + 80.0 / 3); EQ(s(x.row[0].capacity), 480);
    /* Below: bo and cy in both windows; envy of ann: 4 x 40 and 2 x 10, then 4 x 40 and 2 x 40. */
    static const struct { int party, envy; double short_of; int64_t at; } want[] = {
        { 1, 0, 120 + 80.0 / 3, 20 }, { 1, 1, 160, 20 }, { 2, 0, 20, 50 }, { 2, 1, 20, 50 },
        { 1, 0, 320.0 / 3, 60 }, { 1, 1, 160, 60 }, { 2, 0, 80, 60 }, { 2, 1, 80, 60 } };
    cr_assert_eq(x.n_cases, ARRAY_LEN(want));
    for (size_t i = 0; i < ARRAY_LEN(want); i++) {
        const struct shares_case *c = &x.at[i];
        cr_assert_eq(c->party, (uint32_t)want[i].party, "case %zu", i);
        cr_assert_eq(c->is_envy, want[i].envy != 0, "case %zu", i);
        EQ(3600 * (c->is_envy ? c->most : c->due - c->had), want[i].short_of);
        cr_assert_eq(c->at, want[i].at * SEC, "case %zu at %lld", i, (long long)c->at);
        cr_assert_eq(c->other_then, 0u);
        cr_assert_eq(c->others, 6000);
        cr_assert_eq(c->waiting.n, 1u);
        cr_assert_eq(c->waiting.ordinal[0], (uint64_t)want[i].party);
        cr_assert_eq(c->running.n, 1u);
        cr_assert_eq(c->running.ordinal[0], 0u);
    }
    shares_fini(&x);
}

Test(shares, weights_move_what_is_theirs)
{
    static const char *const weight[] = { "bo=2" };
    struct shares x;
    by_hand();
    load(&x, &(struct shares_opts){ .by = "user", .weight = weight, .n_weights = 1 });
    /* 20 to 50 s: 16/3 are bo's, of which it asks 4; then 8 x 2/4 = 4, and cy's 2. */
    EQ(s(x.party[1].sum.lost), 4 * 30 + 4 * 50);
    EQ(s(x.party[2].sum.lost), 2 * 50);
    EQ(s(x.party[0].sum.above), (6 - 8.0 / 3) * 30 + 4 * 50);
    shares_fini(&x);
}

Test(shares, one_user_has_its_stretches)
{
    struct shares x;
    by_hand();
    load(&x, &(struct shares_opts){ .by = "user", .of = "bo" });
    cr_assert_eq(x.n_cases, 1);
    cr_assert_eq(x.at[0].from, 20 * (int64_t)SEC);
    cr_assert_eq(x.at[0].to, 100 * (int64_t)SEC);
    EQ(3600 * (x.at[0].due - x.at[0].had), 120 + 400.0 / 3);
    cr_assert_eq(x.at[0].other, 0u);
    EQ(3600 * x.at[0].most, 60 + 400.0 / 3 * 5 / 8);
    EQ(s(x.party[1].lost_to[3]), 110);
    shares_fini(&x);
}

Test(shares, a_queue_is_a_party_too)
{
    struct shares x;
    by_hand();
    load(&x, &(struct shares_opts){ .by = "queue" });
    cr_assert_eq(x.n, 1);
    /* Alone it is entitled to all that it asks: what it lost was idle.  20 to 50 s: 10 asked; 50 to 100 s: 12. */
    EQ(s(x.party[0].sum.lost), 2 * 80);
    EQ(s(x.party[0].lost_to[1]), 160);
    shares_fini(&x);
}

Test(shares, what_cannot_be_told_is_an_error)
{
    static const char *const bad[] = { "bo", "bo=0", "bo=-1", "bo=x", "nobody=1" };
    const struct selection of = { .run = run };
    struct shares x;
    by_hand();
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        d = (struct diag){ 0 };
        cr_assert_eq(
            shares_load(&x, store, &of, &(struct shares_opts){ .by = "user", .weight = &bad[i], .n_weights = 1 }, &d),
            ST_EINPUT, "%s", bad[i]);
    }
    d = (struct diag){ 0 };
    cr_assert_eq(shares_load(&x, store, &of, &(struct shares_opts){ .by = "user", .of = "nobody" }, &d), ST_EINPUT);
    d = (struct diag){ 0 };
    cr_assert_eq(shares_load(&x, store, &of, &(struct shares_opts){ .by = "user", .window = 1 }, &d), ST_EINPUT);
    cr_assert(strstr(d.msg, "windows") != NULL, "%s", d.msg);
    d = (struct diag){ 0 };
}

/* ---- random records ---- */

struct attempt { int64_t from, to; bool is_over; };
struct a_job {
    int user, tasks, gpus;
    int64_t submit, end;
    bool is_elastic;
    struct attempt at[TASKS][TRIES];
    int n_at[TASKS];
    int64_t ready[TASKS];
};
struct record { struct a_job job[JOBS]; int64_t down, up; };

static int64_t between(struct rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)rng_below(r, (uint64_t)(hi - lo + 1));
}

static void write_random(struct rng *r, struct record *w)
{
    uint64_t n_phases = 0;
    memset(w, 0, sizeof *w);
    for (int64_t i = 0; i < 2; i++) add_node(i, 4);
    w->down = between(r, 0, SPAN / 2);
    w->up = between(r, w->down + 1, SPAN);
    cr_assert_eq(store_outage(store, run,
                              &(struct store_outage){ .node = 1, .down_us = w->down * SEC, .up_us = w->up * SEC }, &d),
                 ST_OK);
    for (int k = 0; k < JOBS; k++) {
        struct a_job *j = &w->job[k];
        char id[8];
        int64_t end = 0;
        *j = (struct a_job){ .user = (int)between(r, 0, USERS - 1),
                             .tasks = (int)between(r, 1, TASKS),
                             .gpus = (int)between(r, 0, 2),
                             .submit = between(r, 0, SPAN / 2),
                             .is_elastic = rng_below(r, 4) == 0 };
        for (int t = 0; t < j->tasks; t++) {
            int64_t at = j->ready[t] =
                rng_below(r, 3) == 0 && !j->is_elastic ? between(r, j->submit, j->submit + 30) : j->submit;
            const int n = (int)between(r, 0, TRIES);
            for (int a = 0; a < n; a++) {
                const int64_t from = at + between(r, 0, 20), to = from + between(r, 0, 30);
                if (from == to && a + 1 < n) continue;          /* gone at once, and not over: it holds nothing */
                j->at[t][j->n_at[t]++] = (struct attempt){ from, to, a + 1 == n && rng_below(r, 2) == 0 };
                at = to;
            }
            end = i64_max(end, i64_max(at, j->ready[t]));
        }
        j->end = rng_below(r, 5) == 0 ? -1 : i64_max(end, j->submit) + between(r, 0, 20);
        (void)snprintf(id, sizeof id, "j%d", k);
        add_job((uint64_t)k, id, user[j->user], j->tasks, j->gpus, j->submit, j->end);
        if (j->is_elastic)
            cr_assert_eq(store_elastic(
                             store, run,
                             &(struct store_elastic){ .ordinal = (uint64_t)k, .min_tasks = 1, .max_tasks = TASKS }, &d),
                         ST_OK);
        for (int t = 0; t < j->tasks; t++) {
            for (int a = 0; a < j->n_at[t]; a++)
                add_attempt((uint64_t)k, t, a + 1, j->at[t][a].from, j->at[t][a].to,
                            j->at[t][a].is_over ? "done" : "preempted");
            if (j->ready[t] == j->submit && !j->is_elastic) continue;
            for (int p = 0; p < 2; p++)
                cr_assert_eq(store_phase(store, run,
                                         &(struct store_phase){ .ordinal = (uint64_t)k,
                                                                .task = t,
                                                                .seq = (int64_t)n_phases++,
                                                                .at_us = (p == 0 ? j->submit : j->ready[t]) * SEC,
                                                                .phase = p == 0 ? "blocked" : "ready" },
                                         &d),
                             ST_OK, "%s", d.msg);
        }
    }
    end_run();
}

struct sums { double held, entitled, lost, above, to[USERS + 1]; };

/* By the definitions, the second [t, t + 1). */
static void add_second(const struct record *w, int64_t t, const double *weight, struct sums *x)
{
    double held[USERS] = { 0 }, demand[USERS] = { 0 }, above[USERS + 1] = { 0 }, due[USERS], weights = 0, all = 0,
           used = 0;
    const double capacity = w->down <= t && t < w->up ? 4 : 8;
    for (int k = 0; k < JOBS; k++) {
        const struct a_job *j = &w->job[k];
        if (t < j->submit || (j->end >= 0 && t >= j->end)) continue;
        for (int i = 0; i < j->tasks; i++) {
            bool runs = false, is_over = false;
            for (int a = 0; a < j->n_at[i]; a++) {
                runs = runs || (j->at[i][a].from <= t && t < j->at[i][a].to);
                is_over = is_over || (j->at[i][a].is_over && j->at[i][a].to <= t);
            }
            if (runs) held[j->user] += j->gpus;
            if (runs || (!is_over && j->ready[i] <= t)) demand[j->user] += j->gpus;
        }
    }
    for (int u = 0; u < USERS; u++) {
        weights += demand[u] > 0 ? weight[u] : 0;
        used += held[u];
    }
    all = above[USERS] = fmax(0, capacity - used);
    for (int u = 0; u < USERS; u++) {
        due[u] = demand[u] > 0 ? fmin(demand[u], capacity * weight[u] / weights) : 0;
        all += above[u] = fmax(0, held[u] - due[u]);
    }
    for (int u = 0; u < USERS; u++) {
        const double lost = fmax(0, due[u] - held[u]);
        x[u].held += held[u];
        x[u].entitled += due[u];
        x[u].lost += lost;
        x[u].above += above[u];
        for (int o = 0; o <= USERS && lost > 0; o++) x[u].to[o] += lost * above[o] / all;
    }
}

static int user_of(const char *name)
{
    for (int u = 0; u < USERS; u++) if (strcmp(user[u], name) == 0) return u;
    return -1;
}

static void compare_all(const struct record *w)
{
    static const char *const given[] = { "cy=2.5" };
    bool has_cy = false;
    int64_t end = 0;
    for (int k = 0; k < JOBS; k++) {
        const struct a_job *j = &w->job[k];
        has_cy = has_cy || j->user == 2;
        end = i64_max(end, i64_max(j->submit, j->end));
        for (int t = 0; t < j->tasks; t++)
            for (int a = 0; a < j->n_at[t]; a++) end = i64_max(end, j->at[t][a].to);
    }
    const double weight[USERS] = { 1, 1, has_cy ? 2.5 : 1, 1 };
    struct sums want[USERS] = { 0 };
    struct shares x, one;
    for (int64_t t = 0; t < end; t++) add_second(w, t, weight, want);
    load(&x, &(struct shares_opts){ .by = "user", .window = 17 * (sim_tick)SEC, .weight = given, .n_weights = has_cy });
    for (size_t i = 0; i < x.n; i++) {
        const struct shares_party *p = &x.party[i];
        const struct sums *y = &want[user_of(p->name)];
        sim_wide parts = 0;
        EQ(s(p->sum.held), y->held);
        EQ(s(p->sum.entitled), y->entitled);
        EQ(s(p->sum.lost), y->lost);
        EQ(s(p->sum.above), y->above);
        for (size_t k = 0; k < x.n; k++) EQ(s(p->lost_to[k]), y->to[user_of(x.party[k].name)]);
        EQ(s(p->lost_to[x.n]), y->to[USERS]);
        for (size_t k = 0; k <= x.n; k++) parts += p->lost_to[k];
        cr_assert(parts == p->sum.lost, "the parts of %s do not sum to its loss", p->name);
        sim_wide lost = 0;
        for (size_t k = 0; k < x.n_rows; k++) if (x.row[k].party == i) lost += x.row[k].sum.lost;
        cr_assert(lost == p->sum.lost, "the windows of %s do not sum to its loss", p->name);
        load(&one, &(struct shares_opts){ .by = "user", .of = p->name, .weight = given, .n_weights = has_cy });
        EQ(s(one.party[i].sum.lost), y->lost);
        double short_of = 0;
        for (size_t k = 0; k < one.n_cases; k++) short_of += 3600 * (one.at[k].due - one.at[k].had);
        EQ(short_of, y->lost);
        shares_fini(&one);
    }
    shares_fini(&x);
}

Test(shares, random_records_second_by_second)
{
    for (uint64_t seed = 1; seed <= 25; seed++) {
        struct rng r;
        struct record w;
        rng_init(&r, seed, "shares", 0);
        if (seed > 1) { tear_down(); set_up(); }
        write_random(&r, &w);
        compare_all(&w);
    }
}
