#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "base/mem.h"

enum st cmd_output_open(FILE **to, char **part, const char *path, struct diag *d)
{
    *part = NULL;
    *to = stdout;
    if (strcmp(path, "-") == 0) return ST_OK;
    size_t len = strlen(path) + sizeof ".part";
    MEM_ARRAY(*part, len);
    (void)snprintf(*part, len, "%s.part", path);
    *to = fopen(*part, "w");
    if (*to != NULL) return ST_OK;
    (void)diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(errno));
    mem_free(*part);
    return ST_EWORLD;
}

enum st cmd_output_close(FILE *to, char *part, const char *path, enum st st, struct diag *d)
{
    bool ok = fflush(to) == 0 && ferror(to) == 0;
    int why = errno;
    if (part == NULL) return st != ST_OK ? st : ok ? ST_OK : diag_set(d, ST_EWORLD, "cannot write to standard output: %s", strerror(why));
    if (fclose(to) != 0) { ok = false; why = errno; }
    if (st == ST_OK && !ok) st = diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(why));
    if (st == ST_OK && rename(part, path) != 0) st = diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(errno));
    if (st != ST_OK) (void)unlink(part);
    mem_free(part);
    return st;
}
