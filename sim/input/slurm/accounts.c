/*
 * accounts.c -- what `sacctmgr dump` wrote, the table of `sacctmgr -P show qos`, and recorded rounds, see scheduler.h.
 *
 * A dump is lines "Word - 'name':Key='value':Key=value..." of clusters, accounts and users; the accounts and
 * users after a Parent line are below that one.  Source: sacctmgr(1), "FLAT FILE DUMP AND LOAD".
 */
#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/slurm/words.h"
#include "input/text/csv.h"
#include "input/text/lines.h"

static const struct slurm_key keys[] = {
    { "Fairshare", SLURM_WORD },     { "DefaultAccount", SLURM_WORD }, { "DefaultQOS", SLURM_WORD },
    { "QOS", SLURM_WORD },           { "Partition", SLURM_WORD },      { "Priority", SLURM_WHOLE },
    { "GrpJobs", SLURM_WHOLE },      { "GrpTRES", SLURM_TRES },        { "MaxJobs", SLURM_WHOLE },
    { "MaxTRESPerJob", SLURM_TRES }, { "MaxTRES", SLURM_TRES },        { "MaxWallDurationPerJob", SLURM_MINUTES },
    { "MaxWall", SLURM_MINUTES },
};
/* Words about who they are. */
static const char *const about[] = { "Description", "Organization", "AdminLevel",     "Coordinator", "DefaultWCKey",
                                     "WCKeys",      "Flags",        "Classification", "SharedUsers", "Shares" };

static bool is_about(const char *key)
{
    for (size_t i = 0; i < ARRAY_LEN(about); i++)
        if (strcasecmp(key, about[i]) == 0) return true;
    return false;
}

/* A value from *at on, in quotes or not, up to the next ':'; cut off in place.  NULL: the quote does not end. */
static char *value_of(char **at)
{
    char *s = *at, *end;
    if (*s == '\'') {
        end = strchr(++s, '\'');
        if (end == NULL) return NULL;
        *end++ = '\0';
        end += *end == ':';
    } else {
        end = s + strcspn(s, ":");
        if (*end == ':') *end++ = '\0';
    }
    *at = end;
    return s;
}

static enum st read_pairs(struct slurm_words *w, struct lines *in, char *at, struct diag *d)
{
    while (*at != '\0') {
        char *key = at, *eq = strpbrk(at, "=:");
        if (eq == NULL || *eq != '=') return lines_fail(in, key, d, "found '%.60s', expected Key=Value", key);
        *eq = '\0';
        at = eq + 1;
        char *value = value_of(&at);
        if (value == NULL) return lines_fail(in, eq + 1, d, "found a quote that does not end on its line");
        const struct slurm_key *k = slurm_words_find(keys, ARRAY_LEN(keys), key);
        int64_t shares;
        if (strcasecmp(key, "Fairshare") == 0 && strcasecmp(value, "parent") != 0 &&
            (!text_int(value, &shares) || shares < 0 || shares > UINT32_MAX))
            return lines_fail(in, value, d, "Fairshare: found '%.60s', expected shares or 'parent'", value);
        if (k != NULL) TRY(slurm_words_put(w, k, value, in->line, (uint32_t)(value - in->text) + 1, d));
        else if (!is_about(key)) slurm_words_tell(w, in->line, "%.60s of an account or user is", key);
    }
    return ST_OK;
}

static enum st read_line(struct slurm_words *w, struct lines *in, bool *any, struct diag *d)
{
    static const char *const words[] = { "Cluster", "Parent", "Account", "User" };
    static const char *const kinds[] = { "cluster", "parent", "account", "user" };
    char *s = in->text + strspn(in->text, " \t");
    if (*s == '\0' || *s == '#') return ST_OK;
    char *dash = strstr(s, " - ");
    size_t k = 0;
    while (dash != NULL && k < ARRAY_LEN(words) &&
           (strlen(words[k]) != (size_t)(dash - s) || strncmp(s, words[k], strlen(words[k])) != 0))
        k++;
    if (dash == NULL || k == ARRAY_LEN(words))
        return lines_fail(in, s, d, "found '%.40s', expected Cluster, Parent, Account or User, and \" - 'name'\"", s);
    char *at = dash + 3, *name = value_of(&at);
    if (name == NULL || *name == '\0' || name[strcspn(name, "\t")] != '\0')
        return lines_fail(in, dash + 3, d, "found no name in quotes");
    (void)fprintf(w->text.to, "%s\t%s", kinds[k], name);
    *any = true;
    TRY(read_pairs(w, in, at, d));
    (void)fputs("\n", w->text.to);
    return ST_OK;
}

enum st slurm_scheduler_accounts(struct slurm_scheduler *s, const char *path, struct diag *d)
{
    struct lines in;
    struct slurm_words w;
    bool any = false;
    memset(s, 0, sizeof *s);
    TRY(lines_open(&in, path, d));
    slurm_words_open(&w, s, path);
    enum st st;
    while ((st = lines_next(&in, d)) == ST_OK && (st = read_line(&w, &in, &any, d)) == ST_OK) { }
    if (st == ST_END)
        st = any ? ST_OK : diag_at(d, ST_EINPUT, path, 0, 0, "found no accounts, expected what `sacctmgr dump` writes");
    slurm_words_close(&w, st);
    lines_close(&in);
    return st;
}

/* ---- QOS ---- */

