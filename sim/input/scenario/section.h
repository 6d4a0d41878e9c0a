/*
 * section.h -- what the readers of a scenario's sections share.  Layer: input,
 * private to this folder.
 *
 * Each reader gets its section's node (NULL when absent) and fills its part of
 * the scenario; order: cluster, models, then the rest.
 */
#ifndef INPUT_SCENARIO_SECTION_H
#define INPUT_SCENARIO_SECTION_H

#include "input/scenario/scenario.h"
#include "input/text/ydoc.h"

struct scn_private {
    struct kube_nodes *kube_nodes;      /* of a cluster from kubectl; trace.kube_nodes points here */
    struct ydoc document;               /* of a trace option that stands in the scenario itself */
    void   **owned; size_t n, cap;      /* what members of the scenario borrow */
};

enum st scn_read_cluster(struct scenario *s, const struct ydoc_node *section, struct diag *d);
/* The keys `power` and `price` of a map, of what is in it: *out stays as it is where they are absent. */
enum st scn_read_draw(const struct ydoc_node *map, struct draw *out, struct diag *d);
enum st scn_read_models(struct scenario *s, const struct ydoc_node *section, struct diag *d);
/* With the cluster's section, which must state of all nodes what it states of some. */
enum st scn_read_prices(struct scenario *s, const struct ydoc_node *section, const struct ydoc_node *cluster,
                        struct diag *d);
enum st scn_read_profiles(struct scenario *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_engines(struct scenario *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_trace(struct scenario *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_network(struct scn_data *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_data(struct scn_data *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_faults(struct scenario *s, const struct ydoc_node *section, struct diag *d);
enum st scn_read_policies(struct scn_asked *s, const struct ydoc_node *root, struct diag *d);
/* `key` of the map: a number of seeds from 1, a list or a range; seed 1 where it is not there. */
enum st scn_read_seeds(struct scn_asked *s, const struct ydoc_node *map, const char *key, struct diag *d);

/* Of a group of nodes, whose GPUs *s has by now: `topology`. */
enum st scn_read_topology(struct cluster *c, const struct ydoc_node *group, struct node_spec *s, struct diag *d);
/* `mig`, if it is there: the cards, of card_mem bytes each (0: unknown), become their parts, of type NAME-PROFILE. */
enum st scn_read_mig(struct cluster *c, const struct ydoc_node *group, int64_t card_mem, struct node_spec *s,
    struct diag *d);

/* One entry of sweep.params, a list by "POLICY.PARAMETER": each policy of that name
 * or label becomes one for each value, in its place. */
enum st scn_sweep_param(struct scn_asked *s, const struct ydoc_node *param, struct diag *d);

/* The parameter "POLICY.PARAMETER" of every policy of that name or label gets this one value, in place of the
 * one that it states; labels stay. */
enum st scn_set_param(struct scn_asked *s, const struct ydoc_node *param, struct diag *d);

/*
 * Read a document that is already altered; s is zeroed but for what the caller presets.
 *   sweep  the section whose policies, parameters and seeds replace the scenario's
 *          own; NULL: they are the scenario's
 */
enum st scn_read(struct scenario *s, const char *path, const struct ydoc *y, const struct ydoc_node *sweep, struct diag *d);
/* The policies and seeds alone. */
enum st scn_read_asked(struct scn_asked *s, const struct ydoc_node *root, const struct ydoc_node *sweep, struct diag *d);
/* Does the path lead to policies, seeds, the sweep or the search, which are no part of a case? */
bool  scn_is_asked(const char *path);
/* "a.b=1, c=2" of --set, without those; owned by the caller. */
char *scn_variant(const char *const *set, size_t n);
/* Its form alone: keys, types, values given twice, paths that cannot be swept.  NULL is fine. */
enum st scn_check_sweep(const struct ydoc_node *sweep, struct diag *d);

/* A copy that lives as long as the scenario. */
const char *scn_keep(struct scenario *s, const char *text);
/* Hand owned memory to the scenario. */
void *scn_own(struct scenario *s, void *memory);

/*
 * The file that the key names, found as find_file has it; NULL in *out when
 * the key is absent.  Borrowed from the scenario.
 *   is_keyed  its contents decide results and are hashed into the run key
 *             (a trace's own file is hashed by trace.c, as it is read)
 */
enum st scn_file(struct scenario *s, const struct ydoc_node *map, const char *key, bool is_keyed,
                 const char **out, struct diag *d);

/* Make the error just recorded without a place one at this node. */
enum st scn_at(const struct ydoc_node *n, const struct diag *own, struct diag *d);

#endif
