/*
 * mcf.c -- network simplex: minimum-cost maximum flow in any network.
 *
 * 1. An extra node, the root, takes the supply that is left and gives the demand that is
 *    unmet.  Giving costs `big`, more than any simple path, so the cheapest flow is a
 *    maximum one.  Supply that ends before it reached a demand pays more than it can have
 *    gained on its way.  The arcs to and from the root are the first spanning tree; once
 *    they have left it they stay out, except for a copy of those of the supply and the
 *    demand.  Several supplies (demands) are first joined at one node: otherwise one could
 *    leave by another's arc.
 * 2. Pricing by blocks: the best arc of a block of 2/3 sqrt(m) arcs enters the tree; the
 *    next search goes on behind that block.
 * 3. The leaving arc is the last blocking one along the cycle, seen from its apex: this
 *    keeps the tree strongly feasible, so simplex cannot cycle.
 * 4. The subtree that is cut off hangs at the entering arc.  Trees are kept as lists of
 *    children: to reverse a path of k nodes takes k changes, and the one walk over the
 *    subtree that new potentials need sets the depths as well.
 *
 * Cost: O(m) memory; the pivots are few in practice and not bounded polynomially.
 * Source: Ahuja, Magnanti & Orlin, Network Flows (1993), ch. 11; block search after
 * Kiraly & Kovacs, Efficient implementations of minimum-cost flow algorithms (2012).
 */
#include "lib/flow/mcf.h"

#include "lib/util.h"

enum { NIL = -1 };
enum { AT_UPPER = -1, IN_TREE = 0, AT_LOWER = 1 };

struct bounds { int64_t cap, flow; };
struct arcs { int32_t *from, *to; int64_t *cost; struct bounds *b; int8_t *state; };
/* pred: the arc to the parent, e if it points there, else ~e */
struct node { int32_t parent, pred, child, next, prev, depth; };

struct nsx {
    int32_t n, m, all;              /* nodes without the root; arcs that may enter; those and the first tree's */
    int32_t extra;                  /* arcs from here on touch the root */
    int32_t root, at, block;
    struct arcs a;
    int32_t *at_arc;                /* [real arcs] where arc e of the problem is kept */
    struct node *t;
    int64_t *pi;
};

/* ---- the tree ---- */

static int32_t pred_arc(int32_t pred) { return pred < 0 ? ~pred : pred; }

static void unlink_child(struct nsx *s, int32_t u)
{
    struct node *x = &s->t[u];
    if (x->prev != NIL) s->t[x->prev].next = x->next;
    else s->t[x->parent].child = x->next;
    if (x->next != NIL) s->t[x->next].prev = x->prev;
}

static void link_child(struct nsx *s, int32_t u, int32_t parent, int32_t pred)
{
    struct node *x = &s->t[u], *p = &s->t[parent];
    x->parent = parent;
    x->pred = pred;
    x->prev = NIL;
    x->next = p->child;
    if (p->child != NIL) s->t[p->child].prev = u;
    p->child = u;
}

/* Re-hang the subtree of `top` at node v by arc e, whose end inside it is u. */
static void rehang(struct nsx *s, int32_t top, int32_t u, int32_t v, int32_t e)
{
    for (int32_t parent = v, pred = e;;) {
        int32_t up = s->t[u].parent, by = pred_arc(s->t[u].pred);
        unlink_child(s, u);
        link_child(s, u, parent, s->a.from[pred] == u ? pred : ~pred);
        if (u == top) return;
        parent = u;
        pred = by;
        u = up;
    }
}

/* Add sigma to the potentials below u, u included; set the depths. */
static void shift(struct nsx *s, int32_t u, int64_t sigma)
{
    int32_t x = u;
    for (;;) {
        struct node *t = &s->t[x];
        t->depth = s->t[t->parent].depth + 1;
        s->pi[x] += sigma;
        if (t->child != NIL) { x = t->child; continue; }
        while (x != u && s->t[x].next == NIL) x = s->t[x].parent;
        if (x == u) return;
        x = s->t[x].next;
    }
}

/* ---- a pivot ---- */

static int32_t entering(struct nsx *s)
{
    const int32_t *from = s->a.from, *to = s->a.to;
    const int64_t *cost = s->a.cost, *pi = s->pi;
    const int8_t *state = s->a.state;
    int64_t best = 0;
    int32_t in = NIL;
    for (int32_t e = s->at, left = s->m; left > 0 && in == NIL; ) {
        int32_t end = s->m - e < s->block ? s->m : e + s->block;
        left -= end - e;
        for (; e < end; e++) {
            int64_t c = state[e] * (cost[e] + pi[from[e]] - pi[to[e]]);
            if (c < best) { best = c; in = e; }
        }
        s->at = e = end == s->m ? 0 : end;
    }
    return in;
}

