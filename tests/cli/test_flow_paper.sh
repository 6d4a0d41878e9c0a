#!/bin/sh
# The flow paper's experiments (S4-18, S4-27 to S4-34) as the scenarios have them, with seeds that the search for
# their constants never used.  Every figure and claim of S4-27 to S4-34 (sim/compare/published.sql) is a line below:
# it holds, a figure to a tenth, or it does not, and why; a change of either is a failure.
# scenarios/flow-paper/README.md has the numbers.
. "$(dirname "$0")/lib.sh"
scenarios=$here/scenarios/flow-paper

for s in flow-k1 flow-k6 flow-k6-10g flow-j37 flow-j37-10g flow-users flow-alpha; do
    set --
    case $s in flow-users) set -- -p fs -p capacity -p fair ;; esac     # the others take nine tenths of the time
    "$fairway" run -q -d "$dir/flow.db" "$scenarios/$s.yaml" "$@" 2>"$dir/err" ||
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
                k = split("gs gsp gsd capacity fair fs fsp fsp-move fsu quincy", policy, " ")
                for (i = 1; i <= k; i++) {
                    p = policy[i]
                    if (!('"$2"')) { print "not so for " p; exit 1 }
                }
            }' "$dir/means" >"$dir/said"; then echo "ok $1"; else echo "not ok $1"; sed 's/^/    /' "$dir/said"; bad=1; fi
}


# ---- what is published ----
changed=0
"$fairway" compare "$dir/flow.db" --published --csv >"$dir/published.csv" 2>"$dir/err"
# Lines "SCENARIO|METRIC|OF|PUBLISHED|holds or not": a figure holds when ours is within a tenth.
awk -F, 'NR > 1 { v = $6; sub(/ .*/, "", v); n = v; gsub(/[-+%]/, "", n)
                  gsub(/\302\261/, "+-", $4); is = v == "yes" || (v != "NO" && n + 0 <= 10)
                  print $1 "|" $2 "|" $3 "|" $4 "|" (is ? "holds" : "not") }' \
    "$dir/published.csv" >"$dir/found"
while IFS='|' read -r number scenario metric of published expected; do
    claim="$scenario|$metric|$of|$published"
    case $expected in
    holds) want=holds ;;
    no:\ ?*) want=not ;;
    *) echo "not ok $number: '$expected' is neither 'holds' nor 'no: BECAUSE'"; bad=1; continue ;;
    esac
    if grep -qFx "$claim|$want" "$dir/found"; then
        echo "ok $number: $scenario, $metric of $of, published $published: $expected"
    else
        echo "not ok $number: $scenario, $metric of $of, published $published, expected: $expected"
        grep -F "$scenario,$metric,$of," "$dir/published.csv" | sed 's/^/    /'; bad=1
    fi
    echo "$claim" >>"$dir/listed"
    [ $bad = 0 ] || changed=1
