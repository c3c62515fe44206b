"""Kernels that are compiled to machine code: by nvrtc through cuda.bindings and ctypes, and by cuda.core. `texunit run`
has nvrtc compile them to PTX, which the driver takes in its place."""

import ctypes

import numpy as np
from cuda.bindings import driver, nvrtc
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

SOURCE = """
template <typename T> __device__ T twice(T x) { return x + x; }
extern "C" __global__ void count(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = twice(i) + __CUDA_ARCH__;
}
template <typename T> __global__ void named(T *out) { out[threadIdx.x] = twice<T>(threadIdx.x); }
"""


def check(result):
    error, *values = result
    if error.value:
        raise RuntimeError(error)
    return values[0] if len(values) == 1 else values


def run(code, name, count):
    """The first numbers that a kernel writes."""
    module = check(driver.cuModuleLoadData(code))
    kernel = check(driver.cuModuleGetFunction(module, name))
    out = np.zeros(count, np.int32)
    memory = check(driver.cuMemAlloc(out.nbytes))
    values = ((int(memory), count), (ctypes.c_void_p, ctypes.c_int))
    check(driver.cuLaunchKernel(kernel, 1, 1, 1, count, 1, 1, 0, 0, values, 0))
    check(driver.cuMemcpyDtoH(out.ctypes.data, memory, out.nbytes))
    check(driver.cuMemFree(memory))
    check(driver.cuModuleUnload(module))
    return out.tolist()


def compiled(options):
    """The machine code of a program, and the name that a template has in it."""
    program = check(nvrtc.nvrtcCreateProgram(SOURCE.encode(), b"count.cu", 0, [], []))
    check(nvrtc.nvrtcAddNameExpression(program, b"named<int>"))
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    code = b" " * check(nvrtc.nvrtcGetCUBINSize(program))
    if code:
        check(nvrtc.nvrtcGetCUBIN(program, code))
    name = check(nvrtc.nvrtcGetLoweredName(program, b"named<int>"))
    name = bytes(name)
    check(nvrtc.nvrtcDestroyProgram(program))
    return code, name


check(driver.cuInit(0))
device = Device()
device.set_current()
for options in [
    [b"--gpu-architecture=sm_86"],
    [b"-arch", b"sm_80", b"-lineinfo"],
    [b"--gpu-architecture", b"sm_75", b"-G"],
]:
    code, name = compiled(options)
    print(*options, run(code, b"count", 4), run(code, name, 3))
print("virtual", len(compiled([b"--gpu-architecture=compute_86"])[0]))
print("86 is supported:", 86 in check(nvrtc.nvrtcGetSupportedArchs()))

# A linker takes it as machine code, too.
code, _ = compiled([b"-arch=sm_86", b"-dc"])
state = check(driver.cuLinkCreate(0, [], []))
check(driver.cuLinkAddData(state, driver.CUjitInputType.CU_JIT_INPUT_CUBIN, code, len(code), b"code", 0, [], []))
linked, size = check(driver.cuLinkComplete(state))
print("linked", run(ctypes.string_at(int(linked), size), b"count", 4))
check(driver.cuLinkDestroy(state))

stream = device.create_stream()
module = Program(SOURCE, "c++", ProgramOptions(arch="sm_86")).compile("cubin", name_expressions=("named<int>",))
out = np.zeros(4, np.int32)
memory = device.allocate(out.nbytes, stream=stream)
launch(stream, LaunchConfig(grid=1, block=4), module.get_kernel("named<int>"), memory)
stream.sync()
check(driver.cuMemcpyDtoH(out.ctypes.data, int(memory.handle), out.nbytes))
print("cuda.core", module.code_type, out.tolist())
