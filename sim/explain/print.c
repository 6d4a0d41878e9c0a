/* print.c -- a story for people, the reasons of a wait summed up, each with how it looked first; or all of it as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "base/text.h"
#include "explain/explain_priv.h"

static const char *const step_name[] = {
    [EXPLAIN_SUBMITTED] = "submitted", [EXPLAIN_NEVER] = "never_eligible",
    [EXPLAIN_ARRIVED] = "arrived", [EXPLAIN_WAITED] = "waited", [EXPLAIN_STARTED] = "started", [EXPLAIN_STOPPED] = "stopped", [EXPLAIN_ENDED] = "ended", [EXPLAIN_SPEED] = "speed",
    [EXPLAIN_QUEUED] = "queued", [EXPLAIN_CALLED] = "called", [EXPLAIN_TASK_ENDED] = "task_ended",
};

const char *explain_clock(char *buf, size_t cap, int64_t us)
{
    char fraction[8] = "";
    long long s = (long long)(us / TICK_SEC);
    int rest = (int)(us % TICK_SEC), len = 6;
    for (; rest > 0 && rest % 10 == 0; rest /= 10) len--;
    if (rest > 0) (void)snprintf(fraction, sizeof fraction, ".%0*d", len, rest);
    if (s >= 86400) (void)snprintf(buf, cap, "%lldd %02lld:%02lld:%02lld%s", s / 86400, s / 3600 % 24, s / 60 % 60, s % 60, fraction);
    else (void)snprintf(buf, cap, "%02lld:%02lld:%02lld%s", s / 3600, s / 60 % 60, s % 60, fraction);
    return buf;
}

/* A line in the making: names in it are shown so that they cannot steer a terminal (text.h). */
struct line { struct mem_text words; FILE *to; };

static void begin_line(struct line *l)
{
    mem_text_open(&l->words);
}

static void end_line(struct line *l)
{
    char *text = mem_text_close(&l->words);
    text_line(l->to, "%s", text);
    mem_free(text);
    begin_line(l);
}

static void print_names(const struct explain_names *n, const char *before, struct line *l)
{
    if (n->all == 0) return;
    (void)fputs(before, l->words.to);
    for (size_t i = 0; i < n->n; i++) (void)fprintf(l->words.to, "%s%s", i > 0 ? ", " : "", n->at[i]);
    if (n->all > n->n) (void)fprintf(l->words.to, " and %zu more", n->all - n->n);
}

static bool same_reason(const struct explain_stretch *a, const struct explain_stretch *b)
{
    if (a->had_room != b->had_room || a->lacks != b->lacks) return false;
    return a->reason == NULL || b->reason == NULL ? a->reason == b->reason : strcmp(a->reason, b->reason) == 0;
}

/* Each reason once, in the order in which it first came, with its time in all. */
static void print_wait(const struct explain_step *s, struct line *l)
{
    char time[48];
    for (size_t i = 0; i < s->n_stretches; i++) {
        const struct explain_stretch *p = &s->stretch[i];
        int64_t all = 0;
        size_t n = 0, before = 0;
        while (before < i && !same_reason(&s->stretch[before], p)) before++;
        if (before < i) continue;
        for (size_t k = i; k < s->n_stretches; k++)
            if (same_reason(&s->stretch[k], p)) { all += s->stretch[k].to - s->stretch[k].from; n++; }
        (void)fprintf(l->words.to, "%18s  %s", text_duration(time, sizeof time, all), p->text);
        print_names(&p->jobs, p->had_room ? " behind " : "; there: ", l);
        if (p->reason != NULL) (void)fprintf(l->words.to, ": \"%s\"", p->reason);
        if (n > 1) (void)fprintf(l->words.to, " (the first of %zu times)", n);
        end_line(l);
    }
    if (s->jobs.all > 0) {
        (void)fprintf(l->words.to, "%18s  meanwhile jobs that arrived later started: ", "");
        print_names(&s->jobs, "", l);
        end_line(l);
    }
}

enum { CALLS_SHOWN = 16 };

