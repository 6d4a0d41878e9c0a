/*
 * cluster.c -- how a cluster is built, and the ledger.
 *
 * The holders of a node are a doubly linked list through the holds, newest first.
 * Whatever moves between free and held goes through move(), so that nodes, cards,
 * licences and sums change together.
 */
#include "model/cluster/cluster.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/rng.h"

/* ---- building ---- */

/* The name's number among those of its kind, a new one if need be; NONE with d: `most` are named already. */
static uint32_t name_one(struct intern *of, const char *name, uint32_t most, const char *what, const char *too_many, struct diag *d)
{
    const uint32_t id = intern_find(of, name);
    if (id != NONE) return id;
    if (of->n < most) return intern_id(of, name);
    (void)diag_set(d, ST_EINPUT, "%s '%s' is %s: a cluster and its trace may name %u", what, name, too_many, most);
    return NONE;
}

static void set_speed(struct cluster *c, uint32_t type, double speed)
{
    c->gpu_speed[type] = speed;
    c->gpu_rate[type] = (sim_rate)lround(speed * RATE_ONE);
}

uint32_t cluster_gpu_type(struct cluster *c, const char *name, struct diag *d)
{
    uint32_t n = c->gpu_types.n, id = name_one(&c->gpu_types, name, GPU_TYPES_MAX, "GPU type", "one too many", d);
    if (id == n) set_speed(c, id, 1.0);
    return id;
}

uint32_t cluster_label(struct cluster *c, const char *name, struct diag *d)
{
    return name_one(&c->labels, name, LABELS_MAX, "node label", "one too many", d);
}

uint32_t cluster_licence(struct cluster *c, const char *name, struct diag *d)
{
    return name_one(&c->licences, name, LICENCES_MAX, "licence", "one kind too many", d);
}

void cluster_set_gpu_type(struct cluster *c, uint32_t type, double speed, const struct gpu_figures *figures)
{
    set_speed(c, type, speed);
    c->gpu_figures[type] = *figures;
}

void cluster_set_gpu_part(struct cluster *c, uint32_t type)
{
    const struct gpu_part *p = &c->gpu_part[type];
    const struct gpu_figures *whole = &c->gpu_figures[p->of];
    set_speed(c, type, c->gpu_speed[p->of] * p->share);
    c->gpu_figures[type] = (struct gpu_figures){ .compute_mflops = llround((double)whole->compute_mflops * p->share),
                                                 .bandwidth_bps = llround((double)whole->bandwidth_bps * p->mem_share),
                                                 .clock_khz = whole->clock_khz };
}

void cluster_set_licence(struct cluster *c, uint32_t licence, int64_t total)
{
    c->licence_total[licence] = c->licence_free[licence] = total;
}

void cluster_set_mem_bw(struct cluster *c, uint32_t node, int64_t bps) { c->own[node].mem_bw = bps; }

void cluster_reserve(struct cluster *c, uint32_t n_nodes, uint64_t n_cards)
{
    MEM_ROOM(c->node, c->cap_node, (size_t)c->n_nodes + n_nodes);
    MEM_ROOM(c->own, c->cap_own, (size_t)c->n_nodes + n_nodes);
    MEM_ROOM(c->card, c->cap_card, (size_t)c->n_cards + n_cards + 1);       /* one to point at where there is none */
}

