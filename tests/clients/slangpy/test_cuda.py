"""Slang kernels on the CUDA device of SlangPy, which compiles them with nvrtc."""

import os
import pathlib

import numpy
import pytest


@pytest.fixture(scope="module")
def device(tmp_path_factory):
    """SlangPy looks for a toolkit in a folder as NVIDIA's installer makes it, and for `libnvrtc.so`; the packages of PyPI have
    another order, and no such name."""
    packages = pathlib.Path(os.environ["TEXUNIT_CLIENT_NVIDIA"])
    named = packages / "lib/libnvrtc.so"
    if not named.exists():
        named.symlink_to(next(packages.glob("lib/libnvrtc.so.*")).name)
    toolkit = tmp_path_factory.mktemp("toolkit")
    (toolkit / "include").symlink_to(packages / "include")
    (toolkit / "lib64").symlink_to(packages / "lib")
    os.environ["CUDA_PATH"] = str(toolkit)
    import slangpy

    return slangpy.create_device(type=slangpy.DeviceType.cuda)


def module(device, source):
    import slangpy

    return slangpy.Module(device.load_module_from_source(f"m{abs(hash(source))}", source))


def test_device(device):
    assert device.info.api_name.lower() == "cuda"


@pytest.mark.parametrize("shape", [(1000,), (33, 7), (4, 5, 6)])
def test_elements(device, shape):
    add = module(device, "float add(float a, float b) { return a + 2 * b; }").add
    a, b = (numpy.random.default_rng(3).random(shape, dtype="float32") for _ in range(2))
    numpy.testing.assert_array_equal(add(a, b, _result="numpy"), a + 2 * b)


def test_vectors(device):
    import slangpy

    turn = module(device, "float3 turn(float3 v) { return v.yzx * dot(v, v); }").turn
    v = numpy.random.default_rng(4).random((100, 3), dtype="float32")
    found = slangpy.Tensor.empty(device, (100,), dtype="float3")
    turn(slangpy.Tensor.from_numpy(device, v), _result=found)
    wanted = v[:, [1, 2, 0]] * (v * v).sum(1, keepdims=True)
    numpy.testing.assert_allclose(found.to_numpy().reshape(100, 3), wanted, rtol=1e-6)


def test_gradients(device):
    import slangpy

    source = "[Differentiable] float cube(float x) { return x * x * x; }"
    cube = module(device, source).cube
    x = slangpy.Tensor.from_numpy(device, numpy.arange(20, dtype="float32")).with_grads()
    y = cube(x, _result="tensor")
    y = y.with_grads()
    y.grad.copy_from_numpy(numpy.ones(20, "float32"))
    cube.bwds(x, _result=y)
    numpy.testing.assert_array_equal(x.grad.to_numpy(), 3 * numpy.arange(20.0, dtype="float32") ** 2)


def test_kernel(device):
    import slangpy

    source = """
    RWStructuredBuffer<uint> counts;
    uniform uint n;
    [shader("compute")] [numthreads(64, 1, 1)]
    void count(uint3 id : SV_DispatchThreadID) { if (id.x < n) InterlockedAdd(counts[id.x % 7], 1); }
    """
    loaded = device.load_module_from_source("counts", source)
    kernel = device.create_compute_kernel(device.link_program([loaded], [loaded.entry_point("count")]))
    usage = slangpy.BufferUsage.shader_resource | slangpy.BufferUsage.unordered_access
    counts = device.create_buffer(size=28, struct_size=4, usage=usage, data=numpy.zeros(7, "uint32"))
    kernel.dispatch(thread_count=[1024, 1, 1], vars={"counts": counts, "n": 1000})
    numpy.testing.assert_array_equal(counts.to_numpy().view("uint32"), numpy.bincount(numpy.arange(1000) % 7))
