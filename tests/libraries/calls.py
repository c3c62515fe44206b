"""Random calls of cuFFT, cuBLAS, cuBLASLt and cuRAND: handles that are none, null pointers, sizes and enumerations that are wrong, objects that are used
after their end. Each call answers a code of its library, a handle that is none answers the code for it, and memory that no call was given stays as it is."""

import ctypes
import sys
from random import Random

cudart = ctypes.CDLL("libcudart.so.13")
fft = ctypes.CDLL("libcufft.so.12")
blas = ctypes.CDLL("libcublas.so.13")
light = ctypes.CDLL("libcublasLt.so.13")
rand = ctypes.CDLL("libcurand.so.10")
# Codes that a function may answer, and the one for a handle that is none.
FFT = ({0, 1, 2, 3, 4, 5, 6, 7, 8, 13, 16}, 1)
BLAS = ({0, 1, 3, 7, 11, 13, 15}, 1)
RAND = ({0, 101, 102, 103, 104, 105, 201, 203, 204}, 101)

# What a parameter is: i and l integers of 32 and 64 bits, f and d numbers, p memory of the device, s a scalar of the host (or the device), h a handle, e an
# enumeration, n a null pointer.
CALLS = [
    (fft, FFT, "cufftExecC2C", "hppe"), (fft, FFT, "cufftExecR2C", "hpp"), (fft, FFT, "cufftExecC2R", "hpp"), (fft, FFT, "cufftExecZ2Z", "hppe"),
    (fft, FFT, "cufftXtExec", "hppe"), (fft, FFT, "cufftMakePlan1d", "hietw"), (fft, FFT, "cufftMakePlan2d", "hiitw"), (fft, FFT, "cufftSetAutoAllocation", "he"),
    (fft, FFT, "cufftSetWorkArea", "hp"), (fft, FFT, "cufftGetSize", "hw"), (fft, FFT, "cufftSetStream", "hn"),
    (fft, FFT, "cufftSetPlanPropertyInt64", "hel"), (fft, FFT, "cufftXtSetCallback", "hnen"),
    (blas, BLAS, "cublasSaxpy_v2", "hispipi"), (blas, BLAS, "cublasDdot_v2_64", "hlplpls"), (blas, BLAS, "cublasSnrm2_v2", "hipis"),
    (blas, BLAS, "cublasCscal_v2", "hispi"), (blas, BLAS, "cublasSrotg_v2", "hssss"), (blas, BLAS, "cublasDrotmg_v2", "hsssss"),
    (blas, BLAS, "cublasSgemv_v2", "heiispipispi"), (blas, BLAS, "cublasDger_v2", "hiispipipi"), (blas, BLAS, "cublasStrsv_v2", "heeeipipi"),
    (blas, BLAS, "cublasSgemm_v2", "heeiiispipispi"), (blas, BLAS, "cublasZgemm_v2_64", "heelllsplplspl"),
    (blas, BLAS, "cublasSgemmStridedBatched", "heeiiispilpilspili"), (blas, BLAS, "cublasSgemmBatched", "heeiiispipispii"),
    (blas, BLAS, "cublasGemmEx", "heeiiispeipeispeiee"), (blas, BLAS, "cublasSsyrk_v2", "heeiispispi"), (blas, BLAS, "cublasStrsm_v2", "heeeeiispipi"),
    (blas, BLAS, "cublasSgeam", "heeiispispipi"), (blas, BLAS, "cublasSdgmm", "heiipipipi"), (blas, BLAS, "cublasSetPointerMode_v2", "he"),
    (blas, BLAS, "cublasSetMathMode", "he"), (blas, BLAS, "cublasSetStream_v2", "hn"), (blas, BLAS, "cublasSgbmv_v2", "heiiiispipispi"),
    (rand, RAND, "curandGenerate", "hpz"), (rand, RAND, "curandGenerateLongLong", "hpz"), (rand, RAND, "curandGenerateUniform", "hpz"),
    (rand, RAND, "curandGenerateNormal", "hpzff"), (rand, RAND, "curandGenerateLogNormalDouble", "hpzdd"), (rand, RAND, "curandGeneratePoisson", "hpzd"),
    (rand, RAND, "curandSetPseudoRandomGeneratorSeed", "hl"), (rand, RAND, "curandSetGeneratorOffset", "hl"), (rand, RAND, "curandSetGeneratorOrdering", "ho"),
    (rand, RAND, "curandSetQuasiRandomGeneratorDimensions", "hi"), (rand, RAND, "curandGenerateSeeds", "h"), (rand, RAND, "curandSetStream", "hn"),
]
MAKE = {
    fft: [("cufftCreate", ""), ("cufftPlan1d", "iti"), ("cufftPlan2d", "iit"), ("cufftPlan3d", "iiit")],
    blas: [("cublasCreate_v2", "")],
    rand: [("curandCreateGenerator", "g")],
}
END = {fft: "cufftDestroy", blas: "cublasDestroy_v2", rand: "curandDestroyGenerator"}
SIZE = 1 << 16
GUARD = 1 << 12


