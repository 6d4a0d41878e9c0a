/*
 * stages.c -- the reader of stages.h: a stage's row becomes a form's inputs, then
 * tasks of the job (forms.h).  A stage may name earlier ones of its job alone.
 */
#include "input/tasks/stages.h"

#include <string.h>
#include "base/mem.h"
#include "input/tasks/forms.h"
#include "input/tasks/blocks.h"
#include "input/trace/reader.h"

#define MIB (INT64_C(1) << 20)

enum col { JOB, STAGE, FORM, X, Y, CPUS, MEM, GPUS, GPU_MILLI, GPU_MEM, DURATION, OUTPUT, AFTER, LICENCES, N_COLS };
static const char *const names[N_COLS] = {
    "job", "stage", "form", "x", "y", "cpus", "mem_mib", "gpus", "gpu_milli", "gpu_mem_mib", "duration_s", "output", "after",
    "licences"
};

/* A list of inputs in the making. */
struct inputs { struct task_input *at; size_t cap; uint32_t n; };

struct stages_reader {
    struct trace_env env;
    struct blocks_index blocks;
    bool   has_blocks;              /* a file of them is given */
    struct csv *csv;
    bool   has_row;                 /* the csv stands at a row not yet read */
    int    at[N_COLS];
    /* The job being read: its name, and a name, a range and a group for each stage. */
    char  *job;
    char **stage;               size_t cap_stage;
    struct task_range *range;   size_t cap_range;
    struct task_group *group;   size_t cap_group;
    struct task_range *after;   size_t cap_after;
    uint32_t n, n_after;
    sim_tick chain;                 /* at most this long alone: its stages one after another */
    struct inputs x, y;
    struct forms forms;
    struct task_graph graph;
};

/* ---- names ---- */

/* The stage called name[0..len) of this job, NONE when there is none. */
static uint32_t find_stage(const struct stages_reader *s, const char *name, size_t len)
{
    for (uint32_t k = 0; k < s->n; k++)
        if (strncmp(s->stage[k], name, len) == 0 && s->stage[k][len] == '\0') return k;
    return NONE;
}

static enum st unknown_stage(const struct stages_reader *s, enum col col, const char *name, size_t len, struct diag *d)
{
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)i64_min((int64_t)len, (int64_t)sizeof word - 1), name);
    enum st st = csv_fail(s->csv, s->at[col], d, "job '%.60s' has no earlier stage '%s'", s->job, word);
    const char *near = diag_nearest(word, (const char *const *)s->stage, s->n);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    return st;
}

static enum st unknown_block(const struct stages_reader *s, enum col col, const char *name, struct diag *d)
{
    const struct intern *all = &s->blocks.data->names;
    enum st st = csv_fail(s->csv, s->at[col], d, "found block '%.60s', which is not in %s", name,
                          s->has_blocks ? "the file of blocks" : "this scenario: 'blocks' in its trace section names their file");
    const char *near = diag_nearest(name, (const char *const *)all->name, all->n);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    else if (find_stage(s, name, strlen(name)) != NONE) diag_hint(d, "did you mean the outputs of the stage, '@%s'?", name);
    return st;
}

static void add_input(struct inputs *in, struct task_input i)
{
    MEM_RESERVE(in->at, in->cap, (size_t)in->n + 1);
    in->at[in->n++] = i;
}

static void add_block(void *ctx, uint32_t block) { add_input(ctx, (struct task_input){ .block = block, .task = NONE }); }

/* One name of x or y: @STAGE, PREFIX* or a block. */
static enum st read_input(const struct stages_reader *s, enum col col, const char *name, size_t len, struct inputs *out, struct diag *d)
{
    if (name[0] == '@') {
        uint32_t k = find_stage(s, name + 1, len - 1);
        if (k == NONE) return unknown_stage(s, col, name + 1, len - 1, d);
        for (uint32_t i = 0; i < s->range[k].n; i++)
            add_input(out, (struct task_input){ .block = NONE, .task = s->range[k].first + i });
        return ST_OK;
    }
    if (name[len - 1] == '*') {
        if (blocks_each(&s->blocks, name, len - 1, add_block, out) > 0) return ST_OK;
        return csv_fail(s->csv, s->at[col], d, "found no block whose name begins with '%.*s'", (int)i64_min((int64_t)len - 1, 60), name);
    }
    char *word = mem_strndup(name, len);
    uint32_t id = intern_find(&s->blocks.data->names, word);
    enum st st = id != NONE ? ST_OK : unknown_block(s, col, word, d);
    if (id != NONE) add_block(out, id);
    mem_free(word);
    return st;
}

