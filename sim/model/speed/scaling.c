/* scaling.c -- rows of scaling.h, few enough to be looked through one by one. */
#include "model/speed/scaling.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"

void scaling_fini(struct scaling *s)
{
    for (size_t i = 0; i < s->n; i++) {
        curve_fini(&s->at[i].one);
        curve_fini(&s->at[i].several);
        curve_fini(&s->at[i].told);
        adaptive_free(s->at[i].model);
    }
    for (size_t i = 0; i < s->step_names.n; i++) {
        steps_fini(s->steps[i]);
        mem_free(s->steps[i]);
    }
    MEM_FREE(s->at, s->steps);
    intern_fini(&s->names);
    intern_fini(&s->step_names);
    memset(s, 0, sizeof *s);
}

/* From 1 GPU, or 2 of several nodes, as far as the model's batch sizes go. */
static void fill_points(struct curve *out, const struct adaptive *a, uint32_t most, bool is_several)
{
    double *x, *y, v;
    uint32_t n = 0;
    MEM_ARRAY(x, most);
    MEM_ARRAY(y, most);
    for (uint32_t k = is_several ? 2 : 1; k <= most; k++) {
        if ((v = adaptive_goodput(a, k, is_several)) <= 0 || !isfinite(v)) break;
        x[n] = k;
        y[n++] = v;
    }
    curve_points(out, x, y, n);
    MEM_FREE(x, y);
}

void scaling_fill(struct scaling_row *row, uint32_t most)
{
    fill_points(&row->one, row->model, most, false);
    fill_points(&row->several, row->model, most, true);
}

bool scaling_add(struct scaling *s, const struct scaling_row *row)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].name == row->name && s->at[i].gpu_type == row->gpu_type) return false;
    MEM_PUSH(s->at, s->n, s->cap, *row);
    return true;
}

const struct scaling_row *scaling_find(const struct scaling *s, uint32_t name, uint32_t gpu_type)
{
    const struct scaling_row *any = NULL;
    for (size_t i = 0; i < s->n; i++) {
        if (s->at[i].name != name) continue;
        if (s->at[i].gpu_type == gpu_type) return &s->at[i];
        if (s->at[i].gpu_type == NONE) any = &s->at[i];
    }
    return any;
}

static double last(const struct curve *c) { return c->n > 0 ? c->x[c->n - 1] : 0; }

struct spread scaling_spread(const struct scaling_row *row, uint32_t n, uint32_t n_nodes, uint32_t *count)
{
    uint32_t fewest = row->widest > 0 ? (n + row->widest - 1) / row->widest : 1;
    struct spread x = { .n_nodes = n_nodes == 1 ? (fewest > 2 ? fewest : 2) : n_nodes == 0 ? 1 : n_nodes, .n_gpus = n };
    if (count == NULL || x.n_nodes != fewest || fewest > SCALING_GPUS_MAX) return x;
    for (uint32_t i = 0; i < fewest; i++) count[i] = i + 1 < fewest ? row->widest : n - row->widest * (fewest - 1);
    x.count = count;
    return x;
}

static bool is_measured(const struct scaling_row *row) { return row->model != NULL && row->model->steps != NULL; }

bool scaling_tells_several(const struct scaling_row *row) { return is_measured(row) || !curve_is_none(&row->several); }

double scaling_speed(const struct scaling_row *row, uint32_t asked, const struct spread *where)
{
    if (is_measured(row)) {
        uint32_t count[SCALING_GPUS_MAX];
        const struct spread near = scaling_spread(row, asked, asked <= row->widest ? 0 : 1, count);
        if (row->model->asked.gpus != asked) {
            row->model->asked.goodput = adaptive_best(row->model, &near).goodput;
            row->model->asked.gpus = asked;
        }
        double at_asked = row->model->asked.goodput;
        return at_asked > 0 ? adaptive_best(row->model, where).goodput / at_asked : 0;
    }
    const struct curve *far = curve_is_none(&row->several) ? &row->one : &row->several;
    double at_asked = curve_at(asked <= last(&row->one) ? &row->one : far, asked);
    return curve_at(where->n_nodes > 1 ? far : &row->one, where->n_gpus) / at_asked;
}

