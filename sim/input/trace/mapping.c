/* mapping.c -- maps of mapping.h, read from YAML and checked before any row is. */
#include "input/trace/mapping.h"

#include <string.h>
#include "base/embed.h"
#include "base/mem.h"

const struct mapping_figure_kind mapping_figures[MAPPING_FIGURES] = {
    [MAPPING_ID] = { "id", MAPPING_TEXT },
    [MAPPING_SUBMIT] = { "submit", MAPPING_INSTANT },
    [MAPPING_START] = { "start", MAPPING_INSTANT },
    [MAPPING_WAIT] = { "wait", MAPPING_SPAN },
    [MAPPING_END] = { "end", MAPPING_INSTANT },
    [MAPPING_DURATION] = { "duration", MAPPING_SPAN },
    [MAPPING_LIMIT] = { "limit", MAPPING_SPAN },
    [MAPPING_USER] = { "user", MAPPING_TEXT },
    [MAPPING_QUEUE] = { "queue", MAPPING_TEXT },
    [MAPPING_MODEL] = { "model", MAPPING_TEXT },
    [MAPPING_CLASS] = { "class", MAPPING_TEXT },
    [MAPPING_TASKS] = { "tasks", MAPPING_COUNT },
    [MAPPING_GANG] = { "gang", MAPPING_COUNT },
    [MAPPING_GPUS] = { "gpus", MAPPING_COUNT },
    [MAPPING_CPUS] = { "cpus", MAPPING_COUNT },
    [MAPPING_MEM] = { "mem", MAPPING_BYTES },
    [MAPPING_GPU_TYPE] = { "gpu_type", MAPPING_TEXT },
    [MAPPING_GPU_MEM] = { "gpu_mem", MAPPING_BYTES },
    [MAPPING_LABELS] = { "labels", MAPPING_TEXT },
    [MAPPING_EXCLUSIVE] = { "exclusive", MAPPING_COUNT },
    [MAPPING_PRIORITY] = { "priority", MAPPING_COUNT },
    [MAPPING_NODES] = { "nodes", MAPPING_TEXT },
    [MAPPING_STATE] = { "state", MAPPING_TEXT },
};

/* ---- one value ---- */

static enum st read_unit(struct mapping_value *v, const struct ydoc_node *n, struct diag *d)
{
    const char *unit = NULL;
    char one[64], error[128];
    v->unit = v->dimension == MAPPING_INSTANT || v->dimension == MAPPING_SPAN ? TICK_SEC : 0;
    TRY(ydoc_str(n, "unit", &unit, d));
    if (unit == NULL) return ST_OK;
    if (v->dimension == MAPPING_TEXT || v->dimension == MAPPING_COUNT)
        return ydoc_expected(ydoc_get(n, "unit"), d, "none, as this figure has no unit");
    (void)snprintf(one, sizeof one, "1%.50s", unit);
    if (text_parse(one, v->dimension == MAPPING_BYTES ? TEXT_BYTES : TEXT_DURATION, 0, &v->unit, error, sizeof error))
        return ST_OK;
    return ydoc_expected(ydoc_get(n, "unit"), d, "%s",
                         v->dimension == MAPPING_BYTES ? "B, kB, MB, MiB, GiB..." : "us, ms, s, m, h or d");
}

static enum st check_dates(const struct ydoc_node *n, struct value_dates *out, struct diag *d)
{
    TRY(ydoc_str(n, "dates", &out->pattern, d));
    TRY(ydoc_str(n, "zone", &out->zone, d));
    if (out->pattern != NULL && strcmp(out->pattern, "iso") == 0) out->pattern = NULL;
    const struct ydoc_node *dates = ydoc_get(n, "dates"), *zone = ydoc_get(n, "zone");
    if (dates != NULL && out->pattern != NULL && !value_is_pattern(out->pattern))
        return ydoc_expected(dates, d,
                             "'iso', or a pattern of YYYY, MM, DD, hh, mm and ss, each at most once, with a day in it");
    if (zone != NULL && !value_is_zone(out->zone))
        return ydoc_expected(
            zone, d, "an offset such as '+08:00', or a time zone that this machine knows, such as Europe/Berlin");
    return ST_OK;
}

