/*
 * distance.c -- what exchange costs a unit: between its cards on a node, and between its nodes.
 *
 * In the network's shared mode each of its nodes sends to the next, the last to the first (a ring, as
 * all-reduce has it), over a standing flow, and the slowest of these is what all wait for.
 */
#include "model/speed/speed_priv.h"

#include <math.h>

static void narrow(int64_t *way, int64_t bps) { if (bps > 0 && bps < *way) *way = bps; }

/* What the part sends: its profile's figure or the general one, at the speed of its GPUs where that is nominal's. */
static double sent(const struct speed *s, const struct part *x, int64_t of_profile, int64_t general)
{
    const struct profile *p = x->profile;
    double bw = (double)(of_profile > 0 ? of_profile : general);
    return p != NULL && p->gpu_type != NONE ? bw : bw * ((double)speed_on(s, x->first, x->node) / RATE_ONE);
}

static double sent_out(const struct speed *s, const struct part *x)
{
    return sent(s, x, x->profile != NULL ? x->profile->net_bw : 0, s->env.profiles->net_bw);
}

static double sent_within(const struct speed *s, const struct part *x)
{
    return sent(s, x, x->profile != NULL ? x->profile->gpu_bw : 0, s->env.profiles->gpu_bw);
}

/* The longest that cards of one node exchange, over the time in which they compute. */
static double within_nodes(const struct speed *s)
{
    double most = 0;
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct part *x = &s->part[i];
        int64_t way = cluster_card_way(s->env.cluster, x->node, x->cards);
        if (way > 0) most = fmax(most, sent_within(s, x) / (double)way);
    }
    return most;
}

static enum data_level span(const struct speed *s)
{
    const struct pol_node *node = s->env.cluster->node;
    for (uint32_t i = 1; i < s->n_part; i++)
        if (node[s->part[i].node].rack != node[s->part[0].node].rack) return LEVEL_CROSS;
    return s->n_part > 1 ? LEVEL_RACK : LEVEL_LOCAL;
}

/* What the links would let each node send alone. */
static int64_t nominal_way(const struct speed *s)
{
    const struct net_spec *net = s->env.net_spec;
    int64_t way = INT64_MAX;
    narrow(&way, net->card_bps);
    narrow(&way, net->rack_bps);
    if (span(s) == LEVEL_CROSS) narrow(&way, net->aggregation_bps);
    return way;
}

/* What they let it send beside all others. */
static int64_t shared_way(const struct speed *s)
{
    int64_t way = INT64_MAX;
    for (uint32_t i = 0; i < s->n_part; i++) {
        uint32_t flow = s->load[s->part[i].first].flow;
        if (flow != NONE) narrow(&way, net_bps(s->env.net, flow));
    }
    return way;
}

static double between_nodes(const struct speed *s)
{
    int64_t way = s->env.net != NULL ? shared_way(s) : nominal_way(s);
    double most = 0;
    for (uint32_t i = 0; i < s->n_part; i++) {
        most = fmax(most, sent_out(s, &s->part[i]));
        narrow(&way, s->env.cluster->own[s->part[i].node].link_bps);
    }
    return way == INT64_MAX ? 0 : most / (double)way;
}

/* As it was measured on its slowest type; false: it was not. */
static bool find_measured(const struct speed *s, uint32_t t, double *speed)
{
    enum data_level how = span(s);
    bool is_known = false;
    for (uint32_t i = 0; i < s->n_part && how != LEVEL_LOCAL && s->env.profiles->apart.n > 0; i++) {
        uint32_t model = speed_model(s, t), type = s->env.cluster->node[s->part[i].node].gpu_type;
        double one;
        if (!profiles_apart(s->env.profiles, model, how == LEVEL_CROSS, type, &one)) continue;
        *speed = is_known ? fmin(*speed, one) : one;
        is_known = true;
    }
    return is_known;
}

/* Its scaling has speeds on several nodes, in which all exchange is.  Of several types one that has is enough. */
static bool is_in_scaling(const struct speed *s, uint32_t t)
{
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct scaling_row *row = speed_scaling_on(s, t, s->part[i].node);
        if (row != NULL && scaling_tells_several(row)) return true;
    }
    return false;
}

double speed_distance(const struct speed *s, uint32_t t)
{
    double speed;
    if (!speed_has_gpus(s, t) || is_in_scaling(s, t)) return 1;
    if (s->n_part > 1 && find_measured(s, t, &speed)) return speed;
    return 1 / (1 + within_nodes(s) + (s->n_part > 1 ? between_nodes(s) : 0));
}

void speed_exchange_begin(struct speed *s, uint32_t t)
{
    double measured;
    if (s->env.net == NULL || s->n_part < 2 || !speed_has_gpus(s, t)) return;
    if (is_in_scaling(s, t) || find_measured(s, t, &measured)) return;
    for (uint32_t i = 0; i < s->n_part; i++) {
        const struct part *from = &s->part[i], *to = &s->part[(i + 1) % s->n_part];
        if (sent_out(s, from) > 0) s->load[from->first].flow = net_stand(s->env.net, from->node, to->node, t);
    }
}

void speed_exchange_end(struct speed *s, uint32_t t, sim_tick now)
{
    JOBS_UNIT_EACH(s->env.jobs, t, k) {
        if (s->load[k].flow != NONE) net_stop(s->env.net, s->load[k].flow, now);
        s->load[k].flow = NONE;
    }
}
