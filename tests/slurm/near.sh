#!/bin/sh
# near.sh LINE -- is what compare.awk says near enough?  98 % of pairs in the same order, the mean wait within 2 % and
# a second, 95 % of jobs on the same nodes, of at least 300 jobs (JOBS: of so many).
echo "$1" | awk -v jobs="${JOBS:-300}" '{
    gsub(/[,%]/, "")
    for (i = 1; i <= NF; i++) {
        if ($i == "jobs") n = $(i + 1)
        if ($i == "order") order = $(i + 1)
        if ($i == "wait") { real = $(i + 1); mine = $(i + 4) }
        if ($i == "nodes") nodes = $(i + 1)
    }
    off = mine - real; if (off < 0) off = -off
    exit !(n >= jobs && order >= 98 && off <= 0.02 * real + 1 && nodes >= 95)
}'
