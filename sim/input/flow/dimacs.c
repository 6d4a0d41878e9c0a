/*
 * dimacs.c -- the reader of dimacs.h.  Figures stay below 2^60, so that a solver may add a few.
 * Source: DIMACS, "The First DIMACS International Algorithm Implementation Challenge: Problem definitions", 1990.
 */
#include "input/flow/dimacs.h"

#include <string.h>
#include "base/mem.h"
#include "input/flow/numbers.h"

#define FIGURE_MAX (INT64_C(1) << 60)

void flow_net_fini(struct flow_net *f)
{
    mem_free(f->supply); mem_free(f->from); mem_free(f->to); mem_free(f->cap); mem_free(f->cost);
    *f = (struct flow_net){ 0 };
}

static enum st problem(struct flow_net *f, struct flow_words *w, struct diag *d)
{
    char *problem = lines_word(&w->l, &w->at);
    if (problem == NULL || strcmp(problem, "min") != 0)
        return lines_fail(&w->l, problem, d, "the problem is '%.40s', expected 'min'", problem != NULL ? problem : "");
    if (f->supply != NULL) return lines_fail(&w->l, NULL, d, "a second 'p' line");
    TRY(flow_words_u32(w, "number of nodes", FLOW_NET_MAX, &f->n, d));
    TRY(flow_words_u32(w, "number of arcs", FLOW_NET_MAX, &f->m, d));
    TRY(flow_words_end(w, d));
    MEM_ARRAY(f->supply, f->n);
    return ST_OK;
}

static enum st node(struct flow_net *f, struct flow_words *w, struct diag *d)
{
    int64_t u, b;
    TRY(flow_words_int(w, "node", 1, f->n, &u, d));
    TRY(flow_words_int(w, "supply", -FIGURE_MAX, FIGURE_MAX, &b, d));
    if (f->supply[u - 1] != 0) return lines_fail(&w->l, NULL, d, "node %ld has a supply already", (long)u);
    f->supply[u - 1] = b;
    return flow_words_end(w, d);
}

struct room { size_t from, to, cap, cost; };

/* Room grows with the arcs that are there, not with what the header claims. */
static enum st arc(struct flow_net *f, uint32_t at, struct room *r, struct flow_words *w, struct diag *d)
{
    int64_t u, v, low;
    if (at == f->m) return lines_fail(&w->l, NULL, d, "more arcs than the %u of the 'p' line", f->m);
    MEM_RESERVE(f->from, r->from, at + 1u);
    MEM_RESERVE(f->to, r->to, at + 1u);
    MEM_RESERVE(f->cap, r->cap, at + 1u);
    MEM_RESERVE(f->cost, r->cost, at + 1u);
    TRY(flow_words_int(w, "tail", 1, f->n, &u, d));
    TRY(flow_words_int(w, "head", 1, f->n, &v, d));
    TRY(flow_words_int(w, "lower bound (none but 0 is supported)", 0, 0, &low, d));
    TRY(flow_words_int(w, "capacity", 0, FIGURE_MAX, &f->cap[at], d));
    TRY(flow_words_int(w, "cost", -FIGURE_MAX, FIGURE_MAX, &f->cost[at], d));
    f->from[at] = (uint32_t)u - 1;
    f->to[at] = (uint32_t)v - 1;
    return flow_words_end(w, d);
}

static enum st body(struct flow_net *f, struct flow_words *w, struct diag *d)
{
    static const char *const known[] = { "c", "p", "n", "a" };
    struct room r = { 0 };
    uint32_t n_arcs = 0;
    char *word;
    enum st st;
    while ((st = flow_words_line(w, 'c', &word, d)) == ST_OK) {
        if (strcmp(word, "p") == 0) TRY(problem(f, w, d));
        else if (strcmp(word, "n") != 0 && strcmp(word, "a") != 0) return flow_words_unknown(w, word, known, ARRAY_LEN(known), d);
        else if (f->supply == NULL) return lines_fail(&w->l, word, d, "a 'p min NODES ARCS' line must come first");
        else if (word[0] == 'n') TRY(node(f, w, d));
        else TRY(arc(f, n_arcs++, &r, w, d));
    }
    if (st != ST_END) return st;
    if (f->supply == NULL) return lines_fail(&w->l, NULL, d, "the file ends without a 'p min' line");
    if (n_arcs < f->m) return lines_fail(&w->l, NULL, d, "the file ends after %u of %u arcs", n_arcs, f->m);
    return ST_OK;
}

enum st flow_net_read(struct flow_net *f, const char *path, struct diag *d)
{
    struct flow_words w = { .at = 0 };
    *f = (struct flow_net){ 0 };
    TRY(lines_open(&w.l, path, d));
    enum st st = body(f, &w, d);
    lines_close(&w.l);
    if (st != ST_OK) flow_net_fini(f);
    return st;
}
