/*
 * wait.c -- why a job waits: what of its request no node has free now.
 *
 * Whether a task fits changes only with the nodes that changed, so what each
 * node lacks is kept and looked at again for those alone.  Of a gang of equal
 * tasks the nodes' room is added up, which is exact; one of unlike tasks is
 * tried whole, first fit, once each of its groups has room by itself.
 */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

/* ---- what fits ---- */

/* Tasks of the group that the node takes now, by trial; the ledger is left as it was. */
static uint32_t room_on(struct explain_state *l, uint32_t node, const struct explain_group *g, uint32_t want)
{
    struct cluster *c = &l->replay.cluster;
    uint32_t slot = replay_spare_slot(&l->replay), n = 0;
    if (want == 1) return cluster_fits(c, node, &g->shape);
    while (n < want && cluster_allocate(c, slot + n, node, &g->shape, 0) == POL_OK) n++;
    for (uint32_t i = 0; i < n; i++) cluster_release(c, slot + i);
    return n;
}

static void look(struct explain_state *l, uint32_t node)
{
    struct explain_fit *f = &l->fit;
    f->n_lacking[f->lacks[node]]--;
    f->all -= f->room[node];
    f->lacks[node] = (uint16_t)cluster_lacks(&l->replay.cluster, node, &f->group->shape);
    f->room[node] = f->lacks[node] == 0 ? room_on(l, node, f->group, f->want) : 0;
    f->n_lacking[f->lacks[node]]++;
    f->all += f->room[node];
}

/* Bring l->fit up to date with the replay, for tasks of this group. */
static void fit_update(struct explain_state *l, const struct explain_group *g)
{
    struct explain_fit *f = &l->fit;
    struct cluster *c = &l->replay.cluster;
    if (f->group == g) {
        /* A trial marks nodes as changed, too: the list may grow while it is read, by nodes already on it. */
        for (uint32_t i = 0, n = c->n_changed; i < n; i++) look(l, c->changed[i]);
    } else {
        explain_fit_fini(f);
        f->group = g;
        f->want = l->e->is_gang ? g->n : 1;
        MEM_ARRAY(f->room, c->n_nodes);
        MEM_ARRAY(f->lacks, c->n_nodes);
        f->n_lacking[0] = c->n_nodes;
        for (uint32_t i = 0; i < c->n_nodes; i++) look(l, i);
    }
    cluster_changes_clear(c);
}

void explain_fit_fini(struct explain_fit *f)
{
    mem_free(f->room);
    mem_free(f->lacks);
    memset(f, 0, sizeof *f);
}

/* A gang of several groups, each task to the first node with room. */
static bool gang_fits(struct explain_state *l)
{
    struct cluster *c = &l->replay.cluster;
    uint32_t slot = replay_spare_slot(&l->replay), n = 0;
    bool fits = true;
    for (size_t g = 0; g < l->n_groups && fits; g++)
        for (uint32_t k = 0, node = 0; k < l->group[g].n && fits; k++) {
            while (node < c->n_nodes && cluster_allocate(c, slot + n, node, &l->group[g].shape, 0) != POL_OK) node++;
            fits = node < c->n_nodes;
            n += fits;
        }
    for (uint32_t i = 0; i < n; i++) cluster_release(c, slot + i);
    return fits;
}

static const struct explain_group *group_of(const struct explain_state *l, uint32_t task)
{
    const struct explain_group *g = &l->group[0];
    for (size_t i = 1; i < l->n_groups && l->group[i].task0 <= task; i++) g = &l->group[i];
    return g;
}

/* Is there room?  Leaves l->fit about the group that has none, or the first. */
static bool has_room(struct explain_state *l, uint32_t task)
{
    if (!l->e->is_gang || l->n_groups == 1) {
        fit_update(l, group_of(l, task));
        return l->fit.all >= l->fit.want;
    }
    for (size_t g = 0; g < l->n_groups; g++) {
        fit_update(l, &l->group[g]);
        if (l->fit.all < l->fit.want) return false;
    }
    bool fits = gang_fits(l);
    cluster_changes_clear(&l->replay.cluster);
    l->fit.group = NULL;
    return fits;
}

