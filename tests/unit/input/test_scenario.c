/* Unit tests of sim/input/scenario/scenario: what each section becomes.  Mistakes are in tests/bad/scn. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/mem.h"
#include "input/synth/etc.h"
#include "input/synth/generator.h"
#include "input/scenario/scenario.h"
#include "input/trace/option.h"
#include "input/text/find.h"
#include "input/synth/workload.h"
#include "ref/temp.h"

static struct scenario s;
static struct diag d;
static char dir[TEMP_PATH], path[TEMP_PATH + 8];

static void put(const char *name, const char *text) { temp_put(dir, name, text); }

static void setup(void)
{
    temp_dir(dir);
    (void)snprintf(path, sizeof path, "%s/s.yaml", dir);
    put("jobs.csv", "id,submit_s\n");
}

static void teardown(void) { temp_drop(dir); }

TestSuite(scn, .init = setup, .fini = teardown);

static enum st load(const char *text, const char *const *set, size_t n)
{
    put("s.yaml", text);
    memset(&d, 0, sizeof d);
    return scn_load(&s, path, set, n, &d);
}

static void loads(const char *text)
{
    enum st st = load(text, NULL, 0);
    cr_assert_eq(st, ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
}

static void fails(const char *text, uint32_t line, const char *msg)
{
    cr_expect_eq(load(text, NULL, 0), ST_EINPUT, "%s", text);
    cr_expect_eq(d.line, line, "%s: line %u", d.msg, d.line);
    cr_expect(strstr(d.msg, msg) != NULL, "%s", d.msg);
    cr_expect(s.id.path == NULL && s.cluster.node == NULL, "empty after an error");
}

#define CLUSTER "cluster: {groups: [{name: a, cpus: 4, mem: 8GiB}]}\n"
#define GPUS    "cluster: {groups: [{name: a, count: 2, cpus: 4, mem: 8GiB, gpus: 2, gpu_type: V100}]}\n"
#define TRACE   "trace: {format: native, path: jobs.csv}\n"

Test(scn, the_least_scenario_gets_the_stated_defaults)
{
    loads(CLUSTER TRACE);
    cr_expect_str_eq(s.id.name, "s");
    cr_expect_str_eq(s.id.title, "s");
    cr_expect(s.cluster.n_nodes == 1 && s.cluster.sum.n_up == 1);
    cr_expect(s.asked.n_policies == 0 && s.asked.n_seeds == 1 && s.asked.seed[0] == 1);
    cr_expect(s.jobs.checkpoint_interval == 0 && s.jobs.restore_cost == 0 && s.horizon == TICK_NEVER && s.output.sample_every == 0);
    cr_expect(!s.jobs.enforce_limits && !s.jobs.reject_infeasible && !s.output.audit && !s.output.attempts && !s.output.decisions);
    cr_expect(s.output.warmup == 0 && s.output.cooldown == 0 && s.users.n == 0 && s.fault.n_list == 0 && s.fault.mtbf_us == 0);
    cr_expect_str_eq(s.trace.format->name, "native");
    cr_expect(s.trace.speedup == 1 && s.trace.load == 0 && s.trace.window_to == TICK_NEVER && s.trace.max_jobs == 0);
    cr_expect(s.trace.dflt.limit == -1 && s.trace.dflt.limit_factor == 0 && !s.trace.strict);
    scn_fini(&s);
}

Test(scn, groups_become_nodes_in_order)
{
    loads("cluster:\n  nodes_per_rack: 2\n  gpu_types: {V100: {mem: 32GiB}, T4: {speed: 0.5}}\n  groups:\n"
          "  - {name: v, count: 3, cpus: 96, mem: 768GiB, gpus: 8, gpu_type: V100, labels: [big, fast]}\n"
          "  - {name: t, count: 12, cpus: 250m, mem: 1GB, gpus: 4, gpu_type: T4, gpu_mem: 8GiB, nodes_per_rack: 8}\n"
          "  - {name: solo, cpus: 1.5, mem: 1GiB, rack: attic, engines: {npu: 2, fpga: 1}}\n" TRACE);
    const struct cluster *c = &s.cluster;
    cr_expect(c->n_nodes == 16 && c->n_cards == 3 * 8 + 12 * 4);
    cr_expect_str_eq(intern_name(&c->node_names, 0), "v-0");
    cr_expect_str_eq(intern_name(&c->node_names, 3), "t-00");
    cr_expect_str_eq(intern_name(&c->node_names, 14), "t-11");
    cr_expect_str_eq(intern_name(&c->node_names, 15), "solo");
    cr_expect(c->node[0].cpu_total == 96000 && c->node[3].cpu_total == 250 && c->node[15].cpu_total == 1500);
    cr_expect(c->node[0].mem_total == INT64_C(768) << 30 && c->node[3].mem_total == 1000000000);
    cr_expect(c->card[0].mem_total == INT64_C(32) << 30 && c->card[24].mem_total == INT64_C(8) << 30);
    cr_expect(c->node[0].labels == 3 && c->node[3].labels == 0);
    cr_expect(c->node[15].engine_total[0] == 2 && c->node[15].engine_total[1] == 1);
    cr_expect_str_eq(intern_name(&c->rack_names, c->node[1].rack), "rack0");
    cr_expect_str_eq(intern_name(&c->rack_names, c->node[2].rack), "rack1");
    cr_expect_str_eq(intern_name(&c->rack_names, c->node[11].rack), "t-rack1");
    cr_expect_str_eq(intern_name(&c->rack_names, c->node[15].rack), "attic");
    cr_expect_eq(c->gpu_speed[c->node[3].gpu_type], 0.5);
    scn_fini(&s);
}

Test(scn, cut_keeps_a_share_of_each_kind)
{
    loads("cluster:\n  cut: 0.25\n  groups:\n  - {name: a, count: 40, cpus: 4, mem: 1GiB}\n  - {name: b, count: 3, cpus: 8, mem: 1GiB}\n" TRACE);
    cr_expect_eq(s.cluster.n_nodes, 11);
    scn_fini(&s);
}

Test(scn, models_set_speeds_and_where_a_model_can_run)
{
    loads("cluster:\n  gpu_types: {V100: {}, T4: {speed: 0.5}, A100: {}}\n  groups:\n"
          "  - {name: v, cpus: 1, mem: 1GiB, gpus: 1, gpu_type: V100}\n  - {name: t, cpus: 1, mem: 1GiB, gpus: 1, gpu_type: T4}\n"
          "models:\n  resnet: {T4: 0.25}\n  gpt: {T4: 0, A100: 2}\n" TRACE);
    uint32_t v = intern_find(&s.cluster.gpu_types, "V100"), t = intern_find(&s.cluster.gpu_types, "T4");
    uint32_t resnet = throughput_model(&s.perf, "resnet"), gpt = throughput_model(&s.perf, "gpt");
    cr_expect_eq(throughput_rate(&s.perf, &s.cluster, resnet, t), RATE_ONE / 4);
    cr_expect_eq(throughput_rate(&s.perf, &s.cluster, resnet, v), RATE_ONE);
    cr_expect_eq(throughput_rate(&s.perf, &s.cluster, gpt, t), 0);
    cr_expect_eq(throughput_rate(&s.perf, &s.cluster, NONE, t), RATE_ONE / 2);
    scn_fini(&s);
}

Test(scn, the_trace_section_is_read_whole)
{
    loads(GPUS "trace:\n  format: openb\n  path: jobs.csv\n  strict: true\n  load: 1.5\n  window: {from: 1h, to: 2d}\n  max_jobs: 50\n"
          "  gpus_per_task: 4\n  pending: skip\n  defaults: {cpus_per_gpu: 4, cpus: 0.5, mem_per_gpu: 2GiB, mem: 1GiB, model: m, user: u, queue: q, limit_factor: 2}\n");
    const struct trace_opts *o = &s.trace;
    cr_expect(o->strict && o->load == 1.5 && o->speedup == 1 && o->max_jobs == 50 && o->gpus_per_task == 4);
    cr_expect(o->window_from == 3600 * TICK_SEC && o->window_to == 2 * 86400 * TICK_SEC);
    cr_expect(o->dflt.cpu_milli_per_gpu == 4000 && o->dflt.cpu_milli == 500 && o->dflt.mem_b_per_gpu == INT64_C(2) << 30);
    cr_expect(o->dflt.mem_b == INT64_C(1) << 30 && o->dflt.limit == -1 && o->dflt.limit_factor == 2);
    const struct trace_option *x = trace_option_find(o->format->option, o->format->n_options, "pending");
    cr_expect_str_eq(x->word[*(const uint32_t *)(const void *)((const char *)o->own + x->offset)], "skip");
    cr_expect_str_eq(o->dflt.user, "u");
    cr_expect(strstr(o->path, "/jobs.csv") != NULL);
    scn_fini(&s);
}

Test(scn, models_may_be_drawn)
{
    loads(CLUSTER "trace: {format: native, path: jobs.csv, defaults: {models: [a, b]}}\n");
    const struct trace_opts *o = &s.trace;
    cr_assert_eq(o->dflt.n_models, 2);
    cr_expect_str_eq(o->dflt.models[1], "b");
    cr_expect(trace_is_drawn(o) && !trace_is_made(o));
    scn_fini(&s);
}

Test(scn, generate_sets_the_generators_parameters)
{
    loads(CLUSTER "trace: {format: generate, generate: {jobs: 77}}\n");
    const struct gen_opts *g = s.trace.own;
    cr_assert_not_null(g);
    cr_expect_eq(g->jobs, 77);
    cr_expect_null(s.trace.path);
    scn_fini(&s);
}

Test(scn, preemption_says_what_progress_is_kept)
{
    loads(CLUSTER TRACE "jobs: {preemption: {mode: kill}}\n");
    cr_expect_eq(s.jobs.checkpoint_interval, -1);
    scn_fini(&s);
    loads(CLUSTER TRACE "jobs: {limits: kill, infeasible: reject, preemption: {mode: checkpoint, interval: 10m, restore_cost: 30s}}\n");
    cr_expect(s.jobs.checkpoint_interval == 600 * TICK_SEC && s.jobs.restore_cost == 30 * TICK_SEC);
    cr_expect(s.jobs.enforce_limits && s.jobs.reject_infeasible && s.jobs.restore_as == RESTORE_TIME);
    scn_fini(&s);
    loads(CLUSTER TRACE "jobs: {preemption: {restore_cost: 40s, restore_as: work}}\n");
    cr_expect_eq(s.jobs.restore_as, RESTORE_WORK);
    scn_fini(&s);
}

Test(scn, policies_are_strings_or_maps_with_a_place_in_the_file)
{
    loads(CLUSTER TRACE "policies:\n- fifo\n- drf:place=pack\n- {name: drf, label: DRF, place: pack, weights: {alice: 2, bob: 0.5}, xs: [a, b]}\n");
    cr_assert_eq(s.asked.n_policies, 3);
    cr_expect_str_eq(s.asked.policy[0].spec, "fifo");
    cr_expect_str_eq(s.asked.policy[1].label, "drf:place=pack");
    cr_expect_str_eq(s.asked.policy[2].spec, "drf:place=pack,weights=alice:2;bob:0.5,xs=a;b");
    cr_expect_str_eq(s.asked.policy[2].label, "DRF");
    cr_expect(s.asked.policy[1].line == 5 && s.asked.policy[1].col == 3);
    scn_fini(&s);
}

Test(scn, seeds_are_a_count_or_a_list)
{
    loads(CLUSTER TRACE "seeds: 3\n");
    cr_expect(s.asked.n_seeds == 3 && s.asked.seed[0] == 1 && s.asked.seed[2] == 3);
    scn_fini(&s);
    loads(CLUSTER TRACE "seeds: [9, 0]\n");
    cr_expect(s.asked.n_seeds == 2 && s.asked.seed[0] == 9 && s.asked.seed[1] == 0);
    scn_fini(&s);
}

Test(scn, users_output_horizon)
{
    loads(CLUSTER TRACE "users: {weights: {alice: 2, bob: 0.5}}\nhorizon: 2h\n"
          "output: {sample_every: 30s, attempts: true, decisions: true, audit: true, warmup: 0.1, cooldown: 0.2}\n");
    cr_expect(s.users.n == 2 && s.users.weight[1].weight == 0.5);
    cr_expect_str_eq(s.users.weight[0].user, "alice");
    cr_expect(s.horizon == 7200 * TICK_SEC && s.output.sample_every == 30 * TICK_SEC);
    cr_expect(s.output.attempts && s.output.decisions && s.output.audit && s.output.warmup == 0.1 && s.output.cooldown == 0.2);
    scn_fini(&s);
}

Test(scn, a_fault_trace_is_sorted_by_time_and_checked)
{
    put("f.csv", "at_s,node,event\n20,a-1,up\n10,a-1,down\n10.5,a-0,down\n20,a-0,up\n");
    loads(GPUS TRACE "faults: {trace: f.csv}\n");
    cr_assert_eq(s.fault.n_list, 4);
    cr_expect(s.fault.list[0].node == 1 && s.fault.list[0].at == 10 * TICK_SEC && !s.fault.list[0].up);
    cr_expect(s.fault.list[2].node == 0 && s.fault.list[3].node == 1 && s.fault.list[3].up);
    scn_fini(&s);
    put("f.csv", "at_s,node,event\n10,a-1,down\n20,a-1,down\n");
    fails(GPUS TRACE "faults: {trace: f.csv}\n", 3, "node 'a-1' goes down, but it is down since line 2");
    put("f.csv", "at_s,node,event\n10,a-1,up\n");
    fails(GPUS TRACE "faults: {trace: f.csv}\n", 2, "was never down");
    put("f.csv", "at_s,node,event\n10,a-1,down\n10,a-1,up\n");
    fails(GPUS TRACE "faults: {trace: f.csv}\n", 3, "changes twice at one time");
    put("f.csv", "at_s,node,event\n10,a-2,down\n");
    fails(GPUS TRACE "faults: {trace: f.csv}\n", 2, "found node 'a-2'");
    put("f.csv", "at_s,node,event\n10,a-1,broken\n");
    fails(GPUS TRACE "faults: {trace: f.csv}\n", 2, "found 'broken', expected down or up");
    loads(GPUS TRACE "faults: {mtbf: 30d, mttr: 2h}\n");
    cr_expect(s.fault.mtbf_us == 30 * 86400e6 && s.fault.mttr_us == 7200e6);
    scn_fini(&s);
}

Test(scn, set_overrides_and_the_key_text_follows)
{
    static const char *const set[] = { "trace.speedup=20", "policies=[fifo, las]", "cluster.groups.0.count=5" };
    loads(CLUSTER TRACE);
    char *plain = mem_strdup(s.id.canonical);
    scn_fini(&s);
    cr_assert_eq(load(CLUSTER TRACE, set, 3), ST_OK, "%s", d.msg);
    cr_expect(s.trace.speedup == 20 && s.asked.n_policies == 2 && s.cluster.n_nodes == 5);
    cr_expect_str_neq(s.id.canonical, plain);
    scn_fini(&s);
    loads("# the same in another order\n" TRACE CLUSTER);
    cr_expect_str_eq(s.id.canonical, plain);
    scn_fini(&s);
    mem_free(plain);
}

Test(scn, the_key_text_follows_the_contents_of_files)
{
    static const char text[] = GPUS TRACE "faults: {trace: f.csv}\n";
    put("f.csv", "at_s,node,event\n10,a-1,down\n");
    loads(text);
    char *one = mem_strdup(s.id.canonical);
    scn_fini(&s);
    put("f.csv", "at_s,node,event\n11,a-1,down\n");
    loads(text);
    cr_expect_str_neq(s.id.canonical, one);
    scn_fini(&s);
    mem_free(one);
}

Test(scn, files_are_found_beside_the_scenario_then_in_the_traces_folder)
{
    cr_assert_eq(unsetenv("FAIRWAY_TRACES"), 0);
    char *p = find_file(path, "jobs.csv", &d);
    cr_assert_not_null(p);
    mem_free(p);
    cr_expect_null(find_file(path, "other.csv", &d));
    cr_expect(strstr(d.msg, "/other.csv") != NULL && strstr(d.hint, "FAIRWAY_TRACES") != NULL);
    memset(&d, 0, sizeof d);
    cr_assert_eq(setenv("FAIRWAY_TRACES", "/nowhere", 1), 0);
    cr_expect_null(find_file(path, "other.csv", &d));
    cr_expect(strstr(d.msg, dir) != NULL && strstr(d.msg, "/nowhere/other.csv") != NULL, "every place tried is named: %s", d.msg);
    cr_assert_eq(setenv("FAIRWAY_TRACES", dir, 1), 0);
    p = find_file("/elsewhere/s.yaml", "jobs.csv", &d);
    cr_assert_not_null(p);
    mem_free(p);
    memset(&d, 0, sizeof d);
    cr_expect_null(find_file(path, "/no/such/file", &d));
}

Test(scn, the_reference_s_example_and_the_demo_load)
{
    FILE *f = fopen("scenarios/REFERENCE.md", "r");
    if (f == NULL) cr_skip_test("skipped: not run from the project's folder");
    char line[1024], text[8192] = "";
    bool in = false;
    while (fgets(line, sizeof line, f) != NULL) {
        if (in && strcmp(line, "```\n") == 0) break;
        if (in) strcat(text, line);
        if (strcmp(line, "```yaml\n") == 0) in = true;
    }
    (void)fclose(f);
    cr_assert_eq(setenv("FAIRWAY_TRACES", "scenarios/demo", 1), 0);      /* its trace is named from there */
    loads(text);
    cr_expect(s.cluster.n_nodes == 60 && s.asked.n_policies == 2 && s.asked.n_seeds == 3 && s.perf.models.n == 2);
    scn_fini(&s);
    cr_assert_eq(scn_load(&s, "scenarios/demo/demo.yaml", NULL, 0, &d), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
    cr_expect(s.cluster.n_nodes == 60 && s.cluster.n_cards == 224 && s.cluster.rack_names.n == 8 && s.asked.n_policies == 7 && s.asked.n_seeds == 5);
    scn_fini(&s);
}

