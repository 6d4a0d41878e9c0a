/* notes.c -- notes on what is not modelled, see notes.h. */
#include "input/kube/notes.h"

#include <string.h>
#include "base/mem.h"

void kube_notes_add(struct kube_notes *k, const char *file, const struct ydoc_node *at, const char *fmt, va_list ap)
{
    char what[256];
    const char *name = strrchr(file, '/') != NULL ? strrchr(file, '/') + 1 : file;
    (void)vsnprintf(what, sizeof what, fmt, ap);
    char *note = mem_printf("%.100s:%u: %s not modelled", name, at->key != NULL ? at->key_line : at->line, what);
    const uint32_t n = k->told.n;
    (void)intern_id(&k->told, note);
    if (k->told.n == n) mem_free(note);
    else MEM_PUSH(k->note, k->n, k->cap, note);
}

void kube_notes_fini(struct kube_notes *k)
{
    for (size_t i = 0; i < k->n; i++) mem_free(k->note[i]);
    mem_free(k->note);
    intern_fini(&k->told);
    memset(k, 0, sizeof *k);
}
