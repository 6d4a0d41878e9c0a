/* Unit tests of sim/input/synth/workload: the flow paper's 36 jobs, S4-22 to S4-24, as a stream. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "input/synth/workload.h"
#include "ref/traceopts.h"

#define GB INT64_C(1000000000)
#define MB INT64_C(1000000)

/*
 * S4-22 once more, from the source: first job's number, blocks of each job, sizes of a block and of its second
 * input.
 */
static const struct { uint32_t first, n, blocks[8]; int64_t block_b, second_b; bool adds; uint32_t rounds; } family[] = {
    {  1, 4, { 6, 10, 15, 20 },                GB,       GB,      true,  1 },      /* MM, square */
    {  5, 4, { 8, 10, 20, 30 },                GB,       60 * MB, true,  1 },      /* MM, narrow */
    {  9, 8, { 5, 6, 8, 10, 15, 20, 30, 60 },  3 * GB,   0,       false, 1 },      /* SIO */
    { 17, 8, { 4, 8, 10, 15, 20, 30, 40, 60 }, 2 * GB,   0,       false, 1 },      /* Prime */
    { 25, 6, { 5, 6, 8, 10, 30, 60 },          2 * GB,   0,       false, 1 },      /* Sort */
    { 31, 3, { 5, 8, 10 },                     500 * MB, 0,       false, 10 },     /* kmeans */
    { 34, 3, { 5, 10, 20 },                    0,        0,       false, 1 },      /* Yolo: 10,000 images in all */
    { 37, 1, { 3 },                            28 * MB,  0,       false, 1 },      /* S4-33 */
};

static struct cluster cluster;
static struct throughput perf;
static struct data data;
static struct diag d;
static struct workload_opts w;
static struct trace_opts o;
static struct trace_reader reader;

static void setup(void)
{
    traceopts_own("workload", &w);
    o = (struct trace_opts){ .format = trace_format_find("workload", &d), .own = &w, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1, .seed = 1 };
}

static void begin(void)
{
    struct trace_env env = { .opts = &o, .cluster = &cluster, .perf = &perf, .data = &data };
    cr_assert_eq(trace_reader_open(&env, &reader, &d), ST_OK, "%s", d.msg);
}

static bool next(struct job_spec *j)
{
    enum st st = reader.next(reader.ctx, j, &d);
    cr_assert(st == ST_OK || st == ST_END, "%s", d.msg);
    return st == ST_OK;
}

static void end(void) { reader.close(reader.ctx); }

static void teardown(void)
{
    data_fini(&data);
    throughput_fini(&perf);
    cluster_fini(&cluster);
}

TestSuite(workload, .init = setup, .fini = teardown);

static uint32_t n_tasks(const struct job_spec *j, bool on_gpu)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < j->n_groups; g++)
        if ((j->group[g].shape.n_gpu > 0) == on_gpu) n += j->group[g].n;
    return n;
}

static int64_t bytes(const struct job_spec *j)
{
    int64_t sum = 0;
    uint32_t n = n_tasks(j, true) + n_tasks(j, false);
    for (uint32_t i = 0; i < j->graph->in_start[n]; i++) sum += data.block[j->graph->in[i].block].size;
    return sum;
}

static int64_t block_size(const char *job, const char *operand, uint32_t k)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%s/%s%u", job, operand, k);
    uint32_t b = intern_find(&data.names, name);
    return b == NONE ? -1 : data.block[b].size;
}

