#!/usr/bin/env python3
"""Pollux' measurements and its workloads as a scenario.  README.md says what comes of them.

  convert.py [--ran RUN] DATA WORKLOAD... FORM OUT

DATA      folder with traces/MODEL/{placements,scalability,validation-BATCH}.csv, as in Pollux' artifact
WORKLOAD  name,time,application,num_replicas,batch_size, a row a job; of several, seed 1 replays the first, and so on
FORM      rigid    each job has the GPUs and the batch that it asks
          elastic  any number of GPUs; the batch that it asks
          adaptive any number of GPUs; any batch
RUN       of one workload, not adaptive: a database with a run of OUT with output.speeds.  A job's duration, and when it
          tells of its epochs, become those with which each epoch ends at the second at which it would in their
          simulator, where the job ran and when it did; and step times are theirs where several interpolations fit
          alike, which takes SciPy.  To be repeated until OUT stays as it is
OUT       folder for steps.csv, scaling.csv, jobs.csv (of several workloads jobs-1.csv, ...) and pollux.yaml
"""
import collections
import csv
import glob
import math
import os
import sqlite3
import sys

# What Pollux' simulator is told of models besides its measurements.
MAX_LOCAL = {"yolov3": 8}
FIXED = {"ncf": 32768}                  # adapts neither its batch nor its GPUs
NODES, WIDTH, MOST = 16, 4, 64          # nodes, GPUs of each, and of all
RESTART_S, ROUND_S = 30, 60             # of every start; between decisions
SLACK_S = 0.001                         # by how much an epoch ends before their second, so that their round sees it

SCENARIO = """name: pollux-{form}
title: Workloads of Pollux' on {n} nodes of {w} T4, {form}
cluster:
  groups:
    - {{name: n, count: {n}, cpus: 1, mem: 1GiB, gpus: {w}, gpu_type: T4}}
profiles:
  scaling: scaling.csv
  steps: steps.csv
{phases}trace: {{format: native, {jobs}, defaults: {{cpus: 0, mem: 0B}}}}
policies: [{policies}]
seeds: {seeds}
sweep:                                  # as measured; and with half of the nodes twice as fast, which nobody measured
  cases:
    - {{}}
    - set:
        cluster.groups:
          - {{name: n, count: {half}, cpus: 1, mem: 1GiB, gpus: {w}, gpu_type: T4}}
          - {{name: f, count: {half}, cpus: 1, mem: 1GiB, gpus: {w}, gpu_type: fast}}
        cluster.gpu_types: {{T4: {{speed: 1}}, fast: {{speed: 2}}}}
"""
POLICIES = {
    "rigid": "fifo, 'fifo:mode=skip', multiqueue, 'srtf:estimate=true', tiresias, "
             "'tiresias:limits=57600,every=60s,order=submit,place=fill', qssf, lucid, themis, gavel, 'gavel:every=360s', "
             "'gavel:objective=makespan', gsp, fsu",
    "elastic": "afs, optimus",
    "adaptive": "afs, 'pollux:population=30,generations=20', sia",
}


def rows(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))


