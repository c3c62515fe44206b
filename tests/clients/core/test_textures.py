"""cuda.core's interface to textures, surfaces and arrays: each option, against exact arithmetic."""

import functools

import numpy as np
import pytest
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch
from cuda.core.texture import (
    MipmappedArrayOptions,
    OpaqueArrayOptions,
    ResourceDescriptor,
    TextureObjectOptions,
)

import model

SOURCE = r"""
template <typename T> struct values { T v[4]; };
template <typename T> __device__ float lane(const T &v, int c) { return float(v); }
#define VECTOR(T, N) \
    __device__ float lane(const T##N &v, int c) { return float((&v.x)[c]); }
VECTOR(char, 2) VECTOR(char, 4) VECTOR(uchar, 2) VECTOR(uchar, 4) VECTOR(short, 2) VECTOR(short, 4)
VECTOR(ushort, 2) VECTOR(ushort, 4) VECTOR(int, 2) VECTOR(int, 4) VECTOR(uint, 2) VECTOR(uint, 4)
VECTOR(float, 2) VECTOR(float, 4)

template <typename T, int D, int N>
__global__ void fetch(float *out, unsigned long long texture, const float *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T v;
    if (D == 1) v = tex1D<T>(texture, at[i]);
    if (D == 2) v = tex2D<T>(texture, at[i], at[n + i]);
    if (D == 3) v = tex3D<T>(texture, at[i], at[n + i], at[2 * n + i]);
    for (int c = 0; c < N; c++) out[i * N + c] = lane(v, c);
}

template <typename T, int N>
__global__ void fetch_linear(float *out, unsigned long long texture, const float *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T v = tex1Dfetch<T>(texture, int(at[i]));
    for (int c = 0; c < N; c++) out[i * N + c] = lane(v, c);
}

__global__ void fetch_level(float *out, unsigned long long texture, const float *at, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLod<float>(texture, at[i], at[n + i], at[2 * n + i]);
}

template <typename T, int D>
__global__ void add_one(unsigned long long surface, int w, int h, int d)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
    if (x >= w) return;
    T v;
    int at = x * int(sizeof(T));
    if (D == 1) { surf1Dread(&v, surface, at); v.x += 1; surf1Dwrite(v, surface, at); }
    if (D == 2) { surf2Dread(&v, surface, at, y); v.x += 1; surf2Dwrite(v, surface, at, y); }
    if (D == 3) { surf3Dread(&v, surface, at, y, z); v.x += 1; surf3Dwrite(v, surface, at, y, z); }
}
"""

SHAPES = {1: (16,), 2: (16, 4), 3: (8, 4, 2)}
FORMATS = {
    "int8": "char", "uint8": "uchar", "int16": "short", "uint16": "ushort", "int32": "int", "uint32": "uint",
    "float32": "float", "float16": "float",
}


@pytest.fixture(scope="module")
def device():
    device = Device()
    device.set_current()
    return device


@pytest.fixture(scope="module")
def stream(device):
    return device.create_stream()


@functools.cache
def kernel(name, code="ptx"):
    program = Program(SOURCE, code_type="c++", options=ProgramOptions(std="c++17"))
    return program.compile(code, name_expressions=(name,)).get_kernel(name)


def vector(scalar, channels):
    if channels == 1:
        return {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int"}.get(scalar, scalar)
    return f"{scalar}{channels}"


def handle(thing):
    """cuda.core gives handles as signed numbers."""
    return np.uint64(thing.handle & 2**64 - 1)


class Pinned:
    """Memory that both sides see."""

    def __init__(self, stream, values):
        self.buffer = LegacyPinnedMemoryResource().allocate(max(values.nbytes, 4), stream=stream)
        self.array = np.from_dlpack(self.buffer).view(np.uint8)[: values.nbytes].view(values.dtype).reshape(values.shape)
        self.array[...] = values


def run(stream, name, texture, at, results, code="ptx"):
    """One thread for each column of `at`."""
    count = at.shape[-1]
    at, out = Pinned(stream, at.astype(np.float32)), Pinned(stream, np.zeros((count, results), np.float32))
    config = LaunchConfig(grid=(count + 127) // 128, block=128)
    launch(stream, config, kernel(name, code), out.buffer, handle(texture), at.buffer, np.int32(count))
    stream.sync()
    return out.array.copy()


def texels_of(shape, kind, channels):
    low = 0 if kind.startswith("u") else -100
    values = np.random.default_rng(channels).integers(low, 100, (*shape[::-1], channels))
    return np.ascontiguousarray(values.astype(kind))


def make_array(device, stream, shape, kind, channels, **options):
    array = device.create_opaque_array(OpaqueArrayOptions(shape=shape, format=kind, num_channels=channels, **options))
    texels = texels_of(shape, kind, channels)
    array.copy_from(texels, stream=stream)
    stream.sync()
    return array, texels


def positions(shape, count=500):
    return model.positions(shape, count)


@pytest.mark.parametrize("dimensions", SHAPES)
@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_arrays(device, stream, dimensions, kind, channels):
    """Copies there and back; a point-sampled texture of every format."""
    shape = SHAPES[dimensions]
    array, texels = make_array(device, stream, shape, kind, channels)
    assert array.shape == shape and array.num_channels == channels and array.size_bytes == texels.nbytes
    back = np.zeros_like(texels)
    array.copy_to(back, stream=stream)
    stream.sync()
    np.testing.assert_array_equal(back, texels)
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array))
    eighths = positions(shape)
    name = f"fetch<{vector(FORMATS[kind], channels)}, {dimensions}, {channels}>"
    found = run(stream, name, texture, np.stack(eighths) / 8, channels)
    np.testing.assert_array_equal(found, model.fetch(texels.astype(np.float64), eighths, "clamp", False))
    texture.close()
    array.close()
    assert texture.is_closed and array.is_closed


