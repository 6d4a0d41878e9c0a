/*
 * Unit tests of models learnt from traces: distributions keep their means, a file says what was learnt, jobs drawn
 * from a model of known figures are learnt as these, and more load is more users.  The seed is fixed; bounds are at
 * least four standard errors wide.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "input/fit/draw.h"
#include "input/fit/goodness.h"
#include "input/fit/learn.h"

enum { SEED = 7, DAYS = 700 };
static struct diag d;

static struct model_bins constant(double x) { return (struct model_bins){ .n = 1, .upto = { 1 }, .mean = { x } }; }

/*
 * Ten users, who come on 0.3 of the days after one without and stay on 0.6 after one with; one session a day of twelve
 * jobs or of two, alike often, 10 s apart; of the long ones three jobs in four ask for one card for 100 s and one for
 * four cards for 3000 s, and with chance 0.5 a job asks for what the one before did, in its session or the last one.
 */
static void make_known(struct model *m)
{
    *m = (struct model){ .days = DAYS, .jobs = 1 };
    struct model_class *c = MEM_NEXT(m->at, m->n, m->cap);
    for (int w = 0; w < MODEL_WEEK; w++) {
        m->active[w] = m->busy[w] = 1;
        for (int h = 0; h < MODEL_DAY; h++) m->hour[w][h] = h >= 8 && h < 20;
    }
    *c = (struct model_class){ .users = 10, .come = 0.3, .stay = 0.6, .sessions = constant(1), .n = 2 };
    c->jobs = (struct model_bins){ .n = 4, .upto = { 0.25, 0.5, 0.75, 1 }, .mean = { 2, 2, 12, 12 } };
    for (uint32_t i = 0; i < 2; i++) {
        struct model_batch *b = &c->batch[i];
        b->from = i == 0 ? 1 : 3;
        b->gap = constant(10);
        b->repeat = b->again = i == 0 ? 0 : 0.5;
        struct model_kind one = {
            .weight = 3, .tasks = 1, .gpu_milli = 1000, .cpu_milli = 4000, .duration = constant(100)
        };
        struct model_kind four = { .weight = 1,
                                   .tasks = 1,
                                   .gpu_milli = 4000,
                                   .cpu_milli = 16000,
                                   .duration = constant(3000),
                                   .limited = 1,
                                   .limit = { constant(7200) } };
        MEM_PUSH(b->kind, b->n, b->cap, one);
        if (i == 1) MEM_PUSH(b->kind, b->n, b->cap, four);
    }
}

static void as_jobs(const struct drawn_jobs *made, struct fit_jobs *j)
{
    *j = (struct fit_jobs){ .n = 0 };
    for (size_t i = 0; i < made->n; i++) {
        const struct drawn *x = &made->at[i];
        char name[16];
        (void)snprintf(name, sizeof name, "%u-%u", x->user, x->copy);
        struct fit_job job = {
            .t = (double)x->ms / 1000, .dur = x->dur, .limit = x->limit, .user = intern_id(&j->users, name)
        };
        job.ask = (struct fit_ask){ .tasks = x->kind->tasks,
                                    .gpu_milli = x->kind->gpu_milli,
                                    .cpu_milli = x->kind->cpu_milli };
        MEM_PUSH(j->at, j->n, j->cap, job);
    }
}

Test(fit, parts_of_a_distribution_keep_the_mean_and_are_of_five_values_or_more)
{
    for (size_t n = 1; n < 3000; n = n * 2 + 1) {
        double *x, sum = 0, drawn = 0;
        MEM_ARRAY(x, n);
        for (size_t i = 0; i < n; i++) sum += x[i] = exp((double)i * 12 / (double)n);
        struct model_bins b = model_bins_of(x, n);
        double before = 0, last = 0;
        for (uint32_t i = 0; i < b.n; i++) {
            cr_assert_geq(llround((b.upto[i] - before) * (double)n), n < MODEL_LEAST ? (long)n : MODEL_LEAST);
            before = b.upto[i];
        }
        cr_assert_float_eq(before, 1, 1e-12);
        enum { STEPS = 200000 };
        for (int i = 0; i < STEPS; i++) {
            double v = model_bins_at(&b, (i + 0.5) / STEPS);
            cr_assert_geq(v, last);             /* a quantile function grows */
            drawn += v / STEPS;
            last = v;
        }
        cr_assert_float_eq(drawn, sum / (double)n, 1e-3 * sum / (double)n, "n %zu: %g, %g", n, drawn, sum / (double)n);
        mem_free(x);
    }
}

Test(fit, equal_values_are_drawn_as_they_are)
{
    double x[40];
    for (int i = 0; i < 40; i++) x[i] = i < 20 ? 60 : 3600;
    struct model_bins b = model_bins_of(x, 40);
    cr_assert_eq(model_bins_at(&b, 0.01), 60);
    cr_assert_eq(model_bins_at(&b, 0.3), 60);
    cr_assert_eq(model_bins_at(&b, 0.7), 3600);
    cr_assert_eq(model_bins_at(&b, 0.99), 3600);
}

