"""Vulkan drivers that run on the CPU (lavapipe, SwiftShader), through the Python package wgpu.

VK_DRIVER_FILES names the driver; LP_NUM_THREADS=1 and an affinity of one core make one thread.
"""

import os

os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")

import numpy as np
import wgpu

import common
from common import FETCHES, SCANS, STRIDE

SHADER = """
const COS: f32 = 0.99619470;
const SIN: f32 = 0.08715574;

@group(0) @binding(0) var<storage, read_write> sums: array<vec4f>;
@group(0) @binding(1) var filtering: sampler;
@group(0) @binding(2) var texels: TEXTURE;

fn hash(number: u32) -> u32 {
    var x = number;
    x ^= x >> 16u;
    x *= 0x7feb352du;
    x ^= x >> 15u;
    x *= 0x846ca68bu;
    return x ^ (x >> 16u);
}

fn plane_coh(i: u32) -> vec2f {
    let x = f32(i & 2047u);
    let y = f32(i >> 11u);
    return vec2f(x * COS - y * SIN + 0.5, x * SIN + y * COS + 0.5) * SCALE;
}

fn plane_rand(i: u32) -> vec2f {
    let h = hash(i);
    return vec2f(f32(h & 0xffffu), f32(h >> 16u)) * (1.0 / 65536.0);
}

fn space_coh(i: u32) -> vec3f {
    let x = f32(i & 127u);
    let y = f32((i >> 7u) & 127u);
    let z = f32(i >> 14u);
    return vec3f(x * COS - y * SIN + 0.5, x * SIN + y * COS + 0.5, z * 0.5 + 0.5) * (1.0 / 128.0);
}

fn space_rand(i: u32) -> vec3f {
    let h = hash(i);
    let x = f32(h & 2047u) * (1.0 / 2048.0);
    let y = f32((h >> 11u) & 2047u) * (1.0 / 2048.0);
    return vec3f(x, y, f32(h >> 22u) * (1.0 / 1024.0));
}

fn fetch(i: u32) -> vec4f {
    FETCH
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    var sum = vec4f(0.0);
    for (var k = 0u; k < 4u; k++) {
        sum += fetch(id.x + k * STRIDEu);
    }
    sums[id.x] = sum;
}
"""

PLANE = "let p = plane_SCAN(i); return textureSampleLevel(texels, filtering, p, 0.0);"
VOLUME = "return textureSampleLevel(texels, filtering, space_SCAN(i), 0.0);"
LEVEL = {
    "coh": "let p = plane_coh(i);"
    " return textureSampleLevel(texels, filtering, p, 2.0 * fract(p.y));",
    "rand": "let p = plane_rand(i);"
    " return textureSampleLevel(texels, filtering, p, 5.0 * p.x);",
}
GRADIENT = """let p = plane_SCAN(i);
    let q = (1.0 + 3.0 * fract(p.y)) * (1.0 / 1024.0);
    return textureSampleGrad(texels, filtering, p, vec2f(q, 0.0), vec2f(0.0, q));"""
CUBE = {
    "coh": "let p = plane_coh(i);"
    " return textureSampleLevel(texels, filtering, vec3f(p * 2.0 - 1.0, 0.7), 0.0);",
    "rand": "return textureSampleLevel(texels, filtering, space_rand(i) - 0.5, 0.0);",
}
TEXEL_BYTES = {"rgba8unorm": 4, "r32float": 4, "rgba32float": 16}


