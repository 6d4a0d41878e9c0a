/*
 * scn_read.h -- what the readers of a scenario's sections share.  Layer: io,
 * private to scn*.c.
 *
 * Each reader gets its section's node (NULL when absent) and fills its part of
 * the scenario; order: cluster, models, then the rest.
 */
#ifndef SIM_SCN_READ_H
#define SIM_SCN_READ_H

#include "io/scn.h"
#include "io/ydoc.h"

enum st scn_read_cluster(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_models(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_profiles(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_trace(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_network(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_data(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_faults(struct scenario *s, const struct ynode *section, struct diag *d);
enum st scn_read_policies(struct scenario *s, const struct ynode *root, struct diag *d);

/* A copy that lives as long as the scenario. */
const char *scn_keep(struct scenario *s, const char *text);
/* Hand an owned string to the scenario. */
const char *scn_own(struct scenario *s, char *text);

/*
 * The file that the key names, found as scn_find_file has it; NULL in *out when
 * the key is absent.  Borrowed from the scenario.
 *   is_keyed  its contents decide results and are hashed into the run key
 *             (a trace's own file is hashed by trace.c, as it is read)
 */
enum st scn_file(struct scenario *s, const struct ynode *map, const char *key, bool is_keyed,
                 const char **out, struct diag *d);

/* Make the error just recorded without a place one at this node. */
enum st scn_at(const struct ynode *n, const struct diag *own, struct diag *d);

#endif
