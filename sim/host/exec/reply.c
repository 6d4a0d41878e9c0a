/* reply.c -- a line parsed by jansson, then read field by field into the structs of reply.h. */
#include "host/exec/reply.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "base/diag.h"
#include "base/mem.h"

static const char *const type_name[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "a string", [JSON_INTEGER] = "a whole number",
    [JSON_REAL] = "a number with a fraction", [JSON_TRUE] = "true", [JSON_FALSE] = "false", [JSON_NULL] = "null",
};

/* ---- fields ---- */

/* `word` is none of cand [n]. */
static bool unknown(char *error, const char *what, const char *word, const char *const *cand, size_t n)
{
    const char *near = diag_nearest(word, cand, n);
    if (near != NULL) return reply_error(error, "found %s '%.60s'; did you mean '%s'?", what, word, near);
    int at = snprintf(error, REPLY_ERROR_MAX, "found %s '%.60s', expected one of", what, word);
    for (size_t i = 0; i < n && at < REPLY_ERROR_MAX; i++)
        at += snprintf(error + at, (size_t)(REPLY_ERROR_MAX - at), "%s %s", i ? "," : "", cand[i]);
    return false;
}

static bool has_only(const json_t *o, const char *const *field, size_t n, char *error)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)o, key, v) {
        bool known = false;
        for (size_t i = 0; i < n; i++) known |= strcmp(key, field[i]) == 0;
        if (!known) return unknown(error, "the field", key, field, n);
    }
    return true;
}

static bool wrong(char *error, const char *key, const json_t *found, const char *want)
{
    if (found == NULL) return reply_error(error, "the field '%s' is missing; expected %s", key, want);
    return reply_error(error, "'%s' is %s; expected %s", key, type_name[json_typeof(found)], want);
}

static bool get_int(const json_t *o, const char *key, int64_t max, int64_t *out, char *error)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_integer(v)) return wrong(error, key, v, "a whole number");
    *out = json_integer_value(v);
    if (*out < 0 || *out > max)
        return reply_error(error, "'%s' is %" PRId64 "; expected a number from 0 to %" PRId64, key, *out, max);
    return true;
}

static bool get_u32(const json_t *o, const char *key, uint32_t *out, char *error)
{
    int64_t v = 0;
    bool ok = get_int(o, key, UINT32_MAX - 1, &v, error);
    *out = (uint32_t)v;
    return ok;
}

static bool get_job(const json_t *o, const char *key, uint64_t *out, char *error)
{
    int64_t v = 0;
    bool ok = get_int(o, key, INT64_MAX, &v, error);
    *out = (uint64_t)v;
    return ok;
}

/* An absent one leaves *out as it is, unless it must be there. */
static bool get_text(const json_t *o, const char *key, bool must, const char **out, char *error)
{
    const json_t *v = json_object_get(o, key);
    if (v == NULL && !must) return true;
    if (!json_is_string(v)) return wrong(error, key, v, "a string");
    *out = json_string_value(v);
    return true;
}

static bool get_bool(const json_t *o, const char *key, bool *out, char *error)
{
    const json_t *v = json_object_get(o, key);
    if (v == NULL) return true;
    if (!json_is_boolean(v)) return wrong(error, key, v, "true or false");
    *out = json_is_true(v);
    return true;
}

/* The number of an engine or licence that the cluster names. */
static bool find_name(const struct reply *r, uint32_t kind, const char *what, const char *word, uint32_t *out, char *error)
{
    const char **name = NULL;
    size_t cap = 0;
    uint32_t n = 0;
    for (const char *s; r->host != NULL && (s = r->host->name(r->host->ctx, kind, n)) != NULL; name[n++] = s)
        MEM_RESERVE(name, cap, (size_t)n + 1);
    for (*out = 0; *out < n && strcmp(word, name[*out]) != 0; ++*out) { }
    bool ok = *out < n;
    if (!ok && n == 0) (void)reply_error(error, "found %s '%.60s'; the cluster has none", what, word);
    else if (!ok) (void)unknown(error, what, word, name, n);
    mem_free(name);
    return ok;
}

