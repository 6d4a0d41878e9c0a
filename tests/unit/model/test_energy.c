/* Unit tests of sim/model/cluster/energy: power by utilisation and prices over hours, against closed forms. */
#include <criterion/criterion.h>
#include "model/cluster/energy.h"

#define H (3600 * TICK_SEC)

static const struct power linear = { .n = 2, .at = { 0, POWER_WHOLE }, .mw = { 100000, 300000 } };
static const struct power table = { .n = 3, .at = { 0, 500000, POWER_WHOLE }, .mw = { 200000, 420000, 500000 } };

Test(energy, linear_power_is_idle_plus_its_share_of_the_rest)
{
    for (int64_t used = 0; used <= 48; used++)
        cr_assert_eq(energy_power_at(&linear, used, 48), (100000 * 48 * 2 + 200000 * used * 2 + 48) / (2 * 48));
    cr_assert_eq(energy_power_at(&linear, 1, 3), 166667);       /* to the nearest milliwatt */
    cr_assert_eq(energy_power_at(&linear, INT64_C(4000000000000000), INT64_C(4000000000000000)), 300000);
}

Test(energy, a_table_is_met_at_its_points_and_straight_between)
{
    cr_assert_eq(energy_power_at(&table, 0, 8), 200000);
    cr_assert_eq(energy_power_at(&table, 2, 8), 310000);
    cr_assert_eq(energy_power_at(&table, 4, 8), 420000);
    cr_assert_eq(energy_power_at(&table, 6, 8), 460000);
    cr_assert_eq(energy_power_at(&table, 8, 8), 500000);
    cr_assert_eq(energy_power_at(&(struct power){ .n = 0 }, 4, 8), 0);
}

/* 1 an hour by day, from 8 to 20, and 3 by night. */
static struct price day_and_night(void)
{
    struct price p = { .is_stated = true };
    for (int h = 0; h < HOURS_A_DAY; h++) p.by_hour[h] = h >= 8 && h < 20 ? 1 : 3;
    return p;
}

Test(energy, prices_are_integrated_over_hours_and_days)
{
    const struct price p = day_and_night(), none = { .is_stated = false };
    cr_assert(energy_price_between(&p, 0, 0, 24 * H) == 12 * 1 * H + 12 * 3 * H);
    cr_assert(energy_price_between(&p, 0, 7 * H + 1, 8 * H + 1) == 3 * (H - 1) + 1);
    cr_assert(energy_price_between(&p, 19 * H, 0, 2 * H) == H + 3 * H);
    cr_assert(energy_price_between(&p, 19 * H, 0, 1000 * 24 * H) == (sim_wide)1000 * 48 * H);
    cr_assert(energy_price_between(&p, 0, 5, 5) == 0);
    cr_assert(energy_price_between(&none, 0, 0, H) == 0);
}

Test(energy, an_integral_is_that_of_its_parts_wherever_it_is_cut)
{
    const struct price p = day_and_night();
    const sim_tick step = 1234567891, end = 60 * H;
    sim_wide sum = 0;
    for (sim_tick at = 0; at < end; at += step)
        sum += energy_price_between(&p, 5 * H, at, at + step < end ? at + step : end);
    cr_assert(sum == energy_price_between(&p, 5 * H, 0, end));
}

/* The greatest cluster, price and run that a scenario may state. */
Test(energy, the_largest_sums_fit)
{
    struct price p = { .is_stated = true };
    for (int h = 0; h < HOURS_A_DAY; h++) p.by_hour[h] = PRICE_KWH_MAX;
    const sim_tick years = INT64_C(31557600000) * TICK_SEC;
    sim_wide all = POWER_SUM_MAX * energy_price_between(&p, 0, 0, years);
    cr_assert(all / POWER_SUM_MAX / PRICE_KWH_MAX == years);
}
