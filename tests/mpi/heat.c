// Ranks of MPI on one machine, each with a context of its own: heat in a rod, whose parts are the ranks'.
//
//   heat host     borders go through memory of the host (MPI_Sendrecv)
//   heat shared   all parts lie in memory of the first rank, which the others open; events of all ranks order the steps
//   heat killed   as `shared`, but the last rank ends in the middle, with an event that has not happened and a capture that has
//                 not ended: the others go on, and nothing of it is left
//
// The first rank compares the rod with one that it has computed alone, bit for bit, and prints `right` or what is wrong.
#include <cuda.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 256, STEPS = 40, MOST = 8 };

static const char text[] =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    "// to[i] = from[i] + (from[i - 1] - 2 from[i] + from[i + 1]) / 4, for the cells 1 to n of n + 2.\n"
    ".visible .entry step(.param .u64 to, .param .u64 from, .param .u32 n)\n"
    "{\n"
    "    .reg .pred %p1;\n    .reg .u32 %r<6>;\n    .reg .u64 %rd<5>;\n    .reg .f32 %f<6>;\n"
    "    ld.param.u64 %rd1, [to];\n    ld.param.u64 %rd2, [from];\n    ld.param.u32 %r5, [n];\n"
    "    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mov.u32 %r3, %tid.x;\n"
    "    mad.lo.u32 %r4, %r1, %r2, %r3;\n    setp.ge.u32 %p1, %r4, %r5;\n    @%p1 ret;\n"
    "    mul.wide.u32 %rd3, %r4, 4;\n    add.u64 %rd1, %rd1, %rd3;\n    add.u64 %rd2, %rd2, %rd3;\n"
    "    ld.global.f32 %f1, [%rd2];\n    ld.global.f32 %f2, [%rd2+4];\n    ld.global.f32 %f3, [%rd2+8];\n"
    "    add.rn.f32 %f4, %f1, %f3;\n    fma.rn.f32 %f4, %f2, 0fC0000000, %f4;\n"
    "    fma.rn.f32 %f5, %f4, 0f3E800000, %f2;\n    st.global.f32 [%rd1+4], %f5;\n    ret;\n}\n";

static int rank, ranks;

