"""Dr.Jit's textures on its LLVM backend: cases b, c and d (it has no textures of bytes).

DRJIT_LIBLLVM_PATH names a libLLVM.
"""

import drjit
import numpy as np
from drjit.llvm import Array2f, Array3f, Float, TensorXf, Texture2f, Texture3f, UInt32

import common
from common import COS, SCANS, SIN, STRIDE


def hashed(x):
    x = x ^ (x >> 16)
    x = x * 0x7FEB352D
    x = x ^ (x >> 15)
    x = x * 0x846CA68B
    return x ^ (x >> 16)


def turned(x, y, scale):
    c, s = float(COS), float(SIN)
    return (x * c - y * s + 0.5) * scale, (x * s + y * c + 0.5) * scale


def plane(scan, i):
    if scan == "coh":
        return Array2f(*turned(Float(i & 2047), Float(i >> 11), 1 / 1024))
    h = hashed(i)
    return Array2f(Float(h & 0xFFFF) / 65536, Float(h >> 16) / 65536)


def space(scan, i):
    if scan == "coh":
        x, y = turned(Float(i & 127), Float((i >> 7) & 127), 1 / 128)
        return Array3f(x, y, (Float(i >> 14) * 0.5 + 0.5) / 128)
    h = hashed(i)
    return Array3f(Float(h & 2047) / 2048, Float((h >> 11) & 2047) / 2048, Float(h >> 22) / 1024)


def kernel(texture, point):
    """Runs four fetches a lane, and what the last run has summed up."""
    last = []

    def run():
        first = drjit.arange(UInt32, STRIDE)
        fetches = [texture.eval(point(first + k * STRIDE)) for k in range(4)]
        sums = [sum(channels) for channels in zip(*fetches)]
        drjit.eval(sums)
        drjit.sync_thread()
        last[:] = sums

    return run, last


def main():
    args = common.options("drjit")
    drjit.set_thread_count(args.threads)
    report = common.Report(args, drjit.__version__)
    repeat = drjit.WrapMode.Repeat

    def case(name, scan, kind, texels, numpy_point, point):
        if not report.wants(name):
            return
        tensor = texels if texels.ndim == (4 if kind is Texture3f else 3) else texels[..., None]
        texture = kind(TensorXf(np.ascontiguousarray(tensor)), wrap_mode=repeat)
        run, last = kernel(texture, lambda i: point(scan, i))
        run()
        got = np.stack([np.array(channel)[:4096] for channel in last], 1)
        common.demand(name, got, common.sums(texels, lambda i: numpy_point(scan, i)), 0.01)
        report.measure(name, run)

    for scan in SCANS:
        case(f"b-{scan}", scan, Texture2f, common.r32f(), common.plane, plane)
        case(f"c-{scan}", scan, Texture2f, common.rgba32f(), common.plane, plane)
        case(f"d-{scan}", scan, Texture3f, common.volume(), common.space, space)


main()
