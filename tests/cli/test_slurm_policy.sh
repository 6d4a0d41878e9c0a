#!/bin/sh
# The policy `slurm`: what it reads of Slurm's files, small cases whose outcome follows from slurm.conf(5) and
# sched_config.html by hand, and the records of runs of a real slurmctld (tests/slurm/golden).
. "$(dirname "$0")/lib.sh"

# files CONF: slurm.conf of nodes a1 (8 cores) and a2, a3 (4), the scheduler's lines on top
files() {
    { printf '%s\n' "$1"; cat <<'END'
NodeName=a1 CPUs=8 RealMemory=8000 Weight=10
NodeName=a[2-3] CPUs=4 RealMemory=8000 Weight=5
Epilog=/bin/true
SelectType=select/cons_tres
END
    } >"$dir/slurm.conf"
    cat >"$dir/s.yaml" <<'END'
cluster: {from: slurm, conf: slurm.conf}
trace: {format: native, path: jobs.csv, defaults: {mem: 1MiB}}
output: {attempts: true, decisions: true}
END
    echo "id,submit_s,duration_s,user,queue,tasks,gang,cpus,limit_s,priority" >"$dir/jobs.csv"
}
jobs() { cat >>"$dir/jobs.csv"; }
# ran [PARAMETERS]: each attempt in order of start, as ID@SECOND:NODES
ran() {
    rm -f "$dir/r.db"
    spec=slurm:config=slurm.conf,bf_phase=10s${1:+,$1}
    (cd "$dir" && "$fairway" run -q --audit -p "$spec" -d r.db s.yaml) 2>"$dir/err"
    grep error "$dir/err"
    sqlite3 "$dir/r.db" "SELECT group_concat(x, ' ') FROM (
        SELECT j.id || '@' || (a.start_us / 1000000) || ':' || group_concat(n.name, '+') AS x
        FROM (SELECT * FROM attempt ORDER BY node) a JOIN job j USING (run, ordinal)
        JOIN node n ON n.run = a.run AND n.node = a.node
        GROUP BY a.ordinal, a.start_us ORDER BY a.start_us, j.ordinal)"
}
one="PartitionName=p Nodes=a1 Default=YES MaxTime=60"

# ---- the two loops ----
files "$one"
jobs <<'END'
wide,0,100,u,,1,0,6,600,0
whole,1,50,u,,1,0,8,60,0
small,2,20,u,,1,0,2,300,0
END
# The main loop's first start is batch_sched_delay, 3 s, after the daemon's; backfill's first round is at 10 s: the
# small job ends by its limit at 310, before the wide one does, at 603.
check "what delays nobody is backfilled" same "$(ran)" "wide@3:a1 small@10:a1 whole@103:a1"
sed -i 's/20,u,,1,0,2,300/20,u,,1,0,2,700/' "$dir/jobs.csv"
check "what would delay the one before it is not" same "$(ran)" "wide@3:a1 whole@103:a1 small@153:a1"
# From 63 on the node is kept for a minute, which begins and ends in the first 300 s: for all of these.
files "SchedulerParameters=bf_resolution=300
$one"
jobs <<'END'
wide,0,50,u,,1,0,6,60,0
whole,1,50,u,,1,0,8,60,0
small,2,20,u,,1,0,2,700,0
END
check "what is kept is kept for bf_resolution at least" same "$(ran)" "wide@3:a1 whole@53:a1 small@103:a1"
files "SchedulerType=sched/builtin
$one"
jobs <<'END'
wide,0,100,u,,1,0,6,600,0
whole,1,50,u,,1,0,8,60,0
small,2,20,u,,1,0,2,300,0
END
check "sched/builtin backfills nothing" same "$(ran)" "wide@3:a1 whole@103:a1 small@153:a1"

