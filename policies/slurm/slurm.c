/*
 * slurm.c -- the scheduler of Slurm: what happens to jobs, its rounds, and the policy's table.  slurm/README.md.
 */
#include "slurm/state.h"

#include "lib/sched/list.h"
#include "builtin.h"

enum { CONFIG, ACCOUNTS, QOS, RESERVATIONS, ROUNDS, TASKS, EPOCH, STARTED, TICK, CLEARING, BF_PHASE, BF_LENGTH };

static const struct pol_param params[] = {
    [CONFIG] = { .name = "config",
                 .type = POL_FILE,
                 .choices = "slurm-conf",
                 .dflt = "",
                 .help = "slurm.conf; none: one partition, defaults" },
    [ACCOUNTS] = { .name = "accounts",
                   .type = POL_FILE,
                   .choices = "slurm-accounts",
                   .dflt = "",
                   .help = "what `sacctmgr dump` wrote: accounts, users, shares and limits" },
    [QOS] = { .name = "qos",
              .type = POL_FILE,
              .choices = "slurm-qos",
              .dflt = "",
              .help = "what `sacctmgr -P show qos` prints" },
    [RESERVATIONS] = { .name = "reservations",
                       .type = POL_FILE,
                       .choices = "slurm-reservations",
                       .dflt = "",
                       .help = "what `scontrol show reservation` prints" },
    [ROUNDS] = { .name = "rounds",
                 .type = POL_FILE,
                 .choices = "slurm-rounds",
                 .dflt = "",
                 .help = "when a real daemon held its rounds, in place of its clocks" },
    [TASKS] = { .name = "tasks",
                .type = POL_CHOICE,
                .choices = "any|node",
                .dflt = "any",
                .help = "of a gang: on any nodes, as sbatch -n; or each on a node of its own, as -N" },
    [EPOCH] = { .name = "epoch",
                .type = POL_DURATION,
                .dflt = "0",
                .help = "the daemon's clock at time 0, since 1970" },
    [STARTED] = { .name = "started",
                  .type = POL_DURATION,
                  .dflt = "0",
                  .help = "how long before time 0 the daemon was started" },
    [TICK] = { .name = "tick",
               .type = POL_DURATION,
               .dflt = "1s",
               .help = "from one look of the daemon at its queue to the next" },
    [CLEARING] = { .name = "clearing",
                   .type = POL_DURATION,
                   .dflt = "0",
                   .help = "from a job's end until its nodes are clear of it: epilog, messages" },
    [BF_LENGTH] = { .name = "bf_length", .type = POL_DURATION, .dflt = "0", .help = "what a backfill round takes" },
    [BF_PHASE] = { .name = "bf_phase", .type = POL_DURATION, .dflt = "0", .help = "time of the first backfill round" },
};

/* ---- what happens to units ---- */

static void waits(void *self, const struct unit *u, int sign)
{
    struct slurm *s = self;
    const uint32_t unit = u->task.slot;
    if (sign > 0) {
        slurm_job_read(s, u, unit);
        struct slurm_job *j = slurm_job(s, unit);
        if (s->clock.booked_s == 0) slurm_fairshare_round(s);   /* as when the daemon starts */
        slurm_priority(s, unit);
        slurm_order_add(s, unit);
        s->n_waiting += j->held == NULL;
        if (j->held != NULL) s->sched.host->hold(s->sched.host->ctx, u->task, false, j->held);
        s->has_come = true;
    } else {
        s->n_waiting -= slurm_job(s, unit)->held == NULL;
        if (!s->is_in_round) slurm_order_del(s, unit);
    }
    s->is_changed = true;
}

/*
 * How many of those that run come before the unit: by the expected end, then in order of arrival; with_equals: and
 * those that come neither before nor after it.
 */
