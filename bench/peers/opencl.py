"""Images of an OpenCL driver on the CPU (PoCL, Intel): cases a, b, c, d and g.

An affinity of one core makes one thread. `--platform` is a part of the platform's name.
"""

import os
import sys

os.environ.setdefault("PYOPENCL_COMPILER_OUTPUT", "0")
os.environ["PYOPENCL_NO_CACHE"] = "1"

import numpy as np
import pyopencl as cl

import common
from common import SCANS, STRIDE

SOURCE = """
#define COS 0.99619470f
#define SIN 0.08715574f

uint hash(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

float2 plane_coh(uint i)
{
    float x = i & 2047u, y = i >> 11;
    return (float2)(x * COS - y * SIN + 0.5f, x * SIN + y * COS + 0.5f) * SCALE;
}

float2 plane_rand(uint i)
{
    uint h = hash(i);
    return (float2)(h & 0xffffu, h >> 16) * (1.0f / 65536);
}

float4 space_coh(uint i)
{
    float x = i & 127u, y = i >> 7 & 127u, z = i >> 14;
    return (float4)(x * COS - y * SIN + 0.5f, x * SIN + y * COS + 0.5f, z * 0.5f + 0.5f, 0) / 128;
}

float4 space_rand(uint i)
{
    uint h = hash(i);
    return (float4)((h & 2047u) / 2048.0f, (h >> 11 & 2047u) / 2048.0f, (h >> 22) / 1024.0f, 0);
}

__constant sampler_t how = CLK_NORMALIZED_COORDS_TRUE | MODE | FILTER;

__kernel void four(__global float4 *out, __read_only IMAGE texels)
{
    uint first = get_global_id(0);
    float4 sum = 0;
    for (uint k = 0; k < 4; k++)
        sum += read_imagef(texels, how, POINT(first + k * STRIDE));
    out[first] = sum;
}
"""


class Platform:
    def __init__(self, part):
        found = [p for p in cl.get_platforms() if part.lower() in p.name.lower()]
        if not found:
            sys.exit(f"there is no OpenCL platform `{part}`")
        self.platform = found[0]
        self.context = cl.Context(self.platform.get_devices()[:1])
        self.queue = cl.CommandQueue(self.context)
        self.out = cl.Buffer(self.context, cl.mem_flags.WRITE_ONLY, STRIDE * 16)

    def image(self, texels, dimensions):
        order = cl.channel_order.RGBA if texels.ndim > dimensions else cl.channel_order.R
        is_byte = texels.dtype == np.uint8
        kind = cl.channel_type.UNORM_INT8 if is_byte else cl.channel_type.FLOAT
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        shape = tuple(reversed(texels.shape[:dimensions]))
        form = cl.ImageFormat(order, kind)
        return cl.create_image(self.context, flags, form, shape=shape, hostbuf=texels)

    def kernel(self, image, words):
        definitions = "".join(f"#define {word} {text}\n" for word, text in words.items())
        program = cl.Program(self.context, definitions + SOURCE).build()
        kernel = cl.Kernel(program, "four")
        kernel.set_args(self.out, image)
        # The kernel does not keep it alive.
        self.kept = image

        def run():
            cl.enqueue_nd_range_kernel(self.queue, kernel, (STRIDE,), (64,))
            self.queue.finish()

        return run

    def results(self, threads=4096):
        read = np.empty((threads, 4), np.float32)
        cl.enqueue_copy(self.queue, read, self.out)
        return read


def main():
    part = os.environ.get("OPENCL_PLATFORM", "portable")
    args = common.options("pocl")
    platform = Platform(part)
    report = common.Report(args, platform.platform.version)
    rgba8 = common.rgba8()

    def case(name, texels, scan, dimensions=2, mode="REPEAT", nearest=False, scale=1024):
        if not report.wants(name):
            return
        words = {
            "SCALE": f"(1.0f / {scale})",
            "STRIDE": f"{STRIDE}u",
            "IMAGE": f"image{dimensions}d_t",
            "MODE": f"CLK_ADDRESS_{mode}",
            "FILTER": "CLK_FILTER_NEAREST" if nearest else "CLK_FILTER_LINEAR",
            "POINT": f"{'plane' if dimensions == 2 else 'space'}_{scan}",
        }
        run = platform.kernel(platform.image(texels, dimensions), words)
        if scale == 1024 and not nearest and mode == "REPEAT":
            run()
            points = common.plane if dimensions == 2 else common.space
            expected = common.sums(texels, lambda i: points(scan, i))
            common.demand(name, platform.results()[:, : expected.shape[1]], expected, 0.03)
        report.measure(name, run)

    for scan in SCANS:
        case(f"a-wrap-{scan}", rgba8, scan)
        case(f"a-clamp-{scan}", rgba8, scan, mode="CLAMP_TO_EDGE", scale=2048)
        case(f"b-{scan}", common.r32f(), scan)
        case(f"c-{scan}", common.rgba32f(), scan)
        case(f"d-{scan}", common.volume(), scan, dimensions=3)
        case(f"g-{scan}", rgba8, scan, nearest=True)


main()
