"""Many workers, over any executor of ``concurrent.futures`` or over Ray (``pip install texunit[ray]``).

``sample`` fetches parts of the coordinates, ``run`` runs programs and jobs, ``launch`` runs one grid in ranges of CTAs
(docs/distributed.md). All give the bytes of one machine, whatever the number of workers, or an error. A task whose worker has
died is done again: by Ray itself, and of a ``ProcessPoolExecutor`` in a new pool of the same size.

``executor`` is an executor, a function without arguments that makes one (which is closed afterwards), or the module ``ray``.
What all tasks of a call need goes to each worker once: as a file in ``folder``, which all workers see (by default the
folder for temporary files), or through Ray's object store.
"""

import concurrent.futures as _futures
import hashlib as _hashlib
import json as _json
import os as _os
import pickle as _pickle
import re as _re
import struct as _struct
import subprocess as _subprocess
import tempfile as _tempfile
import xml.etree.ElementTree as _xml
from collections import OrderedDict as _OrderedDict
from dataclasses import dataclass as _dataclass

__all__ = ["FaultError", "Launched", "Program", "RefusedError", "Suite", "launch", "launch_job", "run", "sample"]

_KEPT = 4  # things that a worker keeps of calls
_REPEATS = 3  # how often the tasks of dead workers are done again


class RefusedError(ValueError):
    """Ranges that depend on each other, or cannot run alone, and mistakes of jobs.

    ``errors`` has them as in the report of ``texunit launch``; ``code`` and ``line`` are those of the first one.
    """

    def __init__(self, errors):
        self.errors = errors
        first = errors[0] if errors else {}
        self.code, self.line = first.get("code"), first.get("line")
        super().__init__("\n".join(_words(error) for error in errors) or "refused")

    def __reduce__(self):
        return RefusedError, (self.errors,)


class FaultError(RuntimeError):
    """A fault of the kernel; ``fault`` has its fields, as the report of ``texunit launch``."""

    def __init__(self, fault):
        self.fault = fault
        place = f"{fault.get('file')}:{fault.get('line')}: " if fault.get("line") else ""
        super().__init__(f"{place}{fault['kind']}: {fault['message']}")

    def __reduce__(self):
        return FaultError, (self.fault,)


@_dataclass(frozen=True)
class Launched:
    """What a launch did. ``report`` is that of ``texunit merge``."""

    printf: str
    report: dict
    ranges: list  # (first CTA, the one behind the last)
    bytes_moved: int  # bytes of sets that came back from workers


@_dataclass(frozen=True)
class Program:
    """How a program or job of ``run`` ended; ``report`` is its JSON report, None if there was none."""

    program: list
    returncode: int
    stdout: str
    stderr: str
    report: dict | None


@_dataclass(frozen=True)
class Suite:
    """What ``run`` gives: programs in their order, and one JUnit document of all."""

    programs: list
    junit: str

    @property
    def failed(self):
        """The programs that did not end with 0."""
        return [program for program in self.programs if program.returncode]


def _words(error):
    place = ":".join(str(error[key]) for key in ("file", "line") if error.get(key))
    label = f" ({error['label']})" if error.get("label") else ""
    return f"{place}{': ' if place else ''}error[{error.get('code')}]: {error.get('message')}{label}"


# What tasks share.


class _Shared:
    """Bytes that a worker loads once, and keeps what it has made of them."""

    def __init__(self, content, ray, folder):
        self.key = _hashlib.sha256(content).hexdigest()
        self.path = self.ref = None
        if ray is not None:
            # In a list, so that a task gets the reference and asks for its content when it does not have it.
            self.ref = [ray.put(content)]
        else:
            file, self.path = _tempfile.mkstemp(prefix="texunit-", dir=folder)
            with _os.fdopen(file, "wb") as file:
                file.write(content)

    def made(self, make):
        if self.key in _MADE:
            _MADE.move_to_end(self.key)
            return _MADE[self.key]
        if self.ref is not None:
            import ray

            content = ray.get(self.ref[0])
        else:
            with open(self.path, "rb") as file:
                content = file.read()
        _MADE[self.key] = made = make(content)
        while len(_MADE) > _KEPT:
            _MADE.popitem(last=False)
        return made

    def close(self):
        if self.path is not None:
            _os.unlink(self.path)


_MADE = _OrderedDict()


def _ray(executor):
    return executor if getattr(executor, "__name__", None) == "ray" else None


def _again(pool):
    """A pool like one that is broken."""
    if not isinstance(pool, _futures.ProcessPoolExecutor):
        raise TypeError("the executor is broken; give a function that makes one, so that tasks can be repeated")
    return _futures.ProcessPoolExecutor(
        pool._max_workers, mp_context=pool._mp_context, initializer=pool._initializer, initargs=pool._initargs
    )


