/*
 * policy_view.h -- the world as one policy sees it: the frozen view, the events,
 * and what the host lends to be read.  Layer: host, private to host.h.
 *
 * Nodes and cards are the ledger's; the rest is a mirror in arrays of its own, brought up to date at each decide call
 * in O(new shapes + events); infos of jobs and tasks are filled when they are asked for.
 */
#ifndef HOST_POLICY_VIEW_H
#define HOST_POLICY_VIEW_H

#include "extensions.h"
#include "host/host.h"

struct policy_view {
    struct world *w;            /* borrowed for the length of one decide call; NULL outside */
    struct cluster *to_come;    /* borrowed for the length of create, as the next; NULL after it */
    const struct profiles *profiles_to_come;
    struct pol_view *lent;      /* what the policy is shown now; NULL outside of create and decide */
    bool     is_clairvoyant;    /* true durations are shown */
    struct host_tricks tricks;
    const void *client; /* what client/1 gives; NULL: nothing */
    struct pol_view view;
    struct pol_event *event;  size_t cap_event;
    struct {                    /* what the host offers beyond pol_host */
        struct pol_licences licences;
        struct pol_shapes shapes;
        struct pol_graph graph;
        struct pol_data data;
        struct pol_cores cores;
        struct pol_reservations reservations;
        struct pol_holds holds;
        struct pol_scores scores;
        struct pol_preferences preferences;
        struct pol_recorded recorded;
        struct pol_calls calls;
        struct pol_elastic elastic;
        struct pol_speeds speeds;
        struct pol_profiles profiles;
        struct pol_goodput goodput;
    } ext;
    /* The policy asked for licences/1... */
    bool     knows_licences, knows_scores, knows_preferences, knows_profiles, knows_shapes;
    /* private from here */
    int64_t *mem_bw;
    uint32_t *queued, *tier;    /* [n_nodes] */
    struct pol_node  *node;   struct pol_card *card;   bool is_shown;      /* NULL: the ledger's are shown */
    struct pol_gpu_type *gpu_type;
    struct pol_shape *shape;  size_t cap_shape;
    int32_t *licence;         size_t cap_licence;       /* [n_shapes * LICENCES_MAX] */
    /* Infos by slot, and the call in which each was filled. */
    struct { struct pol_job_info info; uint64_t call; } *job;      size_t cap_job;
    struct { struct pol_task_info info; uint64_t call; } *task;    size_t cap_task;
    uint64_t call;              /* decide calls so far: marks which infos are current */
    void   **poisoned;        size_t n_poisoned, cap_poisoned;     /* see host_tricks */
    uint32_t *every_node;       /* [n_nodes] 0, 1, 2...; see host_tricks */
};

/*
 * Of zeroed memory.  Fills what api and the extensions offer for reading; api->ctx is the struct policy_view,
 * or what begins with it.
 */
void policy_view_init(struct policy_view *p, struct pol_host *api, const struct host_tricks *tricks);
void policy_view_fini(struct policy_view *p);

/* Show p->w, what happened in it, and what was refused: that many events. */
size_t policy_view_show(struct policy_view *p, const struct notice *n, size_t n_notices,
                        const struct pol_event *refused, size_t n_refused);
/* For one decide call, and when it is over. */
struct pol_view *policy_view_begin(struct policy_view *p);
void policy_view_end(struct policy_view *p, struct pol_view *view);

/*
 * Around create: host->view gives the cluster as a run will begin, nothing running and all nodes up, c reset
 * for that; c NULL: a cluster without nodes.
 */
void policy_view_open(struct policy_view *p, struct cluster *c);
void policy_view_close(struct policy_view *p);

/* The world where the handle is of a task that lives there; NULL: it is stale. */
const struct world *policy_view_world_of(const struct policy_view *p, pol_task h);

/* pol_host's job. */
const struct pol_job_info *policy_view_job(void *ctx, pol_job h);

#endif
