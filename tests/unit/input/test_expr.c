/* Unit tests of expressions over the fields of a row. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "input/text/expr.h"

static const char *const row[][2] = {
    { "gres.gpu", "4" }, { "nnodes", "2" }, { "state", "FAILED" }, { "none", "" }, { "GPU Count", "150" }, { "x", "-0.5" },
    { "same", "FAILED" }, { "huge", "1e20" },
};
static struct expr *e;
static char error[256];
static size_t at;

static const char *field(void *ctx, size_t name)
{
    (void)ctx;
    for (size_t i = 0; i < ARRAY_LEN(row); i++) if (strcmp(row[i][0], expr_name(e, name)) == 0) return row[i][1];
    return "";
}

static bool number(void *ctx, size_t name, const char *s, sim_wide *out)
{
    (void)ctx; (void)name;
    bool neg = *s == '-';
    if (!value_number(s + neg, EXPR_ONE, (sim_wide)1 << 100, out, NULL)) return false;
    if (neg) *out = -*out;
    return true;
}

static const struct expr_row reader = { NULL, field, number };

/* In thousandths; INT64_MIN: empty, INT64_MAX: it fails. */
static int64_t value(const char *text)
{
    struct expr_value v;
    e = expr_parse(text, error, sizeof error);
    cr_assert_not_null(e, "%s", error);
    bool ok = expr_eval_number(e, &reader, &v, &at, error, sizeof error);
    expr_free(e);
    return !ok ? INT64_MAX : v.type == EXPR_EMPTY ? INT64_MIN : (int64_t)(v.n / (EXPR_ONE / 1000));
}

Test(expr, arithmetic_binds_as_usual)
{
    cr_expect_eq(value("gres.gpu * nnodes"), 8000);
    cr_expect_eq(value("1 + 2 * 3 - 4 / 8"), 6500);
    cr_expect_eq(value("(1+2)*3"), 9000);
    cr_expect_eq(value("10 - 4 - 3"), 3000);
    cr_expect_eq(value("12/3/2"), 2000);
    cr_expect_eq(value("-x * 2"), 1000);
    cr_expect_eq(value("`GPU Count` / 100"), 1500);
    cr_expect_eq(value("1.5e2"), 150000);
    cr_expect_eq(value("2/3"), 666);
}

Test(expr, comparisons_and_the_conditional)
{
    cr_expect_eq(value("state == 'FAILED' ? 1 : 2"), 1000);
    cr_expect_eq(value("state != 'FAILED'"), 0);
    cr_expect_eq(value("state == same"), 1000);
    cr_expect_eq(value("nnodes >= 2 ? nnodes < 2 ? 1 : 5 : 7"), 5000);
    cr_expect_eq(value("gres.gpu == 4.0"), 1000);
    cr_expect_eq(value("none == ''"), 1000);
    cr_expect_eq(value("none < 1"), 0);
    cr_expect_eq(value("none + 1"), INT64_MIN);
    cr_expect_eq(value("none"), INT64_MIN);
    cr_expect_eq(value("none ? 1 : 0"), 0);
}

Test(expr, what_cannot_be_is_told_of_its_field)
{
    cr_expect_eq(value("state * 2"), INT64_MAX);
    cr_expect_str_eq(error, "'FAILED' is not a number");
    cr_expect_eq(at, 0);
    cr_expect_eq(value("1 / (nnodes - 2)"), INT64_MAX);
    cr_expect_str_eq(error, "a division by 0");
    cr_expect_eq(value("huge * huge"), INT64_MAX);
    cr_expect_str_eq(error, "the result is too large");
    cr_expect_eq(value("nnodes + 1 == 'a'"), INT64_MAX);
}

Test(expr, nothing_else_is_an_expression)
{
    static const char *const bad[] = {
        "", "1 +", "(1", "a b", "f(x)", "a = 1", "a && b", "'open", "`", "``", "1 ? 2", "a[0]", "1..2", "a; b", "$x", "\"a\"", "1 < 2 < 3", "a %% b",
    };
    char deep[600];
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        e = expr_parse(bad[i], error, sizeof error);
        cr_expect_null(e, "'%s'", bad[i]);
        expr_free(e);
    }
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    cr_expect_null(expr_parse(deep, error, sizeof error));
    memset(deep, '-', sizeof deep - 1);
    cr_expect_null(expr_parse(deep, error, sizeof error));
    char *exact = strndup("1e", 2);     /* nothing is read past its end */
    cr_expect_null(expr_parse(exact, error, sizeof error));
    free(exact);
    cr_expect_null(expr_parse("1 + * 2", error, sizeof error));
    cr_expect_str_eq(error, "'1 + * 2': expected a name, a number, 'text' or '(' at character 5");
}
