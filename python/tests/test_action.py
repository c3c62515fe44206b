"""action/setup, the steps of action.yml, in an empty environment."""

import functools
import http.server
import os
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import HERE, run

SYSTEM = "/usr/bin:/bin"


@pytest.fixture
def setup(repository, tmp_path):
    """Runs the script as GitHub does, with an empty home; how it ended, and what the next step's environment is."""

    def setup(**inputs):
        files = {name: tmp_path / name for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        kept = {k: v for k, v in os.environ.items() if k.startswith(("PIP_", "SSL_")) or k.lower().endswith("_proxy")}
        home = tmp_path / "home"
        home.mkdir(exist_ok=True)
        # The system's Python, not that of these tests.
        empty = {**kept, "PATH": SYSTEM, "HOME": str(home), "RUNNER_TEMP": str(tmp_path / "runner")}
        ended = run(
            "bash", repository / "action/setup", env={**empty, **{k: str(v) for k, v in (files | inputs).items()}}
        )
        lines = {name: file.read_text().splitlines() for name, file in files.items()}
        # As GitHub has it, the last folder comes first.
        path = ":".join([*reversed(lines["GITHUB_PATH"]), SYSTEM])
        next_step = {**empty, "PATH": path, **dict(line.split("=", 1) for line in lines["GITHUB_ENV"])}
        return ended, next_step, dict(line.split("=", 1) for line in lines["GITHUB_OUTPUT"])

    return setup


def builds_and_runs(folder, environment):
    """The program of these tests, with what is on the path."""
    program = folder / "sum"
    nvcc = ["nvcc", "-arch=compute_75", str(HERE / "sum.cu"), "-o", str(program)]
    subprocess.run(nvcc, env=environment, check=True)
    ended = run("texunit", "run", program, env=environment)
    return (ended.stdout, ended.stderr, ended.returncode) == ("2016\n", "", 0)


def test_the_wheel_and_nvcc(setup, wheel, tmp_path):
    ended, environment, outputs = setup(TEXUNIT_FILE=wheel, TEXUNIT_NVCC="13.5")
    assert ended.returncode == 0, ended.stderr
    assert builds_and_runs(tmp_path, environment)
    # A shared runtime, too, and CMake's variable.
    shared = [environment["CUDACXX"], "-arch=compute_75", "-cudart", "shared", HERE / "sum.cu", "-o", tmp_path / "shared"]
    assert run(*shared, env=environment).returncode == 0
    ended = run(tmp_path / "shared", env={**environment, "LD_LIBRARY_PATH": outputs["libraries"]})
    assert ended.stdout == "2016\n", ended.stderr


def test_the_archive_from_a_url(setup, archive):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=archive.parent)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/{archive.name}?token=1"
        try:
            missing, _, _ = setup(TEXUNIT_FILE=url.replace("linux", "windows"), no_proxy="127.0.0.1")
            ended, environment, outputs = setup(TEXUNIT_FILE=url, TEXUNIT_NVCC="none", no_proxy="127.0.0.1")
        finally:
            server.shutdown()
    assert missing.returncode == 1 and "cannot be downloaded" in missing.stderr
    assert ended.returncode == 0, ended.stderr
    assert run("texunit", "--version", env=environment).stdout.startswith("texunit ")
    assert os.access(outputs["program"], os.X_OK)


def test_the_archive_without_nvcc(setup, archive, nvcc, tmp_path):
    ended, environment, outputs = setup(TEXUNIT_FILE=archive)
    assert ended.returncode == 0, ended.stderr
    assert "CUDACXX" not in environment
    assert Path(outputs["libraries"], "libcuda.so.1").is_file()
    assert os.access(outputs["program"], os.X_OK)
    environment["PATH"] += f":{Path(nvcc).parent}"
    assert builds_and_runs(tmp_path, environment)


@pytest.mark.parametrize(
    "inputs, why",
    [
        ({}, "has to name texunit's wheel or archive"),
        ({"TEXUNIT_FILE": "/nowhere/texunit.whl"}, "there is no file /nowhere/texunit.whl"),
        ({"TEXUNIT_FILE": "/bin/sh"}, "/bin/sh is neither a wheel (.whl) nor an archive (.tar.gz)"),
    ],
    ids=["nothing", "missing", "another"],
)
def test_wrong_files(setup, inputs, why):
    ended, _, _ = setup(**inputs)
    assert ended.returncode == 1
    assert why in ended.stderr


@pytest.mark.parametrize("release", ["12.9", "13", "new", "13.5; touch /tmp/x"])
def test_wrong_releases_of_nvcc(setup, wheel, release):
    ended, _, _ = setup(TEXUNIT_FILE=wheel, TEXUNIT_NVCC=release)
    assert ended.returncode == 1
    assert "expected none or a release of CUDA from 13.0 on" in ended.stderr


def test_the_action_runs_this_script(repository):
    """Its inputs are the script's variables."""
    action = (repository / "action.yml").read_text()
    assert 'run: bash "$GITHUB_ACTION_PATH/action/setup"' in action
    script = (repository / "action/setup").read_text()
    for name in ("FILE", "NVCC"):
        assert f"TEXUNIT_{name}: ${{{{ inputs.{name.lower()} }}}}" in action
        assert f"${{TEXUNIT_{name}" in script
