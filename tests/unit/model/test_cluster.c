/* The ledger by hand: what fits, which cards, what is refused and why. */
#include <criterion/criterion.h>
#include <string.h>
#include "model/cluster/cluster.h"

#define GIB (INT64_C(1) << 30)

static struct cluster c;
static struct diag d;

static void add(const char *name, int64_t cpu, int64_t mem, uint32_t gpus, const char *type, int64_t gpu_mem, uint64_t labels)
{
    struct node_spec s = { .name = name, .cpu_milli = cpu, .mem_b = mem, .n_gpu = gpus, .gpu_type = type,
                           .gpu_mem_b = gpu_mem, .labels = labels, .engine = { 2 } };
    cr_assert_eq(cluster_add(&c, &s, &d), ST_OK, "%s", d.msg);
}

static void setup(void)
{
    add("a", 8000, 8 * GIB, 4, "V100", 16 * GIB, 1);
    add("b", 4000, 4 * GIB, 0, NULL, 0, 2);
    add("c", 8000, 8 * GIB, 2, "T4", 0, 3);     /* card memory unknown */
    cluster_seal(&c);
}

static void teardown(void) { cluster_audit(&c); cluster_fini(&c); }

TestSuite(cluster, .init = setup, .fini = teardown);

static struct shape cpu(int64_t milli, int64_t mem) { return (struct shape){ .cpu_milli = milli, .mem_b = mem }; }
static struct shape gpu(int32_t n, int32_t milli) { return (struct shape){ .cpu_milli = 100, .n_gpu = n, .gpu_milli = milli }; }

static void take(uint32_t task, uint32_t node, struct shape s)
{
    enum pol_refusal refusal = cluster_allocate(&c, task, node, &s, 0);
    cr_assert_eq(refusal, POL_OK, "task %u on node %u: %s", task, node, pol_refusal_words(refusal));
}

Test(cluster, taking_to_the_brim_and_giving_back_leaves_it_as_it_was)
{
    take(0, 0, cpu(3000, GIB));
    take(1, 0, cpu(5000, 7 * GIB));
    cr_assert_eq(c.node[0].cpu_free, 0);
    cr_assert_eq(c.node[0].mem_free, 0);
    struct shape one = cpu(1, 0);
    cr_assert_not(cluster_fits(&c, 0, &one));
    cluster_release(&c, 0);
    cluster_release(&c, 1);
    cr_assert_eq(c.node[0].cpu_free, 8000);
    cr_assert_eq(c.sum.cpu_used, 0);
    cr_assert_eq(c.node[0].n_tasks, 0);
}

/* Least free share first, then least free memory, then lowest index. */
Test(cluster, shares_fill_the_fullest_card_that_fits)
{
    take(0, 0, gpu(1, 300));
    cr_assert_eq(cluster_hold(&c, 0)->cards, 1);
    take(1, 0, gpu(1, 500));
    cr_assert_eq(cluster_hold(&c, 1)->cards, 1);        /* 200 left */
    take(2, 0, gpu(1, 300));
    cr_assert_eq(cluster_hold(&c, 2)->cards, 2);        /* the first is too full */
    take(3, 0, gpu(1, 200));
    cr_assert_eq(cluster_hold(&c, 3)->cards, 1);
    take(4, 0, gpu(2, 1000));
    cr_assert_eq(cluster_hold(&c, 4)->cards, 4 | 8);    /* whole cards: the idle ones */
    struct shape whole = gpu(1, 1000);
    cr_assert_not(cluster_fits(&c, 0, &whole));
    cr_assert_eq(c.sum.card_used, 4);
    cr_assert_eq(c.sum.gpu_used, 300 + 500 + 300 + 200 + 2000);
}

