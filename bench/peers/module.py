"""The Python module, built for release, in an environment below target/ with what a benchmark needs beside it."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ROOT / "target" / "python"
FOLDER = TARGET / "bench"
BUILD = ["cargo", "build", "--release", "--locked"]


def machine():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "a CPU")


def prepare(packages, builds, variables, build=True):
    """Goes on in the environment, with `--here` behind the arguments; `builds` are more arguments for cargo."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if build:
        for arguments in (["-p", "texunit-python"], *builds):
            subprocess.run([*BUILD, *arguments], cwd=ROOT, check=True)
    package = FOLDER / "package"
    subprocess.run(["rm", "-rf", package], check=True)
    package.mkdir()
    subprocess.run(["cp", "-r", ROOT / "python/texunit", package], check=True)
    subprocess.run(["cp", ROOT / "target/release/lib_texunit.so", package / "texunit/_texunit.abi3.so"], check=True)
    program = ROOT / "target/release/texunit"
    if program.exists():
        (package / "texunit/bin").mkdir(exist_ok=True)
        subprocess.run(["cp", program, package / "texunit/bin"], check=True)
    python = FOLDER / "venv/bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", FOLDER / "venv"], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages], check=True)
    environment = {**os.environ, **variables, "PYTHONPATH": str(package)}
    os.execve(python, [str(python), *sys.argv, "--here"], environment)