static const struct slurm_key qos_keys[] = {
    { "Name", SLURM_WORD },
    { "Priority", SLURM_WHOLE },
    { "Preempt", SLURM_WORD },
    { "PreemptMode", SLURM_WORD },
    { "Flags", SLURM_WORD },
    { "UsageFactor", SLURM_NUMBER },
    { "GrpTRES", SLURM_TRES },
    { "GrpJobs", SLURM_WHOLE },
    { "MaxTRES", SLURM_TRES },
    { "MaxWall", SLURM_MINUTES },
    { "MaxTRESPU", SLURM_TRES },
    { "MaxJobsPU", SLURM_WHOLE },
    { "MaxTRESPA", SLURM_TRES },
    { "MaxJobsPA", SLURM_WHOLE },
    /* listed */
    { "GraceTime", SLURM_WORD },
    { "PreemptExemptTime", SLURM_WORD },
    { "UsageThres", SLURM_WORD },
    { "GrpTRESMins", SLURM_WORD },
    { "GrpTRESRunMins", SLURM_WORD },
    { "GrpSubmit", SLURM_WORD },
    { "GrpWall", SLURM_WORD },
    { "MaxTRESPerNode", SLURM_WORD },
    { "MaxTRESMins", SLURM_WORD },
    { "MaxSubmitPU", SLURM_WORD },
    { "MaxSubmitPA", SLURM_WORD },
    { "MinTRES", SLURM_WORD },
};
enum { QOS_MODELLED = 14, N_QOS = ARRAY_LEN(qos_keys), QOS_FLAGS = 4 };

static enum st read_qos_row(struct slurm_words *w, const struct csv *c, const int *at, struct diag *d)
{
    TRY(csv_need(c, at[0], d));
    (void)fprintf(w->text.to, "qos\t%s", csv_field(c, at[0]));
    for (int k = 1; k < N_QOS; k++) {
        const char *value = csv_field(c, at[k]);
        if (k < QOS_MODELLED) TRY(slurm_words_put(w, &qos_keys[k], value, csv_line(c), (uint32_t)at[k] + 1, d));
        bool is_listed = k >= QOS_MODELLED ? strcmp(value, "00:00:00") != 0 && strcmp(value, "0.000000") != 0
                                           : k == QOS_FLAGS && strcasecmp(value, "NoDecay") != 0 &&
                                                 strcasecmp(value, "NoReserve") != 0;
        if (value[0] != '\0' && is_listed)
            slurm_words_tell(w, csv_line(c), "%s=%.60s of a QOS is", qos_keys[k].name, value);
    }
    (void)fputs("\n", w->text.to);
    return ST_OK;
}

enum st slurm_scheduler_qos(struct slurm_scheduler *s, const char *path, struct diag *d)
{
    const char *name[N_QOS];
    bool need[N_QOS] = { true };
    int at[N_QOS];
    struct csv *c;
    struct slurm_words w;
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < N_QOS; i++) name[i] = qos_keys[i].name;
    TRY(csv_open(&c, path, '|', d));
    slurm_words_open(&w, s, path);
    enum st st = csv_columns(c, name, need, at, N_QOS, true, "the table that `sacctmgr -P show qos` prints", d);
    while (st == ST_OK && (st = csv_next(c, d)) == ST_OK) st = read_qos_row(&w, c, at, d);
    if (st == ST_END) st = ST_OK;
    slurm_words_close(&w, st);
    csv_close(c);
    return st;
}

/* ---- rounds ---- */

enum { AT, ROUND, CLEARING, N_ROUND };

static enum st read_round(struct slurm_words *w, const struct csv *c, const int *at, int64_t *last, struct diag *d)
{
    static const char *const kind[] = { "main", "full", "backfill", "priorities" };
    int64_t us = -1;
    size_t k = 0;
    while (k < ARRAY_LEN(kind) && strcmp(csv_field(c, at[ROUND]), kind[k]) != 0) k++;
    if (k == ARRAY_LEN(kind))
        return csv_fail(c, at[ROUND], d, "'%.40s' is none of main, full, backfill and priorities", csv_field(c, at[ROUND]));
    TRY(csv_need(c, at[AT], d));
    TRY(csv_seconds(c, at[AT], &us, d));
    if (us < *last) return csv_fail(c, at[AT], d, "'%.40s' is before the round above it", csv_field(c, at[AT]));
    *last = us;
    (void)fprintf(w->text.to, "%s\t%" PRId64, kind[k], us);
    for (const char *p = csv_field(c, at[CLEARING]); *p != '\0';) {
        size_t n = strcspn(p, " ");
        if (n > 0) (void)fprintf(w->text.to, "\t%.*s", (int)n, p);
        p += n + (p[n] == ' ');
    }
    (void)fputs("\n", w->text.to);
    return ST_OK;
}

enum st slurm_scheduler_rounds(struct slurm_scheduler *s, const char *path, struct diag *d)
{
    static const char *const name[N_ROUND] = { "at_s", "round", "clearing" };
    static const bool need[N_ROUND] = { true, true };
    int at[N_ROUND];
    int64_t last = 0;
    struct csv *c;
    struct slurm_words w;
    memset(s, 0, sizeof *s);
    TRY(csv_open(&c, path, ',', d));
    slurm_words_open(&w, s, path);
    enum st st =
        csv_columns(c, name, need, at, N_ROUND, false, "when a daemon held its rounds: at_s,round,clearing", d);
    while (st == ST_OK && (st = csv_next(c, d)) == ST_OK) st = read_round(&w, c, at, &last, d);
    if (st == ST_END) st = ST_OK;
    slurm_words_close(&w, st);
    csv_close(c);
    return st;
}
