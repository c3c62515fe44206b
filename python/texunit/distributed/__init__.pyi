"""docs/distributed.md, "From Python"."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import ArrayLike

from texunit import Texture

__all__ = ["Launched", "Program", "RefusedError", "Suite", "launch", "launch_job", "run", "sample"]

class _Kernel(Protocol):
    @property
    def ptx(self) -> str: ...
    @property
    def name(self) -> str: ...

_Path = str | PathLike[str]
# An executor of concurrent.futures, a function that makes one, or the module ray.
_Executor = Any
# As a launch of a module has them.
_Sizes = int | Sequence[int]
_Points = ArrayLike | tuple[ArrayLike, ...]

class RefusedError(ValueError):
    errors: list[dict[str, Any]]
    code: str | None
    line: int | None
    def __init__(self, errors: list[dict[str, Any]]) -> None: ...
    def __reduce__(self) -> tuple[type[RefusedError], tuple[list[dict[str, Any]]]]: ...

@dataclass(frozen=True)
class Launched:
    printf: str
    report: dict[str, Any]
    ranges: list[tuple[int, int]]
    bytes_moved: int

@dataclass(frozen=True)
class Program:
    program: list[str]
    returncode: int
    stdout: str
    stderr: str
    report: dict[str, Any] | None

@dataclass(frozen=True)
class Suite:
    programs: list[Program]
    junit: str
    report: dict[str, Any]
    @property
    def failed(self) -> list[Program]: ...

def launch_job(
    job: _Path,
    executor: _Executor,
    *,
    out: _Path,
    workers: int | None = None,
    parts: int = 3,
    options: Iterable[str] = (),
) -> Launched: ...
def launch(
    kernel: tuple[str | Path, str] | _Kernel,
    grid: _Sizes,
    block: _Sizes,
    args: Sequence[Any],
    executor: _Executor,
    *,
    dynamic_shared: int = 0,
    workers: int | None = None,
    parts: int = 3,
    folder: _Path | None = None,
    options: Iterable[str] = (),
) -> Launched: ...
def run(
    programs: Iterable[_Path | Sequence[_Path]],
    executor: _Executor,
    *,
    options: Iterable[str] = (),
    timeout: float | None = None,
) -> Suite: ...
def sample(
    tex: Texture,
    xy: _Points,
    executor: _Executor,
    *,
    workers: int | None = None,
    parts: int = 4,
    folder: _Path | None = None,
    **keywords: Any,
) -> Any: ...