class Gpu:
    """The driver, with a buffer for the results."""

    def __init__(self):
        adapters = wgpu.gpu.enumerate_adapters_sync()
        self.adapter = next(a for a in adapters if a.info["backend_type"] == "Vulkan")
        self.has_float_filter = "float32-filterable" in self.adapter.features
        features = ["float32-filterable"] if self.has_float_filter else []
        self.device = self.adapter.request_device_sync(required_features=features)
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC
        self.out = self.device.create_buffer(size=STRIDE * 16, usage=usage)

    def version(self):
        info = self.adapter.info
        return f"{info['device']} {info['description']}".strip()

    def texture(self, kind, levels, view="2d"):
        """A texture of these levels, each an array of slices or faces, rows, columns."""
        slices, height, width = levels[0].shape[:3]
        usage = wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_DST
        texture = self.device.create_texture(
            size=(width, height, slices),
            dimension="3d" if view == "3d" else "2d",
            format=kind,
            mip_level_count=len(levels),
            usage=usage,
        )
        for level, texels in enumerate(levels):
            slices, height, width = texels.shape[:3]
            self.device.queue.write_texture(
                {"texture": texture, "mip_level": level, "origin": (0, 0, 0)},
                np.ascontiguousarray(texels).tobytes(),
                {"bytes_per_row": width * TEXEL_BYTES[kind], "rows_per_image": height},
                (width, height, slices),
            )
        return texture.create_view(dimension=view)

    def sampler(self, filtering="linear", mode="repeat", mip="nearest"):
        return self.device.create_sampler(
            mag_filter=filtering,
            min_filter=filtering,
            mipmap_filter=mip,
            address_mode_u=mode,
            address_mode_v=mode,
            address_mode_w=mode,
        )

    def kernel(self, view, dimension, sampler, fetch, scale):
        """A function that runs the shader once and waits for it."""
        names = {"2d": "texture_2d<f32>", "3d": "texture_3d<f32>", "cube": "texture_cube<f32>"}
        words = {
            "TEXTURE": names[dimension],
            "SCALE": f"(1.0 / {scale}.0)",
            "STRIDE": str(STRIDE),
            "FETCH": fetch,
        }
        source = SHADER
        for word, text in words.items():
            source = source.replace(word, text)
        device = self.device
        stage = wgpu.ShaderStage.COMPUTE
        sampled = {"sample_type": "float", "view_dimension": dimension}
        group_layout = device.create_bind_group_layout(
            entries=[
                {"binding": 0, "visibility": stage, "buffer": {"type": "storage"}},
                {"binding": 1, "visibility": stage, "sampler": {"type": "filtering"}},
                {"binding": 2, "visibility": stage, "texture": sampled},
            ]
        )
        pipeline = device.create_compute_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=[group_layout]),
            compute={"module": device.create_shader_module(code=source), "entry_point": "main"},
        )
        buffer = {"buffer": self.out, "offset": 0, "size": STRIDE * 16}
        group = device.create_bind_group(
            layout=group_layout,
            entries=[
                {"binding": 0, "resource": buffer},
                {"binding": 1, "resource": sampler},
                {"binding": 2, "resource": view},
            ],
        )

        def run():
            encoder = device.create_command_encoder()
            work = encoder.begin_compute_pass()
            work.set_pipeline(pipeline)
            work.set_bind_group(0, group)
            work.dispatch_workgroups(STRIDE // 64)
            work.end()
            device.queue.submit([encoder.finish()])
            device.queue.read_buffer(self.out, 0, 16)

        return run

    def results(self, threads=4096):
        bytes_read = self.device.queue.read_buffer(self.out, 0, threads * 16)
        return np.frombuffer(bytes_read, np.float32).reshape(-1, 4)


def main():
    gpu = Gpu()
    report = common.Report(common.options("lavapipe"), gpu.version())
    rgba8, r32f, rgba32f = common.rgba8(), common.r32f(), common.rgba32f()
    volume, chain = common.volume(), common.mip_chain()
    wrap, clamp = gpu.sampler(), gpu.sampler(mode="clamp-to-edge")
    trilinear, nearest = gpu.sampler(mip="linear"), gpu.sampler("nearest")
    plane8 = gpu.texture("rgba8unorm", [rgba8[None]])
    mipmapped = gpu.texture("rgba8unorm", [level[None] for level in chain])
    cube = gpu.texture("rgba8unorm", [common.cube()], "cube")

    def case(name, view, dimension, sampler, fetch, scan, scale=1024, expected=None):
        if not report.wants(name):
            return
        run = gpu.kernel(view, dimension, sampler, fetch.replace("SCAN", scan), scale)
        if expected is not None:
            run()
            demanded = expected()
            common.demand(name, gpu.results()[:, : demanded.shape[1]], demanded, 0.03)
        report.measure(name, run)

    for scan in SCANS:
        def plane_sums(texels, scan=scan):
            return lambda: common.sums(texels, lambda i: common.plane(scan, i))

        case(f"a-wrap-{scan}", plane8, "2d", wrap, PLANE, scan, expected=plane_sums(rgba8))
        case(f"a-clamp-{scan}", plane8, "2d", clamp, PLANE, scan, scale=2048)
        if gpu.has_float_filter:
            floats = gpu.texture("r32float", [r32f[None]])
            case(f"b-{scan}", floats, "2d", wrap, PLANE, scan, expected=plane_sums(r32f))
            floats = gpu.texture("rgba32float", [rgba32f[None]])
            case(f"c-{scan}", floats, "2d", wrap, PLANE, scan, expected=plane_sums(rgba32f))
            floats = gpu.texture("r32float", [volume], "3d")
            case(f"d-{scan}", floats, "3d", wrap, VOLUME, scan, expected=lambda scan=scan:
                 common.sums(volume, lambda i: common.space(scan, i)))
        case(f"e-level-{scan}", mipmapped, "2d", trilinear, LEVEL[scan], scan)
        case(f"e-grad-{scan}", mipmapped, "2d", trilinear, GRADIENT, scan)
        case(f"f-{scan}", cube, "cube", clamp, CUBE[scan], scan)
        case(f"g-{scan}", plane8, "2d", nearest, PLANE, scan)


main()
