#!/usr/bin/env python3
"""Makes the textures of the lessons. Their texels are numbers that are easy to recognise in a result.

grid.png      8 x 8, RGBA: red is 36 x, green 36 y, blue 5 x y
five.npy      1D, five floats: texel i is i
step.npy      1D, two floats: 0 and 256, so that a filtered result is the weight of the second one
levels.raw    8 x 8 floats and three more levels: each texel of level i is i
checker.png   32 x 32, RGBA: squares of four texels, orange and blue
cube.png      six faces of 4 x 4, RGBA, one below the other: each face has its colour, darker along x and y
layers.npy    three layers of 4 x 4 floats: texel (x, y) of layer l is 100 l + 10 y + x
"""

import struct
import zlib
from pathlib import Path

HERE = Path(__file__).parent


def png(name, width, height, texel):
    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(
        b"\0" + b"".join(bytes(texel(x, y)) for x in range(width)) for y in range(height)
    )
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    (HERE / name).write_bytes(b"\x89PNG\r\n\x1a\n" + data)


def npy(name, shape, values):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    head += " " * (-(len(head) + 11) % 64) + "\n"
    data = struct.pack(f"<{len(values)}f", *values)
    (HERE / name).write_bytes(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data)


FACES = [(230, 60, 60), (150, 30, 90), (70, 190, 70), (30, 110, 80), (70, 110, 230), (150, 90, 200)]


def face(x, y):
    return [c - 12 * x - 6 * (y % 4) if c > 60 else c for c in FACES[y // 4]] + [255]


def main():
    png("grid.png", 8, 8, lambda x, y: (36 * x, 36 * y, 5 * x * y, 255))
    npy("five.npy", [5], range(5))
    npy("step.npy", [2], [0, 256])
    levels = [float(level) for level in range(4) for _ in range((8 >> level) ** 2)]
    (HERE / "levels.raw").write_bytes(struct.pack(f"<{len(levels)}f", *levels))
    squares = [(240, 150, 40, 255), (30, 80, 170, 255)]
    png("checker.png", 32, 32, lambda x, y: squares[(x // 4 + y // 4) % 2])
    png("cube.png", 4, 24, face)
    npy("layers.npy", [3, 4, 4], [100 * l + 10 * y + x for l in range(3) for y in range(4) for x in range(4)])


if __name__ == "__main__":
    main()