Test(scn, the_shipped_scenarios_load)
{
    static const char *const name[] = { "openb", "openb-tenth", "slurm", "helios", "philly", "gavel", "swf" };
    const char *traces = getenv("FAIRWAY_TRACES") ? getenv("FAIRWAY_TRACES") : "../shared/traces";
    if (access(traces, R_OK) != 0 || access("scenarios", R_OK) != 0) cr_skip_test("skipped: no %s", traces);
    cr_assert_eq(setenv("FAIRWAY_TRACES", traces, 1), 0);
    for (size_t i = 0; i < ARRAY_LEN(name); i++) {
        char p[64];
        (void)snprintf(p, sizeof p, "scenarios/public-traces/%s.yaml", name[i]);
        memset(&d, 0, sizeof d);
        cr_expect_eq(scn_load(&s, p, NULL, 0, &d), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
        if (i == 0) cr_expect(s.cluster.n_nodes == 1523 && s.cluster.n_cards == 6212);
        if (i == 2) cr_expect(s.cluster.n_nodes == 217 && s.cluster.rack_names.n == 3);
        scn_fini(&s);
    }
}

#define GB INT64_C(1000000000)
#define MB INT64_C(1000000)

Test(scn, without_network_and_data_nothing_takes_time_and_replicas_are_three)
{
    loads(CLUSTER TRACE);
    cr_expect(s.data.net.mode == NET_NOMINAL && s.data.net.disk_bps == 0 && s.data.net.card_bps == 0 && s.data.net.rack_bps == 0 && s.data.net.aggregation_bps == 0);
    cr_expect(s.data.rule == DATA_RANDOM && s.data.replicas == 3 && s.data.blocks.names.n == 0);
    cr_expect(s.replay.concurrency == 0 && s.output.ideal_share == 0);
    scn_fini(&s);
}

Test(scn, network_data_and_ideals_are_read)
{
    loads(GPUS "trace: {format: workload, concurrency: 6}\ndata: {rule: rack-aware, replicas: 2}\noutput: {ideal: 4}\n"
          "network: {mode: shared, disk: 500MB/s, card: 1Gb/s, rack: 4Gb/s, aggregation: 64B/s}\n");
    cr_expect(s.data.net.mode == NET_SHARED && s.data.net.disk_bps == 500 * MB && s.data.net.card_bps == 125 * MB);
    cr_expect(s.data.net.rack_bps == 500 * MB && s.data.net.aggregation_bps == NET_BPS_MIN);
    cr_expect(s.data.rule == DATA_RACK_AWARE && s.data.replicas == 2 && s.replay.concurrency == 6 && s.output.ideal_share == 4);
    cr_expect(s.trace.data == &s.data.blocks, "readers put their blocks there");
    cr_expect_eq(s.data.net.estimate.window, 0, "nothing is measured");
    scn_fini(&s);
    loads(GPUS "trace: {format: workload}\ndata: {rule: file}\nnetwork: {mode: shared, estimate: measured}\n");
    cr_expect(s.data.rule == DATA_FILE && s.data.net.estimate.window == 10 && s.data.net.estimate.start_bps[LEVEL_CROSS] == 0);
    scn_fini(&s);
    loads(GPUS "trace: {format: workload}\n"
          "network: {mode: shared, estimate: measured, window: 7, start: {disk: 3MB/s, rack: 2MB/s, aggregation: 1MB/s}}\n");
    const int64_t *start = s.data.net.estimate.start_bps;
    cr_expect(s.data.net.estimate.window == 7 && start[LEVEL_LOCAL] == 3 * MB && start[LEVEL_RACK] == 2 * MB && start[LEVEL_CROSS] == MB);
    scn_fini(&s);
}

Test(scn, a_workload_has_the_stated_defaults)
{
    loads(GPUS "trace: {format: workload}\n");
    const struct workload_opts *w = s.trace.own;
    cr_assert_not_null(w);
    cr_expect(w->compute_bps == 200 * MB && w->images_per_s == 40 && w->image_b == 160000);
    cr_expect(w->add_us == TICK_SEC && w->merge_us == TICK_SEC && !w->extra && !w->shuffle && w->users == 0 && w->jobs_per_user == 6);
    scn_fini(&s);
}

Test(scn, a_workload_is_read_whole)
{
    loads(GPUS "trace:\n  format: workload\n  workload: {compute: 1Gb/s, images_per_s: 2.5, image: 2MB, add: 0s, merge: 1m, extra: true, users: 64, jobs_per_user: 36}\n");
    const struct workload_opts *w = s.trace.own;
    cr_expect(w->compute_bps == 125 * MB && w->images_per_s == 2.5 && w->image_b == 2 * MB);
    cr_expect(w->add_us == 0 && w->merge_us == 60 * TICK_SEC && w->extra && w->users == 64 && w->jobs_per_user == 36);
    scn_fini(&s);
    loads(GPUS "trace: {format: workload, workload: {shuffle: true}}\n");
    cr_expect(((const struct workload_opts *)s.trace.own)->shuffle);
    scn_fini(&s);
}

#define ENGINES "cluster: {groups: [{name: n, cpus: 4, mem: 8GiB, engines: {cpu: 2, gpu: 1, npu: 1}}]}\n"

Test(scn, tables_of_times_have_the_stated_defaults)
{
    loads(ENGINES "trace: {format: etc}\n");
    const struct etc_opts *e = s.trace.own;
    cr_assert_not_null(e);
    cr_expect(e->apis == 16 && e->points == 2 && e->task == 100 && e->machine == 10 && e->order == ETC_INCONSISTENT && e->rows == ETC_BY_API && e->unit == 1000);
    cr_expect(e->n_columns == 0 && e->jobs == 150 && e->tasks == 4 && e->calls == 4 && e->gap == TICK_SEC && e->focus == 0.75);
    cr_expect(e->size_min == 1000 && e->size_max == MB && e->result == 0.1 && s.trace.times == &s.engines.times && s.engines.has_times);
    scn_fini(&s);
}

Test(scn, tables_of_times_are_read_whole)
{
    loads(ENGINES "trace:\n  format: etc\n  etc: {apis: 8, points: 3, task: hi, machine: hi, order: semi, rows: size, unit: 2s, engines: [npu, cpu, gpu],\n"
                  "    jobs: 9, tasks: 2, calls: 7, gap: 0, focus: 0.5, size_min: 2kB, size_max: 3MB, result: 0}\n");
    const struct etc_opts *e = s.trace.own;
    cr_expect(e->apis == 8 && e->points == 3 && e->task == 3000 && e->machine == 1000 && e->order == ETC_SEMI && e->rows == ETC_BY_SIZE && e->unit == 2 * TICK_SEC);
    cr_expect(e->n_columns == 3 && e->column[0] == 2 && e->column[1] == 0 && e->column[2] == 1);
    cr_expect(e->jobs == 9 && e->tasks == 2 && e->calls == 7 && e->gap == 0 && e->focus == 0.5 && e->size_min == 2000 && e->size_max == 3 * MB && e->result == 0);
    scn_fini(&s);
    loads(ENGINES "trace: {format: etc, etc: {task: 250, machine: 2.5}}\n");
    e = s.trace.own;
    cr_expect(e->task == 250 && e->machine == 2.5);
    scn_fini(&s);
}

/* S4-1: 15 nodes with 2 GPUs of 10 GB and 2 x 8 cores each, in four racks of four; one slot is the scheduler's. */
Test(scn, the_flow_papers_cluster_has_15_nodes_30_GPUs_and_4_racks_S4_1)
{
    static const struct { const char *name; uint32_t concurrency, ideal; int64_t switches; bool extra; } flow[] = {
        { "k6", 6, 6, 1, false }, { "k6-10g", 6, 6, 10, false }, { "j37", 6, 6, 1, true },
        { "j37-10g", 6, 6, 10, true }, { "users", 0, 10, 1, false }, { "k1", 1, 6, 0, false },
    };
    int64_t compute = 0, port = 0, between = 0;
    for (size_t i = 0; i < ARRAY_LEN(flow); i++) {
        char p[64];
        uint32_t in_rack[4] = { 0 };
        (void)snprintf(p, sizeof p, "scenarios/flow-paper/flow-%s.yaml", flow[i].name);
        memset(&d, 0, sizeof d);
        cr_assert_eq(scn_load(&s, p, NULL, 0, &d), ST_OK, "%s:%u:%u: %s", d.file, d.line, d.col, d.msg);
        const struct cluster *c = &s.cluster;
        cr_assert(c->n_nodes == 15 && c->n_cards == 30 && c->rack_names.n == 4);
        for (uint32_t k = 0; k < 15; k++) in_rack[c->node[k].rack]++;
        cr_expect(in_rack[0] == 4 && in_rack[1] == 4 && in_rack[2] == 4 && in_rack[3] == 3);
        for (uint32_t k = 0; k < 15; k++) cr_expect_eq(c->node[k].cpu_total, 16000);
        for (uint32_t k = 0; k < 30; k++) cr_expect_eq(c->card[k].mem_total, 10 * GB);
        if (i == 0) port = s.data.net.card_bps, between = s.data.net.aggregation_bps;
        cr_expect(s.data.net.mode == NET_SHARED && s.data.net.card_bps == port, "%s", p);
        if (flow[i].switches > 0)       /* "1 GB" or "10 GB" between racks; rates are rounded down to 64 B/s */
            cr_expect(llabs(s.data.net.aggregation_bps - flow[i].switches * between) <= flow[i].switches * 64, "%s", p);
        else cr_expect(s.data.net.aggregation_bps > between && s.data.net.aggregation_bps <= 4 * port, "%s", p);
        cr_expect(s.replay.concurrency == flow[i].concurrency && s.output.ideal_share == flow[i].ideal, "%s", p);
        const struct workload_opts *w = s.trace.own;
        cr_expect(w->extra == flow[i].extra && (w->users == 10) == (flow[i].concurrency == 0), "%s", p);
        cr_expect_geq(s.asked.n_seeds, 3, "S4-24: at least three runs");
        if (i == 0) compute = w->compute_bps;
        cr_expect_eq(w->compute_bps, compute, "%s: fitted once", p);
        scn_fini(&s);
    }
}
