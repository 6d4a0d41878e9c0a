/* reply.c -- a line parsed by jansson, then read field by field, as tables say, into the structs of reply.h. */
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

/*
 * A field: how it is read, and where in its struct it goes.  decision.h has those of decisions.
 * ANY is read elsewhere; JOB, INDEX, AMOUNT and COUNT are whole numbers; FREE is what is free of each card.
 */
struct field {
    const char *key;
    enum { FIELD_ANY, FIELD_JOB, FIELD_INDEX, FIELD_AMOUNT, FIELD_COUNT, FIELD_FLAG, FIELD_UP, FIELD_NUMBER, FIELD_TEXT,
           FIELD_ENGINE, FIELD_ENGINES, FIELD_LICENCES, FIELD_AMOUNTS, FIELD_NODE, FIELD_CARDS, FIELD_CPU, FIELD_MEM,
           FIELD_NODES, FIELD_CARDS_EACH, FIELD_CPU_EACH, FIELD_MEM_EACH, FIELD_FREE, FIELD_FLAGS, FIELD_ASKED, FIELD_WAYS,
           FIELD_REQUESTS, FIELD_LIST } type;
    enum { FIELD_MAY, FIELD_MUST } need;
    size_t member;
};
#define OF(own, key, type, member, need) { key, FIELD_##type, FIELD_##need, offsetof(struct own, member) }

/* ---- errors ---- */

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

static bool wrong(char *error, const char *key, const json_t *found, const char *want)
{
    if (found == NULL) return reply_error(error, "the field '%s' is missing; expected %s", key, want);
    return reply_error(error, "'%s' is %s; expected %s", key, type_name[json_typeof(found)], want);
}

/* ---- parts of fields ---- */

static bool is_number(const json_t *v) { return json_is_integer(v) && json_integer_value(v) >= 0; }
static bool is_index(const json_t *v) { return is_number(v) && json_integer_value(v) < UINT32_MAX; }
static uint32_t index_of(const json_t *v) { return (uint32_t)json_integer_value(v); }

static bool read_int(const json_t *v, const struct field *f, void *to, char *error)
{
    int64_t x = json_integer_value(v), most = f->type == FIELD_INDEX ? UINT32_MAX - 1 : f->type == FIELD_COUNT ? INT32_MAX : INT64_MAX;
    if (!json_is_integer(v)) return wrong(error, f->key, v, "a whole number");
    if (x < 0 || x > most)
        return reply_error(error, "'%s' is %" PRId64 "; expected a number from 0 to %" PRId64, f->key, x, most);
    if (f->type == FIELD_INDEX) *(uint32_t *)to = (uint32_t)x;
    else *(int64_t *)to = x;
    return true;
}