enum st cluster_add(struct cluster *c, const struct node_spec *s, struct diag *d)
{
    if (s->n_gpu > NODE_GPUS_MAX)
        return diag_set(d, ST_EINPUT, "node '%s' has %u GPUs; a node may have at most %d", s->name, s->n_gpu, NODE_GPUS_MAX);
    uint32_t type = NONE;
    if (s->n_gpu > 0 && (type = cluster_gpu_type(c, s->gpu_type, d)) == NONE) return d->code;
    if (intern_id(&c->node_names, s->name) != c->n_nodes)
        return diag_set(d, ST_EINPUT, "two nodes are named '%s'", s->name);
    cluster_reserve(c, 1, s->n_gpu);
    const uint32_t id = c->n_nodes++;
    struct pol_node *n = &c->node[id];
    *n = (struct pol_node){
        .cpu_total = s->cpu_milli, .cpu_free = s->cpu_milli - s->cpu_reserved,
        .mem_total = s->mem_b, .mem_free = s->mem_b - s->mem_reserved,
        .labels = s->labels, .card0 = c->n_cards, .n_gpu = s->n_gpu, .gpu_type = type,
        .rack = intern_id(&c->rack_names, s->rack ? s->rack : "rack0"), .is_up = true,
        .cpu_reserved = s->cpu_reserved, .mem_reserved = s->mem_reserved, .max_tasks = s->max_tasks,
    };
    c->own[id] = (struct node_own){ .mem_bw = s->mem_bw, .latency_us = s->latency_us, .link_bps = s->link_bps,
                                    .links = s->links, .draw = s->draw, .listed = id, .first_hold = NONE };
    for (uint32_t k = c->n_engine_types; k < ENGINE_TYPES_MAX; k++)
        if (s->engine[k] > 0) c->n_engine_types = k + 1;
    memcpy(n->engine_total, s->engine, sizeof n->engine_total);
    memcpy(n->engine_free, s->engine, sizeof n->engine_free);
    for (uint32_t k = 0; k < s->n_gpu; k++)
        c->card[c->n_cards++] = (struct pol_card){ .mem_total = s->gpu_mem_b, .mem_free = s->gpu_mem_b, .milli_free = GPU_WHOLE,
                                               .core_total = s->gpu_cores, .core_free = s->gpu_cores };
    return ST_OK;
}

static bool same_class(const struct cluster *c, uint32_t i, uint32_t k)
{
    const struct pol_node *a = &c->node[i], *b = &c->node[k];
    const struct node_own *x = &c->own[i], *y = &c->own[k];
    return a->cpu_total == b->cpu_total && a->mem_total == b->mem_total && x->mem_bw == y->mem_bw && a->labels == b->labels &&
           x->latency_us == y->latency_us && x->link_bps == y->link_bps && x->links == y->links && x->draw == y->draw &&
           a->n_gpu == b->n_gpu && a->gpu_type == b->gpu_type && a->max_tasks == b->max_tasks &&
           a->cpu_reserved == b->cpu_reserved && a->mem_reserved == b->mem_reserved &&
           memcmp(a->engine_total, b->engine_total, sizeof a->engine_total) == 0 &&
           (a->n_gpu == 0 || (c->card[a->card0].mem_total == c->card[b->card0].mem_total &&
                              c->card[a->card0].core_total == c->card[b->card0].core_total));
}

/* These nodes, n different ones, in this order, and no others. */
static void take(struct cluster *c, const uint32_t *order, uint32_t n)
{
    struct pol_node *node;
    struct node_own *own;
    struct pol_card *card;
    struct intern names = { 0 };
    uint32_t n_cards = 0;
    MEM_ARRAY(node, n);
    MEM_ARRAY(own, n);
    MEM_ARRAY(card, (size_t)c->n_cards + 1);
    for (uint32_t i = 0; i < n; i++) {
        node[i] = c->node[order[i]];
        for (uint32_t g = 0; g < node[i].n_gpu; g++) card[n_cards + g] = c->card[node[i].card0 + g];
        node[i].card0 = n_cards;
        own[i] = c->own[order[i]];
        own[i].listed = i;
        n_cards += node[i].n_gpu;
        (void)intern_id(&names, intern_name(&c->node_names, order[i]));
    }
    MEM_FREE(c->node, c->own, c->card);
    intern_fini(&c->node_names);
    c->node = node; c->own = own; c->n_nodes = n; c->cap_node = c->cap_own = n;
    c->card = card; c->n_cards = n_cards; c->cap_card = (size_t)c->n_cards + 1;
    c->node_names = names;
}

