/*
 * round.c -- reads a scheduling round (.inst), checks that its ids are whole, and
 * computes the costs of transfers.  O(size of the file).
 */
#include "input/flow/round.h"

#include <string.h>
#include "base/mem.h"
#include "input/flow/numbers.h"

#define SIZE_TOP (INT64_C(1) << 50)
#define COST_TOP (INT64_C(1) << 50)
enum { MANY = 1 << 26 };

int64_t flow_round_local(const struct flow_round *f, uint32_t task, uint32_t node)
{
    return mul_div(f->size[task], 1000000, f->disk[node]);
}

int64_t flow_round_rack(const struct flow_round *f, uint32_t task)
{
    return mul_div(f->size[task] * 1000, f->a1, f->b_rack);
}

int64_t flow_round_cross(const struct flow_round *f, uint32_t task)
{
    return mul_div(f->size[task] * 1000, f->a2, f->b_switch);
}

void flow_round_fini(struct flow_round *f)
{
    MEM_FREE(f->rack, f->disk, f->gpu_node, f->gpu_mem, f->job_n, f->job_share, f->task_job, f->size, f->mem, f->rep,
             f->rep0);
    *f = (struct flow_round){ 0 };
}

/* ---- .inst ---- */

struct reader {
    struct flow_words w;
    struct flow_round *f;
    size_t   n_rep, cap_rep;
    size_t  *rep_at;                    /* [n_tasks] while reading: tasks come in any order */
    uint32_t *n_rep_of;
    uint32_t *copies;                   /* scratch [nodes]: last task + 1 seen there */
    bool    *seen;                      /* of the section's ids */
    uint32_t left;                      /* lines that the section still lacks */
};

/* A section's rows: `tag id ...`, each id below n once. */
static enum st row(struct reader *r, const char *tag, uint32_t n, uint32_t *id, struct diag *d)
{
    char *word;
    enum st st = flow_words_line(&r->w, '#', &word, d);
    if (st == ST_END) return lines_fail(&r->w.l, NULL, d, "the file ends where %u more '%s' lines were expected", r->left, tag);
    TRY(st);
    if (strcmp(word, tag) != 0)
        return lines_fail(&r->w.l, word, d, "found '%.40s' where %u more '%s' lines were expected", word, r->left, tag);
    TRY(flow_words_u32(&r->w, "id", n - 1, id, d));
    if (r->seen[*id]) return lines_fail(&r->w.l, word, d, "'%s %u' is there already", tag, *id);
    r->seen[*id] = true;
    r->left--;
    return ST_OK;
}

static enum st section(struct reader *r, const char *name, uint32_t *n, struct diag *d)
{
    char *word;
    enum st st = flow_words_line(&r->w, '#', &word, d);
    if (st == ST_END) return lines_fail(&r->w.l, NULL, d, "the file ends where '%s' was expected", name);
    TRY(st);
    if (strcmp(word, name) != 0) return lines_fail(&r->w.l, word, d, "found '%.40s' where '%s' was expected", word, name);
    TRY(flow_words_u32(&r->w, "count", MANY, n, d));
    TRY(flow_words_end(&r->w, d));
    mem_free(r->seen);
    MEM_ARRAY(r->seen, *n);
    r->left = *n;
    return ST_OK;
}

static enum st head(struct reader *r, struct diag *d)
{
    struct flow_round *f = r->f;
    char *word;
    int64_t version;
    enum st st = flow_words_line(&r->w, '#', &word, d);
    if (st != ST_OK && st != ST_END) return st;
    if (st == ST_END || strcmp(word, "gsched") != 0)
        return lines_fail(&r->w.l, NULL, d, "not a scheduling round: its first line must be 'gsched 1'");
    TRY(flow_words_int(&r->w, "version", 1, 1, &version, d));
    st = flow_words_line(&r->w, '#', &word, d);
    if (st != ST_OK && st != ST_END) return st;
    if (st == ST_END || strcmp(word, "net") != 0) return lines_fail(&r->w.l, NULL, d, "expected 'net B_RACK B_SWITCH A1 A2 ALPHA'");
    TRY(flow_words_int(&r->w, "rack bandwidth", 1, SIZE_TOP, &f->b_rack, d));
    TRY(flow_words_int(&r->w, "switch bandwidth", 1, SIZE_TOP, &f->b_switch, d));
    TRY(flow_words_int(&r->w, "rack weight", 0, 1000000000, &f->a1, d));
    TRY(flow_words_int(&r->w, "switch weight", 0, 1000000000, &f->a2, d));
    TRY(flow_words_int(&r->w, "cost of leaving a task", 0, COST_TOP, &f->alpha, d));
    return flow_words_end(&r->w, d);
}