@pytest.mark.parametrize("dimensions", SHAPES)
@pytest.mark.parametrize("mode", ["clamp", "wrap", "mirror"])
@pytest.mark.parametrize("filter_mode", ["point", "linear"])
def test_samplers(device, stream, dimensions, mode, filter_mode):
    shape = SHAPES[dimensions]
    array, texels = make_array(device, stream, shape, "float32", 4)
    options = TextureObjectOptions(address_mode=mode, filter_mode=filter_mode, normalized_coords=True)
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    eighths = positions(shape)
    at = np.stack([e / (8 * s) for e, s in zip(eighths, shape)])
    found = run(stream, f"fetch<float4, {dimensions}, 4>", texture, at, 4)
    expected = model.fetch(texels, eighths, "repeat" if mode == "wrap" else mode, filter_mode == "linear")
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("colour", [None, (1.5, -2.0, 0.25, 8.0)])
def test_border(device, stream, colour):
    array, texels = make_array(device, stream, (16, 4), "float32", 4)
    options = TextureObjectOptions(address_mode="border", border_color=colour)
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    eighths = positions((16, 4))
    x, y = (np.floor_divide(e, 8) for e in eighths)
    inside = (x >= 0) & (x < 16) & (y >= 0) & (y < 4)
    expected = np.where(inside[:, None], texels[np.clip(y, 0, 3), np.clip(x, 0, 15)], colour or (0, 0, 0, 0))
    np.testing.assert_array_equal(run(stream, "fetch<float4, 2, 4>", texture, np.stack(eighths) / 8, 4), expected)


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16"])
def test_normalized_values(device, stream, kind):
    array, texels = make_array(device, stream, (16, 4), kind, 4)
    options = TextureObjectOptions(read_mode="normalized_float")
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    eighths = positions((16, 4))
    expected = model.fetch(texels.astype(np.float64), eighths, "clamp", False) / np.iinfo(kind).max
    found = run(stream, "fetch<float4, 2, 4>", texture, np.stack(eighths) / 8, 4)
    np.testing.assert_array_equal(found, expected.astype(np.float32))


def test_srgb(device, stream):
    """Decoded values are within a thousandth of the formula's; alpha is linear."""
    array, texels = make_array(device, stream, (16, 4), "uint8", 4)
    options = TextureObjectOptions(read_mode="normalized_float", srgb=True)
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array), options=options)
    eighths = positions((16, 4))
    value = model.fetch(texels.astype(np.float64), eighths, "clamp", False) / 255
    expected = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    expected[:, 3] = value[:, 3]
    np.testing.assert_allclose(run(stream, "fetch<float4, 2, 4>", texture, np.stack(eighths) / 8, 4), expected, atol=1e-3)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_linear_memory(device, stream, kind, channels):
    texels = texels_of((1000,), kind, channels)
    buffer = device.allocate(texels.nbytes, stream=stream)
    pinned = Pinned(stream, texels)
    buffer.copy_from(pinned.buffer, stream=stream)
    resource = ResourceDescriptor.from_linear(buffer, format=kind, num_channels=channels, size_bytes=texels.nbytes)
    texture = device.create_texture_object(resource=resource)
    index = np.random.default_rng(5).integers(-50, 1050, 700)
    found = run(stream, f"fetch_linear<{vector(FORMATS[kind], channels)}, {channels}>", texture, index[None], channels)
    inside = (index >= 0) & (index < 1000)
    np.testing.assert_array_equal(found, np.where(inside[:, None], texels[np.clip(index, 0, 999)], 0))


@pytest.mark.parametrize("kind", ["uint8", "float32"])
@pytest.mark.parametrize("channels", [1, 4])
@pytest.mark.parametrize("filter_mode", ["point", "linear"])
def test_pitched_memory(device, stream, kind, channels, filter_mode):
    if kind == "uint8" and filter_mode == "linear":
        pytest.skip("integers have no filtered form")
    width, height, pitch = 16, 8, 512
    texels = texels_of((width, height), kind, channels)
    rows = np.zeros((height, pitch), np.uint8)
    rows[:, : texels[0].nbytes] = texels.reshape(height, -1).view(np.uint8)
    buffer = device.allocate(rows.nbytes, stream=stream)
    buffer.copy_from(Pinned(stream, rows).buffer, stream=stream)
    resource = ResourceDescriptor.from_pitch2d(
        buffer, format=kind, num_channels=channels, width=width, height=height, pitch_bytes=pitch)
    options = TextureObjectOptions(filter_mode=filter_mode)
    texture = device.create_texture_object(resource=resource, options=options)
    eighths = positions((width, height))
    name = f"fetch<{vector(FORMATS[kind], channels)}, 2, {channels}>"
    found = run(stream, name, texture, np.stack(eighths) / 8, channels)
    np.testing.assert_array_equal(found, model.fetch(texels, eighths, "clamp", filter_mode == "linear"))


