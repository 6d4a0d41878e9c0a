/*
 * slurm.c -- a cluster from Slurm's files: what the keys of nodes, partitions, GRES
 * and switches mean.  In three steps: nodes of slurm.conf with the DEFAULT lines
 * before them, what gres.conf and topology.conf add, and each node to the sink in
 * the file's order.
 */
#include "input/cluster/slurm.h"

#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/cluster/hostlist.h"
#include "input/cluster/slurm_conf.h"

/* A node's keys so far: its line's on top of the DEFAULT lines before it, which add up and never reset. */
struct rec {
    int64_t cpus, boards, sockets, sockets_per_board, cores, threads, core_spec, mem, mem_spec;   /* -1: not given */
    const char *gres, *features, *state;            /* borrowed from the file; NULL: not given */
    const struct slurm_field *gres_at;
    const struct slurm_line  *gres_line;
};

struct slurm_node {
    struct rec rec;
    const struct slurm_line *line;
    uint64_t labels;
    char *gpu_type;                                 /* owned */
    int64_t n_gpu, n_gres;                          /* by slurm.conf; by gres.conf, -1: it does not say */
    const char *rack;                               /* borrowed */
};

struct reader {
    struct node_sink *to;
    struct slurm_conf conf, gres, topo;
    struct intern names;                            /* index into node */
    struct slurm_node *node; size_t cap;
    struct diag *d;
};

/* Every key that slurm.conf(5) allows on these lines: a misspelt one would change the cluster in silence. */
static const char *const node_keys[] = {
    "NodeName", "NodeHostname", "NodeAddr", "BcastAddr", "Boards", "CoreSpecCount", "CoresPerSocket", "CpuBind", "CPUs",
    "CpuSpecList", "Feature", "Features", "Gres", "MemSpecLimit", "Parameters", "Port", "Procs", "RealMemory", "Reason",
    "RestrictedCoresPerGPU", "Sockets", "SocketsPerBoard", "State", "ThreadsPerCore", "TmpDisk", "Topology", "Weight",
};
static const char *const switch_keys[] = { "SwitchName", "Nodes", "Switches", "LinkSpeed" };
static const char *const gres_keys[] = {
    "AutoDetect", "NodeName", "Name", "Type", "Count", "File", "Cores", "CPUs", "Flags", "Links", "MultipleFiles",
};
static const char *const partition_keys[] = {
    "PartitionName", "AllocNodes", "AllowAccounts", "AllowGroups", "AllowQos", "Alternate", "CpuBind", "Default",
    "DefaultTime", "DefCpuPerGPU", "DefMemPerCPU", "DefMemPerGPU", "DefMemPerNode", "DenyAccounts", "DenyQos",
    "DisableRootJobs", "ExclusiveTopo", "ExclusiveUser", "GraceTime", "Hidden", "LLN", "MaxCPUsPerNode",
    "MaxCPUsPerSocket", "MaxMemPerCPU", "MaxMemPerNode", "MaxNodes", "MaxTime", "MinNodes", "Nodes", "OverSubscribe",
    "OverTimeLimit", "PowerDownOnIdle", "PreemptMode", "Priority", "PriorityJobFactor", "PriorityTier", "QOS", "ReqResv",
    "ResumeTimeout", "RootOnly", "SelectTypeParameters", "Shared", "State", "SuspendTime", "SuspendTimeout", "Topology",
    "TRESBillingWeights",
};

static enum st check_keys(const struct slurm_conf *c, const struct slurm_line *l, const char *const *known, size_t n, struct diag *d)
{
    for (size_t i = 0; i < l->n; i++) {
        size_t k = 0;
        while (k < n && strcasecmp(l->at[i].key, known[k]) != 0) k++;
        if (k < n) continue;
        (void)diag_at(d, ST_EINPUT, c->path, l->line, l->at[i].col, "found unknown key '%s' on a %s line",
                      l->at[i].key, known[0]);
        return diag_suggest(d, l->at[i].key, known, n);
    }
    return ST_OK;
}

/* ---- slurm.conf: nodes ---- */

/* Bounds that keep every product of them, in milli-CPU or bytes, inside 64 bits. */
enum { COUNT_MAX = 4096 };
#define MEM_MIB_MAX INT64_C(1000000000000)

static enum st read_number(struct reader *r, const struct slurm_line *l, const char *key, int64_t lo, int64_t hi, int64_t *out)
{
    const struct slurm_field *f = slurm_line_get(l, key);
    if (f == NULL) return ST_OK;
    int64_t v;
    if (!text_int(f->value, &v) || v < lo || v > hi)
        return slurm_error(&r->conf, l, f, r->d, "'%s': found '%s', expected a whole number from %lld to %lld",
                           key, f->value, (long long)lo, (long long)hi);
    *out = v;
    return ST_OK;
}