static enum st nodes(struct reader *r, struct diag *d)
{
    struct flow_round *f = r->f;
    TRY(section(r, "racks", &f->n_racks, d));
    TRY(section(r, "nodes", &f->n_nodes, d));
    MEM_ARRAY(f->rack, f->n_nodes);
    MEM_ARRAY(f->disk, f->n_nodes);
    if (f->n_nodes > 0 && f->n_racks == 0) return lines_fail(&r->w.l, NULL, d, "there are nodes but no racks");
    for (uint32_t i = 0, id; i < f->n_nodes; i++) {
        TRY(row(r, "n", f->n_nodes, &id, d));
        TRY(flow_words_u32(&r->w, "rack", f->n_racks - 1, &f->rack[id], d));
        TRY(flow_words_int(&r->w, "disk rate", 1, SIZE_TOP, &f->disk[id], d));
        TRY(flow_words_end(&r->w, d));
    }
    return ST_OK;
}

static enum st gpus_jobs(struct reader *r, struct diag *d)
{
    struct flow_round *f = r->f;
    TRY(section(r, "gpus", &f->n_gpus, d));
    MEM_ARRAY(f->gpu_node, f->n_gpus);
    MEM_ARRAY(f->gpu_mem, f->n_gpus);
    if (f->n_gpus > 0 && f->n_nodes == 0) return lines_fail(&r->w.l, NULL, d, "there are GPUs but no nodes");
    for (uint32_t i = 0, id; i < f->n_gpus; i++) {
        TRY(row(r, "g", f->n_gpus, &id, d));
        TRY(flow_words_u32(&r->w, "node", f->n_nodes - 1, &f->gpu_node[id], d));
        TRY(flow_words_int(&r->w, "memory", 0, SIZE_TOP, &f->gpu_mem[id], d));
        TRY(flow_words_end(&r->w, d));
    }
    TRY(section(r, "jobs", &f->n_jobs, d));
    MEM_ARRAY(f->job_n, f->n_jobs);
    MEM_ARRAY(f->job_share, f->n_jobs);
    for (uint32_t i = 0, id; i < f->n_jobs; i++) {
        TRY(row(r, "j", f->n_jobs, &id, d));
        TRY(flow_words_u32(&r->w, "number of tasks", MANY, &f->job_n[id], d));
        TRY(flow_words_u32(&r->w, "share", MANY, &f->job_share[id], d));
        TRY(flow_words_end(&r->w, d));
    }
    return ST_OK;
}

/* mul_div's result must fit; that the cost is sane is what users must hear. */
static enum st affordable(struct reader *r, uint32_t t, int64_t weight, int64_t rate, const char *how, struct diag *d)
{
    if ((sim_wide)r->f->size[t] * weight / rate <= COST_TOP) return ST_OK;
    return lines_fail(&r->w.l, NULL, d, "reading task %u %s takes more than 2^50 us (35 years)", t, how);
}

static enum st replicas(struct reader *r, uint32_t id, struct diag *d)
{
    struct flow_round *f = r->f;
    if (f->n_nodes == 0) return flow_words_u32(&r->w, "number of replicas", 0, &r->n_rep_of[id], d);
    TRY(flow_words_u32(&r->w, "number of replicas", f->n_nodes, &r->n_rep_of[id], d));
    r->rep_at[id] = r->n_rep;
    for (uint32_t k = 0, node; k < r->n_rep_of[id]; k++) {
        TRY(flow_words_u32(&r->w, "replica's node", f->n_nodes - 1, &node, d));
        if (r->copies[node] == id + 1) return lines_fail(&r->w.l, NULL, d, "task %u has two replicas on node %u", id, node);
        r->copies[node] = id + 1;
        TRY(affordable(r, id, 1000000, f->disk[node], "from its disk", d));
        MEM_PUSH(f->rep, r->n_rep, r->cap_rep, node);
    }
    return ST_OK;
}

