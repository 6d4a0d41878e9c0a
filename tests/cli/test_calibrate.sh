#!/bin/sh
# fairway calibrate: every figure against a case worked by hand, and against queries of its own; the proposal is searched.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 2
scenario() { printf 'name: t\ncluster:\n  groups:\n    - {name: n, count: %s, cpus: 4, mem: 16GiB}\ntrace: {format: native, path: %s}\npolicies: [recorded, fifo]\noutput: {attempts: true}\n' "$1" "$2" >t.yaml; }
calibrated() { rm -f t.db; "$fairway" run t.yaml -q -d t.db && "$fairway" calibrate t.db --csv >facts.csv; }
# value OF [POLICY [SECTION]]: "-" when there is none
value() {
    sqlite3 :memory: '.mode csv' '.import facts.csv f' '.mode list' "SELECT coalesce((SELECT CAST(printf('%.6g', value) AS TEXT) FROM f
        WHERE \"of\" = '$1' AND policy = '${2-recorded}'), '-')"
}
values() { for of; do printf '%s=%s ' "$of" "$(value "$of")"; done; }

# One node of 4 CPUs.  b asks for all of it while a runs: 90 s without room.  c would fit beside a, but not with b ahead
# of it (80 s), and finds no room while b runs (50 s).  d waits for 60 s on an empty cluster.  In all 280 s.
cat >one.csv <<'X'
id,submit_s,duration_s,cpus,user,start_s
a,0,100,2,u,0
b,10,50,4,u,100
c,20,10,1,v,150
d,200,10,1,v,260
X
scenario 1 one.csv
check "a record beside fifo" calibrated
check "waits by the case: mean, quantiles of type 7, jobs" same "$(values jobs wait_mean wait_p50 wait_p90 wait_p95 wait_p99)" "jobs=4 wait_mean=70 wait_p50=75 wait_p90=118 wait_p95=124 wait_p99=128.8 "
# Under fifo a waits 0, b 90 (until 100), c 130 (until 150), d 0: 55 in the mean, ranks 1.5 3 4 1.5 against 1 3 4 2.
check "waits under the policy" same "$(value wait_mean fifo) $(value wait_p50 fifo)" "55 45"
check "rank correlation, ties by their mean rank" same "$(value rank_correlation fifo)" 0.948683
# p95 of 0 0 90 130 is 124, p99 128.8: errors -15/70, -30/75, 0, 0.
check "error, the root of the mean square" same "$(value error fifo)" "$(awk 'BEGIN { printf "%.6g", sqrt((9 / 196 + 0.16) / 4) }')"
check "by user" same "$(value user=u) $(value user=v) $(value user=v fifo) $(value 'jobs user=v' '')" "45 95 65 2"
check "by class and hour" same "$(value class=cpu) $(value hour=00 fifo)" "70 55"
check "no room, behind others, and idle" same "$(values waiting full behind explained idle)" "waiting=0.0777778 full=0.5 behind=0.285714 explained=0.785714 idle=0.214286 "
check "idle by no test" same "$(values idle_above_most idle_user_limit idle_queue_limit idle_no_starts idle_unexplained cpu_most)" "idle_above_most=0 idle_user_limit=- idle_queue_limit=- idle_no_starts=0 idle_unexplained=0.214286 cpu_most=1 "

# Two nodes, of which one is ever used.  x2 waits 90 s while its user, its queue and all together hold the most that they
# ever do; y2 waits 4,000 s, in which nothing starts for more than an hour; y3 10 s for no reason known.
cat >two.csv <<'X'
id,submit_s,duration_s,cpus,user,queue,start_s
x1,0,100,2,u,p,0
y1,0,100,2,v,q,0
x2,10,10,2,u,p,100
y2,120,10,1,w,q,4120
y3,5000,10,1,w,q,5010
X
scenario 2 two.csv
check "idle waits" calibrated
check "are all of it" same "$(values full behind idle)" "full=0 behind=0 idle=1 "
part() { awk "BEGIN { printf \"%.6g\", $1 / 4100 }"; }
check "more than was ever held" same "$(value idle_above_most)" "$(part 90)"
check "a limit that two users reach" same "$(value idle_user_limit) $(value user_most) $(value users_at_most)" "$(part 90) 0.25 2"
check "a queue at its most" same "$(value idle_queue_limit)" "$(part 90)"
check "an hour without starts" same "$(value idle_no_starts)" "$(part 4000)"
check "and the rest" same "$(value idle_unexplained)" "$(part 10)"
check "held at most, and nodes never used" same "$(values cpu_most nodes_never_used)" "cpu_most=0.5 nodes_never_used=1 "
check "in words" expect 0 "$fairway" calibrate t.db
check "with the best test" says "Of the rest 97.6 % may be due to this (idle_no_starts): reservations or maintenance."

