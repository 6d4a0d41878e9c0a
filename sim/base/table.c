/*
 * table.c -- cells are kept as text until the table is printed, since the widths
 * of columns are known only then.  O(cells), with a copy of each.
 */
#include "base/table.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "base/text.h"

struct column { char *heading; bool is_number; };

struct table {
    struct column *col;  size_t n_cols, cap_cols;
    char         **cell; size_t n_cells, cap_cells;     /* row by row */
};

struct table *table_create(void)
{
    struct table *t;
    return MEM_NEW(t);
}

void table_destroy(struct table *t)
{
    if (t == NULL) return;
    for (size_t i = 0; i < t->n_cols; i++) mem_free(t->col[i].heading);
    for (size_t i = 0; i < t->n_cells; i++) mem_free(t->cell[i]);
    MEM_FREE(t->col, t->cell, t);
}

void table_column(struct table *t, const char *heading, bool is_number)
{
    SIM_ASSERT(t->n_cells == 0);
    MEM_PUSH(t->col, t->n_cols, t->cap_cols, (struct column){ .heading = mem_strdup(heading), .is_number = is_number });
}

struct table *table_of(const char *headings)
{
    struct table *t = table_create();
    for (size_t n; *headings != '\0'; headings += n + (headings[n] == '|')) {
        n = strcspn(headings, "|");
        bool is_number = *headings == '#';
        char *heading = mem_strndup(headings + is_number, n - is_number);
        table_column(t, heading, is_number);
        mem_free(heading);
    }
    return t;
}

void table_cell(struct table *t, const char *fmt, ...)
{
    char buf[256];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    SIM_ASSERT(n >= 0);
    MEM_RESERVE(t->cell, t->cap_cells, t->n_cells + 1);
    char **cell = &t->cell[t->n_cells++];
    if ((size_t)n < sizeof buf) { *cell = mem_strdup(buf); return; }
    MEM_ARRAY(*cell, (size_t)n + 1);
    va_start(ap, fmt);
    (void)vsnprintf(*cell, (size_t)n + 1, fmt, ap);
    va_end(ap);
}

/* ---- escaping ---- */

static const struct { const char *found, *markdown, *latex; } escapes[] = {
    { "\\", "\\\\", "\\textbackslash{}" }, { "*", "\\*", "*" }, { "_", "\\_", "\\_" }, { "|", "\\|", "\\textbar{}" },
    { "`", "\\`", "\\textasciigrave{}" }, { "<", "\\<", "\\textless{}" }, { ">", "\\>", "\\textgreater{}" },
    { "[", "\\[", "{[}" }, { "]", "\\]", "{]}" },       /* after \\\\ in a row LaTeX would take [ for an option */
    { "#", "\\#", "\\#" }, { "&", "\\&", "\\&" }, { "%", "%", "\\%" }, { "$", "$", "\\$" }, { "{", "{", "\\{" }, { "}", "}", "\\}" },
    { "~", "~", "\\textasciitilde{}" }, { "^", "^", "\\textasciicircum{}" },
    { "\u00b1", "\u00b1", "$\\pm$" }, { "\u00d7", "\u00d7", "$\\times$" }, { "\u03c3", "\u03c3", "$\\sigma$" },
    { "\u2026", "\u2026", "\\dots{}" },
};

static const char *escape_of(const char *s, size_t *len, bool latex)
{
    for (size_t i = 0; i < ARRAY_LEN(escapes); i++) {
        *len = strlen(escapes[i].found);
        if (strncmp(s, escapes[i].found, *len) == 0) return latex ? escapes[i].latex : escapes[i].markdown;
    }
    *len = 1;
    return NULL;
}

