/* Files of profiles: what is read, and what is said of mistakes. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/tasks/profiles.h"

static struct profiles p;
static struct throughput perf;
static struct cluster no_gpus;
static struct diag d;
static char path[] = "/tmp/fairway-profiles-XXXXXX";

static void setup(void) { int fd = mkstemp(path); cr_assert_geq(fd, 0); (void)close(fd); }
static void teardown(void) { (void)unlink(path); profiles_fini(&p); throughput_fini(&perf); }

TestSuite(profiles, .init = setup, .fini = teardown);

static enum st read_rows(const char *rows)
{
    FILE *f = fopen(path, "w");
    (void)fprintf(f, "model,kind,layout,util,mem_bw,slow\n%s", rows);
    (void)fclose(f);
    d = (struct diag){ 0 };
    return profiles_read(&p, &perf, &no_gpus, path, &d);
}

Test(profiles, points_are_met_and_between_them_nothing_overshoots)
{
    cr_assert_eq(read_rows("m,image,1N1G,1:0.2;2:0.4;4:0.9;8:1,10GB/s,0:1;50:1.5\n"), ST_OK, "%s", d.msg);
    const struct curve *u = &p.at[0].util;
    static const double x[] = { 1, 2, 4, 8 }, y[] = { 0.2, 0.4, 0.9, 1 };
    for (int i = 0; i < 4; i++) cr_assert_float_eq(curve_at(u, x[i]), y[i], 1e-12);
    for (double v = 0, last = 0; v < 10; v += 0.01) {
        cr_assert(curve_at(u, v) >= last && curve_at(u, v) <= 1);
        last = curve_at(u, v);
    }
    cr_assert_eq(curve_at(u, 100), 1);
    cr_assert_float_eq(curve_at(&p.at[0].slow, 25), 1.25, 1e-12, "two points are joined by a line");
    cr_assert_eq(p.at[0].bw, INT64_C(10000000000));
}

Test(profiles, the_published_files_are_read_whole)
{
    cr_assert_eq(profiles_read(&p, &perf, &no_gpus, "traces/profiles/coda.csv", &d), ST_OK, "%s", d.msg);
    cr_assert_eq(p.n, 32);
    cr_assert_eq(p.categories.n, 3);
}

struct wrong { const char *row, *said; uint32_t col; };

/* The columns that may be left out. */
static enum st read_more(const char *columns, const char *fields)
{
    FILE *f = fopen(path, "w");
    (void)fprintf(f, "model,kind,layout,util,%s\nm,image,1N1G,linear:2,%s\n", columns, fields);
    (void)fclose(f);
    d = (struct diag){ 0 };
    profiles_fini(&p);
    return profiles_read(&p, &perf, &no_gpus, path, &d);
}

Test(profiles, what_a_job_exchanges_and_reads)
{
    cr_assert_eq(read_more("net_bw,gpu_bw,data,data_bw,memory", "1GB/s,2GB/s,3GB,4GB/s,20.83:0.1;62.5:1"), ST_OK,
        "%s", d.msg);
    cr_assert(p.at[0].net_bw == 1000000000 && p.at[0].gpu_bw == 2000000000 && p.at[0].data_b == 3000000000 &&
        p.at[0].data_bw == 4000000000);
    cr_assert_float_eq(curve_at(&p.at[0].memory, 20.83), 0.1, 1e-12);
}

Test(profiles, mistakes_in_what_it_exchanges_and_reads)
{
    static const struct { const char *columns, *fields, *said; } w[] = {
        { "gpu_bw", "5", "gpu_bw: '5' has no unit" },
        { "data,data_bw", "5GB,", "data: data and data_bw go together" },
        { "data,data_bw", ",5GB/s", "data_bw: data and data_bw go together" },
        { "data,data_bw", "5GB/s,5GB/s", "data: " },
        { "memory", "linear:5", "memory: speed against memory in GB comes in points" },
        { "memory", "20:0;60:1", "memory: speed with some memory is above 0" },
        { "memory", "20:0.5;60:1.2", "memory: speed with some memory is above 0 and at most 1" },
        { "memory", "20:0.5;60:0.4", "memory: speed falls where memory grows" },
        { "memory", "20:0.5;10:0.6", "memory: points must come in increasing order" },
    };
    for (size_t i = 0; i < sizeof w / sizeof w[0]; i++) {
        cr_assert_eq(read_more(w[i].columns, w[i].fields), ST_EINPUT, "%s", w[i].fields);
        cr_assert_not_null(strstr(d.msg, w[i].said), "%s: %s", w[i].fields, d.msg);
        cr_assert_eq(d.line, 2);
    }
}

Test(profiles, mistakes_are_told_with_their_place)
{
    static const struct wrong w[] = {
        { "m,image,1N1,linear:2,,\n", "layout: '1N1' is not a layout", 9 },
        { "m,image,2N1G,linear:2,,\n", "is not a layout", 9 },
        { "m,image,1N1G,linear:0,,\n", "util: expected linear:N with N above 0", 14 },
        { "m,image,1N1G,1:0.5;1:0.6,,\n", "points must come in increasing order", 14 },
        { "m,image,1N1G,1:0.5;2,,\n", "expected points such as", 14 },
        { "m,image,1N1G,1:1.5,,\n", "utilisation lies above 0 and at most at 1", 14 },
        { "m,image,1N1G,linear:2,5,\n", "mem_bw", 23 },
        { "m,image,1N1G,linear:2,,0:0.9;50:1\n", "run time 0.9 is below 1", 24 },
        { "m,image,1N1G,linear:2,,linear:2\n", "comes in points", 24 },
        { "m,,1N1G,linear:2,,\n", "kind: is empty", 3 },
        { "m,image,1N1G,linear:2,,\nm,image,1N1G,linear:3,,\n", "has this layout already", 1 },
        { "m,image,1N1G,linear:2,,\nm,speech,1N2G,linear:3,,\n", "another kind", 1 },
    };
    for (size_t i = 0; i < sizeof w / sizeof w[0]; i++) {
        profiles_fini(&p);
        cr_assert_eq(read_rows(w[i].row), ST_EINPUT, "%s", w[i].row);
        cr_assert_not_null(strstr(d.msg, w[i].said), "%s: %s", w[i].row, d.msg);
        cr_assert_eq(d.col, w[i].col, "%s: column %u", w[i].row, d.col);
    }
}
