"""CuPy's textures, of which there is nothing to measure on a CPU but that `texunit run` executes them with the same bits.

`cupy_child.py` is a program for a GPU; it runs under `texunit run`, as any other does.
"""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile

import libraries
import numpy as np

# Address mode and filter in CUDA's words and in those of the module.
ROWS = [
    ("cudaAddressModeClamp", "cudaFilterModeLinear", "f32", {"address": "clamp", "filter": "linear"}),
    ("cudaAddressModeWrap", "cudaFilterModeLinear", "f32", {"address": "wrap", "filter": "linear"}),
    ("cudaAddressModeMirror", "cudaFilterModeLinear", "f32", {"address": "mirror", "filter": "linear"}),
    ("cudaAddressModeBorder", "cudaFilterModeLinear", "f32", {"address": "border", "filter": "linear"}),
    ("cudaAddressModeClamp", "cudaFilterModePoint", "f32", {"address": "clamp", "filter": "point"}),
    ("cudaAddressModeWrap", "cudaFilterModeLinear", "u8", {"address": "wrap", "filter": "linear", "read": "normalized"}),
]


class Missing(Exception):
    """What CuPy needs and is not there."""


def run(texels, points):
    """Results of all rows, by CuPy."""
    import texunit

    if importlib.util.find_spec("cupy") is None:
        raise Missing("CuPy is not installed")
    child = pathlib.Path(__file__).with_name("cupy_child.py")
    with tempfile.TemporaryDirectory() as folder:
        given, made = pathlib.Path(folder, "given.npz"), pathlib.Path(folder, "made.npz")
        modes = [f"{address} {filtering} {kind}" for address, filtering, kind, _ in ROWS]
        np.savez(given, points=points, modes=modes, **texels)
        done = subprocess.run(
            [texunit.path(), "run", "--", sys.executable, child, given, made], capture_output=True, text=True
        )
        if "libcuda" in done.stderr and not made.exists():
            raise Missing("`texunit run` has no libraries; TEXUNIT_LIBS says where they are")
        if done.returncode:
            raise RuntimeError(f"cupy_child.py ended with {done.returncode}:\n{done.stderr}")
        with np.load(made) as results:
            return [results[str(number)] for number in range(len(ROWS))]


def text():
    """The table of the page."""
    import texunit

    texels = {kind: libraries.picture(kind) for kind in ("f32", "u8")}
    rng = np.random.default_rng(11)
    points = rng.uniform(-0.5, 1.5, (20_000, 2)).astype(np.float32)
    lines = ["| CuPy | texels | texture | results with other bits |\n|---|---|---|---|\n"]
    for (address, filtering, kind, keywords), theirs in zip(ROWS, run(texels, points), strict=True):
        ours = texunit.Texture(texels[kind], normalized_coords=True, **keywords).sample(points)
        others = int((theirs.view(np.uint32) != ours.view(np.uint32)).sum())
        words = ", ".join(f'`{key}="{word}"`' for key, word in keywords.items())
        lines.append(f"| `{address}`, `{filtering}` | {kind} | {words} | {others} of {len(points)} |\n")
    return "".join(lines)
