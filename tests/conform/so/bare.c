/*
 * bare.c -- as little as a policy may be: a name and decide, without state.  Every job runs on the first
 * node, its tasks one by one as they come to wait; it knows neither gangs nor that a node may be full.
 */
#include "policy.h"

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    const struct pol_host *h = self;
    for (size_t i = 0; i < n_ev; i++) {
        const struct pol_job_info *j = ev[i].type == POL_ARRIVED ? h->job(h->ctx, ev[i].job) : NULL;
        if (j != NULL && view == h->view(h->ctx)) h->start(h->ctx, j->first_task, &(struct pol_place){ .node = 0 }, 1, NULL);
    }
}

const struct pol_ops fairway_policy = { POL_HEADER, .name = "bare", .decide = decide };
