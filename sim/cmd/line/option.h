/*
 * option.h -- the options of a command as a table: how they are parsed, what help
 * and so the manual say of them, and what shells complete.  Layer: cmd.
 */
#ifndef CMD_OPTION_H
#define CMD_OPTION_H

#include <stddef.h>
#include <stdio.h>
#include "base/base.h"

struct cmd;

/* What is given several times or with commas; text is borrowed from the command line unless it was split. */
struct option_list { const char **at; size_t n, cap; };
static inline const char *const *option_list_array(const struct option_list *w) { return (const char *const *)w->at; }

enum option_type {
    OPTION_FLAG,                /* bool: it is given */
    OPTION_IS,                  /* int: becomes `min` */
    OPTION_TEXT,                /* const char * */
    OPTION_TEXTS, OPTION_WORDS, /* struct option_list: one more; the same, split at commas */
    OPTION_CHOICE,              /* int: which of `words` */
    OPTION_NUMBER,              /* double above 0 */
    OPTION_COUNT,               /* int64_t, as all of this line and the next: whole */
    OPTION_SECONDS, OPTION_DURATION, OPTION_BYTES, OPTION_MILLI,        /* a bare number is in seconds; is an error */
    OPTION_OWN,                 /* what `read` makes of it */
};

struct cmd_option {
    const char *name;           /* without dashes; NULL: `help` stands above the options that follow */
    char        letter;         /* 0: none */
    enum option_type type;
    const char *value, *help;   /* value: as help shows it, NULL when it takes none; help: one line or several */
    size_t      offset;         /* of its value in the command's struct */
    int64_t     min, max;       /* of whole numbers and, min alone, quantities; max 0: any */
    const char *words;          /* what shells complete it by, see option_complete */
    const char *expected;       /* what an error says that it takes; NULL: by its type */
    const char *needs, *not_with;       /* options, "a|b": one of them must be given; may not be */
    unsigned    verbs;          /* bits of the command's verbs that take it; 0: all */
    /* OPTION_OWN: false with the error, which speaks for itself. */
    bool      (*read)(const struct cmd_option *x, const char *text, void *opts, char *error, size_t cap);
};

/* --csv and its like: the table in another format. */
#define OPTION_TABLE(own, member, word, format, as) \
    { word, 0, OPTION_IS, NULL, "the table as " as, .offset = offsetof(own, member), .min = (format) }

/* What stands on a command line besides options, and which of them are given. */
struct cmd_args {
    int n; char **at;
    size_t verb;                /* which of the command's verbs */
    uint64_t given;             /* a bit an option, in the order of option_all */
};

enum { OPTION_MAX = 63 };
/* The command's options and headings; those in its table, then what other tables add.  Returns how many. */
size_t option_all(const struct cmd *c, const struct cmd_option *out[OPTION_MAX]);
/* The option that a word is, "--name", "--name=value" or "-n"; NULL: none. */
const struct cmd_option *option_find(const struct cmd *c, const char *word);
bool   option_is_given(const struct cmd *c, const struct cmd_args *a, const char *name);

/* Into opts, which holds the defaults.  0, or 2 with the usage error printed.  argv[0] is the command's name. */
int  option_parse(const struct cmd *c, int argc, char **argv, void *opts, struct cmd_args *out);
void option_fini(const struct cmd *c, void *opts);      /* the lists in opts */

void option_print_usage(const struct cmd *c, FILE *to);

#endif
