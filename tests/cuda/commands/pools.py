"""A program whose packages have pools: a stand-in for CuPy, which the folder pools has, says which allocator it has."""

import os
import sys

import cupy

print(cupy.cuda.allocator, os.environ.get("TEXUNIT_POOLS_OFF"), os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"))
print(sys.modules["sitecustomize"].__doc__ if "sitecustomize" in sys.modules else None, end=" ")
print(any(os.path.basename(path) == "shims" for path in sys.path))
