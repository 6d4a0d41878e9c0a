/*
 * cluster.h -- the modelled machines, and the only ledger of who holds what.
 * Layer: model.
 *
 * Nodes, cards, racks and GPU types are dense indices fixed once built.
 * Invariant (cluster_audit): for every node and card, free + reserved + the sum
 * of what its holders hold = total, and free >= 0; a task holds at most one place.
 * cluster_allocate and cluster_release: O(cards of the node).
 */
#ifndef MODEL_CLUSTER_CLUSTER_H
#define MODEL_CLUSTER_CLUSTER_H

#include "base/diag.h"
#include "base/intern.h"
#include "model/cluster/shape.h"
#include "decision.h"
#include "node.h"

enum { NODE_GPUS_MAX = 64, GPU_TYPES_MAX = 64, LABELS_MAX = 64 };

/* What is known of a node beside what policies are shown of it, struct pol_node. */
struct node_own {
    int64_t  mem_bw;                    /* memory bandwidth, bytes/s; 0: unknown, nobody is slowed */
    int64_t  latency_us, link_bps;      /* its way to other nodes; link_bps 0: takes no time */
    int32_t  engine_calls[ENGINE_TYPES_MAX];    /* of those not free, in use by calls */
    uint32_t links;                     /* between its cards: of cluster_links; 0: they cost nothing */
    uint32_t draw;                      /* what it draws and costs: energy.h */
    uint32_t listed;                    /* its number in the order of the description; cluster_shuffle changes it */
    uint32_t first_hold;                /* list of holders, NONE when empty */
};

/* What one running task holds.  Indexed by task slot. */
struct hold {
    int64_t  cpu_milli, mem_b, gpu_mem_b;
    uint64_t cards;                     /* bit k: card card0+k */
    uint32_t node;                      /* NONE: holds nothing */
    uint32_t prev, next;                /* holders of the same node */
    int32_t  gpu_milli, gpu_cores;      /* of each card */
    int32_t  engine[ENGINE_TYPES_MAX];
    uint8_t  n_cards;
    bool     is_short;                  /* by count, on a card without the memory or cores asked: holds neither */
    int32_t  licence[LICENCES_MAX];
};

/* How a node's cards are linked: those of one group by NVLink, others over PCIe.  Speeds of each card's own link;
 * nvlink_bps 0: PCIe within groups, too; pcie_bps 0: all cards are of one group. */
struct card_links { int64_t nvlink_bps, pcie_bps; uint8_t group[NODE_GPUS_MAX]; };

/* What a type's data sheet says; 0: not known. */
struct gpu_figures { int64_t compute_mflops, bandwidth_bps, clock_khz; };

/* A type whose cards are parts of another's: shares of its speed and of its memory's.  share 0: of whole cards. */
struct gpu_part { uint32_t of; double share, mem_share; };

/* Totals over the nodes that are up, and what is in use; kept current in O(1). */
struct cluster_sum {
    int64_t cpu_total, cpu_used, mem_total, mem_used;
    int64_t gpu_total, gpu_used;        /* thousandths of a card */
    int64_t card_used;                  /* cards with any holder */
    uint32_t n_up;
};

/*
 * What tasks prefer of nodes: sums of weights, [n_nodes] each, different ones.  Filled before a run; n_jobs: how
 * many jobs of the trace prefer some.
 */
struct cluster_preferences { int32_t **of; uint32_t n; size_t cap; struct map of_sums; uint64_t n_jobs; };

/* Nodes that are alike when empty, wherever they stand: what fits on one could fit on each. */
struct node_kind { uint32_t first, n; };

