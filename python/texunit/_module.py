"""Modules of PTX, their kernels, and their launches."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _objects, _progress
from ._arguments import Param, arguments
from ._objects import Counters, Diagnostic, KernelFault, LaunchResult, LaunchTimeout, PtxError
from ._texunit import Coverage, Program, Surface, Texture, _check

if TYPE_CHECKING:
    import numpy
    from numpy.typing import ArrayLike

Axes = int | tuple[int, ...]
Text = str | bytes | os.PathLike[str]


def _text(ptx: Text, name: str | None) -> tuple[str, str]:
    """A text, and what messages call it."""
    if isinstance(ptx, os.PathLike):
        with open(ptx, "rb") as file:
            return file.read().decode("utf-8", "replace"), name or os.fspath(ptx)
    if isinstance(ptx, bytes | bytearray):
        ptx = bytes(ptx).rstrip(b"\0").decode("utf-8", "replace")
    if not isinstance(ptx, str):
        raise TypeError("ptx: its text, or a pathlib.Path, is expected")
    if "\n" not in ptx and ptx.endswith(".ptx"):
        raise ValueError(f"ptx: {ptx!r} looks like the name of a file: write pathlib.Path({ptx!r})")
    return ptx, name or getattr(ptx, "name", None) or "module.ptx"


def check(
    ptx: Text,
    *,
    name: str | None = None,
    target: str | None = None,
    version: str | None = None,
    arch: str | None = None,
    ptxas: str | None = None,
    allow: Sequence[str] = (),
    deny: Sequence[str] = (),
) -> list[Diagnostic]:
    """What is wrong with PTX, as ``texunit check`` says it: errors and warnings in the order of the text.

    ``target`` (``"sm_75"``) and ``version`` (``"8.8"``) are used instead of what the text names, ``arch`` is the machine whose
    limits hold. ``ptxas`` gives the verdicts of NVIDIA's assembler: ``"oldest"`` (that knows the version) or a release such as
    ``"12.9"``. ``allow`` and ``deny`` are codes of warnings that are not told, or become errors. Words that are not known raise
    ``ValueError``; mistakes in the text do not.

    >>> import texunit
    >>> [wrong] = texunit.check('''
    ... .version 8.0
    ... .target sm_75
    ... .address_size 64
    ... .visible .entry k() { add.u33 %r1, %r1, 1; ret; }
    ... ''')
    >>> wrong.severity, wrong.line
    ('error', 5)
    """
    text, called = _text(ptx, name)
    found = _check(text, called, target, version, arch, ptxas, list(allow), list(deny))
    return [_objects.diagnostic(value) for value in json.loads(found)]


def _checks(checks: str | Iterable[str] | None) -> str | None:
    return checks if checks is None or isinstance(checks, str) else ",".join(checks)


class Module:
    """PTX on a device of its own: ``module["name"][grid, block](arguments...)`` runs a kernel.

    ``ptx`` is the text, as ``str`` or ``bytes``, or a ``pathlib.Path``; ``name`` is what messages call it. Mistakes raise
    ``PtxError``, with all diagnostics. ``checks`` are those of each launch that does not say otherwise: names of docs/checks.md
    with commas between them, or ``"all"``; ``init`` has to be here, as the device keeps track of what is written from the
    beginning. ``arch`` is the architecture whose limits of textures hold (``"sm_86"``), ``memory_limit`` most bytes of device
    memory (8 GiB). Variables of the module keep their values from launch to launch.

    >>> import numpy, texunit
    >>> module = texunit.Module('''
    ... .version 8.0
    ... .target sm_75
    ... .address_size 64
    ... .visible .entry scale(.param .u64 values, .param .f32 factor)
    ... {
    ...     .reg .b64 %rd<3>;
    ...     .reg .b32 %r1;
    ...     .reg .f32 %f<3>;
    ...     ld.param.u64 %rd1, [values];
    ...     ld.param.f32 %f1, [factor];
    ...     mov.u32 %r1, %tid.x;
    ...     mad.wide.u32 %rd2, %r1, 4, %rd1;
    ...     ld.global.f32 %f2, [%rd2];
    ...     mul.f32 %f2, %f2, %f1;
    ...     st.global.f32 [%rd2], %f2;
    ...     ret;
    ... }
    ... ''')
    >>> values = numpy.arange(4, dtype="float32")
    >>> result = module["scale"][1, 4](values, 2.5)
    >>> values.tolist()
    [0.0, 2.5, 5.0, 7.5]
    >>> result.counters.thread_instructions
    32
    """

    def __init__(
        self,
        ptx: Text,
        *,
        name: str | None = None,
        checks: str | Iterable[str] | None = None,
        arch: str | None = None,
        memory_limit: int | None = None,
    ):
        text, called = _text(ptx, name)
        self._checks = _checks(checks) or ""
        words = self._checks.replace(" ", "").lower().split(",")
        is_tracked = bool({"all", "init", "initcheck"} & set(words))
        memory_limit = _optional("memory_limit", memory_limit, 0, (1 << 64) - 1)
        program, diagnostics = Program.load(text, called, arch, memory_limit, is_tracked)
        found = [_objects.diagnostic(value) for value in json.loads(diagnostics)]
        if program is None:
            raise PtxError(found)
        self._program, self._ptx = program, text
        self._kernels = {kernel: Kernel(self, kernel, shown) for kernel, shown in program.kernels()}
        self._name = called
        #: Warnings about the text.
        self.warnings: list[Diagnostic] = found

    @property
    def kernels(self) -> list[str]:
        """Names of all kernels in the PTX, in its order."""
        return list(self._kernels)

    @property
    def variables(self) -> dict[str, int]:
        """Sizes in bytes of the ``.global`` and ``.const`` variables, by their names in the PTX."""
        return dict(self._program.variables())

    def __getitem__(self, name: str) -> Kernel:
        """The kernel of a name: that of the PTX, or that of the C++ source where only one kernel has it."""
        kernel = self._kernels.get(name)
        if kernel is not None:
            return kernel
        found = [kernel for kernel in self._kernels.values() if kernel.is_called(name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"several kernels are called {name}: {_listed(found)}")
        raise KeyError(f"the module has no kernel {name}; available: {_listed(self._kernels.values())}")

    def __iter__(self) -> Any:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def read(self, variable: str, dtype: Any = "uint8") -> numpy.ndarray[Any, Any]:
        """The values of a ``.global`` or ``.const`` variable, as a new array with one axis."""
        import numpy

        self._has(variable)
        return numpy.frombuffer(self._program.read(variable), dtype).copy()

    def write(self, variable: str, values: ArrayLike, offset: int = 0) -> None:
        """Sets a variable, or its part from a byte on, to the bytes of an array. What does not fit raises ``ValueError``."""
        import numpy

        self._has(variable)
        if isinstance(values, float | int | list):
            raise TypeError(f"{variable}: an array is expected, whose type says how many bytes its numbers have")
        offset = _whole("offset", offset, 0, (1 << 64) - 1)
        self._program.write(variable, offset, numpy.ascontiguousarray(values).tobytes())

    def _has(self, variable: str) -> None:
        if variable not in self.variables:
            raise KeyError(f"the module has no variable {variable}; available: {', '.join(self.variables) or 'none'}")

    def bind(self, reference: str, texture: Texture | Surface) -> list[str]:
        """Binds a texture or surface to a ``.texref``, ``.samplerref`` or ``.surfref`` of the module; returns warnings about
        what its initialiser says otherwise. The module keeps the object."""
        try:
            return self._program.bind(reference, texture)
        except KeyError:
            raise KeyError(f"the module has no texture or surface reference {reference}") from None

    def __repr__(self) -> str:
        return f"<texunit.Module {self._name}: {', '.join(self._kernels)}>"


def _listed(kernels: Iterable[Kernel]) -> str:
    """Names in the PTX, each with that in the source."""
    names = (kernel.name if kernel.name == kernel._shown else f"{kernel.name} ({kernel._shown})" for kernel in kernels)
    return ", ".join(names) or "none"


class Kernel:
    """A kernel of a module; ``kernel[grid, block](arguments...)`` runs it."""

    def __init__(self, module: Module, name: str, shown: str):
        self._module, self.name, self._shown = module, name, shown
        self._params: list[Param] | None = None

    @property
    def ptx(self) -> str:
        """The text of its module, which ``texunit.distributed.launch`` sends to workers."""
        return self._module._ptx

    @property
    def params(self) -> list[Param]:
        """Its parameters, in their order."""
        if self._params is None:
            self._params = [Param(*param) for param in self._module._program.params(self.name)]
        return self._params

    @property
    def attributes(self) -> dict[str, Any]:
        """What it needs, in the words of ``cuFuncGetAttribute``, and its directives (``maxntid``)."""
        return self._module._program.attributes(self.name)

    def is_called(self, name: str) -> bool:
        """Whether that is its name in the source, with or without its parameters."""
        shown = self._shown.removeprefix("void ")
        return name in (shown, shown.split("(")[0], shown.split("(")[0].split("<")[0])

    def __getitem__(self, key: tuple[Axes, Axes]) -> Configured:
        if not (isinstance(key, tuple) and len(key) == 2):
            raise TypeError("kernel[grid, block]: two of them, each a number or a tuple of up to three")
        return Configured(self, _axes("grid", key[0]), _axes("block", key[1]))

    def __call__(self, *_: Any, **__: Any) -> None:
        raise TypeError(f"say how many threads: module[{self.name!r}][grid, block](...)")

    def __repr__(self) -> str:
        return f"<texunit kernel {self._shown}: {', '.join(map(str, self.params))}>"


def _axes(what: str, value: Axes) -> tuple[int, int, int]:
    axes = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(axes) <= 3:
        raise TypeError(f"{what}: a number or a tuple of up to three, x first")
    numbers = [_whole(what, axis, 0, (1 << 32) - 1) for axis in axes]
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _whole(what: str, value: Any, least: int, most: int) -> int:
    import operator

    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: an integer is expected, not {type(value).__name__}") from None
    if not least <= number <= most:
        raise ValueError(f"{what}: {number} is not from {least} to {most}")
    return number


class Configured:
    """A kernel with its grid and block."""

    def __init__(self, kernel: Kernel, grid: tuple[int, int, int], block: tuple[int, int, int]):
        self._kernel, self._grid, self._block = kernel, grid, block

    def __call__(
        self,
        *args: Any,
        dynamic_shared: int = 0,
        threads: int = 0,
        max_steps: int | None = None,
        timeout: float | None = None,
        stack_limit: int | None = None,
        printf_limit: int | None = None,
        cooperative: bool = False,
        cluster: Any = None,
        fmad: bool = True,
        approx: str = "card",
        bounds: str = "exact",
        bad_fetch: str = "fault",
        schedule: int | None = None,
        checks: str | Iterable[str] | None = None,
        init: str = "use",
        max_findings: int | None = None,
        suppressions: Iterable[str | os.PathLike[str]] = (),
        coverage: bool | Coverage = False,
        progress: bool | Callable[[int, int], object] | Any = None,
    ) -> LaunchResult:
        """Runs the kernel to its end.

        Arguments are numbers (checked against the range of the parameter's type; a Python float is rounded to it), arrays
        (anything with a buffer, ``__array_interface__`` or DLPack: the kernel gets the address of a copy in C order, which is
        written back unless the array is read-only; the same array twice is one address), ``None`` (a null pointer), textures
        and surfaces (their handles; surfaces are written in place), and for structures by value their bytes.

        ``dynamic_shared`` is in bytes. ``threads`` are those of the host, 0 one for each CPU. ``max_steps`` ends a warp that
        executes more instructions, ``timeout`` (seconds) a launch that takes longer: ``LaunchTimeout``. A KeyboardInterrupt
        cancels the launch. ``stack_limit`` (bytes of a thread), ``printf_limit`` (bytes in all), ``cooperative``, ``cluster``, ``fmad``, ``approx``,
        ``bounds`` and ``schedule`` are as in docs/jobs.md. A fetch that no texture fits is a fault; with ``bad_fetch="zero"`` it is
        what a card makes of it, and is among ``findings`` whatever is checked. ``checks`` (``init``, ``max_findings``, ``suppressions``: docs/checks.md)
        fill ``findings``; ``coverage`` is True, for one of this launch, or a ``texunit.Coverage`` that it is added to.
        ``progress`` is called with CTAs done and CTAs in all, or True for a bar of tqdm.

        A fault raises ``KernelFault``, PTX that is not executed ``PtxError``, wrong arguments ``TypeError`` or ``ValueError``.
        """
        kernel, program = self._kernel, self._kernel._module._program
        wanted = kernel._module._checks if checks is None else _checks(checks) or ""
        if {"init", "initcheck", "all"} & set(wanted.replace(" ", "").lower().split(",")) and not program.is_tracked:
            raise ValueError('checks: init needs a module that is made with it: texunit.Module(ptx, checks="init")')
        made, arrays = arguments(args, kernel.params, kernel._shown)
        if not isinstance(coverage, bool | Coverage | None):
            raise TypeError(f"coverage: True or a texunit.Coverage is expected, not {type(coverage).__name__}")
        sum_ = coverage if isinstance(coverage, Coverage) else Coverage() if coverage else None
        words = {
            "grid": self._grid,
            "block": self._block,
            "dynamic_shared": _whole("dynamic_shared", dynamic_shared, 0, (1 << 32) - 1),
            "threads": _whole("threads", threads, 0, 1024),
            "max_steps": _optional("max_steps", max_steps, 1, (1 << 64) - 1),
            "timeout": _seconds(timeout),
            "stack_limit": _optional("stack_limit", stack_limit, 0, (1 << 32) - 1),
            "printf_limit": _optional("printf_limit", printf_limit, 0, 1 << 40),
            "cooperative": cooperative,
            "cluster": None if cluster is None else _axes("cluster", cluster),
            "fmad": fmad,
            "approx": approx,
            "bounds": bounds,
            "bad_fetch": bad_fetch,
            "schedule": _optional("schedule", schedule, 0, (1 << 64) - 1),
            "checks": wanted,
            "init": init,
            "max_findings": _optional("max_findings", max_findings, 0, (1 << 64) - 1),
            "suppressions": [os.fspath(file) for file in suppressions],
            "has_coverage": sum_ is not None,
        }
        bytes_of = [array.bytes() for array in arrays]
        with _progress.callback(progress, "CTA") as tell:
            try:
                text, printf = program.launch(kernel.name, made, bytes_of, words, sum_, tell)
            finally:
                for array in arrays:
                    array.write_back()
        value = json.loads(text)
        return _result(value, printf, sum_)

    def __repr__(self) -> str:
        return f"{self._kernel!r}[{self._grid}, {self._block}]"


def _optional(what: str, value: int | None, least: int, most: int) -> int | None:
    return None if value is None else _whole(what, value, least, most)


def _seconds(timeout: float | None) -> float | None:
    if timeout is None:
        return None
    if not timeout > 0:
        raise ValueError("timeout: seconds, more than 0")
    return float(timeout)


def _result(value: dict[str, Any], printf: bytes, coverage: Coverage | None) -> LaunchResult:
    if "unsupported" in value:
        raise PtxError([_objects.diagnostic(each) for each in value["unsupported"]])
    result = LaunchResult(
        printf.decode("utf-8", "replace"),
        Counters(**value["counters"]),
        value["seconds"],
        [_objects.finding(each) for each in value["findings"]],
        value["findings_suppressed"],
        value["findings_not_shown"],
        coverage,
    )
    if "fault" in value:
        kind = LaunchTimeout if value["fault"]["kind"] == "cancelled" else KernelFault
        raise kind(value["fault"], value["text"], result)
    return result