double scaling_told(const struct scaling_row *row, sim_tick all, sim_tick left)
{
    const struct curve *c = &row->told;
    uint32_t k = 0;
    if (c->n == 0) return all > 0 ? (double)left / (double)all : 0;
    while (k + 1 < c->n && c->x[k + 1] * (double)all <= (double)(all - left + 1)) k++;     /* left is rounded up */
    return c->y[k];
}

struct steps *scaling_steps(const struct scaling *s, const char *name)
{
    uint32_t id = intern_find(&s->step_names, name);
    return id == NONE ? NULL : s->steps[id];
}

struct steps *scaling_steps_add(struct scaling *s, const char *name)
{
    uint32_t n = s->step_names.n, id = intern_id(&s->step_names, name);
    MEM_RESERVE(s->steps, s->cap_steps, (size_t)id + 1);
    if (id == n) MEM_NEW(s->steps[id]);
    return s->steps[id];
}

static bool lists(const struct curve *c, uint32_t n_gpus)
{
    for (uint32_t i = 0; i < c->n; i++) if (c->x[i] == n_gpus) return true;
    return false;
}

bool scaling_accepts(const struct scaling *s, uint32_t name, uint32_t n_gpus)
{
    bool is_open = true;
    for (size_t i = 0; i < s->n; i++) {
        const struct scaling_row *x = &s->at[i];
        if (x->name != name || !x->only_listed) continue;
        if (lists(&x->one, n_gpus) || lists(&x->several, n_gpus)) return true;
        is_open = false;
    }
    return is_open;
}

/* Cards of the largest node of the type. */
static uint32_t widest(const struct cluster *c, uint32_t gpu_type)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (c->node[i].n_gpu > most && c->node[i].gpu_type == gpu_type) most = c->node[i].n_gpu;
    return most;
}

const char *scaling_lacks(const struct scaling *s, uint32_t name, const struct cluster *c, uint64_t types,
                          uint32_t least, uint32_t most, char *buf, size_t cap)
{
    const char *what = intern_name(&s->names, name);
    for (uint32_t g = 0; g < c->gpu_types.n; g++) {
        uint32_t on_one = widest(c, g) < most ? widest(c, g) : most;
        if (on_one == 0 || (types != 0 && (types >> g & 1) == 0)) continue;
        const struct scaling_row *row = scaling_find(s, name, g);
        const char *type = intern_name(&c->gpu_types, g);
        if (row == NULL) {
            (void)snprintf(buf, cap, "scaling '%s' has no row of GPU type '%s', and none of any type", what, type);
            return buf;
        }
        if (is_measured(row)) {
            if (adaptive_goodput(row->model, least, least > on_one) > 0 && adaptive_goodput(row->model, most, most > on_one) > 0) continue;
            (void)snprintf(buf, cap, "scaling '%s' does not run on every size from %" PRIu32 " to %" PRIu32 " GPUs with its batch sizes", what, least, most);
            return buf;
        }
        const struct curve *far = curve_is_none(&row->several) ? &row->one : &row->several;
        bool is_near = least > on_one || (row->one.x[0] <= least && last(&row->one) >= on_one);
        uint32_t from = least > 2 ? least : 2;          /* on several nodes there are two at least */
        if (is_near && (most < 2 || (far->x[0] <= from && last(far) >= most))) continue;
        (void)snprintf(buf, cap, "scaling '%s' does not tell the speed of every size from %" PRIu32 " to %" PRIu32
                       " GPUs of type '%s', on one node of %" PRIu32 " and on several", what, least, most, type, widest(c, g));
        return buf;
    }
    return NULL;
}
