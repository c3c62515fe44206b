/* What NVML says of the devices, beside what the driver says: before the driver begins, and while the process has memory. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef void *device;
static void *nvml, *cuda;
#define NVML(name, ...) ((int (*)())dlsym(nvml, #name))(__VA_ARGS__)
#define CUDA(name, ...) ((int (*)())dlsym(cuda, #name))(__VA_ARGS__)

struct pci { char legacy[16]; unsigned domain, bus, device, id, subsystem; char name[32]; };
struct pci_ext { unsigned version, domain, bus, device, id, subsystem, class, subclass; char name[32]; };
struct process { unsigned pid; unsigned long long used; unsigned instances[2]; };

static void processes(device of, const char *when)
{
    struct process list[4];
    unsigned count = 0, room = 4;
    const int asked = NVML(nvmlDeviceGetComputeRunningProcesses_v3, of, &count, (void *)0);
    const int code = NVML(nvmlDeviceGetComputeRunningProcesses_v3, of, &room, list);
    printf("  %s: %d, then %d: %u processes", when, asked, code, room);
    if (room)
        printf(", this one: %d, %llu MiB", list[0].pid == (unsigned)getpid(), list[0].used >> 20);
    puts("");
}

int main(void)
{
    nvml = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!nvml) {
        puts(dlerror());
        return 1;
    }
    unsigned count = 0;
    printf("before: %d\n", NVML(nvmlDeviceGetCount_v2, &count));
    const int begun = NVML(nvmlInit_v2), counted = NVML(nvmlDeviceGetCount_v2, &count);
    printf("init %d, count %d %u\n", begun, counted, count);
    device all[8] = {0};
    for (unsigned i = 0; i < count && i < 8; i++)
        NVML(nvmlDeviceGetHandleByIndex_v2, i, &all[i]);
    processes(all[0], "before cuInit");

    cuda = dlopen("libcuda.so.1", RTLD_NOW);
    int cuda_count = 0, nvml_version = 0, cuda_version = 0;
    CUDA(cuInit, 0);
    CUDA(cuDeviceGetCount, &cuda_count);
    CUDA(cuDriverGetVersion, &cuda_version);
    NVML(nvmlSystemGetCudaDriverVersion_v2, &nvml_version);
    printf("same count: %d, same version: %d\n", cuda_count == (int)count, nvml_version == cuda_version);
    for (unsigned i = 0; i < count && i < 8; i++) {
        char name[96], cuda_name[96], uuid[96], bus[32];
        unsigned char id[16];
        size_t total = 0;
        unsigned long long memory[3];
        int major = 0, minor = 0, cuda_major = 0, cuda_minor = 0;
        struct pci pci;
        struct pci_ext ext = {sizeof ext | 1 << 24};
        device by = 0;
        NVML(nvmlDeviceGetName, all[i], name, 96u);
        NVML(nvmlDeviceGetUUID, all[i], uuid, 96u);
        NVML(nvmlDeviceGetMemoryInfo, all[i], memory);
        NVML(nvmlDeviceGetPciInfo_v3, all[i], &pci);
        NVML(nvmlDeviceGetPciInfoExt, all[i], &ext);
        NVML(nvmlDeviceGetCudaComputeCapability, all[i], &major, &minor);
        CUDA(cuDeviceGetName, cuda_name, 96, i);
        CUDA(cuDeviceTotalMem_v2, &total, i);
        CUDA(cuDeviceGetUuid, id, i);
        CUDA(cuDeviceGetPCIBusId, bus, 32, i);
        CUDA(cuDeviceGetAttribute, &cuda_major, 75, i);
        CUDA(cuDeviceGetAttribute, &cuda_minor, 76, i);
        char text[64] = "GPU", *end = text + 3;
        for (int byte = 0; byte < 16; byte++)
            end += sprintf(end, "%s%02x", strchr("\1\5\7\11\13", byte + 1) ? "-" : "", id[byte]);
        printf("%s: ", name);
        printf("name %d, uuid %d, memory %d, bus %d, capability %d", !strcmp(name, cuda_name), !strcmp(uuid, text),
               memory[0] == total && memory[1] == total && memory[2] == 0, 
                   !strcasecmp(pci.name + 4, bus) && !memcmp(&pci.domain, &ext.domain, 20) && ext.class == 3
                       && !strcmp(pci.name, ext.name),
               major == cuda_major && minor == cuda_minor);
        printf(", by uuid %d", NVML(nvmlDeviceGetHandleByUUID, uuid, &by) == 0 && by == all[i]);
        printf(", by place %d\n", NVML(nvmlDeviceGetHandleByPciBusId_v2, bus, &by) == 0 && by == all[i]);
    }
    void *context;
    unsigned long long address;
    CUDA(cuDevicePrimaryCtxRetain, &context, 0);
    CUDA(cuCtxSetCurrent, context);
    CUDA(cuMemAlloc_v2, &address, (size_t)64 << 20);
    processes(all[0], "with memory");
    unsigned long long versioned[5] = {40 | 2 << 24};
    size_t free_bytes, total;
    CUDA(cuMemGetInfo_v2, &free_bytes, &total);
    const int code = NVML(nvmlDeviceGetMemoryInfo_v2, all[0], versioned);
    printf("memory %d, free as the driver says: %d\n", code, versioned[3] == free_bytes);
    versioned[0] = 1;
    unsigned number;
    printf("of another version %d, temperature %d, clock %d, fan %d, utilization %d, too short %d, no device %d\n",
           NVML(nvmlDeviceGetMemoryInfo_v2, all[0], versioned), NVML(nvmlDeviceGetTemperature, all[0], 0u, &number),
           NVML(nvmlDeviceGetClockInfo, all[0], 0u, &number), NVML(nvmlDeviceGetFanSpeed, all[0], &number),
           NVML(nvmlDeviceGetUtilizationRates, all[0], versioned), NVML(nvmlDeviceGetName, all[0], (char *)versioned, 3u),
           NVML(nvmlDeviceGetIndex, (device)0, &number));
    printf("%s, %s\n", ((const char *(*)(int))dlsym(nvml, "nvmlErrorString"))(3), ((const char *(*)(int))dlsym(nvml, "nvmlErrorString"))(12345));
    const int ended = NVML(nvmlShutdown);
    printf("shutdown %d, after it %d\n", ended, NVML(nvmlDeviceGetCount_v2, &count));
    return 0;
}