Test(workload, every_job_has_the_papers_blocks_and_tasks_S4_22)
{
    struct job_spec j;
    char id[8];
    w.extra = true;
    begin();
    for (size_t f = 0; f < ARRAY_LEN(family); f++)
        for (uint32_t k = 0; k < family[f].n; k++) {
            uint32_t n = family[f].blocks[k];
            bool is_two = family[f].second_b > 0;
            int64_t size = family[f].block_b > 0 ? family[f].block_b : 10000 / (int64_t)n * w.image_b;
            cr_assert(next(&j));
            (void)snprintf(id, sizeof id, "J%u", family[f].first + k);
            cr_assert_str_eq(j.id, id);
            for (uint32_t b = 0; b < n; b++) {
                cr_expect_eq(block_size(id, is_two ? "A" : "b", b), size, "%s", id);
                if (is_two) cr_expect_eq(block_size(id, "B", b), family[f].second_b, "%s", id);
            }
            cr_expect_eq(block_size(id, is_two ? "A" : "b", n), -1, "%s: one block more", id);
            cr_expect_eq(bytes(&j), (int64_t)n * (size + family[f].second_b), "%s reads each of its blocks once", id);
            cr_expect_eq(n_tasks(&j, true), n * (family[f].adds ? 2 : 1) * family[f].rounds, "%s: GPU tasks", id);
            cr_expect_eq(n_tasks(&j, false), 1, "%s: one merge, on a CPU", id);
            for (uint32_t g = 0; g < j.n_groups; g++) cr_expect(j.group[g].shape.gpu_mem_b <= 10 * GB, "%s fits a card of S4-1", id);
        }
    cr_expect(!next(&j));
    end();
}

/* Section 5.1: matrices lie in two large files; any other job's blocks are cut from one.  The first block stands for it. */
Test(workload, the_blocks_of_a_job_are_parts_of_its_files_S4_22)
{
    struct job_spec j;
    uint32_t n_files = 0;
    w.extra = true;
    begin();
    while (next(&j)) { }
    for (uint32_t b = 0; b < data.names.n; b++) {
        char file[32];
        const char *name = intern_name(&data.names, b);
        (void)snprintf(file, sizeof file, "%.*s0", (int)(strcspn(name, "/") + 2), name);
        cr_expect_str_eq(intern_name(&data.names, data.block[b].file), file, "%s", name);
        n_files += data.block[b].file == b;
    }
    cr_expect_eq(n_files, 8 * 2 + 28 + 1);
    end();
}

Test(workload, the_36_jobs_read_1259_58_GB_besides_yolo_with_756_or_963_tasks_S4_23)
{
    struct job_spec j;
    int64_t sum = 0;
    uint32_t n_jobs = 0, tasks = 0, once = 0;
    begin();
    for (; next(&j); n_jobs++) {
        unsigned id = 0;
        cr_assert_eq(sscanf(j.id, "J%u", &id), 1);
        bool is_kmeans = id >= 31 && id <= 33, is_yolo = id >= 34;
        if (!is_yolo) sum += bytes(&j);
        tasks += n_tasks(&j, true);
        once += n_tasks(&j, true) / (is_kmeans ? 10 : 1);
    }
    end();
    cr_expect_eq(n_jobs, 36);
    cr_expect_eq(sum, 1259580 * MB);
    cr_expect_eq(once, 756);
    cr_expect_eq(tasks, 963);
}

/* S4-21, S4-22: an MM job's additions wait for every multiplication, its merge for every addition; kmeans iterates. */
Test(workload, tasks_wait_for_the_step_before)
{
    struct job_spec j;
    begin();
    while (next(&j)) {
        bool is_mm = strcmp(j.id, "J1") == 0, is_kmeans = strcmp(j.id, "J31") == 0;
        if (!is_mm && !is_kmeans) continue;
        uint32_t step = is_mm ? 6 : 5, n = n_tasks(&j, true) + 1;
        const uint32_t *start = j.graph->after_start;
        cr_expect_eq(n, is_mm ? 13 : 51);
        for (uint32_t t = 0; t < n; t++) {
            uint32_t from = t / step * step - (t < step ? 0 : step);    /* the step before, whole */
            cr_assert_eq(start[t + 1] - start[t], t < step ? 0 : step, "%s, task %u", j.id, t);
            for (uint32_t k = start[t]; k < start[t + 1]; k++) cr_expect_eq(j.graph->after[k], from + k - start[t]);
            uint32_t reads = j.graph->in_start[t + 1] - j.graph->in_start[t];
            cr_expect_eq(reads, t >= step ? 0 : is_mm ? 2 : 1);
        }
    }
    end();
}

