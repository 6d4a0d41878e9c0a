/*
 * numbers.h -- whole numbers word by word, for the readers of flow files.
 * Layer: input.
 */
#ifndef INPUT_FLOW_NUMBERS_H
#define INPUT_FLOW_NUMBERS_H

#include "input/text/lines.h"

struct flow_words { struct lines l; size_t at; };

/* The next line that is neither blank nor a comment (begins with `comment`), and its first word. */
enum st flow_words_line(struct flow_words *w, char comment, char **first, struct diag *d);
/* A whole number in min..max; `what` names it in the error. */
enum st flow_words_int(struct flow_words *w, const char *what, int64_t min, int64_t max, int64_t *out, struct diag *d);
enum st flow_words_u32(struct flow_words *w, const char *what, uint32_t max, uint32_t *out, struct diag *d);
enum st flow_words_end(struct flow_words *w, struct diag *d);      /* nothing may follow */
enum st flow_words_unknown(const struct flow_words *w, const char *word, const char *const *known, size_t n, struct diag *d);

#endif