/* The next name of a list joined by '|'. */
static bool next_name(const char **rest, const char **name, size_t *len)
{
    if (**rest == '\0') return false;
    *name = *rest;
    *len = strcspn(*rest, "|");
    *rest += *len + ((*rest)[*len] == '|');
    return true;
}

static enum st check_name(const struct stages_reader *s, enum col col, const char *name, size_t len, struct diag *d)
{
    if (len > 0 && (name[len] == '\0' || name[len + 1] != '\0')) return ST_OK;
    return csv_fail(s->csv, s->at[col], d, "'%.60s' has an empty name; names are joined by '|'", csv_field(s->csv, s->at[col]));
}

static enum st read_inputs(const struct stages_reader *s, enum col col, struct inputs *out, struct diag *d)
{
    const char *rest = csv_field(s->csv, s->at[col]), *name;
    size_t len;
    out->n = 0;
    while (next_name(&rest, &name, &len)) {
        TRY(check_name(s, col, name, len, d));
        TRY(read_input(s, col, name, len, out, d));
        if (out->n > FORMS_LINKS_MAX) return csv_fail(s->csv, s->at[col], d, "more than %d inputs", FORMS_LINKS_MAX);
    }
    return ST_OK;
}

/* One name of `after`: STAGE, or STAGE=SIZE for what each of its tasks writes for each task here. */
static enum st read_before(const struct stages_reader *s, const char *name, size_t len, uint32_t *stage, int64_t *part,
                           struct diag *d)
{
    size_t n = len;
    *part = 0;
    *stage = find_stage(s, name, len);
    while (n > 0 && name[n - 1] != '=') n--;
    if (*stage != NONE) return ST_OK;
    if (n == 0) return unknown_stage(s, AFTER, name, len, d);
    char *size = mem_strndup(name + n, len - n), error[256];
    bool ok = blocks_parse_size(size, part, error, sizeof error);
    mem_free(size);
    if (!ok) return csv_fail(s->csv, s->at[AFTER], d, "%s", error);
    *stage = find_stage(s, name, n - 1);
    return *stage != NONE ? ST_OK : unknown_stage(s, AFTER, name, n - 1, d);
}

static enum st read_after(struct stages_reader *s, struct diag *d)
{
    const char *rest = csv_field(s->csv, s->at[AFTER]), *name;
    size_t len;
    s->n_after = 0;
    while (next_name(&rest, &name, &len)) {
        TRY(check_name(s, AFTER, name, len, d));
        uint32_t k;
        int64_t part;
        TRY(read_before(s, name, len, &k, &part, d));
        for (uint32_t i = 0; i < s->n_after; i++)
            if (s->after[i].first == s->range[k].first) return csv_fail(s->csv, s->at[AFTER], d, "found stage '%.60s' twice", s->stage[k]);
        MEM_RESERVE(s->after, s->cap_after, (size_t)s->n_after + 1);
        s->after[s->n_after] = s->range[k];
        s->after[s->n_after++].part = part;
    }
    return ST_OK;
}

/* ---- one row ---- */

static enum st read_form(const struct stages_reader *s, enum form *out, struct diag *d)
{
    const char *word = csv_field(s->csv, s->at[FORM]);
    *out = FORM_ONE;
    if (*word == '\0') return ST_OK;
    for (uint32_t k = 0; k < FORMS; k++)
        if (strcmp(word, forms_name[k]) == 0) { *out = (enum form)k; return ST_OK; }
    enum st st = csv_fail(s->csv, s->at[FORM], d, "found '%.60s', expected one, map, cross or wavefront", word);
    const char *near = diag_nearest(word, forms_name, FORMS);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    return st;
}

