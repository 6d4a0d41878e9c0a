/*
 * config.c -- the objects of a file, in the host's words: lines of words parted by tabs, as kueue.c of
 * sim/input/kube writes and checks them.
 *
 *   file NAME                             what messages call it
 *   fair final|initial BOTH               ready TIMEOUT RECOVERY BLOCK EVICTION MOST BASE LONGEST
 *   exclude RESOURCE                      class NAME VALUE
 *   flavor NAME LINE COLUMN               then its labels: label KEY VALUE LINE COLUMN
 *   cohort NAME PARENT WEIGHT             queue NAME COHORT STRICT BORROW PREEMPT WITHIN RECLAIM THRESHOLD WEIGHT HELD
 *   group RESOURCE...                     of the last cohort or queue, then
 *   quota FLAVOR RESOURCE NOMINAL BORROW LEND         of the last group
 *   local NAMESPACE NAME QUEUE HELD
 */
#include "kueue/config.h"

#include "lib/util.h"

enum { WORDS_MAX = 16 };
struct line {
    char *word[WORDS_MAX];
    uint32_t n;
};

struct lines {
    struct line *at;
    size_t n, cap;
};

/* All lines of the text, which is cut up in place. */
static struct lines cut(char *text)
{
    struct lines all = { 0 };
    for (char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        struct line l = { .n = 0 };
        *end = '\0';
        for (char *s = text; s != NULL && l.n < WORDS_MAX;) {
            char *tab = strchr(s, '\t');
            if (tab != NULL) *tab = '\0';
            l.word[l.n++] = s;
            s = tab != NULL ? tab + 1 : NULL;
        }
        POL_PUSH(all.at, all.n, all.cap, l);
    }
    return all;
}

static bool is(const struct line *l, const char *what) { return strcmp(l->word[0], what) == 0; }
static int64_t number(const struct line *l, uint32_t i) { return i < l->n ? strtoll(l->word[i], NULL, 10) : 0; }

static uint32_t resource(const char *name)
{
    static const char *const names[KUEUE_RESOURCES] = { "cpu", "memory", "gpu", "pods" };
    uint32_t r = 0;
    while (r + 1 < KUEUE_RESOURCES && strcmp(names[r], name) != 0) r++;
    return r;
}

static uint32_t find_flavor(const struct kueue_config *c, const char *name)
{
    for (uint32_t i = 0; i < c->n_flavors; i++)
        if (strcmp(c->flavor[i].name, name) == 0) return i;
    return POL_NONE;
}

uint32_t kueue_config_queue(const struct kueue_config *c, const char *name)
{
    for (uint32_t i = c->tree.n_cohorts; i < c->tree.n_pools; i++)
        if (strcmp(c->tree.pool[i].name, name) == 0) return i;
    return POL_NONE;
}

/* ---- flavors and their nodes ---- */

/* Is the node one of those that a label names?  By its labels, its GPUs' type or its name. */
static bool is_of(const struct pol_host *h, uint32_t node, const char *key, const char *value, uint32_t bit)
{
    const struct pol_view *v = h->view(h->ctx);
    const struct pol_node *n = &v->node[node];
    const char *type = n->gpu_type != POL_NONE ? h->name(h->ctx, POL_NAME_GPU_TYPE, n->gpu_type) : NULL;
    if (bit != POL_NONE && (n->labels >> bit & 1) != 0) return true;
    if (strcmp(key, "kubernetes.io/hostname") == 0) {
        const char *name = h->name(h->ctx, POL_NAME_NODE, node);
        return name != NULL && strcmp(name, value) == 0;
    }
    return type != NULL && strcmp(type, value) == 0;
}

static void add_flavor(struct kueue_config *c, const struct pol_host *h, const char *name)
{
    const uint32_t n = h->view(h->ctx)->n_nodes;
    struct kueue_flavor f = { .name = name, .is_all = true, .n_nodes = n };
    f.on = pol_alloc((size_t)n / 64 + 1, sizeof *f.on);
    f.node = pol_alloc(n, sizeof *f.node);
    for (uint32_t i = 0; i < n; i++) {
        f.on[i / 64] |= UINT64_C(1) << i % 64;
        f.node[i] = i;
    }
    POL_PUSH(c->flavor, c->n_flavors, c->cap_flavors, f);
}

