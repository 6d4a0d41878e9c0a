/*
 * expr.h -- expressions over the fields of a row: + - * / and parentheses, comparisons, and a conditional.  Layer: input.
 *
 *     gres.gpu * nnodes      state == 'FAILED' ? 0 : (end - start)      `GPU Count` / 100
 *
 * A name is letters, digits, '_' and '.', or anything in backquotes; text stands in single quotes.  There are no
 * calls, no assignments and no loops: O(length) an evaluation.  Numbers are decimal fractions of EXPR_ONE, exact but
 * for division.  What is empty makes arithmetic empty, and every comparison false but with == and != of texts.
 */
#ifndef INPUT_TEXT_EXPR_H
#define INPUT_TEXT_EXPR_H

#include "input/text/value.h"

#define EXPR_ONE 1000000000     /* 1 */
enum { EXPR_TEXT_MAX = 1000 };

struct expr;

/* NULL: it is none, and error [cap] says why and at which character. */
struct expr *expr_parse(const char *text, char *error, size_t cap);
void         expr_free(struct expr *e);         /* NULL is fine */
size_t       expr_n_names(const struct expr *e);
const char  *expr_name(const struct expr *e, size_t i);
bool         expr_is_name(const struct expr *e);         /* it is a name and nothing else */
bool         expr_divides(const struct expr *e);         /* so that its results are no decimals anyone wrote */

/* What a row has: name i's field, "" when it is empty, and what it is as a number. */
struct expr_row {
    void *ctx;
    const char *(*field)(void *ctx, size_t name);
    bool (*number)(void *ctx, size_t name, const char *field, sim_wide *out);    /* false: it is none */
};
enum expr_type { EXPR_EMPTY, EXPR_NUMBER, EXPR_TEXT };
/* name: of the field that a text is; SIZE_MAX: of none.  text: as long as the row and the expression. */
struct expr_value { enum expr_type type; sim_wide n; const char *text; size_t name; };

/* False: error [cap] says what is wrong, of name *at (SIZE_MAX: of none). */
bool expr_eval(const struct expr *e, const struct expr_row *row, struct expr_value *out, size_t *at, char *error,
               size_t cap);
/* The same as a number (EXPR_NUMBER or EXPR_EMPTY). */
bool expr_eval_number(const struct expr *e, const struct expr_row *row, struct expr_value *out, size_t *at, char *error,
                      size_t cap);
/* Does it hold?  What is empty, 0 or '' does not. */
bool expr_holds(const struct expr *e, const struct expr_row *row, bool *out, size_t *at, char *error, size_t cap);

#endif
