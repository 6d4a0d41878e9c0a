/* heft.c -- upward ranks, then each task booked where it ends first, see heft.h. */
#include "mapper/heft.h"

#include "lib/util.h"

static double mean_time(const struct heft_in *in, const struct engine_timeline *line, uint32_t n_lines, uint32_t t)
{
    double sum = 0;
    uint32_t n = 0;
    for (uint32_t l = 0; l < n_lines; l++) {
        int64_t w = in->w[(size_t)t * in->n_engines + line[l].engine];
        if (w < 0 || (in->may != NULL && !in->may(in->ctx, t, l))) continue;
        sum += (double)w;
        n++;
    }
    return n > 0 ? sum / n : 0;
}

/* Ranks from the exits up: a task whose followers all have theirs is next. */
static void rank(const struct heft_in *in, const struct engine_timeline *line, uint32_t n_lines, struct heft_out *out)
{
    uint32_t *left = pol_alloc(in->n, sizeof *left), *stack = pol_alloc(in->n, sizeof *stack), n = 0;
    uint32_t *before_start = pol_alloc((size_t)in->n + 1, sizeof *before_start), edges = in->next_start[in->n];
    uint32_t *before = pol_alloc(edges, sizeof *before);
    for (uint32_t e = 0; e < edges; e++) before_start[in->next[e] + 1]++;
    for (uint32_t i = 0; i < in->n; i++) before_start[i + 1] += before_start[i];
    uint32_t *fill = pol_alloc(in->n, sizeof *fill);
    for (uint32_t i = 0; i < in->n; i++)
        for (uint32_t e = in->next_start[i]; e < in->next_start[i + 1]; e++) before[before_start[in->next[e]] + fill[in->next[e]]++] = i;
    for (uint32_t i = 0; i < in->n; i++)
        if ((left[i] = in->next_start[i + 1] - in->next_start[i]) == 0) stack[n++] = i;
    while (n > 0) {
        uint32_t i = stack[--n];
        double most = 0;
        for (uint32_t e = in->next_start[i]; e < in->next_start[i + 1]; e++) {
            double r = (double)in->comm[e] + out[in->next[e]].rank;
            if (r > most) most = r;
        }
        out[i].rank = mean_time(in, line, n_lines, i) + most;
        for (uint32_t b = before_start[i]; b < before_start[i + 1]; b++)
            if (--left[before[b]] == 0) stack[n++] = before[b];
    }
    free(left);
    free(stack);
    free(before_start);
    free(before);
    free(fill);
}

struct ranked { double rank; uint32_t task; };
static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->rank > y->rank ? -1 : x->rank < y->rank ? 1 : (x->task > y->task) - (x->task < y->task);
}

/* Time on the way of an edge from where a task is planned to a timeline. */
static int64_t way_of(const struct heft_in *in, const struct engine_timeline *line, uint32_t edge,
                      uint32_t from, uint32_t to)
{
    if (in->way == NULL && in->read != NULL) return 0;
    if (from == POL_NONE) return in->comm[edge];
    if (in->way != NULL) return in->way(in->ctx, edge, from, to);
    return line[from].node == line[to].node ? 0 : in->comm[edge];
}

/*
 * A task's rank is smaller than those of the tasks before it, except where tasks take no
 * time.  So of the tasks whose forerunners are all planned, the one with the greatest
 * rank is planned next.
 */
void heft_plan(const struct heft_in *in, struct engine_timeline *line, uint32_t n_lines, struct heft_out *out)
{
    struct ranked *order = pol_alloc(in->n, sizeof *order);
    int64_t *ready = pol_alloc((size_t)in->n * (n_lines > 0 ? n_lines : 1), sizeof *ready);     /* [task][timeline] */
    uint32_t *wait = pol_alloc(in->n, sizeof *wait);
    bool *done = pol_alloc(in->n, sizeof *done);
    rank(in, line, n_lines, out);
    for (uint32_t i = 0; i < in->n; i++) order[i] = (struct ranked){ out[i].rank, i };
    if (in->n > 1) qsort(order, in->n, sizeof *order, by_rank);
    for (size_t i = 0; i < (size_t)in->n * n_lines; i++)
        ready[i] = in->there != NULL ? in->there(in->ctx, (uint32_t)(i / n_lines), (uint32_t)(i % n_lines)) : in->now;
    for (uint32_t e = 0; e < in->next_start[in->n]; e++) wait[in->next[e]]++;
    uint32_t n_done = 0, from = 0;
    while (n_done < in->n) {
        while (done[order[from].task]) from++;
        uint32_t at = from;
        while (done[order[at].task] || wait[order[at].task] > 0) at++;
        uint32_t t = order[at].task;
        struct heft_out *o = &out[t];
        done[t] = true;
        n_done++;
        o->line = POL_NONE;
        o->start = o->end = in->now;
        for (uint32_t l = 0; l < n_lines; l++) {
            int64_t w = in->w[(size_t)t * in->n_engines + line[l].engine];
            if (w < 0 || (in->may != NULL && !in->may(in->ctx, t, l))) continue;
            if (in->read != NULL) w = pol_after(w, in->read(in->ctx, t, l));
            int64_t start = engine_timeline_fit(&line[l], ready[(size_t)t * n_lines + l], w, true);
            if (o->line != POL_NONE && pol_after(start, w) >= o->end) continue;
            o->line = l;
            o->start = start;
            o->end = pol_after(start, w);
        }
        if (o->line != POL_NONE) engine_timeline_put(&line[o->line], in->first + t, o->start, o->end - o->start);
        for (uint32_t e = in->next_start[t]; e < in->next_start[t + 1]; e++) {
            uint32_t f = in->next[e];
            wait[f]--;
            for (uint32_t l = 0; l < n_lines; l++) {
                int64_t come = pol_after(o->end, way_of(in, line, e, o->line, l));
                if (come > ready[(size_t)f * n_lines + l]) ready[(size_t)f * n_lines + l] = come;
            }
        }
    }
    free(order);
    free(ready);
    free(wait);
    free(done);
}