/* Of one task of calls; of its calls the first CALLS_SHOWN, unless the task was asked for. */
static void print_task_step(const struct explain *e, const struct explain_step *s, struct line *l)
{
    if (e->n_tasks > 1) (void)fprintf(l->words.to, "task %" PRId64 " ", s->task);
    if (s->type == EXPLAIN_CALLED && e->task < 0 && s->call.call == CALLS_SHOWN) {
        (void)fprintf(l->words.to, "went on to make calls; --task %" PRId64 " tells of each", s->task);
        end_line(l);
        return;
    }
    (void)fputs(s->text, l->words.to);
    if (s->type != EXPLAIN_QUEUED) print_names(&s->nodes, s->type == EXPLAIN_CALLED ? " of " : " on ", l);
    if (s->more != NULL) (void)fprintf(l->words.to, s->type == EXPLAIN_TASK_ENDED ? ": %s" : " (%s)", s->more);
    if (s->reason != NULL) (void)fprintf(l->words.to, ": \"%s\"", s->reason);
    end_line(l);
}

static bool is_elastic(const struct explain *e) { return e->max_tasks > e->n_tasks; }

static void print_step(const struct explain *e, const struct explain_step *s, struct line *l)
{
    char at[48], time[48];
    if (s->type == EXPLAIN_CALLED && e->task < 0 && s->call.call > CALLS_SHOWN) return;
    (void)fprintf(l->words.to, "%16s  ", explain_clock(at, sizeof at, s->at));
    if (s->task >= 0) {
        print_task_step(e, s, l);
        return;
    }
    if (s->type == EXPLAIN_WAITED) {
        if (s->n_tasks < e->n_tasks && !is_elastic(e)) (void)fprintf(l->words.to, "%" PRIu32 " of %" PRIu32 " ", s->n_tasks, e->n_tasks);
        (void)fprintf(l->words.to, "%s %s:", s->text, text_duration(time, sizeof time, s->until - s->at));
        end_line(l);
        print_wait(s, l);
        return;
    }
    if (s->type == EXPLAIN_ENDED) {
        (void)fprintf(l->words.to, "%s, %s after it arrived", s->text, text_duration(time, sizeof time, s->at - e->submit));
        end_line(l);
        return;
    }
    if (is_elastic(e) && s->n_tasks > 0 && s->type > EXPLAIN_ARRIVED && s->type != EXPLAIN_SPEED)
        (void)fprintf(l->words.to, "%" PRIu32 " task%s ", s->n_tasks, s->n_tasks > 1 ? "s" : "");
    else if (s->type > EXPLAIN_ARRIVED && e->n_tasks > 1 && !is_elastic(e))
        (void)fprintf(l->words.to, "%" PRIu32 " of %" PRIu32 " tasks ", s->n_tasks, e->n_tasks);
    (void)fputs(s->text, l->words.to);
    print_names(&s->nodes, " on ", l);
    if (s->more != NULL) (void)fprintf(l->words.to, " (%s)", s->more);
    print_names(&s->jobs, s->type == EXPLAIN_ARRIVED ? ": " : ", for ", l);
    if (s->reason != NULL) (void)fprintf(l->words.to, ": \"%s\"", s->reason);
    end_line(l);
}

void explain_print(const struct explain *e, FILE *to)
{
    struct line l = { .to = to };
    text_line(to, "job %s of %s, in run %" PRId64 " (%s%s, seed %" PRIu64 "; scenario %s)", e->id, e->user, e->run->run,
                  e->run->policy, e->run->clairvoyant ? " *" : "", e->run->seed, e->run->scenario);
    text_line(to, "asks for %s%s; class %s", e->request, e->is_gang ? ", all together" : "", e->klass);
    text_line(to, "rule: %s (%s)", e->run->spec, e->run->source);
    (void)fputc('\n', to);
    begin_line(&l);
    for (size_t i = 0; i < e->n_steps; i++) print_step(e, &e->step[i], &l);
    mem_free(mem_text_close(&l.words));
    explain_scores_print(e, to);
    if (e->run->clairvoyant) (void)fprintf(to, "\n* clairvoyant: it was told true durations.\n");
}

