#!/usr/bin/env python3
"""mutate.py -- do the tests notice when a line of policies/ or sim/model/ is wrong?

    mutate.py [--sample N] [--seed S] [--minutes M] [--file PART] [--list]

A mutant is one line changed: a comparison by one, equal for unequal, and for or, plus for minus, one more or less,
min for max, a condition turned, a statement dropped.  N of them, drawn from the seed, are each compiled and run
against the fast tests (below), which kill it by failing, or by taking longer than LIMIT seconds; after M minutes no
more are begun.  It prints a table by folder and every survivor.  Memory that is not given back is no mutant.
Survivors that change nothing which can be seen, or that no test is meant to hold, stand in survivors.txt with the
reason; they are counted apart.

The library is one shared object here, so that a mutant costs one compilation and one link.
"""
import argparse, glob, os, random, re, subprocess, sys, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
B = os.path.join(ROOT, "build/mutate")
LIMIT = 120
MAKE = ["make", "-s", "-C", ROOT, "B=build/mutate", "CC=gcc", "OPT=-O1", "STRICT=", "CFLAGS=-fPIC"]
FAST = {        # what kills, the quickest first; {} is build/mutate
    "policies": ["{}/tests/storm/storm --runs 120", "{}/tests/unit/policies/*", "{}/tests/prop/test_workflow",
                 "{}/tests/prop/test_gs", "{}/tests/prop/test_flow_policies", "sh tests/golden/test_golden.sh"],
    "sim/model": ["sh tests/golden/test_golden.sh", "{}/tests/unit/model/*", "{}/tests/storm/storm --runs 120",
                  "{}/tests/prop/test_[a-eml-np]*", "{}/tests/unit/metrics/test_metrics"],
}
RULES = [       # (name, pattern, what it becomes)
    ("compare", r" (<|>|<=|>=) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("equal", r" (==|!=) ", {"==": "!=", "!=": "=="}),
    ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("sign", r" (\+|-) ", {"+": "-", "-": "+"}),
    ("one", r"( [+-] 1)\b(?!\.)", {" + 1": "", " - 1": ""}),
    ("extreme", r"\b(i64_min|i64_max)\b", {"i64_min": "i64_max", "i64_max": "i64_min"}),
    ("turn", r"(?:\(|&& |\|\| )(!)\w", {"!": ""}),
]
STATEMENT = re.compile(r"^\s+(?!return|static|const|struct|enum|int|u?int\d+_t|sim_tick|bool|double|char|size_t|for|if"
                       r"|else|while|case|default|goto|SIM_ASSERT|TRY|pol_\w+ \w+ =)"
                       r"[\w>.\[\]()*+-]+.*;\s*(/\*.*\*/)?\s*$")


def mutants(path):
    """(line number, rule, the line, what it becomes) of everything that can be changed in a file."""
    with open(path) as f:
        lines = f.read().split("\n")
    in_comment = depth = 0
    for i, line in enumerate(lines):
        s = line.strip()
        if in_comment or s.startswith("/*"):
            in_comment = "*/" not in s
            continue
        if not line.startswith(" ") or s.startswith(("#", "*", ".", "{", "[")) or "SIM_ASSERT" in s or '"' in s:
            continue
        code = line.split("/*")[0]
        for name, pattern, to in RULES:
            for m in re.finditer(pattern, code):
                yield i, name, line, line[:m.start(1)] + to[m.group(1)] + line[m.end(1):]
        is_whole = line.count("(") == line.count(")")
        if STATEMENT.match(line) and is_whole and not re.match(r"\s*(\w*free|\w+_fini)\(", line):
            yield i, "drop", line, re.match(r"\s*", line).group(0) + ";"


def sh(cmd, **kw):
    return subprocess.run(cmd, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **kw)


def build():
    """Objects and tests as ever; then the archive becomes a name for a shared object, and the tests are linked anew."""
    tests = [t[:-2].replace("tests", "build/mutate/tests", 1) for folder in FAST for t in wanted(folder)]
    targets = sorted(set(tests)) + ["build/mutate/fairway", "build/mutate/tests/storm/storm"]
    archive = os.path.join(B, "libfairway.a")
    if os.path.exists(archive) and os.path.getsize(archive) < 1000:
        os.remove(archive)
    subprocess.run(MAKE + ["-j2", "build/mutate/libfairway.a"] + targets, check=True)
    link_library({})
    for t in targets:
        os.remove(os.path.join(ROOT, t))
    with open(archive, "w") as f:
        f.write("INPUT ( %s/libfairway.so )\n" % B)
    subprocess.run(MAKE + ["-j2"] + targets, check=True)


def wanted(folder):
    for t in FAST[folder]:
        if t.startswith("{}/tests/") and "storm" not in t:
            yield from (x[len(ROOT) + 1:] for x in glob.glob(t.split()[0].replace("{}", ROOT) + ".c"))


def objects():
    return [o for part in ("sim", "policies", "gen") for o in glob.glob("%s/obj/%s/**/*.o" % (B, part), recursive=True)
            if not o.endswith("cmd/main.o")]


def link_library(instead):
    libs = "-lgsl -lgslcblas -lglpk -lsqlite3 -lcsv -lyaml -ljansson -lexpat -lm".split()
    parts = [instead.get(o, o) for o in objects()]
    subprocess.run(["gcc", "-shared", "-o", B + "/libfairway.so"] + parts + libs, check=True)


def runs(folder):
    for t in FAST[folder]:
        head, _, rest = t.partition(" ")
        if not t.startswith("{}"):
            yield t.split()
        elif rest:
            yield [head.replace("{}", B)] + rest.split()
        else:
            found = sorted(glob.glob(t.replace("{}", B)))
            yield from ([x] for x in found if os.path.isfile(x) and os.access(x, os.X_OK))


def killed_by(folder):
    env = dict(os.environ, FAIRWAY=B + "/fairway", LC_ALL="C")
    for cmd in runs(folder):
        try:
            if sh(cmd, env=env, timeout=LIMIT).returncode != 0:
                return os.path.basename(cmd[-1] if cmd[0] == "sh" else cmd[0])
        except subprocess.TimeoutExpired:
            return "time"
    return None


def explained():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "survivors.txt")) as f:
        return {line.split(" | ")[0].strip() for line in f if " | " in line}


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--sample", type=int, default=150)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--minutes", type=float, default=600)
    a.add_argument("--file", default="")
    a.add_argument("--list", action="store_true", help="what would be tried")
    o = a.parse_args()
    files = [p for d in FAST for p in sorted(glob.glob(os.path.join(ROOT, d, "**/*.c"), recursive=True))
             if "/example/" not in p and o.file in p]
    every = [(os.path.relpath(p, ROOT),) + m for p in files for m in mutants(p)]
    random.Random(o.seed).shuffle(every)
    print("%d of %d mutants, seed %d" % (min(o.sample, len(every)), len(every), o.seed))
    chosen = every[:o.sample]
    if o.list:
        for path, i, name, old, new in chosen:
            print("%s:%d: %s: %s => %s" % (path, i + 1, name, old.strip(), new.strip()))
        return 0
    build()
    for folder in FAST:
        if killed_by(folder) is not None:
            sys.exit("the tests of %s fail without a mutant" % folder)
    known, table, survivors = explained(), {}, []
    end = time.monotonic() + 60 * o.minutes
    for path, i, name, old, new in chosen:
        if time.monotonic() > end:
            break
        folder = "policies" if path.startswith("policies") else "sim/model"
        row = table.setdefault(os.path.dirname(path), {"killed": 0, "explained": 0, "survived": 0, "invalid": 0})
        with open(os.path.join(ROOT, path)) as f:
            lines = f.read().split("\n")
        lines[i] = new
        source, obj = os.path.join(B, "mutant.c"), os.path.join(B, "mutant.o")
        with open(source, "w") as f:
            f.write("\n".join(lines))
        flags = "-D_POSIX_C_SOURCE=200809L -Isim -Ipolicies -std=c11 -O1 -w -fPIC -fno-common -ffp-contract=off".split()
        if sh(["gcc"] + flags + ["-I" + os.path.dirname(path), "-c", source, "-o", obj]).returncode != 0:
            row["invalid"] += 1
            continue
        link_library({os.path.join(B, "obj", path[:-2] + ".o"): obj})
        by = killed_by(folder)
        what = "%s: %s => %s" % (path, old.strip(), new.strip())
        row["killed" if by else "explained" if what in known else "survived"] += 1
        if not by and what not in known:
            survivors.append("%s:%d: %s => %s" % (path, i + 1, old.strip(), new.strip()))
        print("%-10s %s:%d %s" % (by or "SURVIVED", path, i + 1, name), flush=True)
    print("\n%-28s %8s %9s %8s" % ("folder", "killed", "explained", "survived"))
    sums = [0, 0, 0]
    for folder in sorted(table):
        n = [table[folder][k] for k in ("killed", "explained", "survived")]
        sums = [x + y for x, y in zip(sums, n)]
        print("%-28s %8d %9d %8d" % ((folder,) + tuple(n)))
    print("%-28s %8d %9d %8d" % (("all",) + tuple(sums)))
    tried = sums[0] + sums[2]
    print("%d tried, killed: %.1f %%" % (tried, 100.0 * sums[0] / max(1, tried)))
    for s in survivors:
        print("survived: " + s)
    link_library({})
    return 0 if sums[0] >= 0.85 * tried else 1


sys.exit(main())