Test(cluster, among_equal_shares_the_card_with_less_memory_goes_first)
{
    struct shape a = gpu(1, 500), b = gpu(1, 500), want = gpu(1, 500);
    a.gpu_mem_b = GIB;
    b.gpu_mem_b = 4 * GIB;
    cr_assert_eq(cluster_allocate(&c, 0, 0, &a, 1), POL_OK);
    cr_assert_eq(cluster_allocate(&c, 1, 0, &b, 2), POL_OK);
    cr_assert_eq(cluster_pick_cards(&c, 0, &want), 2);
    want.gpu_mem_b = 13 * GIB;                          /* only 12 GiB left there */
    cr_assert_eq(cluster_pick_cards(&c, 0, &want), 1);
    want.gpu_mem_b = 16 * GIB;
    cr_assert_eq(cluster_pick_cards(&c, 0, &want), 4);
    want.gpu_mem_b = 17 * GIB;
    cr_assert_not(cluster_fits(&c, 0, &want));
}

Test(cluster, unknown_card_memory_constrains_nothing)
{
    struct shape s = gpu(1, 500);
    s.gpu_mem_b = 500 * GIB;
    cr_assert(cluster_fits(&c, 2, &s));
    take(0, 2, s);
    take(1, 2, s);
    cr_assert_eq(cluster_hold(&c, 1)->cards, 1);
}

Test(cluster, types_and_labels_decide_where_a_shape_may_go)
{
    struct shape s = gpu(1, 1000);
    s.gpu_types = UINT64_C(1) << intern_find(&c.gpu_types, "T4");
    cr_assert_not(cluster_fits(&c, 0, &s));
    cr_assert_not(cluster_fits(&c, 1, &s));
    cr_assert(cluster_fits(&c, 2, &s));
    struct shape l = cpu(1, 1);
    l.need_all = 3;
    cr_assert(!cluster_fits(&c, 0, &l) && !cluster_fits(&c, 1, &l) && cluster_fits(&c, 2, &l));
    l.need_all = 0;
    l.need_any = 3;
    cr_assert(cluster_fits(&c, 0, &l) && cluster_fits(&c, 1, &l) && cluster_fits(&c, 2, &l));
    l.need_all = 2;
    l.need_any = 1;
    cr_assert(!cluster_fits(&c, 1, &l) && cluster_fits(&c, 2, &l));
}

Test(cluster, engines_are_counted)
{
    struct shape s = cpu(0, 0);
    s.engine[0] = 1;
    take(0, 1, s);
    take(1, 1, s);
    cr_assert_not(cluster_fits(&c, 1, &s));
    s.engine[0] = 0;
    s.engine[1] = 1;
    cr_assert_not(cluster_fits(&c, 1, &s));
}

Test(cluster, an_exclusive_task_takes_a_whole_idle_node)
{
    struct shape s = cpu(1000, GIB);
    s.exclusive = 1;
    take(0, 1, cpu(1, 1));
    cr_assert_not(cluster_fits(&c, 1, &s));
    take(1, 0, s);
    cr_assert_eq(cluster_hold(&c, 1)->cards, 15);
    cr_assert_eq(c.node[0].cpu_free, 0);
    cr_assert_eq(c.node[0].mem_free, 0);
    cr_assert_eq(c.sum.gpu_used, 4000);
    struct shape tiny = cpu(1, 0);
    cr_assert_not(cluster_fits(&c, 0, &tiny));
    cluster_release(&c, 1);
    cr_assert_eq(c.node[0].cpu_free, 8000);
    cr_assert_eq(c.sum.gpu_used, 0);
}

static void refuses(uint32_t task, uint32_t node, struct shape s, uint64_t cards, enum pol_refusal want)
{
    struct cluster_sum before = c.sum;
    enum pol_refusal found = cluster_allocate(&c, task, node, &s, cards);
    cr_assert_eq(found, want, "found '%s', expected '%s'", pol_refusal_name(found), pol_refusal_name(want));
    cr_assert_eq(memcmp(&before, &c.sum, sizeof before), 0);
    cluster_audit(&c);
}

