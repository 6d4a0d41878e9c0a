/* lines.c -- the texts of lines.h. */
#include "run/lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"

void lines_run(int64_t id, const char *label, uint64_t n_done, const char *digest)
{
    text_line(stdout, "run %" PRId64 "  %-32s %8" PRIu64 " jobs done  digest %s", id, label, n_done, digest);
}

void lines_unfinished(const char *label, uint64_t n_unfinished)
{
    text_line(stderr, "warning: %s: %" PRIu64 " jobs were left unfinished", label, n_unfinished);
}

void lines_rejected(const char *label, uint64_t n_rejected)
{
    text_line(stderr, "note: %s: %" PRIu64 " jobs can never run on this cluster and were rejected", label, n_rejected);
}

void lines_never_eligible(const char *label, uint64_t n)
{
    text_line(stderr, "note: %s: %" PRIu64 " jobs never became eligible: what they waited for can never come about",
              label, n);
}

void lines_refused(const char *label, uint64_t n_refused)
{
    text_line(stderr, "note: %s: %" PRIu64 " decision%s refused, and the policy told", label, n_refused,
              n_refused == 1 ? " was" : "s were");
}

void lines_scoreless(const char *label)
{
    text_line(stderr, "note: %s: the policy tells no scores of nodes, so none are recorded", label);
}

void lines_unlimited(const char *label, const char *policy, uint64_t n_unlimited, uint64_t n)
{
    text_line(stderr, "note: %s: %" PRIu64 " of %" PRIu64 " jobs have no limit, and %s reads limits: it has no estimate to go by",
              label, n_unlimited, n, policy);
}

const char *lines_repair(char *buf, size_t cap, const char *path, const char *label, const char *what, uint64_t count,
                         uint64_t first_line)
{
    if (first_line == 0 && count == 1) (void)snprintf(buf, cap, "note: %s: %s", label, what);
    else if (first_line == 0) (void)snprintf(buf, cap, "note: %s: %s: %" PRIu64 " jobs", label, what, count);
    else
        (void)snprintf(buf, cap, "note: %s: %s: %" PRIu64 " row%s, first at line %" PRIu64, path, what, count,
                       count == 1 ? "" : "s", first_line);
    return buf;
}

void lines_idle_seeds(size_t n_seeds)
{
    (void)fprintf(stderr, "note: nothing in this scenario is drawn from the seed: its %zu seeds give equal runs, "
                  "unless a policy draws from it\n", n_seeds);
}
