// Structures by value: as a kernel parameter (with padding), to and from functions, indexed at run time.

struct Inner { char tag; short values[3]; };
struct Outer { char first; double scale; Inner inner[2]; unsigned flags : 5, rest : 27; float3 offset; };
struct Pair { long long sum; float part; unsigned char code; };

__device__ __attribute__((noinline)) Pair combine(Outer o, Inner i, int t)
{
    Pair p;
    p.sum = (long long)(o.scale * t) + i.values[t % 3] + o.flags * 1000 + (long long)o.rest * 100000;
    p.part = t % 2 ? o.offset.x : t % 4 ? o.offset.y : o.offset.z;
    p.code = i.tag ^ o.first;
    return p;
}

__global__ void structs(Outer o, Inner extra, long long *sums, float *parts, unsigned char *codes)
{
    int t = threadIdx.x;
    Pair p = combine(o, t < 8 ? o.inner[t % 2] : extra, t);
    sums[t] = p.sum;
    parts[t] = p.part;
    codes[t] = p.code;
}