Test(workload, a_task_computes_for_its_bytes_at_the_one_rate)
{
    struct job_spec j;
    w.compute_bps = 500 * MB;
    w.images_per_s = 50;
    w.add_us = 3 * TICK_SEC;
    w.merge_us = 7 * TICK_SEC;
    begin();
    while (next(&j)) {
        cr_expect_eq(j.group[j.n_groups - 1].dur, 7 * TICK_SEC);
        /* 1.06 GB. */
        if (strcmp(j.id, "J5") == 0) cr_expect(j.group[0].dur == 2120000 && j.group[1].dur == 3 * TICK_SEC);
        if (strcmp(j.id, "J9") == 0) cr_expect_eq(j.group[0].dur, 6 * TICK_SEC);
        if (strcmp(j.id, "J36") == 0) cr_expect_eq(j.group[0].dur, 10 * TICK_SEC);      /* 500 images */
    }
    end();
}

/* "J12 J3 ..." in the order of submission. */
static void order(char *out, size_t cap)
{
    struct job_spec j;
    size_t n = 0;
    out[0] = '\0';
    begin();
    while (next(&j)) n += (size_t)snprintf(out + n, cap - n, "%s %s ", j.id, j.user);
    cr_assert_lt(n, cap);
    end();
}

/* S4-24: the order hangs on the seed alone; a reader knows no policy, so each policy gets the same. */
Test(workload, a_shuffled_order_hangs_on_the_seed_alone_S4_24)
{
    static char plain[1024], one[1024], again[1024], two[1024];
    order(plain, sizeof plain);
    o.seed = 2;
    order(two, sizeof two);
    cr_expect_str_eq(plain, two, "not shuffled unless asked for");
    w.shuffle = true;
    order(two, sizeof two);
    o.seed = 1;
    order(one, sizeof one);
    order(again, sizeof again);
    cr_expect_str_eq(one, again);
    cr_expect_str_neq(one, plain);
    cr_expect_str_neq(one, two);
    cr_expect_eq(strlen(one), strlen(plain));
}

Test(workload, ten_users_draw_six_different_jobs_each_S4_34)
{
    struct job_spec j;
    bool drawn[11][38] = { { false } };
    uint32_t n = 0, differ = 0;
    w.users = 10;
    w.jobs_per_user = 6;
    begin();
    for (; next(&j); n++) {
        unsigned user = 0, turn = 0, id = 0, of = 0;
        cr_assert_eq(sscanf(j.id, "u%u-%u-J%u", &user, &turn, &id), 3);
        cr_assert_eq(sscanf(j.user, "user%u", &of), 1);
        cr_expect(user == n % 10 + 1 && of == user && turn == n / 10 + 1, "users take turns: %s", j.id);
        cr_assert(id >= 1 && id <= 36);
        cr_expect(!drawn[user][id], "%s is drawn twice", j.id);
        drawn[user][id] = true;
    }
    end();
    cr_expect_eq(n, 60);
    for (size_t id = 1; id <= 36; id++) differ += drawn[1][id] != drawn[2][id];
    cr_expect_gt(differ, 0, "users draw for themselves");
}

Test(workload, users_draws_hang_on_the_seed_alone)
{
    static char one[2048], again[2048], two[2048];
    w.users = 10;
    order(one, sizeof one);
    order(again, sizeof again);
    o.seed = 2;
    order(two, sizeof two);
    cr_expect_str_eq(one, again);
    cr_expect_str_neq(one, two);
}

Test(workload, without_data_it_is_refused)
{
    struct trace_env env = { .opts = &o, .cluster = &cluster, .perf = &perf };
    cr_expect_eq(trace_reader_open(&env, &reader, &d), ST_EINPUT);
    cr_expect_not_null(strstr(d.msg, "needs a scenario"));
}
