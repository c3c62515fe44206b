"""What the peers share: textures, points, timing, and the lines that they print.

The cases are those of `texunit bench` (crates/tools/cli/src/bench): the same sizes, formats and points,
4 Mi fetches a run. Peers whose fetches are calls of a kernel compute the points there and add up
four fetches a thread; array libraries read points and write results.
"""

import argparse
import json
import statistics
import time

import numpy as np

FETCHES = 1 << 22
STRIDE = FETCHES // 4
COS, SIN = np.float32(0.99619470), np.float32(0.08715574)
STEP = np.float32(1 / 1024)
SCANS = ("coh", "rand")


def options(peer):
    """The command line of a peer."""
    parser = argparse.ArgumentParser(description=f"Measures the fetches of {peer}.")
    parser.add_argument("--cases", default="", help="how the names of cases begin: a,e-grad")
    parser.add_argument("--threads", type=int, default=1, help="what is printed with the rates")
    parser.add_argument("--seconds", type=float, default=0.7, help="for the runs of a case")
    parser.add_argument("--name", default=peer, help="what the peer is called")
    return parser.parse_args()


class Report:
    """Measures the chosen cases and prints a line of JSON for each."""

    def __init__(self, args, version):
        self.args = args
        self.begins = tuple(args.cases.split(",")) if args.cases else ("",)
        print(json.dumps({"peer": args.name, "version": version}), flush=True)

    def wants(self, case):
        return case.startswith(self.begins)

    def measure(self, case, run, fetches=FETCHES):
        """Best and median of as many runs as fit into the time, at least three."""
        run()
        run()
        seconds = []
        end = time.perf_counter() + self.args.seconds
        while len(seconds) < 3 or time.perf_counter() < end:
            start = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - start)
        line = {
            "peer": self.args.name,
            "case": case,
            "threads": self.args.threads,
            "mfetch_per_s": round(fetches / min(seconds) / 1e6, 3),
            "median_mfetch_per_s": round(fetches / statistics.median(seconds) / 1e6, 3),
        }
        print(json.dumps(line), flush=True)


def noise(seed, *shape):
    """Texels: floats from 0 to 1."""
    return np.random.default_rng(seed).random(shape, dtype=np.float32)


def noise8(seed, *shape):
    """Texels: bytes."""
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def rgba8():
    return noise8(1, 1024, 1024, 4)


def r32f():
    return noise(2, 1024, 1024)


def rgba32f():
    return noise(3, 1024, 1024, 4)


def volume():
    return noise(4, 128, 128, 128)


def cube():
    return noise8(5, 6, 512, 512, 4)


def mip_chain():
    return [noise8(6 + level, 1024 >> level, 1024 >> level, 4) for level in range(11)]


def hashed(i):
    x = np.asarray(i, dtype=np.uint32).copy()
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    return x ^ x >> np.uint32(16)


def turned(x, y, scale):
    x, y = x.astype(np.float32), y.astype(np.float32)
    half = np.float32(0.5)
    return (x * COS - y * SIN + half) * scale, (x * SIN + y * COS + half) * scale


def plane(scan, i, scale=STEP):
    """u and v of the fetches with these numbers."""
    if scan == "coh":
        return turned(i & 2047, i >> 11, scale)
    h = hashed(i)
    return (h & 0xFFFF).astype(np.float32) / 65536, (h >> 16).astype(np.float32) / 65536


def space(scan, i):
    """x, y and z of the fetches with these numbers, from 0 to 1."""
    if scan == "coh":
        x, y = turned(i & 127, i >> 7 & 127, np.float32(1 / 128))
        return x, y, ((i >> 14).astype(np.float32) * np.float32(0.5) + np.float32(0.5)) / 128
    h = hashed(i)
    f = np.float32
    return (h & 2047).astype(f) / 2048, (h >> 11 & 2047).astype(f) / 2048, (h >> 22).astype(f) / 1024


def linear(texels, points, wrap=True):
    """Linear filters of any dimension in doubles: what the results are compared with."""
    axes = len(points)
    texels = texels.astype(np.float64) / (255 if texels.dtype == np.uint8 else 1)
    if texels.ndim == axes:
        texels = texels[..., None]
    total = 0
    places = []
    # The last axis of the array is x.
    for axis, point in enumerate(points):
        size = texels.shape[axes - 1 - axis]
        place = point.astype(np.float64) * size - 0.5
        low = np.floor(place).astype(int)
        places.append((low, place - low, size))
    for corner in range(1 << axes):
        weight, index = 1.0, []
        for axis, (low, share, size) in enumerate(places):
            far = corner >> axis & 1
            weight = weight * (share if far else 1 - share)
            at = low + far
            index.append(at % size if wrap else np.clip(at, 0, size - 1))
        total = total + texels[tuple(reversed(index))] * weight[:, None]
    return total


def demand(case, got, expected, tolerance):
    """Stops if a peer does not do what the case says: then its time means nothing."""
    worst = np.abs(np.asarray(got, dtype=np.float64) - expected).max()
    if not worst <= tolerance:
        raise SystemExit(f"{case}: off by {worst}, which is more than {tolerance}")


def sums(texels, points_of, threads=4096, wrap=True):
    """What the first threads of a kernel store: the sum of their four fetches."""
    first = np.arange(threads, dtype=np.uint32)
    return sum(linear(texels, points_of(first + k * STRIDE), wrap) for k in range(4))
