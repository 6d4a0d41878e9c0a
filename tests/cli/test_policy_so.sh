#!/bin/sh
# Policies from shared objects: one that works, begun with --new and built with
# make; and every one of tests/conform/bad, which must be found out in the words
# that its first line gives.
. "$(dirname "$0")/lib.sh"
so=$(dirname "$fairway")/tests/so
limit=300
sql() { sqlite3 "$dir/r.db" "$1"; }
never() { ! "$@"; }
scn=$here/scenarios/demo/demo.yaml
cd "$dir" || exit 2

# ---- one's own: written, built with the library, run, conforming ----
check "--new writes a policy" expect 0 "$fairway" policies --new my-own -o mine
check "and says what comes next" says "make -C mine"
check "its name is the one given" grep -q '"my-own"' mine/my-own.c
check "it has at most 45 lines" [ "$(wc -l <mine/my-own.c)" -le 45 ]
check "a second time nothing is overwritten" expect 2 "$fairway" policies --new my-own -o mine
check "which is said" says "it is there already"
check "a name that is none is refused" expect 2 "$fairway" policies --new My_Own
check "it builds with make, without a warning" expect 0 make -C mine CFLAGS="-O1 -Werror"
check "and needs nothing of Fairway at run time" never sh -c "nm -D --undefined-only mine/my-own.so | grep -v -w -e exit -e fprintf -e __fprintf_chk -e stderr -e memcmp -e bcmp -e strchr -e strcmp -e strncmp -e strcspn -e strlen -e strtol -e __isoc23_strtol -e malloc -e madvise -e calloc -e realloc -e free -e abort -e memcpy -e memmove -e memset -e qsort -e snprintf -e __snprintf_chk -e __cxa_finalize -e _ITM_deregisterTMCloneTable -e _ITM_registerTMCloneTable -e __gmon_start__ -e __stack_chk_fail"
check "it is described like any other" expect 0 "$fairway" policies ./mine/my-own.so
check "with its parameters" says "for each GPU more, a job goes behind those that come this much later"
check "it keeps its contract" expect 0 "$fairway" policies --conform ./mine/my-own.so
check "as is said" says "my-own keeps its contract"
check "make check does the same" expect 0 make -C mine check FAIRWAY="$fairway"
check "it runs beside a built-in" expect 0 "$fairway" run "$scn" -p ./mine/my-own.so:patience=2h -p fifo -s 1 -d r.db
check "its run is done" [ "$(sql "select group_concat(status) from run")" = done,done ]
check "with its whole spec" [ "$(sql "select policy_spec from run where id = 1")" = ./mine/my-own.so:place=best,mode=skip,patience=2h ]
check "and the digest of its file" never [ "$(sql "select count(*) from run where policy_source like 'begun with%; file digest %'")" -ne 1 ]
check "every job is there" [ "$(sql "select count(*) from job where run = 1")" -eq 5000 ]
digest=$(sql "select digest from run where id = 1")
cp mine/my-own.so elsewhere.so
check "the same file elsewhere, without a slash, is the same run" expect 0 "$fairway" run "$scn" -p elsewhere.so:patience=2h -s 1 -d r.db --audit -q
check "and replaces it" [ "$(sql "select count(*) || ' ' || group_concat(digest) from run where policy like '%.so%'")" = "1 $digest" ]
printf x >>elsewhere.so
check "a file that differs is another run" expect 0 "$fairway" run "$scn" -p elsewhere.so:patience=2h -s 1 -d r.db -q
check "even if it decides the same" [ "$(sql "select count(*) || ' ' || min(digest) || ' ' || max(digest) from run where policy like '%.so%'")" = "2 $digest $digest" ]
check "a parameter of the wrong kind is refused" expect 2 "$fairway" run "$scn" -p ./mine/my-own.so:patience=soon -d x.db
check "and leaves no database" [ ! -e x.db ]
check "an unknown one, too, with the nearest" expect 2 "$fairway" run "$scn" -p ./mine/my-own.so:patients=2h -d x.db
check "which is named" says "did you mean 'patience'"
mkdir 'a:b' && cp mine/my-own.so 'a:b/c.so'
check "a path may have a colon" expect 0 "$fairway" policies './a:b/c.so'
check "and the parameters still come after it" expect 0 "$fairway" run "$scn" -p './a:b/c.so:patience=1h' -s 1 -d x.db -q

