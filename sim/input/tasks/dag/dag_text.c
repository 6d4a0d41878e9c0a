/*
 * Workflows as text: stages in the two notations of the workflow paper (S1-20), and DAGs
 * with times measured on several engines.  Layer: input.
 */
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/tasks/blocks.h"
#include "input/tasks/dag/dag.h"
#include "input/text/lines.h"

/* ---- measured: id, times on CPU, GPU and a second GPU in ms (-1: cannot), parents joined by commas ---- */

/* A parent, NAME or NAME=SIZE: how much it writes for the task. */
static enum st read_parent(struct dag *g, const struct lines *l, uint32_t task, char *parent, struct diag *d)
{
    char *sign = strrchr(parent, '='), error[160];
    int64_t size = 0;
    if (sign != NULL) {
        if (!blocks_parse_size(sign + 1, &size, error, sizeof error)) return lines_fail(l, sign + 1, d, "%s", error);
        *sign = '\0';
    }
    if (*parent == '\0') return lines_fail(l, parent, d, "an empty parent");
    dag_wait(g, task, parent, l->line, size);
    return ST_OK;
}

static enum st measured_row(struct dag *g, struct lines *l, struct diag *d)
{
    size_t at = 0;
    uint32_t task;
    char *id = lines_word(l, &at);
    if (id == NULL || *id == '#') return ST_OK;
    TRY(dag_add(g, id, l->line, &task, d));
    g->task[task].cpu_milli = 1000;
    for (int e = 0; e < DAG_ENGINES; e++) {
        char *word = lines_word(l, &at);
        double ms = -1;
        if (word == NULL) return lines_fail(l, NULL, d, "expected id, three times in ms, and parents; found %d times", e);
        bool is_none = strcmp(word, "-1") == 0;
        if (!is_none && (!text_double(word, &ms) || ms < 0)) return lines_fail(l, word, d, "'%.40s' is not a time in ms, nor -1 for none", word);
        sim_tick t = is_none ? -1 : dag_time(g, ms, 1000);
        if (!is_none && t < 0) return lines_fail(l, word, d, "'%.40s' ms is longer than can be counted", word);
        g->task[task].dur[e] = t;
    }
    char *parents = lines_word(l, &at), *more = parents != NULL ? lines_word(l, &at) : NULL;
    if (more != NULL) return lines_fail(l, more, d, "found '%.40s' after the parents, which are joined by commas", more);
    while (parents != NULL) {
        char *comma = strchr(parents, ',');
        if (comma != NULL) *comma = '\0';
        TRY(read_parent(g, l, task, parents, d));
        parents = comma != NULL ? comma + 1 : NULL;
    }
    return ST_OK;
}

enum st dag_read_measured(struct dag *g, struct diag *d)
{
    struct lines l;
    TRY(lines_open(&l, g->path, d));
    enum st st;
    g->is_measured = true;
    while ((st = lines_next(&l, d)) == ST_OK && (st = measured_row(g, &l, d)) == ST_OK) continue;
    lines_close(&l);
    return st == ST_END ? ST_OK : st;
}

/* ---- steps ---- */

enum { STEPS_MAX = 100000, NUMBER_MAX = 1000000000 };

struct steps {
    struct dag *g;
    struct lines l;
    sim_tick duration;              /* of jobs that state none; -1 */
    enum { UNIT_CPUS, UNIT_GPUS, UNIT_LICENCE } unit;
    uint32_t *step; size_t cap_step;        /* [task] */
};

/* A whole number at *s, which moves behind it; -1: none. */
static int64_t number(const char **s)
{
    int64_t v = -1;
    for (; **s >= '0' && **s <= '9' && v <= NUMBER_MAX; (*s)++) v = (v < 0 ? 0 : 10 * v) + (**s - '0');
    return v > NUMBER_MAX ? -1 : v;
}

static bool skip(const char **s, const char *text)
{
    size_t n = strlen(text);
    if (strncmp(*s, text, n) != 0) return false;
    *s += n;
    return true;
}

/* workflow.step[i].job[j,m] or job[i,j,m]. */
static bool read_job(const char *s, int64_t *i, int64_t *j, int64_t *m)
{
    bool is_long = skip(&s, "workflow.step[");
    if (is_long && ((*i = number(&s)) < 1 || !skip(&s, "].job["))) return false;
    if (!is_long && (!skip(&s, "job[") || (*i = number(&s)) < 1 || !skip(&s, ","))) return false;
    return (*j = number(&s)) >= 1 && skip(&s, ",") && (*m = number(&s)) >= 1 && strcmp(s, "]") == 0;
}

static enum st read_time(const struct steps *x, char *word, sim_tick *out, struct diag *d)
{
    char error[160];
    if (text_parse(word, TEXT_DURATION, TICK_SEC, out, error, sizeof error) && *out <= DUR_MAX) return ST_OK;
    return lines_fail(&x->l, word, d, "'%.40s' is not a duration such as 10s", word);
}

