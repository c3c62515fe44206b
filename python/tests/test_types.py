"""Types: what mypy and pyright say of the package and of a program that uses it (`.ci/full python`)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

import texunit  # noqa: E402

PACKAGE = Path(texunit.__file__).parent
GOOD = """
from concurrent.futures import ThreadPoolExecutor

import numpy
import texunit
from numpy.typing import NDArray

picture: NDArray[numpy.uint8] = numpy.zeros((4, 4), "uint8")
tex: texunit.Texture = texunit.Texture(picture, filter="linear", read="normalized", copy=None)
size: tuple[int, ...] = tex.size
svg: str = tex.explain(0.5, 0.5).svg
options = texunit.TextureObjectOptions(filter_mode=texunit.FilterModeType.LINEAR)
other = texunit.Texture(texunit.ResourceDescriptor.from_opaque_array(picture), options)
surface = texunit.Surface(numpy.zeros((4, 4), "float32"))
surface.write((0, 0), [1.0], boundary="clamp")
ptx: str = texunit.compile("", ["-arch=compute_80"])
module = texunit.Module(ptx, checks="race")
kernel: texunit.Kernel = module["k"]
coverage = texunit.Coverage()
try:
    result: texunit.LaunchResult = kernel[(1, 2), 32](tex, surface, 1, timeout=2.5, coverage=coverage)
    fetches: int = result.counters.fetches
    for finding in result.findings:
        line: int | None = finding.line
except texunit.LaunchTimeout as late:
    print(late.thread)
except texunit.KernelFault as fault:
    address: int | None = fault.address
codes: list[str | None] = [wrong.code for wrong in texunit.check(ptx)]
texunit.plot.line(tex, (0, 0), (1, 1)).savefig("line.png")
levels = texunit.plot.inspect(tex, numpy.zeros((2, 2)))["level"]
with ThreadPoolExecutor() as pool:
    many = texunit.distributed.sample(tex, numpy.zeros((9, 2), "float32"), pool, lod=0.0)
    moved: int = texunit.distributed.launch(kernel, (1, 2), 32, [tex, picture, None], pool, workers=2).bytes_moved
    codes_of: list[int] = [one.returncode for one in texunit.distributed.run([["./a"], "job.toml"], pool).failed]
"""
BAD = """
import texunit

texunit.Texture([1.0], filters="linear")
texunit.Surface([1.0]).reduce("xor", (0, 0), 1)
texunit.check(5)
size: str = texunit.Texture([1.0]).size
texunit.distributed.run(["a"], None, timeouts=1)
"""


def run(*command, **words):
    ended = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, timeout=900, **words)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "bad.py").write_text(BAD)
    return tmp_path


def with_path(**variables):
    return os.environ | {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)} | variables


def test_mypy(folder):
    options = ["--strict", "--no-error-summary", "--cache-dir", str(folder / "cache")]
    files = [str(PACKAGE / name) for name in OURS]
    code, text = run("mypy", *options, "--follow-imports=silent", *files, cwd=folder, env=with_path())
    assert code == 0, text
    code, text = run("mypy", *options, "good.py", cwd=folder, env=with_path())
    assert code == 0, text
    code, text = run("mypy", *options, "bad.py", cwd=folder, env=with_path())
    assert code == 1 and {line.split(":")[1] for line in text.splitlines() if "error" in line} == {"4", "5", "6", "7", "8"}, text


def test_pyright(folder):
    pytest.importorskip("pyright")
    config = f'{{"extraPaths": ["{PACKAGE.parent}"], "pythonVersion": "3.11"}}'
    (folder / "pyrightconfig.json").write_text(config)
    code, text = run("pyright", "--version", cwd=folder)
    if code:
        pytest.skip(f"pyright cannot be had: {text.strip().splitlines()[-1]}")
    files = [str(PACKAGE / name) for name in OURS]
    code, text = run("pyright", "--pythonpath", sys.executable, "good.py", *files, cwd=folder, env=with_path())
    assert code == 0, text
    code, text = run("pyright", "--pythonpath", sys.executable, "bad.py", cwd=folder, env=with_path())
    assert code == 1 and {int(line.split(":")[1]) for line in text.splitlines() if " error: " in line} == {4, 5, 6, 7, 8}, text


OURS = ["__init__.py", "__main__.py", "_arguments.py", "_descriptor.py", "_module.py", "_nvrtc.py", "_objects.py", "_progress.py",
        "_texunit.pyi", "plot.py",
        "distributed/__init__.pyi"]


@pytest.mark.parametrize("module", ["texunit._texunit", "texunit.distributed"])
def test_stubs_have_what_is_there(module):
    """Every name and every parameter of a part that has stubs is in them, and nothing else."""
    from mypy import stubtest  # noqa: F401

    code, text = run("mypy.stubtest", module, "--ignore-disjoint-bases", env=with_path())
    if "--ignore-disjoint-bases" in text:
        code, text = run("mypy.stubtest", module, env=with_path())
    wrong = [line for line in text.splitlines() if line.startswith("error:")]
    assert not wrong, text
