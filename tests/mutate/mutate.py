#!/usr/bin/env python3
"""mutate.py -- do the tests notice when a line of policies/ or sim/model/ is wrong?

    mutate.py [--sample N] [--seed S] [--only TEXT] [--again] [--list]

A mutant is one line changed: a comparison by one, equal for unequal, and for or, plus for minus, one more or less,
min for max, a condition turned, a statement dropped.  N of them are drawn, one of each file before a second of any.
The draw hangs on the seed and on each mutant's own words, so that a change of one line leaves the others drawn.
Each is compiled and run against the fast tests of its file (killers.txt), which kill it by failing, or by taking
twice the processor time that they take without it.  What all of them pass is compiled once more with the address
sanitizer, and meets those of unit/ and prop/.  Memory that is not given back is no mutant.
Survivors that change nothing which can be seen, or that no test is meant to hold, stand in survivors.txt with the
reason; they are counted apart.  --only: those whose file or change contains the text.  --again: all but those that
are explained, or were killed since the last run without it: to go on with one that was ended, or with a new test.

The library is a shared object here, before which a mutant's stands, so that a mutant costs one compilation; two are
tried at a time.
"""
import argparse, concurrent.futures, glob, hashlib, os, queue, re, signal, subprocess, sys, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
B = os.path.join(ROOT, "build/mutate")
LOOK = 2                # processor seconds after which a command may be at it for ever
LIMIT = 60              # the most that it may take without a mutant; with one, it is given twice what it takes so
PATIENCE = 900          # seconds without a processor's work after which a command is given up
AT_A_TIME = 2
KILLED = B + "/killed.txt"
CRITERION = ["-j1", "--fail-fast"]
MAKE = ["make", "-s", "-C", ROOT, "B=build/mutate", "CC=gcc", "OPT=-O1", "STRICT=", "CFLAGS=-fvisibility=default",
        "LDFLAGS=-Wl,-rpath," + B]
