/* kueue_priv.h -- a file of Kueue's objects while it is read; for kueue.c and those beside it. */
#ifndef INPUT_KUBE_KUEUE_PRIV_H
#define INPUT_KUBE_KUEUE_PRIV_H

#include "base/mem.h"
#include "input/kube/kueue.h"

/* An object: its kind, and its spec, NULL where it has none. */
struct kueue_object {
    const char *name, *space;
    const struct ydoc_node *root, *spec;
};

struct kueue_reading {
    struct kueue *out;
    const char *path;
    struct mem_text to;
    struct kueue_object *flavor, *queue, *cohort, *local, *class;
    size_t n_flavors, n_queues, n_cohorts, n_locals, n_classes;
    size_t cap_flavors, cap_queues, cap_cohorts, cap_locals, cap_classes;
    const struct ydoc_node *config; /* NULL: none */
};

void kueue_tell(struct kueue_reading *r, const struct ydoc_node *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Every key of a map is one of known [n]; those from `modelled` on are told instead of read.  map NULL is fine. */
enum st kueue_keys(struct kueue_reading *r, const struct ydoc_node *map, const char *what, const char *const *known,
                   size_t modelled, size_t n, struct diag *d);
/* A list of maps; *n is 0 where the key is absent, or has nothing in it. */
enum st kueue_maps(const struct ydoc_node *map, const char *key, const struct ydoc_node **list, size_t *n,
                   struct diag *d);
/* A name, which must be there; without tabs, line ends or spaces. */
enum st kueue_name(const struct ydoc_node *map, const char *key, const char **out, struct diag *d);
/* A quantity of at least 0; absent: *out stays. */
enum st kueue_quantity(const struct ydoc_node *map, const char *key, int64_t scale, int64_t *out, struct diag *d);
const struct kueue_object *kueue_find(const struct kueue_object *o, size_t n, const char *name);
/* fairSharing: {weight}, in thousandths. */
enum st kueue_weight(struct kueue_reading *r, const struct ydoc_node *spec, int64_t *weight, struct diag *d);

/* kueue_quota.c: a ClusterQueue; a Cohort; a cohort that is named and described nowhere. */
enum st kueue_read_queue(struct kueue_reading *r, const struct kueue_object *o, struct diag *d);
enum st kueue_read_cohort(struct kueue_reading *r, const struct kueue_object *o, struct diag *d);

/* kueue_config.c: the Configuration. */
enum st kueue_read_config(struct kueue_reading *r, const struct ydoc_node *root, struct diag *d);

#endif
