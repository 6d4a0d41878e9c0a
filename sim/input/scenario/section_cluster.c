/*
 * The cluster and models sections: nodes from groups or from another system's
 * files, all through one sink (node_sink.h), so that racks, card memory and the
 * limits of counting are settled in one place.
 */
#include "input/scenario/section.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/cluster/openb.h"
#include "input/cluster/slurm.h"
#include "input/kube/nodes.h"

enum { COUNT_MAX = 1000000, SPEED_MAX = 1000 };
#define TOTAL_MAX (INT64_MAX / 4)

/* A type of the gpu_types map. */
struct gpu_type {
    const char *name;
    double   speed;
    bool     has_speed;         /* stated; else it is 1, or what a part of a card has of the whole's */
    int64_t  mem_b;
    int32_t  cores;
    struct gpu_figures figures;
    struct draw draw;
};

struct build {
    struct node_sink sink;              /* first: the sink's add casts back */
    struct gpu_type *type; size_t n_types;
    const char **type_name;             /* [n_types] for "did you mean" */
    bool     has_types;                 /* gpu_types is there: every type must be in it */
    const char *only_type;              /* of groups that state none: the cluster has no other; NULL: it has several */
    const char *first_type;             /* the first of these; NULL: none is stated */
    const struct ydoc_node *tiers;          /* NULL: none */
    bool     knows_mem;                 /* GPU types are openb's, whose memory is known */
    int64_t  nodes_per_rack;            /* 0: no such key */
    int64_t  cpu_sum, mem_sum;          /* of the nodes so far */
    struct energy *energy;
};

/* What the data sheet says, for policies that look at it. */
static enum st read_figures(const struct ydoc_node *n, struct gpu_type *t, struct diag *d)
{
    int64_t cores = 0;
    double tflops = 0, mhz = 0;
    TRY(ydoc_int(n, "cores", 1, INT32_MAX, &cores, d));
    TRY(ydoc_double(n, "tflops", YDOC_ABOVE_0, 1e6, &tflops, d));
    TRY(ydoc_quantity(n, "bandwidth", TEXT_RATE, 0, 1, &t->figures.bandwidth_bps, d));
    TRY(ydoc_double(n, "clock_mhz", YDOC_ABOVE_0, 1e6, &mhz, d));
    t->cores = (int32_t)cores;
    t->figures.compute_mflops = llround(tflops * 1e6);
    t->figures.clock_khz = llround(mhz * 1e3);
    return ST_OK;
}

static enum st read_gpu_types(struct build *b, const struct ydoc_node *map, struct diag *d)
{
    static const char *const keys[] = { "speed", "mem", "cores", "tflops", "bandwidth", "clock_mhz", "power", "price" };
    if (map == NULL) return ST_OK;
    b->has_types = true;
    MEM_ARRAY(b->type, map->n);
    MEM_ARRAY(b->type_name, map->n);
    for (size_t i = 0; i < map->n; i++) {
        const struct ydoc_node *n = map->at[i];
        struct gpu_type *t = &b->type[b->n_types];
        *t = (struct gpu_type){ .name = n->key, .speed = 1 };
        b->type_name[b->n_types++] = n->key;
        if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map such as {speed: 1.0, mem: 16GiB}");
        TRY(ydoc_keys(n, "a GPU type", keys, ARRAY_LEN(keys), d));
        TRY(ydoc_double(n, "speed", YDOC_ABOVE_0, SPEED_MAX, &t->speed, d));
        t->has_speed = ydoc_get(n, "speed") != NULL;
        TRY(ydoc_quantity(n, "mem", TEXT_BYTES, 0, 1, &t->mem_b, d));
        TRY(read_figures(n, t, d));
        TRY(scn_read_draw(n, &t->draw, d));
        if (lround(t->speed * RATE_ONE) == 0) return ydoc_error(ydoc_get(n, "speed"), d, "'speed': %g is below the finest step, 1/65536", t->speed);
    }
    return ST_OK;
}

static const struct gpu_type *find_type(const struct build *b, const char *name)
{
    for (size_t i = 0; i < b->n_types; i++)
        if (strcmp(b->type[i].name, name) == 0) return &b->type[i];
    return NULL;
}

