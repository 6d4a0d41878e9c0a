/* slurm_conf.c -- the syntax of slurm_conf.h: lines joined, comments cut, fields split, with their columns. */
#include "input/cluster/slurm_conf.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/*
 * One logical line being put together.  Continuations join physical lines, so
 * a column is counted in the joined text; it is exact on the first line, which
 * is the one an error names.
 */
struct joined { char *text; size_t n, cap; uint32_t line; };

static void join(struct joined *j, const char *s, size_t n)
{
    MEM_RESERVE(j->text, j->cap, j->n + n + 1);
    memcpy(j->text + j->n, s, n);
    j->n += n;
    j->text[j->n] = '\0';
}

static enum st parse_field(struct slurm_conf *c, struct slurm_line *l, char *text, size_t *at, struct diag *d)
{
    size_t start = *at, i = start;
    while (text[i] != '\0' && !is_blank(text[i]) && text[i] != '=') i++;
    if (text[i] != '=' || i == start) {
        enum st st = diag_at(d, ST_EINPUT, c->path, l->line, (uint32_t)start + 1, "found '%.60s', expected Key=Value", text + start);
        if (strncasecmp(text + start, "include ", 8) == 0) diag_hint(d, "Include is not followed: put the files together into one");
        return st;
    }
    size_t eq = i++, from = i;
    bool quoted = text[i] == '"';
    if (quoted) {
        from = ++i;
        while (text[i] != '\0' && text[i] != '"') i++;
        if (text[i] == '\0')
            return diag_at(d, ST_EINPUT, c->path, l->line, (uint32_t)from, "found a quote that does not end on its line");
    } else {
        while (text[i] != '\0' && !is_blank(text[i])) i++;
    }
    MEM_PUSH(l->at, l->n, l->cap, (struct slurm_field){
        .key = mem_strndup(text + start, eq - start), .value = mem_strndup(text + from, i - from),
        .col = (uint32_t)start + 1, .value_col = (uint32_t)from + 1,
    });
    *at = i + quoted;
    return ST_OK;
}

static enum st parse_line(struct slurm_conf *c, struct joined *j, struct diag *d)
{
    size_t i = 0;
    struct slurm_line *l = NULL;
    for (;;) {
        while (is_blank(j->text[i])) i++;
        if (j->text[i] == '\0') return ST_OK;
        if (l == NULL) {
            l = MEM_NEXT(c->at, c->n, c->cap);
            l->line = j->line;
        }
        TRY(parse_field(c, l, j->text, &i, d));
    }
}

/* Cut a comment off; "\#" is a plain '#'. */
static size_t strip_comment(char *s, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '\\' && i + 1 < n && s[i + 1] == '#') i++;
        else if (s[i] == '#') break;
        s[out++] = s[i];
    }
    while (out > 0 && is_blank(s[out - 1])) out--;
    s[out] = '\0';
    return out;
}

static enum st read_lines(struct slurm_conf *c, FILE *f, struct diag *d)
{
    struct joined j = {0};
    char *buf = NULL;
    size_t cap = 0;
    enum st st = ST_OK;
    uint32_t line = 0;
    bool open = false;
    for (ssize_t got; st == ST_OK && (got = getline(&buf, &cap, f)) >= 0;) {
        line++;
        if (strlen(buf) != (size_t)got) { st = diag_at(d, ST_EINPUT, c->path, line, 1, "found a NUL byte, expected text"); break; }
        size_t n = strip_comment(buf, (size_t)got), good = text_utf8(buf, n);
        if (good < n) {
            st = diag_at(d, ST_EINPUT, c->path, line, (uint32_t)good + 1, "a byte that is not UTF-8 (0x%02x)", (unsigned char)buf[good]);
            diag_hint(d, TEXT_UTF8_HINT);
            break;
        }
        if (!open) { j.n = 0; j.line = line; }
        open = n > 0 && buf[n - 1] == '\\';
        join(&j, buf, n - open);
        if (open) join(&j, " ", 1);
        else st = parse_line(c, &j, d);
    }
    if (st == ST_OK && open) st = diag_at(d, ST_EINPUT, c->path, line, 0, "found a '\\' at the end of the file, expected a line that continues it");
    if (st == ST_OK && ferror(f)) st = diag_at(d, errno == EISDIR ? ST_EINPUT : ST_EWORLD, c->path, 0, 0, "cannot read: %s", strerror(errno));
    mem_free(j.text);
    mem_free(buf);
    return st;
}

enum st slurm_conf_load(struct slurm_conf *c, const char *path, struct diag *d)
{
    memset(c, 0, sizeof *c);
    FILE *f = fopen(path, "r");
    if (f == NULL) return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno));
    c->path = mem_strdup(path);
    enum st st = read_lines(c, f, d);
    (void)fclose(f);
    if (st != ST_OK) slurm_conf_fini(c);
    return st;
}

void slurm_conf_fini(struct slurm_conf *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->at[i].n; k++) { mem_free(c->at[i].at[k].key); mem_free(c->at[i].at[k].value); }
        mem_free(c->at[i].at);
    }
    mem_free(c->at);
    mem_free(c->path);
    memset(c, 0, sizeof *c);
}

const struct slurm_field *slurm_line_get(const struct slurm_line *l, const char *key)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcasecmp(l->at[i].key, key) == 0) return &l->at[i];
    return NULL;
}

enum st slurm_error(const struct slurm_conf *c, const struct slurm_line *l, const struct slurm_field *f,
                    struct diag *d, const char *fmt, ...)
{
    char msg[sizeof d->msg];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return diag_at(d, ST_EINPUT, c->path, l->line, f != NULL ? f->value_col : 1, "%s", msg);
}
