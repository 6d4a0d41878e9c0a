/* lines.c -- the lines of lines.h, from blocks of 16 KiB. */
#include "input/text/lines.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

enum st lines_open(struct lines *l, const char *path, struct diag *d)
{
    *l = (struct lines){ .f = fopen(path, "rb") };
    if (l->f == NULL)
        return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
    l->path = mem_strdup(path);
    return ST_OK;
}

void lines_close(struct lines *l)
{
    if (l->f != NULL) (void)fclose(l->f);
    mem_free(l->path);
    mem_free(l->text);
    *l = (struct lines){ .f = NULL };
}

enum st lines_next(struct lines *l, struct diag *d)
{
    l->n = 0;
    l->line++;
    for (bool done = false; !done; ) {
        if (l->at == l->end) {
            l->at = 0;
            l->end = fread(l->block, 1, sizeof l->block, l->f);
            if (ferror(l->f) != 0) return diag_at(d, ST_EWORLD, l->path, 0, 0, "cannot be read: %s", strerror(errno));
            if (l->end == 0 && l->n == 0) return ST_END;
            if (l->end == 0) break;
        }
        const char *from = l->block + l->at, *nl = memchr(from, '\n', l->end - l->at);
        size_t n = nl != NULL ? (size_t)(nl - from) + 1 : l->end - l->at;
        if (l->n + n > LINES_MAX) return diag_at(d, ST_EINPUT, l->path, l->line, 0, "line is longer than %d bytes", LINES_MAX);
        MEM_RESERVE(l->text, l->cap, l->n + n + 1);
        memcpy(l->text + l->n, from, n);
        l->n += n;
        l->at += n;
        done = nl != NULL;
    }
    l->text[l->n] = '\0';
    if (l->line == 1 && l->n >= 3 && memcmp(l->text, "\xEF\xBB\xBF", 3) == 0) {
        l->n -= 3;
        memmove(l->text, l->text + 3, l->n + 1);
    }
    size_t good = l->text[0] == ';' ? l->n : text_utf8(l->text, l->n);
    if (good < l->n) {
        (void)diag_at(d, ST_EINPUT, l->path, l->line, (uint32_t)good + 1, "a byte that is not UTF-8 (0x%02x)",
                      (unsigned char)l->text[good]);
        return diag_hint(d, TEXT_UTF8_HINT);
    }
    const char *nul = memchr(l->text, '\0', l->n);
    if (nul != NULL)
        return diag_at(d, ST_EINPUT, l->path, l->line, (uint32_t)(nul - l->text) + 1, "a NUL byte; this is not a text file");
    while (l->n > 0 && (l->text[l->n - 1] == '\n' || l->text[l->n - 1] == '\r')) l->n--;
    l->text[l->n] = '\0';
    return ST_OK;
}

char *lines_word(struct lines *l, size_t *at)
{
    size_t i = *at + strspn(l->text + *at, " \t");
    if (i >= l->n) return NULL;
    size_t n = strcspn(l->text + i, " \t");
    *at = i + n;
    if (*at < l->n) l->text[(*at)++] = '\0';
    return l->text + i;
}

enum st lines_fail(const struct lines *l, const char *word, struct diag *d, const char *fmt, ...)
{
    char msg[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return diag_at(d, ST_EINPUT, l->path, l->line, word != NULL ? (uint32_t)(word - l->text) + 1 : 0, "%s", msg);
}
