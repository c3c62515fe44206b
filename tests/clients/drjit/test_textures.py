"""Dr.Jit's textures on its CUDA backend: the hardware's fetches, against exact arithmetic."""

import itertools

import drjit as dr
import drjit.cuda as backend
import drjit.cuda.ad as differentiable
import numpy as np
import pytest

import model

SHAPES = {1: (16,), 2: (4, 16), 3: (2, 4, 8)}
WRAPS = {"clamp": dr.WrapMode.Clamp, "repeat": dr.WrapMode.Repeat, "mirror": dr.WrapMode.Mirror}
FILTERS = {"nearest": dr.FilterMode.Nearest, "linear": dr.FilterMode.Linear}
every_shape = pytest.mark.parametrize("dimensions", SHAPES)
every_channels = pytest.mark.parametrize("channels", [1, 2, 3, 4, 5])
every_wrap = pytest.mark.parametrize("wrap", WRAPS)
every_filter = pytest.mark.parametrize("filter_mode", FILTERS)


def random_texels(dimensions, channels, seed=0):
    generator = np.random.default_rng(seed + 10 * dimensions + channels)
    return generator.integers(-100, 100, (*SHAPES[dimensions], channels))


def positions(dimensions, count=999):
    return model.positions(SHAPES[dimensions][::-1], count)


def point(eighths, dimensions, of=backend):
    """A normalized position. All sizes are powers of two, so it is exact."""
    sizes = SHAPES[dimensions][::-1]
    values = [of.Float((e / (8 * s)).astype(np.float32)) for e, s in zip(eighths, sizes)]
    return values[0] if dimensions == 1 else getattr(of, f"Array{dimensions}f")(*values)


def make(dimensions, texels, kind="f", of=backend, **options):
    tensor = getattr(of, {"f": "TensorXf", "f16": "TensorXf16"}[kind])
    scalar = {"f": np.float32, "f16": np.float16}[kind]
    texture = getattr(of, f"Texture{dimensions}{kind}")(tensor(texels.astype(scalar)), **options)
    assert texture.use_accel()
    return texture


def array(at):
    """A position of several components, as many as there are rows."""
    rows = [backend.Float(row) for row in at]
    return rows[0] if len(rows) == 1 else getattr(backend, f"Array{len(rows)}f")(*rows)


def weighted(texels, at, weights_of, before):
    """Texels around normalized positions (x first), clamped to the edge, with weights by the fraction; `before` is
    how many of them come before the one that the fraction starts at."""
    axes = []
    for row, size in zip(at.astype(np.float64), texels.shape[-2::-1]):
        place = row * size - 0.5
        first = np.floor(place).astype(int)
        weights = weights_of(place - first)
        axes.append([(np.clip(first - before + k, 0, size - 1), w) for k, w in enumerate(weights)])
    total = np.zeros((at.shape[1], texels.shape[-1]))
    for choice in itertools.product(*axes):
        weight = np.prod([w for _, w in choice], axis=0)
        total += weight[:, None] * texels[tuple(index for index, _ in reversed(choice))]
    return total


def values(result):
    return np.stack([np.array(channel, dtype=np.float64).ravel() for channel in result], axis=-1)


@every_shape
@every_channels
@every_wrap
@every_filter
def test_fetch(dimensions, channels, wrap, filter_mode):
    texels = random_texels(dimensions, channels)
    texture = make(dimensions, texels, wrap_mode=WRAPS[wrap], filter_mode=FILTERS[filter_mode])
    eighths = positions(dimensions)
    found = values(texture.eval(point(eighths, dimensions)))
    expected = model.fetch(texels, eighths, wrap, filter_mode == "linear")
    np.testing.assert_array_equal(found, expected)


@every_shape
@every_channels
@every_filter
def test_half(dimensions, channels, filter_mode):
    texels = random_texels(dimensions, channels)
    texture = make(dimensions, texels, "f16", filter_mode=FILTERS[filter_mode])
    eighths = positions(dimensions)
    found = values(texture.eval(point(eighths, dimensions)))
    expected = model.fetch(texels, eighths, "clamp", filter_mode == "linear")
    # What comes back is an f32 or an f16, which has 11 bits.
    np.testing.assert_allclose(found, expected, rtol=2**-11, atol=2**-10)


@every_shape
@every_channels
def test_bytes(dimensions, channels):
    texels = np.random.default_rng(channels).integers(0, 256, (*SHAPES[dimensions], channels))
    texture = getattr(backend, f"Texture{dimensions}f8u")(SHAPES[dimensions], channels, filter_mode=dr.FilterMode.Nearest)
    texture.set_value(backend.UInt8(texels.astype(np.uint8).ravel()))
    eighths = positions(dimensions)
    found = values(texture.eval(point(eighths, dimensions)))
    expected = model.fetch(texels, eighths, "clamp", False)
    np.testing.assert_array_equal(found.astype(np.float32), (expected / 255).astype(np.float32))


