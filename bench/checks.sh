#!/usr/bin/env bash
# What checks cost over bench/kernels: each kernel without checks and with each list of them in turn, round after round,
# and a table of the medians of the ratios, with their geometric means. Then the same over bench/patterns, whole programs that
# launch as real ones do. docs/checks.md has the numbers.
set -euo pipefail

usage() {
    cat <<'HELP'
usage: bench/checks.sh [OPTIONS]

  --checks LIST,...  lists of checks, with `+` between those of one (init,race,all; of patterns also texture); `profile`: --profile
  --only NAME,...    kernels and patterns, or how their names begin (all)
  --rounds N         of each kernel; everybody once in each (5)
  --warm N           launches before those that count: code is made in them (3)
  --threads N        host threads of everybody (1)
  --small            the size of the tests
  --json FILE        a line of JSON for each kernel, with all times
  --program PROGRAM  instead of target/release/examples/kernels, which is built
  --texunit PROGRAM  instead of target/release/texunit, with the libraries beside it; bench/patterns needs it, and nvcc

Exit codes: 0 measured, and all means of kernels are below their limits (init 8, race 10, all 16, profile 3; no time of a pattern fails);
1 one is not, a result is wrong, bits differ, or a launch fails; 2 wrong usage, or texunit cannot be built.
HELP
}

root=$(cd "$(dirname "$0")/.." && pwd)
program="" rest=()
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --small) rest+=("$1") && shift && continue ;;
    esac
    [ $# -ge 2 ] || { usage >&2 && exit 2; }
    case $1 in
        --program) program=$2 ;;
        --texunit) rest+=(--texunit "$(realpath "$2")") ;;
        --checks | --only | --rounds | --warm | --threads | --json) rest+=("$1" "$2") ;;
        *) usage >&2 && exit 2 ;;
    esac
    shift 2
done
if [ -z "$program" ]; then
    cargo build --release --manifest-path "$root/Cargo.toml" -p texunit-bench --example kernels || exit 2
    program=${CARGO_TARGET_DIR:-$root/target}/release/examples/kernels
fi
exec python3 "$root/bench/peers/checks.py" --program "$program" "${rest[@]}"
