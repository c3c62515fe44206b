"""Textures and surfaces as objects: sharing, descriptors in cuda.core's words, files, pickles, docstrings."""

import array
import doctest
import importlib
import pickle
import struct
import zlib

import pytest

numpy = pytest.importorskip("numpy")

import texunit  # noqa: E402
from texunit import ResourceDescriptor, Surface, Texture, TextureObjectOptions  # noqa: E402

F32 = numpy.float32


def ramp(*shape, dtype=F32):
    return numpy.arange(numpy.prod(shape), dtype=dtype).reshape(shape)


def raises(kind, words, function, *arguments, **keywords):
    with pytest.raises(kind) as error:
        function(*arguments, **keywords)
    assert words in str(error.value), str(error.value)


@pytest.mark.parametrize(
    "shape, dtype, keywords",
    [
        ((4, 6), "float32", {}),
        ((3, 8), "uint8", {}),
        ((5,), "uint8", {}),
        ((1, 3), "uint16", {}),
        ((2, 3, 4), "uint16", {"dim": 3}),
        ((3, 5, 4), "float16", {}),
        ((4, 2, 8), "uint8", {"layered": True}),
        ((6, 2, 2, 2), "float32", {"cube": True}),
        ((2, 3, 16), "uint8", {"format": "bc7"}),
    ],
)
def test_a16_shared(shape, dtype, keywords):
    texels = (ramp(*shape) % 251).astype(dtype)
    shared, copied = Texture(texels, copy=False, **keywords), Texture(texels, **keywords)
    assert shared.is_shared and not copied.is_shared
    assert shared.levels[0].tobytes() == copied.levels[0].tobytes() == texels.tobytes()
    assert (shared.geometry, shared.format, shared.size) == (copied.geometry, copied.format, copied.size)
    before = texels.copy()
    texels[...] = 1
    assert (shared.levels[0] == 1).all() and copied.levels[0].tobytes() == before.tobytes()
    again = pickle.loads(pickle.dumps(shared))
    assert again.levels[0].tobytes() == texels.tobytes() and again.geometry == shared.geometry


def test_a16_shared_results_are_the_same():
    rng = numpy.random.default_rng(3)
    for shape, dtype, read in (((16, 16, 4), "uint8", "normalized"), ((9, 6), "float32", "element"), ((7, 4, 2), "uint16", "normalized")):
        texels = rng.integers(0, 250, shape).astype(dtype)
        words = {"filter": "linear", "read": read, "address": "mirror", "normalized_coords": True}
        xy = rng.uniform(-2, 2, (5000, 2)).astype(F32)
        assert Texture(texels, copy=False, **words).sample(xy).tobytes() == Texture(texels, **words).sample(xy).tobytes()


def test_a16_what_cannot_be_shared_says_why():
    raises(ValueError, "a row of 3 texels of u8 is not a multiple of 8 bytes", Texture, ramp(2, 3, dtype="uint8"), copy=False)
    raises(ValueError, "not contiguous", Texture, ramp(4, 8)[:, ::2], copy=False)
    raises(ValueError, "not contiguous", Texture, ramp(4, 8)[::-1], copy=False)
    raises(ValueError, "mip levels are made", Texture, ramp(4, 4), mipmaps=True, copy=False)
    raises(ValueError, "one piece of memory", Texture, [ramp(4, 4), ramp(2, 2)], copy=False)
    raises(ValueError, "no memory to share", Texture, [0.5, 1.5], copy=False)
    raises(ValueError, "3 channels", Texture, ramp(4, 4, 3), copy=False)
    raises(TypeError, "copy: True, False or None", Texture, ramp(4, 4), copy="no")
    assert not Texture(ramp(2, 3, dtype="uint8"), copy=None).is_shared
    assert Texture(ramp(2, 4), copy=None).is_shared


def test_a16_shared_memory_lives_as_long_as_the_texture():
    texture = Texture(numpy.full((64, 64), 7, F32), copy=False)
    junk = [numpy.full((64, 64), i, F32) for i in range(50)]
    assert (texture.levels[0] == 7).all() and len(junk) == 50
    content = bytearray(16)
    held = Texture(content, copy=False)
    raises(BufferError, "", content.extend, b"more")
    del held
    content.extend(b"more")
    typed = array.array("f", [1, 2, 3, 4])
    assert Texture(typed, copy=False)(3.5) == 4


