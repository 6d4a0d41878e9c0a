/*
 * ydoc.h -- a YAML document as a tree that knows where everything stands.
 * Layer: input.
 *
 * Read with libyaml's document API, then copied into nodes of our own, so that
 * --set can change it before anyone reads it.  Aliases become copies of what
 * they name.  Keys are text, and a key twice in one map is an error.
 *
 * The getters take a map and a key.  An absent key (or an absent map, NULL)
 * leaves *out as it was, so a caller presets the default; a key that is there
 * must have the right type and range, or the getter fills the diag with "found
 * X, expected Y" at the value's place.
 */
#ifndef INPUT_TEXT_YDOC_H
#define INPUT_TEXT_YDOC_H

#include "base/diag.h"
#include "base/text.h"

enum ydoc_type { YDOC_SCALAR, YDOC_LIST, YDOC_MAP };

struct ydoc_node {
    enum ydoc_type type;
    bool     quoted;            /* a scalar in quotes, or a block: never null */
    uint32_t line, col;         /* 1-based; 0 when it came from --set */
    const char *file;           /* the file's path, or the whole "--set path=value" */
    char    *text;              /* of a scalar; "" otherwise */
    char    *key;               /* its key when it is a map's entry, else NULL */
    uint32_t key_line, key_col;
    struct ydoc_node **at;          /* [n] entries of a list or map, in the document's order */
    size_t   n, cap;
};

struct ydoc {
    struct ydoc_node *root;         /* NULL when nothing was loaded */
    char **name;                /* owned: file names that nodes borrow */
    size_t n_names, cap_names, n_nodes;
};

/* ST_EINPUT for bad YAML, ST_EWORLD when the file cannot be read.  On error *y is empty. */
enum st ydoc_load(struct ydoc *y, const char *path, struct diag *d);
/* The same for a file of several documents: the root is the list of them. */
enum st ydoc_load_all(struct ydoc *y, const char *path, struct diag *d);
enum st ydoc_parse(struct ydoc *y, const char *name, const char *text, struct diag *d);
void    ydoc_fini(struct ydoc *y);

/*
 * Apply "a.b.0.c=value": maps by key, lists by index from 0 (the index one
 * past the end appends).  Maps on the way that do not exist are made.  The
 * value is YAML; an empty one removes what the path names.
 */
enum st ydoc_set(struct ydoc *y, const char *assignment, struct diag *d);

/*
 * The same with a value at hand, for variants of one document: a copy of
 * `value` comes to stand at the path; null removes what is there.  Mistakes in
 * the path are told at the key of `where`.
 */
enum st ydoc_put(struct ydoc *y, const char *path, const struct ydoc_node *where, const struct ydoc_node *value, struct diag *d);
void    ydoc_copy(struct ydoc *to, const struct ydoc *from);     /* file names are borrowed from `from` */
void    ydoc_keep(struct ydoc *to, const struct ydoc_node *n);    /* a copy of a part, which outlives the whole */
void    ydoc_drop(struct ydoc *y, const char *key);              /* an entry of the root, if it is there */
/* A value in one line, as one would write it: 0.8, [1, 2], {a: 1}; "" for null.  Owned by the caller. */
char   *ydoc_flow(const struct ydoc_node *n);

/*
 * The document in one fixed form, itself YAML: keys sorted, one entry a line,
 * comments gone.  Two documents that mean the same give the same text up to
 * how numbers are written.  Owned by the caller.
 */
char *ydoc_canonical(const struct ydoc *y);

/* Entry of a map by key; NULL when absent, or when map is NULL. */
const struct ydoc_node *ydoc_get(const struct ydoc_node *map, const char *key);
bool ydoc_is_null(const struct ydoc_node *n);           /* nothing, ~ or null, unquoted */

/* An error at the node, or at its key.  Returns ST_EINPUT. */
enum st ydoc_error(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
                   __attribute__((format(printf, 3, 4)));
enum st ydoc_key_error(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
                   __attribute__((format(printf, 3, 4)));
/* "'key': found X, expected ..."; the printf part is what was expected. */
enum st ydoc_expected(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
                   __attribute__((format(printf, 3, 4)));

/*
 * Every key of the map must be one of known [n]; else an error with the
 * nearest.  `what` names the map ("the trace section").  NULL is fine.
 */
enum st ydoc_keys(const struct ydoc_node *map, const char *what, const char *const *known, size_t n, struct diag *d);

/* A whole map or list: NULL in *out when the key is absent. */
enum st ydoc_map(const struct ydoc_node *map, const char *key, const struct ydoc_node **out, struct diag *d);
enum st ydoc_list(const struct ydoc_node *map, const char *key, const struct ydoc_node **out, struct diag *d);

/* Text that is not empty, borrowed; true or false. */
enum st ydoc_str(const struct ydoc_node *map, const char *key, const char **out, struct diag *d);
enum st ydoc_bool(const struct ydoc_node *map, const char *key, bool *out, struct diag *d);
enum st ydoc_int(const struct ydoc_node *map, const char *key, int64_t lo, int64_t hi, int64_t *out, struct diag *d);
/* lo..hi inclusive; lo YDOC_ABOVE_0: any above 0; hi HUGE_VAL: no upper end. */
#define YDOC_ABOVE_0 1e-300
enum st ydoc_double(const struct ydoc_node *map, const char *key, double lo, double hi, double *out, struct diag *d);
/* A quantity of text.h, at least lo (0 or 1) and at most 1000 years, 1024 TiB, 1 MW or a
 * million by its dimension; `unit` as text_parse has it. */
enum st ydoc_quantity(const struct ydoc_node *map, const char *key, enum text_dimension dimension, int64_t unit,
                      int64_t lo, int64_t *out, struct diag *d);
/* One of word [n]: its index. */
enum st ydoc_choice(const struct ydoc_node *map, const char *key, const char *const *word, size_t n,
                    uint32_t *out, struct diag *d);

/* The same for a node at hand: an entry of a list, or of a map whose keys are free. */
enum st ydoc_node_str(const struct ydoc_node *n, const char **out, struct diag *d);
enum st ydoc_node_int(const struct ydoc_node *n, int64_t lo, int64_t hi, int64_t *out, struct diag *d);
enum st ydoc_node_choice(const struct ydoc_node *v, const char *const *word, size_t n, uint32_t *out, struct diag *d);
enum st ydoc_node_double(const struct ydoc_node *n, double lo, double hi, double *out, struct diag *d);
enum st ydoc_node_quantity(const struct ydoc_node *n, enum text_dimension dimension, int64_t unit, int64_t lo,
                           int64_t *out, struct diag *d);

#endif
