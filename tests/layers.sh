#!/bin/sh
# Fail when a file includes a header of a higher layer, when what reads files in
# and what people read see each other, when anyone but the model sees the members
# of a world, when those who only observe it could change it, when a part of the
# model knows the world that it is composed into, or when a part of policies/ sees
# one that it does not build upon.
grep -rn --include='*.[ch]' '#include "' sim policies tests | awk -F'[:"]' '
BEGIN {
  # Lowest first: a room includes itself and those before it.
  n = split("base core model input db metrics compare explain plot report host run sweep search calibrate library cmd", order, " ")
  for (i = 1; i <= n; i++) rank[order[i]] = i
  n = split("db metrics compare explain plot report", reads, " ")
  for (i = 1; i <= n; i++) is_result[reads[i]] = 1
  # The libraries that policies share, and what each may build upon.
  on["flow"] = "flow"; on["lp"] = "lp"; on["place"] = "place"; on["elastic"] = "elastic place"; on["sched"] = "sched place"
  on["data"] = "data sched place flow"; on["calls"] = "calls sched place"
}
function bad(problem) { print $1 ":" $2 ": " problem; rc = 1 }
{
  depth = split($1, file, "/"); n = split($4, header, "/"); room = file[2]
  if ($4 ~ /world_priv\.h$/ && room != "model") bad("the members of a world are seen by sim/model alone: read them through model/world_view.h")
  else if ($4 ~ /^model\/world/ && room == "model" && file[1] == "sim" && file[3] !~ /^world/) bad("the parts of a world do not know it")
  else if ($4 == "model/world.h" && room in is_result) bad(room " observes the world through model/world_view.h")
  if (file[1] == "tests") next
  is_shared = $4 == "lib/heap.h" || $4 == "lib/map.h" || $4 == "lib/pages.h"       # they know nothing of either side
  if (file[1] == "policies") {
    if ($4 == "policy.h" || $4 == "extensions.h" || $4 == "fits.h" || $4 == "node.h" || $4 == "decision.h" || $4 == "lib/util.h" || is_shared || room == "example" || (room == "lib" && depth == 3)) next
    if (room == "lib") {
      if (header[1] != "lib") bad("policies/lib is below the policies")
      else if (index(" " on[file[3]] " ", " " header[2] " ") == 0) bad("policies/lib/" file[3] " may not include " $4)
    } else if (n > 1 && header[1] != "lib" && header[1] != room) bad("a policy may include only policies/lib and its own folder")
  } else if (is_shared) {
  } else if ($4 == "fits.h" || $4 == "node.h" || $4 == "decision.h") {
    if (room != "model" && room != "host") bad("it reaches the others through the ledger")
  } else if (n == 1 || !(header[1] in rank)) {
    if (rank[room] < rank["host"]) bad("only sim/host and above talk to policies")
  } else if (rank[header[1]] > rank[room]) bad(room " may not include " header[1])
  else if (header[1] == "input" && room in is_result) bad(room " does not read files in")
}
END { exit rc }'
