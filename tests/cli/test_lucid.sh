#!/bin/sh
# Lucid: who shares cards with whom, who is profiled where, and what passes what.  Sums are in the comments.
. "$(dirname "$0")/lib.sh"
printf 'model,beside,speed\n' >"$dir/pairs.csv"
for m in 'tiny 0.97' 'medium 0.9' 'jumbo 0.5'; do
    for other in tiny medium jumbo; do echo "${m% *},$other,${m#* }"; done
done >>"$dir/pairs.csv"
scenario() {
    printf 'cluster: {groups: [{name: n, count: %s, cpus: 1, mem: 1GiB, gpus: %s}]}\n' "$2" "$3"
    printf 'profiles: {sharing: {file: pairs.csv}}\n'
    printf 'trace: {format: native, path: %s.csv, defaults: {cpus: 0, mem: 0B}}\n' "$1"
} >"$dir/$1.yaml"
run() { expect 0 "$fairway" run "$dir/$1.yaml" -d "$dir/$1.db" -q -p "$2"; }
lives() {
    sqlite3 "$dir/$1.db" "SELECT group_concat(id || ' ' || (start_us / 1000000) || ' ' || (end_us / 1000000), ', ') FROM
        (SELECT j.* FROM job j JOIN run r ON r.id = j.run WHERE r.policy = '$2' ORDER BY ordinal)"
}
is() { [ "$(lives "$1" "$2")" = "$3" ] || { lives "$1" "$2"; return 1; }; }

# j and k are jumbo and may not share.  l is tiny, but more than twice as long as j.  t shares with j from 20 on, until
# 20 + 20 / 0.97 = 40.6, when j has done 20 + 10.3; its other 69.7 end at 110.3.  Then the shorter k, and l.
scenario share 1 1
cat >"$dir/share.csv" <<'END'
id,submit_s,duration_s,gpus,gpu_milli,model
j,0,100,1,500,jumbo
l,5,300,1,500,tiny
k,10,50,1,500,jumbo
t,20,20,1,500,tiny
END
p=lucid:estimate=true,profilers=0,quiet=-1
check "two share a card" run share "$p"
check "as their classes and lengths allow" is share "$p" "j 0 110, l 160 460, k 110 160, t 20 40"
# With both of them medium they may: k at 10, beside j, at half its speed until 110.  j has 40 left then, does 10.3 of it
# beside t until 130.6, and ends at 160.3.
p=lucid:estimate=true,profilers=0,quiet=-1,tiny=0.6,medium=0.4
check "where classes begin" run share "$p"
check "is the user's" is share "$p" "j 0 160, l 160 460, k 10 110, t 110 130"
p=lucid:estimate=true,profilers=0,quiet=4
check "few arrivals" run share "$p"
check "share nothing" is share "$p" "j 0 100, l 170 470, k 120 170, t 100 120"

# Who asks for no card shares none: b goes to the first node with room, not beside a.
printf '%s\n' 'cluster: {groups: [{name: small, cpus: 2, mem: 1GiB, gpus: 1}, {name: large, cpus: 8, mem: 1GiB, gpus: 1}]}' \
    'output: {attempts: true}' 'profiles: {sharing: {file: pairs.csv}}' \
    'trace: {format: native, path: cpu.csv, defaults: {mem: 0B}}' >"$dir/cpu.yaml"
printf 'id,submit_s,duration_s,cpus,gpus,model\na,0,100,3,0,tiny\nb,1,100,1,0,tiny\n' >"$dir/cpu.csv"
check "two that ask for no card" run cpu lucid:estimate=true,profilers=0,quiet=-1
check "are placed like others" same "$(sqlite3 "$dir/cpu.db" "SELECT group_concat(name) FROM (SELECT n.name
    FROM attempt a JOIN node n USING (run, node) ORDER BY ordinal)")" "large,small"

# The second node is the profiler's, for 10 s each, one at a time.  a ends there; b is stopped at 15 and goes on on the
# first.  c asks for two cards and is not profiled.
scenario profile 2 2
printf 'id,submit_s,duration_s,gpus,model\nc,0,8,2,\na,0,5,2,tiny\nb,0,30,2,tiny\n' >"$dir/profile.csv"
p=lucid:estimate=true,profilers=1,profile_limit=10s,quiet=-1
check "new jobs are profiled" run profile "$p"
check "c, a and b in turn" is profile "$p" "c 0 8, a 8 13, b 13 43"
stops() { sqlite3 "$dir/profile.db" "SELECT group_concat(id || ' ' || n_preempted, ', ') FROM job"; }
check "b was stopped for it" [ "$(stops)" = "c 0, a 0, b 1" ]
p=lucid:estimate=true,profilers=1,profile_gpus=1,quiet=-1
check "but not large ones" run profile "$p"
check "which have the first node alone" is profile "$p" "c 5 13, a 0 5, b 13 43"

# b waits for both cards.  c passes it, but not while few jobs come.
scenario pass 1 2
printf 'id,submit_s,duration_s,gpus\na,0,100,1\nb,1,10,2\nc,2,50,1\n' >"$dir/pass.csv"
check "jobs pass what does not fit" run pass lucid:estimate=true,quiet=-1
check "at other times" is pass lucid:estimate=true,quiet=-1 "a 0 100, b 100 110, c 2 52"
check "or wait behind it" run pass lucid:estimate=true,quiet=3
check "while few come" is pass lucid:estimate=true,quiet=3 "a 0 100, b 100 110, c 110 160"
check "classes are in order" expect 2 "$fairway" run "$dir/pass.yaml" -d "$dir/x.db" -p lucid:tiny=0.5,medium=0.6
check "and it says so" says "medium must be from 0 to tiny"
exit $bad