# Both nodes are kept for the array's two elements from 603 on, or only the first.
small="PartitionName=p Nodes=a[2-3] Default=YES"
array() {
    jobs <<'END'
one,0,100,u,,1,0,4,600,0
two,0,100,u,,1,0,3,600,0
array,1,10,u,,2,0,4,60,0
late,2,20,u,,1,0,1,700,0
END
}
files "$small"
array
check "elements of an array have reservations" same "$(ran)" "one@3:a2 two@3:a3 array@103:a2+a3 late@113:a2"
files "SchedulerParameters=bf_max_job_array_resv=1
$small"
array
check "only so many of them" same "$(ran)" "one@3:a2 two@3:a3 late@10:a3 array@103:a2+a3"

# ---- when rounds are held ----
files "$one"
jobs <<'END'
x,0,20.5,u,,1,0,8,60,0
y,1,10,u,,1,0,8,60,0
END
check "with an Epilog the end of a job starts the main loop" same "$(ran)" "x@3:a1 y@23:a1"
check "when its nodes are clear" same "$(ran clearing=1700ms)" "x@3:a1 y@25:a1"
check "what a backfill round takes puts off the next" same \
    "$(sed -i '1s/^/SchedulerParameters=bf_interval=2,sched_interval=600,batch_sched_delay=600\n/; s/^Epilog.*//' \
        "$dir/slurm.conf"; ran bf_length=500ms)" "x@10:a1 y@32:a1"
files "SchedulerParameters=defer
$one"
jobs <<'END'
x,0,20.5,u,,1,0,8,60,0
y,1,10,u,,1,0,8,60,0
END
check "with defer the next look at the queue does" same "$(ran)" "x@3:a1 y@24:a1"

# ---- partitions ----
files "PartitionName=p Nodes=a1,a2 Default=YES MaxTime=10
PartitionName=q Nodes=a[2-3] PriorityTier=5"
jobs <<'END'
fills,0,100,u,p,1,0,8,600,0
waits,0,100,u,p,2,1,4,600,0
other,0,10,u,q,1,0,4,600,0
tier,0,10,u,q,1,0,4,600,0
END
# q is of the higher tier: other and tier take a2 and a3; p's second job holds back p alone.
check "the higher tier goes first, on common nodes too" same "$(ran tasks=node)" \
    "fills@3:a1 other@3:a2 tier@3:a3 waits@103:a1+a2"
files "PartitionName=p Nodes=a1 Default=YES MaxTime=5 MaxNodes=1
PartitionName=off Nodes=a2 State=DOWN"
jobs <<'END'
long,0,10,u,p,1,0,1,3600,0
wide,0,10,u,p,2,1,1,60,0
down,0,10,u,off,1,0,1,60,0
fine,0,10,u,p,1,0,1,60,0
END
check "what a partition never takes waits for good" same "$(ran tasks=node)" "fine@3:a1"
reasons="SELECT group_concat(DISTINCT reason) FROM decision WHERE verb = 'hold'"
check "for the reason in Slurm's words" same "$(sqlite3 "$dir/r.db" "$reasons")" \
    "PartitionTimeLimit,PartitionNodeLimit,PartitionDown"

# ---- nodes ----
files "PartitionName=p Nodes=ALL Default=YES"
jobs <<'END'
two,0,100,u,,1,0,2,600,0
four,0,100,u,,1,0,4,600,0
one,0,100,u,,1,0,1,600,0
six,0,100,u,,1,0,6,600,0
pair,0,100,u,,2,1,1,600,0
END
# Weight 5 goes first: two on a2, four on a3, one on a2; six fits a1 alone; the pair takes a2 first, then a1.
check "the lowest weight, the tightest node, then neighbours" \
    same "$(ran tasks=node)" "two@3:a2 four@3:a3 one@3:a2 six@3:a1 pair@3:a1+a2"

