// A C++ exception leaves a host function: the end of the process, as on a GPU, where no frame of the driver's thread
// catches it.
#include <cstdio>
#include <stdexcept>

int main()
{
    cudaFree(nullptr);
    setvbuf(stdout, nullptr, _IONBF, 0);
    puts("before");
    try {
        cudaLaunchHostFunc(nullptr, [](void *) { throw std::runtime_error("from a host function"); }, nullptr);
        cudaDeviceSynchronize();
    } catch (const std::exception &) {
        puts("caught");
    }
    puts("after");
}
