/*
 * backfill.c -- the backfill scheduler: each job in order starts if it can without delaying those before it,
 * for which nodes are set aside from the time on at which they are expected to start.
 * Source: plugins/sched/backfill/backfill.c, _attempt_backfill and _add_reservation, and
 * plugins/select/cons_common/job_test.c, _will_run_test.
 *
 * What is set aside is whole nodes, in spans of time of the length of bf_resolution; where running
 * jobs end is no part of it: that is asked for each job by releasing them in the plan, several at a time.
 * Cost: O(jobs tested x (spans x nodes / 64 + running tasks)), and a search for nodes for each window of ends.
 */
#include "slurm/state.h"

enum { TRIES_MAX = 2000 };      /* later starts that are looked at for one job */

/* ---- when could it start? ---- */

/* Does the running unit hold something on one of these nodes? */
static bool is_on(const struct slurm *s, uint32_t unit, const uint64_t *nodes)
{
    uint32_t t = unit;
    for (uint32_t i = s->sched.units.at[unit].n_tasks; i > 0; i--, t = s->sched.held[t].next)
        if (nodeset_has(nodes, s->sched.held[t].node)) return true;
    return false;
}

/* The first running unit on these nodes from the place i of `running` on; n_running: there is none. */
static uint32_t next_release(const struct slurm *s, const uint64_t *nodes, uint32_t i)
{
    while (i < s->n_running && !is_on(s, s->running[i], nodes)) i++;
    return i;
}

/* When a job that ran past its limit ends. */
static int64_t guess_end(const struct slurm *s, int64_t end, int64_t now)
{
    end += s->conf.kill_wait + s->conf.over_time * 60;
    return end > now ? end : now + 1;
}

/*
 * Release running jobs that end soon, those of one window together, until the job fits; the window grows.
 * False: it never does.  s->select has its nodes.
 */
static bool foresee(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes, int64_t *start_s)
{
    struct plan_mark m = plan_mark(&s->sched.plan);
    int64_t window = 30, end = 0;
    bool found = false, more = true;
    for (uint32_t i = 0; more && !found;) {
        uint32_t last = POL_NONE, released = 0;
        bool is_many = false;
        for (;;) {
            i = next_release(s, nodes, i);
            if (i == s->n_running) {
                more = false;
                break;
            }
            const uint32_t v = s->running[i++];
            const int64_t end_s = slurm_job(s, v)->end_s;
            if (end == 0) end = end_s + (30 - end_s % 30);
            last = v;
            sched_release(&s->sched, v);
            if (i == s->n_running) {
                more = false;
                break;
            }
            if (slurm_job(s, s->running[i])->end_s > end + window) break;
            if (released++ > 200) {
                is_many = true;
                break;
            }
        }
        if (last == POL_NONE) break;
        if (is_many) continue;
        do window = s->conf.bf_window_linear > 0 ? window + s->conf.bf_window_linear : window * 2;
        while (more && slurm_job(s, s->running[i])->end_s > end + window);
        if (!slurm_select(s, unit, part, nodes)) continue;
        *start_s = slurm_job(s, last)->end_s;
        found = true;
    }
    plan_undo(&s->sched.plan, m);
    return found;
}

/* Those nodes, in s->set[4], that are neither too small nor lack a feature whatever runs there, but for cards. */
static void filter_nodes(struct slurm *s, uint32_t unit, const uint64_t *nodes)
{
    nodeset_copy(s->set[4], nodes, s->conf.n_words);
    slurm_keep_suited(s, unit, s->set[4]);
}

/*
 * What the last searches found, by what was asked: most jobs of a queue are alike, and nothing changes in a round but
 * by what it starts.  A table of fixed size where a newer answer takes an older one's place.
 */
enum { ANSWERS = 4096, IS_NOW = 1, IS_LATER, IS_NEVER };