# Each job has a node to itself, and the first of its tasks there the cores that the others leave.
files "PartitionName=p Nodes=ALL Default=YES OverSubscribe=EXCLUSIVE"
jobs <<'END'
three,0,100,u,,3,1,1,600,0
one,0,100,u,,1,0,1,600,0
END
check "whole nodes have room for several tasks of a job" same "$(ran)" "three@3:a2+a2+a2 one@3:a3"
files "PartitionName=p Nodes=ALL Default=YES
PartitionName=whole Nodes=ALL OverSubscribe=EXCLUSIVE"
jobs <<'END'
small,0,50,u,p,1,0,5,600,0
unlike,1,100,u,whole,1+1,1,1+2,600,0
END
check "a gang of unlike tasks has its node to itself, too" same "$(ran)" "small@3:a1 unlike@3:a2+a2"
files "SelectTypeParameters=CR_CPU,CR_LLN
PartitionName=p Nodes=ALL Default=YES"
jobs <<'END'
x,0,100,u,,1,0,1,600,0
y,0,100,u,,1,0,1,600,0
z,0,100,u,,1,0,1,600,0
END
check "CR_LLN takes the least loaded of a weight" same "$(ran)" "x@3:a2 y@3:a3 z@3:a2"

# Nodes that are alike are looked at together.  With a MiB more each, which no request can use, none is like another,
# and most are of no kind that is kept: the same jobs start on the same nodes.
kinds() { # MIB: what each of 80 nodes has more than the one before it
    { cat <<'END'
SelectType=select/cons_tres
GresTypes=gpu
PartitionName=p Nodes=ALL Default=YES
PartitionName=whole Nodes=n[15-50] OverSubscribe=EXCLUSIVE
END
    awk -v more="$1" 'BEGIN {
        kind["0"] = "CPUs=32 Gres=gpu:4 Feature=fast"
        kind["1"] = "CPUs=16 Feature=fast,big Weight=7"
        kind["2"] = kind["3"] = "CPUs=16 Weight=3"
        for (i = 0; i < 80; i++) printf "NodeName=n%d RealMemory=%d %s\n", i, 64000 + i * more, kind[i % 4]
    }'
    } >"$dir/slurm.conf"
    ran
}
awk 'function r(n) { x = (x * 16807) % 2147483647; return x % n }
BEGIN { x = 7
    print "id,submit_s,duration_s,user,queue,tasks,gang,cpus,gpus,mem_mib,limit_s,labels"
    for (i = 0; i < 400; i++) {
        tasks = r(3) == 0 ? 1 + r(6) : 1
        gpus = r(4) == 0 ? 1 + r(4) : 0
        need = gpus ? "" : r(6) == 0 ? "fast" : r(6) == 0 ? "fast&big" : r(8) == 0 ? "big|fast" : ""
        printf "j%d,%d,%d,u,%s,%d,%d,%d,%d,%d,%d,%s\n", i, i * 2, 50 + r(400), r(5) ? "p" : "whole", tasks, (tasks > 1),
            1 + r(r(3) ? 6 : 16), gpus, 100 * (r(3) ? 1 + r(60) : 1 + r(640)), 500, need
    } }' >"$dir/jobs.csv"
alike=$(kinds 0)
check "400 jobs on nodes of three kinds" same "$(echo "$alike" | wc -w)" 400
check "start where they do on nodes of eighty" same "$(kinds 1)" "$alike"

# ---- priorities ----
files "$one
PriorityType=priority/multifactor
PriorityWeightJobSize=1000"
jobs <<'END'
busy,0,50,u,,1,0,8,60,0
small,1,10,u,,1,0,1,60,0
large,2,10,u,,1,0,8,60,0
nice,3,10,u,,1,0,8,60,-900
END
check "size and nice make the order" same "$(ran)" "busy@3:a1 large@53:a1 small@63:a1 nice@73:a1"

printf '%s\n' 'Name|Priority' 'normal|0' 'other|0' >"$dir/none.txt"
sed -i 's/,u,,1,0,/,u,p\/normal,1,0,/' "$dir/jobs.csv"
check "where no QOS has a priority it is no part of it" \
    same "$(ran qos=none.txt)" "busy@3:a1 large@53:a1 small@63:a1 nice@73:a1"

