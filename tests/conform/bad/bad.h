/*
 * bad.h -- a policy that keeps its contract but for one thing: each file beside
 * this one defines `bad`, which is called once a call before the rule (first
 * come, first served, passing over what does not fit), and returns true to keep
 * the rule from being applied; or CREATE, a create of its own that may call
 * this one's.  Its first line says how it is found out:
 *
 *   load: TEXT       `fairway policies FILE` exits with 2 and says TEXT
 *   create: TEXT     the same with 4
 *   run: TEXT        `fairway run` exits with 4 and says TEXT
 *   conform: TEXT    `fairway policies --conform` exits with 4 and says TEXT
 */
#include <stdio.h>
#include "kit.h"

#ifndef FLAGS
#define FLAGS 0
#endif

struct mine { struct kit kit; uint64_t n_calls; int64_t own[8]; const void *kept; };

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev);

static int in_order(const void *x, const void *y)
{
    const struct unit *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static inline void rule(struct mine *m, const struct pol_view *v)
{
    if (m->kit.n > 1) qsort(m->kit.queue, m->kit.n, sizeof *m->kit.queue, in_order);
    for (size_t i = 0; i < m->kit.n; i++) (void)kit_start(&m->kit, v, &m->kit.queue[i], NULL);
}

static inline void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct mine *m = self;
    kit_hear(&m->kit, v, ev, n_ev);
    m->n_calls++;
    if (!bad(m, v, ev, n_ev)) rule(m, v);
    kit_close(&m->kit);
}

#ifdef CREATE
static void *CREATE(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap);
static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}
#else
#define CREATE create
#endif
static inline void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)value, (void)flags, (void)error, (void)cap;
    struct mine *m = calloc(1, sizeof *m);
    if (m != NULL) m->kit.host = host;
    return m;
}

#ifndef DESTROY
#define DESTROY destroy
#endif
static inline void destroy(void *self)
{
    struct mine *m = self;
    kit_fini(&m->kit);
    free(m);
}

#ifndef NO_TABLE
#define TABLE .name = "bad", .source = "a test", .summary = "breaks one thing", .flags = FLAGS, .decide = decide
const struct pol_ops fairway_policy = { POL_HEADER, TABLE, .create = CREATE, .destroy = DESTROY };
#endif
