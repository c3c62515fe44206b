"""What launches and checks give: objects with the fields of the JSON reports (docs/jobs.md), and exceptions."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._texunit import Coverage


@dataclass(frozen=True)
class Frame:
    """A place in the source, in a function that was being executed.

    ``via`` says how the frame before comes to be here: ``"instruction"`` (it is the first), ``"inlined"`` or ``"called"``.
    Lines and columns count from 1; ``text`` is that of the line, None if the file cannot be read.
    """

    via: str
    file: str
    line: int
    column: int | None = None
    function: str | None = None
    text: str | None = None

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + (f" in {self.function}" if self.function else "")


@dataclass(frozen=True)
class Note:
    """Another place that explains a diagnostic."""

    line: int | None
    column: int | None
    message: str


@dataclass(frozen=True)
class Fix:
    """What corrects a mistake: ``text`` replaces what stands from the line and column to the end."""

    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """A mistake or a warning about PTX. Lines and columns count from 1, columns in bytes; ``str`` shows the source around it."""

    severity: str
    code: str | None
    message: str
    label: str
    file: str | None
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    help: str | None
    notes: list[Note] = field(default_factory=list)
    fix: list[Fix] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    rendered: str = field(default="", repr=False)

    @property
    def is_error(self) -> bool:
        """Whether it keeps the module from being loaded."""
        return self.severity == "error"

    def __str__(self) -> str:
        return self.rendered.rstrip("\n")


@dataclass(frozen=True)
class Related:
    """What is at the other end of a finding, and where."""

    text: str
    frames: list[Frame]
    ptx_line: int


@dataclass(frozen=True)
class Finding:
    """What a check has found; docs/checks.md has every ``kind``. ``str`` shows the source around it.

    ``severity`` is ``"error"``, ``"warning"`` or ``"note"``. ``count`` says how often it came up, at ``places`` instructions of the PTX; ``cta`` and ``thread`` are those of the first time. ``file``, ``line``,
    ``column`` and ``function`` are the place in the source, without line information that in the PTX.
    """

    kind: str
    check: str
    severity: str
    message: str
    count: int
    places: int
    kernel: str
    cta: tuple[int, int, int]
    thread: tuple[int, int, int]
    file: str | None
    line: int | None
    column: int | None
    function: str | None
    object: str | None
    help: str | None
    notes: list[str]
    frames: list[Frame]
    ptx_line: int | None
    related: list[Related]
    suppression: str = field(repr=False)
    rendered: str = field(repr=False)

    def __str__(self) -> str:
        return self.rendered.rstrip("\n")


@dataclass(frozen=True)
class Counters:
    """What a launch has executed. Instructions of warps, and of threads (active lanes of each); fetches, surface accesses
    and integer divisions by zero, a thread each; accesses that ``bounds="hardware"`` has let pass. And how many sums of the
    kernel's code a product was fused into, and how many are left apart that an assembler may fuse."""

    warp_instructions: int = 0
    thread_instructions: int = 0
    fetches: int = 0
    surface_accesses: int = 0
    divisions_by_zero: int = 0
    accesses_past_end: int = 0
    fused_sums: int = 0
    undecided_sums: int = 0


@dataclass(frozen=True)
class LaunchResult:
    """What a launch did. ``printf`` is what the kernel printed, CTA by CTA; ``seconds`` how long it ran."""

    printf: str
    counters: Counters
    seconds: float
    findings: list[Finding]
    findings_suppressed: int = 0
    findings_not_shown: int = 0
    coverage: Coverage | None = None


class PtxError(ValueError):
    """PTX that cannot be loaded, or holds what texunit does not execute. ``diagnostics`` has every mistake and warning."""

    def __init__(self, diagnostics: list[Diagnostic]):
        super().__init__("\n\n".join(str(each) for each in diagnostics if each.is_error))
        self.diagnostics = diagnostics

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.diagnostics,)


class CompileError(ValueError):
    """CUDA C++ that nvrtc refuses. ``log`` is what it says."""

    def __init__(self, message: str, log: str):
        super().__init__(f"{message}\n{log}" if log else message)
        self.message, self.log = message, log

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.log)


