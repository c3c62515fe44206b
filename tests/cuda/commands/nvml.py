"""What frameworks and monitors ask NVML at their start, by NVIDIA's own package (nvidia-ml-py)."""

import pynvml as n

n.nvmlInit()
print(n.nvmlDeviceGetCount(), n.nvmlSystemGetDriverVersion().split(".")[0], n.nvmlSystemGetNVMLVersion().split(".")[1])
device = n.nvmlDeviceGetHandleByIndex(0)
memory, versioned = n.nvmlDeviceGetMemoryInfo(device), n.nvmlDeviceGetMemoryInfo(device, version=n.nvmlMemory_v2)
print(n.nvmlDeviceGetName(device), memory.total >> 30, memory.used, versioned.total == memory.total, versioned.reserved)
print(n.nvmlDeviceGetUUID(device), n.nvmlDeviceGetPciInfo(device).busId, n.nvmlDeviceGetIndex(device), n.nvmlDeviceGetMinorNumber(device))
print(n.nvmlDeviceGetCudaComputeCapability(device), n.nvmlSystemGetCudaDriverVersion(), n.nvmlDeviceGetBrand(device), n.nvmlDeviceGetArchitecture(device))
print(n.nvmlDeviceGetComputeRunningProcesses(device), n.nvmlDeviceGetGraphicsRunningProcesses(device), n.nvmlDeviceGetComputeMode(device))
same = n.nvmlDeviceGetHandleByUUID(n.nvmlDeviceGetUUID(device))
print(n.nvmlDeviceGetIndex(same), n.nvmlDeviceGetIndex(n.nvmlDeviceGetHandleByPciBusId("00000000:01:00.0")))
for ask in [
    lambda: n.nvmlDeviceGetTemperature(device, n.NVML_TEMPERATURE_GPU),
    lambda: n.nvmlDeviceGetClockInfo(device, n.NVML_CLOCK_SM),
    lambda: n.nvmlDeviceGetFanSpeed(device),
    lambda: n.nvmlDeviceGetUtilizationRates(device),
    lambda: n.nvmlDeviceGetPowerUsage(device),
    lambda: n.nvmlDeviceGetMigMode(device),
    lambda: n.nvmlDeviceGetHandleByIndex(7),
    lambda: n.nvmlDeviceGetHandleByUUID("GPU-0"),
]:
    try:
        print(ask())
    except n.NVMLError as error:
        print(type(error).__name__, error)
n.nvmlShutdown()
try:
    n.nvmlDeviceGetCount()
except n.NVMLError_Uninitialized as error:
    print(error)
