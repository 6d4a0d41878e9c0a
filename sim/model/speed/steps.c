/*
 * steps.c -- the lookup of steps.h.
 *
 * The Delaunay simplex around a point is that whose corners, weighted to make the point, have the least mean squared
 * distance from it: a linear program of four rows, solved by the simplex method on a dense tableau, of which the
 * weights are all that is wanted.
 */
#include "model/speed/steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

enum { ROWS = 4, PHASES = 2, TABLEAU = ROWS + PHASES, PIVOTS_MAX = 5000, BLAND_FROM = 200, TEXT_MAX = 400, GPUS_MAX = 4096 };
static const double EPS = 1e-9;

void steps_fini(struct steps *s)
{
    for (size_t i = 0; i < s->n_exact; i++) {
        curve_fini(&s->exact[i].step);
        curve_fini(&s->exact[i].sync);
    }
    intern_fini(&s->placements);
    map_fini(&s->memo);
    MEM_FREE(s->exact, s->row, s->known, s->tableau);
    memset(s, 0, sizeof *s);
}

/* ---- placements ---- */

/* Text of the turn that is least, number by number; false: it is too long to be one that was measured. */
static bool name_of(const uint32_t *count, uint32_t n, char out[TEXT_MAX])
{
    uint32_t best = 0;
    size_t len = 0;
    for (uint32_t from = 1; from < n; from++)
        for (uint32_t i = 0; i < n; i++) {
            uint32_t a = count[(from + i) % n], b = count[(best + i) % n];
            if (a < b) best = from;
            if (a != b) break;
        }
    for (uint32_t i = 0; i < n && len + 12 < TEXT_MAX; i++)
        len += (size_t)snprintf(out + len, TEXT_MAX - len, "%s%u", i == 0 ? "" : "+", count[(best + i) % n]);
    return n * 12 < TEXT_MAX;
}

/* "4+2": its numbers, and how many; 0: it is none. */
static uint32_t parse(const char *text, uint32_t count[TEXT_MAX])
{
    uint32_t n = 0;
    for (;;) {
        char *end;
        unsigned long v = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
        if (v == 0 || v > GPUS_MAX || n * 12 + 12 >= TEXT_MAX) return 0;
        count[n++] = (uint32_t)v;
        if (*end == '\0') return n;
        if (*end != '+') return 0;
        text = end + 1;
    }
}

const char *steps_add(struct steps *s, const char *placement, uint32_t n_nodes, uint32_t n_gpus, double local, struct step_time t)
{
    uint32_t count[TEXT_MAX], id = NONE, sum = 0;
    char name[TEXT_MAX];
    if (placement != NULL) {
        uint32_t n = parse(placement, count);
        if (n == 0) return "a placement is GPUs on each node, such as 4+2";
        for (uint32_t i = 0; i < n; i++) sum += count[i];
        if (n != n_nodes || sum != n_gpus) return "the placement has another number of nodes or GPUs";
        (void)name_of(count, n, name);
        id = intern_id(&s->placements, name);
        if (n > s->most_nodes) s->most_nodes = n;
    }
    MEM_PUSH(s->row, s->n_rows, s->cap_rows, (struct step_row){ id, n_nodes, n_gpus, local, t, 1 });
    return NULL;
}

static int by_local(const void *x, const void *y)
{
    const struct step_row *a = x, *b = y;
    if (a->placement != b->placement) return a->placement < b->placement ? -1 : 1;
    return (a->local > b->local) - (a->local < b->local);
}

static int by_point(const void *x, const void *y)
{
    const struct step_row *a = x, *b = y;
    if (a->n_nodes != b->n_nodes) return a->n_nodes < b->n_nodes ? -1 : 1;
    if (a->n_gpus != b->n_gpus) return a->n_gpus < b->n_gpus ? -1 : 1;
    return (a->local > b->local) - (a->local < b->local);
}