static bool is_part(const struct cluster *c, const char *type)
{
    uint32_t id = intern_find(&c->gpu_types, type);
    return id != NONE && c->gpu_part[id].share > 0;
}

static enum st add_node(struct node_sink *sink, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *d)
{
    struct build *b = (struct build *)sink;
    if (s->n_gpu > 0) {
        const struct gpu_type *t = find_type(b, s->gpu_type);
        if (t == NULL && b->has_types && !is_part(sink->cluster, s->gpu_type)) {
            (void)diag_at(d, ST_EINPUT, file, line, col,
                          "node '%s' has GPUs of type '%s', which gpu_types does not list", s->name, s->gpu_type);
            return diag_suggest(d, s->gpu_type, b->type_name, b->n_types);
        }
        /* Of a part of a card they come from the card, unless the part's own type states them. */
        bool is_of_card = t != NULL && is_part(sink->cluster, s->gpu_type);
        if (t != NULL && t->mem_b > 0 && (s->gpu_mem_b == 0 || is_of_card)) s->gpu_mem_b = t->mem_b;
        if (t != NULL && t->cores > 0 && (s->gpu_cores == 0 || is_of_card)) s->gpu_cores = t->cores;
        if (s->gpu_mem_b == 0 && b->knows_mem) s->gpu_mem_b = cluster_openb_gpu_mem(s->gpu_type);
    }
    char rack[32];
    if (s->rack == NULL && b->nodes_per_rack > 0) {
        (void)snprintf(rack, sizeof rack, "rack%lld", (long long)(sink->cluster->n_nodes / b->nodes_per_rack));
        s->rack = rack;
    }
    if (s->cpu_milli > TOTAL_MAX - b->cpu_sum || s->mem_b > TOTAL_MAX - b->mem_sum)
        return diag_at(d, ST_EINPUT, file, line, col, "with node '%s' the cluster's CPU or memory passes what can be counted", s->name);
    b->cpu_sum += s->cpu_milli;
    b->mem_sum += s->mem_b;
    if (cluster_add(sink->cluster, s, d) == ST_OK) return ST_OK;
    const struct diag own = *d;
    *d = (struct diag){ .code = ST_OK };
    return diag_at(d, own.code, file, line, col, "%s", own.msg);
}

/* ---- groups ---- */

static enum st read_labels(struct build *b, const struct ydoc_node *g, uint64_t *out, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(g, "labels", &list, d));
    for (size_t i = 0; list != NULL && i < list->n; i++) {
        const char *name;
        struct diag own = {0};
        TRY(ydoc_node_str(list->at[i], &name, d));
        uint32_t bit = cluster_label(b->sink.cluster, name, &own);
        if (bit == NONE) return scn_at(list->at[i], &own, d);
        *out |= UINT64_C(1) << bit;
    }
    return ST_OK;
}

static enum st read_engines(struct build *b, const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    struct intern *engines = &b->sink.cluster->engines;
    const struct ydoc_node *map;
    TRY(ydoc_map(g, "engines", &map, d));
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        int64_t v = 0;
        TRY(ydoc_node_int(map->at[i], 1, COUNT_MAX, &v, d));
        if (intern_find(engines, map->at[i]->key) == NONE && engines->n == ENGINE_TYPES_MAX)
            return ydoc_key_error(map->at[i], d, "found engine kind '%s', one more than the %d a cluster may have", map->at[i]->key, ENGINE_TYPES_MAX);
        s->engine[intern_id(engines, map->at[i]->key)] = (int32_t)v;
    }
    return ST_OK;
}

