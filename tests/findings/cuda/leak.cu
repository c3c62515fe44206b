// check: leak
// malloc and new in kernels.

//|| [params.0]
//|| buffer = { zeros = 4096 }
//|| output = { file = "out.bin" }

//| grid = 2
//| block = 32
extern "C" __global__ void lost(int *out)
{
    int *list = (int *)malloc(16); // finding[leak-device-heap]: 64 allocations of the device heap, 1024 bytes in all
    if (!list)
        return;
    list[0] = threadIdx.x;
    out[threadIdx.x] = list[0];
}

//| grid = 2
//| block = 32
extern "C" __global__ void given_back(int *out)
{
    int *list = new int[4];
    if (!list)
        return;
    list[1] = threadIdx.x;
    out[threadIdx.x] = list[1];
    delete[] list;
}