struct cluster {
    struct pol_node *node; uint32_t n_nodes;     /* these and cards are what policies are shown */
    struct node_own *own;                        /* [n_nodes] */
    struct pol_card *card; uint32_t n_cards;
    uint32_t       n_engine_types;               /* no node has any from that one on */
    struct hold   *hold;   size_t   n_hold;      /* by task slot */
    struct intern  node_names, rack_names, gpu_types, labels, engines, licences;
    int64_t        licence_total[LICENCES_MAX], licence_free[LICENCES_MAX];    /* cluster-wide, whatever nodes are up */
    double         gpu_speed[GPU_TYPES_MAX];     /* of a type, 1 = nominal; models override */
    sim_rate       gpu_rate[GPU_TYPES_MAX];      /* the same as a rate */
    struct gpu_figures gpu_figures[GPU_TYPES_MAX];
    struct gpu_part gpu_part[GPU_TYPES_MAX];
    struct card_links *links; uint32_t n_links; size_t cap_links;      /* different ones */
    struct cluster_preferences preferences;
    struct cluster_sum sum;
    struct node_kind *kind; uint32_t n_kinds;    /* of all nodes, set by cluster_seal */
    uint32_t      *changed; uint32_t n_changed;  /* nodes touched since cluster_changes_clear */
    uint64_t      *changed_in, round;            /* of a node: the round in which it was last touched; a clear begins a new one */
    bool           is_used;                      /* some were touched since it was sealed or reset */
    size_t         cap_node, cap_own, cap_card;
};

/* One node to be added. */
struct node_spec {
    const char *name;                   /* borrowed */
    int64_t  cpu_milli, mem_b;
    uint32_t n_gpu;
    const char *gpu_type;               /* borrowed; NULL when n_gpu is 0 */
    int64_t  gpu_mem_b;                 /* per card; 0: unknown, memory is then not a constraint */
    int32_t  gpu_cores;                 /* the same of a card's cores */
    int64_t  mem_bw;                    /* bytes/s; 0: unknown */
    uint32_t max_tasks;                 /* 0: no limit */
    int64_t  cpu_reserved, mem_reserved;        /* below the totals */
    const char *rack;                   /* borrowed; NULL: "rack0" */
    uint64_t labels;
    int32_t  engine[ENGINE_TYPES_MAX];
    int64_t  latency_us, link_bps;      /* of its way to other nodes; 0: none, and as fast as one likes */
    uint32_t links;                     /* of cluster_links; 0: none */
    uint32_t draw;                      /* an index of energy.node */
};

/* Zero-initialise a cluster to begin.  Add nodes, then seal. */
void    cluster_reserve(struct cluster *c, uint32_t n_nodes, uint64_t n_cards);   /* room for so many more */
enum st cluster_add(struct cluster *c, const struct node_spec *s, struct diag *d);
/* Number the nodes anew, at random: before it is sealed, and before anyone notes a number. */
void cluster_shuffle(struct cluster *c, uint64_t seed);
uint32_t cluster_label(struct cluster *c, const char *name, struct diag *d);   /* bit index, NONE when full */
uint32_t cluster_gpu_type(struct cluster *c, const char *name, struct diag *d);
/* A licence by its name, with none of it yet; NONE when full. */
uint32_t cluster_licence(struct cluster *c, const char *name, struct diag *d);
/* What is told of things that are there, before a run begins: a GPU type's speed and data sheet, how many
 * of a licence there are, a node's memory bandwidth, and which nodes (has [n_nodes]) have a label besides. */
void    cluster_set_gpu_type(struct cluster *c, uint32_t type, double speed, const struct gpu_figures *figures);
/* A type of parts, too, has the speed and figures that the whole's make it: after those are set. */
void    cluster_set_gpu_part(struct cluster *c, uint32_t type);
void    cluster_set_licence(struct cluster *c, uint32_t licence, int64_t total);
void    cluster_set_mem_bw(struct cluster *c, uint32_t node, int64_t bps);
void    cluster_label_nodes(struct cluster *c, uint32_t label, const bool *has);
/* The id of such links, from 1 on: what a node's `links` is. */
uint32_t cluster_links(struct cluster *c, const struct card_links *l);
/* Speed of the slowest link between these cards of a node; 0: there is none, or it costs nothing.  O(cards). */
int64_t cluster_card_way(const struct cluster *c, uint32_t node, uint64_t cards);
/* The id of sums [n_nodes] >= 0, which are copied: 1 on; 0 if all are 0.  What a shape's `prefers` is. */
uint32_t cluster_prefer(struct cluster *c, const int32_t *sums);
const int32_t *cluster_preferred(const struct cluster *c, uint32_t prefers);     /* of id 0: NULL */
/* Keep a fraction of the nodes of each class (alike when idle), evenly
 * spaced in node order, at least one of each: a scenario's `cut`.  Before seal. */
void    cluster_cut(struct cluster *c, double fraction);
/* Take out the node, or the nodes of the rack, of this name; how many.  Before seal. */
uint32_t cluster_lose(struct cluster *c, const char *name);
void    cluster_seal(struct cluster *c);
void    cluster_fini(struct cluster *c);