@pytest.mark.parametrize("mip_filter", ["point", "linear"])
@pytest.mark.parametrize("bias", [0.0, 0.5])
@pytest.mark.parametrize("lowest", [0.0, 1.5])
def test_mipmaps(device, stream, mip_filter, bias, lowest):
    """Each level has one value, so the level that was fetched shows in the result."""
    options = MipmappedArrayOptions(shape=(32, 32), format="float32", num_channels=1, num_levels=6)
    mipmap = device.create_mipmapped_array(options)
    assert mipmap.num_levels == 6
    for level in range(6):
        array = mipmap.get_level(level)
        assert array.shape == (32 >> level, 32 >> level)
        array.copy_from(np.full((32 >> level, 32 >> level), 256.0 * level, np.float32), stream=stream)
    stream.sync()
    texture = device.create_texture_object(
        resource=ResourceDescriptor.from_mipmapped_array(mipmap),
        options=TextureObjectOptions(
            normalized_coords=True, filter_mode="linear", mipmap_filter_mode=mip_filter, mipmap_level_bias=bias,
            min_mipmap_level_clamp=lowest, max_mipmap_level_clamp=4.0))
    level = np.arange(-8, 64) / 8 + 1 / 16
    at = np.stack([np.full(72, 0.5), np.full(72, 0.5), level])
    found = run(stream, "fetch_level", texture, at, 1)[:, 0]
    wanted = np.clip(level + bias, lowest, 4.0)
    expected = np.floor(wanted + 0.5) * 256 if mip_filter == "point" else wanted * 256
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dimensions", SHAPES)
@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32"])
@pytest.mark.parametrize("channels", [2, 4])
def test_surfaces(device, stream, dimensions, kind, channels):
    shape = SHAPES[dimensions]
    array, texels = make_array(device, stream, shape, kind, channels, is_surface_load_store=True)
    assert array.is_surface_load_store
    surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(array))
    width, height, depth = (*shape, 1, 1)[:3]
    config = LaunchConfig(grid=(1, height, depth), block=32)
    name = f"add_one<{vector(FORMATS[kind], channels)}, {dimensions}>"
    launch(stream, config, kernel(name), handle(surface), np.int32(width), np.int32(height), np.int32(depth))
    back = np.zeros_like(texels)
    array.copy_to(back, stream=stream)
    stream.sync()
    expected = texels.copy()
    expected[..., 0] += 1
    np.testing.assert_array_equal(back, expected)


def test_level_as_surface(device, stream):
    options = MipmappedArrayOptions(
        shape=(16, 16), format="float32", num_channels=2, num_levels=3, is_surface_load_store=True)
    mipmap = device.create_mipmapped_array(options)
    array = mipmap.get_level(1)
    texels = texels_of((8, 8), "float32", 2)
    array.copy_from(texels, stream=stream)
    surface = device.create_surface_object(resource=ResourceDescriptor.from_opaque_array(array))
    launch(stream, LaunchConfig(grid=(1, 8), block=32), kernel("add_one<float2, 2>"), handle(surface),
           np.int32(8), np.int32(8), np.int32(1))
    back = np.zeros_like(texels)
    array.copy_to(back, stream=stream)
    stream.sync()
    np.testing.assert_array_equal(back, texels + [1, 0])


@pytest.mark.parametrize("name", ["fetch<float4, 2, 4>", "fetch<uchar4, 1, 4>"])
def test_machine_code(device, stream, name):
    """cuda.core compiles to machine code unless it is told otherwise."""
    kind = "float32" if "float" in name else "uint8"
    shape = (16, 4) if kind == "float32" else (16,)
    array, texels = make_array(device, stream, shape, kind, 4)
    texture = device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array))
    eighths = positions(shape)
    found = run(stream, name, texture, np.stack(eighths) / 8, 4, code="cubin")
    np.testing.assert_array_equal(found, model.fetch(texels, eighths, "clamp", False))


def test_mistakes(device, stream):
    for wrong in [dict(num_channels=3), dict(format="complex64"), dict(shape=(0,)), dict(shape=(4, 4, 4, 4))]:
        with pytest.raises(ValueError):
            OpaqueArrayOptions(**dict(dict(shape=(16,), format="float32", num_channels=1), **wrong))
    array, _ = make_array(device, stream, (16, 4), "float32", 1)
    array.close()
    with pytest.raises(Exception):
        device.create_texture_object(resource=ResourceDescriptor.from_opaque_array(array))
