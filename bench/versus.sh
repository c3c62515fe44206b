#!/usr/bin/env bash
# Compares the speed of two builds of texunit, or of texunit and a peer: alternated, pair after pair, so that what
# the machine does meanwhile hits both alike. docs/benchmarks.md says what "not slower" means.
set -euo pipefail

usage() {
    cat <<'END'
usage: bench/versus.sh OLD NEW [OPTIONS]

OLD and NEW are programs (target/release/texunit) or peers of bench/compare.sh, which it has installed
(peer:lavapipe, peer:swiftshader, peer:drjit, peer:pocl). With --kernels they are programs of bench/kernels
(cargo build --release -p texunit-bench --example kernels: target/release/examples/kernels).

  --fetch           the cases of `texunit bench` (this is what is compared without an option)
  --kernels         the kernels of bench/kernels, by the time of their launches
  --jobs DIR        jobs of DIR/*/job.toml, by the time of their launch
  --pairs N         of each case (9); a case below 0.90 gets 27
  --cases LIST      how the names of cases begin: a,e-grad (all)
  --via api|ptx     of --fetch: the way that fetches go (api)
  --threads N       host threads (1)
  --json            a line for each case instead of the table

A ratio above 1 is how many times faster NEW is. Exit codes: 0 measured, 2 wrong usage, or a program that fails.
END
}

[ $# -ge 1 ] && [ "$1" != -h ] && [ "$1" != --help ] || { usage && exit $(($# == 0 ? 2 : 0)); }
[ $# -ge 2 ] || { usage >&2 && exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
exec python3 "$here/versus.py" "$@"
