#!/bin/sh
# decision.sh python|protocol|write -- what the tables of decision.h say, for those who are not written in C.
#   python    python/fairway/verbs.py
#   protocol  the generated parts of PROTOCOL.md, between its lines "<!-- decision.sh: NAME -->" and "<!-- end -->"
#   write     both, into their files
# tests/docs/test_decision.sh holds the files against it.
set -eu
cd "$(dirname "$0")"

python() {
    awk -F'"' '
    BEGIN {
        print "\"\"\"verbs.py -- the decisions as the protocol has them, one function each.\n"
        print "Written by policies/decision.sh from the table of policies/decision.h: change that.\n\"\"\"\n\nfrom typing import Any, Dict\n\n"
        print "def _with(said: Dict[str, Any], **more: Any) -> Dict[str, Any]:"
        print "    \"\"\"What is left out is the default; of an amount, nothing is not the default.\"\"\""
        print "    for key, value in more.items():\n        if value or isinstance(value, dict):"
        print "            said[key] = value\n    return said"
    }
    # In lines of at most 118 characters.
    function wrapped(begin, args, end,  n, part, i, line, text) {
        n = split(args, part, ", ")
        line = begin
        for (i = 1; i <= n; i++) {
            if (i > 1) line = line (length(line part[i] end) > 112 ? "," : ", ")
            if (i > 1 && line ~ /,$/) { text = text line "\n"; line = sprintf("%*s", length(begin), "") }
            line = line part[i]
        }
        return "\n\n" text line end
    }
    function flush_verb(  i, args, doc, more) {
        if (verb == "") return
        for (i = 1; i <= n; i++) args = args (i > 1 ? ", " : "") key[i] ": Any" (must[i] ? "" : " = None")
        print wrapped("def " verb "(", args, ") -> Dict[str, Any]:")
        for (i = 1; i <= n; i++) if (words[i] != "") doc = doc "\n    " key[i] ": " words[i]
        print "    \"\"\"" toupper(substr(does, 1, 1)) substr(does, 2) "." (doc != "" ? "\n" doc "\n    " : "") "\"\"\""
        printf "    said: Dict[str, Any] = {\"do\": \"%s\"", verb
        for (i = 1; i <= n; i++) if (must[i]) printf ", \"%s\": %s", key[i], key[i]
        print "}"
        for (i = 1; i <= n; i++) if (!must[i]) more = more ", " key[i] "=" key[i]
        print "    return " (more == "" ? "said" : "_with(said" more ")")
        n = 0
    }
    /^ *VERB\(/ { flush_verb(); verb = $2; does = $8 }
    /^ *FIELD\(/ {
        split($3, part, ", ")
        key[++n] = $2; must[n] = part[4] ~ /MUST/; words[n] = $4
    }
    END { flush_verb() }' decision.h
}

# Items of a list, in lines of at most 118 characters.
wrapped() {
    awk '{
        n = split($0, word, " "); line = word[1]
        for (i = 2; i <= n; i++) {
            if (length(line) + 1 + length(word[i]) <= 118) line = line " " word[i]
            else { print line; line = "  " word[i] }
        }
        print line
    }'
}

verbs() {
    awk -F'"' '
    function flush_verb() { if (text != "") print text }
    /^ *VERB\(/ {
        flush_verb()
        text = "- **`" $2 "`**" ($6 == "core" ? "" : " (" $6 ")") ": " $8 "."
        first = 1
    }
    /^ *FIELD\(/ {
        split($3, part, ", ")
        text = text (first ? " " : ", ") (part[4] ~ /MUST/ ? "" : "optional ") "`" $2 "`" ($4 != "" ? " (" $4 ")" : "")
        first = 0
    }
    END { flush_verb() }' decision.h | wrapped
}

refusals() {
    sed -n '/POL_REFUSAL_LIST(X)/,/^$/p' decision.h | tr '\n' ' ' | grep -o 'X([^"]*"[^"]*", *\\* *"[^"]*")' |
        sed 's/^[^"]*"\([^"]*\)"[^"]*"\([^"]*\)")$/- **`\1`**: \2/' | wrapped
}

protocol() {
    { verbs; echo "<!-- next -->"; refusals; } | awk '
    FILENAME == "-" { if ($0 == "<!-- next -->") second = 1; else if (second) b = b $0 "\n"; else a = a $0 "\n"; next }
    /^<!-- decision.sh: / { print; printf "%s", $3 == "verbs" ? a : b; skip = 1; next }
    /^<!-- end -->/ { skip = 0 }
    !skip' - PROTOCOL.md
}

case ${1-} in
python) python ;;
protocol) protocol ;;
write)
    python >../python/fairway/verbs.py
    protocol >PROTOCOL.md.new && mv PROTOCOL.md.new PROTOCOL.md
    ;;
*) echo "usage: decision.sh python|protocol|write" >&2; exit 2 ;;
esac
