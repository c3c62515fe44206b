// Asynchronous work that is done late, for `texunit run --schedule SEED`. The argument is a case.
#include <cstdio>
#include <cstring>

__global__ void put(int *p, int value) { p[threadIdx.x] = value; }

__global__ void add(int *p, const int *q) { p[threadIdx.x] = 3 * p[threadIdx.x] + q[threadIdx.x]; }

__global__ void wrong(int *p) { p[1 << 20] = 1; }

__global__ void say() { printf("said\n"); }

static void note(void *data) { ++*(int *)data; }

static void CUDART_CB called(cudaStream_t, cudaError_t status, void *data) { *(int *)data = 10 + status; }

constexpr int N = 64;

static int *pinned() {
    int *p;
    cudaMallocHost(&p, N * sizeof(int));
    memset(p, 0, N * sizeof(int));
    return p;
}

static int *device() {
    int *p;
    cudaMalloc(&p, N * sizeof(int));
    cudaMemset(p, 0, N * sizeof(int));
    cudaDeviceSynchronize();
    return p;
}

int main(int, char **argv) {
    auto is = [&](const char *name) { return !strcmp(argv[1], name); };
    cudaStream_t a, b, c;
    cudaEvent_t event;
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreate(&c);
    cudaEventCreate(&event);
    if (is("late")) {
        // What comes is seen only when the program has waited.
        int *p = pinned(), *q = device(), *r = pinned(), called_back = 0;
        put<<<1, N, 0, a>>>(p, 7);
        cudaMemsetAsync(q, 1, N * sizeof(int), b);
        cudaMemcpyAsync(r, q, N * sizeof(int), cudaMemcpyDeviceToHost, b);
        cudaLaunchHostFunc(b, note, &called_back);
        printf("%d %d %d\n", p[0], r[0], called_back);
        cudaDeviceSynchronize();
        printf("%d %x %d\n", p[0], r[0], called_back);
        // A copy from pinned memory reads what is there by then.
        p[0] = 1;
        cudaMemcpyAsync(q, p, N * sizeof(int), cudaMemcpyHostToDevice, a);
        p[0] = 2;
        cudaStreamSynchronize(a);
        cudaMemcpy(r, q, sizeof(int), cudaMemcpyDeviceToHost);
        printf("%d\n", r[0]);
    } else if (is("order")) {
        int *p = pinned();
        for (int i = 0; i < 40; i++) {
            put<<<1, 1, 0, a>>>(p + i, 1);
            put<<<1, 1, 0, b>>>(p + i, 2);
            if (i % 8 == 7) cudaDeviceSynchronize();
        }
        for (int i = 0; i < 40; i++) printf("%d", p[i]);
        printf("\n");
    } else if (is("right")) {
        int *p = device(), *q = device(), *r = pinned(), plain[N] = {5, 6, 7}, count = 0, status = 0;
        for (int turn = 0; turn < 8; turn++) {
            // A stream waits for another by an event, and the other for the first.
            cudaMemcpyAsync(q, plain, sizeof plain, cudaMemcpyHostToDevice, a);
            plain[0]++; // It was read in the call.
            cudaEventRecord(event, a);
            cudaStreamWaitEvent(b, event);
            add<<<1, N, 0, b>>>(p, q);
            cudaLaunchHostFunc(b, note, &count);
            cudaEventRecord(event, b);
            cudaStreamWaitEvent(a, event);
            add<<<1, N, 0, a>>>(p, q);
            if (turn % 3 == 2) {
                while (cudaStreamQuery(a) == cudaErrorNotReady) {}
                printf("%d ", count);
            }
        }
        cudaStreamSynchronize(a);
        // The default stream waits for the blocking one, which waits for it.
        put<<<1, N, 0, c>>>(q, 9);
        add<<<1, N>>>(p, q);
        add<<<1, N, 0, c>>>(p, q);
        cudaMemcpy(plain, p, sizeof plain, cudaMemcpyDeviceToHost);
        printf("%d %d ", plain[0], plain[1]);
        // Memory in the order of a stream, freed before the work that uses it is done.
        int *s;
        cudaMallocAsync(&s, N * sizeof(int), a);
        put<<<1, N, 0, a>>>(s, 11);
        add<<<1, N, 0, a>>>(p, s);
        cudaFreeAsync(s, a);
        cudaMemcpyAsync(plain, p, sizeof plain, cudaMemcpyDeviceToHost, a);
        printf("%d ", plain[3]);
        // What is destroyed may be in use.
        int *t;
        cudaMalloc(&t, N * sizeof(int));
        put<<<1, N, 0, b>>>(t, 13);
        cudaMemcpyAsync(r, t, N * sizeof(int), cudaMemcpyDeviceToHost, b);
        cudaStreamAddCallback(b, called, &status, 0);
        cudaFree(t);
        cudaEventRecord(event, b);
        cudaStreamDestroy(b);
        cudaEventSynchronize(event);
        printf("%d %d %s\n", r[0], status, cudaGetErrorName(cudaDeviceSynchronize()));
    } else if (is("fault")) {
        int *p = device(), count = 0;
        put<<<1, 2000, 0, a>>>(p, 1);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
        wrong<<<1, 1, 0, a>>>(p);
        cudaLaunchHostFunc(a, note, &count);
        printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), count);
        printf("%s %d\n", cudaGetErrorName(cudaStreamSynchronize(a)), count);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    } else if (is("many")) {
        int *p = device(), *q = device(), out = 0;
        put<<<1, N>>>(q, 1);
        for (int i = 0; i < 3000; i++) add<<<1, N, 0, i % 7 ? c : 0>>>(p, q);
        cudaMemcpy(&out, p, sizeof out, cudaMemcpyDeviceToHost);
        printf("%d\n", out);
    } else {
        say<<<1, 1, 0, a>>>();
        printf("end\n");
    }
}