done <<'END'
S4-27|flow-k1|dt|gs|825.6 s|holds
S4-27|flow-k1|dt|fs|808.2 s|holds
S4-27|flow-k1|dt|fsp|782.3 s|holds
S4-27|flow-k1|dt|fs : gs|0.979|holds
S4-27|flow-k1|dt|fsp : gs|0.948|holds
S4-27|flow-k1|bytes_read|gs|1.3e+12 B|holds
S4-27|flow-k1|rack_share|gs|0.25|holds
S4-27|flow-k1|rack_share|fs|0.23|holds
S4-27|flow-k1|rack_share|fsp|0.16|no: 27.6 % off: 69 % of its bytes are local, the paper has 75 %; (1)
S4-27|flow-k1|cross_share|gs|0.15|no: 16 % off: four copies give 17 % across, five a third less; (1)
S4-27|flow-k1|cross_share|fs|0.12|no: 23 % off, with four copies; (1)
S4-27|flow-k1|cross_share|fsp|0.09|no: 12.5 % off, with four copies; (1)
S4-27|flow-k1|dt|fs : gs|< 1|holds
S4-27|flow-k1|dt|fsp : fs|< 1|holds
S4-27|flow-k1|rack_share|fs : gs|< 1|holds
S4-27|flow-k1|rack_share|fsp : fs|< 1|holds
S4-27|flow-k1|cross_share|fs : gs|< 1|holds
S4-27|flow-k1|cross_share|fsp : fs|< 1|holds
S4-28|flow-k6|span_mean|gsp : gs|< 1|holds
S4-28|flow-k6|span_mean|gsd : gsp|> 1|no: open, 0.98 +-0.07; (4)
S4-28|flow-k6|span_mean|fsp : fs|< 1|holds
S4-28|flow-k6|span_mean|fsu : fsp|> 1|holds
S4-29|flow-k6|dt|fs : gs|< 1|holds
S4-29|flow-k6|dt|fs : gsp|< 1|holds
S4-29|flow-k6|dt|fs : gsd|< 1|holds
S4-29|flow-k6|dt|fsp : gs|< 1|holds
S4-29|flow-k6|dt|fsp : gsp|< 1|holds
S4-29|flow-k6|dt|fsp : gsd|< 1|holds
S4-29|flow-k6|dt|fsu : gs|< 1|holds
S4-29|flow-k6|dt|fsu : gsp|< 1|holds
S4-29|flow-k6|dt|fsu : gsd|< 1|holds
S4-29|flow-k6|bytes_network|fs : gs|< 1|holds
S4-29|flow-k6|bytes_network|fs : gsp|< 1|holds
S4-29|flow-k6|bytes_network|fs : gsd|< 1|holds
S4-29|flow-k6|bytes_network|fsp : gs|< 1|holds
S4-29|flow-k6|bytes_network|fsp : gsp|< 1|holds
S4-29|flow-k6|bytes_network|fsp : gsd|< 1|holds
S4-29|flow-k6|bytes_network|fsu : gs|< 1|holds
S4-29|flow-k6|bytes_network|fsu : gsp|< 1|holds
S4-29|flow-k6|bytes_network|fsu : gsd|< 1|holds
S4-29|flow-k6|dt|fsu : fs|< 1|no: open, 1.02 +-0.03: FS waits too, and reads as little; (2)
S4-29|flow-k6|dt|fsu : fsp|< 1|no: open, 1.06 +-0.08: FSP waits, as its Table 1 needs; (2)
S4-29|flow-k6|bytes_network|fsu : fs|< 1|holds
S4-29|flow-k6|bytes_network|fsu : fsp|< 1|no: open, 1.03 +-0.1: FSP waits, as its Table 1 needs; (2)
S4-29|flow-k6|s_share_sigma|fsu : fsp|> 1|holds
S4-30|flow-k6|dt|gsd : gs|< 1|holds
S4-30|flow-k6|s_share_sigma|gsd : gs|> 1|no: open, 1.00 +-0.18; (4)
S4-31|flow-k6|dt|fs : gs|< 0.9|holds
S4-31|flow-k6|s_share_mean|fsp : gs|> 1.5|no: open, 1.43 +-0.07; (4)
S4-29|flow-k6|s_whole_sigma|fsu : fsp|> 1|holds
S4-30|flow-k6|s_whole_sigma|gsd : gs|> 1|holds
S4-31|flow-k6|s_whole_mean|fsp : gs|> 1.5|holds
S4-29|flow-k6|s_share_sigma|fsu|0.32|holds
S4-29|flow-k6|s_whole_sigma|fsu|0.32|no: 14 % off by the ideal on the whole cluster; (3)
S4-29|flow-k6|s_share_sigma|fsu : fsp|1.25|holds
S4-29|flow-k6|s_whole_sigma|fsu : fsp|1.25|no: 19 % off by the ideal on the whole cluster; (3)
S4-31|flow-k6|s_share_mean|fsp|0.9|no: 32 % off: six at a time share a switch, the ideal has it alone; (3)
S4-31|flow-k6|s_whole_mean|fsp|0.9|no: 25 % off by the ideal on the whole cluster; (3)
S4-32|flow-k6-10g|dt|gs : flow-k6/gs|< 1|holds
S4-32|flow-k6-10g|dt|gsp : flow-k6/gsp|< 1|holds
S4-32|flow-k6-10g|dt|gsd : flow-k6/gsd|< 1|holds
S4-32|flow-k6-10g|dt|fs : flow-k6/fs|< 1|holds
S4-32|flow-k6-10g|dt|fsp : flow-k6/fsp|< 1|no: open, 1.01 +-0.05: who waits for reads nearby gains little from the switch; (2)
S4-32|flow-k6-10g|dt|fsu : flow-k6/fsu|< 1|holds
S4-32|flow-k6-10g|s_share_sigma|gs : flow-k6/gs|1 +-0.1|holds
S4-32|flow-k6-10g|s_share_sigma|gsp : flow-k6/gsp|1 +-0.1|holds
S4-32|flow-k6-10g|s_share_sigma|gsd : flow-k6/gsd|1 +-0.1|holds
S4-32|flow-k6-10g|s_share_sigma|fs : flow-k6/fs|1 +-0.1|holds
S4-32|flow-k6-10g|s_share_sigma|fsp : flow-k6/fsp|1 +-0.1|holds
S4-32|flow-k6-10g|s_share_sigma|fsu : flow-k6/fsu|1 +-0.1|no: open, 0.86 +-0.09; (4)
S4-32|flow-k6-10g|bytes_cross|gs : flow-k6/gs|> 1|holds
S4-32|flow-k6-10g|bytes_cross|gsp : flow-k6/gsp|> 1|holds
S4-32|flow-k6-10g|bytes_cross|gsd : flow-k6/gsd|> 1|holds
S4-32|flow-k6-10g|bytes_cross|fs : flow-k6/fs|> 1|holds
S4-32|flow-k6-10g|bytes_cross|fsp : flow-k6/fsp|> 1|holds
S4-32|flow-k6-10g|bytes_cross|fsu : flow-k6/fsu|> 1|holds
S4-32|flow-k6-10g|bytes_rack|gs : flow-k6/gs|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_rack|gsp : flow-k6/gsp|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_rack|gsd : flow-k6/gsd|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_rack|fs : flow-k6/fs|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_rack|fsp : flow-k6/fsp|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_rack|fsu : flow-k6/fsu|1 +-0.1|holds
S4-32|flow-k6-10g|bytes_local|gs : flow-k6/gs|< 1|holds
S4-32|flow-k6-10g|bytes_local|gsp : flow-k6/gsp|< 1|holds
S4-32|flow-k6-10g|bytes_local|gsd : flow-k6/gsd|< 1|holds
S4-32|flow-k6-10g|bytes_local|fs : flow-k6/fs|< 1|holds
S4-32|flow-k6-10g|bytes_local|fsp : flow-k6/fsp|< 1|holds
S4-32|flow-k6-10g|bytes_local|fsu : flow-k6/fsu|< 1|holds
S4-34|flow-users|dt|fs : fair|0.9048|no: 11.6 % off, the order holds; (5)
S4-34|flow-users|dt|fs : capacity|0.8873|no: 26 % off, the order holds; (5)
S4-34|flow-users|dt|fs : fair|< 1|holds
S4-34|flow-users|dt|fs : capacity|< 1|holds
S4-33|flow-j37|dt|fs : flow-k6/fs|1 +-0.02|holds
S4-33|flow-j37|dt|fsp : flow-k6/fsp|1 +-0.02|holds
S4-33|flow-j37|dt|fsu : flow-k6/fsu|1 +-0.02|holds
S4-33|flow-j37-10g|dt|fs : flow-k6-10g/fs|1 +-0.02|holds
S4-33|flow-j37-10g|dt|fsp : flow-k6-10g/fsp|1 +-0.02|holds
S4-33|flow-j37-10g|dt|fsu : flow-k6-10g/fsu|1 +-0.02|holds
END
if [ $changed = 0 ]; then echo "ok every published figure and claim is as its line says"
else echo "not ok every published figure and claim is as its line says"; fi
cut -d '|' -f 1-4 "$dir/found" | sort >"$dir/a"; sort "$dir/listed" >"$dir/b"
if cmp -s "$dir/a" "$dir/b"; then echo "ok every published figure is listed"
else
    echo "not ok every published figure is listed"; diff "$dir/a" "$dir/b" | sed 's/^/    /'; bad=1
