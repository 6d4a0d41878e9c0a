/*
 * energy.h -- what nodes and cards draw, and what they and electricity cost.  Layer: model.
 *
 * Power is in milliwatts, money in millionths of whatever the scenario counts in, a
 * utilisation in millionths.  All are integers, so that integrals over time are exact:
 * mW x us; of a price an hour, or a kWh, millionths x us, across hours of the day.
 */
#ifndef MODEL_CLUSTER_ENERGY_H
#define MODEL_CLUSTER_ENERGY_H

#include "model/cluster/cluster.h"

enum { POWER_POINTS_MAX = 16, POWER_WHOLE = 1000000, HOURS_A_DAY = 24 };
/* At most 1 GW of a whole cluster, 1000 a kWh, a million an hour: 1000 years of their products fit 128 bits. */
#define POWER_SUM_MAX  INT64_C(1000000000000)
#define PRICE_KWH_MAX  INT64_C(1000000000)
#define PRICE_HOUR_MAX INT64_C(1000000000000)

/* Against utilisation, `at` rising from 0 to POWER_WHOLE; mw never falls; straight lines between.  n 0: not known. */
struct power { uint32_t n; int64_t at[POWER_POINTS_MAX], mw[POWER_POINTS_MAX]; };
/* By hour of the day. */
struct price { bool is_stated; int64_t by_hour[HOURS_A_DAY]; };

/* What a node without its cards, or a card, draws and costs. */
struct draw { struct power power; struct price price; };

struct energy {
    bool has_power, has_price;          /* of every node and card; of anything at all */
    struct draw *node; size_t n_node, cap_node;     /* by node_own.draw */
    struct draw card[GPU_TYPES_MAX];    /* by GPU type */
    struct price electricity;           /* of a kWh */
    sim_tick starts_at;                 /* time of day when the run begins */
};

void energy_fini(struct energy *e);     /* zero-initialise to begin */

/* Of what is used to used/total, total > 0; to the nearest mW. */
int64_t energy_power_at(const struct power *p, int64_t used, int64_t total);
/* The integral of the price over the run's clock [from, to]: millionths x us. */
sim_wide energy_price_between(const struct price *p, sim_tick starts_at, sim_tick from, sim_tick to);

#endif
