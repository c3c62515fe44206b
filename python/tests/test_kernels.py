"""Modules, launches, and what comes of them."""

import array
import ctypes
import os
import pathlib
import pickle
import signal
import threading
import time

import pytest

numpy = pytest.importorskip("numpy")

import ptx  # noqa: E402
import texunit  # noqa: E402
from texunit import Module, Surface, Texture  # noqa: E402

F32 = numpy.float32


def raises(kind, words, function, *arguments, **keywords):
    with pytest.raises(kind) as error:
        function(*arguments, **keywords)
    assert words in str(error.value), str(error.value)
    return error.value


@pytest.fixture(scope="module")
def scale():
    return Module(ptx.SCALE)["scale"]


def test_arrays_are_written_back(scale):
    values = numpy.ones(100, F32)
    result = scale[4, 32](values, 2, 100)
    assert values.tolist() == [2.0 + i for i in range(100)]
    assert result.findings == [] and result.coverage is None and result.printf == "" and result.seconds > 0
    assert result.counters.thread_instructions == 4 * 32 * 9 + 100 * 5 + 28
    assert scale.name == "scale" and [str(param) for param in scale.params][1] == ".f32 factor"


def test_grids_and_blocks(scale):
    for grid, block in ((4, 32), ((4,), (32, 1)), ((4, 1, 1), [32]), (numpy.int64(4), 32)):
        values = numpy.zeros(128, F32)
        scale[grid, block](values, 0.0, 128)
        assert values[-1] == 127
    raises(TypeError, "kernel[grid, block]", lambda: scale[4])
    raises(TypeError, "up to three", lambda: scale[(1, 1, 1, 1), 1])
    raises(TypeError, "integer", lambda: scale[1.5, 1])
    raises(ValueError, "-1", lambda: scale[-1, 1])
    raises(ValueError, "grid x is 0", scale[0, 1], numpy.zeros(1, F32), 1, 1)
    raises(ValueError, "block", scale[1, 2048], numpy.zeros(1, F32), 1, 1)
    raises(TypeError, "say how many threads", scale, numpy.zeros(1, F32), 1, 1)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a[::-1],
        lambda a: a.reshape(8, 8),
        lambda a: a.reshape(8, 8).T,
        lambda a: a.reshape(8, 8)[:, 2:6],
        lambda a: numpy.asfortranarray(a.reshape(8, 8)),
    ],
)
def test_arrays_of_any_strides(scale, view):
    values = view(numpy.arange(64, dtype=F32))
    expected = values.copy().ravel() * F32(2) + numpy.arange(values.size, dtype=F32)
    scale[2, 32](values, 2.0, values.size)
    assert values.ravel().tolist() == expected.tolist()


class Interface:
    """An array that has nothing but ``__array_interface__``."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__
        self.array = array


class Dlpack:
    """An array that has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_ways_in(scale):
    for wrapped in (memoryview, Interface, Dlpack):
        values = numpy.ones(8, F32)
        scale[1, 8](wrapped(values), 1.0, 8)
        assert values[7] == 8
    plain = array.array("f", [1] * 8)
    scale[1, 8](plain, 1.0, 8)
    assert plain[7] == 8
    raw = (ctypes.c_float * 8)(*[1] * 8)
    scale[1, 8](raw, 1.0, 8)
    assert raw[7] == 8
    content = bytearray(32)
    scale[1, 8](content, 1.0, 8)
    assert numpy.frombuffer(content, F32)[7] == 7
    raises(TypeError, "neither a number nor an array", scale[1, 1], [1.0], 1.0, 1)
    raises(TypeError, "Python objects", scale[1, 1], numpy.array([None]), 1.0, 1)
    raises(TypeError, "byte order", scale[1, 1], numpy.ones(1, ">f4"), 1.0, 1)


def test_read_only_arrays_stay(scale):
    values = numpy.ones(8, F32)
    values.flags.writeable = False
    scale[1, 8](values, 2.0, 8)
    assert values.tolist() == [1] * 8
    scale[1, 8](bytes(32), 2.0, 8)