def dense(gpus):
    """So many on as few nodes as may be."""
    return [WIDTH] * (gpus // WIDTH) + ([gpus % WIDTH] if gpus % WIDTH else [])


class Model:
    def __init__(self, folder):
        self.name = os.path.basename(folder)
        self.steps, self.known = [], {}         # placement, nodes, gpus, local, step, sync; step_seconds
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

    def measure_as_they_do(self, batches, most):
        """Add step times of these batches that were not measured, on up to so many GPUs, as SciPy's Qhull has them."""
        try:
            from scipy.interpolate import LinearNDInterpolator
        except ImportError:
            sys.exit("convert.py: --ran needs SciPy (Debian: python3-scipy)")
        points = {}
        for name, *at, step, sync in sorted(self.steps, key=lambda s: s[1:4] if s[0] else (NODES + 1,)):
            points.setdefault(tuple(at), []).append((step, sync))       # without a placement: last, as they are read
        times = LinearNDInterpolator(list(points), [[sum(t) / len(t) for t in zip(*p)] for p in points.values()])
        new = {(nodes, gpus, self.split(gpus, batch)[0]) for batch in batches for gpus in range(1, most(batch) + 1)
               for nodes in range(-(-gpus // WIDTH), min(gpus, NODES) + 1)}
        for at in sorted(new - set(points)):
            step, sync = times([at])[0].tolist()        # one by one: of equals, the first from where it last was
            if step == step:                            # else outside of all that was measured
                self.steps.append(("", *at, step, sync))

    def split(self, gpus, batch):
        """Examples on a GPU at a time, and how often more before an exchange (adaptive.h)."""
        local = math.ceil(batch / gpus - 1e-8)
        more = math.ceil(local / self.max_local - 1e-8) - 1
        if gpus == 1 and batch > self.batch:
            more = max(1, more)
        return min(math.ceil(local / (more + 1) - 1e-8), self.max_batch // (gpus * (more + 1))), more

    def step_seconds(self, batch, counts):
        """Of a step on GPUs of so many on each node, and how many examples it takes (steps.h, adaptive.h)."""
        nodes, gpus = len(counts), sum(counts)
        name = "+".join(map(str, min(counts[i:] + counts[:i] for i in range(nodes))))
        local, more = self.split(gpus, batch)
        if (name, batch) not in self.known:
            own = {s[3]: s[4:] for s in self.steps if s[0] == name}
            own = own or {s[3]: s[4:] for s in self.steps if s[0] == "" and s[1:3] == (nodes, gpus)}
            if not own:
                sys.exit(f"convert.py: {self.name}: no measurement of {gpus} GPUs on {nodes} nodes")
            x = sorted(own)
            at = min(max(local, x[0]), x[-1])
            hi = next(i for i in range(len(x)) if x[i] >= at)
            lo = hi if x[hi] == at else hi - 1
            part = (at - x[lo]) / (x[hi] - x[lo]) if hi != lo else 0
            step, sync = (own[x[lo]][k] * (1 - part) + own[x[hi]][k] * part for k in (0, 1))
            self.known[name, batch] = step + more * (step - sync), local * gpus * (more + 1)
        return self.known[name, batch]

    def gain(self, batch, epoch):
        """What a step of a batch is worth in an epoch, in steps of the first; between measured ones, of mean noise."""
        above = min(b for b in self.batches if b >= batch)
        below = max(b for b in self.batches if b <= batch)
        part = (batch - below) / (above - below) if above != below else 0
        sqr, var = (float(self.runs[below][epoch][k]) * (1 - part) + float(self.runs[above][epoch][k]) * part
                    for k in ("grad_sqr", "grad_var"))
        return (var + sqr) / (var * self.batch / batch + sqr)

    def ends(self, batch, stays):
        """When the epochs of a job end, in their seconds, that runs in stays as stays_in has them; and whether at once.

        In each round what is left of an epoch takes whole seconds, as their simulator has it: where that is none of a
        round's, the epoch ends just behind the round's decision.
        """
        epoch, progress = 0, 0.0
        for now, until, counts, _ in stays:
            step, batch_there = self.step_seconds(batch, counts)
            now, left = now + RESTART_S, ROUND_S - RESTART_S
            while until is None or now < until:
                rate = self.gain(batch_there, epoch) / step
                if progress + rate * left < self.until[epoch + 1]:
                    progress += rate * left
                    now += left
                    left = ROUND_S
                    continue
                seconds = round((self.until[epoch + 1] - progress) / rate)
                now += seconds
                yield now, seconds == 0
                left = left - seconds if seconds < left else ROUND_S
                epoch += 1
                progress = self.until[epoch]
                if epoch == len(self.until) - 1:
                    return

    def work(self, batch, stays, slack):
        """Seconds at the GPUs asked that are done at the end of each epoch, slack before it, or behind one at once."""
        done = []
        for end, is_at_once in self.ends(batch, stays):
            end += slack if is_at_once else -slack
            by_stay = (speed * max(0, (end if until is None else min(end, until)) - since - RESTART_S)
                       for since, until, _, speed in stays)
            done.append(max(sum(by_stay), done[-1] + 1e-6 if done else 1e-6))
        return done

    def told(self, asked, batch, done):
        """What share of its work a job says is left, by the share done: iterations behind the epoch in which it is."""
        iterations = [int(r["iteration"]) for r in self.runs[batch]][:len(done)]
        step = self.step_seconds(batch, dense(asked))[0]
        return ";".join(f"{at / done[-1]:.12f}:{(iterations[-1] - i) * step / done[-1]:.12f}"
                        for at, i in zip([0] + done[:-1], iterations))

    def best_seconds(self, gpus):
        """Of each epoch, with the batch that is best in it: as adaptive.h chooses it."""
        least = max(self.batch, self.min_local * gpus)
        batches = [min(self.max_batch, least * (self.max_batch / least) ** (i / 49)) for i in range(50)]
        tried = [self.step_seconds(b, dense(gpus)) for b in batches]
        return [(self.until[e + 1] - self.until[e]) * min(step / self.gain(b, e) for step, b in tried)
                for e in range(len(self.until) - 1)]

    def noise_in(self, epoch):
        """As a run with the middle one of its batches measured it."""
        r = self.runs[self.batches[len(self.batches) // 2]][epoch]
        return self.batch * float(r["grad_var"]) / float(r["grad_sqr"])


def stays_in(path):
    """Of a run: the stays of each job.

    A stay: from when, until when (the last: None), GPUs on each node, the most first as they fill nodes, and the speed
    beside that on as few nodes as may be.
    """
    run, jobs = sqlite3.connect(path), {}
    for name, since, until, cards, speed in run.execute(
            "SELECT id, a.start_us / 1e6, a.end_us / 1e6, group_concat(node),"
            " (SELECT speed FROM speed s WHERE s.ordinal = a.ordinal AND at_us <= a.end_us ORDER BY seq DESC LIMIT 1)"
            " FROM job JOIN attempt a USING (run, ordinal) GROUP BY ordinal, a.start_us ORDER BY ordinal, a.start_us"):
        counts = sorted(collections.Counter(cards.split(",")).values(), reverse=True)
        jobs.setdefault(name, []).append((since, until, counts, speed))
    for stays in jobs.values():
        stays[-1] = (stays[-1][0], None, *stays[-1][2:])
    run.close()
    return jobs


def write(path, header, lines):
    with open(path, "w") as f:
        f.write(header + "\n")
        f.writelines(",".join(map(str, line)) + "\n" for line in lines)


def main():
    args, ran = sys.argv[1:], {}
    if args[:1] == ["--ran"] and len(args) > 1:
        ran = stays_in(args[1])
        args = args[2:]
    if len(args) < 4 or args[-2] not in POLICIES or ran and (len(args) > 4 or args[-2] == "adaptive"):
        sys.exit(__doc__)
    data, *workloads, form, out = args
    models = {os.path.basename(p): Model(p) for p in sorted(glob.glob(os.path.join(data, "traces", "*")))}
    os.makedirs(out, exist_ok=True)
    asked_batches = {(j["application"], int(j["batch_size"])) for w in workloads for j in rows(w)}
    for m in models.values() if ran else ():
        m.measure_as_they_do([b for name, b in asked_batches if name == m.name], lambda b: min(MOST, b // m.min_local))
    write(os.path.join(out, "steps.csv"), "steps,placement,nodes,gpus,local,step_s,sync_s",
          [(m.name, *s) for m in models.values() for s in m.steps])
    scalings, phases = {}, {}

    def scaling(name, m, gain, noise, fixed, told=None):
        points = ";".join(f"{b}:{gain(b):.9f}" for b in m.batches)
        scalings[name] = (name, m.name, points, f"{noise:.6f}", m.batch, m.max_batch, m.min_local, m.max_local, fixed,
                          told or len(m.until) - 1, RESTART_S, RESTART_S)

    def jobs_of(workload):
        jobs = []
        for j in rows(workload):
            m, asked, batch = models[j["application"]], int(j["num_replicas"]), int(j["batch_size"])
            fixed = FIXED.get(m.name, "") if form == "adaptive" else batch
            least, most = 1, min(MOST, (fixed or m.max_batch) // m.min_local)
            if m.name in FIXED:
                most = 1
            if form == "rigid":
                least = most = asked
            asked = min(max(asked, least), most)
            name, model, told = f"{m.name}-{fixed}" if fixed else m.name, "", None
            if fixed:
                never_stopped = [(-RESTART_S, None, dense(asked), 1)]
                done = m.work(fixed, ran.get(j["name"], never_stopped), SLACK_S if ran else 0)
                seconds = done[-1]
                if form == "elastic":
                    name, told = j["name"] if ran else f"{name}-{asked}", m.told(asked, fixed, done)
            else:
                by_epoch = m.best_seconds(asked)
                seconds, model, sum_s = sum(by_epoch), f"{m.name}-{asked}", 0
                phases[model] = []
                for e, s in enumerate(by_epoch):
                    sum_s += s
                    scaling(f"{name}.{e}", m, lambda b, e=e: m.gain(b, e), m.noise_in(e), "")
                    phases[model].append(f"{{until: {min(sum_s / seconds, 1):.6f}, scaling: {name}.{e}}}")
            scaling(name, m, m.mean_gain.get, m.noise(), fixed, told)
            jobs.append((j["name"], j["time"], f"{seconds:.6f}", asked, 1, 1, least, most, name, model))
        # Their rounds are at multiples of 60 s of the workload's clock, which here would begin with its first job.
        jobs.insert(0, ("clock", 0, 0, 1, 1, 1, 1, 1, jobs[0][-2], ""))
        return jobs

    files = ["jobs.csv"] if len(workloads) == 1 else [f"jobs-{i + 1}.csv" for i in range(len(workloads))]
    for file, workload in zip(files, workloads):
        write(os.path.join(out, file), "id,submit_s,duration_s,tasks,gang,gpus,min_tasks,max_tasks,scaling,model",
              jobs_of(workload))
    write(os.path.join(out, "scaling.csv"),
          "scaling,steps,gain,noise,batch,max_batch,min_local,max_local,fixed_batch,epochs,start_s,restart_s",
          [scalings[k] for k in sorted(scalings)])
    with open(os.path.join(out, "pollux.yaml"), "w") as f:
        more = "".join(f"    {k}: [{', '.join(v)}]\n" for k, v in sorted(phases.items()))
        f.write(SCENARIO.format(n=NODES, half=NODES // 2, w=WIDTH, form=form, policies=POLICIES[form], seeds=len(files),
                                jobs=f"instances: [{', '.join(files)}]" if len(files) > 1 else f"path: {files[0]}",
                                phases="  phases:\n" + more if more else ""))
        if phases:
            f.write("models:\n" + "".join(f"  {k}: {{T4: 1}}\n" for k in sorted(phases)))


if __name__ == "__main__":
    main()
