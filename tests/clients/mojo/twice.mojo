# Doubles an array on the device.
from max.gpu import global_idx
from max.gpu.host import DeviceContext


def twice(a: Pointer[Float32, MutUnsafeAnyOrigin], n: Int32):
    var i = Int(global_idx.x)
    if i < Int(n):
        a[unsafe_offset=i] = a[unsafe_offset=i] * 2


def main() raises:
    var device = DeviceContext()
    print(device.name())
    var buffer = device.enqueue_create_buffer[DType.float32](1000)
    with buffer.map_to_host() as host:
        for i in range(1000):
            host[i] = Float32(i)
    device.enqueue_function[twice](buffer, Int32(1000), grid_dim=8, block_dim=128)
    var wrong = 0
    with buffer.map_to_host() as host:
        for i in range(1000):
            if host[i] != Float32(2 * i):
                wrong += 1
    print("wrong", wrong)
