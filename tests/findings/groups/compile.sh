#!/usr/bin/env bash
# Compiles the cases anew, each optimised (NAME.ptx) and for a debugger (NAME.debug.ptx), without the debugger's own data: nvcc 13.5, as
# pip's --target lays out NVIDIA's packages (tests/programs/regenerate.sh).
set -euo pipefail
cd "$(dirname "$0")"
nv=$(cd "${TEXUNIT_NVIDIA:-../../../target/nvidia}/cu13/nvidia/cu13" && pwd)
here=$PWD work=/tmp/texunit-findings
mkdir -p $work
for file in *.cu; do
    # The PTX names the folder: a neutral one.
    cp "$file" $work/
    nvcc() { (cd $work && "$nv/bin/nvcc" -arch=compute_80 -ptx -I"$nv/include" "$@" "$file"); }
    nvcc -O3 -lineinfo -o "$here/${file%.cu}.ptx"
    nvcc -G -o $work/debug.ptx
    # Sections of DWARF say nothing that `.loc` does not.
    sed "/^\.target/s/, debug//" $work/debug.ptx | awk '/^\t\.section\t\.debug/ { skip = 1 } !skip { print } skip && /^\t}/ { skip = 0 }' > "${file%.cu}.debug.ptx"
done