void cluster_cut(struct cluster *c, double fraction)
{
    uint32_t n = c->n_nodes, *class, *size, *seen, n_classes = 0, *first;
    MEM_ARRAY(class, n); MEM_ARRAY(size, n); MEM_ARRAY(seen, n); MEM_ARRAY(first, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (k < n_classes && !same_class(c, first[k], i)) k++;
        if (k == n_classes) first[n_classes++] = i;
        class[i] = k;
        size[k]++;
    }
    uint32_t out = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t of = size[class[i]], keep = (uint32_t)lround(of * fraction), at = seen[class[i]]++;
        if (keep == 0) keep = 1;
        if ((uint64_t)(at + 1) * keep / of != (uint64_t)at * keep / of) first[out++] = i;
    }
    take(c, first, out);
    mem_free(class); mem_free(size); mem_free(seen); mem_free(first);
}

uint32_t cluster_lose(struct cluster *c, const char *name)
{
    const uint32_t n = c->n_nodes, node = intern_find(&c->node_names, name), rack = intern_find(&c->rack_names, name);
    uint32_t *left, n_left = 0;
    MEM_ARRAY(left, n);
    for (uint32_t i = 0; i < n; i++)
        if (i != node && (rack == NONE || c->node[i].rack != rack)) left[n_left++] = i;
    take(c, left, n_left);
    mem_free(left);
    return n - n_left;
}

void cluster_shuffle(struct cluster *c, uint64_t seed)
{
    struct rng g;
    uint32_t *order;
    MEM_ARRAY(order, c->n_nodes);
    rng_init(&g, seed, "ties of nodes", 0);
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const uint32_t k = (uint32_t)rng_below(&g, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    take(c, order, c->n_nodes);
    for (uint32_t i = 0; i < c->n_nodes; i++) c->own[i].listed = order[i];
    mem_free(order);
}

static uint32_t class_hash(const struct cluster *c, const struct pol_node *n)
{
    const int64_t card_mem = n->n_gpu == 0 ? 0 : c->card[n->card0].mem_total;
    return map_mix((uint64_t)n->cpu_total ^ (uint64_t)n->mem_total << 1 ^ n->labels << 7 ^ (uint64_t)n->n_gpu << 40 ^
                   (uint64_t)n->gpu_type << 48 ^ (uint64_t)card_mem << 3);
}

static void find_kinds(struct cluster *c)
{
    struct map of_class = { 0 };
    c->n_kinds = 0;
    for (uint32_t i = 0, k = 0; i < c->n_nodes; i++) {
        if (c->n_kinds > 0 && same_class(c, c->kind[k].first, i)) {     /* as the one before */
            c->kind[k].n++;
            continue;
        }
        const uint32_t hash = class_hash(c, &c->node[i]);
        MAP_EACH(k, &of_class, hash)
            if (same_class(c, c->kind[k].first, i)) break;
        if (k == MAP_NONE) {
            map_add(&of_class, hash, k = c->n_kinds++);
            c->kind[k] = (struct node_kind){ .first = i };
        }
        c->kind[k].n++;
    }
    map_fini(&of_class);
}

/* So many nodes like it come up; below 0: go down. */
static void sum_nodes(struct cluster_sum *s, const struct pol_node *n, int64_t times)
{
    s->cpu_total += times * n->cpu_total;
    s->mem_total += times * n->mem_total;
    s->gpu_total += times * n->n_gpu * GPU_WHOLE;
    s->n_up += (uint32_t)times;
}

void cluster_seal(struct cluster *c)
{
    MEM_ARRAY(c->changed, c->n_nodes);
    MEM_ARRAY(c->changed_in, c->n_nodes);
    c->round = 1;
    MEM_ARRAY(c->kind, c->n_nodes);
    MEM_ROOM(c->card, c->cap_card, (size_t)c->n_cards + 1);
    c->card[c->n_cards] = (struct pol_card){ .mem_total = 0 };
    find_kinds(c);
    for (uint32_t k = 0; k < c->n_kinds; k++) sum_nodes(&c->sum, &c->node[c->kind[k].first], c->kind[k].n);
    memcpy(c->licence_free, c->licence_total, sizeof c->licence_free);
}

void cluster_label_nodes(struct cluster *c, uint32_t label, const bool *has)
{
    for (uint32_t i = 0; i < c->n_nodes; i++) c->node[i].labels |= (uint64_t)has[i] << label;
    if (c->kind != NULL) find_kinds(c);
}

void cluster_fini(struct cluster *c)
{
    MEM_FREE(c->node, c->own, c->card, c->hold, c->changed, c->changed_in, c->kind, c->links);
    intern_fini(&c->node_names); intern_fini(&c->rack_names); intern_fini(&c->gpu_types);
    intern_fini(&c->labels); intern_fini(&c->engines); intern_fini(&c->licences);
    for (uint32_t i = 0; i < c->preferences.n; i++) mem_free(c->preferences.of[i]);
    mem_free(c->preferences.of); map_fini(&c->preferences.of_sums);
    memset(c, 0, sizeof *c);
}

void cluster_reset(struct cluster *c)
{
    if (!c->is_used) return;
    c->is_used = false;
    memset(&c->sum, 0, sizeof c->sum);
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        struct pol_node *n = &c->node[i];
        n->cpu_free = n->cpu_total - n->cpu_reserved;
        n->mem_free = n->mem_total - n->mem_reserved;
        memcpy(n->engine_free, n->engine_total, sizeof n->engine_free);
        memset(c->own[i].engine_calls, 0, sizeof c->own[i].engine_calls);
        n->n_tasks = 0;
        c->own[i].first_hold = NONE;
        n->is_up = true;
        sum_nodes(&c->sum, n, +1);
    }
    for (uint32_t k = 0; k < c->n_cards; k++) {
        c->card[k].mem_free = c->card[k].mem_total;
        c->card[k].milli_free = GPU_WHOLE;
        c->card[k].core_free = c->card[k].core_total;
    }
    for (size_t t = 0; t < c->n_hold; t++) c->hold[t].node = NONE;
    memcpy(c->licence_free, c->licence_total, sizeof c->licence_free);
    cluster_changes_clear(c);
}

