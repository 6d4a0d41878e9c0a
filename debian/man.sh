#!/bin/sh
# Print the manual page: a frame, and in it what `fairway help` says of each
# command, so that the two cannot drift apart.
# usage: man.sh FAIRWAY >fairway.1
set -eu
fairway=$1
version=$("$fairway" --version | sed 's/.* //')

# Text as it stands: backslashes, and what troff would take for a request or a dash of its own.
quote() { sed 's/\\/\\e/g; s/-/\\-/g; s/^\([.'"'"']\)/\\\&\1/'; }
verbatim() { printf '.nf\n'; quote; printf '.fi\n'; }

cat <<END
.\\" Made by debian/man.sh from \`fairway help\`.
.TH FAIRWAY 1 "2026-11-21" "fairway $version" "User Commands"
.SH NAME
fairway \\- discrete\\-event GPU cluster simulator and policy evaluator
.SH SYNOPSIS
.B fairway
.I command
.RI [ arguments ]
.br
.B fairway help
.RI [ command ]
.SH DESCRIPTION
.B fairway
replays a trace of jobs on a modelled GPU cluster under one or many scheduling
policies, writes what happened into one SQLite file, and from that file compares
policies, guards numbers against regressions and draws charts.
.PP
A scenario, one YAML file, holds the question: the cluster, the trace, the
policies, the seeds.
The same scenario and seed give the same bytes everywhere.
.SH COMMANDS
END
"$fairway" help --list commands | while read -r command; do
    printf '.SS %s\n' "$command"
    "$fairway" help "$command" | verbatim
done
cat <<'END'
.SH EXIT STATUS
.TP
.B 0
All is well.
.TP
.B 1
A difference was found, or jobs were left unfinished.
.TP
.B 2
The command line or the input is wrong.
.TP
.B 3
The world failed: the disk, the database, a missing gnuplot.
.TP
.B 4
A policy broke its contract.
.TP
.B 130
Interrupted; what was finished is kept.
.SH ENVIRONMENT
.TP
.B FAIRWAY_TRACES
A folder in which scenarios look for traces that do not lie beside them.
.SH FILES
.TP
.IR NAME .yaml
A scenario; share/doc/fairway/scenarios/TUTORIAL.md leads to one,
share/doc/fairway/scenarios/REFERENCE.md is the reference of its format.
.TP
.IR NAME .db
Results, an SQLite database; share/doc/fairway/results/README.md explains its tables and gives every metric's
formula.
.SH EXAMPLES
END
verbatim <<'END'
fairway run demo.yaml
fairway compare demo.db --against FIFO
fairway plot demo.db cdf -o cdf.pdf
fairway plot demo.db --sql "SELECT policy, avg(jct) FROM v_job GROUP BY 1" --with bars
END
cat <<'END'
.SH SEE ALSO
.BR fairway\-scenario (5),
.BR fairway\-policy (7),
.BR gnuplot (1),
.BR sqlite3 (1)
END
