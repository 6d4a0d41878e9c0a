/* Unit tests of sim/input/text/ydoc: places, typed reading, --set, the canonical form. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "input/text/ydoc.h"

static struct ydoc y;
static struct diag d;

static void load(const char *text)
{
    memset(&d, 0, sizeof d);
    cr_assert_eq(ydoc_parse(&y, "t.yaml", text, &d), ST_OK, "%s", d.msg);
}

static void fails(const char *text, uint32_t line, uint32_t col, const char *msg)
{
    memset(&d, 0, sizeof d);
    cr_assert_eq(ydoc_parse(&y, "t.yaml", text, &d), ST_EINPUT);
    cr_assert_null(y.root);
    cr_expect_eq(d.line, line, "line %u", d.line);
    cr_expect_eq(d.col, col, "col %u", d.col);
    cr_expect(strstr(d.msg, msg) != NULL, "%s", d.msg);
}

/* The error of a getter that must fail. */
#define EXPECT_ERROR(call, l, c, text) do { \
    memset(&d, 0, sizeof d); \
    cr_expect_eq((call), ST_EINPUT); \
    cr_expect_eq(d.line, (l), "line %u", d.line); \
    cr_expect_eq(d.col, (c), "col %u", d.col); \
    cr_expect_str_eq(d.msg, (text)); \
} while (0)

Test(ydoc, nodes_know_line_and_column_of_value_and_key)
{
    load("a:\n  b: [1, two]\n  c:\n    - x\n");
    const struct ydoc_node *a = ydoc_get(y.root, "a"), *b = ydoc_get(a, "b"), *c = ydoc_get(a, "c");
    cr_expect(b->key_line == 2 && b->key_col == 3 && b->line == 2 && b->col == 6);
    cr_expect(b->at[1]->line == 2 && b->at[1]->col == 10);
    cr_expect(c->at[0]->line == 4 && c->at[0]->col == 7);
    cr_expect_str_eq(b->at[1]->text, "two");
    ydoc_fini(&y);
}

Test(ydoc, typed_getters_leave_the_default_of_an_absent_key)
{
    load("{}");
    int64_t i = 7; double x = 0.5; bool t = true; const char *s = "dflt"; uint32_t c = 3;
    static const char *const word[] = { "on", "off" };
    cr_expect_eq(ydoc_int(y.root, "k", 0, 1, &i, &d), ST_OK);
    cr_expect_eq(ydoc_double(y.root, "k", 0, 0.1, &x, &d), ST_OK);
    cr_expect_eq(ydoc_bool(y.root, "k", &t, &d), ST_OK);
    cr_expect_eq(ydoc_str(NULL, "k", &s, &d), ST_OK);
    cr_expect_eq(ydoc_choice(y.root, "k", word, 2, &c, &d), ST_OK);
    cr_expect_eq(ydoc_quantity(y.root, "k", TEXT_BYTES, 0, 1, &i, &d), ST_OK);
    cr_expect(i == 7 && x == 0.5 && t && strcmp(s, "dflt") == 0 && c == 3);
    ydoc_fini(&y);
}

Test(ydoc, typed_getters_read_values_with_units)
{
    load("i: -3\nx: 1.5e3\nt: false\ns: 'a b'\nmem: 16GiB\nwait: 90\nlong: 4h\ncpus: 0.5\nc: off\n");
    int64_t i = 0, mem = 0, wait = 0, lng = 0, cpus = 0; double x = 0; bool t = true; const char *s = NULL; uint32_t c = 0;
    static const char *const word[] = { "on", "off" };
    cr_expect_eq(ydoc_int(y.root, "i", -5, 5, &i, &d), ST_OK);
    cr_expect_eq(ydoc_double(y.root, "x", YDOC_ABOVE_0, HUGE_VAL, &x, &d), ST_OK);
    cr_expect_eq(ydoc_bool(y.root, "t", &t, &d), ST_OK);
    cr_expect_eq(ydoc_str(y.root, "s", &s, &d), ST_OK);
    cr_expect_eq(ydoc_quantity(y.root, "mem", TEXT_BYTES, 0, 1, &mem, &d), ST_OK);
    cr_expect_eq(ydoc_quantity(y.root, "wait", TEXT_DURATION, TICK_SEC, 1, &wait, &d), ST_OK);
    cr_expect_eq(ydoc_quantity(y.root, "long", TEXT_DURATION, TICK_SEC, 1, &lng, &d), ST_OK);
    cr_expect_eq(ydoc_quantity(y.root, "cpus", TEXT_MILLI, 1000, 1, &cpus, &d), ST_OK);
    cr_expect_eq(ydoc_choice(y.root, "c", word, 2, &c, &d), ST_OK);
    cr_expect(i == -3 && x == 1500 && !t && strcmp(s, "a b") == 0 && mem == INT64_C(16) << 30);
    cr_expect(wait == 90 * TICK_SEC && lng == 4 * 3600 * TICK_SEC && cpus == 500 && c == 1);
    ydoc_fini(&y);
}

