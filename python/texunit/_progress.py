"""How far long calls are: callbacks, and bars of tqdm."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from typing import Any


@contextlib.contextmanager
def callback(progress: Any, unit: str) -> Iterator[Callable[[int, int], object] | None]:
    """What is called with what is done and how much there is: None, a function, a bar of tqdm (anything with ``n`` and
    ``update``), or True for a bar of its own."""
    if progress is None or progress is False:
        yield None
        return
    bar = None
    if progress is True:
        try:
            tqdm = importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            raise ImportError("progress=True shows a bar of tqdm: `pip install tqdm`") from None
        progress = bar = tqdm(unit=unit)
    try:
        if hasattr(progress, "update") and hasattr(progress, "n"):
            yield _bar(progress)
        elif callable(progress):
            yield progress
        else:
            raise TypeError("progress: True, a function of two numbers, or a bar of tqdm is expected")
    finally:
        if bar is not None:
            bar.close()


def _bar(bar: Any) -> Callable[[int, int], object]:
    start = bar.n

    def tell(done: int, total: int) -> None:
        if not bar.total:
            bar.total = total
        bar.update(start + done - bar.n)

    return tell
