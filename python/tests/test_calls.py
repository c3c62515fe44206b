"""The short way of a call with numbers, and the long way of large arrays: the same results as by any other."""

import subprocess
import sys

import numpy as np
import pytest
import texunit

LINEAR = {"filter": "linear", "normalized_coords": True}


def textures():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 256, (6, 8, 8, 4), dtype=np.uint8)
    floats = rng.random((6, 8, 8), dtype=np.float32)
    nan = np.array([0x7F800001, 0xFFC00005, 0x00000001, 0x80000000], np.uint32).view(np.float32)
    yield texunit.Texture(codes[0], **LINEAR, read="normalized", address="wrap"), 2
    yield texunit.Texture(codes[0]), 2
    yield texunit.Texture(codes[0, :, :, 0]), 2
    yield texunit.Texture(codes[0].view(np.int8), **LINEAR, read="normalized", address="mirror"), 2
    yield texunit.Texture(floats[0], **LINEAR, address="border"), 2
    yield texunit.Texture(floats[0].astype(np.float16), **LINEAR), 2
    yield texunit.Texture(floats[0].view(np.uint32)), 2
    yield texunit.Texture(nan), 1
    yield texunit.Texture(floats[0, 0], **LINEAR), 1
    yield texunit.Texture(floats, **LINEAR, dim=3), 3
    yield texunit.Texture(floats, **LINEAR, cube=True), 3
    yield texunit.Texture(floats[0], **LINEAR, compare="less"), 2
    yield texunit.Texture(codes[0], **LINEAR, read="normalized", mipmaps=True, mip_filter="linear", bias=0.7), 2


@pytest.mark.parametrize("number", range(13))
def test_numbers(number):
    """Floats and integers of Python give what arrays of one point give: bits, shape and type."""
    tex, axes = list(textures())[number]
    for point in [(0.3, 0.7, 0.1), (1, 0, -2), (-0.0, 1e300, 5), (float("nan"), float("inf"), 0.5), (2, 3.5, 1e-60)]:
        point = point[:axes]
        with np.errstate(over="ignore"):
            at = np.array(point, np.float64).astype(np.float32)
        found, expected = tex(*point), tex.sample(at[0] if axes == 1 else at)
        assert type(found) is type(expected) and found.dtype == expected.dtype and found.shape == expected.shape
        assert found.tobytes() == expected.tobytes(), point
        assert tex(*point, dtype=found.dtype).tobytes() == found.tobytes()


def test_numbers_that_are_refused():
    tex = texunit.Texture(np.zeros((4, 4), np.float32))
    layers = texunit.Texture(np.zeros((3, 4, 4), np.float32), layered=True)
    for error, words, call in [
        (TypeError, "coordinates: 2 arrays expected", lambda: tex(0.5)),
        (TypeError, "coordinates: 2 arrays expected", lambda: tex(0.5, 0.5, 0.5)),
        (ValueError, "64 bits", lambda: tex(1 << 80, 0.5)),
        (TypeError, "layer", lambda: layers(0.5, 0.5)),
        (ValueError, "threads", lambda: tex(0.5, 0.5, threads=1025)),
        (TypeError, "is not an array", lambda: tex("0.5", 0.5)),
    ]:
        with pytest.raises(error, match=words):
            call()
    assert layers(0.5, 0.5, layer=1) == 0


@pytest.mark.parametrize("channels, dtype", [(4, np.uint8), (1, np.float32), (2, np.float16)])
def test_large_results(channels, dtype):
    """More than the caches hold are written around them: at any address, in one piece or by threads."""
    rng = np.random.default_rng(9)
    texels = (rng.random((32, 64, channels)) * 255).astype(dtype)
    tex = texunit.Texture(texels, **LINEAR, read="normalized" if dtype == np.uint8 else "element", address="wrap")
    count = (33 << 20) // 4 // channels + 77
    at = rng.random((count, 2), dtype=np.float32)
    expected = np.concatenate([tex.sample(at[first : first + 100_000]) for first in range(0, count, 100_000)])
    assert tex.sample(at).tobytes() == expected.tobytes()
    memory = np.zeros(expected.nbytes + 64, np.uint8)
    for offset in (4, 20):
        out = memory[offset : offset + expected.nbytes].view(np.float32).reshape(expected.shape)
        assert tex.sample(at, out=out, threads=2) is out
        assert out.tobytes() == expected.tobytes()
    assert not memory[:4].any() and not memory[20 + expected.nbytes :].any()


def test_import_is_light():
    """NumPy and all else is imported when it is needed."""
    code = "import sys, texunit; print(*{'numpy', 'json', 'subprocess', 'concurrent'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
