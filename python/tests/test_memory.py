"""A million objects, and what is left of them (`.ci/full python`)."""

import gc
import os

import pytest

numpy = pytest.importorskip("numpy")

import ptx  # noqa: E402
import texunit  # noqa: E402

pytestmark = pytest.mark.skipif("TEXUNIT_LONG_TESTS" not in os.environ, reason="takes minutes: .ci/full python")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(make, count):
    """Bytes that the process has grown by, after a first part that fills caches."""
    for _ in range(count // 20):
        make()
    gc.collect()
    before = resident()
    for _ in range(count):
        make()
    gc.collect()
    return resident() - before


TEXELS = numpy.arange(64, dtype="float32").reshape(8, 8)
XY = numpy.full((4, 2), 1.5, "float32")
TEXTURE = texunit.Texture(TEXELS, filter="linear")
MODULE = texunit.Module(ptx.SCALE)
DRAW = texunit.Module(ptx.DRAW)


def refused():
    try:
        texunit.Texture(TEXELS, filter="cubic")
    except ValueError:
        return
    raise AssertionError("cubic is not a filter")


def faulting():
    try:
        MODULE["scale"][1, 32](numpy.ones(1, "float32"), 1.0, 2)
    except texunit.KernelFault:
        return
    raise AssertionError("it reads past the end")


@pytest.mark.parametrize(
    "make, count",
    [
        (lambda: texunit.Texture(TEXELS, filter="linear"), 1_000_000),
        (lambda: texunit.Texture(TEXELS, copy=False), 1_000_000),
        (lambda: texunit.Surface(TEXELS), 1_000_000),
        (lambda: TEXTURE.sample(XY), 1_000_000),
        (lambda: TEXTURE.explain(1.5, 2.5), 50_000),
        (lambda: texunit.plot.inspect(TEXTURE, XY), 50_000),
        (refused, 1_000_000),
        (lambda: texunit.Module(ptx.SCALE), 10_000),
        (lambda: MODULE["scale"][1, 32](numpy.ones(32, "float32"), 1.0, 32), 10_000),
        (lambda: DRAW["draw"][1, (4, 4)](TEXTURE, texunit.Surface(TEXELS)), 10_000),
        (faulting, 10_000),
        (lambda: MODULE["scale"][1, 32](numpy.ones(32, "float32"), 1.0, 32, checks="race", coverage=True), 3_000),
    ],
    ids=["texture", "shared", "surface", "sample", "explain", "inspect", "error", "module", "launch", "draw", "fault", "checks"],
)
def test_nothing_is_left(make, count):
    assert grows(make, count) < 8 << 20
