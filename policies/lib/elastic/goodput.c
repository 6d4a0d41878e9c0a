/* goodput.c -- the model's formulas, and its fit by GSL's simplex.  See goodput.h. */
#include "lib/elastic/goodput.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include "lib/util.h"

enum { BATCHES = 50, ITERATIONS_MAX = 1500, RESTARTS = 10 };
static const double LEAST = 1e-8, GAMMA_MAX = 10, NEAR = 1e-6;

void goodput_fini(struct goodput *g) { free(g->seen); }

bool goodput_see(struct goodput *g, uint32_t nodes, uint32_t gpus, const struct pol_step *s)
{
    for (size_t i = 0; i < g->n_seen; i++) {
        const struct goodput_seen *x = &g->seen[i];
        if (x->nodes == nodes && x->gpus == gpus && x->local == s->local) return false;
    }
    POL_PUSH(g->seen, g->n_seen, g->cap_seen, (struct goodput_seen){ nodes, gpus, s->local, s->grad_s, s->step_s });
    if (gpus > g->most_gpus) g->most_gpus = gpus;
    return true;
}

/* ---- formulas ---- */

static double grad_time(const double *p, double local) { return p[GOODPUT_ALPHA_C] + p[GOODPUT_BETA_C] * local; }

static double sync_time(const double *p, uint32_t nodes, uint32_t gpus)
{
    double more = gpus > 2 ? gpus - 2 : LEAST;
    if (nodes > 1) return p[GOODPUT_ALPHA_N] + p[GOODPUT_BETA_N] * more;
    return gpus > 1 ? p[GOODPUT_ALPHA_R] + p[GOODPUT_BETA_R] * more : LEAST;
}

/* The logarithm of a step's time; of the larger of the two, so that no power overflows. */
static double log_step(double grad, double sync, double gamma)
{
    double most = fmax(grad, sync), least = fmin(grad, sync);
    return log(most) + log1p(pow(least / most, gamma)) / gamma;
}

double goodput_at(const struct goodput *g, const struct pol_batches *b, double noise, uint32_t nodes, uint32_t gpus)
{
    double least = b->fixed > 0 ? b->fixed : fmax(b->first, b->min_local * gpus), most = b->fixed > 0 ? b->fixed : b->max, best = 0;
    double sync = sync_time(g->at, nodes, gpus);
    if (least > most * (1 + 1e-9)) return 0;
    for (int i = 0; i < (least < most ? BATCHES : 1); i++) {
        double local = least * pow(most / least, (double)i / (BATCHES - 1)) / gpus;
        double more = fmax(0, ceil(local / b->max_local - 1e-8) - 1);
        if (gpus == 1 && local > b->first + 1e-8) more = fmax(more, 1);
        local = ceil(local / (more + 1) - 1e-8);
        if (local < b->min_local || local > b->max_local) continue;
        double batch = local * (more + 1) * gpus, grad = grad_time(g->at, local);
        double time = more * grad + exp(log_step(grad, sync, g->at[GOODPUT_GAMMA]));
        best = fmax(best, batch / time * (noise + b->first) / (noise + batch));
    }
    return best;
}

/* ---- the fit ---- */

struct fit { const struct goodput *g; double at[GOODPUT_PARAMS]; int free[GOODPUT_PARAMS]; size_t n; };

/* Coordinates of the simplex: logarithms above the bounds; gamma between its bounds by a sine. */
static void put(struct fit *f, const gsl_vector *v)
{
    for (size_t i = 0; i < f->n; i++) {
        double x = gsl_vector_get(v, i);
        f->at[f->free[i]] = f->free[i] == GOODPUT_GAMMA ? 1 + (GAMMA_MAX - 1) * (0.5 - 0.5 * cos(x)) : LEAST + exp(fmin(x, 50));
    }
}

static double get(const struct fit *f, int k)
{
    return k == GOODPUT_GAMMA ? acos(1 - 2 * (f->at[k] - 1) / (GAMMA_MAX - 1)) : log(fmax(f->at[k] - LEAST, 1e-12));
}

static double ratio2(double a, double b) { return a / b * (a / b); }