static void ok(CUresult code, const char *what)
{
    if (code == CUDA_SUCCESS) return;
    const char *name = "?";
    cuGetErrorName(code, &name);
    printf("rank %d: %s: %s\n", rank, what, name);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define OK(call) ok(call, #call)

static CUfunction step;
static CUstream stream;

static void run(CUdeviceptr to, CUdeviceptr from)
{
    unsigned n = PART;
    void *params[] = {&to, &from, &n};
    OK(cuLaunchKernel(step, (PART + 63) / 64, 1, 1, 64, 1, 1, 0, stream, params, NULL));
}

// The rod as one processor computes it, with cells before and behind it.
static void alone(float *rod, int cells)
{
    float *next = calloc(cells + 2, sizeof *next);
    for (int s = 0; s < STEPS; s++) {
        for (int i = 1; i <= cells; i++) {
            float sum = rod[i - 1] + rod[i + 1];
            next[i] = fmaf(fmaf(rod[i], -2.0f, sum), 0.25f, rod[i]);
        }
        memcpy(rod + 1, next + 1, cells * sizeof *rod);
    }
    free(next);
}

static float start(int cell) { return (float)((cell * 37 + 11) % 101); }

static int compare(const float *found, int cells, int all)
{
    float *rod = calloc(all + 2, sizeof *rod);
    for (int i = 0; i < all; i++) rod[i + 1] = start(i);
    alone(rod, all);
    int wrong = 0;
    for (int i = 0; i < cells; i++) {
        if (memcmp(&found[i], &rod[i + 1], sizeof *rod) == 0) continue;
        if (!wrong++) printf("cell %d: %g, and not %g\n", i, found[i], rod[i + 1]);
    }
    free(rod);
    printf(wrong ? "%d cells are wrong\n" : "right\n", wrong);
    fflush(stdout);
    return wrong != 0;
}

static int by_host(void)
{
    CUdeviceptr part[2];
    float own[PART + 2] = {0}, *rod = NULL;
    for (int i = 0; i < PART; i++) own[i + 1] = start(rank * PART + i);
    for (int k = 0; k < 2; k++) {
        OK(cuMemAlloc(&part[k], sizeof own));
        OK(cuMemcpyHtoD(part[k], own, sizeof own));
    }
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    for (int s = 0; s < STEPS; s++) {
        CUdeviceptr from = part[s % 2];
        float first, last, before = 0, behind = 0;
        OK(cuMemcpyDtoHAsync(&first, from + 4, 4, stream));
        OK(cuMemcpyDtoHAsync(&last, from + 4 * PART, 4, stream));
        OK(cuStreamSynchronize(stream));
        MPI_Sendrecv(&first, 1, MPI_FLOAT, left, 0, &behind, 1, MPI_FLOAT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&last, 1, MPI_FLOAT, right, 1, &before, 1, MPI_FLOAT, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        OK(cuMemcpyHtoDAsync(from, &before, 4, stream));
        OK(cuMemcpyHtoDAsync(from + 4 * (PART + 1), &behind, 4, stream));
        run(part[(s + 1) % 2], from);
        OK(cuStreamSynchronize(stream));
    }
    OK(cuMemcpyDtoH(own, part[STEPS % 2], sizeof own));
    if (rank == 0) rod = malloc(ranks * PART * sizeof *rod);
    MPI_Gather(own + 1, PART, MPI_FLOAT, rod, PART, MPI_FLOAT, 0, MPI_COMM_WORLD);
    int wrong = rank == 0 ? compare(rod, ranks * PART, ranks * PART) : 0;
    free(rod);
    return wrong;
}

// The last rank is gone in the middle, without a word to anybody.
static void killed(CUevent event, CUdeviceptr flag)
{
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemsetD32Async(flag, 1, 1, stream));
    CUstream waits;
    OK(cuStreamCreate(&waits, CU_STREAM_NON_BLOCKING));
    OK(cuStreamWaitValue32(waits, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    OK(cuEventRecord(event, waits));
    MPI_Barrier(MPI_COMM_WORLD);
    raise(SIGKILL);
}

static int by_sharing(int is_killed)
{
    int all = ranks * PART;
    size_t size = (all + 2) * sizeof(float);
    CUdeviceptr rod[2], flag;
    CUipcMemHandle handles[2];
    CUevent own, events[MOST];
    CUipcEventHandle event, everybody[MOST];
    float *cells = calloc(all + 2, sizeof *cells);
    for (int i = 0; i < all; i++) cells[i + 1] = start(i);
    for (int k = 0; k < 2 && rank == 0; k++) {
        OK(cuMemAlloc(&rod[k], size));
        OK(cuMemcpyHtoD(rod[k], cells, size));
        OK(cuIpcGetMemHandle(&handles[k], rod[k]));
    }
    MPI_Bcast(handles, sizeof handles, MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int k = 0; k < 2 && rank > 0; k++) OK(cuIpcOpenMemHandle(&rod[k], handles[k], CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    OK(cuEventCreate(&own, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
    OK(cuIpcGetEventHandle(&event, own));
    MPI_Allgather(&event, sizeof event, MPI_BYTE, everybody, sizeof event, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; r++)
        if (r != rank) OK(cuIpcOpenEventHandle(&events[r], everybody[r]));
    OK(cuMemAlloc(&flag, 4));
    OK(cuMemsetD32(flag, 0, 1));
    int others = ranks;
    MPI_Comm living = MPI_COMM_WORLD;
    for (int s = 0; s < STEPS; s++) {
        if (is_killed && s == STEPS / 2) {
            // Of what is left, only the first part is compared, as far as the last one has not come to.
            others = ranks - 1;
            MPI_Comm_split(MPI_COMM_WORLD, rank == others, rank, &living);
            if (rank == others) killed(own, flag);
            MPI_Barrier(MPI_COMM_WORLD);
            // Whoever waits for its event goes on.
            OK(cuStreamWaitEvent(stream, events[others], 0));
            OK(cuStreamSynchronize(stream));
        }
        run(rod[(s + 1) % 2] + 4 * PART * rank, rod[s % 2] + 4 * PART * rank);
        OK(cuEventRecord(own, stream));
        // Everybody has recorded; the stream waits for the work of all.
        MPI_Barrier(living);
        for (int r = 0; r < others; r++)
            if (r != rank) OK(cuStreamWaitEvent(stream, events[r], 0));
        OK(cuStreamSynchronize(stream));
        MPI_Barrier(living);
    }
    int wrong = 0;
    if (rank == 0) {
        OK(cuMemcpyDtoH(cells, rod[STEPS % 2], size));
        int known = is_killed ? (ranks - 1) * PART - STEPS : all;
        wrong = compare(cells + 1, known, all);
    } else {
        for (int k = 0; k < 2; k++) OK(cuIpcCloseMemHandle(rod[k]));
    }
    MPI_Barrier(living);
    free(cells);
    return wrong;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *how = argc > 1 ? argv[1] : "host";
    CUdevice device;
    CUcontext context;
    CUmodule module;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&step, module, "step"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    int wrong = strcmp(how, "host") == 0 ? by_host() : by_sharing(strcmp(how, "killed") == 0);
    fflush(stdout);
    // Of a job that has lost a rank, MPI_Finalize waits for ever.
    if (strcmp(how, "killed") == 0) _exit(wrong);
    MPI_Finalize();
    return wrong;
}