fi

# ---- what else follows ----
holds "S4-23: 1,264.38 GB are read, Yolo's 4.8 GB among them, in Table 1's run" 'v("flow-k1", "gs", "bytes_read") == 1.26438e12'
holds "S4-25: the bytes needed are read once under every policy, six at a time" 'v("flow-k6", p, "bytes_read") == 1.26438e12'
holds "S4-25: and with 10 Gb/s between racks" 'v("flow-k6-10g", p, "bytes_read") == 1.26438e12'
holds "S4-9, S4-10, S4-19: those that stop tasks do, the others do not" \
    'among(p, "gsp fsp fsp-move quincy") == (v("flow-k6", p, "preemptions") > 0)'
holds "S4-12, S4-30: because it moves less over the network" 'least("bytes_network", "gsd", "gs")'
holds "S4-33: J37 adds its 84 MB" 'v("flow-j37", p, "bytes_read") == 1.264464e12'
holds "S4-33: J37 changes no policy's DT by more than 2 %" \
    'v("flow-j37", p, "dt") < 1.02 * v("flow-k6", p, "dt") && v("flow-j37", p, "dt") > 0.98 * v("flow-k6", p, "dt")'
holds "S4-33: nor with 10 Gb/s" \
    'v("flow-j37-10g", p, "dt") < 1.02 * v("flow-k6-10g", p, "dt") && v("flow-j37-10g", p, "dt") > 0.98 * v("flow-k6-10g", p, "dt")'
holds "S4-34: ten users' jobs read the same under every policy" \
    '!among(p, "fs capacity fair") || v("flow-users", p, "bytes_read") == v("flow-users", "fs", "bytes_read")'
for m in hard soft; do
    holds "S4-18: $m, the greater alpha1 and alpha2, the less traffic" \
        "v(\"flow-alpha\", \"$m 1.1; 1.2; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 1.5; 2; 20\", \"bytes_network\") &&
         v(\"flow-alpha\", \"$m 1.5; 2; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 3; 5; 20\", \"bytes_network\") &&
         v(\"flow-alpha\", \"$m 3; 5; 20\", \"bytes_network\") > v(\"flow-alpha\", \"$m 5; 8; 20\", \"bytes_network\")"
done
holds "S4-18: soft, a very large alpha3 is less fair than one of 20 s" \
    'v("flow-alpha", "soft 1.5; 2; 100", "s_share_sigma") > v("flow-alpha", "soft 1.5; 2; 20", "s_share_sigma")'
exit $bad
