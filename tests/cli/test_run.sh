#!/bin/sh
# The run command as a user meets it: exit status, what is kept, what is said.
. "$(dirname "$0")/lib.sh"
sql() { sqlite3 "$dir/r.db" "$1"; }
scn=$here/scenarios/demo/demo.yaml

check "a scenario runs under the policies given" expect 0 "$fairway" run "$scn" -p fifo -p drf:place=pack -s 1 -d "$dir/r.db"
check "and says where the results are" says "r.db"
check "its runs are done" [ "$(sql "select group_concat(status) from run")" = done,done ]
check "the whole spec is kept" [ "$(sql "select policy_spec from run where policy like 'drf%'")" = "drf:place=pack,mode=skip,weights=" ]
check "every job is there" [ "$(sql "select count(*) from job where run = 1")" -eq 5000 ]
digest=$(sql "select digest from run where id = 1")
check "the same run again replaces itself" expect 0 "$fairway" run "$scn" -p fifo -s 1 -d "$dir/r.db" -q
check "and is the same to the last event" [ "$(sql "select group_concat(digest) from run where policy = 'fifo'")" = "$digest" ]
check "quiet says nothing" [ ! -s "$dir/out" ]

check "an unknown policy is bad input" expect 2 "$fairway" run "$scn" -p fito -d "$dir/x.db"
check "with the nearest name" says "did you mean 'fifo'"
check "and leaves no database behind" [ ! -e "$dir/x.db" ]
check "an unknown parameter is bad input" expect 2 "$fairway" run "$scn" -p fifo:plase=best -d "$dir/x.db"
check "with the nearest name, too" says "did you mean 'place'"
check "a wrong value names the choices" expect 2 "$fairway" run "$scn" -p fifo:place=tight -d "$dir/x.db"
check "all of them" says "first|best|worst|pack|spread|fgd|kube"
check "a policy twice is bad input, whatever its label" expect 2 "$fairway" run "$scn" -p fifo -p fifo:place=best -d "$dir/x.db"
check "and both are named" says "policies 'fifo' and 'fifo:place=best' are the same: fifo:place=best,mode=strict"
check "a seed twice is a usage error" expect 2 "$fairway" run "$scn" -s 1 -s 2 -s 1 -d "$dir/x.db"
check "an unknown option is a usage error" expect 2 "$fairway" run "$scn" --polciy fifo
check "no scenario is a usage error" expect 2 "$fairway" run
check "a missing scenario is bad input" expect 2 "$fairway" run "$dir/none.yaml"
check "a database that cannot be written is the world's fault" expect 3 "$fairway" run "$scn" -p fifo -d "$dir/no/such/r.db"
check "an unknown command names the nearest" expect 2 "$fairway" comapre
check "which is compare" says "fairway compare"
check "every command has help" expect 0 "$fairway" help run

# Without rows of jobs: the same run and the same metrics; what is told from rows says that they are not there.
numbers() { sqlite3 "$1" "select digest from run where policy = 'fifo' union all select * from (select name || scope || printf(' %.17g', value) from metric join run on run.id = run where policy = 'fifo' order by 1)"; }
bare() { fails 2 "jobs: false" "$fairway" "$@"; }
check "a run without rows of jobs" expect 0 "$fairway" run "$scn" -p fifo -s 1 --set output= --set output.jobs=false -d "$dir/bare.db"
"$fairway" run "$scn" -p fifo -s 1 --set output= -d "$dir/rows.db" -q
check "has none" same "$(sqlite3 "$dir/bare.db" "select count(*) from job")" 0
check "and the same metrics" same "$(numbers "$dir/bare.db")" "$(numbers "$dir/rows.db")"
check "explain says so" bare explain "$dir/bare.db" 1 job-000001
check "timeline says so" bare timeline "$dir/bare.db" 1
check "for Batsim, too" bare timeline "$dir/bare.db" 1 --batsim
check "a window says so" bare compare "$dir/bare.db" --from 1h
check "without one there is a comparison" expect 0 "$fairway" compare "$dir/bare.db"
for figure in cdf jobs-ideal; do check "the figure $figure says so" bare plot "$dir/bare.db" $figure -o "$dir/x.svg"; done
check "a report is written" expect 0 "$fairway" report "$dir/bare.db" --no-charts -o "$dir/bare.html"
check "with as many jobs and users" grep -q '"facts":\[\[[^]]*,5000,24\]\]' "$dir/bare.html"
check "data is read without rows of what" expect 0 "$fairway" run "$here/scenarios/flow-paper/flow-k6.yaml" -p gs -s 1 --set output.jobs=false -d "$dir/data.db"
check "nor of stages" expect 0 "$fairway" run "$here/scenarios/workflow/workflow-fig1.yaml" -p workflow -s 1 --set output= --set output.jobs=false -d "$dir/data.db"
check "nor of what they drew" expect 0 "$fairway" run "$here/scenarios/energy/energy.yaml" -p fifo -s 1 --set output= --set output.jobs=false --set trace.generate.jobs=50 -d "$dir/data.db"
check "none is there" same "$(sqlite3 "$dir/data.db" "select (select count(*) from transfer), (select count(*) from stage), (select count(*) from energy)")" "0|0|0"
check "what they sum to is" same "$(sqlite3 "$dir/data.db" "select group_concat(name, ' ') from (select distinct name from metric where name in ('bytes_read', 'reserved_cpu_hours', 'energy') and value > 0 order by 1)")" "bytes_read energy reserved_cpu_hours"
check "stages says so" bare stages "$dir/data.db" --run 2

