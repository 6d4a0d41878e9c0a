/* numbers.c -- the words of numbers.h, with an error at the word that is not the number expected. */
#include "input/flow/numbers.h"

#include <inttypes.h>
#include "base/text.h"

enum st flow_words_line(struct flow_words *w, char comment, char **first, struct diag *d)
{
    for (;;) {
        TRY(lines_next(&w->l, d));
        w->at = 0;
        char *word = lines_word(&w->l, &w->at);
        if (word == NULL || word[0] == comment) continue;
        *first = word;
        return ST_OK;
    }
}

enum st flow_words_int(struct flow_words *w, const char *what, int64_t min, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = lines_word(&w->l, &w->at);
    if (s == NULL) return lines_fail(&w->l, NULL, d, "the line ends before the %s", what);
    if (!text_int(s, out)) return lines_fail(&w->l, s, d, "the %s is '%.40s', expected a whole number", what, s);
    if (*out < min || *out > max)
        return lines_fail(&w->l, s, d, "the %s is %" PRId64 ", expected %" PRId64 " to %" PRId64, what, *out, min, max);
    return ST_OK;
}

enum st flow_words_u32(struct flow_words *w, const char *what, uint32_t max, uint32_t *out, struct diag *d)
{
    int64_t x;
    TRY(flow_words_int(w, what, 0, max, &x, d));
    *out = (uint32_t)x;
    return ST_OK;
}

enum st flow_words_end(struct flow_words *w, struct diag *d)
{
    const char *s = lines_word(&w->l, &w->at);
    return s == NULL ? ST_OK : lines_fail(&w->l, s, d, "'%.40s' is one word too many", s);
}

enum st flow_words_unknown(const struct flow_words *w, const char *word, const char *const *known, size_t n, struct diag *d)
{
    (void)lines_fail(&w->l, word, d, "a line cannot begin with '%.40s' here", word);
    return diag_suggest(d, word, known, n);
}
