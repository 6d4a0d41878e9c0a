/* describe.c -- requests and nodes in words, for errors and for `fairway explain`. */
#include "model/cluster/describe.h"

#include <inttypes.h>

static const double gib = 1073741824;

static void print_names(const struct intern *names, uint64_t bits, const char *before, const char *between, FILE *to)
{
    for (uint32_t i = 0, n = 0; i < names->n && i < 64; i++)
        if (bits >> i & 1) (void)fprintf(to, "%s%s", n++ > 0 ? between : before, intern_name(names, i));
}

void describe_request(const struct cluster *c, const struct shape *s, FILE *to)
{
    if (s->n_gpu == 1 && s->gpu_milli < GPU_WHOLE) (void)fprintf(to, "%g of a GPU", s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0 && s->gpu_milli < GPU_WHOLE) (void)fprintf(to, "%" PRId32 " x %g of a GPU", s->n_gpu, s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0) (void)fprintf(to, "%" PRId32 " GPU%s", s->n_gpu, s->n_gpu > 1 ? "s" : "");
    if (s->n_gpu > 0) print_names(&c->gpu_types, s->gpu_types, " of type ", " or ", to);
    if (s->n_gpu > 0 && s->gpu_mem_b > 0) (void)fprintf(to, ", %.4g GiB of a card", (double)s->gpu_mem_b / gib);
    if (s->n_gpu > 0 && s->gpu_cores > 0) (void)fprintf(to, ", %" PRId32 " cores of a card", s->gpu_cores);
    (void)fprintf(to, "%s%g CPUs", s->n_gpu > 0 ? ", " : "", (double)s->cpu_milli / 1000);
    if (s->mem_b > 0) (void)fprintf(to, ", %.4g GiB", (double)s->mem_b / gib);
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX && k < c->engines.n; k++)
        if (s->engine[k] > 0) (void)fprintf(to, ", %" PRId32 " %s", s->engine[k], intern_name(&c->engines, k));
    if (s->exclusive) (void)fprintf(to, ", a node to itself");
    print_names(&c->labels, s->need_all, ", a node with ", " and ", to);
    print_names(&c->labels, s->need_any, ", a node with ", " or ", to);
}

void describe_largest(const struct cluster *c, FILE *to)
{
    int64_t cpu = 0, mem = 0;
    uint32_t gpus[GPU_TYPES_MAX] = { 0 };
    for (uint32_t k = 0; k < c->n_nodes; k++) {
        const struct pol_node *n = &c->node[k];
        cpu = i64_max(cpu, n->cpu_total - n->cpu_reserved);
        mem = i64_max(mem, n->mem_total - n->mem_reserved);
        if (n->n_gpu > 0 && n->n_gpu > gpus[n->gpu_type]) gpus[n->gpu_type] = n->n_gpu;
    }
    (void)fprintf(to, "%g CPUs, %.4g GiB", (double)cpu / 1000, (double)mem / gib);
    for (uint32_t t = 0, n = 0; t < c->gpu_types.n && t < GPU_TYPES_MAX; t++) {
        if (gpus[t] == 0) continue;
        if (n++ > 0) (void)fprintf(to, " or %" PRIu32 " of type %s", gpus[t], intern_name(&c->gpu_types, t));
        else (void)fprintf(to, ", %" PRIu32 " GPU%s of type %s", gpus[t], gpus[t] > 1 ? "s" : "", intern_name(&c->gpu_types, t));
    }
}