static bool read_text(const json_t *v, const char *key, const char **out, char *error)
{
    *out = json_string_value(v);
    return *out != NULL || wrong(error, key, v, "a string");
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

/* {"NAME":2} of engines or licences, by their number. */
static bool read_counts(const struct reply *r, const json_t *map, const struct field *f, int64_t *to, char *error)
{
    bool of_engines = f->type == FIELD_ENGINES;
    const char *name;
    json_t *v;
    uint32_t k;
    if (!json_is_object(map)) return wrong(error, f->key, map, "an object such as {\"NAME\":2}");
    json_object_foreach((json_t *)map, name, v) {
        struct field count = { .key = name, .type = of_engines ? FIELD_COUNT : FIELD_AMOUNT };
        if (!find_name(r, of_engines ? POL_NAME_ENGINE : POL_NAME_LICENCE, of_engines ? "the engine" : "the licence", name, &k, error) ||
            !read_int(v, &count, &to[k], error)) return false;
    }
    return true;
}

static bool read_free(const json_t *list, const char *key, struct reply_cards *out, char *error)
{
    if (!json_is_array(list)) return wrong(error, key, list, "a list, by card");
    out->is_told = true;
    out->n = (uint32_t)json_array_size(list);
    if (out->n > NODE_GPUS_MAX) return reply_error(error, "'%s' lists %" PRIu32 " cards; a node has at most %d", key, out->n, NODE_GPUS_MAX);
    for (uint32_t k = 0; k < out->n; k++) {
        out->free[k] = json_integer_value(json_array_get(list, k));
        if (!is_number(json_array_get(list, k)))
            return reply_error(error, "'%s' holds something that is not what is free of a card, a whole number from 0 on", key);
    }
    return true;
}

static bool read_flags(const json_t *list, uint32_t *flags, char *error)
{
    static const char *const word[] = {
        "preempts", "uses_limits", "clairvoyant", "by_count", "strands", "runs_calls", "takes_refusals",
    };
    static const uint32_t bit[] = {
        POL_PREEMPTS, POL_USES_LIMITS, POL_CLAIRVOYANT, POL_BY_COUNT, POL_STRANDS, POL_RUNS_CALLS, POL_TAKES_REFUSALS,
    };
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

/* ---- what a query asks of ---- */

static bool read_nodes(struct reply *r, const json_t *list, char *error)
{
    r->all_nodes = false;
    if (!json_is_array(list)) return wrong(error, "nodes", list, "a list of node numbers");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        if (!is_index(v)) return reply_error(error, "'nodes' holds something that is no node number");
        MEM_PUSH(r->node, r->n_nodes, r->cap_nodes, index_of(v));
    }
    return true;
}

/* [[call, from, to], ...] */
static bool read_ways(struct reply *r, const json_t *list, char *error)
{
    if (!json_is_array(list)) return wrong(error, "overhead", list, "a list of [call, from, to]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i), *call = json_array_get(v, 0), *from = json_array_get(v, 1), *to = json_array_get(v, 2);
        if (json_array_size(v) != 3 || !is_index(call) || !is_index(from) || !is_index(to))
            return reply_error(error, "'overhead' holds something that is not [call, from, to] in whole numbers");
        MEM_PUSH(r->way, r->n_ways, r->cap_ways, (struct message_way){ index_of(call), index_of(from), index_of(to) });
    }
    return true;
}

/* [[shape, how many], [shape], ...] */
static bool read_requests(struct reply *r, const json_t *list, char *error)
{
    if (!json_is_array(list)) return wrong(error, "fits", list, "a list of [shape] or [shape, how many]");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i), *shape = json_array_get(v, 0), *n = json_array_get(v, 1);
        if (!is_index(shape) || json_array_size(v) > 2 || (n != NULL && (!is_index(n) || json_integer_value(n) == 0)))
            return reply_error(error, "'fits' holds something that is not [shape] or [shape, how many] in whole numbers, at least one task");
        MEM_PUSH(r->request, r->n_requests, r->cap_requests,
                 (struct reply_request){ .shape = index_of(shape), .n = index_of(n) });
    }
    return true;
}

/* ---- places and amounts of a decision ---- */

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
        if (is_list && !is_index(node))
            return reply_error(error, "'%s' holds something that is no node number", f->key);
        r->place[i] = (struct pol_place){ .node = index_of(node) };
    }
    out->place = r->place;
    out->n_places = (uint32_t)n;
    return true;
}

