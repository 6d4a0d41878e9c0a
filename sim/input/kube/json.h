/*
 * json.h -- a list as `kubectl get ... -o json` prints it.  Layer: input.
 *
 * Errors name the file, the line on which the item begins and the path in it:
 * "pods.json:41:0: items[3].spec.containers[0]: ...".  A JSON null is absent.
 */
#ifndef INPUT_KUBE_JSON_H
#define INPUT_KUBE_JSON_H

#include <jansson.h>
#include "base/diag.h"

struct kube_doc { char *path; json_t *root; json_t **item; size_t n; uint32_t *line; };

/* kind: "Pod" or "Node"; a List of them, or one alone. */
enum st kube_doc_load(struct kube_doc *k, const char *path, const char *kind, struct diag *d);
void    kube_doc_fini(struct kube_doc *k);

/* An object within an item, and how one gets there. */
struct kube_at { const struct kube_doc *doc; size_t item; json_t *o; char path[160]; };

struct kube_at kube_item(const struct kube_doc *k, size_t i);
enum st kube_fail(const struct kube_at *a, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Members; absent: out->o, *out NULL and ST_OK.  Of the wrong type: an error. */
enum st kube_object(const struct kube_at *a, const char *key, struct kube_at *out, struct diag *d);
enum st kube_array(const struct kube_at *a, const char *key, struct kube_at *out, struct diag *d);
enum st kube_text(const struct kube_at *a, const char *key, const char **out, struct diag *d);
/* An element of an array, which must be an object. */
enum st kube_element(const struct kube_at *array, size_t i, struct kube_at *out, struct diag *d);
/* A quantity, text or number; absent: *out stays. */
enum st kube_amount(const struct kube_at *a, const char *key, int64_t scale, int64_t *out, struct diag *d);
/* A whole number >= 0 written as text, as annotations are; absent: *out stays. */
enum st kube_whole(const struct kube_at *a, const char *key, int64_t max, int64_t *out, struct diag *d);

#endif
