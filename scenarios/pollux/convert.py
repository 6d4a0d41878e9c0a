#!/usr/bin/env python3
"""Pollux' measurements and one of its workloads as a scenario.  README.md says what comes of them.

  convert.py DATA WORKLOAD FORM OUT

DATA      folder with traces/MODEL/{placements,scalability,validation-BATCH}.csv, as in Pollux' artifact
WORKLOAD  name,time,application,num_replicas,batch_size, a row a job
FORM      rigid    each job has the GPUs and the batch that it asks
          elastic  any number of GPUs; the batch that it asks
          adaptive any number of GPUs; any batch
OUT       folder for steps.csv, scaling.csv, jobs.csv and pollux.yaml
"""
import csv
import glob
import math
import os
import sys

# What Pollux' simulator is told of models besides its measurements.
MAX_LOCAL = {"yolov3": 8}
FIXED = {"ncf": 32768}                  # adapts neither its batch nor its GPUs
NODES, WIDTH, MOST = 16, 4, 64          # nodes, GPUs of each, and of all
RESTART_S, ROUND_S = 30, 60             # of every start; between decisions

SCENARIO = """name: pollux
title: A workload of Pollux' on {n} nodes of {w} T4, {form}
cluster:
  groups:
    - {{name: n, count: {n}, cpus: 1, mem: 1GiB, gpus: {w}, gpu_type: T4}}
profiles:
  scaling: scaling.csv
  steps: steps.csv
{phases}trace: {{format: native, path: jobs.csv, defaults: {{cpus: 0, mem: 0B}}}}
policies: [{policies}]
"""
POLICIES = {"rigid": "fifo, tiresias:limits=57600", "elastic": "afs, optimus", "adaptive": "afs, pollux"}


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


