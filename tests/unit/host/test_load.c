/* Tables of other minors, and which specs name files. */
#include <criterion/criterion.h>
#include <string.h>
#include "extensions.h"
#include "host/policy_load.h"
#include "host/policy_view.h"

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *why, size_t cap)
{
    (void)host, (void)value, (void)flags, (void)why, (void)cap;
    return NULL;
}
static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev) { (void)self, (void)view, (void)ev, (void)n_ev; }
static void destroy(void *self) { (void)self; }

/* A later minor of the same major: two members more. */
struct later { struct pol_ops ops; int64_t more; void (*even_more)(void); };

static struct pol_ops table(uint32_t size)
{
    return (struct pol_ops){ .abi_major = POL_ABI_MAJOR, .size = size, .name = "t", .source = "a test", .summary = "nothing",
                             .create = create, .decide = decide, .destroy = destroy };
}

static void expect_error(const void *raw, size_t size, const char *text)
{
    struct later out;
    struct diag d = { 0 };
    cr_assert_eq(policy_load_adopt(raw, &out, size, &d), ST_EINPUT);
    cr_assert(strstr(d.msg, text) != NULL, "%s", d.msg);
}

Test(policy_load, a_table_of_an_older_minor_is_padded_with_zeroes)
{
    struct { struct pol_ops ops; unsigned char after[64]; } old = { .ops = table(POLICY_LOAD_OPS_MIN) };
    struct later out;
    struct diag d = { 0 };
    memset(old.after, 0xff, sizeof old.after);          /* what lies behind the table is not read */
    memset(&out, 0xff, sizeof out);
    cr_assert_eq(policy_load_adopt(&old, &out, sizeof out, &d), ST_OK, "%s", d.msg);
    cr_assert_str_eq(out.ops.name, "t");
    cr_assert(out.ops.destroy == destroy);
    cr_assert_eq(out.more, 0);
    cr_assert(out.even_more == NULL);
}

Test(policy_load, a_table_of_a_newer_minor_works_if_it_uses_nothing_new)
{
    struct later new = { .ops = table(sizeof new) };
    struct pol_ops out;
    struct diag d = { 0 };
    cr_assert_eq(policy_load_adopt(&new, &out, sizeof out, &d), ST_OK, "%s", d.msg);
    new.more = 1;
    expect_error(&new, sizeof out, "newer minor");
    struct later same;
    cr_assert_eq(policy_load_adopt(&new, &same, sizeof same, &d), ST_OK, "a host that knows the members takes them");
    cr_assert_eq(same.more, 1);
}

Test(policy_load, what_is_not_a_table_is_refused)
{
    struct pol_ops t = table(POLICY_LOAD_OPS_MIN - 1);
    expect_error(&t, sizeof t, "cut short");
    t = table(0);
    expect_error(&t, sizeof t, "cut short");
    t = table(UINT32_MAX);
    expect_error(&t, sizeof t, "cut short");
    t = table(sizeof t);
    t.abi_major = POL_ABI_MAJOR + 1;
    expect_error(&t, sizeof t, "built for major");
    t = table(sizeof t);
    t.n_params = 1;
    expect_error(&t, sizeof t, "1 parameters and lists none");
    t = table(sizeof t);
    t.flags = 1u << 31;
    expect_error(&t, sizeof t, "flags 0x80000000");
    t = table(sizeof t);
    t.summary = "two\nlines";
    expect_error(&t, sizeof t, "does not say its summary");
}

Test(policy_load, parameters_are_checked)
{
    static const struct { struct pol_param p[2]; uint32_t n; const char *text; } bad[] = {
        { { { .name = "A", .dflt = "", .help = "x" } }, 1, "no name of [a-z0-9_]+" },
        { { { .name = "a", .type = 99, .dflt = "", .help = "x" } }, 1, "type 99" },
        { { { .name = "a", .help = "x" } }, 1, "no default" },
        { { { .name = "a", .dflt = "" } }, 1, "no line of help" },
        { { { .name = "a", .type = POL_CHOICE, .dflt = "a", .choices = "a||b", .help = "x" } }, 1, "without choices" },
        { { { .name = "a", .dflt = "", .help = "x" }, { .name = "a", .dflt = "", .help = "x" } }, 2, "two parameters 'a'" },
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct pol_ops t = table(sizeof t);
        t.params = bad[i].p;
        t.n_params = bad[i].n;
        expect_error(&t, sizeof t, bad[i].text);
    }
}

Test(policy_load, a_spec_names_a_file_by_a_slash_or_so)
{
    cr_assert_eq(policy_load_path_len("fifo"), 0);
    cr_assert_eq(policy_load_path_len("fifo:place=best"), 0);
    cr_assert_eq(policy_load_path_len("text:x=a/b.so"), 0, "what follows the name is a value");
    cr_assert_eq(policy_load_path_len("a.so"), 4);
    cr_assert_eq(policy_load_path_len("a.so:x=1"), 4);
    cr_assert_eq(policy_load_path_len("./a.so:x=b.so"), 6);
    cr_assert_eq(policy_load_path_len("./a:b/c.so:x=1"), 10);
    cr_assert_eq(policy_load_path_len("./a.so.d/b.so"), 13);
    cr_assert_eq(policy_load_path_len("./a:x=1"), 3);
    cr_assert_eq(policy_load_path_len("so"), 0);
    cr_assert_eq(policy_load_path_len(""), 0);
}

