// A lock that the threads of one warp fight for: they get it one after the other only if the splits of the warp run fairly.

extern "C" __global__ void spinlock(volatile int *counter, int *lock, volatile int *order)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            int now = *counter;
            order[now] += 1;
            *counter = now + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
    // The other shape: a thread waits inside the loop for one of its own warp.
    __shared__ volatile int turn;
    if (threadIdx.x == 0) turn = 0;
    __syncthreads();
    while (turn != (int)threadIdx.x) { }
    order[64 + threadIdx.x + blockIdx.x * blockDim.x] = turn;
    turn = threadIdx.x + 1;
}
