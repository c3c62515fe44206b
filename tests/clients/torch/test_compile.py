"""PyTorch's own kernels are machine code, and so is cuBLAS; what `torch.compile` makes is Triton's. Tensors are made on the
CPU and copied."""

import pytest

try:
    import torch
except (ImportError, OSError) as why:  # One of the libraries of NVIDIA's that it is linked with.
    pytest.skip(f"!! PyTorch does not import: {why}", allow_module_level=True)

import triton
import triton.language as tl


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(5)
    torch._dynamo.reset()


def compiled(function, *arguments, **options):
    """The function compiled on the device, and computed on the CPU."""
    result = torch.compile(function, **options)(*(argument.cuda() for argument in arguments))
    return result.cpu(), function(*arguments)


def close(found, expected):
    torch.testing.assert_close(found, expected, rtol=2e-5, atol=2e-6)


def test_copies():
    x = torch.rand(1000)
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    assert torch.equal(x.cuda().cpu(), x)


def test_elements():
    close(*compiled(lambda x, y: torch.sin(x) * y + torch.sqrt(x).relu(), torch.rand(10_000), torch.rand(10_000)))


def test_broadcasts():
    close(*compiled(lambda x, y: (x[:, None] - y[None, :]).abs().exp(), torch.rand(123), torch.rand(77)))


@pytest.mark.parametrize("size", [(7, 5000), (64, 64)])
def test_softmax(size):
    close(*compiled(lambda x: torch.softmax(x, 1), torch.randn(size)))


def test_layer_norm():
    layer = lambda x, w, b: torch.nn.functional.gelu(torch.nn.functional.layer_norm(x, (256,), w, b))
    close(*compiled(layer, torch.randn(32, 256), torch.rand(256), torch.rand(256)))


def test_sums():
    found, expected = compiled(lambda x: x.double().sum(0), torch.rand(3000, 33))
    torch.testing.assert_close(found, expected)


def test_gather():
    index = torch.randint(0, 500, (4000,))
    found, expected = compiled(lambda x, i: x[i] * 2, torch.rand(500), index)
    assert torch.equal(found, expected)


def test_gradients():
    def loss(x):
        return (torch.tanh(x) * x).sum()

    x = torch.randn(2000)
    on_cpu, on_device = x.clone().requires_grad_(), x.cuda().requires_grad_()
    loss(on_cpu).backward()
    # The first gradient comes from the CPU: PyTorch fills ones by a kernel of its own.
    value = torch.compile(loss)(on_device)
    (gradient,) = torch.autograd.grad(value, on_device, torch.ones(()).cuda())
    close(gradient.cpu(), on_cpu.grad)


@triton.jit
def add(x, y, sum, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(sum + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


def test_triton_on_tensors():
    x, y = torch.rand(10_000), torch.rand(10_000)
    total = torch.empty(10_000, device="cuda")
    add[(triton.cdiv(10_000, 1024),)](x.cuda(), y.cuda(), total, 10_000, BLOCK=1024)
    assert torch.equal(total.cpu(), x + y)


def test_machine_code_is_an_error():
    """PyTorch's own kernels and cuBLAS do not run, and say so."""
    with pytest.raises(RuntimeError):
        torch.rand(10).cuda() + 1
    with pytest.raises(RuntimeError):
        torch.rand(10, 10).cuda() @ torch.rand(10, 10).cuda()