/* ---- fitting ---- */

/* Are the licences it asks for free? */
static bool has_licences(const struct cluster *c, const struct shape *s)
{
    for (uint32_t k = 0; k < c->licences.n; k++)
        if (c->licence_free[k] < s->licence[k]) return false;
    return true;
}

uint32_t cluster_capacity(const struct cluster *c, const struct shape *s)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->n_kinds; i++)
        sum += (uint64_t)c->kind[i].n *
               node_capacity_empty(&c->node[c->kind[i].first], cluster_cards(c, c->kind[i].first), s);
    for (uint32_t k = 0; k < c->licences.n; k++)
        if (s->licence[k] > 0 && (uint64_t)(c->licence_total[k] / s->licence[k]) < sum) sum = (uint64_t)(c->licence_total[k] / s->licence[k]);
    return sum < NONE - 1 ? (uint32_t)sum : NONE - 1;
}

bool cluster_could_gang(const struct cluster *c, const struct shape *const *s, const uint32_t *n, uint32_t n_groups)
{
    if (n_groups == 1) return cluster_capacity(c, s[0]) >= n[0];
    struct cluster t = { .n_nodes = c->n_nodes, .n_cards = c->n_cards, .n_engine_types = c->n_engine_types,
                         .licences = { .n = c->licences.n } };
    MEM_ARRAY(t.node, c->n_nodes); MEM_ARRAY(t.own, c->n_nodes); MEM_ARRAY(t.card, c->n_cards);
    memcpy(t.node, c->node, c->n_nodes * sizeof *t.node);
    memcpy(t.own, c->own, c->n_nodes * sizeof *t.own);
    if (c->n_cards > 0) memcpy(t.card, c->card, c->n_cards * sizeof *t.card);
    memcpy(t.licence_total, c->licence_total, sizeof t.licence_total);
    cluster_seal(&t);
    t.is_used = true;           /* as the nodes may be that it was made from */
    cluster_reset(&t);
    uint32_t task = 0;
    bool fits = true;
    for (uint32_t g = 0; g < n_groups && fits; g++) {
        uint32_t at = 0;
        for (uint32_t k = 0; k < n[g] && fits; k++) {
            while (at < t.n_nodes && !cluster_fits(&t, at, s[g])) at++;
            fits = at < t.n_nodes && cluster_allocate(&t, task++, at, s[g], 0) == POL_OK;
        }
    }
    t.licences.n = 0;
    cluster_fini(&t);
    return fits;
}

