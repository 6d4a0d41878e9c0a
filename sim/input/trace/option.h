/*
 * option.h -- the options of a trace format as a table.  Layer: input.
 *
 * What only one format knows of is a member of a struct of its own, and an entry
 * here says what it is called, what it takes and where its value goes.  The trace
 * section of scenarios (scenario/section_trace.c), `fairway trace` and its help
 * go by the tables; they know none of a format's options by name.
 *
 * Values are read from a document (section_trace.c) or from one word of text
 * (trace_option_parse); text that is kept is borrowed from there.
 */
#ifndef INPUT_TRACE_OPTION_H
#define INPUT_TRACE_OPTION_H

#include "input/text/ydoc.h"

struct cluster;
struct trace_opts;

enum trace_option_type {
    TRACE_TEXT,                 /* const char * */
    TRACE_FILE,                 /* const char *: a path, which scenarios look for; its bytes enter the run's key */
    TRACE_DOCUMENT,             /* struct trace_document */
    TRACE_BOOL,                 /* bool */
    TRACE_CHOICE,               /* uint32_t: which of the words */
    TRACE_COUNT,                /* int64_t */
    TRACE_NUMBER,               /* double */
    TRACE_DURATION, TRACE_BYTES, TRACE_RATE,    /* int64_t: microseconds, bytes, bytes a second */
    TRACE_MAP,                  /* a map with a table of its own, `sub`, whose values go into the same struct */
    TRACE_OWN,                  /* what `read` and `parse` make of it */
};

/* A document in a file (as TRACE_FILE), by the name of one that the program has (no '.' and no '/' in it), or in place. */
struct trace_document { const char *path, *name; const struct ydoc_node *node; };

struct trace_option {
    const char *key, *help;     /* help: one line */
    enum trace_option_type type;
    size_t      offset;         /* of its value in the format's struct */
    const char *dflt;           /* as a user would write it; NULL: `unset` stands there */
    int64_t     unset;          /* of counts and quantities */
    double      min, max;       /* of counts, numbers and, min alone, quantities */
    const char *const *word; size_t n_words;
    const struct trace_option *sub; size_t n_sub;       /* of a map, or of what `read` reads as one */
    const char *in;             /* the map of the trace section where it stands; NULL: the section itself */
    bool        is_needed;      /* a scenario must state it */
    bool        needs_scenario; /* it means nothing to `fairway trace` on a file */
    bool        of_one_file;    /* it goes with one file of jobs, not with `instances` */
    const char *noun;           /* what errors on the command line call it; NULL: --key */
    const char *elsewhere;      /* what is added to the error that another format has no such option */
    /* TRACE_OWN.  `to` is where the value goes; v is never NULL.  NULL: not from a document; not from text. */
    enum st (*read)(const struct trace_option *x, const struct ydoc_node *v, void *to, struct trace_opts *o,
                    const struct cluster *c, struct diag *d);
    bool (*parse)(const struct trace_option *x, const char *text, void *to, char *error, size_t cap);
};

/* Every default of a table into a struct of zeroes. */
void trace_option_defaults(const struct trace_option *x, size_t n, void *own);

/* Is it the name of a document that the program has, not of a file? */
bool trace_option_is_name(const char *text);

/* One value from text.  On failure false, and error [cap] says what was found and what was expected. */
bool trace_option_parse(const struct trace_option *x, const char *text, void *own, char *error, size_t cap);

/*
 * The option called `name` from text.  On failure false, and error [cap] says what is wrong; for an unknown name, which
 * `of` has not, *nearest is the best guess or NULL (nearest itself may be NULL).
 */
bool trace_option_set(const struct trace_option *x, size_t n, void *own, const char *of, const char *name,
                      const char *value, char *error, size_t cap, const char **nearest);

/* By key; NULL: the table has none. */
const struct trace_option *trace_option_find(const struct trace_option *x, size_t n, const char *key);

/* Can `fairway trace` on a file take it, as --key? */
bool trace_option_is_word(const struct trace_option *x);

/* What it takes, in capitals or as choices: "FILE", "keep|replay". */
void trace_option_value(const struct trace_option *x, char *buf, size_t cap);

#endif