/* ---- as text ---- */

void explain_format_lacks(uint32_t lacks, char *buf, size_t cap)
{
    static const struct { uint32_t bit; const char *name; } names[] = {
        { LACK_GPU, "GPUs" }, { LACK_CPU, "CPUs" }, { LACK_MEM, "memory" }, { LACK_ENGINE, "engines" },
        { LACK_CARD_MEM, "memory of a card" }, { LACK_CARD_CORES, "cores of a card" }, { LACK_IDLE, "an idle node" },
        { LACK_TASKS, "places for a task (the node's limit)" }, { LACK_DOWN, "nodes that are up" },
    };
    size_t at = 0, n = 0, of = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(names); i++) of += (lacks & names[i].bit) != 0;
    for (size_t i = 0; i < ARRAY_LEN(names) && at < cap; i++) {
        if ((lacks & names[i].bit) == 0) continue;
        at += (size_t)snprintf(buf + at, cap - at, "%s%s", n == 0 ? "" : n + 1 == of ? " and " : ", ", names[i].name);
        n++;
    }
}

/* What alone was missing somewhere; where several things were missing everywhere, all of them. */
static uint32_t shortage(const struct explain_fit *f)
{
    uint32_t alone = 0, all = 0;
    for (uint32_t m = 1; m < LACK_DOWN; m++) {
        if (f->n_lacking[m] == 0) continue;
        all |= m;
        if ((m & (m - 1)) == 0) alone |= m;
    }
    return alone ? alone : all ? all : LACK_DOWN;
}

static uint32_t free_cards(const struct cluster *c, uint32_t node, const struct shape *s)
{
    const struct pol_node *n = &c->node[node];
    uint32_t free = 0;
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        const struct pol_card *a = &c->card[n->card0 + k];
        free += node_card_fits(a, s);
    }
    return free;
}

/* The node that is up and comes nearest: with the most free cards that would do, or CPU for a task without GPUs. */
static uint32_t nearest(const struct explain_state *l)
{
    const struct explain_fit *f = &l->fit;
    const struct cluster *c = &l->replay.cluster;
    uint32_t best = NONE;
    int64_t most = -1;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        if (f->lacks[i] & (LACK_NEVER | LACK_DOWN) || f->lacks[i] == 0) continue;
        int64_t x = f->group->shape.n_gpu > 0 ? (int64_t)free_cards(c, i, &f->group->shape) : c->node[i].cpu_free;
        if (x > most) { most = x; best = i; }
    }
    return best;
}

/* Who is on the node, each once; who holds no card only where more than cards is short. */
static void name_holders(const struct explain_state *l, struct explain_names *out, uint32_t node)
{
    const struct cluster *c = &l->replay.cluster;
    bool all = (l->fit.lacks[node] & ~(uint32_t)(LACK_GPU | LACK_CARD_MEM | LACK_CARD_CORES)) != 0;
    for (uint32_t t = c->own[node].first_hold; t != NONE; t = c->hold[t].next) {
        bool seen = false;
        for (uint32_t u = c->own[node].first_hold; u != t && !seen; u = c->hold[u].next)
            seen = l->replay.holder[u].ordinal == l->replay.holder[t].ordinal;
        if (!seen && (all || c->hold[t].cards != 0)) explain_names_add_job(l, out, l->replay.holder[t].ordinal);
    }
}

