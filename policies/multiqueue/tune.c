/*
 * tune.c -- the search for the number of cores while GPU jobs run, and the watch over
 * memory bandwidth.
 *
 * Cost: O(running GPU units + probes that are over, squared) a decision; a look at the bandwidth O(nodes + running
 * tasks).  Source: CODA's patent (README.md, multiqueue), steps S300 (search) and S600 (bandwidth).
 */
#include "multiqueue/state.h"

#include "lib/util.h"

static void note(const struct mq *m, const char *name, double value) { m->sched.host->note(m->sched.host->ctx, name, value); }

/* ---- the search ---- */

static uint32_t n_gpu_of(struct mq *m, uint32_t id) { return mq_request(m, sched_unit(&m->sched, id)->request_class)->n_gpu; }

/* What was found of units like it; NULL: nothing. */
static const struct search_past *past_of(struct mq *m, uint32_t id)
{
    return search_known(&m->history, mq_unit(m, id)->category, n_gpu_of(m, id), sched_unit(&m->sched, id)->n_tasks);
}

uint32_t tune_cores(struct mq *m, uint32_t id)
{
    const struct mq_unit *x = mq_unit(m, id);
    if (!m->param.search_on || x->category == POL_NONE || mq_request(m, sched_unit(&m->sched, id)->request_class)->is_exclusive) return 0;
    const struct search_past *past = past_of(m, id);
    return search_start(past != NULL ? past->cores : (uint32_t)m->param.cold, x->hints);
}

void tune_need(struct mq *m, uint32_t id)
{
    const struct sched *d = &m->sched;
    uint32_t t = id;
    if (m->param.reserve >= 0) return;
    for (uint32_t i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next) {
        int64_t need = m->param.by_node ? m->gpu.node[d->held[t].node].cpu : sched_held_shape(d, t).cpu_milli;
        if (need <= m->cores.reserve) continue;
        m->cores.reserve = need;
        m->epoch.gpu_rules++;
        m->epoch.moves++;
    }
}

/* The host's name of a unit's task. */
static pol_task task_of(const struct sched *d, const struct unit *u, uint32_t slot)
{
    pol_task t = u->task;
    while (t.slot != slot) t = d->host->task(d->host->ctx, t)->next;
    return t;
}

/* Bytes/s that a CPU task moves, as last seen; 0: nothing, or nothing seen. */
static int64_t traffic_of(const struct mq *m, uint32_t t)
{
    const struct sched *d = &m->sched;
    int64_t bw = d->cores->measure(d->host->ctx, task_of(d, sched_unit(d, m->cores.task[t].unit), t)).mem_bw;
    return bw > 0 ? bw : 0;
}

/* What CPU tasks move on the unit's node where that is most, in millionths of the node's bandwidth.  O(tasks there). */
static int64_t pressure_on(const struct mq *m, uint32_t id)
{
    const struct sched *d = &m->sched;
    int64_t most = 0;
    for (uint32_t i = 0, t = id; m->watch.knows_bandwidth && i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next) {
        uint32_t node = d->held[t].node;
        int64_t sum = 0, all = d->cores->mem_bw[node];
        for (uint32_t k = m->cores.node[node].first; all > 0 && k != POL_NONE; k = m->cores.task[k].next) sum += traffic_of(m, k);
        int64_t of = all > 0 ? (int64_t)((pol_wide)sum * 1000000 / all) : 0;
        if (of > most) most = of;
    }
    return most;
}

void tune_started(struct mq *m, uint32_t id)
{
    struct mq_unit *x = mq_unit(m, id);
    uint32_t cores = tune_cores(m, id);
    x->search = (struct search){ .phase = SEARCH_OFF };
    x->is_short = false;
    x->top = -1;
    x->set_at = m->sched.view->now_us;
    const struct search_past *past = x->category != POL_NONE ? past_of(m, id) : NULL;
    x->hope = past != NULL ? past->util : m->param.expect;
    x->hope_cores = past != NULL ? past->cores : 0;
    if (cores > 0) {
        search_begin(&x->search, cores);
        x->pressure = pressure_on(m, id);
        x->repeats = 0;
        note(m, "search_cores", cores);
        x->due = pol_after(m->sched.view->now_us, m->param.probe_us);
    } else {
        tune_need(m, id);
    }
}

