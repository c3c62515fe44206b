"""Taichi's kernels with arch=ti.cuda, against NumPy."""

import numpy as np
import pytest
import taichi as ti


def test_a_kernel():
    x = ti.field(ti.f32, 1000)

    @ti.kernel
    def fill(scale: ti.f32):
        for i in x:
            x[i] = i * scale

    fill(0.5)
    np.testing.assert_array_equal(x.to_numpy(), np.arange(1000) * 0.5)


@pytest.mark.parametrize("kind", [ti.i8, ti.u8, ti.i16, ti.u16, ti.i32, ti.u32, ti.i64, ti.u64, ti.f32, ti.f64])
def test_types(kind):
    x = ti.field(kind, 777)

    @ti.kernel
    def run():
        for i in x:
            x[i] = ti.cast(i % 120, kind) * ti.cast(1, kind) + ti.cast(3, kind)

    run()
    np.testing.assert_array_equal(x.to_numpy(), np.arange(777) % 120 + 3)


@pytest.mark.parametrize("kind", [ti.i32, ti.u32, ti.i64, ti.f32, ti.f64])
def test_sums(kind):
    """Atomics to one place: Taichi reduces in blocks and warps first."""

    @ti.kernel
    def total(n: ti.i32) -> kind:
        s = ti.cast(0, kind)
        for i in range(n):
            s += ti.cast(i % 13, kind)
        return s

    for n in (1, 31, 32, 33, 1000, 100003):
        assert total(n) == (np.arange(n) % 13).sum()


@pytest.mark.parametrize("kind", [ti.i32, ti.f32])
@pytest.mark.parametrize("operation", ["add", "max", "min"])
def test_atomics(kind, operation):
    target = ti.field(kind, 7)
    target.fill(2)
    function = getattr(ti, f"atomic_{operation}")

    @ti.kernel
    def run(n: ti.i32):
        for i in range(n):
            function(target[i % 7], ti.cast(i % 50 - 20, kind))

    run(7000)
    expected = np.full(7, 2.0)
    values = np.arange(7000)
    {"add": np.add, "max": np.maximum, "min": np.minimum}[operation].at(expected, values % 7, values % 50 - 20)
    np.testing.assert_array_equal(target.to_numpy(), expected)


def test_arrays_of_numpy():
    @ti.kernel
    def transposed(a: ti.types.ndarray(ndim=2), b: ti.types.ndarray(ndim=2)):
        for i, j in a:
            b[j, i] = a[i, j] * 2

    a = np.random.default_rng(0).random((100, 37), dtype=np.float32)
    b = np.zeros((37, 100), np.float32)
    transposed(a, b)
    np.testing.assert_array_equal(b, a.T * 2)


def test_arrays_of_taichi():
    a = ti.ndarray(ti.f64, (64, 64))

    @ti.kernel
    def fill(a: ti.types.ndarray(dtype=ti.f64, ndim=2)):
        for i, j in a:
            a[i, j] = i * 1000 + j

    fill(a)
    np.testing.assert_array_equal(a.to_numpy(), np.arange(64)[:, None] * 1000 + np.arange(64))


def test_vectors_and_matrices():
    m = ti.Matrix.field(3, 3, ti.f64, 50)
    v = ti.Vector.field(3, ti.f64, 50)

    @ti.kernel
    def run():
        for i in m:
            m[i] = ti.Matrix([[2.0, i, 0.0], [0.0, 1.0, i], [1.0, 0.0, 4.0]])
            v[i] = m[i].inverse() @ (m[i] @ ti.Vector([1.0, 2.0, i * 1.0]))

    run()
    expected = np.stack([np.ones(50), np.full(50, 2.0), np.arange(50)], axis=1)
    np.testing.assert_allclose(v.to_numpy(), expected, atol=1e-9)


