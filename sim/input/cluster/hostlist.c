/* hostlist.c -- the host lists of hostlist.h: each bracket group is expanded in turn, depth first. */
#include "input/cluster/hostlist.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"

static const char *add_host(struct hostlist *h, const char *s, size_t n)
{
    if (h->n == HOSTLIST_MAX) return "a host list names more than 200000 hosts";
    MEM_PUSH(h->name, h->n, h->cap, mem_strndup(s, n));
    return NULL;
}

/* A number of at most nine digits; its width keeps leading zeroes. */
static const char *number(const char **p, uint32_t *value, int *width)
{
    const char *s = *p;
    uint32_t v = 0;
    while (isdigit((unsigned char)**p)) {
        if (*p - s == 9) return "a range in a host list has more than nine digits";
        v = v * 10 + (uint32_t)(*(*p)++ - '0');
    }
    if (*p == s) return "a range in a host list needs numbers, like [001-016,20]";
    *value = v;
    *width = (int)(*p - s);
    return NULL;
}

static const char *expand(struct hostlist *h, const char *prefix, const char *rest, int depth);

/* rest points past a '['; each value of the ranges goes on with what follows ']'. */
static const char *expand_ranges(struct hostlist *h, const char *prefix, const char *rest, int depth)
{
    const char *close = strchr(rest, ']');
    if (close == NULL) return "a '[' in a host list is not closed";
    if (depth == 4) return "a host name has more than four bracket groups";
    size_t n = strlen(prefix) + 16;
    char *name = mem_alloc(n, 1);
    const char *error = NULL;
    for (const char *p = rest; error == NULL;) {
        uint32_t lo, hi;
        int width, width_hi;
        if ((error = number(&p, &lo, &width)) != NULL) break;
        hi = lo;
        if (*p == '-' && (p++, error = number(&p, &hi, &width_hi)) != NULL) break;
        if (hi < lo) { error = "a range in a host list runs backwards"; break; }
        if (hi - lo >= HOSTLIST_MAX) { error = "a host list names more than 200000 hosts"; break; }
        for (uint32_t v = lo; v <= hi && error == NULL; v++) {
            (void)snprintf(name, n, "%s%0*u", prefix, width, v);
            error = expand(h, name, close + 1, depth + 1);
        }
        if (error != NULL || p == close) break;
        if (*p++ != ',') error = "a range in a host list needs numbers, like [001-016,20]";
    }
    mem_free(name);
    return error;
}

/* All hosts that `prefix` followed by the pattern `rest` stands for. */
static const char *expand(struct hostlist *h, const char *prefix, const char *rest, int depth)
{
    size_t plain = strcspn(rest, "[]");
    if (rest[plain] == ']') return "a ']' in a host list has no '['";
    size_t n = strlen(prefix);
    char *name = mem_alloc(n + plain + 1, 1);
    memcpy(name, prefix, n);
    memcpy(name + n, rest, plain);
    const char *error = rest[plain] == '[' ? expand_ranges(h, name, rest + plain + 1, depth) : add_host(h, name, n + plain);
    mem_free(name);
    return error;
}

const char *hostlist_parse(struct hostlist *h, const char *text)
{
    memset(h, 0, sizeof *h);
    const char *error = NULL;
    for (const char *p = text; error == NULL;) {
        size_t n = 0;
        for (bool in = false; p[n] != '\0' && (in || p[n] != ','); n++) {       /* a comma in brackets does not part */
            if (p[n] == '[') in = true;
            if (p[n] == ']') in = false;
        }
        if (n == 0) { error = "a host list has an empty name"; break; }
        char *one = mem_strndup(p, n);
        error = expand(h, "", one, 0);
        mem_free(one);
        if (p[n] == '\0') break;
        p += n + 1;
    }
    if (error != NULL) hostlist_fini(h);
    return error;
}

void hostlist_fini(struct hostlist *h)
{
    for (size_t i = 0; i < h->n; i++) mem_free(h->name[i]);
    mem_free(h->name);
    memset(h, 0, sizeof *h);
}