cat >"$dir/accounts.cfg" <<'END'
# To edit this file start with a cluster line for the new cluster
Cluster - 'private':Fairshare=1:QOS='normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'physics':Description='physics':Organization='physics':Fairshare=3
Account - 'biology':Description='biology':Organization='biology':Fairshare=1
Parent - 'physics'
User - 'ann':DefaultAccount='physics':Fairshare=1
Parent - 'biology'
User - 'bob':DefaultAccount='biology':Fairshare=1:MaxJobs=1
User - 'cid':DefaultAccount='biology':Fairshare=1
END
files "$one
PriorityType=priority/multifactor
PriorityWeightFairshare=1000
PriorityCalcPeriod=1"
jobs <<'END'
used,0,130,bob,,1,0,8,600,0
bobs,10,10,bob,,1,0,8,60,0
cids,20,10,cid,,1,0,8,60,0
anns,30,10,ann,,1,0,8,60,0
END
# By Fair Tree physics, which used nothing, is before biology; within it cid, who did not, is before bob.
check "Fair Tree: the less of its share was used, the sooner" \
    same "$(ran accounts=accounts.cfg)" "used@3:a1 anns@133:a1 cids@143:a1 bobs@153:a1"
check "without accounts it is no part of the priority" same "$(ran)" "used@3:a1 bobs@133:a1 cids@143:a1 anns@153:a1"
sed -i '/FAIR/d; $a PriorityFlags=NO_FAIR_TREE' "$dir/slurm.conf"
check "and so by the classic rule" same "$(ran accounts=accounts.cfg)" "used@3:a1 anns@133:a1 cids@143:a1 bobs@153:a1"

# ---- limits and preemption ----
files "$one
AccountingStorageEnforce=limits,qos"
jobs <<'END'
first,0,30,bob,,1,0,1,60,0
second,0,30,bob,,1,0,1,60,0
mine,0,30,cid,,1,0,1,60,0
END
check "MaxJobs of a user" same "$(ran accounts=accounts.cfg)" "first@3:a1 mine@3:a1 second@33:a1"
cat >"$dir/qos.txt" <<'END'
Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|MaxTRES|MaxWall|MaxTRESPU|MaxJobsPU
normal|0|00:00:00||cluster||1.000000||||cpu=2|
high|10|00:00:00|low|cluster||1.000000||||| 
low|0|00:00:00||cluster||1.000000|cpu=6||||
END
sed -i 's/| $/|/' "$dir/qos.txt"
printf 'a,40,30,ann,/normal,1,0,2,60,0\nb,40,30,ann,/normal,1,0,1,60,0\n' | jobs
check "MaxTRESPU of a QOS" same "$(ran accounts=accounts.cfg,qos=qos.txt)" \
    "first@3:a1 mine@3:a1 second@33:a1 a@40:a1 b@70:a1"
# bob and cid are of biology, ann of physics.
printf '%s\n' 'Name|Priority|MaxJobsPA' 'normal|0|1' >"$dir/each.txt"
: >"$dir/jobs.csv"
jobs <<'END'
id,submit_s,duration_s,user,queue,tasks,gang,cpus,limit_s,priority
a,0,30,bob,p/normal,1,0,1,60,0
b,0,30,cid,p/normal,1,0,1,60,0
c,0,30,ann,p/normal,1,0,1,60,0
END
check "MaxJobsPA of a QOS alone" same "$(ran accounts=accounts.cfg,qos=each.txt)" "a@3:a1 c@3:a1 b@33:a1"
# In p dan has an association of its own, elsewhere that of his account.
{ cat "$dir/accounts.cfg"
  printf '%s\n' "User - 'dan':Partition='p':DefaultAccount='biology':Fairshare=1:MaxJobs=1" \
      "User - 'dan':DefaultAccount='biology':Fairshare=1"; } >"$dir/dan.cfg"
sed -i 's/,bob,\|,cid,\|,ann,/,dan,/' "$dir/jobs.csv"
check "MaxJobs of a user in a partition" same "$(ran accounts=dan.cfg)" "a@3:a1 b@33:a1 c@63:a1"
# A limit of the QOS counts in place of the association's: bob's low jobs are not held to his MaxJobs=1.
sed -i 's/^low|.*/&2/' "$dir/qos.txt"
: >"$dir/jobs.csv"
jobs <<'END'
id,submit_s,duration_s,user,queue,tasks,gang,cpus,limit_s,priority
a,0,30,bob,/low,1,0,1,60,0
b,0,30,bob,/low,1,0,1,60,0
c,0,30,bob,/low,1,0,1,60,0
d,0,30,cid,/normal,1,0,3,60,0
e,0,30,cid,/normal,1,0,1,60,0
END
check "a QOS's MaxJobsPU is in place of MaxJobs; what its MaxTRES forbids never starts" \
    same "$(ran accounts=accounts.cfg,qos=qos.txt)" "a@3:a1 b@3:a1 e@3:a1 c@33:a1"
