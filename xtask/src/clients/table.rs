//! The table of clients: for each, the packages that are installed, and the tests that are run,
//! with their options.

/// A package that uses CUDA, with a test suite.
pub(crate) struct Client {
    /// The client's name, which is also that of its folder in tests/clients with the pinned
    /// releases.
    pub(crate) name: &'static str,
    /// A description of the tests, for the table in tests/clients/README.md.
    pub(crate) what: &'static str,
    /// Why the client is skipped, if PyPI has no release of it that can be run.
    pub(crate) absent: Option<&'static str>,
    /// The source archive with the client's tests, if the wheel lacks them.
    pub(crate) source: Option<Source>,
    /// The package and release that must be compiled, if it has no wheel.
    pub(crate) compiled: Option<&'static str>,
    /// Files and folders of tests. `{site}` stands for the installed packages, `{source}` for the
    /// unpacked archive, `{tests}` for the folder tests/clients.
    pub(crate) tests: &'static [&'static str],
    /// Environment variables of the client's tests.
    pub(crate) environment: &'static [(&'static str, &'static str)],
    /// Options that pytest gets.
    pub(crate) pytest: &'static [&'static str],
    /// Time limit for all tests of the client in seconds, on two cores.
    pub(crate) limit: &'static str,
    /// Time limit for one test in seconds.
    pub(crate) test_limit: &'static str,
}