/*
 * What stands in arrays or is passed by value is frozen within a major: a
 * policy has these sizes built in (policy.h).  Whoever changes one raises
 * POL_ABI_MAJOR; before the first release of a major they follow.
 */
Test(policy_load, what_stands_in_arrays_has_the_size_that_this_major_has)
{
    _Static_assert(POL_ABI_MAJOR == 1, "sizes of ABI 1");
    cr_assert_eq(sizeof(struct pol_shape), 88);
    cr_assert_eq(sizeof(struct pol_card), 32);
    cr_assert_eq(sizeof(struct pol_node), 136);
    cr_assert_eq(sizeof(struct pol_gpu_type), 24);
    cr_assert_eq(sizeof(struct pol_event), 32);
    cr_assert_eq(sizeof(struct pol_place), 32);
    cr_assert_eq(sizeof(struct pol_param), 40);
    cr_assert_eq(sizeof(union pol_value), 8);
    cr_assert_eq(sizeof(struct pol_input), 24);
    cr_assert_eq(sizeof(struct pol_transfer), 48);
    cr_assert_eq(sizeof(struct pol_reading), 16);
    cr_assert_eq(sizeof(struct pol_call), 72);
    cr_assert_eq(sizeof(struct pol_relation), 56);
    cr_assert_eq(sizeof(struct pol_call_state), 40);
    cr_assert_eq(sizeof(struct pol_amount), 24);
    cr_assert_eq(sizeof(struct pol_reserve), 128);
}

/* Each begins with its size, so that a policy can tell an older one; licences are remembered as asked for. */
Test(policy_view, extensions_are_found_by_name_and_version)
{
    static const struct { const char *name; size_t size; } known[] = {
        { POL_LICENCES, sizeof(struct pol_licences) }, { POL_GRAPH, sizeof(struct pol_graph) }, { POL_DATA, sizeof(struct pol_data) },
        { POL_CORES, sizeof(struct pol_cores) }, { POL_RESERVATIONS, sizeof(struct pol_reservations) }, { POL_CALLS, sizeof(struct pol_calls) },
        { POL_SPEEDS, sizeof(struct pol_speeds) },
    };
    struct policy_view v = { 0 };
    struct pol_host api = { .ctx = &v };
    policy_view_init(&v, &api, &(struct host_tricks){ 0 });
    cr_assert_null(api.extension(api.ctx, "calls/2"));
    cr_assert_null(api.extension(api.ctx, "calls"));
    cr_assert_null(api.extension(api.ctx, NULL));
    for (size_t i = ARRAY_LEN(known); i-- > 0;) {
        cr_assert(!v.knows_licences);
        const uint32_t *e = api.extension(api.ctx, known[i].name);
        cr_assert(e != NULL && *e == known[i].size, "%s", known[i].name);
    }
    cr_assert(v.knows_licences);
    const struct pol_data *data = api.extension(api.ctx, POL_DATA);
    cr_assert_eq(data->n_inputs(api.ctx, (pol_task){ 0, 0 }), 0, "there is no task yet");
    policy_view_fini(&v);
}

/* What create sees: the cluster as a run begins, whatever an earlier one left of it; nothing where no run is known. */
Test(policy_view, the_cluster_is_there_in_create)
{
    for (int trick = 0; trick < 2; trick++) {
        struct cluster c = { 0 };
        struct diag d = { 0 };
        uint32_t bit = cluster_label(&c, "fast", &d);
        cr_assert_eq(cluster_add(&c, &(struct node_spec){ .name = "a", .cpu_milli = 4000, .n_gpu = 2, .gpu_type = "T4", .mem_bw = 7 }, &d), ST_OK);
        cr_assert_eq(cluster_add(&c, &(struct node_spec){ .name = "b", .cpu_milli = 2000, .labels = UINT64_C(1) << bit }, &d), ST_OK);
        cluster_seal(&c);
        cr_assert_eq(cluster_allocate(&c, 0, 0, &(struct shape){ .cpu_milli = 3999 }, 0), POL_OK);
        cluster_set_up(&c, 1, false);
        struct policy_view v = { 0 };
        struct pol_host api = { .ctx = &v };
        policy_view_init(&v, &api, &(struct host_tricks){ .moves_memory = trick });
        policy_view_open(&v, NULL);
        cr_assert_eq(api.view(api.ctx)->n_nodes, 0);
        policy_view_close(&v);
        policy_view_open(&v, &c);
        const struct pol_view *view = api.view(api.ctx);
        const struct pol_cores *cores = api.extension(api.ctx, POL_CORES);
        cr_assert(view == api.view(api.ctx) && view->n_nodes == 2 && view->n_cards == 2 && view->now_us == 0 && view->n_waiting == 0);
        cr_assert(view->node[0].cpu_free == 4000 && view->node[1].is_up && view->cpu_total == 6000 && cores->mem_bw[0] == 7);
        cr_assert_str_eq(api.name(api.ctx, POL_NAME_NODE, 1), "b");
        cr_assert_eq(api.label(api.ctx, "fast"), bit);
        cr_assert_null(api.name(api.ctx, POL_NAME_USER, 0));
        cr_assert_null(api.job(api.ctx, (pol_job){ 0, 0 }));
        policy_view_close(&v);
        cr_assert_null(api.view(api.ctx));
        cr_assert_null(api.name(api.ctx, POL_NAME_NODE, 1));
        policy_view_fini(&v);
        cluster_fini(&c);
    }
}
