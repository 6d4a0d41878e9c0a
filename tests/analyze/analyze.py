#!/usr/bin/env python3
"""What three analysers say of sim/ and policies/: gcc -fanalyzer, cppcheck and clang-tidy.

A line of known.txt is a report that was read and is wrong, with the reason.  A report that is not there fails;
so does a line whose report is gone, if its tool ran on its file.  A report is told by its tool, file, check and
line of source (* in known.txt: any of that file): numbers of lines move.  A tool that is not installed is said and left out.

    analyze.py [--tool gcc|cppcheck|tidy] [FILE ...]        all tools, all files
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLAGS = ["-D_POSIX_C_SOURCE=200809L", "-Isim", "-Ipolicies"]
CHECKS = ",".join(["-*", "clang-analyzer-*", "bugprone-*",
                   "-bugprone-easily-swappable-parameters",             # structs of arguments would say less
                   "-bugprone-narrowing-conversions",                   # -Wconversion is on
                   "-bugprone-implicit-widening-of-multiplication-result",
                   "-bugprone-reserved-identifier",                     # _POSIX_C_SOURCE and the like
                   "-bugprone-macro-parentheses",                       # of macros that make declarations
                   "-bugprone-sizeof-expression",                       # sizeof *p where p is an array of pointers
                   "-clang-analyzer-security.insecureAPI.*",            # asks for memcpy_s
                   "-clang-analyzer-valist.Uninitialized",              # after va_copy too
                   # These follow paths on which a function of another file fails and yet says ST_OK:
                   # 40 reports, all of that kind.  gcc and the sanitizers look for the same.
                   "-clang-analyzer-core.NullDereference", "-clang-analyzer-core.NonNullParamChecker",
                   "-clang-analyzer-core.CallAndMessage", "-clang-analyzer-core.DivideZero",
                   "-clang-analyzer-core.UndefinedBinaryOperatorResult", "-clang-analyzer-core.uninitialized.*"])
TOOLS = {
    "gcc": lambda f: ["gcc", *FLAGS, "-std=c11", "-O2", "-fanalyzer", "-c", f, "-o", os.devnull],
    "cppcheck": lambda f: ["cppcheck", "-q", "--std=c11", "--enable=warning,performance,portability", *FLAGS,
                           "--suppress=missingIncludeSystem", "--template={file}:{line}:{column}: warning: {message} [{id}]", f],
    "tidy": lambda f: ["clang-tidy", "--quiet", "--checks=" + CHECKS, f, "--", *FLAGS, "-std=c11"],
}
PROGRAM = {"gcc": "gcc", "cppcheck": "cppcheck", "tidy": "clang-tidy"}
REPORT = re.compile(r"^([\w./-]+\.[ch]):(\d+):\d+: (?:warning|error): (.*) \[([\w.,-]+)\]$")


def reports(tool, file):
    """{(tool, file, check, line of source): message} of one file."""
    said = subprocess.run(TOOLS[tool](file), cwd=ROOT, capture_output=True, text=True, check=False)
    found = {}
    for line in (said.stdout + said.stderr).splitlines():
        m = REPORT.match(line)
        if m is None:
            continue
        where = os.path.relpath(os.path.join(ROOT, m[1]), ROOT)
        source = (ROOT / where).read_text().splitlines()[int(m[2]) - 1].strip()
        found[(tool, where, m[4], source)] = f"{where}:{m[2]}: {m[3]}"
    return found


def known():
    """The same, to the reason."""
    out = {}
    for n, line in enumerate((HERE / "known.txt").read_text().splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        m = re.match(r"(\w+) (\S+) \[([\w.,-]+)\]: (.*) \| (.+)$", line)
        if m is None:
            sys.exit(f"tests/analyze/known.txt:{n}: expected TOOL FILE [CHECK]: LINE | REASON")
        out[(m[1], m[2], m[3], m[4])] = m[5]
    return out


def main():
    ask = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ask.add_argument("--tool", choices=TOOLS, action="append")
    ask.add_argument("files", nargs="*", metavar="FILE")
    args = ask.parse_args()
    files = args.files or sorted(str(p.relative_to(ROOT)) for top in ("sim", "policies")
                                 for p in (ROOT / top).rglob("*.c") if "example" not in p.parts)
    found, skipped = {}, 0
    tools = []
    for tool in args.tool or TOOLS:
        if shutil.which(PROGRAM[tool]) is None:
            print(f"skipped - {tool}: {PROGRAM[tool]} is not installed")
            skipped += 1
        else:
            tools.append(tool)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for one in pool.map(lambda x: reports(*x), [(t, f) for t in tools for f in files]):
            found.update(one)
    expected = {k: v for k, v in known().items() if k[0] in tools}
    any_of = {k[:3] for k in expected if k[3] == "*"}
    new = [k for k in found if k not in expected and k[:3] not in any_of]
    gone = [k for k in expected if k not in found and (not args.files or k[1] in args.files) and
            (k[3] != "*" or not any(f[:3] == k[:3] for f in found))]
    for k in new:
        print(f"not ok - {found[k]}\n    {k[0]} {k[1]} [{k[2]}]: {k[3]} | ")
    for k in gone:
        print(f"not ok - reported no more: {k[0]} {k[1]} [{k[2]}]: {k[3]}")
    bad = len(new) + len(gone)
    print(f"{len(tools)} tools, {len(files)} files, {len(found)} reports, of which {len(found) - len(new)} are explained in known.txt")
    print(f"{len(found) - len(new)} passed, {bad} failed, {skipped} skipped")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
