"""C with regions that GCC compiles to PTX for the device: OpenMP and OpenACC.

The compiler of Debian (`gcc-offload-nvptx`) is unpacked here, beside the machine's gcc of that release."""

import glob
import os
import pathlib
import subprocess

import pytest

SOURCES = pathlib.Path(__file__).parent
TOOLS = pathlib.Path("offload").absolute()


def output(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@pytest.fixture(scope="session")
def gcc():
    """A command that compiles for the device, and the folder of the library that talks to it at run time."""
    try:
        release = output("gcc", "-dumpversion").split(".")[0].strip()
        packages = [f"gcc-{release}-offload-nvptx", "libgomp-plugin-nvptx1", "nvptx-tools"]
        if not (TOOLS / "usr").exists():
            TOOLS.mkdir(exist_ok=True)
            output("apt-get", "download", *packages, cwd=TOOLS)
            for package in TOOLS.glob("*.deb"):
                output("dpkg-deb", "-x", package, TOOLS)
    except (OSError, subprocess.CalledProcessError) as why:
        pytest.skip(f"!! GCC for the device cannot be had: {why} {getattr(why, 'stderr', '')}")
    (inside,) = glob.glob(f"{TOOLS}/usr/lib/gcc/*/{release}")
    (plugin,) = glob.glob(f"{TOOLS}/usr/lib/*/libgomp-plugin-nvptx.so.1")
    os.environ["PATH"] = f"{TOOLS}/usr/bin:{os.environ['PATH']}"
    where = [f"-B{inside}/", f"-B{TOOLS}/usr/bin/"]
    return ["gcc", *where, "-foffload=nvptx-none", "-foffload-options=-lm", "-O1", "-g"], pathlib.Path(plugin).parent


def run(gcc, tmp_path, name, language, **variables):
    command, plugin = gcc
    program = tmp_path / name
    output(*command, f"-f{language}", SOURCES / f"{name}.c", "-lm", "-o", program)
    libraries = f"{plugin}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    environment = os.environ | {"LD_LIBRARY_PATH": libraries} | variables
    return subprocess.run([program], env=environment, capture_output=True, text=True)


def marked(name):
    """`FILE:LINE` of the line that says so."""
    lines = (SOURCES / name).read_text().splitlines()
    (line,) = [n for n, text in enumerate(lines, 1) if "// here" in text]
    return f"{name}:{line}"


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_openmp(gcc, tmp_path, level):
    ended = run(([*gcc[0], level], gcc[1]), tmp_path, "openmp", "openmp")
    assert ended.stdout == "devices 1, on the host 0\nsum 1\nnear 1\ncounts 63 62\nmost 996\n", ended.stderr
    assert ended.returncode == 0


@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_openacc(gcc, tmp_path, level):
    ended = run(([*gcc[0], level], gcc[1]), tmp_path, "openacc", "openacc")
    expected = "nvidia 1\nwrong 0\nsum 1\nmost 4095\ncounts 249000 250750\nlast 39.98\n"
    assert ended.stdout == expected, ended.stderr
    assert ended.returncode == 0


def test_mistakes_have_lines(gcc, tmp_path):
    """What a card reads past the end of what is mapped is an error here, with the line of C."""
    ended = run(gcc, tmp_path, "outside", "openmp")
    assert "out-of-bounds" in ended.stderr and marked("outside.c") in ended.stderr, ended.stderr
    assert ended.returncode != 0


def test_reads_of_what_was_never_written(gcc, tmp_path):
    found = run(gcc, tmp_path, "unwritten", "openmp", TEXUNIT_CHECK="init")
    assert "error[init" in found.stderr and marked("unwritten.c") in found.stderr, found.stderr
    right = run(gcc, tmp_path, "openmp", "openmp", TEXUNIT_CHECK="init")
    assert "error[" not in right.stderr, right.stderr
