"""The command `texunit` of the wheel, on CUDA programs."""

import os
import shutil
import signal
import sys

import pytest
import texunit
from conftest import run


def test_there_is_no_rust_here():
    assert shutil.which("cargo") is None
    assert shutil.which("rustc") is None


@pytest.mark.parametrize(
    "command", [["texunit"], [sys.executable, "-m", "texunit"], [texunit.path()]], ids=["script", "module", "program"]
)
def test_version(command):
    ended = run(*command, "--version")
    assert ended.stdout == f"texunit {texunit.__version__}\n"
    assert ended.returncode == 0


def test_a_program(build):
    ended = run("texunit", "run", build("sum"))
    assert (ended.stdout, ended.stderr, ended.returncode) == ("2016\n", "", 0)


def test_a_program_with_a_shared_runtime(build, libraries):
    ended = run("texunit", "run", build("sum", "-cudart", "shared", f"-L{libraries}"))
    assert (ended.stdout, ended.stderr, ended.returncode) == ("2016\n", "", 0)


def test_a_fault(build):
    ended = run("texunit", "run", build("sum", "-lineinfo"), "past")
    assert ended.returncode == 0, "the program does not look at its errors"
    assert "sum.cu:8" in ended.stderr
    assert "sum(int const*, int*, int)" in ended.stderr
    assert "thread (7, 0, 0)" in ended.stderr


def test_a_fault_fails_the_run(build):
    ended = run("texunit", "run", "--error-exitcode", "9", build("sum"), "past")
    assert ended.returncode == 9, ended.stderr
    assert run("texunit", "run", "--error-exitcode", "9", build("sum")).returncode == 0


def test_a_report_of_two_processes(build, tmp_path):
    report = tmp_path / "report.xml"
    good, bad = build("sum"), f"{build('sum')} past"
    ended = run("texunit", "run", "--error-exitcode", "9", "--report", report, "bash", "-c", f"{bad}; {good}")
    assert ended.returncode == 9, ended.stderr
    assert "<failure" in report.read_text()


def test_exit_codes_and_signals_are_the_programs():
    assert run("texunit", "run", "sh", "-c", "exit 7").returncode == 7
    assert run("texunit", "run", "sh", "-c", "kill -TERM $$").returncode == -signal.SIGTERM
    # What Python ignores is not ignored by what it becomes.
    ignored = run("texunit", "run", "grep", "SigIgn", "/proc/self/status").stdout
    mask = int(ignored.split()[1], 16)
    assert mask & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1) == 0


def test_an_exception_in_a_host_function(build, libraries, repository):
    """It passes through frames of libcuda.so.1, where there must be no unwinder but the program's."""
    program = build(repository / "tests/cuda/commands/exception.cu", "-cudart", "shared", f"-L{libraries}")
    ended = run("texunit", "run", program)
    assert (ended.stdout, ended.returncode) == ("before\n", -signal.SIGABRT)


def test_install_libs(build, libraries):
    for name in ["libcuda.so.1", "libcudart.so.12", "libcudart.so.13", "libnvidia-ml.so.1", "libtexunit_redirect.so"]:
        with open(texunit.path(name), "rb") as file:
            assert (libraries / name).read_bytes() == file.read()
    with open(texunit.path("nvidia-smi"), "rb") as file:
        assert (libraries / "shims/nvidia-smi").read_bytes() == file.read()
    assert run("texunit", "run", "nvidia-smi", "-L").stdout.startswith("GPU 0: NVIDIA GeForce RTX 3060 (UUID: GPU-")
    program = build("sum", "-cudart", "shared", f"-L{libraries}")
    ended = run(program, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)})
    assert (ended.stdout, ended.stderr, ended.returncode) == ("2016\n", "", 0)


def test_a_program_alone_says_where_libraries_come_from(tmp_path):
    alone = shutil.copy(texunit.path(), tmp_path)
    ended = run(alone, "run", "true")
    assert ended.returncode == 125
    assert "libcuda.so.1" in ended.stderr and "TEXUNIT_LIBS" in ended.stderr
    libraries = os.path.dirname(texunit.path("libcuda.so.1"))
    assert run(alone, "run", "true", env={**os.environ, "TEXUNIT_LIBS": libraries}).returncode == 0