Test(cluster, a_refusal_says_why_and_changes_nothing)
{
    take(0, 0, cpu(1000, GIB));
    refuses(1, 99, cpu(1, 1), 0, POL_REFUSAL_NO_NODE);
    refuses(1, 1, cpu(4001, 0), 0, POL_REFUSAL_NO_ROOM);
    refuses(1, 1, gpu(1, 1000), 0, POL_REFUSAL_NO_ROOM);
    refuses(0, 1, cpu(1, 1), 0, POL_REFUSAL_HAS_PLACE);
    refuses(1, 0, gpu(1, 1000), 16, POL_REFUSAL_NO_CARD);
    refuses(1, 0, gpu(1, 1000), 3, POL_REFUSAL_CARDS);
    refuses(1, 0, gpu(2, 1000), 1, POL_REFUSAL_CARDS);
    refuses(1, 0, cpu(1, 1), 1, POL_REFUSAL_CARDS);
    cr_assert_eq(cluster_allocate(&c, 1, 0, &(struct shape){ .n_gpu = 1, .gpu_milli = 600 }, 4), POL_OK);
    refuses(2, 0, gpu(1, 500), 4, POL_REFUSAL_CARD_TAKEN);
    cluster_release(&c, 0);
    cluster_release(&c, 1);
    cluster_set_up(&c, 0, false);
    refuses(0, 0, cpu(1, 1), 0, POL_REFUSAL_NODE_DOWN);
}

Test(cluster, a_node_that_is_down_leaves_the_totals)
{
    cr_assert_eq(c.sum.gpu_total, 6000);
    cluster_set_up(&c, 0, false);
    cr_assert_eq(c.sum.gpu_total, 2000);
    cr_assert_eq(c.sum.n_up, 2);
    struct shape s = gpu(1, 100);
    cr_assert_not(cluster_fits(&c, 0, &s));
    cr_assert_eq(cluster_capacity(&c, &s), 40 + 20, "capacity is of the cluster when all is up");
    cluster_set_up(&c, 0, true);
    cr_assert_eq(c.sum.gpu_total, 6000);
}

Test(cluster, changes_name_each_touched_node_once)
{
    cluster_changes_clear(&c);
    take(0, 2, cpu(1, 1));
    take(1, 2, cpu(1, 1));
    cluster_set_up(&c, 1, false);
    cr_assert_eq(c.n_changed, 2);
    cr_assert_eq(c.changed[0], 2);
    cr_assert_eq(c.changed[1], 1);
    cluster_changes_clear(&c);
    cr_assert_eq(c.n_changed, 0);
    cluster_release(&c, 0);
    cr_assert_eq(c.n_changed, 1);
}

Test(cluster, reset_empties_and_raises_everything)
{
    take(0, 0, gpu(2, 500));
    cluster_set_up(&c, 1, false);
    cluster_reset(&c);
    cr_assert_null(cluster_hold(&c, 0));
    cr_assert(c.node[1].is_up);
    cr_assert_eq(c.sum.gpu_used, 0);
    cr_assert_eq(c.sum.n_up, 3);
}

Test(cluster, capacity_counts_tasks_that_run_at_once)
{
    struct shape s = gpu(1, 300), t = gpu(2, 1000), m = gpu(1, 100), x = cpu(1, 1), n = cpu(0, 0);
    cr_assert_eq(cluster_capacity(&c, &s), 4 * 3 + 2 * 3);
    cr_assert_eq(cluster_capacity(&c, &t), 2 + 1);
    m.gpu_mem_b = 5 * GIB;                      /* three to a V100 by memory, ten to a T4 of unknown memory */
    cr_assert_eq(cluster_capacity(&c, &m), 4 * 3 + 2 * 10);
    x.exclusive = 1;
    cr_assert_eq(cluster_capacity(&c, &x), 3);
    n.engine[0] = 1;
    cr_assert_eq(cluster_capacity(&c, &n), 6);
    n.engine[0] = 3;
    cr_assert_eq(cluster_capacity(&c, &n), 0);
}

Test(cluster, a_gang_of_several_shapes_must_fit_at_once)
{
    struct shape big = cpu(8000, GIB), small = cpu(4000, GIB);
    const struct shape *s[] = { &big, &small };
    cr_assert(cluster_could_gang(&c, s, (const uint32_t[]){ 2, 1 }, 2));
    cr_assert_not(cluster_could_gang(&c, s, (const uint32_t[]){ 2, 2 }, 2));
    cr_assert_not(cluster_could_gang(&c, s, (const uint32_t[]){ 3, 1 }, 2));
    cr_assert(cluster_could_gang(&c, s, (const uint32_t[]){ 1, 3 }, 2));
}

