// What the host does through pointers while work is not finished, for `texunit run --check race`. The first argument is a case; with a
// second one the program waits as it must.
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int N = 3000;

__managed__ int variable[N];

__global__ void put(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x; }

__global__ void get(const int *p, int *q) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    q[i] = p[i] + 1;
}

__global__ void signals(int *p, volatile int *flag) {
    *p = 41;
    __threadfence_system();
    *flag = 1;
}

static int *managed(int n = N) {
    int *p;
    cudaMallocManaged(&p, n * sizeof(int));
    return p;
}

static int *pinned(int n = N) {
    int *p;
    cudaHostAlloc(&p, n * sizeof(int), cudaHostAllocMapped);
    return p;
}

static int *registered() {
    int *p = (int *)aligned_alloc(4096, 4 * 4096);
    memset(p, 0, 4 * 4096);
    cudaHostRegister(p, N * sizeof(int), cudaHostRegisterDefault);
    return p;
}

static int *device() {
    int *p;
    cudaMalloc(&p, N * sizeof(int));
    cudaMemset(p, 0, N * sizeof(int));
    return p;
}

static cudaArray_t array() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaMallocArray(&array, &format, 50, 60);
    return array;
}

static sigjmp_buf back;
static volatile int handled;

static void handler(int, siginfo_t *, void *) {
    handled = handled + 1;
    siglongjmp(back, 1);
}

static void crash() {
    volatile int *nowhere = nullptr;
    if (sigsetjmp(back, 1) == 0) *nowhere = 1;
}

static void handle() {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
}

