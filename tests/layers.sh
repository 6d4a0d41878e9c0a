#!/bin/sh
# Fail when a file includes a header of a higher layer, or io and out see each other.
grep -rn --include='*.[ch]' '#include "' sim policies | awk -F'[:"]' '
BEGIN { rank["base"]=1; rank["core"]=2; rank["model"]=3; rank["io"]=4; rank["out"]=4; rank["app"]=5 }
{ split($1, p, "/"); split($4, q, "/"); up = rank[q[1]]; me = rank[p[2]]
  if (p[1] == "policies" && p[2] == "flow" && $4 !~ /^(flow\/|util\.h$)/) bad("the flow solver knows nothing but itself")
  else if (p[1] == "policies" && $4 ~ /\// && $4 !~ /^(flow|multiqueue)\//) bad("a policy may include only files of policies/")
  else if (p[1] == "sim" && p[2] != "app" && $4 ~ /^(policy|plan|place|queue|share|builtin|desk|unit|kind)\.h$|^(flow|multiqueue)\//) bad("only sim/app talks to policies")
  else if (p[1] == "sim" && (up > me || (up == me && q[1] != p[2]))) bad(p[2] " may not include " q[1]) }
function bad(why) { print $1 ":" $2 ": " why; rc = 1 }
END { exit rc }'
