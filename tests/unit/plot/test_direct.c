/* Names beside points and lines: each series has one, in the panel, over no other name. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "plot/direct.h"

enum { SERIES = 16 };
static const char *name[SERIES] = {
    "hard 1.1, 1.2, 20", "hard 1.5, 2, 20", "hard 3, 5, 20", "hard 5, 8, 20", "hard 1.5, 2, 2", "hard 1.5, 2, 5",
    "hard 1.5, 2, 100", "soft 1.1, 1.2, 20", "soft 1.5, 2, 20", "soft 3, 5, 20", "soft 5, 8, 20", "soft 1.5, 2, 5",
    "soft 1.5, 2, 100", "fsu", "fsp-move", "gs",
};
static const struct direct_axis x_axis = { 60, 0, 100, false, 6 };         /* minutes of seconds */
static const struct direct_axis y_log  = { 1, 1, 1000, true, 3 };

struct row { double x, y, to_x, to_y, at_x, at_y; int series; char name[64]; };

/* What a panel's names are written as. */
static size_t rows_of(const struct direct *l, size_t n, struct row *row)
{
    char *text = NULL;
    size_t size = 0, found = 0;
    struct gnuplot g = { .to = open_memstream(&text, &size) };
    direct_write(l, &g, name, n, &x_axis, &y_log);
    (void)fclose(g.to);
    for (const char *s = text; *s != '\0'; s = strchr(s, '\n') + 1) {
        struct row *r = &row[found];
        if (sscanf(s, "%lf\t%lf\t%lf\t%lf\t%d\t%lf\t%lf\t%63[^\n]", &r->x, &r->y, &r->to_x, &r->to_y, &r->series,
                   &r->at_x, &r->at_y, r->name) == 8)
            found++;
    }
    free(text);
    return found;
}

static double inches_x(double minutes) { return minutes / 100 * 6; }
static double inches_y(double value) { return log(value) / log(1000) * 3; }

/* In the panel, and apart by a line of 7 points or by half of both their lengths, 0.04 inches a character. */
static void expect_apart(const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const double x = inches_x(row[i].at_x), y = inches_y(row[i].at_y);
        cr_expect(x > 0 && x < 6 && y > 0 && y < 3, "%s at %g, %g", row[i].name, x, y);
        for (size_t k = 0; k < i; k++) {
            double dx = fabs(x - inches_x(row[k].at_x)), dy = fabs(y - inches_y(row[k].at_y));
            cr_expect(dy > 0.09 || dx > 0.02 * (double)(strlen(row[i].name) + strlen(row[k].name)), "%s over %s",
                      row[i].name, row[k].name);
        }
    }
}

Test(direct, points_close_to_one_another_have_their_names_apart)
{
    struct direct l = { 0 };
    struct row row[SERIES];
    for (size_t i = 0; i < SERIES; i++)         /* by twos the same */
        direct_add(&l, i, 3000 + 10 * (double)(i / 2), 30, false);
    cr_assert_eq(rows_of(&l, SERIES, row), SERIES);
    expect_apart(row, SERIES);
    for (int i = 0; i < SERIES; i++) {
        cr_expect_eq(row[i].series, i + 1);
        cr_expect_str_eq(row[i].name, name[i]);
        cr_expect_float_eq(row[i].x, (3000 + 10 * (i / 2)) / 60.0, 1e-6);
        cr_expect_float_eq(row[i].y, 30, 1e-6);
    }
    mem_free(l.at);
}

Test(direct, a_line_is_named_at_one_of_its_own_points_and_not_where_others_run)
{
    struct direct l = { 0 };
    struct row row[SERIES];
    for (size_t s = 0; s < 9; s++)              /* all are one until 40 minutes, then each goes its way */
        for (int t = 0; t <= 100; t++)
            direct_add(&l, s, t * 60, t < 40 ? 10 : 10 * exp(0.012 * (t - 40) * (double)s), t > 0);
    cr_assert_eq(rows_of(&l, 9, row), 9);
    expect_apart(row, 9);
    for (int s = 0; s < 9; s++) {
        cr_expect_gt(row[s].x, 40, "%s at %g", row[s].name, row[s].x);
        cr_expect_float_eq(row[s].y, 10 * exp(0.012 * (row[s].x - 40) * s), 1e-4 * row[s].y);
    }
    mem_free(l.at);
}

Test(direct, what_is_not_in_the_panel_has_no_name_and_eight_series_need_none)
{
    struct direct l = { 0 };
    struct row row[SERIES];
    for (size_t i = 0; i < 9; i++) direct_add(&l, i, i == 4 ? NAN : i == 5 ? 7000 : 600 * (double)i, 10, false);
    cr_expect_eq(rows_of(&l, 9, row), 7);
    cr_expect_eq(rows_of(&l, DIRECT_ABOVE, row), 0);
    mem_free(l.at);
}
