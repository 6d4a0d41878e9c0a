/* Unit tests of sim/input/cluster/slurm_conf and cluster_slurm. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "input/cluster/slurm.h"
#include "input/cluster/slurm_conf.h"
#include "ref/temp.h"

static struct cluster c;
static struct diag d;

static enum st add(struct node_sink *sink, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *dd)
{
    (void)file; (void)line; (void)col;
    return cluster_add(sink->cluster, s, dd);
}

static enum st load(const char *conf, const char *gres, const char *topo)
{
    char p[3][64];
    struct node_sink sink = { .cluster = &c, .add = add };
    memset(&c, 0, sizeof c);
    memset(&d, 0, sizeof d);
    temp_file(p[0], conf);
    if (gres != NULL) temp_file(p[1], gres);
    if (topo != NULL) temp_file(p[2], topo);
    enum st st = cluster_slurm_load(&sink, p[0], gres != NULL ? p[1] : NULL, topo != NULL ? p[2] : NULL, &d);
    unlink(p[0]);
    if (gres != NULL) unlink(p[1]);
    if (topo != NULL) unlink(p[2]);
    return st;
}

static void loads(const char *conf, const char *gres, const char *topo)
{
    cr_assert_eq(load(conf, gres, topo), ST_OK, "line %u: %s", d.line, d.msg);
}

static void fails(const char *conf, const char *gres, const char *topo, uint32_t line, const char *msg)
{
    cr_expect_eq(load(conf, gres, topo), ST_EINPUT, "%s", conf);
    cr_expect_eq(d.line, line, "%s: line %u", d.msg, d.line);
    cr_expect(strstr(d.msg, msg) != NULL, "%s", d.msg);
    cluster_fini(&c);
}

static const struct pol_node *node(const char *name)
{
    uint32_t id = intern_find(&c.node_names, name);
    cr_assert_neq(id, NONE, "no node %s", name);
    return &c.node[id];
}

static bool has(const struct pol_node *n, const char *label)
{
    uint32_t bit = intern_find(&c.labels, label);
    return bit != NONE && (n->labels >> bit & 1) != 0;
}

Test(slurm_conf, default_lines_add_up_and_node_lines_override)
{
    /* slurm.conf(5): each DEFAULT line replaces or adds to the values so far and does not reset the others. */
    loads("NodeName=DEFAULT CPUs=40 RealMemory=1000 Feature=a,b\n"
          "NodeName=n[1-2]\n"
          "NodeName=DEFAULT RealMemory=2000\n"
          "nodename=n3 cpus=8 feature=c  # keys ignore case\n"
          "NodeName=n4 \\\n  RealMemory=4000\n", NULL, NULL);
    cr_expect_eq(c.n_nodes, 4);
    cr_expect(node("n1")->cpu_total == 40000 && node("n1")->mem_total == INT64_C(1000) << 20);
    cr_expect(node("n3")->cpu_total == 8000 && node("n3")->mem_total == INT64_C(2000) << 20);
    cr_expect(node("n4")->cpu_total == 40000 && node("n4")->mem_total == INT64_C(4000) << 20);
    cr_expect(has(node("n2"), "a") && has(node("n2"), "b") && !has(node("n3"), "a") && has(node("n3"), "c"));
    cluster_fini(&c);
}

Test(slurm_conf, cpus_are_stated_or_the_product_of_the_topology_less_what_the_system_keeps)
{
    loads("NodeName=a Sockets=2 CoresPerSocket=16 RealMemory=10\n"
          "NodeName=b Boards=2 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=10\n"
          "NodeName=c CPUs=12 Sockets=2 CoresPerSocket=16 RealMemory=10\n"
          "NodeName=d CPUs=12 CoreSpecCount=2 RealMemory=10 MemSpecLimit=4\n", NULL, NULL);
    cr_expect_eq(node("a")->cpu_total, 32000);
    cr_expect_eq(node("b")->cpu_total, 32000);
    cr_expect_eq(node("c")->cpu_total, 12000);
    cr_expect(node("d")->cpu_total == 10000 && node("d")->mem_total == INT64_C(6) << 20);
    cluster_fini(&c);
}

