/* progress.c -- the bar of progress.h, redrawn on one line of the terminal. */
#include "run/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/stopwatch.h"
#include "base/text.h"

double progress_clock(void) { return (double)stopwatch_clock() * 1e-9; }

void progress_begin(struct progress *p, bool quiet)
{
    memset(p, 0, sizeof *p);
    p->is_on = !quiet && isatty(STDERR_FILENO);
    p->began = p->drawn = progress_clock();
}

void progress_run(struct progress *p, uint64_t n_jobs) { p->n_jobs = n_jobs; }

static void draw(const struct progress *p, double whole, const char *text, double clock)
{
    enum { WIDTH = 24 };
    double spent = clock - p->began;
    char bar[WIDTH + 1], eta[64] = "?";
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(whole * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    if (whole > 0.005) (void)text_duration(eta, sizeof eta, (sim_tick)(spent / whole * (1 - whole) * 1e6));
    char *shown = text_shown(text);
    (void)fprintf(stderr, "\r\033[K[%s] %3.0f%%  %s, ETA %s", bar, 100 * whole, shown, eta);
    mem_free(shown);
    (void)fflush(stderr);
}

/* Not drawn in the last tenth of a second? */
static bool is_due(struct progress *p, double *clock)
{
    *clock = progress_clock();
    if (*clock - p->drawn < 0.1) return false;
    p->drawn = *clock;
    return true;
}

void progress_tick(struct progress *p, uint64_t instants, uint64_t jobs_ended, sim_tick now)
{
    double clock;
    if (p->report == NULL || (instants & 255) != 0 || !is_due(p, &clock)) return;
    p->report(p->ctx, p->n_jobs > 0 ? (double)jobs_ended / (double)p->n_jobs : 0, jobs_ended, now);
}

void progress_show(struct progress *p, double whole, const char *text)
{
    double clock;
    if (p->is_on && is_due(p, &clock)) draw(p, whole, text, clock);
}

void progress_clear(struct progress *p)
{
    if (p->is_on) (void)fputs("\r\033[K", stderr);
}
