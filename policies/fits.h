/*
 * fits.h -- does a request fit a node?  The one predicate, and what follows
 * from it: how many fit, on which cards, what is lacking.
 *
 * A template over three types, since the ledger has structs of its own and
 * policies have those of policy.h; both use these members by these names:
 *
 *   node     is_up, n_tasks, max_tasks, labels, gpu_type, n_gpu,
 *            cpu_, mem_ {total, free, reserved}, engine_ {total, free} []
 *   card     milli_free, mem_ {total, free}, core_ {total, free}
 *   request  cpu_milli, mem_b, engine[], need_all, need_any, exclusive,
 *            n_gpu, gpu_types, gpu_milli, gpu_mem_b, gpu_cores
 *
 * Included plainly it makes pol_node_fits() and the others over policy.h's structs.
 * The ledger defines FITS(name), FITS_NODE, FITS_CARD and FITS_REQUEST first.
 *
 * `cards` are always the node's own, [n_gpu].  All of them are pure and cost
 * O(n_gpu) unless they say otherwise.  The rule in words: README.md, "Fits".
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if !defined FITS_NODE && !defined FITS_H
#define FITS_H
#include "policy.h"
#define FITS(name)   pol_node_##name
#define FITS_NODE    struct pol_node
#define FITS_CARD    struct pol_card
#define FITS_REQUEST struct pol_shape
#endif

#ifdef FITS_NODE

#ifndef FITS_CONSTANTS
#define FITS_CONSTANTS
enum { FITS_WHOLE_CARD = 1000, FITS_CARDS_MAX = 64 };   /* thousandths; bits of a set of cards */
/*
 * What a request lacks on a node.  LACK_NEVER alone: it would not fit even if
 * the node were up and empty; LACK_DOWN alone: the node is down.  LACK_GPU: too
 * few cards have the share asked; LACK_CARD_MEM, LACK_CARD_CORES: enough have,
 * but not the memory or the cores of a card (both: each alone enough have, not
 * together).  LACK_TASKS: as many tasks run there as the node allows.
 * LACK_IDLE: it asks for the whole node, which is in use.
 */
enum {
    LACK_GPU = 1, LACK_CPU = 2, LACK_MEM = 4, LACK_ENGINE = 8, LACK_IDLE = 16, LACK_CARD_MEM = 32, LACK_CARD_CORES = 64,
    LACK_TASKS = 128, LACK_DOWN = 256, LACK_NEVER = 512, LACK_ALL = 1024    /* LACK_ALL: above every union */
};
#endif

#define FITS_N_ENGINES(n) (int)(sizeof (n)->engine_free / sizeof (n)->engine_free[0])

/* What does not change with use: labels and GPU type.  O(1). */
static inline bool FITS(allows)(const FITS_NODE *n, const FITS_REQUEST *s)
{
    if ((n->labels & s->need_all) != s->need_all || (s->need_any != 0 && (n->labels & s->need_any) == 0)) return false;
    return s->n_gpu == 0 || s->gpu_types == 0 || (n->gpu_type != UINT32_MAX && (s->gpu_types >> n->gpu_type & 1) != 0);
}

/* A card of unknown memory or cores (total 0) is not constrained by them.  O(1). */
static inline bool FITS(card_has_mem)(const FITS_CARD *c, const FITS_REQUEST *s)
{
    return s->gpu_mem_b == 0 || c->mem_total == 0 || c->mem_free >= s->gpu_mem_b;
}
static inline bool FITS(card_has_cores)(const FITS_CARD *c, const FITS_REQUEST *s)
{
    return s->gpu_cores == 0 || c->core_total == 0 || c->core_free >= s->gpu_cores;
}
/* Has the card, as it is now, what the request asks of each of its cards?  O(1). */
static inline bool FITS(card_fits)(const FITS_CARD *c, const FITS_REQUEST *s)
{
    return c->milli_free >= s->gpu_milli && FITS(card_has_mem)(c, s) && FITS(card_has_cores)(c, s);
}

/* O(1). */
static inline bool FITS(asks_engines)(const FITS_REQUEST *s)
{
    static const char none[sizeof s->engine];
    return memcmp(s->engine, none, sizeof none) != 0;
}

/* All but the cards.  The tests most likely to fail come first.  O(1). */
static inline bool FITS(fits_beside_cards)(const FITS_NODE *n, const FITS_REQUEST *s)
{
    if (n->cpu_free < s->cpu_milli || n->mem_free < s->mem_b || !n->is_up) return false;
    if (n->max_tasks > 0 && n->n_tasks >= n->max_tasks) return false;
    if (s->exclusive && n->n_tasks > 0) return false;
    const bool has_engines = s->exclusive || FITS(asks_engines)(s);
    for (int k = 0; has_engines && k < FITS_N_ENGINES(n); k++)      /* calls hold some of a node without tasks, too */
        if (n->engine_free[k] < s->engine[k] || (s->exclusive && n->engine_free[k] < n->engine_total[k])) return false;
    return FITS(allows)(n, s);
}