Test(slurm_conf, gres_partitions_and_switches)
{
    loads("NodeName=DEFAULT CPUs=4 RealMemory=100\n"
          "NodeName=g[1-2] Gres=gpu:v100:2,nic:1\nNodeName=h1 Gres=gpu:4\nNodeName=k1 Gres=gpu\nNodeName=n[1-2]\n"
          "NodeName=x1 State=DOWN\n"
          "PartitionName=DEFAULT Nodes=ALL State=UP\n"
          "PartitionName=gpu Nodes=g[1-2],h1,x1\nPartitionName=all\n",
          "AutoDetect=off\nNodeName=g[1-2] Name=gpu File=/dev/nvidia[0-1]\nNodeName=h1 Name=gpu Type=a100 Count=4\n",
          "SwitchName=s0 Nodes=g[1-9]\nSwitchName=s1 Nodes=n[1-2],h1\nSwitchName=top Switches=s0,s1\n");
    cr_expect_eq(c.n_nodes, 6, "x1 is down and left out");
    cr_expect(node("g2")->n_gpu == 2 && node("h1")->n_gpu == 4 && node("k1")->n_gpu == 1 && node("n1")->n_gpu == 0);
    cr_expect_str_eq(intern_name(&c.gpu_types, node("g1")->gpu_type), "v100");
    cr_expect_str_eq(intern_name(&c.gpu_types, node("h1")->gpu_type), "a100");
    cr_expect_str_eq(intern_name(&c.gpu_types, node("k1")->gpu_type), "gpu");
    cr_expect(has(node("g1"), "gpu") && has(node("g1"), "all") && !has(node("n1"), "gpu"));
    cr_expect_str_eq(intern_name(&c.rack_names, node("g1")->rack), "s0");
    cr_expect_str_eq(intern_name(&c.rack_names, node("n2")->rack), "s1");
    cr_expect_str_eq(intern_name(&c.rack_names, node("k1")->rack), "no-switch");
    cluster_fini(&c);
}

#define N "NodeName=n[1-2] CPUs=4 RealMemory=100\n"
#define G "NodeName=g1 CPUs=4 RealMemory=100 Gres=gpu:v100:2\n"

