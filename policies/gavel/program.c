/*
 * program.c -- the linear programs of Gavel's objectives, see program.h.
 *
 * Most objectives raise a floor: maximise s with unit x rate >= base + need x s for every job.  Simplex has one column
 * s.  That would stand in as many rows as there are jobs, and make the interior method's matrix dense; so there each
 * job has an s of its own, equal to that of the job before it.  At 1,000 jobs on 3 types that is five times as fast.
 *
 * Of the many optima a point inside of the optimal face is taken, as the authors' solver does: who is alike gets
 * alike, and what is left over is shared out.  Or a corner of that face is drawn, by costs at random.
 */
#include <math.h>
#include "gavel/program.h"

#define HAIR 1e-4       /* so much of a floor is given away, that there is an inside */

void gavel_program_fini(struct gavel_program *p)
{
    lp_destroy(p->lp);
    POL_FREE(p->cards, p->price, p->entity_weight, p->job, p->row, p->rate, p->x, p->column, p->first_row, p->next_row,
             p->index, p->value, p->floor_row, p->left);
}

/* ---- what is common ---- */

/* The rows that each job is in: row r is in the list of its first job by next_row[2 r], of its second by [2 r + 1]. */
static void list_rows(struct gavel_program *p)
{
    POL_RESERVE(p->first_row, p->cap_first, (size_t)p->n_jobs + 1);
    POL_RESERVE(p->next_row, p->cap_next, (size_t)p->n_rows * 2 + 1);
    for (uint32_t j = 0; j < p->n_jobs; j++) p->first_row[j] = POL_NONE;
    for (uint32_t r = p->n_rows; r-- > 0;)
        for (uint32_t m = 2; m-- > 0;) {
            uint32_t j = p->row[r].job[m];
            if (j == POL_NONE) continue;
            p->next_row[2 * r + m] = p->first_row[j];
            p->first_row[j] = 2 * r + m;
        }
}

/* One more coefficient of the row that is made; returns how many there are. */
static uint32_t term(struct gavel_program *p, uint32_t n, uint32_t column, double value)
{
    POL_RESERVE(p->index, p->cap_index, (size_t)n + 1);
    POL_RESERVE(p->value, p->cap_value, (size_t)n + 1);
    p->index[n] = column;
    p->value[n] = value;
    return n + 1;
}

/* Columns of all rows on the types where they run, and the base constraints. */
static void begin(struct gavel_program *p)
{
    uint32_t kinds = p->n_types;
    if (p->lp == NULL) p->lp = lp_create(LP_MAX);
    lp_clear(p->lp, LP_MAX);
    list_rows(p);
    POL_RESERVE(p->column, p->cap_column, (size_t)p->n_rows * kinds + 1);
    for (uint32_t r = 0; r < p->n_rows; r++)
        for (uint32_t k = 0; k < kinds; k++) {
            bool is_pair = p->row[r].job[1] != POL_NONE;
            bool runs = p->cards[k] > 0 && gavel_rates(p, r, 0)[k] > 0 && (!is_pair || gavel_rates(p, r, 1)[k] > 0);
            p->column[(size_t)r * kinds + k] = runs ? lp_add_col(p->lp, 0, INFINITY, 0) : POL_NONE;
        }
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        uint32_t n = 0;
        for (uint32_t at = p->first_row[j]; at != POL_NONE; at = p->next_row[at])
            for (uint32_t k = 0; k < kinds; k++) {
                uint32_t c = p->column[(size_t)(at / 2) * kinds + k];
                if (c != POL_NONE) n = term(p, n, c, 1);
            }
        if (n > 0) lp_add_row(p->lp, -INFINITY, 1, n, p->index, p->value);
    }
    for (uint32_t k = 0; k < kinds; k++) {
        uint32_t n = 0;
        for (uint32_t r = 0; r < p->n_rows; r++) {
            uint32_t c = p->column[(size_t)r * kinds + k];
            if (c != POL_NONE) n = term(p, n, c, p->job[p->row[r].job[0]].cards);
        }
        if (n > 0) lp_add_row(p->lp, -INFINITY, p->cards[k], n, p->index, p->value);
    }
}

/* The terms of a job's rate x by. */
static uint32_t rate_terms(struct gavel_program *p, uint32_t j, double by)
{
    uint32_t n = 0;
    for (uint32_t at = p->first_row[j]; at != POL_NONE; at = p->next_row[at])
        for (uint32_t k = 0; k < p->n_types; k++) {
            uint32_t c = p->column[(size_t)(at / 2) * p->n_types + k];
            if (c != POL_NONE) n = term(p, n, c, by * gavel_rates(p, at / 2, at % 2)[k]);
        }
    return n;
}

