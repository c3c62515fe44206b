#!/usr/bin/env bash
# Compiles the cases anew: nvcc 13.5, as pip's --target lays out NVIDIA's packages (tests/programs/regenerate.sh).
set -euo pipefail
cd "$(dirname "$0")"
nv=$(cd "${TEXUNIT_NVIDIA:-../../../target/nvidia}/cu13/nvidia/cu13" && pwd)
here=$PWD work=/tmp/texunit-findings
mkdir -p $work
for file in *.cu; do
    # The PTX names the folder: a neutral one.
    cp "$file" $work/
    (cd $work && "$nv/bin/nvcc" -arch=compute_75 -ptx -O3 -lineinfo -I"$nv/include" "$file" -o "$here/${file%.cu}.ptx")
done