static void read_word(const struct slurm_line *l, const char *key, const char **out)
{
    const struct slurm_field *f = slurm_line_get(l, key);
    if (f != NULL) *out = f->value;
}

static enum st read_rec(struct reader *r, const struct slurm_line *l, struct rec *rec)
{
    TRY(check_keys(&r->conf, l, node_keys, ARRAY_LEN(node_keys), r->d));
    const struct slurm_field *spec = slurm_line_get(l, "CpuSpecList");
    if (spec != NULL) return slurm_error(&r->conf, l, spec, r->d, "CpuSpecList is not modelled; state CoreSpecCount instead");
    TRY(read_number(r, l, "Procs", 1, COUNT_MAX, &rec->cpus));
    TRY(read_number(r, l, "CPUs", 1, COUNT_MAX, &rec->cpus));
    TRY(read_number(r, l, "Boards", 1, COUNT_MAX, &rec->boards));
    TRY(read_number(r, l, "Sockets", 1, COUNT_MAX, &rec->sockets));
    TRY(read_number(r, l, "SocketsPerBoard", 1, COUNT_MAX, &rec->sockets_per_board));
    TRY(read_number(r, l, "CoresPerSocket", 1, COUNT_MAX, &rec->cores));
    TRY(read_number(r, l, "ThreadsPerCore", 1, COUNT_MAX, &rec->threads));
    TRY(read_number(r, l, "CoreSpecCount", 0, COUNT_MAX, &rec->core_spec));
    TRY(read_number(r, l, "RealMemory", 1, MEM_MIB_MAX, &rec->mem));
    TRY(read_number(r, l, "MemSpecLimit", 0, MEM_MIB_MAX, &rec->mem_spec));
    read_word(l, "Feature", &rec->features);
    read_word(l, "Features", &rec->features);
    read_word(l, "State", &rec->state);
    read_word(l, "Gres", &rec->gres);
    if (slurm_line_get(l, "Gres") != NULL) { rec->gres_at = slurm_line_get(l, "Gres"); rec->gres_line = l; }
    return ST_OK;
}

static int64_t or_one(int64_t v) { return v < 0 ? 1 : v; }

/* CPUs as stated, else the product of the topology; less the cores kept for the system. */
static int64_t rec_cpus(const struct rec *c)
{
    int64_t sockets = c->sockets > 0 ? c->sockets : or_one(c->boards) * or_one(c->sockets_per_board);
    int64_t cpus = c->cpus > 0 ? c->cpus : sockets * or_one(c->cores) * or_one(c->threads);
    return cpus - (c->core_spec > 0 ? c->core_spec * or_one(c->threads) : 0);
}

/* Marked unusable in the file itself: such nodes are not part of the cluster. */
static bool is_left_out(const struct rec *c)
{
    static const char *const out[] = { "DOWN", "DRAIN", "FAIL", "FAILING", "FUTURE" };
    for (size_t i = 0; c->state != NULL && i < ARRAY_LEN(out); i++)
        if (strcasecmp(c->state, out[i]) == 0) return true;
    return false;
}

/* One "gpu[:type][:count]" of a Gres list of length n; other resources are not modelled. */
static enum st add_gres(struct reader *r, struct slurm_node *nd, const char *s, size_t n)
{
    char one[256], *save = NULL;
    const struct slurm_line *l = nd->rec.gres_line;
    const struct slurm_field *f = nd->rec.gres_at;
    if (n >= sizeof one) return slurm_error(&r->conf, l, f, r->d, "a Gres entry is longer than %zu characters", sizeof one - 1);
    memcpy(one, s, n);
    one[n] = '\0';
    char *name = strtok_r(one, ":", &save), *a = strtok_r(NULL, ":", &save), *b = strtok_r(NULL, ":", &save);
    if (name == NULL || strcasecmp(name, "gpu") != 0) return ST_OK;
    int64_t count = 1;
    const char *type = NULL, *number = b;
    if (b != NULL) type = a;
    else if (a != NULL && text_int(a, &count)) number = a;
    else type = a;
    if ((number != NULL && !text_int(number, &count)) || count < 1 || count > COUNT_MAX || strtok_r(NULL, ":", &save) != NULL)
        return slurm_error(&r->conf, l, f, r->d, "found Gres '%.*s', expected gpu[:type][:count] with a count of at least 1", (int)n, s);
    if (type != NULL && nd->gpu_type != NULL && strcmp(type, nd->gpu_type) != 0)
        return slurm_error(&r->conf, l, f, r->d, "found GPUs of two types on one node, '%s' and '%s'; a modelled node has one", nd->gpu_type, type);
    if (type != NULL && nd->gpu_type == NULL) nd->gpu_type = mem_strdup(type);
    nd->n_gpu += count;
    return ST_OK;
}

