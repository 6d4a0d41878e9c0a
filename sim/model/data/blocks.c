/*
 * blocks.c -- blocks by their names, replicas placed by a rule, and distances.  Each
 * placing draw costs one random number: a draw with second tries would make the draw
 * of one replica hang on those before it.
 */
#include "model/data/blocks.h"

#include <string.h>
#include "base/mem.h"

void data_fini(struct data *d)
{
    intern_fini(&d->names);
    mem_free(d->block);
    mem_free(d->replica);
    memset(d, 0, sizeof *d);
}

uint32_t data_add(struct data *d, const char *name, int64_t size)
{
    if (intern_find(&d->names, name) != NONE) return NONE;
    uint32_t id = intern_id(&d->names, name);
    MEM_RESERVE(d->block, d->cap_block, (size_t)id + 1);
    d->block[id] = (struct block){ .size = size, .file = id, .is_by_rule = true };
    return id;
}

/* Put `node` among the first n of r, kept in increasing order; false when it is there already. */
static bool insert(uint32_t *r, uint32_t n, uint32_t node)
{
    uint32_t i = n;
    while (i > 0 && r[i - 1] > node) i--;
    if (i > 0 && r[i - 1] == node) return false;
    memmove(r + i + 1, r + i, (n - i) * sizeof *r);
    r[i] = node;
    return true;
}

/* Room for n replicas of a block, of its own if it has it. */
static uint32_t *room(struct data *d, struct block *b, uint32_t n)
{
    if (b->n < n) {
        SIM_ASSERT(n <= NONE - d->n_replicas);
        MEM_RESERVE(d->replica, d->cap_replica, (size_t)d->n_replicas + n);
        b->first = d->n_replicas;
        d->n_replicas += n;
    }
    b->n = n;
    return d->replica + b->first;
}

void data_replicas(struct data *d, uint32_t block, const uint32_t *node, uint32_t n)
{
    struct block *b = &d->block[block];
    SIM_ASSERT(n > 0 && b->n == 0);
    uint32_t *r = room(d, b, n);
    for (uint32_t i = 0; i < n; i++) SIM_ASSERT(insert(r, i, node[i]));
    b->is_by_rule = false;
}

void data_part(struct data *d, uint32_t block, uint32_t file)
{
    SIM_ASSERT(d->block[block].is_by_rule && d->block[file].file == file);
    d->block[block].file = file;
}

/* ---- placing ---- */

/*
 * Nodes in the order of their racks: a rack is a range of places.  A draw is
 * from a range of places less some that are out, given as disjoint spans in
 * increasing order; it takes one random number and no second try.
 */
struct span { uint32_t lo, hi; };
struct racks { uint32_t *node, *rack_of; struct span *rack; uint32_t n; };     /* rack_of: place -> rack */

static void racks_init(struct racks *k, const struct cluster *c)
{
    uint32_t *next, *at, n_racks = c->rack_names.n;
    k->n = c->n_nodes;
    MEM_ARRAY(k->node, k->n);
    MEM_ARRAY(k->rack_of, k->n);
    MEM_ARRAY(k->rack, n_racks);
    MEM_ARRAY(next, n_racks);
    MEM_ARRAY(at, k->n);                /* in the order of the description: a draw is of a node, whatever its number */
    for (uint32_t i = 0; i < k->n; i++) at[c->own[i].listed] = i;
    for (uint32_t i = 0; i < k->n; i++) k->rack[c->node[i].rack].hi++;
    for (uint32_t r = 0, from = 0; r < n_racks; r++) {
        k->rack[r].lo = next[r] = from;
        from = k->rack[r].hi += from;
    }
    for (uint32_t i = 0; i < k->n; i++) {
        uint32_t r = c->node[at[i]].rack, place = next[r]++;
        k->node[place] = at[i];
        k->rack_of[place] = r;
    }
    mem_free(next);
    mem_free(at);
}

static void racks_fini(struct racks *k) { mem_free(k->node); mem_free(k->rack_of); mem_free(k->rack); }

