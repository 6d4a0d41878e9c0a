#include "base/embed.h"

#include <string.h>

#include "base/base.h"

const char *embed_text(const char *name)
{
    for (const struct embed_file *f = embed_files; f->name != NULL; f++)
        if (strcmp(f->name, name) == 0) return f->text;
    sim_bug(__FILE__, __LINE__, "no such embedded file");
}