/* How much more can go from a node to its parent (up), or the other way. */
static int64_t room(const struct nsx *s, int32_t pred, bool up)
{
    const struct bounds *b = &s->a.b[pred_arc(pred)];
    return (pred >= 0) == up ? b->cap - b->flow : b->flow;
}

static void push(struct nsx *s, int32_t u, int32_t join, bool up, int64_t d)
{
    for (; u != join; u = s->t[u].parent) {
        int32_t pred = s->t[u].pred;
        s->a.b[pred_arc(pred)].flow += (pred >= 0) == up ? d : -d;
    }
}

/* The cycle runs join .. tail -> head .. join. */
static void pivot(struct nsx *s, int32_t in)
{
    struct arcs *a = &s->a;
    const struct node *t = s->t;
    bool forward = a->state[in] == AT_LOWER;
    int32_t tail = forward ? a->from[in] : a->to[in], head = forward ? a->to[in] : a->from[in];
    int64_t d_tail = INT64_MAX, d_head = INT64_MAX, d = a->b[in].cap;
    int32_t out_tail = NIL, out_head = NIL, u = tail, v = head;
    while (u != v) {
        if (t[u].depth >= t[v].depth) {
            int64_t r = room(s, t[u].pred, false);
            if (r < d_tail) { d_tail = r; out_tail = u; }
            u = t[u].parent;
        } else {
            int64_t r = room(s, t[v].pred, true);
            if (r <= d_head) { d_head = r; out_head = v; }
            v = t[v].parent;
        }
    }
    int32_t join = u, out = NIL, inner = NIL, outer = NIL;
    if (d_tail < d) { d = d_tail; out = out_tail; inner = tail; outer = head; }
    if (d_head <= d) { d = d_head; out = out_head; inner = head; outer = tail; }
    if (d > 0) {
        a->b[in].flow += forward ? d : -d;
        push(s, tail, join, false, d);
        push(s, head, join, true, d);
    }
    if (out == NIL) { a->state[in] = (int8_t)-a->state[in]; return; }

    int32_t leave = pred_arc(t[out].pred);
    a->state[leave] = a->b[leave].flow == 0 ? AT_LOWER : AT_UPPER;
    a->state[in] = IN_TREE;
    rehang(s, out, inner, outer, in);
    int64_t c = a->cost[in] + s->pi[a->from[in]] - s->pi[a->to[in]];
    shift(s, inner, a->from[in] == inner ? -c : c);
}

/* ---- the whole ---- */

/* False when the figures are too large to add up safely. */
static bool fits(const struct mcf *g, int64_t *big, int64_t *stuck)
{
    pol_wide top = 0, supply = 0, low = 0;
    for (uint32_t e = 0; e < g->m; e++) {
        pol_wide c = g->arc[e].cost;
        if (c < low) low = c;
        if (c < 0) c = -c;
        if (c > top) top = c;
        if (g->arc[e].cap > INT64_C(1) << 62) return false;
    }
    for (uint32_t u = 0; u < g->n; u++) supply += g->supply[u] < 0 ? -(pol_wide)g->supply[u] : g->supply[u];
    if (g->n >= INT32_MAX / 8 || g->m >= INT32_MAX / 8) return false;
    pol_wide b = (top + 1) * ((pol_wide)g->n + 4);
    *big = (int64_t)b;
    *stuck = (int64_t)(1 - low * ((pol_wide)g->n + 4));
    return b < (pol_wide)1 << 60 && supply < (pol_wide)1 << 62;
}

static void set_arc(struct nsx *s, int32_t e, int32_t from, int32_t to, int64_t cap, int64_t cost)
{
    s->a.from[e] = from;
    s->a.to[e] = to;
    s->a.b[e].cap = cap;
    s->a.cost[e] = cost;
    s->a.state[e] = AT_LOWER;
}

/* The arc between u and the root, first in the tree. */
static void hang(struct nsx *s, int32_t u, int64_t supply, int64_t big, int64_t stuck)
{
    int32_t e = s->m + u;
    if (supply >= 0) set_arc(s, e, u, s->root, INT64_MAX / 2, supply > 0 ? 0 : stuck);
    else set_arc(s, e, s->root, u, INT64_MAX / 2, big);
    s->a.b[e].flow = supply >= 0 ? supply : -supply;
    s->a.state[e] = IN_TREE;
    s->t[u] = (struct node){ .child = NIL, .depth = 1 };
    link_child(s, u, s->root, supply >= 0 ? e : ~e);
    s->pi[u] = supply >= 0 ? -s->a.cost[e] : big;
}

