#!/bin/sh
# The flow paper's experiments (S4-18, S4-27 to S4-34) as the scenarios have
# them, ten seeds each: the signs that hold.  Those that do not are told, with
# both numbers and the cause, in scenarios/flow-paper/README.md.
. "$(dirname "$0")/lib.sh"
scenarios=$here/scenarios/flow-paper

for s in flow-k1 flow-k6 flow-k6-10g flow-j37 flow-j37-10g flow-users flow-alpha; do
    "$fairway" run -q -d "$dir/flow.db" "$scenarios/$s.yaml" 2>"$dir/err" ||
        { echo "not ok $s runs"; cat "$dir/err"; exit 1; }
done
# Lines "SCENARIO|POLICY|METRIC|MEAN"; policies by their labels, commas in these as semicolons.
"$fairway" compare "$dir/flow.db" --csv \
    -m dt,span_mean,s_share_sigma,s_whole_sigma,s_share_mean,s_whole_mean,bytes_read,bytes_local,bytes_cross,bytes_network,rack_share,cross_share,preemptions \
    2>"$dir/err" |
    sed 's/, /; /g; s/,"[a-z]*:[^"]*"/,spec/; s/"//g' | awk -F, 'NR > 1 && $6 == "all" { print $1 "|" $2 "|" $5 "|" $9 }' >"$dir/means"
[ -s "$dir/means" ] || { echo "not ok compare prints the means"; cat "$dir/err"; exit 1; }

# holds CLAIM EXPRESSION: over the means v(SCENARIO, POLICY, METRIC), for p in all policies where it speaks of p.
# among(p, LIST): is p one of the list?
holds() {
    if awk -F'|' '{ m[$1 "|" $2 "|" $3] = $4; n++ }
            function v(s, p, x) {
                if (!((s "|" p "|" x) in m)) { print "no " x " of " p " in " s; bad = 1; exit 1 }
                return m[s "|" p "|" x]
            }
            function among(p, list) { return index(" " list " ", " " p " ") > 0 }
            function least(x, a, b) { return v("flow-k6", a, x) < v("flow-k6", b, x) }
            END {
                if (bad) exit 1
                k = split("gs gsp gsd capacity fair fs fsp fsp-stop fsu quincy", policy, " ")
                for (i = 1; i <= k; i++) {
                    p = policy[i]
                    if (!('"$2"')) { print "not so for " p; exit 1 }
                }
            }' "$dir/means" >"$dir/said"; then echo "ok $1"; else echo "not ok $1"; sed 's/^/    /' "$dir/said"; bad=1; fi
}

holds "S4-23: 1,264.38 GB are read, Yolo's 4.8 GB among them, in Table 1's run" 'v("flow-k1", "gs", "bytes_read") == 1.26438e12'
holds "S4-27: the constant fitted gives gs Table 1's DT, 825.6 s, to 0.1 s" \
    'v("flow-k1", "gs", "dt") > 825.5 && v("flow-k1", "gs", "dt") < 825.7'
for x in dt rack_share cross_share; do
    holds "S4-27: in Table 1, $x of GS > FS > FSP" \
        "v(\"flow-k1\", \"gs\", \"$x\") > v(\"flow-k1\", \"fs\", \"$x\") && v(\"flow-k1\", \"fs\", \"$x\") > v(\"flow-k1\", \"fsp\", \"$x\")"
done
holds "S4-27: offered node by node, GS reads most over the network" \
    'v("flow-k1", "gs-node", "rack_share") > 2 * v("flow-k1", "gs", "rack_share") && v("flow-k1", "gs-node", "cross_share") > 2 * v("flow-k1", "gs", "cross_share")'
holds "S4-25: the bytes needed are read once under every policy, six at a time" 'v("flow-k6", p, "bytes_read") == 1.26438e12'
holds "S4-25: and with 10 Gb/s between racks" 'v("flow-k6-10g", p, "bytes_read") == 1.26438e12'
holds "S4-9, S4-10, S4-19: those that stop tasks do, the others do not" \
    'among(p, "gsp fsp fsp-stop quincy") == (v("flow-k6", p, "preemptions") > 0)'
holds "S4-28: among flow policies a single job's time is lowest with preemption" \
    'least("span_mean", "fsp", "fs") && least("span_mean", "fsp", "fsu")'
holds "S4-29: the flow policies have a shorter DT than GS, and than GSP" \
    '!among(p, "fs fsp fsp-stop fsu quincy") || (least("dt", p, "gs") && least("dt", p, "gsp"))'