/* ---- the ledger ---- */

void cluster_touch(struct cluster *c, uint32_t node)
{
    if (c->changed_in[node] == c->round) return;
    c->changed_in[node] = c->round;
    c->is_used = true;
    c->changed[c->n_changed++] = node;
}

void cluster_changes_clear(struct cluster *c)
{
    c->n_changed = 0;
    c->round++;
}

static enum pol_refusal check_cards(const struct cluster *c, const struct pol_node *n, const struct shape *s, uint64_t cards)
{
    const struct pol_card *card = &c->card[n->card0];
    const uint64_t own = cards & node_all_cards(n);
    int32_t count = 0;
    for (uint64_t left = own; left != 0; left &= left - 1, count++)
        if (card[(uint32_t)__builtin_ctzll(left)].milli_free < s->gpu_milli) return POL_REFUSAL_CARD_TAKEN;
    for (uint64_t left = s->gpu_mem_b > 0 || s->gpu_cores > 0 ? own : 0; left != 0; left &= left - 1)
        if (!node_card_fits(&card[__builtin_ctzll(left)], s)) return POL_REFUSAL_CARD_TAKEN;
    if (own != cards) return POL_REFUSAL_NO_CARD;
    return count == s->n_gpu ? POL_OK : POL_REFUSAL_CARDS;
}

/* Of each of these cards; what is not known of a card is not counted. */
static void move_within_cards(struct pol_card *card, uint64_t cards, int64_t mem_b, int32_t cores)
{
    for (uint64_t left = cards; left != 0; left &= left - 1) {
        struct pol_card *x = &card[__builtin_ctzll(left)];
        if (x->mem_total > 0) x->mem_free += mem_b;
        if (x->core_total > 0) x->core_free += cores;
    }
}

static void move_engines_and_licences(struct cluster *c, struct pol_node *n, const struct hold *h, int sign)
{
    for (uint32_t k = 0; k < c->n_engine_types; k++) n->engine_free[k] += sign * h->engine[k];
    for (uint32_t k = 0; k < c->licences.n; k++) c->licence_free[k] += sign * h->licence[k];
}

/* Move what `h` holds out of (sign -1) or back into (+1) the node's free amounts and the sums. */
static void move(struct cluster *c, struct pol_node *n, const struct hold *h, int sign)
{
    n->cpu_free += sign * h->cpu_milli;
    n->mem_free += sign * h->mem_b;
    c->sum.cpu_used -= sign * h->cpu_milli;
    c->sum.mem_used -= sign * h->mem_b;
    if (c->n_engine_types > 0 || c->licences.n > 0) move_engines_and_licences(c, n, h, sign);
    struct pol_card *card = &c->card[n->card0];
    const int32_t milli = sign * h->gpu_milli;
    for (uint64_t left = h->cards; left != 0; left &= left - 1) card[(uint32_t)__builtin_ctzll(left)].milli_free += milli;
    if (h->gpu_mem_b != 0 || h->gpu_cores != 0)
        move_within_cards(card, h->cards, sign * h->gpu_mem_b, sign * h->gpu_cores);
    c->sum.gpu_used -= (int64_t)milli * h->n_cards;
}

