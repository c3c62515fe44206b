"""The rows of docs/python-conventions.md, through the module, by their numbers; and every way into it."""

import ctypes
import enum
import threading

import pytest

numpy = pytest.importorskip("numpy")

import texunit  # noqa: E402
from texunit import Surface, Texture  # noqa: E402

F32 = numpy.float32


def ramp(*shape, dtype=F32):
    return numpy.arange(numpy.prod(shape), dtype=dtype).reshape(shape)


def raises(kind, words, function, *arguments, **keywords):
    with pytest.raises(kind) as error:
        function(*arguments, **keywords)
    assert words in str(error.value)


def test_a1_strides():
    a = ramp(3, 4)
    at = numpy.array([[1, 0], [3, 2]])
    for view in (a, a[::-1], a.T[:3], a[:, ::-1], numpy.asfortranarray(a), numpy.broadcast_to(a[1], (3, 4)), a[::2]):
        expected = [view[j, i] if j < view.shape[0] and i < view.shape[1] else 0 for i, j in at]
        assert Texture(view).fetch(at).tolist() == expected


@pytest.mark.parametrize(
    "shape, keywords, geometry, format",
    [
        ((5,), {}, "1d", "f32"),
        ((3, 5), {}, "2d", "f32"),
        ((3, 5, 2), {}, "2d", "f32x2"),
        ((3, 5, 1), {}, "2d", "f32"),
        ((7, 3, 5, 4), {}, "3d", "f32x4"),
        ((7, 3, 4), {"dim": 3}, "3d", "f32"),
        ((5, 4), {"dim": 1}, "1d", "f32x4"),
        ((3, 5), {"layered": True}, "a1d", "f32"),
        ((3, 5, 2), {"layered": True, "dim": 1}, "a1d", "f32x2"),
        ((7, 3, 5), {"layered": True}, "a2d", "f32"),
        ((7, 3, 5, 2), {"layered": True}, "a2d", "f32x2"),
        ((6, 5, 5), {"cube": True}, "cube", "f32"),
        ((2, 6, 5, 5, 4), {"cube": True, "layered": True}, "acube", "f32x4"),
        ((4, 3, 5), {"multisample": True}, "2dms", "f32"),
        ((9, 4, 3, 5, 2), {"multisample": True, "layered": True}, "a2dms", "f32x2"),
    ],
)
def test_a2_to_a11_shapes(shape, keywords, geometry, format):
    texture = Texture(ramp(*shape), **keywords)
    assert (texture.geometry, texture.format) == (geometry, format)
    (level,) = texture.levels
    squeezed = shape[:-1] if shape[-1] == 1 else shape
    assert level.shape == squeezed and (level.ravel() == ramp(*shape).ravel()).all()


def test_a6_and_a7_channels():
    raises(ValueError, "pad to 4", Texture, ramp(3, 5, 3))
    raises(ValueError, "dim=3", Texture, ramp(3, 5, 6))
    raises(ValueError, "(6, N, N[, C])", Texture, ramp(5, 5, 5), cube=True)
    raises(TypeError, "three dimensions", Texture, ramp(2, 7, 3, 5), layered=True, dim=3)


def test_a12_types():
    for name in "uint8 int8 uint16 int16 uint32 int32 float16 float32".split():
        array = ramp(2, 3, dtype=name)
        assert Texture(array).levels[0].dtype == name
    assert Texture(numpy.array([True, False])).format == "u8"
    for name, other in (("float64", "float32"), ("int64", "int32"), ("uint64", "uint32")):
        raises(TypeError, f"astype(numpy.{other})", Texture, ramp(2, 3, dtype=name))
    raises(TypeError, "not read", Texture, ramp(2, 3, dtype="complex64"))
    raises(TypeError, "not read", Texture, ramp(2, 3, dtype=">f4"))


def test_a13_and_a14_formats():
    assert Texture(ramp(3, 5, 4, dtype="uint8"), format="unorm8x4").format == "unorm8x4"
    assert Texture(ramp(3, 5, dtype="uint32"), format="depth24").format == "depth24"
    raises(ValueError, "4 bytes", Texture, ramp(3, 5, dtype="uint16"), format="depth24")
    raises(ValueError, "not one of", Texture, ramp(3, 5), format="rgba8")
    blocks = ramp(2, 3, 16, dtype="uint8")
    assert "12 x 8 texels of bc7" in repr(Texture(blocks, format="bc7"))
    assert "10 x 5 texels of bc7" in repr(Texture(blocks, format="bc7", size=(5, 10)))
    assert Texture(blocks, format="bc7").levels[0].shape == (2, 3, 16)


