"""What checks cost in whole programs whose launches are like those of real ones (bench/patterns): hundreds of small launches, short
loops, a footprint for each lane, arrays that are partly undefined. nvcc compiles them, `texunit run` runs them."""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from served import Failed

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What each is meant to stay below.
WANTED = {"init": 8, "texture": 8, "race": 10, "all": 15}


def nvcc():
    folder = pathlib.Path(os.environ.get("TEXUNIT_NVIDIA", ROOT / "target/nvidia")) / "cu13/nvidia/cu13"
    return folder if (folder / "bin/nvcc").exists() else None


def names():
    return sorted(path.stem for path in (ROOT / "bench/patterns").glob("*.cu"))


class Pattern:
    """A program, without checks ("none") and with each list: milliseconds of its rounds."""

    def __init__(self, name, program, texunit, lists, chosen):
        self.name, self.times, self.failed = name, {}, []
        sums = {}
        for checks in ["none", *lists]:
            options = ["--profile", os.devnull] if checks == "profile" else ["--check", checks.replace("+", ",")]
            options = options if checks != "none" else []
            command = [texunit, "run", *options, "--", program, str(chosen.warm + chosen.rounds)]

            def on_cores():
                if hasattr(os, "sched_setaffinity"):
                    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:chosen.threads])

            environment = {**os.environ, "TEXUNIT_THREADS": str(chosen.threads)}
            done = subprocess.run(command, capture_output=True, text=True, env=environment, preexec_fn=on_cores)
            if done.returncode:
                raise Failed(f"{name}, {checks}: {done.stderr.strip()}")
            rows = [line.split() for line in done.stdout.splitlines()]
            self.times[checks] = [float(row[1]) for row in rows if row[0] == "ms"]
            sums[checks] = [row[1] for row in rows if row[0] == "sum"]
            self.failed += [f"{name}, {checks}: {line}" for line in done.stderr.splitlines() if "checks:" in line]
        if len({tuple(values) for values in sums.values()}) > 1:
            self.failed.append(f"{name}: OTHER RESULTS: {sums}")
        self.warm = chosen.warm

    def ratio(self, checks):
        """How many times as long a round takes, and the first one."""
        late, first = self.times[checks][self.warm:], self.times[checks][0]
        none = self.times["none"]
        return statistics.median(late) / statistics.median(none[self.warm:]), first / none[0]


def measure(lists, chosen, wanted):
    """The rows of a table, and what must not be."""
    folder, texunit = nvcc(), chosen.texunit or str(ROOT / "target/release/texunit")
    libraries = pathlib.Path(texunit).parent
    if folder is None or not (libraries / "libcudart.so").exists():
        print("checks.sh: bench/patterns is not measured: nvcc (cargo run -p xtask -- tools nvcc) and the libraries beside"
              f" {texunit} (cargo run --release -p xtask -- libs) are needed", file=sys.stderr)
        return [], []
    rows, failed = [], []
    with tempfile.TemporaryDirectory() as work:
        for name in names():
            if wanted and not any(name.startswith(begin) for begin in wanted):
                continue
            program = f"{work}/{name}"
            subprocess.run([folder / "bin/nvcc", "-O3", "-lineinfo", "-arch=compute_86", "-cudart", "shared", f"-I{folder}/include",
                            f"-L{libraries}", "-o", program, ROOT / f"bench/patterns/{name}.cu"], check=True)
            pattern = Pattern(name, program, texunit, lists, chosen)
            none = statistics.median(pattern.times["none"][chosen.warm:])
            cells = [pattern.ratio(checks) for checks in lists]
            rows.append([name, f"{none:.1f}", *[f"{late:.1f} ({first:.1f})" for late, first in cells]])
            failed += pattern.failed
    if rows:
        limits = [f"at most {WANTED[checks]}" if checks in WANTED else "" for checks in lists]
        rows = [["pattern", "none ms", *[f"{checks} (first)" for checks in lists]], *rows, ["wanted", "", *limits]]
    return rows, failed