static uint32_t running_before(const struct slurm *s, uint32_t unit, bool with_equals)
{
    const int64_t end = slurm_job(s, unit)->end_s;
    const uint64_t ordinal = s->sched.units.at[unit].ordinal;
    uint32_t low = 0, high = s->n_running;
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2, o = s->running[mid];
        const int64_t other = slurm_job(s, o)->end_s;
        const uint64_t its = s->sched.units.at[o].ordinal;
        if (other < end || (other == end && (its < ordinal || (with_equals && its == ordinal)))) low = mid + 1;
        else high = mid;
    }
    return low;
}

static void running_add(struct slurm *s, uint32_t unit)
{
    const uint32_t at = running_before(s, unit, true);
    POL_RESERVE(s->running, s->cap_running, (size_t)s->n_running + 1);
    memmove(&s->running[at + 1], &s->running[at], (s->n_running - at) * sizeof *s->running);
    s->running[at] = unit;
    s->n_running++;
}

static void running_del(struct slurm *s, uint32_t unit)
{
    uint32_t i = running_before(s, unit, false);
    while (i < s->n_running && s->running[i] != unit) i++;
    if (i == s->n_running) return;
    memmove(&s->running[i], &s->running[i + 1], (s->n_running - i - 1) * sizeof *s->running);
    s->n_running--;
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct slurm *s = self;
    const uint32_t unit = u->task.slot;
    struct slurm_job *j = slurm_job(s, unit);
    const int64_t now = slurm_time_s(s);
    if (sign > 0) {
        j->start_s = j->billed_s = now;
        j->end_s = now + slurm_limit_s(s, unit, j->in);
        running_add(s, unit);
    } else {
        slurm_fairshare_book(s, unit, now);
        running_del(s, unit);
        slurm_clock_clears(s, unit);
    }
    slurm_limits_book(s, unit, sign);
    s->is_changed = true;
    s->n_states++;
}

void slurm_start(struct slurm *s, uint32_t unit, uint32_t part, const char *reason)
{
    struct sched *d = &s->sched;
    const struct request_class *k = slurm_class(s, unit);
    for (uint32_t i = 0; i < s->n_victims; i++) sched_preempt(d, s->victim[i], "preempted");
    s->n_victims = 0;
    for (uint32_t i = 0; i < k->n_tasks; i++) s->later_cpu[d->place[i].node] += d->plan.shape[k->shape[i]].cpu_milli;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        struct pol_shape shape = d->plan.shape[k->shape[i]];
        const uint32_t node = d->place[i].node;
        d->place[i].cards = plan_pick_cards(&d->plan, node, &shape);
        s->later_cpu[node] -= shape.cpu_milli;
        const int64_t cpu = d->plan.node[node].n.cpu_free - s->later_cpu[node];
        if (s->conf.partition[part].is_exclusive && shape.exclusive == 0 && cpu > shape.cpu_milli)
            d->place[i].cpu_milli = shape.cpu_milli = cpu;      /* of a whole node what the job's later tasks leave */
        plan_allocate(&d->plan, node, &shape, d->place[i].cards);
    }
    slurm_job(s, unit)->in = part;
    s->n_states++;
    sched_start(d, unit, reason);
}

/* ---- rounds ---- */

static void count_up(struct slurm *s)
{
    const struct pol_view *v = s->sched.view;
    for (uint32_t k = 0; k < (s->knows_up ? v->n_changed : s->conf.n_nodes); k++) {
        const uint32_t i = s->knows_up ? v->changed[k] : k;
        if (v->node[i].is_up != 0) nodeset_put(s->up, i);
        else s->up[i / 64] &= ~(UINT64_C(1) << i % 64);
    }
    s->knows_up = true;
}

/* Of units that started in the round. */
static void drop_started(struct slurm *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_order; i++)
        if (s->sched.units.at[s->order[i].unit].state == UNIT_WAITING) s->order[n++] = s->order[i];
    s->n_order = n;
}

static void hold_round(struct slurm *s, enum slurm_round round, bool full)
{
    s->round_us = s->sched.view->now_us;
    s->is_in_round = true;
    if (round == ROUND_MAIN) slurm_main_loop(s, full);
    else slurm_backfill(s);
    s->is_in_round = false;
    drop_started(s);
}

