"""Programs and jobs, and their reports as one."""

import json
import os
import subprocess
import tempfile
import xml.etree.ElementTree as xml
from dataclasses import dataclass

from . import _merged, _tasks
from ._errors import words
from ._program import texunit


@dataclass(frozen=True)
class Program:
    """How a program or job of ``run`` ended; ``report`` is its JSON report, None if there was none."""

    program: list
    returncode: int
    stdout: str
    stderr: str
    report: dict | None


@dataclass(frozen=True)
class Suite:
    """What ``run`` gives: programs in their order, and one report of all, as JUnit and as the object of a JSON report.

    ``report`` has the members of a report of ``texunit run`` (``crates/observe/evidence/schemas/report.schema.json``): counters are
    sums, kernels of one name and place are one, and lists are all of them. In place of ``run`` it has ``runs``, a list with
    one for each program or job, and what is of one of them has its number as ``run``.
    """

    programs: list
    junit: str
    report: dict

    @property
    def failed(self):
        """The programs that did not end with 0."""
        return [program for program in self.programs if program.returncode]


def _job(job, options, timeout):
    name = [os.fspath(job)]
    with tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        out = os.path.join(folder, "out")
        try:
            done = texunit("launch", job, "--format", "json", "--out", out, *options, timeout=timeout)
        except subprocess.TimeoutExpired:
            return Program(name, 1, "", f"it did not end within {timeout} seconds", None), None
    report = json.loads(done.stdout) if done.stdout.strip() else None
    return Program(name, done.returncode, done.stdout, done.stderr, report), None


def _program(program, options, timeout):
    with tempfile.TemporaryDirectory(prefix="texunit-") as folder:
        files = [os.path.join(folder, name) for name in ("report.json", "report.xml")]
        reports = [word for file in files for word in ("--report", file)]
        limit = [] if timeout is None else ["--timeout", timeout]
        done = texunit("run", "--error-exitcode", "1", *reports, *limit, *options, "--", *program)
        texts = [None, None]
        for number, path in enumerate(files):
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    texts[number] = file.read()
    report = json.loads(texts[0]) if texts[0] else None
    return Program([str(word) for word in program], done.returncode, done.stdout, done.stderr, report), texts[1]


def _one(program, options, timeout):
    is_job = isinstance(program, str | os.PathLike)
    return (_job if is_job else _program)(program, options, timeout)


def run(programs, executor, *, options=(), timeout=None):
    """Runs programs, each a list of words, and jobs, each the path of a ``.toml`` file, one a task; a ``Suite``.

    ``options`` are given to ``texunit run`` or ``texunit launch``; ``timeout`` is in seconds, for each.
    The order is that of ``programs``, whoever ran them.
    """
    ended = _tasks.each(executor, _one, [(program, list(options), timeout) for program in programs])
    all_of_them = [program for program, _ in ended]
    return Suite(all_of_them, _junit(ended), _merged.report(all_of_them))


def _junit(ended):
    suites, counts = xml.Element("testsuites"), {"tests": 0, "failures": 0, "errors": 0}
    for program, junit in ended:
        if junit is not None:
            root = xml.fromstring(junit)
            suites.extend([root] if root.tag == "testsuite" else root)
            continue
        suite = xml.SubElement(suites, "testsuite", name=program.program[0], tests="1", errors="0")
        suite.set("failures", str(int(program.returncode != 0)))
        case = xml.SubElement(suite, "testcase", name=program.program[0], classname="texunit.launch")
        if program.returncode:
            said = program.report or {}
            fault = said.get("fault")
            texts = [fault["message"]] if fault else [words(error) for error in said.get("errors") or []]
            xml.SubElement(case, "failure", message="\n".join(texts) or program.stderr)
    for suite in suites:
        for key in counts:
            counts[key] += int(suite.get(key, 0))
    for key, count in counts.items():
        suites.set(key, str(count))
    return xml.tostring(suites, encoding="unicode")
