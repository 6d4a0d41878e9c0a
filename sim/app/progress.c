#include "app/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/text.h"

double progress_clock(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

void progress_begin(struct progress *p, bool quiet, uint32_t n_runs)
{
    memset(p, 0, sizeof *p);
    p->is_on = !quiet && isatty(STDERR_FILENO);
    p->n_runs = n_runs;
    p->began = p->drawn = progress_clock();
}

void progress_run(struct progress *p, const char *label, uint64_t n_jobs)
{
    p->run++;
    p->n_jobs = n_jobs;
    (void)snprintf(p->label, sizeof p->label, "%s", label);
}

static void draw(struct progress *p, uint64_t jobs, sim_tick now, double clock)
{
    enum { WIDTH = 24 };
    double part = p->n_jobs ? (double)jobs / (double)p->n_jobs : 0;
    double whole = (p->run - 1 + part) / p->n_runs, spent = clock - p->began;
    char bar[WIDTH + 1], sim[64], eta[64] = "?";
    for (int i = 0; i < WIDTH; i++) bar[i] = i < (int)(whole * WIDTH) ? '#' : '.';
    bar[WIDTH] = '\0';
    if (whole > 0.005) (void)text_duration(eta, sizeof eta, (sim_tick)(spent / whole * (1 - whole) * 1e6));
    (void)fprintf(stderr, "\r\033[K[%s] %3.0f%%  run %" PRIu32 "/%" PRIu32 " %s: %" PRIu64 "/%" PRIu64 " jobs, simulated %s, ETA %s",
                  bar, 100 * whole, p->run, p->n_runs, p->label, jobs, p->n_jobs, text_duration(sim, sizeof sim, now), eta);
    (void)fflush(stderr);
}

void progress_tick(struct progress *p, uint64_t instants, uint64_t jobs_ended, sim_tick now)
{
    if (!p->is_on || (instants & 255) != 0) return;
    double clock = progress_clock();
    if (clock - p->drawn < 0.1) return;
    p->drawn = clock;
    draw(p, jobs_ended, now, clock);
}

void progress_clear(struct progress *p)
{
    if (p->is_on) (void)fputs("\r\033[K", stderr);
}