/* [0, 3] as bits. */
static bool card_bits(const json_t *v, const char *key, uint64_t *out, char *error)
{
    *out = 0;
    if (!json_is_array(v)) return wrong(error, key, v, "a list of card numbers");
    for (size_t i = 0; i < json_array_size(v); i++) {
        const json_t *c = json_array_get(v, i);
        json_int_t k = json_integer_value(c);
        if (!json_is_integer(c) || k < 0 || k >= NODE_GPUS_MAX)
            return reply_error(error, "'%s' holds something that is no card number (0 to %d)", key, NODE_GPUS_MAX - 1);
        if ((*out >> k & 1) != 0) return reply_error(error, "'%s' names card %d twice", key, (int)k);
        *out |= UINT64_C(1) << k;
    }
    return true;
}

/* ---- lines ---- */

/* Parse one line as an object with a field msg; NULL with error filled. */
static json_t *parse(const char *line, size_t n, const char **msg, char *error)
{
    json_error_t e;
    json_t *doc = json_loadb(line, n, JSON_REJECT_DUPLICATES, &e);
    if (doc == NULL) {
        size_t from = e.position > 20 ? (size_t)e.position - 20 : 0;
        if (from > n) from = n;
        int len = n - from > 60 ? 60 : (int)(n - from);
        (void)reply_error(error, "it is not JSON: column %d: %.160s; there it reads: %.*s", e.column, e.text, len, line + from);
        for (char *c = error; *c != '\0'; c++)        /* a terminal is to show it as text */
            if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
        return NULL;
    }
    *msg = NULL;
    if (!json_is_object(doc)) (void)reply_error(error, "it is %s; expected an object such as {\"msg\":\"decisions\",\"decisions\":[]}", type_name[json_typeof(doc)]);
    else if (get_text(doc, "msg", true, msg, error)) return doc;
    json_decref(doc);
    return NULL;
}

/* ---- hello ---- */

static bool is_name(const char *s)
{
    return s[0] != '\0' && strlen(s) <= 40 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}

static bool read_flags(const json_t *list, uint32_t *flags, char *error)
{
    static const char *const word[] = {
        "preempts", "uses_limits", "clairvoyant", "by_count", "strands", "runs_calls", "takes_refusals",
    };
    static const uint32_t bit[] = {
        POL_PREEMPTS, POL_USES_LIMITS, POL_CLAIRVOYANT, POL_BY_COUNT, POL_STRANDS, POL_RUNS_CALLS, POL_TAKES_REFUSALS,
    };
    if (list == NULL) return true;
    if (!json_is_array(list)) return wrong(error, "flags", list, "a list of words");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_string(v)) return wrong(error, "flags", v, "words in its list");
        size_t k = 0;
        while (k < ARRAY_LEN(word) && strcmp(json_string_value(v), word[k]) != 0) k++;
        if (k == ARRAY_LEN(word)) return unknown(error, "the flag", json_string_value(v), word, ARRAY_LEN(word));
        *flags |= bit[k];
    }
    return true;
}

/* "name:key=value,..." as specs of built-ins read. */
static bool read_label(const json_t *params, const char *name, char **out, char *error)
{
    const char *key;
    json_t *v;
    size_t n = strlen(name) + 1;
    if (params != NULL && !json_is_object(params)) return wrong(error, "params", params, "an object of strings");
    json_object_foreach((json_t *)params, key, v) {
        if (!json_is_string(v)) return wrong(error, "params", v, "strings in its object");
        n += strlen(key) + json_string_length(v) + 2;
    }
    char *s = *out = mem_alloc(n, 1);
    int at = snprintf(s, n, "%s", name);
    bool is_first = true;
    json_object_foreach((json_t *)params, key, v) {
        at += snprintf(s + at, n - (size_t)at, "%c%s=%s", is_first ? ':' : ',', key, json_string_value(v));
        is_first = false;
    }
    return true;
}

