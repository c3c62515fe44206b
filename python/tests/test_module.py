"""The module: its version, and where the files are."""

import os
import sys
import tarfile
from importlib import metadata
from pathlib import Path

import pytest
import texunit
from conftest import run

CORE = f"libtexunit_core.so.{texunit.__version__}"
LIBRARIES = [CORE, "libcuda.so.1", "libcudart.so.12", "libcudart.so.13", "libnvidia-ml.so.1", "libtexunit_redirect.so", "libtexunit.so.1"]
LIBRARIES += ["libcublas.so.12", "libcublas.so.13", "libcublasLt.so.12", "libcublasLt.so.13"]
LIBRARIES += ["libcufft.so.11", "libcufft.so.12", "libcufftw.so.11", "libcufftw.so.12", "libcurand.so.10"]
LIBRARIES += [f"libtexunit_{name}.so.{texunit.__version__}" for name in ("cublas", "cufft", "curand")]
SHIMS = ["nvidia-smi", "ptxas"]
FOR_C = ["texunit.h", "texunit.hpp", "texunit.pc"]


def test_version():
    assert texunit.__version__ == metadata.version("texunit")


def test_path_of_the_program():
    assert os.access(texunit.path(), os.X_OK)
    assert texunit.path() == texunit.path("texunit")


@pytest.mark.parametrize("name", LIBRARIES + SHIMS)
def test_paths_of_libraries(name):
    with open(texunit.path(name), "rb") as file:
        assert file.read(4) == b"\x7fELF"


def test_all_files_are_known():
    folder = os.path.dirname(texunit.__file__)
    walks = [walk for below in ("bin", "lib", "include") for walk in os.walk(f"{folder}/{below}")]
    # pip compiles modules when it installs them.
    kept = [(above, names) for above, _, names in walks if os.path.basename(above) != "__pycache__"]
    found = {os.path.relpath(f"{above}/{name}", folder) for above, names in kept for name in names}
    known = {os.path.relpath(texunit.path(name), folder) for name in ["texunit", *LIBRARIES, *SHIMS, *FOR_C]}
    known.add("lib/shims/sitecustomize.py")
    assert found == known


def test_unknown_name():
    with pytest.raises(ValueError, match=r"unknown file 'libcufft.so'; available: texunit, libcuda.so.1"):
        texunit.path("libcufft.so")


def test_a_package_without_its_program(monkeypatch):
    monkeypatch.setattr(texunit, "_FOLDER", "/nowhere")
    with pytest.raises(FileNotFoundError, match="/nowhere/bin/texunit is missing: this package was built without"):
        texunit.path()


def test_licences_are_there():
    files = [str(file) for file in metadata.files("texunit")]
    assert any(file.endswith("LICENSE-MIT") for file in files)
    assert any(file.endswith("LICENSE-APACHE") for file in files)
    others = next(file for file in metadata.files("texunit") if file.name == "LICENSE-THIRD-PARTY")
    text = others.read_text()
    assert "\nclap " in text and "\npyo3 " in text and "Permission is hereby granted" in text


@pytest.fixture(params=["wheel", "archive"])
def program(request, tmp_path):
    """The program of each package."""
    if request.param == "wheel":
        return texunit.path()
    with tarfile.open(request.getfixturevalue("archive")) as file:
        file.extractall(tmp_path / "archive", filter="tar")
    return next((tmp_path / "archive").glob("*/bin/texunit"))


def test_the_sitecustomize_of_a_package(program, tmp_path):
    """It turns the pool of a stand-in for CuPy off, and the user's own is imported as well."""
    cupy = tmp_path / "modules/cupy"
    cupy.mkdir(parents=True)
    (cupy / "__init__.py").write_text("from cupy import cuda\n")
    (cupy / "cuda.py").write_text("def set_allocator(to):\n    print('allocator', to)\n")
    (cupy.parent / "sitecustomize.py").write_text("print('own')\n")
    environment = {**os.environ, "PYTHONPATH": str(cupy.parent)}
    environment.pop("TEXUNIT_LIBS", None)
    for options, said in [(["--check", "memory"], "own\nallocator None\n"), (["--check", "memory", "--keep-pools"], "own\n")]:
        ended = run(program, "run", *options, sys.executable, "-c", "import cupy", env=environment)
        assert (ended.stdout, ended.returncode) == (said, 0), ended.stderr
    found = Path(program).parents[1] / "lib/shims/sitecustomize.py"
    assert found.is_file()


def test_examples_of_a_package(program, repository, tmp_path):
    folder = tmp_path / "guide"
    ended = run(program, "examples", folder)
    assert ended.returncode == 0, ended.stderr
    assert f"wrote {sum(file.is_file() for file in folder.rglob('*'))} files" in ended.stdout
    for name in ("examples/guide.txt", "examples/rotate/job.toml", "docs/textures/grid.png", "action/setup"):
        assert (folder / name).read_bytes() == (repository / name).read_bytes()
    assert os.access(folder / "action/setup", os.X_OK)
    ended = run(program, "launch", folder / "examples/rotate/job.toml", "--out", tmp_path / "out")
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "out/rotated.png").is_file()
    again = run(program, "examples", folder)
    assert again.returncode == 1 and "exists; --force replaces it" in again.stderr
    assert run(program, "examples", folder, "--force").returncode == 0
