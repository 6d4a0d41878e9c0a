/* state.h -- what the parts of gavel share: the books of its units, and what was decided on them. */
#ifndef POL_GAVEL_STATE_H
#define POL_GAVEL_STATE_H

#include "gavel/program.h"
#include "lib/sched/rounds.h"
#include "lib/sched/share.h"

enum { GAVEL_TYPES_MAX = 16, GAVEL_CARD = 1000 };

/* What is known of a unit with GPUs, by task slot. */
struct gavel_book {
    uint64_t ordinal;           /* whose it is */
    uint32_t index;
    bool     is_known;
    uint64_t entity;            /* 2 x queue, or without one 2 x user + 1 */
    bool     is_part;           /* it runs on some type; else it is not leased, but starts where it fits */
    uint32_t job;               /* in the program of the last solve; POL_NONE: it came later */
    double   speed[GAVEL_TYPES_MAX];    /* of a type, 1 is nominal; 0: it does not run there */
    bool     may_have[GAVEL_TYPES_MAX]; /* what it asks allows the type */
    double   x[GAVEL_TYPES_MAX];        /* fractions of time, of the last solve */
    double   received[GAVEL_TYPES_MAX]; /* seconds that it ran by itself since then, and half a round */
    double   deficit[GAVEL_TYPES_MAX];  /* seconds that it should have had before, and did not */
    double   alone, alone_rate, left;   /* finish-time fairness: see program.h; and of the last solve */
    /* Of its lease: by which row it runs on which type, and until when that was counted. */
    uint32_t partner, type;
    int64_t  counted;
};

/* A pair that the last solve gave time. */
struct gavel_pair {
    uint32_t id[2];
    uint64_t ordinal[2];
    double   x[GAVEL_TYPES_MAX], received[GAVEL_TYPES_MAX];
};

/* A row on a type, as the order of a round has it. */
struct gavel_entry { double priority, deficit, x; uint32_t id, partner, pair, seq; };
/* Who runs in the round, where. */
struct gavel_choice { uint32_t id, partner, pair, type, seq; int64_t cards; bool is_placed; };

struct gavel {
    struct sched  sched;
    struct rounds rounds;
    const struct pol_speeds *speeds;
    enum gavel_objective objective;
    bool    is_aware, has_pairs, is_hierarchical;
    int64_t round, every;
    struct share_weights weights;
    uint64_t *entity; size_t cap_entity;                /* those of the program */
    double  price[GAVEL_TYPES_MAX];     /* by type */
    struct queue others;                /* waiting units that are not leased */
    uint32_t n_types, type[GAVEL_TYPES_MAX];            /* those that the cluster has, in its order: ids of the view */
    double  cards[GAVEL_TYPES_MAX];     /* of the nodes that are up */
    uint32_t *node_type; size_t cap_node_type;          /* [nodes] index in `type`; POL_NONE: no GPUs */
    struct gavel_book *book; size_t cap_book;
    struct gavel_pair *pair; size_t cap_pair; uint32_t n_pairs;
    uint32_t *unit; size_t cap_unit; uint32_t n_units;  /* candidates of the round that ask for GPUs, by arrival */
    struct gavel_program program;
    bool    is_stale;           /* something came, ended or failed since the last solve */
    int64_t solved;             /* when that was; 0: never, or when time began */
    uint64_t draws;             /* of random numbers */
    struct gavel_entry *entry; size_t cap_entry; uint32_t n_entries;
    struct gavel_choice *choice; size_t cap_choice; uint32_t n_choices;
    uint8_t *chosen; size_t cap_chosen;                 /* by task slot, in the round */
};

static inline bool gavel_is_current(const struct gavel *g, uint32_t id)
{
    const struct unit *u = &g->sched.units.at[id];
    return id < g->cap_book && g->book[id].is_known && g->book[id].ordinal == u->ordinal &&
           g->book[id].index == u->index;
}

/* Cards that the unit holds while it runs: shares count as parts, and with pairs as whole ones.  Thousandths. */
int64_t gavel_cards_milli(const struct gavel *g, const struct unit *u);
/* Can these two share their cards, and how fast is the unit beside the other?  0: not measured. */
bool gavel_may_pair(const struct gavel *g, uint32_t a, uint32_t b);

/* allocate.c: how much time each unit should have; false: the run fails. */
bool gavel_allocate(struct gavel *g);
/* choose.c: who runs in this round on which type, and their places. */
void gavel_choose(struct gavel *g);

#endif
