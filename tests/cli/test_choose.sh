#!/bin/sh
# Who runs, where it is not what fits with those before it: srtf and tiresias with choose=count and choose=anew.
. "$(dirname "$0")/lib.sh"
run() { expect 0 "$fairway" run "$dir/$1.yaml" -d "$dir/$1.db" -q $(for p in $2; do echo "-p $p"; done); }
# "a 0 100, ...": each job's first start and end in seconds.
lives() {
    sqlite3 "$dir/$1.db" "SELECT group_concat(id || ' ' || (start_us / 1000000) || ' ' || (end_us / 1000000), ', ') FROM
        (SELECT j.* FROM job j JOIN run r ON r.id = j.run WHERE r.policy = '$2' ORDER BY ordinal)"
}
is() { [ "$(lives "$1" "$2")" = "$3" ] || { lives "$1" "$2"; return 1; }; }
scenario() {
    printf 'cluster: {groups: [{name: n, count: 2, cpus: 1, mem: 1GiB, gpus: 4}]}\n' >"$dir/$1.yaml"
    printf 'trace: {format: native, path: %s.csv, defaults: {cpus: 0, mem: 0B}}\njobs: {preemption: {%s}}\n' "$1" "$2" >>"$dir/$1.yaml"
}

# a and e are on one node, b is on the other.  At 10 come c (10 s), e (15 s left) and b (40 s) before a, and their cards
# are all there are, by count.  So a stops, in vain: c needs four on one node, and e has one of them until 25.
scenario count ''
printf 'id,submit_s,duration_s,gpus\nb,0,50,3\na,0,100,2\ne,0,25,1\nc,10,10,4\n' >"$dir/count.csv"
check "by count" run count "srtf:estimate=true,place=worst,choose=count srtf:estimate=true,place=worst"
check "who stops need not make room" is count srtf:estimate=true,place=worst,choose=count "b 0 50, a 0 125, e 0 25, c 25 35"
check "by fit c takes the place of b, and b that of a" is count srtf:estimate=true,place=worst "b 0 50, a 0 110, e 0 25, c 10 20"

# By their queues a comes first, so that c finds 4 - 2 cards left by count, and waits for b's end.
check "tiresias counts, too" run count "tiresias:order=submit,limits=,place=worst,choose=count"
check "in its own order" is count tiresias:order=submit,limits=,place=worst,choose=count "b 0 50, a 0 100, e 0 25, c 50 60"

# b reaches the limit at 3, a at 6, when c comes and takes a node until 9, when it is the last of three. By arrival a is
# before b, which then waits from 6 to 9; as they entered the last queue b is before a.
scenario entry ''
printf 'id,submit_s,duration_s,gpus\na,0,20,2\nb,0,20,4\nc,6,4,4\n' >"$dir/entry.csv"
check "two orders" run entry "tiresias:order=submit,limits=12,place=fill tiresias:order=entry,limits=12,place=fill"
check "in the last queue by arrival" is entry tiresias:order=submit,limits=12,place=fill "a 0 20, b 0 23, c 6 21"
check "in the last queue as they entered it" is entry tiresias:order=entry,limits=12,place=fill "a 0 23, b 0 20, c 6 21"

# Every decision stops and starts all: at 30 and 50 a loses the 10 s that were not saved.
scenario anew 'restore_cost: 10s, restore_as: save'
printf 'id,submit_s,duration_s,gpus\na,0,100,4\nb,30,20,4\n' >"$dir/anew.csv"
check "anew" run anew "srtf:estimate=true,choose=anew tiresias:choose=anew,limits= fifo"
for p in srtf:estimate=true,choose=anew tiresias:choose=anew,limits=; do
    check "each event costs all who run, $p" is anew "$p" "a 0 120, b 30 50"
    check "as preemptions, $p" [ "$(sqlite3 "$dir/anew.db" "SELECT group_concat(n_preempted) FROM job j JOIN run r ON r.id = j.run WHERE r.policy = '$p'")" = 2,0 ]
done
check "others pay nothing" is anew fifo "a 0 100, b 30 50"

# a reaches 3 s of four cards (12 s of one) at 3 s; 10 s of one at 2.5 s, which a whole second sees at 3 s.
scenario second ''
printf 'id,submit_s,duration_s,gpus,tasks,gang\na,0,4,4,2,1\nb,1,1,4,2,1\n' >"$dir/second.csv"
check "limits seen by the next second" run second "tiresias:limits=20 tiresias:limits=20,foresee=second"
check "or when they are reached" is second tiresias:limits=20 "a 0 5, b 2 3"
check "here at 2.5 s" [ "$(sqlite3 "$dir/second.db" "SELECT start_us FROM job j JOIN run r ON r.id = j.run WHERE r.policy = 'tiresias:limits=20' AND j.id = 'b'")" = 2500000 ]
check "there at 3 s" is second tiresias:limits=20,foresee=second "a 0 5, b 3 4"

check "every is of count alone" expect 2 "$fairway" run "$dir/count.yaml" -d "$dir/x.db" -p srtf:every=1s
check "and says so" says "every is read with choose=count alone"
check "count passes over" expect 2 "$fairway" run "$dir/count.yaml" -d "$dir/x.db" -p srtf:choose=count,mode=strict
check "and says so" says "mode=skip"
exit $bad
