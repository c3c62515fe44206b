// Special registers in a three-dimensional grid: identifiers, lane masks, clocks that run.

__device__ unsigned special(int k)
{
    unsigned v;
    switch (k) {
    case 0: asm volatile("mov.u32 %0, %%laneid;" : "=r"(v)); break;
    case 1: asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(v)); break;
    case 2: asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); break;
    case 3: asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(v)); break;
    case 4: asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(v)); break;
    case 5: asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(v)); break;
    case 6: asm volatile("mov.u32 %0, %%warpid;" : "=r"(v)); break;
    default: asm volatile("mov.u32 %0, WARP_SZ;" : "=r"(v)); break;
    }
    return v;
}

extern "C" __global__ void specials(unsigned *out, unsigned *checks)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    unsigned *o = out + (block * threads + thread) * 9;
    for (int k = 0; k < 6; ++k) o[k] = special(k);
    o[6] = blockIdx.x | blockIdx.y << 8 | blockIdx.z << 16;
    o[7] = threadIdx.x | threadIdx.y << 8 | threadIdx.z << 16;
    o[8] = gridDim.x | gridDim.y << 4 | gridDim.z << 8 | blockDim.x << 12 | blockDim.y << 16 | blockDim.z << 20;

    unsigned start = clock(), warps, sms, sm;
    long long wide = clock64();
    unsigned long long nano;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nano));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sms));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    __syncthreads();
    unsigned ok = clock64() > wide;
    ok |= (clock() - start < 0x80000000u) << 1;
    ok |= (special(6) < warps) << 2;
    ok |= (sm < sms) << 3;
    ok |= (nano > 0) << 4;
    ok |= (special(7) == warpSize) << 5;
    checks[block * threads + thread] = ok;
}
