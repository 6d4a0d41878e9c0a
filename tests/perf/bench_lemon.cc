// LEMON's network simplex on a flow problem, for bench_flow alone.
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>
#include <cstdint>
#include <ctime>

extern "C" double bench_lemon(uint32_t n, uint32_t m, const uint32_t *from, const uint32_t *to, const int64_t *cap,
                              const int64_t *cost, const int64_t *supply, int64_t *total);

static double now_ms()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

// Build and solve, in milliseconds of processor time; -1 when it finds no optimum.
double bench_lemon(uint32_t n, uint32_t m, const uint32_t *from, const uint32_t *to, const int64_t *cap,
                   const int64_t *cost, const int64_t *supply, int64_t *total)
{
    using namespace lemon;
    const double began = now_ms();
    SmartDigraph g;
    g.reserveNode(static_cast<int>(n));
    g.reserveArc(static_cast<int>(m));
    for (uint32_t u = 0; u < n; u++) g.addNode();
    SmartDigraph::ArcMap<int64_t> caps(g), costs(g);
    SmartDigraph::NodeMap<int64_t> supplies(g);
    for (uint32_t u = 0; u < n; u++) supplies[g.nodeFromId(static_cast<int>(u))] = supply[u];
    for (uint32_t e = 0; e < m; e++) {
        SmartDigraph::Arc a = g.addArc(g.nodeFromId(static_cast<int>(from[e])), g.nodeFromId(static_cast<int>(to[e])));
        caps[a] = cap[e];
        costs[a] = cost[e];
    }
    NetworkSimplex<SmartDigraph, int64_t, int64_t> ns(g);
    ns.upperMap(caps).costMap(costs).supplyMap(supplies);
    bool ok = ns.run() == NetworkSimplex<SmartDigraph, int64_t, int64_t>::OPTIMAL;
    *total = ok ? ns.totalCost() : 0;
    return ok ? now_ms() - began : -1;
}
