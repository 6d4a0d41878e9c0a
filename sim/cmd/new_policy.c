/* new_policy.c -- policies/example, which the program carries inside itself, written under another name. */
#include "cmd/new_policy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/embed.h"

enum { PATH_LEN = 4096 };

/* Where this program was installed, or built: what stands above the folder bin, or its own folder. */
static void prefix_of(char *buf, size_t cap)
{
    ssize_t n = readlink("/proc/self/exe", buf, cap - 1);
    buf[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(buf, '/');
        if (slash != NULL && (up == 0 || strcmp(slash, "/bin") == 0)) *slash = '\0';
    }
}

/* The text with words replaced wherever they stand. */
static void put(FILE *f, const char *text, const char *const (*word)[2], size_t n)
{
    while (*text != '\0') {
        size_t i = 0;
        while (i < n && strncmp(text, word[i][0], strlen(word[i][0])) != 0) i++;
        if (i == n) { (void)fputc(*text++, f); continue; }
        (void)fputs(word[i][1], f);
        text += strlen(word[i][0]);
    }
}

static enum st write_file(const char *path, const char *text, const char *const (*word)[2], size_t n, struct diag *d)
{
    FILE *f = fopen(path, "w");
    if (f == NULL) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot write it: %s", strerror(errno));
    put(f, text, word, n);
    bool ok = ferror(f) == 0;
    if (fclose(f) != 0 || !ok) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot write it: %s", strerror(errno));
    return ST_OK;
}

static enum st check_name(const char *name, struct diag *d)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (n > 0 && n <= 48 && name[n] == '\0' && name[0] >= 'a' && name[0] <= 'z') return ST_OK;
    (void)diag_set(d, ST_EINPUT, "a policy cannot be named '%s'", name);
    return diag_hint(d, "small letters, digits and '-', beginning with a letter; at most 48 of them");
}

enum st new_policy_write(const char *name, const char *dir, bool is_plugin, struct diag *d)
{
    char path[2][PATH_LEN], prefix[PATH_LEN];
    const char *const text[] = { embed_text(is_plugin ? "score.c" : "example.c"), embed_text("Makefile") };
    if (dir == NULL) dir = name;
    TRY(check_name(name, d));
    if (strlen(dir) + strlen(name) + 16 > PATH_LEN) return diag_set(d, ST_EINPUT, "the folder's name is too long");
    prefix_of(prefix, sizeof prefix);
    const char *const word[][2] = { { "example", name }, { "/usr/local", prefix }, { "SPEC    := ", is_plugin ? "SPEC    := fifo:place=" : "SPEC    := " } };
    (void)snprintf(path[0], PATH_LEN, "%s/%s.c", dir, name);
    (void)snprintf(path[1], PATH_LEN, "%s/Makefile", dir);
    for (int i = 0; i < 2; i++)
        if (access(path[i], F_OK) == 0) return diag_at(d, ST_EINPUT, path[i], 0, 0, "it is there already, and is not overwritten");
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) return diag_at(d, ST_EWORLD, dir, 0, 0, "cannot make the folder: %s", strerror(errno));
    for (int i = 0; i < 2; i++) TRY(write_file(path[i], text[i], word, ARRAY_LEN(word), d));
    return ST_OK;
}
