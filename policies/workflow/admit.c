/*
 * admit.c -- which waiting workflow gets its reservation, and when.
 *
 * Strictly in order: the first that finds no place keeps the later ones waiting.
 * Cost: one plan of a reservation (reservation.h); with preemption one for each
 * unit that would be stopped.  Source: the patent application, paragraphs 64 to 119.
 */
#include "workflow/state.h"

#include "lib/util.h"

/* The first step with a task to do; n_steps when there is none. */
uint32_t wf_next_step(const struct reservation *r, uint32_t from)
{
    for (uint32_t i = r->step_start[from]; i < r->n_tasks; i++) if (!r->task[i].is_done) return r->task[i].step;
    return r->n_steps;
}

/* ---- reserve= ---- */

/* max, sum or amounts: the n bytes at s. */
static bool read_rule(struct wf_reserve *out, const char *s, size_t n, char *error, size_t cap)
{
    out->rule = n == 3 && strncmp(s, "sum", n) == 0 ? WF_RULE_SUM : WF_RULE_MAX;
    if (memchr(s, ':', n) != NULL) {
        out->amounts = pol_alloc(n + 1, 1);
        memcpy(out->amounts, s, n);
    } else if (out->rule == WF_RULE_MAX && (n != 3 || strncmp(s, "max", n) != 0))
        return pol_error(error, cap, "reserve= is '%.*s', expected max, sum or amounts such as cpus:8;gpus:2",
                       n < 60 ? (int)n : 60, s);
    return true;
}

bool wf_reserve_parse(struct wf_param *param, const char *text, char *error, size_t cap)
{
    const char *s = text;
    while (*s == '[') {
        size_t name = strcspn(s + 1, ",]"), all = strcspn(s + 1, "]");
        const char *rule = s + 1 + name + 1;
        if (name == 0 || name == all || s[1 + all] != ']' || (s[2 + all] != ',' && s[2 + all] != '\0'))
            return pol_error(error, cap, "reserve=: expected [WORKFLOW,RULE] at '%.40s'", s);
        POL_RESERVE(param->reserve, param->cap_reserve, (size_t)param->n_reserve + 2);
        struct wf_reserve *r = &param->reserve[param->n_reserve++];
        lend_read_name(&r->who, s + 1, name, true);
        if (!read_rule(r, rule, all - name - 1, error, cap)) return false;
        for (uint32_t i = 0; i + 1 < param->n_reserve; i++) {
            if (param->reserve[i].who.who != r->who.who || strcmp(param->reserve[i].who.name, r->who.name) != 0)
                continue;
            return pol_error(error, cap, "reserve=: '%s' stands twice", r->who.name);
        }
        s += 2 + all;
        s += *s == ',';
        if (*s != '[' && *s != '\0')
            return pol_error(error, cap, "reserve=: expected [WORKFLOW,RULE] at '%.40s'", s);
    }
    POL_RESERVE(param->reserve, param->cap_reserve, (size_t)param->n_reserve + 1);
    struct wf_reserve *rest = &param->reserve[param->n_reserve++];
    lend_read_name(&rest->who, "*", 1, true);
    return s != text || read_rule(rest, text, strlen(text), error, cap);
}

/* Amounts by name, of which licences are known only now. */
static bool read_amounts(struct wf_policy *p, const char *text, struct reservation_amount *a)
{
    *a = (struct reservation_amount){ 0 };
    for (const char *s = text; *s != '\0';) {
        size_t n = strcspn(s, ":");
        char *end;
        double v = s[n] == ':' ? strtod(s + n + 1, &end) : -1;
        bool is_cpu = n == 4 && strncmp(s, "cpus", 4) == 0, is_gpu = n == 4 && strncmp(s, "gpus", 4) == 0,
             ok = v >= 0 && v < 1e9 && (*end == ';' || *end == '\0');
        uint32_t k = 0;
        for (; ok && !is_cpu && !is_gpu && k < plan_n_licences(&p->sched.plan); k++) {
            const char *name = p->host->name(p->host->ctx, POL_NAME_LICENCE, k);
            if (strlen(name) == n && strncmp(name, s, n) == 0) break;
        }
        if (!ok || (!is_cpu && !is_gpu && k == plan_n_licences(&p->sched.plan))) {
            p->host->fail(p->host->ctx, "reserve= expects max, sum or amounts such as cpus:8;gpus:2;LICENCE:3 of "
                                        "licences that the cluster has");
            return false;
        }
        if (is_cpu) a->cpu_milli = (int64_t)(v * 1000 + 0.5);
        else if (is_gpu) a->gpu_milli = (int64_t)(v * 1000 + 0.5);
        else a->licence[k] = (int64_t)v;
        s = *end == ';' ? end + 1 : end;
    }
    return true;
}

