"""tinygrad's two ways to PTX, CUDA C++ through nvrtc and PTX of its own, beside NumPy. Its own test_ops is in its repository only."""

import numpy
import pytest
from tinygrad import Device, Tensor, TinyJit, dtypes
from tinygrad.helpers import Context

BACKENDS = ["CUDA:CUDA", "CUDA:PTX"]


@pytest.fixture(params=BACKENDS)
def backend(request):
    with Context(DEV=request.param):
        yield request.param


def arrays(*shapes):
    random = numpy.random.default_rng(11)
    return [random.random(shape, dtype="float32") + 0.25 for shape in shapes]


A, B = (17, 65), (65, 33)
OPERATIONS = [
    ("add", [A, A], lambda x, y: x + y, numpy.add),
    ("multiply", [A, A], lambda x, y: x * y, numpy.multiply),
    ("divide", [A, A], lambda x, y: x / y, numpy.divide),
    ("power", [A, A], lambda x, y: x**y, numpy.power),
    ("maximum", [A, A], lambda x, y: x.maximum(y), numpy.maximum),
    ("compare", [A, A], lambda x, y: (x < y).cast(dtypes.int), lambda x, y: (x < y).astype("int32")),
    ("exp", [A], lambda x: x.exp(), numpy.exp),
    ("log", [A], lambda x: x.log(), numpy.log),
    ("sin", [A], lambda x: x.sin(), numpy.sin),
    ("sqrt", [A], lambda x: x.sqrt(), numpy.sqrt),
    ("tanh", [A], lambda x: x.tanh(), numpy.tanh),
    ("relu", [A], lambda x: (x - 0.75).relu(), lambda x: numpy.maximum(x - numpy.float32(0.75), 0)),
    ("sum", [A], lambda x: x.sum(), numpy.sum),
    ("sum of rows", [A], lambda x: x.sum(1), lambda x: x.sum(1)),
    ("mean", [A], lambda x: x.mean(0), lambda x: x.mean(0)),
    ("largest", [A], lambda x: x.max(1), lambda x: x.max(1)),
    ("place of the largest", [A], lambda x: x.argmax(1), lambda x: x.argmax(1)),
    ("softmax", [A], lambda x: x.softmax(), lambda x: numpy.exp(x) / numpy.exp(x).sum(1, keepdims=True)),
    ("products of matrices", [A, B], lambda x, y: x @ y, numpy.matmul),
    ("transposed", [A], lambda x: x.T.contiguous(), lambda x: x.T),
    ("reversed", [A], lambda x: x.flip(1).contiguous(), lambda x: x[:, ::-1]),
    ("a part", [A], lambda x: x[2:9, ::3].contiguous(), lambda x: x[2:9, ::3]),
    ("padded", [A], lambda x: x.pad(((1, 2), (3, 0))), lambda x: numpy.pad(x, ((1, 2), (3, 0)))),
    ("joined", [A, A], lambda x, y: x.cat(y, dim=1), lambda x, y: numpy.concatenate([x, y], 1)),
    ("cumulated", [A], lambda x: x.cumsum(1), lambda x: x.cumsum(1)),
    ("sorted", [A], lambda x: x.sort(1)[0], lambda x: numpy.sort(x, 1)),
    ("half", [A, A], lambda x, y: (x.half() + y.half()).float(), lambda x, y: (x.astype("e") + y.astype("e")).astype("f")),
    ("integers", [A], lambda x: (x * 100).cast(dtypes.int) // 7, lambda x: (x * 100).astype("int32") // 7),
    ("bits", [A], lambda x: (x * 100).cast(dtypes.uint) ^ 5, lambda x: (x * 100).astype("uint32") ^ 5),
]


@pytest.mark.parametrize("shapes, ours, numpys", [o[1:] for o in OPERATIONS], ids=[o[0] for o in OPERATIONS])
def test_operation(backend, shapes, ours, numpys):
    inputs = arrays(*shapes)
    found = ours(*(Tensor(x) for x in inputs)).numpy()
    numpy.testing.assert_allclose(found, numpys(*inputs), rtol=3e-6, atol=1e-6)


def test_they_are_two(backend):
    renderer = type(Device["CUDA"].renderer).__name__
    assert renderer == {"CUDA:CUDA": "CUDARenderer", "CUDA:PTX": "PTXRenderer"}[backend]


def test_convolution(backend):
    image, kernel = arrays((1, 3, 12, 12), (4, 3, 3, 3))
    found = Tensor(image).conv2d(Tensor(kernel)).numpy()
    windows = numpy.lib.stride_tricks.sliding_window_view(image[0], (3, 3), axis=(1, 2))
    numpy.testing.assert_allclose(found[0], numpy.einsum("cyxij,ocij->oyx", windows, kernel), rtol=1e-5)


def test_gradients(backend):
    (x,) = arrays(A)
    tensor = Tensor(x)
    (gradient,) = (tensor.sin() * tensor).sum().gradient(tensor)
    numpy.testing.assert_allclose(gradient.numpy(), numpy.sin(x) + x * numpy.cos(x), rtol=1e-5, atol=1e-6)


def test_repeated_launches(backend):
    """From the third call on, kernels are launched as they were recorded."""

    @TinyJit
    def step(x):
        return (x * 2 + 1).realize()

    for value in range(6):
        found = step(Tensor(numpy.full(100, value, "float32")).realize())
        numpy.testing.assert_array_equal(found.numpy(), numpy.full(100, 2 * value + 1))
