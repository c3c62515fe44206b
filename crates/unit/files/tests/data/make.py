#!/usr/bin/env python3
"""Makes the pictures of this folder, byte by byte after the formats' specifications: no library
that texunit could share a mistake with."""
import pathlib
import struct
import zlib

HERE = pathlib.Path(__file__).parent


def png(name, width, height, depth, colour, rows, extra=b""):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    data = b"".join(b"\0" + bytes(r) for r in rows)
    (HERE / name).write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra
                              + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


png("rgb8.png", 2, 2, 8, 2, [[1, 2, 3, 4, 5, 6], [7, 8, 9, 250, 251, 252]])
png("rgba8.png", 1, 2, 8, 6, [[1, 2, 3, 4], [5, 6, 7, 8]])
png("gray8.png", 3, 1, 8, 0, [[0, 128, 255]])
png("grayalpha8.png", 2, 1, 8, 4, [[10, 20, 30, 40]])
png("gray16.png", 2, 1, 16, 0, [[0x12, 0x34, 0xff, 0xff]])
png("rgb16.png", 1, 1, 16, 2, [[0x01, 0x02, 0x03, 0x04, 0x05, 0x06]])
png("gray1.png", 9, 1, 1, 0, [[0b10100000, 0b10000000]])
png("palette.png", 4, 1, 2, 3, [[0b00011011]],
    chunk(b"PLTE", bytes([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])) + chunk(b"tRNS", bytes([9, 99])))


def exr(name, width, height, channels, pixels, tile=None):
    """channels: (name, type: 0 u32, 1 f16, 2 f32), sorted; pixels[channel][y][x]: bytes of a sample."""
    def attribute(name, kind, data):
        return name + b"\0" + kind + b"\0" + struct.pack("<i", len(data)) + data

    list_ = b"".join(n + b"\0" + struct.pack("<iB3xii", t, 0, 1, 1) for n, t in channels) + b"\0"
    window = struct.pack("<iiii", 0, 0, width - 1, height - 1)
    header = struct.pack("<II", 20000630, 2 | (0x200 if tile else 0))
    header += attribute(b"channels", b"chlist", list_)
    header += attribute(b"compression", b"compression", b"\0")
    header += attribute(b"dataWindow", b"box2i", window)
    header += attribute(b"displayWindow", b"box2i", window)
    header += attribute(b"lineOrder", b"lineOrder", b"\0")
    header += attribute(b"pixelAspectRatio", b"float", struct.pack("<f", 1))
    header += attribute(b"screenWindowCenter", b"v2f", struct.pack("<ff", 0, 0))
    header += attribute(b"screenWindowWidth", b"float", struct.pack("<f", 1))
    if tile:
        header += attribute(b"tiles", b"tiledesc", struct.pack("<IIB", tile, tile, 0))
    header += b"\0"
    blocks = []
    if tile:
        for ty in range(0, height, tile):
            for tx in range(0, width, tile):
                data = b"".join(p[y][x] for y in range(ty, min(ty + tile, height)) for p in pixels
                                for x in range(tx, min(tx + tile, width)))
                blocks.append(struct.pack("<iiiii", tx // tile, ty // tile, 0, 0, len(data)) + data)
    else:
        for y in range(height):
            data = b"".join(b"".join(p[y]) for p in pixels)
            blocks.append(struct.pack("<ii", y, len(data)) + data)
    offset = len(header) + 8 * len(blocks)
    table = b""
    for b in blocks:
        table += struct.pack("<Q", offset)
        offset += len(b)
    (HERE / name).write_bytes(header + table + b"".join(blocks))


def half(v):
    return struct.pack("<e", v)


exr("rgb-f16.exr", 2, 2, [(b"B", 1), (b"G", 1), (b"R", 1)],
    [[[half(100 * c + 10 * y + x) for x in range(2)] for y in range(2)] for c in (3, 2, 1)])
exr("y-f32-tiled.exr", 3, 3, [(b"Y", 2)],
    [[[struct.pack("<f", 0.1 * (3 * y + x)) for x in range(3)] for y in range(3)]], tile=2)
exr("nan-f32.exr", 2, 1, [(b"Y", 2)], [[[struct.pack("<I", 0x7f800001), struct.pack("<I", 0x80000001)]]])
exr("rg-u32.exr", 1, 1, [(b"G", 0), (b"R", 0)], [[[struct.pack("<I", 0xfffffffe)]], [[struct.pack("<I", 7)]]])
exr("mixed.exr", 1, 1, [(b"G", 0), (b"R", 1)], [[[struct.pack("<I", 1)]], [[half(1)]]])