# The first job of p asks for more than its QOS ever gives, and for more nodes than q leaves it: the main loop holds p.
files "PartitionName=p Nodes=ALL Default=YES
PartitionName=q Nodes=a[1-2] PriorityTier=2
AccountingStorageEnforce=limits,qos"
jobs <<'END'
run,0,100,u,q/high,2,1,4,600,0
hold,0,10,u,q/high,2,1,4,60,0
much,0,10,cid,p/normal,2,1,2,60,0
later,0,10,u,p/high,1,0,1,60,0
END
check "who lacks nodes keeps its partition waiting whatever its limits" \
    same "$(ran accounts=accounts.cfg,qos=qos.txt,tasks=node)" "run@3:a1+a2 later@10:a3 hold@103:a1+a2"
files "$one
PreemptType=preempt/qos
PreemptMode=REQUEUE"
jobs <<'END'
low1,0,50,u,p/low,1,0,4,600,0
low2,0,50,u,p/low,1,0,4,600,0
high,20,10,u,p/high,1,0,4,60,0
END
# Both are alike: the first candidate that makes room goes, and starts again when there is room.
check "a QOS preempts another" same "$(ran qos=qos.txt)" "low1@3:a1 low2@3:a1 high@20:a1 low1@30:a1"
check "so many were stopped" same "$(sqlite3 "$dir/r.db" "SELECT count(*) FROM decision WHERE verb = 'preempt'")" 1
sed -i 's/^PreemptMode=.*/PreemptMode=SUSPEND,GANG/' "$dir/slurm.conf"
run="cd $dir && rm -f r.db && $fairway run -q -p slurm:config=slurm.conf -d r.db s.yaml"
check "what becomes of PreemptMode=SUSPEND" expect 0 sh -c "$run"
check "is told" grep -q "waits again as with REQUEUE" "$dir/err"

# preempt/partition_prio: a higher tier stops a lower one, and jobs of tiers alike go by what else orders them.
files "PartitionName=p Nodes=a1 Default=YES
PartitionName=q Nodes=a1
PartitionName=top Nodes=a1 PriorityTier=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE"
jobs <<'END'
first,0,20,u,p,1,0,8,600,0
second,0,10,u,q,1,0,8,60,0
third,0,10,u,p,1,0,8,60,0
above,10,10,u,top,1,0,8,60,0
END
check "a tier preempts a lower one, and none of its own" \
    same "$(ran)" "first@3:a1 above@10:a1 first@20:a1 second@33:a1 third@43:a1"

# ---- reservations ----
# kept PARAMETERS LINES: as `ran`, with these reservations
kept() { printf '%s\n' "$2" >"$dir/resv.txt"; ran "reservations=resv.txt${1:+,$1}"; }
files "$one"
jobs <<'END'
long,0,50,bob,,1,0,2,300,0
short,0,50,bob,,1,0,2,60,0
own,0,50,ann,,1,0,2,300,0
after,110,10,bob,,1,0,2,60,0
inside,120,10,ann,,1,0,2,60,0
END
# From 100 to 415 s the node is ann's.  At 3 s bob's job of 300 s would end at 303, that of 60 s at 63.  The main loop
# looks at the whole queue every 60 s: at 420.
for_ann='ReservationName=r StartTime=100 EndTime=415 Duration=00:05:15
   Nodes=a1 NodeCnt=1 CoreCnt=8 Features=(null) PartitionName=p Flags=SPEC_NODES
   TRES=cpu=8
   Users=ann Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a
   MaxStartDelay=(null)'
