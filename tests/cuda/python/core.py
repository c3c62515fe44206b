"""A texture kernel, compiled and run through cuda.core; the texture is made with cuda.bindings."""

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename T>
__global__ void wrap(T *out, unsigned long long texture, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(texture, i / 8.0f);
}
"""


def check(result):
    error, *values = result
    if error.value:
        raise RuntimeError(error)
    return values[0] if values else None


def make_texture(texels):
    description = driver.CUDA_ARRAY_DESCRIPTOR()
    description.Width, description.Height = texels.size, 0
    description.Format, description.NumChannels = driver.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8, 1
    array = check(driver.cuArrayCreate(description))
    check(driver.cuMemcpyHtoA(array, 0, texels.ctypes.data, texels.nbytes))
    resource = driver.CUDA_RESOURCE_DESC()
    resource.resType = driver.CUresourcetype.CU_RESOURCE_TYPE_ARRAY
    resource.res.array.hArray = array
    sampler = driver.CUDA_TEXTURE_DESC()
    sampler.addressMode = [driver.CUaddress_mode.CU_TR_ADDRESS_MODE_WRAP] * 3
    sampler.filterMode = driver.CUfilter_mode.CU_TR_FILTER_MODE_POINT
    sampler.flags = driver.CU_TRSF_NORMALIZED_COORDINATES
    return array, check(driver.cuTexObjectCreate(resource, sampler, None))


def main():
    device = Device()
    device.set_current()
    print(device.name, tuple(device.compute_capability))
    stream = device.create_stream()
    options = ProgramOptions(std="c++17", arch="sm_75")
    program = Program(SOURCE, code_type="c++", options=options)
    module = program.compile("ptx", name_expressions=("wrap<float>",))
    kernel = module.get_kernel("wrap<float>")

    array, texture = make_texture(np.array([0, 51, 102, 255], np.uint8))
    count = 12
    buffer = device.allocate(4 * count, stream=stream)
    config = LaunchConfig(grid=3, block=4)
    launch(stream, config, kernel, buffer, np.uint64(int(texture)), np.int32(count))
    stream.sync()
    result = np.empty(count, np.float32)
    check(driver.cuMemcpyDtoH(result.ctypes.data, int(buffer.handle), result.nbytes))
    print([round(float(v), 4) for v in result])

    check(driver.cuTexObjectDestroy(texture))
    check(driver.cuArrayDestroy(array))
    buffer.close(stream)
    stream.close()


main()
