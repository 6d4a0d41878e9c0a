#!/bin/sh
# Plugins that choose nodes, place=FILE.so: begun with --new --score, built with make; one that says what a
# built-in rule says; and those that cannot be used, or do harm.
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MFLAGS
limit=120
scn=$here/scenarios/demo/demo.yaml
never() { ! "$@"; }
sql() { sqlite3 r.db "$1"; }
cd "$dir" || exit 2
build() { # a name; reads a plugin
    { echo '#include <stdlib.h>'; echo '#include "policy.h"'; cat; } >"$1.c"
    cc -std=c11 -O1 -Wall -Wextra -Werror -I"$here/policies" -fPIC -shared "$1.c" -o "$1.so" || { echo "$1 does not build"; exit 2; }
}
plugin() { # a name, the body of score, and perhaps more of the table; reads what stands before
    { cat; echo "static int64_t score(const struct pol_ask *a) { (void)a; $2 }"
      echo "const struct pol_plugin fairway_plugin = { POL_PLUGIN_HEADER, .name = \"$1\", .summary = \"for a test\", .score = score ${3-} };"; } | build "$1"
}

# ---- one's own ----
check "--new --score writes a plugin" expect 0 "$fairway" policies --new tight --score
check "and says how it is used" says "fifo:place=./tight/tight.so"
check "it has at most 30 lines" [ "$(wc -l <tight/tight.c)" -le 30 ]
check "it builds with make, without a warning" expect 0 make -C tight CFLAGS="-O1 -Werror"
check "make check runs the kit on it" expect 0 make -C tight check FAIRWAY="$fairway"
check "--score alone is a usage error" expect 2 "$fairway" policies --score
for p in srtf las easy drf; do
    check "$p keeps its contract with it" expect 0 "$fairway" policies --conform "$p:place=./tight/tight.so"
done
check "a policy's parameters say that a file may be given" expect 0 "$fairway" policies fifo
check "in its values" says 'kube-hybrid|fill|FILE.so'

# ---- the same answers as a built-in rule: the same runs ----
echo | plugin lowest 'return -(int64_t)a->id;'
pairs=
for p in fifo:mode=skip sjf srtf las easy drf; do pairs="$pairs -p $p,place=first -p $p,place=./lowest.so"; done
pairs=$(echo "$pairs" | sed 's/\([a-z]\),/\1:/g; s/fifo:mode=skip:/fifo:mode=skip,/g')
# shellcheck disable=SC2086
check "beside place=first it runs" expect 0 "$fairway" run "$scn" $pairs -s 1 -d r.db -q
check "twelve runs are done" [ "$(sql "select count(*) from run where status = 'done'")" -eq 12 ]
check "of each pair the digests agree" [ "$(sql "select count(distinct digest) || ' ' || (select count(*) from
    (select digest from run group by digest having count(*) % 2 = 1)) from run")" = "6 0" ]
check "a table says which plugin, by the digest of its file" \
    [ "$(sql "select count(*) from run where policy_source like '%; plugin lowest, file digest %'")" -eq 6 ]
check "and the spec where it was" [ "$(sql "select count(*) from run where policy_spec like 'las:place=./lowest.so,%'")" -eq 1 ]
mkdir far && cp lowest.so far/other.so
check "the same file elsewhere is the same run" expect 0 "$fairway" run "$scn" -p las:place=far/other.so -s 1 -d r.db -q
check "and replaces it" [ "$(sql "select count(*) from run where policy_spec like 'las:place=%.so,%'")" -eq 1 ]
echo | plugin lowest 'return -(int64_t)a->id - 1;'
check "built anew of other source" expect 0 "$fairway" run "$scn" -p las:place=./lowest.so -s 1 -d r.db -q
check "it is another" [ "$(sql "select count(*) || ' ' || count(distinct digest) from run where policy_spec like 'las:place=%.so,%'")" = "2 1" ]

# ---- in a scenario: relative to its folder; a filter may leave jobs waiting ----
mkdir scn
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,1,10,1,0\n' >scn/t.csv
printf 'name: t\ncluster:\n  groups:\n    - {name: n, count: 2, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: A}\ntrace: {format: native, path: t.csv}\npolicies:\n  - {name: fifo, mode: skip, place: ./gpus.so}\n' >scn/t.yaml
echo 'static bool filter(const struct pol_ask *a) { return a->shape->n_gpu > 0 || a->node->n_gpu == 0; }' |
    plugin gpus 'return a->node->cpu_free;' ', .filter = filter'
mv gpus.so scn/
check "a scenario names one relative to itself" expect 1 "$fairway" run scn/t.yaml -d s.db
check "what its filter lets run nowhere ends unfinished" says "1 jobs were left unfinished"
sed 's|\./gpus|./none|' scn/t.yaml >scn/u.yaml
check "one that is not there is bad input" expect 2 "$fairway" run scn/u.yaml -d s.db
check "with its place in the scenario" says "u.yaml:7:5: error: plugin file './none.so': cannot open it"