/* How many of the cards that `h` holds nobody else does. */
static int32_t n_alone(const struct cluster *c, const struct pol_node *n, const struct hold *h)
{
    const struct pol_card *card = &c->card[n->card0];
    int32_t count = 0;
    if (h->gpu_milli == GPU_WHOLE) return h->n_cards;
    for (uint64_t left = h->cards; left != 0; left &= left - 1)
        count += card[__builtin_ctzll(left)].milli_free == GPU_WHOLE - h->gpu_milli;
    return count;
}

/* What its hold says is taken from now on. */
static void enter(struct cluster *c, uint32_t task)
{
    struct hold *h = &c->hold[task];
    struct pol_node *n = &c->node[h->node];
    h->prev = NONE;
    uint32_t *first = &c->own[h->node].first_hold;
    h->next = *first;
    if (h->next != NONE) c->hold[h->next].prev = task;
    *first = task;
    n->n_tasks++;
    move(c, n, h, -1);
    c->sum.card_used += n_alone(c, n, h);
    cluster_touch(c, h->node);
}

/* Of an exclusive task on the node, which is idle: all that it has. */
static void take_all(struct hold *h, const struct pol_node *n, const struct pol_card *card)
{
    h->cpu_milli = n->cpu_free;
    h->mem_b = n->mem_free;
    h->n_cards = (uint8_t)n->n_gpu;
    h->gpu_milli = n->n_gpu > 0 ? GPU_WHOLE : 0;
    h->gpu_mem_b = n->n_gpu > 0 && !h->is_short ? card->mem_total : 0;
    h->gpu_cores = n->n_gpu > 0 && !h->is_short ? card->core_total : 0;
    memcpy(h->engine, n->engine_total, sizeof h->engine);
}

static enum pol_refusal allocate(struct cluster *c, uint32_t task, uint32_t node, const struct shape *s, uint64_t cards, bool is_short)
{
    if (node >= c->n_nodes) return POL_REFUSAL_NO_NODE;
    struct pol_node *n = &c->node[node];
    if (!n->is_up) return POL_REFUSAL_NODE_DOWN;
    /* Cards that fit and are as many as it asks need not be looked for again. */
    const bool is_chosen = cards != 0 && !s->exclusive;
    const enum pol_refusal of_cards = is_chosen ? check_cards(c, n, s, cards) : POL_OK;
    if (is_chosen && of_cards == POL_OK ? !node_fits_beside_cards(n, s) : !cluster_fits(c, node, s))
        return POL_REFUSAL_NO_ROOM;
    if (!has_licences(c, s)) return POL_REFUSAL_NO_LICENCE;
    if (of_cards != POL_OK) return of_cards;
    if (s->exclusive) {
        if (cards != 0 && cards != node_all_cards(n)) return POL_REFUSAL_CARDS_OF_ALL;
        cards = node_all_cards(n);
    } else if (cards == 0) {
        cards = cluster_pick_cards(c, node, s);
    }
    size_t old = c->n_hold;
    MEM_RESERVE(c->hold, c->n_hold, (size_t)task + 1);
    for (size_t t = old; t < c->n_hold; t++) c->hold[t].node = NONE;
    struct hold *h = &c->hold[task];
    if (h->node != NONE) return POL_REFUSAL_HAS_PLACE;
    *h = (struct hold){ .cpu_milli = s->cpu_milli, .mem_b = s->mem_b, .gpu_milli = s->gpu_milli, .gpu_mem_b = s->gpu_mem_b,
                        .gpu_cores = s->gpu_cores, .cards = cards, .n_cards = (uint8_t)s->n_gpu, .node = node, .is_short = is_short };
    memcpy(h->engine, s->engine, sizeof h->engine);
    memcpy(h->licence, s->licence, sizeof h->licence);
    if (s->exclusive) take_all(h, n, cluster_cards(c, node));
    enter(c, task);
    return POL_OK;
}

void cluster_put_back(struct cluster *c, uint32_t task, const struct hold *was)
{
    SIM_ASSERT(c->hold[task].node == NONE && c->node[was->node].is_up);
    c->hold[task] = *was;
    enter(c, task);
}

