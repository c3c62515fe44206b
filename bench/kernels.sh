#!/usr/bin/env bash
# Runs the kernels of bench/kernels by texunit at each SIMD level, by PoCL and as plain C, round after round, and prints
# one table. docs/benchmarks.md describes the kernels and the columns. Never fails by time.
set -euo pipefail

usage() {
    cat <<'END'
usage: bench/kernels.sh [OPTIONS]

  --threads N        host threads of everybody (1)
  --rounds N         of each kernel; everybody once in each (9)
  --only NAME,...    kernels, or how their names begin (all)
  --levels LIST      of avx512, avx2, portable (TEXUNIT_SIMD) and off (TEXUNIT_JIT=off); all that the machine has
  --scaling          one thread and two, and how many times as fast two are
  --json FILE        a line of JSON for each kernel, with all times
  --markdown FILE    the table as Markdown, too
  --program PROGRAM  instead of target/release/examples/kernels, which is built
  --peers DIR        where peers are installed (target/peers)
  --no-install       use what is there

Linux on x86-64. Debian packages are installed if the user is root; otherwise what is missing is named, and left out.
Exit codes: 0 measured, whatever the times; 1 a result is wrong, bits differ between levels, or somebody failed; 2 wrong
usage, or texunit cannot be built.
END
}

root=$(cd "$(dirname "$0")/.." && pwd)
here=$root/bench/peers
peers=$root/target/peers
program="" install=1 rest=()
while [ $# -gt 0 ]; do
    case $1 in
        --no-install) install="" && shift && continue ;;
        --scaling) rest+=("$1") && shift && continue ;;
        -h | --help) usage && exit 0 ;;
    esac
    [ $# -ge 2 ] || { usage >&2 && exit 2; }
    case $1 in
        --peers) peers=$2 ;;
        --program) program=$2 ;;
        --threads | --rounds | --only | --levels | --json | --markdown) rest+=("$1" "$2") ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift 2
done

mkdir -p "$peers/kernels"
peers=$(cd "$peers" && pwd)
log=$peers/kernels.log
: >"$log"
# shellcheck source=bench/peers/install.sh
source "$here/install.sh"
skip() { rest+=(--left-out "$1"); }

if [ -z "$program" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p texunit-bench --example kernels || exit 2
    program=${CARGO_TARGET_DIR:-$root/target}/release/examples/kernels
    rest+=(--built)
fi
python=python3
if debian pocl-opencl-icd && python_package numpy && python_package pyopencl; then
    rest+=(--opencl)
    # The cache of PoCL's compiled kernels is ours, and stays for the next time.
    export POCL_CACHE_DIR=$peers/pocl-cache
    mkdir -p "$POCL_CACHE_DIR"
else
    skip "PoCL: the Debian package pocl-opencl-icd or the Python package pyopencl is missing ($log)"
fi
if command -v gcc >/dev/null && python_package numpy; then
    for source in "$root"/bench/kernels/*.c; do
        name=$(basename "$source" .c)
        gcc -O3 -march=native -fopenmp -fPIC -shared "$source" -o "$peers/kernels/$name.so" -lm 2>>"$log" \
            || skip "$name in C: gcc could not build it ($log)"
    done
    rest+=(--libraries "$peers/kernels")
else
    skip "C: gcc or the Python package numpy is missing ($log)"
fi
[ ! -x "$peers/py/bin/python" ] || python=$peers/py/bin/python
exec "$python" "$here/kernels.py" --program "$program" "${rest[@]}"
