/* new_policy.c -- policies/example, which the program carries inside itself, under another name. */
#include "cmd/new_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/embed.h"

/* The embedded files, and what they are called in the folder; NULL: NAME.c. */
static const struct { const char *embedded, *as; bool is_abi; } file[] = {
    { "example.c", NULL, false }, { "kit.h", "kit.h", false }, { "Makefile", "Makefile", false },
    { "policy.h", "policy.h", true }, { "decision.h", "decision.h", true }, { "extensions.h", "extensions.h", true },
};

static void path_of(size_t i, const char *name, const char *dir, char *buf, size_t cap)
{
    if (file[i].as != NULL) (void)snprintf(buf, cap, "%s/%s", dir, file[i].as);
    else (void)snprintf(buf, cap, "%s/%s.c", dir, name);
}

/* The example's text with its name replaced wherever it stands. */
static void put(FILE *f, const char *text, const char *name)
{
    static const char old[] = "example";
    for (const char *at; (at = strstr(text, old)) != NULL; text = at + strlen(old)) {
        (void)fwrite(text, 1, (size_t)(at - text), f);
        (void)fputs(name, f);
    }
    (void)fputs(text, f);
}

static enum st write_file(size_t i, const char *name, const char *path, struct diag *d)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot write it: %s", strerror(errno));
    /* The headers are the ABI: not a word of them changes. */
    put(f, embed_text(file[i].embedded), file[i].is_abi ? "example" : name);
    bool ok = ferror(f) == 0;
    if (fclose(f) != 0 || !ok) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot write it: %s", strerror(errno));
    return ST_OK;
}

static enum st check_name(const char *name, struct diag *d)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n > 0 && n <= 48 && name[n] == '\0' && name[0] >= 'a' && name[0] <= 'z') return ST_OK;
    (void)diag_set(d, ST_EINPUT, "a policy cannot be named '%s'", name);
    diag_hint(d, "small letters, digits and '-', beginning with a letter; at most 48 of them");
    return d->code;
}

enum st new_policy_write(const char *name, const char *dir, struct diag *d)
{
    char path[4096];
    if (dir == NULL) dir = name;
    TRY(check_name(name, d));
    if (strlen(dir) + strlen(name) + 16 > sizeof path) return diag_set(d, ST_EINPUT, "the folder's name is too long");
    for (size_t i = 0; i < ARRAY_LEN(file); i++) {
        path_of(i, name, dir, path, sizeof path);
        if (access(path, F_OK) == 0) return diag_at(d, ST_EINPUT, path, 0, 0, "it is there already, and is not overwritten");
    }
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) return diag_at(d, ST_EWORLD, dir, 0, 0, "cannot make the folder: %s", strerror(errno));
    for (size_t i = 0; i < ARRAY_LEN(file); i++) {
        path_of(i, name, dir, path, sizeof path);
        TRY(write_file(i, name, path, d));
    }
    return ST_OK;
}
