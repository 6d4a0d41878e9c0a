#!/bin/sh
# Fail when a file includes a header of a higher layer, io and out see each
# other, or a part of policies/ sees one that it does not build upon.
grep -rn --include='*.[ch]' '#include "' sim policies | awk -F'[:"]' '
BEGIN {
  rank["base"] = 1; rank["core"] = 2; rank["model"] = 3; rank["io"] = 4; rank["out"] = 4; rank["app"] = 5
  on["flow"] = "flow"; on["desk"] = "desk"; on["data"] = "data desk flow"; on["calls"] = "calls desk"
  on["affinity"] = "affinity calls desk"; on["multiqueue"] = "multiqueue desk"; on["workflow"] = "workflow desk"
}
function bad(why) { print $1 ":" $2 ": " why; rc = 1 }
{
  split($1, p, "/"); n = split($4, q, "/")
  if (p[1] == "policies") {
    part = p[2] in on ? p[2] : ""
    if (n > 1 && !(q[1] in on)) bad("a policy may include only files of policies/")
    else if (part != "" && n > 1 && index(" " on[part] " ", " " q[1] " ") == 0) bad("policies/" part " may not include " q[1])
    else if (part == "flow" && n == 1 && $4 != "util.h") bad("the flow solver knows nothing but itself")
    else if (part != "" && $4 == "builtin.h") bad("policies/" part " is below the policies")
  } else if (p[2] != "app" && (n == 1 || q[1] in on)) bad("only sim/app talks to policies")
  else if (n > 1 && q[1] in rank && (rank[q[1]] > rank[p[2]] || (rank[q[1]] == rank[p[2]] && q[1] != p[2]))) bad(p[2] " may not include " q[1])
}
END { exit rc }'
