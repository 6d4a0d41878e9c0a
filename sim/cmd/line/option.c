/* option.c -- goes over a command's table of options: parses the command line by it, and prints it as help. */
#include "cmd/line/option.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"

enum { LONG_VAL = 256, COLUMN_MAX = 30 };

/* ---- the table ---- */

static size_t add_all(const struct cmd_option *x, const struct cmd_option *out[OPTION_MAX], size_t n)
{
    for (; x != NULL && (x->name != NULL || x->help != NULL); x++) {
        SIM_ASSERT(n < OPTION_MAX);
        out[n++] = x;
    }
    return n;
}

size_t option_all(const struct cmd *c, const struct cmd_option *out[OPTION_MAX])
{
    size_t n = add_all(c->option, out, 0);
    return c->more != NULL ? add_all(c->more(), out, n) : n;
}

/* Where the option of that name is; n when nowhere. */
static size_t place(const struct cmd_option *const *all, size_t n, const char *name, size_t len)
{
    size_t i = 0;
    while (i < n && (all[i]->name == NULL || strlen(all[i]->name) != len || strncmp(all[i]->name, name, len) != 0)) i++;
    return i;
}

const struct cmd_option *option_find(const struct cmd *c, const char *word)
{
    const struct cmd_option *all[OPTION_MAX];
    size_t n = option_all(c, all), i = 0;
    if (strncmp(word, "--", 2) == 0) i = place(all, n, word + 2, strcspn(word + 2, "="));
    else while (i < n && (word[0] != '-' || word[1] == '\0' || all[i]->letter != word[1])) i++;
    return i < n ? all[i] : NULL;
}

/* The first of "a|b" that is given, or NULL. */
static const struct cmd_option *given_of(const struct cmd_option *const *all, size_t n, uint64_t given,
    const char *names)
{
    for (size_t len; *names != '\0'; names += len + (names[len] == '|')) {
        len = strcspn(names, "|");
        size_t i = place(all, n, names, len);
        SIM_ASSERT(i < n);
        if (given >> i & 1) return all[i];
    }
    return NULL;
}

bool option_is_given(const struct cmd *c, const struct cmd_args *a, const char *name)
{
    const struct cmd_option *all[OPTION_MAX];
    return given_of(all, option_all(c, all), a->given, name) != NULL;
}

/* ---- values ---- */

static const struct { enum text_dimension is; int64_t unit; const char *noun; } quantity[] = {
    [OPTION_COUNT] = { TEXT_COUNT, 1, "a whole number" },
    [OPTION_SECONDS] = { TEXT_DURATION, TICK_SEC, "a duration such as 2h" },
    [OPTION_DURATION] = { TEXT_DURATION, 0, "a duration such as 500ms or 1m" },
    [OPTION_BYTES] = { TEXT_BYTES, 0, "a size such as 512MiB" },
    [OPTION_MILLI] = { TEXT_MILLI, 1000, "a number such as 4 or 0.5" },
};

/* "text, markdown or csv" of "text markdown csv". */
static void enumerate(const char *words, char *buf, size_t cap)
{
    size_t at = 0;
    for (size_t len; *words != '\0' && at < cap; words += len + (words[len] == ' ')) {
        len = strcspn(words, " ");
        const char *before = at == 0 ? "" : words[len] == '\0' ? " or " : ", ";
        at += (size_t)snprintf(buf + at, cap - at, "%s%.*s", before, (int)len, words);
    }
}

static int refuse(const struct cmd *c, const struct cmd_option *x, const char *text)
{
    char range[64] = "", choices[200];
    const char *noun = "a number";
    if (x->expected != NULL) return cmd_usage_error(c, "--%s is '%s'; expected %s", x->name, text, x->expected);
    if (x->type == OPTION_CHOICE) { enumerate(x->words, choices, sizeof choices); noun = choices; }
    else if (x->type != OPTION_NUMBER) noun = quantity[x->type].noun;
    if (x->max > 0) (void)snprintf(range, sizeof range, " from %" PRId64 " to %" PRId64, x->min, x->max);
    else if (x->type == OPTION_NUMBER || x->min > 0) (void)snprintf(range, sizeof range, " above 0");
    return cmd_usage_error(c, "--%s is '%s'; expected %s%s", x->name, text, noun, range);
}

static int read_quantity(const struct cmd *c, const struct cmd_option *x, const char *text, int64_t *to)
{
    char error[200];
    bool ok = text_parse(text, quantity[x->type].is, quantity[x->type].unit, to, error, sizeof error);
    if (ok && *to >= x->min && (x->max == 0 || *to <= x->max)) return 0;
    return refuse(c, x, text);
}

