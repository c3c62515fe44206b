"""Runs a suite of pytest tests under `texunit run`, and counts.

    python harness.py --texunit PATH --out FOLDER [OPTIONS] -- PATH...

A suite that was written for GPUs may crash its process, hang in it, or leave a context that answers every later
call with the same error. So tests run in a process of their own, started anew with those that are left: after a
crash, after a test that does not end, and after a failure that leaves such a context. What happened to each test
goes to FOLDER/result.json.

This file is also the plugin of pytest (`-p harness`) that writes down, in that process, what happens.
"""

import argparse
import collections
import ctypes
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time

EVENTS = "TEXUNIT_CLIENT_EVENTS"
DONE = "TEXUNIT_CLIENT_DONE"

# ---- The plugin -------------------------------------------------------------------------------------------------


class Recorder:
    """Writes one line of JSON for each thing that happens to a test."""

    def __init__(self, events, done):
        self.events = open(events, "a")
        self.done = done
        self.failed = {}
        self.skipped = {}
        self.passed = set()

    def write(self, **event):
        self.events.write(json.dumps(event) + "\n")
        self.events.flush()

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if item.nodeid not in self.done]

    def pytest_collection_finish(self, session):
        self.write(collected=[item.nodeid for item in session.items])

    def pytest_collectreport(self, report):
        if report.failed:
            self.write(end=report.nodeid, outcome="failed", message=reason(report), said="")
        elif report.skipped:
            self.write(end=report.nodeid, outcome="skipped", message=reason(report), said="")

    def pytest_runtest_logstart(self, nodeid):
        self.failed.pop(nodeid, None)
        self.write(start=nodeid)

    def pytest_runtest_logreport(self, report):
        if report.failed:
            said = " | ".join(line for _, text in report.sections for line in ours(text))
            self.failed.setdefault(report.nodeid, (reason(report), said))
        elif report.skipped:
            self.skipped[report.nodeid] = reason(report)
        elif report.when == "call":
            self.passed.add(report.nodeid)

    def pytest_runtest_logfinish(self, nodeid):
        message, said = self.failed.get(nodeid, ("", ""))
        if nodeid in self.failed:
            outcome = "failed"
        elif nodeid in self.skipped:
            outcome, message = "skipped", self.skipped[nodeid]
        else:
            outcome = "passed"
        self.write(end=nodeid, outcome=outcome, message=message, said=said)
        if outcome == "failed" and context_is_dead():
            self.write(dead=True)
            os._exit(0)


def reason(report):
    """The line that says why."""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).splitlines()[0][:300]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash else str(report.longrepr)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " / ".join(lines[:1] if crash is None else lines[:3])[:300]


def ours(text):
    """What texunit said, without the pictures of code."""
    return [line for line in text.splitlines() if line.startswith(("error", "warning", "texunit"))][:4]


