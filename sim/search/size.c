/* size.c -- what verdicts leave of a grid of sizes, and which size to try next, of size.h. */
#include "search/size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

static const double *sorted;

static int by_cost(const void *a, const void *b)
{
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    if (sorted[p] < sorted[q] || sorted[p] > sorted[q]) return sorted[p] < sorted[q] ? -1 : 1;
    return p < q ? -1 : p > q;
}

void size_init(struct size *z, size_t n_sides, const size_t *n, double least, const double *step)
{
    *z = (struct size){ .n_sides = n_sides, .n_points = 1 };
    MEM_ARRAY(z->n, n_sides);
    for (size_t i = 0; i < n_sides; i++) z->n_points *= z->n[i] = n[i];
    MEM_ARRAY(z->cost, z->n_points);
    MEM_ARRAY(z->by_cost, z->n_points);
    for (size_t p = 0; p < z->n_points; p++) {
        z->by_cost[p] = p;
        z->cost[p] = least;
        for (size_t i = 0; i < n_sides; i++) z->cost[p] += (double)size_step(z, p, i) * step[i];
    }
    sorted = z->cost;
    qsort(z->by_cost, z->n_points, sizeof *z->by_cost, by_cost);
}

void size_fini(struct size *z)
{
    MEM_FREE(z->n, z->cost, z->by_cost, z->seen);
    *z = (struct size){ .n_points = 0 };
}

size_t size_step(const struct size *z, size_t point, size_t side)
{
    for (size_t i = 0; i < side; i++) point /= z->n[i];
    return point % z->n[side];
}

void size_saw(struct size *z, size_t point, size_t load, enum trial_verdict verdict, bool leans)
{
    MEM_PUSH(z->seen, z->n_seen, z->cap_seen, (struct size_seen){ point, load, verdict, leans });
}

/* ---- what is left ---- */

static bool is_below(const struct size *z, size_t a, size_t b)
{
    for (size_t i = 0; i < z->n_sides; i++)
        if (size_step(z, a, i) > size_step(z, b, i)) return false;
    return true;
}

/* What an open one counts as: nothing, what it leans to, one that breaks a promise, one that keeps them all. */
enum reading { STRICT,
               LEANING,
               AS_BROKEN,
               AS_KEPT };

static bool is_broken(const struct size *z, size_t point, size_t load, enum reading open)
{
    for (size_t k = 0; k < z->n_seen; k++) {
        const struct size_seen *s = &z->seen[k];
        const bool is_so = open == AS_BROKEN || (open == LEANING && !s->leans),
                   breaks = s->verdict == TRIAL_BROKEN || (s->verdict == TRIAL_OPEN && is_so);
        if (breaks && s->load <= load && is_below(z, point, s->point)) return true;
    }
    return false;
}

/* The cheapest that keeps, at this load. */
static size_t cheapest(const struct size *z, size_t load, enum reading open)
{
    size_t best = z->n_points;
    for (size_t k = 0; k < z->n_seen; k++) {
        const struct size_seen *s = &z->seen[k];
        const bool keeps = s->verdict == TRIAL_KEPT || (open == LEANING && s->verdict == TRIAL_OPEN && s->leans);
        if (keeps && s->load == load && (best == z->n_points || z->cost[s->point] < z->cost[best])) best = s->point;
    }
    return best;
}

/* Itself, or with AS_KEPT an open one that it is above. */
static bool is_seen(const struct size *z, size_t point, size_t load, enum reading open)
{
    for (size_t k = 0; k < z->n_seen; k++) {
        const struct size_seen *s = &z->seen[k];
        if (s->load != load) continue;
        if (s->point == point || (open == AS_KEPT && s->verdict == TRIAL_OPEN && is_below(z, s->point, point)))
            return true;
    }
    return false;
}

/* left [n_points]: 1 where a point may yet be the answer; how many there are. */
static size_t find_left(const struct size *z, size_t load, enum reading open, size_t *left)
{
    const size_t kept = cheapest(z, load, open);
    size_t n = 0;
    for (size_t p = 0; p < z->n_points; p++) {
        const bool is_dear = kept < z->n_points && z->cost[p] >= z->cost[kept];
        left[p] = !is_dear && !is_seen(z, p, load, open) && !is_broken(z, p, load, open);
        n += left[p];
    }
    return n;
}

/* Of those left, the one for which the smaller of the two numbers that a verdict can strike out is largest. */
static size_t most_telling(const struct size *z, const size_t *left, size_t n_left)
{
    size_t *below, best = z->n_points, most = 0, n_cheaper = 0;
    MEM_ARRAY(below, z->n_points);
    memcpy(below, left, z->n_points * sizeof *below);
    for (size_t side = 0, stride = 1; side < z->n_sides; stride *= z->n[side++]) /* sums over all that are below */
        for (size_t p = 0; p < z->n_points; p++)
            if (size_step(z, p, side) > 0) below[p] += below[p - stride];
    for (size_t i = 0, same = 0; i < z->n_points; i++) {
        const size_t p = z->by_cost[i];
        if (i == 0 || z->cost[p] > z->cost[z->by_cost[i - 1]]) {
            n_cheaper += same;
            same = 0;
        }
        same += left[p];
        const size_t not_cheaper = n_left - n_cheaper, least = below[p] < not_cheaper ? below[p] : not_cheaper;
        if (left[p] == 1 && least > most) {
            most = least;
            best = p;
        }
    }
    mem_free(below);
    return best;
}

size_t size_next(const struct size *z, size_t load)
{
    size_t *left, found = z->n_points;
    MEM_ARRAY(left, z->n_points);
    for (enum reading open = LEANING; open <= AS_KEPT && found == z->n_points; open++) {
        const size_t n = find_left(z, load, open, left);
        if (n > 0) found = most_telling(z, left, n);
    }
    mem_free(left);
    return found;
}

struct size_answer size_answer(const struct size *z, size_t load)
{
    struct size_answer a = { .kept = cheapest(z, load, STRICT), .least = INFINITY };
    for (size_t i = 0; i < z->n_points && isinf(a.least); i++)
        if (!is_broken(z, z->by_cost[i], load, STRICT)) a.least = z->cost[z->by_cost[i]];
    a.is_decided = a.kept < z->n_points ? a.least >= z->cost[a.kept] : isinf(a.least);
    return a;
}
