"""Grids in ranges of CTAs."""

import json
import os
import pickle
import tempfile
from dataclasses import dataclass

from . import _tasks
from ._arguments import Job, count
from ._errors import RefusedError, kernel_fault
from ._program import texunit


@dataclass(frozen=True)
class Launched:
    """What a launch did. ``report`` is that of ``texunit merge``."""

    printf: str
    report: dict
    ranges: list  # (first CTA, the one behind the last)
    bytes_moved: int  # bytes of sets that came back from workers


def _unpacked(content):
    folder = tempfile.TemporaryDirectory(prefix="texunit-job-")
    _unpack(content, folder.name)
    return folder


def _unpack(content, folder):
    for name, data in pickle.loads(content).items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def _report(done, folder=None):
    """The report of a run; paths in a ``folder`` of this worker become those in the job."""

    def told(text):
        # In JSON a path stands as a string.
        return text if folder is None else text.replace(json.dumps(os.path.join(folder, ""))[1:-1], "")

    try:
        report = json.loads(told(done.stdout))
    except ValueError:
        raise RuntimeError(f"texunit ended with {done.returncode}: {told(done.stderr).strip()}") from None
    if done.returncode:
        if report.get("fault"):
            raise kernel_fault(report)
        raise RefusedError(report.get("errors") or report.get("findings") or [])
    return report


def run_range(job, shared, first, end, options):
    """The sets of some CTAs: a task."""
    # Its folder is there as long as this is.
    unpacked = None if shared is None else shared.made(_unpacked)
    home = unpacked.name if unpacked is not None else None
    if home is not None:
        job = os.path.join(home, "job.toml")
    with tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        file = os.path.join(folder, "sets")
        ctas = ("--ctas", f"{first}..{end}", "--writes", file)
        _report(texunit("launch", job, *ctas, "--format", "json", "--threads", "1", *options), home)
        with open(file, "rb") as file:
            return file.read()


def _options(options):
    """A fetch that no texture fits is a fault, as for kernels of a module, unless the caller says otherwise."""
    given = [os.fspath(option) for option in options]
    return given if any(option.startswith("--bad-fetch") for option in given) else ["--bad-fetch=fault", *given]


def _in_ranges(job, shared, total, out, executor, workers, parts, options):
    ranges = _tasks.split(total, _tasks.worker_count(executor, workers) * parts)
    sets = _tasks.each(executor, run_range, [(job, shared, first, end, options) for first, end in ranges])
    with tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        files = [os.path.join(folder, str(number)) for number in range(len(sets))]
        for path, content in zip(files, sets, strict=True):
            with open(path, "wb") as file:
                file.write(content)
        merged = texunit("merge", job, *files, "--out", out, "--format", "json", *options)
        report = _report(merged, None if shared is None else os.path.dirname(job))
    return Launched(report.get("printf") or "", report, ranges, sum(map(len, sets)))


def launch_job(job, executor, *, out, workers=None, parts=3, options=()):
    """The launch of a job file (docs/jobs.md) in ranges of CTAs, ``parts`` a worker; outputs go to the folder ``out``.

    The job and its files are read by all workers, at the same path. ``options`` are given to ``texunit launch`` and ``texunit merge``.
    """
    import tomllib

    with open(job, "rb") as file:
        grid = tomllib.load(file).get("grid", 1)
    return _in_ranges(os.fspath(job), None, count(grid), os.fspath(out), executor, workers, parts, _options(options))


def launch(
    kernel, grid, block, args, executor, *, dynamic_shared=0, workers=None, parts=3, folder=None, options=()
):
    """Runs a grid in ranges of CTAs, ``parts`` a worker, and writes arrays back: the bytes of one launch, or nothing.

    ``kernel`` is ``(ptx, name)``, the PTX as text or as a ``pathlib.Path``, or anything with ``ptx`` and ``name``, such as a
    kernel of a module. ``args`` has a NumPy array for an address (written back unless it is read-only), a ``Texture`` or a
    ``Surface`` (written back) for a handle, ``None`` for a null pointer, numbers by the types in the PTX, and ``bytes`` for
    structures. What stands twice in ``args`` is one object for the kernel, too.

    ``RefusedError`` (E0630, E0631) says the line where CTAs depend on each other, ``texunit.KernelFault`` what a kernel did wrong
    (its counters and printf are those of one range); arrays and surfaces are then as they were.
    """
    job = Job(kernel, grid, block, args, dynamic_shared)
    content = pickle.dumps(job.files, protocol=5)
    shared = _tasks.Shared(content, _tasks.ray_of(executor), folder)
    try:
        with tempfile.TemporaryDirectory(prefix="texunit-") as here:
            _unpack(content, here)
            path, out = os.path.join(here, "job.toml"), os.path.join(here, "out")
            done = _in_ranges(path, shared, job.ctas, out, executor, workers, parts, _options(options))
            job.write_back(out)
        return done
    finally:
        shared.close()
