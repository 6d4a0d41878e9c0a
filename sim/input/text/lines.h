/*
 * lines.h -- a text file line by line, with its line numbers.  Layer: input.
 * Survives CRLF, a byte-order mark and a missing last newline; refuses NUL
 * bytes, lines above LINES_MAX bytes, and those that are not UTF-8 unless they
 * begin with ';': comments of SWF, which are of any age.
 */
#ifndef INPUT_TEXT_LINES_H
#define INPUT_TEXT_LINES_H

#include "base/diag.h"

enum { LINES_MAX = 1 << 20 };

struct lines {
    FILE    *f;
    char    *path;              /* owned */
    char    *text;              /* the line without its end; the caller may write to it */
    size_t   n, cap;
    uint32_t line;
    char     block[1 << 14];
    size_t   at, end;           /* unread bytes of block */
};

enum st lines_open(struct lines *l, const char *path, struct diag *d);
void    lines_close(struct lines *l);
enum st lines_next(struct lines *l, struct diag *d);    /* ST_OK, ST_END or an error */

/*
 * The next word of the line from *at on: cut off with a NUL in place, *at moved
 * past it.  NULL at the end.  The column of a word is word - l->text + 1.
 */
char *lines_word(struct lines *l, size_t *at);
/* An error at a word of the line (NULL: the line). */
enum st lines_fail(const struct lines *l, const char *word, struct diag *d, const char *fmt, ...)
        __attribute__((format(printf, 4, 5)));

#endif
