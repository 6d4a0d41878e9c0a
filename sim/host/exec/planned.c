/* planned.c -- the nodes and answers of planned.h.  The rule itself is policies/fits.h, as it is for the ledger. */
#include "host/exec/planned.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "fits.h"
#include "host/exec/child.h"

void planned_fini(struct planned *p)
{
    MEM_FREE(p->node, p->card, p->set, p->named);
    memset(p, 0, sizeof *p);
}

/* ---- in step with the view ---- */

static void adopt(struct planned *p, const struct pol_view *v, uint32_t i)
{
    const struct pol_node *n = &v->node[i];
    p->node[i] = *n;
    if (n->n_gpu > 0) memcpy(&p->card[n->card0], &v->card[n->card0], n->n_gpu * sizeof *p->card);
}

void planned_sync(struct planned *p, const struct pol_view *v)
{
    if (p->node == NULL) {
        MEM_ARRAY(p->node, v->n_nodes);
        MEM_ARRAY(p->card, v->n_cards);
        MEM_ARRAY(p->named, v->n_nodes);
        p->n_nodes = v->n_nodes;
        for (uint32_t i = 0; i < v->n_nodes; i++) adopt(p, v, i);
    }
    for (uint32_t i = 0; i < v->n_changed; i++) adopt(p, v, v->changed[i]);
    for (size_t i = 0; i < p->n_set; i++) adopt(p, v, p->set[i]);
    p->n_set = 0;
}

/* ---- what the child says ---- */

/* Does the node exist, and is it new to the present list? */
static bool name(struct planned *p, const char *list, uint32_t node, char *error)
{
    if (node >= p->n_nodes) return reply_error(error, "there is no node %" PRIu32 "; the cluster has %" PRIu32, node, p->n_nodes);
    if (p->named[node] == p->n_lists) return reply_error(error, "'%s' names node %" PRIu32 " twice", list, node);
    p->named[node] = p->n_lists;
    return true;
}

static bool is_at_most(const char *key, int64_t found, int64_t most, uint32_t node, char *error)
{
    return found <= most || reply_error(error, "'%s' is %" PRId64 "; node %" PRIu32 " has at most %" PRId64, key, found, node, most);
}

/* total: of each card; 0: not known. */
static bool check_cards(const char *key, const struct reply_cards *c, int64_t total, uint32_t node, uint32_t n_gpu, char *error)
{
    if (!c->is_told) return true;
    if (c->n != n_gpu) return reply_error(error, "'%s' lists %" PRIu32 " cards; node %" PRIu32 " has %" PRIu32, key, c->n, node, n_gpu);
    if (n_gpu > 0 && total == 0) return reply_error(error, "'%s' is told of node %" PRIu32 ", of whose cards it is not known", key, node);
    for (uint32_t k = 0; k < c->n; k++)
        if (!is_at_most(key, c->free[k], total, node, error)) return false;
    return true;
}

/* Could the node be in this state? */
static bool check(const struct planned *p, const struct reply_state *s, char *error)
{
    static const struct pol_card none;
    const struct pol_node *n = &p->node[s->node];
    const struct pol_card *card = n->n_gpu > 0 ? &p->card[n->card0] : &none;
    if (!is_at_most("cpu", s->cpu, n->cpu_total - n->cpu_reserved, s->node, error) ||
        !is_at_most("mem", s->mem, n->mem_total - n->mem_reserved, s->node, error)) return false;
    for (int k = 0; k < POL_ENGINES_MAX; k++)
        if (!is_at_most("engines", s->engine[k], n->engine_total[k], s->node, error)) return false;
    return check_cards("gpu", &s->gpu, GPU_WHOLE, s->node, n->n_gpu, error) &&
           check_cards("gpu_mem", &s->gpu_mem, card->mem_total, s->node, n->n_gpu, error) &&
           check_cards("gpu_cores", &s->gpu_cores, card->core_total, s->node, n->n_gpu, error);
}

static void set(struct planned *p, const struct reply_state *s)
{
    struct pol_node *n = &p->node[s->node];
    struct pol_card *card = p->card + n->card0;
    MEM_PUSH(p->set, p->n_set, p->cap_set, s->node);
    if (s->up >= 0) n->is_up = (uint32_t)s->up;
    if (s->tasks >= 0) n->n_tasks = (uint32_t)s->tasks;
    if (s->cpu >= 0) n->cpu_free = s->cpu;
    if (s->mem >= 0) n->mem_free = s->mem;
    for (int k = 0; k < POL_ENGINES_MAX; k++)
        if (s->engine[k] >= 0) n->engine_free[k] = (int32_t)s->engine[k];
    for (uint32_t k = 0; k < s->gpu.n; k++) card[k].milli_free = (int32_t)s->gpu.free[k];
    for (uint32_t k = 0; k < s->gpu_mem.n; k++) card[k].mem_free = s->gpu_mem.free[k];
    for (uint32_t k = 0; k < s->gpu_cores.n; k++) card[k].core_free = (int32_t)s->gpu_cores.free[k];
}

static bool set_all(struct planned *p, struct reply *r, char *error)
{
    struct reply_state s;
    char what[REPLY_ERROR_MAX - 100];
    p->n_lists++;
    while (r->next_state < r->n_states) {
        if (reply_next_state(r, &s, error) && name(p, "states", s.node, error) && check(p, &s, error)) {
            set(p, &s);
            continue;
        }
        (void)snprintf(what, sizeof what, "%s", error);
        return reply_error(error, "state %zu of %zu: %s", r->next_state, r->n_states, what);
    }
    return true;
}

