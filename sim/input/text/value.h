/*
 * value.h -- numbers, spans of time and dates as files of others write them: one way of reading them for all
 * formats.  Layer: input.
 *
 * Numbers are decimal and exact: digits, a point, an exponent (475.00000000000006, 1.7e9, 1.0).  What is finer than
 * the unit asked for is rounded to nearest, and *rounded is set; it is never cleared here and may be NULL.
 */
#ifndef INPUT_TEXT_VALUE_H
#define INPUT_TEXT_VALUE_H

#include "base/base.h"

/* s >= 0 times unit (at most 10^12); false for what is no such number, or above max. */
bool value_number(const char *s, sim_wide unit, sim_wide max, sim_wide *out, bool *rounded);
/* The same of nearly every number: short, without an exponent, and whole in this unit.  False: not such a one. */
bool value_short(const char *s, int64_t unit, int64_t *out);

/* How a time is written.  Two of them in one column are a mistake of the file or of whoever reads it. */
enum value_form { VALUE_NUMBER, VALUE_CLOCK, VALUE_UNITS, VALUE_DATE, VALUE_FORMS };
extern const char *const value_form_words[VALUE_FORMS];     /* "a number", "hours:minutes:seconds"... */

/* A span in microseconds: seconds as a number, [days-]hours:minutes:seconds, days-hours[:minutes], or 10m, 1.5h. */
bool value_span(const char *s, int64_t max, int64_t *us, enum value_form *form, bool *rounded);

/*
 * How dates are written.  pattern: of YYYY, MM, DD, hh, mm, ss and whatever stands between them; NULL: ISO 8601,
 * YYYY-MM-DD[(T| )hh:mm[:ss[.fraction]]][Z|+hh:mm|UTC], '/' between the parts of the day as well.  zone: where a date
 * without one was written: "+hh:mm" or a name of the machine's time zones; NULL: UTC.
 */
struct value_dates { const char *pattern, *zone; };
/* Is there such a zone? */
bool value_is_zone(const char *zone);
bool value_is_pattern(const char *pattern);

/* A date in microseconds since 1970; false for what is none, and before 1970. */
bool value_date(const char *s, const struct value_dates *f, int64_t *us, bool *rounded);
/* The same of many dates, most of them of the day of the one before: that one is in *day, zeroes to begin. */
struct value_day { char text[11]; int64_t begin; };         /* "YYYY-MM-DD " */
bool value_date_near(const char *s, const struct value_dates *f, struct value_day *day, int64_t *us, bool *rounded);
/* A number of seconds or a date; a number's clock is its file's. */
bool value_instant(const char *s, const struct value_dates *f, int64_t max, int64_t *us, enum value_form *form,
                   bool *rounded);

/* Days from 1970-01-01 to a Gregorian date. */
int64_t value_days(int64_t year, int64_t month, int64_t day);

#endif
