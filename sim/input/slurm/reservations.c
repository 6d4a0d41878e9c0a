/*
 * reservations.c -- what `scontrol show reservation` prints, see scheduler.h.
 *
 * A record is Key=Value fields from a ReservationName on, over several lines or (with -o) on one; "(null)" is no
 * value.  Source: scontrol(1), "SHOW reservation".
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "input/slurm/words.h"
#include "input/text/value.h"

enum { NAME, START, END, DURATION, NODES, USERS, ACCOUNTS, FLAGS, N_KEYS };
static const char *const keys[N_KEYS] = { "ReservationName", "StartTime", "EndTime",  "Duration",
                                          "Nodes",           "Users",     "Accounts", "Flags" };
/* What the nodes say already; the partition is the default one of jobs that name the reservation. */
static const char *const said[] = { "NodeCnt", "CoreCnt", "Features", "PartitionName", "TRES", "State", "NodeName" };
/* How its nodes were chosen, and whose jobs were there when it was made. */
static const char *const chosen[] = { "SPEC_NODES", "ALL_NODES", "PART_NODES", "STATIC", "IGNORE_JOBS" };

struct found { const struct slurm_line *l; const struct slurm_field *f; };
struct reader {
    struct slurm_words *w;
    const struct slurm_conf *c;
    struct diag *d;
    struct found at[N_KEYS];    /* of the record at hand; f NULL: it has none */
};

static bool is_one_of(const char *s, size_t n, const char *const *word, size_t n_words)
{
    for (size_t i = 0; i < n_words; i++)
        if (strlen(word[i]) == n && strncasecmp(s, word[i], n) == 0) return true;
    return false;
}

static bool is_empty(const char *s)
{
    return s[0] == '\0' || strcasecmp(s, "(null)") == 0 || strcasecmp(s, "n/a") == 0;
}

#define FAIL(r, k, ...) slurm_error((r)->c, (r)->at[k].l, (r)->at[k].f, (r)->d, __VA_ARGS__)

static enum st read_time(struct reader *r, int k, int64_t *us, bool *is_date)
{
    const struct value_dates iso = { 0 };
    enum value_form form;
    const char *s = r->at[k].f->value;
    if (k != DURATION && value_date(s, &iso, us, NULL)) *is_date = true;
    else if (!value_span(s, INT64_MAX / 4, us, &form, NULL))
        return FAIL(r, k, "%s: found '%.60s', expected %s1-02:00:00 or 3600", keys[k], s,
                    k == DURATION ? "a time such as "
                                  : "a date such as 2024-03-01T12:00:00, or a time since the run's start such as ");
    return ST_OK;
}

/* EndTime counts; without one StartTime and Duration. */
static enum st read_span(struct reader *r, int64_t *begin, int64_t *end, bool *is_date)
{
    bool by_date = false;
    *is_date = false;
    if (r->at[START].f == NULL) return FAIL(r, NAME, "the reservation has no StartTime");
    TRY(read_time(r, START, begin, is_date));
    if (r->at[END].f == NULL && r->at[DURATION].f == NULL)
        return FAIL(r, NAME, "the reservation has neither EndTime nor Duration");
    if (r->at[END].f == NULL) {
        TRY(read_time(r, DURATION, end, &by_date));
        *end += *begin;
        return ST_OK;
    }
    TRY(read_time(r, END, end, &by_date));
    if (by_date != *is_date) return FAIL(r, END, "of StartTime and EndTime one is a date, the other is none");
    return *end > *begin ? ST_OK : FAIL(r, END, "EndTime '%.60s' is not after StartTime", r->at[END].f->value);
}

