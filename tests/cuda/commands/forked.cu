// Processes are forked off while another thread launches kernels, and end at once: a lock that the other thread held is
// not waited for.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void add(int *out) { atomicAdd(out, 1); }

// Whether a process ends within five seconds.
static bool ends(pid_t child)
{
    for (int n = 0; n < 5000; ++n) {
        if (waitpid(child, nullptr, WNOHANG) != 0) return true;
        usleep(1000);
    }
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return false;
}

int main()
{
    int *out;
    if (cudaMalloc(&out, sizeof *out) || cudaMemset(out, 0, sizeof *out)) return 2;
    add<<<1, 1>>>(out);
    std::atomic<bool> done{false};
    std::thread launches([&] {
        while (!done) add<<<1, 1>>>(out);
    });
    int ended = 0;
    for (bool all = true; all && ended < 150; ended += all) {
        pid_t child = fork();
        if (child == 0) exit(0);
        all = ends(child);
    }
    done = true;
    launches.join();
    printf("%d\n", ended);
}