static bool solve(struct gavel_program *p, enum lp_method method, char *error, size_t cap)
{
    enum lp_status st = lp_solve(p->lp, &(struct lp_options){ .method = method });
    if (st != LP_OPTIMAL)
        return pol_error(error, cap, "the linear program of %u jobs is %s", p->n_jobs, lp_status_name(st));
    for (size_t i = 0; i < (size_t)p->n_rows * p->n_types; i++)
        p->x[i] = p->column[i] == POL_NONE ? 0 : fmin(1, fmax(0, lp_value(p->lp, p->column[i])));
    return true;
}

double gavel_program_isolated(const struct gavel_program *p, uint32_t j, double *x)
{
    double all = 0, rate = 0;
    for (uint32_t k = 0; k < p->n_types; k++) all += p->cards[k] / p->n_jobs / p->job[j].cards;
    for (uint32_t k = 0; k < p->n_types; k++) {
        double time = p->cards[k] / p->n_jobs / p->job[j].cards / fmax(1, all);
        rate += time * p->rate[(size_t)j * 2 * p->n_types + k];
        if (x != NULL) x[k] = time;
    }
    return rate;
}

/* ---- floors ---- */

/* Each job's floor, with the one column s.  Simplex goes on from its last basis where only needs are others. */
static bool raise_by_simplex(struct gavel_program *p, double most, double *s, char *error, size_t cap)
{
    if (!p->is_built) {
        begin(p);
        p->raised = lp_add_col(p->lp, 0, INFINITY, 1);
    }
    POL_RESERVE(p->floor_row, p->cap_floor, (size_t)p->n_jobs + 1);
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        uint32_t n = rate_terms(p, j, p->job[j].unit);
        if (n > 0) n = term(p, n, p->raised, -p->job[j].need / most);
        if (!p->is_built) p->floor_row[j] = lp_add_row(p->lp, p->job[j].base, INFINITY, n, p->index, p->value);
        else {
            lp_set_row(p->lp, p->floor_row[j], n, p->index, p->value);
            lp_set_row_bounds(p->lp, p->floor_row[j], p->job[j].base, INFINITY);
        }
    }
    p->is_built = true;
    if (!solve(p, LP_SIMPLEX, error, cap)) return false;
    *s = lp_value(p->lp, p->raised) / most;
    return true;
}

/* The same with an s for each job that needs some: the last of these, or POL_NONE. */
static uint32_t with_floors(struct gavel_program *p, double most)
{
    uint32_t last = POL_NONE;
    begin(p);
    p->is_built = false;
    POL_RESERVE(p->floor_row, p->cap_floor, (size_t)p->n_jobs + 1);
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        uint32_t n = rate_terms(p, j, p->job[j].unit);
        p->floor_row[j] = POL_NONE;
        if (n == 0 || (!(p->job[j].need > 0) && !(p->job[j].base > 0))) continue;
        if (p->job[j].need > 0) {
            uint32_t own = lp_add_col(p->lp, 0, INFINITY, last == POL_NONE);
            n = term(p, n, own, -p->job[j].need / most);
            if (last != POL_NONE) lp_add_row(p->lp, 0, 0, 2, (uint32_t[]){ last, own }, (double[]){ -1, 1 });
            last = own;
        }
        p->floor_row[j] = lp_add_row(p->lp, p->job[j].base, INFINITY, n, p->index, p->value);
    }
    return last;
}

static bool raise_inside(struct gavel_program *p, double most, double *s, char *error, size_t cap)
{
    uint32_t raised = with_floors(p, most);
    if (!solve(p, LP_INTERIOR, error, cap)) return false;
    *s = raised == POL_NONE ? 0 : lp_value(p->lp, raised) / most;
    return true;
}

bool gavel_program_raise(struct gavel_program *p, enum lp_method method, double *s, char *error, size_t cap)
{
    double most = 0;
    for (uint32_t j = 0; j < p->n_jobs; j++) most = fmax(most, p->job[j].need);
    if (method == LP_SIMPLEX && most > 0) return raise_by_simplex(p, most, s, error, cap);
    return raise_inside(p, most, s, error, cap);
}

