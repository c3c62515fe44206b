"""What the modules of generate.py share: words and floats as bits, and case.toml."""
import math
import pathlib
import struct

import numpy as np

HERE = pathlib.Path(__file__).parent
FORMATS = ["nvcc-O3", "nvcc-O0", "nvcc-sm90", "nvcc-sm75", "nvcc-lineinfo", "nvcc-G", "nvrtc", "clang-O0", "clang-O2"]
BYTES = {"8": 1, "16": 2, "32": 4, "64": 8}
INLINE = 640


def s(v, bits=32):
    """The low bits as a signed integer."""
    v &= (1 << bits) - 1
    return v - (1 << bits) if v >> (bits - 1) else v


def u(v, bits=32):
    return v & ((1 << bits) - 1)


def f32(v):
    """The nearest f32, as a Python float."""
    return float(np.float32(v))


def bits_of(v):
    return struct.unpack("<I", struct.pack("<f", v))[0]


def from_bits(v):
    return struct.unpack("<f", struct.pack("<I", v))[0]


def number(kind, v):
    if kind[0] != "f":
        return str(int(v))
    v = float(v)
    if math.isnan(v):
        return "nan"
    if math.isinf(v):
        return "inf" if v > 0 else "-inf"
    text = str(np.float32(v)) if kind == "f32" else repr(v)
    if kind == "f32":
        assert bits_of(float(text)) == bits_of(v), (text, v)
    if not any(c in text for c in ".en"):
        text += ".0"
    return text


def array(kind, values):
    words = [number(kind, v) for v in values]
    lines, line = [], ""
    for word in words:
        if len(line) + len(word) > 118:
            lines.append(line.rstrip())
            line = ""
        line += word + ", "
    if not lines:
        return "[" + line.rstrip(", ") + "]"
    return "[\n  " + "\n  ".join(lines + [line.rstrip()]) + "\n]"


class Case:
    def __init__(self, name, kernel, grid, block, ptx=None, about="", **keys):
        self.folder = HERE / name
        self.folder.mkdir(exist_ok=True)
        for old in self.folder.glob("*.npy"):
            old.unlink()
        self.count = 0
        ptx = ptx or [f"{f}.ptx" for f in FORMATS if (self.folder / f"{f}.ptx").exists()]
        listing = ", ".join(f'"{p}"' for p in ptx)
        self.lines = [f"# {about}"] if about else []
        self.lines += [f"ptx = [{listing}]", f'kernel = "{kernel}"', f"grid = {grid}", f"block = {block}"]
        for key, value in keys.items():
            self.lines.append(f"{key} = {value}")
        self.tail = []

    def data(self, stem, kind, values):
        """`kind = [...]`, or a file for what is long."""
        values = list(values)
        if len(values) <= INLINE:
            return f"{kind} = {array(kind, values)}"
        dtype = {"u": "u", "s": "i", "f": "f"}[kind[0]] + str(BYTES[kind[1:]])
        np.save(self.folder / f"{stem}.npy", np.array(values, dtype="<" + dtype))
        return f'file = "{stem}.npy"'

    def param(self, text):
        self.lines += ["", f"[params.{self.count}]", text]
        self.count += 1

    def given(self, kind, values):
        body = self.data(f"in{self.count}", kind, values)
        if "\n" in body:
            self.lines += ["", f"[params.{self.count}.buffer]", body]
            self.count += 1
        else:
            self.param(f"buffer = {{ {body} }}")
        return self

    def zeros(self, size):
        self.param(f"buffer = {{ zeros = {size} }}")
        return self

    def scalar(self, kind, value):
        self.param(f"scalar = {{ {kind} = {number(kind, value)} }}")
        return self

    def structure(self, *members):
        """A structure by value: its members at their natural alignment, as C lays them out."""
        codes = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f", "f64": "d"}
        groups, at, align = [], 0, 1
        for kind, value in members:
            size = BYTES[kind[1:]]
            align = max(align, size)
            pad = -at % size
            groups.append("00" * pad + struct.pack("<" + codes[kind], value).hex())
            at += pad + size
        groups.append("00" * (-at % align))
        self.param('scalar = { bytes = "' + " ".join(g for g in groups if g) + '" }')
        return self

    def expect(self, index, kind, values, **tolerance):
        self.tail += ["", f"[expect.{index}]", self.data(f"out{index}", kind, values)]
        self.tail += [f"{k} = {v}" for k, v in tolerance.items()]
        return self

    def out(self, kind, values, **tolerance):
        """A zeroed buffer of the right size, and what it holds in the end."""
        values = list(values)
        self.zeros(len(values) * BYTES[kind[1:]])
        return self.expect(self.count - 1, kind, values, **tolerance)

    def inout(self, kind, before, after):
        self.given(kind, before)
        return self.expect(self.count - 1, kind, after)

    def printf(self, text):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.lines.append(f'expect_printf = "{escaped}"')
        return self

    def write(self):
        (self.folder / "case.toml").write_text("\n".join(self.lines + self.tail) + "\n")


def ints(rng, n, low=-(1 << 31), high=(1 << 31) - 1):
    return [rng.randint(low, high) for _ in range(n)]


EDGES = [0, 1, -1, 2, -2, 0x7FFFFFFF, -0x80000000, 0x55555555, -0x55555556, 0xFF, 0x100, 0x8000, -0x8000, 0xFFFF, 0x800000, 0xFFFFFF]