def test_a15_levels():
    texture = Texture([ramp(4, 4), ramp(2, 2), ramp(1, 1)])
    assert [level.shape for level in texture.levels] == [(4, 4), (2, 2), (1, 1)]
    assert Texture(ramp(4, 4), mipmaps=True).levels[2].tolist() == [[7.5]]
    assert len(Texture(ramp(4, 4), mipmaps=2).levels) == 2
    raises(ValueError, "half the size", Texture, [ramp(4, 4), ramp(4, 4)])
    raises(TypeError, "one of the two", Texture, [ramp(4, 4), ramp(2, 2)], mipmaps=True)
    raises(TypeError, "mipmaps", Texture, ramp(4, 4), mipmaps="box")
    for wrong in [{"mipmaps": -1}, {"dim": -1}, {"size": [4, -4]}]:
        raises(ValueError, *wrong, Texture, ramp(4, 4), **wrong)
    raises(ValueError, "component", Texture(ramp(4, 4)).gather, (1.0, 1.0), -1)
    raises(ValueError, "threads", Texture(ramp(4, 4)).sample, (1.0, 1.0), threads=-1)


def test_a16_copy():
    a = ramp(2, 2)
    texture = Texture(a)
    a[:] = 9
    assert texture.fetch((1, 1)) == 3


class Filter(enum.Enum):
    POINT = 0
    LINEAR = 1


def test_s1_and_s2_words():
    keywords = {"filter": "linear", "address": ("wrap", "mirror"), "read": "normalized", "normalized_coords": True}
    short = Texture(ramp(4, 4, dtype="uint8"), **keywords)
    long = Texture(
        ramp(4, 4, dtype="uint8"),
        filter_mode=Filter.LINEAR,
        address_mode=("WRAP", "MIRROR"),
        read_mode="normalized_float",
        normalized_coords=True,
        border_color=None,
    )
    assert short.effective == long.effective
    assert short.effective["address"] == ["wrap", "mirror"]
    raises(TypeError, "given too", Texture, ramp(4, 4), filter="linear", filter_mode="linear")
    raises(TypeError, "unknown option", Texture, ramp(4, 4), filters="linear")
    raises(ValueError, "point, linear", Texture, ramp(4, 4), filter="cubic")
    border = Texture(ramp(2, 2), address="border", border=[8, 0, 0, 0.5])
    assert border(-1.0, -1.0) == 8


def test_s3_defaults():
    state = Texture(ramp(4, 4, dtype="uint8")).effective
    assert (state["coordinates"], state["filter"], state["address"]) == ("unnormalized", "point", ["clamp", "clamp"])
    assert Texture(ramp(1, 1, 8, dtype="uint8"), format="bc1").sample((0.5, 0.5)).dtype == F32


def test_s4_and_s5_pairs():
    levels = ramp(4, 4, dtype="uint8")
    raises(ValueError, "cudaErrorInvalidFilterSetting", Texture, levels, filter="linear", read="element")
    # Left out, `read` is normalized.
    texture = Texture(ramp(4, 4, dtype="uint8"), filter="linear")
    assert texture.sample((0.5, 0.5)).dtype == F32
    overrides = Texture(ramp(4, 4), address="wrap").effective["overrides"]
    assert overrides[0][0] == "1.8" and "clamp" in overrides[0][1]
    raises(TypeError, "tld4", Texture(ramp(4)).effective_for, "gather")


def test_c1_and_c2_points():
    texture = Texture(ramp(4, 4))
    assert texture.sample(numpy.array([[[1.5, 0.5]], [[2.5, 3.5]]], F32)).tolist() == [[1], [14]]
    x, y = numpy.array([0.5, 1.5, 2.5], F32), numpy.array([[0.5], [1.5]], F32)
    assert texture.sample((x, y)).tolist() == [[0, 1, 2], [4, 5, 6]]
    assert texture(x, y).tolist() == [[0, 1, 2], [4, 5, 6]]
    raises(ValueError, "last axis of 2", texture.sample, x)
    raises(TypeError, "2 arrays", texture, x)
    raises(ValueError, "broadcast", texture, x, x[:2])
    assert Texture(ramp(4)).sample(x).tolist() == [0, 1, 2]


def test_c3_to_c5_types():
    texture = Texture(ramp(4))
    assert texture.sample(numpy.array([1.5], "float16")).tolist() == [1]
    near = numpy.array([0.5, 2 - 2.0**-30])
    assert texture.sample(near).tolist() == [0, 2]
    raises(ValueError, "not a float32", texture.sample, near, strict=True)
    raises(ValueError, "not a float32", texture, numpy.float64(0.1), strict=True)
    raises(TypeError, "`fetch`", texture.sample, numpy.array([1]))
    # Integers reach no 1D array (numerics.md 1.13).
    raises(ValueError, "1D array", texture.fetch, numpy.array([1, 9]))
    rows = Texture(ramp(1, 4))
    assert rows.fetch(numpy.array([[1, 0], [9, 0]])).tolist() == [1, 0]
    raises(TypeError, "integers", rows.fetch, near)
    raises(ValueError, "2147483648", rows.fetch, numpy.array([1 << 31, 0]))
    assert texture(0.1, strict=True) == 0 and texture(2) == 2 and texture.sample([0.5, 2]).tolist() == [0, 2]
    raises(ValueError, "64 bits", texture, 1 << 70)
    raises(TypeError, "not an array", texture, "1")
    raises(TypeError, "not an array", texture, None)