static void describe_shortage(const struct explain_state *l, struct explain_stretch *p)
{
    const struct explain_fit *f = &l->fit;
    const struct cluster *c = &l->replay.cluster;
    const struct shape *s = &f->group->shape;
    const uint32_t could = c->n_nodes - f->n_lacking[LACK_NEVER], down = f->n_lacking[LACK_DOWN], node = nearest(l);
    char names[128], some[96] = "", near[256] = "", limit[64] = "", off[64] = "";
    explain_format_lacks(p->lacks, names, sizeof names);
    if (f->all > 0) (void)snprintf(some, sizeof some, ", room for %" PRIu64 " of the %" PRIu32 " tasks that must start together", f->all, f->want);
    if (down > 0 && could > 1) (void)snprintf(off, sizeof off, ", %" PRIu32 " of them down", down);
    if (node != NONE && s->n_gpu > 0)
        (void)snprintf(near, sizeof near, "; nearest is %s with %" PRIu32 " of %" PRIu32 " cards that would do, of the %" PRId32 " it needs",
                       intern_name(&c->node_names, node), free_cards(c, node, s), c->node[node].n_gpu, s->n_gpu);
    else if (node != NONE)
        (void)snprintf(near, sizeof near, "; nearest is %s with %g of the %g CPUs it needs free",
                       intern_name(&c->node_names, node), (double)c->node[node].cpu_free / 1000, (double)s->cpu_milli / 1000);
    if (node != NONE && f->lacks[node] & LACK_TASKS)
        (void)snprintf(limit, sizeof limit, ", and %" PRIu32 " tasks of the %" PRIu32 " it allows", c->node[node].n_tasks, c->node[node].max_tasks);
    char on[64];
    if (could == 1) (void)snprintf(on, sizeof on, "the only node");
    else (void)snprintf(on, sizeof on, "the %" PRIu32 " nodes", could);
    p->text = mem_printf("no room: short of %s on %s that could hold it%s%s%s%s", names, on, off, some, near, limit);
    if (node != NONE) name_holders(l, &p->jobs, node);
}

static void describe_held(struct explain_state *l, struct explain_stretch *p)
{
    const struct cluster *c = &l->replay.cluster;
    const struct explain_fit *f = &l->fit;
    uint32_t n = 0, first = NONE;
    for (uint32_t i = 0; f->group != NULL && i < c->n_nodes; i++) {
        if (f->room[i] == 0) continue;
        if (first == NONE) first = i;
        n++;
    }
    bool own = l->hold != NULL, behind = !own && l->head.is_set && l->head.ordinal != l->e->ordinal;
    const char *by = own ? "the policy declined it" : behind ? "the policy held it back" : l->head.is_set ? "the policy had it first in order" : "the policy did not use it";
    if (n > 0) p->text = mem_printf("there was room on %" PRIu32 " node%s, the first %s; %s", n, n > 1 ? "s" : "", intern_name(&c->node_names, first), by);
    else p->text = mem_printf("there was room for all of it; %s", by);
    const char *reason = own ? (*l->hold != '\0' ? l->hold : NULL) : l->head.is_set ? l->head.reason : NULL;
    if (reason != NULL) p->reason = mem_strdup(reason);
    if (behind) explain_names_add_job(l, &p->jobs, l->head.ordinal);
}

/* ---- parts of a wait ---- */

static bool same_text(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

void explain_wait_at(struct explain_state *l, struct explain_step *wait, int64_t at, uint32_t task)
{
    struct explain_stretch now = { .from = at, .had_room = has_room(l, task) };
    now.lacks = now.had_room ? 0 : shortage(&l->fit);
    struct explain_stretch *last = wait->n_stretches > 0 ? &wait->stretch[wait->n_stretches - 1] : NULL;
    if (last != NULL && !now.had_room && !last->had_room && last->lacks == now.lacks) return;
    if (now.had_room) describe_held(l, &now);
    else describe_shortage(l, &now);
    if (last != NULL && now.had_room && last->had_room && same_text(last->reason, now.reason) && last->jobs.all == now.jobs.all
        && (now.jobs.all == 0 || strcmp(last->jobs.at[0], now.jobs.at[0]) == 0)) {
        explain_stretch_fini(&now);
        return;
    }
    if (last != NULL) last->to = at;
    MEM_PUSH(wait->stretch, wait->n_stretches, wait->cap_stretches, now);
}