static enum st read_key(struct steps *x, const char *key, char *value, struct diag *d)
{
    if (value == NULL) return lines_fail(&x->l, key, d, "'%.40s' has no value", key);
    if (strcmp(key, "duration:") == 0) return read_time(x, value, &x->duration, d);
    if (x->g->n > 0) return lines_fail(&x->l, key, d, "'unit:' stands after jobs; it holds for all of them");
    if (strcmp(value, "cpus") == 0) x->unit = UNIT_CPUS;
    else if (strcmp(value, "gpus") == 0) x->unit = UNIT_GPUS;
    else if (strncmp(value, "licence:", 8) == 0 && value[8] != '\0' && x->g->licence == NULL) {
        x->unit = UNIT_LICENCE;
        x->g->licence = mem_strdup(value + 8);
    } else return lines_fail(&x->l, value, d, "found unit '%.40s', expected cpus, gpus or licence:NAME", value);
    return ST_OK;
}

static enum st add_job(struct steps *x, int64_t i, int64_t j, int64_t m, sim_tick dur, const char *word, struct diag *d)
{
    char name[48];
    uint32_t at;
    if (dur < 0) return lines_fail(&x->l, word, d, "the job has no duration, and no 'duration:' stands before it");
    if (i > STEPS_MAX) return lines_fail(&x->l, word, d, "step %lld; at most %d", (long long)i, STEPS_MAX);
    if (x->unit == UNIT_GPUS && m > NODE_GPUS_MAX) return lines_fail(&x->l, word, d, "%lld GPUs; a task runs on one node, of at most %d", (long long)m, NODE_GPUS_MAX);
    (void)snprintf(name, sizeof name, "step[%lld].job[%lld]", (long long)i, (long long)j);
    TRY(dag_add(x->g, name, x->l.line, &at, d));
    struct dag_task *t = &x->g->task[at];
    t->dur[x->unit == UNIT_GPUS ? DAG_GPU : DAG_CPU] = dur;
    if (x->unit == UNIT_CPUS) t->cpu_milli = m * 1000;
    else if (x->unit == UNIT_GPUS) t->gpus = (int32_t)m;
    else t->licences = (int32_t)m;
    MEM_RESERVE(x->step, x->cap_step, (size_t)at + 1);
    x->step[at] = (uint32_t)i;
    return ST_OK;
}

static enum st steps_row(struct steps *x, struct diag *d)
{
    size_t at = 0;
    char *word = lines_word(&x->l, &at), *next = word != NULL && *word != '#' ? lines_word(&x->l, &at) : NULL;
    int64_t i, j, m;
    sim_tick dur = x->duration;
    if (word == NULL || *word == '#') return ST_OK;
    char *rest = next != NULL && *next != '#' ? lines_word(&x->l, &at) : NULL;
    if (next != NULL && *next == '#') next = NULL;
    if (rest != NULL && *rest != '#') return lines_fail(&x->l, rest, d, "found '%.40s', expected the end of the line", rest);
    if (strcmp(word, "duration:") == 0 || strcmp(word, "unit:") == 0) return read_key(x, word, next, d);
    if (!read_job(word, &i, &j, &m)) {
        enum st st = lines_fail(&x->l, word, d, "found '%.60s', expected workflow.step[i].job[j,m] or job[i,j,m]: step, job, amount", word);
        diag_hint(d, "whole numbers from 1, without blanks; or 'duration: 10s', 'unit: gpus' on lines of their own");
        return st;
    }
    if (next != NULL) TRY(read_time(x, next, &dur, d));
    return add_job(x, i, j, m, dur, word, d);
}

/* Every job of a step waits for every job of the step before, which must be there. */
static enum st link_steps(struct steps *x, struct diag *d)
{
    struct dag *g = x->g;
    uint32_t last = 0, *n_of;
    for (uint32_t k = 0; k < g->n; k++) if (x->step[k] > last) last = x->step[k];
    MEM_ARRAY(n_of, (size_t)last + 1);
    for (uint32_t k = 0; k < g->n; k++) n_of[x->step[k]]++;
    enum st st = ST_OK;
    for (uint32_t k = 0; k < g->n && st == ST_OK; k++) {
        uint32_t before = x->step[k] - 1;
        if (before > 0 && n_of[before] == 0) st = diag_at(d, ST_EINPUT, g->path, g->task[k].line, 0, "a job of step %u, but step %u has none", x->step[k], before);
        else if (before > 0 && (uint64_t)n_of[before] * n_of[before + 1] > 1u << 24)
            st = diag_at(d, ST_EINPUT, g->path, g->task[k].line, 0, "steps %u and %u have too many jobs: %u x %u waits", before, before + 1, n_of[before], n_of[before + 1]);
    }
    for (uint32_t k = 0, n = g->n; k < n && st == ST_OK; k++)
        for (uint32_t p = 0; p < n; p++)
            /* The only names are the tasks', so a task's number is its name's. */
            if (x->step[p] + 1 == x->step[k]) dag_wait(g, k, intern_name(&g->names, p), g->task[k].line, 0);
    mem_free(n_of);
    return st;
}

enum st dag_read_steps(struct dag *g, struct diag *d)
{
    struct steps x = { .g = g, .duration = -1 };
    TRY(lines_open(&x.l, g->path, d));
    enum st st;
    while ((st = lines_next(&x.l, d)) == ST_OK && (st = steps_row(&x, d)) == ST_OK) continue;
    if (st == ST_END) st = link_steps(&x, d);
    lines_close(&x.l);
    mem_free(x.step);
    return st;
}
