"""`import texunit` beside cv2.remap, scipy.ndimage.map_coordinates, torch's grid_sample, Dr.Jit and the Rust API.

    python3 bench/python.py [--rounds N] [--points N] [--torch] [--only NAME,...] [--small] [--json]

Bilinear fetches, clamped, of 1024 x 1024 texels, u8x4 and f32, at ten million points: a scan turned by five degrees, and points
in no order. One thread each; everybody reads the points from memory, reshaped as it needs them, and has results in memory that is
there before, or is its own to use again. Rounds alternate; the table has medians.

The module and its peers come from a virtual environment below target/, which is made when it is missing. `--torch` adds PyTorch,
of which PyPI has the build for CUDA only: three gigabytes.
"""

import argparse
import glob
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

# The peers and what they share with others are in a folder of their own.
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
from module import FOLDER, ROOT, machine, prepare  # noqa: E402

PACKAGES = ["numpy==2.4.6", "opencv-python-headless==5.0.0.93", "scipy==1.17.1", "drjit==1.5.0"]
SIZE = 1024


def variables():
    """One thread for everybody, and a libLLVM for Dr.Jit."""
    llvm = sorted(glob.glob("/usr/lib/*-linux-gnu/libLLVM*.so*"))
    found = os.environ.get("DRJIT_LIBLLVM_PATH") or (llvm[-1] if llvm else "")
    return {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "DRJIT_LIBLLVM_PATH": found}