# ---- being loaded does not show ----
check "a built-in in a shared object runs" expect 0 "$fairway" run "$scn" -p las:threshold=10m -p "$so/las.so:threshold=10m" -s 1 -s 2 -d l.db -q
check "to the same digests" [ "$(sqlite3 l.db "select count(*) || ' ' || count(distinct digest) from run where status = 'done'")" = "4 2" ]
check "a run in a sandbox writes the same log" expect 0 "$fairway" run "$scn" -p las --log a.log -s 1 -d l.db -q
expect 0 "$fairway" run "$scn" -p "$so/las.so" --log b.log -s 1 -d l.db -q
check "to the last line" [ "$(grep -v '^#' a.log | cksum)" = "$(grep -v '^#' b.log | cksum)" ]
check "and the same tables" [ -z "$(sqlite3 l.db "with m as (select r.seed, r.policy, m.name, m.scope, m.value, m.unit from metric m join run r on r.id = m.run)
    select seed, name, scope, value, unit from m where policy like '%.so%' except select seed, name, scope, value, unit from m where policy not like '%.so%'")" ]

# ---- as little as there may be ----
mkdir -p bare
printf 'id,submit_s,duration_s,cpus\na,0,10,1\nb,1,10,1\n' >bare/t.csv
printf 'cluster: {groups: [{name: n, cpus: 8, mem: 16GiB}]}\ntrace: {format: native, path: t.csv}\npolicies: [fifo]\n' >bare/t.yaml
check "a table with a name and decide alone is described" expect 0 "$fairway" policies "$so/bare.so"
check "and says that no source is told" says "source: not told"
check "it runs, with the host as its state" expect 0 "$fairway" run bare/t.yaml -p "$so/bare.so" -p fifo -d bare.db -q --audit
check "to the digest of fifo" [ "$(sqlite3 bare.db "select count(*) || ' ' || count(distinct digest) from run where status = 'done'")" = "2 1" ]

# ---- in a scenario: relative to its folder ----
mkdir -p scn && cp mine/my-own.so scn/p.so
printf 'id,submit_s,duration_s,cpus,gpus\na,0,10,1,1\nb,1,10,1,2\n' >scn/t.csv
printf 'name: t\ncluster:\n  groups:\n    - {name: n, count: 2, cpus: 8, mem: 16GiB, gpus: 2, gpu_type: A}\ntrace: {format: native, path: t.csv}\npolicies:\n  - ./p.so:patience=1h\n  - {name: ./p.so, patience: 2h, label: mine}\n' >scn/t.yaml
check "a scenario names one relative to itself" expect 0 "$fairway" run scn/t.yaml -d s.db
check "in both ways of writing" [ "$(sqlite3 s.db "select group_concat(policy) from run where status = 'done'")" = "./p.so:patience=1h,mine" ]
sed 's|\./p\.so|./q.so|' scn/t.yaml >scn/u.yaml
check "one that is not there is bad input" expect 2 "$fairway" run scn/u.yaml -d s.db
check "with its place in the scenario" says "u.yaml:7:5: error: policy file './q.so': cannot open it"