static void found(struct mq *m, uint32_t id)
{
    struct mq_unit *x = mq_unit(m, id);
    struct search_past past = { .category = x->category, .n_gpu = n_gpu_of(m, id), .n_tasks = sched_unit(&m->sched, id)->n_tasks,
                                .cores = x->search.cores, .util = x->search.util };
    search_learn(&m->history, past);
    history_save(m, &past);
    m->epoch.moves++;               /* others like it begin with other cores */
    note(m, "probes", x->search.probes);
    note(m, "cores_found", x->search.cores);
}

/* Give the unit what the search wants now; if that cannot be had, ask again when the next probe would end. */
static void apply(struct mq *m, uint32_t id)
{
    struct mq_unit *x = mq_unit(m, id);
    x->is_short = !fit_resize(m, id, x->search.cores, x->search.phase == SEARCH_DONE ? "cores found by the search" : "probe of the search");
    if (x->is_short) return;
    x->top = -1;
    x->set_at = m->sched.view->now_us;
    x->pressure = pressure_on(m, id);
    x->repeats = 0;
    note(m, "search_cores", x->search.cores);
    if (x->search.phase == SEARCH_DONE) tune_need(m, id);
}

static int64_t differs_by(int64_t a, int64_t b) { return a > b ? a - b : b - a; }

static void probe_over(struct mq *m, uint32_t id)
{
    struct mq_unit *x = mq_unit(m, id);
    const struct pol_host *h = m->sched.host;
    x->due = pol_after(m->sched.view->now_us, m->param.probe_us);
    if (x->is_short) { apply(m, id); return; }
    int64_t util = m->sched.cores->measure(h->ctx, sched_unit(&m->sched, id)->task).gpu_util;
    if (util < 0) return;                   /* it does not compute yet */
    if (x->search.phase == SEARCH_DONE) {
        if (differs_by(util, x->search.util) <= m->param.again) return;
        search_begin(&x->search, x->search.cores);
        x->pressure = pressure_on(m, id);
        x->repeats = 0;
        note(m, "search_cores", x->search.cores);
        return;
    }
    int64_t pressure = pressure_on(m, id);
    if (x->repeats < m->param.repeat && differs_by(pressure, x->pressure) > m->param.steady) {
        x->pressure = pressure;             /* the reading tells of the neighbours, too: once more */
        x->repeats++;
        return;
    }
    note(m, "search_util", (double)util / 1e6);
    if (!search_step(&x->search, m->param.rule, util, m->param.tolerance)) found(m, id);
    apply(m, id);
}

/* Its search goes on, or what it found is looked at now and then. */
static bool is_probing(const struct mq *m, const struct mq_unit *x)
{
    return x->search.phase != SEARCH_OFF && (x->search.phase != SEARCH_DONE || x->is_short || m->param.again < 1000000);
}

/* Those of one instant in order, as they compete for cores and teach the same history. */
void tune_probes(struct mq *m)
{
    uint32_t n = 0;
    if (!m->searches) return;
    POL_RESERVE(m->gpu.due, m->gpu.cap_due, (size_t)m->gpu.n_running);
    for (uint32_t i = 0; i < m->gpu.n_running; i++) {
        uint32_t id = m->gpu.running[i], k;
        const struct mq_unit *x = mq_unit(m, id);
        if (!is_probing(m, x) || x->due > m->sched.view->now_us) continue;
        for (k = n++; k > 0 && unit_before(sched_unit(&m->sched, id), sched_unit(&m->sched, m->gpu.due[k - 1])); k--) m->gpu.due[k] = m->gpu.due[k - 1];
        m->gpu.due[k] = id;
    }
    for (uint32_t i = 0; i < n; i++) probe_over(m, m->gpu.due[i]);
}

/* ---- memory bandwidth ---- */