/* Would a task fit on the node as it is now? */
static inline bool FITS(fits)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    if (!FITS(fits_beside_cards)(n, s)) return false;
    const bool by_share = s->gpu_mem_b == 0 && s->gpu_cores == 0;
    int32_t lack = s->n_gpu;
    for (uint32_t k = 0; by_share && k < n->n_gpu && lack > 0; k++) lack -= cards[k].milli_free >= s->gpu_milli;
    for (uint32_t k = 0; !by_share && k < n->n_gpu && lack > 0; k++) lack -= FITS(card_fits)(&cards[k], s);
    return lack <= 0;
}

/* What a task holds there: all that the node has for tasks if it is exclusive.  O(1). */
static inline int64_t FITS(cpu_of)(const FITS_NODE *n, const FITS_REQUEST *s) { return s->exclusive ? n->cpu_total - n->cpu_reserved : s->cpu_milli; }
static inline int64_t FITS(mem_of)(const FITS_NODE *n, const FITS_REQUEST *s) { return s->exclusive ? n->mem_total - n->mem_reserved : s->mem_b; }
/* And on each of its cards; of what is not known of a card it holds nothing.  O(1). */
static inline int64_t FITS(card_mem_of)(const FITS_CARD *c, const FITS_REQUEST *s) { return s->exclusive || c->mem_total == 0 ? c->mem_total : s->gpu_mem_b; }
static inline int32_t FITS(card_cores_of)(const FITS_CARD *c, const FITS_REQUEST *s) { return s->exclusive || c->core_total == 0 ? c->core_total : s->gpu_cores; }

/* Every card of the node. */
static inline uint64_t FITS(all_cards)(const FITS_NODE *n)
{
    return n->n_gpu == 0 ? 0 : UINT64_MAX >> (FITS_CARDS_MAX - n->n_gpu);
}

/* Would it fit on exactly these cards, of which there are as many as it asks? */
static inline bool FITS(fits_on)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s, uint64_t chosen)
{
    if (!FITS(fits_beside_cards)(n, s)) return false;
    for (uint32_t k = 0; k < n->n_gpu && !s->exclusive; k++)
        if ((chosen >> k & 1) != 0 && !FITS(card_fits)(&cards[k], s)) return false;
    return true;
}

/*
 * The cards that a task gets when nobody says which: of those that fit the
 * fullest by share, then by memory, then the lowest; all if it is exclusive.
 * 0 if too few fit.  O(n_gpu + cards asked) where those that fit are alike, else O(n_gpu x cards asked).
 */
static inline uint64_t FITS(pick_cards)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    if (s->exclusive) return FITS(all_cards)(n);
    uint64_t fit = 0, picked = 0;
    uint32_t first = 0;
    bool alike = true;
    for (uint32_t k = 0; k < n->n_gpu && s->n_gpu > 0; k++) {
        if (!FITS(card_fits)(&cards[k], s)) continue;
        if (fit == 0) first = k;
        alike &= cards[k].milli_free == cards[first].milli_free && cards[k].mem_free == cards[first].mem_free;
        fit |= UINT64_C(1) << k;
    }
    if (__builtin_popcountll(fit) < s->n_gpu) return 0;
    for (int32_t i = 0; i < s->n_gpu; i++) {
        uint32_t best = (uint32_t)__builtin_ctzll(fit);
        for (uint64_t left = alike ? 0 : fit & (fit - 1); left != 0; left &= left - 1) {
            uint32_t k = (uint32_t)__builtin_ctzll(left);
            if (cards[k].milli_free < cards[best].milli_free ||
                (cards[k].milli_free == cards[best].milli_free && cards[k].mem_free < cards[best].mem_free)) best = k;
        }
        fit ^= UINT64_C(1) << best;
        picked |= UINT64_C(1) << best;
    }
    return picked;
}

/* Tasks that the cards of a node take one after the other, each on its pick_cards. */
static inline int64_t FITS(capacity_of_cards)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    int64_t slots = 0, fit;
    /* Shares of several cards: the choice matters, so it is made. */
    if (s->n_gpu > 1 && s->gpu_milli < FITS_WHOLE_CARD) {
        FITS_CARD left[FITS_CARDS_MAX];
        memcpy(left, cards, n->n_gpu * sizeof *left);
        for (uint64_t chosen; (chosen = FITS(pick_cards)(n, left, s)) != 0; slots++)
            for (uint32_t k = 0; k < n->n_gpu; k++)
                if ((chosen >> k & 1) != 0) {
                    left[k].milli_free -= s->gpu_milli;
                    left[k].mem_free -= s->gpu_mem_b;
                    left[k].core_free -= s->gpu_cores;
                }
        return slots;
    }
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        if (!FITS(card_fits)(&cards[k], s)) continue;
        fit = cards[k].milli_free / s->gpu_milli;
        if (s->gpu_mem_b > 0 && cards[k].mem_total > 0 && cards[k].mem_free / s->gpu_mem_b < fit) fit = cards[k].mem_free / s->gpu_mem_b;
        if (s->gpu_cores > 0 && cards[k].core_total > 0 && cards[k].core_free / s->gpu_cores < fit) fit = cards[k].core_free / s->gpu_cores;
        slots += fit;
    }
    return slots / s->n_gpu;
}