# ---- what goes wrong ----
say_of() { sed -n '1s|^/\* [a-z]*: \(.*\) \*/$|\1|p' "$1"; }
kind_of() { sed -n '1s|^/\* \([a-z]*\): .*|\1|p' "$1"; }
n=0
for f in "$here"/tests/conform/bad/*.c; do
    policy=$(basename "$f" .c) text=$(say_of "$f")
    n=$((n + 1))
    case $policy in
    *loops)          limits='--decide-timeout 300ms' ;;
    allocates|leaks) limits='--decide-timeout 1m --policy-memory 200MiB' ;;
    *)               limits='--decide-timeout 1m' ;;
    esac
    rm -f b.db
    case $(kind_of "$f") in
    load)   check "$policy is refused" expect 2 "$fairway" policies "$so/$policy.so" ;;
    create) check "$policy is refused" expect 4 "$fairway" policies "$so/$policy.so" $limits
            check "$policy leaves no database" never expect 0 "$fairway" run "$scn" -p "$so/$policy.so" -s 1 -d b.db -q $limits
            check "$policy left none" [ ! -e b.db ]
            expect 4 "$fairway" policies "$so/$policy.so" $limits ;;
    run)    check "$policy fails its run" expect 4 "$fairway" run "$scn" -p fifo -p "$so/$policy.so" -p sjf -s 1 -d b.db $limits
            check "$policy leaves the other runs done, and its own failed" \
                [ "$(sqlite3 b.db "select group_concat(status) from run order by id")" = done,failed,done ]
            check "$policy is in the record" [ "$(sqlite3 b.db "select count(*) from run where message like '%''bad''%'")" -eq 1 ]
            check "$policy leaves a sound database" [ "$(sqlite3 b.db "pragma integrity_check")" = ok ] ;;
    conform) check "$policy is found out" expect 4 "$fairway" policies --conform "$so/$policy.so" $limits ;;
    *)      check "$policy says what to expect" false ;;
    esac
    check "$policy: $text" says "$text"
done
check "there were such policies" [ $n -ge 48 ]
check "the kit stops early with one that is stuck" expect 4 "$fairway" policies --conform "$so/loops.so" --decide-timeout 300ms
check "and says so" says "note: it was stuck in 3 cases"

# ---- the report for programs ----
check "--json is a list of problems" expect 4 "$fairway" policies --conform "$so/starts_twice.so" --json
check "with the case, the instant and a hint" says '"case"'
check "an empty one when nothing is broken" expect 0 "$fairway" policies --conform fifo:place=first --json
check "indeed" [ "$(tr -d ' \n' <"$dir/out")" = '[]' ]
check "a built-in keeps its contract" expect 0 "$fairway" policies --conform drf:place=pack
check "two questions at once are a usage error" expect 2 "$fairway" policies fifo --conform fifo
check "a limit that is none is a usage error" expect 2 "$fairway" run "$scn" --decide-timeout never

# ---- Ctrl-C reaches a run in its sandbox ----
rm -f r.db
"$fairway" run "$scn" -p fifo -p ./mine/my-own.so --audit -s 1 -s 2 -s 3 -s 4 -s 5 -s 6 -d r.db >out 2>err &
pid=$!
has_begun() { [ "$(sql "select count(*) > 0 from run where status = 'running' and policy like '%.so'" 2>/dev/null)" = 1 ]; }
await $pid has_begun
kill -INT $pid
wait $pid
check "an interrupt exits with 130" [ $? -eq 130 ]
check "what was finished is kept" [ "$(sql "select count(*) from run where status = 'done'")" -ge 1 ]
check "the run under way is marked" [ "$(sql "select count(*) from run where status = 'interrupted'")" -eq 1 ]
check "and nothing is left running" [ "$(sql "select count(*) from run where status = 'running'")" -eq 0 ]

# ---- installed ----
check "make install puts the headers and the library where a policy finds them" expect 0 make -C "$here" install DESTDIR="$dir/root" PREFIX=/usr B="$(dirname "$fairway")"
check "the installed program begins one" expect 0 root/usr/bin/fairway policies --new alone
check "that is built with what was installed beside it" grep -q "^PREFIX  ?= $dir/root/usr\$" alone/Makefile
check "and builds" expect 0 make -C alone
exit $bad
