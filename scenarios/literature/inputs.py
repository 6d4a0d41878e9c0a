#!/usr/bin/env python3
"""What the scenarios here need and the public traces do not hold.  README.md runs this.

  inputs.py TRACES OUT      TRACES/gavel and TRACES/synergy, as published, into OUT

gavel-1.trace to gavel-5.trace: 400 jobs each by the recipe of Gavel's authors (their scheduler/utils.py), in the form
of their traces.  A job has 1, 2, 4 or 8 GPUs with probability 0.70, 0.10, 0.15, 0.05; lasts 10^x minutes on V100s, x
uniform from 1.5 to 3, or of one in five jobs from 3 to 4; and trains any of the 26 models of
simulation_throughputs.json that was measured on so many GPUs.  Arrivals are Poisson; the scenario's `load` says how
often.

synergy.csv: profiles of the models that Synergy's authors measured on one GPU (synergy_tput_matrices.csv): speed by
cores, with the most memory, and by memory, with the most cores; each matrix is the lesser of the two.
"""
import csv
import json
import math
import os
import random
import sys

JOBS, TRACES = 400, 5
GPUS, WEIGHTS = (1, 2, 4, 8), (0.70, 0.10, 0.15, 0.05)
CORES, GB = (1, 2, 3, 4, 5, 6, 9, 12, 24), (20.83, 62.5, 125, 187.5, 250)      # of a matrix' rows and columns
LANGUAGE, SPEECH = {"bert", "gnmt", "lstm", "transformer"}, {"deepspeech", "m5"}


def trace(rng, speed):
    now = 0.0
    for _ in range(JOBS):
        gpus = rng.choices(GPUS, WEIGHTS)[0]
        seconds = 60 * 10 ** (rng.uniform(3, 4) if rng.random() < 0.2 else rng.uniform(1.5, 3))
        model = rng.choice(sorted(name for name, n in speed if n == gpus))
        steps = max(1, math.floor(seconds * speed[model, gpus]))
        yield f"{model}\t-\t-\t0\t{steps}\t{now:.6f}\t{gpus}\n"
        now += rng.expovariate(1 / 1000)


def gavel(path, out):
    with open(path) as f:
        rows = json.load(f)["v100"]
    speed = {}
    for key in rows:                    # "('ResNet-18 (batch size 64)', 2)"
        name, gpus = key[2:-1].split("', ")
        speed[name, int(gpus)] = rows[key]["null"]
    for seed in range(1, TRACES + 1):
        with open(os.path.join(out, f"gavel-{seed}.trace"), "w") as f:
            f.writelines(trace(random.Random(seed), speed))


def points(x, speeds):
    return ";".join(f"{a}:{s / max(speeds):.6f}" for a, s in zip(x, speeds))


def synergy(path, out):
    matrix = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if row["set"] == "models" and row["model"].endswith("_1"):
                matrix.setdefault(row["model"][:-2], []).append([float(row[f"c{k}"]) for k in range(len(GB))])
    with open(os.path.join(out, "synergy.csv"), "w") as f:
        f.write("model,kind,layout,util,memory\n")
        for name, m in sorted(matrix.items()):
            kind = "language" if name in LANGUAGE else "speech" if name in SPEECH else "image"
            f.write(f"{name},{kind},1N1G,{points(CORES, [r[-1] for r in m])},{points(GB, m[-1])}\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    traces, out = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    gavel(os.path.join(traces, "gavel", "simulation_throughputs.json"), out)
    synergy(os.path.join(traces, "synergy", "synergy_tput_matrices.csv"), out)


if __name__ == "__main__":
    main()
