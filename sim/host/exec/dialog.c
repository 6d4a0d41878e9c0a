/*
 * dialog.c -- what a policy that names jobs by number decides and asks, found and handed to the host (dialog.h).
 */
#include "host/exec/dialog.h"

#include <inttypes.h>
#include <string.h>
#include "host/exec/message.h"

void dialog_begin(struct dialog *x, const struct pol_host *host)
{
    x->host = x->reply.host = host;
    (void)host->extension(host->ctx, POL_LICENCES); /* it is told of them, and may say that it knows none */
    x->cores = host->extension(host->ctx, POL_CORES);
    x->reservations = host->extension(host->ctx, POL_RESERVATIONS);
    x->calls = host->extension(host->ctx, POL_CALLS);
    x->elastic = host->extension(host->ctx, POL_ELASTIC);
}

void dialog_fini(struct dialog *x)
{
    reply_hello_fini(&x->hello);
    reply_fini(&x->reply);
    json_text_fini(&x->out);
    handles_fini(&x->jobs);
    planned_fini(&x->planned);
}

void dialog_note_jobs(struct dialog *x, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = x->host;
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type == POL_ARRIVED) handles_add(&x->jobs, h, ev[i].job);
        else if (ev[i].type == POL_JOB_ENDED) handles_del(&x->jobs, h->job(h->ctx, ev[i].job)->ordinal);
    }
}

/* The job that the child names, which must have a task of that number. */
static bool resolve(const struct dialog *x, uint64_t ordinal, uint32_t task, const struct handles_job **job,
    char *error)
{
    *job = handles_find(&x->jobs, ordinal);
    if (*job == NULL && ordinal >= x->jobs.n_seen)
        return reply_error(error, "no job %" PRIu64 " has arrived; the latest is %" PRId64, ordinal,
            (int64_t)x->jobs.n_seen - 1);
    if (*job == NULL)
        return reply_error(error, "job %" PRIu64 " has ended", ordinal);
    if (task < (*job)->n_tasks) return true;
    return reply_error(error, "job %" PRIu64 " has %" PRIu32 " tasks, the first being 0; there is no task %" PRIu32,
        ordinal, (*job)->n_tasks, task);
}

bool dialog_carry_out(const struct dialog *x, const struct reply_decision *d, char *error)
{
    const struct pol_host *h = x->host;
    const struct handles_job *j = NULL;
    const struct handles_job *lender = NULL;
    bool about_job = d->verb != POL_VERB_WAKE && d->verb != POL_VERB_NOTE && d->verb != POL_VERB_FAIL;
    if (about_job && !resolve(x, d->job, d->task, &j, error)) return false;
    if (d->verb == POL_VERB_LEND && !resolve(x, d->lender, 0, &lender, error)) return false;
    if (d->verb == POL_VERB_START_GANG && d->n_places != j->n_tasks && !x->elastic->sizes(h->ctx, j->job).is_elastic)
        return reply_error(error, "'nodes' names %" PRIu32 " places; job %" PRIu64 " has %" PRIu32 " tasks",
            d->n_places, d->job, j->n_tasks);
    switch (d->verb) {
    case POL_VERB_START: h->start(h->ctx, j->task[d->task], d->place, 1, d->text); break;
    case POL_VERB_START_GANG: h->start(h->ctx, j->task[0], d->place, d->n_places, d->text); break;
    case POL_VERB_PREEMPT: h->preempt(h->ctx, j->task[d->task], d->text); break;
    case POL_VERB_RESIZE: x->cores->regrant(h->ctx, j->task[d->task], d->cpu_milli, d->mem_b, d->text); break;
    case POL_VERB_HOLD: h->hold(h->ctx, j->task[d->task], d->flag, d->text); break;
    case POL_VERB_RESERVE: x->reservations->reserve(h->ctx, j->job, &d->reserve, d->text); break;
    case POL_VERB_LEND:
        x->reservations->lend(h->ctx, j->task[d->task], lender->job, d->flag ? NULL : &d->amount, d->text);
        break;
    case POL_VERB_SEND: x->calls->send(h->ctx, j->task[d->task], d->node, d->text); break;
    case POL_VERB_CALL: x->calls->call(h->ctx, j->task[d->task], d->node, d->engine, d->text); break;
    case POL_VERB_SCALE: x->elastic->scale(h->ctx, j->job, d->place, d->n_places, d->text); break;
    case POL_VERB_WAKE: h->wake(h->ctx, d->at_us); break;
    case POL_VERB_NOTE: h->note(h->ctx, d->text, d->value); break;
    case POL_VERB_FAIL:
        return reply_error(error, "it says: %.400s", d->text);
    case POL_VERBS: break;
    }
    return true;
}

static bool is_node(const struct pol_view *v, uint32_t node, char *error)
{
    if (node < v->n_nodes) return true;
    return reply_error(error, "there is no node %" PRIu32 "; the cluster has %" PRIu32, node, v->n_nodes);
}

/* Does all that the question names exist? */
static bool check_query(const struct dialog *x, const struct pol_view *v, const struct handles_job **j, char *error)
{
    const struct reply *r = &x->reply;
    if (!resolve(x, r->job, r->task, j, error)) return false;
    for (size_t i = 0; i < r->n_nodes; i++)
        if (!is_node(v, r->node[i], error)) return false;
    for (size_t i = 0; i < r->n_ways; i++) {
        uint32_t n = x->calls->state(x->host->ctx, (*j)->task[r->task]).n_calls;
        if (!is_node(v, r->way[i].from, error) || !is_node(v, r->way[i].to, error)) return false;
        if (r->way[i].call < n) continue;
        return reply_error(error, "'overhead' asks for call %" PRIu32 "; the task has %" PRIu32 ", the first being 0",
            r->way[i].call, n);
    }
    return true;
}

bool dialog_answer(struct dialog *x, const struct pol_view *v, int64_t deadline, char *error)
{
    const struct handles_job *j;
    struct reply *r = &x->reply;
    x->out.n = 0;
    if (r->asks_fits) return planned_answer(&x->planned, &x->out, v, r, deadline, error);
    if (!check_query(x, v, &j, error)) return false;
    message_answer(&x->out, x->host, j->task[r->task],
                   &(struct message_question){ .node = r->node, .n_nodes = r->n_nodes, .way = r->way,
                       .n_ways = r->n_ways }, x->flags);
    return true;
}