enum pol_refusal cluster_allocate(struct cluster *c, uint32_t task, uint32_t node, const struct shape *s, uint64_t cards)
{
    return allocate(c, task, node, s, cards, false);
}

enum pol_refusal cluster_allocate_by_count(struct cluster *c, uint32_t task, uint32_t node, const struct shape *s, uint64_t cards)
{
    if (node >= c->n_nodes || (s->gpu_mem_b == 0 && s->gpu_cores == 0)) return allocate(c, task, node, s, cards, false);
    const struct pol_node *n = &c->node[node];
    if (cards == 0 || s->exclusive ? cluster_fits(c, node, s) : check_cards(c, n, s, cards) == POL_OK) return allocate(c, task, node, s, cards, false);
    struct shape counted = shape_by_count(s);
    /* Cards without enough free share are refused as always. */
    return allocate(c, task, node, &counted, cards, true);
}

void cluster_release(struct cluster *c, uint32_t task)
{
    SIM_ASSERT(task < c->n_hold && c->hold[task].node != NONE);
    struct hold *h = &c->hold[task];
    struct pol_node *n = &c->node[h->node];
    c->sum.card_used -= n_alone(c, n, h);
    move(c, n, h, +1);
    if (h->prev != NONE) c->hold[h->prev].next = h->next;
    else c->own[h->node].first_hold = h->next;
    if (h->next != NONE) c->hold[h->next].prev = h->prev;
    n->n_tasks--;
    cluster_touch(c, h->node);
    h->node = NONE;
}

enum pol_refusal cluster_resize(struct cluster *c, uint32_t task, int64_t cpu_milli, int64_t mem_b)
{
    if (cluster_hold(c, task) == NULL) return POL_REFUSAL_NO_PLACE;
    struct hold *h = &c->hold[task];
    struct pol_node *n = &c->node[h->node];
    if (cpu_milli <= 0) return POL_REFUSAL_CPU_NONE;
    if (cpu_milli - h->cpu_milli > n->cpu_free) return POL_REFUSAL_CPU_TAKEN;
    if (mem_b < 0) return POL_REFUSAL_MEM_BELOW_0;
    if (mem_b == 0) mem_b = h->mem_b;
    if (mem_b - h->mem_b > n->mem_free) return POL_REFUSAL_MEM_TAKEN;
    n->mem_free -= mem_b - h->mem_b;
    c->sum.mem_used += mem_b - h->mem_b;
    h->mem_b = mem_b;
    n->cpu_free -= cpu_milli - h->cpu_milli;
    c->sum.cpu_used += cpu_milli - h->cpu_milli;
    h->cpu_milli = cpu_milli;
    cluster_touch(c, h->node);
    return POL_OK;
}

enum pol_refusal cluster_engine_allocate(struct cluster *c, uint32_t node, uint32_t engine)
{
    if (node >= c->n_nodes) return POL_REFUSAL_NO_NODE;
    if (engine >= ENGINE_TYPES_MAX) return POL_REFUSAL_NO_ENGINE;
    struct pol_node *n = &c->node[node];
    if (!n->is_up) return POL_REFUSAL_NODE_DOWN;
    if (n->engine_free[engine] <= 0) return POL_REFUSAL_ENGINE_TAKEN;
    n->engine_free[engine]--;
    c->own[node].engine_calls[engine]++;
    cluster_touch(c, node);
    return POL_OK;
}

void cluster_engine_release(struct cluster *c, uint32_t node, uint32_t engine)
{
    struct pol_node *n = &c->node[node];
    SIM_ASSERT(c->own[node].engine_calls[engine] > 0);
    c->own[node].engine_calls[engine]--;
    n->engine_free[engine]++;
    cluster_touch(c, node);
}

uint32_t cluster_engine_types(const struct cluster *c)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < c->n_kinds; i++)
        for (uint32_t k = 0; k < c->n_engine_types; k++)
            mask |= (uint32_t)(c->node[c->kind[i].first].engine_total[k] > 0) << k;
    return mask;
}

