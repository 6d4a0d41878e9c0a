/* relation.c -- the file of relation.h, read and written. */
#include "input/tasks/relation.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/text/csv.h"

enum { TASK, FORM, ENGINES };

/* One figure of `engines`, pair or vector's: text[0 .. len). */
static enum st read_value(struct csv *c, const int *at, const char *text, size_t len, uint32_t engine, struct relation_row *row, struct diag *d)
{
    char word[64];
    double v;
    (void)snprintf(word, sizeof word, "%.*s", (int)i64_min((int64_t)len, (int64_t)sizeof word - 1), text);
    if (strcmp(word, "-") == 0) return ST_OK;       /* cannot run there */
    if (!text_double(word, &v) || v <= 0 || (row->form == RELATION_RANK && (v > ENGINE_TYPES_MAX || fabs(v - floor(v)) > 0)))
        return csv_fail(c, at[ENGINES], d, "'%.60s' is not %s", word, row->form == RELATION_RANK ? "a rank 1, 2, ..." : "a number above 0, or '-'");
    row->value[engine] = v;
    return ST_OK;
}

static enum st read_values(struct csv *c, const int *at, const struct cluster *cl, struct relation_row *row, struct diag *d)
{
    const char *s = csv_field(c, at[ENGINES]);
    bool pairs = strchr(s, ':') != NULL, seen[ENGINE_TYPES_MAX] = { false };
    uint32_t n = 0;
    for (; *s != '\0'; n++) {
        size_t len = strcspn(s, ";"), key = strcspn(s, ":;");
        char name[64];
        uint32_t engine = n;
        if (pairs) {
            if (key >= len) return csv_fail(c, at[ENGINES], d, "'%.60s' mixes pairs with figures alone", csv_field(c, at[ENGINES]));
            (void)snprintf(name, sizeof name, "%.*s", (int)i64_min((int64_t)key, (int64_t)sizeof name - 1), s);
            engine = intern_find(&cl->engines, name);
            if (engine == NONE) {
                enum st st = csv_fail(c, at[ENGINES], d, "found engine '%s', which the cluster does not have", name);
                const char *near = diag_nearest(name, (const char *const *)cl->engines.name, cl->engines.n);
                if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
                return st;
            }
        } else if (n == cl->engines.n) {
            n++;
            break;
        }
        if (seen[engine]) return csv_fail(c, at[ENGINES], d, "found engine '%s' twice", intern_name(&cl->engines, engine));
        seen[engine] = true;
        TRY(read_value(c, at, pairs ? s + key + 1 : s, pairs ? len - key - 1 : len, engine, row, d));
        s += len + (s[len] == ';');
    }
    if (!pairs && n != cl->engines.n) return csv_fail(c, at[ENGINES], d, "a vector has one figure for each of the cluster's %" PRIu32 " kinds of engine", cl->engines.n);
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX; k++) if (row->value[k] > 0) return ST_OK;
    return csv_fail(c, at[ENGINES], d, "the task can run on no engine");
}

struct target { struct relation *relation; const struct cluster *cluster; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    const struct target *to = ctx;
    struct relation *r = to->relation;
    struct relation_row row = { .form = RELATION_RANK };
    for (int k = TASK; k <= ENGINES; k++) TRY(csv_need(c, at[k], d));
    uint32_t f = 0;
    while (f < RELATION_FORMS && strcmp(relation_form_name[f], csv_field(c, at[FORM])) != 0) f++;
    if (f == RELATION_FORMS) return csv_fail(c, at[FORM], d, "found '%.60s', expected rank, time or efficiency", csv_field(c, at[FORM]));
    row.form = (enum relation_form)f;
    if (intern_find(&r->tasks, csv_field(c, at[TASK])) != NONE) return csv_fail(c, at[TASK], d, "found task '%.60s' a second time", csv_field(c, at[TASK]));
    TRY(read_values(c, at, to->cluster, &row, d));
    uint32_t id = intern_id(&r->tasks, csv_field(c, at[TASK]));
    MEM_RESERVE(r->row, r->cap, (size_t)id + 1);
    MEM_RESERVE(r->line, r->cap_line, (size_t)id + 1);
    r->row[id] = row;
    r->line[id] = csv_line(c);
    return ST_OK;
}

enum st relation_read(struct relation *r, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[] = { "task", "form", "engines" };
    static const bool need[] = { true, true, true };
    struct target to = { r, c };
    mem_free(r->path);
    r->path = mem_strdup(path);
    return csv_read_file(path, name, need, ARRAY_LEN(name), "a relation has task,form,engines", read_row, &to, d);
}

void relation_write_header(FILE *f) { (void)fprintf(f, "task,form,engines\n"); }

void relation_write(FILE *f, const char *job, uint32_t index, const struct relation_row *r, bool pairs, const struct cluster *c)
{
    uint32_t order[ENGINE_TYPES_MAX], n = c->engines.n;
    for (uint32_t k = 0; k < n; k++) order[k] = k;
    bool up = r->form != RELATION_EFFICIENCY;           /* the best has the least value */
    for (uint32_t i = 1; pairs && i < n; i++)
        for (uint32_t j = i; j > 0; j--) {
            double a = r->value[order[j - 1]], b = r->value[order[j]];
            if (!(b > 0 && (a <= 0 || (up ? b < a : b > a)))) break;
            uint32_t t = order[j];
            order[j] = order[j - 1];
            order[j - 1] = t;
        }
    (void)fputc('"', f);
    for (const char *at = job; *at != '\0'; at++) {
        if (*at == '"') (void)fputc('"', f);
        (void)fputc(*at, f);
    }
    (void)fprintf(f, "/%" PRIu32 "\",%s,", index, relation_form_name[r->form]);
    for (uint32_t i = 0, some = 0; i < n; i++) {
        double v = r->value[order[i]];
        if (pairs && v <= 0) continue;
        if (some++ > 0) (void)fputc(';', f);
        if (pairs) (void)fprintf(f, "%s:", intern_name(&c->engines, order[i]));
        if (v > 0) (void)fprintf(f, "%.17g", v); else (void)fputc('-', f);
    }
    (void)fputc('\n', f);
}
