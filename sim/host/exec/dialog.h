/*
 * dialog.h -- what a policy outside of C keeps from round to round on this side, whether lines or calls lead to it:
 * the jobs that it names by number, the nodes as it plans them, what it was told.  Layer: host.
 */
#ifndef HOST_EXEC_DIALOG_H
#define HOST_EXEC_DIALOG_H

#include "host/exec/handles.h"
#include "host/exec/planned.h"
#include "host/exec/reply.h"

struct dialog {
    const struct pol_host *host; /* borrowed */
    const struct pol_cores *cores;
    const struct pol_reservations *reservations;
    const struct pol_calls *calls;
    const struct pol_elastic *elastic;
    uint32_t flags; /* that it declared */
    struct reply_hello hello;
    struct json_text out; /* the message that is written */
    struct reply reply;   /* the one that was read last */
    struct handles jobs;
    struct planned planned;
    uint32_t shapes_told;
    bool cluster_told;
};

void dialog_begin(struct dialog *x, const struct pol_host *host); /* zero-initialise first */
void dialog_fini(struct dialog *x);
/* The jobs that came can be named from now on, those that ended no more. */
void dialog_note_jobs(struct dialog *x, const struct pol_event *ev, size_t n_ev);
/* To the host; false with error [REPLY_ERROR_MAX]: there is no such job, task or place. */
bool dialog_carry_out(const struct dialog *x, const struct reply_decision *d, char *error);
/* The answer to the query in x->reply, in x->out.  deadline: by child_clock(). */
bool dialog_answer(struct dialog *x, const struct pol_view *v, int64_t deadline, char *error);

#endif