static bool read_hello(struct reply_hello *out, const json_t *doc, const char *msg, char *error)
{
    static const char *const field[] = { "msg", "protocol", "name", "source", "summary", "params", "flags" };
    const char *name = NULL, *source = "a program of its own", *summary = "";
    int64_t protocol = 0;
    if (strcmp(msg, "hello") != 0) return reply_error(error, "found the message '%.60s', expected 'hello'", msg);
    if (!get_int(doc, "protocol", INT32_MAX, &protocol, error)) return false;
    if (protocol != MESSAGE_PROTOCOL)      /* first: another version may have other fields */
        return reply_error(error, "it speaks version %" PRId64 " of the protocol; this program speaks version %d", protocol, MESSAGE_PROTOCOL);
    if (!has_only(doc, field, ARRAY_LEN(field), error) || !get_text(doc, "name", true, &name, error) ||
        !get_text(doc, "source", false, &source, error) || !get_text(doc, "summary", false, &summary, error)) return false;
    if (!is_name(name)) return reply_error(error, "its name is '%.60s'; expected up to 40 of a-z, 0-9 and '-'", name);
    if (!read_flags(json_object_get(doc, "flags"), &out->flags, error) ||
        !read_label(json_object_get(doc, "params"), name, &out->label, error)) return false;
    out->name = mem_strdup(name);
    out->source = mem_strdup(source);
    out->summary = mem_strdup(summary);
    return true;
}

bool reply_hello(struct reply_hello *out, const char *line, size_t n, char *error)
{
    const char *msg;
    memset(out, 0, sizeof *out);
    json_t *doc = parse(line, n, &msg, error);
    if (doc == NULL) return false;
    bool ok = read_hello(out, doc, msg, error);
    if (!ok) reply_hello_fini(out);
    json_decref(doc);
    return ok;
}

void reply_hello_fini(struct reply_hello *r)
{
    mem_free(r->name); mem_free(r->source); mem_free(r->summary); mem_free(r->label);
    memset(r, 0, sizeof *r);
}

/* ---- answers to a round ---- */

static bool is_number_below(const json_t *v, uint32_t below)
{
    return json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) < below;
}

/* [[call, from, to], ...] */
static bool read_ways(struct reply *r, const json_t *list, char *error)
{
    r->n_ways = 0;
    if (list != NULL && !json_is_array(list)) return wrong(error, "overhead", list, "a list of [call, from, to]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        bool ok = json_array_size(v) == 3;
        for (size_t k = 0; k < 3 && ok; k++) ok = is_number_below(json_array_get(v, k), UINT32_MAX);
        if (!ok) return reply_error(error, "'overhead' holds something that is not [call, from, to] in whole numbers");
        MEM_RESERVE(r->way, r->cap_ways, r->n_ways + 1);
        r->way[r->n_ways++] = (struct message_way){ .call = (uint32_t)json_integer_value(json_array_get(v, 0)),
            .from = (uint32_t)json_integer_value(json_array_get(v, 1)), .to = (uint32_t)json_integer_value(json_array_get(v, 2)) };
    }
    return true;
}

static bool read_nodes(struct reply *r, const json_t *list, char *error)
{
    r->n_nodes = 0;
    r->all_nodes = list == NULL;
    if (list != NULL && !json_is_array(list)) return wrong(error, "nodes", list, "a list of node numbers");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        if (!is_number_below(v, UINT32_MAX)) return reply_error(error, "'nodes' holds something that is no node number");
        MEM_RESERVE(r->node, r->cap_nodes, r->n_nodes + 1);
        r->node[r->n_nodes++] = (uint32_t)json_integer_value(v);
    }
    return true;
}

