"""Sizes that there is no memory for are errors, and never the end of the interpreter."""

import subprocess
import sys

import pytest

pytest.importorskip("numpy")

SCRIPT = """
import resource
import numpy
import texunit
texels = numpy.zeros((8192, 8192), numpy.float32)
texture = texunit.Texture(numpy.zeros((2, 2), numpy.float32))
points = numpy.zeros((200_000, 2), numpy.float32)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (96 << 20), used + (96 << 20)))
for keywords in {}, {"mipmaps": True}:
    try:
        texunit.Texture(texels, copy=True, **keywords)
    except MemoryError as error:
        assert "cannot be had" in str(error), error
    else:
        raise AssertionError("there is no memory for it")
assert texture.sample(points, threads=1024).shape[0] == 200_000
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are Linux's")
def test_too_little_memory_is_an_error():
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)
