#!/bin/sh
# Jobs of API calls on cpu, gpu, npu, dsp and fpga, with times after Braun et al.
# (JPDC 61(6), 2001, section 4): the time of API i on engine j is a baseline
# drawn from 1..100 times a row factor drawn from 1..10, here in milliseconds; in a
# consistent table the rows are sorted, so that one engine is best for all.
# usage: braun.sh consistent|inconsistent SEED FOLDER
set -eu
awk -v kind="$1" -v seed="$2" -v to="$3" '
function draw(n) { x = (x * 16807) % 2147483647; return 1 + int(n * (x / 2147483647)) }
BEGIN {
    n_e = split("fpga gpu npu dsp cpu", e, " ")
    x = seed; for (i = 0; i < 10; i++) draw(1)
    times = to "/" kind "-times.csv"; jobs = to "/" kind "-jobs.csv"; calls = to "/" kind "-calls.csv"
    print "api,engine,size_b,time_s" > times
    for (a = 0; a < 16; a++) {
        base = draw(100)
        for (k = 1; k <= n_e; k++) t[k] = base * draw(10)
        if (kind == "consistent")
            for (i = 2; i <= n_e; i++) for (j = i; j > 1 && t[j] < t[j - 1]; j--) { s = t[j]; t[j] = t[j - 1]; t[j - 1] = s }
        for (k = 1; k <= n_e; k++) {        # twice the size takes twice the time
            printf "a%d,%s,1000,%.3f\n", a, e[k], t[k] / 1000 > times
            printf "a%d,%s,1000000,%.3f\n", a, e[k], t[k] > times
        }
    }
    print "id,submit_s,tasks" > jobs
    print "job,task,call,api,size_b,result_b" > calls
    for (j = 0; j < 150; j++) {
        at += draw(3000) / 1000
        printf "j%d,%.3f,%d\n", j, at, draw(4) > jobs
        a = draw(16) - 1; n = 1 + draw(4)
        for (c = 0; c < n; c++) printf "j%d,,%d,a%d,%d,%d\n", j, c, draw(4) == 1 ? draw(16) - 1 : a, 1000 * draw(100), 100 * draw(100) > calls
    }
}'
