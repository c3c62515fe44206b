"""NVIDIA's texture and surface unit in software.

This wheel carries the program ``texunit``, which runs CUDA programs without a GPU, and the libraries that it
loads into them in place of NVIDIA's. ``texunit`` is on the path after ``pip install``; ``python -m texunit`` is
the same.

``Texture`` and ``Surface`` are textures and surfaces on arrays, read as NVIDIA's texture unit reads them, bit for bit:

>>> tex = texunit.Texture(picture, filter="linear", address="wrap", read="normalized", normalized_coords=True)
>>> colours = tex.sample(xy)            # xy of shape (..., 2), colours of shape (..., channels)
>>> tex.explain(0.3, 0.7)               # every step of one fetch; a picture in a notebook

What an array means is one table, docs/python-conventions.md. Results are NumPy arrays.
"""

import os as _os

from ._texunit import Explanation, Surface, Texture, __version__

__all__ = ["Explanation", "Surface", "Texture", "__version__", "path"]

_FOLDER = _os.path.dirname(_os.path.abspath(__file__))

# Each file of the wheel that other programs use, and where it is.
_FILES = {
    "texunit": "bin/texunit",
    "libcuda.so.1": "lib/libcuda.so.1",
    "libcudart.so.12": "lib/libcudart.so.12",
    "libcudart.so.13": "lib/libcudart.so.13",
    "libtexunit_redirect.so": "lib/libtexunit_redirect.so",
    "libtexunit.so.1": "lib/libtexunit.so.1",
    "texunit.h": "include/texunit.h",
    "texunit.hpp": "include/texunit.hpp",
    "texunit.pc": "lib/pkgconfig/texunit.pc",
}


def path(name="texunit"):
    """The path of the program ``texunit``, or of one of the libraries, by its name.

    The program itself starts a little faster than the command ``texunit``, which is a Python script that becomes
    the program.

    >>> subprocess.run([texunit.path(), "run", "./program"])
    >>> os.path.dirname(texunit.path("libcuda.so.1"))   # for LD_LIBRARY_PATH
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