def context_is_dead():
    """Whether the context of this thread answers with an error that stays."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    context = ctypes.c_void_p()
    if driver.cuCtxGetCurrent(ctypes.byref(context)) or not context:
        return False
    return driver.cuCtxSynchronize() != 0


def pytest_configure(config):
    if EVENTS in os.environ:
        with open(os.environ[DONE]) as file:
            done = set(json.load(file))
        config.pluginmanager.register(Recorder(os.environ[EVENTS], done))


# ---- The runner -------------------------------------------------------------------------------------------------


class Batch:
    """Some files of tests, run until each test has an outcome."""

    def __init__(self, run, number, files):
        self.run, self.files = run, list(files)
        self.base = os.path.join(run.out, f"batch-{number}")
        self.results = {}
        self.expected = []
        self.children = 0

    def all(self):
        while self.files and not self.run.over():
            if not self.child():
                break

    def child(self):
        """One process. Whether there can be another."""
        self.children += 1
        events, done = f"{self.base}-{self.children}.jsonl", f"{self.base}-done.json"
        open(events, "w").close()
        with open(done, "w") as file:
            json.dump(list(self.results), file)
        environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")
        environment.update(self.run.environment)
        environment[EVENTS], environment[DONE] = events, done
        here = os.path.dirname(os.path.abspath(__file__))
        paths = [here, environment.get("PYTHONPATH")]
        environment["PYTHONPATH"] = os.pathsep.join(p for p in paths if p)
        command = [*self.run.program, sys.executable, "-m", "pytest", "-q", "-p", "harness", "-p", "no:cacheprovider"]
        command += ["--tb=short", "--continue-on-collection-errors", "-o", "addopts=", *self.run.pytest, *self.files]
        log = open(f"{self.base}-{self.children}.log", "w")
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
            cwd=self.run.cwd, start_new_session=True)
        ending = self.watch(process, events)
        log.close()
        return self.judge(process, events, ending, log.name)

    def watch(self, process, events):
        """Waits for the end; kills a process that does not get on."""
        while True:
            try:
                process.wait(timeout=0.5)
                return None
            except subprocess.TimeoutExpired:
                pass
            quiet = time.time() - os.stat(events).st_mtime
            if self.run.over():
                why = "the time of the suite was over"
            elif quiet > self.run.test_limit:
                why = f"no end within {self.run.test_limit} s"
            else:
                continue
            kill(process)
            return why

    def judge(self, process, events, ending, log):
        collected, running, dead, before = None, None, False, len(self.results)
        with open(events) as file:
            for line in file:
                event = json.loads(line)
                if "collected" in event:
                    collected = event["collected"]
                    self.expected += [i for i in collected if i not in self.expected]
                elif "start" in event:
                    running = event["start"]
                elif "end" in event:
                    running = None
                    self.results[event["end"]] = event
                    if self.run.verbose or event["outcome"] == "failed":
                        print(f"{event['outcome']}: {event['end']}: {event['message']}", flush=True)
                dead = dead or "dead" in event
        if running and not self.run.over():
            code = process.returncode
            message = ending or (f"ended by {signal.Signals(-code).name}" if code < 0 else f"ended the process ({code})")
            said = " | ".join(ours(open(log, errors="replace").read()))
            self.results[running] = dict(end=running, outcome="failed", message=message, said=said)
            print(f"failed: {running}: {message}", flush=True)
        if collected is None:
            if not self.run.over():
                print(f"failed: {' '.join(self.files)}: tests cannot be collected, see {log}", flush=True)
                for file in self.files:
                    self.results[file] = dict(end=file, outcome="failed", message="cannot be collected", said="")
            return False
        left = [i for i in self.expected if i not in self.results]
        self.files = [f for f in self.files if any(belongs(i, f) for i in left)]
        return bool(left) and len(self.results) > before


def belongs(identifier, file):
    return os.path.basename(identifier.split("::")[0]) == os.path.basename(file)


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


class Run:
    """All batches."""

    def __init__(self, options):
        self.out = os.path.abspath(options.out)
        self.cwd = os.path.abspath(options.cwd or ".")
        self.program = [os.path.abspath(options.texunit), "run"] if options.texunit else []
        self.environment = dict(e.split("=", 1) for e in options.env)
        self.pytest = options.pytest
        self.test_limit = options.test_limit
        self.end = time.time() + options.limit
        self.verbose = options.verbose

    def over(self):
        return time.time() > self.end

    def all(self, files, jobs, size):
        batches = queue.SimpleQueue()
        groups = [files[i : i + size] for i in range(0, len(files), size)]
        made = [Batch(self, n, group) for n, group in enumerate(groups)]
        for batch in made:
            batches.put(batch)

        def work():
            while True:
                try:
                    batches.get_nowait().all()
                except queue.Empty:
                    return

        threads = [threading.Thread(target=work) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return made


def test_files(paths):
    """The files with tests, folders searched."""
    found = []
    for path in paths:
        if os.path.isfile(path):
            found.append(os.path.abspath(path))
        elif not os.path.isdir(path):
            raise SystemExit(f"error: there is no {path}")
        for folder, folders, names in os.walk(path):
            folders.sort()
            found += [os.path.abspath(os.path.join(folder, n)) for n in sorted(names)
                      if n.startswith("test_") and n.endswith(".py")]
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--texunit", help="the program; without it, tests run as they are")
    parser.add_argument("--out", required=True, help="folder for the result and the logs")
    parser.add_argument("--limit", type=float, default=600, help="seconds for all of it")
    parser.add_argument("--test-limit", type=float, default=90, help="seconds for a test")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8, help="files for a process")
    parser.add_argument("--cwd")
    parser.add_argument("--env", action="append", default=[], help="NAME=VALUE")
    parser.add_argument("--pytest", action="append", default=[], help="an option of pytest")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    started = time.time()
    run = Run(options)
    batches = run.all(test_files(options.paths), options.jobs, options.batch)
    results = {}
    for batch in batches:
        results.update(batch.results)
    unstarted = sum(len(b.expected) - sum(i in b.results for i in b.expected) for b in batches)
    unseen = [f for b in batches if not b.children for f in b.files]
    count = collections.Counter(r["outcome"] for r in results.values())
    summary = dict(
        passed=count["passed"], failed=count["failed"], skipped=count["skipped"], not_run=unstarted,
        files_not_run=unseen, seconds=round(time.time() - started),
        tests={i: {k: r[k] for k in ("outcome", "message", "said")} for i, r in sorted(results.items())})
    with open(os.path.join(run.out, "result.json"), "w") as file:
        json.dump(summary, file, indent=1)
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped, {unstarted} not run"
          + (f", {len(unseen)} files not run" if unseen else "") + f" in {summary['seconds']} s")


if __name__ == "__main__":
    main()