char *table_escape(const char *s, enum table_format f)
{
    enum { LONGEST = 20 };
    if (f == TABLE_JSON) return mem_strdup(s);          /* json_string does it */
    char *shown = text_shown(s);
    if (f == TABLE_TEXT || f == TABLE_CSV) return shown;
    char *out;
    size_t at = 0, len;
    MEM_ARRAY(out, strlen(shown) * LONGEST + 1);
    for (s = shown; *s != '\0'; s += len) {
        const char *by = escape_of(s, &len, f == TABLE_LATEX);
        /* Markdown takes an underscore within a word for itself; names of metrics stay readable. */
        if (f == TABLE_MARKDOWN && *s == '_' && at > 0 && isalnum((unsigned char)s[-1]) && isalnum((unsigned char)s[1])) by = NULL;
        if (by == NULL) out[at++] = *s;
        else for (; *by != '\0'; by++) out[at++] = *by;
    }
    out[at] = '\0';
    mem_free(shown);
    return out;
}

/* A copy whose headings and cells are escaped. */
static struct table *escaped(const struct table *t, enum table_format f)
{
    struct table *e = table_create();
    for (size_t c = 0; c < t->n_cols; c++) {
        char *s = table_escape(t->col[c].heading, f);
        table_column(e, s, t->col[c].is_number);
        mem_free(s);
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        MEM_PUSH(e->cell, e->n_cells, e->cap_cells, table_escape(t->cell[i], f));
    }
    return e;
}

/* ---- printing ---- */

