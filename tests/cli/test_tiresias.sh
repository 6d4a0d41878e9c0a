#!/bin/sh
# tiresias' consolidation: who is on as few nodes as may be, who waits for that, and what it goes by.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

cat >s.yaml <<'END'
cluster: {groups: [{name: n, count: 3, cpus: 8, mem: 8GiB, gpus: 4, gpu_type: V100}]}
trace: {format: native, path: jobs.csv, defaults: {cpus: 0, mem: 0B}}
profiles: {distance: apart.csv}
models: {vgg: {V100: 1}, resnet: {V100: 1}}
output: {attempts: true}
END
printf 'model,span,speed\nvgg,rack,0.5\nresnet,rack,0.95\n' >apart.csv
# Two, two and three GPUs are taken, until 100, 200 and 300; then gangs of four and of six, a GPU a task.
cat >jobs.csv <<'END'
id,submit_s,duration_s,tasks,gang,gpus,model
a,0,100,1,0,2,resnet
b,0,200,1,0,2,resnet
c,0,300,1,0,3,resnet
four,10,40,4,1,1,MODEL
six,20,40,6,1,1,MODEL
END
# Where the gangs start, and on how many nodes.
starts() {
    sed "s/MODEL/$2/" jobs.csv >made.csv
    rm -f r.db
    "$fairway" run s.yaml -q --audit -d r.db -p "tiresias:place=spread,$1" --set trace.path=made.csv || return 1
    sqlite3 -separator ' ' r.db "SELECT j.id, a.start_us / 1000000, count(DISTINCT a.node)
        FROM attempt a JOIN job j USING (run, ordinal) WHERE j.n_tasks > 1 GROUP BY j.id ORDER BY j.id" | paste -sd, -
}
check "gangs go wherever there is room" same "$(starts consolidate=none vgg)" "four 10 2,six 100 2"
# Four need a whole node, at 100; six a node and a half, which is there at 140, when the four are done.
check "a model that is slow on several nodes waits for few" same "$(starts consolidate=skew vgg)" "four 100 1,six 140 2"
check "one that is not does not" same "$(starts consolidate=skew resnet)" "four 10 2,six 100 2"
check "slow without consolidate=skew is read by nobody" fails 2 "slow is read with consolidate=skew alone" "$fairway" policies tiresias:slow=0.5
check "unless that is slow, too" same "$(starts consolidate=skew,slow=1 resnet)" "four 100 1,six 140 2"
check "or all wait" same "$(starts consolidate=all other)" "four 100 1,six 140 2"
# At 10 and at 30, when the second comes and goes, the first stops and starts again.
printf 'id,submit_s,duration_s,gpus\na,0,100,1\nb,10,20,1\n' >two.csv
anew() {
    rm -f r.db
    "$fairway" run s.yaml -q --audit -d r.db -p "tiresias:choose=$1" --set trace.path=two.csv || return 1
    sqlite3 r.db "SELECT start_us / 1000000 FROM attempt WHERE ordinal = 0 ORDER BY 1" | paste -sd, -
}
check "choose=anew stops all at every instant" same "$(anew anew)" "0,10,30"
check "choose=fit none that fits" same "$(anew fit)" "0"
sed -i '/^profiles/d' s.yaml
check "without measured speeds it says what is missing" fails 4 "no profiles.distance" \
    "$fairway" run s.yaml -q -d r.db -p tiresias:consolidate=skew --set trace.path=made.csv
exit $bad
