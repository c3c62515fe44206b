"""A kernel of bench/kernels as others run it, with the protocol of served.py:

    kernel_peer.py opencl DESCRIPTION FOLDER     the twin FOLDER/NAME.cl, by an OpenCL driver; time from events
    kernel_peer.py plain DESCRIPTION LIBRARY     the plain loop in C, by the clock

DESCRIPTION is what `kernels describe NAME DIR` has printed."""

import ctypes
import json
import os
import pathlib
import re
import resource
import sys
import time

import numpy as np


class Case:
    """A description with its data."""

    def __init__(self, file):
        self.about = json.loads(pathlib.Path(file).read_text())
        self.name = self.about["name"]
        self.initial = [np.fromfile(b["file"], b["type"]) for b in self.about["buffers"]]

    def written(self):
        """Numbers of the buffers that kernels write."""
        return [i for i, b in enumerate(self.about["buffers"]) if "check" in b]

    def demand(self, read):
        """Compares results with what is expected; `read` gets the buffer of a number."""
        for i in self.written():
            buffer = self.about["buffers"][i]
            if "expected" not in buffer:
                continue
            found, expected = read(i), np.fromfile(buffer["expected"], buffer["type"])
            check = buffer["check"]
            if check == "equal" or "share" in check:
                wrong = found != expected
            else:
                distance = np.abs(found.astype(np.float64) - expected)
                wrong = ~(distance <= check["absolute"] + check["relative"] * np.abs(expected))
            count = int(np.count_nonzero(wrong))
            if count > (check["share"] * len(expected) if "share" in check else 0):
                at = int(np.argmax(wrong))
                sys.exit(f"{buffer['name']}: {count} elements are wrong; [{at}] is {found[at]} and not {expected[at]}")


class OpenCl:
    """The twin."""

    def __init__(self, case, folder):
        os.environ.setdefault("PYOPENCL_COMPILER_OUTPUT", "0")
        os.environ["PYOPENCL_NO_CACHE"] = "1"
        import pyopencl as cl

        self.cl, self.case = cl, case
        part = os.environ.get("OPENCL_PLATFORM", "portable").lower()
        found = [p for p in cl.get_platforms() if part in p.name.lower()]
        if not found:
            sys.exit(f"there is no OpenCL platform `{part}`")
        self.context = cl.Context(found[0].get_devices()[:1])
        self.queue = cl.CommandQueue(self.context, properties=cl.command_queue_properties.PROFILING_ENABLE)
        device = self.context.devices[0]
        self.about = {"version": found[0].version, "sub_groups": "cl_khr_subgroups" in device.extensions}
        flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
        self.buffers = [cl.Buffer(self.context, flags, hostbuf=data) for data in case.initial]
        self.texture = self.image() if case.about["texture"] else None
        source = pathlib.Path(folder, f"{case.name}.cl").read_text()
        # The cache of the driver knows programs by their text.
        source = re.sub(r'#include "(.*)"', lambda m: pathlib.Path(folder, m[1]).read_text(), source)
        start = time.perf_counter()
        program = cl.Program(self.context, source).build()
        self.launches = [self.launch(program, launch) for launch in case.about["launches"]]
        self.load = (time.perf_counter() - start) * 1e3

    def image(self):
        cl, texture = self.cl, self.case.about["texture"]
        texels = self.case.initial[texture["buffer"]]
        kind = cl.channel_type.UNSIGNED_INT8 if texels.dtype == np.uint8 else cl.channel_type.FLOAT
        shape = tuple(n for n in texture["extent"] if n)
        flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
        form = cl.ImageFormat(cl.channel_order.R, kind)
        return cl.create_image(self.context, flags, form, shape=shape, hostbuf=texels)

    def launch(self, program, launch):
        kernel = self.cl.Kernel(program, launch["kernel"])
        numbers = {"u32": np.uint32, "f32": np.float32}
        args = [self.buffers[v] if kind == "buffer" else self.texture if kind == "texture" else numbers[kind](v)
                for kind, v in launch["args"]]
        kernel.set_args(*args)
        return kernel, [g * b for g, b in zip(launch["grid"], launch["block"])], launch["block"]

    def restore(self):
        for i in self.case.written():
            self.cl.enqueue_copy(self.queue, self.buffers[i], self.case.initial[i])

    def run(self):
        events = [self.cl.enqueue_nd_range_kernel(self.queue, *launch) for launch in self.launches]
        self.queue.finish()
        return sum(e.profile.end - e.profile.start for e in events) / 1e6

    def read(self, i):
        data = np.empty_like(self.case.initial[i])
        self.cl.enqueue_copy(self.queue, data, self.buffers[i])
        return data


class Plain:
    """The loop in C."""

    about = {}

    def __init__(self, case, library):
        start = time.perf_counter()
        self.case = case
        self.buffers = [data.copy() for data in case.initial]
        self.function = getattr(ctypes.CDLL(os.path.abspath(library)), case.name)
        self.function.restype = None
        pointer = lambda i: ctypes.c_void_p(self.buffers[i].ctypes.data)
        make = {"buffer": pointer, "u32": ctypes.c_uint32, "f32": ctypes.c_float,
                "texture": lambda _: pointer(case.about["texture"]["buffer"])}
        self.args = [make[kind](value) for kind, value in case.about["plain"]]
        self.load = (time.perf_counter() - start) * 1e3

    def restore(self):
        for i in self.case.written():
            self.buffers[i][:] = self.case.initial[i]

    def run(self):
        start = time.perf_counter()
        self.function(*self.args)
        return (time.perf_counter() - start) * 1e3

    def read(self, i):
        return self.buffers[i]


def main():
    how, description, place = sys.argv[1:]
    case = Case(description)
    peer = {"opencl": OpenCl, "plain": Plain}[how](case, place)
    start = time.perf_counter()
    peer.run()
    first = (time.perf_counter() - start) * 1e3
    case.demand(peer.read)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"load_ms": peer.load, "first_ms": first, "peak_mib": peak, **peer.about}), flush=True)
    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            peer.restore()
            times.append(peer.run())
        print(json.dumps({"ms": times}), flush=True)


main()
