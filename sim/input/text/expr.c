/* expr.c -- expressions of expr.h: a recursive descent into a small tree, and its evaluation. */
#include "input/text/expr.h"

#include <string.h>
#include "base/mem.h"
#include "base/text.h"

enum op { NUMBER, TEXT, NAME, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, EQ, NE, LE, GE, LT, GT, COND };
enum { DEPTH_MAX = 32 };        /* of parentheses and conditionals */

struct node { enum op op; sim_wide n; char *text; size_t name, a, b, c; };
struct expr {
    struct node *at; size_t n, cap, root;
    char **name; size_t n_names, cap_names;
};

/* ---- parsing ---- */

struct parser { struct expr *e; const char *text, *s; char *error; size_t cap; int depth; bool failed; };

static size_t fail(struct parser *p, const char *what)
{
    if (!p->failed)
        (void)text_error(p->error, p->cap, "'%.100s': %s at character %zu", p->text, what,
                         (size_t)(p->s - p->text) + 1);
    p->failed = true;
    return 0;
}

static void blanks(struct parser *p) { p->s += strspn(p->s, " \t\r\n"); }

static size_t add(struct parser *p, struct node n)
{
    MEM_PUSH(p->e->at, p->e->n, p->e->cap, n);
    return p->e->n - 1;
}

