/*
 * fuzz_files.c -- files that a scenario, a policy or a command names beside the trace: read, and run on, or refused in
 * words.
 *
 * The first byte chooses a kind, a scenario with the names of files in it or a command with them; the second a policy
 * of the scenario.  What follows the first line is the first file, what follows a line === the next.  What is read
 * then runs, audited, for some instants, so that a figure which no part of the model can bear is found where it hurts.
 * corpus/files/ has one good input of each kind, under its name.
 */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cmd/cmd.h"
#include "cmd/line/help.h"
#include "base/mem.h"
#include "run/run_policy.h"
#include "run/setup.h"
#include "search/target.h"

enum { FILES_MAX = 5, INSTANTS_MAX = 400, NODES_MAX = 64 };

#define NODES "cluster: {nodes_per_rack: 2, gpu_types: {V100: {speed: 1, mem: 16GiB}, T4: {speed: 0.5}}, groups: [" \
    "{name: n, count: 3, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100, mem_bandwidth: 50GB/s}," \
    "{name: t, cpus: 8, mem: 16GiB, gpus: 4, gpu_type: T4}]}\n"
#define ENGINES "cluster: {groups: [{name: a, count: 2, cpus: 8, mem: 8GiB, engines: {cpu: 1, gpu: 1}}," \
    "{name: b, cpus: 8, mem: 8GiB, engines: {cpu: 1, npu: 1}}]}\n"
#define ON_ENGINES "policies: [heft, mct, affinity, balance, dmda, min-min, met]\n"

#define SCENARIO_IS_A_PART "\n"

/* Names of files are 0, 1, ... in the order of the input's parts. */
static const struct kind {
    const char *text;       /* a scenario; or, without line breaks, a command, DB being a database of runs */
    const char *file[FILES_MAX];
} kinds[] = {
    { "cluster: {from: openb, nodes: 0.csv}\ntrace: {format: openb, path: 1.csv}\n"
      "policies: ['fifo:place=fgd', kube-default, 'fifo:place=best', drf]\n", { "0.csv", "1.csv" } },
    { "cluster: {from: kubectl, nodes: 0.json}\ntrace: {format: kubectl, path: 1.json, bound: replay}\n"
      "policies: [kube-default, kube-split, fifo]\n", { "0.json", "1.json" } },
    { "cluster: {from: slurm, conf: 0.conf, gres: 1.conf, topology: 2.conf}\ntrace: {format: native, path: 3.csv}\n"
      "policies: [easy, 'slurm:config=0.conf']\n", { "0.conf", "1.conf", "2.conf", "3.csv" } },
    { NODES "profiles: {file: 0.csv, sharing: {file: 1.csv}, monitor: 1s}\ntrace: {format: native, path: 2.csv}\n"
      "policies: [multiqueue, fifo, 'srtf:place=pack', lucid, synergy]\n", { "0.csv", "1.csv", "2.csv" } },
    { NODES "profiles: {distance: 0.csv, net_bw: 1GB/s}\nnetwork: {rack: 1GB/s}\ntrace: {format: native, path: 1.csv}\n"
      "policies: [tiresias, fifo, las]\n", { "0.csv", "1.csv" } },
    { NODES "profiles: {distance: 0.json, sharing: {file: 0.json}}\ntrace: {format: gavel, path: 1.trace,"
      " throughputs: 0.json, reference_gpu: V100}\npolicies: [gavel, fifo, themis]\n", { "0.json", "1.trace" } },
    { NODES "profiles: {scaling: 0.csv, steps: 1.csv, file: 2.csv}\ntrace: {format: native, path: 3.csv,"
      " defaults: {elastic_gpus: 8}}\npolicies: [afs, optimus, sia, 'pollux:population=8,generations=4', srtf]\n",
      { "0.csv", "1.csv", "2.csv", "3.csv" } },
    { ENGINES "engines: {times: 0.csv, relation: 1.csv}\ntrace: {format: native, path: 2.csv, calls: 3.csv}\n"
      ON_ENGINES, { "0.csv", "1.csv", "2.csv", "3.csv" } },
    { NODES "network: {rack: 1GB/s, mode: shared}\ndata: {rule: file}\ntrace: {format: native, path: 0.csv,"
      " stages: 1.csv, blocks: 2.csv}\npolicies: [gs, gsp, gsd, fs, quincy, capacity, fair, workflow]\n",
      { "0.csv", "1.csv", "2.csv" } },
    { ENGINES "network: {mode: overlap, rack: 1GB/s}\nengines: {tasks: {cpu: 1, gpu: 2, npu: 3}}\ntrace: {format: dag,"
      " path: 0.json, files: true, machine_mhz: 2000, defaults: {cpus: 1}}\n" ON_ENGINES, { "0.json" } },
    { ENGINES "network: {mode: overlap, rack: 1GB/s}\nengines: {tasks: {cpu: 1, gpu: 2, npu: 3}}\ntrace: {format: dag,"
      " path: 0.dax, defaults: {cpus: 1}}\n" ON_ENGINES, { "0.dax" } },
    { ENGINES "network: {mode: overlap, rack: 1GB/s}\ntrace: {format: dag, path: 0.txt, measured: [cpu, gpu, npu]}\n"
      ON_ENGINES, { "0.txt" } },
    { NODES "trace: {format: native, path: 0.csv}\npolicies: [workflow, 'workflow:lend=always', fifo]\n",
      { "0.csv", "1.steps", "2.json" } },
    { NODES "faults: {trace: 0.csv}\ntrace: {format: native, path: 1.csv}\npolicies: [fifo, srtf]\n",
      { "0.csv", "1.csv" } },
    { NODES "trace: {format: native, path: 0.csv}\npolicies: ['kueue:config=1.yaml']\n", { "0.csv", "1.yaml" } },
    { NODES "trace: {format: native, path: 0.csv}\n"
      "policies: ['kube-default:config=1.yaml', 'kube-hybrid:config=1.yaml']\n",
      { "0.csv", "1.yaml" } },
    { NODES "trace: {format: native, path: 0.csv}\npolicies: ['slurm:accounts=1.cfg,qos=2.txt,reservations=3.txt',"
      " 'slurm:rounds=4.csv,reservations=3.txt']\n", { "0.csv", "1.cfg", "2.txt", "3.txt", "4.csv" } },
    { NODES "profiles: {file: 0.csv}\ntrace: {format: native, path: 1.csv}\n"
      "policies: ['multiqueue:history_file=2.csv']\n",
      { "0.csv", "1.csv", "2.csv" } },
    { NODES "trace: {format: native, path: 0.csv}\npolicies: [fifo, sjf]\n"
      "search: {set: {cluster.groups.0.count: [3, 4]}, objective: {figures: 1.csv}, budget: {runs: 40}}\n",
      { "0.csv", "1.csv" } },
    { SCENARIO_IS_A_PART, { "fuzz.yaml", "0.csv" } },
    { "flow 0.min", { "0.min" } },
    { "flow 0.inst --sequence 1.seq", { "0.inst", "1.seq" } },
    { "check DB 0.csv", { "0.csv" } },
    { "trace stats 0.csv", { "0.csv" } },
};