# A record of 600 jobs: what easy did on 6 nodes, told of 8.  Every figure again by queries of another kind.
cat >truth.yaml <<'X'
name: truth
cluster:
  groups:
    - {name: n, count: 6, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: A100}
trace:
  format: generate
  generate: {jobs: 600, span: 2d, weekend: 1, users: 6, frac_share: 0, array_share: 0, cpus_per_gpu: 6, gpu_mix: {1: 60, 2: 20, 4: 15, 8: 5}}
policies: [easy]
X
check "a cluster's past" expect 0 "$fairway" run truth.yaml -q
sqlite3 -header -csv truth.db "SELECT id, submit_us / 1e6 AS submit_s, (end_us - start_us) / 1e6 AS duration_s, cpu_milli / 1000 AS cpus,
    n_gpu AS gpus, user, iif(limit_us < 0, '', limit_us / 1e6) AS limit_s, start_us / 1e6 AS start_s FROM job ORDER BY ordinal" >past.csv
sed 's/count: 6/count: 8/; s/^name: truth/name: ours/; /^  format/,/^  generate/d; s/^trace:/trace: {format: native, path: past.csv}/; s/\[easy\]/[recorded, easy, fifo]/' truth.yaml >t.yaml
echo 'output: {sample_every: 1h}' >>t.yaml
check "is told as of more nodes" calibrated
cat >again.sql <<'X'
CREATE TEMP TABLE j AS SELECT ordinal, submit_us AS s, recorded_start_us AS f, recorded_start_us + end_us - start_us AS e, cpu_milli AS cpu, n_gpu AS gpu
    FROM job WHERE run = 1 AND recorded_start_us IS NOT NULL AND status IN ('done', 'timeout');
CREATE TEMP TABLE at AS SELECT t, lead(t) OVER (ORDER BY t) AS u FROM (SELECT s AS t FROM j UNION SELECT f FROM j UNION SELECT e FROM j);
CREATE TEMP TABLE free AS SELECT t, u, 512000 - coalesce((SELECT sum(cpu) FROM j WHERE f <= t AND e > t), 0) AS cpu,
    64 - coalesce((SELECT sum(gpu) FROM j WHERE f <= t AND e > t), 0) AS gpu FROM at;
CREATE TEMP TABLE wait AS SELECT u - t AS us, j.cpu, j.gpu, free.cpu AS c, free.gpu AS g,
    sum(j.cpu) OVER w AS cs, sum(j.gpu) OVER w AS gs
    FROM free JOIN j ON s <= t AND f > t WINDOW w AS (PARTITION BY t ORDER BY ordinal);
CREATE TEMP TABLE r AS SELECT rank() OVER (ORDER BY a) + (count(*) OVER (PARTITION BY a) - 1) / 2.0 AS x, rank() OVER (ORDER BY b) + (count(*) OVER (PARTITION BY b) - 1) / 2.0 AS y
    FROM (SELECT p.recorded_start_us - p.submit_us AS a, q.start_us - q.submit_us AS b FROM job p JOIN job q USING (ordinal) WHERE p.run = 1 AND q.run = 2);
SELECT printf('%.6g %.6g %.6g %.6g %.6g %.6g', sum(us) / 3600e6, sum(iif(cpu > c OR gpu > g, us, 0)) * 1.0 / sum(us),
    sum(iif(cpu <= c AND gpu <= g AND (cs > c OR gs > 0 AND gs > g), us, 0)) * 1.0 / sum(us),
    sum(iif(cs <= c AND (gs = 0 OR gs <= g), us, 0)) * 1.0 / sum(us),
    (SELECT max(64 - gpu) / 64.0 FROM free), (SELECT max(512000 - cpu) / 512e3 FROM free)) FROM wait;
