// What a test of `texunit run` asks for: kernels that go well, that do not, and programs that end in many ways.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }

__global__ void behind(int *out)
{
    out[threadIdx.x + 32] = 1;
}

__global__ void endless(volatile int *flag)
{
    for (; *flag == 0; flag[1] = flag[1] + 1) {
    }
}

static int *out;

static void good()
{
    fill<<<2, 32>>>(out);
    cudaDeviceSynchronize();
}

static void bad()
{
    behind<<<1, 32>>>(out);
    cudaDeviceSynchronize();
}

// modes MODE... : each one after the other.
int main(int argc, char **argv)
{
    if (cudaMalloc(&out, 32 * sizeof *out) || cudaMemset(out, 0, 32 * sizeof *out)) return 2;
    for (int i = 1; i < argc; ++i) {
        const char *mode = argv[i];
        if (!strcmp(mode, "good")) good();
        else if (!strcmp(mode, "bad")) bad();
        else if (!strcmp(mode, "endless")) {
            // The warps take turns, so that none of them reaches the limit of steps within seconds.
            endless<<<1, 1024>>>(out);
            cudaDeviceSynchronize();
        } else if (!strcmp(mode, "abort")) abort();
        else if (!strcmp(mode, "kill")) raise(SIGKILL);
        else if (!strcmp(mode, "pause")) pause();
        else if (!strcmp(mode, "second")) usleep(1000000);
        else if (!strcmp(mode, "patient")) signal(SIGTERM, SIG_IGN);
        else if (!strncmp(mode, "exit=", 5)) return atoi(mode + 5);
        else if (!strncmp(mode, "touch=", 6)) fclose(fopen(mode + 6, "w"));
        else if (!strcmp(mode, "error")) puts(cudaGetErrorName(cudaGetLastError()));
        fflush(stdout);
    }
    return 0;
}
