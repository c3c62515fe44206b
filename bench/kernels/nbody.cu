// Accelerations of n bodies by all others (x, y, z, mass), which come through shared memory.
constexpr unsigned BLOCK = 256;

extern "C" __global__ void __launch_bounds__(BLOCK) nbody(const float4 *bodies, float4 *out, unsigned n, float softening)
{
    __shared__ float4 others[BLOCK];
    float4 me = bodies[blockIdx.x * BLOCK + threadIdx.x];
    float ax = 0, ay = 0, az = 0;
    for (unsigned first = 0; first < n; first += BLOCK) {
        others[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (unsigned k = 0; k < BLOCK; k++) {
            float4 other = others[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float one_over = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float pull = other.w * one_over * one_over * one_over;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = make_float4(ax, ay, az, 0);
}
