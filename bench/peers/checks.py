"""What bench/checks.sh does once the program is there: each kernel without checks and with each list of them, in turn."""

import argparse
import json
import math
import os
import statistics
import sys

# Nothing is left beside it.
sys.dont_write_bytecode = True
import patterns  # noqa: E402
from served import Failed, Served, output  # noqa: E402

# What the geometric mean is to be below.
LIMITS = {"init": 8, "race": 10, "all": 16, "profile": 3}


def warn(text):
    print(f"checks.sh: {text}", file=sys.stderr, flush=True)


def options():
    parser = argparse.ArgumentParser(prog="bench/checks.sh", add_help=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--checks")
    parser.add_argument("--texunit")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--warm", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--json")
    chosen = parser.parse_args()
    if min(chosen.rounds, chosen.threads) < 1 or chosen.warm < 0:
        parser.error("--rounds and --threads are at least 1, --warm at least 0")
    return chosen


class Measured:
    """A kernel, without checks ("none") and with each list."""

    def __init__(self, name, lists, chosen):
        self.name, self.times, self.first = name, {}, {}
        command = [chosen.program, "serve", name, "--threads", str(chosen.threads)]
        command += ["--small"] if chosen.small else []
        there = {}
        try:
            for checks in ["none", *lists]:
                # What the caller has set is not what "none" is.
                environment = {"TEXUNIT_CHECK": checks.replace("+", ",")} if checks != "profile" else {"TEXUNIT_PROFILE": "1"}
                there[checks] = Served(f"{name}, {checks}", command, environment if checks != "none" else None,
                                       chosen.threads)
                self.first[checks] = there[checks].first
                for _ in range(chosen.warm):
                    there[checks].ask()
            order = list(there)
            for number in range(chosen.rounds):
                # Each in front once in a while.
                turn = number % len(order)
                for checks in order[turn:] + order[:turn]:
                    self.times.setdefault(checks, []).append(there[checks].ask())
        finally:
            for served in there.values():
                served.close()

    def ratio(self, checks):
        """How many times as long it takes: the median of the rounds' ratios."""
        return statistics.median(t / n for t, n in zip(self.times[checks], self.times["none"]))

    def shadows(self, checks):
        """MiB that are taken beside those of a launch without checks."""
        taken = [self.first[of].get("taken_mib") for of in (checks, "none")]
        return max(taken[0] - taken[1], 0) if None not in taken else None

    def wrong(self):
        """What must not be: other bits, and findings of what is right."""
        digests = {checks: first["digest"] for checks, first in self.first.items()}
        if len(set(digests.values())) > 1:
            yield f"{self.name}: OTHER BITS: {digests}"
        for checks, first in self.first.items():
            yield from (f"{self.name}, {checks}: {found}" for found in first["findings"])

    def line(self, lists):
        return {
            "kernel": self.name, "ms": self.times, "ratio": {checks: self.ratio(checks) for checks in lists},
            "data_mib": self.first["none"]["data_mib"], "shadow_mib": {checks: self.shadows(checks) for checks in lists},
        }


def rows(measured, lists):
    yield ["kernel", "none ms", *lists, *[f"{checks} MiB" for checks in lists], "data MiB"]
    for m in measured:
        memory = [m.shadows(checks) for checks in lists]
        yield [m.name, f"{statistics.median(m.times['none']):.1f}", *[f"{m.ratio(checks):.2f}" for checks in lists],
               *["-" if mib is None else f"{mib:.0f}" for mib in memory], f"{m.first['none']['data_mib']:.0f}"]


def show(table):
    table = list(table)
    widths = [max(map(len, column)) for column in zip(*table)]
    for first, *others in table:
        print("  ".join([first.ljust(widths[0]), *[cell.rjust(w) for cell, w in zip(others, widths[1:])]]))


def main():
    chosen = options()
    os.environ.pop("TEXUNIT_CHECK", None)
    lists = [checks for checks in (chosen.checks or "init,race,all").split(",") if checks]
    of_programs = lists if chosen.checks else list(patterns.WANTED)
    wanted = [name for name in chosen.only.split(",") if name]
    names = [json.loads(line)["name"] for line in output([chosen.program, "list"]).splitlines()]
    unknown = [name for name in wanted if not any(known.startswith(name) for known in names + patterns.names())]
    if unknown:
        sys.exit((warn(f"no kernel begins with {' or '.join(unknown)}"), 2)[1])
    measured = []
    for name in names:
        if wanted and not any(name.startswith(begin) for begin in wanted):
            continue
        m = Measured(name, lists, chosen)
        measured.append(m)
        warn(f"{name}: " + ", ".join(f"{checks} {m.ratio(checks):.2f}" for checks in lists))
    if measured:
        show(rows(measured, lists))
    failed = [wrong for m in measured for wrong in m.wrong()]
    for checks in lists if measured else []:
        mean = math.exp(statistics.fmean(math.log(m.ratio(checks)) for m in measured))
        limit = LIMITS.get(checks)
        print(f"{checks}: geometric mean {mean:.2f}" + (f" (limit {limit})" if limit else ""))
        if limit and mean >= limit and not wanted:
            failed.append(f"{checks} takes {mean:.2f} times as long")
    table, wrong = patterns.measure(of_programs, chosen, wanted)
    show(table)
    failed += wrong
    print("\n".join(failed), end="\n" if failed else "")
    if chosen.json:
        with open(chosen.json, "w") as file:
            for m in measured:
                print(json.dumps(m.line(lists)), file=file)
    return 1 if failed else 0


try:
    sys.exit(main())
except Failed as failed:
    sys.exit((warn(failed), 1)[1])
except KeyboardInterrupt:
    sys.exit(130)