class Calls:
    def __init__(self, seed):
        self.random = Random(seed)
        self.handles = {library: [] for library in MAKE}
        self.ended = {library: [] for library in MAKE}
        self.memory = ctypes.c_void_p()
        self.scalar = (ctypes.c_double * 64)(*[0.5] * 64)
        assert cudart.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(SIZE)) == 0
        assert cudart.cudaMemset(self.memory, 0x5A, ctypes.c_size_t(SIZE)) == 0

    def handle(self, library):
        kind = ctypes.c_int if library is fft else ctypes.c_void_p
        choice = self.random.random()
        if choice < 0.8 and self.handles[library]:
            return kind(self.random.choice(self.handles[library])), True
        if choice < 0.9 and self.ended[library]:
            return kind(self.random.choice(self.ended[library])), False
        return kind(self.random.choice([0, 10**9, 2**31 - 1])), False

    def argument(self, letter):
        random = self.random
        size = random.choice([-1, 0, 1, 1, 2, 2, 3, 4, 5, 8, 16, random.randint(0, 40)])
        if letter == "i":
            return ctypes.c_int(random.choice([size] * 12 + [-(2**31), 2**31 - 1]))
        if letter == "l":
            return ctypes.c_int64(random.choice([size] * 12 + [-(2**63), 2**63 - 1]))
        if letter == "z":
            return ctypes.c_size_t(random.choice([abs(size) * 2] * 12 + [2**63]))
        if letter == "e":
            return ctypes.c_int(random.choice([0, 0, 0, 1, 1, 2, 3, 68, -1]))
        if letter == "t":
            return ctypes.c_int(random.choice([0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C, 7]))
        if letter == "g":
            return ctypes.c_int(random.choice([100, 101, 121, 141, 161, 200, 201, 202, 203, 204, 0, 999]))
        if letter == "o":
            return ctypes.c_int(random.choice([100, 101, 102, 103, 104, 201, 7]))
        if letter == "f":
            return ctypes.c_float(random.choice([0, 1, -1, float("nan"), float("inf")]))
        if letter == "d":
            return ctypes.c_double(random.choice([0, 1, 40, 3000, -1, 1e9, float("nan")]))
        if letter == "n":
            return ctypes.c_void_p()
        if letter in "sw":
            return ctypes.c_void_p(random.choice([ctypes.addressof(self.scalar)] * 9 + [None]))
        # Far enough from both ends for what small sizes reach.
        return ctypes.c_void_p(random.choice([self.memory.value + GUARD + 16 * random.randint(0, 512)] * 9 + [None]))

    def one(self):
        library = self.random.choice(list(MAKE))
        choice = self.random.random()
        if choice < 0.15 or not self.handles[library]:
            name, letters = self.random.choice(MAKE[library])
            made = (ctypes.c_int if library is fft else ctypes.c_void_p)()
            arguments = [self.argument(letter) for letter in letters]
            # Plans of memory that is there.
            arguments = [a if a.value is None or a.value < 1 << 20 else type(a)(9) for a in arguments]
            code = getattr(library, name)(ctypes.byref(made), *arguments)
            if code == 0:
                self.handles[library].append(made.value)
            return name, code, None
        if choice < 0.22:
            ended = self.handles[library].pop(self.random.randrange(len(self.handles[library])))
            self.ended[library].append(ended)
            handle = ctypes.c_int(ended) if library is fft else ctypes.c_void_p(ended)
            return END[library], getattr(library, END[library])(handle), None
        library, codes, name, letters = self.random.choice([call for call in CALLS if call[0] is library])
        handle, is_one = self.handle(library)
        code = getattr(library, name)(handle, *(self.argument(letter) for letter in letters[1:]))
        if not is_one and code != codes[1] and name not in ("cublasSgbmv_v2", "cufftXtSetCallback"):
            sys.exit(f"{name} of a handle that is none: {code}")
        return name, code, codes[0]

    def check(self):
        """The ends of the memory are as they were: small sizes do not reach them."""
        if cudart.cudaDeviceSynchronize() != 0:
            return False
        data = (ctypes.c_ubyte * GUARD)()
        for offset in (0, SIZE - GUARD):
            assert cudart.cudaMemcpy(data, ctypes.c_void_p(self.memory.value + offset), ctypes.c_size_t(GUARD), 2) == 0
        return True


def main():
    count = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 52
    calls, done, ends = Calls(seed), {}, 0
    for i in range(count):
        name, code, codes = calls.one()
        done[code == 0] = done.get(code == 0, 0) + 1
        if codes is not None and code not in codes:
            sys.exit(f"call {i}, {name}: {code}")
        if cudart.cudaDeviceSynchronize() != 0:
            # A call that reached memory which is not there has ended the context.
            assert cudart.cudaDeviceReset() == 0
            ends += 1
            calls = Calls(seed + i)
    calls.check()
    print(f"{done.get(True, 0)} calls were done, {done.get(False, 0)} refused, {ends} ended the context")


main()
