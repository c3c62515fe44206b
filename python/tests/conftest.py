"""The tests of the installed wheel, which `xtask dist` runs in an environment without Rust.

TEXUNIT_NVCC is an nvcc; TEXUNIT_WHEEL and TEXUNIT_ARCHIVE are the files that `dist` has made.
"""

import os
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def repository():
    return HERE.parents[1]


@pytest.fixture(scope="session")
def nvcc():
    return os.environ["TEXUNIT_NVCC"]


@pytest.fixture(scope="session")
def wheel():
    return Path(os.environ["TEXUNIT_WHEEL"])


@pytest.fixture(scope="session")
def archive():
    return Path(os.environ["TEXUNIT_ARCHIVE"])


@pytest.fixture(scope="session")
def build(nvcc, tmp_path_factory):
    """Builds HERE/NAME.cu, or a file, with options for nvcc; the program's path."""
    folder, programs = tmp_path_factory.mktemp("programs"), {}

    def build(name, *options):
        program = folder / f"{Path(name).stem}-{len(programs)}"
        program = programs.setdefault((name, *options), program)
        if not program.exists():
            source = HERE / Path(name).with_suffix(".cu")
            subprocess.run([nvcc, "-arch=compute_75", *options, source, "-o", program], check=True)
        return program

    return build


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """A folder of `texunit install-libs`, with the names that a linker looks for."""
    folder = tmp_path_factory.mktemp("libraries")
    assert run("texunit", "install-libs", folder).returncode == 0
    return folder


def run(*command, **options):
    """What a command prints, and its exit code."""
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120, **options)
