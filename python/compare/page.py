"""The numbers and pictures of docs/compare-libraries.md.

    python page.py            writes them
    python page.py --check    compares: exit code 1 where the page says something else

Numbers are rounded to two digits; one in the last of them is let pass, as libraries round differently from one CPU to
another. A library that is not installed is told and left out of a check, and keeps what the page says.
"""

import argparse
import pathlib
import re
import sys

import cupy_rows
import libraries
import numpy as np
import pictures

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "compare-libraries.md"
HEAD = "| setting | texture | any point | multiples of 1/256 | multiples of 1/16 |\n|---|---|---|---|---|\n"


def points(step):
    """20,000 points from half a picture before the first texel to half of one behind the last, in multiples of a part of a
    texel; None: any."""
    rng, count = np.random.default_rng(11), 20_000
    sizes = (libraries.WIDTH, libraries.HEIGHT)
    if step is None:
        return [rng.uniform(-size / 2, size * 1.5, count) for size in sizes]
    return [rng.integers(-size * step // 2, size * step * 3 // 2, count) / step for size in sizes]


def rounded(number):
    return "0" if number == 0 else f"{number:.1e}" if number < 1e-3 else f"{number:.2g}"


def cells(row):
    """The largest differences, of texels from 0 to 1."""
    found = []
    for step in (None, 256, 16):
        theirs, ours = row.results(*points(step))
        found.append(float(np.abs(theirs.astype(np.float64) - ours).max()))
    return found


def table(rows):
    lines = [f"| {row.setting} | {row.words} | {' | '.join(map(rounded, cells(row)))} |\n" for row in rows]
    return HEAD + "".join(lines)


def differs(said, found):
    """Whether two texts are other ones, numbers compared as far as they are rounded."""
    number = re.compile(r"(?<![\w/.`])\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w/`])")
    if number.sub("#", said) != number.sub("#", found):
        return True
    for a, b in zip(number.findall(said), number.findall(found), strict=True):
        a, b = float(a), float(b)
        # One in the second digit.
        unit = 10.0 ** (np.floor(np.log10(max(a, b))) - 1) if max(a, b) > 0 else 1.0
        if abs(a - b) > 1.01 * unit:
            return True
    return False


def sections(page):
    """Each part of the page that is measured, with its name."""
    return re.findall(r"<!-- measured: (\w+) -->\n(.*?)<!-- end -->", page, re.DOTALL)


def measured(name):
    if name == "cupy":
        return cupy_rows.text()
    return table(libraries.LIBRARIES[name]())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", nargs="*", help="libraries: torch cv2 scipy drjit cupy")
    options = parser.parse_args()
    page, wrong = PAGE.read_text(), []
    names = [name for name, _ in sections(page)]
    assert set(names) == {*libraries.LIBRARIES, "cupy"}, names
    for name, said in sections(page):
        if options.only and name not in options.only:
            continue
        try:
            found = measured(name)
        except (ImportError, cupy_rows.Missing) as why:
            print(f"SKIPPED: {name}: {why}", file=sys.stderr)
            continue
        if differs(said, found):
            wrong.append(f"{PAGE.name}, {name}: it is\n{found}")
        page = page.replace(f"<!-- measured: {name} -->\n{said}", f"<!-- measured: {name} -->\n{found}")
    drawn = {} if options.only else pictures.all_of_them()
    for name, picture in drawn.items():
        file = DOCS / "compare" / name
        if not file.exists() or differs(file.read_text(), picture):
            wrong.append(f"{file.name} is not what is drawn")
    if options.check:
        print("\n".join(wrong) or "the page says what is measured")
        return int(bool(wrong))
    PAGE.write_text(page)
    for name, picture in drawn.items():
        (DOCS / "compare").mkdir(exist_ok=True)
        (DOCS / "compare" / name).write_text(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