def test_the_same_memory_is_the_same_address():
    add = Module(
        ptx.HEADER
        + """
        .visible .entry copy(.param .u64 from, .param .u64 to)
        {
            .reg .b64 %rd<3>;
            .reg .b32 %r1;
            ld.param.u64 %rd1, [from];
            ld.param.u64 %rd2, [to];
            st.global.u32 [%rd1], 7;
            ld.global.u32 %r1, [%rd2];
            st.global.u32 [%rd2+4], %r1;
            ret;
        }"""
    )["copy"]
    both = numpy.zeros(2, "uint32")
    add[1, 1](both, both)
    assert both.tolist() == [7, 7]
    values = numpy.zeros(4, "uint32")
    raises(ValueError, ".u64 to: its memory overlaps that of .u64 from", add[1, 1], values[:3], values[1:])
    other = numpy.zeros((2, 2), "uint32")
    add[1, 1](other[:, 0], other[:, 1])
    assert other.tolist() == [[7, 0], [0, 0]]
    add[1, 1](numpy.zeros(1, "uint32"), numpy.zeros(2, "uint32"))


def test_scalars_by_signature():
    kernel = Module(ptx.SCALARS)["scalars"]
    layout = "u1 u1 u2 u4 i4 u4 u8 f8 f4 f2".split()
    names = "a _ b c d f e h g i".split()
    record = numpy.zeros(1, numpy.dtype(list(zip(names, layout, strict=True))))
    half = numpy.array(0.5, "float16")
    kernel[1, 1](record, 255, 65535, -1, -7, 1 << 63, 1.5, 0.1, 0.1, half)
    (found,) = record
    assert (found["a"], found["b"], found["c"], found["d"], found["e"]) == (255, 65535, 0xFFFFFFFF, -7, 1 << 63)
    assert found["f"] == F32(1.5).view("uint32") and found["g"] == F32(0.1) and found["h"] == 0.1 and found["i"] == 0.5
    typed = [numpy.uint8(1), numpy.int16(-2), numpy.int64(3), True, numpy.uint64(5), numpy.int32(-6), numpy.float64(7), 8]
    kernel[1, 1](record, *typed, half.tobytes())
    (found,) = record
    assert (found["a"], found["b"], found["c"], found["d"], found["e"]) == (1, 65534, 3, 1, 5)
    assert (found["f"], found["g"], found["h"]) == (0xFFFFFFFA, 7, 8)
    good = [record, 1, 2, 3, 4, 5, 6, 7.0, 8.0, half]

    def wrong(kind, words, place, value):
        raises(kind, words, kernel[1, 1], *good[:place], value, *good[place + 1 :])

    wrong(ValueError, ".u8 a: 256 is not from -128 to 255", 1, 256)
    wrong(ValueError, "-32769", 2, -32769)
    wrong(ValueError, "4294967296", 3, 1 << 32)
    wrong(ValueError, "from -2147483648 to 2147483647", 4, 1 << 31)
    wrong(ValueError, "18446744073709551616", 5, 1 << 64)
    wrong(ValueError, "out of the range of an f32", 6, 1e39)
    wrong(ValueError, "out of the range of an f32", 7, 1e39)
    wrong(TypeError, "not an integer", 3, 1.0)
    wrong(TypeError, "not a number", 3, "1")
    wrong(TypeError, "not a number of its type", 3, numpy.complex64(1))
    wrong(TypeError, "not an array", 3, numpy.zeros(1, "uint32"))
    wrong(ValueError, "2 bytes are expected, not 4", 9, F32(1))
    wrong(TypeError, "its 2 bytes are expected", 9, 0.5)
    raises(TypeError, "takes 10 arguments", kernel[1, 1], record)


def test_a_null_pointer_and_an_empty_array(scale):
    assert scale[1, 1](None, 1.0, 0).counters.thread_instructions > 0
    scale[1, 1](numpy.zeros(0, F32), 1.0, 0)
    fault = raises(texunit.KernelFault, "null", scale[1, 1], None, 1.0, 1)
    assert fault.address == 0


