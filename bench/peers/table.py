"""Makes one table of the lines that texunit and the peers have printed.

    table.py LINES.jsonl [--markdown FILE]

Rates are the best of all rounds. `machine` and `skipped` lines of the script go into the head.
"""

import argparse
import datetime
import json
import math
import sys

CASES = [
    f"{case}-{scan}"
    for case in ("a-wrap", "a-clamp", "b", "c", "d", "e-level", "e-grad", "f", "g")
    for scan in ("coh", "rand")
]
# Of the peers of a column, the fastest one counts.
COLUMNS = {
    "texunit api": ["texunit-api"],
    "texunit ptx": ["texunit-ptx"],
    "lavapipe": ["lavapipe"],
    "SwiftShader": ["swiftshader"],
    "Dr.Jit": ["drjit"],
    "OpenCL": ["pocl", "intel"],
    "array library": ["numba", "opencv", "scipy", "torch"],
    "C limit": ["limit-avx512", "limit-avx2", "limit-scalar"],
}
RATIOS = {
    "api / lavapipe": ("texunit api", "lavapipe"),
    "ptx / lavapipe": ("texunit ptx", "lavapipe"),
    "api / limit": ("texunit api", "C limit"),
}


class Rates:
    """Best rates by peer, case and number of threads."""

    def __init__(self, lines):
        self.best = {}
        self.head = []
        for line in lines:
            if "case" in line:
                peer = line.get("peer") or f"texunit-{line['via']}"
                key = (peer, line["case"], line["threads"])
                self.best[key] = max(self.best.get(key, 0), line["mfetch_per_s"])
            else:
                words = [line.get(k) for k in ("peer", "version", "machine", "skipped")]
                text = ": ".join(word for word in words if word)
                if text not in self.head:
                    self.head.append(text)

    def threads(self):
        return sorted({threads for _, _, threads in self.best})

    def of(self, column, case, threads):
        """Rate and the peer's name, if any of the column was measured."""
        found = [(self.best.get((peer, case, threads)), peer) for peer in COLUMNS[column]]
        return max((f for f in found if f[0]), default=None)

    def ratio(self, name, case, threads):
        above, below = (self.of(column, case, threads) for column in RATIOS[name])
        return above[0] / below[0] if above and below else None

    def scaling(self, column, case, threads):
        one, many = self.of(column, case, 1), self.of(column, case, threads)
        return many[0] / one[0] if one and many else None


def mean(numbers):
    """Geometric mean of those that there are."""
    there = [n for n in numbers if n]
    return math.exp(sum(map(math.log, there)) / len(there)) if there else None


def cell(number, digits=2):
    return "-" if number is None else f"{number:.{digits}f}"


def rate_cell(found, column):
    if not found:
        return "-"
    rate, peer = found
    return f"{rate:.0f}" if len(COLUMNS[column]) == 1 else f"{rate:.0f} {peer}"


def speeds(rates, threads):
    """Rows of the table for a number of threads."""
    yield ["case", *COLUMNS, *RATIOS]
    for case in CASES:
        found = [rates.of(column, case, threads) for column in COLUMNS]
        if any(found):
            yield [
                case,
                *map(rate_cell, found, COLUMNS),
                *(cell(rates.ratio(name, case, threads)) for name in RATIOS),
            ]
    means = (mean(rates.ratio(name, case, threads) for case in CASES) for name in RATIOS)
    yield ["geometric mean", *("" for _ in COLUMNS), *map(cell, means)]


def scalings(rates, threads):
    """Rows of the table of what more threads give."""
    columns = ("texunit api", "texunit ptx", "lavapipe", "Dr.Jit", "C limit")
    yield ["case", *columns, "api / limit"]
    for case in CASES:
        found = [rates.scaling(column, case, threads) for column in columns]
        if any(found):
            relative = found[0] / found[-1] if found[0] and found[-1] else None
            yield [case, *map(cell, found), cell(relative)]
    means = [mean(rates.scaling(column, case, threads) for case in CASES) for column in columns]
    yield ["geometric mean", *map(cell, means), ""]


def markdown(rows):
    rows = list(rows)
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows)


def text(rows):
    rows = list(rows)
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = []
    for first, *others in rows:
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        lines.append("  ".join(cells).rstrip() + "\n")
    return "".join(lines)


def page(rates, table):
    """All tables, with the head."""
    date = datetime.date.today().isoformat()
    parts = [f"Million fetches per second, best of all rounds, {date}.\n\n"]
    parts += [f"* {line}\n" for line in rates.head]
    for threads in rates.threads():
        of = "1 thread" if threads == 1 else f"{threads} threads"
        parts += [f"\n{of}:\n\n", table(speeds(rates, threads))]
        if threads > 1 and 1 in rates.threads():
            parts += [f"\n{of} against one:\n\n", table(scalings(rates, threads))]
    return "".join(parts)


def main():
    parser = argparse.ArgumentParser(description="Makes a table of measured rates.")
    parser.add_argument("lines")
    parser.add_argument("--markdown", help="file for the table as Markdown")
    args = parser.parse_args()
    with open(args.lines, encoding="utf-8") as file:
        rates = Rates(json.loads(line) for line in file if line.strip())
    if not rates.best:
        sys.exit("nothing was measured")
    sys.stdout.write(page(rates, text))
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write(page(rates, markdown))


if __name__ == "__main__":
    main()