/* Cards, cores or memory of each place. */
static bool read_each(const struct reply *r, const json_t *v, const struct field *f, const struct reply_decision *out,
                      char *error)
{
    bool is_cpu = f->type == FIELD_CPU_EACH, is_amount = is_cpu || f->type == FIELD_MEM_EACH;
    if (!json_is_array(v))
        return wrong(error, f->key, v,
                     is_cpu      ? "a list of thousandths of cores, one a task"
                     : is_amount ? "a list of bytes, one a task"
                                 : "a list of lists of card numbers, one a task");
    if (json_array_size(v) != out->n_places)
        return reply_error(error, "'nodes' has %" PRIu32 " entries and '%s' %zu; expected one of each for every task",
                      out->n_places, f->key, json_array_size(v));
    for (uint32_t i = 0; i < out->n_places; i++) {
        const json_t *one = json_array_get(v, i);
        if (is_amount && !is_number(one))
            return reply_error(error, "'%s' holds something that is no number of %s", f->key,
                               is_cpu ? "thousandths of cores" : "bytes");
        if (is_amount) *(is_cpu ? &r->place[i].cpu_milli : &r->place[i].mem_b) = json_integer_value(one);
        if (!is_amount && !card_bits(one, f->key, &r->place[i].cards, error)) return false;
    }
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

static bool read_fields(struct reply *r, const json_t *o, const struct field *f, size_t n, void *out, char *error);

/* {"cpu":8000,"gpu":1000,"licences":{"matlab":2}}; what is left out is 0. */
static bool read_amount(struct reply *r, const json_t *v, const char *key, struct pol_amount *out, char *error)
{
    static const struct field field[] = {
        OF(pol_amount, "cpu", AMOUNT, cpu_milli, MAY), OF(pol_amount, "gpu", AMOUNT, gpu_milli, MAY),
        OF(pol_amount, "licences", LICENCES, licence, MAY),
    };
    *out = (struct pol_amount){ .licence = add_licences(r) };
    if (!json_is_object(v)) return wrong(error, key, v, "an object such as {\"cpu\":8000,\"gpu\":1000,\"licences\":{\"NAME\":2}}");
    return read_fields(r, v, field, ARRAY_LEN(field), out, error);
}

static struct pol_amount less(struct reply *r, const struct pol_amount *a, const struct pol_amount *b)
{
    int64_t *n = add_licences(r);
    for (uint32_t k = 0; k < r->n_licences; k++) n[k] = a->licence[k] - b->licence[k];
    return (struct pol_amount){ a->cpu_milli - b->cpu_milli, a->gpu_milli - b->gpu_milli, n };
}

/* ---- fields ---- */

static bool read_field(struct reply *r, const json_t *v, const struct field *f, void *out, char *error)
{
    void *to = (char *)out + f->member;
    const char *name;
    switch (f->type) {
    case FIELD_ANY: return true;
    case FIELD_JOB: case FIELD_INDEX: case FIELD_AMOUNT: case FIELD_COUNT: return read_int(v, f, to, error);
    case FIELD_FLAG: case FIELD_UP:
        if (!json_is_boolean(v)) return wrong(error, f->key, v, "true or false");
        if (f->type == FIELD_UP) *(int64_t *)to = json_is_true(v);
        else *(bool *)to = json_is_true(v);
        return true;
    case FIELD_NUMBER:
        *(double *)to = json_number_value(v);
        return json_is_number(v) || wrong(error, f->key, v, "a number");
    case FIELD_TEXT:    return read_text(v, f->key, to, error);
    case FIELD_ENGINE:  return read_text(v, f->key, &name, error) && find_name(r, POL_NAME_ENGINE, "the engine", name, to, error);
    case FIELD_ENGINES: return read_counts(r, v, f, to, error);
    case FIELD_LICENCES: return read_counts(r, v, f, *(int64_t **)to, error);
    case FIELD_AMOUNTS: return read_amount(r, v, f->key, to, error);
    case FIELD_NODE:
        return read_int(v, &(struct field){ .key = f->key, .type = FIELD_INDEX }, &((struct reply_decision *)out)->node, error) &&
               read_places(r, v, f, out, error);
    case FIELD_NODES:   return read_places(r, v, f, out, error);
    case FIELD_CARDS:   return card_bits(v, f->key, &r->place[0].cards, error);
    case FIELD_CPU:     return read_int(v, f, &r->place[0].cpu_milli, error);
    case FIELD_MEM:     return read_int(v, f, &r->place[0].mem_b, error);
    case FIELD_CARDS_EACH: case FIELD_CPU_EACH: case FIELD_MEM_EACH: return read_each(r, v, f, out, error);
    case FIELD_FREE:    return read_free(v, f->key, to, error);
    case FIELD_FLAGS:   return read_flags(v, to, error);
    case FIELD_ASKED:   return read_nodes(r, v, error);
    case FIELD_WAYS:    return read_ways(r, v, error);
    case FIELD_REQUESTS: return read_requests(r, v, error);
    case FIELD_LIST:
        *(size_t *)to = json_array_size(v);
        return json_is_array(v) || wrong(error, f->key, v, strcmp(f->key, "states") == 0 ? "a list of nodes' states" : "a list");
    }
    return false;
}

/* An object that has no other fields than f [n]; what is left out and may be stays as it is in out. */
static bool read_fields(struct reply *r, const json_t *o, const struct field *f, size_t n, void *out, char *error)
{
    enum { FIELDS_MAX = 16 };
    const char *key, *known[FIELDS_MAX];
    json_t *v;
    for (size_t i = 0; i < n; i++) known[i] = f[i].key;
    json_object_foreach((json_t *)o, key, v) {
        size_t i = 0;
        while (i < n && strcmp(key, known[i]) != 0) i++;
        if (i == n) return unknown(error, "the field", key, known, n);
    }
    for (size_t i = 0; i < n; i++) {
        v = json_object_get(o, f[i].key);
        if ((v != NULL || f[i].need == FIELD_MUST) && !read_field(r, v, &f[i], out, error)) return false;
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
    else if (read_text(json_object_get(doc, "msg"), "msg", msg, error)) return doc;
    json_decref(doc);
    return NULL;
}

/* ---- hello ---- */

static bool is_name(const char *s)
{
    return s[0] != '\0' && strlen(s) <= 40 && s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
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

struct hello { int64_t protocol; const char *name, *source, *summary; uint32_t flags; };

static bool read_hello(struct reply_hello *out, const json_t *doc, const char *msg, char *error)
{
    static const struct field field[] = {
        { "msg", FIELD_ANY, FIELD_MAY, 0 }, OF(hello, "protocol", COUNT, protocol, MUST), OF(hello, "name", TEXT, name, MUST),
        OF(hello, "source", TEXT, source, MAY), OF(hello, "summary", TEXT, summary, MAY), { "params", FIELD_ANY, FIELD_MAY, 0 },
        OF(hello, "flags", FLAGS, flags, MAY),
    };
    struct hello h = { .source = "a program of its own", .summary = "" };
    if (strcmp(msg, "hello") != 0) return reply_error(error, "found the message '%.60s', expected 'hello'", msg);
    if (!read_field(NULL, json_object_get(doc, "protocol"), &field[1], &h, error)) return false;
    if (h.protocol != MESSAGE_PROTOCOL)    /* first: another version may have other fields */
        return reply_error(error, "it speaks version %" PRId64 " of the protocol; this program speaks version %d", h.protocol, MESSAGE_PROTOCOL);
    if (!read_fields(NULL, doc, field, ARRAY_LEN(field), &h, error)) return false;
    if (!is_name(h.name)) return reply_error(error, "its name is '%.60s'; expected up to 40 of a-z, 0-9 and '-'", h.name);
    if (!read_label(json_object_get(doc, "params"), h.name, &out->label, error)) return false;
    out->flags = h.flags;
    out->name = mem_strdup(h.name);
    out->source = mem_strdup(h.source);
    out->summary = mem_strdup(h.summary);
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

static bool read_round(struct reply *r, const json_t *doc, const char *msg, char *error)
{
    static const char *const message[] = { "decisions", "query" };
#define MSG { "msg", FIELD_ANY, FIELD_MAY, 0 }
    static const struct field
        decisions[] = { MSG, OF(reply, "decisions", LIST, n, MUST) },
        of_task[] = { MSG, OF(reply, "job", JOB, job, MUST), OF(reply, "task", INDEX, task, MUST), OF(reply, "nodes", ASKED, node, MAY),
                      OF(reply, "overhead", WAYS, way, MAY) },
        fits[] = { MSG, OF(reply, "fits", REQUESTS, request, MUST), OF(reply, "nodes", ASKED, node, MAY),
                   OF(reply, "states", LIST, n_states, MAY), OF(reply, "empty", FLAG, empty, MAY) };
    r->is_query = strcmp(msg, "query") == 0;
    r->asks_fits = r->is_query && json_object_get(doc, "fits") != NULL;
    if (r->asks_fits) return read_fields(r, doc, fits, ARRAY_LEN(fits), r, error);
    if (r->is_query) return read_fields(r, doc, of_task, ARRAY_LEN(of_task), r, error);
    if (strcmp(msg, "decisions") != 0) return unknown(error, "the message", msg, message, ARRAY_LEN(message));
    return read_fields(r, doc, decisions, ARRAY_LEN(decisions), r, error);
}

bool reply_open(struct reply *r, const char *line, size_t n, char *error)
{
    const char *msg;
    json_decref(r->doc);
    r->n = r->next = r->n_states = r->next_state = r->n_nodes = r->n_ways = r->n_requests = 0;
    r->all_nodes = true;
    r->is_query = r->asks_fits = r->empty = false;
    r->doc = parse(line, n, &msg, error);
    return r->doc != NULL && read_round(r, r->doc, msg, error);
}

void reply_fini(struct reply *r)
{
    json_decref(r->doc);
    MEM_FREE(r->node, r->way, r->request, r->place, r->licence);
    memset(r, 0, sizeof *r);
}

bool reply_next_state(struct reply *r, struct reply_state *out, char *error)
{
    static const struct field field[] = {
        OF(reply_state, "node", INDEX, node, MUST), OF(reply_state, "up", UP, up, MAY), OF(reply_state, "tasks", COUNT, tasks, MAY),
        OF(reply_state, "cpu", AMOUNT, cpu, MAY), OF(reply_state, "mem", AMOUNT, mem, MAY), OF(reply_state, "gpu", FREE, gpu, MAY),
        OF(reply_state, "gpu_mem", FREE, gpu_mem, MAY), OF(reply_state, "gpu_cores", FREE, gpu_cores, MAY),
        OF(reply_state, "engines", ENGINES, engine, MAY),
    };
    const json_t *o = json_array_get(json_object_get(r->doc, "states"), r->next_state++);
    if (!json_is_object(o)) return reply_error(error, "it is %s; expected an object such as {\"node\":0,\"tasks\":1,\"cpu\":8000}", type_name[json_typeof(o)]);
    *out = (struct reply_state){ .up = -1, .tasks = -1, .cpu = -1, .mem = -1 };
    for (int k = 0; k < POL_ENGINES_MAX; k++) out->engine[k] = -1;
    return read_fields(r, o, field, ARRAY_LEN(field), out, error);
}

/* The verbs and their fields. */
#define FIELD(key, type, member, need, words) OF(reply_decision, key, type, member, need),
#define VERB(code, name, record, about, extension, words, fields) { name, { { "do", FIELD_ANY, FIELD_MUST, 0 }, fields } },
static const struct { const char *name; struct field field[10]; } verb[] = { POL_VERB_LIST(VERB, FIELD) };

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

bool reply_next(struct reply *r, struct reply_decision *out, char *error)
{
    const json_t *o = json_array_get(json_object_get(r->doc, "decisions"), r->next++);
    const char *word;
    memset(out, 0, sizeof *out);
    if (!json_is_object(o)) return reply_error(error, "it is %s; expected an object such as {\"do\":\"wake\",\"at\":1}", type_name[json_typeof(o)]);
    if (!read_text(json_object_get(o, "do"), "do", &word, error) || !find_verb(word, &out->verb, error)) return false;
    const struct field *field = verb[out->verb].field;
    size_t n = 0;
    while (n < ARRAY_LEN(verb[0].field) && field[n].key != NULL) n++;
    r->n_amounts = 0;
    if (!read_fields(r, o, field, n, out, error)) return false;
    /* Left out, what may be lent is what the stage does not need, and all of it was usable. */
    struct pol_reserve *e = &out->reserve;
    bool reserves = out->verb == POL_VERB_RESERVE;
    if (reserves && json_object_get(o, "lendable") == NULL) e->lendable = less(r, &e->reserved, &e->need);
    if (reserves && json_object_get(o, "usable") == NULL) e->usable = e->reserved;
    if (out->verb == POL_VERB_LEND) out->flag = json_object_get(o, "amount") == NULL;
    return true;
}