static char dir[64];
static FILE *nowhere;

static void drop(void)
{
    for (size_t k = 0; k < ARRAY_LEN(kinds); k++)
        for (size_t i = 0; i < FILES_MAX && kinds[k].file[i] != NULL; i++) {
            char *path = mem_printf("%s/%s", dir, kinds[k].file[i]);
            (void)unlink(path);
            mem_free(path);
        }
    (void)rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    (void)snprintf(dir, sizeof dir, "/dev/shm/fairway-fuzz-%ld", (long)getpid());
    nowhere = fopen("/dev/null", "w");
    if (nowhere == NULL || mkdir(dir, 0700) != 0) abort();
    (void)atexit(drop);
    return 0;
}

static const char *end_of_part(const char *at, const char *end)
{
    for (const char *s = at; end - s >= 4; s++)
        if (memcmp(s, "===\n", 4) == 0 && (s == at || s[-1] == '\n')) return s;
    return end;
}

/* A part that the input has not is no file. */
static void write_files(const struct kind *k, const char *at, const char *end)
{
    for (size_t i = 0; i < FILES_MAX && k->file[i] != NULL; i++) {
        char *path = mem_printf("%s/%s", dir, k->file[i]);
        (void)unlink(path);
        const char *stop = end_of_part(at, end);
        if (at < end) {
            FILE *f = fopen(path, "wb");
            if (f == NULL || fwrite(at, 1, (size_t)(stop - at), f) != (size_t)(stop - at) || fclose(f) != 0) abort();
        }
        at = stop < end ? stop + 4 : end;
        mem_free(path);
    }
}

