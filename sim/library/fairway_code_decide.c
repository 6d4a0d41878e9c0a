/*
 * fairway_code_decide.c -- what a policy in another language decides: kept in order as words until its round is over,
 * then carried out (fairway.h).
 */
#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "library/fairway_code.h"

enum { PLACE_WORDS = 4 }; /* of a gang's: node, cards, cpu, mem */

int64_t fairway_code_reason(struct fairway_code *c, const char *text)
{
    MEM_PUSH(c->reason, c->n_reasons, c->cap_reasons, mem_strdup(text));
    return (int64_t)c->n_reasons;
}

int fairway_code_decisions(struct fairway_code *c, const char *line)
{
    char what[REPLY_ERROR_MAX];
    if (reply_open(&c->r.reply, line, strlen(line), what) && !c->r.reply.is_query) return FAIRWAY_OK;
    fairway_code_fail(c, what);
    return FAIRWAY_EPOLICY;
}

static int64_t *room(struct fairway_code *c, size_t n)
{
    MEM_RESERVE(c->said, c->cap_said, c->n_said + n);
    c->n_said += n;
    return c->said + c->n_said - n;
}

void fairway_code_say(struct fairway_code *c, int64_t n)
{
    if (n < 0 || (size_t)n > c->cap_out) fairway_code_fail(c, "it wrote more decisions than there was room for");
    else if (n > 0) memcpy(room(c, (size_t)n), c->out, (size_t)n * sizeof *c->out);
}

/* The shape of a task that waits; -1: there is no such task, and the run fails. */
static int32_t shape_of(struct fairway_code *c, int32_t job, int32_t task)
{
    const struct handles_job *j = c->view != NULL && job >= 0 ? handles_find(&c->r.jobs, (uint64_t)job) : NULL;
    if (j != NULL && task >= 0 && (uint32_t)task < j->n_tasks)
        return (int32_t)c->r.host->task(c->r.host->ctx, j->task[task])->shape;
    fairway_code_fail(c, "it starts a task that there is not, or outside of a round");
    return -1;
}

int32_t fairway_code_start(struct fairway_code *c, int32_t job, int32_t task, int32_t rule, int32_t reason)
{
    const int32_t shape = shape_of(c, job, task);
    if (shape < 0 || fairway_code_take(c, shape, 1, rule) == 0) return 0;
    const int64_t word[] = { FAIRWAY_START, job, task, c->place->node, (int64_t)c->place->cards, 0, 0, reason };
    memcpy(room(c, ARRAY_LEN(word)), word, sizeof word);
    return 1;
}

int32_t fairway_code_start_gang(struct fairway_code *c, int32_t job, int32_t n, int32_t rule, int32_t reason)
{
    const int32_t shape = shape_of(c, job, 0);
    if (shape < 0 || n <= 0) return 0;
    const int32_t found = fairway_code_take(c, shape, n, rule);
    if (found < n) return found;
    int64_t *w = room(c, 4 + PLACE_WORDS * (size_t)n);
    memcpy(w, (const int64_t[]){ FAIRWAY_START_GANG, job, reason, n }, 4 * sizeof *w);
    w += 4;
    for (int32_t i = 0; i < n; i++, w += PLACE_WORDS) {
        w[0] = c->place[i].node;
        w[1] = (int64_t)c->place[i].cards;
        w[2] = w[3] = 0;
    }
    return found;
}

static const char *reason_of(const struct fairway_code *c, int64_t id)
{
    return id > 0 && (size_t)id <= c->n_reasons ? c->reason[id - 1] : NULL;
}

/* Tasks and nodes are numbered in 32 bits, of which the last number says none. */
static bool is_number(int64_t word) { return word >= 0 && word < POL_NONE; }

/* The decision at w, of at most n words; returns how many it has, 0 with `error` filled: it is none. */
static size_t read_decision(struct fairway_code *c, const int64_t *w, size_t n, struct reply_decision *d, char *error)
{
    static const size_t least[] = { [FAIRWAY_OTHER] = 1, [FAIRWAY_START] = 8, [FAIRWAY_START_GANG] = 4,
        [FAIRWAY_PREEMPT] = 4, [FAIRWAY_HOLD] = 5, [FAIRWAY_WAKE] = 2 };
    memset(d, 0, sizeof *d);
    if (w[0] < 0 || (size_t)w[0] >= ARRAY_LEN(least) || n < least[w[0]]) {
        (void)reply_error(error, "its decisions are cut short, or none");
        return 0;
    }
    if (w[0] == FAIRWAY_OTHER) return reply_next(&c->r.reply, d, error) ? 1 : 0;
    d->at_us = w[1];
    d->job = (uint64_t)w[1];
    d->task = (uint32_t)w[2 % n];
    size_t used = least[w[0]], n_places = 0;
    const int64_t *place = NULL;
    switch ((enum fairway_decided)w[0]) {
    case FAIRWAY_OTHER: break;
    case FAIRWAY_START:
        d->verb = POL_VERB_START;
        d->text = reason_of(c, w[7]);
        place = w + 3;
        n_places = 1;
        break;
    case FAIRWAY_START_GANG:
        d->verb = POL_VERB_START_GANG;
        d->task = 0;
        d->text = reason_of(c, w[2]);
        place = w + 4;
        n_places = (size_t)w[3];
        if (n_places > (n - 4) / PLACE_WORDS) {
            (void)reply_error(error, "its decisions are cut short");
            return 0;
        }
        used += PLACE_WORDS * n_places;
        break;
    case FAIRWAY_PREEMPT:
        d->verb = POL_VERB_PREEMPT;
        d->text = reason_of(c, w[3]);
        break;
    case FAIRWAY_HOLD:
        d->verb = POL_VERB_HOLD;
        d->flag = w[3] != 0;
        d->text = reason_of(c, w[4]);
        break;
    case FAIRWAY_WAKE: d->verb = POL_VERB_WAKE; break;
    }
    if (w[0] != FAIRWAY_START_GANG && w[0] != FAIRWAY_WAKE && !is_number(w[2])) {
        (void)reply_error(error, "'task' is %" PRId64 "; expected a number from 0 to %" PRIu32, w[2], POL_NONE - 1);
        return 0;
    }
    for (size_t i = 0; i < n_places; i++) {
        const int64_t node = place[PLACE_WORDS * i];
        if (is_number(node)) continue;
        (void)reply_error(error, "'node' is %" PRId64 "; expected a number from 0 to %" PRIu32, node, POL_NONE - 1);
        return 0;
    }
    MEM_RESERVE(c->gang, c->cap_gang, n_places);
    for (size_t i = 0; i < n_places; i++, place += PLACE_WORDS)
        c->gang[i] = (struct pol_place){ .node = (uint32_t)place[0], .cards = (uint64_t)place[1],
            .cpu_milli = place[2], .mem_b = place[3] };
    d->place = c->gang;
    d->n_places = (uint32_t)n_places;
    return used;
}

void fairway_code_carry_out(struct fairway_code *c)
{
    struct reply_decision d;
    char what[REPLY_ERROR_MAX];
    for (size_t at = 0, used; at < c->n_said; at += used) {
        used = read_decision(c, c->said + at, c->n_said - at, &d, what);
        if (used > 0 && dialog_carry_out(&c->r, &d, what)) continue;
        fairway_code_fail(c, what);
        return;
    }
    c->n_said = 0;
}