SELECT printf('%.5g', (avg(x * y) - avg(x) * avg(y)) / sqrt((avg(x * x) - avg(x) * avg(x)) * (avg(y * y) - avg(y) * avg(y)))) FROM r;
X
check "what capacity explains, by a join over instants" same "$(value waiting) $(value full) $(value behind) $(value idle) $(value gpu_most) $(value cpu_most)
$(printf '%.5g' "$(value rank_correlation easy)")" "$(sqlite3 t.db <again.sql)"
check "less was held than is told" same "$(value gpu_most)" 0.75
check "mean waits are those of compare" same "$(value wait_mean easy)" "$(sqlite3 t.db "SELECT printf('%.6g', value) FROM v_metric WHERE name = 'wait_mean' AND scope = 'all' AND policy = 'easy'")"
check "by hour of day" same "$(value hour=13) $(value hour=13 easy)" "$(sqlite3 t.db "SELECT printf('%.6g %.6g', avg(p.recorded_start_us - p.submit_us) / 1e6, avg(q.start_us - q.submit_us) / 1e6) FROM job p JOIN job q USING (ordinal) WHERE p.run = 1 AND q.run = 2 AND p.submit_us / 3600000000 % 24 = 13")"
check "utilisation, a mean of samples" same "$(value 'gpu_util from 0.0 h' easy)" "$(sqlite3 t.db "SELECT printf('%.6g', avg(value)) FROM series, (SELECT max(at_us) AS m FROM series WHERE run = 1 AND name = 'cpu_util') WHERE run = 2 AND name = 'gpu_util' AND at_us < m / 10.0")"
check "the same twice, as JSON" sh -c '"$1" calibrate t.db --json >a && "$1" calibrate t.db --json >b && cmp a b && grep -q idle_above_most a' - "$fairway"
check "one policy alone" sh -c '"$1" calibrate t.db -p fifo --csv >a && grep -q fifo a && ! grep -q easy a' - "$fairway"

# The number of nodes is found: the error that the search begins with is the one of the table.
check "a proposal" expect 0 "$fairway" calibrate t.db --search cal.yaml
check "named" says "Proposed: fairway search cal.yaml"
check "is searched" expect 0 "$fairway" search cal.yaml -q -d cal.db
check "a limit that holds exactly is kept" grep -q "^jobs_rejected .* at most 0  *0  *yes " out
set_of() { sqlite3 cal.db "SELECT printf('%.6g', objective) FROM search_set JOIN search_value USING (search, \"set\") WHERE value = $1 AND phase <> 'fresh' LIMIT 1"; }
check "from the error that calibrate tells" same "$(set_of 8)" "$(value error easy)"
check "to the cluster that it was" same "$(sqlite3 cal.db "SELECT value FROM search_set JOIN search_value USING (search, \"set\") WHERE phase <> 'fresh' ORDER BY objective LIMIT 1")" 6
check "where calibrate finds that error" sh -c '"$1" run cal.yaml -q --set cluster.groups.0.count=6 -d after.db && "$1" calibrate after.db --csv >facts.csv' - "$fairway"
check "again" same "$(value error easy:place=best,estimate=limit)" "$(set_of 6)"

check "no record: what to do" expect 0 "$fairway" run truth.yaml -q -p fifo -d no.db
check "no record is told" fails 2 "-p recorded" "$fairway" calibrate no.db
check "nothing beside it" expect 0 "$fairway" run t.yaml -q -p recorded -d only.db
check "is told" fails 2 "no other policy of 'ours'" "$fairway" calibrate only.db
check "no recorded starts" sh -c 'cut -d, -f1-7 past.csv >x && mv x past.csv && "$1" run t.yaml -q -d none.db' - "$fairway"
check "are told" fails 2 "no job of 'ours' has a recorded start" "$fairway" calibrate none.db
check "no rows of jobs" expect 0 "$fairway" run t.yaml -q -d rows.db --set output.jobs=false
check "is told" fails 2 "has no rows of its jobs" "$fairway" calibrate rows.db
check "by the figure, too" fails 2 "has no rows of its jobs" "$fairway" plot rows.db recorded -o x.gp
check "a policy that is not there" fails 2 "esay" "$fairway" calibrate t.db -p esay
check "a proposal that is no scenario's name" fails 2 "expected a name that ends in .yaml" "$fairway" calibrate t.db --search cal.txt
scenario 1 one.csv
check "a record that holds all there is" calibrated
check "leaves no count in doubt" fails 2 "no count of nodes is in doubt" "$fairway" calibrate t.db --search cal.yaml
exit $bad
