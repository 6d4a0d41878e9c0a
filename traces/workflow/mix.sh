#!/bin/sh
# mix.sh FAIRWAY -- print mix.csv: sixteen real workflows (WfInstances) among generated jobs of six users.
set -eu
"$1" trace generate -s 7 jobs=900 span=1h diurnal=0 weekend=1 users=6 cpu_share=1 frac_share=0 array_share=0 dur_cpu=4m dur_sigma=1 \
    dur_max=30m tail_share=0 tail_from=20m cpus=4 max_cpus=16 max_mem=16GiB |
awk -F, -v OFS=, '
    function flows(until) {
        while (n < 16 && 120 + n * 200 <= until) {
            w = name[n % 6]
            printf "%s-%d,%d,,flow,1,1024,%s/%s.json\n", short[n % 6], int(n / 6) + 1, 120 + n * 200, "wfinstances", w
            n++
        }
    }
    BEGIN {
        split("montage-chameleon-2mass-005d-001 1000genome-chameleon-2ch-100k-001 epigenomics-chameleon-hep-1seq-100k-001 rnaseq-dirt02-001 helloworld-forkjoin-10-chameleon montage-chameleon-2mass-03d-001", a, " ")
        split("montage-small genome epigenomics rnaseq forkjoin montage-large", b, " ")
        for (i = 1; i <= 6; i++) { name[i - 1] = a[i]; short[i - 1] = b[i] }
        print "id,submit_s,duration_s,user,cpus,mem_mib,workflow"
    }
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { flows($at["submit_s"]); print $at["id"], $at["submit_s"], $at["duration_s"], $at["user"], $at["cpus"], $at["mem_mib"], "" }
    END { flows(1e9) }'