static enum st add_label(struct reader *r, struct slurm_node *nd, const char *s, size_t n)
{
    char name[256];
    (void)snprintf(name, sizeof name, "%.*s", (int)n, s);
    struct diag own = {0};
    uint32_t bit = cluster_label(r->to->cluster, name, &own);
    if (bit == NONE) return slurm_error(&r->conf, nd->line, NULL, r->d, "%s", own.msg);
    nd->labels |= UINT64_C(1) << bit;
    return ST_OK;
}

/* The next part of a comma-separated list, from *p on; false at its end (and at once for NULL). */
static bool next_part(const char **p, size_t *n)
{
    if (*p == NULL) return false;
    *p += *n;
    *p += strspn(*p, ",");
    *n = strcspn(*p, ",");
    return *n > 0;
}

static enum st add_node(struct reader *r, const struct slurm_line *l, const struct rec *rec, const char *name)
{
    if (intern_find(&r->names, name) != NONE)
        return slurm_error(&r->conf, l, slurm_line_get(l, "NodeName"), r->d, "found node '%s' a second time; the first is at line %u",
                           name, r->node[intern_find(&r->names, name)].line->line);
    uint32_t id = intern_id(&r->names, name);
    MEM_RESERVE(r->node, r->cap, (size_t)id + 1);
    struct slurm_node *nd = &r->node[id];
    *nd = (struct slurm_node){ .rec = *rec, .line = l, .n_gres = -1 };
    size_t n = 0;
    for (const char *p = rec->gres; next_part(&p, &n);) TRY(add_gres(r, nd, p, n));
    n = 0;
    for (const char *p = rec->features; next_part(&p, &n);) TRY(add_label(r, nd, p, n));
    return ST_OK;
}

static enum st expand_hosts(struct reader *r, const struct slurm_conf *c, const struct slurm_line *l,
                            const struct slurm_field *f, struct hostlist *h)
{
    const char *error = hostlist_parse(h, f->value);
    return error == NULL ? ST_OK : slurm_error(c, l, f, r->d, "'%s': %s", f->value, error);
}

static enum st read_node_line(struct reader *r, const struct slurm_line *l, struct rec *dflt)
{
    const struct slurm_field *f = slurm_line_get(l, "NodeName");
    if (strcasecmp(f->value, "DEFAULT") == 0) return read_rec(r, l, dflt);
    struct rec rec = *dflt;
    TRY(read_rec(r, l, &rec));
    if (rec.mem < 0) return slurm_error(&r->conf, l, f, r->d, "node '%s' has no RealMemory", f->value);
    if (rec.cpus < 0 && rec.sockets < 0 && rec.sockets_per_board < 0 && rec.cores < 0)
        return slurm_error(&r->conf, l, f, r->d, "node '%s' has neither CPUs nor Sockets and CoresPerSocket", f->value);
    if (rec_cpus(&rec) < 1 || rec.mem <= rec.mem_spec)
        return slurm_error(&r->conf, l, f, r->d, "node '%s' keeps all its cores or memory for the system", f->value);
    struct hostlist h;
    TRY(expand_hosts(r, &r->conf, l, f, &h));
    enum st st = ST_OK;
    for (size_t i = 0; i < h.n && st == ST_OK; i++) st = add_node(r, l, &rec, h.name[i]);
    hostlist_fini(&h);
    return st;
}

/* ---- slurm.conf: partitions ---- */

static enum st label_hosts(struct reader *r, const struct slurm_line *l, const struct slurm_field *f, const char *partition)
{
    struct hostlist h;
    if (strcasecmp(f->value, "ALL") == 0) {
        for (uint32_t i = 0; i < r->names.n; i++) TRY(add_label(r, &r->node[i], partition, strlen(partition)));
        return ST_OK;
    }
    TRY(expand_hosts(r, &r->conf, l, f, &h));
    enum st st = ST_OK;
    for (size_t i = 0; i < h.n && st == ST_OK; i++) {
        uint32_t id = intern_find(&r->names, h.name[i]);
        st = id == NONE ? slurm_error(&r->conf, l, f, r->d, "partition '%s' lists node '%s', which no NodeName line defines", partition, h.name[i])
                        : add_label(r, &r->node[id], partition, strlen(partition));
    }
    hostlist_fini(&h);
    return st;
}

