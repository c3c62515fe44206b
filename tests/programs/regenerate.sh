#!/usr/bin/env bash
# Recompiles the programs, checks every PTX with ptxas, and computes the expected results.
#   regenerate.sh [NVIDIA_TOOLS_DIR]
# The folder holds nvcc 13.5 (cu13), ptxas 12.9 (cu12) and nvrtc 12.9 (nvrtc12) as pip's --target lays out NVIDIA's
# packages; CLANG names a clang with the NVPTX target (19 made the files here), PYTHON a Python with numpy.
# None of these is needed to build or test texunit: PTX and results are committed.
#
# The forms:
#   nvcc-O3    nvcc -arch=compute_75 -ptx -O3                    nvcc-O0   ... -Xcicc -O0           nvcc-G   ... -G
#   nvcc-lineinfo   ... -O3 -lineinfo
#   nvcc-sm90  nvcc -arch=compute_90 -ptx -O3, and compute_80 for the other forms of the program
#   nvcc-sm75  nvcc -arch=compute_75 -ptx -O3, where the others are for compute_80
#   nvrtc      nvrtc --gpu-architecture=compute_70
#   clang-O0, clang-O2   clang -x cuda --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-device-only -S -include clang.h
# Contraction of f32 products and sums is switched off unless the flags say "contract": the forms must agree on every bit.
set -euo pipefail
cd "$(dirname "$0")"
nv=${1:-../../target/nvidia}; nv=$(cd "$nv" && pwd)
python=${PYTHON:-python3}; clang=${CLANG:-clang-19}
export PATH="$nv/cu13/nvidia/cu13/bin:$PATH"
export NVRTC="$nv/nvrtc12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12" CUDA_INCLUDE="$nv/nvrtc12/nvidia/cuda_runtime/include"
ptxas12="$nv/cu12/nvidia/cuda_nvcc/bin/ptxas"; ptxas13="$nv/cu13/nvidia/cu13/bin/ptxas"
here=$PWD
# Debug information names the source's folder: a neutral one.
work=/tmp/texunit-programs; rm -rf $work; mkdir -p $work

# program | forms besides nvcc-O3 and nvcc-O0 (G: nvcc-G, l: nvcc-lineinfo, r: nvrtc, c: clang-O0 and -O2, s: nvcc-sm90, e: nvcc-sm75) | flags
table='
alloca          |G  |
arithmetic      |r  |
async_copy      |s  | noO0
atomics         |r  |
barrier_matmul  |e  | noO0 80
barrier_stages  |s  | noO0
barriers        |r  |
bitonic         |c  |
bits            |r  |
block_groups    |s  |
compare         |r  |
convert         |r  |
denormals       |rc | contract
denormals_ftz   |rc | contract ftz
divergence      |Grc|
divide          |rc |
dynamic_shared  |rc |
f64             |rc |
fast_math       |r  | contract fast
globals         |Grc|
grid_sync       |s  |
groups          |   |
half            |r  |
half_atomics    |r  | 90
half_math       |r  | 90
heap            |G  |
histogram       |rc |
indirect        |Gc |
int64           |Gc |
libm            |r  |
libm64          |r  |
life            |Gc |
local_array     |Grc|
mandelbrot      |lrc|
match           |r  |
matmul          |Gc |
memory          |r  |
multiply        |r  |
narrow          |rc |
printf          |Grc|
printf_loop     |rc |
recursion       |Glrc|
reduce          |Grc|
scan            |Grc|
sha256          |rc |
shuffle         |rc |
simd_integers   |r  | noO0
specials        |r  |
spinlock        |rc |
struct_param    |Glrc|
surface_functions |r|
surface_types   |r  |
switch          |Grc|
syncwarp        |Grc|
texture_functions |r|
texture_types   |r  |
transpose       |rc | contract
vote            |rc |
'

while IFS='|' read -r name forms flags; do
  name=${name// /}; [ -n "$name" ] || continue
  mkdir -p $work/$name; cp $name/kernel.cu $work/$name/; cp clang.h $work/; cd $work/$name
  nvcc_flags= nvrtc_flags= clang_flags=
  case $flags in *contract*) ;; *) nvcc_flags=-fmad=false nvrtc_flags=--fmad=false clang_flags=-ffp-contract=off ;; esac
  case $flags in *ftz*) nvcc_flags+=" -ftz=true"; nvrtc_flags+=" --ftz=true"; clang_flags+=" -fgpu-flush-denormals-to-zero -ffp-contract=off" ;; esac
  case $flags in *fast*) nvcc_flags+=" -use_fast_math"; nvrtc_flags+=" --use_fast_math" ;; esac
  arch=75 early=70
  case $flags in *90*) arch=90 early=90 ;; *80*) arch=80 early=80 ;; esac
  case $forms in *s*) arch=80; nvcc -arch=compute_90 -ptx -O3 $nvcc_flags kernel.cu -o nvcc-sm90.ptx ;; esac
  case $forms in *e*) nvcc -arch=compute_75 -ptx -O3 $nvcc_flags kernel.cu -o nvcc-sm75.ptx ;; esac
  nvcc -arch=compute_$arch -ptx -O3 $nvcc_flags kernel.cu -o nvcc-O3.ptx
  # Without optimisation nvcc has no dot products of bytes, and too much is left of libcu++.
  case $flags in *noO0*) ;; *) nvcc -arch=compute_$arch -ptx -Xcicc -O0 $nvcc_flags kernel.cu -o nvcc-O0.ptx ;; esac
  case $forms in *G*) nvcc -arch=compute_75 -ptx -G $nvcc_flags kernel.cu -o nvcc-G.ptx ;; esac
  case $forms in *l*) nvcc -arch=compute_75 -ptx -O3 -lineinfo $nvcc_flags kernel.cu -o nvcc-lineinfo.ptx ;; esac
  case $forms in *r*) "$python" "$here/../../examples/nvrtc.py" --gpu-architecture=compute_$early $nvrtc_flags kernel.cu nvrtc.ptx ;; esac
  case $forms in *c*) for level in O0 O2; do
      $clang -x cuda --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-device-only -S -$level $clang_flags -include ../clang.h kernel.cu -o clang-$level.ptx
    done ;; esac
  for ptx in *.ptx; do
    case $ptx in nvcc-sm90*) "$ptxas13" -arch=sm_90 $ptx -o /dev/null ;; nvcc-sm75*) "$ptxas13" -arch=sm_75 $ptx -o /dev/null ;; nvcc*) "$ptxas13" -arch=sm_$arch $ptx -o /dev/null ;; *) "$ptxas12" -arch=sm_$arch $ptx -o /dev/null ;; esac || echo "ptxas refuses $name/$ptx"
  done
  cp ./*.ptx "$here/$name/"
  cd "$here"
done <<< "$table"

for name in branch_table old_warp; do "$ptxas12" -arch=sm_60 $name/kernel.ptx -o /dev/null; done
for name in surface_reduce texture_modes texture_operands; do "$ptxas12" -arch=sm_75 $name/kernel.ptx -o /dev/null; done

"$python" -B generate.py
