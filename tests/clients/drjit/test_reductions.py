"""Dr.Jit's reductions, scans and scatters on its CUDA backend, against NumPy."""

import drjit as dr
import drjit.cuda as backend
import numpy as np
import pytest

TYPES = {
    "Float": np.float32, "Float64": np.float64, "Float16": np.float16, "Int": np.int32, "UInt": np.uint32,
    "Int64": np.int64, "UInt64": np.uint64,
}
every_type = pytest.mark.parametrize("name", TYPES)
every_size = pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 1000, 1024, 1025, 65537, 1000003])


def array_type(name):
    return getattr(backend, name, None) or pytest.skip(f"Dr.Jit has no {name}")


def integers(name, size, low=0, high=8, seed=0):
    if name == "Float16":
        high = 2
    return np.random.default_rng(size + seed).integers(low, high, size).astype(TYPES[name])


@every_type
@every_size
@pytest.mark.parametrize("operation", ["sum", "max", "min"])
def test_whole(name, size, operation):
    if name == "Float16" and operation == "sum" and size > 1025:
        pytest.skip("the sum is larger than an f16")
    values = integers(name, size)
    found = getattr(dr, operation)(array_type(name)(values))
    assert found.numpy()[0] == getattr(np, operation)(values)


@pytest.mark.parametrize("name", ["Float", "Float64", "UInt", "UInt64"])
@every_size
def test_product(name, size):
    values = np.ones(size, TYPES[name])
    values[:: max(1, size // 10)] = 2
    assert dr.prod(array_type(name)(values)).numpy()[0] == np.prod(values.astype(np.float64))


@every_size
@pytest.mark.parametrize("what", ["none", "one", "all"])
def test_masks(size, what):
    values = np.zeros(size, bool)
    values[{"none": slice(0, 0), "one": size // 2, "all": slice(None)}[what]] = True
    mask = backend.Bool(values)
    assert bool(dr.all(mask).numpy()[0]) == values.all()
    assert bool(dr.any(mask).numpy()[0]) == values.any()
    assert dr.count(mask).numpy()[0] == values.sum()
    np.testing.assert_array_equal(dr.compress(mask).numpy(), np.nonzero(values)[0])


@every_size
@pytest.mark.parametrize("name", ["Float", "UInt", "Float64"])
def test_dot_and_mean(name, size):
    a, b = integers(name, size), integers(name, size, seed=1)
    kind = array_type(name)
    assert dr.dot(kind(a), kind(b)).numpy()[0] == np.dot(a.astype(np.float64), b)
    if name != "UInt":
        np.testing.assert_allclose(dr.mean(kind(a)).numpy()[0], a.astype(np.float64).mean(), rtol=1e-6)


@every_size
@pytest.mark.parametrize("name", ["Float", "UInt", "UInt64", "Float64", "Int"])
@pytest.mark.parametrize("exclusive", [True, False])
def test_prefix_sums(name, size, exclusive):
    values = integers(name, size)
    sums = np.cumsum(values.astype(np.float64))
    expected = sums - values if exclusive else sums
    found = dr.prefix_reduce(dr.ReduceOp.Add, array_type(name)(values), exclusive=exclusive)
    np.testing.assert_array_equal(found.numpy().astype(np.float64), expected)


@pytest.mark.parametrize("name", ["Float", "UInt", "Float64", "Int"])
@pytest.mark.parametrize("block", [1, 2, 3, 8, 31, 32, 64, 100, 1024, 5000])
@pytest.mark.parametrize("operation", ["Add", "Max", "Min"])
def test_blocks(name, block, operation):
    values = integers(name, 60 * block)
    found = dr.block_reduce(getattr(dr.ReduceOp, operation), array_type(name)(values), block)
    reduce = {"Add": np.sum, "Max": np.max, "Min": np.min}[operation]
    np.testing.assert_array_equal(found.numpy(), reduce(values.reshape(60, block), axis=1))


@pytest.mark.parametrize("name", ["Float", "UInt"])
@pytest.mark.parametrize("block", [2, 31, 32, 100, 1024])
def test_block_prefix_sums(name, block):
    values = integers(name, 60 * block)
    found = dr.block_prefix_reduce(dr.ReduceOp.Add, array_type(name)(values), block, exclusive=False)
    np.testing.assert_array_equal(found.numpy(), np.cumsum(values.reshape(60, block), axis=1).ravel())


@pytest.mark.parametrize("name", ["Float", "Float64", "UInt", "UInt64", "Int"])
@pytest.mark.parametrize("operation", ["Add", "Max", "Min"])
@pytest.mark.parametrize("mode", ["Direct", "Local", "Auto"])
def test_scatters(name, operation, mode):
    """Many lanes reduce into few places: atomics, directly or after a reduction in the warp."""
    if name == "Float64" and operation != "Add" or name == "Float" and operation != "Add":
        pytest.skip("atomics of floats are sums")
    values = integers(name, 50000)
    index = np.random.default_rng(5).integers(0, 17, len(values)).astype(np.uint32)
    target = dr.full(array_type(name), 3, 17)
    dr.scatter_reduce(getattr(dr.ReduceOp, operation), target, array_type(name)(values), backend.UInt(index),
                      mode=getattr(dr.ReduceMode, mode))
    expected = np.full(17, 3, np.float64)
    {"Add": np.add, "Max": np.maximum, "Min": np.minimum}[operation].at(expected, index, values)
    np.testing.assert_array_equal(target.numpy().astype(np.float64), expected)


def test_bits_are_reduced():
    values = np.random.default_rng(6).integers(0, 2**32, 1 << 16, dtype=np.uint32)
    target = dr.zeros(backend.UInt, 4)
    dr.scatter_reduce(dr.ReduceOp.Or, target, backend.UInt(values & 0xFF << 8), dr.arange(backend.UInt, 1 << 16) % 4)
    for k in range(4):
        assert target.numpy()[k] == np.bitwise_or.reduce(values[k::4] & 0xFF << 8)


def test_counting():
    """scatter_inc gives each lane of a place another number."""
    index = np.random.default_rng(7).integers(0, 5, 20000).astype(np.uint32)
    counters = dr.zeros(backend.UInt, 5)
    slots = dr.scatter_inc(counters, backend.UInt(index))
    dr.eval(slots)
    slots = slots.numpy()
    for k in range(5):
        np.testing.assert_array_equal(np.sort(slots[index == k]), np.arange((index == k).sum()))


@pytest.mark.parametrize("shape", [(7, 5), (100, 33), (3, 4, 5)])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_axes_of_tensors(shape, axis):
    values = np.random.default_rng(8).integers(0, 100, shape).astype(np.float32)
    found = dr.sum(backend.TensorXf(values), axis=axis)
    np.testing.assert_array_equal(found.numpy(), values.sum(axis=axis))