static enum st read_group(const struct stages_reader *s, const struct shape *common, struct task_group *g, struct diag *d)
{
    const struct trace_opts *o = s->env.opts;
    const struct csv *c = s->csv;
    const int *at = s->at;
    int64_t gpus = 0, gpu_mem = 0;
    TRY(csv_int(c, at[GPUS], 0, NODE_GPUS_MAX, &gpus, d));
    int64_t milli = gpus > 0 ? GPU_WHOLE : 0;
    int64_t cpu = gpus > 0 ? gpus * o->dflt.cpu_milli_per_gpu : o->dflt.cpu_milli;
    int64_t mem = gpus > 0 ? gpus * o->dflt.mem_b_per_gpu : o->dflt.mem_b;
    TRY(csv_int(c, at[GPU_MILLI], 1, GPU_WHOLE, &milli, d));
    TRY(csv_scaled(c, at[GPU_MEM], MIB, INT64_MAX / 1024, &gpu_mem, d));
    TRY(csv_scaled(c, at[CPUS], 1000, INT64_C(1000000000), &cpu, d));
    TRY(csv_scaled(c, at[MEM], MIB, INT64_MAX / 1024, &mem, d));
    TRY(csv_need(c, at[DURATION], d));
    TRY(csv_seconds(c, at[DURATION], &g->dur, d));
    TRY(trace_rounded(&s->env, csv_rounded(s->csv), csv_line(c), d));
    if (gpus == 0 && milli > 0) return csv_fail(c, at[GPU_MILLI], d, "a share of a card, but the stage asks for no GPUs");
    if (gpus == 0 && gpu_mem > 0) return csv_fail(c, at[GPU_MEM], d, "memory of a card, but the stage asks for no GPUs");
    g->shape = *common;
    g->shape.cpu_milli = cpu;
    g->shape.mem_b = mem;
    g->shape.n_gpu = (int32_t)gpus;
    g->shape.gpu_milli = (int32_t)milli;
    g->shape.gpu_mem_b = gpu_mem;
    if (gpus == 0) g->shape.gpu_types = 0;
    return trace_licences(&s->env, c, at[LICENCES], &g->shape, d);
}

static enum st read_data(struct stages_reader *s, struct form_stage *f, struct diag *d)
{
    TRY(read_form(s, &f->form, d));
    bool goes_over_x = f->form != FORM_ONE, goes_over_y = f->form == FORM_CROSS || f->form == FORM_WAVEFRONT;
    const char *form = forms_name[f->form];
    if (goes_over_x && *csv_field(s->csv, s->at[X]) == '\0') return csv_fail(s->csv, s->at[X], d, "is empty; the form '%s' goes over it", form);
    if (goes_over_y && *csv_field(s->csv, s->at[Y]) == '\0') return csv_fail(s->csv, s->at[Y], d, "is empty; the form '%s' goes over it", form);
    if (!goes_over_y && *csv_field(s->csv, s->at[Y]) != '\0') return csv_fail(s->csv, s->at[Y], d, "the form '%s' takes x alone; cross and wavefront take y", form);
    TRY(read_inputs(s, X, &s->x, d));
    TRY(read_inputs(s, Y, &s->y, d));
    TRY(read_after(s, d));
    TRY(blocks_size(s->csv, s->at[OUTPUT], &f->out, d));
    f->x = s->x.at;
    f->nx = s->x.n;
    f->y = s->y.at;
    f->ny = s->y.n;
    f->after = s->after;
    f->n_after = s->n_after;
    return ST_OK;
}

static enum st check_size(const struct stages_reader *s, const struct form_stage *f, sim_tick dur, struct diag *d)
{
    struct forms_size z = forms_size(f);
    int64_t row = forms_chain(f);
    if (z.tasks > FORMS_TASKS_MAX - (int64_t)s->forms.n)
        return csv_fail(s->csv, s->at[FORM], d, "job '%.60s' comes to more than %d tasks", s->job, FORMS_TASKS_MAX);
    if (z.inputs > FORMS_LINKS_MAX - (int64_t)s->forms.n_in)
        return csv_fail(s->csv, s->at[X], d, "the tasks of job '%.60s' come to more than %d inputs", s->job, FORMS_LINKS_MAX);
    if (z.waits > FORMS_LINKS_MAX - (int64_t)s->forms.n_after) {
        enum st st = csv_fail(s->csv, s->at[AFTER], d, "the tasks of job '%.60s' come to more than %d waits", s->job, FORMS_LINKS_MAX);
        diag_hint(d, "a stage of one task of 0 s between two large stages makes n + m waits of n * m");
        return st;
    }
    /* The graph's longest chain of durations must be countable; the stages one after another are no shorter. */
    if (dur > 0 && row > (DUR_MAX - s->chain) / dur)
        return csv_fail(s->csv, s->at[DURATION], d, "the stages of job '%.60s' one after another last longer than %lld days", s->job,
                        (long long)(DUR_MAX / (86400 * TICK_SEC)));
    return ST_OK;
}

