/*
 * fairway_code_ask.c -- where tasks of a policy in another language fit, and what is planned on nodes: what it asks
 * and takes within a round (fairway.h).  A place costs O(nodes up to it), the best one O(nodes).
 */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "library/fairway_code.h"

void fairway_code_block(struct fairway_code *c, struct fairway_block *out)
{
    *out = (struct fairway_block){ c->r.out.n > 0 ? c->r.out.s : NULL,
                                   c->words, (int64_t)c->cap_words, c->names, (int64_t)c->cap_names,
                                   c->out, (int64_t)c->cap_out, &c->place->node, (int64_t)c->cap_place,
                                   c->r.planned.node, c->r.planned.n_nodes,
                                   c->r.planned.card, c->view != NULL ? c->view->n_cards : 0 };
}

void fairway_code_fail(struct fairway_code *c, const char *message)
{
    if (c->error[0] == '\0') (void)snprintf(c->error, sizeof c->error, "%s", message);
}

void fairway_code_room(struct fairway_code *c, int64_t n_out, int64_t n_place)
{
    c->out = mem_reserve(c->out, &c->cap_out, (size_t)n_out, sizeof *c->out);
    c->place = mem_reserve(c->place, &c->cap_place, (size_t)n_place, sizeof *c->place);
}

/* NULL: there is none, and the run fails. */
static const struct pol_shape *find_shape(struct fairway_code *c, int64_t shape)
{
    if (c->view != NULL && shape >= 0 && shape < c->view->n_shapes) return &c->view->shape[shape];
    fairway_code_fail(c, "it asks for a shape that there is not, or outside of a round");
    return NULL;
}

int32_t fairway_code_places(struct fairway_code *c, int32_t shape, int32_t n, int32_t is_empty)
{
    const struct pol_shape *s = find_shape(c, shape);
    const size_t want = n > 0 ? (size_t)n : c->r.planned.n_nodes;
    if (s == NULL || n < 0 || want > c->cap_place) return 0;
    return (int32_t)planned_find(&c->r.planned, s, (uint32_t)n, is_empty != 0, c->place);
}

static bool is_node(struct fairway_code *c, int64_t node)
{
    if (node >= 0 && node < c->r.planned.n_nodes) return true;
    fairway_code_fail(c, "it names a node that there is not");
    return false;
}

int32_t fairway_code_fits(struct fairway_code *c, int32_t shape, int32_t node)
{
    const struct pol_shape *s = find_shape(c, shape);
    if (s == NULL || !is_node(c, node)) return 0;
    const struct pol_node *n = &c->r.planned.node[node];
    const struct pol_card *card = c->r.planned.card + n->card0;
    if (!c->r.host->fits(n, card, s)) return 0;
    c->place[0] = (struct planned_place){ node, c->r.host->pick_cards(n, card, s) };
    return 1;
}

/* The cards' thousandths that are free on a node. */
static int64_t gpu_free(const struct fairway_code *c, const struct pol_node *n)
{
    int64_t sum = 0;
    for (uint32_t k = n->card0; k < n->card0 + n->n_gpu; k++) sum += c->r.planned.card[k].milli_free;
    return sum;
}

/* What is left of so much, in 2^20ths of the most that a node has. */
static int64_t left(int64_t free, int64_t most) { return most > 0 ? (int64_t)mul_div(free, INT64_C(1) << 20, most)
    : 0; }

int32_t fairway_code_best(struct fairway_code *c, int32_t shape)
{
    const struct pol_shape *s = find_shape(c, shape);
    int32_t best = -1;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; s != NULL && i < c->r.planned.n_nodes; i++) {
        const struct pol_node *n = &c->r.planned.node[i];
        if (!c->r.host->fits(n, c->r.planned.card + n->card0, s)) continue;
        int64_t over = s->exclusive ? 0 : left(n->cpu_free - s->cpu_milli, c->most[0]) + left(n->mem_free - s->mem_b,
            c->most[1]) + left(gpu_free(c, n) - (int64_t)s->n_gpu * s->gpu_milli, c->most[2]);
        if (over < least) {
            least = over;
            best = (int32_t)i;
        }
    }
    return best;
}

/* The best places, one after the other, taken as they are found; given back if there are fewer. */
static int32_t take_best(struct fairway_code *c, int32_t shape, int32_t n)
{
    const struct pol_shape *s = find_shape(c, shape);
    int32_t found = 0;
    if (s == NULL || n < 0 || (size_t)n > c->cap_place) return 0;
    for (int32_t node; found < n && (node = fairway_code_best(c, shape)) >= 0; found++) {
        const struct pol_node *to = &c->r.planned.node[node];
        c->place[found] = (struct planned_place){ node,
            c->r.host->pick_cards(to, c->r.planned.card + to->card0, s) };
        planned_move(&c->r.planned, (uint32_t)node, s, c->place[found].cards, -1);
    }
    for (int32_t i = found; found < n && i-- > 0;)
        planned_move(&c->r.planned, (uint32_t)c->place[i].node, s, c->place[i].cards, +1);
    return found;
}

int32_t fairway_code_take(struct fairway_code *c, int32_t shape, int32_t n, int32_t rule)
{
    if (rule == FAIRWAY_BEST) return take_best(c, shape, n);
    const int32_t found = fairway_code_places(c, shape, n, 0);
    if (found < n || found == 0) return found;
    const struct pol_shape *s = &c->view->shape[shape];
    for (int32_t i = 0; i < n; i++)
        planned_move(&c->r.planned, (uint32_t)c->place[i].node, s, c->place[i].cards, -1);
    return found;
}

void fairway_code_move(struct fairway_code *c, int64_t node, int64_t shape, int64_t cards, int64_t sign)
{
    const struct pol_shape *s = find_shape(c, shape);
    if (s == NULL || !is_node(c, node)) return;
    uint32_t n_gpu = c->r.planned.node[node].n_gpu;
    uint64_t all = n_gpu == 0 ? 0 : UINT64_MAX >> (64 - n_gpu);
    planned_move(&c->r.planned, (uint32_t)node, s, (uint64_t)cards & all, sign < 0 ? -1 : 1);
}

void fairway_code_free(struct fairway_code *c, int64_t node, int64_t cpu, int64_t mem)
{
    if (!is_node(c, node)) return;
    struct pol_node *n = planned_touch(&c->r.planned, (uint32_t)node);
    n->cpu_free += cpu;
    n->mem_free += mem;
}

void fairway_code_free_engine(struct fairway_code *c, int64_t node, int64_t engine, int64_t n)
{
    if (!is_node(c, node) || engine < 0 || engine >= POL_ENGINES_MAX) return;
    planned_touch(&c->r.planned, (uint32_t)node)->engine_free[engine] += (int32_t)n;
}

const char *fairway_code_name(struct fairway_code *c, int64_t type, int64_t id)
{
    return c->r.host->name(c->r.host->ctx, (uint32_t)type, (uint32_t)id);
}

const char *fairway_code_query(struct fairway_code *c, const char *line)
{
    char what[REPLY_ERROR_MAX];
    if (c->view == NULL) {
        fairway_code_fail(c, "it asks outside of a round");
        return NULL;
    }
    if (reply_open(&c->r.reply, line, strlen(line), what) && c->r.reply.is_query &&
        dialog_answer(&c->r, c->view, INT64_MAX, what)) {
        json_text_bytes(&c->r.out, "", 1);
        return c->r.out.s;
    }
    fairway_code_fail(c, what);
    return NULL;
}
