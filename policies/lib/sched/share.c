/*
 * share.c -- exact comparison of shares (products of three 64-bit numbers), and users'
 * weights, see share.h.
 */
#include "lib/sched/share.h"

#include "lib/util.h"

/* a * b * c, all >= 0, in 192 bits. */
struct triple { pol_uwide hi; uint64_t lo; };

static struct triple triple(int64_t a, int64_t b, int64_t c)
{
    pol_uwide ab = (pol_uwide)a * (pol_uwide)b, lo = (pol_uwide)(uint64_t)ab * (pol_uwide)c;
    pol_uwide hi = (pol_uwide)(uint64_t)(ab >> 64) * (pol_uwide)c + (lo >> 64);
    return (struct triple){ hi, (uint64_t)lo };
}

int share_cmp(const struct share *a, const struct share *b)
{
    struct triple x = triple(a->held, b->total, b->weight), y = triple(b->held, a->total, a->weight);
    if (x.hi != y.hi) return x.hi < y.hi ? -1 : 1;
    return (x.lo > y.lo) - (x.lo < y.lo);
}

struct share share_dominant(const int64_t held[SHARE_DIMS], const int64_t total[SHARE_DIMS], int64_t weight)
{
    struct share best = { 0, 1, weight };
    for (int d = 0; d < SHARE_DIMS; d++) {
        struct share s = { held[d], total[d], weight };
        if (total[d] > 0 && share_cmp(&s, &best) > 0) best = s;
    }
    return best;
}

/* "2", "0.5", "1.125" to thousandths; 0 when it is none of these. */
static int64_t parse_weight(const char *s, const char *end)
{
    int64_t x = 0, unit = SHARE_ONE;
    bool point = false, digits = false;
    for (; s < end; s++) {
        if (*s == '.' && !point) {
            point = true;
            continue;
        }
        if (*s < '0' || *s > '9' || (point && unit == 1) || x > INT64_C(1000000) * SHARE_ONE) return 0;
        digits = true;
        if (point) {
            unit /= 10;
            x += (*s - '0') * unit;
        } else {
            x = x * 10 + (*s - '0') * (int64_t)SHARE_ONE;
        }
    }
    return digits && x <= INT64_C(1000000) * SHARE_ONE ? x : 0;
}

bool share_weights_parse(struct share_weights *w, const char *text, char *error, size_t cap)
{
    while (*text != '\0') {
        const char *end = strchr(text, ';'), *colon = NULL;
        if (end == NULL) end = text + strlen(text);
        for (const char *c = text; c < end; c++)
            if (*c == ':') colon = c;
        int64_t weight = colon != NULL ? parse_weight(colon + 1, end) : 0;
        if (colon == NULL || colon == text || weight == 0)
            return pol_error(
                error, cap,
                "weights: '%.*s' is not user:weight, a weight being above 0, up to a million, with at most 3 decimals",
                (int)(end - text), text);
        POL_RESERVE(w->at, w->cap, w->n + 1);
        size_t n = (size_t)(colon - text);
        char *user = pol_alloc(n + 1, 1);
        memcpy(user, text, n);
        w->at[w->n++] = (struct share_named){ user, weight };
        for (size_t i = 0; i + 1 < w->n; i++) {
            if (strcmp(w->at[i].user, user) != 0) continue;
            return pol_error(error, cap, "weights: user '%s' is named twice", user);
        }
        text = *end != '\0' ? end + 1 : end;
    }
    return true;
}

int64_t share_weight(const struct share_weights *w, const char *user)
{
    for (size_t i = 0; user != NULL && i < w->n; i++)
        if (strcmp(w->at[i].user, user) == 0) return w->at[i].weight;
    return SHARE_ONE;
}

void share_weights_fini(struct share_weights *w)
{
    for (size_t i = 0; i < w->n; i++) free(w->at[i].user);
    free(w->at);
    memset(w, 0, sizeof *w);
}