int main(int argc, char **argv) {
    bool waits = argc > 2;
    auto is = [&](const char *name) { return !strcmp(argv[1], name); };
    cudaStream_t a, b;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    int sum = 0;
    if (is("managed-read")) {
        int *p = managed();
        put<<<30, 100>>>(p);
        if (waits) cudaDeviceSynchronize(); // right[race-host-read]: the host waits
        for (int i = 0; i < N; i++) sum += p[i]; // finding[race-host-read]: that a kernel stores to // managed-read
    } else if (is("managed-write")) {
        int *p = managed(), *q = device();
        put<<<30, 100>>>(p);
        cudaDeviceSynchronize();
        get<<<30, 100, 0, a>>>(p, q);
        if (waits) cudaStreamSynchronize(a); // right[race-host-write]: the host waits
        sum = p[N - 1]; // It is only read there, too.
        p[N - 1] = 5; // finding[race-host-write]: that a kernel loads from // managed-write
    } else if (is("pinned-read")) {
        int *p = pinned();
        put<<<30, 100, 0, a>>>(p);
        cudaEventRecord(event, a);
        if (waits) cudaEventSynchronize(event);
        sum = p[200]; // pinned-read
    } else if (is("variable")) {
        put<<<30, 100>>>(variable);
        if (waits) cudaMemcpy(device(), device(), 4, cudaMemcpyDeviceToDevice);
        sum = variable[100]; // variable
    } else if (is("copy-source")) {
        int *p = pinned(), *q = device();
        p[0] = 7;
        cudaMemcpyAsync(q, p, N * sizeof(int), cudaMemcpyHostToDevice, a);
        sum = p[0]; // The copy only reads it.
        if (waits) cudaStreamSynchronize(a);
        p[0] = 8; // copy-source
    } else if (is("copy-target")) {
        int *p = pinned(), *q = device();
        cudaMemcpyAsync(p, q, N * sizeof(int), cudaMemcpyDeviceToHost, a);
        while (waits && cudaStreamQuery(a) == cudaErrorNotReady) {}
        sum = p[9]; // copy-target
    } else if (is("set")) {
        int *p = managed();
        cudaMemsetAsync(p, 1, N * sizeof(int), a);
        if (waits) cudaDeviceSynchronize();
        p[0] = sum = p[0] & 255; // set
    } else if (is("library")) {
        int *p = managed(), copy[N];
        put<<<30, 100>>>(p);
        if (waits) cudaDeviceSynchronize();
        memcpy(copy, p, sizeof copy); // library
        sum = copy[N - 1];
    } else if (is("wrong-stream")) {
        int *p = managed();
        put<<<30, 100, 0, a>>>(p);
        cudaStreamSynchronize(waits ? a : b);
        sum = p[1]; // wrong-stream
    } else if (is("waits-for-other")) {
        int *p = managed();
        put<<<30, 100, 0, a>>>(p);
        cudaEventRecord(event, a);
        cudaStreamWaitEvent(b, event, 0);
        cudaStreamSynchronize(waits ? b : 0);
        sum = p[1]; // waits-for-other
    } else if (is("handlers")) {
        handle();
        int *p = managed();
        put<<<30, 100>>>(p);
        crash();
        if (waits) cudaDeviceSynchronize();
        sum = p[N - 1]; // handlers
        crash();
        handle();
        put<<<30, 100>>>(p);
        crash();
        cudaDeviceSynchronize();
        sum += p[N - 1] + 100 * handled;
    } else if (is("turns")) {
        // The first half is worked on while the second one is filled.
        int *p = pinned(2 * N), *q = device();
        for (int turn = 0; turn < 4; turn++) {
            int *half = p + turn % 2 * N;
            if (waits && turn > 1) cudaStreamSynchronize(turn % 2 ? a : b);
            half[0] = turn; // turns
            cudaMemcpyAsync(q, half, N * sizeof(int), cudaMemcpyHostToDevice, turn % 2 ? a : b);
        }
        cudaDeviceSynchronize();
    } else if (is("registered-read")) {
        int *p = registered(), *d;
        cudaHostGetDevicePointer(&d, p, 0);
        put<<<30, 100>>>(d);
        if (waits) cudaDeviceSynchronize();
        sum = p[N / 2]; // registered-read
        cudaDeviceSynchronize();
        sum += p[N / 2 + 1];
    } else if (is("registered-source")) {
        int *p = registered(), *q = device();
        cudaMemcpyAsync(q, p, N * sizeof(int), cudaMemcpyHostToDevice, a);
        sum = p[N / 2]; // The copy only reads it.
        if (waits) cudaStreamSynchronize(a);
        p[N / 2] = 8; // registered-source
    } else if (is("rows-source")) {
        // 50 of 60 words of each row.
        int *p = pinned(), *q = device();
        cudaMemcpy2DAsync(q, 240, p, 240, 200, 50, cudaMemcpyHostToDevice, a);
        p[59] = 7; // What is between the rows is not copied.
        cudaStreamSynchronize(a);
        cudaMemcpy2DAsync(q, 240, p + 1200, 240, 200, 20, cudaMemcpyHostToDevice, a);
        if (waits) cudaStreamSynchronize(a);
        p[1200 + 60] = 8; // finding[race-host-write]: that a copy of 4000 bytes reads // rows-source
    } else if (is("array-source")) {
        int *p = pinned();
        cudaMemcpy2DToArrayAsync(array(), 0, 0, p, 200, 200, 60, cudaMemcpyHostToDevice, a);
        if (waits) cudaStreamSynchronize(a);
        p[70] = 8; // array-source
    } else if (is("array-target")) {
        int *p = pinned();
        cudaMemcpy2DFromArrayAsync(p, 200, array(), 0, 0, 200, 60, cudaMemcpyDeviceToHost, a);
        if (waits) cudaStreamSynchronize(a);
        sum = p[70]; // array-target
    } else if (is("box-source")) {
        cudaMemcpy3DParms box = {};
        int *p = pinned();
        box.srcPtr = make_cudaPitchedPtr(p, 200, 50, 60);
        box.dstArray = array();
        box.extent = make_cudaExtent(50, 60, 1);
        box.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3DAsync(&box, a);
        if (waits) cudaStreamSynchronize(a);
        p[70] = 8; // box-source
    } else if (is("right")) {
        // Others than those that work uses, also beside each other.
        int *p = managed(1), *q = managed(1), *r = pinned(1), *s = pinned(1), *big = managed(4 * N);
        put<<<1, 1>>>(p);
        put<<<1, 1>>>(r);
        *q = *s = 3;
        put<<<30, 100>>>(big);
        big[2 * N] = 4;
        sum = *q + *s + big[2 * N];
        cudaDeviceSynchronize();
        // A flag.
        int *flag = pinned(1);
        *flag = *r = 0;
        signals<<<1, 1>>>(r, flag);
        while (!*(volatile int *)flag) {}
        sum += *r;
        // A copy to memory that is not pinned has ended when the call returns, and one from there has been read.
        int plain[N], *d = device();
        cudaMemcpyAsync(plain, d, sizeof plain, cudaMemcpyDeviceToHost, a);
        sum += plain[5];
        cudaMemcpyAsync(d, plain, sizeof plain, cudaMemcpyHostToDevice, a);
        plain[5] = 1;
        // Memory of one stream, and pages that go to the host.
        cudaStreamAttachMemAsync(a, big);
        cudaStreamSynchronize(a);
        put<<<30, 100, 0, a>>>(big);
        *q = 6;
        cudaStreamSynchronize(a);
        sum += big[150] + *q;
        cudaMemset(big, 0, 4 * N);
        sum += big[0];
        // Registered memory, which is the program's own: other parts of it, and when it is registered no more.
        int *own = registered();
        cudaMemcpyAsync(d, own, N, cudaMemcpyHostToDevice, a);
        own[N - 1] = sum;
        sum += own[N / 8];
        cudaHostUnregister(own);
        own[0] = 1;
        free(own);
        own = registered();
        put<<<30, 100, 0, a>>>(own);
        cudaStreamSynchronize(a);
        sum += own[N / 2];
        put<<<30, 100, 0, a>>>(own);
        cudaMemset(d, 0, 4);
        cudaMemcpyAsync(own, d, N, cudaMemcpyDeviceToHost, a);
        cudaStreamSynchronize(a);
        own[N / 2]++;
        // Memory that is given back and made anew.
        put<<<30, 100, 0, a>>>(big);
        cudaFree(big);
        big = managed(4 * N);
        big[0] = 1;
        FILE *file = fopen("/dev/zero", "r");
        sum += (int)fread(big, 1, 4 * N, file) + big[0];
        fclose(file);
    }
    printf("%d %s\n", sum, cudaGetErrorName(cudaDeviceSynchronize()));
}
