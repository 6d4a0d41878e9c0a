#!/bin/sh
# What the world lacks (files, processes, rights) is said as it is, with status 3; and what a scenario of a
# stranger may do to the one who runs it.
. "$(dirname "$0")/lib.sh"
limit=60
no() { ! "$@"; }
cat >"$dir/s.yaml" <<'END'
name: world
cluster: {groups: [{name: a, count: 1, cpus: 4, mem: 8GiB}]}
trace: {format: native, path: jobs.csv}
policies: [fifo]
END
echo 'id,submit_s,duration_s,cpus
a,0,9,1' >"$dir/jobs.csv"
cd "$dir" || exit 2

# ---- databases that cannot be made ----
if [ -d /sys/kernel ]; then
    check "a folder that cannot be written to" expect 3 "$fairway" run -q s.yaml -d /sys/kernel/fairway-test.db
    check "is not said to be none" no says "No such file"
fi
check "a folder that is none" fails 3 "No such file or directory" "$fairway" run -q s.yaml -d none/x.db
check "a folder as database" fails 3 "Is a directory" "$fairway" run -q s.yaml -d /tmp
check "a database that is not there" fails 3 "No such file or directory" "$fairway" compare none.db

# ---- too few open files: every number of them, until it runs ----
cat >policy.py <<'END'
import sys
for line in sys.stdin: sys.exit(7)
END
few() { # COMMAND...: 0 or 3 whatever the limit, and never a wrong reason
    n=4
    while [ $n -le 24 ]; do
        (ulimit -n $n; exec "$@") >out 2>err
        got=$?
        if [ $got -ne 0 ] && { [ $got -ne 3 ] || ! grep -q 'Too many open files' err; }; then echo "$n files: exit $got"; cat err; return 1; fi
        n=$((n + 1))
    done
    [ $got -eq 0 ]
}
check "too few open files for a run" few "$fairway" run -q s.yaml -d few.db
check "and for a policy of a shared object" few "$fairway" run -q s.yaml -p "$(dirname "$fairway")/tests/so/example.so" -d few.db
if command -v python3 >/dev/null 2>&1; then
    check "and for a policy in a program of its own" few "$fairway" run -q s.yaml -p "exec:python3 $here/python/fifo.py" -d few.db
else
    echo "skipped - too few open files for a policy in a program of its own: no python3 here"
fi

# ---- deep nesting: the limit holds before time is spent ----
awk 'BEGIN { printf "name: x\ntitle: "; for (i = 0; i < 200000; i++) printf "[" }' >deep.yaml
limit=10
check "200,000 brackets" fails 2 "deep.yaml:2:72: error: found more than 64 levels of nesting" "$fairway" run deep.yaml
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "- " }' >dashes.yaml
check "and as many dashes" fails 2 "levels of nesting" "$fairway" run dashes.yaml
limit=60

# ---- whose code runs ----
mkdir box
sed 's/^name: world/name: run/; s/^policies:.*/policies: ["exec:touch ran; exit 1"]/; s|jobs.csv|../jobs.csv|' s.yaml >box/exec.yaml
check "a dry run starts no command" expect 0 "$fairway" sweep box/exec.yaml --dry-run -d none.db
check "which nothing ran" [ ! -e box/ran ]
key=$(cut -d ' ' -f 1 out | head -n 1)
for c in run sweep; do
    check "$c --no-exec refuses a command" fails 2 "which --no-exec refuses" "$fairway" $c --no-exec box/exec.yaml -d none.db
    check "and a shared object" fails 2 "which --no-exec refuses" "$fairway" $c --no-exec s.yaml --set "policies=['$(dirname "$fairway")/tests/so/example.so']" -d none.db
    check "and not what is built in" expect 0 "$fairway" $c --no-exec s.yaml -d ok.db
done
check "nothing ran" [ ! -e box/ran ]
check "with it, it runs" expect 2 "$fairway" run box/exec.yaml -d none.db
check "as the user's own code" [ -e box/ran ]
if command -v python3 >/dev/null 2>&1; then
    "$fairway" sweep s.yaml --dry-run --set "policies=['exec:python3 $here/python/fifo.py']" -d none.db >plan
    "$fairway" run -q s.yaml -p "exec:python3 $here/python/fifo.py" -d py.db
    check "the keys of a dry run are those of the runs" same "$(cut -d ' ' -f 1 plan | head -n 1)" "$(sqlite3 py.db 'select key from run')"
fi

# ---- what a policy leaves behind ----
cat >leaves.sh <<'END'
setsid sh -c 'echo $$ >left.pid; exec sleep 300' </dev/null >/dev/null 2>&1 &
sh -c 'setsid sh -c "echo \$\$ >left2.pid; sleep 300; :" </dev/null >/dev/null 2>&1 & sleep 300' </dev/null >/dev/null 2>&1 &
while [ ! -s left.pid ] || [ ! -s left2.pid ]; do sleep 0.05; done
exit 1
END
sleep 300 & other=$!
check "a policy that leaves processes behind" expect 2 "$fairway" run -q s.yaml -p "exec:sh leaves.sh" -d none.db
gone() { [ -s "$1" ] && ! kill -0 "$(cat "$1")" 2>/dev/null; }
check "in a session of their own: they end with it" gone left.pid
check "children of children as well" gone left2.pid
(sleep 300 & echo $! >sibling.pid; exec "$fairway" run -q s.yaml -p "exec:sh leaves.sh" -d none.db) >out 2>err
check "what it did not start goes on" kill -0 "$(cat sibling.pid)"
kill "$(cat sibling.pid)" $other
for p in left.pid left2.pid; do gone $p || kill "$(cat $p)"; done

# ---- names become files ----
for name in ../x a/b .. .hidden; do
    sed "s|^name: world|name: '$name'|; s|jobs.csv|../jobs.csv|" s.yaml >box/name.yaml
    check "a name '$name' is refused" fails 2 "name.yaml:1:7: error: found name '$name'" sh -c 'cd box && exec "$1" run -q name.yaml' - "$fairway"
done
check "and nothing was written" [ ! -e x.db ]
exit $bad