bool gavel_program_settle(struct gavel_program *p, double s, char *error, size_t cap)
{
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        p->job[j].base += p->job[j].need * s * (1 - HAIR);
        p->job[j].need = 0;
    }
    if (p->draws == NULL) return gavel_program_raise(p, LP_INTERIOR, &s, error, cap);
    (void)with_floors(p, 1);
    for (uint32_t c = 0; c < lp_n_cols(p->lp); c++)
        lp_set_cost(p->lp, c, (double)(pol_draw(p->draws) >> 11) * 0x1p-52 - 1);
    return solve(p, LP_SIMPLEX, error, cap);
}

/* max min over jobs of weight-normalised throughput, that on an average card of the cluster being 1: LAS. */
static bool max_min(struct gavel_program *p, char *error, size_t cap)
{
    double all = 0, s;
    for (uint32_t k = 0; k < p->n_types; k++) all += p->cards[k];
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        double average = 0;
        for (uint32_t k = 0; k < p->n_types; k++) average += gavel_rates(p, j, 0)[k] * p->cards[k] / all;
        p->job[j].unit = average > 0 ? p->job[j].cards / average : 0;
        p->job[j].base = 0;
        p->job[j].need = average > 0 ? p->job[j].weight : 0;
    }
    return gavel_program_raise(p, LP_SIMPLEX, &s, error, cap) && gavel_program_settle(p, s, error, cap);
}

/* The least time in which all jobs can be done: the most 1 / T. */
static bool makespan(struct gavel_program *p, char *error, size_t cap)
{
    double s;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        p->job[j].unit = 1;
        p->job[j].base = 0;
        p->job[j].need = p->job[j].left;
    }
    if (!gavel_program_raise(p, LP_INTERIOR, &s, error, cap)) return false;
    return p->draws == NULL || gavel_program_settle(p, s, error, cap);
}

/* ---- sums ---- */

/* max sum of steps a second over the price of the card. */
static bool sum(struct gavel_program *p, char *error, size_t cap)
{
    begin(p);
    for (uint32_t r = 0; r < p->n_rows; r++)
        for (uint32_t k = 0; k < p->n_types; k++) {
            uint32_t c = p->column[(size_t)r * p->n_types + k];
            double worth = 0;
            for (uint32_t m = 0; m < 2 && p->row[r].job[m] != POL_NONE; m++)
                worth += gavel_rates(p, r, m)[k] * p->job[p->row[r].job[m]].steps;
            if (c != POL_NONE) lp_set_cost(p->lp, c, worth / p->price[k]);
        }
    return solve(p, LP_INTERIOR, error, cap);
}

/* ---- without a program ---- */

static bool isolated(struct gavel_program *p)
{
    memset(p->x, 0, (size_t)p->n_rows * p->n_types * sizeof *p->x);
    for (uint32_t j = 0; j < p->n_jobs; j++) (void)gavel_program_isolated(p, j, gavel_times(p, j));
    return true;
}

/* In order of arrival all the time on the fastest type that has room, until one finds no room at all: `fifo_perf`. */
static bool fifo(struct gavel_program *p)
{
    memset(p->x, 0, (size_t)p->n_rows * p->n_types * sizeof *p->x);
    POL_RESERVE(p->left, p->cap_left, p->n_types);
    memcpy(p->left, p->cards, p->n_types * sizeof *p->left);
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        const double *rate = gavel_rates(p, j, 0);
        uint32_t best = POL_NONE;
        for (uint32_t k = 0; k < p->n_types; k++)
            if (p->left[k] >= p->job[j].cards && (best == POL_NONE || rate[k] > rate[best])) best = k;
        if (best == POL_NONE) break;
        if (!(rate[best] > 0)) continue;
        gavel_times(p, j)[best] = 1;
        p->left[best] -= p->job[j].cards;
    }
    return true;
}

bool gavel_program_solve(struct gavel_program *p, char *error, size_t cap)
{
    POL_RESERVE(p->x, p->cap_x, (size_t)p->n_rows * p->n_types + 1);
    p->is_built = false;
    if (p->n_jobs == 0) return true;
    switch (p->objective) {
    case GAVEL_MAX_MIN:      return max_min(p, error, cap);
    case GAVEL_MAKESPAN:     return makespan(p, error, cap);
    case GAVEL_FINISH_TIME:  return gavel_finish_time_solve(p, error, cap);
    case GAVEL_SUM:          return sum(p, error, cap);
    case GAVEL_HIERARCHICAL: case GAVEL_HIERARCHICAL_FIFO: return gavel_water_solve(p, error, cap);
    case GAVEL_ISOLATED:     return isolated(p);
    case GAVEL_FIFO:         return fifo(p);
    }
    return false;
}
