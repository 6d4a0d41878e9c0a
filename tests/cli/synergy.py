"""synergy.py SEED ALLOC ORDER PLACE [norefill] -- a second writing of the policy's rule, for test_synergy.sh.

Writes t.csv, random jobs of one task with 1 to 8 GPUs, and `expected`: each job and when it ends, in us.  On nodes of
8 GPUs, 24 cores and 160 GB; a GPU goes at half its speed with 2 cores and at its best with 4, and each job wants 10 GB.
"""
import random, sys
from fractions import Fraction

seed, alloc, order, place = sys.argv[1:5]
refill = "norefill" not in sys.argv
draw = random.Random(seed)
NODES, ROUND = 3, 300

class Job:
    def __init__(self, number):
        self.number, self.gpus = number, draw.choice([1, 1, 1, 2, 2, 4, 8])
        self.submit, self.left = (draw.randrange(0, 1500) if number else 0), Fraction(draw.randrange(100, 2500))
        self.total, self.rounds, self.now, self.grant = self.left, 0, None, None
        self.best = (min(4 * self.gpus, 24), 10)
        self.fair = (3 * self.gpus, 20 * self.gpus)
        self.wants_more = self.best[0] > self.fair[0] or self.best[1] > self.fair[1]

    def speed(self, grant):
        return min(max(Fraction(grant[0], 4 * self.gpus), Fraction(1, 2)), 1)

    def key(self, now):
        if order == "fifo": return 0
        if order == "las": return self.rounds * self.gpus
        grant = self.grant if self.now is not None else self.fair if alloc == "proportional" else self.best
        return self.left / self.speed(grant)

class Node:
    def __init__(self):
        self.gpus, self.cores, self.gb, self.jobs = 8, 24, 160, []

    def move(self, job, sign):
        self.gpus -= sign * job.gpus
        self.cores -= sign * job.grant[0]
        self.gb -= sign * job.grant[1]

def put(nodes, job, grant):
    fit = [n for n in nodes if n.gpus >= job.gpus and n.cores >= grant[0] and n.gb >= grant[1]]
    if not fit: return False
    node = fit[0] if place == "first" else min(fit, key=lambda n: n.gpus)
    job.grant, job.then = grant, nodes.index(node)
    node.move(job, 1)
    node.jobs.append(job)
    return True

def give(nodes, job):
    if alloc == "proportional": return put(nodes, job, job.fair)
    if put(nodes, job, job.best): return True
    if alloc == "greedy": return False
    grant = job.fair if job.wants_more else job.best
    if put(nodes, job, grant): return True
    free = [n for n in nodes if n.gpus >= job.gpus]
    if not free: return False
    node = free[0] if job.gpus > 1 else min(free, key=lambda n: n.gpus)
    for peer in sorted(node.jobs, key=lambda p: (-Fraction(p.grant[0], p.gpus), -Fraction(p.grant[1], p.gpus))):
        if node.cores >= grant[0] and node.gb >= grant[1]: break
        if peer.wants_more:
            node.move(peer, -1)
            peer.grant = peer.fair
            node.move(peer, 1)
    return put(nodes, job, grant)

jobs = [Job(k) for k in range(draw.randrange(10, 40))]
jobs.sort(key=lambda j: (j.submit, j.number))
with open("t.csv", "w") as t:
    print("id,submit_s,duration_s,user,cpus,gpus,mem_mib,model", file=t)
    for j in jobs: print(f"{j.number},{j.submit},{j.total},u,1,{j.gpus},1024,cores", file=t)
now, open_jobs, ends = 0, jobs, {}
while open_jobs:
    nodes, n_free = [Node() for _ in range(NODES)], 8 * NODES
    turn = sorted((j for j in open_jobs if j.submit <= now), key=lambda j: j.key(now))
    if not refill:
        chosen = []
        for j in turn:
            if j.gpus <= n_free: n_free -= j.gpus; chosen.append(j)
        if alloc == "tune": chosen.sort(key=lambda j: -j.gpus)
        rest, turn, n_free = [j for j in turn if j not in chosen], chosen, 8 * NODES
    given = []
    for part in [turn] if refill else [turn, rest]:
        if given: break
        for j in part:
            if j.gpus <= n_free and give(nodes, j): n_free -= j.gpus; given.append(j)
    for j in open_jobs: j.now = j.then if j in given else None
    for j in given:
        takes = j.left / j.speed(j.grant)
        if takes <= ROUND: ends[j.number] = now + takes
        j.left -= ROUND * j.speed(j.grant)
        j.rounds += 1
    open_jobs = [j for j in open_jobs if j.number not in ends]
    now += ROUND
with open("expected", "w") as e:
    for j in jobs: print(j.number, -(-ends[j.number] * 1000000 // 1), file=e)