static enum st read_expr(struct mapping_value *v, const struct ydoc_node *n, struct diag *d)
{
    char error[256];
    if (n->type != YDOC_SCALAR || ydoc_is_null(n)) return ydoc_expected(n, d, "a column or an expression");
    if (strcmp(n->text, "TODO") == 0)
        return ydoc_error(n, d, "'%s' is still to be filled in", n->key != NULL ? n->key : "TODO");
    v->expr = expr_parse(n->text, error, sizeof error);
    return v->expr != NULL ? ST_OK : ydoc_error(n, d, "%s", error);
}

static enum st read_value(struct mapping_value *v, const struct ydoc_node *n, enum mapping_dimension dimension,
                          const struct value_dates *dates, struct diag *d)
{
    static const char *const keys[] = { "value", "unit", "dates", "zone", "optional", "prefix", "join" };
    *v = (struct mapping_value){ .node = n, .dimension = dimension, .dates = *dates };
    TRY(read_unit(v, n, d));
    if (n->type != YDOC_MAP) return read_expr(v, n, d);
    TRY(ydoc_keys(n, n->key != NULL ? n->key : "the value", keys, ARRAY_LEN(keys), d));
    TRY(check_dates(n, &v->dates, d));
    TRY(ydoc_bool(n, "optional", &v->is_optional, d));
    TRY(ydoc_str(n, "prefix", &v->prefix, d));
    const struct ydoc_node *value = ydoc_get(n, "value"), *join = ydoc_get(n, "join"), *prefix = ydoc_get(n, "prefix");
    if (dimension != MAPPING_TEXT && (prefix != NULL || join != NULL))
        return ydoc_key_error(prefix != NULL ? prefix : join, d, "'prefix' and 'join' go with figures that are texts");
    if (join != NULL) {
        MEM_NEW(v->join);
        *v->join = (struct mapping_value){ .node = join, .dimension = dimension };
        TRY(read_expr(v->join, join, d));
    }
    if (value != NULL) return read_expr(v, value, d);
    return v->prefix != NULL ? ST_OK : ydoc_error(n, d, "found no 'value'");
}

/* ---- the map ---- */

static enum st read_words(const struct ydoc_node *map, const char *key, const char ***out, size_t *n, struct diag *d)
{
    const struct ydoc_node *list;
    TRY(ydoc_list(map, key, &list, d));
    if (list == NULL || list->n == 0) return ST_OK;
    MEM_ARRAY(*out, list->n);
    *n = list->n;
    for (size_t i = 0; i < list->n; i++) {
        if (list->at[i]->type != YDOC_SCALAR) return ydoc_expected(list->at[i], d, "a word");
        (*out)[i] = list->at[i]->text;
    }
    return ST_OK;
}

static enum st read_kind(struct mapping *m, const struct ydoc_node *n, struct diag *d)
{
    static const char *const words[] = { "comma", "tab", "pipe", "semicolon", "json" };
    static const char kinds[] = { ',', '\t', '|', ';', ROWS_JSON };
    uint32_t i = 0;
    if (ydoc_get(n, "separator") == NULL) return ST_OK;
    TRY(ydoc_choice(n, "separator", words, ARRAY_LEN(words), &i, d));
    m->kind = kinds[i];
    return ST_OK;
}

static enum st read_columns(struct mapping *m, const struct ydoc_node *n, const struct value_dates *dates,
                            struct diag *d)
{
    const char *names[MAPPING_FIGURES];
    const struct ydoc_node *columns;
    for (size_t i = 0; i < MAPPING_FIGURES; i++) names[i] = mapping_figures[i].name;
    TRY(ydoc_map(n, "columns", &columns, d));
    if (columns == NULL) return ydoc_error(n, d, "found no 'columns' in the map");
    TRY(ydoc_keys(columns, "columns", names, MAPPING_FIGURES, d));
    for (size_t i = 0; i < MAPPING_FIGURES; i++) {
        const struct ydoc_node *v = ydoc_get(columns, names[i]);
        if (v != NULL) TRY(read_value(&m->of[i], v, mapping_figures[i].dimension, dates, d));
    }
    const struct mapping_value *of = m->of;
    if (of[MAPPING_SUBMIT].node == NULL) return ydoc_error(columns, d, "found no 'submit', when each job arrived");
    if (of[MAPPING_START].node != NULL && of[MAPPING_WAIT].node != NULL)
        return ydoc_key_error(of[MAPPING_WAIT].node, d,
                              "found both 'start' and 'wait'; each alone says when a job started");
    if (of[MAPPING_DURATION].node != NULL) return ST_OK;
    if (of[MAPPING_END].node != NULL && (of[MAPPING_START].node != NULL || of[MAPPING_WAIT].node != NULL)) return ST_OK;
    return ydoc_error(columns, d,
                      "found no 'duration', nor 'end' with 'start' or 'wait', which say how long each job ran");
}

