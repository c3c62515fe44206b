"""``texunit`` and ``python -m texunit``: becomes the program, so that exit code and signals are the program's own."""

import os
import signal
import sys

from texunit import path


def main() -> None:
    try:
        program = path()
    except FileNotFoundError as problem:
        sys.exit(f"error: {problem}")
    # Python ignores these two, and a program would inherit that.
    for name in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(name, signal.SIG_DFL)
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
