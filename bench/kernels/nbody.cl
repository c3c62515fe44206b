// Twin of nbody.cu.
#define BLOCK 256

__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void nbody(__global const float4 *bodies, __global float4 *out, uint n, float softening)
{
    __local float4 others[BLOCK];
    float4 me = bodies[get_global_id(0)];
    float ax = 0, ay = 0, az = 0;
    for (uint first = 0; first < n; first += BLOCK) {
        others[get_local_id(0)] = bodies[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 8
        for (uint k = 0; k < BLOCK; k++) {
            float4 other = others[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float one_over = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            float pull = other.w * one_over * one_over * one_over;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = (float4)(ax, ay, az, 0);
}
