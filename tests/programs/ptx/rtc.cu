// Made with nvrtc 12.9: nvrtcCompileProgram with --gpu-architecture=compute_75.
template <typename T> struct Pair { T a, b; };
extern "C" __global__ void levels(unsigned long long image, Pair<float> *out, float x, signed char *bytes) {
    Pair<float> p;
    p.a = tex1D<float>(image, x);
    p.b = tex3DLod<float4>(image, x, x, x, 2.0f).y;
    out[threadIdx.x] = p;
    bytes[threadIdx.x] = surf1Dread<signed char>(image, threadIdx.x, cudaBoundaryModeClamp);
}
