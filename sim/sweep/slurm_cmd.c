/* slurm_cmd.c -- sbatch, squeue, scancel and scontrol, as programs whose output is read. */
#include "sweep/slurm_cmd.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sweep/proc.h"
#include "base/mem.h"

enum { LIMIT_S = 60, ARRAY_DEFAULT = 1001, PATH_LEN = 4096 };

/* ---- the commands ---- */

/* Run it; a status other than 0 is an error that shows what it wrote. */
static enum st call(const char *const *argv, char **out, struct diag *d)
{
    int status = 0;
    TRY(proc_read(argv, LIMIT_S, out, &status, d));
    if (status == 0) return ST_OK;
    char *text = *out;
    text[strcspn(text, "\n")] = '\0';
    (void)diag_set(d, ST_EWORLD, "'%s' failed: %s", argv[0], text[0] != '\0' ? text : "it said nothing");
    mem_free(text);
    *out = NULL;
    return ST_EWORLD;
}

/* "MaxArraySize = 1001" of the configuration: indexes are below it. */
static enum st find_array_max(struct slurm_cmd *s, struct diag *d)
{
    char *out;
    const char *const argv[] = { "scontrol", "show", "config", NULL };
    enum st st = call(argv, &out, d);
    if (st != ST_OK) return diag_hint(d, "--slurm needs a Slurm cluster whose commands (sbatch, squeue, scancel, "
                                      "scontrol) work here");
    const char *at = strstr(out, "MaxArraySize"), *eq = at != NULL ? strchr(at, '=') : NULL;
    unsigned long v = eq != NULL ? strtoul(eq + 1, NULL, 10) : ARRAY_DEFAULT;
    s->array_max = v > 0 ? v : 1;
    mem_free(out);
    return ST_OK;
}

enum st slurm_cmd_begin(struct slurm_cmd *s, const struct grid *g, const struct slurm_opts *o, const char *dir, struct diag *d)
{
    struct hash128 h;
    char hex[HASH_HEX], cwd[PATH_LEN];
    *s = (struct slurm_cmd){ .grid = g, .opts = o };
    if (getcwd(cwd, sizeof cwd) == NULL) return diag_set(d, ST_EWORLD, "cannot find out the folder at work: %s", strerror(errno));
    s->cwd = mem_strdup(cwd);
    s->dir = mem_printf("%s%s%s", dir[0] == '/' ? "" : cwd, dir[0] == '/' ? "" : "/", dir);
    hash_init(&h);
    hash_text(&h, s->dir);
    hash_hex(&h, hex);
    (void)snprintf(s->name, sizeof s->name, "fairway-%.16s", hex);
    TRY(find_array_max(s, d));
    slurm_cmd_cancel(s);
    slurm_cmd_clean(s->dir);
    return ST_OK;
}

void slurm_cmd_fini(struct slurm_cmd *s)
{
    mem_free(s->dir);
    mem_free(s->cwd);
    s->dir = s->cwd = NULL;
}

void slurm_cmd_cancel(const struct slurm_cmd *s)
{
    char name[64], user[32], *out = NULL;
    struct diag ignored = { 0 };
    (void)snprintf(name, sizeof name, "--name=%s", s->name);
    (void)snprintf(user, sizeof user, "--user=%ld", (long)getuid());
    const char *const argv[] = { "scancel", "--quiet", name, user, NULL };
    (void)call(argv, &out, &ignored);
    mem_free(out);
}

void slurm_cmd_cancel_task(uint64_t job, uint64_t index)
{
    char id[64], *out = NULL;
    struct diag ignored = { 0 };
    (void)snprintf(id, sizeof id, "%" PRIu64 "_%" PRIu64, job, index);
    const char *const argv[] = { "scancel", "--quiet", id, NULL };
    (void)call(argv, &out, &ignored);
    mem_free(out);
}

/* ---- sending ---- */

static enum st write_failed(const char *path, FILE *f, struct diag *d)
{
    bool bad = f == NULL || ferror(f) != 0;
    int error = errno;
    if (f != NULL && fclose(f) != 0) { bad = true; error = errno; }
    return bad ? diag_at(d, ST_EWORLD, path, 0, 0, "cannot be written: %s", strerror(error)) : ST_OK;
}

enum st slurm_cmd_list(struct slurm_cmd *s, const struct grid *g, const size_t *run, size_t n, struct diag *d)
{
    char path[PATH_LEN];
    (void)snprintf(path, sizeof path, "%s/list-%" PRIu32 ".txt", s->dir, ++s->n_lists);
    FILE *f = fopen(path, "w");
    for (size_t i = 0; i < n && f != NULL; i++) (void)fprintf(f, "%s\n", g->run[run[i]].key);
    return write_failed(path, f, d);
}

/* One word for the shell, whatever is in it. */
static void put_word(FILE *f, const char *word)
{
    (void)fputs(" '", f);
    for (; *word != '\0'; word++) {
        if (*word == '\'') (void)fputs("'\\''", f);
        else (void)fputc(*word, f);
    }
    (void)fputc('\'', f);
}