def test_textures_and_surfaces():
    kernel = Module(ptx.DRAW)["draw"]
    texels = numpy.arange(16, dtype=F32).reshape(4, 4)
    texture, surface = Texture(texels, filter="linear"), Surface(numpy.zeros((4, 4), F32))
    result = kernel[1, (4, 4)](texture, surface)
    at = numpy.stack(numpy.meshgrid(numpy.arange(4), numpy.arange(4)), -1).astype(F32) + F32(0.75)
    assert (surface.to_array() == texture.sample(at)).all()
    assert result.counters.fetches == 16 and result.counters.surface_accesses == 16
    fault = raises(texunit.KernelFault, "tex.2d", kernel[1, 1], Texture(numpy.ones((1, 2, 2), F32), dim=3), surface)
    assert fault.kind == "texture" and fault.help == "dim=2 makes an object for this instruction; this one has dim=3"
    assert raises(texunit.KernelFault, "", kernel[1, 1], surface, surface).kind == "handle"
    solid = Texture(numpy.ones((1, 2, 2), F32), dim=3)
    surface = Surface(numpy.ones((4, 4), F32))
    (finding,) = kernel[1, (4, 4)](solid, surface, bad_fetch="zero").findings
    assert (finding.kind, finding.check, finding.count) == ("texture-bad-fetch", "texture", 1)
    assert finding.help == fault.help and 'bad_fetch="fault"' in str(finding)
    assert (surface.to_array() == 0).all()
    raises(ValueError, "bad_fetch: fault or zero", kernel[1, 1], solid, surface, bad_fetch="none")
    raises(texunit.KernelFault, "surface", kernel[1, (5, 1)], texture, surface)
    small = Module(ptx.HEADER + ".visible .entry k(.param .u32 t) { ret; }")["k"]
    raises(TypeError, "64 bits", small[1, 1], texture)


def test_a_texture_that_shares_its_memory_is_read_where_it_is():
    kernel = Module(ptx.DRAW)["draw"]
    texels = numpy.zeros((4, 4), F32)
    texture, surface = Texture(texels, copy=False), Surface(numpy.zeros((4, 4), F32))
    texels[:] = 5
    kernel[1, (4, 4)](texture, surface)
    assert (surface.to_array() == 5).all()


def test_references_of_the_module():
    module = Module(ptx.REFERENCE)
    out = numpy.zeros(1, F32)
    fault = raises(texunit.KernelFault, "not bound", module["read"][1, 1], out)
    assert "module.bind" in fault.help
    module.bind("picture", Texture(numpy.arange(16, dtype=F32).reshape(4, 4)))
    module["read"][1, 1](out)
    assert out == 9
    raises(KeyError, "no texture or surface reference", module.bind, "other", Texture(out))
    raises(TypeError, "texunit.Texture", module.bind, "picture", Surface(out))


def test_variables_and_printf():
    module = Module(ptx.SPEAK)
    assert module.variables == {"count": 4, "step": 4, "text": 14}
    assert module["speak"][1, 3]().printf == "thread 0!!!\nthread 1!!!\nthread 2!!!\n"
    assert module.read("count", "uint32").tolist() == [9]
    module.write("step", numpy.array([10], "uint32"))
    module["speak"][1, 2]()
    assert module.read("count", "uint32").tolist() == [29]
    module.write("text", numpy.frombuffer(b"x", "uint8"), offset=5)
    assert module["speak"][1, 1]().printf.startswith("threax 0")
    raises(KeyError, "available: count, step, text", module.read, "none")
    raises(KeyError, "no variable", module.write, "none", numpy.zeros(1))
    raises(ValueError, "do not fit", module.write, "step", numpy.zeros(2, "uint32"))
    raises(TypeError, "an array is expected", module.write, "step", 1)
    raises(ValueError, "offset: -4 is not from 0", module.write, "step", numpy.zeros(1, "uint32"), -4)
    assert module["speak"][1, 64](printf_limit=0).printf == "[texunit: older printf output was dropped]\n"


