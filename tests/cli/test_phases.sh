#!/bin/sh
# Jobs whose models change as they train: a scenario's phases, what `explain` tells of them, what they draw.
. "$(dirname "$0")/lib.sh"

cat >"$dir/p.csv" <<'EOT'
model,kind,layout,util,mem_bw,slow
bert,language,1N1G,linear:2,0GB/s,
bert-warm,language,1N1G,linear:4,40GB/s,
hog,language,1N1G,linear:1,0GB/s,0:1;40:2
EOT
cat >"$dir/t.csv" <<'EOT'
id,submit_s,duration_s,gpus,cpus,model
a,0,1000,1,2,bert
b,0,3000,1,1,hog
EOT
cat >"$dir/s.yaml" <<'EOT'
cluster:
  gpu_types: {V100: {speed: 1, power: {idle: 0W, peak: 360W}}}
  groups:
    - {name: n, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100, mem_bandwidth: 50GB/s, power: {idle: 0W, peak: 0W}}
models: {bert: {V100: 1}, bert-late: {V100: 0.25}}
profiles:
  file: p.csv
  phases:
    bert: [{until: 30%, as: bert-warm}, {until: 0.8, as: bert}, {until: 1, as: bert-late}]
trace: {format: native, path: t.csv}
policies: [fifo]
output: {speeds: true, audit: true}
EOT

ask() { sqlite3 "$dir/$1.db" "$2"; }
# 300 s at 2 of 4 cores, 500 at nominal, 200 at a quarter; its warm-up moves 20 of 50 GB/s for 600 s: b loses 300
check "it runs" "$fairway" run -q "$dir/s.yaml" -d "$dir/r.db"
check "each phase goes as its model does" same "$(ask r "SELECT end_us / 1000000 FROM job WHERE id = 'a'")" 1900
check "a neighbour is slowed by one alone" same "$(ask r "SELECT end_us / 1000000 FROM job WHERE id = 'b'")" 3300
check "explain tells each" expect 0 "$fairway" explain "$dir/r.db" 1 a
check "as what it goes first" says "goes as bert-warm, at 0.5 of nominal speed (0.5 cores)"
check "then" says "goes as bert, at nominal speed"
check "and last" says "goes as bert-late, at 0.25 of nominal speed (0.25 type of GPU)"
check "at the time of the crossing" same "$(ask r "SELECT group_concat((at_us / 1000000) || ' ' || speed.model)
    FROM speed JOIN job USING (run, ordinal) WHERE id = 'a'")" "0 bert-warm,600 bert,1100 bert-late"
check "others have none" same "$(ask r "SELECT count(*) FROM speed JOIN job USING (run, ordinal)
    WHERE id = 'b' AND speed.model IS NOT NULL")" 0
# 600 s at half of 360 W and 1,300 at all of it; b 600 s at half its use and 2,700 at all
check "energy follows the use" same "$(ask r "SELECT group_concat(round(kwh, 4)) FROM v_energy")" "0.16,0.3"

# A phase of the whole is another name for the model; one that goes as its own model changes no event's time.
plain() {
    "$fairway" run -q "$dir/s.yaml" -d "$dir/$1.db" --set output.speeds=false --set "profiles.phases=$2" &&
        ask "$1" "SELECT group_concat(end_us) FROM job"
}
check "a phase that goes as the model itself changes nothing" same "$(plain x '{bert: [{until: 40%, as: bert}]}')" \
    "$(plain y '')"

# 30 % of 1,000 s on 2 GPUs at 3/2 the speed of 1, the rest at 9/10 of it: growing pays in the first part alone
printf 'scaling,one_node,restart_s\nr,1:1;2:1.5,0\nlate,1:1;2:0.9,0\n' >"$dir/c.csv"
cat >"$dir/e.csv" <<'EOT'
id,submit_s,duration_s,gpus,cpus,model,tasks,gang,min_tasks,max_tasks,scaling
e,0,1000,1,1,m,1,1,1,2,r
EOT
cat >"$dir/e.yaml" <<'EOT'
cluster: {groups: [{name: n, cpus: 8, mem: 8GiB, gpus: 2, gpu_type: V100}]}
models: {m: {V100: 1}}
profiles: {scaling: c.csv, phases: {m: [{until: 30%, scaling: r}, {until: 100%, scaling: late}]}}
trace: {format: native, path: e.csv}
policies: [afs]
output: {audit: true}
EOT
check "an elastic job's scaling changes" "$fairway" run -q "$dir/e.yaml" -d "$dir/e.db"
check "and so its speed" same "$(ask e "SELECT round(end_us / 1e6, 1) FROM job")" 977.8

# The same under optimus: a start, 30 % at 3/2, then at 9/10 on 2 GPUs to 240 s, a restart on one, the rest at 1.
sed -i 's/afs/optimus/' "$dir/e.yaml"
sed 's/,r$/,own/' "$dir/e.csv" >"$dir/f.csv" && mv "$dir/f.csv" "$dir/e.csv"
starts() {      # START-OF-r END
    printf 'scaling,one_node,restart_s,start_s\nown,1:1;2:1.5,3,4\nr,1:1;2:1.5,,%s\nlate,1:1;2:0.9,20,\n' "$1" >"$dir/c.csv"
    rm -f "$dir/e.db"
    "$fairway" run -q "$dir/e.yaml" -d "$dir/e.db" && same "$(ask e "SELECT round(end_us / 1e6, 1) FROM job")" "$2"
}
check "a start costs what the job's scaling says, a restart what its phase's does" starts '' 927.6
check "and a start what its phase's does, where it says so" starts 7 930.3
exit $bad
