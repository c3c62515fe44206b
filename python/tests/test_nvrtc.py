"""CUDA C++ through nvrtc, which comes from PyPI (`.ci/full python`)."""

import pickle

import pytest

numpy = pytest.importorskip("numpy")

import texunit  # noqa: E402
from texunit import Module, Surface, Texture, _nvrtc  # noqa: E402

try:
    _nvrtc._library()
except ImportError as why:
    pytest.skip(str(why), allow_module_level=True)

F32 = numpy.float32
BLUR = """
// Mean of a row of three.
static __device__ float tap(cudaTextureObject_t tex, float x, float y) {
    return tex2D<float>(tex, x, y);
}

extern "C" __global__ void blur(cudaTextureObject_t tex, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > width || y >= height) return;
    float sum = 0;
    for (int i = -1; i <= 1; ++i)
        sum += tap(tex, x + i + 0.5f, y + 0.5f);
    out[y * width + x] = sum / 3;
}
"""


def test_from_source_to_arrays():
    texels = numpy.random.default_rng(1).random((8, 16), F32)
    ptx = texunit.compile(BLUR)
    assert isinstance(ptx, str) and ptx.name == "kernel.ptx" and ptx.source == BLUR and ptx.log == ""
    assert ".loc" in ptx and ".target sm_86" in ptx and texunit.check(ptx) == []
    kernel = Module(ptx)["blur"]
    out = numpy.zeros((9, 16), F32)
    kernel[(2, 1), (16, 8)](Texture(texels), out, 15, 8)
    padded = numpy.pad(texels, ((0, 0), (1, 1)), "edge")
    mean = ((padded[:, :-2] + padded[:, 1:-1]) + padded[:, 2:]) / F32(3)
    assert numpy.allclose(out.ravel()[:7 * 15].reshape(7, 15)[:, 1:], mean[:7, 1:15], atol=1e-6)


def test_faults_name_lines_of_the_source():
    kernel = Module(texunit.compile(BLUR, name="blur.cu"))["blur"]
    with pytest.raises(texunit.KernelFault) as error:
        kernel[(2, 1), (16, 8)](Texture(numpy.zeros((8, 16), F32)), numpy.zeros((8, 16), F32), 16, 8)
    fault = error.value
    assert fault.kind == "out-of-bounds" and fault.file.endswith("blur.cu") and fault.function.startswith("blur")
    assert BLUR.splitlines()[fault.line - 1].strip() == "out[y * width + x] = sum / 3;"
    assert fault.frames[0].text == BLUR.splitlines()[fault.line - 1]
    assert fault.thread == (0, 7, 0) and fault.cta == (1, 0, 0)
    assert "--> blur.cu:13:" in str(fault) and "out[y * width + x] = sum / 3;" in str(fault)


def test_sources_that_are_in_no_file():
    """Their lines are in every message, also of PTX that went through a cache; a folder that is gone is not named."""
    ptx = texunit.compile(BLUR, name="/tmp/a folder that is gone/blur.cu", headers={"unused.h": ""})
    kernel = Module(str(ptx).encode())["blur"]
    out = numpy.zeros((8, 17), F32)
    # Rows of one element, of which a thread writes two.
    result = kernel[1, (16, 8)](Texture(numpy.zeros((8, 16), F32)), out, 1, 8, checks="race")
    with pytest.raises(texunit.KernelFault) as error:
        kernel[(2, 2), (16, 8)](Texture(numpy.zeros((8, 16), F32)), out[:2], 16, 8)
    assert "out[y * width + x] = sum / 3;" in str(error.value) and "--> blur.cu:13:" in str(error.value)
    assert error.value.file == "blur.cu" and "a folder" not in str(error.value)
    (finding,) = result.findings
    assert "out[y * width + x] = sum / 3;" in str(finding) and "a folder" not in str(finding)


def test_coverage_of_the_source():
    result = Module(texunit.compile(BLUR, name="blur.cu"))["blur"][1, (4, 4)](
        Texture(numpy.zeros((8, 16), F32)), numpy.zeros((8, 17), F32), 16, 8, coverage=True
    )
    # Functions of the compiler's own headers are in files of their own.
    (name,) = [name for name in result.coverage.files if name.endswith("blur.cu")]
    lines = result.coverage.files[name]["lines"]
    assert lines[BLUR.splitlines().index("        sum += tap(tex, x + i + 0.5f, y + 0.5f);") + 1] > 0


def test_templates_headers_and_halves():
    source = """
    #include "scale.h"
    #include <cuda_fp16.h>
    template <typename T> __global__ void twice(T *values, __half h) { values[threadIdx.x] *= SCALE * T(__half2float(h)); }
    """
    header = {"scale.h": "#define SCALE 2\n"}
    try:
        ptx = texunit.compile(source, headers=header, name_expressions=["twice<float>", "&twice<double>"])
    except texunit.CompileError as error:
        assert "cuda_fp16.h" in error.log
        pytest.skip("the headers of CUDA are not installed")
    module = Module(ptx)
    assert set(ptx.lowered.values()) == set(module.kernels)
    for dtype, name in (("float32", "twice<float>"), ("float64", ptx.lowered["&twice<double>"])):
        values = numpy.arange(4, dtype=dtype)
        module[name][1, 4](values, numpy.array(1.5, "float16"))
        assert values.tolist() == [0, 3, 6, 9]
    again = pickle.loads(pickle.dumps(ptx))
    assert again == ptx and again.lowered == ptx.lowered


def test_surfaces_structures_and_printf():
    source = """
    #include <stdint.h>
    struct Where { int x, y; float value; };
    extern "C" __global__ void put(cudaSurfaceObject_t surf, Where where) {
        surf2Dwrite(where.value, surf, where.x * 4, where.y);
        if (threadIdx.x == 0) printf("put %g\\n", where.value);
    }
    """
    module = Module(texunit.compile(source.replace("#include <stdint.h>", "")))
    surface = Surface(numpy.zeros((2, 3), F32))
    where = numpy.array((2, 1, 0.5), numpy.dtype([("x", "i4"), ("y", "i4"), ("value", "f4")]))
    result = module["put"][1, 1](surface, where)
    assert surface.to_array()[1, 2] == 0.5 and result.printf == "put 0.5\n"


def test_options():
    assert ".target sm_90" in texunit.compile(BLUR, "-arch=compute_90 --fmad=false")
    assert ".target sm_80" in texunit.compile(BLUR, ["--gpu-architecture=compute_80", "-DX=1"])


def test_mistakes():
    with pytest.raises(texunit.CompileError, match="expected") as error:
        texunit.compile("__global__ void k() { int }", name="wrong.cu")
    assert "wrong.cu(1)" in error.value.log
    assert pickle.loads(pickle.dumps(error.value)).log == error.value.log
    with pytest.raises(texunit.CompileError, match="NVRTC_ERROR_INVALID_OPTION"):
        texunit.compile(BLUR, "--no-such-option")
    with pytest.warns(texunit.CompileWarning, match="declared but never referenced"):
        texunit.compile('extern "C" __global__ void k() { int unused; }')
