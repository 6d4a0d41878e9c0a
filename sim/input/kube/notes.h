/*
 * notes.h -- what a file of Kubernetes' says that is not modelled, told when a run has ended.  Layer: input.
 */
#ifndef INPUT_KUBE_NOTES_H
#define INPUT_KUBE_NOTES_H

#include <stdarg.h>
#include "base/intern.h"
#include "input/text/ydoc.h"

struct kube_notes {
    char **note;
    size_t n, cap;
    struct intern told;
}; /* "s.yaml:7: ... not modelled", each once */

/* `file` is named without its folders; the printf part is what is not modelled, with its verb. */
void kube_notes_add(struct kube_notes *k, const char *file, const struct ydoc_node *at, const char *fmt, va_list ap)
    __attribute__((format(printf, 4, 0)));
void kube_notes_fini(struct kube_notes *k);

#endif
