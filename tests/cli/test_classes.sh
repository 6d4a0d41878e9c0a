#!/bin/sh
# Classes of jobs (S0-1): one definition, the scenario's, for what a policy does and for what results say.
. "$(dirname "$0")/lib.sh"
cat >"$dir/jobs.csv" <<'X'
id,submit_s,duration_s,user,cpus,gpus,tasks,gang
none,0,100,u,1,0,1,0
one,0,100,u,1,1,1,0
two,0,100,u,1,2,1,0
three,0,100,u,1,3,1,0
four,0,100,u,1,4,1,0
five,0,100,u,1,5,1,0
gang2x2,0,100,u,1,2,2,1
four1,0,100,u,1,1,4,0
X
cat >"$dir/s.yaml" <<'X'
cluster: {groups: [{name: n, count: 4, cpus: 64, mem: 256GiB, gpus: 8, gpu_type: V100}]}
trace: {format: native, path: jobs.csv}
policies: [{name: multiqueue, search: off}]
output: {decisions: true}
X
db() { sqlite3 "$1" "$2"; }
fields="SELECT group_concat(id || ' ' || class, ', ') FROM (SELECT * FROM job ORDER BY ordinal)"
# In words of the policy's reasons: how the job was started.
queues="SELECT group_concat(id || ' ' || queue, ', ') FROM (SELECT DISTINCT j.id, j.ordinal,
    CASE WHEN reason LIKE 'CPU queue%' THEN 'cpu' WHEN reason LIKE 'multi%' THEN 'multi' ELSE 'single' END AS queue
    FROM decision d JOIN job j USING (run, ordinal) WHERE verb = 'start' ORDER BY j.ordinal)"

check "a scenario without a word of classes runs" expect 0 "$fairway" run -q "$dir/s.yaml" -d "$dir/4.db"
at_four="none cpu, one single, two single, three single, four multi, five multi, gang2x2 multi, four1 single"
check "S0-1: fewer than four GPUs that start together are single in results" same "$(db "$dir/4.db" "$fields")" "$at_four"
check "and so they are for the policy" same "$(db "$dir/4.db" "$queues")" "$at_four"
check "the run records where multi begins" same "$(db "$dir/4.db" 'SELECT multi_from FROM run')" 4

check "a scenario may say otherwise" expect 0 "$fairway" run -q "$dir/s.yaml" --set jobs.multi_from=2 -d "$dir/2.db"
at_two="none cpu, one single, two multi, three multi, four multi, five multi, gang2x2 multi, four1 single"
check "results follow it" same "$(db "$dir/2.db" "$fields")" "$at_two"
check "so does the policy" same "$(db "$dir/2.db" "$queues")" "$at_two"
check "and the run's record" same "$(db "$dir/2.db" 'SELECT multi_from FROM run')" 2
cat >"$dir/hears.py" <<'X'
import fairway
class Hears(fairway.Policy):
    name = "hears"
    def decide(self):
        self.fail("multi from %d" % self.multi_from)
fairway.run(Hears)
X
hears() { fails 4 "multi from $1" "$fairway" run -q "$dir/s.yaml" --set jobs.multi_from="$1" -d "$dir/h$1.db" -p "exec:env PYTHONPATH=$here/python python3 $dir/hears.py"; }
check "a policy in another process hears it" hears 2
check "and need not when it is four" hears 4
check "one GPU is never multi" fails 2 "multi_from" "$fairway" run -q "$dir/s.yaml" --set jobs.multi_from=1 -d "$dir/1.db"

check "jobs of two and three GPUs have a scope of their own" expect 0 "$fairway" compare "$dir/4.db" --scope gpus=2-3 -m jobs_counted --csv
check "there are two" grep -q ',jobs_counted,.*,2,' "$dir/out"
check "in a window too" expect 0 "$fairway" compare "$dir/4.db" --scope gpus=2-3 -m jobs_counted --to 1h --csv
check "the same two" grep -q ',jobs_counted,.*,2,' "$dir/out"
check "one number of GPUs is a range in a window" expect 0 "$fairway" compare "$dir/4.db" --scope gpus=5 -m jobs_counted --to 1h --csv
check "of one job" grep -q ',jobs_counted,.*,1,' "$dir/out"
exit $bad
