/* option_list.c -- the lists of option_list.h. */
#include "cmd/option_list.h"

#include <string.h>
#include "base/mem.h"

void option_list_add(struct option_list *w, const char *list)
{
    for (size_t len; *list != '\0'; list += len + (list[len] == ',')) {
        len = strcspn(list, ",");
        if (len == 0) continue;
        MEM_RESERVE(w->at, w->cap, w->n + 1);
        w->at[w->n++] = mem_strndup(list, len);
    }
}

void option_list_fini(struct option_list *w)
{
    for (size_t i = 0; i < w->n; i++) mem_free(w->at[i]);
    mem_free(w->at);
    memset(w, 0, sizeof *w);
}
