#!/bin/sh
# Jobs that wait for other jobs: each kind worked out by hand, in each format that has them; what can never be met.
. "$(dirname "$0")/lib.sh"
cat >"$dir/t.yaml" <<'X'
name: t
cluster:
  groups:
    - {name: n, count: 1, cpus: 4, mem: 16GiB}
trace: {format: native, path: t.csv}
jobs: {infeasible: reject, limits: kill}
output: {attempts: true, decisions: true}
policies: [fifo]
X
# jobs DB: ID:submitted>eligible>start>status of each, in order of arrival; "-": it waited for nothing, or did not start
jobs() {
    sqlite3 "$1" "SELECT group_concat(id || ':' || coalesce((submitted_us / 1000000.0), '-') || '>' ||
        (submit_us / 1000000.0) || '>' ||
        CASE WHEN start_us < 0 THEN '-' ELSE (start_us / 1000000.0) END || '>' || status, ' ')
        FROM (SELECT * FROM job LEFT JOIN dependency USING (run, ordinal) ORDER BY ordinal)"
}
run() { rm -f "$dir/t.db"; expect 0 "$fairway" run "$dir/t.yaml" -d "$dir/t.db" "$@"; }

# a runs from 0 to 50.  ok goes at its end; begun a minute after its start; not never, since a was done; any 5 s after
# not came to nothing, at 50; one as soon as ok (done at 60) or not is, and that is ok; both when the later of ok and
# begun (60 to 70) ends.  gone names a job that there is none of: it goes at once.
cat >"$dir/t.csv" <<'X'
id,submit_s,duration_s,cpus,after
a,0,50,1,
ok,1,10,1,afterok:a
begun,2,10,1,after:a+1
not,3,10,1,afternotok:a
any,4,10,1,afterany:not+5s
gone,5,1,1,afterok:zz
one,6,1,1,afterok:not?afterok:ok
both,7,1,1,"afterok:ok,afterany:begun"
X
check "jobs that wait for others run" run
check "a job that is not there counts as over, and that is told" \
    says "waits for a job that is not before it in the trace, which counts as over: 1 row, first at line 7"
check "what never became eligible is told" says "1 jobs never became eligible"
check "each goes as its kind says" same "$(jobs "$dir/t.db")" "a:->0.0>0.0>done gone:5.0>5.0>5.0>done \
ok:1.0>50.0>50.0>done not:3.0>50.0>->never_eligible any:4.0>55.0>55.0>done begun:2.0>60.0>60.0>done \
one:6.0>60.0>60.0>done both:7.0>70.0>70.0>done"
check "both kinds are counted" same "$(sqlite3 "$dir/t.db" "SELECT group_concat(name || ' ' || value) FROM metric
    WHERE name IN ('jobs_dependent', 'jobs_never_eligible')")" "jobs_dependent 7.0,jobs_never_eligible 1.0"
check "waits count from eligibility" same "$(sqlite3 "$dir/t.db" "SELECT value FROM metric WHERE name = 'wait_max' AND
    scope = 'all'")" 0.0
check "the story of a job tells for whom it waited" expect 0 "$fairway" explain "$dir/t.db" 1 any
check "with the one that let it go" \
    says "00:00:04  was submitted, and waited for job not until it was eligible, 51 s (afterany:not+5s)"
check "and of one that never was" expect 0 "$fairway" explain "$dir/t.db" 1 not
check "why" says "00:00:50  never eligible: what it waited for can never come about"
# Nobody starts wide: kube-split keeps it off the nodes with GPUs.  Once next is over, nothing is waited for.
cat >"$dir/left.csv" <<'X'
id,submit_s,duration_s,cpus,gpus,after
a,0,10,1,1,
next,1,10,1,1,afterok:a
wide,2,10,4,0,
X
left() {
    expect 1 timeout 30 "$fairway" run "$dir/t.yaml" -p kube-split --set trace.path=left.csv \
        --set 'cluster.groups=[{name: g, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: A}, {name: c, cpus: 2, mem: 8GiB}]' \
        --set output.sample_every=1m -d "$dir/left.db"
}
check "with samples to come, a run ends that nobody will go on with" left
check "and says so" says "1 jobs were left unfinished"
check "strict makes the job that is not there an error, at its row" fails 2 "t.csv:7" \
    "$fairway" run "$dir/t.yaml" -d "$dir/s.db" --set trace.strict=true
check "convert keeps what they wait for" sh -c '"$1" trace convert "$2" >"$3/back.csv" && mv "$3/back.csv" "$2"' - \
    "$fairway" "$dir/t.csv" "$dir"
digest=$(sqlite3 "$dir/t.db" 'SELECT digest FROM run')
check "so that the run is the same" run
check "to the event" same "$(sqlite3 "$dir/t.db" 'SELECT digest FROM run')" "$digest"
check "stats count them" \
    sh -c '"$1" trace stats "$2" | grep -q "jobs that wait for others  *7 "' - "$fairway" "$dir/t.csv"

cat >"$dir/t.csv" <<'X'
id,submit_s,duration_s,cpus,after
b,1,10,1,afterok:a
a,0,50,1,
X
check "a file out of order is sorted first" run
check "and then nobody is missed" same "$(jobs "$dir/t.db")" "a:->0.0>0.0>done b:1.0>50.0>50.0>done"

