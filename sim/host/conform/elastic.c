/*
 * elastic.c -- a case of elastic jobs alone, each with a model of goodput and a profile, for policies that take no
 * others.
 *
 * On two types of GPU, on which cores, memory or a label run out before GPUs do; a job may ask for one type.  In
 * seconds, as such policies decide each minute.
 */
#include "host/conform/elastic.h"

#include "host/conform/build.h"
#include "base/mem.h"

void elastic_case(struct conform_case *c)
{
    struct profile p = { .n_nodes = 1, .n_gpus = 1, .gpu_type = NONE, .bw = 1000000,
                         .category = intern_id(&c->profiles.categories, "image") };
    struct diag d = { 0 };
    const uint64_t label = UINT64_C(1) << cluster_label(&c->cluster, "big", &d);
    for (uint32_t i = 0; i < 4; i++)
        build_node_of(c, (struct node_spec){ .cpu_milli = i < 2 ? 6000 : 3000, .n_gpu = i < 2 ? 4 : 2,
                                             .gpu_type = i < 2 ? "A" : "B", .labels = i % 2 == 0 ? label : 0 });
    p.model = throughput_model(&c->perf, "m");
    throughput_set(&c->perf, p.model, 0, RATE_ONE);
    throughput_set(&c->perf, p.model, 1, RATE_ONE / 2);
    SIM_ASSERT(curve_parse(&p.util, "linear:1") == NULL && profiles_add(&c->profiles, &p));
    for (uint32_t at = LEVEL_RACK; at <= LEVEL_CROSS; at++) {
        const struct measured_speed slower = { .model = p.model, .where = at, .gpu_type = NONE, .speed = 0.8 };
        SIM_ASSERT(measured_add(&c->profiles.apart, slower));
    }
    struct scaling_row row = { .name = intern_id(&c->profiles.scaling.names, "g"), .gpu_type = NONE,
                               .restart = 10 * TICK_SEC };
    MEM_NEW(row.model);
    *row.model = (struct adaptive){ .alpha_c = 0.05, .beta_c = 0.002, .alpha_r = 0.03, .beta_r = 0.002, .alpha_n = 0.08,
                                    .beta_n = 0.004, .gamma = 2, .noise = 1500, .batch = 128, .max_batch = 4096,
                                    .min_local = 16, .max_local = 256 };
    scaling_fill(&row, 12);
    SIM_ASSERT(scaling_add(&c->profiles.scaling, &row));
    for (uint32_t i = 0; i < 20; i++) {
        struct conform_job *j = build_job(c, 25 * TICK_SEC * (i / 2), (60 + 40 * (i % 7)) * TICK_SEC, 1000, 1, 1000);
        struct shape *s = &j->group[0].shape;
        build_gang(j, 1 + i % 3);
        j->elastic = (struct elastic){ .min = 1 + (i % 6 == 2), .max = 3 + i % 6, .scaling = 0 };
        j->model = "m";
        if (i % 4 == 1) s->cpu_milli = 2000;
        if (i % 5 == 2) s->mem_b = 5 * BUILD_GIB;
        if (i % 7 == 3) s->gpu_types = 1 << 1;
        if (i % 7 == 5) s->need_all = label;
    }
    build_fault(c, 130 * TICK_SEC, 0, false);
    build_fault(c, 290 * TICK_SEC, 0, true);
    c->cfg.profiles = &c->profiles;
    c->cfg.checkpoint_interval = 0;
    c->cfg.horizon = 24 * 3600 * TICK_SEC;
    c->is_slow = c->has_profiles = true;
}