# Of a long run threads do some of the last work, where there are processors for them: the same metrics.
awk 'BEGIN { print "id,submit_s,duration_s,cpus,gpus"; for (i = 0; i < 12000; i++) printf "j%d,%d,%d,1,%d\n", i, i * 7, 5 + i * i % 997, i % 4 }' >"$dir/l.csv"
printf 'name: l\ncluster:\n  groups:\n    - {name: n, count: 60, cpus: 64, mem: 16GiB, gpus: 2, gpu_type: A}\n    - {name: m, count: 20, cpus: 64, mem: 16GiB, gpus: 4, gpu_type: B}\ntrace: {format: native, path: l.csv}\noutput: {jobs: false}\n' >"$dir/l.yaml"
first=$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')      # a processor of ours
long() { "$@" "$fairway" run "$dir/l.yaml" -p fifo -d "$dir/$1.db" -q; }
check "a long run" expect 0 long env
check "and the same on one processor" expect 0 long taskset -c "$first"
check "have the same metrics" same "$(numbers "$dir/taskset.db")" "$(numbers "$dir/env.db")"
check "bounds and exact quantiles among them" same "$(numbers "$dir/env.db" | grep -c -e '^jct_mean_bound' -e '^makespan_bound' -e '^jct_p99all ')" 3

if [ -c /dev/full ]; then
    for c in help --version "help run" policies; do
        # shellcheck disable=SC2086   # the words of a command
        check "what cannot be printed is told of: $c" sh -c '"$0" "$@" >/dev/full 2>/dev/null; [ $? -eq 3 ]' "$fairway" $c
    done
else
    echo "skipped - a full standard output: there is no /dev/full"
fi

# A job for more GPUs than there are: an error with its line, or counted as rejected.
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,1,10,1,9\n' >"$dir/t.csv"
printf 'name: t\ncluster:\n  groups:\n    - {name: n, count: 2, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: A}\ntrace: {format: native, path: t.csv}\npolicies: [fifo]\n' >"$dir/t.yaml"
check "a job that can never run is an error" expect 2 "$fairway" run "$dir/t.yaml" -d "$dir/t.db"
check "with its name and line" says "job 'b' (line 3 of the trace)"
check "or is rejected, when the scenario says so" expect 0 "$fairway" run "$dir/t.yaml" --set jobs.infeasible=reject -d "$dir/t.db"
check "and counted" says "1 jobs can never run"

# A closed loop whose jobs wait for ever ends: kube-split keeps CPU pods off the GPU nodes, and the third job off both.
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,4,0\nb,0,10,4,0\nc,1,5,1,1\n' >"$dir/c.csv"
printf 'cluster:\n  groups:\n    - {name: g, count: 4, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: A}\n    - {name: c, cpus: 2, mem: 8GiB}\ntrace: {format: native, path: c.csv, concurrency: 2}\npolicies: [kube-split]\n' >"$dir/c.yaml"
for set in output.sample_every=1m 'faults={mtbf: 1h, mttr: 1m}'; do
    check "a loop full of jobs that nobody starts ends with ${set%%=*}" expect 1 timeout 30 "$fairway" run "$dir/c.yaml" --set "$set" -d "$dir/c.db"
    check "and says how many" says "2 jobs were left unfinished"
done

# So do jobs that nobody starts on a cluster that is never whole.
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,100000,10,1,0\n' >"$dir/n.csv"
printf 'cluster:\n  groups:\n    - {name: g, count: 100, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: A}\ntrace: {format: native, path: n.csv}\nfaults: {mtbf: 10h, mttr: 10h}\npolicies: [kube-split]\n' >"$dir/n.yaml"
check "jobs that nobody starts end though some node is always down" expect 1 timeout 30 "$fairway" run "$dir/n.yaml" -d "$dir/n.db"
check "and are counted" says "1 jobs were left unfinished"

# Ctrl-C keeps what was finished and marks the rest.
rm -f "$dir/r.db"
"$fairway" run "$scn" -d "$dir/r.db" --audit >"$dir/out" 2>"$dir/err" &
pid=$!
has_done() { [ "$(sql "select count(*) > 0 from run where status = 'done'" 2>/dev/null)" = 1 ]; }
await $pid has_done
kill -INT $pid
wait $pid
check "an interrupt exits with 130" [ $? -eq 130 ]
check "finished runs are kept" [ "$(sql "select count(*) from run where status = 'done'")" -ge 1 ]
check "the one under way is marked" [ "$(sql "select count(*) from run where status = 'interrupted'")" -eq 1 ]
check "and nothing is left running" [ "$(sql "select count(*) from run where status = 'running'")" -eq 0 ]
check "compare shows the finished ones" expect 0 "$fairway" compare "$dir/r.db"
exit $bad