# A filter may leave a small task waiting for which a node has room, and take a larger one there.
printf 'id,submit_s,duration_s,cpus,gpus,limit_s\na,0,1000,2,1,1000\nb,0,1000,2,1,1000\nc,1,1000,2,1,1000\nx,1,1000,8,1,1000\n' >scn/v.csv
printf 'name: v\ncluster:\n  groups:\n    - {name: small, count: 1, cpus: 16, mem: 64GiB, gpus: 2, gpu_type: A}\n    - {name: large, count: 1, cpus: 32, mem: 64GiB, gpus: 2, gpu_type: A}\ntrace: {format: native, path: v.csv}\npolicies: [fifo]\n' >scn/v.yaml
echo 'static bool filter(const struct pol_ask *a) { return (a->shape->cpu_milli > 4000) == (a->node->cpu_total > 16000); }' |
    plugin sizes 'return -(int64_t)a->id;' ', .filter = filter'
for p in fifo:mode=skip easy:estimate=limit tiresias:order=start themis:filter=0.8; do
    rm -f v.db
    check "$p runs by a filter of sizes" expect 0 "$fairway" run scn/v.yaml -p "$p,place=./sizes.so" -d v.db -q
    check "and a refused small task keeps no larger one waiting" same "$(sqlite3 v.db "select start_us from job where id = 'x'")" 1000000
done

# ---- what was refused is remembered, but not where a filter may have refused it: the same runs without ----
echo 'static bool filter(const struct pol_ask *a) { return a->node->n_gpu < 64; }' |
    plugin anywhere 'return -(int64_t)a->id;' ', .filter = filter'
cat >long.yaml <<'END'
name: long
cluster:
  groups:
    - {name: n, count: 9, cpus: 64, mem: 256GiB, gpus: 4, gpu_type: A}
    - {name: m, count: 2, cpus: 16, mem: 64GiB, gpus: 8, gpu_type: B}
trace: {format: generate, load: 20, generate: {jobs: 500, limit_share: 0.5, gpus_per_task: 1}}
jobs: {infeasible: reject}
faults: {mtbf: 30h, mttr: 1h}
policies: [fifo]
seeds: 4
END
pairs=
for p in tiresias: tiresias:limits=600\;3600\;20000, tiresias:gpu=false,knob=2, tiresias:foresee=late,limits=900, \
        tiresias:order=submit, tiresias:consolidate=all, srtf:estimate=true, las: themis: easy:; do
    pairs="$pairs -p ${p}place=first -p ${p}place=./anywhere.so"
done
# shellcheck disable=SC2086
check "long queues run with and without" expect 0 "$fairway" run long.yaml $pairs -d l.db -q
check "eighty runs are done" same "$(sqlite3 l.db "select count(*) from run where status = 'done'")" 80
check "of each pair the digests agree" same "$(sqlite3 l.db "select count(distinct digest) || ' ' || sum(n % 2) from
    (select digest, count(*) as n from run group by seed, digest)")" "40 0"
check "and jobs were preempted under tiresias" same "$(sqlite3 l.db "select min(n) > 20 from (select sum(n_preempted) as n
    from job join run on run.id = job.run where policy_spec like 'tiresias%' group by run.id)")" 1

# ---- what cannot be used ----
refused() { # what is said, and of which file
    check "$2 is refused" expect 2 "$fairway" run "$scn" -p "fifo:place=./$2.so" -s 1 -d x.db
    check "saying: $1" says "$1"
    check "and nothing was written" [ ! -e x.db ]
}
echo 'int nothing;' | build empty
refused "plugin file './empty.so': it defines no 'fairway_plugin'" empty
echo 'const struct pol_plugin fairway_plugin = { .abi_major = 7, .size = sizeof fairway_plugin, .name = "x" };' | build major
refused "it is built for major 7 of the policy ABI" major
echo 'const struct pol_plugin fairway_plugin = { .abi_major = POL_ABI_MAJOR, .size = 16, .name = "x" };' | build short
refused "its table is cut short: it says it has 16 bytes" short
echo 'const struct pol_plugin fairway_plugin = { POL_PLUGIN_HEADER, .name = "x", .summary = "none" };' | build scoreless
refused "plugin 'x' has no score function" scoreless
cp "$(dirname "$fairway")/tests/so/las.so" policy.so
refused "it is a policy: -p FILE.so" policy
check "a plugin is no policy" expect 2 "$fairway" policies ./lowest.so
check "which is said" says "it is a plugin, for a policy that has place="
check "a rule that is none" expect 2 "$fairway" policies fifo:place=tightest
check "is told what there is" says "expected first|best|worst|pack|spread|fgd|kube|kube-hybrid|fill|FILE.so"
check "a policy that asks place= only among equals takes no plugin" expect 2 "$fairway" run "$scn" -p gs:place=./lowest.so -s 1 -d x.db

# ---- what does harm: its run fails, and no other ----
rm -f r.db
echo | plugin crash 'abort();'
echo | plugin stuck 'for (volatile int i = 0;; i++) if (i < 0) return i;'
check "one that crashes and one that hangs fail their runs" expect 4 "$fairway" run "$scn" -p fifo:place=./crash.so -p sjf -p fifo:place=./stuck.so \
    -s 1 -d r.db -q --decide-timeout 300ms
check "alone" [ "$(sql "select group_concat(status) from run order by id")" = failed,done,failed ]
check "with what happened" [ "$(sql "select count(*) from run where message like '%abort%' or message like '%300 ms%'")" -ge 1 ]
exit $bad