/* Which of the words the text is, or -1. */
static int word_of(const char *words, const char *text)
{
    int i = 0;
    for (size_t len; *words != '\0'; words += len + (words[len] == ' '), i++) {
        len = strcspn(words, " ");
        if (len == strlen(text) && strncmp(words, text, len) == 0) return i;
    }
    return -1;
}

static void append(struct option_list *l, const char *text)
{
    MEM_PUSH(l->at, l->n, l->cap, text);
}

static int take(const struct cmd *c, const struct cmd_option *x, const char *text, void *opts)
{
    void *to = (char *)opts + x->offset;
    char error[512];
    int is = (int)x->min;
    switch (x->type) {
    case OPTION_FLAG:   *(bool *)to = true; return 0;
    case OPTION_IS:     memcpy(to, &is, sizeof is); return 0;
    case OPTION_TEXT:   *(const char **)to = text; return 0;
    case OPTION_TEXTS:  append(to, text); return 0;
    case OPTION_WORDS:
        for (size_t len; *text != '\0'; text += len + (text[len] == ',')) {
            len = strcspn(text, ",");
            if (len > 0) append(to, mem_strndup(text, len));
        }
        return 0;
    case OPTION_CHOICE:
        if ((is = word_of(x->words, text)) < 0) return refuse(c, x, text);
        memcpy(to, &is, sizeof is);
        return 0;
    case OPTION_NUMBER: return text_double(text, to) && *(double *)to > 0 ? 0 : refuse(c, x, text);
    case OPTION_COUNT: case OPTION_SECONDS: case OPTION_DURATION: case OPTION_BYTES: case OPTION_MILLI:
        return read_quantity(c, x, text, to);
    case OPTION_OWN:    return x->read(x, text, opts, error, sizeof error) ? 0 : cmd_usage_error(c, "%s", error);
    }
    return 2;
}

void option_fini(const struct cmd *c, void *opts)
{
    const struct cmd_option *all[OPTION_MAX];
    size_t n = option_all(c, all);
    for (size_t i = 0; i < n; i++) {
        struct option_list *l = (void *)((char *)opts + all[i]->offset);
        if (all[i]->name == NULL || (all[i]->type != OPTION_TEXTS && all[i]->type != OPTION_WORDS)) continue;
        for (size_t k = 0; all[i]->type == OPTION_WORDS && k < l->n; k++) mem_free((void *)(uintptr_t)l->at[k]);
        mem_free(l->at);
        *l = (struct option_list){ .n = 0 };
    }
}

/* ---- the command line ---- */

static int unknown(const struct cmd *c, const struct cmd_option *const *all, size_t n, const char *word)
{
    const char *names[OPTION_MAX], *near = NULL;
    size_t k = 0;
    for (size_t i = 0; i < n; i++) if (all[i]->name != NULL) names[k++] = all[i]->name;
    if (strncmp(word, "--", 2) == 0) near = diag_nearest(word + 2, names, k);
    if (near != NULL) return cmd_usage_error(c, "unknown option '%s'; did you mean '--%s'?", word, near);
    return cmd_usage_error(c, "unknown option '%s'", word);
}

/* Do the options that are given go together? */
static int check_given(const struct cmd *c, const struct cmd_option *const *all, size_t n, uint64_t given)
{
    const struct cmd_option *other;
    for (size_t i = 0; i < n; i++) {
        const struct cmd_option *x = all[i];
        if (!(given >> i & 1)) continue;
        if (x->needs != NULL && given_of(all, n, given, x->needs) == NULL)
            return cmd_usage_error(c, "'--%s' goes with --%.*s", x->name, (int)strcspn(x->needs, "|"), x->needs);
        if (x->not_with != NULL && (other = given_of(all, n, given, x->not_with)) != NULL)
            return cmd_usage_error(c, "'--%s' does not go with --%s", x->name, other->name);
    }
    return 0;
}

static int check_args(const struct cmd *c, int n)
{
    if (c->expected == NULL || (n >= c->min_args && n <= c->max_args)) return 0;
    return cmd_usage_error(c, "expected %s, found %d%s", c->expected, n, c->max_args == 1 ? "" : " arguments");
}