whole="short@3:a1 own@3:a1 inside@120:a1 long@420:a1 after@420:a1"
check "who would overlap a reservation waits for its end; who ends before it, or is its user, does not" \
    same "$(kept "" "$for_ann")" "$whole"
check "for that reason" same "$(sqlite3 "$dir/r.db" "$reasons")" "ReqNodeNotAvail"
check "nothing of it is not modelled" sh -c "! grep -q 'not modelled' $dir/err"
check "one line, Duration for EndTime" \
    same "$(kept "" "ReservationName=r StartTime=100 Duration=00:05:15 Nodes=ALL Users=ann,cid")" "$whole"
dates="StartTime=2024-03-01T12:01:40 EndTime=2024-03-01T12:06:55"
check "dates, by the one of time 0" \
    same "$(kept epoch=1709294400 "ReservationName=r $dates Nodes=a1 Users=ann")" "$whole"
check "all users but one" \
    same "$(kept "" "ReservationName=r StartTime=100 EndTime=415 Nodes=a1 Users=-bob")" "$whole"
check "who ends at its very start starts" \
    same "$(kept "" "ReservationName=r StartTime=303 EndTime=315 Nodes=a1 Users=root")" \
    "long@3:a1 short@3:a1 own@3:a1 after@110:a1 inside@120:a1"
check "a second less, and not" \
    same "$(kept "" "ReservationName=r StartTime=302 EndTime=315 Nodes=a1 Users=root" | cut -d' ' -f1,4-)" \
    "short@3:a1 long@340:a1 own@340:a1"
check "after one comes another" same "$(kept "" "$for_ann
ReservationName=later StartTime=415 EndTime=535 Nodes=a1 Users=ann Flags=MAINT,DAILY,SPEC_NODES Groups=g")" \
    "short@3:a1 own@3:a1 inside@120:a1 long@540:a1 after@540:a1"
beside="resv.txt:6: beside that its nodes are kept, Flags"
check "flags that do more are told" grep -q "$beside=MAINT of a reservation is not modelled" "$dir/err"
check "each of them" grep -q "$beside=DAILY of a reservation is not modelled" "$dir/err"
check "but how nodes were chosen is not" sh -c "! grep -q SPEC_NODES $dir/err"
check "Groups are told" grep -q "resv.txt:6: Groups=g of a reservation is not modelled" "$dir/err"
check "of two at a time one lets ann in: what ends before the other one starts" same "$(kept "" "$for_ann
ReservationName=too StartTime=200 EndTime=300 Nodes=a1 Users=cid" | cut -d' ' -f1,2)" "short@3:a1 inside@120:a1"
files "$one"
jobs <<'END'
bio,0,50,cid,,1,0,2,300,0
phys,0,50,ann,,1,0,2,300,0
named,0,50,dan,//physics,1,0,2,300,0
END
phys="ReservationName=r StartTime=100 EndTime=415 Nodes=a1"
check "by account, without a dump by the queue" same "$(kept "" "$phys Accounts=physics")" \
    "named@3:a1 bio@420:a1 phys@420:a1"
check "with it by its users" same "$(kept accounts=accounts.cfg "$phys Accounts=physics" | cut -d' ' -f1,2)" \
    "phys@3:a1 named@3:a1"
check "of users and accounts both" same "$(kept accounts=accounts.cfg "$phys Accounts=root Users=cid")" \
    "bio@3:a1 phys@420:a1 named@420:a1"
# The main loop at a job's end alone, backfill at 10 s and then every 30 s.  wide fits a1 alone: from 400 on.
files "SchedulerParameters=sched_interval=6000,batch_sched_delay=6000
PartitionName=p Nodes=a[1-2] Default=YES"
jobs <<'END'
wide,0,50,bob,,1,0,8,300,0
long,0,900,bob,,1,0,1,900,0
other,0,50,bob,,1,0,6,60,0
over,0,50,bob,,1,0,6,120,0
END
check "backfill plans for the time after it, and uses the time before" \
    same "$(kept "" "ReservationName=r StartTime=100 EndTime=400 Nodes=a1 Users=ann")" \
    "long@10:a2 other@10:a1 wide@400:a1 over@450:a1"
