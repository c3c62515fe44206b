"""A texture kernel, compiled by nvrtc and run through cuda.bindings.driver."""

import numpy as np
from cuda.bindings import driver, nvrtc

SOURCE = b"""
extern "C" __global__ void sample(float *out, cudaTextureObject_t texture, float step, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(texture, i * step + 0.5f, 1.0f);
}
"""


def check(result):
    error, *values = result
    if error.value:
        raise RuntimeError(error)
    return values[0] if len(values) == 1 else values


def compile_to_ptx():
    program = check(nvrtc.nvrtcCreateProgram(SOURCE, b"sample.cu", 0, [], []))
    options = [b"--gpu-architecture=compute_75"]
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


def make_texture(texels):
    height, width = texels.shape
    description = driver.CUDA_ARRAY_DESCRIPTOR()
    description.Width, description.Height = width, height
    description.Format, description.NumChannels = driver.CUarray_format.CU_AD_FORMAT_FLOAT, 1
    array = check(driver.cuArrayCreate(description))
    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType, copy.srcHost = driver.CUmemorytype.CU_MEMORYTYPE_HOST, texels.ctypes.data
    copy.dstMemoryType, copy.dstArray = driver.CUmemorytype.CU_MEMORYTYPE_ARRAY, array
    copy.srcPitch = copy.WidthInBytes = 4 * width
    copy.Height = height
    check(driver.cuMemcpy2D(copy))
    resource = driver.CUDA_RESOURCE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = array
    sampler = driver.CUDA_TEXTURE_DESC()
    sampler.addressMode = [driver.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP] * 3
    sampler.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_LINEAR
    return array, check(driver.cuTexObjectCreate(resource, sampler, None))


def main():
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    context = check(driver.cuDevicePrimaryCtxRetain(device))
    check(driver.cuCtxSetCurrent(context))
    print(check(driver.cuDeviceGetName(64, device)).split(b"\0")[0].decode())
    ptx = np.frombuffer(compile_to_ptx(), np.uint8)  # its address is only good while it is there
    module = check(driver.cuModuleLoadData(ptx.ctypes.data))
    kernel = check(driver.cuModuleGetFunction(module, b"sample"))

    texels = np.array([[0, 1, 2, 4], [10, 20, 40, 80]], np.float32)
    array, texture = make_texture(texels)
    count = 9
    out = check(driver.cuMemAlloc(4 * count))
    stream = check(driver.cuStreamCreate(0))
    values = [np.array(v, t) for v, t in
              [(int(out), np.uint64), (int(texture), np.uint64), (0.5, np.float32), (count, np.int32)]]
    pointers = np.array([v.ctypes.data for v in values], np.uint64)
    check(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, pointers.ctypes.data, 0))
    check(driver.cuStreamSynchronize(stream))
    result = np.empty(count, np.float32)
    check(driver.cuMemcpyDtoH(result.ctypes.data, out, result.nbytes))
    print(result.tolist())

    error, = driver.cuTexObjectDestroy(texture)
    print(error.name)
    error, = driver.cuTexObjectDestroy(texture)
    print(error.name)
    check(driver.cuMemFree(out))
    check(driver.cuArrayDestroy(array))
    check(driver.cuStreamDestroy(stream))
    check(driver.cuModuleUnload(module))
    check(driver.cuDevicePrimaryCtxRelease(device))


main()
