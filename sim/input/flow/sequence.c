/* sequence.c -- reads sequences of changes to a round (.seq), the second half of round.h, one round at a time. */
#include "input/flow/round.h"

#include <string.h>
#include "base/mem.h"
#include "input/flow/numbers.h"

struct flow_seq {
    struct flow_words w;
    const struct flow_round *base;
    bool *has_task, *has_gpu;           /* what is there, after the changes read */
    struct flow_change *change;
    size_t   n, cap;
    char    *pending;                   /* first word of a 'round' line read ahead */
    uint32_t next;
};

enum st flow_seq_open(struct flow_seq **out, const char *path, const struct flow_round *base, struct diag *d)
{
    struct flow_seq *s;
    char *word;
    int64_t version;
    MEM_NEW(s);
    s->base = base;
    MEM_ARRAY(s->has_task, base->n_tasks);
    MEM_ARRAY(s->has_gpu, base->n_gpus);
    *out = s;
    TRY(lines_open(&s->w.l, path, d));
    enum st st = flow_words_line(&s->w, '#', &word, d);
    if (st != ST_OK && st != ST_END) return st;
    if (st == ST_END || strcmp(word, "gseq") != 0)
        return lines_fail(&s->w.l, NULL, d, "not a sequence of rounds: its first line must be 'gseq 1'");
    TRY(flow_words_int(&s->w, "version", 1, 1, &version, d));
    return flow_words_end(&s->w, d);
}

void flow_seq_close(struct flow_seq *s)
{
    if (s == NULL) return;
    lines_close(&s->w.l);
    MEM_FREE(s->has_task, s->has_gpu, s->change, s);
}

static enum st flip(struct flow_seq *s, const char *word, bool *has, uint32_t n, const char *what, struct flow_change *c, struct diag *d)
{
    bool comes = word[0] == '+';
    if (n == 0) return lines_fail(&s->w.l, word, d, "the instance has no %s", what);
    TRY(flow_words_u32(&s->w, what, n - 1, &c->id, d));
    if (has[c->id] == comes) return lines_fail(&s->w.l, word, d, "%s %u is %s", what, c->id, comes ? "there already" : "not there");
    has[c->id] = comes;
    return ST_OK;
}

static enum st change(struct flow_seq *s, const char *word, struct diag *d)
{
    static const char *const known[] = { "+t", "-t", "+g", "-g", "s", "opt", "round" };
    struct flow_change c = { 0 };
    if (strcmp(word, "+t") == 0 || strcmp(word, "-t") == 0) {
        c.what = word[0] == '+' ? FLOW_TASK_COMES : FLOW_TASK_GOES;
        TRY(flip(s, word, s->has_task, s->base->n_tasks, "task", &c, d));
    } else if (strcmp(word, "+g") == 0 || strcmp(word, "-g") == 0) {
        c.what = word[0] == '+' ? FLOW_GPU_COMES : FLOW_GPU_GOES;
        TRY(flip(s, word, s->has_gpu, s->base->n_gpus, "GPU", &c, d));
    } else if (strcmp(word, "s") == 0) {
        if (s->base->n_jobs == 0) return lines_fail(&s->w.l, word, d, "the instance has no jobs");
        c.what = FLOW_SHARE;
        TRY(flow_words_u32(&s->w, "job", s->base->n_jobs - 1, &c.id, d));
        TRY(flow_words_u32(&s->w, "share", UINT32_MAX / 2, &c.share, d));
    } else {
        return flow_words_unknown(&s->w, word, known, ARRAY_LEN(known), d);
    }
    MEM_PUSH(s->change, s->n, s->cap, c);
    return flow_words_end(&s->w, d);
}

static enum st optimum(struct flow_seq *s, struct flow_seq_round *out, struct diag *d)
{
    if (out->has_opt) return lines_fail(&s->w.l, NULL, d, "a second optimum in one round");
    out->has_opt = true;
    TRY(flow_words_int(&s->w, "flow", 0, INT64_MAX, &out->flow, d));
    TRY(flow_words_int(&s->w, "cost", INT64_MIN, INT64_MAX, &out->cost, d));
    return flow_words_end(&s->w, d);
}

enum st flow_seq_next(struct flow_seq *s, struct flow_seq_round *out, struct diag *d)
{
    char *word = s->pending;
    enum st st;
    s->n = 0;
    if (word == NULL) TRY(flow_words_line(&s->w, '#', &word, d));
    s->pending = NULL;
    if (strcmp(word, "round") != 0) return lines_fail(&s->w.l, word, d, "found '%.40s' where 'round' was expected", word);
    *out = (struct flow_seq_round){ .line = s->w.l.line };
    TRY(flow_words_u32(&s->w, "number of the round", UINT32_MAX - 1, &out->number, d));
    if (out->number < s->next) return lines_fail(&s->w.l, NULL, d, "round %u after round %u", out->number, s->next - 1);
    s->next = out->number + 1;
    TRY(flow_words_end(&s->w, d));
    while ((st = flow_words_line(&s->w, '#', &word, d)) == ST_OK) {
        if (strcmp(word, "round") == 0) { s->pending = word; break; }
        if (strcmp(word, "opt") == 0) TRY(optimum(s, out, d));
        else if (out->has_opt) return lines_fail(&s->w.l, word, d, "a change after the round's optimum");
        else TRY(change(s, word, d));
    }
    if (st != ST_OK && st != ST_END) return st;
    out->change = s->change;
    out->n = s->n;
    return ST_OK;
}
