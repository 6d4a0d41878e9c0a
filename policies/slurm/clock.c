/*
 * clock.c -- when slurmctld holds its rounds.
 *
 * A background thread wakes every second and starts the main loop when jobs were submitted and its last start is
 * batch_sched_delay ago, or when sched_interval is over: then it goes through the whole queue.  The end of a job
 * starts it as soon as the job's nodes are clear where slurm.conf has an Epilog and not `defer`; else, as the node is
 * then given back in a reply that starts nothing, as a submission does.  The backfill thread sleeps for bf_interval
 * after each round's end; if nothing changed since the last it looks again every second.  Priorities are worked out
 * every PriorityCalcPeriod.
 * Source: slurmctld/controller.c, _slurmctld_background; slurmctld/proc_req.c, _slurm_rpc_epilog_complete;
 * plugins/sched/backfill/backfill.c, backfill_agent.
 *
 * Rounds in which nobody waits are counted on and not held.  With `rounds` the instants are those of a log.
 */
#include "slurm/state.h"

static int64_t at_second(const struct slurm *s, int64_t second) { return second * 1000000 - s->param.epoch_us; }

/* The first look of the background thread at or after a time. */
static int64_t look_after(const struct slurm *s, int64_t us)
{
    const int64_t since = us - s->clock.phase_us, tick = s->param.tick_us;
    int64_t k = since / tick;
    if (k * tick < since) k++;
    return s->clock.phase_us + k * tick;
}

static int64_t next_full(const struct slurm *s)
{
    return look_after(s, at_second(s, s->clock.last_full_s + s->conf.sched_interval));
}

/* When the background thread next starts the main loop. */
static int64_t next_tick(const struct slurm *s)
{
    const int64_t full = next_full(s);
    if (!s->clock.is_asked) return full;
    int64_t from = at_second(s, s->clock.last_s + s->conf.sched_delay);
    if (from < s->clock.asked_us) from = s->clock.asked_us;
    const int64_t asked = look_after(s, from);
    return asked < full ? asked : full;
}

/* It does: true if it goes through the whole queue. */
static bool tick(struct slurm *s, int64_t us)
{
    const bool full = us >= next_full(s);
    s->clock.last_s = slurm_now_s(s, us);
    if (full) s->clock.last_full_s = s->clock.last_s;
    s->clock.is_asked = false;
    return full;
}

/* The backfill thread has looked: after a round it sleeps, else it looks again in a second. */
static void bf_looked(struct slurm *s, bool has_run)
{
    s->clock.bf_us += has_run ? s->conf.bf_interval * 1000000 : 1000000;
    if (has_run && s->n_waiting > 0) s->clock.bf_us += s->param.bf_length_us;
}

static void ask(struct slurm *s, int64_t us)
{
    if (s->clock.is_asked) return;
    s->clock.is_asked = true;
    s->clock.asked_us = us;
}

/* Looks of the background thread before then, which found nobody waiting. */
static void pass_looks(struct slurm *s, int64_t until)
{
    const int64_t interval = s->conf.sched_interval;
    for (int64_t at; (at = next_tick(s)) < until;) {
        /* Where it looks every second, one full round follows the other by sched_interval. */
        if (tick(s, at) && s->param.tick_us == 1000000)
            s->clock.last_full_s = s->clock.last_s += (until - at - 1) / (interval * 1000000) * interval;
    }
}

/* Nodes that became clear until now.  True: some did at this instant. */
static bool pass_clears(struct slurm *s, int64_t now)
{
    struct slurm_clock *c = &s->clock;
    bool now_clear = false;
    while (c->i_clear < c->n_clears && c->clear[c->i_clear].at_us <= now) {
        const int64_t at = c->clear[c->i_clear++].at_us;
        pass_looks(s, at);
        now_clear |= at == now;
        if (!s->conf.has_epilog || s->conf.defers) ask(s, at);
        c->is_dirty = true;
    }
    c->n_clears -= c->i_clear;
    if (c->n_clears > 0) memmove(c->clear, c->clear + c->i_clear, c->n_clears * sizeof *c->clear);
    c->i_clear = 0;
    memset(s->clearing, 0, s->conf.n_words * sizeof *s->clearing);
    for (uint32_t i = 0; i < c->n_clears; i++) nodeset_put(s->clearing, c->clear[i].node);
    return now_clear;
}

/* Rounds before now, which found nobody waiting. */
static void pass_idle(struct slurm *s, int64_t now)
{
    pass_looks(s, now);
    while (s->clock.bf_us < now) {
        const bool has_run = s->clock.is_dirty;
        s->clock.is_dirty = false;
        if (!has_run) s->clock.bf_us += (now - s->clock.bf_us - 1) / 1000000 * 1000000;
        bf_looked(s, has_run);
    }
    while (s->clock.i_round < s->clock.n_rounds && s->clock.round[s->clock.i_round].at_us < now) s->clock.i_round++;
}

/* ---- recorded rounds ---- */

