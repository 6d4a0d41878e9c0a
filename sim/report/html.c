/* html.c -- text, elements and cells of numbers, as the page writes them. */
#include "report/report_priv.h"

#include <math.h>
#include <string.h>

#include "compare/view.h"

void report_text(const char *s, FILE *to)
{
    for (; *s != '\0'; s++) {
        switch (*s) {
        case '<': (void)fputs("&lt;", to); break;
        case '>': (void)fputs("&gt;", to); break;
        case '&': (void)fputs("&amp;", to); break;
        case '"': (void)fputs("&quot;", to); break;
        case '\'': (void)fputs("&#39;", to); break;
        default:
            if ((unsigned char)*s >= 0x20 || *s == '\n' || *s == '\t') (void)fputc(*s, to);
            else (void)fprintf(to, "&#xfffd;");
        }
    }
}

void report_element(FILE *to, const char *tag, const char *text)
{
    (void)fprintf(to, "<%s>", tag);
    report_text(text != NULL ? text : "", to);
    (void)fprintf(to, "</%.*s>", (int)strcspn(tag, " "), tag);
}

void report_number_cell(FILE *to, struct stats_ci ci, double by)
{
    double x = ci.mean * by;
    if (isnan(x)) { (void)fputs("<td class=\"n\">&ndash;</td>", to); return; }
    (void)fprintf(to, "<td class=\"n\" data-v=\"%.12g\">%.*f", x, compare_digits(x), x);
    if (!isnan(ci.half)) (void)fprintf(to, " <span class=\"ci\">&plusmn;%.*f</span>", compare_digits(x), ci.half * by);
    (void)fputs("</td>", to);
}