/* Is as much asked for as each stage needs?  Less fails the run. */
static bool reaches(struct wf_policy *p, struct wf *w, const struct reservation_amount *want)
{
    struct reservation_amount most = { 0 };
    const struct reservation *r = &w->reservation;
    for (uint32_t s = w->step; s < r->n_steps; s++) {
        struct reservation_amount need = { 0 };
        for (uint32_t i = r->step_start[s]; i < r->step_start[s + 1]; i++) {
            const struct pol_shape *sh = &p->view->shape[r->task[i].shape];
            need.cpu_milli += sh->cpu_milli;
            need.gpu_milli += (int64_t)sh->n_gpu * sh->gpu_milli;
            for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++)
                need.licence[k] += plan_licence(&p->sched.plan, r->task[i].shape, k);
        }
        for (int d = 0; d < WF_DIMS; d++)
            if (*reservation_dim(&need, d) > *reservation_dim(&most, d))
                *reservation_dim(&most, d) = *reservation_dim(&need, d);
    }
    for (int d = 0; d < WF_DIMS; d++) {
        int64_t asked = d == 0 ? want->cpu_milli : d == 1 ? want->gpu_milli : want->licence[d - 2];
        if (asked == 0 || asked >= *reservation_dim(&most, d)) continue;
        char error[160];
        double unit = d < 2 ? 1000 : 1;
        (void)snprintf(error, sizeof error, "reserve= gives a workflow %g %s, and one of its stages needs %g",
                       (double)asked / unit,
                       d == 0   ? "cores"
                       : d == 1 ? "GPUs"
                                : p->host->name(p->host->ctx, POL_NAME_LICENCE, (uint32_t)d - 2),
                       (double)*reservation_dim(&most, d) / unit);
        p->host->fail(p->host->ctx, error);
        return false;
    }
    return true;
}

/* May this running ordinary unit be preempted for a workflow? */
static bool may_preempt(const struct wf_policy *p, uint32_t id)
{
    const struct wf_loan *l =
        id < p->cap_loan && p->loan[id].task.gen == sched_unit(&p->sched, id)->task.gen ? &p->loan[id] : NULL;
    /* Who borrows holds something outside, or nothing. */
    if (l != NULL && l->from != NULL) return p->param.admit == WF_ADMIT_PREEMPT;
    return p->param.admit == WF_ADMIT_PREEMPT || (p->param.admit == WF_ADMIT_RECLAIM && l != NULL && l->is_former);
}

/* Licences that a running unit holds, and not of a reservation. */
static int64_t licences_outside(const struct wf_policy *p, uint32_t id, uint32_t licence)
{
    const struct request_class *k = &p->sched.classes.at[sched_unit(&p->sched, id)->request_class];
    int64_t n = 0;
    for (uint32_t i = 0; i < k->n_tasks; i++) n += plan_licence(&p->sched.plan, k->shape[i], licence);
    return p->sched.held[id].node == POL_NONE && p->loan[id].from != NULL ? n - p->loan[id].take.licence[licence] : n;
}

/* Plan the workflow as if the victims were gone, but for the k-th (n: all are). */
static bool plan_without(struct wf_policy *p, struct wf *w, uint32_t first, const struct reservation_amount *want,
                         uint32_t n, uint32_t k)
{
    struct sched *d = &p->sched;
    struct plan_mark m = plan_mark(&d->plan);
    int64_t licence[PLAN_LICENCES_MAX];
    memcpy(licence, d->licence_free, sizeof licence);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = p->scratch.victim[i];
        if (i == k) continue;
        for (uint32_t l = 0; l < PLAN_LICENCES_MAX; l++) licence[l] += licences_outside(p, id, l);
        if (d->held[id].node == POL_NONE) wf_plan_borrower(p, &p->loan[id], -1);
        else sched_release(d, id);
    }
    bool ok = reservation_plan(&w->reservation, &d->placement, first, w->reserve->rule, want, licence);
    plan_undo(&d->plan, m);
    return ok;
}

/*
 * Plan the workflow as if some ordinary units were gone: those that began last, one after the other, until it
 * can be planned; of these whoever is not needed for it runs on, the one that began last first.
 */
