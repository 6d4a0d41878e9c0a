/* First come, first served, after a nap of 0.3 s: a run that takes its time on any machine, and no processor. */
#include "lib/sched/list.h"
#include <time.h>

struct mine { struct sched sched; bool is_awake; };

static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("skip") };

static int64_t wait_key(void *self, const struct unit *u)
{
    struct mine *m = self;
    (void)u;
    if (!m->is_awake) (void)nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
    m->is_awake = true;
    return 0;
}

static const struct sched_ops ops = { .wait_key = wait_key, .size = sizeof(struct mine) };

LIST_POLICY(fairway_policy, ops, params, .name = "naps", .summary = "fifo that begins late");
