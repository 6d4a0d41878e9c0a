/*
 * view.h -- the world as one policy sees it: the frozen view, the events,
 * and what the host lends to be read.  Layer: host, private to host.h.
 *
 * A mirror in arrays of its own, brought up to date at each decide call in
 * O(nodes changed + new shapes + events); infos of jobs and tasks are filled
 * when they are asked for.
 */
#ifndef HOST_VIEW_H
#define HOST_VIEW_H

#include "host/host.h"

struct polview {
    struct world *w;            /* borrowed for the length of one decide call; NULL outside */
    bool     is_clairvoyant;    /* true durations are shown */
    struct polhost_tricks tricks;
    struct pol_view view;
    struct pol_event *event;  size_t cap_event;
    /* private from here */
    int64_t *mem_bw;
    uint32_t *queued, *tier;    /* [n_nodes] */
    struct pol_node  *node;   struct pol_card *card;   bool is_shown;
    struct pol_gpu_type *gpu_type;
    struct pol_shape *shape;  size_t cap_shape;
    int32_t *licence;         size_t cap_licence;       /* [n_shapes * LICENCES_MAX] */
    struct pol_job_info  *job_info;  uint64_t *job_seen;   size_t cap_job, cap_job_seen;
    struct pol_task_info *task_info; uint64_t *task_seen;  size_t cap_task, cap_task_seen;
    uint64_t call;              /* decide calls so far: marks which infos are current */
    void   **buried;          size_t n_buried, cap_buried;      /* see polhost_tricks */
    uint32_t *all;
};

/* Of zeroed memory.  Fills what api offers for reading; api->ctx is the polview, or what begins with it. */
void polview_init(struct polview *p, struct pol_host *api, const struct polhost_tricks *tricks);
void polview_fini(struct polview *p);

/* Show p->w, and what happened in it. */
void polview_show(struct polview *p, const struct notice *n, size_t n_notices);
/* For one decide call, and when it is over. */
struct pol_view *polview_lend(struct polview *p);
void polview_return(struct polview *p, struct pol_view *view);

/* pol_host's job. */
const struct pol_job_info *polview_job(void *ctx, pol_job h);

#endif
