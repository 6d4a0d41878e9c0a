#!/bin/sh
# The Python package: its own tests, its types, its wheel and source archive, its notebook.
. "$(dirname "$0")/lib.sh"
build=$(dirname "$fairway")
case $build in */build) ;; *) echo "skipped - the package: $build is built with sanitizers or as a variant"; exit 0 ;; esac
FAIRWAY=$fairway FAIRWAY_LIBRARY=$build/libfairway.so.0
export FAIRWAY FAIRWAY_LIBRARY

# The first Python that has the modules; Debian's has those that debian/tests/control lists.
python_with() {
    for p in python3 /usr/bin/python3; do
        PYTHONPATH=$build/python "$p" -c "import $1" 2>/dev/null && { command -v "$p"; return; }
    done
}
with() { # MODULES CLAIM COMMAND...: where they are, with $python
    python=$(python_with "$1")
    [ -n "$python" ] || { echo "skipped - $2: no Python has $1"; return; }
    shift
    check "$@"
}
cp -R "$here/python" "$dir/python"
cd "$dir/python" || exit 2
own() { PYTHONPATH=$here/python "$python" -m pytest -q --no-header -p no:cacheprovider "$here/python/tests"; }
in_c() { # the tests of policies again, by the module in C
    PYTHONPATH=$here/python:$build/python "$python" -m pytest -q --no-header -p no:cacheprovider \
        -k 'process or ways or preemption or calls or labels or grants or raises or wrong or at_once' "$here/python/tests"
}
types() { "$python" -m mypy; }
pure() { "$python" -c "import sys, fairway; sys.exit('ctypes' in sys.modules or 'pandas' in sys.modules)"; }
archives() {
    "$python" -m build --no-isolation --outdir "$dir/dist" . >"$dir/built" 2>&1 || { cat "$dir/built"; return 1; }
    "$python" -m zipfile -l "$dir"/dist/fairway-*.whl | grep -q 'fairway/py.typed' &&
        tar -tzf "$dir"/dist/fairway-*.tar.gz >"$dir/sources" && grep -q 'fairway/policy.py' "$dir/sources" &&
        grep -q '_fairway.c' "$dir/sources" || return 1
    [ ! -f "$build/python/module" ] || "$python" -m zipfile -l "$dir"/dist/fairway-*.whl | grep -q '^_fairway.*so '
}
# As a wheel leaves it in a folder of packages: no other path is needed.
from_wheel() {
    "$python" -m zipfile -e "$dir"/dist/fairway-*.whl "$dir/site" &&
        (cd "$dir" && PYTHONPATH=$dir/site "$python" -c "import fairway; print(fairway.run({'name': 'w',
            'cluster': {'groups': [{'name': 'n', 'count': 1, 'cpus': 64, 'mem': '512GiB', 'gpus': 8}]},
            'trace': {'format': 'generate', 'load': 0.5, 'generate': {'jobs': 5}}}, policies=['fifo'], seeds=1, progress=False))")
}
notebook() {
    cd "$dir" && PYTHONPATH=$here/python "$python" - "$here/python/trace_to_figure.ipynb" <<'END'
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
outputs = [o for cell in notebook.cells if cell.cell_type == "code" for o in cell.outputs]
assert any("image/svg+xml" in o.get("data", {}) for o in outputs), "no figure is shown"
assert any("text/html" in o.get("data", {}) for o in outputs), "no table is shown"
END
}
with pytest "the package's own tests" own
if [ -f "$build/python/module" ]; then with pytest,_fairway "the same of policies, by the module in C" in_c
else echo "skipped - the module in C: it is not built"; fi
with sys "a script of a policy imports neither ctypes nor pandas" pure
with mypy "its types hold, strictly" types
with build,setuptools,wheel "a wheel and a source archive are built" archives
[ ! -d "$dir/dist" ] || with sys "what the wheel holds runs a scenario" from_wheel
with nbclient,ipykernel,pandas "the notebook runs from a trace to a figure" notebook
version() { same "$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/python/pyproject.toml")" "$("$fairway" --version | sed 's/.* //')"; }
check "its version is the program's" version
exit $bad
