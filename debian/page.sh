#!/bin/sh
# Print a manual page made of a document: its headings, lists and code as troff has them.
# usage: page.sh NAME SECTION SUMMARY VERSION DOCUMENT.md SEE_ALSO
set -eu
name=$1 section=$2 summary=$3 version=$4 document=$5 also=$6
cat <<END
.\\" Made by debian/page.sh from $document.
.TH $(echo "$name" | tr a-z A-Z | sed 's/-/\\-/g') $section "2026-11-23" "fairway $version" "Fairway"
.SH NAME
$(echo "$name" | sed 's/-/\\-/g') \\- $summary
.SH DESCRIPTION
This is $document, as it is installed in share/doc/fairway.
END
awk '
BEGIN { headed = 1 }
function plain(s) {                 # links by their text, and no marks of emphasis
    while (match(s, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(s, RSTART, RLENGTH)
        sub(/^\[/, "", link); sub(/\]\(.*$/, "", link)
        s = substr(s, 1, RSTART - 1) link substr(s, RSTART + RLENGTH)
    }
    gsub(/\*\*/, "", s); gsub(/`/, "", s)
    return s
}
# `headed`: a heading was the last, after which no paragraph begins anew.
function quote(s) {
    headed = 0
    gsub(/\\/, "\\e", s); gsub(/-/, "\\-", s)
    if (s ~ /^[.\x27]/) s = "\\&" s
    return s
}
/^```/ { if (on) print ".fi\n.RE"; else print ".PP\n.RS 4\n.nf"; on = !on; next }
on { print quote($0); next }
/^\|[-| :]*\|?$/ { next }
/^\|/ { if (!table) print ".PP\n.nf"; table = 1; print quote(plain($0)); next }
table { print ".fi"; table = 0 }
/^# / { headed = 1; next }
/^## / { sub(/^## /, ""); print ".SH " quote(toupper(plain($0))); headed = 1; blank = 0; next }
/^###* / { sub(/^#* /, ""); print ".SS " quote(plain($0)); headed = 1; blank = 0; next }
/^ *- / { indent = match($0, /-/) + 1; sub(/^ *- /, ""); print ".IP \\(bu " indent "\n" quote(plain($0)); next }
/^$/ { blank = !headed; next }
/^!\[/ { next }
{ sub(/^ +/, ""); if (blank) print ".PP"; blank = 0; print quote(plain($0)) }
{ blank = 0 }
END { if (table) print ".fi" }' "$document"
cat <<END
.SH SEE ALSO
$also
END