/* How many tasks of a request that fits would fit at once, but for their cards.  O(1). */
static inline int64_t FITS(capacity_beside_cards)(const FITS_NODE *n, const FITS_REQUEST *s)
{
    if (s->exclusive) return 1;
    int64_t most = n->max_tasks > 0 ? (int64_t)n->max_tasks - n->n_tasks : INT32_MAX;
    if (s->cpu_milli > 0 && n->cpu_free / s->cpu_milli < most) most = n->cpu_free / s->cpu_milli;
    if (s->mem_b > 0 && n->mem_free / s->mem_b < most) most = n->mem_free / s->mem_b;
    for (int k = 0; k < FITS_N_ENGINES(n); k++)
        if (s->engine[k] > 0 && n->engine_free[k] / s->engine[k] < most) most = n->engine_free[k] / s->engine[k];
    return most;
}

/* How many tasks of the request fit at once, one after the other, each on its pick_cards. */
static inline uint32_t FITS(capacity)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    if (!FITS(fits)(n, cards, s)) return 0;
    const int64_t most = FITS(capacity_beside_cards)(n, s);
    const int64_t fit = s->n_gpu > 0 && !s->exclusive ? FITS(capacity_of_cards)(n, cards, s) : most;
    return (uint32_t)(fit < most ? fit : most);
}

/* The node and its cards as they are when it is up and nothing runs there: to ask what could ever fit. */
static inline void FITS(empty)(FITS_NODE *n, FITS_CARD *cards)
{
    n->is_up = true;
    n->n_tasks = 0;
    n->cpu_free = n->cpu_total - n->cpu_reserved;
    n->mem_free = n->mem_total - n->mem_reserved;
    for (int k = 0; k < FITS_N_ENGINES(n); k++) n->engine_free[k] = n->engine_total[k];
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        cards[k].milli_free = FITS_WHOLE_CARD;
        cards[k].mem_free = cards[k].mem_total;
        cards[k].core_free = cards[k].core_total;
    }
}

/* How many would fit if the node were up and empty. */
static inline uint32_t FITS(capacity_empty)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    if (!FITS(allows)(n, s)) return 0;
    FITS_NODE node = *n;
    FITS_CARD card[FITS_CARDS_MAX];
    if (n->n_gpu > 0) memcpy(card, cards, n->n_gpu * sizeof *card);
    FITS(empty)(&node, card);
    return FITS(capacity)(&node, card, s);
}

/* What it lacks on the node as it is now: LACK_..., 0 exactly when it fits. */
static inline uint32_t FITS(lacks)(const FITS_NODE *n, const FITS_CARD *cards, const FITS_REQUEST *s)
{
    int32_t share = 0, mem = 0, cores = 0, all = 0;
    uint32_t lacks = 0;
    if (FITS(fits)(n, cards, s)) return 0;
    if (FITS(capacity_empty)(n, cards, s) == 0) return LACK_NEVER;
    if (!n->is_up) return LACK_DOWN;
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        if (cards[k].milli_free < s->gpu_milli) continue;
        bool m = FITS(card_has_mem)(&cards[k], s), c = FITS(card_has_cores)(&cards[k], s);
        share++;
        mem += m;
        cores += c;
        all += m && c;
    }
    if (share < s->n_gpu) lacks |= LACK_GPU;
    else if (all < s->n_gpu) {
        lacks |= (mem < s->n_gpu ? LACK_CARD_MEM : 0) | (cores < s->n_gpu ? LACK_CARD_CORES : 0);
        if (lacks == 0) lacks = LACK_CARD_MEM | LACK_CARD_CORES;
    }
    if (n->cpu_free < s->cpu_milli) lacks |= LACK_CPU;
    if (n->mem_free < s->mem_b) lacks |= LACK_MEM;
    if (n->max_tasks > 0 && n->n_tasks >= n->max_tasks) lacks |= LACK_TASKS;
    if (s->exclusive && n->n_tasks > 0) lacks |= LACK_IDLE;
    for (int k = 0; k < FITS_N_ENGINES(n); k++) {
        if (n->engine_free[k] < s->engine[k]) lacks |= LACK_ENGINE;
        if (s->exclusive && n->engine_free[k] < n->engine_total[k]) lacks |= LACK_IDLE;
    }
    return lacks;
}

#undef FITS_N_ENGINES
#undef FITS
#undef FITS_NODE
#undef FITS_CARD
#undef FITS_REQUEST
#endif
