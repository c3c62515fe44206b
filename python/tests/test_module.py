"""The module: its version, and where the files are."""

import os
from importlib import metadata

import pytest
import texunit

CORE = f"libtexunit_core.so.{texunit.__version__}"
LIBRARIES = [CORE, "libcuda.so.1", "libcudart.so.12", "libcudart.so.13", "libnvidia-ml.so.1", "libtexunit_redirect.so", "libtexunit.so.1"]
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
    found = {os.path.relpath(f"{above}/{name}", folder) for above, _, names in walks for name in names}
    known = {os.path.relpath(texunit.path(name), folder) for name in ["texunit", *LIBRARIES, *SHIMS, *FOR_C]}
    known.add("lib/shims/sitecustomize.py")
    assert found == known


def test_unknown_name():
    with pytest.raises(ValueError, match=r"unknown file 'libcufft.so'; available: texunit, libtexunit_core.so"):
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
