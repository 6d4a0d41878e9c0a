/*
 * reservations.c -- nodes that are kept for some users or accounts from one time to another.
 * Source: slurmctld/reservation.c, job_test_resv and find_resv_end.
 *
 * Who may run there is by user and account, as jobs do not say which reservation they ask for.
 * Cost: O(reservations that are not over) for each job that a round looks at.
 */
#include "slurm/state.h"

/* ---- the file ---- */

static bool read_one(struct slurm *s, const struct config_line *l, char *error, size_t cap)
{
    struct slurm_resv r = { .users = config_value(l, "Users"), .accounts = config_value(l, "Accounts") };
    int64_t origin = s->param.epoch_us;
    if (strcmp(config_value(l, "Clock"), "date") == 0) {
        if (origin == 0)
            return pol_error(error, cap, "%s: the times of reservation '%s' are dates, and 'epoch' does not say which "
                             "date time 0 is", config_value(l, "At"), l->name);
        origin = 0;
    }
    if (r.users == NULL) r.not_users = (r.users = config_value(l, "NotUsers")) != NULL;
    if (r.accounts == NULL) r.not_accounts = (r.accounts = config_value(l, "NotAccounts")) != NULL;
    r.begin_s = (origin + strtoll(config_value(l, "Begin"), NULL, 10)) / 1000000;
    r.end_s = (origin + strtoll(config_value(l, "End"), NULL, 10)) / 1000000;
    r.nodes = pol_alloc(s->conf.n_words, sizeof *r.nodes);
    POL_PUSH(s->resv.at, s->resv.n, s->resv.cap, r);
    return true;
}

static int by_end(const void *a, const void *b)
{
    const struct slurm_resv *x = a, *y = b;
    return (x->end_s > y->end_s) - (x->end_s < y->end_s);
}

bool slurm_resv_begin(struct slurm *s, const char *given, char *error, size_t cap)
{
    const char *name = "", *where = "";
    char *at = s->resv.text = strcpy(pol_alloc(strlen(given) + 1, 1), given);
    for (struct config_line l; config_next(&at, &l);) {
        if (strcmp(l.kind, "reservation") == 0) {
            if (!read_one(s, &l, error, cap)) return false;
            name = l.name;
            where = config_value(&l, "At");
            continue;
        }
        uint64_t *nodes = s->resv.at[s->resv.n - 1].nodes;      /* members follow their reservation */
        const uint32_t node = config_node(&s->conf, s->sched.host, l.name);
        if (strcmp(l.name, "ALL") == 0) memset(nodes, 0xff, s->conf.n_words * sizeof *nodes);
        else if (node != POL_NONE) nodeset_put(nodes, node);
        else return pol_error(error, cap, "%s: reservation '%s' has node '%s', which the cluster has not", where, name,
                              l.name);
    }
    if (s->resv.n > 0) qsort(s->resv.at, s->resv.n, sizeof *s->resv.at, by_end);
    return true;
}

void slurm_resv_end(struct slurm *s)
{
    for (uint32_t i = 0; i < s->resv.n; i++) free(s->resv.at[i].nodes);
    POL_FREE(s->resv.at, s->resv.text);
}

/* ---- time ---- */

bool slurm_resv_ahead(struct slurm *s)
{
    const int64_t now = slurm_time_s(s);
    while (s->resv.first < s->resv.n && s->resv.at[s->resv.first].end_s <= now) s->resv.first++;
    return s->resv.first < s->resv.n;
}

int64_t slurm_resv_free_s(const struct slurm *s, int64_t after_s)
{
    uint32_t i = s->resv.first;
    while (i < s->resv.n && s->resv.at[i].end_s <= after_s) i++;
    return i < s->resv.n ? s->resv.at[i].end_s : 0;
}

/* ---- who may run there ---- */

static bool has_account(const struct slurm *s, const struct slurm_resv *r, const struct slurm_job *j,
                        const struct pol_job_info *ji)
{
    const struct pol_host *h = s->sched.host;
    bool listed = false;
    if (r->accounts == NULL) return true;
    for (int32_t i = j->assoc; i != CONFIG_NONE; i = s->conf.assoc[i].parent)
        listed |= config_lists(r->accounts, s->conf.assoc[i].account);
    if (j->assoc == CONFIG_NONE && ji->queue != POL_NONE) {     /* PARTITION/QOS/ACCOUNT */
        const char *part = strchr(h->name(h->ctx, POL_NAME_QUEUE, ji->queue), '/');
        if (part != NULL) part = strchr(part + 1, '/');
        listed = part != NULL && config_lists(r->accounts, part + 1);
    }
    return listed != r->not_accounts;
}

/* By both, if it names both; a reservation that names neither is nobody's. */
static bool admits(const struct slurm *s, const struct slurm_resv *r, uint32_t unit)
{
    const struct pol_host *h = s->sched.host;
    const struct pol_job_info *ji = h->job(h->ctx, s->sched.units.at[unit].job);
    if (r->users == NULL && r->accounts == NULL) return false;
    if (r->users != NULL && config_lists(r->users, h->name(h->ctx, POL_NAME_USER, ji->user)) == r->not_users)
        return false;
    return has_account(s, r, slurm_job(s, unit), ji);
}

bool slurm_resv_take(const struct slurm *s, uint32_t unit, int64_t from_s, int64_t to_s, uint64_t *nodes)
{
    bool taken = false;
    for (uint32_t i = s->resv.first; i < s->resv.n; i++) {
        const struct slurm_resv *r = &s->resv.at[i];
        if (r->begin_s >= to_s || r->end_s <= from_s) continue;
        if (!nodeset_share(nodes, r->nodes, s->conf.n_words, 1) || admits(s, r, unit)) continue;
        nodeset_and_not(nodes, r->nodes, s->conf.n_words);
        taken = true;
    }
    return taken;
}