static enum st read_row(struct stages_reader *s, const struct shape *common, struct diag *d)
{
    struct form_stage f = { .form = FORM_ONE };
    struct task_group g = { .n = 0 };
    TRY(csv_need(s->csv, s->at[STAGE], d));
    const char *name = csv_field(s->csv, s->at[STAGE]);
    if (strchr(name, '|') != NULL) return csv_fail(s->csv, s->at[STAGE], d, "found stage name '%.60s', expected one without '|'", name);
    if (find_stage(s, name, strlen(name)) != NONE) return csv_fail(s->csv, s->at[STAGE], d, "job '%.60s' has a stage '%.60s' already", s->job, name);
    TRY(read_data(s, &f, d));
    TRY(read_group(s, common, &g, d));
    TRY(check_size(s, &f, g.dur, d));
    s->chain += forms_chain(&f) * g.dur;
    g.n = (uint32_t)forms_size(&f).tasks;
    MEM_RESERVE(s->stage, s->cap_stage, (size_t)s->n + 1);
    MEM_RESERVE(s->range, s->cap_range, (size_t)s->n + 1);
    MEM_RESERVE(s->group, s->cap_group, (size_t)s->n + 1);
    s->stage[s->n] = mem_strdup(name);
    s->range[s->n] = (struct task_range){ .first = forms_add(&s->forms, &f), .n = g.n };
    s->group[s->n++] = g;
    return ST_OK;
}

/* ---- the file ---- */

/* On to the next row; at the end has_row turns false. */
static enum st advance(struct stages_reader *s, struct diag *d)
{
    enum st st = csv_next(s->csv, d);
    s->has_row = st == ST_OK;
    if (st == ST_OK) return csv_need(s->csv, s->at[JOB], d);
    return st == ST_END ? ST_OK : st;
}

const char *stages_next(const struct stages_reader *s) { return s->has_row ? csv_field(s->csv, s->at[JOB]) : NULL; }

static void forget_job(struct stages_reader *s)
{
    for (uint32_t k = 0; k < s->n; k++) mem_free(s->stage[k]);
    mem_free(s->job);
    s->job = NULL;
    s->n = 0;
    s->chain = 0;
    forms_reset(&s->forms);
}

enum st stages_read(struct stages_reader *s, const struct shape *common, struct job_spec *out, struct diag *d)
{
    SIM_ASSERT(s->has_row);
    forget_job(s);
    s->job = mem_strdup(stages_next(s));
    while (s->has_row && strcmp(stages_next(s), s->job) == 0) {
        TRY(read_row(s, common, d));
        TRY(advance(s, d));
    }
    s->graph = forms_graph(&s->forms);
    out->group = s->group;
    out->n_groups = s->n;
    out->graph = &s->graph;
    return ST_OK;
}

enum st stages_end(const struct stages_reader *s, struct diag *d)
{
    if (!s->has_row) return ST_OK;
    enum st st = csv_fail(s->csv, s->at[JOB], d, "job '%.60s' is not in %s, or stands earlier there", stages_next(s), s->env.opts->path);
    diag_hint(d, "stages come in the order of the jobs, those of one job together");
    return st;
}

enum st stages_open(struct stages_reader **out, const struct trace_env *env, const char *path, const char *blocks, struct diag *d)
{
    static const bool need[N_COLS] = { [JOB] = true, [STAGE] = true, [DURATION] = true };
    if (env->data == NULL) return diag_set(d, ST_EINPUT, "stages need a scenario: it has data, and a cluster to hold it");
    struct stages_reader *s;
    MEM_NEW(s);
    s->env = *env;
    s->has_blocks = blocks != NULL;
    enum st st = blocks_open(&s->blocks, env, blocks, d);
    if (st == ST_OK) st = csv_open(&s->csv, path, ',', d);
    if (st == ST_OK) st = csv_columns(s->csv, names, need, s->at, N_COLS, false,
                                         DIAG_DOC("traces/README.md") " lists the columns of a file of stages", d);
    if (st == ST_OK) st = advance(s, d);
    if (st != ST_OK) {
        stages_close(s);
        return st;
    }
    *out = s;
    return ST_OK;
}

void stages_close(struct stages_reader *s)
{
    if (s == NULL) return;
    forget_job(s);
    blocks_close(&s->blocks);
    csv_close(s->csv);
    forms_fini(&s->forms);
    mem_free(s->stage);
    mem_free(s->range);
    mem_free(s->group);
    mem_free(s->after);
    mem_free(s->x.at);
    mem_free(s->y.at);
    mem_free(s);
}