# Failure goes on: big fits nowhere and is rejected at 0, long is cut off by its limit at 5.  There is no circle: x
# names y, which is not before it.
cat >"$dir/t.csv" <<'X'
id,submit_s,duration_s,cpus,limit_s,after
big,0,10,99,,
long,0,10,1,5,
b1,1,10,1,,afterok:big
b2,1,10,1,,afterok:b1
b3,1,10,1,,afternotok:big
l1,1,10,1,,afterok:long
l2,1,3,1,,"afternotok:long,after:l1"
x,2,2,1,,afterok:y
y,2,2,1,,afterok:x
X
check "what fails is passed on" run
check "along the chain" same "$(jobs "$dir/t.db")" "big:->0.0>->rejected long:->0.0>0.0>timeout \
b1:1.0>1.0>->never_eligible b2:1.0>1.0>->never_eligible b3:1.0>1.0>1.0>done x:2.0>2.0>2.0>done y:2.0>4.0>4.0>done \
l1:1.0>5.0>->never_eligible l2:1.0>5.0>5.0>done"

# The node is down from 20 to 30, and a keeps nothing: it runs again from 30 to 80, and b waits until then.
printf 'id,submit_s,duration_s,cpus,after\na,0,50,1,\nb,10,10,1,afterok:a\n' >"$dir/t.csv"
printf 'at_s,node,event\n20,n,down\n30,n,up\n' >"$dir/f.csv"
check "a predecessor that a fault interrupted" run --set 'faults={trace: f.csv}' --set 'jobs.preemption={mode: kill}'
check "is waited for until it is done" same "$(jobs "$dir/t.db")" "a:->0.0>0.0>done b:10.0>80.0>80.0>done"
check "jobs left when time is up arrive unfinished" run --set horizon=20s
check "with the time for which they had waited" same "$(jobs "$dir/t.db")" \
    "a:->0.0>0.0>unfinished b:10.0>20.0>->unfinished"

# A closed loop of one: b is inside while it waits for a, and c comes when b is over.
printf 'id,submit_s,duration_s,cpus,after\na,0,10,1,\nb,0,10,1,afterok:a\nc,0,10,1,afterok:b+10s\n' >"$dir/t.csv"
check "with few jobs at once" run --set trace.concurrency=1
check "one that waits is one of them" same "$(jobs "$dir/t.db")" \
    "a:->0.0>0.0>done b:10.0>10.0>10.0>done c:20.0>30.0>30.0>done"

# SWF: job 2 after job 1 ends (at 100) and 7.5 s of thinking; job 3 after a job that is not there.
cat >"$dir/t.swf" <<'X'
1 0 0 100 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 -1 -1
2 10 0 20 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 1 7.5
3 20 0 20 1 -1 -1 1 -1 -1 1 1 1 -1 1 1 9 5
X
check "the preceding job of SWF" run --set 'trace={format: swf, path: t.swf, dependencies: keep}'
check "is waited for, with its think time" same "$(jobs "$dir/t.db")" \
    "1:->0.0>0.0>done 3:20.0>20.0>20.0>done 2:10.0>107.5>107.5>done"
check "without being asked" run --set 'trace={format: swf, path: t.swf}'
check "nobody waits" same "$(jobs "$dir/t.db")" "1:->0.0>0.0>done 2:->10.0>10.0>done 3:->20.0>20.0>done"

# Events of Slurm: 2 after 1 (0 to 60); 3 a minute after 1 began, and after 2 began; 4 of a kind that is not modelled.
cat >"$dir/t.events" <<'X'
-dt 0 -e submit_batch_job | -jid 1 -J a -sim-walltime 60 -t 2 -n 1 --mem 1G x.sh
-dt 1 -e submit_batch_job | -jid 2 -J b -sim-walltime 5 -t 2 -n 1 --mem 1G --dependency=afterok:1 x.sh
-dt 2 -e submit_batch_job | -jid 3 -J c -sim-walltime 5 -t 2 -n 1 --mem 1G -d after:1+1:2 x.sh
-dt 3 -e submit_batch_job | -jid 4 -J d -sim-walltime 5 -t 2 -n 1 --mem 1G -d singleton x.sh
-dt 4 -e submit_batch_job | -jid 5 -J e -sim-walltime 5 -t 2 -n 1 --mem 1G -d singleton,afterany:4 x.sh
X
check "events of Slurm keep --dependency" run --set 'trace={format: slurm, path: t.events}'
check "and count the kinds that are not modelled" \
    says "--dependency of a kind that is not modelled, which counts as met: 2 rows, first at line 4"
check "in both forms" same "$(jobs "$dir/t.db")" "1:->0.0>0.0>done 4:->3.0>3.0>done 5:4.0>8.0>8.0>done \
2:1.0>60.0>60.0>done 3:2.0>60.0>60.0>done"

# wrong TEXT WORDS: `after` of job b is refused so, at its place
wrong() {
    printf 'id,submit_s,duration_s,after\na,0,5,\nb,1,5,"%s"\n' "$1" >"$dir/t.csv"
    check "refused: $1" fails 2 "t.csv:3:7: error: after: $2" "$fairway" run "$dir/t.yaml" -d "$dir/w.db"
}
wrong 'afterwards:a' "unknown dependency 'afterwards', expected after, afterany, afterok or afternotok"
wrong 'singleton' "unknown dependency 'singleton'"
wrong 'afterok' "a job's id is missing after 'afterok'"
wrong 'afterok:a:' "a job's id is missing after 'afterok'"
wrong 'afterok:a,' "unknown dependency ''"
wrong 'afterok:b' "job 'b' waits for itself"
wrong 'after:a+x' "'x' is not a delay: expected minutes, or seconds such as 90s"
wrong 'after:a+999999999999999' "'999999999999999' is not a delay"
wrong 'afterok:a?afterok:a,afterany:a' "conditions are joined by ',' or by '?', not by both"
printf 'id,submit_s,duration_s,node,after\na,0,5,,\nb,1,5,n,afterok:a\n' >"$dir/t.csv"
check "a bound job waits for none" fails 2 "but the job is bound to a node from its arrival on" \
    "$fairway" run "$dir/t.yaml" -d "$dir/w.db"
exit $bad
