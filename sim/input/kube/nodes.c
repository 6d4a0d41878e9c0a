/* nodes.c -- reads nodes as kubectl prints them; match.c says which of them a pod may go to. */
#include "input/kube/nodes.h"

#include <string.h>

#define MB INT64_C(1000000)

enum st kube_cards_read(const struct kube_at *annotations, struct kube_cards *out, struct diag *d)
{
    int64_t unhyphened = -1;
    *out = (struct kube_cards){ .number = -1 };
    TRY(kube_whole(annotations, "oks/gpu-number", NODE_GPUS_MAX, &out->number, d));
    TRY(kube_whole(annotations, "oks/gpunumber", NODE_GPUS_MAX, &unhyphened, d));
    if (out->number >= 0 && unhyphened >= 0 && out->number != unhyphened)
        return kube_fail(annotations, d, "oks/gpu-number is %lld, and oks/gpunumber %lld", (long long)out->number, (long long)unhyphened);
    if (out->number < 0) out->number = unhyphened;
    TRY(kube_whole(annotations, "oks/gpu-core", INT32_MAX, &out->cores, d));
    return kube_whole(annotations, "oks/gpu-memory", INT32_MAX, &out->mb, d);
}

uint64_t kube_cards_unknown(const json_t *annotations)
{
    static const char *const known[] = { "gpu-number", "gpunumber", "gpu-core", "gpu-memory" };
    const char *key;
    const json_t *v;
    uint64_t n = 0;
    json_object_foreach((json_t *)annotations, key, v) {
        if (strncmp(key, "oks/", 4) != 0) continue;
        size_t i = 0;
        while (i < ARRAY_LEN(known) && strcmp(key + 4, known[i]) != 0) i++;
        n += i == ARRAY_LEN(known);
    }
    return n;
}

/* Cards: the device plugin's count, else the paper's annotations; what is on each from either. */
static enum st read_cards(const struct kube_at *node, const struct kube_at *allocatable, const struct kube_at *labels,
                          const struct kube_at *notes, struct node_spec *s, struct diag *d)
{
    int64_t gpus = -1, mib = 0;
    struct kube_cards noted;
    TRY(kube_amount(allocatable, "nvidia.com/gpu", 1, &gpus, d));
    TRY(kube_cards_read(notes, &noted, d));
    if (gpus >= 0 && noted.number >= 0 && gpus != noted.number)
        return kube_fail(node, d, "nvidia.com/gpu is %lld, and the annotation oks/gpu-number %lld", (long long)gpus, (long long)noted.number);
    if (gpus < 0) gpus = noted.number > 0 ? noted.number : 0;
    if (gpus > NODE_GPUS_MAX) return kube_fail(allocatable, d, "'nvidia.com/gpu' is %lld; a node may have at most %d cards", (long long)gpus, NODE_GPUS_MAX);
    TRY(kube_whole(labels, "nvidia.com/gpu.memory", INT32_MAX, &mib, d));
    s->n_gpu = (uint32_t)gpus;
    if (gpus == 0) return ST_OK;
    TRY(kube_text(labels, "nvidia.com/gpu.product", &s->gpu_type, d));
    if (s->gpu_type == NULL) s->gpu_type = "gpu";
    s->gpu_mem_b = noted.mb > 0 ? noted.mb * MB : mib << 20;
    s->gpu_cores = (int32_t)noted.cores;
    return ST_OK;
}

static enum st count_prefer(struct kube_nodes *k, const struct kube_at *spec, struct diag *d)
{
    struct kube_at taints, t;
    const char *effect;
    TRY(kube_array(spec, "taints", &taints, d));
    for (size_t i = 0; taints.o != NULL && i < json_array_size(taints.o); i++) {
        TRY(kube_element(&taints, i, &t, d));
        TRY(kube_text(&t, "effect", &effect, d));
        if (effect == NULL || strcmp(effect, "PreferNoSchedule") != 0) continue;
        if (k->n_prefer++ == 0) k->prefer_line = k->doc.line[spec->item];
    }
    return ST_OK;
}

static enum st read_node(struct kube_nodes *k, size_t i, struct node_sink *to, struct diag *d)
{
    struct kube_at node = kube_item(&k->doc, i), meta, spec, status, allocatable, labels, notes;
    struct node_spec s = { .name = NULL };
    int64_t pods = 0;
    TRY(kube_object(&node, "metadata", &meta, d));
    TRY(kube_object(&meta, "labels", &labels, d));
    TRY(kube_object(&meta, "annotations", &notes, d));
    TRY(kube_object(&node, "spec", &spec, d));
    TRY(kube_object(&node, "status", &status, d));
    TRY(kube_object(&status, "allocatable", &allocatable, d));
    TRY(kube_text(&meta, "name", &s.name, d));
    if (s.name == NULL) return kube_fail(&meta, d, "found no 'name'");
    if (allocatable.o == NULL) return kube_fail(&allocatable, d, "is not there; what a node can give is read from it");
    TRY(kube_amount(&allocatable, "cpu", 1000, &s.cpu_milli, d));
    TRY(kube_amount(&allocatable, "memory", 1, &s.mem_b, d));
    TRY(kube_amount(&allocatable, "pods", 1, &pods, d));
    if (s.cpu_milli <= 0 || s.mem_b <= 0) return kube_fail(&allocatable, d, "expected 'cpu' and 'memory' above 0");
    if (pods > UINT32_MAX / 2) return kube_fail(&allocatable, d, "'pods' is too large");
    s.max_tasks = (uint32_t)pods;
    TRY(kube_text(&labels, "topology.kubernetes.io/zone", &s.rack, d));
    TRY(read_cards(&node, &allocatable, &labels, &notes, &s, d));
    TRY(count_prefer(k, &spec, d));
    return to->add(to, &s, k->doc.path, k->doc.line[i], 0, d);
}

enum st kube_nodes_load(struct kube_nodes *k, struct node_sink *to, const char *path, struct diag *d)
{
    TRY(kube_doc_load(&k->doc, path, "Node", d));
    for (size_t i = 0; i < k->doc.n; i++) TRY(read_node(k, i, to, d));
    return ST_OK;
}

void kube_nodes_fini(struct kube_nodes *k) { kube_doc_fini(&k->doc); }
