#!/usr/bin/env bash
# Recompiles places.cu and places.py: how each compiler says where instructions come from.
#   regenerate.sh [NVIDIA_TOOLS_DIR]
# The folder holds nvcc 13.5 (cu13), ptxas 12.9 (cu12), nvrtc 12.9 (nvrtc12) and numba-cuda (numba) as pip's --target lays them
# out; CLANG names a clang with the NVPTX target (19 made the files here), PYTHON a Python that Numba works in, TEXUNIT a texunit.
# None of these is needed to build or test texunit: the PTX is committed.
set -euo pipefail
cd "$(dirname "$0")"
nv=${1:-../../target/nvidia}; nv=$(cd "$nv" && pwd)
python=${PYTHON:-python3}; clang=${CLANG:-clang-19}; here=$PWD
export NVRTC="$nv/nvrtc12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
# Debug information names the source's folder: a neutral one.
work=/tmp/texunit-places; rm -rf $work; mkdir -p $work; cp places.cu places.py ../programs/clang.h $work; cd $work
export PATH="$nv/cu13/nvidia/cu13/bin:$PATH"
nvcc="nvcc -arch=compute_75 -ptx -fmad=false $work/places.cu"
$nvcc -lineinfo -o nvcc-lineinfo.ptx
$nvcc -G -o nvcc-G.ptx
# The name of the program that nvrtc is given is a path here, as most callers give it.
"$python" "$here/../../examples/nvrtc.py" --gpu-architecture=compute_70 -lineinfo --fmad=false places.cu nvrtc-lineinfo.ptx
for form in gline-tables-only g; do
  $clang -x cuda --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-device-only --cuda-noopt-device-debug -S -O2 -$form \
    -Wno-unknown-cuda-version -fdebug-prefix-map=${CLANG_ROOT:-/usr}=/usr -ffp-contract=off -include clang.h $work/places.cu -o clang-$form.ptx
done
# Numba asks a device for its compute capability: texunit's.
CUDA_HOME="$nv/cu13/nvidia/cu13" LD_LIBRARY_PATH="$nv/cu13/nvidia/cu13/lib" "${TEXUNIT:-$here/../../target/release/texunit}" run -- "$python" -B - "$nv/numba" > numba-lineinfo.ptx <<'END'
import site, sys
site.addsitedir(sys.argv[1])
sys.path[:0] = [sys.argv[1], "."]
import _numba_cuda_redirector
from numba import cuda, float32, int32
import places
ptx, _ = cuda.compile_ptx(places.places, (float32[::1], float32, int32), cc=(7, 5), lineinfo=True, fastmath=False)
print(ptx, end="")
END
for ptx in *.ptx; do
  case $ptx in nvcc*|numba*) "$nv/cu13/nvidia/cu13/bin/ptxas" -arch=sm_75 $ptx -o /dev/null ;; *) "$nv/cu12/nvidia/cuda_nvcc/bin/ptxas" -arch=sm_70 $ptx -o /dev/null ;; esac
done
cp ./*.ptx "$here/"