def test_s1_options_of_cuda_core():
    options = TextureObjectOptions(
        address_mode=(texunit.AddressModeType.WRAP, "mirror"),
        filter_mode=texunit.FilterModeType.LINEAR,
        read_mode=texunit.ReadModeType.NORMALIZED_FLOAT,
        normalized_coords=True,
        border_color=(1, 0, 0, 1),
        disable_trilinear_optimization=True,
    )
    texels = ramp(4, 4, dtype="uint8")
    made = Texture(ResourceDescriptor.from_opaque_array(texels), options)
    plain = Texture(
        texels, filter="linear", address=("wrap", "mirror"), read="normalized", normalized_coords=True, max_level=0
    )
    assert made.effective == plain.effective and made(0.3, 0.9) == plain(0.3, 0.9)
    assert Texture(texels, {"filter_mode": "linear", "read_mode": "normalized_float"}).effective["filter"] == "linear"
    assert pickle.loads(pickle.dumps(made)).effective == made.effective
    raises(TypeError, "the options have it, too", Texture, texels, options, filter="point")
    raises(TypeError, "the options have it, too", Texture, texels, options, filter_mode="point")
    raises(TypeError, "TextureObjectOptions is expected, not int", Texture, texels, 5)
    raises(TypeError, "`filters` is not one of", Texture, texels, {"filters": "linear", "srgb": True})
    mipmapped = ResourceDescriptor.from_mipmapped_array([ramp(4, 4), ramp(2, 2), ramp(1, 1)])
    # As in cuda.core only level 0 is read if nothing else is said.
    assert Texture(mipmapped, TextureObjectOptions(normalized_coords=True))(0.9, 0.9, lod=1.0) == 15
    assert Texture(mipmapped, TextureObjectOptions(normalized_coords=True, max_mipmap_level_clamp=2.0))(0.9, 0.9, lod=1.0) == 3


def test_descriptors_of_memory():
    memory = ramp(64)
    linear = ResourceDescriptor.from_linear(memory, format="float32", num_channels=2, size_bytes=48)
    texture = Texture(linear)
    assert (texture.geometry, texture.format, texture.size) == ("1d", "f32x2", (6,))
    assert texture.fetch(numpy.array([1, 5, 6])).tolist() == [[2, 3], [10, 11], [0, 0]]
    pitched = ResourceDescriptor.from_pitch2d(
        memory, format=numpy.dtype("float32"), num_channels=1, width=6, height=4, pitch_bytes=64
    )
    rows = Texture(pitched, filter="linear")
    assert rows.size == (4, 6) and rows(1.5, 2.5) == 33 and rows(1.0, 1.0) == 8.5
    assert (pitched.kind, pitched.width, pitched.height, pitched.pitch_bytes) == ("pitch2d", 6, 4, 64)
    again = pickle.loads(pickle.dumps(rows))
    assert again(1.0, 1.0) == 8.5 and "pitch" in repr(pitched) and repr(again) == repr(rows)
    words = {"format": "float32", "num_channels": 1}
    raises(ValueError, "3 is not one of 1, 2, 4", ResourceDescriptor.from_linear, memory, format="uint8", num_channels=3)
    raises(ValueError, "'float64' is not one of", ResourceDescriptor.from_linear, memory, format="float64", num_channels=1)
    raises(ValueError, "257 is not from 1 to 256", ResourceDescriptor.from_linear, memory, **words, size_bytes=257)
    raises(ValueError, "width: 0", ResourceDescriptor.from_pitch2d, memory, **words, width=0, height=1, pitch_bytes=32)
    wide = ResourceDescriptor.from_pitch2d(memory, **words, width=6, height=5, pitch_bytes=64)
    raises(ValueError, "has 256 bytes, but the texels take 280", Texture, wide)
    odd = ResourceDescriptor.from_pitch2d(memory, **words, width=6, height=2, pitch_bytes=40)
    raises(ValueError, "32", Texture, odd)
    raises(TypeError, "says what it is", Texture, pitched, dim=2)
    raises(TypeError, "made by from_opaque_array", ResourceDescriptor)
    raises(AttributeError, "does not change", setattr, pitched, "width", 3)
    strided = ResourceDescriptor.from_pitch2d(ramp(8, 8)[:, ::2], **words, width=2, height=2, pitch_bytes=32)
    raises(ValueError, "contiguous", Texture, strided)


def test_surfaces_are_pickled():
    for shape, dtype, words in (
        ((2, 3), "uint32", {}),
        ((3, 2, 2, 4), "uint8", {"layered": True}),
        ((6, 2, 2), "float32", {"cube": True}),
        ((2, 3, 4), "float16", {"dim": 3}),
        ((5, 2), "int16", {"dim": 1}),
    ):
        surface = Surface((ramp(*shape) % 200).astype(dtype), **words)
        again = pickle.loads(pickle.dumps(surface))
        assert again.to_array().tobytes() == surface.to_array().tobytes() and again.to_array().shape == shape
        assert (again.geometry, again.format) == (surface.geometry, surface.format)