def test_c6_and_c7_levels():
    texture = Texture(ramp(4, 4), mipmaps=True, normalized_coords=True)
    assert texture(0.1, 0.1, lod=numpy.array([[0], [1], [2]], F32)).tolist() == [[0], [2.5], [7.5]]
    assert texture.fetch((0, 0), lod=1) == 2.5
    assert texture(0.1, 0.1, grad=((1.0, 0.0), (0.0, 0.25))) == 7.5
    raises(TypeError, "one of the two", texture, 0.1, 0.1, lod=0, grad=((1.0, 0.0), (0.0, 0.25)))
    raises(TypeError, "(ddx, ddy)", texture, 0.1, 0.1, grad=1.0)


def test_c8_and_c9_layers_and_samples():
    texture = Texture(ramp(3, 2, 2), layered=True)
    assert texture(0.5, 0.5, layer=numpy.array([0, 2, 9])).tolist() == [0, 8, 8]
    raises(TypeError, "has layers", texture, 0.5, 0.5)
    raises(ValueError, "-1", texture, 0.5, 0.5, layer=-1)
    raises(TypeError, "integers", texture, 0.5, 0.5, layer=1.0)
    raises(TypeError, "leave layer out", Texture(ramp(2, 2)), 0.5, 0.5, layer=0)
    samples = Texture(ramp(2, 2, 2), multisample=True)
    assert samples.fetch((1, 0), sample=numpy.array([0, 1])).tolist() == [1, 5]
    raises(TypeError, "`fetch` takes those", samples, 0.5, 0.5)


def test_c10_and_c11_offset_and_compare():
    texture = Texture(ramp(4, 4))
    assert texture(0.5, 0.5, offset=numpy.array([[1, 2], [3, 0]])).tolist() == [9, 3]
    assert texture(0.5, 0.5, offset=(1, 2)) == 9
    depth = Texture(ramp(2, 2), compare="less")
    assert depth(0.5, 0.5, compare=numpy.array([-1, 5], F32)).tolist() == [1, 0]
    # Without a function, and of texels that are not compared (numerics.md 9.2), it is a plain fetch.
    assert Texture(ramp(2, 2, 4))(0.5, 0.5, compare=1.0).tolist() == [0, 1, 2, 3]
    assert Texture(ramp(2, 2, 4), compare="less")(0.5, 0.5, compare=1.0).tolist() == [0, 1, 2, 3]


def test_r1_to_r6_results():
    xy = numpy.array([[0.5, 0.5], [1.5, 0.5], [0.5, 1.5]], F32)
    assert Texture(ramp(2, 2, 4)).sample(xy)[1].tolist() == [4, 5, 6, 7]
    assert Texture(ramp(2, 2, 2)).sample(xy).shape == (3, 2)
    assert Texture(ramp(2, 2, 1)).sample(xy).shape == (3,)
    assert isinstance(Texture(ramp(2, 2))(0.5, 0.5), F32)
    blocks = numpy.zeros((1, 1, 16), "uint8")
    assert Texture(blocks, format="bc6h").sample(xy).tolist() == [[0, 0, 0, 1]] * 3
    assert Texture(ramp(2, 2)).gather((1.0, 1.0)).tolist() == [2, 3, 1, 0]
    for name in "uint8 int8 uint16 int16 uint32 int32".split():
        integers = Texture(ramp(2, 2, dtype=name))
        assert integers.sample(xy).dtype == name
        raises(TypeError, "float16", integers.sample, xy, dtype="float16")
    floats = Texture(ramp(2, 2))
    assert floats.sample(xy, dtype=numpy.float16).tolist() == [0, 1, 2]
    assert floats.sample(xy, dtype=numpy.dtype("float32")).dtype == F32
    raises(ValueError, "dtype", floats.sample, xy, dtype="float64")


