#!/bin/sh
# libfairway: what a program in C does with it, two runs in two threads among it, and what it exports.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$fairway")
library=$build/libfairway.so.0
mkdir -p "$dir/include"
cp "$here/sim/library/fairway.h" "$dir/include/"
ln -s "$here/policies" "$dir/include/fairway"

exported() { nm -D --defined-only "$library" | awk '$2 != "A" { print $NF }' | sort; }
declared() { grep -o 'fairway_[a-z_]*(' "$here/sim/library/fairway.h" | tr -d '(' | sort -u; }
check "it exports what its header declares, and nothing else" same "$(exported)" "$(declared)"
check "under its name and number" sh -c 'readelf -d "$1" | grep -q "soname: \[libfairway.so.0\]"' - "$library"
command -v c++ >/dev/null && check "its header is C++, too" c++ -x c++ -std=c++11 -Wall -Wextra -Werror -fsyntax-only "$here/sim/library/fairway.h"

case $(basename "$build") in build) ;; *) echo "skipped - a client: $build is built with sanitizers or as a variant"; exit $bad ;; esac
check "a client is built" "${CC:-cc}" -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -I"$dir/include" \
    "$here/tests/cli/library/client.c" -pthread "$library" -Wl,-rpath,"$build" -o "$dir/client"
cat >"$dir/s.yaml" <<END
name: s
cluster: {groups: [{name: n, count: 4, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: GPU}]}
trace: {format: generate, load: 0.3, generate: {jobs: 2000}}
seeds: [1, 2]
policies: [fifo, las]
END
{ echo id,submit_s,duration_s,user,gpus,cpus,mem_mib; for i in 1 2 3 4 5; do echo "j$i,$i,100,ann,1,1,1"; done; } >"$dir/one.csv"
cat >"$dir/one.yaml" <<END
name: one
cluster: {groups: [{name: n, count: 1, cpus: 64, mem: 512GiB, gpus: 8, gpu_type: GPU}]}
trace: {format: native, path: one.csv}
policies: [fifo]
END
cd "$dir" || exit 2
expect 0 ./client s.yaml a.db b.db one.yaml || bad=1
cp out client.out
expect 0 "$fairway" run s.yaml -d p.db
digests() { sed -n 's/.*digest \([0-9a-f]*\)$/\1/p' "$1"; }
check "two threads at once have the digests of the program" same "$(digests client.out)" "$(digests out)"
client() { grep -qF -- "$1" client.out || { echo "no '$1'"; cat client.out; return 1; }; }
check "four runs are told of before, and their decisions" sh -c 'grep -q "^begun 1, decisions [1-9][0-9]*$" client.out'
check "errors have a file" client "none.yaml: cannot read"
check "a line, a column and a hint" client "here.yaml:4:3: "
check "of what was set, too" client "--set cluster.groups.0.count=many: "
check "a policy of the client's own decides" client "one by one: 0, asked"
check "a run that is stopped says so" client "stopped: 130"
check "runs are compared" sh -c 'grep -q "^s,.*jct_mean" client.out'
check "a job that is not there is an error" client "explained: "
check "a figure is drawn, and one that is not there is near another" client "plotted: 1 did you mean 'bars'?"
# Numbers beyond 32 bits must not be cut to those of another task or node.
cat >"$dir/beyond.py" <<END
import sys, fairway

class Beyond(fairway.Policy):
    name = "beyond"

    def decide(self):
        for unit in list(self.waiting):
            task, node = int(sys.argv[1]), int(sys.argv[2])
            if len(sys.argv) > 3:
                self._verbs.start_gang(unit.job.number, [node])
            else:
                self._verbs.start(unit.job.number, task, node)

try:
    fairway.run("one.yaml", policies=[Beyond], database="beyond.db", progress=False)
except fairway.PolicyError as e:
    sys.exit(str(e))
END
beyond() {      # ARGUMENTS WORDS
    PYTHONPATH=$here/python FAIRWAY_LIBRARY=$build/libfairway.so.0 python3 "$dir/beyond.py" $1 >"$dir/out" 2>&1
    grep -qF -- "$2" "$dir/out" || { cat "$dir/out"; return 1; }
}
if command -v python3 >/dev/null; then
    check "a task beyond 32 bits is refused" beyond '4294967296 0' \
        "'task' is 4294967296; expected a number from 0 to 4294967294"
    check "a node beyond 32 bits is refused" beyond '0 4294967296' \
        "'node' is 4294967296; expected a number from 0 to 4294967294"
    check "a negative one, too" beyond '0 -1' "'node' is -1; expected"
    check "and one of a gang" beyond '0 4294967297 gang' "'node' is 4294967297; expected"
fi
exit $bad
