"""NumPy arrays on the device, over the driver API alone: what Triton takes as a pointer, without PyTorch."""

import ctypes

import numpy

driver = ctypes.CDLL("libcuda.so.1")


def check(error):
    if error:
        name = ctypes.c_char_p()
        driver.cuGetErrorName(error, ctypes.byref(name))
        raise RuntimeError(f"{name.value}")


def context():
    """Makes the primary context of device 0 current."""
    primary = ctypes.c_void_p()
    check(driver.cuInit(0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 0))
    check(driver.cuCtxSetCurrent(primary))


class Array:
    """A copy of an array; `numpy()` copies it back."""

    def __init__(self, host):
        self.host = numpy.ascontiguousarray(host)
        self.dtype = self.host.dtype.name
        self.address = ctypes.c_uint64()
        check(driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(self.host.nbytes)))
        check(driver.cuMemcpyHtoD_v2(self.address, self.pointer(self.host), ctypes.c_size_t(self.host.nbytes)))

    @staticmethod
    def pointer(host):
        return host.ctypes.data_as(ctypes.c_void_p)

    def data_ptr(self):
        return self.address.value

    def numpy(self):
        result = numpy.empty_like(self.host)
        check(driver.cuMemcpyDtoH_v2(self.pointer(result), self.address, ctypes.c_size_t(result.nbytes)))
        return result

    def __del__(self):
        driver.cuMemFree_v2(self.address)
