"""Samples by CuPy's texture objects, at the points of a file: a program for a GPU.

    texunit run python cupy_child.py GIVEN.npz MADE.npz
"""

import sys

import cupy
import numpy as np
from cupy.cuda import runtime, texture

SOURCE = r"""
extern "C" __global__ void sample(cudaTextureObject_t tex, const float2 *at, float *to, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = tex2D<float>(tex, at[i].x, at[i].y);
}
"""


def sampled(texels, points, address, filtering):
    kind, bits, read = (runtime.cudaChannelFormatKindFloat, 32, runtime.cudaReadModeElementType)
    if texels.dtype == np.uint8:
        kind, bits, read = (runtime.cudaChannelFormatKindUnsigned, 8, runtime.cudaReadModeNormalizedFloat)
    height, width = texels.shape
    array = texture.CUDAarray(texture.ChannelFormatDescriptor(bits, 0, 0, 0, kind), width, height)
    array.copy_from(texels)
    state = texture.TextureDescriptor((getattr(runtime, address),) * 2, getattr(runtime, filtering), read, normalizedCoords=1)
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    to = cupy.zeros(len(points), np.float32)
    kernel = cupy.RawKernel(SOURCE, "sample")
    arguments = (texture.TextureObject(resource, state), cupy.asarray(points), to, np.int32(len(points)))
    kernel(((len(points) + 127) // 128,), (128,), arguments)
    return to.get()


def main():
    given, made = sys.argv[1:]
    with np.load(given) as file:
        results = {}
        for number, mode in enumerate(file["modes"]):
            address, filtering, kind = str(mode).split()
            results[str(number)] = sampled(file[kind], file["points"], address, filtering)
    np.savez(made, **results)


main()