def _workers(executor, workers):
    if workers is not None:
        if workers < 1:
            raise ValueError("workers: a number from 1")
        return workers
    if (ray := _ray(executor)) is not None:
        return max(1, int(ray.cluster_resources().get("CPU", 1)))
    return getattr(executor, "_max_workers", None) or _os.cpu_count() or 1


def _each(executor, function, tasks):
    """Results of all tasks in their order; the first error ends it."""
    if (ray := _ray(executor)) is not None:
        remote = ray.remote(max_retries=_REPEATS)(function)
        references = [remote.remote(*task) for task in tasks]
        try:
            return ray.get(references)
        except ray.exceptions.RayTaskError as error:
            for reference in references:
                ray.cancel(reference, force=False)
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
    mine, pool = not hasattr(executor, "submit"), executor
    if mine:
        pool = executor()
    results, left, repeats = {}, list(range(len(tasks))), 0
    try:
        while left:
            futures = {}
            try:
                for number in left:
                    futures[number] = pool.submit(function, *tasks[number])
                for number in left:
                    results[number] = futures[number].result()
                left = []
            except _futures.BrokenExecutor:
                if repeats == _REPEATS:
                    raise
                repeats += 1
                for number, future in futures.items():
                    if future.done() and not future.cancelled() and future.exception() is None:
                        results[number] = future.result()
                left = [number for number in left if number not in results]
                old, pool = pool, executor() if not hasattr(executor, "submit") else _again(pool)
                if mine:
                    old.shutdown(wait=False)
                mine = True
            except BaseException:
                for future in futures.values():
                    future.cancel()
                raise
    finally:
        if mine:
            pool.shutdown()
    return [results[number] for number in range(len(tasks))]


