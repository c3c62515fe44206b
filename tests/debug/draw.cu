__global__ void draw(cudaSurfaceObject_t picture) {
    int x = threadIdx.x;
    int y = blockIdx.x;
    float2 shade = make_float2(x * 10 + y, 0.5f);
    surf2Dwrite(shade, picture, x * 8, y);
    if (x == 2)
        surf2Dwrite(make_float2(-1, y), picture, (x + 1) * 8, y);
    float2 back;
    surf2Dread(&back, picture, x * 8, y);
    if (back.x < 0)
        surf2Dwrite(make_float2(0, 0), picture, x * 8, 3 - y);
}