/* Back to empty and all up: the same cluster for the next run. */
void cluster_reset(struct cluster *c);

/*
 * fits.h over the ledger's structs: node_fits(), node_capacity() and the others.
 * A task that fits may still lack licences, which are the cluster's.
 */
#define FITS(name)   node_##name
#define FITS_NODE    struct pol_node
#define FITS_CARD    struct pol_card
#define FITS_REQUEST struct shape
#include "fits.h"

static inline const struct pol_card *cluster_cards(const struct cluster *c, uint32_t node) { return &c->card[c->node[node].card0]; }
static inline bool cluster_fits(const struct cluster *c, uint32_t node, const struct shape *s) { return node_fits(&c->node[node], cluster_cards(c, node), s); }
/* What a task of this shape lacks there: LACK_ bits of fits.h. */
static inline uint32_t cluster_lacks(const struct cluster *c, uint32_t node, const struct shape *s) { return node_lacks(&c->node[node], cluster_cards(c, node), s); }
/* The cards the ledger would choose itself: see policies/README.md, "Cards".  0 when none fit. */
static inline uint64_t cluster_pick_cards(const struct cluster *c, uint32_t node, const struct shape *s)
{
    return node_pick_cards(&c->node[node], cluster_cards(c, node), s);
}
/* How many tasks of this shape the cluster could run at once, all up and empty.  O(kinds of nodes). */
uint32_t cluster_capacity(const struct cluster *c, const struct shape *s);
/*
 * Could n[k] tasks of shape s[k] all run at once on the empty cluster?  Each to
 * the first node with room, in order: exact for one group, and for several
 * what every placement rule of the policies would find with first fit.
 */
bool cluster_could_gang(const struct cluster *c, const struct shape *const *s, const uint32_t *n, uint32_t n_groups);

/*
 * Allocate to `task` what `s` asks on `node`.
 *   cards  which cards, exactly s->n_gpu bits; 0: cluster_pick_cards
 * Returns POL_OK, or why it is refused; then nothing changed.
 */
enum pol_refusal cluster_allocate(struct cluster *c, uint32_t task, uint32_t node, const struct shape *s, uint64_t cards);
/*
 * The same for a scheduler that counts cards and knows nothing of what is on
 * them: where a card lacks the memory or cores asked, the task gets the cards'
 * shares and none of their memory and cores (hold.is_short).  cards 0: the
 * ledger's choice, of cards that have what is asked if enough do.
 */
enum pol_refusal cluster_allocate_by_count(struct cluster *c, uint32_t task, uint32_t node, const struct shape *s, uint64_t cards);
void        cluster_release(struct cluster *c, uint32_t task);
/*
 * It holds again what it was just released of, and nobody took: even where it could not be allocated anew, as an
 * exclusive task could not beside one that asks for nothing and came later.
 */
void        cluster_put_back(struct cluster *c, uint32_t task, const struct hold *was);
/* The task holds `cpu_milli` from now on, > 0, and `mem_b`; 0: the memory that it has.  Returns POL_OK, or why it is
 * refused with nothing changed.  O(1). */
enum pol_refusal cluster_resize(struct cluster *c, uint32_t task, int64_t cpu_milli, int64_t mem_b);
/* The node changed in a way that others keep count of. */
void        cluster_touch(struct cluster *c, uint32_t node);
/* An engine serves a call from now on, and no longer.  The first returns POL_OK, or why it is refused
 * with nothing changed.  O(1). */
enum pol_refusal cluster_engine_allocate(struct cluster *c, uint32_t node, uint32_t engine);
void        cluster_engine_release(struct cluster *c, uint32_t node, uint32_t engine);
/* Engine types that some node has, as bits. */
uint32_t    cluster_engine_types(const struct cluster *c);
const struct hold *cluster_hold(const struct cluster *c, uint32_t task);       /* NULL when it holds nothing */

/* Down: refuses if tasks still hold it.  Both mark the node as changed. */
void cluster_set_up(struct cluster *c, uint32_t node, bool is_up);

void cluster_changes_clear(struct cluster *c);
/* O(everything): every invariant above; stops the program when one fails. */
void cluster_audit(const struct cluster *c);

#endif
