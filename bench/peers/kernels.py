"""What bench/kernels.sh does once everything is there: each kernel in turn by texunit at each level, by PoCL and by C,
round after round, and a table of it."""

import argparse
import contextlib
import datetime
import functools
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

# Nothing is left beside it.
sys.dont_write_bytecode = True
from served import Failed, Served, output  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "kernels"
LEVELS = {
    "avx512": {"TEXUNIT_SIMD": "avx512"},
    "avx2": {"TEXUNIT_SIMD": "avx2"},
    "portable": {"TEXUNIT_SIMD": "portable"},
    "off": {"TEXUNIT_JIT": "off"},
}
# What the processor has to have for a level.
FLAGS = {"avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, "avx2": {"avx2", "fma"}}
GOOD = 0.8


def warn(text):
    print(f"kernels.sh: {text}", file=sys.stderr, flush=True)


def options():
    parser = argparse.ArgumentParser(prog="bench/kernels.sh", add_help=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--built", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="")
    parser.add_argument("--levels", default="")
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--scaling", action="store_true")
    parser.add_argument("--opencl", action="store_true")
    parser.add_argument("--left-out", action="append", default=[])
    chosen = parser.parse_args()
    if chosen.rounds < 1 or chosen.threads < 1:
        parser.error("--rounds and --threads are at least 1")
    return chosen


def levels(wanted):
    """Names of levels that there are on this machine; says what is not."""
    with contextlib.suppress(OSError):
        flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
        for level, needed in FLAGS.items():
            if level in (wanted or LEVELS) and not needed <= set(flags):
                yield None, f"level {level}: this processor has not got it"
                wanted = [other for other in wanted or LEVELS if other != level]
    for level in wanted or LEVELS:
        if level in LEVELS:
            yield level, None
        else:
            sys.exit((warn(f"there is no level {level}: {', '.join(LEVELS)}"), 2)[1])


def machine(chosen):
    """Lines that say what was measured, where and when."""
    def said(*command):
        try:
            return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0]
        except (OSError, IndexError):
            return f"no {command[0]}"

    model = "a CPU"
    with contextlib.suppress(OSError, StopIteration):
        model = next(line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    built = said("git", "-C", str(HERE), "log", "-1", "--format=%h %s") if chosen.built else chosen.program
    threads = "1 and 2 threads" if chosen.scaling else f"{chosen.threads} thread(s)"
    return [
        f"{datetime.date.today()}, {model}, {len(os.sched_getaffinity(0))} cores, Linux {platform.release()}, load"
        f" {os.getloadavg()[0]:.1f}",
        f"{threads}, {chosen.rounds} rounds; {said('gcc', '--version')}; texunit: {built}",
    ]


class Measured:
    """A kernel, by everybody."""

    def __init__(self, about):
        self.name, self.twin, self.texture = about["name"], about["twin"], about["texture"]
        self.first, self.times, self.notes = {}, {}, []

    def median(self, who):
        return statistics.median(self.times[who]) if self.times.get(who) else None

    def ratio(self, level, peer):
        """How many times as fast as a peer: the median of the rounds' ratios."""
        if not self.times.get(level) or not self.times.get(peer):
            return None
        return statistics.median(theirs / ours for ours, theirs in zip(self.times[level], self.times[peer]))

    def line(self):
        return {
            "kernel": self.name, "texture": self.texture, "twin": self.twin, "ms": self.times, "first": self.first,
            "notes": self.notes,
            "over_pocl": {w: self.ratio(w, "PoCL") for w in self.times if w in LEVELS},
        }


def participants(name, folder, chosen, which):
    """Who takes part, and how to start them. Of two threads beside one the names end with ` x2`."""
    description = folder / f"{name}.json"
    description.write_text(output([chosen.program, "describe", name, str(folder)]))
    peer = [sys.executable, str(HERE / "kernel_peer.py")]
    twin = [*peer, "opencl", str(description), str(KERNELS)]
    library = pathlib.Path(chosen.libraries, f"{name}.so")
    plain = [*peer, "plain", str(description), str(library)]
    for threads, mark in [(1, ""), (2, " x2")] if chosen.scaling else [(chosen.threads, "")]:
        serve = [chosen.program, "serve", name, "--threads", str(threads)]
        for level in which:
            yield level + mark, functools.partial(Served, level, serve, LEVELS[level], threads)
        if chosen.opencl and (KERNELS / f"{name}.cl").exists():
            yield "PoCL" + mark, functools.partial(warm, twin, threads)
        if chosen.libraries and library.exists():
            yield "C" + mark, functools.partial(Served, "C", plain, {"OMP_NUM_THREADS": str(threads)}, threads)


def warm(command, threads):
    """PoCL, started once before, so that its cache of kernels is warm."""
    limit = {"POCL_MAX_PTHREAD_COUNT": str(threads)}
    Served("PoCL", command, limit, threads).close()
    return Served("PoCL", command, limit, threads)


def measure(about, chosen, which):
    measured = Measured(about)
    with tempfile.TemporaryDirectory(prefix="kernels") as folder, contextlib.ExitStack() as stack:
        there = {}
        for who, start in participants(measured.name, pathlib.Path(folder), chosen, which):
            try:
                there[who] = served = start()
            except Failed as failed:
                warn(f"{measured.name}: {failed}")
                measured.notes.append(str(failed))
                continue
            stack.callback(served.close)
            measured.first[who] = served.first
        digests = {who: first["digest"] for who, first in measured.first.items() if "digest" in first}
        if len(set(digests.values())) > 1:
            warn(f"{measured.name}: OTHER BITS: {digests}")
            measured.notes.append(f"other bits: {digests}")
        order = list(there)
        for number in range(chosen.rounds):
            # Each in front once in a while.
            turn = number % max(len(order), 1)
            for who in order[turn:] + order[:turn]:
                if there[who]:
                    try:
                        measured.times.setdefault(who, []).append(there[who].ask())
                    except Failed as failed:
                        warn(f"{measured.name}: {failed}")
                        measured.notes.append(str(failed))
                        there[who] = None
                        measured.times.pop(who, None)
    return measured


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def number(value, digits=3):
    """So many digits in all, or a dash."""
    if value is None:
        return "-"
    places = max(0, digits - 1 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{min(places, 3)}f}"


def rows(all_of_them, which, scaling):
    """The table, as rows of words."""
    yield from (rows_of_scaling if scaling else rows_of_ratios)(all_of_them, which)


def rows_of_scaling(all_of_them, which):
    """How many times as fast two threads are."""
    everybody = [*which, "PoCL", "C"]
    yield ["kernel", *[f"{w} ms" for w in everybody], *[f"{w} 1/2" for w in everybody]]
    for m in all_of_them:
        yield [m.name, *[number(m.median(w)) for w in everybody],
               *[number(m.ratio(f"{w} x2", w)) for w in everybody]]


def rows_of_ratios(all_of_them, which):
    """Times, ratios, the first launch with what was before it, and its memory."""
    best = next(iter(which), None)
    yield ["kernel", *[f"{w} ms" for w in which], "PoCL ms", "C ms", *[f"PoCL / {w}" for w in which],
           f"C / {best}", "first ms", "PoCL first", "MiB"]
    for m in all_of_them:
        first = m.first.get(best, {})
        theirs = m.first.get("PoCL", {})
        total = lambda f: f["load_ms"] + f["first_ms"] if f else None
        mark = " (image)" if m.texture else ""
        if m.twin == "sub-groups" and not theirs.get("sub_groups"):
            mark += " (local)"
        yield [m.name + mark, *[number(m.median(w)) for w in [*which, "PoCL", "C"]],
               *[number(m.ratio(w, "PoCL")) for w in which], number(m.ratio(best, "C")), number(total(first)),
               number(total(theirs)), number(first.get("taken_mib"))]


def summary(all_of_them, which):
    """Lines with the means of each level."""
    for words, wanted in (("without textures", False), ("with textures", True)):
        for level in which:
            ratios = sorted((r, m.name) for m in all_of_them if m.texture == wanted and (r := m.ratio(level, "PoCL")))
            if ratios:
                good = sum(r >= GOOD for r, _ in ratios)
                yield (f"{words}, {level}: geometric mean {mean([r for r, _ in ratios]):.2f} of PoCL, {good} of"
                       f" {len(ratios)} at least {GOOD}, lowest {ratios[0][0]:.3f} ({ratios[0][1]})")


def table(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    for line in lines:
        yield "  ".join(word.ljust(w) if i == 0 else word.rjust(w) for i, (word, w) in enumerate(zip(line, widths)))


def markdown(lines):
    yield "| " + " | ".join(lines[0]) + " |"
    yield "|---" * len(lines[0]) + "|"
    for line in lines[1:]:
        yield "| " + " | ".join([f"`{line[0].split()[0]}`" + line[0][len(line[0].split()[0]):], *line[1:]]) + " |"


def main():
    chosen = options()
    left_out, which = list(chosen.left_out), []
    for level, why in levels([name for name in chosen.levels.split(",") if name]):
        which, left_out = (which + [level], left_out) if level else (which, [*left_out, why])
    cases = [json.loads(line) for line in output([chosen.program, "list"]).splitlines()]
    wanted = [name for name in chosen.only.split(",") if name]
    unknown = [name for name in wanted if not any(c["name"].startswith(name) for c in cases)]
    if unknown:
        sys.exit((warn(f"no kernel begins with {' or '.join(unknown)}"), 2)[1])
    head = machine(chosen) + [f"LEFT OUT: {why}" for why in left_out]
    for line in head:
        warn(line)
    measured = []
    for about in cases:
        if wanted and not any(about["name"].startswith(name) for name in wanted):
            continue
        measured.append(measure(about, chosen, which))
        m = measured[-1]
        warn(f"{m.name}: " + ", ".join(f"{who} {number(m.median(who))}" for who in m.times) + " ms")
    notes = [f"{m.name}: {note}" for m in measured for note in m.notes]
    if chosen.json:
        with open(chosen.json, "w") as file:
            print(json.dumps({"machine": head, "threads": chosen.threads, "rounds": chosen.rounds}), file=file)
            for m in measured:
                print(json.dumps(m.line()), file=file)
    lines, means = list(rows(measured, which, chosen.scaling)), [] if chosen.scaling else list(summary(measured, which))
    if chosen.markdown:
        text = "\n".join([*head, "", *markdown(lines), "", *means, *notes])
        pathlib.Path(chosen.markdown).write_text(text + "\n")
    print("\n".join([*head, "", *table(lines), "", *means, *notes]))
    return 1 if notes else 0


try:
    sys.exit(main())
except Failed as failed:
    sys.exit((warn(failed), 2)[1])
except KeyboardInterrupt:
    sys.exit(130)