/// A source archive on PyPI.
pub(crate) struct Source {
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    /// Environment variables that the package's build needs even to report metadata.
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

pub(crate) const CLIENTS: &[Client] = &[
    Client {
        name: "cupy",
        what: "CuPy 14.2: its own tests of textures and graphs (source archive): `test_texture.py`, `test_graph.py`, and \
               what is about textures in `test_userkernel.py` and `test_interpolation.py`",
        absent: None,
        source: Some(Source {
            package: "cupy",
            version: "14.2.0",
            environment: &[("CUPY_INSTALL_USE_STUB", "1")],
        }),
        compiled: None,
        tests: &[
            "{source}/tests/cupy_tests/cuda_tests/test_texture.py",
            "{source}/tests/cupy_tests/cuda_tests/test_graph.py",
            "{source}/tests/cupy_tests/core_tests/test_userkernel.py",
            "{source}/tests/cupyx_tests/scipy_tests/ndimage_tests/test_interpolation.py",
        ],
        environment: &[("CUPY_CACHE_DIR", "{home}/cupy")],
        // Tests that need cuSOLVER or cuSPARSE are excluded.
        pytest: &["-k", "(texture or Texture or TestGraph) and not cusolver and not cusparse"],
        limit: "600",
        test_limit: "90",
    },
    Client {
        name: "cupy-libraries",
        what: "CuPy 14.2: its own tests of `cupy.fft`, `cupyx.scipy.fft`, `cupy.matmul`, `test_product.py` and \
               `cupy.random` (source archive), without callbacks, cuSOLVER and distributions by CuPy's kernels",
        absent: None,
        source: Some(Source {
            package: "cupy",
            version: "14.2.0",
            environment: &[("CUPY_INSTALL_USE_STUB", "1")],
        }),
        compiled: None,
        tests: &[
            "{source}/tests/cupy_tests/fft_tests",
            "{source}/tests/cupyx_tests/scipy_tests/fft_tests",
            "{source}/tests/cupy_tests/math_tests/test_matmul.py",
            "{source}/tests/cupy_tests/linalg_tests/test_product.py",
            "{source}/tests/cupy_tests/random_tests",
        ],
        environment: &[("CUPY_CACHE_DIR", "{home}/cupy"), ("CUPY_TEST_GPU_LIMIT", "1")],
        // Excluded are callbacks, which texunit refuses; matrix inversion and multivariate normal
        // numbers, which need cuSOLVER or factorisations; one transform of 100,000,007 numbers;
        // batches of 65,536 integer matrices, and distributions (1,200 tests), which are kernels of
        // CuPy's own.
        pytest: &[
            "-k",
            "not test_callback and not multivariate and not power_inv and not -7-shape and not fft_allocate \
             and not IntegralLarge and (not test_distributions or normal or uniform)",
        ],
        limit: "900",
        test_limit: "90",
    },
    Client {
        name: "numba",
        what: "numba-cuda 0.30.4: its own suite (in its wheel), without its benchmarks and its simulator",
        absent: None,
        source: None,
        compiled: None,
        tests: &[
            "{site}/numba_cuda/numba/cuda/tests/core",
            "{site}/numba_cuda/numba/cuda/tests/cudadrv",
            "{site}/numba_cuda/numba/cuda/tests/cudapy",
            "{site}/numba_cuda/numba/cuda/tests/doc_examples",
            "{site}/numba_cuda/numba/cuda/tests/nocuda",
            "{site}/numba_cuda/numba/cuda/tests/nrt",
        ],
        // Accesses past the end of arrays behave as on a GPU, because two tests make them.
        environment: &[("TEXUNIT_BOUNDS", "hardware")],
        pytest: &["-p", "numba_modules"],
        limit: "1200",
        test_limit: "120",
    },
    Client {
        name: "drjit",
        what: "Dr.Jit 1.5, CUDA backend (no tests in its wheel, no source archive): ours, `tests/clients/drjit`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/drjit"],
        // Accesses past the end of shared memory behave as on a GPU, because Dr.Jit's reductions of
        // 33 to 64 values make them.
        environment: &[("TEXUNIT_BOUNDS", "hardware")],
        pytest: &[],
        limit: "600",
        test_limit: "60",
    },
    Client {
        name: "taichi",
        what: "Taichi 1.7.4, `arch=ti.cuda` (no tests in its wheel, no source archive): ours, \
               `tests/clients/taichi`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/taichi"],
        environment: &[],
        pytest: &[],
        limit: "600",
        test_limit: "90",
    },
    Client {
        name: "pycuda",
        what: "PyCUDA 2026.1: its own suite (source archive), without arrays above 4 GB and launches from the device",
        absent: None,
        source: Some(Source { package: "pycuda", version: "2026.1", environment: &[] }),
        compiled: Some("pycuda==2026.1"),
        tests: &["{source}/test"],
        environment: &[
            // The folder has a wrapper of nvcc that generates PTX where PyCUDA requests machine
            // code.
            ("PATH", "{tests}/pycuda:{path}"),
            ("TEXUNIT_CLIENT_NVIDIA", "{site}/nvidia"),
            ("LD_LIBRARY_PATH", "{site}/nvidia/cu13/lib"),
        ],
        pytest: &[
            "-p",
            "references",
            "-k",
            // Tests with arrays of 4 and 8 GB, and tests that launch kernels from the device, are
            // excluded.
            "not 8gb and not big_array and not recursive_launch and not jit_link_module",
        ],
        limit: "900",
        test_limit: "150",
    },
    Client {
        name: "core",
        what: "cuda.core 1.2.2, `cuda.core.texture` and `cuda.core.graph` (no tests in its wheel, no source archive): ours, \
               `tests/clients/core`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/core"],
        environment: &[],
        pytest: &[],
        limit: "600",
        test_limit: "60",
    },
    Client {
        name: "astra",
        what: "ASTRA 2.5 (no tests in its wheel, no source archive): ours, `tests/clients/astra`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/astra"],
        // The device is a new GPU, because the wheel has PTX for the newest GPUs only.
        environment: &[("TEXUNIT_DEVICE", "sm_120")],
        pytest: &[],
        limit: "600",
        test_limit: "120",
    },
    Client {
        name: "tigre",
        what: "TIGRE: skipped, as PyPI has a release of 2019 only",
        absent: Some(
            "PyPI has pytigre 0.1.8 of 2019 only, written with texture references, which no nvcc since CUDA 12 compiles",
        ),
        source: None,
        compiled: None,
        tests: &[],
        environment: &[],
        pytest: &[],
        limit: "0",
        test_limit: "0",
    },
    Client {
        name: "leap",
        what: "LEAP: skipped, as PyPI has no release",
        absent: Some("PyPI has no leapct"),
        source: None,
        compiled: None,
        tests: &[],
        environment: &[],
        pytest: &[],
        limit: "0",
        test_limit: "0",
    },
    Client {
        name: "numba-default",
        what: "numba-cuda 0.30.4 as `pip install numba-cuda[cu12]` brings it, with nvJitLink: its own tests of the driver and \
               of its documentation's examples (in its wheel), and ours, `tests/clients/numba-default`",
        absent: None,
        source: None,
        compiled: None,
        tests: &[
            "{tests}/numba-default",
            "{site}/numba_cuda/numba/cuda/tests/cudadrv",
            "{site}/numba_cuda/numba/cuda/tests/doc_examples",
        ],
        environment: &[("TEXUNIT_BOUNDS", "hardware")],
        pytest: &["-p", "numba_modules"],
        limit: "900",
        test_limit: "120",
    },
    Client {
        name: "triton",
        what: "Triton 3.9 without PyTorch (no tests in its wheel, no source archive): ours, `tests/clients/triton`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/triton"],
        environment: &[("TRITON_CACHE_DIR", "{home}/triton")],
        pytest: &[],
        limit: "600",
        test_limit: "120",
    },
    Client {
        name: "torch",
        what: "PyTorch 2.15, `torch.compile` (no tests in its wheel, no source archive): ours, `tests/clients/torch`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/torch"],
        environment: &[("TORCHINDUCTOR_CACHE_DIR", "{home}/inductor")],
        pytest: &[],
        limit: "900",
        test_limit: "240",
    },
    Client {
        name: "tinygrad",
        what: "tinygrad 0.14, backends CUDA and PTX: `test_tiny.py` (source archive), and ours, `tests/clients/tinygrad`",
        absent: None,
        source: Some(Source { package: "tinygrad", version: "0.14.0", environment: &[] }),
        compiled: None,
        tests: &["{source}/test/test_tiny.py", "{tests}/tinygrad"],
        environment: &[
            // The package computes constants with clang, for which a wrapper of gcc is used.
            ("DEV", "CUDA"),
            ("CUDA_PATH", "{site}/nvidia/cu13"),
            ("LD_LIBRARY_PATH", "{site}/nvidia/cu13/lib"),
            ("PATH", "{tests}/tinygrad:{path}"),
        ],
        pytest: &[],
        limit: "600",
        test_limit: "90",
    },
    Client {
        name: "slangpy",
        what: "SlangPy 0.43, CUDA device (no tests in its wheel, no source archive): ours, `tests/clients/slangpy`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/slangpy"],
        environment: &[
            ("TEXUNIT_CLIENT_NVIDIA", "{site}/nvidia/cu13"),
            ("LD_LIBRARY_PATH", "{site}/nvidia/cu13/lib"),
        ],
        pytest: &[],
        limit: "600",
        test_limit: "120",
    },
    Client {
        name: "offload",
        what: "OpenMP and OpenACC regions by Debian's `gcc-offload-nvptx` and clang 19: ours, `tests/clients/offload`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/offload"],
        environment: &[],
        pytest: &[],
        limit: "600",
        test_limit: "120",
    },
    Client {
        name: "mojo",
        what: "Mojo 1.2 with MAX 26.7, a program that carries PTX: ours, `tests/clients/mojo`",
        absent: None,
        source: None,
        compiled: None,
        tests: &["{tests}/mojo"],
        environment: &[],
        pytest: &[],
        limit: "600",
        test_limit: "240",
    },
];
