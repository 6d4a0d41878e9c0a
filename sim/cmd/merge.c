/* fairway merge: runs of several databases into one. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include "base/text.h"
#include "cmd/cmd.h"
#include "base/mem.h"
#include "db/merge.h"

struct args { bool quiet; };

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Every part is opened, and so checked, before the output is touched. */
static enum st merge(const char *out, char *const *path, size_t n, struct merge_tally *t, struct diag *d)
{
    struct store **input, *to = NULL;
    size_t n_open = 0;
    enum st st = ST_OK;
    MEM_ARRAY(input, n);
    for (; n_open < n && st == ST_OK; n_open += st == ST_OK) {
        if (is_same_file(out, path[n_open])) st = diag_at(d, ST_EINPUT, path[n_open], 0, 0, "is the output itself");
        else st = store_open_read(&input[n_open], path[n_open], d);
    }
    if (st == ST_OK) st = store_open(&to, out, d);
    if (st == ST_OK) st = merge_parts(to, input, n, NULL, t, d);
    store_close(to);
    for (size_t i = 0; i < n_open; i++) store_close(input[i]);
    mem_free(input);
    return st;
}

static int run(void *opts, const struct cmd_args *a)
{
    const struct args *o = opts;
    struct diag d = { 0 };
    struct merge_tally t = { 0 };
    if (merge(a->at[0], a->at + 1, (size_t)a->n - 1, &t, &d) != ST_OK) return cmd_fail(&d);
    if (!o->quiet)
        text_line(stdout, "%s: %" PRIu64 " runs added, %" PRIu64 " in place of unfinished ones, %" PRIu64 " there already"
                     "; %" PRIu64 " of those that came are not done", a->at[0], t.added, t.replaced, t.present,
                         t.unfinished);
    return 0;
}

static const struct cmd_option options[] = {
    { "quiet", 'q', OPTION_FLAG, NULL, "no summary", .offset = offsetof(struct args, quiet) },
    { 0 },
};

const struct cmd cmd_merge = {
    .name = "merge", .summary = "runs of several databases into one, by run key",
    .synopsis = "OUT.db PART.db... [OPTIONS]",
    .notes = "A run that OUT.db has done stays; a done one replaces one that failed or was interrupted.\n"
             "Merging again changes nothing.  It is one transaction: all of it is in OUT.db, or nothing.\n"
             "Files of another program or another version of the schema are refused.\n",
    .option = options, .size = sizeof(struct args),
    .expected = "an output and at least one part", .min_args = 2, .max_args = INT_MAX, .arg = { "*.db *.part" },
        .run = run,
};