/* "Users=ann,bob", and "-ann,-bob", all but those, as "NotUsers=ann,bob". */
static enum st put_who(struct reader *r, int k)
{
    if (r->at[k].f == NULL) return ST_OK;
    const char *s = r->at[k].f->value;
    const bool is_not = s[0] == '-';
    (void)fprintf(r->w->text.to, "\t%s%s=", is_not ? "Not" : "", keys[k]);
    for (size_t n; *s != '\0'; s += n + (s[n] == ',')) {
        n = strcspn(s, ",");
        if ((s[0] == '-') != is_not) return FAIL(r, k, "%s: found names with and without '-' in one list", keys[k]);
        (void)fprintf(r->w->text.to, "%.*s%s", (int)(n - is_not), s + is_not, s[n] == ',' ? "," : "");
    }
    return ST_OK;
}

static void tell_flags(struct reader *r)
{
    if (r->at[FLAGS].f == NULL) return;
    size_t n;
    for (const char *p = r->at[FLAGS].f->value; *p != '\0'; p += n + (p[n] == ',')) {
        n = strcspn(p, ",");
        if (n > 0 && !is_one_of(p, n, chosen, ARRAY_LEN(chosen)))
            slurm_words_tell(r->w, r->at[FLAGS].l->line,
                             "beside that its nodes are kept, Flags=%.*s of a reservation is", (int)n, p);
    }
}

/* The record that was gathered goes to the policy. */
static enum st put_record(struct reader *r)
{
    int64_t begin = 0, end = 0;
    bool is_date;
    if (r->at[NAME].f == NULL) return ST_OK;
    for (int k = 0; k < N_KEYS; k++)
        if (r->at[k].f != NULL && r->at[k].f->value[strcspn(r->at[k].f->value, "\t")] != '\0')
            return FAIL(r, k, "%s: found a tab", keys[k]);
    TRY(read_span(r, &begin, &end, &is_date));
    (void)fprintf(r->w->text.to, "reservation\t%s\tAt=%s:%u\tBegin=%" PRId64 "\tEnd=%" PRId64 "\tClock=%s",
                  r->at[NAME].f->value, r->w->file, r->at[NAME].l->line, begin, end, is_date ? "date" : "run");
    TRY(put_who(r, USERS));
    TRY(put_who(r, ACCOUNTS));
    (void)fputs("\n", r->w->text.to);
    tell_flags(r);
    if (r->at[NODES].f == NULL) return ST_OK;
    if (strcasecmp(r->at[NODES].f->value, "ALL") != 0)
        return slurm_words_hosts(r->w, r->c, r->at[NODES].l, r->at[NODES].f, "member", "", r->d);
    (void)fputs("member\tALL\n", r->w->text.to);
    return ST_OK;
}

static enum st read_field(struct reader *r, const struct slurm_line *l, const struct slurm_field *f)
{
    int k = 0;
    while (k < N_KEYS && strcasecmp(f->key, keys[k]) != 0) k++;
    if (k == NAME) {
        TRY(put_record(r));
        memset(r->at, 0, sizeof r->at);
    } else if (r->at[NAME].f == NULL) {
        return slurm_error(r->c, l, f, r->d, "found %.60s, expected a ReservationName before it", f->key);
    }
    if (k == N_KEYS && !is_one_of(f->key, strlen(f->key), said, ARRAY_LEN(said)) && !is_empty(f->value))
        slurm_words_tell(r->w, l->line, "%.60s=%.60s of a reservation is", f->key, f->value);
    if (k < N_KEYS && (k == NAME || !is_empty(f->value))) r->at[k] = (struct found){ l, f };
    return ST_OK;
}

enum st slurm_scheduler_reservations(struct slurm_scheduler *s, const char *path, struct diag *d)
{
    struct slurm_conf c;
    struct slurm_words w;
    memset(s, 0, sizeof *s);
    TRY(slurm_conf_load(&c, path, d));
    slurm_words_open(&w, s, path);
    struct reader r = { .w = &w, .c = &c, .d = d };
    enum st st = ST_OK;
    for (size_t i = 0; st == ST_OK && i < c.n; i++)
        for (size_t k = 0; st == ST_OK && k < c.at[i].n; k++) st = read_field(&r, &c.at[i], &c.at[i].at[k]);
    if (st == ST_OK) st = put_record(&r);
    slurm_words_close(&w, st);
    slurm_conf_fini(&c);
    return st;
}
