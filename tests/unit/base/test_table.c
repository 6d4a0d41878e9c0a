/* One table in five forms. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/table.h"

static void expect(enum table_format f, const char *want)
{
    struct table *t = table_create();
    table_column(t, "name", false);
    table_column(t, "value", true);
    table_cell(t, "a, \"b\"");
    table_cell(t, "%.1f", 1.5);
    table_cell(t, "z\u00fcrich");
    table_cell(t, "%s", "");
    char got[512] = { 0 };
    FILE *to = fmemopen(got, sizeof got - 1, "w");
    table_print(t, f, to);
    (void)fclose(to);
    table_destroy(t);
    cr_assert_str_eq(got, want);
}

Test(table, text_aligns_by_characters)
{
    expect(TABLE_TEXT, "name    value\n------  -----\na, \"b\"    1.5\nz\u00fcrich  \n");
}

Test(table, csv_quotes_what_needs_it)
{
    expect(TABLE_CSV, "name,value\n\"a, \"\"b\"\"\",1.5\nz\u00fcrich,\n");
}

Test(table, json_has_bare_numbers_and_null_for_nothing)
{
    expect(TABLE_JSON, "[\n {\"name\": \"a, \\\"b\\\"\", \"value\": 1.5},\n {\"name\": \"z\u00fcrich\", \"value\": null}\n]\n");
}

Test(table, markdown_has_a_rule_that_aligns)
{
    expect(TABLE_MARKDOWN, "| name   | value |\n| ------ | ----: |\n| a, \"b\" |   1.5 |\n| z\u00fcrich |       |\n");
}

Test(table, latex_is_a_plain_tabular)
{
    expect(TABLE_LATEX, "\\begin{tabular}{lr}\n  \\hline\n  name & value \\\\\n  \\hline\n  a, \"b\" & 1.5 \\\\\n  z\u00fcrich &  \\\\\n"
                        "  \\hline\n\\end{tabular}\n");
}

/* Every character that either format takes for itself. */
Test(table, what_a_format_takes_for_itself_is_escaped)
{
    static const char text[] = "\\ a_b _c_ * | ` < > [ ] # & % $ { } ~ ^ \u00b1";
    char *latex = table_escape(text, TABLE_LATEX), *markdown = table_escape(text, TABLE_MARKDOWN), *plain = table_escape(text, TABLE_TEXT);
    cr_assert_str_eq(latex, "\\textbackslash{} a\\_b \\_c\\_ * \\textbar{} \\textasciigrave{} \\textless{} \\textgreater{} {[} {]} \\# \\& \\% \\$ \\{ \\}"
                            " \\textasciitilde{} \\textasciicircum{} $\\pm$");
    cr_assert_str_eq(markdown, "\\\\ a_b \\_c\\_ \\* \\| \\` \\< \\> \\[ \\] \\# \\& % $ { } ~ ^ \u00b1");
    cr_assert_str_eq(plain, text);
    mem_free(latex);
    mem_free(markdown);
    mem_free(plain);
}

Test(table, json_writes_what_is_no_json_number_as_text)
{
    static const char *const cell[] = { "nan", "-inf", "0x10", "01", "1.", "+5", "1,234", "-0.5e-3", "7" };
    struct table *t = table_create();
    table_column(t, "x", true);
    for (size_t i = 0; i < ARRAY_LEN(cell); i++) table_cell(t, "%s", cell[i]);
    char got[512] = { 0 };
    FILE *to = fmemopen(got, sizeof got - 1, "w");
    table_print(t, TABLE_JSON, to);
    (void)fclose(to);
    table_destroy(t);
    for (size_t i = 0; i < ARRAY_LEN(cell); i++) {
        char want[32];
        (void)snprintf(want, sizeof want, i < 7 ? "{\"x\": \"%s\"}" : "{\"x\": %s}", cell[i]);
        cr_assert(strstr(got, want) != NULL, "%s not in %s", want, got);
    }
}

/* A program that reads CSV gets what is there, and JSON has escapes of its own. */
Test(table, what_people_read_cannot_steer_their_terminal)
{
    static const struct { enum table_format format; const char *want; } of[] = {
        { TABLE_TEXT, "h\\x1b\n---------\na\\u009b\\n\n" }, { TABLE_MARKDOWN, "| h\\\\x1b      |\n| ----------- |\n| a\\\\u009b\\\\n |\n" },
        { TABLE_CSV, "h\033\n\"a\xc2\x9b\n\"\n" }, { TABLE_JSON, "[\n {\"h\\u001B\": \"a\\u009B\\n\"}\n]\n" },
    };
    for (size_t i = 0; i < ARRAY_LEN(of); i++) {
        struct table *t = table_create();
        table_column(t, "h\033", false);
        table_cell(t, "a\xc2\x9b\n");
        char got[512] = { 0 };
        FILE *to = fmemopen(got, sizeof got - 1, "w");
        table_print(t, of[i].format, to);
        (void)fclose(to);
        table_destroy(t);
        cr_expect(strstr(got, "\033") == NULL || of[i].format == TABLE_CSV);
        cr_expect_str_eq(got, of[i].want, "%zu: %s", i, got);
    }
}

Test(table, a_cell_may_be_long)
{
    char text[1000], got[4096] = { 0 };
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct table *t = table_create();
    table_column(t, "x", false);
    table_cell(t, "%s", text);
    FILE *to = fmemopen(got, sizeof got - 1, "w");
    table_print(t, TABLE_CSV, to);
    (void)fclose(to);
    table_destroy(t);
    cr_assert_eq(strlen(got), 2 + 999 + 1);
}

Test(table, no_row_is_an_empty_list)
{
    char got[64] = { 0 };
    struct table *t = table_create();
    table_column(t, "x", false);
    FILE *to = fmemopen(got, sizeof got - 1, "w");
    table_print(t, TABLE_JSON, to);
    (void)fclose(to);
    table_destroy(t);
    cr_assert_str_eq(got, "[]\n");
}