def _parts(total, count):
    count = max(1, min(total, count))
    return [(total * n // count, total * (n + 1) // count) for n in range(count)]


# Samples.


def _sample_part(shared, xy, keywords):
    return shared.made(_pickle.loads).sample(xy, **keywords)


def sample(tex, xy, executor, *, workers=None, parts=4, folder=None, **keywords):
    """``tex.sample(xy, **keywords)``, in ``parts`` parts a worker.

    ``xy`` is one array with the coordinates in its last axis (of 1D textures x itself); it is split along its first axis.
    Keywords are those of ``Texture.sample`` without ``out``; operands that are arrays are not split, so they have to be numbers.
    """
    import numpy

    xy = numpy.asarray(xy)
    for name, value in keywords.items():
        if name == "out" or (name not in ("dtype",) and numpy.ndim(value)):
            raise TypeError(f"{name}: only numbers can be given for all parts; `out` cannot")
    axes = xy.ndim if tex.geometry in ("1d", "a1d") else xy.ndim - 1
    if axes < 1 or xy.shape[0] == 0:
        return tex.sample(xy, **keywords)
    shared = _Shared(_pickle.dumps(tex, protocol=5), _ray(executor), folder)
    try:
        ranges = _parts(xy.shape[0], _workers(executor, workers) * parts)
        tasks = [(shared, xy[first:end], keywords) for first, end in ranges]
        return numpy.concatenate(_each(executor, _sample_part, tasks))
    finally:
        shared.close()


# Programs and jobs.


def _texunit(*arguments, **options):
    from texunit import path

    # A fault of Python's own in a child is no business of the program's.
    options = {"capture_output": True, "errors": "replace", "text": True, **options}
    return _subprocess.run([path(), *(str(argument) for argument in arguments)], **options)


def _run_one(program, options, timeout):
    with _tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        if isinstance(program, str | _os.PathLike):
            out = _os.path.join(folder, "out")
            done = _texunit("launch", program, "--format", "json", "--out", out, *options, timeout=timeout)
            report = _json.loads(done.stdout) if done.stdout.strip() else None
            return Program([_os.fspath(program)], done.returncode, done.stdout, done.stderr, report), None
        files = [_os.path.join(folder, name) for name in ("report.json", "report.xml")]
        reports = [word for file in files for word in ("--report", file)]
        limit = [] if timeout is None else ["--timeout", timeout]
        done = _texunit("run", "--error-exitcode", "1", *reports, *limit, *options, "--", *program)
        report = junit = None
        if _os.path.exists(files[0]):
            with open(files[0], encoding="utf-8") as file:
                report = _json.load(file)
        if _os.path.exists(files[1]):
            with open(files[1], encoding="utf-8") as file:
                junit = file.read()
        words = [str(word) for word in program]
        return Program(words, done.returncode, done.stdout, done.stderr, report), junit


def run(programs, executor, *, options=(), timeout=None):
    """Runs programs, each a list of words, and jobs, each the path of a ``.toml`` file, one a task; a ``Suite``.

    ``options`` are given to ``texunit run`` or ``texunit launch``; ``timeout`` is in seconds, for each.
    The order is that of ``programs``, whoever ran them.
    """
    ended = _each(executor, _run_one, [(program, list(options), timeout) for program in programs])
    suites, counts = _xml.Element("testsuites"), {"tests": 0, "failures": 0, "errors": 0}
    for program, junit in ended:
        if junit is not None:
            root = _xml.fromstring(junit)
            suites.extend([root] if root.tag == "testsuite" else root)
            continue
        suite = _xml.SubElement(suites, "testsuite", name=program.program[0], tests="1", errors="0")
        suite.set("failures", str(int(program.returncode != 0)))
        case = _xml.SubElement(suite, "testcase", name=program.program[0], classname="texunit.launch")
        if program.returncode:
            said = program.report or {}
            fault = said.get("fault")
            texts = [fault["message"]] if fault else [_words(error) for error in said.get("errors") or []]
            _xml.SubElement(case, "failure", message="\n".join(texts) or program.stderr)
    for suite in suites:
        for key in counts:
            counts[key] += int(suite.get(key, 0))
    for key, count in counts.items():
        suites.set(key, str(count))
    return Suite([program for program, _ in ended], _xml.tostring(suites, encoding="unicode"))


# Grids.


def _unpacked(content):
    folder = _tempfile.TemporaryDirectory(prefix="texunit-job-")
    _unpack(content, folder.name)
    return folder


def _unpack(content, folder):
    for name, data in _pickle.loads(content).items():
        with open(_os.path.join(folder, name), "wb") as file:
            file.write(data)


def _report(done):
    try:
        report = _json.loads(done.stdout)
    except ValueError:
        raise RuntimeError(f"texunit ended with {done.returncode}: {done.stderr.strip()}") from None
    if done.returncode:
        if report.get("fault"):
            raise FaultError(report["fault"])
        raise RefusedError(report.get("errors") or [])
    return report


def _range(job, shared, first, end, options):
    if shared is not None:
        job = _os.path.join(shared.made(_unpacked).name, "job.toml")
    with _tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        file = _os.path.join(folder, "sets")
        ctas = ("--ctas", f"{first}..{end}", "--writes", file)
        _report(_texunit("launch", job, *ctas, "--format", "json", "--threads", "1", *options))
        with open(file, "rb") as file:
            return file.read()


def _in_ranges(job, shared, total, out, executor, workers, parts, options):
    ranges = _parts(total, _workers(executor, workers) * parts)
    sets = _each(executor, _range, [(job, shared, first, end, options) for first, end in ranges])
    with _tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        files = [_os.path.join(folder, str(number)) for number in range(len(sets))]
        for path, content in zip(files, sets, strict=True):
            with open(path, "wb") as file:
                file.write(content)
        report = _report(_texunit("merge", job, *files, "--out", out, "--format", "json", *options))
    return Launched(report.get("printf") or "", report, ranges, sum(map(len, sets)))


def launch_job(job, executor, *, out, workers=None, parts=3, options=()):
    """The launch of a job file (docs/jobs.md) in ranges of CTAs, ``parts`` a worker; outputs go to the folder ``out``.

    The job and its files are read by all workers, at the same path. ``options`` are given to ``texunit launch`` and ``texunit merge``.
    """
    import tomllib

    with open(job, "rb") as file:
        grid = tomllib.load(file).get("grid", 1)
    return _in_ranges(_os.fspath(job), None, _count(grid), _os.fspath(out), executor, workers, parts, list(options))


def _count(grid):
    total = 1
    for axis in [grid] if isinstance(grid, int) else grid:
        total *= axis
    return total


_ENTRY = r"\.entry\s+{}\s*\(([^)]*)\)"
_PARAM = _re.compile(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)\s+(?:\.ptr\s*(?:\.\w+\s*(?:\d+\s*)?)*)?([\w$%]+)\s*(\[[^]]*\])?")


def _types(ptx, name):
    plain = _re.sub(r"//[^\n]*|/\*.*?\*/", " ", ptx, flags=_re.DOTALL)
    entry = _re.search(_ENTRY.format(_re.escape(name)), plain)
    if entry is None:
        if _re.search(rf"\.entry\s+{_re.escape(name)}(?![\w$])", plain):
            return []
        raise ValueError(f"kernel: the PTX has no .entry {name}")
    return [(kind, bool(array)) for kind, _, array in _PARAM.findall(entry[1])]


def _scalar(number, value, kind, is_array):
    """The table of a parameter that is no array."""
    import numpy

    if isinstance(value, bytes | bytearray):
        return f'scalar = {{ bytes = "{bytes(value).hex()}" }}'
    if is_array:
        raise TypeError(f"args[{number}]: a structure is given as its bytes")
    size = int(kind[1:])
    is_float = isinstance(value, float | numpy.floating)
    if kind[0] == "f" or (kind[0] == "b" and is_float):
        if not isinstance(value, float | int | numpy.floating | numpy.integer):
            raise TypeError(f"args[{number}]: a number is expected for .{kind}, not {type(value).__name__}")
        letter, unsigned = {16: ("e", "H"), 32: ("f", "I"), 64: ("d", "Q")}[size]
        (bits,) = _struct.unpack("<" + unsigned, _struct.pack("<" + letter, value))
        return f'scalar = {{ f{size} = "0x{bits:0{size // 4}x}" }}'
    if not isinstance(value, int | numpy.integer):
        raise TypeError(f"args[{number}]: an integer is expected for .{kind}, not {type(value).__name__}")
    value = int(value)
    if not -(1 << size - 1) <= value < 1 << size:
        raise ValueError(f"args[{number}]: {value} does not fit .{kind}")
    return f'scalar = {{ u{size} = "0x{value % (1 << size):x}" }}'


def _job(kernel, grid, block, args, dynamic_shared):
    """The files of a job, and the arrays that are written back, by the names of outputs."""
    import numpy

    ptx, name = kernel
    if isinstance(ptx, _os.PathLike):
        with open(ptx, encoding="utf-8") as file:
            ptx = file.read()
    types = _types(ptx, name)
    if len(types) != len(args):
        raise TypeError(f"args: {name} has {len(types)} parameters, not {len(args)}")

    def axes(of):
        return [int(of)] if isinstance(of, int) else [int(axis) for axis in of]

    lines = [
        'ptx = "kernel.ptx"', f"kernel = {_json.dumps(name)}", f"grid = {axes(grid)}", f"block = {axes(block)}",
        f"dynamic_shared = {int(dynamic_shared)}",
    ]  # fmt: skip
    files, written, seen = {"kernel.ptx": ptx.encode()}, {}, {}
    for number, (value, (kind, is_array)) in enumerate(zip(args, types, strict=True)):
        lines.append(f"[params.{number}]")
        if not isinstance(value, numpy.ndarray):
            lines.append(_scalar(number, 0 if value is None else value, kind, is_array))
        elif kind not in ("u64", "b64", "s64") or is_array:
            raise TypeError(f"args[{number}]: an array is an address of 64 bits, not .{kind}")
        elif value.dtype.hasobject:
            raise TypeError(f"args[{number}]: an array of objects has no bytes")
        elif id(value) in seen:
            lines.append(f'use = "{seen[id(value)]}"')
        else:
            seen[id(value)] = number
            files[f"{number}.bin"] = value.tobytes()
            lines.append(f'buffer = {{ file = "{number}.bin" }}')
            if value.flags.writeable:
                lines.append(f'output = {{ file = "{number}.out" }}')
                written[f"{number}.out"] = value
    files["job.toml"] = "\n".join([*lines, ""]).encode()
    return files, written, _count(axes(grid))


def launch(
    kernel, grid, block, args, executor, *, dynamic_shared=0, workers=None, parts=3, folder=None, options=()
):
    """Runs a grid in ranges of CTAs, ``parts`` a worker, and writes arrays back: the bytes of one launch, or nothing.

    ``kernel`` is ``(ptx, name)``, the PTX as text or as a ``pathlib.Path``; ``args`` has a NumPy array for an address (written
    back unless it is read-only), ``None`` for a null pointer, numbers by the types in the PTX, and ``bytes`` for structures.
    Kernels with textures are launched by ``launch_job``.

    ``RefusedError`` (E0630, E0631) says the line where CTAs depend on each other, ``FaultError`` what a kernel did wrong; arrays
    are then as they were.
    """
    import numpy

    files, written, total = _job(kernel, grid, block, args, dynamic_shared)
    content = _pickle.dumps(files, protocol=5)
    shared = _Shared(content, _ray(executor), folder)
    try:
        with _tempfile.TemporaryDirectory(prefix="texunit-") as here:
            _unpack(content, here)
            job, out = _os.path.join(here, "job.toml"), _os.path.join(here, "out")
            done = _in_ranges(job, shared, total, out, executor, workers, parts, list(options))
            results = {}
            for name, array in written.items():
                with open(_os.path.join(out, name), "rb") as file:
                    results[name] = numpy.frombuffer(file.read(), array.dtype).reshape(array.shape)
            for name, array in written.items():
                array[...] = results[name]
        return done
    finally:
        shared.close()
