#!/usr/bin/env bash
# Remakes the PTX and the pictures of the examples, and the golden results from the oracle.
#   regenerate.sh [NVIDIA_TOOLS_DIR]
# The folder holds nvcc 13.5 (cu13), ptxas 12.9 (cu12) and nvrtc 12.9 (nvrtc12) as pip's --target lays out NVIDIA's
# packages; PYTHON names a Python with numpy and pillow. None of these is needed to build, test or run texunit.
set -euo pipefail
cd "$(dirname "$0")"
nv=${1:-../target/nvidia}; nv=$(cd "$nv" && pwd)
python=${PYTHON:-python3}
export PATH="$nv/cu13/nvidia/cu13/bin:$PATH"
export NVRTC="$nv/nvrtc12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"
ptxas12="$nv/cu12/nvidia/cuda_nvcc/bin/ptxas"; ptxas13="$nv/cu13/nvidia/cu13/bin/ptxas"

for name in rotate sobel surface-blur; do
  (cd $name && nvcc -arch=compute_75 -ptx -O3 $name.cu -o $name.ptx && "$ptxas13" -arch=sm_75 $name.ptx -o /dev/null)
done
for name in bicubic volume; do
  (cd $name && "$python" ../nvrtc.py --gpu-architecture=compute_75 --fmad=false $name.cu $name.ptx \
    && "$ptxas12" -arch=sm_75 $name.ptx -o /dev/null)
done
for name in lut ground sky layers shadow emboss half resolve sparse histogram formatted; do
  (cd $name && nvcc -arch=compute_75 -ptx -O3 -fmad=false -diag-suppress 550 $name.cu -o $name.ptx \
    && "$ptxas13" -arch=sm_75 $name.ptx -o /dev/null)
done
for name in texref independent queries; do "$ptxas12" -arch=sm_75 $name/$name.ptx -o /dev/null; done

"$python" pictures.py
"$python" oracle.py