static enum st tasks(struct reader *r, struct diag *d)
{
    struct flow_round *f = r->f;
    TRY(section(r, "tasks", &f->n_tasks, d));
    MEM_ARRAY(f->task_job, f->n_tasks);
    MEM_ARRAY(f->size, f->n_tasks);
    MEM_ARRAY(f->mem, f->n_tasks);
    MEM_ARRAY(r->rep_at, f->n_tasks);
    MEM_ARRAY(r->n_rep_of, f->n_tasks);
    MEM_ARRAY(r->copies, f->n_nodes);
    if (f->n_tasks > 0 && f->n_jobs == 0) return lines_fail(&r->w.l, NULL, d, "there are tasks but no jobs");
    for (uint32_t i = 0, id; i < f->n_tasks; i++) {
        TRY(row(r, "t", f->n_tasks, &id, d));
        TRY(flow_words_u32(&r->w, "job", f->n_jobs - 1, &f->task_job[id], d));
        TRY(flow_words_int(&r->w, "size", 0, SIZE_TOP, &f->size[id], d));
        TRY(flow_words_int(&r->w, "memory", 0, SIZE_TOP, &f->mem[id], d));
        TRY(affordable(r, id, 1000 * f->a1, f->b_rack, "within the rack", d));
        TRY(affordable(r, id, 1000 * f->a2, f->b_switch, "across racks", d));
        TRY(replicas(r, id, d));
        TRY(flow_words_end(&r->w, d));
    }
    return ST_OK;
}

/* Replicas were appended as the lines came; put them in order of task. */
static void sort_replicas(struct reader *r)
{
    struct flow_round *f = r->f;
    uint32_t *rep;
    size_t at = 0;
    MEM_ARRAY(rep, r->n_rep);
    MEM_ARRAY(f->rep0, (size_t)f->n_tasks + 1);
    for (uint32_t t = 0; t < f->n_tasks; t++) {
        f->rep0[t] = at;
        for (uint32_t k = 0; k < r->n_rep_of[t]; k++) rep[at++] = f->rep[r->rep_at[t] + k];
    }
    f->rep0[f->n_tasks] = at;
    mem_free(f->rep);
    f->rep = rep;
}

static enum st counts(struct reader *r, struct diag *d)
{
    struct flow_round *f = r->f;
    uint32_t *n;
    char *word;
    enum st st = flow_words_line(&r->w, '#', &word, d);
    if (st == ST_OK) return lines_fail(&r->w.l, word, d, "'%.40s' after the last task", word);
    if (st != ST_END) return st;
    MEM_ARRAY(n, f->n_jobs);
    for (uint32_t t = 0; t < f->n_tasks; t++) n[f->task_job[t]]++;
    st = ST_OK;
    for (uint32_t j = 0; j < f->n_jobs && st == ST_OK; j++)
        if (n[j] != f->job_n[j])
            st = lines_fail(&r->w.l, NULL, d, "job %u says that it has %u tasks, and %u are there", j, f->job_n[j], n[j]);
    mem_free(n);
    return st;
}

static enum st read_all(struct reader *r, struct diag *d)
{
    TRY(head(r, d));
    TRY(nodes(r, d));
    TRY(gpus_jobs(r, d));
    TRY(tasks(r, d));
    TRY(counts(r, d));
    sort_replicas(r);
    return ST_OK;
}

enum st flow_round_read(struct flow_round *f, const char *path, struct diag *d)
{
    struct reader r = { .f = f };
    *f = (struct flow_round){ 0 };
    TRY(lines_open(&r.w.l, path, d));
    enum st st = read_all(&r, d);
    lines_close(&r.w.l);
    mem_free(r.rep_at); mem_free(r.n_rep_of); mem_free(r.copies); mem_free(r.seen);
    if (st != ST_OK) flow_round_fini(f);
    return st;
}
