#!/usr/bin/env python3
"""A program of CUDA's driver without a compiler: it launches `blur` three times, and looks at no error code, as programs do.
Pages of the guide start it as `./program` and `script.py`; where they want a fault, the third launch has one."""

import ctypes

PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry blur(.param .u64 to, .param .u32 width)
{
    .reg .b32 %r<6>;
    .reg .b64 %d<3>;
    ld.param.u64 %d1, [to];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %ctaid.y;
    mad.lo.u32 %r2, %r3, 16, %r2;
    mad.lo.u32 %r2, %r4, %r1, %r2;
    mul.wide.u32 %d2, %r2, 4;
    add.u64 %d1, %d1, %d2;
    st.global.u32 [%d1], %r2;
    ret;
}
"""

cuda = ctypes.CDLL("libcuda.so.1")
device, module, kernel = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
context, memory = ctypes.c_void_p(), ctypes.c_uint64()
cuda.cuInit(0)
cuda.cuDeviceGet(ctypes.byref(device), 0)
cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device)
assert cuda.cuModuleLoadData(ctypes.byref(module), PTX) == 0
assert cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"blur") == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(memory), ctypes.c_size_t(4 * 128 * 32)) == 0
FAULTS = False
width = ctypes.c_uint32(128)
arguments = (ctypes.c_void_p * 2)(ctypes.addressof(memory), ctypes.addressof(width))
for launch in range(3):
    width.value = 129 if FAULTS and launch == 2 else 128
    cuda.cuLaunchKernel(kernel, 8, 32, 1, 16, 1, 1, 0, None, arguments, None)
    cuda.cuCtxSynchronize()
cuda.cuMemFree_v2(memory)
cuda.cuCtxDestroy_v2(context)
