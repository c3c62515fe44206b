"""Random textures and coordinates against the Rust reference, by Hypothesis (`.ci/full python`)."""

import os

import pytest

numpy = pytest.importorskip("numpy")
hypothesis = pytest.importorskip("hypothesis")

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402
from texunit import Surface, Texture, plot  # noqa: E402

F32 = numpy.float32
CASES = int(os.environ.get("TEXUNIT_HYPOTHESIS", "400"))
DTYPES = ["uint8", "int8", "uint16", "int16", "uint32", "int32", "float16", "float32"]
ADDRESSES = ["wrap", "clamp", "mirror", "border"]


@st.composite
def textures(draw):
    """A texture, with whether its fetches have layers, and how many coordinates."""
    kind = draw(st.sampled_from(["1d", "2d", "3d", "a1d", "a2d", "cube", "acube"]))
    axes = {"1d": 1, "2d": 2, "3d": 3, "a1d": 1, "a2d": 2, "cube": 2, "acube": 2}[kind]
    side = draw(st.integers(1, 9))
    space = [side, side] if "cube" in kind else [draw(st.integers(1, 9)) for _ in range(axes)]
    lead = [draw(st.integers(1, 3))] if kind.startswith("a") else []
    lead += [6] if "cube" in kind else []
    dtype = draw(st.sampled_from(DTYPES))
    seed = draw(st.integers(0, 1 << 32))
    channels = draw(st.sampled_from([1, 2, 4]))
    values = numpy.random.default_rng(seed).integers(0, 256, [*lead, *space, channels])
    texels = values.astype(dtype) if dtype.startswith(("u", "i")) else (values / 255).astype(dtype)
    is_small = dtype in ("uint8", "int8", "uint16", "int16")
    read = draw(st.sampled_from(["element", "normalized"])) if is_small else "element"
    is_real = read == "normalized" or dtype.startswith("f")
    normalized = "cube" in kind or draw(st.booleans())
    words = {
        "filter": draw(st.sampled_from(["point", "linear"])) if is_real else "point",
        "read": read,
        "normalized_coords": normalized,
        "address": [draw(st.sampled_from(ADDRESSES)) for _ in range(axes)],
        "border": [draw(st.floats(0, 1, width=32)) for _ in range(4)],
        "mipmaps": draw(st.booleans()) if normalized else None,
        "mip_filter": draw(st.sampled_from(["point", "linear"])) if is_real else "point",
        "bias": draw(st.floats(-3, 3, width=32)),
        "anisotropy": draw(st.sampled_from([0, 1, 4, 16])),
        "seamless": "cube" in kind and draw(st.booleans()),
        "copy": draw(st.sampled_from([True, None])),
    }
    made = Texture(texels, dim=axes, layered=kind.startswith("a"), cube="cube" in kind, **words)
    return made, lead[0] if kind.startswith("a") else None, 3 if "cube" in kind else axes


def coordinates(draw, count, axes):
    """Coordinates of all kinds: inside, far away, tiny, not numbers."""
    kind = draw(st.sampled_from(["near", "far", "any"]))
    rng = numpy.random.default_rng(draw(st.integers(0, 1 << 32)))
    if kind == "any":
        bits = rng.integers(0, 1 << 32, (count, axes), dtype="uint32").view(F32)
        return bits
    return (rng.uniform(-2, 12, (count, axes)) * (1 if kind == "near" else 1e4)).astype(F32)


@settings(max_examples=CASES, deadline=None)
@given(st.data())
def test_samples_are_those_of_the_reference(data):
    texture, layers, axes = data.draw(textures())
    xy = coordinates(data.draw, 6, axes)
    words = {} if layers is None else {"layer": data.draw(st.integers(0, layers))}
    how = data.draw(st.sampled_from(["plain", "lod", "grad"]))
    if how == "lod":
        words["lod"] = data.draw(st.floats(-2, 6, width=32))
    if how == "grad":
        words["grad"] = tuple(
            tuple(F32(data.draw(st.floats(-1, 1, width=32))) for _ in range(axes)) for _ in range(2)
        )
    found = texture.sample(xy[:, 0] if axes == 1 else xy, **words)
    bits = found.reshape(6, -1)
    for point, values in zip(xy, bits, strict=True):
        fields = texture.explain(*map(F32, point), **words).to_dict()
        expected = numpy.array([int(word, 16) for word in fields["result"]], "uint32")[: len(values)]
        if values.dtype.kind == "f":
            assert (values.view("uint32") == expected).all(), (texture, point, words)
        else:
            assert (values.astype("int64") & 0xFFFFFFFF == expected).all(), (texture, point, words)


@settings(max_examples=CASES, deadline=None)
@given(st.data())
def test_inspection_is_the_result(data):
    texture, layers, axes = data.draw(textures())
    if texture.levels[0].dtype.kind in "ui" and texture.effective["filter"] == "point":
        return
    xy = coordinates(data.draw, 8, axes)
    words = {} if layers is None else {"layer": data.draw(st.integers(0, layers - 1))}
    points = xy[:, 0] if axes == 1 else xy
    if texture.sample(points[:1], **words).dtype != F32:
        return
    seen = plot.inspect(texture, points, **words)
    found = texture.sample(points, **words).astype("float64")
    assert numpy.array_equal(seen["result"], found, equal_nan=True)
    distance = numpy.abs(seen["exact"] - seen["result"])
    bounded = numpy.isfinite(distance)
    # Eight bits of weight along each of three axes, twice, of texels from -1 to 1.
    assert (distance[bounded] < 0.05).all()


@settings(max_examples=CASES, deadline=None)
@given(st.data())
def test_surfaces_are_arrays(data):
    height, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    dtype = data.draw(st.sampled_from(DTYPES))
    model = numpy.zeros((height, width), dtype)
    surface = Surface(model)
    for _ in range(data.draw(st.integers(1, 6))):
        at = numpy.array([[data.draw(st.integers(-2, 7)), data.draw(st.integers(-2, 7))]])
        value = numpy.array([data.draw(st.integers(0, 100))], dtype)
        (x, y) = at[0]
        inside = 0 <= x < width and 0 <= y < height
        if not inside:
            with pytest.raises(ValueError):
                surface.write(at, value)
            assert surface.read(at, boundary="zero") == 0
            assert surface.read(at, boundary="clamp") == model[y.clip(0, height - 1), x.clip(0, width - 1)]
        else:
            surface.write(at, value)
            model[y, x] = value[0]
    assert (surface.to_array() == model).all()
