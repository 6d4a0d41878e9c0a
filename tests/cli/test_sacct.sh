#!/bin/sh
# Format sacct: what a real Slurm printed (22.05, four nodes of two cores and two GPUs), and each feature by hand.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 2
convert() { "$fairway" trace convert -f sacct "$@" >out 2>err || { cat err; return 1; }; }
cells() { sqlite3 -csv :memory: '.import out t' "SELECT $1 FROM t" | tr -d '"'; }
told() { grep -qF -- "$1" err || { cat err; return 1; }; }

real=$here/tests/cli/sacct-22.05.txt
check "what sacct -P -D of Slurm 22.05 printed is read" convert "$real"
check "every job that started, by its array task or part" same "$(cells 'group_concat(id, " ")')" "1 2 5 8 10+0 10+1 4_0 4_1 3 4_2 4_3 4_4 4_5 9 17"
check "its TRES, nodes and start" same "$(cells 'tasks, gang, cpus, mem_mib, gpus, gpu_type, limit_s, start_s, end_s, nodes, state' | sed -n 2p)" "4,1,1,100,1,a100,600,8,13,n01,n02,n03,n04,COMPLETED"
check "a job with a dependency arrives when that is met" same "$(sqlite3 :memory: '.mode csv' '.import out t' "SELECT submit_s FROM t WHERE id = '3'")" 8
check "or when it was submitted" convert --arrival submit "$real"
check "as asked" same "$(sqlite3 :memory: '.mode csv' '.import out t' "SELECT submit_s, start_s FROM t WHERE id = '3'")" "0,8"
check "steps are told of" told "step of a job, which the job's own row counts: 15 rows"
check "jobs that never started" told "job that never started, left out: 1 rows"
check "a requeued one" told "earlier run of a requeued job, only its last is read: 1 rows, first at line 30"
check "one that still runs" told "job that still ran, it runs as long as it had: 1 rows"
check "parts of a heterogeneous job" told "part of a heterogeneous job, taken as a job of its own: 2 rows"
printf 'name: t\ncluster:\n  groups:\n    - {name: n, count: 4, cpus: 2, mem: 1000MiB, gpus: 2, gpu_type: a100}\ntrace: {format: sacct, path: %s}\noutput: {attempts: true}\npolicies: [recorded, easy]\n' "$real" >s.yaml
check "it runs as recorded, beside easy" expect 0 "$fairway" run s.yaml -d s.db
check "each job at the second at which Slurm started it" same "$(sqlite3 s.db "SELECT count(*), sum(start_us = recorded_start_us) FROM job WHERE run = 1")" "15|15"

head='JobID|User|Account|Partition|QOS|State|Submit|Eligible|Start|End|Elapsed|Timelimit|NNodes|ReqCPUS|ReqMem|AllocTRES|ReqTRES|NodeList|Reservation|Constraints'
rows() { { echo "$head"; cat; } >t.txt; }
rows <<'X'
1|al||fast,slow||COMPLETED|1700000000|1700000000|1700000005|1700000065|1-00:01:00|UNLIMITED|2|8|4Gn||cpu=8,gres/gpu:t4=3,gres/gpu=3,mem=8G,node=2|n[01-02]|res1|big
2||acc|fast|high|TIMEOUT|1700000001|Unknown|1700000001|Unknown|00:10:00|10:00:00|1|4|500Mc|||m1||
X
check "old memory, times since 1970, types asked, no user" convert t.txt
check "as figures" same "$(cells 'id, submit_s, duration_s, user, queue, tasks, cpus, mem_mib, gpus, gpu_type, limit_s, start_s, state')" "1,0,86460,al,fast,slow,1+1,5.334+2.667,5461.333334+2730.666667,2+1,t4,,5,COMPLETED
2,1,600,acc,high,1,4,2000,0,,36000,1,TIMEOUT"
check "a reservation is told of" told "job of a reservation, which is not modelled: 1 rows"
refuses() { rows; fails 2 "$1" "$fairway" trace stats -f sacct t.txt; }
check "a date that is none: row and column" refuses "t.txt:2: error: Submit: 'yesterday' is not a date" <<'X'
1|al||||COMPLETED|yesterday||||00:01:00|||||||||
X
check "a host list that is none" refuses "NodeList: 'n[1-' " <<'X'
1|al||||COMPLETED|1||1|2|00:01:00||1|1|1G|||n[1-||
X
check "TRES that are none" refuses "AllocTRES: 'cpu=x' has an amount that is no number" <<'X'
1|al||||COMPLETED|1||1|2|00:01:00||1|1|1G|cpu=x||n1||
X
check "TRES in thousands" refuses "AllocTRES: 'cpu=4K' has an amount that is no number" <<'X'
1|al||||COMPLETED|1||1|2|00:01:00||1|1|1G|cpu=4K||n1||
X
check "a pipe in a name" refuses "leave JobName and the like out of -o" <<'X'
1|a|l||||COMPLETED|1||1|2|00:01:00||1|1|1G|||n1||
X
echo 'JobID|User' >t.txt
check "a column that is needed, with the command that has it" fails 2 "sacct -P -o JobID,User" "$fairway" trace stats -f sacct t.txt
rows <<'X'
1|al||||COMPLETED|2024-07-01T12:00:00||2024-07-01T11:59:59|2024-07-01T12:01:00|00:01:00||1|1|1G|||n1||
2|al||||COMPLETED|2024-07-01T12:00:00||2024-07-01T12:00:01|2024-07-01T12:01:01|00:01:00||1|1|1G|||n1||
X
check "a start before the arrival is counted" convert t.txt
check "by its row" told "recorded start is before the arrival, not kept: 1 rows, first at line 2"
check "a zone that there is not" fails 2 "'Mars' is no time zone" "$fairway" trace stats -f sacct --zone Mars t.txt
exit $bad
