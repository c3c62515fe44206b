"""Kernels of the kinds with which Triton's tutorials begin: a sum of vectors, softmax by rows, products of matrices; and
others on the way through `ptxas`. No PyTorch: arrays of support/device_arrays.py."""

import os
import subprocess

import device_arrays
import numpy
import pytest
import triton
import triton.language as tl
from device_arrays import Array


@pytest.fixture(autouse=True)
def current():
    device_arrays.context()


@pytest.fixture
def random():
    return numpy.random.default_rng(7)


@triton.jit
def add(x, y, sum, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(sum + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, result, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    inside = column < columns
    values = tl.load(x + row * stride + column, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(result + row * stride + column, powers / tl.sum(powers, 0), mask=inside)


@triton.jit
def multiply(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    sums = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        inner = start + tl.arange(0, K)
        left = tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows[:, None] < m) & (inner[None, :] < k), other=0)
        right = tl.load(b + inner[:, None] * n + columns[None, :], mask=(inner[:, None] < k) & (columns[None, :] < n), other=0)
        sums = tl.dot(left, right, sums, input_precision=PRECISION)
    tl.store(c + rows[:, None] * n + columns[None, :], sums, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def dropout(x, result, n, share, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, at) > share
    tl.store(result + at, tl.where(kept, tl.load(x + at, mask=at < n), 0.0), mask=at < n)


@triton.jit
def fused(x, y, z, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(z + at, tl.load(x + at) * tl.load(x + at) + tl.load(y + at))


@pytest.mark.parametrize("n", [1, 1000, 98432])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_add(random, n, dtype):
    x, y = ((100 * random.random(n)).astype(dtype) for _ in range(2))
    total = Array(numpy.zeros_like(x))
    add[(triton.cdiv(n, 1024),)](Array(x), Array(y), total, n, BLOCK=1024)
    numpy.testing.assert_array_equal(total.numpy(), x + y)


@pytest.mark.parametrize("columns", [1, 781, 1024])
def test_softmax(random, columns):
    x = random.standard_normal((23, columns), dtype="float32")
    result = Array(numpy.zeros_like(x))
    softmax[(23,)](Array(x), result, columns, columns, BLOCK=triton.next_power_of_2(columns))
    powers = numpy.exp((x - x.max(1, keepdims=True)).astype("float64"))
    numpy.testing.assert_allclose(result.numpy(), powers / powers.sum(1, keepdims=True), rtol=1e-5)


@pytest.mark.parametrize("shape", [(64, 64, 64), (100, 70, 50)])
@pytest.mark.parametrize("dtype, precision", [("float32", "ieee"), ("float32", "tf32"), ("float16", "ieee")])
def test_multiply(random, shape, dtype, precision):
    m, n, k = shape
    # Small integers: products and sums are exact in each of the precisions.
    a, b = (random.integers(-8, 8, size).astype(dtype) for size in [(m, k), (k, n)])
    c = Array(numpy.zeros((m, n), "float32"))
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    multiply[grid](Array(a), Array(b), c, m, n, k, M=32, N=32, K=32, PRECISION=precision)
    numpy.testing.assert_array_equal(c.numpy(), a.astype("float32") @ b.astype("float32"))


def test_dropout(random):
    x = random.random(4096, dtype="float32") + 1
    results = [Array(numpy.zeros_like(x)) for _ in range(2)]
    for result in results:
        dropout[(4,)](Array(x), result, x.size, 0.5, 123, BLOCK=1024)
    first, second = (result.numpy() for result in results)
    numpy.testing.assert_array_equal(first, second)
    assert 0.45 < (first == 0).mean() < 0.55
    assert numpy.isin(first, numpy.append(x, 0)).all()


@pytest.mark.parametrize("is_fused", [True, False])
def test_contraction(random, is_fused):
    """`--fmad=false` of ptxas, which Triton passes on demand."""
    x, y = (random.random(1024, dtype="float32") for _ in range(2))
    z = Array(numpy.zeros_like(x))
    fused[(1,)](Array(x), Array(y), z, 1024, BLOCK=1024, enable_fp_fusion=is_fused)
    exact = x.astype("float64") * x + y
    wanted = exact.astype("float32") if is_fused else x * x + y
    numpy.testing.assert_array_equal(z.numpy(), wanted)


def test_ptxas_is_the_one_of_texunit():
    for name in ["TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"]:
        version = subprocess.check_output([os.environ[name], "--version"], text=True)
        assert "texunit" in version
    assert triton.knobs.nvidia.ptxas.path == os.environ["TRITON_PTXAS_PATH"]


def test_wrong_ptx_is_refused():
    """What Triton shows of ptxas's messages."""

    @triton.jit
    def wrong(x):
        value = tl.inline_asm_elementwise("no.such $0, $1;", "=r,r", [tl.load(x)], dtype=tl.int32, is_pure=True, pack=1)
        tl.store(x, value)

    with pytest.raises(Exception, match=r"(?s)error   : .*no"):
        wrong[(1,)](Array(numpy.zeros(1, "int32")))