/* Its place in the table, whether it is the one or not. */
static struct slurm_answer *answer_find(struct slurm *s, uint64_t class_serial, uint32_t part, const uint64_t *nodes)
{
    uint64_t h = class_serial * PARTS_MAX + part;
    POL_RESERVE(s->answer, s->cap_answer, ANSWERS);
    for (size_t i = 0; i < s->conf.n_words; i++) h = (h ^ nodes[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
    return &s->answer[(h ^ h >> 32) % ANSWERS];
}

/* As soon as these nodes allow it. */
static bool will_run(struct slurm *s, uint32_t unit, uint32_t part, const uint64_t *nodes, bool now_only, int64_t now,
                     int64_t *start_s)
{
    *start_s = now;
    if (now_only || slurm_preempts_any(s, unit, part)) {
        filter_nodes(s, unit, nodes);
        if (slurm_select(s, unit, part, s->set[4])) return true;
        if (slurm_select_preempting(s, unit, part, s->set[4])) {
            for (uint32_t i = 0; i < s->n_victims; i++) sched_reallocate(&s->sched, s->victim[i]);
            return true;
        }
        if (now_only || !foresee(s, unit, part, s->set[4], start_s)) return false;
        if (*start_s <= now) *start_s = guess_end(s, *start_s, now);
        return true;
    }
    const uint64_t of = slurm_class(s, unit)->serial;
    const size_t n = s->conf.n_words;
    struct slurm_answer *a = answer_find(s, of, part, nodes);
    if (a->asked == NULL) a->asked = pol_alloc(2 * n, sizeof *a->asked);
    uint64_t *asked = a->asked, *found = asked + n;
    if (a->state != s->n_states || a->class_serial != of || a->part != part || !nodeset_equal(asked, nodes, n)) {
        *a = (struct slurm_answer){
            .state = s->n_states, .class_serial = of, .part = part, .what = IS_NOW, .asked = asked };
        filter_nodes(s, unit, nodes);
        if (!nodeset_holds(s->set[4], n, slurm_min_nodes(s, unit))) a->what = IS_NEVER;
        else if (!slurm_select(s, unit, part, s->set[4]))
            a->what = foresee(s, unit, part, s->set[4], &a->start_s) ? IS_LATER : IS_NEVER;
        nodeset_copy(asked, nodes, n);
        nodeset_copy(found, s->select.nodes, n);
    }
    nodeset_copy(s->select.nodes, found, n);
    if (a->what == IS_LATER) *start_s = a->start_s > now ? a->start_s : guess_end(s, a->start_s, now);
    return a->what != IS_NEVER;
}

/* ---- what is set aside ---- */

static void span_insert(struct slurm *s, uint32_t at, int64_t begin, int64_t end, const uint64_t *nodes)
{
    uint64_t *own = NULL;
    if (s->n_spans < s->cap_span) own = s->span[s->n_spans].free;       /* of an earlier round */
    POL_RESERVE(s->span, s->cap_span, (size_t)s->n_spans + 1);
    if (own == NULL) own = pol_alloc(s->conf.n_words, sizeof *own);
    memmove(&s->span[at + 1], &s->span[at], (s->n_spans - at) * sizeof *s->span);
    s->span[at] = (struct slurm_span){ begin, end, own };
    nodeset_copy(own, nodes, s->conf.n_words);
    s->n_spans++;
}

/* Spans of the same nodes become one: at most one of them, which is enough to keep the table short. */
static void span_merge(struct slurm *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i + 1 < s->n_spans && i != to; i++) {
        if (!nodeset_equal(s->span[i].free, s->span[i + 1].free, s->conf.n_words)) continue;
        struct slurm_span gone = s->span[i + 1];
        s->span[i].end_s = gone.end_s;
        memmove(&s->span[i + 1], &s->span[i + 2], (s->n_spans - i - 2) * sizeof *s->span);
        s->span[--s->n_spans] = gone;
        return;
    }
}

static void set_aside(struct slurm *s, int64_t begin, int64_t end, const uint64_t *nodes)
{
    uint32_t j, before = 0, after = POL_NONE;
    bool placed = false;
    if (begin < s->span[0].begin_s) begin = s->span[0].begin_s;
    if (end < begin + s->conf.bf_resolution) end = begin + s->conf.bf_resolution;
    for (j = 0; j < s->n_spans; j++) {
        if (s->span[j].end_s >= begin) {
            placed = true;
            if (s->span[j].end_s > begin) {
                span_insert(s, j + 1, begin, s->span[j].end_s, s->span[j].free);
                s->span[j].end_s = begin;
            }
            break;
        }
        before = j;
    }
    while (placed && ++j < s->n_spans) {
        if (end < s->span[j].end_s) {
            span_insert(s, j + 1, end, s->span[j].end_s, s->span[j].free);
            s->span[j].end_s = end;
        }
        nodeset_and_not(s->span[j].free, nodes, s->conf.n_words);
        if (end == s->span[j].end_s) {
            if (j + 1 < s->n_spans) after = j + 1;
            break;
        }
    }
    span_merge(s, before, after);
}

/* Are there nodes of a and b that are not in both c and d? */
static bool has_more(const uint64_t *a, const uint64_t *b, const uint64_t *c, const uint64_t *d, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] & b[i] & ~(c[i] & d[i])) != 0) return true;
    return false;
}

/*
 * The nodes that are free from start to end, in `nodes`; returns when to look again, 0: never.  *from is the first span
 * that ends later than the start; starts only grow.
 */