/* Of a ready map, by its name. */
static enum st load_ready(struct mapping *m, const char *name, struct diag *d)
{
    char *names[64];
    size_t n = 0;
    char *file = mem_printf("%s.yaml", name), *shown = mem_printf("map %s", name);
    const struct embed_file *f = embed_files;
    for (; f->name != NULL && strcmp(f->name, file) != 0; f++)
        if (strlen(f->name) > 5 && strcmp(f->name + strlen(f->name) - 5, ".yaml") == 0 && n < ARRAY_LEN(names))
            names[n++] = mem_strndup(f->name, strlen(f->name) - 5);
    enum st st =
        f->name != NULL
            ? ydoc_parse(&m->doc, shown, f->text, d)
            : diag_set(d, ST_EINPUT,
                       "there is no ready map '%s'; a map of your own is named with its ending, as in map.yaml", name);
    if (f->name == NULL) (void)diag_suggest(d, name, (const char *const *)names, n);
    while (n > 0) mem_free(names[--n]);
    mem_free(file);
    mem_free(shown);
    return st;
}

enum st mapping_read(struct mapping *m, const struct trace_document *from, struct diag *d)
{
    static const char *const keys[] = { "separator", "header", "dates", "zone", "empty", "where", "columns" };
    const struct ydoc_node *n = from->node, *where;
    struct value_dates dates = { .pattern = NULL };
    if (from->name != NULL) TRY(load_ready(m, from->name, d));
    else if (from->path != NULL) TRY(ydoc_load(&m->doc, from->path, d));
    if (n == NULL) n = m->doc.root;
    if (n == NULL || n->type != YDOC_MAP)
        return diag_set(d, ST_EINPUT, "a table needs a map, which says what its columns are (map)");
    TRY(ydoc_keys(n, "the map", keys, ARRAY_LEN(keys), d));
    TRY(read_kind(m, n, d));
    TRY(read_words(n, "header", &m->header, &m->n_header, d));
    TRY(read_words(n, "empty", &m->empty, &m->n_empty, d));
    TRY(check_dates(n, &dates, d));
    TRY(ydoc_list(n, "where", &where, d));
    if (where != NULL && where->n > 0) MEM_ARRAY(m->where, where->n);
    for (size_t i = 0; where != NULL && i < where->n; i++) {
        TRY(read_value(&m->where[i], where->at[i], MAPPING_COUNT, &dates, d));
        m->n_where++;
    }
    return read_columns(m, n, &dates, d);
}

static void free_value(struct mapping_value *v)
{
    if (v->join != NULL) free_value(v->join);
    mem_free(v->join);
    expr_free(v->expr);
    mem_free(v->column);
}

void mapping_fini(struct mapping *m)
{
    for (size_t i = 0; i < m->n_where; i++) free_value(&m->where[i]);
    for (size_t i = 0; i < MAPPING_FIGURES; i++) free_value(&m->of[i]);
    MEM_FREE(m->where, m->header, m->empty);
    ydoc_fini(&m->doc);
}

static enum st bind(struct mapping_value *v, struct rows *r, const char *path, struct diag *d)
{
    size_t n;
    const char *const *header = rows_header(r, &n);
    if (v->join != NULL) TRY(bind(v->join, r, path, d));
    if (v->expr == NULL) return ST_OK;
    MEM_ARRAY(v->column, expr_n_names(v->expr));
    for (size_t i = 0; i < expr_n_names(v->expr); i++) {
        v->column[i] = rows_column(r, expr_name(v->expr, i));
        if (v->column[i] >= 0 || v->is_optional) continue;
        (void)ydoc_error(v->node, d, "names column '%s', which %s does not have", expr_name(v->expr, i), path);
        return diag_suggest(d, expr_name(v->expr, i), (const char *const *)header, n);
    }
    return ST_OK;
}

enum st mapping_bind(struct mapping *m, struct rows *r, const char *path, struct diag *d)
{
    for (size_t i = 0; i < m->n_where; i++) TRY(bind(&m->where[i], r, path, d));
    for (size_t i = 0; i < MAPPING_FIGURES; i++) TRY(bind(&m->of[i], r, path, d));
    return ST_OK;
}
