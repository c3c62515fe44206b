"""tinygrad's graphs: what TinyJit has captured becomes a graph of the driver (`runtime/graph/cuda.py`), updated for each call."""

import numpy
import pytest
from tinygrad import Tensor, TinyJit, Variable
from tinygrad.helpers import Context

BACKENDS = ["CUDA:CUDA", "CUDA:PTX"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    with Context(DEV=request.param):
        yield request.param


def numbers(*shape, seed=3):
    return numpy.random.default_rng(seed).random(shape, dtype="float32")


def graphs(jit):
    from tinygrad.runtime.graph.cuda import CUDAGraph

    seen, found = set(), []

    def look(value, depth):
        if id(value) in seen or depth > 8:
            return
        seen.add(id(value))
        if isinstance(value, CUDAGraph):
            found.append(value)
        elif isinstance(value, (list, tuple, set)):
            for one in value:
                look(one, depth + 1)
        elif isinstance(value, dict):
            for one in value.values():
                look(one, depth + 1)
        elif type(value).__module__.startswith("tinygrad"):
            for name in [*getattr(value, "__dict__", {}), *getattr(type(value), "__slots__", ())]:
                look(getattr(value, name, None), depth + 1)

    look(jit.captured, 0)
    return found


@pytest.mark.parametrize("calls", [2, 5])
def test_several_kernels(backend, calls):
    @TinyJit
    def step(a, b):
        c = (a @ b).relu().contiguous()
        return (c.softmax(1).contiguous() + a.sum(1, keepdim=True)).realize()

    for i in range(calls + 2):
        x, y = numbers(8, 8, seed=i), numbers(8, 8, seed=i + 50)
        found = step(Tensor(x).realize(), Tensor(y).realize()).numpy()
        c = numpy.maximum(x @ y, 0)
        e = numpy.exp(c - c.max(1, keepdims=True))
        numpy.testing.assert_allclose(found, e / e.sum(1, keepdims=True) + x.sum(1, keepdims=True), rtol=1e-4)


def test_results_that_are_used_again(backend):
    @TinyJit
    def step(state):
        return ((state * 2).contiguous() + 1).contiguous().realize()

    state, wanted = Tensor(numbers(16)).realize(), numbers(16)
    for _ in range(6):
        state, wanted = step(state.clone().realize()), wanted * 2 + 1
    numpy.testing.assert_allclose(state.numpy(), wanted, rtol=1e-5)


def test_variables(backend):
    @TinyJit
    def step(a, n):
        return ((a[:n] + 1).contiguous().sum() * 2).contiguous().realize()

    a = numbers(32)
    size = Variable("n", 1, 32)
    for n in range(1, 12):
        found = step(Tensor(a).realize(), size.bind(n)).item()
        numpy.testing.assert_allclose(found, (a[:n] + 1).sum() * 2, rtol=1e-4)
