/*
 * scores.c -- what each node was to a task whenever it asked for one: the filter that struck it out, or what each
 * score plugin gave it, from the table `score`.
 */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "base/text.h"
#include "db/query.h"

enum { ASKS_SHOWN = 8, NODES_SHOWN = 8 };
static const char could_never[] = "could never hold it";

enum st explain_scores(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    sqlite3_stmt *q;
    TRY(explain_query(l, "SELECT s.ask, s.at_us, s.task, n.name, s.plugin, s.points, s.weight, s.lacks, s.is_chosen"
                      " FROM score s JOIN node n ON n.run = s.run AND n.node = s.node"
                      " WHERE s.run = ?1 AND s.ordinal = ?2 ORDER BY s.seq", &q, d));
    for (int64_t last = 0; sqlite3_step(q) == SQLITE_ROW;) {
        if (sqlite3_column_int64(q, 0) != last) {
            last = sqlite3_column_int64(q, 0);
            struct explain_ask *new = MEM_NEXT(e->ask, e->n_asks, e->cap_asks);
            *new = (struct explain_ask){ .at = sqlite3_column_int64(q, 1), .task = sqlite3_column_int64(q, 2) };
        }
        if (e->n_asks == 0) continue;       /* a file of another hand: questions count from 1 */
        struct explain_ask *a = &e->ask[e->n_asks - 1];
        MEM_PUSH(a->row, a->n, a->cap, (struct explain_score){
            .node = mem_strdup((const char *)sqlite3_column_text(q, 3)),
            .plugin = mem_strdup((const char *)sqlite3_column_text(q, 4)),
            .points = sqlite3_column_double(q, 5), .weight = sqlite3_column_double(q, 6),
            .lacks = (uint32_t)sqlite3_column_int64(q, 7), .is_chosen = sqlite3_column_int(q, 8) != 0 });
    }
    return query_end(l->store, q, d);
}

void explain_scores_fini(struct explain *e)
{
    for (size_t i = 0; i < e->n_asks; i++) {
        for (size_t k = 0; k < e->ask[i].n; k++) {
            mem_free(e->ask[i].row[k].node);
            mem_free(e->ask[i].row[k].plugin);
        }
        mem_free(e->ask[i].row);
    }
    mem_free(e->ask);
}

/* A node's rows: from the first on, n; what they come to. */
struct on_node { const struct explain_score *row; size_t n; double total; };