/* [[shape, how many], [shape], ...] */
static bool read_requests(struct reply *r, const json_t *list, char *error)
{
    r->n_requests = 0;
    if (!json_is_array(list)) return wrong(error, "fits", list, "a list of [shape] or [shape, how many]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i), *shape = json_array_get(v, 0), *n = json_array_get(v, 1);
        if (!is_number_below(shape, UINT32_MAX) || json_array_size(v) > 2 ||
            (n != NULL && (!is_number_below(n, UINT32_MAX) || json_integer_value(n) == 0)))
            return reply_error(error, "'fits' holds something that is not [shape] or [shape, how many] in whole numbers, at least one task");
        MEM_RESERVE(r->request, r->cap_requests, r->n_requests + 1);
        r->request[r->n_requests++] = (struct reply_request){ .shape = (uint32_t)json_integer_value(shape),
                                                              .n = n == NULL ? 0 : (uint32_t)json_integer_value(n) };
    }
    return true;
}

static bool read_fits(struct reply *r, const json_t *doc, char *error)
{
    static const char *const field[] = { "msg", "fits", "nodes", "states", "empty" };
    const json_t *states = json_object_get(doc, "states");
    r->asks_fits = true;
    r->empty = false;
    r->n_states = json_array_size(states);
    if (states != NULL && !json_is_array(states)) return wrong(error, "states", states, "a list of nodes' states");
    return has_only(doc, field, ARRAY_LEN(field), error) && read_requests(r, json_object_get(doc, "fits"), error) &&
           read_nodes(r, json_object_get(doc, "nodes"), error) && get_bool(doc, "empty", &r->empty, error);
}

static bool read_query(struct reply *r, const json_t *doc, char *error)
{
    static const char *const field[] = { "msg", "job", "task", "nodes", "overhead" };
    r->is_query = true;
    if (json_object_get(doc, "fits") != NULL) return read_fits(r, doc, error);
    return has_only(doc, field, ARRAY_LEN(field), error) && get_job(doc, "job", &r->job, error) && get_u32(doc, "task", &r->task, error) &&
           read_nodes(r, json_object_get(doc, "nodes"), error) && read_ways(r, json_object_get(doc, "overhead"), error);
}

static bool read_round(struct reply *r, const json_t *doc, const char *msg, char *error)
{
    static const char *const message[] = { "decisions", "query" };
    static const char *const field[] = { "msg", "decisions" };
    if (strcmp(msg, "query") == 0) return read_query(r, doc, error);
    if (strcmp(msg, "decisions") != 0) return unknown(error, "the message", msg, message, ARRAY_LEN(message));
    const json_t *list = json_object_get(doc, "decisions");
    if (!has_only(doc, field, ARRAY_LEN(field), error)) return false;
    if (!json_is_array(list)) return wrong(error, "decisions", list, "a list");
    r->n = json_array_size(list);
    return true;
}

bool reply_open(struct reply *r, const char *line, size_t n, char *error)
{
    const char *msg;
    json_decref(r->doc);
    r->n = r->next = r->n_states = r->next_state = 0;
    r->is_query = r->asks_fits = false;
    r->doc = parse(line, n, &msg, error);
    return r->doc != NULL && read_round(r, r->doc, msg, error);
}

void reply_fini(struct reply *r)
{
    json_decref(r->doc);
    mem_free(r->node);
    mem_free(r->way);
    mem_free(r->request);
    mem_free(r->place);
    mem_free(r->licence);
    memset(r, 0, sizeof *r);
}

/* ---- one node of a query ---- */

static bool get_cards(const json_t *o, const char *key, struct reply_cards *out, char *error)
{
    const json_t *list = json_object_get(o, key);
    out->is_told = list != NULL;
    out->n = (uint32_t)json_array_size(list);
    if (list != NULL && !json_is_array(list)) return wrong(error, key, list, "a list, by card");
    if (out->n > NODE_GPUS_MAX) return reply_error(error, "'%s' lists %" PRIu32 " cards; a node has at most %d", key, out->n, NODE_GPUS_MAX);
    for (uint32_t k = 0; k < out->n; k++) {
        const json_t *v = json_array_get(list, k);
        out->free[k] = json_integer_value(v);
        if (!json_is_integer(v) || out->free[k] < 0)
            return reply_error(error, "'%s' holds something that is not what is free of a card, a whole number from 0 on", key);
    }
    return true;
}