files "SchedulerParameters=sched_interval=6000,batch_sched_delay=6000
$one"
jobs <<'END'
first,0,50,bob,,1,0,6,60,0
wide,12,50,bob,,1,0,8,60,0
small,12,50,bob,,1,0,2,60,0
END
# At 40 s wide is expected at 70, when first ends by its limit, and would end at 130: it keeps small from nothing.
check "an expected start that the reservation does not allow is none" \
    same "$(kept "" "ReservationName=r StartTime=100 EndTime=400 Nodes=a1 Users=ann")" \
    "first@10:a1 small@40:a1 wide@400:a1"

# ---- what is not modelled, and what is wrong ----
files "$one
TopologyPlugin=topology/tree
SchedulerParameters=bf_interval=15,bf_continue,bf_licenses
Sorcery=yes"
echo "x,0,1,u,,1,0,1,60,0" | jobs
check "what is not modelled is told" expect 0 sh -c "$run"
check "with its line" grep -q "slurm.conf:2: TopologyPlugin=topology/tree is not modelled" "$dir/err"
check "of parameters, too" grep -q "slurm.conf:3: SchedulerParameters=bf_licenses is not modelled" "$dir/err"
check "and what nobody knows" grep -q "slurm.conf:4: Sorcery=yes is not modelled" "$dir/err"
check "what takes no time here is not" sh -c "! grep -q bf_continue $dir/err"
wrong() { # WORDS FILE TEXT: as that parameter's file
    printf '%s\n' "$3" >"$dir/$2"
    fails 2 "$1" sh -c "cd $dir && $fairway run -q -p slurm:config=slurm.conf,$4=$2 -d w.db s.yaml"
}
printf 'SchedulerParameters=bf_interval=x\nPartitionName=p Nodes=a1\n' >"$dir/bad.conf"
check "a number that is none, at its place" \
    fails 2 "bad.conf:1:21: error: bf_interval: found 'x', expected a whole number" \
    sh -c "cd $dir && $fairway run -q -p slurm:config=bad.conf -d w.db s.yaml"
# conf WORDS LINE: slurm.conf with the line is refused so
conf() {
    printf '%s\nPartitionName=p Nodes=a1\n' "$2" >"$dir/bad.conf"
    fails 2 "$1" sh -c "cd $dir && $fairway run -q -p slurm:config=bad.conf -d w.db s.yaml"
}
check "the forty-first parameter, too" conf "bf_interval, bf_window" \
    "SchedulerParameters=$(i=0; while [ $i -lt 40 ]; do printf 'bf_max_job_test=9,'; i=$((i + 1)); done)bf_interval=0"
check "a number that is too large" conf "expected a whole number below 2^32" "SchedulerParameters=bf_interval=9223372036854775807"
check "a time that is too long" conf "bad.conf:1:20: error: PriorityCalcPeriod" "PriorityCalcPeriod=999999999-0"
check "a dampening of 0" conf "FairShareDampeningFactor must be above 0" "FairShareDampeningFactor=0"
check "more nodes than one file may name" conf "the file names more than 2000000 nodes" \
    "$(i=0; while [ $i -lt 11 ]; do echo "PartitionName=q$i Nodes=n[1-200000]"; i=$((i + 1)); done)"
check "accounts without an end" wrong "more than 64 deep in the dump" a.cfg "$(echo "Cluster - 'c':Fairshare=1"; p=root; i=0
    while [ $i -lt 70 ]; do printf "Parent - '%s'\nAccount - 'a%d'\n" "$p" "$i"; p=a$i; i=$((i + 1)); done)" accounts
check "a dump that is none" wrong "a.cfg:1:1: error: found 'hello', expected Cluster" a.cfg "hello" accounts
check "a parent that was not there" wrong "names parent 'x' before that account" a.cfg "Cluster - 'c':Fairshare=1
Parent - 'x'" accounts
check "shares that are none" wrong "a.cfg:1:25: error: Fairshare: found 'abc', expected shares or 'parent'" a.cfg \
    "Cluster - 'c':Fairshare=abc" accounts
