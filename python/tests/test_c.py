"""The library for C: headers, library and what pkg-config says, of the wheel."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import texunit

needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


def test_files_are_there():
    for name in ["libtexunit.so.1", "texunit.h", "texunit.hpp", "texunit.pc"]:
        assert Path(texunit.path(name)).stat().st_size > 100


@needs_cc
def test_a_program_is_built_and_run(tmp_path, repository):
    library = Path(texunit.path("libtexunit.so.1"))
    program, source = tmp_path / "first", repository / "examples/c/first.c"
    include = f"-I{Path(texunit.path('texunit.h')).parent}"
    subprocess.run(["cc", source, include, f"-L{library.parent}", "-l:libtexunit.so.1", "-o", program], check=True)
    ended = subprocess.run(
        [program], capture_output=True, text=True, env={**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
    )
    assert (ended.stdout, ended.stderr, ended.returncode) == ("1.5\n", "", 0)


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="there is no pkg-config")
def test_pkg_config_finds_it():
    folder = Path(texunit.path("texunit.pc")).parent
    said = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "texunit"],
        capture_output=True,
        text=True,
        env={**os.environ, "PKG_CONFIG_PATH": str(folder)},
        check=True,
    )
    assert "-l:libtexunit.so.1" in said.stdout and "include" in said.stdout
