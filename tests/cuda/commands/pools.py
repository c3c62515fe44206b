"""A program whose packages have pools: a stand-in for CuPy, which the folder pools has, says which allocator it has."""

import os
import sys

import cupy

print(cupy.cuda.allocator, os.environ.get("TEXUNIT_POOLS_OFF"), os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"))
print(sys.modules["sitecustomize"].__doc__ if "sitecustomize" in sys.modules else None, end=" ")
print(any(os.path.basename(path) == "shims" for path in sys.path))

# A kernel of Numba whose source only `linecache` has.
import linecache  # noqa: E402

from numba.cuda.cudadrv import driver  # noqa: E402

for name in ["<cell 1>", driver.__file__]:
    linecache.cache[name] = (9, None, ["é = '\\'\n", "    pass\n"], name)
made = driver._Linker().complete()
print(made.name, *made.code.decode().splitlines()[:-1], sep="\n")
