#!/bin/sh
# Policy recorded: jobs start when and where the trace says, and what contradicts the cluster is counted with its instant.
. "$(dirname "$0")/lib.sh"
starts() { sqlite3 "$1" "SELECT group_concat(id || ':' || (start_us / 1000000) || '@' || node, ' ') FROM (SELECT j.id, j.start_us, (SELECT group_concat(n.name, '+') FROM attempt a JOIN node n ON n.run = a.run AND n.node = a.node WHERE a.run = j.run AND a.ordinal = j.ordinal) AS node FROM job j ORDER BY j.ordinal)"; }
head='name: t
cluster:
  groups:
    - {name: n, count: 3, cpus: 4, mem: 16GiB}
trace: {format: native, path: t.csv}
output: {attempts: true}
policies: [recorded]'
yaml() { printf '%s\n' "$head" >"$dir/t.yaml"; }
yaml

# a waits though all is free, and runs on n-2 (first fit is n-0); the gang g is on n-2 and n-0 from the instant a ends;
# b names no node: the placement rule; the two tasks of s start together, on n-0 and n-1.
cat >"$dir/t.csv" <<'X'
id,submit_s,duration_s,cpus,tasks,gang,start_s,end_s,nodes,state
a,100,50,4,1,0,130,180,n-2,COMPLETED
g,110,20,4,2,1,180,200,"n-2,n-0",COMPLETED
b,120,10,1,1,0,121,131,,COMPLETED
s,190,5,2,2,0,200,205,"n-0,n-1",CANCELLED
X
check "a trace with recorded starts runs" expect 0 "$fairway" run "$dir/t.yaml" -d "$dir/t.db"
check "each starts when and where the trace says" same "$(starts "$dir/t.db")" "a:30@n-2 g:80@n-2+n-0 b:21@n-0 s:100@n-0+n-1"
check "and nothing contradicts the cluster" same "$(sqlite3 "$dir/t.db" "SELECT count(*) FROM contradiction")" 0
check "the recorded start is kept with the job" same "$(sqlite3 "$dir/t.db" "SELECT group_concat(recorded_start_us / 1000000) FROM job")" 30,80,21,100
check "also under a policy that does not go by it" expect 0 "$fairway" run "$dir/t.yaml" -p fifo -d "$dir/f.db"
check "which starts a at once" same "$(sqlite3 "$dir/f.db" "SELECT start_us, recorded_start_us FROM job WHERE id = 'a'")" "0|30000000"
check "stats count them" sh -c '"$1" trace stats "$2" | grep -q "recorded wait, mean  *27.75 "' - "$fairway" "$dir/t.csv"
check "convert keeps them" sh -c '"$1" trace convert "$2" | grep -q "^s,90,.*,100,105,.n-0,n-1.,CANCELLED$"' - "$fairway" "$dir/t.csv"

# The cluster of the trace was larger: b finds n-1 taken and goes elsewhere, c finds nothing until a ends, d has no
# record, and e ran on a node that is not there.
cat >"$dir/t.csv" <<'X'
id,submit_s,duration_s,cpus,start_s,nodes
a,0,50,4,10,n-1
x,0,50,4,10,n-2
b,0,60,4,20,n-1
c,0,5,4,30,n-0
d,1,5,1,,
e,2,5,1,90,m7
X
check "a record that the cluster contradicts runs" expect 0 "$fairway" run "$dir/t.yaml" -d "$dir/c.db"
check "by the stated rules" same "$(starts "$dir/c.db")" "a:10@n-1 x:10@n-2 b:20@n-0 c:60@n-1 d:1@n-0 e:90@n-0"
check "each kind is told" says "note: recorded: job without a recorded start, started when it fits"
check "of nodes" says "the recorded nodes lack what the job asks at its recorded start, started on others"
check "of the whole cluster" says "more in use at the recorded start than there is, started later"
check "and a node that is not there, by its row" says "recorded node that the cluster does not have: 1 row, first at line 7"
check "with the instants in a table" same "$(sqlite3 "$dir/c.db" "SELECT group_concat(id || ' ' || what || ' ' || (at_us / 1000000)) FROM contradiction JOIN job USING (run, ordinal)")" "d unrecorded 1,b elsewhere 20,c late 30"
check "strict makes the node an error" fails 2 "t.csv:7" "$fairway" run "$dir/t.yaml" -d "$dir/e.db" --set trace.strict=true

check "gaps that are scaled leave no record" expect 0 "$fairway" run "$dir/t.yaml" -d "$dir/l.db" --set trace.speedup=2
check "which is told" says "job without a recorded start, started when it fits: 6 jobs"

printf 'id,submit_s,duration_s,start_s,end_s\na,5,1,3,4\nb,5,1,6,5\n' >"$dir/t.csv"
check "starts before arrivals, and ends before starts, are not kept" expect 0 "$fairway" run "$dir/t.yaml" -d "$dir/b.db"
check "and told by row" says "recorded start is before the arrival, not kept: 1 row, first at line 2"
check "both of them" says "recorded end is before the recorded start, not kept: 1 row, first at line 3"

# The mean waits that the archives' own field 3 has, to the minute.
traces=${FAIRWAY_TRACES:-$here/../shared/traces}
if [ -f "$traces/swf/hpc2n.swf" ]; then
    mean() { "$fairway" trace stats -f swf "$traces/swf/$1" | sed -n 's/^recorded wait, mean *\([0-9]*\).*/\1/p'; }
    check "HPC2N waited 288 min" same "$(($(mean hpc2n.swf) / 60))" 288
    check "wagap waited 850 min" same "$(($(mean wagap-2013.swf) / 60))" 850
    check "HPC2N's record runs beside easy" expect 0 env FAIRWAY_TRACES="$traces" "$fairway" run "$here/scenarios/public-traces/recorded.yaml" -d "$dir/h.db"
    check "every job at its instant" same "$(sqlite3 "$dir/h.db" "SELECT count(*), sum(start_us = recorded_start_us) FROM job WHERE run = 1")" "3145|3145"
    check "so that it is a row like any other" sh -c '"$1" compare "$2" --csv | grep -q "^rec"' - "$fairway" "$dir/h.db"
else
    echo "skipped - no $traces/swf"
fi
exit $bad