const struct hold *cluster_hold(const struct cluster *c, uint32_t task)
{
    return task < c->n_hold && c->hold[task].node != NONE ? &c->hold[task] : NULL;
}

void cluster_set_up(struct cluster *c, uint32_t node, bool is_up)
{
    struct pol_node *n = &c->node[node];
    SIM_ASSERT(n->is_up != is_up && n->n_tasks == 0);
    n->is_up = is_up;
    sum_nodes(&c->sum, n, is_up ? +1 : -1);
    cluster_touch(c, node);
}

void cluster_audit(const struct cluster *c)
{
    struct cluster_sum sum = { 0 };
    int64_t licence[LICENCES_MAX] = { 0 };
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct pol_node *n = &c->node[i];
        const struct node_own *o = &c->own[i];
        int64_t cpu = n->cpu_reserved, mem = n->mem_reserved, milli[NODE_GPUS_MAX] = { 0 }, card_mem[NODE_GPUS_MAX] = { 0 };
        int64_t cores[NODE_GPUS_MAX] = { 0 };
        int32_t engine[ENGINE_TYPES_MAX] = { 0 };
        uint32_t count = 0;
        for (uint32_t t = o->first_hold; t != NONE; t = c->hold[t].next, count++) {
            const struct hold *h = &c->hold[t];
            SIM_ASSERT(h->node == i && n->is_up && h->n_cards == __builtin_popcountll(h->cards));
            cpu += h->cpu_milli;
            mem += h->mem_b;
            for (int k = 0; k < ENGINE_TYPES_MAX; k++) engine[k] += h->engine[k];
            for (int k = 0; k < LICENCES_MAX; k++) licence[k] += h->licence[k];
            for (uint32_t k = 0; k < n->n_gpu; k++) {
                if ((h->cards >> k & 1) == 0) continue;
                milli[k] += h->gpu_milli;
                card_mem[k] += h->gpu_mem_b;
                cores[k] += h->gpu_cores;
                SIM_ASSERT(!h->is_short || (h->gpu_mem_b == 0 && h->gpu_cores == 0));
            }
        }
        SIM_ASSERT(count == n->n_tasks && (n->max_tasks == 0 || count <= n->max_tasks));
        SIM_ASSERT(n->cpu_free >= 0 && n->cpu_free + cpu == n->cpu_total);
        SIM_ASSERT(n->mem_free >= 0 && n->mem_free + mem == n->mem_total);
        for (int k = 0; k < ENGINE_TYPES_MAX; k++)
            SIM_ASSERT(n->engine_free[k] >= 0 && o->engine_calls[k] >= 0 && n->engine_free[k] + engine[k] + o->engine_calls[k] == n->engine_total[k]);
        for (uint32_t k = 0; k < n->n_gpu; k++) {
            const struct pol_card *card = &c->card[n->card0 + k];
            SIM_ASSERT(card->milli_free >= 0 && card->milli_free + milli[k] == GPU_WHOLE);
            SIM_ASSERT(card->mem_total == 0 || (card->mem_free >= 0 && card->mem_free + card_mem[k] == card->mem_total));
            SIM_ASSERT(card->core_total == 0 || (card->core_free >= 0 && card->core_free + cores[k] == card->core_total));
            sum.gpu_used += milli[k];
            sum.card_used += milli[k] > 0;
        }
        sum.cpu_used += cpu - n->cpu_reserved;
        sum.mem_used += mem - n->mem_reserved;
        if (n->is_up) sum_nodes(&sum, n, +1);
    }
    for (int k = 0; k < LICENCES_MAX; k++) SIM_ASSERT(c->licence_free[k] >= 0 && c->licence_free[k] + licence[k] == c->licence_total[k]);
    SIM_ASSERT(memcmp(&sum, &c->sum, offsetof(struct cluster_sum, n_up)) == 0 && sum.n_up == c->sum.n_up);
}