Test(ydoc, a_wrong_value_says_what_was_found_and_what_was_expected)
{
    load("i: ten\nx: -1\nt: yes\ns: [a]\nm: 3\nn:\nc: of\nq: \"true\"\n");
    int64_t i = 0; double x = 0; bool t = false; const char *s = NULL; uint32_t c = 0; const struct ydoc_node *m;
    static const char *const word[] = { "on", "off" };
    EXPECT_ERROR(ydoc_int(y.root, "i", 1, 64, &i, &d), 1, 4, "'i': found 'ten', expected a whole number from 1 to 64");
    EXPECT_ERROR(ydoc_double(y.root, "x", YDOC_ABOVE_0, HUGE_VAL, &x, &d), 2, 4, "'x': found '-1', expected a number above 0");
    EXPECT_ERROR(ydoc_double(y.root, "x", 0, 1, &x, &d), 2, 4, "'x': found '-1', expected a number from 0 to 1");
    EXPECT_ERROR(ydoc_bool(y.root, "t", &t, &d), 3, 4, "'t': found 'yes', expected true or false");
    EXPECT_ERROR(ydoc_bool(y.root, "q", &t, &d), 8, 4, "'q': found 'true', expected true or false");
    EXPECT_ERROR(ydoc_str(y.root, "s", &s, &d), 4, 4, "'s': found a list, expected text");
    EXPECT_ERROR(ydoc_map(y.root, "m", &m, &d), 5, 4, "'m': found '3', expected a map");
    EXPECT_ERROR(ydoc_list(y.root, "m", &m, &d), 5, 4, "'m': found '3', expected a list");
    EXPECT_ERROR(ydoc_str(y.root, "n", &s, &d), 6, 3, "'n': found nothing, expected text");
    EXPECT_ERROR(ydoc_choice(y.root, "c", word, 2, &c, &d), 7, 4, "'c': found 'of', expected on or off");
    cr_expect_str_eq(d.hint, "did you mean 'on'?");     /* both are one step away: the first wins */
    EXPECT_ERROR(ydoc_quantity(y.root, "i", TEXT_BYTES, 0, 1, &i, &d), 1, 4, d.msg);
    cr_expect(strstr(d.msg, "'i': 'ten'") != NULL, "%s", d.msg);
    ydoc_fini(&y);
}

Test(ydoc, unknown_keys_are_errors_with_the_nearest_known_one)
{
    static const char *const known[] = { "speedup", "load" };
    load("trace:\n  sppedup: 3\n");
    EXPECT_ERROR(ydoc_keys(ydoc_get(y.root, "trace"), "trace", known, 2, &d), 2, 3, "found unknown key 'sppedup' in trace");
    cr_expect_str_eq(d.hint, "did you mean 'speedup'?");
    ydoc_fini(&y);
    load("completely: 1\n");
    EXPECT_ERROR(ydoc_keys(y.root, "trace", known, 2, &d), 1, 1, "found unknown key 'completely' in trace");
    cr_expect_str_eq(d.hint, "keys here: speedup, load");
    ydoc_fini(&y);
}

Test(ydoc, malformed_documents_are_refused_at_their_place)
{
    fails("a: 1\nb: 2\na: 3\n", 3, 1, "key 'a' a second time");
    fails("a: {x: 1, x: 2}\n", 1, 11, "key 'x' a second time");
    fails("a: [1, 2\nb: 3\n", 2, 2, "not valid YAML");
    fails("a:\n\t- b\n", 2, 1, "not valid YAML");
    fails("a: *nobody\n", 1, 4, "undefined alias");
    fails("[a, b]: 1\n", 1, 1, "as a key");
    fails("a: 1\n---\nb: 2\n", 3, 1, "second YAML document");
    fails("a: \"x\\0y\"\n", 1, 4, "NUL");
    fails("", 0, 0, "empty document");
    fails("# only a comment\n", 0, 0, "empty document");
    fails("a: \xff\xfe\n", 0, 0, "UTF-8");
}