static enum st read_partitions(struct reader *r)
{
    const struct slurm_line *dflt_line = NULL;
    const struct slurm_field *dflt = NULL;
    for (size_t i = 0; i < r->conf.n; i++) {
        const struct slurm_line *l = &r->conf.at[i];
        const struct slurm_field *name = slurm_line_get(l, "PartitionName"), *nodes = slurm_line_get(l, "Nodes");
        if (name == NULL) continue;
        TRY(check_keys(&r->conf, l, partition_keys, ARRAY_LEN(partition_keys), r->d));
        if (strcasecmp(name->value, "DEFAULT") == 0) {
            if (nodes != NULL) { dflt = nodes; dflt_line = l; }
            continue;
        }
        if (nodes != NULL) TRY(label_hosts(r, l, nodes, name->value));
        else if (dflt != NULL) TRY(label_hosts(r, dflt_line, dflt, name->value));
        else return slurm_error(&r->conf, l, name, r->d, "partition '%s' lists no Nodes", name->value);
    }
    return ST_OK;
}

/* ---- gres.conf ---- */

static enum st gres_node(struct reader *r, const struct slurm_line *l, uint32_t id, int64_t count, const struct slurm_field *type)
{
    struct slurm_node *nd = &r->node[id];
    if (nd->n_gpu == 0)
        return slurm_error(&r->gres, l, slurm_line_get(l, "NodeName"), r->d, "gives node '%s' GPUs, but slurm.conf line %u gives it no Gres",
                           intern_name(&r->names, id), nd->line->line);
    if (type != NULL && nd->gpu_type == NULL) nd->gpu_type = mem_strdup(type->value);
    else if (type != NULL && strcmp(type->value, nd->gpu_type) != 0)
        return slurm_error(&r->gres, l, type, r->d, "gives node '%s' GPUs of type '%s', slurm.conf line %u says '%s'",
                           intern_name(&r->names, id), type->value, nd->line->line, nd->gpu_type);
    nd->n_gres = (nd->n_gres < 0 ? 0 : nd->n_gres) + count;
    return ST_OK;
}

/* Count, else as many as File names, else 1. */
static enum st gres_count(struct reader *r, const struct slurm_line *l, int64_t *count)
{
    const struct slurm_field *f = slurm_line_get(l, "Count"), *file = slurm_line_get(l, "File");
    *count = 1;
    if (f != NULL && (!text_int(f->value, count) || *count < 1 || *count > NODE_GPUS_MAX))
        return slurm_error(&r->gres, l, f, r->d, "'Count': found '%s', expected a whole number from 1 to %d", f->value, NODE_GPUS_MAX);
    if (f != NULL || file == NULL) return ST_OK;
    struct hostlist h;
    TRY(expand_hosts(r, &r->gres, l, file, &h));
    *count = (int64_t)h.n;
    hostlist_fini(&h);
    return ST_OK;
}

static enum st read_gres_line(struct reader *r, const struct slurm_line *l)
{
    TRY(check_keys(&r->gres, l, gres_keys, ARRAY_LEN(gres_keys), r->d));
    const struct slurm_field *name = slurm_line_get(l, "Name"), *hosts = slurm_line_get(l, "NodeName"), *type = slurm_line_get(l, "Type");
    if (name == NULL || strcasecmp(name->value, "gpu") != 0) return ST_OK;
    int64_t count;
    TRY(gres_count(r, l, &count));
    if (hosts == NULL) {
        for (uint32_t i = 0; i < r->names.n; i++)
            if (r->node[i].n_gpu > 0) TRY(gres_node(r, l, i, count, type));
        return ST_OK;
    }
    struct hostlist h;
    TRY(expand_hosts(r, &r->gres, l, hosts, &h));
    enum st st = ST_OK;
    for (size_t i = 0; i < h.n && st == ST_OK; i++) {
        uint32_t id = intern_find(&r->names, h.name[i]);
        st = id != NONE ? gres_node(r, l, id, count, type)
                        : slurm_error(&r->gres, l, hosts, r->d, "found node '%s', which slurm.conf does not define", h.name[i]);
    }
    hostlist_fini(&h);
    return st;
}

static enum st read_gres(struct reader *r, const char *path)
{
    TRY(slurm_conf_load(&r->gres, path, r->d));
    for (size_t i = 0; i < r->gres.n; i++) TRY(read_gres_line(r, &r->gres.at[i]));
    for (uint32_t i = 0; i < r->names.n; i++) {
        const struct slurm_node *nd = &r->node[i];
        if (nd->n_gres >= 0 && nd->n_gres != nd->n_gpu)
            return diag_at(r->d, ST_EINPUT, path, 0, 0, "node '%s' has %lld GPUs here and %lld in slurm.conf line %u",
                           intern_name(&r->names, i), (long long)nd->n_gres, (long long)nd->n_gpu, nd->line->line);
    }
    return ST_OK;
}

