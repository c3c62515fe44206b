"""Work in parts on several processes: the same bytes as in one piece, or an error that says the line."""

import json
import os
import pickle
import random
import signal
import subprocess
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
import texunit
from texunit import distributed

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "tests/distributed/kernels.ptx"
SCHEMA = ROOT / "crates/observe/evidence/schemas/report.schema.json"

try:
    texunit.path()
except FileNotFoundError:
    pytestmark = pytest.mark.skip("the package has no program")

HEADER = ".version 7.5\n.target sm_75\n.address_size 64\n"

# to[i] = from[i] * factor + number of the CTA
SCALE = (
    HEADER
    + """
.visible .entry scale(.param .u64 to, .param .u64 from, .param .f32 factor, .param .u32 add) {
    .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .f32 %f<4>;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; ld.param.f32 %f1, [factor]; ld.param.u32 %r5, [add];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 4; add.u64 %rd1, %rd1, %rd3; add.u64 %rd2, %rd2, %rd3;
    ld.global.f32 %f2, [%rd2]; add.u32 %r1, %r1, %r5; cvt.rn.f32.u32 %f3, %r1;
    fma.rn.f32 %f2, %f2, %f1, %f3; st.global.f32 [%rd1], %f2; ret;
}
"""
)

# What CTAs must not share: each ends with the line that is named.
PLANTED = {
    "flag": ("ld.volatile.global.u32 %r4, [%rd1]; // here", "st.volatile.global.u32 [%rd1], %r1;"),
    "histogram": ("atom.global.add.u32 %r4, [%rd1], 1; // here", "st.global.u32 [%rd2], %r4;"),
    "look-back": ("ld.acquire.gpu.global.u32 %r4, [%rd2+-4]; // here", "st.release.gpu.global.u32 [%rd2], %r1;"),
    "clock": ("mov.u32 %r4, %clock; // here", "st.global.u32 [%rd2], %r4;"),
}


def planted(name):
    body = "\n    ".join(PLANTED[name])
    return f"""{HEADER}
.visible .entry planted(.param .u64 data) {{
    .reg .b32 %r<6>; .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; add.u32 %r1, %r1, 1;
    mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd1, %rd3;
    {body}
    ret;
}}
"""


@pytest.fixture(scope="module")
def pool():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


def points(count=5000):
    return np.random.default_rng(1).uniform(-2, 3, (count, 2)).astype(np.float32)


def textures():
    texels = np.random.default_rng(2).integers(0, 256, (6, 16, 16, 4), dtype=np.uint8)
    linear = {"filter": "linear", "read": "normalized", "normalized_coords": True}
    yield texunit.Texture(texels[0], **linear, address=("wrap", "mirror"))
    yield texunit.Texture(texels[0], **linear, mipmaps=True, mip_filter="linear", max_level=2.5)
    yield texunit.Texture(texels[0, :, :, 0].astype(np.float32), filter="linear", address="border", border=(3, 0, 0, 0))
    yield texunit.Texture(texels[0, :1, :1], **linear)
    yield texunit.Texture(texels[0, :1, :1, 0])
    yield texunit.Texture(texels[0], **linear, mipmaps=1)
    yield texunit.Texture(texels[0].reshape(8, 16, 8), format="bc1", normalized_coords=True, filter="linear")


@pytest.mark.parametrize("number", range(7))
def test_pickles(number):
    tex = list(textures())[number]
    other = pickle.loads(pickle.dumps(tex))
    assert repr(other) == repr(tex)
    assert other.effective == tex.effective
    assert [level.tobytes() for level in other.levels] == [level.tobytes() for level in tex.levels]
    assert other.sample(points()).tobytes() == tex.sample(points()).tobytes()


def test_pickles_of_other_shapes():
    texels = np.arange(6 * 4 * 4, dtype=np.float32).reshape(6, 4, 4)
    for keywords in ({"dim": 3}, {"layered": True}, {"cube": True}):
        tex = texunit.Texture(texels, **keywords, normalized_coords=True)
        other = pickle.loads(pickle.dumps(tex))
        assert (other.geometry, repr(other)) == (tex.geometry, repr(tex))
        assert other.levels[0].tobytes() == tex.levels[0].tobytes()
        at, more = np.full((9, 2 if tex.geometry == "a2d" else 3), 0.4, np.float32), {}
        if tex.geometry == "a2d":
            more["layer"] = 2
        assert other.sample(at, **more).tobytes() == tex.sample(at, **more).tobytes()


