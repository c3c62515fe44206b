"""A kernel of nvrtc that goes wrong at a marked line of places_nvrtc.cu, whose text is in memory: the name that the program
gives is that of a temporary file which is gone, as with CuPy."""

import ctypes
import pathlib

from cuda.bindings import driver, nvrtc
from cuda.bindings import runtime  # noqa: F401  (nobody calls the runtime inside, which cannot run)

SOURCE = pathlib.Path(__file__).with_name("places_nvrtc.cu")


def check(result):
    error, *values = result
    if error.value:
        raise RuntimeError(error)
    return values[0] if values else None


def compiled():
    name = b"/tmp/texunit-gone/places_nvrtc.cu"
    program = check(nvrtc.nvrtcCreateProgram(SOURCE.read_bytes(), name, 0, [], []))
    options = [b"--gpu-architecture=compute_75"]
    check(nvrtc.nvrtcCompileProgram(program, len(options), options))
    ptx = b" " * check(nvrtc.nvrtcGetPTXSize(program))
    check(nvrtc.nvrtcGetPTX(program, ptx))
    return ptx


check(driver.cuInit(0))
context = check(driver.cuDevicePrimaryCtxRetain(0))
check(driver.cuCtxSetCurrent(context))
module = check(driver.cuModuleLoadData(compiled()))
kernel = check(driver.cuModuleGetFunction(module, b"fill"))
out = check(driver.cuMemAlloc(64))  # mark: asked
check(driver.cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, ((int(out),), (ctypes.c_void_p,)), 0))
print(driver.cuCtxSynchronize()[0].name)