static bool plan_with_victims(struct wf_policy *p, struct wf *w, uint32_t first, const struct reservation_amount *want)
{
    static const char reason[] = "a workflow needs room for its reservation";
    struct sched *d = &p->sched;
    uint32_t n = 0;
    bool ok = false;
    if (p->param.admit == WF_ADMIT_WAIT) return false;
    for (uint32_t id = unit_set_last(&d->running, &d->units); id != POL_NONE && !ok;
         id = unit_set_prev(&d->running, &d->units, id)) {
        if (!may_preempt(p, id) || sched_unit(d, id)->started_in == d->round) continue;
        POL_PUSH(p->scratch.victim, n, p->scratch.cap_victim, id);
        ok = plan_without(p, w, first, want, n, n);
    }
    for (uint32_t i = 0; ok && i + 1 < n;) {
        if (!plan_without(p, w, first, want, n, i)) { i++; continue; }
        memmove(&p->scratch.victim[i], &p->scratch.victim[i + 1], (--n - i) * sizeof *p->scratch.victim);
    }
    ok = ok && plan_without(p, w, first, want, n, n);           /* the last that was tried may have failed */
    for (uint32_t i = 0; i < n && ok; i++) {
        uint32_t id = p->scratch.victim[i];
        if (d->held[id].node == POL_NONE) p->loan[id].is_former = false;
        if (d->held[id].node == POL_NONE && p->loan[id].from != NULL) { wf_stop_borrower(p, id, reason); continue; }
        for (uint32_t l = 0; l < PLAN_LICENCES_MAX; l++) d->licence_free[l] += licences_outside(p, id, l);
        sched_preempt(d, id, reason);
    }
    return ok;
}

/* Does nothing run, is nothing reserved, and is every node up?  What cannot be planned then never can. */
static bool is_empty(const struct wf_policy *p)
{
    if (p->n_active > 0 || p->view->n_running > 0) return false;
    for (uint32_t i = 0; i < p->view->n_nodes; i++) if (!p->view->node[i].is_up) return false;
    return true;
}

/* Reserve for waiting workflows in order, until one finds no place. */
void wf_admit(struct wf_policy *p)
{
    while (p->n_waiting > 0) {
        struct wf *w = p->waiting[0];
        if (w->n_running > 0) return;               /* after the loss of a node: what still runs ends first */
        if (plan_n_licences(&p->sched.plan) == 0 && p->failed.freed_epoch == p->sched.plan.freed_epoch &&
            p->failed.ordinal == w->ordinal)
            return;
        struct reservation_amount want = { 0 };
        const struct wf_reserve *reserve = w->reserve;
        if (reserve->amounts != NULL && (!read_amounts(p, reserve->amounts, &want) || !reaches(p, w, &want))) return;
        uint32_t first = wf_next_step(&w->reservation, 0);
        const struct reservation_amount *least = reserve->amounts != NULL ? &want : NULL;
        if (!reservation_plan(&w->reservation, &p->sched.placement, first, reserve->rule, least,
                              p->sched.licence_free) &&
            !plan_with_victims(p, w, first, least) &&
            !(is_empty(p) && reserve->rule == WF_RULE_MAX &&
              reservation_plan(&w->reservation, &p->sched.placement, first, WF_RULE_AS_MADE, least,
                               p->sched.licence_free))) {
            p->failed.freed_epoch = p->sched.plan.freed_epoch;
            p->failed.ordinal = w->ordinal;
            if (is_empty(p))
                p->host->fail(p->host->ctx,
                              "what it would reserve for a workflow is more than the empty cluster holds");
            return;
        }
        wf_remove_from(p->waiting, &p->n_waiting, w);
        wf_insert(&p->active, &p->cap_active, &p->n_active, w);
        w->holds = true;
        w->is_broken = false;
        w->step = first;
        memset(w->lent, 0, (size_t)wf_shares(p, w)->n * WF_DIMS * sizeof *w->lent);
        wf_idle_reservation(p, w, +1);
        for (int k = 0; k < PLAN_LICENCES_MAX; k++) p->sched.licence_free[k] -= w->reservation.licence[WF_KEPT][k];
        p->outside.n_touched = 0;                   /* earlier changes are shown already; now the nodes of this one */
        memset(p->outside.is_touched, 0, p->view->n_nodes * sizeof *p->outside.is_touched);
        for (uint32_t i = 0; i < w->reservation.n_parts; i++) wf_touch(p, w->reservation.part[i].node);
        for (uint32_t i = 0; i < p->outside.n_touched; i++) wf_show_node(p, p->outside.touched[i]);
        p->outside.shown.changed = p->outside.touched;
        p->outside.shown.n_changed = p->outside.n_touched;
        plan_sync(&p->sched.plan, &p->outside.shown);
        wf_enter(p, w);
    }
}