/* Do the nodes and shapes exist? */
static bool check_names(struct planned *p, const struct pol_view *v, const struct reply *r, char *error)
{
    p->n_lists++;
    for (size_t i = 0; i < r->n_nodes; i++)
        if (!name(p, "nodes", r->node[i], error)) return false;
    for (size_t i = 0; i < r->n_requests; i++)
        if (r->request[i].shape >= v->n_shapes)
            return reply_error(error, "there is no shape %" PRIu32 "; %" PRIu32 " have been told", r->request[i].shape, v->n_shapes);
    return true;
}

/* ---- what it is told ---- */

static void write_place(struct json_text *out, uint32_t node, uint64_t cards)
{
    json_text_begin(out, NULL, '[');
    json_text_int(out, node);
    json_text_raw(out, ",[");
    for (; cards != 0; cards &= cards - 1) json_text_item_int(out, __builtin_ctzll(cards));
    json_text_raw(out, "]]");
}

/* What a task holds (sign -1), or gives back.  Of an exclusive one its presence is enough: nothing fits beside it. */
static void move(struct pol_node *n, struct pol_card *card, const struct pol_shape *s, uint64_t cards, int sign)
{
    n->n_tasks = (uint32_t)((int64_t)n->n_tasks - sign);
    n->cpu_free += sign * s->cpu_milli;
    n->mem_free += sign * s->mem_b;
    for (int k = 0; k < POL_ENGINES_MAX; k++) n->engine_free[k] += sign * s->engine[k];
    for (; cards != 0; cards &= cards - 1) {
        struct pol_card *c = &card[__builtin_ctzll(cards)];
        c->milli_free += sign * s->gpu_milli;
        if (c->mem_total > 0) c->mem_free += sign * s->gpu_mem_b;
        if (c->core_total > 0) c->core_free += sign * s->gpu_cores;
    }
}

struct pol_node *planned_touch(struct planned *p, uint32_t node)
{
    MEM_PUSH(p->set, p->n_set, p->cap_set, node);
    return &p->node[node];
}

void planned_move(struct planned *p, uint32_t node, const struct pol_shape *s, uint64_t cards, int sign)
{
    struct pol_node *n = planned_touch(p, node);
    struct pol_card *card = p->card + n->card0;
    if (!s->exclusive) {
        move(n, card, s, cards, sign);
        return;
    }
    const uint32_t was_up = n->is_up;
    pol_node_empty(n, card);
    n->is_up = was_up;
    if (sign > 0) return;
    n->n_tasks = 1;
    n->cpu_free = n->mem_free = 0;
    memset(n->engine_free, 0, sizeof n->engine_free);
    for (uint32_t k = 0; k < n->n_gpu; k++) card[k].milli_free = card[k].core_free = 0;
    for (uint32_t k = 0; k < n->n_gpu; k++) card[k].mem_free = 0;
}

/* Where places go. */
struct sink {
    struct json_text *out;
    struct planned_place *place;
};

/* Places on one node of at most n tasks, one after the other; returns how many.  Ends early when the line is long. */
static uint32_t find_places(const struct planned *p, const struct sink *to, const struct pol_shape *s, uint32_t node,
    uint32_t n, bool empty)
{
    const struct pol_node *now = &p->node[node];
    const struct pol_card *cards = p->card + now->card0;
    struct pol_node planned;
    struct pol_card card[NODE_GPUS_MAX];
    uint32_t found = 0;
    if (empty ? !pol_node_allows(now, s) : !pol_node_fits(now, cards, s)) return 0;
    planned = *now;
    if (now->n_gpu > 0) memcpy(card, cards, now->n_gpu * sizeof *card);
    if (empty) pol_node_empty(&planned, card);
    while (found < n && (to->out == NULL || to->out->n <= CHILD_LINE_MAX) && pol_node_fits(&planned, card, s)) {
        uint64_t chosen = pol_node_pick_cards(&planned, card, s);
        if (to->out != NULL) write_place(to->out, node, chosen);
        else to->place[found] = (struct planned_place){ node, chosen };
        move(&planned, card, s, chosen, -1);
        found++;
    }
    return found;
}

static void write_request(const struct planned *p, struct json_text *out, const struct pol_shape *s, uint32_t n, const struct reply *r)
{
    uint32_t left = n;
    size_t n_nodes = r->all_nodes ? p->n_nodes : r->n_nodes;
    json_text_begin(out, NULL, '[');
    for (size_t i = 0; i < n_nodes && (n == 0 || left > 0); i++) {
        uint32_t found = find_places(p, &(struct sink){ out, NULL }, s, r->all_nodes ? (uint32_t)i : r->node[i],
            n == 0 ? 1 : left, r->empty);
        if (n > 0) left -= found;
    }
    json_text_end(out, ']');
}

uint32_t planned_find(const struct planned *p, const struct pol_shape *s, uint32_t n, bool empty,
    struct planned_place *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->n_nodes && (n == 0 || found < n); i++)
        found += find_places(p, &(struct sink){ NULL, out + found }, s, i, n == 0 ? 1 : n - found, empty);
    return found;
}

bool planned_answer(struct planned *p, struct json_text *out, const struct pol_view *v, struct reply *r, int64_t deadline, char *error)
{
    if (!check_names(p, v, r, error) || !set_all(p, r, error)) return false;
    json_text_raw(out, "{");
    json_text_key_string(out, "msg", "answer");
    json_text_begin(out, "fits", '[');
    for (size_t i = 0; i < r->n_requests; i++) {
        write_request(p, out, &v->shape[r->request[i].shape], r->request[i].n, r);
        if (out->n > CHILD_LINE_MAX) return reply_error(error, "the answer is longer than %d MiB", CHILD_LINE_MAX >> 20);
        if (child_clock() > deadline) return reply_error(error, "the time for the round is over before it is answered");
    }
    json_text_raw(out, "]}\n");
    return true;
}