static bool get_engines(const struct reply *r, const json_t *o, int64_t *free, char *error)
{
    const json_t *engines = json_object_get(o, "engines");
    const char *name;
    json_t *v;
    uint32_t k;
    for (k = 0; k < POL_ENGINES_MAX; k++) free[k] = -1;
    if (engines != NULL && !json_is_object(engines)) return wrong(error, "engines", engines, "an object such as {\"NAME\":2}");
    json_object_foreach((json_t *)engines, name, v)
        if (!find_name(r, POL_NAME_ENGINE, "the engine", name, &k, error) || !get_int(engines, name, INT32_MAX, &free[k], error)) return false;
    return true;
}

/* An absent one is -1. */
static bool get_if_there(const json_t *o, const char *key, int64_t max, int64_t *out, char *error)
{
    *out = -1;
    return json_object_get(o, key) == NULL || get_int(o, key, max, out, error);
}

bool reply_next_state(struct reply *r, struct reply_state *out, char *error)
{
    static const char *const field[] = { "node", "up", "tasks", "cpu", "mem", "gpu", "gpu_mem", "gpu_cores", "engines" };
    const json_t *o = json_array_get(json_object_get(r->doc, "states"), r->next_state++);
    bool up = false;
    if (!json_is_object(o)) return reply_error(error, "it is %s; expected an object such as {\"node\":0,\"tasks\":1,\"cpu\":8000}", type_name[json_typeof(o)]);
    if (!has_only(o, field, ARRAY_LEN(field), error) || !get_u32(o, "node", &out->node, error) || !get_bool(o, "up", &up, error)) return false;
    out->up = json_object_get(o, "up") == NULL ? -1 : up;
    return get_if_there(o, "tasks", INT32_MAX, &out->tasks, error) && get_if_there(o, "cpu", INT64_MAX, &out->cpu, error) &&
           get_if_there(o, "mem", INT64_MAX, &out->mem, error) && get_cards(o, "gpu", &out->gpu, error) &&
           get_cards(o, "gpu_mem", &out->gpu_mem, error) && get_cards(o, "gpu_cores", &out->gpu_cores, error) &&
           get_engines(r, o, out->engine, error);
}

/* ---- one decision ---- */

