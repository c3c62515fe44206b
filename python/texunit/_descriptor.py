"""``ResourceDescriptor`` and ``TextureObjectOptions``, with the words and the defaults of ``cuda.core.texture``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

__all__ = [
    "AddressModeType",
    "FilterModeType",
    "ReadModeType",
    "ResourceDescriptor",
    "TextureObjectOptions",
]


class AddressModeType(str, Enum):
    """What is read outside: the coordinate wraps around, is clamped or mirrored, or it is the border colour."""

    WRAP = "wrap"
    CLAMP = "clamp"
    MIRROR = "mirror"
    BORDER = "border"


class FilterModeType(str, Enum):
    """The nearest texel, or a weighted mean of those around."""

    POINT = "point"
    LINEAR = "linear"


class ReadModeType(str, Enum):
    """Texels as they are, or integers as floats from 0 or -1 to 1."""

    ELEMENT_TYPE = "element_type"
    NORMALIZED_FLOAT = "normalized_float"


_FORMATS = {
    "uint8": ("u8", 1),
    "int8": ("s8", 1),
    "uint16": ("u16", 2),
    "int16": ("s16", 2),
    "uint32": ("u32", 4),
    "int32": ("s32", 4),
    "float16": ("f16", 2),
    "float32": ("f32", 4),
}


class ResourceDescriptor:
    """What a texture reads, for ``texunit.Texture(resource, options)``; made by one of the ``from_`` methods.

    >>> import numpy, texunit
    >>> memory = numpy.arange(64, dtype="float32")
    >>> rows = texunit.ResourceDescriptor.from_pitch2d(
    ...     memory, format="float32", num_channels=1, width=6, height=4, pitch_bytes=64)
    >>> texunit.Texture(rows).fetch((1, 2))
    np.float32(33.0)
    """

    def __init__(self) -> None:
        raise TypeError("a ResourceDescriptor is made by from_opaque_array, from_mipmapped_array, from_linear or from_pitch2d")

    @classmethod
    def _new(cls, kind: str, source: Any, **others: Any) -> ResourceDescriptor:
        made = cls.__new__(cls)
        values = {name: None for name in ("format", "num_channels", "size_bytes", "width", "height", "pitch_bytes")}
        made.__dict__.update(kind=kind, source=source, **(values | others))
        return made

    @classmethod
    def from_opaque_array(cls, array: Any) -> ResourceDescriptor:
        """An array, as ``texunit.Texture(array)`` takes it."""
        return cls._new("opaque_array", array)

    @classmethod
    def from_mipmapped_array(cls, mipmapped_array: Any) -> ResourceDescriptor:
        """A list of arrays, one for each mip level."""
        return cls._new("mipmapped_array", list(mipmapped_array))

    @classmethod
    def from_linear(
        cls, buffer: Any, *, format: Any, num_channels: int, size_bytes: int | None = None
    ) -> ResourceDescriptor:
        """Memory as texels in a row, which are fetched by number: no filters, no normalized coordinates.

        ``format`` is the type of a channel (``"float32"``), ``num_channels`` 1, 2 or 4; ``size_bytes`` are used, all if it is
        left out.
        """
        name, size = _format(format, num_channels)
        available = memoryview(buffer).nbytes
        used = available if size_bytes is None else size_bytes
        if not 0 < used <= available:
            raise ValueError(f"size_bytes: {used} is not from 1 to {available}, the size of the buffer")
        return cls._new("linear", buffer, format=name, num_channels=num_channels, size_bytes=used, width=used // size)

    @classmethod
    def from_pitch2d(
        cls, buffer: Any, *, format: Any, num_channels: int, width: int, height: int, pitch_bytes: int
    ) -> ResourceDescriptor:
        """Memory as ``height`` rows of ``width`` texels, ``pitch_bytes`` apart: a multiple of 32."""
        name, _ = _format(format, num_channels)
        for what, value in (("width", width), ("height", height), ("pitch_bytes", pitch_bytes)):
            if not 0 < value < 1 << 32:
                raise ValueError(f"{what}: {value} is not from 1 to 4294967295")
        return cls._new(
            "pitch2d",
            buffer,
            format=name,
            num_channels=num_channels,
            width=width,
            height=height,
            pitch_bytes=pitch_bytes,
        )

    kind: str
    source: Any
    format: str | None
    num_channels: int | None
    size_bytes: int | None
    width: int | None
    height: int | None
    pitch_bytes: int | None

    def _parts(self) -> tuple[str, Any, str | None, tuple[int, int], int]:
        """What the compiled part reads."""
        channels = {1: "", 2: "x2", 4: "x4"}[self.num_channels or 1]
        texel = None if self.format is None else _FORMATS[self.format][0] + channels
        return self.kind, self.source, texel, (self.width or 0, self.height or 1), self.pitch_bytes or 0

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a ResourceDescriptor does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.__dict__,)

    def __repr__(self) -> str:
        return f"<texunit.ResourceDescriptor: {self.kind}>"


def _again(values: dict[str, Any]) -> ResourceDescriptor:
    made = ResourceDescriptor.__new__(ResourceDescriptor)
    made.__dict__.update(values)
    return made


def _format(format: Any, num_channels: int) -> tuple[str, int]:
    """The name of a type of channels, and the bytes of a texel."""
    for attribute in ("value", "name", "__name__"):
        if not isinstance(format, str):
            format = getattr(format, attribute, format)
    if format not in _FORMATS:
        raise ValueError(f"format: {format!r} is not one of {', '.join(_FORMATS)}")
    if num_channels not in (1, 2, 4):
        raise ValueError(f"num_channels: {num_channels} is not one of 1, 2, 4")
    return str(format), _FORMATS[format][1] * num_channels


@dataclass
class TextureObjectOptions:
    """How a texture is read: the fields and the defaults of ``cuda.core.texture.TextureObjectOptions``, whose objects
    ``texunit.Texture(resource, options)`` takes too.

    As there the largest level is 0 if nothing else is said. ``disable_trilinear_optimization`` changes nothing: the
    optimisation is never made.

    >>> import numpy, texunit
    >>> options = texunit.TextureObjectOptions(filter_mode="linear", address_mode=("wrap", "mirror"), normalized_coords=True)
    >>> texunit.Texture(numpy.eye(2, dtype="float32"), options)(0.5, 0.5)
    np.float32(0.5)
    """

    address_mode: Any = AddressModeType.CLAMP
    filter_mode: Any = FilterModeType.POINT
    read_mode: Any = ReadModeType.ELEMENT_TYPE
    normalized_coords: bool = False
    srgb: bool = False
    disable_trilinear_optimization: bool = False
    seamless_cubemap: bool = False
    max_anisotropy: int = 0
    mipmap_filter_mode: Any = FilterModeType.POINT
    mipmap_level_bias: float = 0.0
    min_mipmap_level_clamp: float = 0.0
    max_mipmap_level_clamp: float = 0.0
    border_color: tuple[float, ...] | None = None