const char *steps_ready(struct steps *s)
{
    size_t n = 0;
    double *x, *step, *sync;
    if (s->n_rows == 0) return "it has no rows";
    qsort(s->row, s->n_rows, sizeof *s->row, by_local);
    MEM_RESERVE(s->exact, s->cap_exact, s->placements.n);
    MEM_ARRAY(x, s->n_rows);
    MEM_ARRAY(step, s->n_rows);
    MEM_ARRAY(sync, s->n_rows);
    for (size_t i = 0; i < s->n_rows && s->row[i].placement != NONE; i++) {
        bool is_last = i + 1 == s->n_rows || s->row[i + 1].placement != s->row[i].placement;
        if (n > 0 && x[n - 1] == s->row[i].local) { MEM_FREE(x, step, sync); return "a placement is there twice with as many examples"; }
        x[n] = s->row[i].local;
        step[n] = s->row[i].time.step;
        sync[n++] = s->row[i].time.sync;
        if (!is_last) continue;
        curve_points(&s->exact[s->n_exact].step, x, step, (uint32_t)n);
        curve_points(&s->exact[s->n_exact++].sync, x, sync, (uint32_t)n);
        n = 0;
    }
    MEM_FREE(x, step, sync);
    qsort(s->row, s->n_rows, sizeof *s->row, by_point);
    n = 0;
    for (size_t i = 0; i < s->n_rows; i++) {        /* means */
        if (n == 0 || by_point(&s->row[n - 1], &s->row[i]) != 0) { s->row[n++] = s->row[i]; continue; }
        struct step_row *r = &s->row[n - 1];
        r->time.step += (s->row[i].time.step - r->time.step) / (r->n + 1);
        r->time.sync += (s->row[i].time.sync - r->time.sync) / (r->n + 1);
        r->n++;
    }
    s->n_rows = n;
    return NULL;
}

/* ---- between points ---- */

static double *cell(struct steps *s, size_t row, size_t col) { return &s->tableau[row * (s->n_rows + 1) + col]; }

static void pivot(struct steps *s, size_t row, size_t col)
{
    size_t width = s->n_rows + 1;
    double by = 1 / *cell(s, row, col);
    for (size_t j = 0; j < width; j++) *cell(s, row, j) *= by;
    for (size_t i = 0; i < TABLEAU; i++) {
        double f = *cell(s, i, col);
        if (i == row || f == 0) continue;
        for (size_t j = 0; j < width; j++) *cell(s, i, j) -= f * *cell(s, row, j);
    }
}

/* The row that leaves for a column: the least ratio; one of an artificial variable, which is 0, at once. */
static size_t leaving(struct steps *s, const size_t *basis, size_t col, bool is_feasible)
{
    size_t best = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        double a = *cell(s, i, col), b = *cell(s, i, s->n_rows);
        if (is_feasible && basis[i] == s->n_rows && fabs(a) > EPS) return i;
        if (a <= EPS) continue;
        if (best == ROWS || b / a < *cell(s, best, s->n_rows) / *cell(s, best, col)) best = i;
    }
    return best;
}

/* The column of most gain, or of the least index once that may go in circles; n_rows: none gains. */
static size_t entering(struct steps *s, size_t objective, bool is_first)
{
    size_t best = s->n_rows;
    double least = -EPS * (objective == ROWS ? 1 : 1e3);
    for (size_t j = 0; j < s->n_rows; j++) {
        double v = *cell(s, objective, j);
        if (v >= least) continue;
        best = j;
        if (is_first) break;
        least = v;
    }
    return best;
}

