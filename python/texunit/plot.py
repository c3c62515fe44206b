"""Pictures of what filtering does, drawn by matplotlib (``pip install matplotlib``).

Every function takes a texture and returns a ``matplotlib.figure.Figure``; ``inspect`` gives the numbers behind them. "Exact" is
a result whose weights are those of the coordinates before the unit rounds them to 8 bits, added in float64; level, taps and
texels are the ones that the unit reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _progress
from ._texunit import Texture, _inspect

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike, NDArray

__all__ = ["error", "inspect", "levels", "line", "plane"]

_PART = 8192  # fetches between two reports of progress
_SLOPE = 0.95  # of a plane seen edge on, how much of the way to the horizon the upper edge of the picture is


def inspect(
    texture: Texture,
    xy: ArrayLike,
    *,
    lod: ArrayLike | None = None,
    grad: tuple[ArrayLike, ArrayLike] | None = None,
    layer: int | None = None,
    compare: float | None = None,
    progress: Any = None,
) -> dict[str, NDArray[Any]]:
    """What each of many samples did, one after the other as the reference does them: some 100,000 a second.

    ``xy`` has x, y, z in the last axis, of 1D textures it is x itself; ``lod`` and ``grad`` broadcast with it, as for
    ``Texture.sample``. In the result ``"result"`` and ``"exact"`` are float64 with the shape of the results, ``"level"`` is the
    level in 1/256 steps, ``"taps"`` counts anisotropic taps and ``"texels"`` texels read, ``"weight_error"`` is the largest
    distance of a weight from the exact one, and ``"weights"`` and ``"exact_weights"`` are those of the first tap, by corners: 2,
    4 or 8, x first. Integers read as elements are a ``TypeError``: they are not filtered.

    >>> import numpy, texunit
    >>> tex = texunit.Texture(numpy.array([0, 1], "float32"), filter="linear")
    >>> seen = texunit.plot.inspect(tex, numpy.array([1.001], "float32"))
    >>> seen["result"].tolist(), seen["weights"].tolist()
    ([0.5], [[0.5, 0.5]])
    >>> bool(seen["exact"][0] > 0.5005)
    True
    """
    seen = _seen(texture, xy, lod, grad, layer, compare, progress)
    if seen["result"].shape[-1] == 1:
        seen |= {name: seen[name][..., 0] for name in ("result", "exact")}
    return seen


def _seen(
    texture: Texture,
    xy: ArrayLike,
    lod: ArrayLike | None = None,
    grad: tuple[ArrayLike, ArrayLike] | None = None,
    layer: int | None = None,
    compare: float | None = None,
    progress: Any = None,
) -> dict[str, NDArray[Any]]:
    """As ``inspect``, with an axis of channels in any case."""
    import numpy

    axes = _axes(texture)
    points = numpy.asarray(xy, "float32")
    if axes > 1 and (points.ndim == 0 or points.shape[-1] != axes):
        raise ValueError(f"xy: a last axis of {axes} is expected, not the shape {points.shape}")
    shape = points.shape if axes == 1 else points.shape[:-1]
    point = points.reshape(-1) if axes == 1 else points.reshape(-1, axes)
    level = None if lod is None else numpy.broadcast_to(numpy.asarray(lod, "float32"), shape).reshape(-1)
    both = None
    if grad is not None:
        if not (isinstance(grad, tuple | list) and len(grad) == 2):
            raise TypeError("grad: a tuple of two is expected, (ddx, ddy)")
        both = [numpy.broadcast_to(numpy.asarray(each, "float32"), points.shape).reshape(point.shape) for each in grad]
    if not len(point):
        raise ValueError("xy: there are no points")
    parts = []
    with _progress.callback(progress, "fetch") as tell:
        for first in range(0, len(point), _PART):
            part = slice(first, first + _PART)
            parts.append(
                _inspect(
                    texture,
                    point[part],
                    lod=None if level is None else level[part],
                    grad=None if both is None else (both[0][part], both[1][part]),
                    layer=layer,
                    compare=None if compare is None else float(compare),
                )
            )
            if tell is not None:
                tell(min(first + _PART, len(point)), len(point))
    joined = {name: numpy.concatenate([part[name] for part in parts]) for name in parts[0]}
    return {name: values.reshape(*shape, *values.shape[1:]) for name, values in joined.items()}


def line(
    texture: Texture,
    start: ArrayLike,
    end: ArrayLike,
    *,
    points: int = 2000,
    channel: int = 0,
    lod: float | None = None,
    layer: int | None = None,
    progress: Any = None,
) -> Figure:
    """Results along a line from ``start`` to ``end`` (coordinates as for ``sample``), their distance from exact filtering, and
    the weights of the texels, each beside the exact one."""
    import numpy

    ends = [numpy.asarray(each, "float64") for each in (start, end)]
    if ends[0].shape != ends[1].shape or points < 2:
        raise ValueError("line: start and end have as many coordinates, and there are two points at least")
    share = numpy.linspace(0, 1, points)
    at = share if ends[0].ndim == 0 else share[:, None]
    xy = ends[0] + at * (ends[1] - ends[0])
    seen = _seen(texture, xy, lod=lod, layer=layer, progress=progress)
    result, exact = (_channel(seen[name], channel) for name in ("result", "exact"))
    figure, (top, middle, bottom) = _figure(3, 1, (8, 8), sharex=True)
    top.plot(share, exact, color="0.6", linewidth=3, label="exact")
    top.step(share, result, where="mid", color="C0", linewidth=1, label="texture unit")
    top.set_ylabel("result")
    top.legend()
    middle.axhline(0, color="0.8")
    middle.plot(share, result - exact, color="C3", linewidth=1)
    middle.set_ylabel("distance from exact")
    for corner in range(seen["weights"].shape[-1]):
        bottom.plot(share, seen["exact_weights"][:, corner], color="0.8", linewidth=3)
        bottom.plot(share, seen["weights"][:, corner], color=f"C{corner}", linewidth=1, label=_corner(texture, corner))
    bottom.set_ylabel("weight")
    bottom.set_xlabel(f"from {_shown(start)} to {_shown(end)}")
    bottom.legend()
    figure.suptitle(f"{texture!r}")
    return figure


def error(
    texture: Texture,
    start: ArrayLike | None = None,
    end: ArrayLike | None = None,
    *,
    size: tuple[int, int] = (256, 256),
    channel: int = 0,
    lod: float | None = None,
    layer: int | None = None,
    progress: Any = None,
) -> Figure:
    """How far results of a 2D texture are from exact filtering, over the area from ``start`` to ``end`` (by default the whole
    texture), at ``size`` points along y and x."""
    import numpy

    xy, (left, right, upper, lower) = _area(texture, start, end, size)
    seen = _seen(texture, xy, lod=lod, layer=layer, progress=progress)
    result, exact = (_channel(seen[name], channel) for name in ("result", "exact"))
    figure, both = _figure(1, 2, (11, 4.5))
    for axes, values, title in (
        (both[0], result, "result"),
        (both[1], numpy.abs(result - exact), "distance from exact filtering"),
    ):
        shown = axes.imshow(values, extent=(left, right, lower, upper), aspect="auto", interpolation="nearest")
        figure.colorbar(shown, ax=axes)
        axes.set_title(title)
        axes.set_xlabel("x")
        axes.set_ylabel("y")
    figure.suptitle(f"{texture!r}")
    return figure


def plane(size: tuple[int, int] = (240, 320), *, tilt: float = 75.0, repeat: float = 1.0) -> NDArray[Any]:
    """Coordinates of the pixels of a picture, (height, width, 2) of float32, that shows a plane with a texture on it
    (normalized coordinates), ``tilt`` degrees away from facing the viewer; at the lower edge it is ``repeat`` textures wide."""
    import numpy

    if not 0 <= tilt < 90:
        raise ValueError("tilt: degrees from 0 to below 90")
    height, width = size
    y, x = numpy.mgrid[0:height, 0:width].astype("float64")
    right, up = (x + 0.5) / width - 0.5, 0.5 - (y + 0.5) / height
    angle = numpy.radians(tilt)
    # The eye is at the distance 1 from the middle of the plane; where its ray through a pixel hits that.
    slope = _SLOPE * numpy.sin(angle)
    distance = (1 + slope) / (1 - 2 * up * slope)
    xy = numpy.stack([right * distance, up * distance / numpy.cos(angle)], -1) * repeat
    made: NDArray[Any] = (xy - xy.reshape(-1, 2).min(0)).astype("float32")
    return made


def levels(
    texture: Texture,
    xy: ArrayLike,
    *,
    grad: tuple[ArrayLike, ArrayLike] | None = None,
    layer: int | None = None,
    channel: int = 0,
    progress: Any = None,
) -> Figure:
    """Which level each pixel of a picture is read from, by how many taps, and what comes out. ``xy`` (height, width, 2) are the
    coordinates of the pixels, for example of ``plane``; without ``grad`` the gradients are their differences."""
    import numpy

    points = numpy.asarray(xy, "float32")
    if points.ndim != 3 or points.shape[-1] != 2 or min(points.shape[:2]) < 2:
        raise ValueError("xy: the shape (height, width, 2) is expected, of two pixels at least along each")
    if grad is None:
        grad = (numpy.gradient(points, axis=1), numpy.gradient(points, axis=0))
    seen = _seen(texture, points, grad=grad, layer=layer, progress=progress)
    figure, three = _figure(1, 3, (14, 4))
    shown = (
        (_channel(seen["result"], channel), "result", "gray"),
        (seen["level"], "level", "viridis"),
        (seen["taps"], "taps", "magma"),
    )
    for axes, (values, title, colours) in zip(three, shown, strict=True):
        figure.colorbar(axes.imshow(values, cmap=colours, interpolation="nearest"), ax=axes)
        axes.set_title(title)
    figure.suptitle(f"{texture!r}")
    return figure


def _axes(texture: Texture) -> int:
    geometry = texture.geometry
    if geometry in ("2dms", "a2dms"):
        raise TypeError("multi-sample textures are not filtered")
    return 3 if "cube" in geometry or geometry == "3d" else 1 if "1d" in geometry else 2


def _channel(values: NDArray[Any], channel: int) -> NDArray[Any]:
    if not 0 <= channel < values.shape[-1]:
        raise ValueError(f"channel: {channel} is not from 0 to {values.shape[-1] - 1}")
    picked: NDArray[Any] = values[..., channel]
    return picked


def _area(
    texture: Texture, start: ArrayLike | None, end: ArrayLike | None, size: tuple[int, int]
) -> tuple[NDArray[Any], tuple[float, float, float, float]]:
    """Coordinates of the middles of ``size`` cells, and where the area ends: left, right, upper, lower."""
    import numpy

    if _axes(texture) != 2:
        raise TypeError("an area is one of a 2D texture")
    if (start is None) != (end is None):
        raise TypeError("start and end: both, or neither")
    if start is None or end is None:
        rows, columns = texture.size
        normalized = texture.effective["coordinates"] == "normalized"
        start, end = (0, 0), ((1, 1) if normalized else (columns, rows))
    (left, upper), (right, lower) = (numpy.asarray(each, "float64").tolist() for each in (start, end))
    height, width = size
    y = upper + (numpy.arange(height) + 0.5) * ((lower - upper) / height)
    x = left + (numpy.arange(width) + 0.5) * ((right - left) / width)
    return numpy.stack(numpy.meshgrid(x, y), -1), (left, right, upper, lower)


def _corner(texture: Texture, corner: int) -> str:
    """``x+1, y`` of corner 1"""
    names = "xy" if "cube" in texture.geometry else "xyz"[: _axes(texture)]
    return ", ".join(name + ("+1" if corner >> axis & 1 else "") for axis, name in enumerate(names))


def _shown(point: ArrayLike) -> str:
    import numpy

    values = numpy.asarray(point, "float64").reshape(-1)
    text = ", ".join(f"{value:g}" for value in values)
    return f"({text})" if len(values) > 1 else text


def _figure(rows: int, columns: int, inches: tuple[float, float], **words: Any) -> tuple[Figure, Any]:
    """A figure that a notebook shows once: as what a cell returns."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("texunit.plot draws with matplotlib: `pip install matplotlib`") from None
    figure, axes = pyplot.subplots(rows, columns, figsize=inches, layout="constrained", **words)
    pyplot.close(figure)
    return figure, axes
