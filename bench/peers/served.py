"""Programs that have a kernel ready, and run it as often as they are asked: bench/kernels (the Rust example) and
kernel_peer.py. The first line that they print says how the first launch went; then each line `N` that they get is
answered by the times of N more runs."""

import json
import os
import subprocess


class Failed(Exception):
    """A program that did not measure; the message is for the user."""


def output(command, environment=None):
    """What a command prints."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    except OSError as error:
        raise Failed(f"cannot run {command[0]}: {error.strerror}") from None
    if done.returncode:
        raise Failed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr.strip()}")
    return done.stdout


class Served:
    """Such a program, until it is closed."""

    def __init__(self, name, command, environment=None, threads=None):
        def on_cores():
            if threads and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])

        self.name = name
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                env={**os.environ, **(environment or {})}, preexec_fn=on_cores)
        except OSError as error:
            raise Failed(f"cannot run {command[0]}: {error.strerror}") from None
        self.first = self.line()
        # What takes long is asked for once at a time, what is short often: the machine does other things beside it.
        self.at_once = 1 if self.first["first_ms"] > 400 else 3

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            said = self.process.stderr.read().strip()
            self.process.wait()
            raise Failed(f"{self.name}: {said or 'ended'}")
        return json.loads(line)

    def ask(self):
        """Milliseconds of the fastest of a few runs."""
        try:
            self.process.stdin.write(f"{self.at_once}\n")
            self.process.stdin.flush()
        except OSError:
            # It says why where it is read.
            pass
        return min(self.line()["ms"])

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()
