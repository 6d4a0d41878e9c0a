#!/bin/sh
# themis: leases and payments worked out by hand, who is starved, where a model slows on several nodes.
. "$(dirname "$0")/lib.sh"
cd "$dir" || exit 1
command -v sqlite3 >/dev/null || { echo "skipped - no sqlite3"; exit 77; }

run() { rm -f r.db; "$fairway" run "$1.yaml" -q --audit -d r.db -p "$2" 2>err || { cat err; return 1; }; }
# Each attempt of each job: its begin and end.
attempts() {
    sqlite3 -separator ' ' r.db "SELECT j.id, group_concat(printf('%g-%g', a.start_us / 1e6, a.end_us / 1e6), ' ')
        FROM (SELECT * FROM attempt ORDER BY start_us) a JOIN job j USING (run, ordinal)
        GROUP BY j.id ORDER BY j.id" | paste -sd, -
}
gives() { run "$1" "$2" && same "$(attempts)" "$3"; }

cat >hand.yaml <<'END'
cluster: {groups: [{name: n, count: 1, cpus: 8, mem: 8GiB, gpus: 4, gpu_type: V100}]}
trace: {format: native, path: hand.csv, defaults: {cpus: 0, mem: 0B}}
output: {attempts: true}
END
cat >hand.csv <<'END'
id,submit_s,duration_s,gpus,limit_s
a,0,1200,4,
b,0,2000,2,
c,0,2400,2,
END
# A lease would make a's fairness better by (1200 + 1200) / 1200 = 2, b's by 1.6 and c's by 1.5: b and c win, 2.4.
# Without b the others have 2, and 1.5 beside it: b pays a quarter of its lease, c, by 1.6 / 2, a fifth.
# At 900 b's and at 960 c's is over; a does not fit into two GPUs, so both go on, and pay nothing.  From 1200 on a has
# waited a lease; b ends at 2000, its GPUs are held for a, and c stops as its lease is over, at 960 + 1200.
check "an auction by hand" gives hand themis:filter=0 "a 2160-3360,b 0-2000,c 0-2160 3360-3600"
# One bids, b or c; what it leaves goes to the other, for whole leases.  At 1200 a has waited that long.
check "one bidder, and what is left over" gives hand themis "a 1200-2400,b 0-1200 2400-3200,c 0-1200 2400-3600"
# b and c win for 5.17 / 9.33 and 6 / 9.33 of a lease, which is longer than they run.
check "longer leases" gives hand themis:lease=10000s "a 2400-3600,b 0-2000,c 0-2400"

# One of 8 GPUs each 100 s for 600 s: six are busy, and never all free.  One that asks for all of them comes at 1000.
cat >starved.yaml <<'END'
cluster: {groups: [{name: n, count: 2, cpus: 8, mem: 8GiB, gpus: 4, gpu_type: V100}]}
trace: {format: native, path: starved.csv, defaults: {cpus: 0, mem: 0B}}
END
awk 'BEGIN { print "id,submit_s,duration_s,tasks,gang,gpus"
             for (t = 0; t < 6000; t += 100) {
                 print "s" t "," t ",600,1,0,1"
                 if (t == 1000) print "big,1000,600,2,1,4" } }' >starved.csv
waits() { run starved "$1" && sqlite3 r.db "SELECT (start_us - submit_us) / 1000000 FROM job WHERE id = 'big'" >wait; }
# It has waited a lease at 1600 and is the worst; leases given until then are over at 2200.
in_time() { waits themis:lease=600s && [ "$(cat wait)" -ge 600 ] && [ "$(cat wait)" -le 1200 ]; }
check "who has waited a lease waits no longer than another" in_time
for_ever() { waits fifo:mode=skip && [ "$(cat wait)" -ge 5000 ]; }
check "where it would wait for all that come later" for_ever

# Two GPUs are free on two nodes.  The model `slow` does a tenth there of what it does on one node; two bids, one prize.
cat >apart.yaml <<'END'
cluster: {groups: [{name: n, count: 2, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100}]}
trace: {format: native, path: apart.csv, defaults: {cpus: 0, mem: 0B}}
profiles: {distance: apart.dist}
models: {slow: {V100: 1}, fast: {V100: 1}}
output: {attempts: true}
END
printf 'model,span,speed\nslow,rack,0.1\n' >apart.dist
cat >apart.csv <<'END'
id,submit_s,duration_s,tasks,gang,gpus,model
x,0,100,1,0,1,fast
y,0,100,1,0,1,fast
s,10,1000,2,1,1,slow
f,10,1100,2,1,1,fast
END
first() {
    run apart themis:filter=0,place=spread || return 1
    same "$(sqlite3 r.db "SELECT id FROM job WHERE id IN ('s', 'f') ORDER BY start_us LIMIT 1")" "$1"
}
check "who is slow on several nodes bids less for them" first f
sed -i 's/0.1/1/' apart.dist
check "than who is not" first s

# s is on two nodes at a tenth of its speed, while z, who came later, has its node.  At 1210 the lease of s is over, and
# f has waited 1180 for one GPU.  s would gain (1200 + 1200 + 1200) / (1200 + 2280) = 1.03 and f (1180 + 1200 + 2000) /
# (1180 + 2000) = 1.38: f has it, and s the node of z, whose lease is over at 1220, at full speed: 1200 s and it is done.
cat >apart.yaml <<'END'
cluster:
  groups:
    - {name: b, count: 1, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100}
    - {name: a, count: 2, cpus: 8, mem: 8GiB, gpus: 1, gpu_type: V100}
trace: {format: native, path: apart.csv, defaults: {cpus: 0, mem: 0B}}
profiles: {distance: apart.dist}
models: {slow: {V100: 1}, fast: {V100: 1}}
END
printf 'model,span,speed\nslow,rack,0.1\n' >apart.dist
cat >apart.csv <<'END'
id,submit_s,duration_s,tasks,gang,gpus,model
w,0,15,2,1,1,fast
s,10,1320,2,1,1,slow
z,20,5000,2,1,1,fast
f,30,2000,1,0,1,fast
END
ends() {
    run apart themis:filter=0,place=first || return 1
    same "$(sqlite3 r.db "SELECT group_concat(printf('%s %d-%.0f', id, start_us / 1000000, end_us / 1e6))
        FROM (SELECT * FROM job ORDER BY ordinal)")" "$1"
}
check "who runs where it is slow bids less, too" ends "w 0-15,s 10-2420,z 20-6220,f 1210-3210"

# All gain as much, so b and c win, and each keeps all, as a would have as much in its place.
even="a 1200-2400,b 0-1200 2400-3200,c 0-1200 2400-3600"
check "of whom nothing is known is taken to need a lease" gives hand themis:filter=0,estimate=limit "$even"
sed -i 's/,$/,9000/' hand.csv
check "limits are estimates" gives hand themis:filter=0,estimate=limit "$even"
check "filter is a part" expect 2 "$fairway" run hand.yaml -q -p themis:filter=1.5
exit $bad
