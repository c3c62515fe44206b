// check: leak
// malloc and new in kernels.

//|| [params.0]
//|| buffer = { zeros = 4096 }

//| # groups 1
//| grid = 2
//| block = 32
extern "C" __global__ void lost(int *out)
{
    int *list = (int *)malloc(16); // finding[leak-device-heap]: 64 allocations of the device heap, 1024 bytes in all
    if (!list) return;
    list[0] = threadIdx.x;
    out[threadIdx.x] = list[0];
}

//| # groups 1
//| grid = 1
//| block = 32
extern "C" __global__ void lost_in_a_loop(int *out)
{
    for (int i = 0; i < 3; i++) {
        int *list = (int *)malloc(8); // finding[leak-device-heap]: allocations of the device heap
        if (!list) return;
        list[0] = i;
        out[threadIdx.x] += list[0];
        if (threadIdx.x % 2) free(list);
    }
}

//| # groups 0
//| grid = 1
//| block = 32
extern "C" __global__ void given_back(int *out)
{
    int *list = new int[4];
    if (!list) return;
    list[1] = threadIdx.x;
    out[threadIdx.x] = list[1];
    delete[] list;
}