static void start(struct nsx *s, const struct mcf *g, int64_t big, int64_t stuck)
{
    int32_t n = (int32_t)g->n, m = (int32_t)g->m, n_up = 0, n_down = 0;
    int64_t up = 0, down = 0;
    for (int32_t u = 0; u < n; u++) {
        if (g->supply[u] > 0) { n_up++; up += g->supply[u]; }
        if (g->supply[u] < 0) { n_down++; down -= g->supply[u]; }
    }
    bool join = n_up > 1 || n_down > 1;
    s->n = join ? n + 2 : n;
    s->extra = join ? m + n_up + n_down : m;
    s->m = s->extra + (n_up > 0) + (n_down > 0);
    s->all = s->m + s->n;
    s->root = s->n;
    struct arcs *a = &s->a;
    size_t all = (size_t)s->all;
    a->from = pol_alloc(all, sizeof *a->from);
    a->to = pol_alloc(all, sizeof *a->to);
    a->cost = pol_alloc(all, sizeof *a->cost);
    a->b = pol_alloc(all, sizeof *a->b);
    a->state = pol_alloc(all, sizeof *a->state);
    s->t = pol_alloc((size_t)s->n + 1, sizeof *s->t);
    s->pi = pol_alloc((size_t)s->n + 1, sizeof *s->pi);
    s->at_arc = pol_alloc((size_t)m, sizeof *s->at_arc);
    int32_t step = n > 0 && m / n > 3 ? m / n : 3;
    for (int32_t e = m - 1, k = 0, first = 0; e >= 0; e--) {
        set_arc(s, k, (int32_t)g->arc[e].from, (int32_t)g->arc[e].to, g->arc[e].cap, g->arc[e].cost);
        s->at_arc[e] = k;
        if ((k += step) >= m) k = ++first;
    }
    s->t[s->root] = (struct node){ NIL, NIL, NIL, NIL, NIL, 0 };
    if (join) {
        hang(s, n, up, big, stuck);
        hang(s, n + 1, -down, big, stuck);
    }
    for (int32_t u = n - 1, e = m; u >= 0; u--) {
        int64_t b = g->supply[u];
        if (join && b > 0) set_arc(s, e++, n, u, b, 0);
        if (join && b < 0) set_arc(s, e++, u, n + 1, -b, 0);
        hang(s, u, join ? 0 : b, big, stuck);
        if (!join && b > 0) set_arc(s, s->extra, u, s->root, INT64_MAX / 2, 0);
        if (!join && b < 0) set_arc(s, s->m - 1, s->root, u, INT64_MAX / 2, big);
    }
    if (join && n_up > 0) set_arc(s, s->extra, n, s->root, INT64_MAX / 2, 0);
    if (join && n_down > 0) set_arc(s, s->m - 1, s->root, n + 1, INT64_MAX / 2, big);
    int64_t b = 1;
    while (b * b < s->all) b++;
    s->block = (int32_t)(b > 15 ? b * 2 / 3 : 10);
}

static enum mcf_st finish(const struct nsx *s, struct mcf *g)
{
    pol_wide cost = 0;
    g->shipped = 0;
    for (uint32_t e = 0; e < g->m; e++) {
        g->flow[e] = s->a.b[s->at_arc[e]].flow;
        cost += (pol_wide)g->flow[e] * g->arc[e].cost;
    }
    for (uint32_t u = 0; u < g->n; u++) g->pi[u] = s->pi[u];
    for (int32_t e = s->extra; e < s->all; e++) if (s->a.from[e] == s->root) g->shipped -= s->a.b[e].flow;
    for (uint32_t u = 0; u < g->n; u++) g->shipped -= g->supply[u] < 0 ? g->supply[u] : 0;
    g->cost = (int64_t)cost;
    return cost < (pol_wide)1 << 62 && cost > -((pol_wide)1 << 62) ? MCF_OK : MCF_RANGE;
}