class KernelFault(RuntimeError):
    """A fault: the kernel went wrong and its launch is over. Arrays hold what it had written until then.

    ``kind`` is one of docs/diagnostics.md (``"out-of-bounds"``), ``message`` one sentence; ``kernel``, ``cta`` and ``thread`` say
    who. ``file``, ``line``, ``column`` and ``function`` are the place in the source (without line information that in the PTX),
    ``frames`` all of it with inlined functions and calls, ``ptx_line`` and ``ptx_text`` the instruction. What a kind does not
    have is None: ``access``, ``space``, ``address``, ``size`` in bytes, ``object`` (what lies there, or is nearest),
    ``allocation`` (its number), ``handle``, ``limit``. ``counters``, ``printf``, ``findings`` and ``coverage`` are those of the
    launch up to then; of ``texunit.distributed.launch``, which raises it too, counters and printf of one range of CTAs.
    """

    def __init__(self, fault: dict[str, Any], rendered: str, result: LaunchResult):
        super().__init__(rendered.rstrip("\n"))
        self._fault, self._rendered, self.result = fault, rendered, result
        place = fault["source"]
        self.kind: str = fault["kind"]
        self.message: str = fault["message"]
        self.help: str | None = fault["help"]
        self.kernel: str = fault["kernel"]
        self.cta: tuple[int, int, int] = tuple(fault["cta"])
        self.thread: tuple[int, int, int] = tuple(fault["thread"])
        self.file: str = place["file"]
        self.line: int = place["line"]
        self.column: int | None = place["column"]
        self.function: str | None = place["function"]
        self.frames = frames(fault["frames"])
        self.ptx_line: int = fault["line"]
        self.ptx_column: int = fault["column"]
        self.ptx_text: str = fault["text"]
        self.access: str | None = fault.get("access")
        self.space: str | None = fault.get("space")
        self.address = _number(fault.get("address"))
        self.size: int | None = fault.get("size")
        self.object: str | None = fault.get("resource")
        self.allocation: int | None = fault.get("allocation")
        self.handle = _number(fault.get("handle"))
        self.limit: int | None = fault.get("limit")

    @property
    def counters(self) -> Counters:
        return self.result.counters

    @property
    def printf(self) -> str:
        return self.result.printf

    @property
    def findings(self) -> list[Finding]:
        return self.result.findings

    @property
    def coverage(self) -> Coverage | None:
        return self.result.coverage

    def to_dict(self) -> dict[str, Any]:
        """All fields as in the report of ``texunit launch --format json``."""
        return dict(self._fault)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._fault, self._rendered, self.result)


class LaunchTimeout(KernelFault, TimeoutError):
    """A launch whose ``timeout`` was over: a fault of kind ``"cancelled"``, where the kernel was then."""


def _number(text: str | None) -> int | None:
    return None if text is None else int(text, 16)


def _made(kind: type, value: dict[str, Any], **others: Any) -> Any:
    """An object of the fields that a dictionary has."""
    names = {each.name for each in fields(kind)}
    return kind(**{key: each for key, each in value.items() if key in names} | others)


def frames(values: list[dict[str, Any]] | None) -> list[Frame]:
    return [_made(Frame, value) for value in values or []]


def diagnostic(value: dict[str, Any]) -> Diagnostic:
    notes = [_made(Note, note) for note in value["notes"]]
    fix = [_made(Fix, change) for change in value["fix"]]
    made: Diagnostic = _made(Diagnostic, value, notes=notes, fix=fix, frames=frames(value.get("frames")))
    return made


def finding(value: dict[str, Any]) -> Finding:
    place = value.get("place") or {}
    related = [
        Related(each["text"], frames(each["place"].get("frames")), each["place"]["ptx"]["line"])
        for each in value.get("related", [])
    ]
    made: Finding = _made(
        Finding,
        {"object": None, "help": None, "notes": [], "column": None} | value,
        cta=tuple(value["block"]),
        thread=tuple(value["thread"]),
        frames=frames(place.get("frames")),
        ptx_line=place.get("ptx", {}).get("line"),
        related=related,
        rendered=value["text"],
    )
    return made