def test_a_fault_has_all_fields(scale):
    values = numpy.ones(8, F32)
    fault = raises(texunit.KernelFault, "out of bounds", scale[1, 32], values, 2.0, 32)
    assert (fault.kind, fault.kernel, fault.cta, fault.thread) == ("out-of-bounds", "scale", (0, 0, 0), (8, 0, 0))
    assert (fault.access, fault.space, fault.size) == ("load", ".global", 4)
    assert fault.object.startswith("`values` (32 bytes") and fault.allocation > 0 and fault.address % 4 == 0
    assert fault.file == "module.ptx" and fault.line == fault.ptx_line and fault.ptx_text == "ld.global.f32 %f2, [%rd2];"
    assert fault.function == "scale" and fault.frames == [] and fault.limit is None and fault.handle is None
    assert "`bounds=\"hardware\"` lets such accesses pass" in fault.help
    assert fault.counters.warp_instructions > 0 and fault.to_dict()["kind"] == "out-of-bounds"
    assert "ld.global.f32" in str(fault) and "-->" in str(fault)
    again = pickle.loads(pickle.dumps(fault))
    assert str(again) == str(fault) and again.thread == fault.thread and again.counters == fault.counters
    result = scale[1, 32](values, 2.0, 32, bounds="hardware")
    assert result.counters.accesses_past_end == 48
    raises(ValueError, "exact or hardware", scale[1, 1], values, 1, 1, bounds="soft")


def test_arrays_hold_what_a_fault_has_left():
    module = Module(
        ptx.HEADER
        + ".visible .entry k(.param .u64 out) { .reg .b64 %rd1; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 5; trap; }"
    )
    out = numpy.zeros(2, "uint32")
    assert raises(texunit.KernelFault, "trap", module["k"][1, 1], out).kind == "trap"
    assert out.tolist() == [5, 0]


def test_steps_and_time_have_limits():
    forever = Module(ptx.FOREVER)["forever"]
    out = numpy.zeros(1, "uint32")
    fault = raises(texunit.KernelFault, "infinite loop", forever[1, 1], out, max_steps=1000)
    assert (fault.kind, fault.limit) == ("step-limit", 1000)
    start = time.monotonic()
    fault = raises(texunit.LaunchTimeout, "cancelled", forever[1, 1], out, timeout=0.2, max_steps=1 << 60)
    assert isinstance(fault, TimeoutError) and isinstance(fault, texunit.KernelFault) and fault.kind == "cancelled"
    assert 0.2 <= time.monotonic() - start < 30 and out[0] > 0
    assert isinstance(pickle.loads(pickle.dumps(fault)), texunit.LaunchTimeout)
    raises(ValueError, "more than 0", forever[1, 1], out, timeout=0)
    raises(ValueError, "max_steps: 0", forever[1, 1], out, max_steps=0)
    raises(TypeError, "max_steps: an integer", forever[1, 1], out, max_steps=1.5)
    raises(ValueError, "threads: 5000", forever[1, 1], out, threads=5000)