enum mcf_st mcf_solve(struct mcf *g)
{
    int64_t big, stuck;
    if (!fits(g, &big, &stuck)) return MCF_RANGE;
    struct nsx s = { .at = 0 };
    start(&s, g, big, stuck);
    g->pivots = 0;
    for (int32_t in; (in = entering(&s)) != NIL; g->pivots++) pivot(&s, in);
    enum mcf_st st = finish(&s, g);
    POL_FREE(s.a.from, s.a.to, s.a.cost, s.a.b, s.a.state, s.t, s.pi, s.at_arc);
    return st;
}

/*
 * Slackness on the arcs, and among supplies (those that keep some lie no higher
 * than those that ship some) and demands alike, proves that no flow of this
 * size is cheaper.  That none is larger: a search from the supplies that are
 * left meets no demand that is unmet.
 */
static bool is_maximum(const struct mcf *g, const int64_t *left)
{
    uint32_t *first = pol_alloc((size_t)g->n + 1, sizeof *first), *arc = pol_alloc((size_t)g->m * 2, sizeof *arc);
    uint32_t *queue = pol_alloc(g->n, sizeof *queue), n = 0;
    bool *seen = pol_alloc(g->n, sizeof *seen), ok = true;
    for (uint32_t e = 0; e < g->m; e++) { first[g->arc[e].from]++; first[g->arc[e].to]++; }
    for (uint32_t u = 0, at = 0; u <= g->n; u++) { uint32_t d = u < g->n ? first[u] : 0; at += d; first[u] = at; }
    for (uint32_t e = g->m; e-- > 0;) { arc[--first[g->arc[e].from]] = e; arc[--first[g->arc[e].to]] = e; }
    for (uint32_t u = 0; u < g->n; u++) if (left[u] > 0) { seen[u] = true; queue[n++] = u; }
    for (uint32_t i = 0; i < n && ok; i++) {
        uint32_t u = queue[i];
        ok = left[u] >= 0;
        for (uint32_t k = first[u]; k < first[u + 1]; k++) {
            uint32_t e = arc[k], v = UINT32_MAX;
            if (g->arc[e].from == u && g->flow[e] < g->arc[e].cap) v = g->arc[e].to;
            else if (g->arc[e].to == u && g->flow[e] > 0) v = g->arc[e].from;
            if (v != UINT32_MAX && !seen[v]) { seen[v] = true; queue[n++] = v; }
        }
    }
    free(first); free(arc); free(queue); free(seen);
    return ok;
}

static bool slack(const struct mcf *g, int64_t *left, char *error, size_t cap)
{
    for (uint32_t e = 0; e < g->m; e++) {
        const struct mcf_arc *a = &g->arc[e];
        if (g->flow[e] < 0 || g->flow[e] > a->cap) { (void)snprintf(error, cap, "arc %u: flow outside 0..capacity", e + 1); return false; }
        left[a->from] -= g->flow[e];
        left[a->to] += g->flow[e];
        int64_t rc = a->cost + g->pi[a->from] - g->pi[a->to];
        if ((rc < 0 && g->flow[e] < a->cap) || (rc > 0 && g->flow[e] > 0)) { (void)snprintf(error, cap, "arc %u: not at the bound its reduced cost asks", e + 1); return false; }
    }
    return true;
}

bool mcf_verify(const struct mcf *g, char *error, size_t cap)
{
    int64_t *left = pol_alloc(g->n, sizeof *left);
    int64_t shipped = 0, keeps = INT64_MIN, ships = INT64_MAX, lacks = INT64_MAX, gets = INT64_MIN;
    for (uint32_t u = 0; u < g->n; u++) left[u] = g->supply[u];
    bool ok = slack(g, left, error, cap);
    for (uint32_t u = 0; u < g->n && ok; u++) {
        int64_t b = g->supply[u], l = left[u], p = g->pi[u];
        ok = b >= 0 ? l >= 0 && l <= b : l <= 0 && l >= b;
        if (!ok) (void)snprintf(error, cap, "node %u: flow is not conserved", u + 1);
        if (b < 0) shipped += l - b;
        if (l > 0 && p > keeps) keeps = p;
        if (b > 0 && l < b && p < ships) ships = p;
        if (l < 0 && p < lacks) lacks = p;
        if (b < 0 && l > b && p > gets) gets = p;
    }
    if (ok && (keeps > ships || gets > lacks)) { ok = false; (void)snprintf(error, cap, "another supply or demand would be cheaper to serve"); }
    if (ok && shipped != g->shipped) { ok = false; (void)snprintf(error, cap, "the flow shipped is not the sum over demands"); }
    if (ok && !is_maximum(g, left)) { ok = false; (void)snprintf(error, cap, "a supply that is left can still reach an unmet demand"); }
    free(left);
    return ok;
}