static int64_t span_free(struct slurm *s, int64_t start, int64_t end, uint64_t *nodes, uint32_t *from)
{
    const size_t n = s->conf.n_words;
    int64_t later = 0;
    nodeset_copy(s->set[3], nodes, n);
    while (*from < s->n_spans && s->span[*from].end_s <= start) ++*from;
    for (uint32_t j = *from; j < s->n_spans; j++) {
        const struct slurm_span *x = &s->span[j];
        if (later == 0 && j + 1 < s->n_spans && has_more(s->set[3], x[1].free, nodes, x->free, n)) later = x->end_s;
        if (x->begin_s > end) break;
        nodeset_and(nodes, x->free, n);
    }
    return later;
}

/* Is any of these nodes taken between start and end?  `at` is a span near the start. */
static bool overlaps(const struct slurm *s, const uint64_t *nodes, int64_t start, int64_t end, uint32_t at)
{
    while (at > 0 && s->span[at - 1].end_s > start) at--;
    for (; at < s->n_spans && s->span[at].begin_s < end; at++)
        if (s->span[at].end_s > start && !nodeset_within(nodes, s->span[at].free, s->conf.n_words)) return true;
    return false;
}

/* ---- a job ---- */

struct round {
    struct slurm *s;
    int64_t now, n_tested, n_started;
    uint64_t rejected; uint32_t rejected_part, n_elements;
};

/* One more of this pair; false: there were `most` already (0: no limit).  O(pairs met in the round). */
static bool count_pair(struct slurm *s, uint32_t a, uint32_t b, int64_t most)
{
    uint32_t i = 0;
    if (most <= 0) return true;
    while (i < s->n_counts && (s->count[i].a != a || s->count[i].b != b)) i++;
    if (i == s->n_counts) POL_PUSH(s->count, s->n_counts, s->cap_count, (struct slurm_count){ a, b, 0 });
    if (s->count[i].n >= most) return false;
    s->count[i].n++;
    return true;
}

static bool is_over_limits(struct slurm *s, const struct unit *u, const struct slurm_job *j, uint32_t part)
{
    enum { ANY = -2, ASSOCS = -3, USERS = -4 };         /* beside the numbers of users */
    const struct slurm_conf *c = &s->conf;
    return !count_pair(s, u->user, part, c->bf_max_job_user_part) ||
           !count_pair(s, (uint32_t)ANY, part, c->bf_max_job_part) ||
           (j->assoc != CONFIG_NONE && !count_pair(s, (uint32_t)ASSOCS, (uint32_t)j->assoc, c->bf_max_job_assoc)) ||
           !count_pair(s, (uint32_t)USERS, u->user, c->bf_max_job_assoc > 0 ? 0 : c->bf_max_job_user);
}

static bool test_now_only(struct round *r, struct slurm_record rec)
{
    const struct slurm *s = r->s;
    const struct slurm_job *j = slurm_job(s, rec.unit);
    if (s->conf.bf_min_prio > 0 && j->priority[rec.k] < (double)s->conf.bf_min_prio) return true;
    if (s->conf.bf_min_age > 0 && r->now - j->submit_s < s->conf.bf_min_age) return true;
    return s->conf.one_resv && j->planned_s > 0;
}

/* Are some of the selected nodes reserved if the job starts then? */
static bool is_kept(struct slurm *s, uint32_t unit, uint32_t part, int64_t start_s)
{
    nodeset_copy(s->set[3], s->select.nodes, s->conf.n_words);
    return slurm_resv_take(s, unit, start_s, start_s + slurm_limit_s(s, unit, part), s->set[3]);
}

enum outcome { STARTED, SET_ASIDE, NEITHER };

