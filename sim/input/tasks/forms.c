/* forms.c -- the tasks of forms.h, written behind those that are there. */
#include "input/tasks/forms.h"

#include "base/mem.h"

const char *const forms_name[FORMS] = { "one", "map", "cross", "wavefront" };

void forms_reset(struct forms *f) { f->n = f->n_in = f->n_after = 0; }

void forms_fini(struct forms *f)
{
    mem_free(f->in_start);
    mem_free(f->after_start);
    mem_free(f->after);
    mem_free(f->in);
    mem_free(f->out);
    *f = (struct forms){ .n = 0 };
}

static bool has_pairs(enum form form) { return form == FORM_CROSS || form == FORM_WAVEFRONT; }

static int64_t times(int64_t a, int64_t b)
{
    return a > 0 && b > INT64_MAX / a ? INT64_MAX : a * b;
}

struct forms_size forms_size(const struct form_stage *s)
{
    int64_t nx = s->nx, ny = s->ny, before = 0, read = 0;
    struct forms_size z = { .tasks = 1, .inputs = nx };
    if (s->form == FORM_MAP) z.tasks = nx;
    if (has_pairs(s->form)) {
        z.tasks = times(nx, ny);
        z.inputs = times(2, z.tasks);
    }
    for (uint32_t k = 0; k < s->n_after; k++) *(s->after[k].part > 0 ? &read : &before) += s->after[k].n;
    z.waits = times(z.tasks, before);
    read = times(z.tasks, read);
    z.inputs = z.inputs > INT64_MAX - read ? INT64_MAX : z.inputs + read;
    /* Of the grid's tasks, all but one row wait for the row above, and all but one column for the one before. */
    if (s->form == FORM_WAVEFRONT && nx > 0 && ny > 0) {
        int64_t grid = times(nx - 1, ny), more = times(nx, ny - 1);
        grid = grid > INT64_MAX - more ? INT64_MAX : grid + more;
        z.waits = z.waits > INT64_MAX - grid ? INT64_MAX : z.waits + grid;
    }
    return z;
}

int64_t forms_chain(const struct form_stage *s)
{
    return s->form == FORM_WAVEFRONT ? (int64_t)s->nx + s->ny - 1 : 1;
}

static void wait_for(struct forms *f, uint32_t task) { f->after[f->n_after++] = task; }

uint32_t forms_add(struct forms *f, const struct form_stage *s)
{
    struct forms_size z = forms_size(s);
    uint32_t first = f->n, ny = has_pairs(s->form) ? s->ny : 1;
    SIM_ASSERT(z.tasks >= 1 && f->n + z.tasks <= FORMS_TASKS_MAX);
    SIM_ASSERT(f->n_in + z.inputs <= FORMS_LINKS_MAX && f->n_after + z.waits <= FORMS_LINKS_MAX);
    SIM_ASSERT(s->ny == 0 || has_pairs(s->form));
    size_t n_end = (size_t)(f->n + z.tasks);
    MEM_RESERVE(f->in_start, f->cap_in_start, n_end + 1);
    MEM_RESERVE(f->after_start, f->cap_after_start, n_end + 1);
    MEM_RESERVE(f->out, f->cap_out, n_end);
    MEM_RESERVE(f->in, f->cap_in, (size_t)(f->n_in + z.inputs) + 1);
    MEM_RESERVE(f->after, f->cap_after, (size_t)(f->n_after + z.waits) + 1);
    for (uint32_t t = 0; t < (uint32_t)z.tasks; t++, f->n++) {
        uint32_t i = t / ny, j = t % ny;
        f->in_start[f->n] = f->n_in;
        f->after_start[f->n] = f->n_after;
        f->out[f->n] = s->out;
        if (s->form == FORM_ONE) for (uint32_t k = 0; k < s->nx; k++) f->in[f->n_in++] = s->x[k];
        else f->in[f->n_in++] = s->x[i];
        if (has_pairs(s->form)) f->in[f->n_in++] = s->y[j];
        for (uint32_t k = 0; k < s->n_after; k++)
            for (uint32_t b = s->after[k].first; b < s->after[k].first + s->after[k].n; b++) {
                if (s->after[k].part == 0) wait_for(f, b);
                else f->in[f->n_in++] = (struct task_input){ .block = NONE, .task = b, .part = s->after[k].part };
            }
        if (s->form == FORM_WAVEFRONT && i > 0) wait_for(f, f->n - ny);
        if (s->form == FORM_WAVEFRONT && j > 0) wait_for(f, f->n - 1);
    }
    f->in_start[f->n] = f->n_in;
    f->after_start[f->n] = f->n_after;
    return first;
}

struct task_graph forms_graph(const struct forms *f)
{
    SIM_ASSERT(f->n > 0);
    return (struct task_graph){ .in_start = f->in_start, .in = f->in, .after_start = f->after_start, .after = f->after, .out = f->out };
}