def test_r7_out():
    texture, xy = Texture(ramp(4, 4, 2)), numpy.full((5, 2), 0.5, F32)
    out = numpy.empty((5, 2), F32)
    assert texture.sample(xy, out=out) is out and out.tolist() == [[0, 1]] * 5
    raises(ValueError, "shape", texture.sample, xy, out=numpy.empty((5, 4), F32))
    raises(TypeError, "float32", texture.sample, xy, out=numpy.empty((5, 2)))
    raises(ValueError, "contiguous", texture.sample, xy, out=numpy.empty((5, 4), F32)[:, ::2])
    one = numpy.empty((), F32)
    assert Texture(ramp(4, 4)).sample((1.5, 0.5), out=one) is one and one == 1
    out.flags.writeable = False
    raises(ValueError, "writable", texture.sample, xy, out=out)


def test_r8_and_r9_threads():
    texture = Texture(ramp(64, 64), filter="linear")
    xy = numpy.random.default_rng(1).uniform(-3, 70, (100_000, 2)).astype(F32)
    one = texture.sample(xy)
    assert (texture.sample(xy, threads=3) == one).all() and (texture.sample(xy, threads=0) == one).all()
    assert texture.sample(numpy.empty((0, 2), F32)).shape == (0,)
    raises(ValueError, "threads", texture.sample, xy, threads=5000)
    results = [None] * 4

    def work(n):
        results[n] = texture.sample(xy)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == one).all() for result in results)


def test_f1_to_f5_surfaces():
    surface = Surface(numpy.arange(6, dtype="uint32").reshape(2, 3))
    at = numpy.array([[0, 0], [2, 1], [2, 1]])
    assert surface.read(at).tolist() == [0, 5, 5]
    surface.write(at, numpy.array([7, 8, 9], "uint32"))
    surface.reduce("add", at, 1)
    assert surface.to_array().tolist() == [[8, 1, 2], [3, 4, 11]]
    outside = numpy.array([[0, 0], [1 << 30, -1]])
    raises(ValueError, "access 1", surface.read, outside)
    assert surface.read(outside, boundary="zero").tolist() == [8, 0]
    assert surface.read(outside, boundary="clamp").tolist() == [8, 2]
    raises(TypeError, "surface's type", surface.write, at, numpy.zeros(3, F32))
    raises(TypeError, "surface's type", surface.write, (1, 1), 1.5)
    raises(ValueError, "trap, clamp or zero", surface.read, at, boundary="wrap")
    raises(TypeError, "sampler", Surface, ramp(2, 2), filter="linear")
    cube = Surface(numpy.zeros((6, 2, 2, 4), "uint8"), cube=True)
    cube.write((1, 1), [1, 2, 3, 4], layer=5)
    assert cube.to_array()[5, 1, 1].tolist() == [1, 2, 3, 4]
    raises(TypeError, "one channel", cube.reduce, "add", (1, 1), [1, 2, 3, 4], layer=5)


class Interface:
    """An array that has nothing but ``__array_interface__``."""

    def __init__(self, array):
        self.array = array

    @property
    def __array_interface__(self):
        return self.array.__array_interface__


class Dlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, array, device=1):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return self.device, 0

    def __dlpack__(self):
        return self.array.__dlpack__()


@pytest.mark.parametrize("wrapped", [Interface, Dlpack, memoryview])
def test_ways_in(wrapped):
    a = ramp(3, 4)
    at = numpy.array([[1, 0], [3, 2]])
    for array in (a, a[::-1, ::2], a.T):
        expected = Texture(array).fetch(at).tolist()
        assert Texture(wrapped(array)).fetch(wrapped(at)).tolist() == expected


def test_ways_in_without_numpy():
    assert Texture(bytes(range(4)))(2.5) == 2
    assert Texture((ctypes.c_float * 3)(1, 2, 3))(2.5) == 3
    assert Texture(bytearray(range(4)))(numpy.array([0.5, 3.5])).tolist() == [0, 3]
    raises(ValueError, "CPU", Texture, Dlpack(ramp(2), device=2))
    raises(TypeError, "not an array", Texture, object())


def test_explain():
    texture = Texture(ramp(4, 4), filter="linear")
    shown = texture.explain(1.25, 2.5)
    assert str(shown).startswith("tex.2d.v4.f32.f32 at (1.25, 2.5)") and "result" in repr(shown)
    bits = numpy.array(texture(1.25, 2.5), F32).view("uint32")
    assert shown.to_dict()["result"][0] == f"{bits:08x}"
    assert shown._repr_svg_().startswith("<svg") and shown.svg in shown._repr_html_()
    raises(ValueError, "one fetch", texture.explain, numpy.zeros(2, F32), 0.5)


def test_files(tmp_path):
    numpy.save(tmp_path / "a.npy", ramp(4, 4))
    assert Texture.open(tmp_path / "a.npy")(1.5, 2.5) == 9
    with pytest.raises(FileNotFoundError):
        Texture.open(tmp_path / "none.dds")


def test_version():
    assert texunit.__version__.count(".") == 2
