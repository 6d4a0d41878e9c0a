/* JSON of any text and any number. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "base/jsonout.h"

static const char *printed(json_t *j)
{
    static char out[256];
    FILE *to = tmpfile();
    cr_assert_not_null(to);
    jsonout_print(j, JSON_COMPACT, to);
    rewind(to);
    size_t n = fread(out, 1, sizeof out - 1, to);
    out[n] = '\0';
    (void)fclose(to);
    return out;
}

Test(jsonout, text_is_escaped_and_what_is_not_utf8_is_marked)
{
    cr_expect_str_eq(printed(jsonout_text("a\"b\\c\n\x01</script>")), "\"a\\\"b\\\\c\\n\\u0001</script>\"");
    cr_expect_str_eq(printed(jsonout_text("\xc3\xa9")), "\"\xc3\xa9\"");
    cr_expect_str_eq(printed(jsonout_text("\xff" "a\xc3" "b\xe2\x82")), "\"\xef\xbf\xbd" "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd\"");
    cr_expect_str_eq(printed(jsonout_text("\x7f\xc2\x9b" "31m\xc2\xa0")), "\"\\u007F\\u009B31m\xc2\xa0\"");
    cr_expect_str_eq(printed(jsonout_text("")), "\"\"");
    cr_expect_str_eq(printed(jsonout_text(NULL)), "null");
}

Test(jsonout, whole_numbers_have_no_point_and_what_is_no_number_is_null)
{
    cr_expect_str_eq(printed(jsonout_number(3)), "3");
    cr_expect_str_eq(printed(jsonout_number(-0.125)), "-0.125");
    cr_expect_str_eq(printed(jsonout_number(1.0 / 3)), "0.333333333333");
    cr_expect_str_eq(printed(jsonout_number(1e300)), "1e300");
    cr_expect_str_eq(printed(jsonout_number(NAN)), "null");
    cr_expect_str_eq(printed(jsonout_number(INFINITY)), "null");
}
