/*
 * diag.h -- one error, and where in the user's input it came from.  Layer: base.
 *
 * A function that can fail for a reason the user must hear returns an enum st
 * and fills a struct diag.  The first error wins: a later one, often a
 * consequence, never hides the cause.
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdio.h>
#include "base/base.h"

/* What a policy did, of an ST_EPOLICY error; who tells errors apart asks this, not the words. */
enum breach {
    BREACH_NONE,
    BREACH_REFUSED,             /* a decision of its was refused; diag.refusal tells why */
    BREACH_OUTSIDE,             /* it decided, or noted, outside of decide */
    BREACH_ENDLESS,             /* it appended more decisions in one call than there could be */
    BREACH_NO_PLACE,            /* it gave NULL for a place */
    BREACH_NOTE,                /* a note without a name, or of no number */
    BREACH_WAKES,               /* it asked to be woken without end */
    BREACH_WAITING,             /* it left jobs waiting with nothing to wait for */
    BREACH_UNSETTLED,           /* it decided in round after round of one instant */
    BREACH_FLAGS,               /* it set flags that its table has not */
    BREACH_CREATE,              /* create returned nothing */
    BREACH_CALLS,               /* it does not run tasks of API calls, and one came */
    BREACH_LICENCES,            /* it does not schedule licences, and a task asks for some */
    BREACH_GAVE_UP,             /* it called fail */
    BREACH_STUCK, BREACH_MEMORY, BREACH_CRASH, BREACH_EXIT      /* what became of its process */
};

struct diag {
    enum st  code;
    enum breach breach;
    uint32_t refusal;           /* enum pol_refusal (policies/decision.h) with BREACH_REFUSED, else 0 */
    uint32_t line, col;         /* 1-based; 0 when not known */
    char     file[512];         /* "" when the error has no file */
    char     msg[1024];
    char     hint[256];         /* "did you mean ...", or what to do; may be "" */
};

/* Record the error if none is recorded yet.  Returns the recorded code. */
enum st diag_at(struct diag *d, enum st code, const char *file, uint32_t line,
                uint32_t col, const char *fmt, ...) __attribute__((cold, format(printf, 6, 7)));
#define diag_set(d, code, ...) diag_at(d, code, "", 0, 0, __VA_ARGS__)     /* of no file */
/* The same for ST_EPOLICY. */
enum st diag_breach(struct diag *d, enum breach breach, const char *fmt, ...)
                __attribute__((cold, format(printf, 3, 4)));
/* Add a hint to the error just recorded, unless it has one; printed on a line of its own.  Returns the error's code. */
enum st diag_hint(struct diag *d, const char *fmt, ...) __attribute__((cold, format(printf, 2, 3)));
/* The hint "did you mean ...?", when one of cand [n] is near to `word`, see diag_nearest. */
enum st diag_suggest(struct diag *d, const char *word, const char *const *cand, size_t n);
/* A document as hints and help name it, so that it is found in the sources and where `make install` puts it. */
#define DIAG_DOC(path) path " (installed in share/doc/fairway)"

/*
 * Print "file:line:col: error: msg", the source line with a caret under the
 * column when the file can be read again, and the hint; all as text_shown has it.
 */
void diag_print(const struct diag *d, FILE *to);

/*
 * The candidate nearest to `word` by edit distance, or NULL when none is near
 * enough (distance <= 2, or a third of the word's length if that is more).
 * One that is the word and a unit, as mem_mib is for mem, is at distance 2.
 *   cand [n]  borrowed
 */
const char *diag_nearest(const char *word, const char *const *cand, size_t n);

/* The exit status for a code (0, 2, 3, 4, 130). */
int diag_exit_status(enum st code);

#endif
