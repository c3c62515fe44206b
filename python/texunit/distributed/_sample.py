"""Coordinates in parts."""

import pickle

from . import _tasks

# Operands of ``Texture.sample`` that are arrays: those of a number a fetch, and those of a number an axis.
NUMBERS = ("lod", "layer", "compare")
VECTORS = ("offset",)


def _array(value):
    """Something that can be sliced: an array, a list, a number."""
    import numpy

    if isinstance(value, int | float | list | numpy.ndarray | numpy.generic):
        return value
    array = numpy.asarray(value)
    return numpy.from_dlpack(value) if array.dtype == object and hasattr(value, "__dlpack__") else array


class _Operand:
    """An operand of many fetches: arrays that are split where they have the first axis of the fetches."""

    def __init__(self, value, axes):
        # A tuple has an array for each axis; an array has the axes last, unless there is one only.
        self.is_tuple = isinstance(value, tuple)
        self.arrays = [_array(item) for item in value] if self.is_tuple else [_array(value)]
        self.lasts = 0 if self.is_tuple or axes == 1 else 1

    def shapes(self):
        import numpy

        for array in self.arrays:
            shape = numpy.shape(array)
            yield shape[: len(shape) - self.lasts]

    def part(self, whole, first, end):
        arrays = [
            array[first:end] if len(shape) == len(whole) and shape[0] == whole[0] else array
            for array, shape in zip(self.arrays, self.shapes(), strict=True)
        ]
        return tuple(arrays) if self.is_tuple else arrays[0]


def _operands(tex, xy, keywords):
    """All operands that may be arrays, by the keyword; the gradients under two."""
    axes = {"1d": 1, "a1d": 1, "2d": 2, "a2d": 2}.get(tex.geometry, 3)
    found = {"xy": _Operand(xy, axes)}
    for name in NUMBERS + VECTORS:
        if keywords.get(name) is not None:
            found[name] = _Operand(keywords[name], axes if name in VECTORS else 1)
    grad = keywords.get("grad")
    if grad is not None:
        if not isinstance(grad, tuple) or len(grad) != 2:
            raise TypeError("grad: a tuple of two is expected, (ddx, ddy)")
        found["ddx"], found["ddy"] = (_Operand(one, axes) for one in grad)
    return found


def _sample_part(shared, operands, keywords):
    keywords = {**keywords, **operands}
    if "ddx" in keywords:
        keywords["grad"] = keywords.pop("ddx"), keywords.pop("ddy")
    return shared.made(pickle.loads).sample(keywords.pop("xy"), **keywords)


def sample(tex, xy, executor, *, workers=None, parts=4, folder=None, **keywords):
    """``tex.sample(xy, **keywords)``, in ``parts`` parts a worker.

    ``xy`` is an array with the coordinates in its last axis (of 1D textures x itself), or a tuple of arrays. Keywords are those
    of ``Texture.sample`` without ``out``. The fetches are split along the first axis of the shape to which all operands
    broadcast, and ``lod``, ``grad``, ``layer``, ``offset`` and ``compare`` with them where they are arrays that have that axis.
    """
    import numpy

    if "out" in keywords:
        raise TypeError("out: the results are a new array")
    operands = _operands(tex, xy, keywords)
    try:
        whole = numpy.broadcast_shapes(*(shape for operand in operands.values() for shape in operand.shapes()))
    except ValueError:
        whole = ()
    if not whole or whole[0] == 0:
        # One fetch, none, or an error, whose words are those of the texture.
        return tex.sample(xy, **keywords)
    rest = {name: value for name, value in keywords.items() if name not in (*NUMBERS, *VECTORS, "grad")}
    ranges = _tasks.split(whole[0], _tasks.worker_count(executor, workers) * parts)
    shared = _tasks.Shared(pickle.dumps(tex, protocol=5), _tasks.ray_of(executor), folder)
    try:
        tasks = [
            (shared, {name: operand.part(whole, *ends) for name, operand in operands.items()}, rest) for ends in ranges
        ]
        return numpy.concatenate(_tasks.each(executor, _sample_part, tasks))
    finally:
        shared.close()