/* The last flavor's nodes carry this label, too. */
static bool add_label(struct kueue_config *c, const struct pol_host *h, const struct line *l, char *error, size_t cap)
{
    struct kueue_flavor *f = &c->flavor[c->n_flavors - 1];
    const char *key = l->word[1], *value = l->word[2];
    char both[512];
    (void)snprintf(both, sizeof both, "%s=%s", key, value);
    uint32_t bit = h->label(h->ctx, value[0] != '\0' ? both : key), n = 0;
    const bool has_nodes = h->view(h->ctx)->n_nodes > 0;
    for (uint32_t i = 0; i < f->n_nodes; i++) {
        if (is_of(h, f->node[i], key, value, bit)) f->node[n++] = f->node[i];
        else f->on[f->node[i] / 64] &= ~(UINT64_C(1) << f->node[i] % 64);
    }
    f->is_all = f->is_all && n == f->n_nodes;
    f->n_nodes = n;
    return n > 0 || !has_nodes ||
           pol_error(error, cap,
                     "%s:%s:%s: no node is of flavor '%s': none that is left carries the label '%s', or has "
                     "GPUs of the type '%s'",
                     c->file, l->word[3], l->word[4], f->name, both, value);
}

/* ---- pools ---- */

/* The cohort of that name; it is made if it has no object of its own.  "": POL_NONE. */
static uint32_t cohort(struct kueue_config *c, size_t *cap, const char *name)
{
    struct kueue_tree *t = &c->tree;
    if (name[0] == '\0') return POL_NONE;
    for (uint32_t i = 0; i < t->n_cohorts; i++)
        if (strcmp(t->pool[i].name, name) == 0) return i;
    POL_PUSH(t->pool, t->n_cohorts, *cap, (struct kueue_pool){ .name = name, .parent = POL_NONE, .weight = 1000 });
    return t->n_cohorts - 1;
}

static struct kueue_policy policy(const struct line *l)
{
    const bool never = strcmp(l->word[8], "never") == 0, any = strcmp(l->word[8], "any") == 0;
    return (struct kueue_policy){
        .is_strict = number(l, 3) == 1,
        .next_if_borrow = number(l, 4) == 1,
        .next_if_preempt = number(l, 5) == 1,
        .within = (enum kueue_within)number(l, 6),
        .reclaim = (enum kueue_within)number(l, 7),
        .borrows_to_reclaim = !never,
        .threshold = never || any ? INT64_MAX : number(l, 8),
        .is_held = number(l, 10) == 1,
    };
}

/* Cohorts, then queues: before their quotas, so that those have a place. */
static void read_pools(struct kueue_config *c, const struct lines *all)
{
    struct kueue_tree *t = &c->tree;
    size_t cap = 0, cap_policy = 0;
    uint32_t n_policies = 0;
    for (const struct line *l = all->at; l < all->at + all->n; l++) {
        if (is(l, "cohort")) {
            uint32_t parent = cohort(c, &cap, l->word[2]), i = cohort(c, &cap, l->word[1]);
            t->pool[i].parent = parent;
            t->pool[i].weight = number(l, 3);
        } else if (is(l, "queue")) {
            (void)cohort(c, &cap, l->word[2]);
        }
    }
    t->n_pools = t->n_cohorts;
    for (const struct line *l = all->at; l < all->at + all->n; l++) {
        if (!is(l, "queue")) continue;
        uint32_t parent = cohort(c, &cap, l->word[2]);
        POL_PUSH(t->pool, t->n_pools, cap,
                 (struct kueue_pool){ .name = l->word[1], .parent = parent, .weight = number(l, 9) });
        POL_PUSH(c->policy, n_policies, cap_policy, policy(l));
    }
    t->n_pairs = c->n_flavors * KUEUE_RESOURCES;
    t->quota = pol_alloc((size_t)t->n_pools * t->n_pairs, sizeof *t->quota);
    for (uint32_t i = 0; i < t->n_pools; i++) {
        t->pool[i].quota = &t->quota[(size_t)i * t->n_pairs];
        for (uint32_t k = 0; k < t->n_pairs; k++) t->pool[i].quota[k].borrow = t->pool[i].quota[k].lend = -1;
    }
}

static void add_quota(struct kueue_config *c, uint32_t pool, const struct line *l)
{
    uint32_t f = find_flavor(c, l->word[1]);
    struct kueue_quota *q = &c->tree.pool[pool].quota[kueue_pair(f, resource(l->word[2]))];
    q->nominal = number(l, 3);
    q->borrow = number(l, 4);
    q->lend = number(l, 5);
    if (pool < c->tree.n_cohorts) return;
    struct kueue_policy *p = kueue_policy_of(c, pool);
    struct kueue_resource_group *g = &p->group[p->n_groups - 1];
    if (g->n_flavors == 0 || g->flavor[g->n_flavors - 1] != f) POL_PUSH(g->flavor, g->n_flavors, g->cap, f);
}

static uint32_t find_cohort(const struct kueue_config *c, const char *name)
{
    uint32_t i = 0;
    while (i + 1 < c->tree.n_cohorts && strcmp(c->tree.pool[i].name, name) != 0) i++;
    return i;
}

