# jobs.awk -- a native trace of n jobs, in order, that ask for so many different things: awk -v n=N -v shapes=N -f jobs.awk
BEGIN {
    print "id,submit_s,duration_s,user,cpus,mem_mib,gpus"
    x = 1
    for (i = 0; i < n; i++) {
        x = x * 48271 % 2147483647
        s = x % shapes
        x = x * 48271 % 2147483647
        # %.0f: mawk's %d ends at 2^31 - 1
        printf "%d,%.0f,%d,u%d,%d,%d,%d\n", i, i * 60, 60 + x % 36000, x % 20, 1 + s % 16, 1024 + int(s / 16) * 8, s % 3 == 0
    }
}
