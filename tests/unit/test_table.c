/* One table in four forms. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "out/table.h"

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
