#!/usr/bin/env bash
# run.sh TEXUNIT: compiles the programs of CUB and Thrust by nvcc 13.5 and runs them with all checks, of which none may find
# anything, over sizes that take other ways.
set -euo pipefail
texunit=$(realpath "$1")
[ -z "${TEXUNIT_LIBS:-}" ] || export TEXUNIT_LIBS=$(realpath "$TEXUNIT_LIBS")
cd "$(dirname "$0")"
nv=$(cd "${TEXUNIT_NVIDIA:-../../../target/nvidia}/cu13/nvidia/cu13" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in cub thrust; do
    "$nv/bin/nvcc" -arch=compute_80 -code=compute_80 -std=c++17 -w -lineinfo -I"$nv/include" -I"$nv/include/cccl" \
        $name.cu -o "$work/$name" -cudart none -L"$nv/lib" -l:libcudart.so.13
    for elements in 700 6000 20000; do
        "$texunit" run --check "${TEXUNIT_CHECKS:-all}" --error-exitcode 1 "$work/$name" $elements >"$work/out"
        if grep -q " 0$" "$work/out"; then
            echo "$name $elements: wrong results" >&2
            exit 1
        fi
    done
done
