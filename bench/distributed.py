"""What `texunit.distributed` costs beyond the work itself, with one worker and with two: the table of docs/distributed.md.

    python3 bench/distributed.py [--rounds N] [--no-ray] [--no-build] [--json]

Samples of a texture and launches of two kernels, in this process, over a `ProcessPoolExecutor` and over Ray: medians of
rounds. Workers are warm: they have imported the module, and a texture is with them already but where it says otherwise.
"""

import argparse
import json
import pathlib
import pickle
import statistics
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "peers"))
from module import machine, prepare  # noqa: E402

HEADER = ".version 7.5\n.target sm_75\n.address_size 64\n"
# to[i] = from[i] + 1: nothing but memory.
COPY = (
    HEADER
    + """
.visible .entry k(.param .u64 to, .param .u64 from) {
    .reg .b32 %r<5>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.u32 %r1, [%rd2]; add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; ret;
}
"""
)
# to[i] = from[i], and then a hundred thousand steps of a generator.
LONG = COPY.replace(
    "add.u32 %r1, %r1, 1;",
    "mov.u32 %r2, 0;\nLOOP: mad.lo.u32 %r1, %r1, 1664525, 1013904223; add.u32 %r2, %r2, 1; "
    "setp.lt.u32 %p1, %r2, 100000; @%p1 bra LOOP;",
).replace(".reg .b32", ".reg .pred %p<2>; .reg .b32")


def nothing():
    pass


class Pool:
    """Processes of `concurrent.futures`."""

    name = "processes"

    def __init__(self, workers):
        self.workers = workers
        self.executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
        self.wait(list(map(self.executor.submit, [time.sleep] * workers, [0.5] * workers)))

    def wait(self, futures):
        return [future.result() for future in futures]

    def tasks(self, count):
        self.wait([self.executor.submit(nothing) for _ in range(count)])

    def close(self):
        self.executor.shutdown()


def pause(seconds):
    """A function of Python: what Ray takes."""
    time.sleep(seconds)


class Ray:
    """Ray on this machine."""

    name = "Ray"

    def __init__(self, workers):
        import ray

        self.workers, self.executor = workers, ray
        path = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": path})
        self.nothing = ray.remote(nothing)
        # Until all workers are there.
        ray.get([ray.remote(pause).remote(0.5) for _ in range(workers)])

    def tasks(self, count):
        self.executor.get([self.nothing.remote() for _ in range(count)])

    def close(self):
        self.executor.shutdown()


def median(call, rounds):
    call()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def works():
    """Each with its name, what does it here, what does it with workers, and the bytes that go to them and back."""
    import numpy as np
    import texunit
    from texunit import distributed

    rng = np.random.default_rng(1)
    texels = rng.integers(0, 256, (1024, 1024, 4), dtype=np.uint8)
    linear = {"filter": "linear", "read": "normalized", "normalized_coords": True, "address": "wrap"}
    plain = texunit.Texture(texels, **linear)
    slow = texunit.Texture(texels, **linear, mipmaps=True, mip_filter="linear", anisotropy=16)
    size = len(pickle.dumps(plain, protocol=5))

    def sample(name, tex, count, **keywords):
        at = rng.random((count, 2), dtype=np.float32)
        out = count * 16
        yield f"{name}, {count:,} points", lambda: tex.sample(at, **keywords), lambda of: distributed.sample(
            tex, at, of.executor, workers=of.workers, **keywords
        ), (at.nbytes, out), count

    yield from sample("bilinear", plain, 1_000)
    yield from sample("bilinear", plain, 100_000)
    yield from sample("bilinear", plain, 4_000_000)
    grad = ((0.05, 0.0), (0.0, 0.004))
    yield from sample("anisotropic, 13 taps", slow, 100_000, grad=grad)
    yield from sample("anisotropic, 13 taps", slow, 1_000_000, grad=grad)
    print(f"the texture is {size} bytes, once for a worker", file=sys.stderr)

    def launch(name, ptx, ctas):
        start = np.arange(ctas * 256, dtype=np.uint32)
        start.flags.writeable = False
        to = np.zeros_like(start)
        moved = {}

        def with_workers(of):
            done = distributed.launch((ptx, "k"), ctas, 256, [to, start], of.executor, workers=of.workers, parts=1)
            moved["back"] = done.bytes_moved

        def here():
            whole_launch((ptx, "k"), ctas, [to, start])

        yield name, here, with_workers, (start.nbytes * 2, moved), None

    yield from launch("a kernel that adds 1 to 1 Mi words", COPY, 4096)
    yield from launch("a kernel of 100,000 steps, 16,384 threads", LONG, 64)


def whole_launch(kernel, ctas, args):
    """The launch of one machine: `texunit launch`, with the same files."""
    import os
    import tempfile

    from texunit.distributed import _arguments, _launch, _program

    job = _arguments.Job(kernel, ctas, 256, args, 0)
    with tempfile.TemporaryDirectory() as folder:
        _launch._unpack(pickle.dumps(job.files, protocol=5), folder)
        out = os.path.join(folder, "out")
        words = ("launch", os.path.join(folder, "job.toml"), "--out", out, "--threads", "1", "--format", "json")
        done = _program.texunit(*words)
        assert done.returncode == 0, done.stdout
        job.write_back(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-ray", action="store_true")
    parser.add_argument("--no-build", action="store_true", help="take what was built before")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if not options.here:
        packages = ["numpy==2.4.6"] + ([] if options.no_ray else ["ray==2.60.0"])
        prepare(packages, [["--bin", "texunit"]], {"OMP_NUM_THREADS": "1"}, not options.no_build)
    all_works, rows = list(works()), {}
    for name, here, _, _, _ in all_works:
        rows[name] = {"here": median(here, options.rounds)}
    tasks = {}
    for make in [Pool] if options.no_ray else [Pool, Ray]:
        for workers in (1, 2):
            of = make(workers)
            key = f"{of.name} {workers}"
            tasks[key] = median(lambda of=of: of.tasks(100), options.rounds) / 100
            for name, _, with_workers, _, _ in all_works:
                rows[name][key] = median(lambda of=of, run=with_workers: run(of), options.rounds)
            of.close()
    print(f"{machine()}, medians of {options.rounds} rounds", file=sys.stderr)
    for name, _, _, (out, back), count in all_works:
        back = back["back"] if isinstance(back, dict) else back
        line = {"what": name, "bytes_out": out, "bytes_back": back, "fetches": count}
        line["ms"] = {key: round(seconds * 1e3, 2) for key, seconds in rows[name].items()}
        print(json.dumps(line) if options.json else as_row(line), flush=True)
    line = {"what": "a task that does nothing", "ms": {key: round(seconds * 1e3, 3) for key, seconds in tasks.items()}}
    print(json.dumps(line) if options.json else as_row({**line, "bytes_out": 0, "bytes_back": 0}))


def as_row(line):
    times = " | ".join(f"{line['ms'].get(key, ''):}" for key in ("here", "processes 1", "processes 2", "Ray 1", "Ray 2"))
    return f"| {line['what']} | {line['bytes_out'] / 1e6:.1f} / {line['bytes_back'] / 1e6:.1f} | {times} |"


if __name__ == "__main__":
    main()