def test_structures():
    particle = ti.types.struct(position=ti.math.vec3, mass=ti.f32, kind=ti.i32)
    particles = particle.field(shape=100)

    @ti.kernel
    def run():
        for i in particles:
            particles[i].position = ti.math.vec3(i, 2 * i, 3 * i)
            particles[i].mass = i * 0.25
            particles[i].kind = i % 3

    run()
    found = particles.to_numpy()
    n = np.arange(100)
    np.testing.assert_array_equal(found["position"], np.stack([n, 2 * n, 3 * n], axis=1))
    np.testing.assert_array_equal(found["mass"], n * 0.25)
    np.testing.assert_array_equal(found["kind"], n % 3)


def test_functions_and_control():
    @ti.func
    def collatz(start):
        n, steps = start, 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            steps += 1
        return steps

    @ti.kernel
    def run(x: ti.types.ndarray(dtype=ti.i32, ndim=1)):
        for i in x:
            x[i] = collatz(i + 1)

    x = np.zeros(1000, np.int32)
    run(x)

    def steps(n):
        count = 0
        while n != 1:
            n = 3 * n + 1 if n % 2 else n // 2
            count += 1
        return count

    assert x.tolist() == [steps(n) for n in range(1, 1001)]


@pytest.mark.parametrize("layout", ["pointer", "bitmasked", "dynamic"])
def test_sparse_fields(layout):
    """Nodes are made by the kernel: Taichi's runtime allocates on the device."""
    x = ti.field(ti.i32)
    if layout == "pointer":
        ti.root.pointer(ti.i, 64).dense(ti.i, 16).place(x)
    elif layout == "bitmasked":
        ti.root.bitmasked(ti.i, 1024).place(x)
    else:
        ti.root.dense(ti.i, 1).dynamic(ti.j, 1024, chunk_size=32).place(x)

    @ti.kernel
    def activate():
        for i in range(1000):
            if i % 100 == 5:
                if ti.static(layout == "dynamic"):
                    x[0].append(i)
                else:
                    x[i] = i

    @ti.kernel
    def total() -> ti.i32:
        s = 0
        if ti.static(layout == "dynamic"):
            for j in range(x[0].length()):
                s += x[0, j]
        else:
            for i in x:
                s += x[i]
        return s

    activate()
    assert total() == sum(range(5, 1000, 100))


def test_deactivation():
    x = ti.field(ti.i32)
    block = ti.root.pointer(ti.i, 32)
    block.dense(ti.i, 8).place(x)

    @ti.kernel
    def fill(value: ti.i32):
        for i in range(256):
            if i // 8 % 2 == value:
                x[i] = 1

    @ti.kernel
    def count() -> ti.i32:
        n = 0
        for i in x:
            n += x[i]
        return n

    for turn in range(6):
        fill(turn % 2)
        assert count() == 128
        block.deactivate_all()
        assert count() == 0


def test_shared_memory():
    n, block = 1024, 128
    a, b = ti.field(ti.f32, n), ti.field(ti.f32, n)

    @ti.kernel
    def run():
        ti.loop_config(block_dim=block)
        for i in range(n):
            tile = ti.simt.block.SharedArray((block,), ti.f32)
            lane = i % block
            tile[lane] = a[i]
            ti.simt.block.sync()
            b[i] = tile[block - 1 - lane]

    values = np.random.default_rng(1).random(n, dtype=np.float32)
    a.from_numpy(values)
    run()
    np.testing.assert_array_equal(b.to_numpy(), values.reshape(-1, block)[:, ::-1].ravel())


def test_warps():
    a, votes = ti.field(ti.i32, 128), ti.field(ti.u32, 128)

    @ti.kernel
    def run():
        ti.loop_config(block_dim=32)
        for i in range(128):
            full = ti.u32(0xFFFFFFFF)
            a[i] = ti.simt.warp.shfl_down_i32(full, i, 1) + ti.simt.warp.shfl_xor_i32(full, i, 4)
            votes[i] = ti.cast(ti.simt.warp.ballot(ti.cast(i % 3 == 0, ti.i32)), ti.u32)

    run()
    i = np.arange(128)
    down = np.where(i % 32 == 31, i, i + 1)
    np.testing.assert_array_equal(a.to_numpy(), down + (i ^ 4))
    expected = [sum(1 << k for k in range(32) if (32 * w + k) % 3 == 0) for w in range(4)]
    np.testing.assert_array_equal(votes.to_numpy(), np.repeat(expected, 32))


