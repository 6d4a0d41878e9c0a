/* native_write.c -- jobs as rows of the native format, exact: what is read back is what was written. */
#include "input/trace/format/native.h"

#include <inttypes.h>
#include <string.h>
#include "base/text.h"
#include "input/trace/format/native_priv.h"

/* Not every file has every column: see native.h. */
static bool has_column(const struct cluster *c, struct native_form form, enum native_col col)
{
    if (col >= START && col <= STATE) return form.past;
    if (col == AFTER) return form.after;
    if (col == RESTORE) return form.restores;
    const bool bare = form.bare;
    return col >= WORKFLOW ? false : col == LICENCES ? c->licences.n > 0 : !bare || (col != GPU_CORES && col != NODE);
}

void native_write_header(FILE *f, const struct cluster *c, struct native_form form)
{
    for (size_t i = 0; i < N_COLS; i++)
        if (has_column(c, form, (enum native_col)i)) (void)fprintf(f, "%s%s", i > 0 ? "," : "", native_columns[i]);
    (void)fputc('\n', f);
}

/* whole + part / 10^decimals without trailing zeros: exact. */
static void put_parts(FILE *f, int64_t whole, int64_t part, int decimals)
{
    char frac[24];
    (void)fprintf(f, "%" PRId64, whole);
    if (part == 0) return;
    (void)snprintf(frac, sizeof frac, "%0*" PRId64, decimals, part);
    size_t n = strlen(frac);
    while (frac[n - 1] == '0') n--;
    (void)fprintf(f, ".%.*s", (int)n, frac);
}

/* v / 10^decimals */
static void put_decimal(FILE *f, int64_t v, int decimals)
{
    int64_t scale = 1;
    for (int i = 0; i < decimals; i++) scale *= 10;
    put_parts(f, v / scale, v % scale, decimals);
}

/* Seven decimals of a MiB are a tenth of a byte: reading rounds back to the same byte. */
static void put_mib(FILE *f, int64_t b)
{
    int64_t tenths = b % NATIVE_MIB * 10000000;
    put_parts(f, b / NATIVE_MIB, tenths / NATIVE_MIB + (tenths % NATIVE_MIB * 2 >= NATIVE_MIB), 7);
}

static void put_text(FILE *f, const char *s)
{
    if (s == NULL) return;
    /* Empty is not absent, and libcsv trims unquoted blanks. */
    text_csv(s, *s == '\0' || strspn(s, " \t") > 0 || strchr(" \t", s[strlen(s) - 1]) != NULL, f);
}

static void put_names(FILE *f, const struct intern *t, uint64_t mask, char sep)
{
    for (uint32_t i = 0, n = 0; i < 64; i++)
        if (mask >> i & 1) (void)fprintf(f, "%s%s", n++ > 0 ? (const char[]){ sep, '\0' } : "", intern_name(t, i));
}

enum unit { WHOLE, MILLI, MICRO, MEBI };

static void put_figure(FILE *f, int64_t v, enum unit unit)
{
    if (unit == MEBI) put_mib(f, v);
    else put_decimal(f, v, unit == WHOLE ? 0 : unit == MILLI ? 3 : 6);
}

/* One figure a group, one for all when they are equal. */
static void put_cells(FILE *f, const int64_t *v, uint32_t n, enum unit unit)
{
    bool same = true;
    for (uint32_t k = 1; k < n; k++) same = same && v[k] == v[0];
    for (uint32_t k = 0; k < (same ? 1 : n); k++) {
        if (k > 0) (void)fputc('+', f);
        put_figure(f, v[k], unit);
    }
}

static void put_figures(FILE *f, const int64_t *v, uint32_t n, enum unit unit)
{
    put_cells(f, v, n, unit);
    (void)fputc(',', f);
}

static void put_licences(FILE *f, const struct cluster *c, const struct shape *s)
{
    (void)fputc(',', f);
    for (uint32_t k = 0, n = 0; k < c->licences.n; k++)
        if (s->licence[k] > 0) (void)fprintf(f, "%s%s:%" PRId32, n++ > 0 ? ";" : "", intern_name(&c->licences, k), s->licence[k]);
}

/* What differs between a job's groups; any: some group has more of it than the format's default. */
enum { F_TASKS, F_DUR, F_CPU, F_MEM, F_GPUS, F_MILLI, F_GMEM, F_BW, F_GCORES, N_F };
struct row_figures { int64_t v[N_F][NATIVE_GROUPS_MAX]; bool any[N_F]; uint32_t n; const struct shape *shape; };

