/* output.c -- files that are put in place only when they are whole (cmd.h). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "base/mem.h"

enum st cmd_output_open(FILE **to, char **temp, const char *path, struct diag *d)
{
    *temp = NULL;
    *to = stdout;
    if (strcmp(path, "-") == 0) return ST_OK;
    *temp = mem_printf("%s.part", path);
    *to = fopen(*temp, "w");
    if (*to != NULL) return ST_OK;
    (void)diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(errno));
    mem_free(*temp);
    return ST_EWORLD;
}

enum st cmd_output_close(FILE *to, char *temp, const char *path, enum st st, struct diag *d)
{
    bool ok = fflush(to) == 0 && ferror(to) == 0;
    int error = errno;
    if (temp == NULL) return st != ST_OK ? st : ok ? ST_OK : diag_set(d, ST_EWORLD, "cannot write to standard output: %s", strerror(error));
    if (fclose(to) != 0) { ok = false; error = errno; }
    if (st == ST_OK && !ok) st = diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(error));
    if (st == ST_OK && rename(temp, path) != 0) st = diag_at(d, ST_EWORLD, path, 0, 0, "cannot write: %s", strerror(errno));
    if (st != ST_OK) (void)unlink(temp);
    mem_free(temp);
    return st;
}
