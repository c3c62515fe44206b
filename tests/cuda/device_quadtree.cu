// nvcc: -rdc=true -lcudadevrt
// A quadtree: each CTA counts the points of its node by quadrants in dynamic shared memory, sorts them, and its last thread
// launches a grid of four for the children.
#include <cstdio>
#include <cmath>
#include "checks.h"

struct Node { float x0, y0, x1, y1; int begin, end, level; };
const int MAX_DEPTH = 5, MIN_POINTS = 16, N = 1024, THREADS = 64;

__global__ void build(Node *nodes, float2 *points, float2 *spare, int first, int level)
{
    extern __shared__ int counts[];
    int id = first + blockIdx.x;
    Node node = nodes[id];
    int n = node.end - node.begin;
    if (level >= MAX_DEPTH || n <= MIN_POINTS) {
        if (level & 1)
            for (int i = node.begin + threadIdx.x; i < node.end; i += blockDim.x) spare[i] = points[i];
        return;
    }
    float cx = (node.x0 + node.x1) / 2, cy = (node.y0 + node.y1) / 2;
    if (threadIdx.x < 8) counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = node.begin + threadIdx.x; i < node.end; i += blockDim.x)
        atomicAdd(&counts[(points[i].x >= cx) + 2 * (points[i].y >= cy)], 1);
    __syncthreads();
    if (threadIdx.x == 0)
        for (int q = 0, at = node.begin; q < 4; q++) {
            int count = counts[q];
            counts[4 + q] = at, counts[q] = at, at += count;
        }
    __syncthreads();
    for (int i = node.begin + threadIdx.x; i < node.end; i += blockDim.x)
        spare[atomicAdd(&counts[4 + (points[i].x >= cx) + 2 * (points[i].y >= cy)], 1)] = points[i];
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) {
        int children = 1, width = 1;
        for (int l = 0; l < level; l++) width *= 4, children += width;
        int child = children + 4 * (id - (children - width));
        for (int q = 0; q < 4; q++) {
            Node c = {q & 1 ? cx : node.x0, q & 2 ? cy : node.y0, q & 1 ? node.x1 : cx, q & 2 ? node.y1 : cy,
                      counts[q], counts[4 + q], level + 1};
            nodes[child + q] = c;
        }
        build<<<4, blockDim.x, 8 * sizeof(int)>>>(nodes, spare, points, child, level + 1);
    }
}

int main()
{
    int all = 0;
    for (int l = 0, width = 1; l <= MAX_DEPTH; l++, width *= 4) all += width;
    Node *nodes;
    float2 *points, *spare;
    OK(cudaMallocManaged(&nodes, all * sizeof *nodes));
    OK(cudaMallocManaged(&points, N * sizeof *points));
    OK(cudaMalloc(&spare, N * sizeof *spare));
    OK(cudaMemset(nodes, 0, all * sizeof *nodes));
    OK(cudaDeviceSynchronize());
    double before = 0, after = 0;
    for (int i = 0; i < N; i++) {
        points[i] = make_float2(std::fmod(i * 0.61803398875, 1), std::fmod(i * i * 0.7548776662, 1));
        before += points[i].x + points[i].y;
    }
    nodes[0] = Node{0, 0, 1, 1, 0, N, 0};
    build<<<1, THREADS, 8 * sizeof(int)>>>(nodes, points, spare, 0, 0);
    OK(cudaDeviceSynchronize());
    int leaves = 0, held = 0, outside = 0;
    for (int id = 0, first = 0, width = 1; id < all; id++) {
        if (id == first + width) first = id, width *= 4;
        Node n = nodes[id];
        if (n.end == n.begin) continue;
        bool is_leaf = n.level >= MAX_DEPTH || n.end - n.begin <= MIN_POINTS;
        if (!is_leaf) continue;
        leaves++, held += n.end - n.begin;
        for (int i = n.begin; i < n.end; i++)
            outside += points[i].x < n.x0 || points[i].x >= n.x1 || points[i].y < n.y0 || points[i].y >= n.y1;
    }
    for (int i = 0; i < N; i++) after += points[i].x + points[i].y;
    OK(cudaFree(nodes)), OK(cudaFree(points)), OK(cudaFree(spare));
    std::printf("%s %d points, %d outside, same %d, wrong %d\n", leaves > 64 ? "many leaves," : "few leaves,", held, outside,
                std::fabs(before - after) < 1e-3, wrong);
}