def test_samples(pool):
    for tex in textures():
        assert distributed.sample(tex, points(), pool).tobytes() == tex.sample(points()).tobytes()
    tex = next(textures())
    at = points().reshape(50, 100, 2)
    assert np.array_equal(distributed.sample(tex, at, pool, workers=1, parts=7), tex.sample(at))
    assert distributed.sample(tex, at[:0], pool).shape == (0, 100, 4)
    with pytest.raises(TypeError, match="out"):
        distributed.sample(tex, at, pool, out=np.empty(0))
    with pytest.raises(ValueError, match="workers"):
        distributed.sample(tex, at, pool, workers=0)


def test_operands_that_are_arrays(pool):
    """They are split with the coordinates, however they broadcast."""
    rng = np.random.default_rng(6)
    texels = rng.integers(0, 256, (5, 16, 16, 4), dtype=np.uint8)
    linear = {"filter": "linear", "read": "normalized", "normalized_coords": True}
    mipmapped = texunit.Texture(texels[0], **linear, mipmaps=True, mip_filter="linear")
    layers = texunit.Texture(texels, **linear, layered=True)
    depth = texunit.Texture(texels[0, :, :, 0].astype(np.float32), filter="linear", normalized_coords=True, compare="less")
    line = texunit.Texture(texels[0, 0], **linear, dim=1, mipmaps=True)
    at = rng.random((40, 25, 2), dtype=np.float32)

    def floats(*shape):
        return rng.random(shape, dtype=np.float32) * 3

    small = floats(40, 25, 2) / 50
    for tex, xy, keywords in [
        (mipmapped, at, {"lod": floats(40, 25)}),
        (mipmapped, at, {"lod": floats(25)}),
        (mipmapped, at, {"lod": floats(40, 1)}),
        (mipmapped, at[:1], {"lod": floats(40, 25)}),
        (mipmapped, at, {"lod": floats(3, 40, 25)}),
        (mipmapped, at, {"grad": (small, (0.02, small[..., 1]))}),
        (mipmapped, at, {"offset": rng.integers(-8, 8, (40, 25, 2)), "lod": 1.5}),
        (mipmapped, at, {"offset": (rng.integers(-8, 8, 25), 3)}),
        (mipmapped, (at[..., 0], at[:, :1, 1]), {"lod": [0.5, 1.0, 1.5, 2.0, 2.5] * 5}),
        (mipmapped, (0.25, 0.75), {"lod": floats(31)}),
        (mipmapped, (0.25, 0.75), {}),
        (layers, at, {"layer": rng.integers(0, 5, (40, 25))}),
        (layers, at, {"layer": rng.integers(0, 5, (40, 1)), "dtype": "float16"}),
        (depth, at, {"compare": floats(40, 25) * 85}),
        (line, at[..., 0], {"lod": floats(40, 25), "offset": rng.integers(-8, 8, (40, 25))}),
        (line, at[..., 0], {"grad": (small[..., 0], small[:1, :, 1])}),
    ]:
        whole = tex.sample(xy, **keywords)
        parts = distributed.sample(tex, xy, pool, parts=3, **keywords)
        assert parts.shape == whole.shape and parts.dtype == whole.dtype, keywords
        assert parts.tobytes() == whole.tobytes(), keywords
    for error, keywords in [
        (ValueError, {"lod": floats(7)}),
        (TypeError, {"lod": floats(40, 25), "grad": (small, small)}),
        (TypeError, {"grad": small}),
        (TypeError, {"offset": floats(40, 25, 2)}),
    ]:
        with pytest.raises(error):
            distributed.sample(mipmapped, at, pool, **keywords)


def test_nothing_is_left(pool, tmp_path):
    tex = next(textures())
    distributed.sample(tex, points(), pool, folder=tmp_path)
    with pytest.raises(TypeError):
        distributed.sample(tex, points(), pool, folder=tmp_path, no_such_keyword=1)
    assert list(tmp_path.iterdir()) == []