check "an amount that is none" wrong "a.cfg:1:35: error: GrpTRES: found 'cpu=many'" a.cfg \
    "Cluster - 'c':Fairshare=1:GrpTRES=cpu=many" accounts
check "QOS without names" wrong "q.txt" q.txt "Priority|Flags" qos
check "rounds out of order" wrong "r.csv:3" r.csv "at_s,round
5,main
4,full" rounds

resv() { check "$1" wrong "$2" resv.txt "$3" reservations; }
resv "a reservation of a node that is none" \
    "resv.txt:2: reservation 'b' has node 'a9', which the cluster has not" \
    "ReservationName=a StartTime=1 EndTime=9 Nodes=a1
ReservationName=b StartTime=1 EndTime=9 Nodes=a[2,9]"
resv "one that ends before it starts" "resv.txt:2:12: error: EndTime '5' is not after StartTime" \
    "ReservationName=a StartTime=10
   EndTime=5 Nodes=a1"
resv "a date that is none" "resv.txt:1:29: error: StartTime: found '2024-13-01T00:00:00', expected a date such as" \
    "ReservationName=a StartTime=2024-13-01T00:00:00 EndTime=2024-12-01T00:00:00 Nodes=a1"
resv "a time that is none" "resv.txt:1:40: error: Duration: found 'long', expected a time such as" \
    "ReservationName=a StartTime=5 Duration=long Nodes=a1"
resv "dates where nobody says when time 0 is" "resv.txt:1: the times of reservation 'a' are dates, and 'epoch'" \
    "ReservationName=a StartTime=2024-11-01T00:00:00 EndTime=2024-12-01T00:00:00 Nodes=a1"
resv "a date beside a time" "one is a date, the other is none" \
    "ReservationName=a StartTime=5 EndTime=2024-12-01T00:00:00 Nodes=a1"
resv "a reservation without a start" "resv.txt:1:17: error: the reservation has no StartTime" \
    "ReservationName=a Nodes=a1"
resv "or an end" "has neither EndTime nor Duration" "ReservationName=a StartTime=5 Nodes=a1"
resv "a field before any reservation" "resv.txt:1:7: error: found Nodes, expected a ReservationName before it" \
    "Nodes=a1"
resv "users with and without a minus" "found names with and without '-' in one list" \
    "ReservationName=a StartTime=5 EndTime=9 Nodes=a1 Users=-ann,bob"

# ---- held to the real one ----
near() { # DIR [clocks]: the replay of what was recorded there is near enough
    sh "$here/tests/slurm/replay.sh" "$@" >"$dir/line" || return 1
    cat "$dir/line"
    sh "$here/tests/slurm/near.sh" "$(cat "$dir/line")"
}
check "what slurmctld did" near "$here/tests/slurm/golden/plain"
each="^jobs 320, same order 100.00 %.* same nodes 100.00 %"
check "of 320 jobs, each on the same nodes" grep -q "$each" "$dir/line"
for kind in spaced accounts; do
    check "$kind: what slurmctld did" near "$here/tests/slurm/golden/$kind"
    check "$kind: each job on the same nodes" grep -q "$each" "$dir/line"
    check "$kind: by the policy's own clock" near "$here/tests/slurm/golden/$kind" clocks
done
if [ -n "${FAIRWAY_SLURM:-}" ]; then
    short() { JOBS=40 SECONDS_OF_JOBS=25 FAIRWAY=$fairway sh "$here/tests/slurm/held.sh" 2>"$dir/why"; }
    said=$(short); rc=$?
    [ $rc -ne 1 ] || { said=$(short); rc=$?; }     # once more, should the machine have been too busy for the daemon
    if [ $rc -eq 77 ]; then
        echo "not ok - a short run beside the real one, which FAIRWAY_SLURM asks for: $(cat "$dir/why")"; bad=1
    else echo "$said"; [ $rc -eq 0 ] || { bad=1; sed 's/^/# /' "$dir/why"; }; fi
else
    echo "skipped - a short run beside the real one: FAIRWAY_SLURM=1 asks for it, make slurm for a long one"
fi
exit $bad