@pytest.fixture
def interruptible():
    """Shells start what runs in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_cancels_the_launch(interruptible):
    forever = Module(ptx.FOREVER)["forever"]
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        forever[1, 1](numpy.zeros(1, "uint32"), max_steps=1 << 60)
    assert time.monotonic() - start < 30
    timer.join()


def test_other_threads_run_meanwhile():
    forever = Module(ptx.FOREVER)["forever"]
    counted = []

    def count():
        while not counted or counted[-1] != "end":
            counted.append(len(counted))
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    with pytest.raises(texunit.LaunchTimeout):
        forever[1, 1](numpy.zeros(1, "uint32"), timeout=0.3, max_steps=1 << 60)
    during = len(counted)
    counted.append("end")
    thread.join()
    assert during > 5


def test_launches_from_many_threads(scale):
    results = [numpy.ones(10_000, F32) for _ in range(8)]
    threads = [threading.Thread(target=scale[313, 32], args=(result, 3.0, 10_000)) for result in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((result == 3 + numpy.arange(10_000, dtype=F32)).all() for result in results)


def test_progress(scale):
    seen = []
    scale[64, 32](numpy.zeros(2048, F32), 1.0, 2048, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (64, 64)

    class Bar:
        n, total = 0, None

        def update(self, more):
            self.n += more

    bar = Bar()
    scale[64, 32](numpy.zeros(2048, F32), 1.0, 2048, progress=bar)
    assert (bar.n, bar.total) == (64, 64)
    raises(TypeError, "progress", scale[1, 1], numpy.zeros(1, F32), 1.0, 1, progress=3)

    def stop(done, total):
        raise InterruptedError("enough")

    raises(InterruptedError, "enough", scale[1, 1], numpy.zeros(1, F32), 1.0, 1, progress=stop)
    texture, parts = Texture(numpy.zeros((4, 4), F32)), []
    xy = numpy.zeros((3_000_000, 2), F32)
    texture.sample(xy, progress=lambda done, total: parts.append((done, total)))
    assert parts == [(1 << 20, 3_000_000), (1 << 21, 3_000_000), (3_000_000, 3_000_000)]
    raises(InterruptedError, "enough", texture.sample, xy, progress=stop)


def test_findings():
    kernel = Module(ptx.RACE)["race"]
    out = numpy.zeros(1, "uint32")
    # One thread: which accesses of two CTAs meet first, and so what comes first, is then the same in all launches.
    result = kernel[2, 32](out, checks="race", threads=1)
    assert {finding.check for finding in result.findings} == {"race"} and result.findings_suppressed == 0
    first = result.findings[0]
    assert first.kind.startswith("race-") and first.kernel == "race" and first.count >= 1 and first.object
    assert first.file == "module.ptx" and first.line == first.ptx_line and first.related and first.related[0].ptx_line
    assert first.message and str(first).startswith("error[race-") and len(first.cta) == len(first.thread) == 3
    assert kernel[2, 32](out).findings == [] and kernel[2, 32](out, checks=["race", "sync"]).findings
    assert Module(ptx.RACE, checks="race")["race"][2, 32](out).findings
    assert kernel[2, 32](out, checks="race", max_findings=0).findings_not_shown > 0
    raises(ValueError, "unknown check `races`", kernel[1, 1], out, checks="races")


def test_suppressions(tmp_path):
    kernel = Module(ptx.RACE)["race"]
    out = numpy.zeros(1, "uint32")
    # One thread: which accesses of two CTAs meet first, and so what is told, is then the same in both launches.
    findings = kernel[2, 32](out, checks="race", threads=1).findings
    file = tmp_path / "known"
    file.write_text("\n".join(finding.suppression for finding in findings))
    result = kernel[2, 32](out, checks="race", threads=1, suppressions=[file])
    assert result.findings == [] and result.findings_suppressed > 0
    raises(ValueError, "suppressions: ", kernel[1, 1], out, checks="race", suppressions=[tmp_path / "none"])


def test_init_needs_a_module_that_keeps_track():
    out = numpy.zeros(32, "uint32")
    raises(ValueError, 'checks="init"', Module(ptx.UNWRITTEN)["unwritten"][1, 32], out, checks="init")
    kernel = Module(ptx.UNWRITTEN, checks=["init"])["unwritten"]
    (finding,) = kernel[1, 32](out, init="load").findings
    assert finding.check == "init" and "ld.shared" in str(finding)
    raises(ValueError, "expected `use` or `load`", kernel[1, 1], out, init="never")


def test_coverage(scale, tmp_path):
    sum_ = texunit.Coverage()
    values = numpy.zeros(32, F32)
    one = scale[1, 32](values, 1.0, 16, coverage=sum_).coverage
    assert one is sum_
    (name,) = sum_.files
    assert name == "module.ptx"
    file = sum_.files[name]
    assert file["functions"]["scale"][1] == 32
    ((line, ways),) = file["branches"]
    assert sorted(ways) == [16, 16] and file["lines"][line] == 32
    scale[1, 32](values, 1.0, 16, coverage=sum_)
    assert sum_.files[name]["functions"]["scale"][1] == 64
    raises(TypeError, "coverage: True or", scale[1, 32], values, 1.0, 32, coverage=5)
    other = scale[1, 32](values, 1.0, 32, coverage=True).coverage
    assert (sum_ + other).files[name]["functions"]["scale"][1] == 96
    assert "FNDA:64,scale" in sum_.lcov() and "lines" in repr(sum_)
    sum_.save(tmp_path / "lcov.info")
    assert (tmp_path / "lcov.info").read_text() == sum_.lcov()
    assert pickle.loads(pickle.dumps(sum_)).files[name]["lines"] == file["lines"] | sum_.files[name]["lines"]
    raises(ValueError, "not a record", texunit.Coverage.parse, "nothing")


def test_modules(tmp_path):
    file = tmp_path / "k.ptx"
    file.write_text(ptx.SCALE)
    module = Module(file)
    assert module.kernels == ["scale"] == list(module) and len(module) == 1 and module.warnings == []
    assert "k.ptx" in repr(module) and "scale" in repr(module["scale"]) and "(1, 1, 1)" in repr(module["scale"][1, 2])
    assert Module(ptx.SCALE.encode() + b"\0", name="other")["scale"].attributes["max_threads_per_block"] == 1024
    raises(KeyError, "no kernel other; available: scale", lambda: module["other"])
    raises(ValueError, "pathlib.Path", Module, str(file))
    raises(TypeError, "its text", Module, 5)
    raises(FileNotFoundError, "none.ptx", Module, pathlib.Path(tmp_path / "none.ptx"))
    raises(ValueError, "arch", Module, ptx.SCALE, arch="sm_x")
    with pytest.raises(ValueError, match="the device has left"):
        Module(ptx.SCALE, memory_limit=1 << 20)["scale"][1, 1](numpy.zeros(1 << 20, F32), 1.0, 1)


def test_names_of_the_source():
    def entry(name):
        return f".visible .entry {name}() {{ ret; }}\n"

    module = Module(ptx.HEADER + entry("_Z4blurPfi") + entry("_Z5twiceIfEvPT_") + entry("_Z5twiceIdEvPT_"))
    assert module["blur"].name == "_Z4blurPfi" and module["blur(float*, int)"].name == "_Z4blurPfi"
    assert module["twice<float>"].name == "_Z5twiceIfEvPT_"
    raises(KeyError, "several kernels are called twice: _Z5twiceIfEvPT_ (twice<float>(float*)), ", lambda: module["twice"])
    raises(KeyError, "available: _Z4blurPfi (blur(float*, int)), _Z5twiceIfEvPT_ (", lambda: module["thrice"])
    raises(TypeError, "blur(float*, int) takes 0 arguments", module["blur"][1, 1], 5)


def test_names_of_the_source_in_faults():
    name = "_Z3putPf"
    module = Module(ptx.SCALE.replace("scale(", f"{name}(").replace("values", f"{name}_param_0"))
    values = numpy.zeros(8, F32)
    fault = raises(texunit.KernelFault, "parameter 0 of put(float*)", module["put"][1, 32], values, 1, 32)
    shown = str(fault).replace(f"[{name}_param_0]", "")
    assert name not in shown and fault.object.startswith("`parameter 0 of put(float*)` (32 bytes")
    assert fault.to_dict()["kernel"] == name and fault.to_dict()["function"] == "put(float*)"
    raises(TypeError, ".u64 parameter 0 of put(float*): str 'x'", module["put"][1, 1], "x", 1, 1)


def accesses(*instructions):
    """A kernel with loads through a pointer."""
    loads = "\n".join(f"ld.global.{load}, [%rd1];" for load in instructions)
    return Module(
        f"{ptx.HEADER}.visible .entry k(.param .u64 a) {{ .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>; .reg .f64 %d<3>; "
        f".reg .b16 %h<3>;\nld.param.u64 %rd1, [a];\n{loads}\nret; }}"
    )["k"][1, 1]


def test_items_of_another_size(scale):
    words = ".u64 values: the kernel has .f32 there, items of 4 bytes, and the array is of float64, of 8: pass `a.astype('float32')`"
    raises(TypeError, words, scale[1, 4], numpy.zeros(8), 1, 8)
    raises(TypeError, "`a.view('uint8')`", scale[1, 4], numpy.zeros(8, "int64"), 1, 8)
    raises(TypeError, "of int16, of 2", scale[1, 4], numpy.zeros(8, "int16"), 1, 8)
    assert scale.params[0].elements == [("f32", 4, 1)] and not scale.params[1].elements
    structure = numpy.zeros(8, [("x", "f8"), ("y", "f4")])
    for fine in (numpy.zeros(8, "int32"), numpy.zeros(32, "uint8"), numpy.zeros(4, "complex64"), structure, bytearray(32)):
        scale[1, 4](fine, 1, 4)
    # Several numbers at once, by types that say no more than a size.
    accesses("b32 %r1")(numpy.zeros(2, "int16"))
    accesses("u32 %r1")(numpy.zeros(2, "float16"))
    accesses("v2.f32 {%f1, %f2}")(numpy.zeros(1, "uint64"))
    accesses("f64 %d1", "u16 %h1")(numpy.zeros(2, F32))
    raises(TypeError, ".f32", accesses("v2.f32 {%f1, %f2}"), numpy.zeros(1))
    raises(TypeError, "items of 8 bytes", accesses("f64 %d1"), numpy.zeros(2, F32))
    raises(TypeError, "items of 4 bytes", accesses("b32 %r1"), numpy.zeros(1))
    # Nothing is known of a pointer that is not used.
    accesses()(numpy.zeros(1))


def test_mistakes_in_ptx():
    error = raises(texunit.PtxError, "E0", Module, ptx.SCALE.replace("mov.u32 %r2", "mov.u33 %r2"))
    (wrong,) = error.diagnostics
    assert wrong.is_error and wrong.file == "module.ptx" and wrong.line == 14 and wrong.code.startswith("E")
    assert wrong.end_column > wrong.column and "mov.u33" in str(wrong)
    assert pickle.loads(pickle.dumps(error)).diagnostics == error.diagnostics


def test_what_is_not_executed():
    module = Module(
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k() { wgmma.fence.sync.aligned; wgmma.commit_group.sync.aligned; ret; }\n"
    )
    error = raises(texunit.PtxError, "wgmma", module["k"][1, 128])
    assert all(each.is_error for each in error.diagnostics)


def test_check():
    assert texunit.check(ptx.SCALE) == []
    found = texunit.check(ptx.SCALE.replace("ld.param.u32 %r1, [n];", "ld.param.u32 %r1, [m];"), name="k.ptx")
    assert found[0].severity == "error" and found[0].file == "k.ptx" and found[0].line == 13
    unused = ptx.SCALE.replace("    ret;", "    ret;\n    add.u32 %r1, %r1, 1;")
    (warning,) = [each for each in texunit.check(unused) if not each.is_error][:1]
    assert warning.severity == "warning"
    assert not [each for each in texunit.check(unused, allow=[warning.code]) if each.code == warning.code]
    assert texunit.check(unused, deny=[warning.code])[0].is_error
    assert texunit.check(ptx.SCALE, target="sm_90", version="8.5", arch="sm_90") == []
    assert texunit.check(ptx.SCALE, ptxas="12.9") == [] == texunit.check(ptx.SCALE, ptxas="oldest")
    raises(ValueError, "sm_75", texunit.check, ptx.SCALE, target="75")
    raises(ValueError, "8.8", texunit.check, ptx.SCALE, version="eight")
    raises(ValueError, "release of ptxas", texunit.check, ptx.SCALE, ptxas="1.0")
    raises(ValueError, "E9999", texunit.check, ptx.SCALE, deny=["E9999"])
    fixable = texunit.check(ptx.SCALE.replace("fma.rn.f32", "fma.f32"))
    assert fixable[0].help or fixable[0].fix


def test_compile_without_its_library(monkeypatch):
    from texunit import _nvrtc

    monkeypatch.setattr(_nvrtc, "_library", _nvrtc._library.__wrapped__)
    monkeypatch.setenv("TEXUNIT_NVRTC", "/nowhere/libnvrtc.so")
    raises(ImportError, "pip install nvidia-cuda-nvrtc", texunit.compile, "")
    raises(TypeError, "a text", texunit.compile, b"")