ASAN = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True).stdout.strip()
FLAGS = "-D_POSIX_C_SOURCE=200809L -Isim -Ipolicies -std=c11 -O0 -w -fPIC -fno-common -ffp-contract=off".split()
LIBS = "-lgsl -lgslcblas -lglpk -lsqlite3 -lcsv -lyaml -ljansson -lexpat -lm".split()
RULES = [       # (name, pattern, what it becomes)
    ("compare", r" (<|>|<=|>=) ", {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("equal", r" (==|!=) ", {"==": "!=", "!=": "=="}),
    ("logic", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("sign", r" (\+|-) ", {"+": "-", "-": "+"}),
    ("one", r"( [+-] 1)\b(?!\.)", {" + 1": "", " - 1": ""}),
    ("extreme", r"\b(i64_min|i64_max)\b", {"i64_min": "i64_max", "i64_max": "i64_min"}),
    ("turn", r"(?:\(|&& |\|\| )(!)\w", {"!": ""}),
]
# Comparisons that may be by one as well: of two that differ, and for one of two that are equal.
ALIKE = re.compile(r"if \((\S+) != (\S+)\) return \1 [<>] \2|(?:(?<=[(=,] )|(?<=\()|(?<=&& )|(?<=return ))(?:"
                   r"([\w>.\[\]-]+) [<>]=? ([\w>.\[\]-]+) \? (?:\3 : \4|\4 : \3)(?=[;,)])|"
                   r"([\w>.\[\]-]+) [<>]=? (.+?)\) (?:\5 = \6|\6 = \5);)")
STATEMENT = re.compile(r"^\s+(?!return|static|const|struct|enum|int|u?int\d+_t|bool|double|char|size_t|for|if|else"
                       r"|while|case|default|goto|SIM_ASSERT|TRY|(?:sim|pol)_\w+ \w+ =)"
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
        alike = [m.span() for m in ALIKE.finditer(code)]
        for name, pattern, to in RULES:
            for m in re.finditer(pattern, code):
                if name == "compare" and any(a <= m.start() < b for a, b in alike):
                    continue
                yield i, name, line, line[:m.start(1)] + to[m.group(1)] + line[m.end(1):]
        is_whole = line.count("(") == line.count(")")
        is_nothing = re.match(r"\s*(\w*(free|FREE|_fini|_destroy)\(|\(void\)\w+;)", line)
        if STATEMENT.match(line) and is_whole and not is_nothing:
            yield i, "drop", line, re.match(r"\s*", line).group(0) + ";"


def drawn(n, seed, only):
    """All mutants, and the n that are drawn of them: one of each file, then whichever comes first."""
    files = [os.path.relpath(p, ROOT) for part in ("policies", "sim/model")
             for p in sorted(glob.glob("%s/%s/**/*.c" % (ROOT, part), recursive=True)) if "/example/" not in p]
    every = []
    for path in files:
        seen, of_file = {}, []
        for i, name, old, new in mutants(os.path.join(ROOT, path)):
            what = "%s: %s => %s" % (path, old.strip(), new.strip())
            seen[what] = seen.get(what, 0) + 1
            lot = hashlib.sha256(("%d %d %s" % (seed, seen[what], what)).encode()).digest()
            of_file.append([1, lot, path, i, name, new, what])
        if of_file:
            min(of_file)[0] = 0
        every += of_file
    chosen = sorted(m for m in every if only in m[-1])[:n]
    return every, [m[2:] for m in chosen]


def family(pid):
    """{process: processor seconds} of a process and all that it began, with those which they waited for."""
    parent, spent = {}, {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat) as f:
                of = f.read().rpartition(")")[2].split()
        except OSError:
            continue        # it ended
        one = int(stat.split("/")[2])
        parent[one], spent[one] = int(of[1]), sum(int(x) for x in of[11:15]) / os.sysconf("SC_CLK_TCK")
    mine, n = {pid}, 0
    while n < len(mine):
        n = len(mine)
        mine.update(one for one in parent if parent[one] in mine)
    return {one: spent.get(one, 0) for one in mine}


def end(p):
    for one in family(p.pid):
        try:
            os.kill(one, signal.SIGKILL)
        except ProcessLookupError:
            pass


def watch(p, most, is_over):
    """Ends a command that goes round for ever, or stands still for ever."""
    worked, last = time.monotonic(), 0
    while not is_over.wait(2):
        spent = sum(family(p.pid).values())
        if spent != last:
            worked, last = time.monotonic(), spent
        if spent > LOOK and spent > most() or time.monotonic() > worked + PATIENCE:
            end(p)


def run(cmd, library, most=lambda: LIMIT, is_sanitized=False):
    """Processor seconds of a command with the library of that folder if it ends well, else None; the first case that
    fails ends it.  A process that is left behind, or asks for memory for ever, ends too."""
    # Blocks are full of rubbish when they are given out, as the sanitizer's are.
    env = {"MALLOC_PERTURB_": "165"}
    if is_sanitized:
        env = {"ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=2000", "LD_PRELOAD": ASAN}
    memory = "unlimited" if is_sanitized else 8 << 20
    p = subprocess.Popen(["sh", "-c", 'ulimit -t %d; ulimit -v %s; exec "$@"' % (LIMIT, memory), "sh"] + cmd, cwd=ROOT,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         env=dict(os.environ, FAIRWAY=B + "/fairway", LC_ALL="C", LD_LIBRARY_PATH=library, **env))
    is_over = threading.Event()
    threading.Thread(target=watch, args=(p, most, is_over), daemon=True).start()
    failed = any(line.startswith("not ok") for line in p.stdout)
    if failed:
        end(p)
    p.stdout.close()
    _, status, used = os.wait4(p.pid, 0)
    is_over.set()
    p.returncode = os.waitstatus_to_exitcode(status)
    return None if failed or p.returncode not in (0, 77) else used.ru_utime + used.ru_stime


def build():
    """Objects as ever; then the archive becomes a name for a shared object, with which program and tests are linked,
    and a second one, under another name, stands behind each mutant's."""
    tests = [program(cmd) for row in killers() for cmd in commands(row[0])]
    targets = sorted({os.path.relpath(t, ROOT) for t in tests + [B + "/fairway"] if t})
    archive = os.path.join(B, "libfairway.a")
    subprocess.run(MAKE + ["-j2", "build/mutate/libfairway.a"], check=True, stdout=subprocess.DEVNULL)
    objects = [o for part in ("sim", "policies", "gen")
               for o in glob.glob("%s/obj/%s/**/*.o" % (B, part), recursive=True) if not o.endswith("cmd/main.o")]
    for name in "libfairway.so", "libwhole.so":
        link(name, objects, B, LIBS)
    if os.path.getsize(archive) > 1000:
        with open(archive, "w") as f:
            f.write("INPUT ( %s/libfairway.so )\n" % B)
    subprocess.run(MAKE + ["-j2"] + targets, check=True, stdout=subprocess.DEVNULL)


def link(name, objects, folder, libs):
    to = ["-Wl,-soname," + name, "-o", "%s/%s" % (folder, name)]
    subprocess.run(["gcc", "-shared"] + to + objects + libs, check=True)


def killers():
    """[beginning of a path, tests ...] of killers.txt, the longest beginning first."""
    with open(os.path.join(HERE, "killers.txt")) as f:
        rows = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return sorted(rows, key=lambda row: -len(row[0]))


def commands(path):
    """What is to fail if the file at path is wrong."""
    for word in dict.fromkeys(w for row in killers() if path.startswith(row[0]) for w in row[1:]):
        name, _, which = word.partition(":")
        if name == "digest":
            yield ["env", "POLICIES=" + which.replace(",", " "), "sh", "tests/determinism/test_determinism.sh"]
        elif word == "storm:all":
            yield [B + "/tests/storm/storm", "--runs", "160"]
        elif name == "storm":
            yield from ([B + "/tests/storm/storm", "--runs", "40", "--policy", p] for p in which.split(","))
        elif name == "reference":
            yield ["env", "FAIRWAY_SHORT=1", B + "/tests/prop/test_reference", *CRITERION, "--filter",
                   "reference/@(%s)" % which.replace(",", "|")]
        elif name.endswith(".sh"):
            yield ["sh", "tests/" + name]
        else:
            yield from ([B + t[len(ROOT):-2], *CRITERION] for t in sorted(glob.glob("%s/tests/%s.c" % (ROOT, name))))


def killed_by(path):
    """The first command that fails, or None."""
    return next((cmd for cmd in commands(path) if not ends_well(cmd)), None)


def explained():
    with open(os.path.join(HERE, "survivors.txt")) as f:
        return {line.split(" | ")[0].strip() for line in f if " | " in line}


def program(cmd):
    """The test of B that a command runs, if it is no script."""
    return next((word for word in cmd if word.startswith(B)), None)


class Trial:
    """Mutants tried two at a time; which commands are known to end well without one."""
    def __init__(self, again):
        self.good, self.lock, self.known, self.past = {}, threading.Lock(), explained(), {}
        if again:
            with open(KILLED) as f:
                self.past = dict.fromkeys(f.read().split("\n"), "killed")
            self.past.update(dict.fromkeys(self.known, "explained"))
        self.folders = queue.Queue()
        for i in range(AT_A_TIME):
            self.folders.put("%s/try%d" % (B, i))
            os.makedirs("%s/try%d" % (B, i), exist_ok=True)

    def cost(self, cmd):
        """Processor seconds without a mutant; None if it fails."""
        with self.lock:
            if tuple(cmd) not in self.good:
                self.good[tuple(cmd)] = run(cmd, B)
            return self.good[tuple(cmd)]

    def killer(self, mutant, folder, is_sanitized):
        """The first command that fails; False if it cannot be compiled."""
        path, i, _, new, _ = mutant
        with open(os.path.join(ROOT, path)) as f:
            lines = f.read().split("\n")
        lines[i] = new
        source, obj = folder + "/mutant.c", folder + "/mutant.o"
        with open(source, "w") as f:
            f.write("\n".join(lines))
        compiler = ["gcc"] + FLAGS + ["-fsanitize=address"] * is_sanitized
        if subprocess.run(compiler + ["-I" + os.path.dirname(path), "-c", source, "-o", obj], cwd=ROOT,
                          stderr=subprocess.DEVNULL).returncode != 0:
            return False
        # What it defines comes before the same of the whole, so that a mutant is a library of one object.
        link("libfairway.so", [obj], folder, ["-Wl,--no-as-needed,-rpath," + B, B + "/libwhole.so"])
        for cmd in commands(path):
            most = (lambda: (8 if is_sanitized else 2) * (self.cost(cmd) or LIMIT))
            if not is_sanitized or cmd[0].startswith((B + "/tests/unit", B + "/tests/prop")):
                spent = run(cmd, folder, most, is_sanitized)
                if spent is None:
                    return cmd
                if not is_sanitized:
                    self.good.setdefault(tuple(cmd), spent)
        return None

    def fate(self, mutant):
        """What became of it, and the command that killed it."""
        what = mutant[-1]
        if what in self.past:
            return self.past[what], None
        folder = self.folders.get()
        try:
            by = self.killer(mutant, folder, False)
            if by is None:
                by = self.killer(mutant, folder, True)
        finally:
            self.folders.put(folder)
        if by is False:
            return "invalid", None
        if by is not None:
            return "unknown" if self.cost(by) is None else "killed", by
        return "explained" if what in self.known else "survived", None


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--sample", type=int, default=200)
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--only", default="")
    a.add_argument("--again", action="store_true")
    a.add_argument("--list", action="store_true", help="what would be tried")
    o = a.parse_args()
    every, chosen = drawn(o.sample, o.seed, o.only)
    print("%d of %d mutants, seed %d" % (len(chosen), len(every), o.seed), flush=True)
    if o.list:
        for path, i, name, _, what in chosen:
            print("%d: %s: %s" % (i + 1, name, what))
        return 0
    build()
    if not o.again:
        open(KILLED, "w").close()
    trial, table, survivors, files = Trial(o.again), {}, [], set()
    with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
        tries = {pool.submit(trial.fate, m): m for m in chosen}
        for done in concurrent.futures.as_completed(tries):
            path, i, name, _, what = tries[done]
            fate, by = done.result()
            if fate == "unknown":
                pool.shutdown(wait=False, cancel_futures=True)
                sys.exit("%s fails without a mutant" % " ".join(by))
            said = next(os.path.basename(w) for w in reversed(by) if w[0] != "-") if by else fate
            print("%-22s %s:%d %s" % (said, path, i + 1, name), flush=True)
            if fate == "invalid":
                continue
            row = table.setdefault(os.path.dirname(path), {"killed": 0, "explained": 0, "survived": 0})
            row[fate] += 1
            files.add(path)
            if fate == "survived":
                survivors.append(what)
            if fate == "killed" and by:
                with open(KILLED, "a") as f:
                    f.write(what + "\n")
    print("\n%-28s %8s %9s %8s" % ("folder", "killed", "explained", "survived"))
    for folder in sorted(table):
        print("%-28s %8d %9d %8d" % ((folder,) + tuple(table[folder].values())))
    killed, known, alive = sums = [sum(row[k] for row in table.values()) for k in ("killed", "explained", "survived")]
    print("%-28s %8d %9d %8d" % (("all",) + tuple(sums)))
    n = max(1, sum(sums))
    print("%d mutants over %d files: %.1f %% killed, %d explained, %d survived" % (n, len(files), 100.0 * killed / n,
                                                                                  known, alive))
    for s in survivors:
        print("survived: " + s)
    return 0 if killed >= 0.85 * n and alive == 0 else 1


sys.exit(main())
