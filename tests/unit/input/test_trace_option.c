/* Unit tests of sim/input/trace/option and formats: what a table says, and what all tables keep to. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "input/trace/option.h"
#include "input/trace/trace.h"

struct own { const char *text; bool flag; uint32_t choice; int64_t count, none, dur, size, rate; double number; };

static const char *const words[] = { "keep", "skip", "tell" };
static const struct trace_option sub[] = {
    { .key = "count", .type = TRACE_COUNT, .offset = offsetof(struct own, count), .dflt = "7", .min = 1, .max = 9 },
    { .key = "number", .type = TRACE_NUMBER, .offset = offsetof(struct own, number), .dflt = "0.5", .min = 0, .max = 1 },
};
static const struct trace_option table[] = {
    { .key = "text", .type = TRACE_TEXT, .offset = offsetof(struct own, text), .dflt = "t" },
    { .key = "flag", .type = TRACE_BOOL, .offset = offsetof(struct own, flag), .dflt = "true" },
    { .key = "choice", .type = TRACE_CHOICE, .offset = offsetof(struct own, choice), .dflt = "skip", .word = words, .n_words = 3 },
    { .key = "none", .type = TRACE_DURATION, .offset = offsetof(struct own, none), .unset = -1 },
    { .key = "dur", .type = TRACE_DURATION, .offset = offsetof(struct own, dur), .dflt = "2m", .min = 1 },
    { .key = "size", .type = TRACE_BYTES, .offset = offsetof(struct own, size) },
    { .key = "rate", .type = TRACE_RATE, .offset = offsetof(struct own, rate) },
    { .key = "map", .type = TRACE_MAP, .sub = sub, .n_sub = 2 },
};

Test(trace_option, defaults_are_what_the_table_says_maps_and_all)
{
    struct own o = { .text = NULL };
    trace_option_defaults(table, ARRAY_LEN(table), &o);
    cr_expect_str_eq(o.text, "t");
    cr_expect(o.flag && o.choice == 1 && o.count == 7 && o.none == -1 && o.dur == 120 * TICK_SEC && o.size == 0);
    cr_expect_float_eq(o.number, 0.5, 0);
}

Test(trace_option, text_is_taken_or_refused_with_what_was_expected)
{
    static const struct { const char *key, *text, *error; } is[] = {
        { "flag", "false", NULL }, { "flag", "yes", "'yes' is neither true nor false" },
        { "choice", "tell", NULL }, { "choice", "told", "'told' is not known, expected 'keep', 'skip' or 'tell'" },
        { "dur", "1us", NULL }, { "dur", "0", "'0' is below 1" }, { "dur", "soon", "" },
        { "size", "1kB", NULL }, { "size", "1", "" }, { "rate", "1kB/s", NULL }, { "rate", "1kB", "" },
        { "count", "9", NULL }, { "count", "10", "'10' is outside 1..9" }, { "count", "1.5", "" },
        { "number", "1", NULL }, { "number", "1.5", "'1.5' is outside 0..1" }, { "number", "x", "'x' is not a number" },
    };
    for (size_t i = 0; i < ARRAY_LEN(is); i++) {
        struct own o = { .text = NULL };
        char error[200] = "";
        const struct trace_option *x = trace_option_find(table, ARRAY_LEN(table), is[i].key);
        if (x == NULL) x = trace_option_find(sub, ARRAY_LEN(sub), is[i].key);
        cr_assert_not_null(x);
        bool ok = trace_option_parse(x, is[i].text, &o, error, sizeof error);
        cr_expect_eq(ok, is[i].error == NULL, "%s: %s", is[i].key, error);
        if (is[i].error == NULL) continue;
        cr_expect(error[0] != '\0' && (is[i].error[0] == '\0' || strcmp(error, is[i].error) == 0), "%s", error);
        cr_expect(o.choice == 0 && o.count == 0 && o.dur == 0 && o.size == 0 && o.rate == 0 && !(o.number > 0), "%s: nothing is written", is[i].key);
    }
}

Test(trace_option, what_one_word_can_say_is_for_the_command_line)
{
    char value[64];
    cr_expect(trace_option_is_word(&table[0]) && trace_option_is_word(&table[2]) && !trace_option_is_word(&table[7]));
    trace_option_value(&table[2], value, sizeof value);
    cr_expect_str_eq(value, "keep|skip|tell");
    trace_option_value(&table[3], value, sizeof value);
    cr_expect_str_eq(value, "T");
}

/* Keys that two formats share are one option of the command line, and one key of the section: they must agree. */
Test(trace_option, every_format_can_be_begun_and_its_table_is_whole)
{
    struct diag d = { .code = ST_OK };
    for (size_t f = 0; trace_formats[f] != NULL; f++) {
        const struct trace_format *t = trace_formats[f];
        struct trace_opts o;
        cr_assert_eq(trace_opts_init(&o, t->name, &d), ST_OK, "%s", d.msg);
        cr_expect(o.format == t && t->summary != NULL && t->open != NULL);
        for (size_t i = 0; i < t->n_options; i++) {
            const struct trace_option *x = &t->option[i];
            cr_expect(x->help != NULL && x->offset < t->own_size, "%s.%s", t->name, x->key);
            cr_expect(x->type != TRACE_OWN || x->read != NULL, "%s.%s: a scenario reads it", t->name, x->key);
            for (size_t g = 0; trace_formats[g] != NULL; g++) {
                const struct trace_option *y = trace_option_find(trace_formats[g]->option, trace_formats[g]->n_options, x->key);
                cr_expect(y == NULL || (y->type == x->type && (y->in == NULL) == (x->in == NULL)), "%s of %s and %s", x->key, t->name, trace_formats[g]->name);
            }
        }
        trace_opts_fini(&o);
    }
    struct trace_opts o;
    cr_expect_eq(trace_opts_init(&o, "gawel", &d), ST_EINPUT);
    cr_expect_str_eq(d.hint, "did you mean 'gavel'?");
}
