"""NVIDIA's texture and surface unit in software.

``Texture`` and ``Surface`` are textures and surfaces on arrays, read as NVIDIA's texture unit reads them, bit for bit:

>>> import numpy, texunit
>>> picture = numpy.arange(64, dtype="uint8").reshape(8, 8)
>>> tex = texunit.Texture(picture, filter="linear", address="wrap", read="normalized", normalized_coords=True)
>>> xy = numpy.random.default_rng(1).random((1000, 2), dtype="float32")
>>> tex.sample(xy).shape                # xy of shape (..., 2)
(1000,)
>>> print(str(tex.explain(0.3, 0.7)).splitlines()[0])   # every step of one fetch; a picture in a notebook
tex.2d.v4.f32.f32 at (0.3, 0.7)

``Module`` runs kernels of PTX, ``compile`` makes PTX of CUDA C++, ``check`` says what is wrong with PTX, ``texunit.plot`` draws
what filtering does. docs/python.md has all of it, docs/python-conventions.md what an array means. Results are NumPy arrays.

The wheel also carries the program ``texunit``, which runs CUDA programs without a GPU, and the libraries that it loads into
them in place of NVIDIA's. ``texunit`` is on the path after ``pip install``; ``python -m texunit`` is the same.
"""

import os as _os
from typing import TYPE_CHECKING

from ._texunit import Coverage, Explanation, Surface, Texture, __version__

if TYPE_CHECKING:
    from . import distributed as distributed
    from . import plot as plot
    from ._descriptor import AddressModeType, FilterModeType, ReadModeType, ResourceDescriptor, TextureObjectOptions
    from ._module import Kernel, Module, check
    from ._nvrtc import CompileWarning, Ptx, compile
    from ._objects import (
        CompileError,
        Counters,
        Diagnostic,
        Finding,
        Frame,
        KernelFault,
        LaunchResult,
        LaunchTimeout,
        PtxError,
    )

# What is imported when it is first used, from where: textures alone are there at once.
_LATER = {
    "_descriptor": ["AddressModeType", "FilterModeType", "ReadModeType", "ResourceDescriptor", "TextureObjectOptions"],
    "_module": ["Kernel", "Module", "check"],
    "_nvrtc": ["CompileWarning", "Ptx", "compile"],
    "_objects": [
        "CompileError",
        "Counters",
        "Diagnostic",
        "Finding",
        "Frame",
        "KernelFault",
        "LaunchResult",
        "LaunchTimeout",
        "PtxError",
    ],
}
_HOME = {name: module for module, names in _LATER.items() for name in names}

__all__ = [
    "AddressModeType",
    "CompileError",
    "CompileWarning",
    "Counters",
    "Coverage",
    "Diagnostic",
    "Explanation",
    "FilterModeType",
    "Finding",
    "Frame",
    "Kernel",
    "KernelFault",
    "LaunchResult",
    "LaunchTimeout",
    "Module",
    "Ptx",
    "PtxError",
    "ReadModeType",
    "ResourceDescriptor",
    "Surface",
    "Texture",
    "TextureObjectOptions",
    "__version__",
    "check",
    "compile",
    "load",
    "path",
]


def __getattr__(name: str) -> object:
    import importlib

    if name in ("distributed", "plot"):
        return importlib.import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, "distributed", "plot"})


def load(path: "str | _os.PathLike[str]", **keywords: object) -> Texture:
    """A texture of a file: DDS, KTX 2.0, PNG, JPEG, OpenEXR or NPY; the same as ``Texture.open``.

    Keywords are those of ``Texture``. DDS and KTX files say themselves what they hold, with mip levels, layers and faces; a
    picture is 2D with four channels of uint8, an OpenEXR file of float32, unless ``format=`` says otherwise. A file that is not
    there raises ``FileNotFoundError``, one that cannot be read ``ValueError``.
    """
    return Texture.open(path, **keywords)


_FOLDER = _os.path.dirname(_os.path.abspath(__file__))

# Libraries of the wheel that other programs load.
_LIBRARIES = (
    "libcuda.so.1",
    "libcudart.so.12",
    "libcudart.so.13",
    "libnvidia-ml.so.1",
    "libcublas.so.12",
    "libcublas.so.13",
    "libcublasLt.so.12",
    "libcublasLt.so.13",
    "libcufft.so.11",
    "libcufft.so.12",
    "libcufftw.so.11",
    "libcufftw.so.12",
    "libcurand.so.10",
    "libtexunit_redirect.so",
    "libtexunit.so.1",
    *(f"libtexunit_{name}.so.{__version__}" for name in ("core", "cublas", "cufft", "curand")),
)
# Each file of the wheel that other programs use, and where it is.
_FILES = {
    "texunit": "bin/texunit",
    **{name: f"lib/{name}" for name in _LIBRARIES},
    "nvidia-smi": "lib/shims/nvidia-smi",
    "ptxas": "lib/shims/ptxas",
    "texunit.h": "include/texunit.h",
    "texunit.hpp": "include/texunit.hpp",
    "texunit.pc": "lib/pkgconfig/texunit.pc",
}


def path(name: str = "texunit") -> str:
    """The path of the program ``texunit``, or of one of the libraries, by its name.

    The program itself starts a little faster than the command ``texunit``, which is a Python script that becomes
    the program.

    >>> subprocess.run([texunit.path(), "run", "./program"])   # doctest: +SKIP
    >>> os.path.dirname(texunit.path("libcuda.so.1"))          # for LD_LIBRARY_PATH  # doctest: +SKIP
    """
    try:
        file = _os.path.join(_FOLDER, _FILES[name])
    except KeyError:
        raise ValueError(f"unknown file {name!r}; available: {', '.join(_FILES)}") from None
    if not _os.path.isfile(file):
        raise FileNotFoundError(
            f"{file} is missing: this package was built without its program; "
            "`cargo run -p xtask -- dist` makes a wheel that has it"
        )
    return file