static enum st write_script(const struct slurm_cmd *s, const char *path, size_t first, struct diag *d)
{
    char program[PATH_LEN], list[PATH_LEN], per[32];
    const struct grid_opts *o = &s->grid->opts;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return diag_set(d, ST_EWORLD, "cannot find out the program's own path: %s", strerror(errno));
    program[n] = '\0';
    (void)snprintf(list, sizeof list, "%s/list-%" PRIu32 ".txt", s->dir, s->n_lists);
    (void)snprintf(per, sizeof per, "%zu", s->opts->per_task);
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        (void)fputs("#!/bin/sh\ncd", f);
        put_word(f, s->cwd);
        (void)fputs(" || exit 3\nexec", f);
        put_word(f, program);
        (void)fputs(" sweep --quiet", f);
        if (o->audit) (void)fputs(" --audit", f);
        if (o->strict) (void)fputs(" --strict", f);
        if (o->limits.no_exec) (void)fputs(" --no-exec", f);
        (void)fprintf(f, " --decide-timeout %" PRId64 "us --policy-memory %" PRId64 "B", o->limits.call_us, o->limits.mem_b);
        for (size_t i = 0; i < o->n_set; i++) { (void)fputs(" --set", f); put_word(f, o->set[i]); }
        (void)fputs(" --parts", f);
        put_word(f, s->dir);
        (void)fputs(" --list", f);
        put_word(f, list);
        (void)fputs(" --per-task", f);
        put_word(f, per);
        (void)fprintf(f, " --task $((SLURM_ARRAY_TASK_ID + %zu)) --", first);
        put_word(f, o->scenario);
        (void)fputc('\n', f);
    }
    return write_failed(path, f, d);
}

/* sbatch --parsable writes "JOB" or "JOB;CLUSTER", perhaps after a warning. */
static bool read_job(const char *text, uint64_t *job)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        if (*line == '\n') line++;
        char *end;
        if (*line < '0' || *line > '9') continue;
        *job = strtoull(line, &end, 10);
        if (*end == '\n' || *end == ';' || *end == '\0') return true;
    }
    return false;
}

enum st slurm_cmd_send(struct slurm_cmd *s, size_t first, size_t n, uint64_t *job, struct diag *d)
{
    char script[PATH_LEN], array[64], output[PATH_LEN + 32], name[64], *out;
    (void)snprintf(script, sizeof script, "%s/task-%" PRIu32 "-%zu.sh", s->dir, s->n_lists, first);
    TRY(write_script(s, script, first, d));
    (void)snprintf(array, sizeof array, "--array=0-%zu", n - 1);
    (void)snprintf(output, sizeof output, "--output=%s/log-%%A_%%a.txt", s->dir);
    (void)snprintf(name, sizeof name, "--job-name=%s", s->name);
    const char **argv, *const own[] = { "sbatch", "--parsable", "--no-requeue", name, array, output };
    size_t k = ARRAY_LEN(own);
    MEM_ARRAY(argv, k + s->opts->n_opts + 2);
    memcpy(argv, own, sizeof own);
    for (size_t i = 0; i < s->opts->n_opts; i++) argv[k++] = s->opts->opts[i];
    argv[k++] = script;
    argv[k] = NULL;
    enum st st = call(argv, &out, d);
    mem_free(argv);
    if (st != ST_OK) return st;
    if (!read_job(out, job)) st = diag_set(d, ST_EWORLD, "'sbatch' said '%.200s', expected a job's number", out);
    mem_free(out);
    return st;
}

/* ---- the queue ---- */

enum st slurm_cmd_queue(const struct slurm_cmd *s, struct slurm_queue *q, struct diag *d)
{
    char name[64], *out;
    *q = (struct slurm_queue){ .at = NULL };
    (void)snprintf(name, sizeof name, "--name=%s", s->name);
    const char *const argv[] = { "squeue", "--noheader", "--array", name, "--format=%F %K %T", NULL };
    TRY(call(argv, &out, d));
    for (const char *line = out; line != NULL && *line != '\0';) {
        char state[32];
        uint64_t job, index;
        if (sscanf(line, "%" SCNu64 " %" SCNu64 " %31s", &job, &index, state) == 3) {
            MEM_RESERVE(q->at, q->cap, q->n + 1);
            q->at[q->n].job = job;
            q->at[q->n].index = index;
            q->at[q->n].is_running = strcmp(state, "RUNNING") == 0;
            q->at[q->n++].is_ending = strcmp(state, "COMPLETING") == 0;
        }
        line = strchr(line, '\n');
        if (line != NULL) line++;
    }
    mem_free(out);
    return ST_OK;
}

void slurm_cmd_queue_fini(struct slurm_queue *q)
{
    mem_free(q->at);
    *q = (struct slurm_queue){ .at = NULL };
}

/* ---- cleaning ---- */

void slurm_cmd_clean(const char *dir)
{
    static const char *const own[] = { "list-", "task-", "log-" };
    DIR *at = opendir(dir);
    if (at == NULL) return;
    for (const struct dirent *e; (e = readdir(at)) != NULL;)
        for (size_t i = 0; i < ARRAY_LEN(own); i++) {
            char path[PATH_LEN];
            if (strncmp(e->d_name, own[i], strlen(own[i])) != 0) continue;
            (void)snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
            (void)unlink(path);
        }
    (void)closedir(at);
}