static int best_first(const void *pa, const void *pb)
{
    const struct on_node *a = pa, *b = pb;
    if (a->row->is_chosen != b->row->is_chosen) return a->row->is_chosen ? -1 : 1;
    if (a->total != b->total) return a->total > b->total ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Nodes in the order of their rows: struck [*n_struck] and scored [*n_scored], owned by the caller. */
static struct on_node *nodes_of(const struct explain_ask *a, struct on_node **struck, size_t *n_struck,
                                size_t *n_scored)
{
    struct on_node *scored;
    MEM_ARRAY(scored, a->n);
    MEM_ARRAY(*struck, a->n);
    *n_struck = *n_scored = 0;
    for (size_t i = 0, end; i < a->n; i = end) {
        struct on_node o = { .row = &a->row[i] };
        for (end = i; end < a->n && strcmp(a->row[end].node, o.row->node) == 0; end++)
            o.total += a->row[end].weight * a->row[end].points;
        o.n = end - i;
        if (o.row->weight > 0) scored[(*n_scored)++] = o;
        else (*struck)[(*n_struck)++] = o;
    }
    return scored;
}

static const char *struck_text(char *buf, size_t cap, const struct explain_score *s)
{
    char lacks[128];
    const bool never = (s->lacks & LACK_NEVER) != 0;
    explain_format_lacks(s->lacks, lacks, sizeof lacks);
    (void)snprintf(buf, cap, "%s%s%s", s->plugin, s->lacks == 0 ? "" : never ? ", " : ", short of ",
                   never ? could_never : lacks);
    return buf;
}

static void print_scored(const struct on_node *o, FILE *to)
{
    char text[512] = "", points[64], weight[32];
    size_t at = 0;
    for (size_t i = 0; i < o->n && at < sizeof text; i++) {
        const struct explain_score *s = &o->row[i];
        (void)snprintf(points, sizeof points, "%.6g", s->points);
        weight[0] = '\0';
        if (s->weight != 1) (void)snprintf(weight, sizeof weight, " x %g", s->weight);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s%s", i > 0 ? ", " : "", s->plugin, points, weight);
    }
    text_line(to, "%18.6g  %s: %s%s", o->total, o->row->node, text, o->row->is_chosen ? "; taken" : "");
}

/* Each filter, with what is lacking, once, and the nodes that it struck out. */
static void print_struck(const struct on_node *struck, size_t n, FILE *to)
{
    char text[256], other[256];
    for (size_t i = 0; i < n; i++) {
        struct explain_names names = { 0 };
        bool seen = false;
        (void)struck_text(text, sizeof text, struck[i].row);
        for (size_t k = 0; k < n; k++) {
            if (strcmp(struck_text(other, sizeof other, struck[k].row), text) != 0) continue;
            seen |= k < i;
            explain_names_add(&names, struck[k].row->node);
        }
        if (!seen) {
            char list[512] = "";
            size_t at = 0;
            for (size_t k = 0; k < names.n && at < sizeof list; k++)
                at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", k > 0 ? ", " : "", names.at[k]);
            text_line(to, "%18s  %zu node%s by %s: %s%s", "struck out", names.all, names.all == 1 ? "" : "s", text, list,
                      names.all > names.n ? " ..." : "");
        }
        for (size_t k = 0; k < names.n; k++) mem_free(names.at[k]);
        mem_free(names.at);
    }
}

static void print_ask(const struct explain *e, const struct explain_ask *a, FILE *to)
{
    char at[48], task[32] = "";
    struct on_node *struck;
    size_t n_struck, n_scored;
    struct on_node *scored = nodes_of(a, &struck, &n_struck, &n_scored);
    if (e->n_tasks > 1) (void)snprintf(task, sizeof task, "task %" PRId64 " ", a->task);
    text_line(to, "%16s  %sasked for a node; points of each:", explain_clock(at, sizeof at, a->at), task);
    if (n_scored > 0) qsort(scored, n_scored, sizeof *scored, best_first);
    for (size_t i = 0; i < n_scored && i < NODES_SHOWN; i++) print_scored(&scored[i], to);
    if (n_scored > NODES_SHOWN)
        text_line(to, "%18s  and %zu more nodes with no more points", "", n_scored - NODES_SHOWN);
    print_struck(struck, n_struck, to);
    mem_free(scored);
    mem_free(struck);
}

static bool is_granted(const struct explain_ask *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->row[i].is_chosen) return true;
    return false;
}

/* Those that led to a start, and of the others the first in a row. */
void explain_scores_print(const struct explain *e, FILE *to)
{
    size_t n = 0, left = 0;
    if (e->n_asks > 0) (void)fputc('\n', to);
    for (size_t i = 0; i < e->n_asks; i++) {
        const struct explain_ask *a = &e->ask[i];
        bool again = i > 0 && a->task == a[-1].task && !is_granted(a) && !is_granted(&a[-1]);
        if (again || n == ASKS_SHOWN) { left++; continue; }
        print_ask(e, a, to);
        n++;
    }
    if (left > 0) text_line(to, "%16s  and %zu more times; --json tells of each", "", left);
}

void explain_scores_json(const struct explain *e, json_t *o)
{
    if (e->n_asks == 0) return;
    json_t *asks = json_array();
    for (size_t i = 0; i < e->n_asks; i++) {
        const struct explain_ask *a = &e->ask[i];
        json_t *nodes = json_array();
        for (size_t k = 0, end; k < a->n; k = end) {
            const struct explain_score *s = &a->row[k];
            json_t *node = json_pack("{s:o, s:b}", "node", jsonout_text(s->node), "taken", s->is_chosen);
            json_t *scores = json_array();
            for (end = k; end < a->n && strcmp(a->row[end].node, s->node) == 0; end++)
                if (a->row[end].weight > 0)
                    (void)json_array_append_new(scores, json_pack(
                        "{s:o, s:f, s:f}", "plugin", jsonout_text(a->row[end].plugin), "points", a->row[end].points,
                        "weight", a->row[end].weight));
            char lacks[128];
            explain_format_lacks(s->lacks, lacks, sizeof lacks);
            (void)json_object_set_new(node, "struck_by", s->weight > 0 ? json_null() : jsonout_text(s->plugin));
            (void)json_object_set_new(node, "lacks", s->lacks == 0 ? json_null()
                                                     : jsonout_text((s->lacks & LACK_NEVER) != 0 ? could_never : lacks));
            (void)json_object_set_new(node, "plugins", scores);
            (void)json_array_append_new(nodes, node);
        }
        (void)json_array_append_new(asks, json_pack("{s:I, s:I, s:o}", "at_us", (json_int_t)a->at,
                                                    "task", (json_int_t)a->task, "nodes", nodes));
    }
    (void)json_object_set_new(o, "scores", asks);
}
