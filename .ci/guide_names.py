"""What pieces of Python in the guide take for granted: arrays, a texture, kernels, a file. They are run after `import *`."""

import multiprocessing
import struct
from pathlib import Path

import numpy
import texunit

# Workers have this module's names without a file that they could import.
multiprocessing.set_start_method("fork")

PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry blur(.param .u64 tex, .param .u64 out, .param .u32 width, .param .u32 height)
{
    .reg .b32 %r<5>;
    .reg .f32 %f<7>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [tex];
    ld.param.u64 %d2, [out];
    ld.param.u32 %r1, [width];
    mov.u32 %r2, %tid.x;
    mov.u32 %r3, %ctaid.x;
    cvt.rn.f32.u32 %f1, %r2;
    cvt.rn.f32.u32 %f2, %r3;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
    mad.lo.u32 %r4, %r3, %r1, %r2;
    mul.wide.u32 %d3, %r4, 4;
    add.u64 %d2, %d2, %d3;
    st.global.f32 [%d2], %f3;
    ret;
}
.visible .entry scale(.param .u64 to, .param .u64 source, .param .f32 factor, .param .u64 tex)
{
    .reg .b32 %r<5>;
    .reg .f32 %f<3>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [to];
    ld.param.u64 %d2, [source];
    ld.param.f32 %f1, [factor];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r1;
    mul.wide.u32 %d3, %r4, 4;
    add.u64 %d1, %d1, %d3;
    add.u64 %d2, %d2, %d3;
    ld.global.f32 %f2, [%d2];
    mul.f32 %f2, %f2, %f1;
    st.global.f32 [%d1], %f2;
    ret;
}
"""


def ktx2(path, texels):
    """Bytes of RGBA in a KTX 2.0 file."""
    height, width = texels.shape[:2]
    samples = b"".join(struct.pack("<HBB4x2I", 8 * i, 7, channel, 0, 255) for i, channel in enumerate((0, 1, 2, 15)))
    size = 24 + len(samples)
    block = struct.pack("<2H2H4B4B8B", 0, 0, 2, size, 1, 1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0) + samples
    description = struct.pack("<I", 4 + size) + block
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<9I", 37, 1, width, height, 0, 0, 1, 1, 0)
    header += struct.pack("<4I2Q", 104, len(description), 0, 0, 0, 0)
    levels = struct.pack("<3Q", 104 + len(description), texels.nbytes, texels.nbytes)
    path.write_bytes(header + levels + description + texels.tobytes())


numbers = numpy.random.default_rng(1)
picture = numbers.integers(0, 256, (64, 64, 4), dtype=numpy.uint8)
ktx2(Path("sky.ktx2"), picture)
tex = texunit.Texture(picture, filter="linear", read="normalized", normalized_coords=True, mipmaps=True, mip_filter="linear")
xy = numbers.random((1000, 2), dtype=numpy.float32)
x, y = xy[:, 0].copy(), xy[:, 1].copy()
levels = numbers.random(1000, dtype=numpy.float32)
ij = numbers.integers(0, 64, (100, 2), dtype=numpy.int32)
values = numbers.integers(0, 9, 100, dtype=numpy.uint32)
size = numpy.float32([64, 64])
ptx = PTX
module = texunit.Module(PTX)
width, height, block = 32, 16, 32
out = numpy.zeros((height, width), numpy.float32)
to = numpy.zeros(4096 * 256, numpy.float32)
source = numpy.ones(4096 * 256, numpy.float32)
# A launch has as many CTAs as rows; libraries for pictures call coordinates from -1 to 1 a grid.
grid = xy * 2 - 1 if "(grid + 1)" in Path("block.py").read_text() else 16
