/* curve.c -- a curve's text, and its values by linear interpolation (GSL). */
#include "model/speed/curve.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

void curve_fini(struct curve *c)
{
    if (c->line != NULL) gsl_interp_free(c->line);
    mem_free(c->x);
    mem_free(c->y);
    *c = (struct curve){ .n = 0 };
}

/* A plain decimal: no sign, no exponent. */
static bool number(const char **s, double *out)
{
    size_t n = strspn(*s, "0123456789.");
    char one[32];
    if (n == 0 || n >= sizeof one) return false;
    memcpy(one, *s, n);
    one[n] = '\0';
    *s += n;
    return text_double(one, out);
}

static const char *parse_points(struct curve *c, const char *s)
{
    size_t cap_x = 0, cap_y = 0;
    for (;;) {
        double x, y;
        if (c->n == CURVE_POINTS_MAX) return "more than 1000 points";
        if (!number(&s, &x) || *s++ != ':' || !number(&s, &y)) return "expected points such as 1:0.2;2:0.4, or linear:5";
        if (c->n > 0 && x <= c->x[c->n - 1]) return "points must come in increasing order";
        MEM_RESERVE(c->x, cap_x, (size_t)c->n + 1);
        MEM_RESERVE(c->y, cap_y, (size_t)c->n + 1);
        c->x[c->n] = x;
        c->y[c->n++] = y;
        if (*s == '\0') return NULL;
        if (*s++ != ';') return "expected ';' between points";
    }
}

static void draw_line(struct curve *c)
{
    if (c->n < gsl_interp_type_min_size(gsl_interp_linear)) return;
    c->line = gsl_interp_alloc(gsl_interp_linear, c->n);
    SIM_ASSERT(c->line != NULL && gsl_interp_init(c->line, c->x, c->y, c->n) == 0);
}

const char *curve_parse(struct curve *c, const char *text)
{
    *c = (struct curve){ .n = 0 };
    if (strncmp(text, "linear:", 7) == 0) {
        const char *s = text + 7;
        if (!number(&s, &c->knee) || *s != '\0' || c->knee <= 0) { c->knee = 0; return "expected linear:N with N above 0"; }
        return NULL;
    }
    const char *error = parse_points(c, text);
    if (error != NULL) { curve_fini(c); return error; }
    draw_line(c);
    return NULL;
}

void curve_points(struct curve *c, const double *x, const double *y, uint32_t n)
{
    *c = (struct curve){ .n = n };
    if (n == 0) return;
    MEM_ARRAY(c->x, n);
    MEM_ARRAY(c->y, n);
    memcpy(c->x, x, n * sizeof *x);
    memcpy(c->y, y, n * sizeof *y);
    draw_line(c);
}

double curve_at(const struct curve *c, double x)
{
    if (c->knee > 0) return x < c->knee ? x / c->knee : 1;
    if (c->n == 0) return 0;
    if (x <= c->x[0]) return c->y[0];
    if (x >= c->x[c->n - 1]) return c->y[c->n - 1];
    return gsl_interp_eval(c->line, c->x, c->y, x, NULL);
}

double curve_max(const struct curve *c)
{
    double most = c->knee > 0 ? 1 : 0;
    for (uint32_t i = 0; i < c->n; i++) most = fmax(most, c->y[i]);
    return most;
}

double curve_argmax(const struct curve *c)
{
    double most = curve_max(c);
    for (uint32_t i = 0; i < c->n; i++) if (c->y[i] >= most) return c->x[i];
    return c->knee;
}
