/* client.c -- what test_library.sh does with libfairway: two runs at once, callbacks, errors, results, a policy of its own. */
#include <fairway.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "fairway/policy.h"

/* ---- a policy in C: as many as fit, in order of arrival; told its client's pointer ---- */

enum { WAITING_MAX = 4096 };
struct mine {
    const struct pol_host *h;
    pol_task waiting[WAITING_MAX];
    uint32_t n;
    int *n_calls;
};

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    static struct mine one; /* one run at a time */
    (void)value;
    (void)flags;
    (void)error;
    (void)cap;
    one = (struct mine){ .h = host, .n_calls = (int *)host->extension(host->ctx, "client/1") };
    return &one;
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n)
{
    struct mine *m = self;
    ++*m->n_calls;
    for (size_t i = 0; i < n; i++)
        if (ev[i].type == POL_ARRIVED) m->waiting[m->n++] = m->h->job(m->h->ctx, ev[i].job)->first_task;
    uint32_t n_tasks = v->n_nodes > 0 ? v->node[0].n_tasks : 0;
    if (n_tasks > 0 || m->n == 0) return;
    m->h->start(m->h->ctx, m->waiting[0], &(struct pol_place){ .node = 0 }, 1, "alone");
    memmove(m->waiting, m->waiting + 1, --m->n * sizeof *m->waiting);
}

static const struct pol_ops one_by_one = { POL_HEADER, .name = "one-by-one", .source = "a test", .summary = "one at a time",
                                           .create = create, .decide = decide };

/* ---- runs ---- */

struct client {
    const char *scenario, *database;
    uint64_t digest[8];
    int n_runs, n_decisions, n_progress, status, n_begun;
};

static void on_begin(void *ctx, const struct fairway_plan *p) { ((struct client *)ctx)->n_begun += p->n_policies > 0; }
static void on_progress(void *ctx, const struct fairway_progress *p) { ((struct client *)ctx)->n_progress += p->run > 0; }
static void on_decision(void *ctx, const struct fairway_decision *d) { ((struct client *)ctx)->n_decisions += strcmp(d->verb, "start") == 0; }
static void on_run(void *ctx, const struct fairway_result *r)
{
    struct client *c = ctx;
    if (r->error != NULL) printf("failed: %s\n", r->error->message);
    c->digest[c->n_runs++] = r->digest;
}

static int run(struct client *c, struct fairway *f, struct fairway_error *e)
{
    return fairway_run(f, &(struct fairway_options){ .size = sizeof(struct fairway_options), .database = c->database, .ctx = c, .begin = on_begin, .progress = on_progress, .decision = on_decision, .run = on_run }, e);
}

static void *in_thread(void *arg)
{
    struct client *c = arg;
    struct fairway_error e;
    struct fairway *f = fairway_open(c->scenario, NULL, NULL, 0, &e);
    c->status = f == NULL ? e.status : run(c, f, &e);
    if (c->status != 0) printf("%s:%u:%u: %s\n", e.file, e.line, e.column, e.message);
    fairway_close(f);
    return NULL;
}

static int failing(void)
{
    struct fairway_error e;
    const char *const set[] = { "cluster.groups.0.count=many" };
    if (fairway_open("none.yaml", NULL, NULL, 0, &e) != NULL || e.status != FAIRWAY_EINPUT) return 1;
    printf("%s: %s\n", e.file, e.message);
    if (fairway_open("here.yaml", "name: x\ntrace: {format: generate, generate: {jobs: 9}}\ncluster:\n  grups: []\n", NULL, 0, &e) != NULL) return 1;
    printf("%s:%u:%u: %s (%s)\n", e.file, e.line, e.column, e.message, e.hint);
    if (fairway_open("here.yaml", "name: x\ntrace: {format: generate, generate: {jobs: 9}}\ncluster: {groups: [{name: n, count: 1, cpus: 1, mem: 1GiB}]}\n", set, 1, &e) != NULL) return 1;
    printf("%s: %s\n", e.file, e.message);
    return 0;
}

int main(int argc, char **argv)
{
    struct fairway_error e;
    pthread_t thread[2];
    struct client c[2] = { { .scenario = argv[1], .database = argv[2] }, { .scenario = argv[1], .database = argv[3] } };
    if (argc != 5 || fairway_api() != FAIRWAY_API || failing() != 0) return 1;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&thread[i], NULL, in_thread, &c[i]) != 0) return 1;
    for (int i = 0; i < 2; i++) (void)pthread_join(thread[i], NULL);
    for (int i = 0; i < c[0].n_runs; i++) {
        if (c[0].digest[i] != c[1].digest[i]) printf("the two threads differ\n");
        printf("digest %016llx\n", (unsigned long long)c[0].digest[i]);
    }
    printf("begun %d, decisions %d\n", c[0].n_begun, c[0].n_decisions);

    struct client own = { .database = "own.db" };
    struct fairway *f = fairway_open(argv[4], NULL, NULL, 0, &e);
    int n_calls = 0;
    if (f == NULL || fairway_add_table(f, &one_by_one, &n_calls, "one-by-one", NULL, &e) != 0 || fairway_add_seeds(f, 3, 3, &e) != 0) return 1;
    int status = run(&own, f, &e);
    printf("one by one: %d, %s\n", status, n_calls > 0 && own.n_decisions > 0 ? "asked" : "never asked");
    static volatile sig_atomic_t stop = 1;
    status = fairway_run(f, &(struct fairway_options){ .size = sizeof(struct fairway_options), .database = own.database, .stop = &stop }, &e);
    printf("stopped: %d\n", status);
    fairway_close(f);

    const char *const metric[] = { "jct_mean" };
    char *text = fairway_compare(argv[2], "csv", NULL, NULL, metric, 1, &e);
    if (text == NULL) return 1;
    printf("%s", text);
    fairway_free(text);
    text = fairway_explain(argv[2], "1", "nobody", 0, &e);
    printf("explained: %s\n", text == NULL ? e.message : text);
    printf("plotted: %d %s\n", fairway_plot(argv[2], "bars", "bars.svg", NULL, NULL) == 0, fairway_plot(argv[2], "brs", "x.svg", NULL, &e) == 0 ? "" : e.hint);
    return 0;
}