/* Each node's GPU unit whose utilisation is most below what it was since its cores were set, or what one like it had. */
static void find_falls(struct mq *m)
{
    const struct sched *d = &m->sched;
    for (uint32_t i = 0; i < d->plan.n_nodes; i++) m->watch.fall[i] = (struct mq_fall){ POL_NONE, 0 };
    for (uint32_t i = 0; i < m->gpu.n_running; i++) {
        uint32_t id = m->gpu.running[i], t = id;
        struct mq_unit *x = mq_unit(m, id);
        int64_t util = d->cores->measure(d->host->ctx, sched_unit(d, id)->task).gpu_util;
        if (util < 0 || x->set_at == d->view->now_us) continue;      /* what is seen now was with other cores */
        if (util > x->top) x->top = util;
        int64_t by = x->top - util;
        if (x->hope - util > by && sched_held_shape(d, id).cpu_milli >= (int64_t)x->hope_cores * 1000) by = x->hope - util;
        for (uint32_t k = 0; by >= m->param.drop && k < sched_unit(d, id)->n_tasks; k++, t = d->held[t].next) {
            struct mq_fall *f = &m->watch.fall[d->held[t].node];
            bool earlier = f->unit != POL_NONE && unit_before(sched_unit(d, id), sched_unit(d, f->unit));
            if (f->unit == POL_NONE || by > f->by || (by == f->by && earlier)) *f = (struct mq_fall){ id, by };
        }
    }
}

/* What the unit of CPU task `t` moves on the node; or all CPU units there. */
static int64_t moved_with(const struct mq *m, uint32_t node, uint32_t t)
{
    int64_t sum = 0;
    for (uint32_t k = m->cores.node[node].first; k != POL_NONE; k = m->cores.task[k].next)
        if (m->param.bandwidth_by_node || m->cores.task[k].unit == m->cores.task[t].unit) sum += traffic_of(m, k);
    return sum;
}

/* Halve the CPU task of the node that moves most, of those that move as much as the threshold with the others that count. */
static void throttle(struct mq *m, uint32_t node)
{
    struct sched *d = &m->sched;
    int64_t most = 0;
    uint32_t heavy = POL_NONE;
    for (uint32_t t = m->cores.node[node].first; t != POL_NONE; t = m->cores.task[t].next) {
        int64_t bw = traffic_of(m, t);
        if (bw <= most || m->cores.task[t].cpu < 2000) continue;
        if ((double)moved_with(m, node, t) < m->param.bandwidth * (double)d->cores->mem_bw[node]) continue;
        most = bw;
        heavy = t;
    }
    if (heavy == POL_NONE) return;
    int64_t was = m->cores.task[heavy].cpu, now = was / 2000 * 1000;
    struct unit *u = sched_unit(d, m->cores.task[heavy].unit);
    m->user[u->user].held_cpu -= was - now;
    cores_resize(&m->cores, node, heavy, now);
    sched_resize(d, task_of(d, u, heavy), now, "its traffic slows a GPU job");
    cores_close(&m->cores, node, m->watch.fall[node].unit, was - now);
    m->n_throttled++;
}

static bool is_watching(const struct mq *m) { return m->param.contention_on && m->watch.knows_bandwidth && m->gpu.n_running > 0; }

void tune_watch(struct mq *m)
{
    if (!is_watching(m) || m->sched.view->now_us % m->param.watch_us != 0) return;
    find_falls(m);
    for (uint32_t i = 0; i < m->sched.plan.n_nodes; i++)
        if (m->watch.fall[i].unit != POL_NONE && m->cores.node[i].held > 0 && m->sched.cores->mem_bw[i] > 0) throttle(m, i);
}

void tune_wake(struct mq *m)
{
    const struct pol_host *h = m->sched.host;
    int64_t now = m->sched.view->now_us, at = POL_NEVER;
    for (uint32_t i = 0; m->searches && i < m->gpu.n_running; i++) {
        const struct mq_unit *x = mq_unit(m, m->gpu.running[i]);
        if (is_probing(m, x) && x->due < at) at = x->due;
    }
    if (is_watching(m)) {
        int64_t next = pol_after(now / m->param.watch_us * m->param.watch_us, m->param.watch_us);
        if (next < at) at = next;
    }
    if (at != POL_NEVER) h->wake(h->ctx, at);
}
