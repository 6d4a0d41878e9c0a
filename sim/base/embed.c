/* embed.c -- finds an embedded file by its name; there are few, so one after the other. */
#include "base/embed.h"

#include <string.h>

#include "base/base.h"

const char *embed_text(const char *name)
{
    for (const struct embed_file *f = embed_files; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) return f->text;
    base_bug(__FILE__, __LINE__, "no such embedded file");
}
