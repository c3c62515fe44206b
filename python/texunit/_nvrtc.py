"""CUDA C++ to PTX by NVIDIA's nvrtc: its public C API, called in the library of the package from PyPI."""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ._objects import CompileError
from ._texunit import _with_sources

__all__ = ["Ptx", "compile"]

_VARIABLE = "TEXUNIT_NVRTC"
_USUAL = "compute_86"


class CompileWarning(UserWarning):
    """What nvrtc says of a source that it compiles."""


class Ptx(str):
    """PTX as text. ``source_name`` is what its source is called (``"kernel.cu"``) and ``source`` its text, ``log`` what nvrtc
    said, ``lowered`` has the names in the PTX of the name expressions that were asked for; ``name`` is what messages call it."""

    source_name: str
    source: str
    log: str
    lowered: dict[str, str]

    def __new__(
        cls,
        text: str,
        source_name: str = "kernel.cu",
        source: str = "",
        log: str = "",
        lowered: dict[str, str] | None = None,
    ) -> Ptx:
        made = super().__new__(cls, text)
        made.source_name, made.source, made.log, made.lowered = source_name, source, log, lowered or {}
        return made

    @property
    def name(self) -> str:
        return self.source_name.removesuffix(".cu") + ".ptx"

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return Ptx, (str(self), self.source_name, self.source, self.log, self.lowered)


def compile(
    source: str,
    options: str | Sequence[str] = (),
    *,
    name: str = "kernel.cu",
    headers: Mapping[str, str] | None = None,
    name_expressions: Sequence[str] = (),
) -> Ptx:
    """Compiles CUDA C++ to PTX with NVIDIA's nvrtc (``pip install nvidia-cuda-nvrtc``, or a library that the variable TEXUNIT_NVRTC
    names).

    ``options`` are those of nvrtc. Unless they say otherwise it compiles for compute_86 and with line information, so that
    faults name lines of the source, which the PTX has with it as comments; the headers of CUDA are found if a package of PyPI has them. ``name`` is what messages
    call the source, ``headers`` are texts by the names that the source includes. ``name_expressions`` instantiates templates;
    their names in the PTX are ``lowered``. Mistakes raise ``CompileError``, whose ``log`` has them; warnings are
    ``CompileWarning``. Without the library it is an ``ImportError`` that says how to install it.

    >>> import texunit
    >>> ptx = texunit.compile('extern "C" __global__ void fill(int *out) { out[threadIdx.x] = 7; }')   # doctest: +SKIP
    >>> texunit.Module(ptx)["fill"][1, 32](array)                                                      # doctest: +SKIP
    """
    if not isinstance(source, str):
        raise TypeError("source: a text is expected")
    library = _library()
    words = [options] if isinstance(options, str) else list(options)
    words = [word for option in words for word in ([option] if " " not in option else option.split())]
    words += [word for word in _added(library, words)]
    texts = dict(headers or {})
    program = ctypes.c_void_p()
    _call(
        library,
        "nvrtcCreateProgram",
        ctypes.byref(program),
        source.encode(),
        name.encode(),
        len(texts),
        _strings(texts.values()),
        _strings(texts),
    )
    try:
        for expression in name_expressions:
            _call(library, "nvrtcAddNameExpression", program, expression.encode())
        code = library.nvrtcCompileProgram(program, len(words), _strings(words))
        log = _output(library, "ProgramLog", program).strip()
        if code:
            raise CompileError(f"nvrtc: {_why(library, code)}", log)
        text = _output(library, "PTX", program)
        lowered = {expression: _lowered(library, program, expression) for expression in name_expressions}
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))
    if not text:
        raise CompileError("nvrtc: these options make no PTX", log)
    if log:
        warnings.warn(log, CompileWarning, stacklevel=2)
    # Messages show the lines of what is in no file.
    text = _with_sources(text, [(name or "default_program", source), *texts.items()])
    return Ptx(text, name, source, log, lowered)


def _added(library: ctypes.CDLL, words: list[str]) -> Iterator[str]:
    """What is added to options."""
    if not any(word.startswith(("-arch", "--gpu-architecture")) for word in words):
        supported = _architectures(library)
        usual = _USUAL if int(_USUAL.split("_")[1]) in supported else f"compute_{supported[0]}"
        yield f"--gpu-architecture={usual}"
    if not any(word in ("-lineinfo", "--generate-line-info", "-G", "--device-debug") for word in words):
        yield "--generate-line-info"
    for folder in _folders("include"):
        if (folder / "cuda_runtime.h").is_file() or (folder / "cuda_fp16.h").is_file():
            yield f"--include-path={folder}"


def _architectures(library: ctypes.CDLL) -> list[int]:
    number = ctypes.c_int()
    _call(library, "nvrtcGetNumSupportedArchs", ctypes.byref(number))
    all_ = (ctypes.c_int * number.value)()
    _call(library, "nvrtcGetSupportedArchs", all_)
    return sorted(all_)


def _folders(below: str) -> list[Path]:
    """Folders of that name in packages of NVIDIA's: `nvidia/cu13/lib`, `nvidia/cuda_nvrtc/lib`. The last ones come first."""
    all_ = (folder for path in sys.path for folder in sorted(Path(path or ".").glob(f"nvidia/*/{below}"), reverse=True))
    return [folder for folder in all_ if folder.is_dir()]


@functools.cache
def _library() -> ctypes.CDLL:
    given = os.environ.get(_VARIABLE)
    found = [file for folder in _folders("lib") for file in sorted(folder.glob("libnvrtc.so.[0-9]*"), reverse=True)]
    names = [given] if given else [*map(str, found), "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]
    problems = []
    for name in names:
        try:
            library = ctypes.CDLL(name)
        except OSError as problem:
            problems.append(str(problem))
            continue
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        return library
    why = f"{_VARIABLE}={given}: {problems[0]}" if given else "no libnvrtc.so was found"
    raise ImportError(f"texunit.compile needs NVIDIA's nvrtc: `pip install nvidia-cuda-nvrtc` ({why})")


def _why(library: ctypes.CDLL, code: int) -> str:
    return str(library.nvrtcGetErrorString(code).decode())


def _call(library: ctypes.CDLL, function: str, *arguments: object) -> None:
    code = getattr(library, function)(*arguments)
    if code:
        raise CompileError(f"{function}: {_why(library, code)}", "")


def _output(library: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    _call(library, f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(max(size.value, 1))
    _call(library, f"nvrtcGet{what}", program, buffer)
    return buffer.value.decode("utf-8", "replace")


def _lowered(library: ctypes.CDLL, program: ctypes.c_void_p, expression: str) -> str:
    name = ctypes.c_char_p()
    _call(library, "nvrtcGetLoweredName", program, expression.encode(), ctypes.byref(name))
    return (name.value or b"").decode()


def _strings(texts: object) -> object:
    all_ = [text.encode() for text in texts]  # type: ignore[attr-defined]
    return (ctypes.c_char_p * len(all_))(*all_)
