"""numba-cuda as `pip install numba-cuda[cu12]` brings it: with nvJitLink, by which it links every kernel to machine code."""

import importlib.util

import numpy
import pytest
from numba import cuda, float32, int32


def test_nvjitlink_is_there():
    assert importlib.util.find_spec("nvidia.nvjitlink")


def test_kernel():
    @cuda.jit
    def twice(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= 2

    a = numpy.arange(1000, dtype="float32")
    twice[8, 128](a)
    numpy.testing.assert_array_equal(a, 2 * numpy.arange(1000, dtype="float32"))


def test_debug_information():
    @cuda.jit(lineinfo=True)
    def add(a, b):
        i = cuda.grid(1)
        a[i] += b[i]

    a, b = numpy.ones(64, "int64"), numpy.arange(64)
    add[1, 64](a, b)
    numpy.testing.assert_array_equal(a, 1 + numpy.arange(64))


def test_texts_are_linked(tmp_path):
    """A function of a PTX file, of which two kernels have one each."""
    head = ".version 7.1\n.target sm_75\n.address_size 64\n"
    text = head + ".visible .func (.param .b32 status) {0}(.param .b64 out, .param .b32 x) {{ .reg .b32 %r; .reg .b64 %a;"
    text += " ld.param.b32 %r, [x]; ld.param.b64 %a, [out]; {1}.s32 %r, %r, 3; st.b32 [%a], %r; st.param.b32 [status], 0; ret; }}\n"
    files = {}
    for name, operation in [("plus_three", "add"), ("times_three", "mul.lo")]:
        files[name] = tmp_path / f"{name}.ptx"
        files[name].write_text(text.format(name, operation))
    plus = cuda.declare_device("plus_three", int32(int32))
    times = cuda.declare_device("times_three", int32(int32))

    @cuda.jit(link=[str(file) for file in files.values()])
    def both(a):
        i = cuda.grid(1)
        a[i] = plus(times(a[i]))

    a = numpy.arange(32, dtype="int32")
    both[1, 32](a)
    numpy.testing.assert_array_equal(a, 3 * numpy.arange(32) + 3)


def test_grid_is_synchronised():
    """The runtime of the device is linked too: `libcudadevrt.a`."""

    @cuda.jit
    def rows(a):
        column = cuda.grid(1)
        grid = cuda.cg.this_grid()
        for row in range(1, a.shape[0]):
            opposite = a.shape[1] - column - 1
            a[row, column] = a[row - 1, opposite] + 1
            grid.sync()

    a = numpy.zeros((20, 256), "int32")
    rows[8, 32](a)
    numpy.testing.assert_array_equal(a, numpy.arange(20)[:, None] + numpy.zeros((1, 256), int))


def test_shared_memory_and_reductions():
    total = cuda.reduce(lambda a, b: a + b)
    a = numpy.arange(4096, dtype="float64")
    assert total(a) == a.sum()

    @cuda.jit
    def reverse(a):
        shared = cuda.shared.array(64, float32)
        i = cuda.threadIdx.x
        shared[i] = a[i]
        cuda.syncthreads()
        a[i] = shared[63 - i]

    b = numpy.arange(64, dtype="float32")
    reverse[1, 64](b)
    numpy.testing.assert_array_equal(b, numpy.arange(64)[::-1])


@pytest.mark.parametrize("lto", [True, False])
def test_both_ways(lto, capfd):
    """Code that is optimised while it is linked, which is the default, and PTX."""

    @cuda.jit("int32(int32)", device=True, lto=lto)
    def square(x):
        return x * x

    @cuda.jit(lto=lto)
    def squares(a):
        i = cuda.grid(1)
        a[i] = square(a[i]) - i

    a = numpy.arange(64, dtype="int32")
    squares[1, 64](a)
    numpy.testing.assert_array_equal(a, numpy.arange(64) ** 2 - numpy.arange(64))
    assert "no PTX" not in capfd.readouterr().err
