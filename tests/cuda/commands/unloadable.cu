// A kernel whose PTX needs a newer GPU than its module says, launched twice.
#include <cstdio>

__global__ void waits() { asm volatile("griddepcontrol.wait;"); }

int main()
{
    for (int i = 0; i < 2; i++) {
        waits<<<1, 1>>>();
        std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
}
