/* measured.c -- the option of measured.h, read from the trace section. */
#include "input/trace/measured.h"

#include <string.h>
#include "input/trace/trace.h"

enum st trace_measured_read(const struct trace_option *x, const struct ydoc_node *v, void *to, struct trace_opts *o,
                            const struct cluster *c, struct diag *d)
{
    struct trace_measured *m = to;
    const struct intern *engines = &c->engines;
    if (v->type != YDOC_LIST) return ydoc_expected(v, d, "a list");
    if (o->has_times) return ydoc_key_error(v, d, "'measured' takes the times of calls from the trace; found an 'engines' section too");
    if (v->n == 0 || (double)v->n > x->max) return ydoc_expected(v, d, "1 to %g kinds of engine", x->max);
    for (size_t i = 0; i < v->n; i++) {
        const char *name;
        TRY(ydoc_node_str(v->at[i], &name, d));
        uint32_t engine = strcmp(name, "-") == 0 ? NONE : intern_find(engines, name);
        if (engine == NONE && strcmp(name, "-") != 0) {
            (void)ydoc_error(v->at[i], d, "found engine '%s', which no node of the cluster has", name);
            return diag_suggest(d, name, (const char *const *)engines->name, engines->n);
        }
        for (uint32_t k = 0; k < m->n && engine != NONE; k++)
            if (m->engine[k] == engine) return ydoc_error(v->at[i], d, "found engine '%s' twice", name);
        m->engine[m->n++] = engine;
    }
    o->has_times = o->reads_times = true;
    return ST_OK;
}
