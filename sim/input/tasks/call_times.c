/* call_times.c -- the table of call_times.h.  O(rows log sizes of an API). */
#include "input/tasks/call_times.h"

#include <inttypes.h>
#include "input/text/csv.h"
#include "model/data/net.h"

struct target { struct calltime *times; const struct cluster *cluster; };

static enum st read_row(void *ctx, struct csv *c, const int *at, struct diag *d)
{
    enum { API, ENGINE, SIZE, TIME };
    const struct target *to = ctx;
    struct calltime *t = to->times;
    int64_t size = 0, us = 0;
    for (int k = API; k <= TIME; k++) TRY(csv_need(c, at[k], d));
    TRY(csv_int(c, at[SIZE], 1, NET_SIZE_MAX, &size, d));
    TRY(csv_scaled(c, at[TIME], TICK_SEC, DUR_MAX, &us, d));
    uint32_t engine = intern_find(&to->cluster->engines, csv_field(c, at[ENGINE])), api = intern_id(&t->apis, csv_field(c, at[API]));
    if (engine == NONE || calltime_add(t, api, engine, size, us)) return ST_OK;
    return csv_fail(c, at[SIZE], d, "%" PRId64 ": API '%.60s' has a time on '%.60s' for this size already", size,
                    csv_field(c, at[API]), csv_field(c, at[ENGINE]));
}

enum st call_times_read(struct calltime *t, const struct cluster *c, const char *path, struct diag *d)
{
    static const char *const name[] = { "api", "engine", "size_b", "time_s" };
    static const bool need[] = { true, true, true, true };
    struct target to = { t, c };
    return csv_read_file(path, name, need, ARRAY_LEN(name), "a table of times has api,engine,size_b,time_s", read_row, &to, d);
}