static double error_of(const gsl_vector *v, void *ctx)
{
    struct fit *f = ctx;
    const double *p = f->at;
    double grads = 0, steps = 0;
    put(f, v);
    for (size_t i = 0; i < f->g->n_seen; i++) {
        const struct goodput_seen *x = &f->g->seen[i];
        double grad = grad_time(p, x->local), a = log(grad / x->grad_s);
        double b = log_step(grad, sync_time(p, x->nodes, x->gpus), p[GOODPUT_GAMMA]) - log(x->step_s);
        grads += a * a;
        steps += b * b;
    }
    double n = (double)f->g->n_seen, y = sqrt(grads / n) + sqrt(steps / n) + 1e-3 * ratio2(p[GOODPUT_GAMMA] - 1, 1) +
        1e-2 * (ratio2(p[GOODPUT_BETA_N], p[GOODPUT_ALPHA_N]) + ratio2(p[GOODPUT_BETA_R], p[GOODPUT_ALPHA_R]));
    return isfinite(y) ? y : 1e9;
}

/* Start and which parameters are free. */
static void begin(struct fit *f, const struct goodput *g)
{
    bool several = false, near = false, many = false, sizes = false;
    double grads = 0;
    for (size_t i = 0; i < g->n_seen; i++) {
        const struct goodput_seen *x = &g->seen[i];
        several |= x->nodes > 1;
        near |= x->nodes == 1 && x->gpus > 1;
        many |= x->gpus > 2;
        sizes |= x->local != g->seen[0].local;
        grads += x->grad_s / (double)g->n_seen;
    }
    const bool is_free[GOODPUT_PARAMS] = { sizes, true, several, several && many, near, near && many, several || near };
    for (int k = 0; k < GOODPUT_PARAMS; k++) {
        f->at[k] = !is_free[k] ? LEAST : k % 2 == 0 ? 0.1 : 0.01;
        if (is_free[k]) f->free[f->n++] = k;
    }
    f->at[GOODPUT_GAMMA] = 1.001;
    if (!sizes) f->at[GOODPUT_ALPHA_C] = grads / 2;
}

void goodput_fit(struct goodput *g)
{
    struct fit f = { .g = g };
    begin(&f, g);
    gsl_multimin_function fn = { error_of, f.n, &f };
    gsl_vector *x = gsl_vector_alloc(f.n), *h = gsl_vector_alloc(f.n);
    gsl_multimin_fminimizer *m = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, f.n);
    /* For good, as others may fit in other threads.  What it would report ends the loop below. */
    (void)gsl_set_error_handler_off();
    for (size_t i = 0; i < f.n; i++) gsl_vector_set(x, i, get(&f, f.free[i]));
    double before = INFINITY;
    for (int k = 0; k < RESTARTS && before > 0; k++) {  /* a simplex that shrank too soon begins anew where it came to */
        gsl_vector_set_all(h, 0.7);
        bool goes_on = gsl_multimin_fminimizer_set(m, &fn, x, h) == GSL_SUCCESS;
        for (int i = 0; i < ITERATIONS_MAX && goes_on; i++)
            goes_on = gsl_multimin_fminimizer_iterate(m) == GSL_SUCCESS && gsl_multimin_fminimizer_size(m) > 1e-5;
        gsl_vector_memcpy(x, gsl_multimin_fminimizer_x(m));
        before = before - m->fval > NEAR ? m->fval : 0;
    }
    put(&f, x);
    gsl_multimin_fminimizer_free(m);
    gsl_vector_free(x);
    gsl_vector_free(h);
    memcpy(g->at, f.at, sizeof g->at);
    bool several = false;
    for (size_t i = 0; i < g->n_seen; i++) several |= g->seen[i].nodes > 1;
    if (several) return;
    g->at[GOODPUT_ALPHA_N] = fmax(g->at[GOODPUT_ALPHA_N], 1.1 * g->at[GOODPUT_ALPHA_R]);
    g->at[GOODPUT_BETA_N] = fmax(g->at[GOODPUT_BETA_N], 1.1 * g->at[GOODPUT_BETA_R]);
}
