/* energy.c -- power by utilisation, and prices over hours of the day. */
#include "model/cluster/energy.h"

#include "base/mem.h"

#define HOUR_US (3600 * TICK_SEC)

void energy_fini(struct energy *e)
{
    mem_free(e->node);
    *e = (struct energy){ 0 };
}

int64_t energy_power_at(const struct power *p, int64_t used, int64_t total)
{
    if (p->n == 0) return 0;
    sim_wide x = (sim_wide)used * POWER_WHOLE;            /* utilisation x total, as are its ends below */
    uint32_t i = 0;
    while (i + 2 < p->n && x > (sim_wide)p->at[i + 1] * total) i++;
    sim_wide run = (sim_wide)(p->at[i + 1] - p->at[i]) * total, over = x - (sim_wide)p->at[i] * total;
    return p->mw[i] + (int64_t)(((p->mw[i + 1] - p->mw[i]) * over * 2 + run) / (2 * run));
}

/* From midnight on. */
static sim_wide price_until(const struct price *p, sim_tick at)
{
    sim_wide day = 0, part = 0;
    sim_tick hour = at / HOUR_US % HOURS_A_DAY;
    for (int h = 0; h < HOURS_A_DAY; h++) {
        day += (sim_wide)p->by_hour[h] * HOUR_US;
        if (h < hour) part += (sim_wide)p->by_hour[h] * HOUR_US;
    }
    return at / (HOURS_A_DAY * HOUR_US) * day + part + (sim_wide)p->by_hour[hour] * (at % HOUR_US);
}

sim_wide energy_price_between(const struct price *p, sim_tick starts_at, sim_tick from, sim_tick to)
{
    if (!p->is_stated || from == to) return 0;
    return price_until(p, starts_at + to) - price_until(p, starts_at + from);
}