def scaled(executor, ctas=37, **options):
    start = np.random.default_rng(3).random(ctas * 32, dtype=np.float32)
    start.flags.writeable = False
    to = np.zeros_like(start)
    done = distributed.launch((SCALE, "scale"), ctas, 32, [to, start, 1.5, np.uint32(7)], executor, **options)
    ctas = (np.arange(start.size) // 32 + 7).astype(np.float64)
    assert np.array_equal(to, (start.astype(np.float64) * 1.5 + ctas).astype(np.float32))
    return done


def test_launches(pool):
    done = scaled(pool)
    assert len(done.ranges) == 6 and done.ranges[0][0] == 0 and done.ranges[-1][1] == 37
    assert done.bytes_moved > 37 * 32 * 4
    assert scaled(pool, ctas=1).ranges == [(0, 1)]


def kill_once(marker):
    """The first worker that comes here dies before its task."""
    try:
        os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Killing:
    """A texture's stand-in that kills the worker which unpacks it first."""

    def __init__(self, tex, marker):
        self.tex, self.marker, self.geometry = tex, marker, tex.geometry

    def __setstate__(self, state):
        self.__dict__.update(state)
        kill_once(self.marker)

    def sample(self, *arguments, **keywords):
        return self.tex.sample(*arguments, **keywords)


def test_a_worker_is_killed(tmp_path):
    tex, marker = next(textures()), tmp_path / "killed"
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        found = distributed.sample(Killing(tex, marker), points(), pool)
    assert marker.exists() and found.tobytes() == tex.sample(points()).tobytes()


def test_a_worker_is_killed_in_a_launch(tmp_path):
    marker = tmp_path / "killed"

    def pool():
        # Its initializer kills a worker of the first pool.
        return ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=kill_once, initargs=(marker,))

    scaled(pool)
    assert marker.exists()


@pytest.mark.parametrize("name", PLANTED)
def test_planted_dependences(name, pool):
    ptx, data = planted(name), np.zeros(64, np.uint32)
    with pytest.raises(distributed.RefusedError) as refused:
        distributed.launch((ptx, "planted"), 32, 1, [data], pool)
    assert refused.value.code == ("E0630" if name == "clock" else "E0631")
    lines = {n for n, line in enumerate(ptx.splitlines(), 1) if line.strip() in PLANTED[name]}
    assert refused.value.line in lines, str(refused.value)
    assert f":{refused.value.line}: error[E063" in str(refused.value)
    assert not data.any()


def statement(draw, number):
    """Loads, stores and reductions of words of the CTA, its neighbour or all."""
    place = draw.choice(["own", "own", "own", "next", "all"])
    address = {"own": "%rd2", "next": "%rd3", "all": "%rd1"}[place] + f"+{4 * draw.randrange(2)}"
    return draw.choice(
        [
            f"ld.global.u32 %r2, [{address}];",
            f"st.global.u32 [{address}], %r2;",
            f"red.global.add.u32 [{address}], {number + 1};",
            f"red.global.max.u32 [{address}], %r1;",
            f"atom.global.add.u32 %r2, [{address}], %r1;",
        ]
    )


def test_random_kernels():
    draw, merged, refused = random.Random(20261124), 0, 0
    with ThreadPoolExecutor(2) as pool:
        for _ in range(30):
            body = "\n".join(statement(draw, n) for n in range(draw.randrange(1, 5)))
            ptx = f"""{HEADER}.visible .entry k(.param .u64 data) {{
                .reg .b32 %r<4>; .reg .b64 %rd<5>;
                ld.param.u64 %rd1, [data]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 3;
                mul.wide.u32 %rd4, %r1, 8; add.u64 %rd2, %rd1, %rd4; add.u64 %rd2, %rd2, 8; add.u64 %rd3, %rd2, 8;
                {body}
                st.global.u32 [%rd2], %r2;
                ret; }}"""
            start = np.arange(32, dtype=np.uint32)
            whole, parts = start.copy(), start.copy()
            distributed.launch((ptx, "k"), 8, 1, [whole], pool, workers=1, parts=1)
            try:
                distributed.launch((ptx, "k"), 8, 1, [parts], pool, workers=1, parts=draw.randrange(2, 6))
                merged += 1
                assert parts.tobytes() == whole.tobytes(), ptx
            except distributed.RefusedError as error:
                refused += 1
                assert error.code == "E0631" and np.array_equal(parts, start)
    assert merged >= 5 and refused >= 5