/* The verb, where the command has some, is its first argument. */
static int read_verb(const struct cmd *c, int argc, char **argv, size_t *verb)
{
    char all[200];
    int is = argc > 1 ? word_of(c->verbs, argv[1]) : -1;
    *verb = (size_t)is;
    if (is >= 0) return 0;
    enumerate(c->verbs, all, sizeof all);
    if (argc < 2) return cmd_usage_error(c, "expected %s", all);
    return cmd_usage_error(c, "'%s' is not known, expected %s", argv[1], all);
}

int option_parse(const struct cmd *c, int argc, char **argv, void *opts, struct cmd_args *out)
{
    const struct cmd_option *all[OPTION_MAX];
    struct option longs[OPTION_MAX + 1];
    char shorts[2 * OPTION_MAX + 2] = ":";
    size_t n = option_all(c, all), n_long = 0, n_short = 1;
    int bad;
    *out = (struct cmd_args){ .n = 0 };
    if (c->verbs != NULL && (bad = read_verb(c, argc--, argv++, &out->verb)) != 0) return bad;
    for (size_t i = 0; i < n; i++) {
        bool has_value = all[i]->value != NULL;
        if (all[i]->name == NULL) continue;
        longs[n_long++] = (struct option){ all[i]->name, has_value ? required_argument : no_argument, NULL,
            LONG_VAL + (int)i };
        if (all[i]->letter == 0) continue;
        shorts[n_short++] = all[i]->letter;
        if (has_value) shorts[n_short++] = ':';
    }
    longs[n_long] = (struct option){ .name = NULL };
    shorts[n_short] = '\0';
    optind = 1;
    opterr = 0;
    for (int v; (v = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (v == ':') return cmd_usage_error(c, "option '%s' needs a value", argv[optind - 1]);
        if (v == '?') return unknown(c, all, n, argv[optind - 1]);
        size_t i = v >= LONG_VAL ? (size_t)(v - LONG_VAL) : 0;
        while (v < LONG_VAL && all[i]->letter != v) i++;
        if (all[i]->verbs != 0 && !(all[i]->verbs >> out->verb & 1))
            return cmd_usage_error(c, "'%s %s' takes no --%s", c->name, argv[0], all[i]->name);
        if ((bad = take(c, all[i], optarg, opts)) != 0) return bad;
        out->given |= UINT64_C(1) << i;
    }
    out->n = argc - optind;
    out->at = argv + optind;
    bad = check_given(c, all, n, out->given);
    return bad != 0 ? bad : check_args(c, out->n);
}

/* ---- help ---- */

static int print_left(const struct cmd_option *x, char *buf, size_t cap)
{
    char letter[8] = "    ";
    if (x->letter != 0) (void)snprintf(letter, sizeof letter, "-%c, ", x->letter);
    return snprintf(buf, cap, "  %s--%s%s%s", letter, x->name, x->value != NULL ? " " : "", x->value != NULL
        ? x->value : "");
}

static void print_option(const struct cmd_option *x, int column, FILE *to)
{
    char left[160];
    int at = print_left(x, left, sizeof left);
    (void)fputs(left, to);
    if (at > column) { (void)fputc('\n', to); at = 0; }
    (void)fprintf(to, "%*s  ", column - at, "");
    for (const char *s = x->help; *s != '\0'; s++) {
        (void)fputc(*s, to);
        if (*s == '\n') (void)fprintf(to, "%*s", column + 2, "");
    }
    (void)fputc('\n', to);
}

void option_print_usage(const struct cmd *c, FILE *to)
{
    const struct cmd_option *all[OPTION_MAX];
    size_t n = option_all(c, all);
    int column = 0;
    for (const char *form = c->synopsis, *lead = "usage:"; *form != '\0'; lead = "      ") {
        int len = (int)strcspn(form, "\n");
        (void)fprintf(to, "%s fairway %s %.*s\n", lead, c->name, len, form);
        form += len + (form[len] == '\n');
    }
    if (c->about != NULL) (void)fprintf(to, "\n%s", c->about);
    if (c->list != NULL) c->list(to);
    if (n > 0) (void)fputc('\n', to);
    for (size_t i = 0; i < n; i++) {
        char left[160];
        int at = all[i]->name != NULL ? print_left(all[i], left, sizeof left) : 0;
        if (at > column && at <= COLUMN_MAX) column = at;
    }
    for (size_t i = 0; i < n; i++) {
        if (all[i]->name == NULL) (void)fprintf(to, "%s%s\n", i > 0 ? "\n" : "", all[i]->help);
        else print_option(all[i], column, to);
    }
    if (c->notes != NULL) (void)fprintf(to, "\n%s", c->notes);
}
