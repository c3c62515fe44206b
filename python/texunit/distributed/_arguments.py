"""The arguments of a launch as the files of a job."""

import json
import os
import re
import struct

_ENTRY = r"\.entry\s+{}\s*\(([^)]*)\)"
_PARAM = re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr\s*(?:\.\w+\s*(?:\d+\s*)?)*)?([\w$%]+)\s*(\[[^]]*\])?")
_ADDRESSES = ("u64", "b64", "s64")


class Job:
    """A job of a kernel with its arguments: its files by their names, and what is written back when it is done."""

    def __init__(self, kernel, grid, block, args, dynamic_shared):
        ptx, name = _kernel(kernel)
        types = _types(ptx, name)
        if len(types) != len(args):
            words = "parameter" if len(types) == 1 else "parameters"
            raise TypeError(f"args: {name} has {len(types)} {words}, not {len(args)}")
        self.ctas = count(grid)
        self.files = {"kernel.ptx": ptx.encode()}
        # Arrays and surfaces, by the names of outputs.
        self.written = {}
        self._seen = {}
        lines = [
            'ptx = "kernel.ptx"', f"kernel = {json.dumps(name)}", f"grid = {axes(grid)}", f"block = {axes(block)}",
            f"dynamic_shared = {int(dynamic_shared)}",
        ]  # fmt: skip
        for number, (value, (kind, is_array)) in enumerate(zip(args, types, strict=True)):
            lines += [f"[params.{number}]", *self._argument(number, value, kind, is_array)]
        self.files["job.toml"] = "\n".join([*lines, ""]).encode()

    def _argument(self, number, value, kind, is_array):
        import numpy

        from texunit import Surface, Texture

        if not isinstance(value, numpy.ndarray | Texture | Surface):
            return [_scalar(number, 0 if value is None else value, kind, is_array)]
        what = {Texture: ("texture", "handle", "texref"), Surface: ("surface", "handle", "surfref")}
        thing, number_of, reference = what.get(type(value), ("array", "address", None))
        if is_array or kind not in (*_ADDRESSES, reference):
            raise TypeError(f"args[{number}]: {_article(thing)} is {_article(number_of)} of 64 bits, not .{kind}")
        if id(value) in self._seen:
            return [f'use = "{self._seen[id(value)]}"']
        self._seen[id(value)] = number
        make = {"texture": self._texture, "surface": self._surface}.get(thing, self._array)
        return make(number, value)

    def _array(self, number, value):
        if value.dtype.hasobject:
            raise TypeError(f"args[{number}]: an array of objects has no bytes")
        self.files[f"{number}.bin"] = value.tobytes()
        lines = [f'buffer = {{ file = "{number}.bin" }}']
        if value.flags.writeable:
            lines.append(self._output(number, value))
        return lines

    def _texture(self, number, value):
        from texunit._texunit import texture_job

        keys, self.files[f"{number}.bin"] = texture_job(value)
        return [f'texture = {{ file = "{number}.bin", {keys} }}']

    def _surface(self, number, value):
        from texunit._texunit import surface_job

        keys, self.files[f"{number}.bin"] = surface_job(value)
        return [f'surface = {{ file = "{number}.bin", {keys} }}', self._output(number, value)]

    def _output(self, number, value):
        self.written[f"{number}.out"] = value
        return f'output = {{ file = "{number}.out" }}'

    def write_back(self, folder):
        """Writes the outputs of a folder to arrays and surfaces: all of them, once all have been read."""
        results = {}
        for name in self.written:
            with open(os.path.join(folder, name), "rb") as file:
                results[name] = file.read()
        for name, value in self.written.items():
            _fill(value, results[name])


def _fill(value, content):
    import numpy

    if isinstance(value, numpy.ndarray):
        value[...] = numpy.frombuffer(content, value.dtype).reshape(value.shape)
    else:
        from texunit._texunit import fill_surface

        fill_surface(value, content)


def _article(noun):
    return f"{'an' if noun[0] == 'a' else 'a'} {noun}"


def axes(of):
    return [int(of)] if isinstance(of, int) else [int(axis) for axis in of]


def count(grid):
    total = 1
    for axis in axes(grid):
        total *= axis
    return total


def _kernel(kernel):
    """PTX and name of a pair, or of anything that has both: a kernel of a module."""
    if isinstance(kernel, tuple | list) and len(kernel) == 2:
        ptx, name = kernel
    else:
        ptx = getattr(kernel, "ptx", None)
        if ptx is None:
            ptx = getattr(getattr(kernel, "module", None), "ptx", None)
        name = getattr(kernel, "name", None)
    if isinstance(ptx, os.PathLike):
        with open(ptx, encoding="utf-8") as file:
            ptx = file.read()
    if isinstance(ptx, bytes):
        ptx = ptx.decode()
    if not isinstance(ptx, str) or not isinstance(name, str):
        raise TypeError("kernel: expected (ptx, name), or a kernel with .ptx and .name")
    return ptx, name


def _types(ptx, name):
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", ptx, flags=re.DOTALL)
    entry = re.search(_ENTRY.format(re.escape(name)), plain)
    if entry is None:
        if re.search(rf"\.entry\s+{re.escape(name)}(?![\w$])", plain):
            return []
        raise ValueError(f"kernel: the PTX has no .entry {name}")
    return [(kind, bool(array)) for kind, _, array in _PARAM.findall(entry[1])]


def _scalar(number, value, kind, is_array):
    """The table of a parameter that is a number or a structure."""
    import numpy

    if isinstance(value, bytes | bytearray):
        return f'scalar = {{ bytes = "{bytes(value).hex()}" }}'
    if is_array:
        raise TypeError(f"args[{number}]: a structure is given as its bytes")
    if kind[0] not in "fbus" or not kind[1:].isdigit():
        raise TypeError(f"args[{number}]: a number cannot be .{kind}")
    size = int(kind[1:])
    is_float = isinstance(value, float | numpy.floating)
    if kind[0] == "f" or (kind[0] == "b" and is_float):
        if not isinstance(value, float | int | numpy.floating | numpy.integer):
            raise TypeError(f"args[{number}]: a number is expected for .{kind}, not {type(value).__name__}")
        letter, unsigned = {16: ("e", "H"), 32: ("f", "I"), 64: ("d", "Q")}[size]
        (bits,) = struct.unpack("<" + unsigned, struct.pack("<" + letter, value))
        return f'scalar = {{ f{size} = "0x{bits:0{size // 4}x}" }}'
    if not isinstance(value, int | numpy.integer):
        raise TypeError(f"args[{number}]: an integer is expected for .{kind}, not {type(value).__name__}")
    value = int(value)
    if not -(1 << size - 1) <= value < 1 << size:
        raise ValueError(f"args[{number}]: {value} does not fit .{kind}")
    return f'scalar = {{ u{size} = "0x{value % (1 << size):x}" }}'