Test(ydoc, aliases_are_copies_and_cannot_nest_themselves_or_explode)
{
    load("base: &b {x: 1, y: [2]}\nuse: *b\n");
    cr_expect_str_eq(ydoc_get(ydoc_get(y.root, "use"), "x")->text, "1");
    cr_assert_eq(ydoc_set(&y, "use.x=9", &d), ST_OK);
    cr_expect_str_eq(ydoc_get(ydoc_get(y.root, "base"), "x")->text, "1", "the copy alone changed");
    ydoc_fini(&y);
    fails("a: &a [*a]\n", 1, 4, "levels of nesting");
    fails("a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
          "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n",
          1, 26, "aliases are written out");
}

static void set(const char *s) { memset(&d, 0, sizeof d); cr_expect_eq(ydoc_set(&y, s, &d), ST_OK, "%s: %s", s, d.msg); }

static void set_fails(const char *s, const char *msg)
{
    memset(&d, 0, sizeof d);
    cr_expect_eq(ydoc_set(&y, s, &d), ST_EINPUT, "%s", s);
    cr_expect(strstr(d.msg, msg) != NULL, "%s: %s", s, d.msg);
    cr_expect(strncmp(d.file, "--set ", 6) == 0 && d.line == 0, "%s", d.file);
}

static void is_canonical(const char *want)
{
    char *got = ydoc_canonical(&y);
    cr_expect_str_eq(got, want);
    mem_free(got);
}

Test(ydoc, set_replaces_makes_appends_and_removes)
{
    load("trace: {speedup: 1, load: 2}\ngroups: [{count: 1}, {count: 2}]\n");
    set("trace.speedup=20");
    set("policies=[fifo, {name: drf, weights: {alice: 2}}]");
    set("groups.1.count=8");
    set("groups.2.count=9");
    set("trace.load=");
    set("trace.window.from=1h");
    is_canonical("groups:\n  - count: 1\n  - count: 8\n  - count: 9\n"
                 "policies:\n  - fifo\n  - name: drf\n    weights:\n      alice: 2\n"
                 "trace:\n  speedup: 20\n  window:\n    from: 1h\n");
    set("groups.0=");
    is_canonical("groups:\n  - count: 8\n  - count: 9\n"
                 "policies:\n  - fifo\n  - name: drf\n    weights:\n      alice: 2\n"
                 "trace:\n  speedup: 20\n  window:\n    from: 1h\n");
    ydoc_fini(&y);
}

Test(ydoc, a_bad_set_is_refused_and_changes_nothing)
{
    load("a: {b: 1}\nl: [1]\n");
    set_fails("a.b", "expected path=value");
    set_fails("=3", "expected path=value");
    set_fails("a..b=3", "empty step");
    set_fails("a.=3", "empty step");
    set_fails("a.b.c=3", "plain value, '1'");
    set_fails("l.2=3", "expected an index from 0 to 1");
    set_fails("l.x=3", "expected an index from 0 to 1");
    set_fails("a.z=", "found nothing at 'z' to remove");
    set_fails("a.b=[1", "not valid YAML");
    set_fails("a.b={x: 1, x: 2}", "a second time");
    is_canonical("a:\n  b: 1\nl:\n  - 1\n");
    ydoc_fini(&y);
}

Test(ydoc, errors_in_a_set_value_name_the_option)
{
    load("a: 1\n");
    set("a=many");
    int64_t i;
    memset(&d, 0, sizeof d);
    cr_expect_eq(ydoc_int(y.root, "a", 0, 9, &i, &d), ST_EINPUT);
    cr_expect_str_eq(d.file, "--set a=many");
    cr_expect_eq(d.line, 0);
    ydoc_fini(&y);
}

Test(ydoc, canonical_text_forgets_order_style_and_comments_and_reads_back_as_itself)
{
    load("b: {z: 'x y', a: [1, \"2\"]}   # why\na: |\n  two\n  lines\ne: {}\nl: []\nn: ~\nq: \"null\"\ns: ''\nk: \"a: b #c\"\n");
    char *one = ydoc_canonical(&y);
    cr_expect_str_eq(one, "a: \"two\\nlines\\n\"\nb:\n  a:\n    - 1\n    - 2\n  z: \"x y\"\ne: {}\nk: \"a: b #c\"\nl: []\nn: null\nq: \"null\"\ns: \"\"\n");
    ydoc_fini(&y);
    load(one);
    char *two = ydoc_canonical(&y);
    cr_expect_str_eq(one, two);
    mem_free(one);
    mem_free(two);
    ydoc_fini(&y);
}

Test(ydoc, a_missing_file_is_the_users_mistake)
{
    cr_expect_eq(ydoc_load(&y, "/nonexistent/x.yaml", &d), ST_EINPUT);
    memset(&d, 0, sizeof d);
    cr_expect_eq(ydoc_load(&y, "/tmp", &d), ST_EINPUT);
    cr_expect(strstr(d.msg, "cannot read") != NULL, "%s", d.msg);
}