Test(fit, known_figures_are_learnt_again)
{
    struct model known, m;
    struct drawn_jobs made;
    struct fit_jobs jobs;
    make_known(&known);
    cr_assert_eq(draw_jobs(&made, &known, 1, 0, SEED, &d), ST_OK, "%s", d.msg);
    as_jobs(&made, &jobs);
    cr_assert_eq(learn_model(&jobs, "x", &m, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(m.n, 10, "each of them has jobs enough for a class of its own");
    double come = 0, stay = 0, sessions = 0, per_session = 0, repeat = 0, again = 0, four = 0, in_class = 0, hours = 0, night = 0;
    for (size_t i = 0; i < m.n; i++) {
        const struct model_class *c = &m.at[i];
        const struct model_batch *b = &c->batch[c->n - 1];
        come += c->come / 10;
        stay += c->stay / 10;
        sessions += model_bins_mean(&c->sessions) / 10;
        per_session += model_bins_mean(&c->jobs) / 10;
        repeat += b->repeat / 10;
        again += b->again / 10;
        cr_assert_float_eq(model_bins_mean(&b->gap), 10, 1e-2);
        cr_assert_leq(b->from, 12);
        for (size_t k = 0; k < b->n; k++) {
            in_class += b->kind[k].weight;
            if (b->kind[k].gpu_milli != 4000) continue;
            four += b->kind[k].weight;
            cr_assert_float_eq(model_bins_mean(&b->kind[k].duration), 3000, 1e-6);
            cr_assert_float_eq(model_bins_mean(&b->kind[k].limit[0]), 7200, 1e-6);
            cr_assert_float_eq(b->kind[k].limited, 1, 1e-9);
        }
    }
    for (int w = 0; w < MODEL_WEEK; w++)
        for (int h = 0; h < MODEL_DAY; h++) *(h >= 8 && h < 20 ? &hours : &night) += m.hour[w][h];
    cr_assert_float_eq(come, 0.3, 0.02, "%g", come);
    cr_assert_float_eq(stay, 0.6, 0.02, "%g", stay);
    cr_assert_float_eq(sessions, 1, 0.02, "%g", sessions);
    cr_assert_float_eq(per_session, 7, 0.3, "%g", per_session);
    cr_assert_float_eq(repeat, 0.5, 0.03, "%g", repeat);
    cr_assert_float_eq(again, 0.5, 0.12, "%g", again);
    cr_assert_float_eq(four / in_class, 0.25, 0.02, "%g", four / in_class);
    cr_assert_lt(night / hours, 0.01);
    fit_jobs_fini(&jobs);
    mem_free(made.at);
    model_fini(&m);
    model_fini(&known);
}

/* What is expected is what is drawn, on any week. */
Test(fit, expected_days_and_sessions_are_those_of_draws)
{
    struct model m;
    struct drawn_jobs made;
    double days, sessions;
    make_known(&m);
    for (int w = 0; w < MODEL_WEEK; w++) {
        m.active[w] = w < 5 ? 1.5 : 0.3;
        m.busy[w] = w < 5 ? 1.2 : 0.5;
    }
    model_expect(&m, &m.at[0], &days, &sessions);
    cr_assert_eq(draw_jobs(&made, &m, 1, 0, SEED, &d), ST_OK, "%s", d.msg);
    cr_assert_float_eq((double)made.n / (10.0 * DAYS), sessions * 7, 0.1, "%g, %g", (double)made.n / (10.0 * DAYS),
                       sessions * 7);
    mem_free(made.at);
    model_fini(&m);
}

static int64_t most_of_a_user_in_10_minutes(const struct drawn_jobs *g)
{
    int64_t most = 0;
    for (size_t i = 0; i < g->n; i++) {
        int64_t n = 0;
        for (size_t k = i; k < g->n && g->at[k].ms < g->at[i].ms + 600000; k++)
            n += g->at[k].user == g->at[i].user && g->at[k].copy == g->at[i].copy;
        most = i64_max(most, n);
    }
    return most;
}

Test(fit, twice_the_load_is_twice_the_users_and_no_flood)
{
    struct model m;
    struct drawn_jobs one, two;
    size_t k = 0;
    double sum[2] = { 0 };
    make_known(&m);
    cr_assert_eq(draw_jobs(&one, &m, 1, 100 * 86400.0, SEED, &d), ST_OK);
    cr_assert_eq(draw_jobs(&two, &m, 2, 100 * 86400.0, SEED, &d), ST_OK);
    for (size_t i = 0; i < two.n; i++) {
        sum[two.at[i].copy] += two.at[i].dur;
        if (two.at[i].copy > 0) continue;
        cr_assert_lt(k, one.n);                 /* those of load 1 are all there, as they were */
        cr_assert_eq(one.at[k].ms, two.at[i].ms);
        cr_assert_eq(one.at[k].user, two.at[i].user);
        cr_assert_float_eq(one.at[k].dur, two.at[i].dur, 0);
        k++;
    }
    cr_assert_eq(k, one.n);
    cr_assert_float_eq((double)two.n / (double)one.n, 2, 0.2, "%zu, %zu", one.n, two.n);
    cr_assert_float_eq(sum[1] / (double)(two.n - one.n) / (sum[0] / (double)one.n), 1, 0.1);
    cr_assert_leq(most_of_a_user_in_10_minutes(&two), most_of_a_user_in_10_minutes(&one) + 12);
    MEM_FREE(one.at, two.at);
    cr_assert_eq(draw_jobs(&one, &m, 0.5, 700 * 86400.0, SEED, &d), ST_OK);
    cr_assert_eq(draw_jobs(&two, &m, 1, 700 * 86400.0, SEED, &d), ST_OK);
    cr_assert_float_eq((double)one.n / (double)two.n, 0.5, 0.03, "%zu, %zu", one.n, two.n);
    MEM_FREE(one.at, two.at);
    model_fini(&m);
}

Test(fit, a_file_says_what_was_learnt_and_is_read_again_as_it_is)
{
    char path[] = "/tmp/fairway-fit-XXXXXX", *text[2];
    struct model m, again;
    struct mem_text t;
    make_known(&m);
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    model_write(&m, f);
    cr_assert_eq(fclose(f), 0);
    cr_assert_eq(model_read(&again, path, &d), ST_OK, "%s", d.msg);
    for (int i = 0; i < 2; i++) {
        mem_text_open(&t);
        model_write(i == 0 ? &m : &again, t.to);
        text[i] = mem_text_close(&t);
    }
    cr_assert_str_eq(text[0], text[1]);
    MEM_FREE(text[0], text[1]);
    model_fini(&m);
    model_fini(&again);
    (void)remove(path);
}

/* A trace beside its own model, and one beside that of another: every verdict by its rule, and the second worse. */
Test(fit, goodness_says_nothing_of_what_a_half_or_a_draw_has_not)
{
    const struct goodness_row no_half = { 1, 1, 1, 1, .distance = 0.1, .halves = NAN },
                              no_draw = { 1, NAN, 1, 1, .distance = NAN, .halves = 0.1 },
                              number = { 1, 1, 0, 2, .distance = NAN, .halves = NAN };
    cr_assert_str_eq(goodness_verdict(&no_half), "");
    cr_assert_str_eq(goodness_verdict(&no_draw), "");
    cr_assert_str_eq(goodness_verdict(&number), "within");
}

Test(fit, goodness_tells_a_model_of_the_trace_from_one_of_another)
{
    struct model m, other;
    struct drawn_jobs made;
    struct fit_jobs jobs;
    struct goodness g, bad;
    make_known(&m);
    make_known(&other);
    for (uint32_t i = 0; i < 2; i++) other.at[0].batch[i].kind[0].duration = constant(200);
    other.at[0].batch[1].gap = constant(60);
    cr_assert_eq(draw_jobs(&made, &m, 1, 60 * 86400.0, SEED, &d), ST_OK);
    as_jobs(&made, &jobs);
    cr_assert_eq(goodness_measure(&g, &jobs, &m, 5, &d), ST_OK, "%s", d.msg);
    cr_assert_eq(goodness_measure(&bad, &jobs, &other, 5, &d), ST_OK, "%s", d.msg);
    for (int f = 0; f < GOODNESS_N; f++) {
        const struct goodness_row *r = &g.row[f];
        const char *v = goodness_verdict(r);
        if (isnan(r->trace)) { cr_assert_str_eq(v, ""); continue; }
        cr_assert_eq(isnan(r->distance), !goodness_info[f].is_distribution);
        if (!isnan(r->distance)) cr_assert_str_eq(v, r->distance <= r->halves ? "nearer" : "further");
        else cr_assert_str_eq(v, r->trace < r->least ? "above" : r->trace > r->most ? "below" : "within");
        cr_assert(r->least <= r->model && r->model <= r->most);
    }
    cr_assert_lt(g.row[GOODNESS_DURATION].distance, 0.05);
    cr_assert_gt(bad.row[GOODNESS_DURATION].distance, 0.5);
    cr_assert_lt(g.row[GOODNESS_GAP].distance + 0.3, bad.row[GOODNESS_GAP].distance);
    goodness_fini(&g);
    goodness_fini(&bad);
    fit_jobs_fini(&jobs);
    mem_free(made.at);
    model_fini(&m);
    model_fini(&other);
}