/* ---- topology.conf ---- */

/* Hosts that slurm.conf does not define are skipped, as Slurm does: sites list ranges with room to grow. */
static enum st read_topology(struct reader *r, const char *path)
{
    TRY(slurm_conf_load(&r->topo, path, r->d));
    for (size_t i = 0; i < r->topo.n; i++) {
        const struct slurm_line *l = &r->topo.at[i];
        const struct slurm_field *name = slurm_line_get(l, "SwitchName"), *nodes = slurm_line_get(l, "Nodes");
        TRY(check_keys(&r->topo, l, switch_keys, ARRAY_LEN(switch_keys), r->d));
        if (name == NULL) return slurm_error(&r->topo, l, NULL, r->d, "found a line without SwitchName");
        if (nodes == NULL) continue;
        struct hostlist h;
        TRY(expand_hosts(r, &r->topo, l, nodes, &h));
        enum st st = ST_OK;
        for (size_t k = 0; k < h.n && st == ST_OK; k++) {
            uint32_t id = intern_find(&r->names, h.name[k]);
            if (id == NONE) continue;
            if (r->node[id].rack != NULL && strcmp(r->node[id].rack, name->value) != 0)
                st = slurm_error(&r->topo, l, nodes, r->d, "node '%s' is under two leaf switches, '%s' and '%s'",
                                 h.name[k], r->node[id].rack, name->value);
            r->node[id].rack = name->value;
        }
        hostlist_fini(&h);
        TRY(st);
    }
    for (uint32_t i = 0; i < r->names.n; i++)
        if (r->node[i].rack == NULL) r->node[i].rack = "no-switch";
    return ST_OK;
}

static enum st read_all(struct reader *r, const char *conf, const char *gres, const char *topology)
{
    TRY(slurm_conf_load(&r->conf, conf, r->d));
    struct rec dflt = { -1, -1, -1, -1, -1, -1, -1, -1, -1, NULL, NULL, NULL, NULL, NULL };
    for (size_t i = 0; i < r->conf.n; i++)
        if (slurm_line_get(&r->conf.at[i], "NodeName") != NULL) TRY(read_node_line(r, &r->conf.at[i], &dflt));
    if (r->names.n == 0) return diag_at(r->d, ST_EINPUT, conf, 0, 0, "found no NodeName line that defines a node");
    TRY(read_partitions(r));
    if (gres != NULL) TRY(read_gres(r, gres));
    if (topology != NULL) TRY(read_topology(r, topology));
    for (uint32_t i = 0; i < r->names.n; i++) {
        const struct slurm_node *nd = &r->node[i];
        if (is_left_out(&nd->rec)) continue;
        int64_t mib = nd->rec.mem - (nd->rec.mem_spec > 0 ? nd->rec.mem_spec : 0);
        if (nd->n_gpu > NODE_GPUS_MAX)
            return slurm_error(&r->conf, nd->line, nd->rec.gres_at, r->d, "node '%s' has %lld GPUs; a node may have at most %d",
                               intern_name(&r->names, i), (long long)nd->n_gpu, NODE_GPUS_MAX);
        struct node_spec s = {
            .name = intern_name(&r->names, i), .cpu_milli = rec_cpus(&nd->rec) * 1000, .mem_b = mib << 20, .n_gpu = (uint32_t)nd->n_gpu,
            .gpu_type = nd->n_gpu == 0 ? NULL : nd->gpu_type != NULL ? nd->gpu_type : "gpu", .rack = nd->rack, .labels = nd->labels,
        };
        TRY(r->to->add(r->to, &s, conf, nd->line->line, slurm_line_get(nd->line, "NodeName")->value_col, r->d));
    }
    return ST_OK;
}

enum st cluster_slurm_load(struct node_sink *to, const char *conf, const char *gres, const char *topology, struct diag *d)
{
    struct reader r = { .to = to, .d = d };
    enum st st = read_all(&r, conf, gres, topology);
    for (uint32_t i = 0; i < r.names.n; i++) mem_free(r.node[i].gpu_type);
    mem_free(r.node);
    intern_fini(&r.names);
    slurm_conf_fini(&r.conf);
    slurm_conf_fini(&r.gres);
    slurm_conf_fini(&r.topo);
    return st;
}