/* ---- building: clusters of their own ---- */

/* Nodes alike when the cluster is sealed, of which one gets a label afterwards: a pod may name a node of its own. */
Test(cluster_build, a_label_given_later_sets_a_node_apart)
{
    struct cluster k = { 0 };
    struct diag e = { 0 };
    const char *const name[] = { "a", "b", "c" };
    for (int i = 0; i < 3; i++) cr_assert_eq(cluster_add(&k, &(struct node_spec){ .name = name[i], .cpu_milli = 2000, .mem_b = GIB }, &e), ST_OK);
    cluster_seal(&k);
    struct shape s = cpu(1000, 1);
    cr_assert_eq(cluster_capacity(&k, &s), 6);
    uint32_t label = cluster_label(&k, "mine", &e);
    cluster_label_nodes(&k, label, (const bool[]){ false, true, false });
    s.need_all = UINT64_C(1) << label;
    cr_assert_eq(cluster_capacity(&k, &s), 2);
    cluster_fini(&k);
}

Test(cluster_build, twin_names_and_too_many_gpus_are_errors)
{
    struct cluster k = { 0 };
    struct diag e = { 0 };
    struct node_spec s = { .name = "n", .cpu_milli = 1 };
    cr_assert_eq(cluster_add(&k, &s, &e), ST_OK);
    cr_assert_eq(cluster_add(&k, &s, &e), ST_EINPUT);
    cr_assert_not_null(strstr(e.msg, "'n'"));
    e = (struct diag){ 0 };
    s = (struct node_spec){ .name = "m", .n_gpu = NODE_GPUS_MAX + 1, .gpu_type = "x" };
    cr_assert_eq(cluster_add(&k, &s, &e), ST_EINPUT);
    cr_assert_eq(k.n_nodes, 1);
    cluster_seal(&k);
    cluster_fini(&k);
}

Test(cluster_build, a_node_may_have_64_cards)
{
    struct cluster k = { 0 };
    struct diag e = { 0 };
    struct node_spec s = { .name = "n", .cpu_milli = 1000, .n_gpu = 64, .gpu_type = "x" };
    cr_assert_eq(cluster_add(&k, &s, &e), ST_OK);
    cluster_seal(&k);
    struct shape all = gpu(64, 1000);
    cr_assert_eq(cluster_allocate(&k, 0, 0, &all, 0), POL_OK);
    cr_assert_eq(cluster_hold(&k, 0)->cards, UINT64_MAX);
    cluster_audit(&k);
    cluster_release(&k, 0);
    all.exclusive = 1;
    cr_assert_eq(cluster_allocate(&k, 0, 0, &all, UINT64_MAX), POL_OK);
    cluster_fini(&k);
}

Test(cluster_build, a_cut_keeps_the_share_of_each_kind_and_at_least_one)
{
    struct cluster k = { 0 };
    struct diag e = { 0 };
    char name[16];
    for (int i = 0; i < 21; i++) {
        (void)snprintf(name, sizeof name, "n%d", i);
        struct node_spec s = { .name = name, .cpu_milli = i < 20 ? 1000 : 2000, .n_gpu = i % 2 ? 2 : 0, .gpu_type = i % 2 ? "x" : NULL };
        cr_assert_eq(cluster_add(&k, &s, &e), ST_OK);
    }
    cluster_cut(&k, 0.3);
    cluster_seal(&k);
    uint32_t with = 0, without = 0, big = 0;
    for (uint32_t i = 0; i < k.n_nodes; i++) {
        if (k.node[i].cpu_total == 2000) big++;
        else if (k.node[i].n_gpu) with++;
        else without++;
    }
    cr_assert(with == 3 && without == 3 && big == 1, "%u with GPUs, %u without, %u big", with, without, big);
    cr_assert_eq(k.n_cards, 6);
    cluster_audit(&k);
    struct shape s = gpu(2, 1000);
    cr_assert_eq(cluster_capacity(&k, &s), 3);
    cluster_fini(&k);
}
