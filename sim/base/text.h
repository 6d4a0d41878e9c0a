/*
 * text.h -- quantities as users write them, to integers and back.  Layer: base.
 *
 * Every parser takes the whole string: trailing rubbish is an error.  `unit`
 * is the unit a bare number has, as the reference of the input states it.
 * On failure `error` holds only what was found and what was expected; the caller
 * adds file, line and column with diag_at.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdio.h>
#include "base/base.h"

enum text_dimension {
    TEXT_DURATION,   /* microseconds; us ms s m h d w;  bare: see unit */
    TEXT_BYTES,      /* bytes; B kB MB GB TB (10^3), KiB MiB GiB TiB, K M G T = binary as Slurm has it */
    TEXT_RATE,       /* bytes per second; the above with /s, and kb/s Mb/s Gb/s (bits, 10^3) */
    TEXT_MILLI,      /* thousandths: "0.5" -> 500, "2" -> 2000, "250m" -> 250 */
    TEXT_COUNT,      /* a whole number; k M G as powers of ten */
    TEXT_POWER,      /* milliwatts; mW W kW MW */
};

/*
 * Parse `s` as a quantity >= 0.
 *   unit  what a bare number counts, in the dimension's base unit (1000000 for
 *         seconds when that is TEXT_DURATION); 0: a bare number is an error
 *   error [cap] out: what is wrong, on failure
 * Returns false on a syntax error, a negative, fractional-beyond-base or
 * overflowing value.  A value that is not whole in the base unit is an error,
 * never rounded, except durations and bytes, which round to nearest.
 */
bool text_parse(const char *s, enum text_dimension dimension, int64_t unit, int64_t *out, char *error, size_t cap);

/* What is wrong, into error [cap]; returns false, for whoever tells of it that way. */
bool text_error(char *error, size_t cap, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

bool text_int(const char *s, int64_t *out);          /* optional sign, decimal, whole string */
bool text_double(const char *s, double *out);        /* finite, whole string, '.' whatever the locale */

/* Where s [n] ceases to be UTF-8 (RFC 3629); n: nowhere.  O(n). */
size_t text_utf8(const char *s, size_t n);
/* What to do about a text that is not UTF-8. */
#define TEXT_UTF8_HINT "names are UTF-8: `iconv -f LATIN1 -t UTF-8 FILE` (or -f UTF-16) writes it so"

/* "1d 4h", "3m 12s", "450 ms": two largest units.  Writes at most cap bytes; returns buf. */
char *text_duration(char *buf, size_t cap, sim_tick us);

/*
 * Text of others (names, messages) as a terminal may have it: control characters, and bytes that are not UTF-8, are
 * written out as \n, \t, \x1b or \u009b, so that they can neither steer a terminal nor begin a line.
 */
char *text_shown(const char *s);        /* owned by the caller */
/* One line, its newline added, shown so as a whole: fmt has no control characters. */
void text_line(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A field of a CSV file, in quotes where RFC 4180 wants them, or always. */
void text_csv(const char *s, bool always, FILE *to);

#endif
