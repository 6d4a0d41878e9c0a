/*
 * qssf.c -- the quasi-shortest service first: by estimated run time x GPUs, strictly in that order, without
 * preemption.  README.md, qssf.
 *
 * Cost: list_run's (lib/sched/list.h), and a sort of what came while nothing waited.
 * Source: Hu et al., Characterization and Prediction of Deep Learning Workloads in Large-Scale GPU Datacenters,
 * SC 2021; its queue as Lucid's simulator has it, github.com/S-Lab-System-Group/Lucid.
 */
#include "lib/sched/choose.h"
#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"

struct qssf { struct sched sched; struct chooser *fresh; size_t cap_fresh; uint32_t n_fresh; };

enum { P_PLACE, P_MODE, P_ESTIMATE };
static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict"), LIST_ESTIMATE_OF("like") };

static int64_t wait_key(void *self, const struct unit *u) { return list_by_gpu(self, u, u->est); }

/* Nothing waited before: what came is tried by GPUs, the fewest first. */
static void by_gpus(struct qssf *q)
{
    struct sched *d = &q->sched;
    q->n_fresh = 0;
    for (uint32_t i = 0; i < d->n_fresh; i++) {
        const struct unit *u = sched_unit(d, d->fresh[i]);
        const struct chooser c = { sched_gpu_milli(d, u), u->ordinal, u->index, d->fresh[i] };
        POL_PUSH(q->fresh, q->n_fresh, q->cap_fresh, c);
    }
    if (q->n_fresh > 0) qsort(q->fresh, q->n_fresh, sizeof *q->fresh, choose_order);
    for (uint32_t i = 0; i < q->n_fresh; i++)
        if (!sched_try(d, q->fresh[i].id, "fewest GPUs of what came, fits") && d->mode == LIST_STRICT) return;
}

static void decide(void *self)
{
    struct qssf *q = self;
    if (q->sched.wait.n > q->sched.n_fresh) list_run(&q->sched, (enum list_mode)q->sched.mode);
    else by_gpus(q);
}

static void fini(void *self) { free(((struct qssf *)self)->fresh); }

static const struct sched_ops ops = {
    .wait_key = wait_key, .size = sizeof(struct qssf), .decide = decide, .fini = fini, .knows_licences = true,
};

LIST_POLICY(pol_qssf, ops, params,
            .name = "qssf", .source = "Hu et al., QSSF, SC 2021, as Lucid's simulator has it",
            .summary = "units by estimated run time x GPUs, strictly; estimates from jobs like them",
            .flags = POL_USES_LIMITS | POL_CLAIRVOYANT);
