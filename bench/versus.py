"""What bench/versus.sh does: pairs of runs, the order turned round in every other pair, and a table of the medians of
their ratios. Nothing is thrown away: the spread says how far to trust a line."""

import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# The list of cases is that of the table of peers; nothing is left beside it.
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE / "peers"))
from served import Failed, Served, output  # noqa: E402
from table import CASES  # noqa: E402

# A case below this is measured again with more pairs, and counts as slower if it stays there.
LOWEST, MEAN, AGAIN = 0.90, 0.97, 27


def lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


class Texunit:
    """A build of texunit."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.name = program

    def fetches(self, case, options):
        command = [self.program, "bench", "--format", "json", "--case", case]
        command += ["--via", options.via, "--threads", str(options.threads)]
        return next(line["mfetch_per_s"] for line in lines(output(command)) if line["case"] == case)

    def launches(self, job, options):
        """Launches a second: the best of three, as a launch may be shorter than what the machine does beside it."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.program, "launch", job, "--format", "json", "--out", folder]
            command += ["--threads", str(options.threads)]
            times = [lines(output(command))[0]["times"]["launch"] for _ in range(3)]
        return 1 / max(min(times), 1e-9)


class Kernels:
    """A build of the program of bench/kernels, which has one kernel ready at a time."""

    def __init__(self, program):
        self.program = str(pathlib.Path(program).resolve())
        self.name = program
        self.case, self.served = None, None

    def cases(self):
        return [line["name"] for line in lines(output([self.program, "list"]))]

    def launches(self, case, options):
        """Launches a second."""
        if self.case != case:
            self.close()
            command = [self.program, "serve", case, "--threads", str(options.threads)]
            self.case, self.served = case, Served(self.name, command)
        return 1 / max(self.served.ask(), 1e-6)

    def close(self):
        if self.served:
            self.served.close()
        self.case, self.served = None, None


class Peer:
    """Another sampler, measured by bench/compare.sh."""

    def __init__(self, name):
        self.name = f"peer:{name}"
        self.peer = name

    def fetches(self, case, options):
        peers = HERE.parent / "target" / "peers"
        output([str(HERE / "compare.sh"), "--no-install", "--only", self.peer, "--rounds", "1", "--cases", case,
                "--threads", str(options.threads), "--peers", str(peers)])
        found = [line for line in lines((peers / "lines.jsonl").read_text()) if line.get("case") == case]
        if not found:
            raise Failed(f"{self.peer} did not measure {case}: {peers / 'log.txt'} says why")
        return max(line["mfetch_per_s"] for line in found)

    def launches(self, job, options):
        raise Failed(f"{self.name} has no jobs: --jobs compares builds of texunit")


def side(name):
    return Peer(name.removeprefix("peer:")) if name.startswith("peer:") else Texunit(name)


def pairs(old, new, measure, count, first=0):
    """Ratios of so many pairs."""
    ratios = []
    for number in range(first, first + count):
        if number % 2 == 0:
            before = measure(old)
            after = measure(new)
        else:
            after = measure(new)
            before = measure(old)
        ratios.append(after / before)
    return ratios


def quartiles(ratios):
    """The lower and the upper one."""
    if len(ratios) < 2:
        return ratios[0], ratios[0]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive")
    return low, high


def jobs(folder):
    found = sorted(str(path) for path in pathlib.Path(folder).glob("*/job.toml"))
    if not found:
        raise Failed(f"there is no {folder}/*/job.toml")
    return found


def main():
    parser = argparse.ArgumentParser(prog="bench/versus.sh", add_help=False)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--fetch", action="store_true")
    parser.add_argument("--kernels", action="store_true")
    parser.add_argument("--jobs")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--cases", default="")
    parser.add_argument("--via", choices=["api", "ptx"], default="api")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.fetch + options.kernels + bool(options.jobs) > 1:
        parser.error("one of --fetch, --kernels and --jobs at a time")
    if options.pairs < 1 or options.threads < 0:
        parser.error("--pairs is at least 1, --threads at least 0")
    wanted = [begin for begin in options.cases.split(",") if begin]
    make = Kernels if options.kernels else side
    old, new = make(options.old), make(options.new)
    work = []
    if options.kernels:
        both = set(new.cases())
        work = [(name, lambda of, name=name: of.launches(name, options)) for name in old.cases() if name in both]
    elif options.jobs:
        work = [(os.path.basename(os.path.dirname(job)), lambda of, job=job: of.launches(job, options))
                for job in jobs(options.jobs)]
    else:
        work = [(name, lambda of, name=name: of.fetches(name, options)) for name in CASES]
    work = [(name, measure) for name, measure in work if not wanted or any(map(name.startswith, wanted))]
    if not work:
        raise Failed(f"no case begins with {' or '.join(wanted)}" if wanted else "there are no cases")
    if not options.json:
        print(f"NEW = {new.name} against OLD = {old.name}; above 1 NEW is faster. {machine()}")
        print(f"{'case':<22}{'median':>8}{'quartiles':>16}{'lowest':>8}{'highest':>9}{'pairs':>7}")
    medians = []
    for name, measure in work:
        ratios = pairs(old, new, measure, options.pairs)
        if statistics.median(ratios) < LOWEST and options.pairs < AGAIN:
            ratios += pairs(old, new, measure, AGAIN - len(ratios), len(ratios))
        median, (low, high) = statistics.median(ratios), quartiles(ratios)
        medians.append((median, name))
        if options.json:
            print(json.dumps({"case": name, "median": round(median, 4), "ratios": [round(r, 4) for r in ratios]}))
        else:
            print(f"{name:<22}{median:>8.3f}{low:>9.3f}-{high:<6.3f}{min(ratios):>8.3f}{max(ratios):>9.3f}"
                  f"{len(ratios):>7}")
        sys.stdout.flush()
    mean = math.exp(statistics.fmean(math.log(median) for median, _ in medians))
    lowest, where = min(medians)
    verdict = "not slower" if lowest >= LOWEST and mean >= MEAN else "SLOWER"
    if options.json:
        print(json.dumps({"geometric_mean": round(mean, 4), "lowest": where, "verdict": verdict}))
    else:
        print(f"geometric mean {mean:.3f}, lowest {lowest:.3f} ({where}): {verdict}")


def machine():
    """The machine in words."""
    try:
        with open("/proc/cpuinfo") as file:
            model = next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "a CPU")
    except OSError:
        model = "a CPU"
    return f"{model}, {os.cpu_count()} cores."


try:
    main()
except Failed as failed:
    sys.exit((print(f"versus.sh: {failed}", file=sys.stderr), 2)[1])
except KeyboardInterrupt:
    sys.exit(130)