Test(slurm_conf, mistakes_are_refused_at_their_line)
{
    fails("\nNodeName=n1 CPU=4 RealMemory=10\n", NULL, NULL, 2, "unknown key 'CPU' on a NodeName line");
    cr_expect_str_eq(d.hint, "did you mean 'CPUs'?");
    fails("NodeName=n1 CPUs=four RealMemory=10\n", NULL, NULL, 1, "'CPUs': found 'four'");
    fails("NodeName=n1 CPUs=4\n", NULL, NULL, 1, "no RealMemory");
    fails("NodeName=n1 RealMemory=10\n", NULL, NULL, 1, "neither CPUs nor Sockets");
    fails("NodeName=n1 CPUs=2 CoreSpecCount=2 RealMemory=10\n", NULL, NULL, 1, "keeps all its cores");
    fails("NodeName=n1 CPUs=2 CpuSpecList=0 RealMemory=10\n", NULL, NULL, 1, "CpuSpecList is not modelled");
    fails("NodeName=n[1-3 CPUs=2 RealMemory=10\n", NULL, NULL, 1, "is not closed");
    fails(N "NodeName=n2 CPUs=2 RealMemory=10\n", NULL, NULL, 2, "found node 'n2' a second time; the first is at line 1");
    fails("NodeName=n1 CPUs=4 RealMemory=10 Gres=gpu:a:1,gpu:b:1\n", NULL, NULL, 1, "two types on one node");
    fails("NodeName=n1 CPUs=4 RealMemory=10 Gres=gpu:a:none\n", NULL, NULL, 1, "expected gpu[:type][:count]");
    fails("NodeName=n1 CPUs=4 RealMemory=10 Gres=gpu:65\n", NULL, NULL, 1, "at most 64");
    fails(N "PartitionName=p Nodes=n[1-3]\n", NULL, NULL, 2, "lists node 'n3'");
    fails(N "PartitionName=p\n", NULL, NULL, 2, "lists no Nodes");
    fails(N "PartitionName=p Node=n1\n", NULL, NULL, 2, "unknown key 'Node'");
    fails("ClusterName=x\n", NULL, NULL, 0, "no NodeName line");
    fails("include other.conf\n" N, NULL, NULL, 1, "expected Key=Value");
    cr_expect(strstr(d.hint, "Include is not followed") != NULL);
    fails("A=\"open\n" N, NULL, NULL, 1, "quote that does not end");
    fails(N "Last=1 \\", NULL, NULL, 2, "expected a line that continues it");
    fails(G, "NodeName=g2 Name=gpu Count=2\n", NULL, 1, "found node 'g2', which slurm.conf does not define");
    /* Comments are of any age. */
    fails("# J\xf6rg\nNodeName=n CPUs=1 RealMemory=1 Feature=a\xf6\n", NULL, NULL, 2, "not UTF-8");
    fails(G, "NodeName=g1 Name=gpu Count=3\n", NULL, 0, "has 3 GPUs here and 2 in slurm.conf line 1");
    fails(G, "NodeName=g1 Name=gpu Type=a100 Count=2\n", NULL, 1, "of type 'a100', slurm.conf line 1 says 'v100'");
    fails(N G, "NodeName=n1 Name=gpu Count=2\n", NULL, 1, "gives it no Gres");
    fails(N, NULL, "SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[1-2]\n", 2, "under two leaf switches, 'a' and 'b'");
    fails(N, NULL, "Nodes=n1\n", 1, "without SwitchName");
    fails(N, NULL, "SwitchName=a Hosts=n1\n", 1, "unknown key 'Hosts'");
}

Test(slurm_conf, the_university_cluster_has_its_published_size)
{
    /* 87+2 nodes of 2x16 cores, 8+96+24 of 40: 89*32 + 128*40 = 7968 cores; 8+2 nodes of 2 GPUs. */
    const char *dir = getenv("FAIRWAY_TRACES") ? getenv("FAIRWAY_TRACES") : "../shared/traces";
    char p[3][512];
    static const char *const name[] = { "slurm.conf", "gres.conf", "topology.conf" };
    for (int i = 0; i < 3; i++) (void)snprintf(p[i], sizeof p[i], "%s/ub-hpc/%s", dir, name[i]);
    if (access(p[0], R_OK) != 0) cr_skip_test("skipped: no %s", p[0]);
    struct node_sink sink = { .cluster = &c, .add = add };
    cr_assert_eq(cluster_slurm_load(&sink, p[0], p[1], p[2], &d), ST_OK, "%s:%u: %s", d.file, d.line, d.msg);
    cluster_seal(&c);
    cr_expect_eq(c.n_nodes, 217);
    cr_expect_eq(c.sum.cpu_total, 7968 * 1000);
    cr_expect_eq(c.n_cards, 20);
    cr_expect_eq(c.rack_names.n, 3);
    cr_expect_eq(c.gpu_types.n, 2);
    cr_expect(has(node("gn001"), "debug") && !has(node("gn001"), "general-compute"));
    cr_expect(has(node("b024"), "CPU-Gold-6230") && node("b024")->mem_total == INT64_C(754000) << 20 && node("b024")->cpu_total == 40000);
    cr_expect_str_eq(intern_name(&c.rack_names, node("b001")->rack), "IBG");
    cluster_fini(&c);
}
