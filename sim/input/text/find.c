/* find.c -- where find.h looks. */
#include "input/text/find.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/mem.h"

static bool is_file(const char *path)
{
    struct stat sb;
    return stat(path, &sb) == 0 && !S_ISDIR(sb.st_mode);
}

static char *path_join(const char *dir, size_t n_dir, const char *name)
{
    return mem_printf("%.*s%s%s", (int)n_dir, dir, n_dir > 0 && dir[n_dir - 1] != '/' ? "/" : "", name);
}

char *find_file(const char *beside, const char *name, struct diag *d)
{
    if (name[0] == '/') {
        if (is_file(name)) return mem_strdup(name);
        (void)diag_set(d, ST_EINPUT, "cannot find the file '%s'", name);
        return NULL;
    }
    const char *slash = strrchr(beside, '/'), *env = getenv("FAIRWAY_TRACES");
    char *near = path_join(beside, slash != NULL ? (size_t)(slash - beside) + 1 : 0, name);
    if (is_file(near)) return near;
    if (env == NULL || env[0] == '\0') {
        (void)diag_set(d, ST_EINPUT, "cannot find the file '%s': tried %s", name, near);
        diag_hint(d, "set FAIRWAY_TRACES to the folder that holds your traces; it is searched too");
        mem_free(near);
        return NULL;
    }
    char *other = path_join(env, strlen(env), name);
    if (is_file(other)) { mem_free(near); return other; }
    (void)diag_set(d, ST_EINPUT, "cannot find the file '%s': tried %s and %s", name, near, other);
    mem_free(near);
    mem_free(other);
    return NULL;
}