def test_random_numbers():
    x = ti.field(ti.f32, 100000)

    @ti.kernel
    def run():
        for i in x:
            x[i] = ti.random()

    run()
    found = x.to_numpy()
    assert found.min() >= 0 and found.max() < 1
    assert abs(found.mean() - 0.5) < 0.01 and abs(found.var() - 1 / 12) < 0.01


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "exp", "log", "sqrt", "tanh", "asin", "acos", "floor", "ceil"])
@pytest.mark.parametrize("kind", [ti.f32, ti.f64])
def test_functions(name, kind):
    x = ti.field(kind, 5000)
    function = getattr(ti, name)
    of = {"asin": np.arcsin, "acos": np.arccos}.get(name) or getattr(np, name)
    values = np.linspace(0.01, 0.99, 5000).astype(np.float32 if kind == ti.f32 else np.float64)
    x.from_numpy(values)

    @ti.kernel
    def run():
        for i in x:
            x[i] = function(x[i])

    run()
    tolerance = 1e-5 if kind == ti.f32 else 1e-12
    np.testing.assert_allclose(x.to_numpy(), of(values), rtol=tolerance, atol=tolerance)


def test_sorting_and_scanning():
    values = np.random.default_rng(2).integers(0, 1000, 2048).astype(np.int32)
    keys = ti.field(ti.i32, 2048)
    keys.from_numpy(values)
    ti.algorithms.parallel_sort(keys)
    np.testing.assert_array_equal(keys.to_numpy(), np.sort(values))
    sums = ti.field(ti.i32, 2048)
    sums.from_numpy(values)
    ti.algorithms.PrefixSumExecutor(2048).run(sums)
    np.testing.assert_array_equal(sums.to_numpy(), np.cumsum(values))


def test_derivatives():
    x, loss = ti.field(ti.f32, 64, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)

    @ti.kernel
    def run():
        for i in x:
            loss[None] += x[i] * x[i] * i

    values = np.linspace(-1, 1, 64, dtype=np.float32)
    x.from_numpy(values)
    with ti.ad.Tape(loss):
        run()
    np.testing.assert_allclose(x.grad.to_numpy(), 2 * values * np.arange(64), rtol=1e-6)


def test_bilinear_sampling():
    """What Taichi offers instead of textures here: a filter written as a function."""
    image = ti.field(ti.f32, (16, 8))
    out = ti.field(ti.f32, 500)
    at = ti.Vector.field(2, ti.f32, 500)

    @ti.func
    def sample(p):
        q = ti.math.clamp(p - 0.5, 0.0, ti.Vector([15.0, 7.0]))
        i = ti.min(ti.floor(q, ti.i32), ti.Vector([14, 6]))
        f = q - i
        low = ti.math.mix(image[i], image[i + ti.Vector([1, 0])], f.x)
        high = ti.math.mix(image[i + ti.Vector([0, 1])], image[i + ti.Vector([1, 1])], f.x)
        return ti.math.mix(low, high, f.y)

    @ti.kernel
    def run():
        for n in out:
            out[n] = sample(at[n])

    texels = np.arange(128).reshape(16, 8).astype(np.float32)
    points = (np.random.default_rng(3).random((500, 2)) * [16, 8]).astype(np.float32)
    image.from_numpy(texels)
    at.from_numpy(points)
    run()
    q = np.clip(points - 0.5, 0, [15, 7])
    np.testing.assert_allclose(out.to_numpy(), q[:, 0] * 8 + q[:, 1], rtol=1e-5, atol=1e-4)
