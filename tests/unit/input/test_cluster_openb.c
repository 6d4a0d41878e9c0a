/* Unit tests of sim/input/cluster/openb. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/cluster/openb.h"
#include "ref/temp.h"

static struct cluster c;
static struct diag d;

static enum st add(struct node_sink *sink, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *dd)
{
    (void)file; (void)line; (void)col;
    return cluster_add(sink->cluster, s, dd);
}
static struct node_sink sink = { .cluster = &c, .add = add };

static enum st load(const char *text)
{
    char path[TEMP_PATH];
    temp_file(path, text);
    memset(&d, 0, sizeof d);
    memset(&c, 0, sizeof c);
    enum st st = cluster_openb_load(&sink, path, &d);
    unlink(path);
    return st;
}

static void fails(const char *text, uint32_t line, const char *msg)
{
    cr_expect_eq(load(text), ST_EINPUT);
    cr_expect_eq(d.line, line, "%s: line %u", d.msg, d.line);
    cr_expect(strstr(d.msg, msg) != NULL, "%s", d.msg);
    cluster_fini(&c);
}

#define HEAD "sn,cpu_milli,memory_mib,gpu,model\n"

Test(cluster_openb, rows_become_nodes)
{
    cr_assert_eq(load(HEAD "a,32000,262144,0,\nb,96000,393216,8,G2\n"), ST_OK, "%s", d.msg);
    cr_expect(c.n_nodes == 2 && c.n_cards == 8);
    cr_expect(c.node[0].cpu_total == 32000 && c.node[0].mem_total == INT64_C(256) << 30 && c.node[0].gpu_type == NONE);
    cr_expect_str_eq(intern_name(&c.gpu_types, c.node[1].gpu_type), "G2");
    cluster_fini(&c);
}

Test(cluster_openb, card_memory_is_known_for_disclosed_types_alone)
{
    cr_expect_eq(cluster_openb_gpu_mem("T4"), INT64_C(16) << 30);
    cr_expect_eq(cluster_openb_gpu_mem("V100M32"), INT64_C(32) << 30);
    cr_expect_eq(cluster_openb_gpu_mem("A10"), INT64_C(24) << 30);
    cr_expect_eq(cluster_openb_gpu_mem("G3"), 0);
}

Test(cluster_openb, mistakes_are_refused_at_their_line)
{
    fails("sn,cpu_milli,memory_mib,gpu\na,1,1,0\n", 1, "model");
    fails(HEAD "a,32000,262144,2,\n", 2, "expected the type");
    fails(HEAD "a,32000,262144,65,T4\n", 2, "65");
    fails(HEAD "a,-1,262144,0,\n", 2, "-1");
    fails(HEAD "a,32000,,0,\n", 2, "memory_mib");
    /* The sink of a scenario adds the line. */
    fails(HEAD "a,32000,262144,0,\na,32000,262144,0,\n", 0, "two nodes are named 'a'");
}

Test(cluster_openb, the_published_list_has_its_published_size)
{
    const char *dir = getenv("FAIRWAY_TRACES") ? getenv("FAIRWAY_TRACES") : "../shared/traces";
    char path[512];
    (void)snprintf(path, sizeof path, "%s/openb/openb_node_list_all_node.csv", dir);
    if (access(path, R_OK) != 0) cr_skip_test("skipped: no %s", path);
    cr_assert_eq(cluster_openb_load(&sink, path, &d), ST_OK, "%s:%u: %s", d.file, d.line, d.msg);
    uint32_t cpu_only = 0;
    for (uint32_t i = 0; i < c.n_nodes; i++) cpu_only += c.node[i].n_gpu == 0;
    cr_expect_eq(c.n_nodes, 1523);
    cr_expect_eq(c.n_cards, 6212);
    cr_expect_eq(cpu_only, 310);
    cluster_fini(&c);
}