/* Rows: weights sum to 1, and their mean is the point; objectives: artificial variables, then squared distance. */
static bool weigh(struct steps *s, const double at[3], size_t basis[ROWS])
{
    size_t n = s->n_rows, objective = ROWS;
    MEM_RESERVE(s->tableau, s->cap_tableau, TABLEAU * (n + 1));
    for (size_t j = 0; j <= n; j++) {
        const struct step_row *r = &s->row[j < n ? j : 0];
        double off[3] = { r->n_nodes - at[0], r->n_gpus - at[1], r->local - at[2] }, far = 0;
        *cell(s, 0, j) = 1;
        for (size_t i = 0; i < 3; i++) {
            *cell(s, i + 1, j) = j < n ? off[i] : 0;
            far += off[i] * off[i];
        }
        *cell(s, ROWS + 1, j) = j < n ? far : 0;
        double sum = 0;
        for (size_t i = 0; i < ROWS; i++) sum += *cell(s, i, j);
        *cell(s, ROWS, j) = -sum;
    }
    for (size_t i = 0; i < ROWS; i++) basis[i] = n;
    for (int k = 0; k < PIVOTS_MAX; k++) {
        size_t col = entering(s, objective, k >= BLAND_FROM);
        if (col == n && objective == ROWS) {
            if (*cell(s, ROWS, n) < -1e-7) return false;
            objective = ROWS + 1;
            continue;
        }
        if (col == n) return true;
        size_t row = leaving(s, basis, col, objective > ROWS);
        if (row == ROWS) return false;
        pivot(s, row, col);
        basis[row] = col;
    }
    return true;
}

static struct step_time nearest(const struct steps *s, const double at[3])
{
    const struct step_row *best = &s->row[0];
    for (size_t i = 1; i < s->n_rows; i++) {
        const struct step_row *r = &s->row[i];
        double a[3] = { fabs(r->n_nodes - at[0]), fabs(r->n_gpus - at[1]), fabs(r->local - at[2]) };
        double b[3] = { fabs(best->n_nodes - at[0]), fabs(best->n_gpus - at[1]), fabs(best->local - at[2]) };
        int k = a[0] != b[0] ? 0 : a[1] != b[1] ? 1 : 2;
        if (a[k] < b[k]) best = r;
    }
    return best->time;
}

static struct step_time between(struct steps *s, const double at[3])
{
    size_t basis[ROWS];
    struct step_time t = { 0, 0 };
    if (!weigh(s, at, basis)) return nearest(s, at);
    for (size_t i = 0; i < ROWS; i++) {
        if (basis[i] == s->n_rows) continue;
        double weight = *cell(s, i, s->n_rows);
        t.step += weight * s->row[basis[i]].time.step;
        t.sync += weight * s->row[basis[i]].time.sync;
    }
    return t;
}

struct spread steps_find(const struct steps *s, const struct spread *where)
{
    char name[TEXT_MAX];
    struct spread found = *where;
    uint32_t id = NONE;
    if (where->count != NULL && where->n_nodes <= s->most_nodes && name_of(where->count, where->n_nodes, name))
        id = intern_find(&s->placements, name);
    found.exact = id == NONE ? 0 : id + 1;
    return found;
}

struct step_time steps_time(struct steps *s, const struct spread *where, double local)
{
    uint32_t id = where->exact - 1, bits;
    if (where->exact > 0) return (struct step_time){ curve_at(&s->exact[id].step, local), curve_at(&s->exact[id].sync, local) };
    float as_float = (float)local;
    memcpy(&bits, &as_float, sizeof as_float);
    uint32_t hash = map_mix(((uint64_t)where->n_nodes << 48) ^ ((uint64_t)where->n_gpus << 32) ^ bits), k;
    MAP_EACH(k, &s->memo, hash)
        if (s->known[k].n_nodes == where->n_nodes && s->known[k].n_gpus == where->n_gpus && s->known[k].local == local)
            return s->known[k].time;
    const double at[3] = { where->n_nodes, where->n_gpus, local };
    struct step_time t = between(s, at);
    map_add(&s->memo, hash, (uint32_t)s->n_known);
    MEM_PUSH(s->known, s->n_known, s->cap_known, (struct step_known){ where->n_nodes, where->n_gpus, local, t });
    return t;
}
