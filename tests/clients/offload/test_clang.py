"""C with regions of OpenMP that clang compiles to LLVM's code, of which libomptarget makes PTX when the program runs.

Debian's clang 19 is unpacked here."""

import os
import pathlib
import subprocess

import pytest

SOURCES = pathlib.Path(__file__).parent
TOOLS = pathlib.Path("clang").absolute()
LLVM = TOOLS / "usr/lib/llvm-19"
PACKAGES = ["clang-19", "clang-tools-19", "libclang-common-19-dev", "libclang-cpp19", "libllvm19", "libomp-19-dev", "libomp5-19"]


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="session")
def environment():
    """With it, clang and what it has compiled run."""
    try:
        if not LLVM.exists():
            TOOLS.mkdir(exist_ok=True)
            output("apt-get", "download", *PACKAGES, cwd=TOOLS)
            for package in TOOLS.glob("*.deb"):
                output("dpkg-deb", "-x", package, TOOLS)
        (library,) = TOOLS.glob("usr/lib/*/libLLVM.so.19.1")
    except (OSError, ValueError, subprocess.CalledProcessError) as why:
        pytest.skip(f"!! clang 19 cannot be had: {why} {getattr(why, 'stderr', '')}")
    register = TOOLS / "register_nvptx.so"
    output("gcc", "-shared", "-fPIC", SOURCES / "register_nvptx.c", library, "-o", register)
    libraries = f"{library.parent}:{LLVM}/lib:{os.environ.get('LD_LIBRARY_PATH', '')}"
    return os.environ | {"LD_LIBRARY_PATH": libraries, "LIBRARY_PATH": f"{LLVM}/lib"}


@pytest.fixture(scope="session")
def toolkit(environment):
    """A CUDA toolkit without functions of its own, as the regions here call none of libdevice's."""
    root = TOOLS / "toolkit"
    for folder in ["bin", "include", "nvvm/libdevice"]:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "include/cuda.h").write_text("#define CUDA_VERSION 12040\n")
    empty = root / "empty.c"
    empty.write_text("\n")
    device = [LLVM / "bin/clang", "--target=nvptx64-nvidia-cuda", "-nocudalib", "-emit-llvm", "-c", empty]
    output(*device, "-o", root / "nvvm/libdevice/libdevice.10.bc", env=environment)
    return root


def run(environment, toolkit, tmp_path, name, level="-O1"):
    program = tmp_path / name
    regions = ["-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "-Xopenmp-target", "-march=sm_86", "-fopenmp-target-jit"]
    command = [LLVM / "bin/clang", level, "-g", *regions, f"--cuda-path={toolkit}", f"-L{LLVM}/lib"]
    output(*command, SOURCES / f"{name}.c", "-o", program, env=environment)
    there = environment | {"LD_PRELOAD": f"{TOOLS}/register_nvptx.so", "OMP_TARGET_OFFLOAD": "MANDATORY"}
    return subprocess.run([program], env=there, capture_output=True, text=True)


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_regions(environment, toolkit, tmp_path, level):
    ended = run(environment, toolkit, tmp_path, "clang", level)
    assert ended.stdout == "sum 999000, on the host 0, threads 64\n", ended.stderr
    assert ended.returncode == 0


def test_mistakes_have_lines(environment, toolkit, tmp_path):
    ended = run(environment, toolkit, tmp_path, "outside")
    lines = (SOURCES / "outside.c").read_text().splitlines()
    (line,) = [n for n, text in enumerate(lines, 1) if "// here" in text]
    assert "out-of-bounds" in ended.stderr and f"outside.c:{line}" in ended.stderr, ended.stderr
    assert ended.returncode != 0


def test_sums_of_all_teams_do_not_run(environment, toolkit, tmp_path):
    """libomptarget looks in machine code for how much memory they need, and finds PTX: it passes no address, but -1."""
    ended = run(environment, toolkit, tmp_path, "sum")
    assert "error[misaligned]" in ended.stderr and "sum" not in ended.stdout, ended.stderr
    assert ended.returncode != 0
