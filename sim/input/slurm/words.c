/* words.c -- values as Slurm writes them, see words.h. */
#include "input/slurm/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/cluster/hostlist.h"

void slurm_words_open(struct slurm_words *w, struct slurm_scheduler *out, const char *path)
{
    const char *slash = strrchr(path, '/');
    memset(out, 0, sizeof *out);
    *w = (struct slurm_words){ .out = out, .path = path, .file = slash != NULL ? slash + 1 : path };
    mem_text_open(&w->text);
}

void slurm_words_close(struct slurm_words *w, enum st st)
{
    struct hash128 h;
    w->out->text = mem_text_close(&w->text);
    intern_fini(&w->told);
    hash_init(&h);
    hash_text(&h, w->out->text);
    hash_hex(&h, w->out->digest);
    if (st != ST_OK) slurm_scheduler_fini(w->out);
}

void slurm_scheduler_fini(struct slurm_scheduler *s)
{
    for (size_t i = 0; i < s->n_notes; i++) mem_free(s->note[i]);
    mem_free(s->note);
    mem_free(s->text);
    memset(s, 0, sizeof *s);
}

void slurm_words_tell(struct slurm_words *w, uint32_t line, const char *fmt, ...)
{
    struct slurm_scheduler *s = w->out;
    char what[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    char *note = mem_printf("%.100s:%u: %s not modelled", w->file, line, what);
    const uint32_t n = w->told.n;
    (void)intern_id(&w->told, note);
    if (w->told.n == n) mem_free(note);
    else MEM_PUSH(s->note, s->n_notes, s->cap_notes, note);
}

const struct slurm_key *slurm_words_find(const struct slurm_key *k, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(k[i].name, name) == 0) return &k[i];
    return NULL;
}

/* ---- values ---- */

static bool is_none(const char *s)
{
    return strcmp(s, "-1") == 0 || strcasecmp(s, "UNLIMITED") == 0 || strcasecmp(s, "INFINITE") == 0 ||
           strcasecmp(s, "NONE") == 0;
}

/* Seconds, so that microseconds are no more than half of what 64 bits hold. */
static const int64_t TIME_MAX = INT64_C(1000000000000);

/* minutes, minutes:seconds, hours:minutes:seconds, days-hours and days-hours:minutes[:seconds]; sbatch(1), --time. */
static bool parse_time(const char *s, int64_t *out)
{
    int64_t part[4] = { 0 }, days = 0;
    size_t n = 0;
    const char *dash = strchr(s, '-');
    for (const char *p = s;;) {
        size_t len = strspn(p, "0123456789");
        if (len == 0 || len > 9 || n == ARRAY_LEN(part)) return false;
        part[n++] = strtol(p, NULL, 10);
        p += len;
        if (*p == '\0') break;
        if (*p != (p == dash && n == 1 ? '-' : ':')) return false;
        p++;
    }
    const int64_t *of = part;
    if (dash != NULL) {
        if (n < 2) return false;
        days = part[0];
        of++;
        n--;
        *out = days * 86400 + of[0] * 3600 + (n > 1 ? of[1] * 60 : 0) + (n > 2 ? of[2] : 0);
        return true;
    }
    if (n > 3) return false;
    *out = n == 1 ? of[0] * 60 : n == 2 ? of[0] * 60 + of[1] : of[0] * 3600 + of[1] * 60 + of[2];
    return true;
}

enum { CPU, MEM, NODE, GPU, KINDS };

static int kind_of(const char *s, size_t n)
{
    static const char *const name[KINDS] = { "cpu", "mem", "node", "gres/gpu" };
    int k = 0;
    while (k < KINDS && (strlen(name[k]) != n || strncasecmp(s, name[k], n) != 0)) k++;
    return k;
}

/* Of one kind: an amount in its base unit, or a weight for a CPU, a MiB, a node or a GPU. */
static bool read_amount(int kind, const char *s, int64_t *out)
{
    char error[64];
    if (kind == MEM) return text_parse(s, TEXT_BYTES, INT64_C(1) << 20, out, error, sizeof error);
    if (!text_int(s, out) || *out < 0 || *out > 1000000000) return false;
    if (kind == CPU) *out *= 1000;
    return true;
}