holds "S4-29: and read less over the network" \
    '!among(p, "fs fsp fsp-stop fsu quincy") || (least("bytes_network", p, "gs") && least("bytes_network", p, "gsp"))'
holds "S4-29: FSP and FSU beat GSD too" \
    '!among(p, "fsp fsu") || (least("dt", p, "gsd") && least("bytes_network", p, "gsd"))'
for x in dt bytes_network; do
    holds "S4-29: FSU has less $x than FS, and than FSP to the letter" "least(\"$x\", \"fsu\", \"fs\") && least(\"$x\", \"fsu\", \"fsp-stop\")"
done
holds "S4-29: FSU is less fair than FSP" 'least("s_share_sigma", "fsp", "fsu") && least("s_whole_sigma", "fsp", "fsu")'
holds "S4-30: GSD's DT is below GS's" 'least("dt", "gsd", "gs")'
holds "S4-30: also with 10 Gb/s" 'v("flow-k6-10g", "gsd", "dt") < v("flow-k6-10g", "gs", "dt")'
holds "S4-12, S4-30: because it moves less over the network" 'least("bytes_network", "gsd", "gs")'
holds "S4-31: FSP is more than 1.5 times as fair as GS" \
    'v("flow-k6", "fsp", "s_share_mean") > 1.5 * v("flow-k6", "gs", "s_share_mean") && v("flow-k6", "fsp", "s_whole_mean") > 1.5 * v("flow-k6", "gs", "s_whole_mean")'
holds "S4-31: FS takes at least 10 % less time than GS" 'v("flow-k6", "fs", "dt") < 0.9 * v("flow-k6", "gs", "dt")'
holds "S4-32: 10 Gb/s instead of 1 shorten every policy's DT" 'v("flow-k6-10g", p, "dt") < v("flow-k6", p, "dt")'
holds "S4-32: under those that go far for a GPU, more is read across racks" \
    '!among(p, "gs gsp capacity fair fs") || v("flow-k6-10g", p, "bytes_cross") > v("flow-k6", p, "bytes_cross")'
holds "S4-32: and less locally" '!among(p, "gs gsp gsd capacity fair fs") || v("flow-k6-10g", p, "bytes_local") < v("flow-k6", p, "bytes_local")'
holds "S4-33: J37 changes no policy's DT by more than 2 %" \
    'v("flow-j37", p, "dt") < 1.02 * v("flow-k6", p, "dt") && v("flow-j37", p, "dt") > 0.98 * v("flow-k6", p, "dt")'
holds "S4-33: nor with 10 Gb/s" \
    'v("flow-j37-10g", p, "dt") < 1.02 * v("flow-k6-10g", p, "dt") && v("flow-j37-10g", p, "dt") > 0.98 * v("flow-k6-10g", p, "dt")'
holds "S4-33: J37 adds its 84 MB" 'v("flow-j37", p, "bytes_read") == 1.264464e12'
holds "S4-34: ten users' jobs read the same under every policy" 'v("flow-users", p, "bytes_read") == v("flow-users", "gs", "bytes_read")'
holds "S4-34: the flow policies that look at running tasks, or at no shares, beat fair and capacity" \
    '!among(p, "fsp fsu quincy") || (v("flow-users", p, "dt") < v("flow-users", "fair", "dt") && v("flow-users", p, "dt") < v("flow-users", "capacity", "dt"))'
holds "S4-34: FS beats fair" 'v("flow-users", "fs", "dt") < v("flow-users", "fair", "dt")'
for m in hard soft; do
    holds "S4-18: $m, the greater alpha1 and alpha2, the less traffic" \
        "v(\"flow-alpha\", \"$m 1.1; 1.2; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 1.5; 2; 20\", \"bytes_network\") &&
         v(\"flow-alpha\", \"$m 1.5; 2; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 3; 5; 20\", \"bytes_network\") &&
         v(\"flow-alpha\", \"$m 3; 5; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 5; 8; 20\", \"bytes_network\")"
done
holds "S4-18: a very large alpha3 is less fair than a small one" \
    'v("flow-alpha", "hard 1.5; 2; 100", "s_share_sigma") > v("flow-alpha", "hard 1.5; 2; 2", "s_share_sigma") &&
     v("flow-alpha", "hard 1.5; 2; 100", "s_whole_sigma") > v("flow-alpha", "hard 1.5; 2; 2", "s_whole_sigma")'
exit $bad
