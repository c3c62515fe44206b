#!/usr/bin/env bash
# Compiles the cases anew, or those whose names are given (NAME.cu): nvcc 13.5, as pip's --target lays out NVIDIA's
# packages (tests/programs/regenerate.sh).
set -euo pipefail
cd "$(dirname "$0")"
nv=$(cd "${TEXUNIT_NVIDIA:-../../../target/nvidia}/cu13/nvidia/cu13" && pwd)
here=$PWD work=/tmp/texunit-findings
mkdir -p $work
[ $# -gt 0 ] || set -- *.cu
for file; do
    # The PTX names the folder: a neutral one.
    cp "$file" $work/
    arch=$(sed -n 's|^// arch: ||p' "$file")
    (cd $work && "$nv/bin/nvcc" -arch=${arch:-compute_80} -ptx -O3 -lineinfo -I"$nv/include" -I"$nv/include/cccl" "$file" -o "$here/${file%.cu}.ptx")
done
