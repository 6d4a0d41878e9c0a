#!/bin/sh
# Policy synergy against its authors' own simulator, job for job: each ends in the round in which it ends there.
#
# Every table GOLDEN/synergy/TRACE-ORDER-ALLOC.csv is a run of theirs, on two servers (dyn) or four (static); its jobs
# are the input.  What their simulator does besides its rule is in the input and in how ends are compared:
#   - an end is seen when the round is over: ours are rounded up to that;
#   - the static trace begins a second before its first round: all times are moved by 299 s, to multiples of 300 s.  A
#     job of a microsecond at 0 keeps the times as they are;
#   - a round makes a whole number of iterations, floor(300 / iteration time): a job's work is so many of them, its two
#     speeds, at its fair share and at its best, are as its two numbers of iterations, and what is lost to the round's
#     last, unfinished iteration is in the speed of the GPU's type, which the policy's estimate of the time left does
#     not hold.  One speed has room for the loss at one of the two, `fair` or `best`, and where two jobs have the
#     same time left within 0.2 % that may turn their order: a run counts if every job ends in its round with one;
#   - LAS there looks only at those jobs whose GPUs are free in turn (refill=false), the other orders at all.
. "$(dirname "$0")/../cli/lib.sh"
lit=${FAIRWAY_LITERATURE:-${FAIRWAY_TRACES:-}/../literature}
matrices=${FAIRWAY_TRACES:-}/synergy/synergy_tput_matrices.csv
[ -d "$lit/golden/synergy" ] || { echo "skipped - no results of Synergy's simulator"; exit 77; }
[ -f "$matrices" ] || { echo "skipped - no public traces"; exit 77; }
command -v python3 >/dev/null || { echo "skipped - no Python"; exit 77; }

cat >"$dir/input.py" <<'END'
"""input.py TABLE MATRICES fair|best SHIFT: p.csv (profiles), t.csv (jobs) and `models`, a line of the scenario."""
import csv, math, sys
table, matrices, loss, shift = sys.argv[1:]

class Model:
    def __init__(self, row):
        # As their workload has it: with so many cores and GB it goes `gain` times as fast as with its fair share.
        self.cores, self.gain, iteration = int(row["cpus"]), float(row["speedup"]), float(row["iter_time_s"])
        gb = row["mem_gb"].replace("int(62.5/3)", "20").split("*")
        self.gb = float(gb[0]) * (float(gb[1]) if len(gb) > 1 else 1)
        self.fair, self.best = math.floor(300 / iteration), math.floor(300 / (iteration / self.gain))
        # A multiple of 1/65536 near what is lost, such that the slower of the two speeds is one as well.
        want = (self.fair * iteration if loss == "fair" else self.best * iteration / self.gain) / 300 * 65536
        miss = lambda q: abs(q * self.fair / self.best - round(q * self.fair / self.best)) * 1e6 + abs(q - want)
        self.rate = min(range(round(want) - 64, min(round(want) + 65, 65537)), key=miss)
        self.slower = round(self.rate * self.fair / self.best) / self.rate

models = {}
for row in csv.DictReader(open(matrices)):
    if row["set"] == "models" and row["model"].endswith("_1"): models.setdefault(row["model"][:-2], Model(row))
with open("p.csv", "w") as p:
    print("model,kind,layout,util,memory", file=p)
    for name, m in models.items():
        util = f"3:{m.slower:.9f};{m.cores}:1" if m.cores > 3 else f"{m.cores}:1"
        memory = f"62.5:{m.slower:.9f};{m.gb}:1" if m.gb > 62.5 else f"{m.gb}:1"
        print(f"{name},image,1N1G,{util},{memory}", file=p)
with open("models", "w") as o:
    print("models: {" + ", ".join(f"{n}: {{V100: {m.rate / 65536:.9f}}}" for n, m in models.items()) + "}", file=o)
with open("t.csv", "w") as t:
    print("id,submit_s,duration_s,user,cpus,gpus,mem_mib,model", file=t)
    print("clock,0,0.000001,u,1,1,1024,gnmt", file=t)
    for job in csv.DictReader(open(table)):
        m = models[job["model"]]
        work = m.rate / 65536 * 300 * (int(job["iterations"]) - .02) / m.best
        submit = float(job["submit_s"]) + int(shift)
        print(f'{job["job_id"]},{submit},{work:.6f},u,1,{job["gpus"]},1024,{job["model"]}', file=t)
END

# run TABLE LOSS SERVERS SHIFT SPEC: how many jobs end in their round
run() {
    (cd "$dir" && python3 input.py "$1" "$matrices" "$2" "$4") || return 1
    { cat "$dir/models"; cat <<END
cluster: {groups: [{name: n, count: $3, cpus: 24, mem: 500GB, gpus: 8, gpu_type: V100}]}
profiles: {file: p.csv, cores: as-measured}
trace: {format: native, path: t.csv}
END
    } >"$dir/s.yaml"
    rm -f "$dir/r.db"
    "$fairway" run "$dir/s.yaml" -q -p "$5" -d "$dir/r.db" >"$dir/log" 2>&1 || { cat "$dir/log" >&2; return 1; }
    sqlite3 -csv "$dir/r.db" 'SELECT id, end_us FROM job' | awk -F, -v shift="$4" -v table="$1" '
        BEGIN { while ((getline line < table) > 0) { split(line, x, ","); want[x[1]] = x[5] } }
        { end = int(($2 / 1e6 + 299.999999) / 300) * 300 - shift; if ($1 in want && end == want[$1]) n++ }
        END { print n + 0 }'
}
holds() {
    of=$(($(wc -l <"$1") - 1)) best=0
    for loss in fair best; do
        n=$(run "$1" $loss "$2" "$3" "$4") || return 1
        [ "$n" -le "$best" ] || best=$n
        [ "$n" -lt "$of" ] || break
    done
    [ "$best" -eq "$of" ] && [ "$of" -gt 0 ] || { echo "$best of $of jobs"; return 1; }
}

for table in "$lit"/golden/synergy/*-*-*.csv; do
    name=$(basename "$table" .csv)
    rest=${name#*-} alloc=${name##*-}
    servers=2 shift=0
    [ "${name%%-*}" != static ] || { servers=4; shift=299; }
    case ${rest%-*} in
    FTF) order=ftf-least ;;
    LAS) order=las,refill=false ;;
    *) order=$(echo "${rest%-*}" | tr '[:upper:]' '[:lower:]') ;;
    esac
    check "synergy/$name" holds "$table" $servers $shift "synergy:alloc=$alloc,order=$order,place=first"
done
exit $bad
