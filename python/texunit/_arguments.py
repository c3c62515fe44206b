"""Arguments of kernels: bytes of scalars by the kernel's signature, and the memory of arrays."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ._texunit import Surface, Texture

if TYPE_CHECKING:
    import numpy

_FLOATS = {2: "<e", 4: "<f", 8: "<d"}
_OPAQUE = {"texref": Texture, "samplerref": Texture, "surfref": Surface}


@dataclass(frozen=True)
class Param:
    """A parameter of a kernel: its name and type in the PTX (``"u32"``, ``"f32"``, ``"texref"``; ``"bytes"`` of a structure or
    array by value), and its size in bytes. ``elements`` is what the kernel loads and stores through a pointer, as far as its
    text tells: type, bytes, and how many at a time (``("f32", 4, 1)``)."""

    name: str
    type: str
    size: int
    declaration: str
    elements: Sequence[tuple[str, int, int]] = ()

    def __str__(self) -> str:
        return self.declaration


@dataclass
class Array:
    """An array that a kernel gets the address of."""

    given: numpy.ndarray[Any, Any]
    contiguous: numpy.ndarray[Any, Any]
    param: Param

    @property
    def is_written(self) -> bool:
        return bool(self.given.flags.writeable)

    def bytes(self) -> tuple[Any, bool, str]:
        import numpy

        return self.contiguous.reshape(-1).view(numpy.uint8), self.is_written, self.param.name

    def write_back(self) -> None:
        """Copies what the kernel has left to an array that is not contiguous."""
        if self.is_written and self.contiguous is not self.given:
            self.given[...] = self.contiguous

    def is_same(self, other: Array) -> bool:
        ours, theirs = self.given, other.given
        return (ours.ctypes.data, ours.shape, ours.strides, ours.dtype) == (
            theirs.ctypes.data,
            theirs.shape,
            theirs.strides,
            theirs.dtype,
        )

    def overlaps(self, other: Array) -> bool:
        import numpy

        if not (self.is_written or other.is_written) or not numpy.may_share_memory(self.given, other.given):
            return False
        # Its types know two values only.
        limit: Any = 100_000
        try:
            return bool(numpy.shares_memory(self.given, other.given, max_work=limit))
        except numpy.exceptions.TooHardError:
            return True


def counted(n: int, word: str) -> str:
    """``1 byte``, ``2 bytes``."""
    return f"{n} {word}" if n == 1 else f"{n} {word}s"


def arguments(values: tuple[Any, ...], params: list[Param], kernel: str) -> tuple[list[Any], list[Array]]:
    """Arguments as the compiled part takes them, and the arrays among them."""
    if len(values) != len(params):
        listed = ", ".join(map(str, params)) or "none"
        raise TypeError(f"{kernel} takes {counted(len(params), 'argument')} ({listed}), not {len(values)}")
    arrays: list[Array] = []
    made = [_argument(value, param, arrays) for value, param in zip(values, params, strict=True)]
    return made, arrays


def _argument(value: Any, param: Param, arrays: list[Array]) -> Any:
    if param.type in _OPAQUE:
        wanted = _OPAQUE[param.type]
        if not isinstance(value, wanted):
            raise TypeError(f"{param}: a texunit.{wanted.__name__} is expected, not {_what(value)}")
        return value
    if param.type == "bytes":
        return _structure(value, param)
    is_pointer = param.size == 8 and param.type[0] in "usb"
    if isinstance(value, Texture | Surface):
        if not is_pointer:
            raise TypeError(f"{param}: the handle of a {type(value).__name__} takes 64 bits")
        return value
    if value is None and is_pointer:
        return bytes(8)
    if isinstance(value, str):
        raise TypeError(f"{param}: {_what(value)} is not a number")
    if isinstance(value, bool | int | float):
        return _scalar(value, param)
    import numpy

    if isinstance(value, numpy.generic):
        if value.dtype.kind not in "biuf":
            raise TypeError(f"{param}: {_what(value)} is not a number of its type")
        return _scalar(value.item(), param)
    array = _array(value, param)
    if not is_pointer:
        raise TypeError(f"{param}: a number is expected, not an array, whose address takes 64 bits")
    _compare(array.given.dtype, param)
    return _number_of(array, arrays)


_NAMES = {"f": "float", "s": "int", "u": "uint", "b": "uint"}


def _compare(dtype: numpy.dtype[Any], param: Param) -> None:
    """Refuses items that are not what the kernel has at the address: float64 for `float *`. Bytes are anything, and so are
    structures; numbers that an instruction may take several of at once (two of 16 bits as one of 32) are not told apart."""
    kind, item = dtype.kind, dtype.itemsize
    if kind not in "iufcmM" or item == 1 or not param.elements:
        return
    sizes = {size for _, size, _ in param.elements}
    together = {size * count for _, size, count in param.elements}
    if item in sizes or (kind != "f" and item in together) or (kind == "c" and item // 2 in sizes):
        return
    are_packed = dtype == "float16" or any(type_[0] == "b" for type_, _, _ in param.elements)
    if item < min(sizes) and not are_packed or item > max(sizes):
        type_, size, _ = param.elements[0]
        name = f"{_NAMES[type_[0]]}{8 * size}" if type_[0] in _NAMES and size <= 8 else "uint8"
        raise TypeError(
            f"{param}: the kernel has .{type_} there, items of {size} bytes, and the array is of {dtype}, of {item}: "
            f"pass `a.astype({name!r})`, or `a.view('uint8')` if its bytes are meant"
        )


def _number_of(array: Array, arrays: list[Array]) -> int:
    """Its number among the arrays: the same memory is the same address."""
    for number, other in enumerate(arrays):
        if array.is_same(other):
            return number
        if array.overlaps(other):
            raise ValueError(
                f"{array.param}: its memory overlaps that of {other.param}: pass one array, and where each begins in it"
            )
    arrays.append(array)
    return len(arrays) - 1


def _scalar(value: float, param: Param) -> bytes:
    kind, bits = param.type[0], 8 * param.size
    if isinstance(value, float) and kind in "us":
        raise TypeError(f"{param}: {value!r} is not an integer")
    if (kind == "f" or isinstance(value, float)) and param.size in _FLOATS:
        try:
            return struct.pack(_FLOATS[param.size], value)
        except (OverflowError, struct.error):
            raise ValueError(f"{param}: {value!r} is out of the range of an f{bits}") from None
    if isinstance(value, float):
        raise TypeError(f"{param}: {value!r} is not an integer")
    # CUDA C++'s `int` is `.u32` in PTX: only `.s32` says that it has a sign.
    least, most = -(1 << bits - 1), (1 << bits - (kind == "s")) - 1
    if not least <= value <= most:
        raise ValueError(f"{param}: {value} is not from {least} to {most}")
    return (value & (1 << bits) - 1).to_bytes(param.size, "little")


def _structure(value: Any, param: Param) -> bytes:
    import numpy

    if isinstance(value, numpy.generic | numpy.ndarray):
        content = value.tobytes()
    else:
        try:
            content = memoryview(value).tobytes()
        except TypeError:
            raise TypeError(
                f"{param}: its {counted(param.size, 'byte')} {'is' if param.size == 1 else 'are'} expected, as bytes or as an "
                f"array of NumPy, not {_what(value)}"
            ) from None
    if len(content) != param.size:
        are = "is" if param.size == 1 else "are"
        raise ValueError(f"{param}: {counted(param.size, 'byte')} {are} expected, not {len(content)}")
    return content


def _array(value: Any, param: Param) -> Array:
    import numpy

    if isinstance(value, numpy.ndarray):
        array = value
    else:
        try:
            array = numpy.asarray(memoryview(value))
        except TypeError:
            if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
                array = numpy.asarray(value)
            elif hasattr(value, "__dlpack__"):
                array = numpy.from_dlpack(value)
            else:
                raise TypeError(f"{param}: {_what(value)} is neither a number nor an array") from None
    if array.dtype.hasobject:
        raise TypeError(f"{param}: an array of Python objects has no bytes")
    if not array.dtype.isnative:
        raise TypeError(f"{param}: {array.dtype} is of the other byte order: use `a.astype(a.dtype.newbyteorder('='))`")
    return Array(array, numpy.ascontiguousarray(array) if not array.flags.c_contiguous else array, param)


def _what(value: Any) -> str:
    return f"{type(value).__name__} {value!r}" if isinstance(value, str) else f"an object of {type(value).__name__}"