@every_shape
@every_channels
def test_any_position(dimensions, channels):
    """Positions between the 256 steps of a texel: no result is further off than the texels of a step differ."""
    shape = {1: (37,), 2: (11, 37), 3: (5, 11, 7)}[dimensions]
    generator = np.random.default_rng(channels)
    texels = generator.random((*shape, channels)).astype(np.float32)
    texture = make(dimensions, texels)
    at = generator.random((dimensions, 4096), dtype=np.float32)
    found = values(texture.eval(array(at)))
    expected = weighted(texels, at, lambda part: [1 - part, part], 0)
    np.testing.assert_allclose(found, expected, atol=dimensions / 256)


@every_shape
@every_channels
def test_fetch_of_texels(dimensions, channels):
    """eval_fetch: the texels that filtering would use (gathers in two dimensions)."""
    texels = random_texels(dimensions, channels)
    texture = make(dimensions, texels)
    eighths = positions(dimensions)
    corners = texture.eval_fetch(point(eighths, dimensions))
    assert len(corners) == 2**dimensions
    for number, corner in enumerate(corners):
        # The texel itself is what a nearest fetch at its centre gives; x is the fastest of the corners.
        centres = [8 * (np.floor_divide(e - 4, 8) + (number >> axis & 1)) + 4 for axis, e in enumerate(eighths)]
        np.testing.assert_array_equal(values(corner), model.fetch(texels, centres, "clamp", False))


@every_shape
@every_channels
def test_cubic(dimensions, channels):
    """The cubic interpolant, which is made of linear fetches, against that of the texels' B-spline."""
    texels = random_texels(dimensions, channels) / 100
    texture = make(dimensions, texels)
    at = np.random.default_rng(2).random((dimensions, 500), dtype=np.float32)

    def spline(t):
        return [(1 - t) ** 3 / 6, (3 * t**3 - 6 * t**2 + 4) / 6, (-3 * t**3 + 3 * t**2 + 3 * t + 1) / 6, t**3 / 6]

    found = values(texture.eval_cubic(array(at)))
    np.testing.assert_allclose(found, weighted(texels, at, spline, 1), atol=0.01 * dimensions)


@every_shape
@every_channels
def test_derivatives(dimensions, channels):
    """Derivatives by the texels: the weights of the fetches, summed."""
    texels = random_texels(dimensions, channels)
    of = differentiable
    tensor = of.TensorXf(texels.astype(np.float32))
    dr.enable_grad(tensor)
    texture = getattr(of, f"Texture{dimensions}f")(tensor, migrate=False)
    eighths = positions(dimensions, 200)
    channel_sums = texture.eval(point(eighths, dimensions, of))
    dr.backward(sum(dr.sum(c) for c in channel_sums))
    found = np.array(tensor.grad, dtype=np.float64).reshape(texels.shape)
    expected = np.zeros(texels.shape)
    for index in np.ndindex(*SHAPES[dimensions]):
        one = np.zeros((*SHAPES[dimensions], 1))
        one[index] = 1
        expected[index] = model.fetch(one, eighths, "clamp", True).sum()
    np.testing.assert_allclose(found, expected, atol=1e-3)


@every_shape
@every_channels
def test_masks_and_new_values(dimensions, channels):
    texels, later = random_texels(dimensions, channels), random_texels(dimensions, channels, seed=50)
    texture = make(dimensions, texels, filter_mode=dr.FilterMode.Nearest)
    eighths = positions(dimensions)
    odd = backend.Bool(np.arange(999) % 2 == 1)
    at = point(eighths, dimensions)
    first = values(texture.eval(at, active=odd))
    expected = model.fetch(texels, eighths, "clamp", False) * (np.arange(999) % 2 == 1)[:, None]
    np.testing.assert_array_equal(first, expected)
    texture.set_tensor(backend.TensorXf(later.astype(np.float32)))
    np.testing.assert_array_equal(values(texture.eval(at)), model.fetch(later, eighths, "clamp", False))
    np.testing.assert_array_equal(np.array(texture.tensor()).reshape(later.shape), later)


@pytest.mark.parametrize("dimensions", [2])
@pytest.mark.parametrize("channels", [1, 2, 4])
def test_written(dimensions, channels):
    """Texels written by a kernel (surface stores), read back."""
    height, width = SHAPES[dimensions]
    texture = backend.Texture2f((height, width), channels, writable=True)
    number = dr.arange(backend.UInt32, height * width)
    at = backend.Array2u(number % width, number // width)
    texture.write(at, [backend.Float(number) * (c + 1) for c in range(channels)])
    dr.eval()
    found = np.array(texture.tensor()).reshape(height * width, channels)
    expected = np.arange(height * width)[:, None] * (np.arange(channels) + 1)
    np.testing.assert_array_equal(found, expected)