def test_printf_comes_in_the_order_of_ctas(pool):
    ptx = f"""{HEADER}
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 text[4] = {{37, 117, 10, 0}};
.visible .entry say() {{
    .local .align 8 .b8 stack[8]; .reg .b32 %r<3>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x; mov.u64 %rd1, stack; st.local.u32 [%rd1], %r1; cvta.local.u64 %rd1, %rd1;
    mov.u64 %rd2, text; cvta.global.u64 %rd2, %rd2;
    {{ .param .b64 f; .param .b64 a; .param .b32 r;
      st.param.b64 [f], %rd2; st.param.b64 [a], %rd1; call.uni (r), vprintf, (f, a); }}
    ret;
}}"""
    done = distributed.launch((ptx, "say"), (4, 5), 1, [], pool)
    assert done.printf.split() == [str(x) for _ in range(5) for x in range(4)]


FETCHES = (
    HEADER
    + """
.visible .entry fetches(.param .u64 to, .param .u64 from, .param .u64 canvas) {
    .reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .f32 %f<8>;
    ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from]; ld.param.u64 %rd5, [canvas];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r1, 32, %r2;
    cvt.rn.f32.u32 %f1, %r2; cvt.rn.f32.u32 %f2, %r1; mul.f32 %f1, %f1, 0f3cb00000; mul.f32 %f2, %f2, 0f3d300000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];
    mul.wide.u32 %rd3, %r3, 16; add.u64 %rd1, %rd1, %rd3; st.global.v4.f32 [%rd1], {%f3, %f4, %f5, %f6};
    shl.b32 %r4, %r2, 2; suld.b.2d.b32.trap {%r5}, [%rd5, {%r4, %r1}]; add.u32 %r5, %r5, %r3;
    sust.b.2d.b32.trap [%rd5, {%r4, %r1}], {%r5}; ret;
}
"""
)


def test_textures_and_surfaces(pool):
    """As arguments: each kind of state as the texture has it, and what is stored is written back."""
    column = np.arange(24)
    at = np.stack(np.meshgrid(np.arange(32), column), -1).astype(np.float32) * np.float32([0.021484375, 0.04296875])
    canvas = np.random.default_rng(8).integers(0, 1 << 20, (24, 32), dtype=np.uint32)
    given = [tex for tex in textures() if tex.geometry == "2d"]
    given.append(texunit.Texture(np.full((4, 4, 4), np.nan, np.float32), address="border", border=(1, -0.0, 3, np.inf), bias=-0.5))
    for tex in given:
        channels = tex.sample(at[0, 0]).size
        to, surface = np.zeros((24, 32, 4), np.float32), texunit.Surface(canvas)
        done = distributed.launch((FETCHES, "fetches"), 24, 32, [to, tex, surface], pool)
        assert done.report["fetches"] == 24 * 32 and len(done.ranges) == 6
        expected = tex.sample(at).reshape(24, 32, channels)
        if expected.dtype == np.uint8:
            expected = expected.astype(np.uint32).view(np.float32)
        assert to[..., :channels].tobytes() == expected.tobytes(), tex
        assert np.array_equal(surface.to_array(), canvas + np.arange(24 * 32, dtype=np.uint32).reshape(24, 32))


def test_surfaces_are_as_they_were(pool):
    """CTAs of other ranges write to the same texels: nothing is written back."""
    ptx = FETCHES.replace("{%r4, %r1}], {%r5}; ret", "{%r4, 0}], {%r5}; ret")
    to, surface = np.zeros((24, 32, 4), np.float32), texunit.Surface(np.ones((24, 32), np.uint32))
    with pytest.raises(distributed.RefusedError, match="E0631"):
        distributed.launch((ptx, "fetches"), 24, 32, [to, next(textures()), surface], pool)
    assert not to.any() and (surface.to_array() == 1).all()


