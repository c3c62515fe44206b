"""The numbers behind the pictures, and that there are pictures."""

import sys

import pytest

numpy = pytest.importorskip("numpy")

import texunit  # noqa: E402
from texunit import Texture, plot  # noqa: E402

F32 = numpy.float32


def raises(kind, words, function, *arguments, **keywords):
    with pytest.raises(kind) as error:
        function(*arguments, **keywords)
    assert words in str(error.value), str(error.value)


def noise(*shape, dtype="uint8"):
    values = numpy.random.default_rng(5).integers(0, 256, shape)
    return values.astype(dtype) if dtype == "uint8" else (values / 255).astype(dtype)


def bilinear(texels, xy):
    """Exact bilinear filtering of unnormalized coordinates, clamped."""
    height, width = texels.shape[:2]
    x, y = (xy.astype("float64") - 0.5).T
    left, upper = numpy.floor(x).astype(int), numpy.floor(y).astype(int)
    a, b = (x - left)[:, None], (y - upper)[:, None]
    def at(i, j):
        return texels[j.clip(0, height - 1), i.clip(0, width - 1)].astype("float64").reshape(len(xy), -1)
    top = (1 - a) * at(left, upper) + a * at(left + 1, upper)
    bottom = (1 - a) * at(left, upper + 1) + a * at(left + 1, upper + 1)
    return (1 - b) * top + b * bottom


@pytest.mark.parametrize("channels", [1, 2, 4])
def test_inspect_is_the_result_and_exact_filtering(channels):
    texels = noise(8, 8, channels, dtype="float32")
    texture = Texture(texels, filter="linear")
    xy = numpy.random.default_rng(1).uniform(-1, 9, (300, 2)).astype(F32)
    seen = plot.inspect(texture, xy)
    assert (seen["result"] == texture.sample(xy)).all()
    exact = bilinear(texels, xy.clip(0.5, 7.5))
    assert numpy.allclose(seen["exact"].reshape(300, -1), exact, atol=1e-12)
    assert seen["weights"].shape == (300, 4) and numpy.allclose(seen["weights"].sum(1), 1)
    assert numpy.allclose(seen["exact_weights"].sum(1), 1) and (seen["weight_error"] < 1 / 128).all()
    assert (seen["taps"] == 1).all() and (seen["level"] == 0).all() and (seen["texels"] <= 4).all()


def test_inspect_of_shapes_levels_and_gradients():
    texture = Texture(noise(64, 64), mipmaps=True, read="normalized", filter="linear", mip_filter="linear",
                      normalized_coords=True, anisotropy=8)
    xy = numpy.random.default_rng(2).random((5, 7, 2), dtype=F32)
    seen = plot.inspect(texture, xy, lod=2.5)
    assert seen["level"].shape == (5, 7) and (seen["level"] == 2.5).all()
    assert (seen["result"] == texture.sample(xy, lod=2.5)).all()
    grad = (numpy.array([1 / 8, 0], F32), numpy.array([0, 1 / 64], F32))
    seen = plot.inspect(texture, xy, grad=grad)
    assert (seen["taps"] > 1).all() and (seen["result"] == texture.sample(xy, grad=grad)).all()
    line = Texture(noise(9), read="normalized", filter="linear")
    assert plot.inspect(line, numpy.linspace(0, 9, 20).reshape(4, 5))["weights"].shape == (4, 5, 2)
    cube = Texture(noise(6, 4, 4), cube=True, read="normalized", filter="linear")
    assert plot.inspect(cube, numpy.ones((3, 3)))["weights"].shape == (3, 4)
    depth = Texture(noise(4, 4, dtype="float32"), filter="linear", compare="less")
    assert set(plot.inspect(depth, numpy.full((1, 2), 2.0), compare=0.5)["exact"].tolist()) <= {0, 0.25, 0.5, 0.75, 1}
    layered = Texture(noise(3, 4, 4), layered=True, read="normalized")
    assert plot.inspect(layered, numpy.full((2, 2), 0.5), layer=1)["result"].shape == (2,)
    parts = []
    plot.inspect(line, numpy.zeros(20_000), progress=lambda *both: parts.append(both))
    assert parts == [(8192, 20_000), (16384, 20_000), (20_000, 20_000)]


def test_mistakes():
    texture = Texture(noise(4, 4), read="normalized", filter="linear")
    raises(ValueError, "last axis of 2", plot.inspect, texture, numpy.zeros(3))
    raises(ValueError, "no points", plot.inspect, texture, numpy.zeros((0, 2)))
    raises(TypeError, "(ddx, ddy)", plot.inspect, texture, numpy.zeros((1, 2)), grad=1.0)
    raises(TypeError, "not filtered", plot.inspect, Texture(noise(4, 4)), numpy.zeros((1, 2)))
    raises(TypeError, "multi-sample", plot.inspect, Texture(noise(2, 4, 4), multisample=True), numpy.zeros((1, 2)))
    raises(ValueError, "two points", plot.line, texture, 0, (1, 1))
    raises(ValueError, "channel: 1", plot.line, texture, (0, 0), (1, 1), channel=1)
    raises(TypeError, "both, or neither", plot.error, texture, (0, 0))
    raises(TypeError, "2D texture", plot.error, Texture(noise(4), read="normalized"))
    raises(ValueError, "(height, width, 2)", plot.levels, texture, numpy.zeros((3, 2)))
    raises(ValueError, "tilt", plot.plane, tilt=90)


def test_a_plane():
    flat = plot.plane((20, 30), tilt=0, repeat=2)
    assert flat.shape == (20, 30, 2) and flat.dtype == F32 and flat.min() == 0
    steps = numpy.diff(flat[:, :, 0], axis=1)
    assert numpy.allclose(steps, 2 / 30, atol=1e-6)
    tilted = plot.plane((20, 30), tilt=75, repeat=3)
    widths = tilted[:, -1, 0] - tilted[:, 0, 0]
    assert (numpy.diff(widths) < 0).all() and 2.8 < widths[-1] < 3.2


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    texture = Texture(noise(4, 4), read="normalized", filter="linear")
    raises(ImportError, "pip install matplotlib", plot.line, texture, (0, 0), (4, 4), points=4)


def test_pictures(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    texture = Texture(noise(16, 16, 4), mipmaps=True, read="normalized", filter="linear", mip_filter="linear",
                      normalized_coords=True, address="wrap", anisotropy=8)
    figures = [
        plot.line(texture, (0, 0.5), (1, 0.5), points=64),
        plot.line(Texture(noise(8), read="normalized", filter="linear"), 0, 8, points=16),
        plot.error(texture, size=(24, 32), channel=2, lod=1.0),
        plot.error(Texture(noise(4, 4), read="normalized", filter="linear"), (1, 1), (3, 3), size=(8, 8)),
        plot.levels(texture, plot.plane((24, 32))),
    ]
    for number, figure in enumerate(figures):
        figure.savefig(tmp_path / f"{number}.png")
        assert (tmp_path / f"{number}.png").stat().st_size > 5000
    lines = figures[0].axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["exact", "texture unit"] and len(figures[0].axes) == 3
    levels = figures[4].axes[1].get_images()[0].get_array()
    assert levels.max() > levels.min()
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []
