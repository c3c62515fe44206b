"""dr.switch, dr.dispatch, loops and branches of Dr.Jit on its CUDA backend: indirect calls in PTX."""

import drjit as dr
import drjit.cuda as backend
import drjit.cuda.ad as differentiable
import numpy as np
import pytest

MODES = ["symbolic", "evaluated"]
every_mode = pytest.mark.parametrize("mode", MODES)
every_size = pytest.mark.parametrize("size", [1, 32, 1000, 40000])


def indices(size, count):
    return np.random.default_rng(size + count).integers(0, count, size).astype(np.uint32)


@every_mode
@every_size
@pytest.mark.parametrize("count", [1, 2, 3, 8, 40])
def test_switch(mode, size, count):
    """Each lane calls the function of its index."""
    functions = [lambda x, k=k: x * (k + 1) + k for k in range(count)]
    index, x = indices(size, count), np.arange(size) % 1000
    found = dr.switch(backend.UInt(index), functions, backend.Float(x.astype(np.float32)), mode=mode)
    np.testing.assert_array_equal(found.numpy(), x * (index + 1.0) + index)


@every_mode
@every_size
def test_masked(mode, size):
    """Lanes without a call get zero."""
    functions = [lambda x, mask: x + 1, lambda x, mask: x + 2]
    index, x = indices(size, 2), np.arange(size)
    mask = x % 3 != 0
    found = dr.switch(backend.UInt(index), functions, backend.UInt(x.astype(np.uint32)), backend.Bool(mask), mode=mode)
    np.testing.assert_array_equal(found.numpy(), np.where(mask, x + index + 1, 0))


@every_mode
def test_many_values(mode):
    """Arguments and results of several types: parameters and results of calls of many bytes."""
    kinds = (backend.Float64, backend.UInt64, backend.Float, backend.Bool, backend.Array3f)

    def first(d, u, f, b, a):
        return d * 2, u + 1, -f, ~b, a + 1

    def second(d, u, f, b, a):
        return d + 0.5, u << 40, f * f, b, a * 3

    index, n = indices(3000, 2), np.arange(3000)
    d, u, f, b = n / 7, n.astype(np.uint64), n.astype(np.float32), n % 2 == 0
    vector = kinds[4](f, f + 1, f + 2)
    found = dr.switch(backend.UInt(index), [first, second], kinds[0](d), kinds[1](u), kinds[2](f), kinds[3](b),
                      vector, mode=mode)
    one = index == 0
    np.testing.assert_array_equal(found[0].numpy(), np.where(one, d * 2, d + 0.5))
    np.testing.assert_array_equal(found[1].numpy(), np.where(one, u + 1, u << np.uint64(40)))
    np.testing.assert_array_equal(found[2].numpy(), np.where(one, -f, f * f))
    np.testing.assert_array_equal(found[3].numpy(), np.where(one, ~b, b))
    for k in range(3):
        np.testing.assert_array_equal(found[4][k].numpy(), np.where(one, f + k + 1, (f + k) * 3))


@every_mode
def test_nested(mode):
    """A called function calls."""
    def outer(k):
        def function(inner, x):
            return dr.switch(inner, [lambda y: y + 10 * k, lambda y: y * 2 + k], x, mode=mode)
        return function

    size = 5000
    index, inner, x = indices(size, 3), indices(size + 1, 2)[:size], np.arange(size) % 100
    found = dr.switch(backend.UInt(index), [outer(k) for k in range(3)], backend.UInt(inner),
                      backend.Float(x.astype(np.float32)), mode=mode)
    np.testing.assert_array_equal(found.numpy(), np.where(inner == 0, x + 10 * index, x * 2 + index))


@every_mode
def test_side_effects(mode):
    """Called functions add to memory."""
    totals = dr.zeros(backend.UInt, 4)

    def adder(k):
        def function(x):
            dr.scatter_reduce(dr.ReduceOp.Add, totals, x, backend.UInt(k))
        return function

    index, x = indices(9999, 4), np.arange(9999).astype(np.uint32)
    dr.switch(backend.UInt(index), [adder(k) for k in range(4)], backend.UInt(x), mode=mode)
    np.testing.assert_array_equal(totals.numpy(), [x[index == k].sum() for k in range(4)])


@every_mode
def test_fetches_in_calls(mode):
    """Each function fetches from a texture of its own."""
    textures = [backend.Texture2f(backend.TensorXf(np.full((4, 4, 3), 10.0 * k + 1, np.float32))) for k in range(3)]
    index = indices(700, 3)
    at = backend.Array2f(backend.Float(np.linspace(0, 1, 700, dtype=np.float32)), 0.5)
    found = dr.switch(backend.UInt(index), [lambda p, t=t: t.eval(p)[0] for t in textures], at, mode=mode)
    np.testing.assert_array_equal(found.numpy(), 10.0 * index + 1)


@every_mode
def test_derivatives(mode):
    of = differentiable
    index, x = indices(2000, 2), np.arange(2000).astype(np.float32)
    value = of.Float(x)
    dr.enable_grad(value)
    result = dr.switch(of.UInt(index), [lambda v: v * v, lambda v: 3 * v], value, mode=mode)
    dr.backward(result)
    np.testing.assert_array_equal(value.grad.numpy(), np.where(index == 0, 2 * x, 3))


@every_mode
def test_loops(mode):
    """Collatz: each lane loops as often as it needs."""
    start = np.arange(1, 2000).astype(np.uint32)
    n, steps = dr.while_loop(
        (backend.UInt(start), dr.zeros(backend.UInt, len(start))),
        lambda n, steps: n != 1,
        lambda n, steps: (dr.select(n & 1 == 1, 3 * n + 1, n >> 1), steps + 1),
        mode=mode)
    expected = []
    for value in start.tolist():
        count = 0
        while value != 1:
            value = 3 * value + 1 if value & 1 else value >> 1
            count += 1
        expected.append(count)
    np.testing.assert_array_equal(steps.numpy(), expected)
    assert (n.numpy() == 1).all()


@every_mode
def test_branches(mode):
    x = np.arange(-500, 500).astype(np.int32)
    found = dr.if_stmt((backend.Int(x),), backend.Int(x) < 0, lambda v: -v * 2, lambda v: v + 1, mode=mode)
    np.testing.assert_array_equal(found.numpy(), np.where(x < 0, -x * 2, x + 1))


def test_local_memory():
    """An array of each lane, indexed by what it computes."""
    size = 4000
    local = dr.alloc_local(backend.UInt, 10, value=backend.UInt(7))
    lane = dr.arange(backend.UInt, size)
    local.write(lane * 3, lane % 10)
    local.write(lane + 5, (lane + 1) % 10)
    found = local.read(lane % 10) + local.read((lane + 1) % 10) + local.read((lane + 2) % 10)
    expected = np.arange(size) * 3 + np.arange(size) + 5 + 7
    np.testing.assert_array_equal(found.numpy(), expected)


@pytest.mark.parametrize("function", ["sin", "cos", "exp2", "log2", "sqrt", "rsqrt", "rcp", "exp", "log", "tan", "atan", "erf"])
@pytest.mark.parametrize("kind", ["Float", "Float64"])
def test_functions(function, kind):
    import math
    x = np.linspace(0.01, 1.5, 4000)
    of = {"rsqrt": lambda v: 1 / math.sqrt(v), "rcp": lambda v: 1 / v, "exp2": lambda v: 2**v}.get(function) or getattr(math, function)
    array = getattr(backend, kind)
    x = x.astype(np.float32 if kind == "Float" else np.float64)
    found = getattr(dr, function)(array(x)).numpy()
    # Dr.Jit takes the approximate instructions, whose bounds these are; rcp.approx.f64 has 20 bits.
    coarse = kind == "Float" or function in ("rcp", "rsqrt", "tan")
    tolerance = 3e-6 if coarse else 1e-13
    np.testing.assert_allclose(found, [of(float(v)) for v in x], rtol=tolerance, atol=tolerance / 10)