/* The verbs and their fields, of decision.h. */
struct field {
    const char *key;
    enum { FIELD_JOB, FIELD_INDEX, FIELD_NODE, FIELD_CARDS, FIELD_CPU, FIELD_NODES, FIELD_CARDS_EACH, FIELD_CPU_EACH,
           FIELD_AMOUNT, FIELD_AMOUNTS, FIELD_ENGINE, FIELD_FLAG, FIELD_NUMBER, FIELD_TEXT } type;
    enum { FIELD_MAY, FIELD_MUST } need;
    size_t member;              /* of struct reply_decision */
};
#define FIELD(key, type, member, need, words) \
    { key, FIELD_##type, FIELD_##need, offsetof(struct reply_decision, member) },
#define VERB(code, name, record, about, extension, words, fields) { name, { fields } },
static const struct { const char *name; struct field field[9]; } verb[] = { POL_VERB_LIST(VERB, FIELD) };

static bool find_verb(const char *word, enum pol_verb *out, char *error)
{
    const char *name[ARRAY_LEN(verb)];
    for (size_t i = 0; i < ARRAY_LEN(verb); i++) {
        name[i] = verb[i].name;
        if (strcmp(word, name[i]) != 0) continue;
        *out = (enum pol_verb)i;
        return true;
    }
    return unknown(error, "the decision", word, name, ARRAY_LEN(name));
}

/* `node` or `nodes`: how many places there are; what else is said of them comes after it. */
static bool read_places(struct reply *r, const json_t *v, const struct field *f, struct reply_decision *out,
                        char *error)
{
    bool is_list = f->type == FIELD_NODES;
    size_t n = is_list ? json_array_size(v) : 1;
    if (is_list && !json_is_array(v)) return wrong(error, f->key, v, "a list of node numbers, one a task");
    MEM_RESERVE(r->place, r->cap_place, n + 1);
    for (size_t i = 0; i < n; i++) {
        const json_t *node = is_list ? json_array_get(v, i) : v;
        if (is_list && !is_number_below(node, UINT32_MAX))
            return reply_error(error, "'%s' holds something that is no node number", f->key);
        r->place[i] = (struct pol_place){ .node = (uint32_t)json_integer_value(node) };
    }
    out->place = r->place;
    out->n_places = (uint32_t)n;
    return true;
}

/* Cards or cores of each place. */
static bool read_each(const struct reply *r, const json_t *v, const struct field *f, const struct reply_decision *out,
                      char *error)
{
    bool is_cpu = f->type == FIELD_CPU_EACH;
    if (!json_is_array(v))
        return wrong(error, f->key, v, is_cpu ? "a list of thousandths of cores, one a task"
                                              : "a list of lists of card numbers, one a task");
    if (json_array_size(v) != out->n_places)
        return reply_error(error, "'nodes' has %" PRIu32 " entries and '%s' %zu; expected one of each for every task",
                      out->n_places, f->key, json_array_size(v));
    for (uint32_t i = 0; i < out->n_places; i++) {
        const json_t *one = json_array_get(v, i);
        if (is_cpu && (!json_is_integer(one) || json_integer_value(one) < 0))
            return reply_error(error, "'%s' holds something that is no number of thousandths of cores", f->key);
        r->place[i].cpu_milli = is_cpu ? json_integer_value(one) : r->place[i].cpu_milli;
        if (!is_cpu && !card_bits(one, f->key, &r->place[i].cards, error)) return false;
    }
    return true;
}

static bool get_number(const json_t *o, const char *key, double *out, char *error)
{
    const json_t *v = json_object_get(o, key);
    if (!json_is_number(v)) return wrong(error, key, v, "a number");
    *out = json_number_value(v);
    return true;
}

/* Room for the licences of one more amount of this decision, all 0; a reserve has most. */
enum { AMOUNTS_MAX = 5 };
static int64_t *add_licences(struct reply *r)
{
    if (r->n_amounts == 0) {
        r->n_licences = 0;
        while (r->host != NULL && r->host->name(r->host->ctx, POL_NAME_LICENCE, r->n_licences) != NULL) r->n_licences++;
        MEM_RESERVE(r->licence, r->cap_licence, AMOUNTS_MAX * (size_t)r->n_licences + 1);
    }
    int64_t *n = r->licence + (size_t)r->n_amounts++ * r->n_licences;
    memset(n, 0, r->n_licences * sizeof *n);
    return n;
}

/* {"cpu":8000,"gpu":1000,"licences":{"matlab":2}}; what is left out is 0. */
static bool read_amount(struct reply *r, const json_t *o, const char *key, struct pol_amount *out, char *error)
{
    static const char *const field[] = { "cpu", "gpu", "licences" };
    const json_t *a = json_object_get(o, key), *licences = json_object_get(a, "licences");
    const char *name;
    json_t *v;
    int64_t *n = add_licences(r);
    *out = (struct pol_amount){ .licence = n };
    if (!json_is_object(a)) return wrong(error, key, a, "an object such as {\"cpu\":8000,\"gpu\":1000,\"licences\":{\"NAME\":2}}");
    if (!has_only(a, field, ARRAY_LEN(field), error)) return false;
    if (json_object_get(a, "cpu") != NULL && !get_int(a, "cpu", INT64_MAX, &out->cpu_milli, error)) return false;
    if (json_object_get(a, "gpu") != NULL && !get_int(a, "gpu", INT64_MAX, &out->gpu_milli, error)) return false;
    if (licences != NULL && !json_is_object(licences)) return wrong(error, "licences", licences, "an object such as {\"NAME\":2}");
    json_object_foreach((json_t *)licences, name, v) {
        uint32_t k;
        if (!find_name(r, POL_NAME_LICENCE, "the licence", name, &k, error)) return false;
        if (!get_int(licences, name, INT64_MAX, &n[k], error)) return false;
    }
    return true;
}

static struct pol_amount less(struct reply *r, const struct pol_amount *a, const struct pol_amount *b)
{
    int64_t *n = add_licences(r);
    for (uint32_t k = 0; k < r->n_licences; k++) n[k] = a->licence[k] - b->licence[k];
    return (struct pol_amount){ a->cpu_milli - b->cpu_milli, a->gpu_milli - b->gpu_milli, n };
}

static bool get_engine(const struct reply *r, const json_t *o, const char *key, uint32_t *out, char *error)
{
    const char *name = NULL;
    return get_text(o, key, true, &name, error) && find_name(r, POL_NAME_ENGINE, "the engine", name, out, error);
}

static bool read_field(struct reply *r, const json_t *o, const struct field *f, struct reply_decision *out, char *error)
{
    const json_t *v = json_object_get(o, f->key);
    void *to = (char *)out + f->member;
    if (v == NULL && f->need == FIELD_MAY) return true;
    switch (f->type) {
    case FIELD_JOB:     return get_job(o, f->key, to, error);
    case FIELD_INDEX:   return get_u32(o, f->key, to, error);
    case FIELD_NODE:    return get_u32(o, f->key, &out->node, error) && read_places(r, v, f, out, error);
    case FIELD_CARDS:   return card_bits(v, f->key, &r->place[0].cards, error);
    case FIELD_CPU:     return get_int(o, f->key, INT64_MAX, &r->place[0].cpu_milli, error);
    case FIELD_NODES:   return read_places(r, v, f, out, error);
    case FIELD_CARDS_EACH: case FIELD_CPU_EACH: return read_each(r, v, f, out, error);
    case FIELD_AMOUNT:  return get_int(o, f->key, INT64_MAX, to, error);
    case FIELD_AMOUNTS: return read_amount(r, o, f->key, to, error);
    case FIELD_ENGINE:  return get_engine(r, o, f->key, to, error);
    case FIELD_FLAG:    return get_bool(o, f->key, to, error);
    case FIELD_NUMBER:  return get_number(o, f->key, to, error);
    case FIELD_TEXT:    return get_text(o, f->key, true, to, error);
    }
    return false;
}

bool reply_next(struct reply *r, struct reply_decision *out, char *error)
{
    const json_t *o = json_array_get(json_object_get(r->doc, "decisions"), r->next++);
    const char *word = NULL, *known[ARRAY_LEN(verb[0].field) + 1] = { "do" };
    memset(out, 0, sizeof *out);
    if (!json_is_object(o)) return reply_error(error, "it is %s; expected an object such as {\"do\":\"wake\",\"at\":1}", type_name[json_typeof(o)]);
    if (!get_text(o, "do", true, &word, error) || !find_verb(word, &out->verb, error)) return false;
    const struct field *field = verb[out->verb].field;
    size_t n = 0;
    r->n_amounts = 0;
    for (; n < ARRAY_LEN(verb[0].field) && field[n].key != NULL; n++) known[n + 1] = field[n].key;
    if (!has_only(o, known, n + 1, error)) return false;
    for (size_t i = 0; i < n; i++)
        if (!read_field(r, o, &field[i], out, error)) return false;
    /* Left out, what may be lent is what the stage does not need, and all of it was usable. */
    struct pol_reserve *e = &out->reserve;
    bool reserves = out->verb == POL_VERB_RESERVE;
    if (reserves && json_object_get(o, "lendable") == NULL) e->lendable = less(r, &e->reserved, &e->need);
    if (reserves && json_object_get(o, "usable") == NULL) e->usable = e->reserved;
    if (out->verb == POL_VERB_LEND) out->flag = json_object_get(o, "amount") == NULL;
    return true;
}
