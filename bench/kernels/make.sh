#!/usr/bin/env bash
# Makes the PTX of the kernels that are named, or of all, with the nvcc of the tests (`xtask tools nvcc` installs it).
set -euo pipefail
cd "$(dirname "$0")"
tools=${TEXUNIT_NVIDIA:-$PWD/../../target/nvidia}/cu13/nvidia/cu13
[ -x "$tools/bin/nvcc" ] || { echo "make.sh: there is no $tools/bin/nvcc: cargo run -p xtask -- tools nvcc" >&2 && exit 1; }
names=("$@")
[ $# -gt 0 ] || names=(*.cu)
for name in "${names[@]}"; do
    name=${name%.cu}
    "$tools/bin/nvcc" -std=c++17 -ptx -arch=compute_75 -I"$tools/include/cccl" "$name.cu" -o "$name.ptx"
done
