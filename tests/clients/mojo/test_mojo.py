"""A program in Mojo, compiled for a card that is not there: it carries PTX."""

import pathlib
import subprocess
import sys

import pytest

SOURCES = pathlib.Path(__file__).parent
MOJO = pathlib.Path(sys.executable).parent / "mojo"


@pytest.mark.parametrize("card", ["sm_75", "sm_86"])
def test_program(tmp_path, card):
    program = tmp_path / "twice"
    build = [MOJO, "build", f"--target-accelerator={card}", SOURCES / "twice.mojo", "-o", program]
    subprocess.run(build, check=True, capture_output=True, text=True)
    ended = subprocess.run([program], capture_output=True, text=True)
    assert ended.stdout.splitlines()[1:] == ["wrong 0"], ended.stdout + ended.stderr
    assert ended.returncode == 0