static void gather(struct row_figures *x, const struct job_spec *s)
{
    SIM_ASSERT(s->n_groups <= NATIVE_GROUPS_MAX);
    /* Types, labels and exclusive are the job's: any group's shape has them. */
    *x = (struct row_figures){ .n = s->n_groups, .shape = &s->group[0].shape };
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct task_group *g = &s->group[k];
        const int64_t v[N_F] = {
            [F_TASKS] = g->n, [F_DUR] = g->dur, [F_CPU] = g->shape.cpu_milli, [F_MEM] = g->shape.mem_b,
            [F_GPUS] = g->shape.n_gpu, [F_MILLI] = g->shape.gpu_milli, [F_GMEM] = g->shape.gpu_mem_b,
            [F_BW] = g->mem_bw, [F_GCORES] = g->shape.gpu_cores,
        };
        for (int i = 0; i < N_F; i++) {
            x->v[i][k] = v[i];
            x->any[i] |= i == F_MILLI ? g->shape.n_gpu > 0 && v[i] != GPU_WHOLE : v[i] > 0;
        }
        if (g->shape.n_gpu > 0) x->shape = &g->shape;
    }
}

static void put_field(FILE *f, const char *s)
{
    put_text(f, s);
    (void)fputc(',', f);
}

/* Empty where no group has any. */
static void put_some(FILE *f, const struct row_figures *x, int figure, enum unit unit)
{
    if (x->any[figure]) put_cells(f, x->v[figure], x->n, unit);
    (void)fputc(',', f);
}

static void put_labels(FILE *f, const struct cluster *c, const struct shape *s)
{
    put_names(f, &c->labels, s->need_all, '&');
    if (s->need_any == 0) return;
    (void)fputs(s->need_all != 0 ? "&(" : "(", f);
    put_names(f, &c->labels, s->need_any, '|');
    (void)fputc(')', f);
}

static void put_past(FILE *f, const struct job_past *p)
{
    (void)fputc(',', f);
    if (p->is_known) put_decimal(f, p->start, 6);
    (void)fputc(',', f);
    if (p->is_known && p->end >= 0) put_decimal(f, p->end, 6);
    (void)fputc(',', f);
    put_field(f, p->is_known ? p->nodes : NULL);
    put_text(f, p->is_known ? p->state : NULL);
}

void native_write(FILE *f, const struct job_spec *s, const struct cluster *c, struct native_form form)
{
    struct row_figures x;
    gather(&x, s);
    put_field(f, s->id);
    put_decimal(f, s->submit, 6);
    (void)fputc(',', f);
    put_figures(f, x.v[F_DUR], x.n, MICRO);
    put_field(f, s->user);
    put_field(f, s->queue);
    /* The number of groups is that of the longest list, so the task counts of several groups are never folded. */
    for (uint32_t k = 0; k < x.n; k++) (void)fprintf(f, "%s%" PRId64, k > 0 ? "+" : "", x.v[F_TASKS][k]);
    (void)fprintf(f, ",%d,", s->gang);
    put_figures(f, x.v[F_CPU], x.n, MILLI);
    put_figures(f, x.v[F_MEM], x.n, MEBI);
    put_figures(f, x.v[F_GPUS], x.n, WHOLE);
    put_some(f, &x, F_MILLI, WHOLE);
    put_some(f, &x, F_GMEM, MEBI);
    if (x.any[F_GPUS]) put_names(f, &c->gpu_types, x.shape->gpu_types, '|');
    (void)fputc(',', f);
    put_labels(f, c, x.shape);
    (void)fprintf(f, ",%s,", x.shape->exclusive != 0 ? "1" : "");
    if (s->limit > 0) put_decimal(f, s->limit, 6);
    (void)fputc(',', f);
    put_field(f, s->model);
    if (s->priority != 0) (void)fprintf(f, "%d", (int)s->priority);
    (void)fputc(',', f);
    put_field(f, s->klass);
    put_some(f, &x, F_BW, MICRO);
    for (size_t k = 0, some = 0; k < NATIVE_HINTS; k++) {
        if ((s->hints.told >> k & 1) == 0) continue;
        int64_t figure = 1u << k == HINT_HEAVY_WEIGHTS ? s->hints.weights : 1u << k == HINT_COMPLEX_CPU ? s->hints.work_us : 0;
        (void)fprintf(f, "%s%s%s", some++ > 0 ? "+" : "", native_hints[k], figure > 0 ? "=" : "");
        if (figure > 0) put_decimal(f, figure, 3);
    }
    SIM_ASSERT(!form.bare || (!x.any[F_GCORES] && s->node == NULL));
    if (!form.bare) {
        (void)fputc(',', f);
        put_some(f, &x, F_GCORES, WHOLE);
        put_text(f, s->node);
    }
    if (c->licences.n > 0) put_licences(f, c, x.shape);
    if (form.past) put_past(f, &s->past);
    if (form.after) {
        (void)fputc(',', f);
        put_text(f, s->after);
    }
    if (form.restores) {
        (void)fputc(',', f);
        if (s->restore.is_own) put_decimal(f, s->restore.cost, 6);
    }
    (void)fputc('\n', f);
}