@pytest.mark.parametrize(
    "keywords",
    [{"dim": 3}, {"layered": True}, {"cube": True}, {"multisample": True}, {"dim": 1, "layered": True}, {"mipmaps": True}],
)
def test_jobs_of_textures(keywords, tmp_path):
    """The keys and texels that a texture becomes: a job of any kernel with them is read."""
    from texunit._texunit import texture_job

    shapes = {"cube": (6, 8, 8), "multisample": (4, 8, 8), "mipmaps": (8, 8), "layered": (5, 8, 8), "dim": (5, 8)}
    shape = (5, 8, 8) if keywords == {"dim": 3} else shapes[next(iter(keywords))]
    tex = texunit.Texture(np.random.default_rng(1).random(shape, dtype=np.float32), **keywords)
    keys, texels = texture_job(tex)
    (tmp_path / "t.bin").write_bytes(texels)
    (tmp_path / "k.ptx").write_text(HEADER + ".visible .entry k(.param .u64 t) { ret; }\n")
    job = tmp_path / "job.toml"
    job.write_text(
        'ptx = "k.ptx"\nkernel = "k"\ngrid = 1\nblock = 1\n[params.t]\ntexture = { file = "t.bin", ' + keys + " }\n"
    )
    done = subprocess.run([texunit.path(), "launch", job, "--out", tmp_path / "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert sum(level.nbytes for level in tex.levels) == len(texels)


class Kernel:
    """What is known of a kernel of a module."""

    def __init__(self, ptx, name):
        self.ptx, self.name = ptx, name


def test_kernels_of_modules(pool):
    start, to = np.ones(64, np.float32), np.zeros(64, np.float32)
    distributed.launch(Kernel(SCALE, "scale"), 2, 32, [to, start, 2.0, 0], pool)
    assert (to == np.repeat([2, 3], 32)).all()
    module = texunit.Module(SCALE)
    assert module["scale"].ptx == SCALE
    distributed.launch(module["scale"], 2, 32, [to, start, 4.0, 0], pool)
    assert (to == np.repeat([4, 5], 32)).all()
    for wrong in ["scale", Kernel(SCALE, None), Kernel(None, "scale"), (SCALE,)]:
        with pytest.raises(TypeError, match="kernel: "):
            distributed.launch(wrong, 2, 32, [to, start, 2.0, 0], pool)


def test_faults_and_wrong_arguments(pool):
    trap = HEADER + ".visible .entry stop() {\n trap;\n ret; }\n"
    with pytest.raises(texunit.KernelFault, match="^kernel.ptx:5: trap: ") as fault:
        distributed.launch((trap, "stop"), 4, 32, [], pool)
    # Not the path of a worker.
    assert (fault.value.file, fault.value.line, fault.value.kind) == ("kernel.ptx", 5, "trap")
    assert fault.value.function == "stop" and fault.value.counters.warp_instructions > 0
    short, faults = np.ones(72, np.float32), []
    for count in ({"workers": 1, "parts": 1}, {"workers": 2, "parts": 2}):
        with pytest.raises(texunit.KernelFault, match="^kernel.ptx:10: out-of-bounds: ") as fault:
            distributed.launch((SCALE, "scale"), 4, 32, [short, short, 1.0, 1], pool, **count)
        faults.append(fault.value.to_dict())
    assert faults[0] == faults[1] and faults[0]["cta"] == [2, 0, 0] and faults[0]["thread"] == [8, 0, 0]
    assert (short == 1).all()
    tex = next(textures())
    wrong = """.visible .entry wrong(.param .u64 t) {
        .reg .b64 %t; .reg .f32 %f<4>; ld.param.u64 %t, [t];
        tex.cube.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f0, %f0, %f0, %f0}]; ret; }
"""
    with pytest.raises(texunit.KernelFault, match="^kernel.ptx:6: texture: "):
        distributed.launch((HEADER + wrong, "wrong"), 4, 32, [tex], pool)
    with pytest.raises(distributed.RefusedError, match=r"error\[texture-bad-fetch\]: "):
        distributed.launch((HEADER + wrong, "wrong"), 4, 32, [tex], pool, options=["--bad-fetch=zero"])
    for error, arguments in [
        (TypeError, [short]),
        (TypeError, [short, short, "1", 1]),
        (TypeError, [short, short, 1.0, 1.0]),
        (ValueError, [short, short, 1.0, 1 << 32]),
        (TypeError, [short, short, 1.0, short]),
        (TypeError, [short, short, tex, 1]),
        (TypeError, [short, short, 1.0, texunit.Surface(short.reshape(8, 9))]),
    ]:
        with pytest.raises(error, match="args"):
            distributed.launch((SCALE, "scale"), 1, 32, arguments, pool)
    with pytest.raises(ValueError, match="no .entry other"):
        distributed.launch((SCALE, "other"), 1, 1, [], pool)


def test_jobs(pool, tmp_path):
    (tmp_path / "kernels.ptx").write_bytes(KERNELS.read_bytes())
    np.arange(2048, dtype=np.uint32).tofile(tmp_path / "random.raw")
    job = tmp_path / "job.toml"
    job.write_text(
        'ptx = "kernels.ptx"\nkernel = "histogram"\ngrid = 8\nblock = 32\n[params.to]\nbuffer = { zeros = 8192 }\n'
        'output = { file = "to.raw" }\n[params.from]\nbuffer = { file = "random.raw" }\n'
    )
    one, many = tmp_path / "one", tmp_path / "many"
    distributed.launch_job(job, pool, out=one, workers=1, parts=1)
    done = distributed.launch_job(job, pool, out=many)
    assert len(done.ranges) == 6
    assert (one / "to.raw").read_bytes() == (many / "to.raw").read_bytes() != bytes(8192)

    wrong = tmp_path / "wrong.toml"
    wrong.write_text(job.read_text().replace('"histogram"', '"none"'))
    suite = distributed.run([str(job), str(wrong)], pool)
    assert [program.returncode for program in suite.programs] == [0, 1] and suite.failed == suite.programs[1:]
    assert suite.programs[0].report["succeeded"]
    assert 'tests="2" failures="1"' in suite.junit
    fault = tmp_path / "fault.toml"
    fault.write_text(job.read_text().replace("zeros = 8192", "zeros = 16"))
    merged = distributed.run([str(job), str(wrong), str(job), fault], pool).report
    assert [run["exit_code"] for run in merged["runs"]] == [0, 1, 0, 1]
    assert "none" in merged["runs"][1]["not_executed"] and merged["runs"][3]["command"] == [str(fault)]
    one = suite.programs[0].report
    first = next(kernel for kernel in merged["kernels"] if kernel["name"] == "histogram")
    assert merged["launches"] == first["launches"] == 3 and first["threads"] == 3 * 256
    assert first["thread_instructions"] > 2 * one["instructions"]["thread"]
    (found,) = merged["faults"]
    assert (found["run"], found["kind"], found["kernel"]) == (3, "out-of-bounds", "histogram")
    schema = json.loads(SCHEMA.read_text())
    assert set(merged) == set(schema["properties"]) - {"run"} | {"runs"}
    for items, kind, more in [("runs", "run", set()), ("kernels", "kernel", set()), ("faults", "fault", {"run"})]:
        for item in merged[items]:
            assert set(item) == set(schema["definitions"][kind]["properties"]) | more, item


def has_libraries():
    try:
        return "TEXUNIT_LIBS" in os.environ or bool(texunit.path("libcuda.so.1"))
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not has_libraries(), reason="the package has no libraries")
def test_programs(pool):
    suite = distributed.run([["true"], ["sh", "-c", "echo said; exit 7"]], pool)
    assert [program.returncode for program in suite.programs] == [0, 7]
    assert suite.programs[1].stdout == "said\n" and suite.failed == suite.programs[1:]
    assert suite.programs[0].report is not None and "<testsuites" in suite.junit
    assert [(run["command"][0], run["exit_code"]) for run in suite.report["runs"]] == [("true", 0), ("sh", 7)]
    pids = [[process["pid"] for process in program.report["processes"]] for program in suite.programs]
    assert [process["pid"] for process in suite.report["processes"]] == pids[0] + pids[1]