static void read_rounds(struct slurm *s, const char *given)
{
    char *text = strcpy(pol_alloc(strlen(given) + 1, 1), given), *at = text;
    for (struct config_line l; config_next(&at, &l);) {
        struct slurm_recorded r = { .at_us = strtoll(l.name, NULL, 10), .round = ROUND_MAIN, .full = l.kind[0] == 'f' };
        if (l.kind[0] == 'b') r.round = ROUND_BACKFILL;
        if (l.kind[0] == 'p') r.round = ROUND_PRIORITIES;
        if (l.n > 0) r.clearing = pol_alloc(s->conf.n_words, sizeof *r.clearing);
        const char *name = l.field;
        for (uint32_t i = 0, node; i < l.n; i++, name = config_field(name))
            if ((node = config_node(&s->conf, s->sched.host, name)) != POL_NONE) nodeset_put(r.clearing, node);
        POL_PUSH(s->clock.round, s->clock.n_rounds, s->clock.cap_round, r);
    }
    free(text);
}

/* ---- */

void slurm_clock_begin(struct slurm *s, int64_t started_us, int64_t bf_us, const char *rounds)
{
    s->clock.phase_us = -(started_us % s->param.tick_us);
    s->clock.bf_us = bf_us;
    s->clock.last_s = s->clock.last_full_s = slurm_now_s(s, -started_us);
    s->clock.calc_us = -started_us;
    s->clock.passed_us = POL_NEVER;
    read_rounds(s, rounds);
}

void slurm_clock_end(struct slurm *s)
{
    for (uint32_t i = 0; i < s->clock.n_rounds; i++) free(s->clock.round[i].clearing);
    POL_FREE(s->clock.round, s->clock.clear);
}

void slurm_clock_clears(struct slurm *s, uint32_t unit)
{
    const int64_t at = s->sched.view->now_us + s->param.clearing_us;
    uint32_t t = unit;
    for (uint32_t i = s->sched.units.at[unit].n_tasks; i > 0; i--, t = s->sched.held[t].next)
        POL_PUSH(s->clock.clear, s->clock.n_clears, s->clock.cap_clear,
                 (struct slurm_clear){ at, s->sched.held[t].node });
}

void slurm_clock_close(struct slurm *s)
{
    if (s->param.clearing_us == 0) s->clock.n_clears = 0;
}

void slurm_clock_open(struct slurm *s)
{
    const int64_t now = s->sched.view->now_us;
    s->clock.ends_at_once = pass_clears(s, now) && s->conf.has_epilog && !s->conf.defers;
    if (s->clock.passed_us != now) pass_idle(s, now);
    s->clock.passed_us = now;
    if (s->has_come) ask(s, now);
    s->has_come = false;
    s->clock.is_dirty |= s->is_changed;
}

bool slurm_clock_calculates(struct slurm *s)
{
    const int64_t now = s->sched.view->now_us, period = s->conf.calc_period * 1000000;
    if (!s->conf.is_multifactor || s->clock.calc_us > now) return false;
    /* With recorded rounds they say when but for the first time. */
    if (s->clock.n_rounds > 0) s->clock.calc_us = POL_NEVER;
    else s->clock.calc_us += ((now - s->clock.calc_us) / period + 1) * period;
    s->clock.is_dirty = true;
    return true;
}

enum slurm_round slurm_clock_round(struct slurm *s, bool *full)
{
    const int64_t now = s->sched.view->now_us;
    *full = false;
    if (s->clock.n_rounds > 0) {
        if (s->clock.i_round == s->clock.n_rounds || s->clock.round[s->clock.i_round].at_us > now) return ROUND_NONE;
        const struct slurm_recorded *r = &s->clock.round[s->clock.i_round++];
        *full = r->full;
        memset(s->clearing, 0, s->conf.n_words * sizeof *s->clearing);
        if (r->clearing != NULL) nodeset_copy(s->clearing, r->clearing, s->conf.n_words);
        return r->round;
    }
    if (s->clock.ends_at_once) {
        s->clock.ends_at_once = false;
        s->clock.is_dirty = true;
        return ROUND_MAIN;
    }
    if (next_tick(s) <= now) {
        *full = tick(s, now);
        s->clock.is_dirty = true;
        return ROUND_MAIN;
    }
    if (!s->conf.has_backfill || s->clock.bf_us > now) return ROUND_NONE;
    const bool has_run = s->clock.is_dirty;
    bf_looked(s, has_run);
    s->clock.is_dirty = s->n_waiting > 0;
    return has_run ? ROUND_BACKFILL : ROUND_NONE;
}

int64_t slurm_clock_next(const struct slurm *s)
{
    int64_t at = next_tick(s);
    if (s->clock.n_rounds > 0)
        at = s->clock.i_round < s->clock.n_rounds ? s->clock.round[s->clock.i_round].at_us : POL_NEVER;
    else if (s->conf.has_backfill && s->clock.bf_us < at) at = s->clock.bf_us;
    if (s->conf.is_multifactor && s->clock.calc_us < at) at = s->clock.calc_us;
    if (s->clock.n_rounds == 0 && s->clock.n_clears > 0 && s->clock.clear[0].at_us < at) at = s->clock.clear[0].at_us;
    return at;
}