class Model:
    def __init__(self, folder):
        self.name = os.path.basename(folder)
        self.steps = []                 # placement, nodes, gpus, local, step, sync
        for r in rows(os.path.join(folder, "placements.csv")):
            counts = [int(c) for c in r["placement"]]
            self.steps.append(("+".join(map(str, counts)), len(counts), sum(counts), int(r["local_bsz"]),
                               float(r["step_time"]), float(r["sync_time"])))
        self.min_local = min(s[3] for s in self.steps)
        self.max_local = MAX_LOCAL.get(self.name, max(s[3] for s in self.steps))
        for r in rows(os.path.join(folder, "scalability.csv")):
            self.steps.append(("", int(r["num_nodes"]), int(r["num_replicas"]), int(r["local_bsz"]),
                               float(r["step_time"]), float(r["sync_time"])))
        self.runs = runs = {}
        for path in glob.glob(os.path.join(folder, "validation-*.csv")):
            runs[int(path.rsplit("-", 1)[1][:-4])] = rows(path)
        self.batches = sorted(runs)
        self.batch, self.max_batch = self.batches[0], self.batches[-1]
        epochs = min(len(r) for r in runs.values())
        self.until = until = [0.0] + [min(float(r[e]["progress"]) for r in runs.values()) for e in range(epochs)]
        # Progress is in steps of the first batch.  Over the whole job, a step of batch b is worth so many:
        self.mean_gain = {b: until[-1] / sum((until[e + 1] - until[e]) / self.gain(b, e) for e in range(epochs))
                          for b in self.batches}

    def noise(self):
        """The one noise scale with which the largest batch has its mean gain: gain = b (noise + m) / m (noise + b)."""
        b, m, gain = self.max_batch, self.batch, self.mean_gain[self.max_batch]
        return m * b * (gain - 1) / (b - gain * m)

    def step_seconds(self, gpus, batch):
        """Of a step on so many GPUs of as few nodes as may be, and how many examples it takes (steps.h, adaptive.h)."""
        full, rest = divmod(gpus, WIDTH)
        nodes = full + (rest > 0)
        name = "+".join(map(str, ([rest] if rest else []) + [WIDTH] * full))
        own = {s[3]: s[4:] for s in self.steps if s[0] == name}
        own = own or {s[3]: s[4:] for s in self.steps if s[0] == "" and s[1:3] == (nodes, gpus)}
        if not own:
            sys.exit(f"convert.py: {self.name}: no measurement of {gpus} GPUs on {nodes} nodes")
        local = math.ceil(batch / gpus - 1e-8)
        more = math.ceil(local / self.max_local - 1e-8) - 1
        if gpus == 1 and batch > self.batch:
            more = max(1, more)
        local = min(math.ceil(local / (more + 1) - 1e-8), self.max_batch // (gpus * (more + 1)))
        x = sorted(own)
        at = min(max(local, x[0]), x[-1])
        hi = next(i for i in range(len(x)) if x[i] >= at)
        lo = hi if x[hi] == at else hi - 1
        part = (at - x[lo]) / (x[hi] - x[lo]) if hi != lo else 0
        step, sync = (own[x[lo]][k] * (1 - part) + own[x[hi]][k] * part for k in (0, 1))
        return step + more * (step - sync), local * gpus * (more + 1)

    def gain(self, batch, epoch):
        """What a step of a batch is worth in an epoch, in steps of the first batch; between measured ones, of mean noise."""
        above = min(b for b in self.batches if b >= batch)
        below = max(b for b in self.batches if b <= batch)
        part = (batch - below) / (above - below) if above != below else 0
        sqr, var = (float(self.runs[below][epoch][k]) * (1 - part) + float(self.runs[above][epoch][k]) * part
                    for k in ("grad_sqr", "grad_var"))
        return (var + sqr) / (var * self.batch / batch + sqr)

    def duration(self, gpus, batch):
        """Seconds, with what is left of each epoch at a round of theirs in whole ones, as their simulator has it."""
        step, batch = self.step_seconds(gpus, batch)
        left, total = ROUND_S - RESTART_S, 0
        for e in range(len(self.until) - 1):
            rate = self.gain(batch, e) / step
            todo = self.until[e + 1] - self.until[e]
            while todo > rate * left:
                todo -= rate * left
                total += left
                left = ROUND_S
            seconds = round(todo / rate)
            total += seconds
            left = left - seconds if seconds < left else ROUND_S
        return total

    def best_seconds(self, gpus):
        """Of each epoch, with the batch that is best in it: as adaptive.h chooses it."""
        least = max(self.batch, self.min_local * gpus)
        tried = [self.step_seconds(gpus, min(self.max_batch, least * (self.max_batch / least) ** (i / 49))) for i in range(50)]
        return [(self.until[e + 1] - self.until[e]) * min(step / self.gain(b, e) for step, b in tried)
                for e in range(len(self.until) - 1)]

    def noise_in(self, epoch):
        """As a run with the middle one of its batches measured it."""
        r = self.runs[self.batches[len(self.batches) // 2]][epoch]
        return self.batch * float(r["grad_var"]) / float(r["grad_sqr"])


def write(path, header, lines):
    with open(path, "w") as f:
        f.write(header + "\n")
        f.writelines(",".join(map(str, line)) + "\n" for line in lines)


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in POLICIES:
        sys.exit(__doc__)
    data, workload, form, out = sys.argv[1:]
    models = {os.path.basename(p): Model(p) for p in sorted(glob.glob(os.path.join(data, "traces", "*")))}
    os.makedirs(out, exist_ok=True)
    write(os.path.join(out, "steps.csv"), "steps,placement,nodes,gpus,local,step_s,sync_s",
          [(m.name, *s) for m in models.values() for s in m.steps])
    jobs, scalings, phases = [], {}, {}

    def scaling(name, m, gain, noise, fixed):
        points = ";".join(f"{b}:{gain(b):.9f}" for b in m.batches)
        scalings[name] = (name, m.name, points, f"{noise:.6f}", m.batch, m.max_batch, m.min_local, m.max_local, fixed,
                          len(m.until) - 1, RESTART_S, RESTART_S)

    for j in rows(workload):
        m, asked, batch = models[j["application"]], int(j["num_replicas"]), int(j["batch_size"])
        fixed = FIXED.get(m.name, "") if form == "adaptive" else batch
        least, most = 1, min(MOST, (fixed or m.max_batch) // m.min_local)
        if m.name in FIXED:
            most = 1
        if form == "rigid":
            least = most = asked
        asked = min(max(asked, least), most)
        name = f"{m.name}-{fixed}" if fixed else m.name
        scaling(name, m, m.mean_gain.get, m.noise(), fixed)
        model = ""
        if fixed:
            seconds = m.duration(asked, fixed)
        else:
            by_epoch = m.best_seconds(asked)
            seconds, model, sum_s = sum(by_epoch), f"{m.name}-{asked}", 0
            phases[model] = []
            for e, s in enumerate(by_epoch):
                sum_s += s
                scaling(f"{name}.{e}", m, lambda b, e=e: m.gain(b, e), m.noise_in(e), "")
                phases[model].append(f"{{until: {min(sum_s / seconds, 1):.6f}, scaling: {name}.{e}}}")
        jobs.append((j["name"], j["time"], f"{seconds:.6f}", asked, 1, 1, least, most, name, model))
    write(os.path.join(out, "scaling.csv"),
          "scaling,steps,gain,noise,batch,max_batch,min_local,max_local,fixed_batch,epochs,start_s,restart_s",
          [scalings[k] for k in sorted(scalings)])
    # Their rounds are at multiples of 60 s of the workload's clock, which here would begin with its first job.
    jobs.insert(0, ("clock", 0, 0, 1, 1, 1, 1, 1, jobs[0][-2], ""))
    write(os.path.join(out, "jobs.csv"), "id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling,model", jobs)
    with open(os.path.join(out, "pollux.yaml"), "w") as f:
        more = "".join(f"    {k}: [{', '.join(v)}]\n" for k, v in sorted(phases.items()))
        f.write(SCENARIO.format(n=NODES, w=WIDTH, form=form, policies=POLICIES[form], phases="  phases:\n" + more if more else ""))
        if phases:
            f.write("models:\n" + "".join(f"  {k}: {{T4: 1}}\n" for k in sorted(phases)))


if __name__ == "__main__":
    main()