def png(path, rows):
    """A picture of 8-bit grey or RGBA texels."""
    height, width = rows.shape[:2]
    kind = 0 if rows.ndim == 2 else 6

    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    lines = b"".join(b"\0" + row.tobytes() for row in rows)
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def dds(path, texels):
    """RGBA texels of 32-bit floats, one mip level, with a header of DX10."""
    height, width = texels.shape[:2]
    header = struct.pack("<7I44x", 124, 0x100F, height, width, width * 16, 1, 1)
    header += struct.pack("<2I4s5I", 32, 4, b"DX10", 0, 0, 0, 0, 0) + struct.pack("<4I4x", 0x1000, 0, 0, 0)
    path.write_bytes(b"DDS " + header + struct.pack("<5I", 2, 3, 0, 1, 0) + texels.tobytes())


def ktx2(path, texels):
    """8-bit RGBA texels in a KTX 2.0 file without supercompression."""
    height, width = texels.shape[:2]
    samples = b"".join(
        struct.pack("<HBB4x2I", 8 * i, 7, channel, 0, 255) for i, channel in enumerate((0, 1, 2, 15))
    )
    size = 24 + len(samples)
    block = struct.pack("<2H2H4B4B8B", 0, 0, 2, size, 1, 1, 1, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0) + samples
    dfd = struct.pack("<I", 4 + size) + block
    at = 80 + 24
    header = b"\xabKTX 20\xbb\r\n\x1a\n" + struct.pack("<9I", 37, 1, width, height, 0, 0, 1, 1, 0)
    header += struct.pack("<4I2Q", at, len(dfd), 0, 0, 0, 0)
    first = at + len(dfd)
    path.write_bytes(header + struct.pack("<3Q", first, texels.nbytes, texels.nbytes) + dfd + texels.tobytes())


def test_files(tmp_path):
    grey, colours = ramp(3, 5, dtype="uint8"), ramp(3, 5, 4, dtype="uint8")
    png(tmp_path / "a.png", colours)
    assert texunit.load(tmp_path / "a.png").levels[0].tolist() == colours.tolist()
    png(tmp_path / "g.png", grey)
    assert texunit.load(tmp_path / "g.png", format="u8").levels[0].tolist() == grey.tolist()
    assert texunit.load(str(tmp_path / "g.png"), format="unorm8", filter="linear")(0.5, 0.5) == 0
    dds(tmp_path / "a.dds", ramp(4, 4, 4))
    assert texunit.load(tmp_path / "a.dds").levels[0].tolist() == ramp(4, 4, 4).tolist()
    ktx2(tmp_path / "a.ktx2", colours)
    assert texunit.load(tmp_path / "a.ktx2").levels[0].tolist() == colours.tolist()
    numpy.save(tmp_path / "a.npy", ramp(6, 2, 2))
    assert texunit.load(tmp_path / "a.npy", cube=True, mipmaps=True).geometry == "cube"
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    raises(ValueError, "bad.png", texunit.load, tmp_path / "bad.png")
    (tmp_path / "a.raw").write_bytes(b"1")
    raises(ValueError, "raw file", texunit.load, tmp_path / "a.raw")
    raises(FileNotFoundError, "none.png", texunit.load, tmp_path / "none.png")
    raises(TypeError, "says itself what it holds", texunit.load, tmp_path / "a.dds", dim=2)
    raises(TypeError, "unknown option", texunit.load, tmp_path / "a.png", filters="linear")


def test_explanations_show_themselves():
    shown = Texture(ramp(4, 4), filter="linear").explain(1.25, 2.5)
    assert shown._repr_svg_().startswith("<svg") and shown._repr_html_().startswith("<svg")
    assert "<pre>tex.2d" in shown._repr_html_() and "&lt;" not in shown._repr_svg_()[:4]
    fields = shown.to_dict()
    assert {"instruction", "level", "footprints", "channels", "result"} <= fields.keys()
    weights = [texel["weight"] for texel in fields["footprints"][0]["texels"]]
    assert sum(weights) == 256


def test_what_is_there_later():
    assert {"Module", "plot", "distributed", "compile", "check"} <= set(dir(texunit))
    assert texunit.plot.inspect and texunit.distributed.sample
    raises(AttributeError, "no attribute 'nothing'", lambda: texunit.nothing)
    for name in texunit.__all__:
        assert getattr(texunit, name) is not None


@pytest.mark.parametrize("name", ["texunit", *(f"texunit.{name}" for name in ("_module", "_nvrtc", "_descriptor", "plot"))])
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    found = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert found.failed == 0


@pytest.mark.parametrize("kind", [Texture, Surface, texunit.Explanation, texunit.Coverage])
def test_examples_of_compiled_docstrings(kind):
    runner, tried = doctest.DocTestRunner(), 0
    texts = {kind.__name__: kind.__doc__}
    texts |= {f"{kind.__name__}.{name}": getattr(kind, name).__doc__ for name in dir(kind) if not name.startswith("_")}
    for name, text in texts.items():
        assert text, name
        test = doctest.DocTestParser().get_doctest(text, {"texunit": texunit, "numpy": numpy}, name, None, 0)
        tried += runner.run(test).attempted
    assert runner.summarize(verbose=False).failed == 0
    assert tried or kind is texunit.Explanation
