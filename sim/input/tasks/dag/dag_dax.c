/*
 * Pegasus DAX: <job id="" runtime=""> elements and, for each <child ref="">, its
 * <parent ref="">.  Layer: input.
 */
#include <errno.h>
#include <expat.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/tasks/dag/dag.h"

struct dax {
    struct dag *g;
    XML_Parser parser;
    struct diag *d;
    enum st st;
    uint32_t job;                   /* the open <job>'s task; NONE */
    bool     is_cores;              /* in a profile that states cores */
    char     text[32]; size_t n_text;
    struct { char *child, *parent; uint32_t line; } *link; size_t n_links, cap_links;
    char    *child;                 /* the open <child> */
    int      depth;
};

static uint32_t line(const struct dax *x) { return (uint32_t)XML_GetCurrentLineNumber(x->parser); }

static void fail(struct dax *x, const char *element, const char *what)
{
    if (x->st == ST_OK)
        x->st = diag_at(x->d, ST_EINPUT, x->g->path, line(x), (uint32_t)XML_GetCurrentColumnNumber(x->parser) + 1, "<%s>: %s", element, what);
}

static const char *attribute(const char **attr, const char *name)
{
    for (; *attr != NULL; attr += 2) if (strcmp(attr[0], name) == 0) return attr[1];
    return NULL;
}

static void open_job(struct dax *x, const char **attr)
{
    const char *id = attribute(attr, "id"), *run = attribute(attr, "runtime");
    double s;
    if (id == NULL) { fail(x, "job", "found no id"); return; }
    if (dag_add(x->g, id, line(x), &x->job, x->d) != ST_OK) { x->st = x->d->code; return; }
    if (run == NULL) { fail(x, "job", "found no runtime, in seconds"); return; }
    if (!text_double(run, &s) || (x->g->task[x->job].dur[DAG_CPU] = dag_time(x->g, s, TICK_SEC)) < 0) fail(x, "job", "its runtime is not a number of seconds");
}

static void open_element(void *ctx, const char *name, const char **attr)
{
    struct dax *x = ctx;
    const char *key = attribute(attr, "key"), *ref = attribute(attr, "ref");
    if (x->st != ST_OK) return;
    if (x->depth++ == 0 && strcmp(name, "adag") != 0) { fail(x, name, "expected <adag>: this is not a DAX"); return; }
    if (strcmp(name, "job") == 0) open_job(x, attr);
    else if (strcmp(name, "dax") == 0 || strcmp(name, "dag") == 0) fail(x, name, "a workflow inside a workflow is not read");
    else if (strcmp(name, "profile") == 0 && x->job != NONE && key != NULL && strcmp(key, "cores") == 0) { x->is_cores = true; x->n_text = 0; }
    else if (strcmp(name, "child") == 0) {
        if (ref == NULL) { fail(x, name, "found no ref"); return; }
        mem_free(x->child);
        x->child = mem_strdup(ref);
    } else if (strcmp(name, "parent") == 0) {
        if (ref == NULL || x->child == NULL) { fail(x, name, "expected a ref, inside of <child>"); return; }
        MEM_RESERVE(x->link, x->cap_links, x->n_links + 1);
        x->link[x->n_links].child = mem_strdup(x->child);
        x->link[x->n_links].parent = mem_strdup(ref);
        x->link[x->n_links++].line = line(x);
    }
}

static void characters(void *ctx, const char *s, int n)
{
    struct dax *x = ctx;
    for (int i = 0; i < n && x->is_cores; i++) if (s[i] > ' ' && x->n_text + 1 < sizeof x->text) x->text[x->n_text++] = s[i];
}

static void close_element(void *ctx, const char *name)
{
    struct dax *x = ctx;
    x->depth--;
    if (x->st != ST_OK) return;
    if (strcmp(name, "job") == 0) x->job = NONE;
    if (strcmp(name, "child") == 0) { mem_free(x->child); x->child = NULL; }
    if (strcmp(name, "profile") != 0 || !x->is_cores) return;
    int64_t cores;
    x->is_cores = false;
    x->text[x->n_text] = '\0';
    if (!text_int(x->text, &cores) || cores < 1 || cores > 1000000) fail(x, name, "cores is not a whole number from 1");
    else x->g->task[x->job].cpu_milli = cores * 1000;
}

static void parse(struct dax *x, FILE *f)
{
    char buf[1 << 14];
    for (bool is_end = false; !is_end && x->st == ST_OK;) {
        size_t n = fread(buf, 1, sizeof buf, f);
        is_end = n < sizeof buf;
        if (ferror(f)) { x->st = diag_at(x->d, ST_EWORLD, x->g->path, 0, 0, "cannot be read"); return; }
        if (XML_Parse(x->parser, buf, (int)n, is_end) == XML_STATUS_ERROR && x->st == ST_OK)
            x->st = diag_at(x->d, ST_EINPUT, x->g->path, line(x), (uint32_t)XML_GetCurrentColumnNumber(x->parser) + 1, "is not XML: %s",
                            XML_ErrorString(XML_GetErrorCode(x->parser)));
    }
}

/* Children may be named before they are described. */
static void link_all(struct dax *x)
{
    for (size_t i = 0; i < x->n_links && x->st == ST_OK; i++) {
        uint32_t name = intern_find(&x->g->names, x->link[i].child), at = name != NONE ? x->g->of_name[name] : NONE;
        if (at == NONE)
            x->st = diag_at(x->d, ST_EINPUT, x->g->path, x->link[i].line, 0, "<child>: '%.80s' is not the id of a <job>", x->link[i].child);
        else dag_wait(x->g, at, x->link[i].parent, x->link[i].line, 0);
    }
}

enum st dag_read_dax(struct dag *g, struct diag *d)
{
    struct dax x = { .g = g, .d = d, .st = ST_OK, .job = NONE };
    FILE *f = fopen(g->path, "rb");
    if (f == NULL) return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, g->path, 0, 0, "cannot be opened: %s", strerror(errno));
    x.parser = XML_ParserCreate(NULL);
    if (x.parser == NULL) x.st = diag_set(d, ST_EWORLD, "the XML parser found no memory");
    else {
        XML_SetUserData(x.parser, &x);
        XML_SetElementHandler(x.parser, open_element, close_element);
        XML_SetCharacterDataHandler(x.parser, characters);
        parse(&x, f);
        link_all(&x);
        XML_ParserFree(x.parser);
    }
    (void)fclose(f);
    for (size_t i = 0; i < x.n_links; i++) { mem_free(x.link[i].child); mem_free(x.link[i].parent); }
    mem_free(x.link);
    mem_free(x.child);
    return x.st;
}
