/*
 * A trace poured into a cluster: every job once in a drawn order, then drawn again, one a second, until the GPUs
 * asked for suffice.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>
#include "input/trace/fill.h"
#include "ref/traceopts.h"
#include "ref/temp.h"

static struct cluster cluster;
static struct throughput perf;
static struct trace t;
static struct trace_opts o;
static struct diag d;
static char path[TEMP_PATH];

static void prepare(const char *text)
{
    temp_file(path, text);
    o = (struct trace_opts){ .path = path, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1 };
    traceopts_format(&o, "native");
    cr_assert_eq(cluster_add(&cluster, &(struct node_spec){ .name = "n", .cpu_milli = 64000, .n_gpu = 8, .gpu_type = "x" }, &d), ST_OK);
    cluster_seal(&cluster);
    cr_assert_eq(trace_prepare(&t, &o, &cluster, &perf, &d), ST_OK, "%s", d.msg);
}

static void done(void)
{
    trace_fini(&t);
    cluster_fini(&cluster);
    unlink(path);
}

TestSuite(fill, .fini = done);

static const char five[] = "id,submit_s,duration_s,gpus,gpu_milli\na,5,10,1,\nb,6,10,2,\nc,7,0,0,\nd,8,1,1,500\ne,900,1,4,\n";

/* Together 7.5 cards of 8.  Returns ids in order; "a+2" is a's second time. */
static int64_t pour(double load, uint64_t seed, char *out, size_t cap, sim_tick *end)
{
    struct source s;
    struct job_spec j;
    int64_t milli = 0;
    sim_tick at = 0;
    cr_assert_eq(trace_fill_open(&t, load, seed, &s, end, &d), ST_OK, "%s", d.msg);
    for (out[0] = '\0'; s.next(s.ctx, &j, &d) == ST_OK; at += TICK_SEC) {
        cr_assert_eq(j.submit, at);
        cr_assert_eq(j.group[0].dur, DUR_MAX);
        milli += j.group[0].shape.n_gpu * j.group[0].shape.gpu_milli;
        (void)snprintf(out + strlen(out), cap - strlen(out), "%s ", j.id);
    }
    cr_assert_eq(*end, at);
    trace_fill_close(&s);
    return milli;
}

Test(fill, each_job_once_before_any_again_until_the_load_is_reached)
{
    char ids[1024], again[1024], other[1024];
    sim_tick end;
    prepare(five);
    int64_t milli = pour(2, 1, ids, sizeof ids, &end);
    cr_assert(milli >= 16000 && milli < 20000, "%ld", (long)milli);      /* the last one asks for 4 cards at most */
    for (const char *id = "abcde"; *id != '\0'; id++) {
        const char *first = strchr(ids, *id);
        cr_assert(first != NULL && first - ids < 10 && first[1] == ' ', "%s", ids);
    }
    cr_assert_not_null(strstr(ids, "+2"));
    (void)pour(2, 1, again, sizeof again, &end);
    cr_assert_str_eq(ids, again);
    (void)pour(2, 2, other, sizeof other, &end);
    cr_assert_str_neq(ids, other);
}

Test(fill, a_small_load_takes_some_of_the_jobs)
{
    char ids[256];
    sim_tick end;
    prepare(five);
    int64_t milli = pour(0.25, 3, ids, sizeof ids, &end);
    cr_assert(milli >= 2000 && milli < 6000);
    cr_assert_null(strchr(ids, '+'));
}

Test(fill, jobs_that_ask_for_no_gpu_fill_nothing)
{
    struct source s;
    sim_tick end;
    prepare("id,submit_s,duration_s\na,0,1\n");
    cr_assert_eq(trace_fill_open(&t, 1, 1, &s, &end, &d), ST_EINPUT);
    cr_assert_not_null(strstr(d.msg, "no job asks for GPUs"));
}
