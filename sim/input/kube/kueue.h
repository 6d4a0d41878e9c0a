/*
 * kueue.h -- Kueue's objects and its Configuration, as the policy `kueue` takes them.  Layer: input.
 *
 * One file of YAML documents (or lists of them, as `kubectl get -o yaml` prints): ClusterQueue, Cohort, ResourceFlavor,
 * LocalQueue, WorkloadPriorityClass and Configuration.  What is read of each is in policies/kueue/README.md; what Kueue
 * knows besides is listed, each thing with its line; what it does not know is an error.
 */
#ifndef INPUT_KUBE_KUEUE_H
#define INPUT_KUBE_KUEUE_H

#include "base/diag.h"
#include "base/hash.h"
#include "input/kube/notes.h"

struct kueue {
    char *text;            /* lines of words parted by tabs: policies/kueue/config.c */
    char digest[HASH_HEX]; /* of what the documents say: comments and layout do not count */
    struct kube_notes notes;
};

/* ST_EINPUT for what is wrong in it, at its line and column; on error *k is empty. */
enum st kueue_load(struct kueue *k, const char *path, struct diag *d);
void kueue_fini(struct kueue *k); /* of zeroed memory, too */

#endif