static bool accept(struct parser *p, const char *word)
{
    blanks(p);
    if (strncmp(p->s, word, strlen(word)) != 0) return false;
    p->s += strlen(word);
    return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static size_t name(struct parser *p, const char *s, size_t len)
{
    struct expr *e = p->e;
    char *copy = mem_printf("%.*s", (int)len, s);
    size_t i = 0;
    while (i < e->n_names && strcmp(e->name[i], copy) != 0) i++;
    if (i < e->n_names) mem_free(copy);
    else MEM_PUSH(e->name, e->n_names, e->cap_names, copy);
    return add(p, (struct node){ .op = NAME, .name = i });
}

static size_t condition(struct parser *p);

static size_t quoted(struct parser *p, char quote)
{
    const char *from = ++p->s, *end = strchr(from, quote);
    if (end == NULL) return fail(p, "a quote is left open");
    if (quote == '`' && end == from) return fail(p, "a name is empty");
    p->s = end + 1;
    if (quote == '`') return name(p, from, (size_t)(end - from));
    return add(p, (struct node){ .op = TEXT, .text = mem_printf("%.*s", (int)(end - from), from) });
}

static size_t number(struct parser *p)
{
    char digits[64];
    sim_wide v;
    size_t len = strspn(p->s, "0123456789.");
    if ((p->s[len] == 'e' || p->s[len] == 'E') &&
        (is_digit(p->s[len + 1]) || ((p->s[len + 1] == '+' || p->s[len + 1] == '-') && is_digit(p->s[len + 2]))))
        len += 2 + strspn(p->s + len + 2, "0123456789");
    if (len >= sizeof digits) return fail(p, "a number is too long");
    (void)snprintf(digits, sizeof digits, "%.*s", (int)len, p->s);
    if (!value_number(digits, EXPR_ONE, (sim_wide)1 << 100, &v, NULL)) return fail(p, "no number");
    p->s += len;
    return add(p, (struct node){ .op = NUMBER, .n = v });
}

static size_t primary(struct parser *p)
{
    blanks(p);
    if (p->failed) return 0;
    if (*p->s == '\'' || *p->s == '`') return quoted(p, *p->s);
    if (is_digit(*p->s) || *p->s == '.') return number(p);
    if (is_letter(*p->s)) {
        const char *from = p->s;
        while (is_letter(*p->s) || is_digit(*p->s) || *p->s == '.') p->s++;
        return name(p, from, (size_t)(p->s - from));
    }
    bool negate = *p->s == '-';
    if (!negate && *p->s != '(') return fail(p, "expected a name, a number, 'text' or '('");
    if (++p->depth > DEPTH_MAX) return fail(p, "it is nested too deeply");
    p->s++;
    size_t a = negate ? primary(p) : condition(p);
    p->depth--;
    if (negate) return add(p, (struct node){ .op = NEGATE, .a = a });
    if (!p->failed && !accept(p, ")")) return fail(p, "expected ')'");
    return a;
}

static size_t product(struct parser *p)
{
    size_t a = primary(p);
    while (!p->failed) {
        enum op op = accept(p, "*") ? MULTIPLY : accept(p, "/") ? DIVIDE : NUMBER;
        if (op == NUMBER) break;
        size_t b = primary(p);
        a = add(p, (struct node){ .op = op, .a = a, .b = b });
    }
    return a;
}

static size_t sum(struct parser *p)
{
    size_t a = product(p);
    while (!p->failed) {
        enum op op = accept(p, "+") ? ADD : accept(p, "-") ? SUBTRACT : NUMBER;
        if (op == NUMBER) break;
        size_t b = product(p);
        a = add(p, (struct node){ .op = op, .a = a, .b = b });
    }
    return a;
}

static size_t comparison(struct parser *p)
{
    static const struct { const char *word; enum op op; } words[] = {
        { "==", EQ }, { "!=", NE }, { "<=", LE }, { ">=", GE }, { "<", LT }, { ">", GT },
    };
    size_t a = sum(p);
    for (size_t i = 0; i < ARRAY_LEN(words) && !p->failed; i++) {
        if (!accept(p, words[i].word)) continue;
        size_t b = sum(p);
        return add(p, (struct node){ .op = words[i].op, .a = a, .b = b });
    }
    return a;
}

static size_t condition(struct parser *p)
{
    size_t a = comparison(p);
    if (p->failed || !accept(p, "?")) return a;
    if (++p->depth > DEPTH_MAX) return fail(p, "it is nested too deeply");
    size_t b = condition(p);
    if (!p->failed && !accept(p, ":")) return fail(p, "expected ':'");
    size_t c = condition(p);
    p->depth--;
    return add(p, (struct node){ .op = COND, .a = a, .b = b, .c = c });
}

struct expr *expr_parse(const char *text, char *error, size_t cap)
{
    struct expr *e;
    MEM_NEW(e);
    struct parser p = { .e = e, .text = text, .s = text, .error = error, .cap = cap };
    if (strlen(text) > EXPR_TEXT_MAX) (void)fail(&p, "it is too long");
    else e->root = condition(&p);
    blanks(&p);
    if (!p.failed && *p.s != '\0') (void)fail(&p, "expected an operator or the end");
    if (!p.failed) return e;
    expr_free(e);
    return NULL;
}

void expr_free(struct expr *e)
{
    if (e == NULL) return;
    for (size_t i = 0; i < e->n; i++) mem_free(e->at[i].text);
    for (size_t i = 0; i < e->n_names; i++) mem_free(e->name[i]);
    MEM_FREE(e->at, e->name, e);
}

size_t expr_n_names(const struct expr *e) { return e->n_names; }
const char *expr_name(const struct expr *e, size_t i) { return e->name[i]; }

bool expr_is_name(const struct expr *e) { return e->at[e->root].op == NAME; }

bool expr_divides(const struct expr *e)
{
    for (size_t i = 0; i < e->n; i++) if (e->at[i].op == DIVIDE) return true;
    return false;
}

/* ---- evaluation ---- */

struct eval { const struct expr *e; const struct expr_row *row; size_t *at; char *error; size_t cap; };

static bool to_number(const struct eval *x, struct expr_value *v)
{
    if (v->type != EXPR_TEXT) return true;
    *x->at = v->name;
    if (v->name == SIZE_MAX) return text_error(x->error, x->cap, "the text '%.60s' is no number", v->text);
    if (!x->row->number(x->row->ctx, v->name, v->text, &v->n))
        return text_error(x->error, x->cap, "'%.60s' is not a number", v->text);
    v->type = EXPR_NUMBER;
    return true;
}

static bool too_large(const struct eval *x)
{
    *x->at = SIZE_MAX;
    return text_error(x->error, x->cap, "the result is too large");
}

static bool arithmetic(const struct eval *x, enum op op, sim_wide a, sim_wide b, sim_wide *out)
{
    sim_wide v;
    switch (op) {
    case ADD:      return __builtin_add_overflow(a, b, out) ? too_large(x) : true;
    case SUBTRACT: return __builtin_sub_overflow(a, b, out) ? too_large(x) : true;
    case MULTIPLY:
        if (__builtin_mul_overflow(a, b, &v)) return too_large(x);
        *out = (v + (v < 0 ? -EXPR_ONE / 2 : EXPR_ONE / 2)) / EXPR_ONE;
        return true;
    default:
        *x->at = SIZE_MAX;
        if (b == 0) return text_error(x->error, x->cap, "a division by 0");
        if (__builtin_mul_overflow(a, (sim_wide)EXPR_ONE, &v)) return too_large(x);
        *out = v / b;
        /* To nearest: the remainder is at least half of b. */
        sim_wide left = v % b, half = (b < 0 ? -b : b) / 2;
        if ((left < 0 ? -left : left) > half) *out += (v < 0) == (b < 0) ? 1 : -1;
        return true;
    }
}

static bool eval(const struct eval *x, size_t i, struct expr_value *out);

/* Texts where one of them is literal, or both are fields: else numbers. */
static bool compare(const struct eval *x, const struct node *n, struct expr_value *out)
{
    struct expr_value a, b;
    if (!eval(x, n->a, &a) || !eval(x, n->b, &b)) return false;
    bool literal = (a.type == EXPR_TEXT && a.name == SIZE_MAX) || (b.type == EXPR_TEXT && b.name == SIZE_MAX);
    bool fields = a.type != EXPR_NUMBER && b.type != EXPR_NUMBER;
    if ((n->op == EQ || n->op == NE) && (literal || fields)) {
        if (a.type == EXPR_NUMBER || b.type == EXPR_NUMBER) {
            *x->at = SIZE_MAX;
            return text_error(x->error, x->cap, "a number is compared with a text");
        }
        bool same = strcmp(a.type == EXPR_EMPTY ? "" : a.text, b.type == EXPR_EMPTY ? "" : b.text) == 0;
        *out = (struct expr_value){ .type = EXPR_NUMBER, .n = same == (n->op == EQ) ? EXPR_ONE : 0, .name = SIZE_MAX };
        return true;
    }
    if (!to_number(x, &a) || !to_number(x, &b)) return false;
    bool both = a.type == EXPR_NUMBER && b.type == EXPR_NUMBER;
    bool yes = n->op == EQ ? a.n == b.n : n->op == NE ? a.n != b.n : n->op == LT ? a.n < b.n : n->op == GT ? a.n > b.n
             : n->op == LE ? a.n <= b.n : a.n >= b.n;
    *out = (struct expr_value){ .type = EXPR_NUMBER, .n = both && yes ? EXPR_ONE : 0, .name = SIZE_MAX };
    return true;
}

static bool holds(const struct expr_value *v)
{
    return v->type == EXPR_NUMBER ? v->n != 0 : v->type == EXPR_TEXT && strcmp(v->text, "0") != 0;
}

static bool eval(const struct eval *x, size_t i, struct expr_value *out)
{
    const struct node *n = &x->e->at[i];
    struct expr_value a, b;
    *out = (struct expr_value){ .type = EXPR_NUMBER, .n = n->n, .name = SIZE_MAX };
    switch (n->op) {
    case NUMBER: return true;
    case TEXT:
        *out = (struct expr_value){ .type = EXPR_TEXT, .text = n->text, .name = SIZE_MAX };
        return true;
    case NAME:
        out->text = x->row->field(x->row->ctx, n->name);
        out->type = *out->text == '\0' ? EXPR_EMPTY : EXPR_TEXT;
        out->name = n->name;
        return true;
    case EQ: case NE: case LE: case GE: case LT: case GT: return compare(x, n, out);
    case COND:
        return eval(x, n->a, &a) && eval(x, holds(&a) ? n->b : n->c, out);
    case NEGATE:
        if (!eval(x, n->a, out) || !to_number(x, out)) return false;
        if (out->type == EXPR_NUMBER) out->n = -out->n;
        out->name = SIZE_MAX;
        return true;
    case ADD: case SUBTRACT: case MULTIPLY: case DIVIDE: break;
    }
    if (!eval(x, n->a, &a) || !eval(x, n->b, &b) || !to_number(x, &a) || !to_number(x, &b)) return false;
    if (a.type == EXPR_EMPTY || b.type == EXPR_EMPTY) {
        out->type = EXPR_EMPTY;
        return true;
    }
    return arithmetic(x, n->op, a.n, b.n, &out->n);
}

bool expr_eval(const struct expr *e, const struct expr_row *row, struct expr_value *out, size_t *at, char *error,
               size_t cap)
{
    const struct eval x = { e, row, at, error, cap };
    *at = SIZE_MAX;
    return eval(&x, e->root, out);
}

bool expr_eval_number(const struct expr *e, const struct expr_row *row, struct expr_value *out, size_t *at, char *error,
                      size_t cap)
{
    const struct eval x = { e, row, at, error, cap };
    *at = SIZE_MAX;
    return eval(&x, e->root, out) && to_number(&x, out);
}

bool expr_holds(const struct expr *e, const struct expr_row *row, bool *out, size_t *at, char *error, size_t cap)
{
    struct expr_value v;
    if (!expr_eval(e, row, &v, at, error, cap)) return false;
    *out = holds(&v);
    return true;
}