/* Columns that a terminal shows: code points, which for our text is the same. */
static size_t width(const char *s)
{
    size_t n = 0;
    for (; *s != '\0'; s++) n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

static void pad(size_t n, FILE *to)
{
    while (n-- > 0) (void)fputc(' ', to);
}

/* One aligned line.  Text in the last column is not padded. */
static void print_line(const struct table *t, char *const *cell, const size_t *wide, bool markdown, FILE *to)
{
    for (size_t c = 0; c < t->n_cols; c++) {
        const char *s = cell != NULL ? cell[c] : t->col[c].heading;
        size_t fill = wide[c] - width(s);
        (void)fputs(markdown ? c == 0 ? "| " : " | " : c == 0 ? "" : "  ", to);
        if (t->col[c].is_number && (markdown || c + 1 < t->n_cols || s[0] != '\0')) pad(fill, to);
        (void)fputs(s, to);
        if (!t->col[c].is_number && (markdown || c + 1 < t->n_cols)) pad(fill, to);
    }
    (void)fputs(markdown ? " |\n" : "\n", to);
}

static void print_aligned(const struct table *t, bool markdown, FILE *to)
{
    size_t *wide;
    MEM_ARRAY(wide, t->n_cols);
    for (size_t c = 0; c < t->n_cols; c++) {
        wide[c] = width(t->col[c].heading);
        if (markdown && wide[c] < 3) wide[c] = 3;
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t w = width(t->cell[i]);
        if (w > wide[i % t->n_cols]) wide[i % t->n_cols] = w;
    }
    print_line(t, NULL, wide, markdown, to);
    for (size_t c = 0; c < t->n_cols; c++) {
        (void)fputs(markdown ? c == 0 ? "| " : " | " : c == 0 ? "" : "  ", to);
        for (size_t i = 0; i < wide[c]; i++)
            (void)fputc(markdown && t->col[c].is_number && i + 1 == wide[c] ? ':' : '-', to);
    }
    (void)fputs(markdown ? " |\n" : "\n", to);
    for (size_t i = 0; i < t->n_cells; i += t->n_cols) print_line(t, t->cell + i, wide, markdown, to);
    mem_free(wide);
}

static void latex_line(const struct table *t, char *const *cell, FILE *to)
{
    for (size_t c = 0; c < t->n_cols; c++)
        (void)fprintf(to, "%s%s", c == 0 ? "  " : " & ", cell != NULL ? cell[c] : t->col[c].heading);
    (void)fputs(" \\\\\n", to);
}

static void print_latex(const struct table *t, FILE *to)
{
    (void)fputs("\\begin{tabular}{", to);
    for (size_t c = 0; c < t->n_cols; c++) (void)fputc(t->col[c].is_number ? 'r' : 'l', to);
    (void)fputs("}\n  \\hline\n", to);
    latex_line(t, NULL, to);
    (void)fputs("  \\hline\n", to);
    for (size_t i = 0; i < t->n_cells; i += t->n_cols) latex_line(t, t->cell + i, to);
    (void)fputs("  \\hline\n\\end{tabular}\n", to);
}

/* RFC 4180, but lines end in a bare newline. */
static void print_csv(const struct table *t, FILE *to)
{
    for (size_t c = 0; c < t->n_cols; c++) {
        if (c > 0) (void)fputc(',', to);
        text_csv(t->col[c].heading, false, to);
    }
    (void)fputc('\n', to);
    for (size_t i = 0; i < t->n_cells; i++) {
        text_csv(t->cell[i], false, to);
        (void)fputc((i + 1) % t->n_cols == 0 ? '\n' : ',', to);
    }
}

/*
 * Is it a number by JSON's grammar?  C prints nan and inf, which are not, and
 * a person's "1,234" or "+5" is not either; those go out as strings.
 */
static bool is_json_number(const char *s)
{
    json_t *j = json_loads(s, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    bool is = json_is_number(j);
    json_decref(j);
    return is;
}

/* Rows are not put together as values: numbers keep the digits that their cells have. */
static void print_json(const struct table *t, FILE *to)
{
    (void)fputc('[', to);
    for (size_t i = 0; i < t->n_cells; i++) {
        size_t c = i % t->n_cols;
        (void)fputs(c > 0 ? ", " : i > 0 ? "},\n {" : "\n {", to);
        jsonout_string(t->col[c].heading, to);
        (void)fputs(": ", to);
        const char *s = t->cell[i];
        if (s[0] == '\0') (void)fputs("null", to);
        else if (t->col[c].is_number && is_json_number(s)) (void)fputs(s, to);
        else jsonout_string(s, to);
    }
    (void)fputs(t->n_cells > 0 ? "}\n]\n" : "]\n", to);
}

void table_print(const struct table *t, enum table_format f, FILE *to)
{
    SIM_ASSERT(t->n_cols > 0 && t->n_cells % t->n_cols == 0);
    /* CSV is for programs, which want what is there. */
    bool as_is = f == TABLE_JSON || (f == TABLE_CSV && isatty(fileno(to)) == 0);
    struct table *e = as_is ? NULL : escaped(t, f);
    switch (f) {
    case TABLE_TEXT:     print_aligned(e, false, to); break;
    case TABLE_MARKDOWN: print_aligned(e, true, to); break;
    case TABLE_LATEX:    print_latex(e, to); break;
    case TABLE_CSV:      print_csv(as_is ? t : e, to); break;
    case TABLE_JSON:     print_json(t, to); break;
    }
    table_destroy(e);
}

void table_end(struct table *t, enum table_format f, FILE *to)
{
    table_print(t, f, to);
    table_destroy(t);
}

/* Wraps at WIDE columns.  A code point is a column: no text here has wide or combining characters. */
static void put_wrapped(const char *s, FILE *to)
{
    enum { WIDE = 100 };
    for (size_t at = 0; *s != '\0';) {
        size_t len = strcspn(s, " "), wide = 0;
        if (s[len] == ' ' && s[len + 1] == '%') len += 1 + strcspn(s + len + 1, " ");     /* "4.1 %" stays whole */
        for (size_t i = 0; i < len; i++) wide += ((unsigned char)s[i] & 0xc0) != 0x80;
        if (at > 0 && at + 1 + wide > WIDE) { (void)fputs("\n    ", to); at = 4; }
        else if (at > 0) { (void)fputc(' ', to); at++; }
        (void)fwrite(s, 1, len, to);
        at += wide;
        s += len;
        while (*s == ' ') s++;
    }
    (void)fputc('\n', to);
}

void table_sentence(const char *s, enum table_format f, FILE *to)
{
    char *text = table_escape(s, f);
    if (f == TABLE_TEXT) put_wrapped(text, to);
    else (void)fprintf(to, "%s\n", text);
    mem_free(text);
}
