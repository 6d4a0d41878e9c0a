/*
 * nodes.h -- nodes from `kubectl get nodes -o json`, and which of them a
 * pod may go to.  Layer: input.
 *
 * Sizes are what is allocatable.  Node labels and taints stay in the document;
 * what a pod says of them (selector, required affinity, tolerations) comes to a
 * set of nodes, and each different set becomes one label of the cluster.
 * scenarios/REFERENCE.md lists what is read.
 */
#ifndef INPUT_KUBE_NODES_H
#define INPUT_KUBE_NODES_H

#include "input/kube/json.h"
#include "input/cluster/node_sink.h"

/* n_prefer: PreferNoSchedule taints, which nothing here reads, and the line of the first. */
struct kube_nodes { struct kube_doc doc; uint64_t n_prefer; uint32_t prefer_line; };

/*
 * What annotations say of cards in the paper's words: oks/gpu-number, which it also spells
 * oks/gpunumber, and of each card oks/gpu-memory (MB) and oks/gpu-core.
 */
struct kube_cards { int64_t number, mb, cores; };       /* number -1: not said */
enum st kube_cards_read(const struct kube_at *annotations, struct kube_cards *out, struct diag *d);
/* Annotations oks/... that are none of these. */
uint64_t kube_cards_unknown(const json_t *annotations);

/* Zero-initialise to begin.  The document is kept until fini. */
enum st kube_nodes_load(struct kube_nodes *k, struct node_sink *to, const char *path, struct diag *d);
void    kube_nodes_fini(struct kube_nodes *k);

/* The cluster's nodes beside their items: item [n_nodes]; NULL: not in the file. */
struct kube_match { struct cluster *cluster; const struct kube_nodes *nodes; const json_t **item; };

/*
 * nodes NULL: the cluster is not from kubectl; its labels are read as "key=value" or "key", and it has no taints.
 */
void kube_match_init(struct kube_match *m, struct cluster *c, const struct kube_nodes *nodes);
void kube_match_fini(struct kube_match *m);

/*
 * The label that the nodes for this pod carry, as a shape's need_all; 0: all
 * nodes will do.  `spec` is the pod's.  O(nodes x terms).
 */
enum st kube_match_pod(const struct kube_match *m, const struct kube_at *spec, uint64_t *need, struct diag *d);
/* The id of what this pod prefers, preferred node affinity, as a shape's `prefers`; 0: nothing.  O(nodes x terms). */
enum st kube_match_preferred(const struct kube_match *m, const struct kube_at *spec, uint32_t *prefers, struct diag *d);

#endif