/* NONE when nothing is left in the range. */
static uint32_t draw(struct rng *g, struct span from, const struct span *out, uint32_t n_out)
{
    uint32_t left = from.hi - from.lo;
    for (uint32_t i = 0; i < n_out; i++) left -= out[i].hi - out[i].lo;
    if (left == 0) return NONE;
    uint32_t place = from.lo + (uint32_t)rng_below(g, left);
    for (uint32_t i = 0; i < n_out && place >= out[i].lo; i++) place += out[i].hi - out[i].lo;
    return place;
}

/* The places drawn so far: span 0 .. n in increasing order. */
static void put_out(struct span *out, uint32_t n, uint32_t place)
{
    uint32_t i = n;
    for (; i > 0 && out[i - 1].lo > place; i--) out[i] = out[i - 1];
    out[i] = (struct span){ place, place + 1 };
}

/* The second or third replica, where HDFS wants it; NONE when no such node is left. */
static uint32_t draw_apart(const struct racks *k, struct rng *g, const uint32_t *drawn, uint32_t n)
{
    struct span all = { 0, k->n }, first = k->rack[k->rack_of[drawn[0]]];
    if (n == 1) return draw(g, all, &first, 1);
    struct span second = k->rack[k->rack_of[drawn[1]]], itself = { drawn[1], drawn[1] + 1 };
    if (second.lo == first.lo) return NONE;     /* there was one rack alone */
    uint32_t place = draw(g, second, &itself, 1);
    if (place != NONE) return place;
    bool up = first.lo < second.lo;
    return draw(g, all, (struct span[]){ up ? first : second, up ? second : first }, 2);
}

/* Does the block lie where its file does, so that nothing is drawn for it? */
static bool follows(const struct data *d, enum data_rule rule, uint32_t id)
{
    uint32_t file = d->block[id].file;
    return file != id && (rule == DATA_FILE || !d->block[file].is_by_rule);
}

static void lie_with_file(struct data *d, uint32_t id)
{
    struct block *b = &d->block[id];
    const struct block *file = &d->block[b->file];
    uint32_t *r = room(d, b, file->n);
    memcpy(r, d->replica + file->first, file->n * sizeof *r);
}

void data_place(struct data *d, const struct cluster *c, enum data_rule rule, uint32_t factor, uint64_t seed)
{
    SIM_ASSERT(factor > 0 && c->n_nodes > 0);
    uint32_t want = factor < c->n_nodes ? factor : c->n_nodes;
    struct racks k = { 0 };
    struct span *out;
    uint32_t *drawn;
    racks_init(&k, c);
    MEM_ARRAY(out, want);
    MEM_ARRAY(drawn, want);
    for (uint32_t id = 0; id < d->names.n; id++) {
        if (!d->block[id].is_by_rule || follows(d, rule, id)) continue;
        uint32_t *r = room(d, &d->block[id], want);
        struct rng g;
        rng_init(&g, seed, "block", id);
        for (uint32_t i = 0; i < want; i++) {
            uint32_t place = NONE;
            if (rule == DATA_RACK_AWARE && (i == 1 || i == 2)) place = draw_apart(&k, &g, drawn, i);
            if (place == NONE) place = draw(&g, (struct span){ 0, k.n }, out, i);
            drawn[i] = place;
            put_out(out, i, place);
            SIM_ASSERT(insert(r, i, k.node[place]));
        }
    }
    for (uint32_t id = 0; id < d->names.n; id++)
        if (follows(d, rule, id)) lie_with_file(d, id);
    mem_free(out);
    mem_free(drawn);
    racks_fini(&k);
}

/* ---- distance ---- */

static enum data_level distance(const struct cluster *c, uint32_t a, uint32_t b)
{
    return a == b ? LEVEL_LOCAL : c->node[a].rack == c->node[b].rack ? LEVEL_RACK : LEVEL_CROSS;
}

unsigned data_levels(const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node)
{
    unsigned levels = 0;
    for (uint32_t i = 0; i < n; i++) levels |= 1u << distance(c, replica[i], node);
    return levels != 0 ? levels : 1u << LEVEL_CROSS;
}

uint32_t data_source(const struct cluster *c, const uint32_t *replica, uint32_t n, uint32_t node,
                     enum data_level level, uint32_t turn)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) count += distance(c, replica[i], node) == level;
    SIM_ASSERT(count > 0);
    uint32_t skip = turn % count;
    for (uint32_t i = 0;; i++)
        if (distance(c, replica[i], node) == level && skip-- == 0) return replica[i];
}