static void calculate(struct slurm *s)
{
    slurm_fairshare_round(s);
    for (uint32_t i = 0; i < s->n_order; i++)
        if (s->order[i].k == 0) slurm_priority(s, s->order[i].unit);
    slurm_order_sort(s);
}

static void decide(void *self)
{
    struct slurm *s = self;
    const int64_t now = s->sched.view->now_us;
    slurm_clock_open(s);
    count_up(s);
    s->n_quiet = slurm_resv_ahead(s) || s->is_changed || s->n_running > 0 ? 0 : s->n_quiet + 1;
    if (slurm_clock_calculates(s)) calculate(s);
    bool full = false;
    for (enum slurm_round r; (r = slurm_clock_round(s, &full)) != ROUND_NONE;) {
        if (r == ROUND_PRIORITIES) calculate(s);
        else hold_round(s, r, full);
    }
    slurm_clock_close(s);
    s->is_changed = false;
    /* Nothing can change before something happens when nothing runs and round after round starts nothing. */
    if (s->n_waiting == 0 || s->n_quiet >= 4) return;
    const int64_t at = slurm_clock_next(s);
    if (at != POL_NEVER) s->sched.host->wake(s->sched.host->ctx, at > now ? at : now + 1);
}

/* ---- the policy ---- */

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct slurm *s = self;
    const char *const text[] = { value[CONFIG].s, value[ACCOUNTS].s, value[QOS].s };
    if (!config_read(&s->conf, s->sched.host, text, error, cap)) return false;
    if (value[TICK].i <= 0) return pol_error(error, cap, "tick must be above 0");
    s->param.by_node = value[TASKS].i == 1;
    s->param.epoch_us = value[EPOCH].i;
    s->param.tick_us = value[TICK].i;
    s->param.clearing_us = value[CLEARING].i;
    s->param.bf_length_us = value[BF_LENGTH].i;
    s->clearing = pol_alloc(s->conf.n_words, sizeof *s->clearing);
    slurm_clock_begin(s, value[STARTED].i, value[BF_PHASE].i, value[ROUNDS].s);
    if (!slurm_resv_begin(s, value[RESERVATIONS].s, error, cap)) return false;
    s->up = pol_alloc(s->conf.n_words, sizeof *s->up);
    s->avail = pol_alloc(s->conf.n_words, sizeof *s->avail);
    s->later_cpu = pol_alloc(s->conf.n_nodes, sizeof *s->later_cpu);
    slurm_select_begin(s);
    for (size_t i = 0; i < sizeof s->set / sizeof *s->set; i++)
        s->set[i] = pol_alloc(s->conf.n_words, sizeof *s->set[i]);
    return true;
}

static void fini(void *self)
{
    struct slurm *s = self;
    for (size_t i = 0; i < s->cap_span; i++) free(s->span[i].free);
    for (size_t i = 0; i < s->cap_answer; i++) free(s->answer[i].asked);
    for (size_t i = 0; i < sizeof s->set / sizeof *s->set; i++) free(s->set[i]);
    POL_FREE(s->job, s->order, s->sorted, s->up, s->avail, s->later_cpu, s->failed, s->running, s->victim, s->span,
             s->count, s->clearing, s->answer);
    slurm_select_end(s);
    slurm_fitting_end(s);
    slurm_clock_end(s);
    slurm_resv_end(s);
    config_fini(&s->conf);
}

static const struct sched_ops ops = { .waits = waits,
                                      .moved = moved,
                                      .knows_licences = true,
                                      .size = sizeof(struct slurm),
                                      .init = init,
                                      .decide = decide,
                                      .fini = fini };

LIST_POLICY(pol_slurm, ops, params,
            .name = "slurm", .source = "Slurm 22.05: sched/backfill, select/cons_tres, priority/multifactor",
            .summary = "Slurm's main loop, backfill, priorities, limits and preemption, by the user's own slurm.conf",
            .flags = POL_USES_LIMITS | POL_PREEMPTS | POL_STRANDS);
