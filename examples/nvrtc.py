#!/usr/bin/env python3
"""CUDA C++ to PTX through NVIDIA's runtime compiler: nvrtc.py [nvrtc options] in.cu out.ptx

NVRTC names the library (default: libnvrtc.so.12 of the loader), CUDA_INCLUDE the folder of the headers, if any are needed.
"""
import ctypes
import os
import sys


def main() -> int:
    *options, source, target = sys.argv[1:]
    if include := os.environ.get("CUDA_INCLUDE"):
        options.append(f"--include-path={include}")
    lib = ctypes.CDLL(os.environ.get("NVRTC", "libnvrtc.so.12"))
    text = open(source, "rb").read()
    program = ctypes.c_void_p()
    name = os.path.basename(source).encode()
    if lib.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None):
        raise SystemExit("nvrtcCreateProgram failed")
    argv = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    failed = lib.nvrtcCompileProgram(program, len(options), argv)
    size = ctypes.c_size_t()
    lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetProgramLog(program, log)
    if log.value.strip():
        print(log.value.decode(), file=sys.stderr)
    if failed:
        return 1
    lib.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetPTX(program, ptx)
    open(target, "wb").write(ptx.value)
    return 0


sys.exit(main())