static void add_group(struct kueue_config *c, uint32_t pool, const struct line *l)
{
    struct kueue_resource_group g = { 0 };
    if (pool < c->tree.n_cohorts) return;
    struct kueue_policy *p = kueue_policy_of(c, pool);
    for (uint32_t i = 1; i < l->n; i++) g.covered |= 1u << resource(l->word[i]);
    POL_PUSH(p->group, p->n_groups, p->cap_groups, g);
}

static void read_quotas(struct kueue_config *c, const struct lines *all)
{
    uint32_t pool = POL_NONE;
    for (const struct line *l = all->at; l < all->at + all->n; l++) {
        if (is(l, "cohort")) pool = find_cohort(c, l->word[1]);
        else if (is(l, "queue")) pool = kueue_config_queue(c, l->word[1]);
        else if (is(l, "group")) add_group(c, pool, l);
        else if (is(l, "quota")) add_quota(c, pool, l);
        else if (is(l, "local"))
            POL_PUSH(c->local, c->n_locals, c->cap_locals,
                     (struct kueue_local){ .space = l->word[1],
                                           .name = l->word[2],
                                           .queue = kueue_config_queue(c, l->word[3]),
                                           .is_held = number(l, 4) == 1 });
        else if (is(l, "class"))
            POL_PUSH(c->class, c->n_classes, c->cap_classes,
                     (struct kueue_class){ .name = l->word[1], .value = (int32_t)number(l, 2) });
    }
}

/* What is no pool: the Configuration, flavors and their nodes. */
static bool read_settings(struct kueue_config *c, const struct pol_host *h, const struct lines *all, char *error,
                          size_t cap)
{
    for (const struct line *l = all->at; l < all->at + all->n; l++) {
        if (is(l, "file")) c->file = l->word[1];
        else if (is(l, "exclude")) c->excluded |= 1u << resource(l->word[1]);
        else if (is(l, "flavor")) add_flavor(c, h, l->word[1]);
        else if (is(l, "label")) {
            if (!add_label(c, h, l, error, cap)) return false;
        } else if (is(l, "fair")) {
            c->is_fair = true;
            c->begins_with_initial = strcmp(l->word[1], "initial") == 0;
            c->has_initial_too = number(l, 2) == 1;
        } else if (is(l, "ready")) {
            c->waits = true;
            c->timeout_us = number(l, 1);
            c->recovery_us = number(l, 2);
            c->blocks = number(l, 3) == 1;
            c->by_eviction = number(l, 4) == 1;
            c->most_evictions = number(l, 5);
            c->base_s = number(l, 6);
            c->longest_s = number(l, 7);
        }
    }
    return true;
}

/* Without a file: one queue, whose quota is all that nodes have beside what is reserved of them. */
static void default_text(const struct pol_host *h, char *buf, size_t cap)
{
    const struct pol_view *v = h->view(h->ctx);
    int64_t cpu = 0, mem = 0, gpu = 0;
    for (uint32_t i = 0; i < v->n_nodes; i++) {
        cpu += v->node[i].cpu_total - v->node[i].cpu_reserved;
        mem += v->node[i].mem_total - v->node[i].mem_reserved;
        gpu += (int64_t)v->node[i].n_gpu * 1000;
    }
    (void)snprintf(buf, cap,
                   "file\t\nflavor\tdefault\t0\t0\nqueue\tdefault\t\t0\t0\t1\t0\t0\tnever\t1000\t0\n"
                   "group\tcpu\tmemory\tgpu\nquota\tdefault\tcpu\t%lld\t-1\t-1\nquota\tdefault\tmemory\t%lld\t-1\t-1\n"
                   "quota\tdefault\tgpu\t%lld\t-1\t-1\n",
                   (long long)cpu, (long long)mem, (long long)gpu);
}

bool kueue_config_read(struct kueue_config *c, const struct pol_host *host, const char *text, char *error, size_t cap)
{
    char own[512];
    if (text[0] == '\0') {
        default_text(host, own, sizeof own);
        text = own;
    }
    c->text = strcpy(pol_alloc(strlen(text) + 1, 1), text);
    struct lines all = cut(c->text);
    bool ok = read_settings(c, host, &all, error, cap);
    if (ok) {
        read_pools(c, &all);
        read_quotas(c, &all);
        kueue_tree_make(&c->tree);
    }
    free(all.at);
    return ok;
}

void kueue_config_fini(struct kueue_config *c)
{
    for (uint32_t i = 0; i < c->n_flavors; i++) POL_FREE(c->flavor[i].on, c->flavor[i].node);
    for (uint32_t i = 0; c->policy != NULL && i < c->tree.n_pools - c->tree.n_cohorts; i++) {
        for (uint32_t g = 0; g < c->policy[i].n_groups; g++) free(c->policy[i].group[g].flavor);
        free(c->policy[i].group);
    }
    kueue_tree_fini(&c->tree);
    POL_FREE(c->policy, c->flavor, c->local, c->class, c->text);
}
