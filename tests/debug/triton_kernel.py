import triton
import triton.language as tl


@triton.jit
def scaled(x):
    doubled = x * 2.0
    return doubled + 1.0


@triton.jit
def work(out, src, n, BLOCK: tl.constexpr):
    first = tl.program_id(0) * BLOCK
    at = first + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(src + at, mask=inside, other=0.0)
    y = scaled(x)
    total = tl.sum(y, axis=0)
    tl.store(out + at, y / total, mask=inside)
