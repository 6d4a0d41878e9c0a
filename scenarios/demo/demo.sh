#!/bin/sh
# The main job, whole: replay the shipped trace under several policies, compare
# them, draw them, and say where everything is.
# usage: demo.sh FAIRWAY DATABASE FOLDER
set -eu
fairway=$1 db=$2 out=$3
cd "$(dirname "$0")/../.."
mkdir -p "$out"
rm -f "$db"
"$fairway" run scenarios/demo/demo.yaml -d "$db"
"$fairway" compare "$db" | tee "$out/demo.txt"
for figure in cdf bars timeline gantt; do
    "$fairway" plot "$db" $figure -o "$out/demo-$figure.svg"
    "$fairway" plot "$db" $figure -o "$out/demo-$figure.png"
done
"$fairway" report "$db" -o "$out/demo.html"
echo
echo "report    $out/demo.html      (open it in a browser; it needs nothing else)"
echo "database  $db      (sqlite3 $db '.schema' shows it; results/README.md explains it)"
echo "table     $out/demo.txt"
for figure in cdf bars timeline gantt; do echo "chart     $out/demo-$figure.svg and .png"; done
