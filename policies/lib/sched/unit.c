/* unit.c -- ordered sets of units as treaps, see unit.h. */
#include "lib/sched/unit.h"

bool unit_before(const struct unit *a, const struct unit *b)
{
    if (a->key != b->key) return a->key < b->key;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal;
    return a->index < b->index;
}

static uint32_t priority(const struct unit *x)
{
    uint64_t h = (x->ordinal + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)x->index * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 31) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

static void pull(struct unit *u, uint32_t t)
{
    int64_t m = u[t].est;
    if (u[t].left != POL_NONE && u[u[t].left].min_est < m) m = u[u[t].left].min_est;
    if (u[t].right != POL_NONE && u[u[t].right].min_est < m) m = u[u[t].right].min_est;
    u[t].min_est = m;
}

static void split(struct unit *u, uint32_t t, uint32_t x, uint32_t *l, uint32_t *r)
{
    if (t == POL_NONE) {
        *l = *r = POL_NONE;
        return;
    }
    uint32_t part;
    if (unit_before(&u[t], &u[x])) {
        split(u, u[t].right, x, &part, r);
        u[t].right = part;
        *l = t;
    } else {
        split(u, u[t].left, x, l, &part);
        u[t].left = part;
        *r = t;
    }
    pull(u, t);
}

static uint32_t add(struct unit *u, uint32_t t, uint32_t x)
{
    if (t == POL_NONE) return x;
    if (u[x].prio > u[t].prio) {
        uint32_t l, r;
        split(u, t, x, &l, &r);
        u[x].left = l;
        u[x].right = r;
        pull(u, x);
        return x;
    }
    if (unit_before(&u[x], &u[t])) u[t].left = add(u, u[t].left, x);
    else u[t].right = add(u, u[t].right, x);
    pull(u, t);
    return t;
}

static uint32_t merge(struct unit *u, uint32_t a, uint32_t b)
{
    if (a == POL_NONE) return b;
    if (b == POL_NONE) return a;
    if (u[a].prio > u[b].prio) {
        u[a].right = merge(u, u[a].right, b);
        pull(u, a);
        return a;
    }
    u[b].left = merge(u, a, u[b].left);
    pull(u, b);
    return b;
}

static uint32_t del(struct unit *u, uint32_t t, uint32_t x)
{
    if (t == POL_NONE) return t;
    if (t == x) return merge(u, u[t].left, u[t].right);
    if (unit_before(&u[x], &u[t])) u[t].left = del(u, u[t].left, x);
    else u[t].right = del(u, u[t].right, x);
    pull(u, t);
    return t;
}

void unit_set_add(struct unit_set *s, struct units *u, uint32_t id)
{
    struct unit *x = &u->at[id];
    x->left = x->right = POL_NONE;
    x->min_est = x->est;
    x->prio = priority(x);
    s->root = add(u->at, s->root, id);
    s->n++;
}

void unit_set_del(struct unit_set *s, struct units *u, uint32_t id)
{
    s->root = del(u->at, s->root, id);
    s->n--;
}

uint32_t unit_set_first(const struct unit_set *s, const struct units *u)
{
    uint32_t t = s->root;
    while (t != POL_NONE && u->at[t].left != POL_NONE) t = u->at[t].left;
    return t;
}

uint32_t unit_set_last(const struct unit_set *s, const struct units *u)
{
    uint32_t t = s->root;
    while (t != POL_NONE && u->at[t].right != POL_NONE) t = u->at[t].right;
    return t;
}

uint32_t unit_set_next(const struct unit_set *s, const struct units *u, uint32_t id)
{
    uint32_t best = POL_NONE;
    for (uint32_t t = s->root; t != POL_NONE;) {
        if (unit_before(&u->at[id], &u->at[t])) {
            best = t;
            t = u->at[t].left;
        } else {
            t = u->at[t].right;
        }
    }
    return best;
}

uint32_t unit_set_prev(const struct unit_set *s, const struct units *u, uint32_t id)
{
    uint32_t best = POL_NONE;
    for (uint32_t t = s->root; t != POL_NONE;) {
        if (unit_before(&u->at[t], &u->at[id])) {
            best = t;
            t = u->at[t].right;
        } else {
            t = u->at[t].left;
        }
    }
    return best;
}

static uint32_t *list(const struct unit *u, uint32_t t, uint32_t *out)
{
    if (t == POL_NONE) return out;
    out = list(u, u[t].left, out);
    *out++ = t;
    return list(u, u[t].right, out);
}

void unit_set_list(const struct unit_set *s, const struct units *u, uint32_t *out) { (void)list(u->at, s->root, out); }

static uint32_t within(const struct unit *u, uint32_t t, uint32_t after, int64_t most)
{
    if (t == POL_NONE || u[t].min_est > most) return POL_NONE;
    if (after != POL_NONE && !unit_before(&u[after], &u[t])) return within(u, u[t].right, after, most);
    uint32_t l = within(u, u[t].left, after, most);
    if (l != POL_NONE) return l;
    return u[t].est <= most ? t : within(u, u[t].right, POL_NONE, most);
}

uint32_t unit_set_next_within(const struct unit_set *s, const struct units *u, uint32_t id, int64_t most)
{
    return within(u->at, s->root, id, most);
}