static bool read_weight(int kind, const char *s, double *out)
{
    static const struct {
        char letter;
        double mib;
    } unit[] = { { 'K', 1.0 / 1024 }, { 'M', 1 }, { 'G', 1024 }, { 'T', 1048576 } };
    char one[64];
    size_t n = strlen(s);
    double per = 1;
    if (n == 0 || n >= sizeof one) return false;
    memcpy(one, s, n + 1);
    for (size_t i = 0; i < ARRAY_LEN(unit) && kind == MEM; i++)
        if ((one[n - 1] & ~0x20) == unit[i].letter) {
            per = unit[i].mib;
            one[n - 1] = '\0';
            break;
        }
    if (!text_double(one, out) || *out < 0) return false;
    *out /= per;
    return true;
}

/* A list of TRES; what is of another kind is listed. */
static bool put_tres(struct slurm_words *w, const struct slurm_key *k, const char *s, uint32_t line)
{
    int64_t amount[KINDS] = { -1, -1, -1, -1 };
    double weight[KINDS] = { 0 };
    for (size_t n; *s != '\0'; s += n + (s[n] == ',')) {
        char one[64];
        n = strcspn(s, ",");
        const char *eq = memchr(s, '=', n);
        if (eq == NULL || n >= sizeof one) return false;
        int kind = kind_of(s, (size_t)(eq - s));
        (void)snprintf(one, sizeof one, "%.*s", (int)(n - (size_t)(eq + 1 - s)), eq + 1);
        if (kind == KINDS) {
            slurm_words_tell(w, line, "%s of %.*s is", k->name, (int)(eq - s), s);
            continue;
        }
        if (k->value == SLURM_TRES && is_none(one)) continue;
        if (k->value == SLURM_TRES ? !read_amount(kind, one, &amount[kind]) : !read_weight(kind, one, &weight[kind]))
            return false;
    }
    if (k->value == SLURM_TRES)
        (void)fprintf(w->text.to, "\t%s=%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId64, k->name, amount[CPU],
                      amount[MEM], amount[NODE], amount[GPU]);
    else
        (void)fprintf(w->text.to, "\t%s=%.17g:%.17g:%.17g:%.17g", k->name, weight[CPU], weight[MEM], weight[NODE],
                      weight[GPU]);
    return true;
}

enum st slurm_words_put(struct slurm_words *w, const struct slurm_key *k, const char *value, uint32_t line,
                        uint32_t col, struct diag *d)
{
    static const char *const want[] = { "a word", "a whole number below 2^32", "a number",
                                        "a time such as 90, 1:30:00 or 2-12",
                                        "a list such as cpu=4,mem=2G,gres/gpu=1", "a list such as CPU=1.0,Mem=0.25G" };
    int64_t i = -1;
    double x;
    bool ok = true;
    if (value[0] == '\0') return ST_OK;
    switch (k->value) {
    case SLURM_WORD:
        ok = value[strcspn(value, "\t\n")] == '\0';
        if (ok) (void)fprintf(w->text.to, "\t%s=%s", k->name, value);
        break;
    case SLURM_WHOLE:
        if (is_none(value)) break;
        ok = text_int(value, &i) && i >= 0 && i <= UINT32_MAX;
        if (ok) (void)fprintf(w->text.to, "\t%s=%" PRId64, k->name, i);
        break;
    case SLURM_NUMBER:
        ok = text_double(value, &x);
        if (ok) (void)fprintf(w->text.to, "\t%s=%.17g", k->name, x);
        break;
    case SLURM_MINUTES:
        ok = is_none(value) || (parse_time(value, &i) && i <= TIME_MAX);
        if (ok) (void)fprintf(w->text.to, "\t%s=%" PRId64, k->name, i);
        break;
    case SLURM_TRES: case SLURM_WEIGHTS: ok = put_tres(w, k, value, line); break;
    }
    return ok ? ST_OK
              : diag_at(d, ST_EINPUT, w->path, line, col, "%s: found '%.60s', expected %s", k->name, value,
                        want[k->value]);
}

/* ---- nodes ---- */

enum { HOSTS_MAX = 2000000 };   /* of all lines */

enum st slurm_words_hosts(struct slurm_words *w, const struct slurm_conf *c, const struct slurm_line *l,
                          const struct slurm_field *f, const char *kind, const char *rest, struct diag *d)
{
    struct hostlist h;
    const char *error = hostlist_parse(&h, f->value);
    if (error != NULL) return slurm_error(c, l, f, d, "'%s': %s", f->value, error);
    w->n_hosts += h.n;
    const bool ok = w->n_hosts <= HOSTS_MAX;
    for (size_t i = 0; ok && i < h.n; i++) (void)fprintf(w->text.to, "%s\t%s%s\n", kind, h.name[i], rest);
    hostlist_fini(&h);
    return ok ? ST_OK : slurm_error(c, l, f, d, "the file names more than %d nodes, counting each time", HOSTS_MAX);
}
