/* report.c -- every case under every spec, each in a sandbox, and what they broke, printed. */
#include "host/conform/report.h"

#include <inttypes.h>
#include "base/text.h"
#include "host/conform/conform.h"
#include "host/conform/specs.h"
#include "host/host.h"

struct found { struct conform_specs specs; char name[64]; };
struct finding { const char *spec; struct found *out; };

/* The policy's table must be read where it may crash. */
static enum st find_specs(void *ctx, struct sandbox_page *page, struct diag *d)
{
    struct finding *f = ctx;
    struct host *h;
    TRY(host_create(&h, f->spec, NULL, NULL, NULL, &(struct host_hooks){ .page = page }, d));
    conform_specs(&f->out->specs, f->spec, host_ops(h));
    (void)snprintf(f->out->name, sizeof f->out->name, "%s", host_ops(h)->name);
    host_destroy(h);
    return ST_OK;
}

static void add_rows(struct table *t, const char *spec, const char *name, const struct conform_problem *p)
{
    table_cell(t, "%s", spec);
    table_cell(t, "%s", name);
    if (p->at < 0) table_cell(t, "%s", "");
    else table_cell(t, "%" PRId64, p->at);
    table_cell(t, "%s", p->what);
    table_cell(t, "%s", p->detail);
    table_cell(t, "%s", p->hint);
}

static void print_problem(const char *spec, const char *name, const char *about, const struct conform_problem *p)
{
    char at[48] = "";
    if (p->at >= 0) (void)snprintf(at, sizeof at, ", t=%" PRId64 " us", p->at);
    text_line(stdout, "%s on '%s' (%s)%s: %s", spec, name, about, at, p->what);
    if (p->detail[0] != '\0') text_line(stdout, "    %s", p->detail);
    if (p->hint[0] != '\0') text_line(stdout, "    hint: %s", p->hint);
}

/* Each takes the whole of --decide-timeout, and more of them are no news. */
enum { STUCK_MAX = 3 };

static void run_all(struct found *f, const struct sandbox_limits *l, enum table_format format, struct table *t, uint32_t *n_problems)
{
    uint32_t n_cases = conform_n_cases(), n_runs = 0, n_bad = 0, n_stuck = 0, n_tried = 0, n_declined = 0, n_refused = 0;
    char lacks[CONFORM_SPEC_LEN];
    for (uint32_t k = 0; k < f->specs.n; k++)
        for (uint32_t i = 0; i < n_cases && n_stuck < STUCK_MAX; i++) {
            struct conform_result r;
            conform_case_sandboxed(i, f->specs.spec[k], l, &r);
            if (r.is_refused && f->specs.n > 1) {
                f->specs.is_refused[k] = true;
                n_refused++;
                break;
            }
            struct conform_case *c = conform_case_make(i);
            for (uint32_t p = 0; p < r.n_problems; p++) {
                add_rows(t, f->specs.spec[k], c->name, &r.problem[p]);
                if (format == TABLE_TEXT) print_problem(f->specs.spec[k], c->name, c->about, &r.problem[p]);
            }
            conform_case_free(c);
            n_runs += r.n_runs;
            n_tried++;
            n_stuck += r.is_stuck;
            n_declined += r.is_declined;
            n_bad += r.n_problems > 0;
            *n_problems += r.n_problems;
        }
    if (conform_specs_lack(&f->specs, lacks)) {
        struct conform_problem p = { .at = -1, .what = "cannot be created", .hint = "with whatever else is chosen" };
        add_rows(t, f->name, lacks, &p);
        if (format == TABLE_TEXT) print_problem(f->name, lacks, "each combination with it", &p);
        ++*n_problems;
    }
    if (format != TABLE_TEXT) return;
    if (n_refused > 0) text_line(stdout, "note: of %" PRIu32 " combinations of its choices it refuses %" PRIu32, f->specs.n, n_refused);
    if (f->specs.is_each_alone) (void)printf("note: its choices have too many combinations; each was tried on its own\n");
    if (n_stuck == STUCK_MAX) (void)printf("note: it was stuck in %d cases; the other %" PRIu32 " were not tried\n", STUCK_MAX, n_cases * f->specs.n - n_tried);
    if (n_declined > 0)
        text_line(stdout, "note: %" PRIu32 " of %" PRIu32 " cases ask for what it declines", n_declined, n_tried);
    if (n_bad > 0) text_line(stdout, "%s: %" PRIu32 " of %" PRIu32 " cases broken", f->name, n_bad, n_tried);
    else text_line(stdout, "%s keeps its contract: %" PRIu32 " cases under %" PRIu32 " spec%s, %" PRIu32 " runs", f->name, n_cases, f->specs.n - n_refused,
                      f->specs.n - n_refused == 1 ? "" : "s", n_runs);
}

enum st conform_report(const char *spec, const struct sandbox_limits *l, enum table_format f, uint32_t *n_problems, struct diag *d)
{
    struct found *found = sandbox_share(sizeof *found);
    struct finding in = { spec, found };
    *n_problems = 0;
    enum st st = sandbox_run(l, spec, NULL, find_specs, &in, d);
    if (st == ST_OK) {
        struct table *t = table_of("policy|case|#at_us|problem|detail|hint");
        run_all(found, l, f, t, n_problems);
        if (f != TABLE_TEXT) table_print(t, f, stdout);
        table_destroy(t);
    }
    sandbox_unshare(found, sizeof *found);
    return st;
}