/* ---- JSON ---- */

static json_t *names_json(const struct explain_names *n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n->n; i++) (void)json_array_append_new(list, jsonout_text(n->at[i]));
    return json_pack("{s:o, s:I}", "names", list, "count", (json_int_t)n->all);
}

static json_t *stretch_json(const struct explain_stretch *p)
{
    char lacks[128];
    explain_format_lacks(p->lacks, lacks, sizeof lacks);
    return json_pack("{s:I, s:I, s:s, s:o, s:o, s:o, s:o}", "from_us", (json_int_t)p->from, "to_us", (json_int_t)p->to,
                     "reason", p->had_room ? "held" : "no_room", "lacks", p->had_room ? json_null() : jsonout_text(lacks),
                     "text", jsonout_text(p->text), "why", jsonout_text(p->reason), p->had_room ? "behind" : "holders", names_json(&p->jobs));
}

static json_t *step_json(const struct explain_step *s)
{
    json_t *o = json_pack("{s:s, s:I, s:o, s:o}", "step", step_name[s->type], "at_us", (json_int_t)s->at,
                          "text", jsonout_text(s->text), "why", jsonout_text(s->reason));
    if (s->more != NULL) (void)json_object_set_new(o, "more", jsonout_text(s->more));
    if (s->type == EXPLAIN_WAITED) {
        json_t *parts = json_array();
        for (size_t i = 0; i < s->n_stretches; i++) (void)json_array_append_new(parts, stretch_json(&s->stretch[i]));
        (void)json_object_set_new(o, "until_us", json_integer(s->until));
        (void)json_object_set_new(o, "parts", parts);
    }
    if (s->task >= 0) (void)json_object_set_new(o, "task", json_integer(s->task));
    if (s->call.call >= 0)
        (void)json_object_set_new(o, "call", json_pack("{s:I, s:s, s:s, s:I, s:I, s:I}", "number", (json_int_t)s->call.call, "api", s->call.api, "engine", s->call.engine,
                                                       "waited_us", (json_int_t)s->call.waited, "exec_us", (json_int_t)s->call.exec, "way_us", (json_int_t)s->call.way));
    if (s->type != EXPLAIN_ENDED) (void)json_object_set_new(o, "tasks", json_integer(s->n_tasks));
    if (s->nodes.all > 0) (void)json_object_set_new(o, "nodes", names_json(&s->nodes));
    if (s->type == EXPLAIN_ARRIVED || s->type == EXPLAIN_WAITED || s->type == EXPLAIN_STOPPED)
        (void)json_object_set_new(o, s->type == EXPLAIN_ARRIVED ? "ahead" : s->type == EXPLAIN_WAITED ? "passed_by" : "for", names_json(&s->jobs));
    return o;
}

void explain_json(const struct explain *e, FILE *to)
{
    char seed[24];
    (void)snprintf(seed, sizeof seed, "%" PRIu64, e->run->seed);
    json_t *steps = json_array();
    for (size_t i = 0; i < e->n_steps; i++) (void)json_array_append_new(steps, step_json(&e->step[i]));
    const struct selection *run = e->run;
    json_t *of_run = json_pack("{s:I, s:o, s:o, s:o, s:o, s:s, s:b}", "id", (json_int_t)run->run, "scenario", jsonout_text(run->scenario),
                               "policy", jsonout_text(run->policy), "spec", jsonout_text(run->spec),
                               "source", jsonout_text(run->source), "seed", seed, "clairvoyant", run->clairvoyant);
    json_t *o = json_pack("{s:o, s:o, s:o, s:s, s:o, s:b, s:I, s:o, s:o}", "job", jsonout_text(e->id), "user", jsonout_text(e->user),
                          "class", jsonout_text(e->klass), "status", e->status, "asks", jsonout_text(e->request), "gang", e->is_gang,
                          "tasks", (json_int_t)e->n_tasks, "run", of_run, "story", steps);
    explain_scores_json(e, o);
    jsonout_print(o, JSON_INDENT(1) | JSON_PRESERVE_ORDER, to);
    (void)fputc('\n', to);
}
