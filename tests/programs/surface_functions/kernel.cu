// Every surface function of CUDA C++, with all boundary modes that go on.

struct Surfaces {
    cudaSurfaceObject_t d1, d2, d3, a1, a2, cube;
};

// Reads an element, writes it elsewhere with something added.
extern "C" __global__ void surface_functions(Surfaces s, unsigned *out)
{
    unsigned n = threadIdx.x, x = n % 8, y = n / 8, *o = out + n;
    const int k = 32;
    o[0 * k] = surf1Dread<unsigned>(s.d1, x * 4);
    o[1 * k] = surf2Dread<unsigned>(s.d2, x * 4, y);
    o[2 * k] = surf3Dread<unsigned>(s.d3, x * 4, y % 2, y / 2);
    o[3 * k] = surf1DLayeredread<unsigned>(s.a1, x * 4, y % 3);
    o[4 * k] = surf2DLayeredread<unsigned>(s.a2, x * 4, y % 2, y / 2);
    o[5 * k] = surfCubemapread<unsigned>(s.cube, n % 2 * 4, n / 2 % 2, n / 4 % 6);
    // Outside: the nearest element, or zero.
    o[6 * k] = surf2Dread<unsigned>(s.d2, (int)(x * 8 - 16), (int)y - 1, cudaBoundaryModeClamp);
    o[7 * k] = surf2Dread<unsigned>(s.d2, (int)(x * 8 - 16), (int)y - 1, cudaBoundaryModeZero);
    o[8 * k] = surf2DLayeredread<unsigned>(s.a2, x * 4, 1, y * 7, cudaBoundaryModeClamp);
    __syncthreads();
    unsigned v = 1000 * n;
    if (y == 0) surf1Dwrite(v + 1, s.d1, x * 4);
    surf2Dwrite(v + 2, s.d2, x * 4, y);
    surf3Dwrite(v + 3, s.d3, x * 4, y % 2, y / 2);
    if (y < 3) surf1DLayeredwrite(v + 4, s.a1, x * 4, y);
    surf2DLayeredwrite(v + 5, s.a2, x * 4, y % 2, y / 2);
    if (n < 24) surfCubemapwrite(v + 6, s.cube, n % 2 * 4, n / 2 % 2, n / 4);
    // Dropped.
    surf2Dwrite(v, s.d2, 32 + (int)x * 4, y, cudaBoundaryModeZero);
    surf2Dwrite(v, s.d2, x * 4, -1 - (int)y, cudaBoundaryModeZero);
}
