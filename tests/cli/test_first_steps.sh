#!/bin/sh
# What first users type, and what they are told: names of other programs, a cluster of one GPU type, ranges of seeds.
. "$(dirname "$0")/lib.sh"
run() { "$fairway" run -q -d "$dir/x.db" "$@"; }
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,1,10,1,1\n' >"$dir/t.csv"
never() { ! "$@"; }
cluster() { # NAME GROUP...: a scenario of these groups of nodes
    file=$dir/$1.yaml; shift
    { printf 'cluster:\n  groups:\n'; printf '    - {%s}\n' "$@"; printf 'trace: {format: native, path: t.csv}\npolicies: [fifo]\n'; } >"$file"
}

# ---- a cluster whose GPUs are of one type need not name it ----
cluster one 'name: n, count: 2, cpus: 8, mem: 16GiB, gpus: 2'
check "a cluster of unnamed GPUs is one of one type" run "$dir/one.yaml"
cluster two 'name: a, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100' 'name: b, cpus: 8, mem: 16GiB, gpus: 4'
check "a group without a type has that of the others" run "$dir/two.yaml"
printf 'id,submit_s,duration_s,cpus,gpus,gpu_type\na,0,10,1,4,V100\n' >"$dir/t.csv"
check "by name" run "$dir/two.yaml"
cluster types 'name: a, cpus: 8, mem: 16GiB, gpus: 4'
sed -i 's/^trace/  gpu_types: {V100: {speed: 2}}\ntrace/' "$dir/types.yaml"
check "or the only one of gpu_types" run "$dir/types.yaml"
cluster three 'name: a, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: V100' 'name: b, cpus: 8, mem: 16GiB, gpus: 4, gpu_type: T4' \
    'name: c, cpus: 8, mem: 16GiB, gpus: 1'
check "where there are several, one must be named" fails 2 "three.yaml:5:44: error: found 'gpus' without 'gpu_type', and the cluster has V100 and others" \
    "$fairway" run "$dir/three.yaml" -d "$dir/x.db"

# ---- seeds as a scenario has them ----
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,1,10,1,1\n' >"$dir/t.csv"
check "-s takes a range" expect 0 "$fairway" run -s 1..3 -d "$dir/seeds.db" "$dir/one.yaml"
check "with both ends" [ "$(sqlite3 "$dir/seeds.db" "SELECT group_concat(seed) FROM run")" = 1,2,3 ]
check "of which nothing hangs on the seed, as is said" says "nothing in this scenario is drawn from the seed"
check "noise of what is measured does" expect 0 "$fairway" run -s 1..3 -d "$dir/seeds.db" "$dir/one.yaml" --set profiles.noise=0.1
check "and then that is not said" never says "nothing in this scenario is drawn from the seed"
check "no seed of it twice" fails 2 "seed 3 is given twice" "$fairway" run -s 1..3 -s 3 "$dir/one.yaml" -d "$dir/x.db"
for s in 3..1 1..x -1 1..99999; do
    check "$s is no range" fails 2 "--seed is '$s'; expected a whole number or a range such as 1..10" "$fairway" run "-s$s" "$dir/one.yaml" -d "$dir/x.db"
done

# ---- names by which others know it ----
check "a policy by its paper: dominant resource fairness is drf" fails 2 "did you mean 'drf' (Ghodsi et al., Dominant" "$fairway" run "$dir/one.yaml" -p dominant -d "$dir/x.db"
check "or by its author" fails 2 "did you mean 'easy'" "$fairway" policies lifka
for pair in 'mem mem_mib' 'duration duration_s' 'submit submit_s'; do
    want=${pair#* }
    printf 'id,submit_s,duration_s,cpus,gpus,mem_mib\na,0,10,1,1,5\n' | sed "1s/$want/${pair% *}/" >"$dir/c.csv"
    check "column ${pair% *} is $want" fails 2 "did you mean '$want'?" "$fairway" trace stats "$dir/c.csv"
done
for f in $("$fairway" help --list formats); do
    check "an unknown format is told of $f" fails 2 "$f" "$fairway" trace stats -f zzz "$dir/t.csv"
done

# ---- a job that cannot run ----
printf 'id,submit_s,duration_s,cpus,mem_mib,gpus,gpu_type\na,0,10,1,5,1,V100\nb,1,10,4,262144,8,V100|T4\n' >"$dir/t.csv"
cluster large 'name: a, count: 2, cpus: 96, mem: 768GiB, gpus: 4, gpu_type: V100' 'name: b, cpus: 64, mem: 1.5TiB, gpus: 2, gpu_type: T4' \
    'name: c, cpus: 200, mem: 1GiB'
check "what it asks is told in units that people read, with the types" fails 2 "a task asks for 8 GPUs of type V100 or T4, 4 CPUs, 256 GiB" \
    "$fairway" run "$dir/large.yaml" -d "$dir/x.db"
check "and what the cluster's nodes have" says "a node has at most 200 CPUs, 1536 GiB, 4 GPUs of type V100 or 2 of type T4"

# ---- what policies need ----
"$fairway" policies --csv | awk -F, 'NR > 1 { print $1 }' | sort >"$dir/all"
check "the list has each policy once" same "$("$fairway" policies | sed -n 's/^  \([a-z0-9-]*\) .*/\1/p' | sort)" "$(cat "$dir/all")"
printf 'id,submit_s,duration_s,user,cpus,mem_mib,gpus,model\na,0,10,u,1,5,1,m\nb,1,10,v,1,5,2,m\n' >"$dir/t.csv"
cluster types 'name: a, count: 2, cpus: 8, mem: 64GiB, gpus: 4, gpu_type: V100' 'name: b, cpus: 8, mem: 64GiB, gpus: 4, gpu_type: T4'
echo 'models: {m: {V100: 1}}' >>"$dir/types.yaml"
while read -r policy; do
    case $("$fairway" policies "$policy" | grep '^  needs ') in
    *' nothing '*|*' estimates '*|'') check "$policy runs any jobs" expect 0 "$fairway" run -q "$dir/types.yaml" -p "$policy" -d "$dir/x.db" ;;
    *) check "$policy refuses jobs without what it needs" expect 4 "$fairway" run -q "$dir/types.yaml" -p "$policy" -d "$dir/x.db"
       check "and says what" says need ;;
    esac
done <"$dir/all"

# ---- a policy of one's own ----
cd "$dir" || exit 1
check "--new makes one" expect 0 "$fairway" policies --new mine
check "of which nothing is said in bad English" never grep -rn ' an mine' mine
exit $bad