/* Start it, or set nodes aside for it: at the first of the later and later starts that will do. */
static enum outcome plan_job(struct round *r, struct slurm_record rec, bool now_only)
{
    struct slurm *s = r->s;
    struct slurm_job *j = slurm_job(s, rec.unit);
    const uint32_t part = j->part[rec.k];
    const int64_t res = s->conf.bf_resolution;
    const bool no_reserve = j->qos != CONFIG_NONE && s->conf.qos[j->qos].no_reserve;
    const int64_t limit = no_reserve && s->conf.preempts ? 60 : slurm_limit_s(s, rec.unit, part);
    const bool is_limited = !slurm_within_limits(s, rec.unit, part, LIMITS_TRES);
    uint64_t *nodes = s->set[0];
    bool tested = false;
    int64_t later = r->now, start_s = 0;
    uint32_t span = 0;
    for (int tries = 0; tries < TRIES_MAX; tries++) {
        const int64_t from = later;
        nodeset_copy(nodes, s->up, s->conf.n_words);
        nodeset_and(nodes, s->conf.partition[part].nodes, s->conf.n_words);
        const int64_t at = from > r->now ? from : r->now;
        const bool is_reserved = slurm_resv_take(s, rec.unit, at, at + slurm_limit_s(s, rec.unit, part), nodes);
        later = span_free(s, from, limit + at, nodes, &span);
        const int64_t freed = is_reserved ? slurm_resv_free_s(s, at) : 0;
        if (freed > 0 && (later == 0 || freed < later)) later = freed;
        bool found = false;
        if (nodeset_holds(nodes, s->conf.n_words, slurm_min_nodes(s, rec.unit))) {
            r->n_tested += !tested;
            tested = true;
            found = will_run(s, rec.unit, part, nodes, now_only, r->now, &start_s);
        }
        if (!found) {
            if (later > 0 && !now_only) continue;
            return NEITHER;
        }
        if (from > start_s) start_s = from;
        if (start_s <= r->now && nodeset_share(s->select.nodes, s->clearing, s->conf.n_words, 1)) {
            start_s = r->now + 1;
            later = 0;
        }
        if (start_s <= r->now && is_limited) return NEITHER;
        if (start_s <= r->now) {
            filter_nodes(s, rec.unit, nodes);
            nodeset_and_not(s->set[4], s->clearing, s->conf.n_words);
            if (!slurm_select(s, rec.unit, part, s->set[4]) && !slurm_select_preempting(s, rec.unit, part, s->set[4]))
                return NEITHER;
            slurm_start(s, rec.unit, part, "backfill: delays nobody before it");
            return STARTED;
        }
        if (now_only) return NEITHER;
        if (later > 0 && start_s > later) continue;
        const int64_t begin = start_s / res * res, end = (start_s + limit) / res * res;
        if (start_s > r->now + s->conf.bf_window * 60) return NEITHER;
        if (overlaps(s, s->select.nodes, begin, end, span) || (start_s > at && is_kept(s, rec.unit, part, start_s))) {
            later = start_s;
            continue;
        }
        if (is_limited || no_reserve || !count_pair(s, POL_NONE, part, s->conf.bf_part_reserve)) return NEITHER;
        j->planned_s = start_s;
        nodeset_copy(nodes, s->select.nodes, s->conf.n_words);
        set_aside(s, begin, end, nodes);
        return SET_ASIDE;
    }
    return NEITHER;
}

/* False: the round is over. */
static bool try_record(struct round *r, struct slurm_record rec)
{
    struct slurm *s = r->s;
    const struct unit *u = &s->sched.units.at[rec.unit];
    const struct slurm_job *j = slurm_job(s, rec.unit);
    const uint32_t part = j->part[rec.k];
    if (r->n_tested >= s->conf.bf_max_job_test) return false;
    if (u->state != UNIT_WAITING || (j->held_in >> rec.k & 1) != 0) return true;
    if (!slurm_within_limits(s, rec.unit, part, LIMITS_JOBS)) return true;
    if (j->is_array && r->rejected == u->ordinal && r->rejected_part == part) return true;
    if (j->is_array) {
        r->rejected = u->ordinal;
        r->rejected_part = part;
    }
    if (is_over_limits(s, u, j, part) || !slurm_has_licences(s, rec.unit)) return true;
    const enum outcome out = plan_job(r, rec, test_now_only(r, rec));
    if (out == STARTED) r->rejected = UINT64_MAX;
    if (out == SET_ASIDE && j->is_array && ++r->n_elements < s->conf.bf_array_resv) r->rejected = UINT64_MAX;
    r->n_started += out == STARTED;
    return s->conf.bf_max_job_start <= 0 || r->n_started < s->conf.bf_max_job_start;
}

void slurm_backfill(struct slurm *s)
{
    struct round r = { .s = s, .now = slurm_time_s(s), .rejected = UINT64_MAX };
    const int64_t res = s->conf.bf_resolution;
    uint64_t ordinal = UINT64_MAX;
    s->n_spans = s->n_counts = 0;
    span_insert(s, 0, r.now / res * res, (r.now + s->conf.bf_window * 60) / res * res, s->up);
    for (uint32_t i = 0; i < s->n_order; i++) slurm_job(s, s->order[i].unit)->planned_s = 0;
    for (uint32_t i = 0; i < s->n_order; i++) {
        const uint64_t of = s->sched.units.at[s->order[i].unit].ordinal;
        if (of != ordinal) r.n_elements = 0;
        ordinal = of;
        if (!try_record(&r, s->order[i])) break;
    }
}
