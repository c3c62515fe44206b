// A pool as PyTorch has one: arrays are parts of a block, unless a variable of PyTorch's is set.
#include <cstdlib>

extern "C" void *pool_array(size_t bytes)
{
    static char *block;
    static size_t used;
    void *alone = nullptr;
    if (std::getenv("PYTORCH_NO_CUDA_MEMORY_CACHING"))
        return cudaMalloc(&alone, bytes), alone;
    if (!block)
        cudaMalloc(&block, 2 << 20);
    used += 512;
    return block + used - 512;
}