def points(scan, count):
    """(count, 2) of float32: u, v."""
    import numpy as np

    if scan == "rand":
        return np.random.default_rng(7).random((count, 2), dtype=np.float32)
    width = 3200
    i = np.arange(count, dtype=np.uint32)
    x, y = (i % width).astype(np.float32), (i // width).astype(np.float32)
    c, s, step = np.float32(0.99619470), np.float32(0.08715574), np.float32(1 / width)
    return np.stack([(x * c - y * s + np.float32(0.5)) * step, (x * s + y * c + np.float32(0.5)) * step], 1)


def texels(kind):
    import numpy as np

    rng = np.random.default_rng(1)
    if kind == "u8x4":
        return rng.integers(0, 256, (SIZE, SIZE, 4), dtype=np.uint8)
    return rng.random((SIZE, SIZE), dtype=np.float32)


def linear(data, uv):
    """What everybody has to give, in doubles: (count, channels)."""
    import numpy as np

    data = data.astype(np.float64) / (255 if data.dtype == np.uint8 else 1)
    data = data.reshape(SIZE, SIZE, -1)
    place = uv.astype(np.float64) * SIZE - 0.5
    low = np.floor(place).astype(int)
    share = place - low
    total = 0
    for dy in (0, 1):
        for dx in (0, 1):
            x, y = (np.clip(low[:, axis] + step, 0, SIZE - 1) for axis, step in ((0, dx), (1, dy)))
            weight = (share[:, 0] if dx else 1 - share[:, 0]) * (share[:, 1] if dy else 1 - share[:, 1])
            total = total + data[y, x] * weight[:, None]
    return total


class Peer:
    """Somebody who samples: `run` takes the time of one run, `first` has the first results of the last one."""

    def __init__(self, name, call, first, remark=""):
        self.name, self.call, self.first, self.remark = name, call, first, remark

    def run(self):
        start = time.perf_counter()
        self.call()
        return time.perf_counter() - start


def of_texunit(data, uv):
    import numpy as np
    import texunit

    tex = texunit.Texture(
        data, filter="linear", normalized_coords=True, read="normalized" if data.dtype == np.uint8 else "element"
    )
    out = np.zeros((len(uv), *data.shape[2:]), np.float32)
    last = {}
    yield Peer("texunit", lambda: tex.sample(uv, out=out), lambda n: out[:n])
    yield Peer("texunit, new array", lambda: last.update(out=tex.sample(uv)), lambda n: last["out"][:n])


class Rust:
    """The example `sample_rate`, which takes its own time."""

    remark = ""

    def __init__(self, kind, scan, data, uv):
        import numpy as np

        self.name = "Rust API"
        files = [FOLDER / f"{kind}.npy", FOLDER / f"{scan}.npy"]
        np.save(files[0], data)
        np.save(files[1], uv)
        self.process = subprocess.Popen(
            [ROOT / "target/release/examples/sample_rate", *files], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.first = None

    def run(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def of_cv2(data, uv):
    import cv2
    import numpy as np

    cv2.setNumThreads(1)
    # Pictures of cv2 have at most 32767 rows and columns.
    width = 3200
    x, y = (np.ascontiguousarray(uv[:, axis] * SIZE - np.float32(0.5)).reshape(-1, width) for axis in (0, 1))
    out = np.zeros((*x.shape, *data.shape[2:]), data.dtype)
    remark = "uint8 results" if data.dtype == np.uint8 else ""
    scale = 255 if data.dtype == np.uint8 else 1
    call = lambda: cv2.remap(data, x, y, cv2.INTER_LINEAR, dst=out, borderMode=cv2.BORDER_REPLICATE)  # noqa: E731
    yield Peer("cv2.remap", call, lambda n: out.reshape(len(uv), -1)[:n] / scale, remark)


def of_scipy(data, uv):
    import numpy as np
    from scipy.ndimage import map_coordinates

    places = np.ascontiguousarray((uv[:, ::-1] * SIZE - np.float32(0.5)).T)
    # One channel at a time: as many calls as channels.
    planes = [np.ascontiguousarray(plane) for plane in np.moveaxis(data.reshape(SIZE, SIZE, -1), -1, 0)]
    out = np.zeros((len(planes), len(uv)), np.float32)
    scale = 255 if data.dtype == np.uint8 else 1

    def call():
        for plane, to in zip(planes, out, strict=True):
            map_coordinates(plane, places, output=to, order=1, mode="nearest")

    yield Peer("map_coordinates", call, lambda n: out[:, :n].T / scale)


def of_torch(data, uv):
    import numpy as np
    import torch

    torch.set_num_threads(1)
    scale = np.float32(1 / 255 if data.dtype == np.uint8 else 1)
    planes = np.moveaxis(data.reshape(SIZE, SIZE, -1), -1, 0)[None] * scale
    planes = torch.from_numpy(np.ascontiguousarray(planes))
    grid = torch.from_numpy(uv * 2 - 1).view(1, -1, 3200, 2)
    last = {}

    def call():
        with torch.no_grad():
            last["out"] = torch.nn.functional.grid_sample(planes, grid, padding_mode="border", align_corners=False)

    remark = "float32 texels" if data.dtype == np.uint8 else ""
    yield Peer("grid_sample", call, lambda n: last["out"].reshape(planes.shape[1], -1)[:, :n].numpy().T, remark)


def of_drjit(data, uv):
    import drjit as dr
    import numpy as np
    from drjit.llvm import Array2f, Float, TensorXf, Texture2f

    dr.set_thread_count(1)
    scale = np.float32(1 / 255 if data.dtype == np.uint8 else 1)
    tensor = TensorXf(np.ascontiguousarray(data.reshape(SIZE, SIZE, -1) * scale))
    texture = Texture2f(tensor, wrap_mode=dr.WrapMode.Clamp)
    at = Array2f(*(Float(np.ascontiguousarray(uv[:, axis])) for axis in (0, 1)))
    dr.eval(at)
    last = {}

    def call():
        results = texture.eval(at)
        dr.eval(results)
        dr.sync_thread()
        last["out"] = results

    remark = "float32 texels, an array a channel" if data.dtype == np.uint8 else ""
    yield Peer("Dr.Jit, LLVM", call, lambda n: np.stack([np.array(channel)[:n] for channel in last["out"]], 1), remark)


OTHERS = {"cv2": of_cv2, "scipy": of_scipy, "torch": of_torch, "drjit": of_drjit}


def peers(kind, scan, data, uv, options):
    """All who take part; who cannot says so."""
    all_of_them = [*of_texunit(data, uv), Rust(kind, scan, data, uv)]
    for name, make in OTHERS.items():
        if (options.only and name not in options.only) or (name == "torch" and not options.torch):
            continue
        try:
            all_of_them += make(data, uv)
        except Exception as why:
            print(f"{name} takes no part: {why}", file=sys.stderr)
    return all_of_them


def measure(kind, scan, options):
    """Medians of all rounds, in seconds, by peer."""
    data, uv = texels(kind), points(scan, options.points)
    few = 4096
    expected = linear(data, uv[:few])
    taking_part = peers(kind, scan, data, uv, options)
    times = {peer.name: [] for peer in taking_part}
    for number in range(options.rounds + 1):
        for peer in taking_part if number % 2 else taking_part[::-1]:
            seconds = peer.run()
            if number:
                times[peer.name].append(seconds)
            elif peer.first is not None:
                off = abs(peer.first(few).reshape(few, -1) - expected).max()
                assert off < 0.02, f"{peer.name} is off by {off} in {kind} {scan}"
    for peer in taking_part:
        if isinstance(peer, Rust):
            peer.close()
    return [(peer.name, peer.remark, statistics.median(times[peer.name])) for peer in taking_part]


def small(rounds):
    """Microseconds of calls with one point, and milliseconds of the import."""
    import timeit

    import numpy as np
    import texunit

    tex = texunit.Texture(texels("u8x4"), filter="linear", normalized_coords=True, read="normalized")
    one = np.full((1, 2), 0.3, np.float32)
    calls = {"tex(x, y) of two floats": lambda: tex(0.3, 0.7), "sample of one point": lambda: tex.sample(one)}
    count = 20000
    times = {name: statistics.median(timeit.repeat(call, number=count, repeat=rounds)) for name, call in calls.items()}
    found = {name: seconds / count * 1e6 for name, seconds in times.items()}

    def start(code):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return (time.perf_counter() - begin) * 1e3

    pairs = [(start("import numpy"), start("import numpy, texunit")) for _ in range(2 * rounds + 1)]
    found["import beyond NumPy's"] = statistics.median(both - alone for alone, both in pairs[1:])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--points", type=int, default=10_000_000 // 3200 * 3200)
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[])
    parser.add_argument("--cases", type=lambda text: text.split(","), default=[])
    parser.add_argument("--small", action="store_true", help="only calls of one point, and the import")
    parser.add_argument("--no-build", action="store_true", help="take what was built before")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds < 1 or options.points < 4096 or options.points % 3200:
        parser.error("--rounds is at least 1, --points a multiple of 3200 from 4096 on")
    if not options.here:
        packages = PACKAGES + (["torch==2.15.0"] if options.torch else [])
        prepare(packages, [["-p", "texunit-sample", "--example", "sample_rate"]], variables(), not options.no_build)
    print(f"{machine()}, one thread, {options.points} points, medians of {options.rounds} rounds")
    for kind in ("u8x4", "f32"):
        for scan in ("coh", "rand"):
            if options.small or (options.cases and f"{kind}-{scan}" not in options.cases):
                continue
            rows = measure(kind, scan, options)
            own = rows[0][2]
            for name, remark, seconds in rows:
                line = {"case": f"{kind}-{scan}", "peer": name, "remark": remark, "ms": round(seconds * 1e3, 2)}
                line["mfetch_per_s"] = round(options.points / seconds / 1e6, 1)
                line["times_texunit"] = round(seconds / own, 3)
                print(json.dumps(line) if options.json else "| {case} | {peer} | {ms} | {mfetch_per_s} | {times_texunit} | {remark} |".format(**line), flush=True)
    for name, number in small(options.rounds).items():
        unit = "ms" if "import" in name else "us"
        line = {"what": name, unit: round(number, 2)}
        print(json.dumps(line) if options.json else f"| {name} | {number:.2f} {unit} |")


main()