/* A node's way to others: its tier's, or its group's own. */
static enum st read_link(const struct build *b, const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    static const char *const keys[] = { "latency", "bandwidth" };
    const char *tier = NULL;
    TRY(ydoc_str(g, "tier", &tier, d));
    const struct ydoc_node *t = tier != NULL ? ydoc_get(b->tiers, tier) : NULL;
    if (tier != NULL && t == NULL) return ydoc_error(ydoc_get(g, "tier"), d, "found tier '%s', which 'tiers' of the cluster does not list", tier);
    for (size_t i = 0; t != NULL && i < ARRAY_LEN(keys); i++)
        if (ydoc_get(g, keys[i]) != NULL) return ydoc_key_error(ydoc_get(g, keys[i]), d, "found both '%s' and 'tier' in one group", keys[i]);
    if (t != NULL && t->type != YDOC_MAP) return ydoc_expected(t, d, "a map such as {latency: 5ms, bandwidth: 1Gb/s}");
    if (t != NULL) TRY(ydoc_keys(t, "a tier", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(t != NULL ? t : g, "latency", TEXT_DURATION, TICK_SEC, 0, &s->latency_us, d));
    return ydoc_quantity(t != NULL ? t : g, "bandwidth", TEXT_RATE, 0, 1, &s->link_bps, d);
}

static enum st read_gpus(const struct build *b, const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    int64_t n = 0, cores = 0;
    TRY(ydoc_int(g, "gpus", 0, NODE_GPUS_MAX, &n, d));
    TRY(ydoc_str(g, "gpu_type", &s->gpu_type, d));
    TRY(ydoc_quantity(g, "gpu_mem", TEXT_BYTES, 0, 1, &s->gpu_mem_b, d));
    TRY(ydoc_int(g, "gpu_cores", 1, INT32_MAX, &cores, d));
    s->gpu_cores = (int32_t)cores;
    s->n_gpu = (uint32_t)n;
    static const char *const of_gpus[] = { "gpu_type", "gpu_mem", "gpu_cores", "topology", "mig" };
    const struct ydoc_node *extra = NULL;
    for (size_t i = ARRAY_LEN(of_gpus); i-- > 0;)
        if (ydoc_get(g, of_gpus[i]) != NULL) extra = ydoc_get(g, of_gpus[i]);
    if (n == 0 && extra != NULL) return ydoc_key_error(extra, d, "found '%s' in a group without 'gpus'", extra->key);
    if (n > 0 && s->gpu_type == NULL && b->only_type == NULL)
        return ydoc_error(ydoc_get(g, "gpus"), d, "found 'gpus' without 'gpu_type', and the cluster has %s and others", b->first_type);
    if (n > 0 && s->gpu_type == NULL) s->gpu_type = b->only_type;
    const struct ydoc_node *type = ydoc_get(g, "gpu_type");
    if (n > 0 && b->has_types && find_type(b, s->gpu_type) == NULL) {
        (void)ydoc_error(type, d, "found GPU type '%s', which gpu_types does not list", s->gpu_type);
        return diag_suggest(d, s->gpu_type, b->type_name, b->n_types);
    }
    return ST_OK;
}

/* The type of GPUs whose group states none: the only one that gpu_types or other groups state, or "gpu". */
static void find_only_type(struct build *b, const struct ydoc_node *groups)
{
    bool several = b->n_types > 1;
    b->first_type = b->n_types > 0 ? b->type[0].name : NULL;
    for (size_t i = 0; !b->has_types && i < groups->n; i++) {
        const struct ydoc_node *type = groups->at[i]->type == YDOC_MAP ? ydoc_get(groups->at[i], "gpu_type") : NULL;
        if (type == NULL || type->type != YDOC_SCALAR) continue;
        if (b->first_type == NULL) b->first_type = type->text;
        several = several || strcmp(b->first_type, type->text) != 0;
    }
    b->only_type = several ? NULL : b->first_type != NULL ? b->first_type : "gpu";
}

/* What the node's own daemons take, for good. */
static enum st read_reserved(const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    static const char *const keys[] = { "cpus", "mem" };
    const struct ydoc_node *r;
    TRY(ydoc_map(g, "reserved", &r, d));
    TRY(ydoc_keys(r, "reserved", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(r, "cpus", TEXT_MILLI, 1000, 0, &s->cpu_reserved, d));
    TRY(ydoc_quantity(r, "mem", TEXT_BYTES, 0, 0, &s->mem_reserved, d));
    if (s->cpu_reserved >= s->cpu_milli) return ydoc_error(ydoc_get(r, "cpus"), d, "'reserved' takes all of the node's cores");
    if (s->mem_reserved >= s->mem_b) return ydoc_error(ydoc_get(r, "mem"), d, "'reserved' takes all of the node's memory");
    return ST_OK;
}

/* The cluster's, or what the group states of its own. */
static enum st read_draw(struct build *b, const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    struct draw own = b->energy->node[0];
    TRY(scn_read_draw(g, &own, d));
    if (ydoc_get(g, "power") == NULL && ydoc_get(g, "price") == NULL) return ST_OK;
    s->draw = (uint32_t)b->energy->n_node;
    MEM_PUSH(b->energy->node, b->energy->n_node, b->energy->cap_node, own);
    return ST_OK;
}

/* The decimal number that ends before `end`, and one. */
static void count_up(char *end)
{
    while (*--end == '9') *end = '0';
    ++*end;
}

static enum st add_group(struct build *b, const struct ydoc_node *g, struct node_spec *s, int64_t count, int64_t per_rack, struct diag *d)
{
    const int width = snprintf(NULL, 0, "%lld", (long long)(count - 1));
    enum st st = ST_OK;
    struct node_spec one = *s;
    char *name = count > 1 ? mem_printf("%s-%0*d", s->name, width, 0) : NULL, *rack = NULL;
    if (name != NULL) one.name = name;
    cluster_reserve(b->sink.cluster, (uint32_t)count, (uint64_t)count * s->n_gpu);
    for (int64_t i = 0; i < count && st == ST_OK; i++) {
        if (name != NULL && i > 0) count_up(name + strlen(s->name) + 1 + width);
        if (per_rack > 0 && i % per_rack == 0) {
            mem_free(rack);
            one.rack = rack = mem_printf("%s-rack%lld", s->name, (long long)(i / per_rack));
        }
        struct node_spec node = one;
        st = b->sink.add(&b->sink, &node, g->file, g->line, g->col, d);
    }
    mem_free(name);
    mem_free(rack);
    return st;
}

/* Of cards that the type may describe. */
static enum st read_parts(const struct build *b, const struct ydoc_node *g, struct node_spec *s, struct diag *d)
{
    const struct gpu_type *t = s->n_gpu > 0 ? find_type(b, s->gpu_type) : NULL;
    if (ydoc_get(g, "mig") == NULL) return ST_OK;
    if (t != NULL && s->gpu_cores == 0) s->gpu_cores = t->cores;
    return scn_read_mig(b->sink.cluster, g, s->gpu_mem_b > 0 || t == NULL ? s->gpu_mem_b : t->mem_b, s, d);
}

static enum st read_group(struct build *b, const struct ydoc_node *g, struct diag *d)
{
    static const char *const keys[] = {
        "name", "count", "cpus", "mem", "gpus", "gpu_type", "gpu_mem", "rack", "nodes_per_rack", "labels", "engines",
        "mem_bandwidth", "gpu_cores", "max_tasks", "reserved",
        "tier", "latency", "bandwidth", "topology", "mig", "power", "price",
    };
    static const char *const needed[] = { "name", "cpus", "mem" };
    struct node_spec s = {0};
    int64_t count = 1, per_rack = 0, most = 0;
    if (g->type != YDOC_MAP) return ydoc_expected(g, d, "a group of nodes such as {name: v100, count: 16, cpus: 96, mem: 768GiB, gpus: 8, gpu_type: V100}");
    TRY(ydoc_keys(g, "a node group", keys, ARRAY_LEN(keys), d));
    for (size_t i = 0; i < ARRAY_LEN(needed); i++)
        if (ydoc_get(g, needed[i]) == NULL) return ydoc_error(g, d, "found a node group without '%s'", needed[i]);
    TRY(ydoc_str(g, "name", &s.name, d));
    TRY(ydoc_int(g, "count", 1, COUNT_MAX, &count, d));
    TRY(ydoc_quantity(g, "cpus", TEXT_MILLI, 1000, 1, &s.cpu_milli, d));
    TRY(ydoc_quantity(g, "mem", TEXT_BYTES, 0, 1, &s.mem_b, d));
    TRY(ydoc_quantity(g, "mem_bandwidth", TEXT_RATE, 0, 1, &s.mem_bw, d));
    TRY(ydoc_str(g, "rack", &s.rack, d));
    TRY(ydoc_int(g, "nodes_per_rack", 1, COUNT_MAX, &per_rack, d));
    if (s.rack != NULL && per_rack > 0) return ydoc_key_error(ydoc_get(g, "nodes_per_rack"), d, "found both 'rack' and 'nodes_per_rack' in one group");
    TRY(ydoc_int(g, "max_tasks", 1, COUNT_MAX, &most, d));
    s.max_tasks = (uint32_t)most;
    TRY(read_reserved(g, &s, d));
    TRY(read_gpus(b, g, &s, d));
    TRY(scn_read_topology(b->sink.cluster, g, &s, d));
    TRY(read_parts(b, g, &s, d));
    TRY(read_labels(b, g, &s.labels, d));
    TRY(read_engines(b, g, &s, d));
    TRY(read_link(b, g, &s, d));
    TRY(read_draw(b, g, &s, d));
    return add_group(b, g, &s, count, per_rack, d);
}

/* ---- the section ---- */

enum from { FROM_GROUPS, FROM_OPENB, FROM_SLURM, FROM_KUBECTL };

/* Which keys belong to which source of nodes. */
static enum st check_source_keys(const struct ydoc_node *n, enum from from, struct diag *d)
{
    static const struct { const char *key; enum from from, or; const char *say; } own[] = {
        { "groups", FROM_GROUPS, FROM_GROUPS, "cannot go with 'from': the nodes come from one of the two" },
        { "tiers", FROM_GROUPS, FROM_GROUPS, "is about groups of nodes, and cannot go with 'from'" },
        { "nodes", FROM_OPENB, FROM_KUBECTL, "goes with 'from: openb' or 'from: kubectl'" }, { "conf", FROM_SLURM, FROM_SLURM, "goes with 'from: slurm'" },
        { "gres", FROM_SLURM, FROM_SLURM, "goes with 'from: slurm'" }, { "topology", FROM_SLURM, FROM_SLURM, "goes with 'from: slurm'" },
    };
    static const char *const needed[] = { "groups", "nodes", "conf", "nodes" };
    for (size_t i = 0; i < ARRAY_LEN(own); i++) {
        const struct ydoc_node *k = ydoc_get(n, own[i].key);
        if (k != NULL && own[i].from != from && own[i].or != from) return ydoc_key_error(k, d, "'%s' %s", own[i].key, own[i].say);
    }
    if (ydoc_get(n, needed[from]) == NULL)
        return ydoc_error(n, d, "found no '%s' in the cluster section", needed[from]);
    return ST_OK;
}

static enum st read_nodes(struct scenario *s, struct build *b, const struct ydoc_node *n, enum from from, struct diag *d)
{
    const char *path, *gres, *topology;
    const struct ydoc_node *groups;
    switch (from) {
    case FROM_GROUPS:
        TRY(ydoc_list(n, "groups", &groups, d));
        if (groups->n == 0) return ydoc_expected(groups, d, "at least one group of nodes");
        find_only_type(b, groups);
        for (size_t i = 0; i < groups->n; i++) TRY(read_group(b, groups->at[i], d));
        return ST_OK;
    case FROM_OPENB:
        TRY(scn_file(s, n, "nodes", true, &path, d));
        b->knows_mem = true;
        return cluster_openb_load(&b->sink, path, d);
    case FROM_SLURM:
        TRY(scn_file(s, n, "conf", true, &path, d));
        TRY(scn_file(s, n, "gres", true, &gres, d));
        TRY(scn_file(s, n, "topology", true, &topology, d));
        if (topology != NULL && b->nodes_per_rack > 0)
            return ydoc_key_error(ydoc_get(n, "nodes_per_rack"), d, "found both 'topology' and 'nodes_per_rack'");
        return cluster_slurm_load(&b->sink, path, gres, topology, d);
    case FROM_KUBECTL:
        TRY(scn_file(s, n, "nodes", true, &path, d));
        MEM_NEW(s->kept->kube_nodes);
        return kube_nodes_load(s->kept->kube_nodes, &b->sink, path, d);
    }
    return ST_OK;
}

/* What its type does not state of a part of a card is its share of the whole's. */
static void set_part(struct cluster *c, uint32_t type, const struct gpu_type *own)
{
    cluster_set_gpu_part(c, type);
    if (own == NULL) return;
    struct gpu_figures f = own->figures;
    const struct gpu_figures *share = &c->gpu_figures[type];
    if (f.compute_mflops == 0) f.compute_mflops = share->compute_mflops;
    if (f.bandwidth_bps == 0) f.bandwidth_bps = share->bandwidth_bps;
    if (f.clock_khz == 0) f.clock_khz = share->clock_khz;
    cluster_set_gpu_type(c, type, own->has_speed ? own->speed : c->gpu_speed[type], &f);
}

static enum st set_speeds(struct scenario *s, const struct build *b, const struct ydoc_node *map, struct diag *d)
{
    for (size_t i = 0; i < b->n_types; i++) {
        struct diag own = {0};
        uint32_t id = cluster_gpu_type(&s->cluster, b->type[i].name, &own);
        if (id == NONE) return scn_at(map->at[i], &own, d);
        cluster_set_gpu_type(&s->cluster, id, b->type[i].speed, &b->type[i].figures);
        s->energy.card[id] = b->type[i].draw;
    }
    for (uint32_t k = 0; k < s->cluster.gpu_types.n; k++)
        if (s->cluster.gpu_part[k].share > 0)
            set_part(&s->cluster, k, find_type(b, intern_name(&s->cluster.gpu_types, k)));
    return ST_OK;
}

/* {matlab: 10}: of the whole cluster. */
static enum st read_licences(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *map;
    TRY(ydoc_map(n, "licences", &map, d));
    for (size_t i = 0; map != NULL && i < map->n; i++) {
        struct diag own = {0};
        int64_t count = 0;
        TRY(ydoc_node_int(map->at[i], 1, COUNT_MAX, &count, d));
        if (map->at[i]->key[strcspn(map->at[i]->key, ":;,=")] != '\0')
            return ydoc_key_error(map->at[i], d, "found licence '%s', expected a name without , ; : or =", map->at[i]->key);
        uint32_t k = cluster_licence(&s->cluster, map->at[i]->key, &own);
        if (k == NONE) return scn_at(map->at[i], &own, d);
        cluster_set_licence(&s->cluster, k, count);
    }
    return ST_OK;
}

/* [rack0, node-3]: nodes and racks that are not there. */
static enum st read_lose(struct scenario *s, const struct ydoc_node *n, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(n, "lose", &list, d));
    for (size_t i = 0; list != NULL && i < list->n; i++) {
        const struct ydoc_node *x = list->at[i];
        if (x->type != YDOC_SCALAR) return ydoc_expected(x, d, "the name of a node or of a rack");
        if (cluster_lose(&s->cluster, x->text) > 0) continue;
        (void)ydoc_error(x, d, "found '%s', which is no node or rack that is left", x->text);
        (void)diag_suggest(d, x->text, (const char *const *)s->cluster.rack_names.name, s->cluster.rack_names.n);
        return diag_suggest(d, x->text, (const char *const *)s->cluster.node_names.name, s->cluster.node_names.n);
    }
    return s->cluster.n_nodes > 0 ? ST_OK : ydoc_key_error(list, d, "no node is left");
}

static enum st read_section(struct scenario *s, struct build *b, const struct ydoc_node *n, struct diag *d)
{
    static const char *const keys[] = {
        "groups", "from", "nodes", "conf", "gres", "topology", "gpu_types", "nodes_per_rack", "cut", "lose", "tiers",
        "licences", "power", "price",
    };
    static const char *const sources[] = { "openb", "slurm", "kubectl" };
    const struct ydoc_node *types;
    uint32_t source = 0;
    double cut = 1;
    TRY(ydoc_keys(n, "cluster", keys, ARRAY_LEN(keys), d));
    struct draw all = { .power = { .n = 0 } };
    TRY(scn_read_draw(n, &all, d));
    MEM_PUSH(b->energy->node, b->energy->n_node, b->energy->cap_node, all);
    TRY(ydoc_choice(n, "from", sources, ARRAY_LEN(sources), &source, d));
    enum from from = ydoc_get(n, "from") == NULL ? FROM_GROUPS : (enum from)(FROM_OPENB + source);
    TRY(check_source_keys(n, from, d));
    TRY(ydoc_map(n, "gpu_types", &types, d));
    TRY(read_gpu_types(b, types, d));
    TRY(ydoc_map(n, "tiers", &b->tiers, d));
    TRY(ydoc_int(n, "nodes_per_rack", 1, COUNT_MAX, &b->nodes_per_rack, d));
    TRY(ydoc_double(n, "cut", YDOC_ABOVE_0, 1, &cut, d));
    TRY(read_nodes(s, b, n, from, d));
    if (s->cluster.n_nodes == 0) return ydoc_error(n, d, "the cluster has no nodes");
    TRY(set_speeds(s, b, types, d));
    TRY(read_licences(s, n, d));
    if (cut < 1) cluster_cut(&s->cluster, cut);
    TRY(read_lose(s, n, d));
    if (s->replay.tie_seed > 0) cluster_shuffle(&s->cluster, s->replay.tie_seed);
    cluster_seal(&s->cluster);
    return ST_OK;
}

enum st scn_read_cluster(struct scenario *s, const struct ydoc_node *section, struct diag *d)
{
    struct build b = { .sink = { .cluster = &s->cluster, .add = add_node }, .energy = &s->energy };
    enum st st = read_section(s, &b, section, d);
    mem_free(b.type);
    mem_free(b.type_name);
    return st;
}

/* ---- models ---- */

static enum st read_model(struct scenario *s, const struct ydoc_node *row, struct diag *d)
{
    if (row->type != YDOC_MAP || row->n == 0) return ydoc_expected(row, d, "speeds by GPU type, such as {V100: 1.0, T4: 0.35}");
    uint32_t model = throughput_model(&s->perf, row->key);
    for (size_t i = 0; i < row->n; i++) {
        const struct ydoc_node *n = row->at[i];
        double v = 1;
        TRY(ydoc_node_double(n, 0, SPEED_MAX, &v, d));
        uint32_t type = intern_find(&s->cluster.gpu_types, n->key);
        if (type == NONE) {
            (void)ydoc_key_error(n, d, "found GPU type '%s', which the cluster does not have", n->key);
            (void)diag_suggest(d, n->key, (const char *const *)s->cluster.gpu_types.name, s->cluster.gpu_types.n);
            return diag_hint(d, "a type without nodes may be declared in cluster.gpu_types");
        }
        long rate = lround(v * RATE_ONE);
        if (rate == 0 && v > 0) return ydoc_error(n, d, "'%s': %g is below the finest step, 1/65536", n->key, v);
        throughput_set(&s->perf, model, type, (sim_rate)rate);
    }
    for (uint32_t k = 0; k < s->cluster.gpu_types.n; k++) {
        const struct gpu_part *p = &s->cluster.gpu_part[k];
        if (p->share == 0 || ydoc_get(row, intern_name(&s->cluster.gpu_types, k)) != NULL) continue;
        if (ydoc_get(row, intern_name(&s->cluster.gpu_types, p->of)) == NULL) continue;
        double whole = throughput_rate(&s->perf, &s->cluster, model, p->of);
        throughput_set(&s->perf, model, k, whole > 0 ? (sim_rate)fmax(1, round(whole * p->share)) : 0);
    }
    for (uint32_t k = 0; k < s->cluster.n_nodes; k++)
        if (s->cluster.node[k].n_gpu > 0 && throughput_rate(&s->perf, &s->cluster, model, s->cluster.node[k].gpu_type) > 0) return ST_OK;
    return ydoc_key_error(row, d, "model '%s' can run on no GPU of this cluster", row->key);
}

enum st scn_read_models(struct scenario *s, const struct ydoc_node *section, struct diag *d)
{
    for (size_t i = 0; section != NULL && i < section->n; i++) TRY(read_model(s, section->at[i], d));
    return ST_OK;
}