static void check(enum st st, const struct diag *d)
{
    if (st == ST_OK || st == ST_END) return;
    if (d->msg[0] == '\0' || (st != ST_EINPUT && st != ST_EWORLD && st != ST_EPOLICY)) abort(); /* refused, in words */
    if (st == ST_EPOLICY && d->breach != BREACH_GAVE_UP && d->breach != BREACH_CALLS && d->breach != BREACH_LICENCES &&
        d->breach != BREACH_CREATE) {
        diag_print(d, stderr);
        abort();
    }
    diag_print(d, nowhere);     /* with the line where it is */
}

static enum st step(struct world *w, struct diag *d)
{
    enum st st = ST_OK;
    for (int n = 0; n < INSTANTS_MAX && st == ST_OK; n++) st = world_step(w, d);
    return st;
}

static enum st simulate(struct scenario *s, const struct setup *u, const struct scn_policy *p, struct diag *d)
{
    struct source src;
    struct host *h;
    struct host_hooks hooks = { .ctx = NULL };
    TRY(trace_source_open(&u->trace, &src, d));
    enum st st = run_policy_open(&h, s, 1, p, &hooks, d);
    if (st == ST_OK) {
        struct world_config cfg = setup_world(s, 1);
        cfg.fault = s->fault;
        cfg.reject_infeasible = true;
        cfg.calltime = s->engines.has_times ? &s->engines.times : NULL;
        cfg.relation = s->engines.has_relation ? &s->engines.relation : NULL;
        struct world *w = world_create(&cfg, src, host_decider(h));
        st = step(w, d);
        world_destroy(w);
        host_destroy(h);
    }
    trace_source_close(&src);
    return st;
}

/* What a search reads besides its scenario. */
static enum st aim(const char *path, const char *text, struct diag *d)
{
    struct search_spec spec;
    struct targets t;
    FILE *f = fopen(path, "w");
    if (f == NULL || fputs(text, f) < 0 || fclose(f) != 0) abort();
    enum st st = search_load(&spec, path, NULL, 0, d);
    if (st != ST_OK) return st;
    st = targets_load(&t, &spec, NULL, 0, d);
    if (st == ST_OK) targets_fini(&t);
    search_fini(&spec);
    (void)unlink(path);
    return st;
}

/* What would take long, or run who knows what. */
static bool is_left_out(const struct scenario *s, const struct scn_policy *p)
{
    return s->cluster.n_nodes > NODES_MAX || s->trace.format->no_file || host_is_foreign(p->spec) ||
           strstr(p->spec, "pollux:") != NULL;
}

static void run_scenario(const struct kind *k, uint8_t which)
{
    struct scenario s;
    struct setup u;
    struct diag d = { 0 };
    const char *audit = "output.audit=true";
    char *path = mem_printf("%s/fuzz.yaml", dir);
    const bool is_part = strcmp(k->text, SCENARIO_IS_A_PART) == 0;
    enum st st = is_part ? scn_load(&s, path, &audit, 1, &d) : scn_load_text(&s, path, k->text, &audit, 1, &d);
    if (st == ST_OK) {
        const struct scn_policy *p = &s.asked.policy[which % s.asked.n_policies];
        setup_begin(&u, &s);
        if (!is_part || !is_left_out(&s, p)) {
            st = setup_trace(&u, 1, &d);
            if (st == ST_OK) st = strstr(k->text, "search:") != NULL ? aim(path, k->text, &d) : simulate(&s, &u, p, &d);
        }
        setup_fini(&u);
        scn_fini(&s);
    }
    mem_free(path);
    check(st, &d);
}

static void run_command(const struct kind *k)
{
    char *argv[8], *line = mem_strdup(k->text);
    int argc = 0;
    for (char *word = strtok(line, " "); word != NULL && argc < 8; word = strtok(NULL, " ")) {
        const char *db = getenv("FUZZ_DB");
        argv[argc++] = strcmp(word, "DB") == 0 ? mem_strdup(db != NULL ? db : "") :
                       strchr(word, '.') != NULL ? mem_printf("%s/%s", dir, word) : mem_strdup(word);
    }
    int status = cmd_run_line(help_find(argv[0]), argc, argv);
    if (status < 0 || status > 3) abort();
    while (argc > 0) mem_free(argv[--argc]);
    mem_free(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 3 || data[0] < 'a' || data[0] - 'a' >= (int)ARRAY_LEN(kinds) || data[2] != '\n') return -1;
    const struct kind *k = &kinds[data[0] - 'a'];
    write_files(k, (const char *)data + 3, (const char *)data + n);
    if (strchr(k->text, '\n') == NULL) run_command(k);
    else run_scenario(k, data[1]);
    return 0;
}
