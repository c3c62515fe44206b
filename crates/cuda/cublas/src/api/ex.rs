//! Products of matrices of mixed types (`cublasGemmEx`): half, bfloat and bytes are computed in a wider type, and rounded when that is done.

use super::for_types;
use super::gemm::{Of, Sizes, multiply_one};
use crate::call::{Call, Integer, size};
use crate::code::{Answer, BlasCode};
use crate::number::Number;
use half::{bf16, f16};
use num_complex::{Complex32, Complex64};
use std::ffi::c_int;
use texunit_client::call::Code;
use texunit_client::library_api;
use texunit_client::work::{Region, threads};
use texunit_cuda_abi::args::In;

/// A type of numbers in memory (`cudaDataType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Half,
    Bfloat,
    Single,
    Double,
    ComplexSingle,
    ComplexDouble,
    Byte,
    Integer,
}

impl Format {
    pub(super) fn of_c(name: &str, number: u32) -> Answer<Self> {
        Ok(match number {
            0 => Self::Single,
            1 => Self::Double,
            2 => Self::Half,
            3 => Self::Byte,
            4 => Self::ComplexSingle,
            5 => Self::ComplexDouble,
            10 => Self::Integer,
            14 => Self::Bfloat,
            _ => {
                let why =
                    format!("{name} {number} is not a type of numbers that products are made of");
                return Err(BlasCode::NotSupported.because(why));
            }
        })
    }

    /// Bytes of a number.
    pub(super) fn size(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Half | Self::Bfloat => 2,
            Self::Single | Self::Integer => 4,
            Self::Double | Self::ComplexSingle => 8,
            Self::ComplexDouble => 16,
        }
    }

    /// A number of bytes.
    fn read(self, bytes: &[u8]) -> Complex64 {
        let at = |i: usize| -> [u8; 8] {
            std::array::from_fn(|j| bytes.get(i + j).copied().unwrap_or_default())
        };
        let single =
            |i: usize| f64::from(f32::from_le_bytes([at(i)[0], at(i)[1], at(i)[2], at(i)[3]]));
        let two = [at(0)[0], at(0)[1]];
        match self {
            Self::Half => f16::from_le_bytes(two).to_f64().into(),
            Self::Bfloat => bf16::from_le_bytes(two).to_f64().into(),
            Self::Single => single(0).into(),
            Self::Double => f64::from_le_bytes(at(0)).into(),
            Self::ComplexSingle => Complex64::new(single(0), single(4)),
            Self::ComplexDouble => {
                Complex64::new(f64::from_le_bytes(at(0)), f64::from_le_bytes(at(8)))
            }
            Self::Byte => f64::from(two[0].cast_signed()).into(),
            Self::Integer => {
                f64::from(i32::from_le_bytes([at(0)[0], at(0)[1], at(0)[2], at(0)[3]])).into()
            }
        }
    }

    /// Writes a number, rounded to the nearest; integers wrap around.
    fn write(self, number: Complex64, bytes: &mut [u8]) {
        let single = |x: f64| (x as f32).to_le_bytes();
        match self {
            Self::Half => bytes.copy_from_slice(&f16::from_f64(number.re).to_le_bytes()),
            Self::Bfloat => bytes.copy_from_slice(&bf16::from_f64(number.re).to_le_bytes()),
            Self::Single => bytes.copy_from_slice(&single(number.re)),
            Self::Double => bytes.copy_from_slice(&number.re.to_le_bytes()),
            Self::ComplexSingle => {
                bytes.copy_from_slice(&[single(number.re), single(number.im)].concat())
            }
            Self::ComplexDouble => {
                bytes.copy_from_slice(&[number.re.to_le_bytes(), number.im.to_le_bytes()].concat());
            }
            Self::Byte => bytes.copy_from_slice(&(number.re as i64 as i8).to_le_bytes()),
            Self::Integer => bytes.copy_from_slice(&(number.re as i64 as i32).to_le_bytes()),
        }
    }

    /// All numbers of a region.
    pub(super) fn widen<T: Number>(self, bytes: &[u8]) -> Vec<T> {
        bytes.chunks_exact(self.size()).map(|bytes| T::narrow(self.read(bytes))).collect()
    }

    pub(super) fn narrow<T: Number>(self, numbers: &[T], bytes: &mut [u8]) {
        for (&number, bytes) in numbers.iter().zip(bytes.chunks_exact_mut(self.size())) {
            self.write(number.wide(), bytes);
        }
    }
}

/// What products are computed with (`cublasComputeType_t`): the type of the scalars, and the one of sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Compute {
    pub(super) scalar: Format,
    pub(super) sums: Sums,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sums {
    Single,
    Double,
    ComplexSingle,
    ComplexDouble,
}

impl Compute {
    /// For these types of A, B and C.
    pub(super) fn of_c(number: u32, [a, b, c]: [Format; 3]) -> Answer<Self> {
        use Format::{Bfloat, Byte, ComplexDouble, ComplexSingle, Double, Half, Integer, Single};
        let found = match (number, a == b, a, c) {
            (64 | 65, true, Half, Half) => Some((Half, Sums::Single)),
            // Sums of products of bytes are exact in double precision.
            (72 | 73, true, Byte, Integer) => Some((Integer, Sums::Double)),
            (68 | 69 | 74 | 75 | 77 | 78, true, Half, Half | Single)
            | (68 | 69 | 74 | 75 | 77 | 78, true, Bfloat, Bfloat | Single)
            | (68 | 69 | 74 | 75 | 77 | 78, true, Byte | Single, Single) => {
                Some((Single, Sums::Single))
            }
            (68 | 69 | 74 | 75 | 77 | 78, true, ComplexSingle, ComplexSingle) => {
                Some((ComplexSingle, Sums::ComplexSingle))
            }
            (70 | 71 | 79, true, Double, Double) => Some((Double, Sums::Double)),
            (70 | 71 | 79, true, ComplexDouble, ComplexDouble) => {
                Some((ComplexDouble, Sums::ComplexDouble))
            }
            _ => None,
        };
        let (scalar, sums) = found.ok_or_else(|| {
            let why =
                format!("computeType {number} is not one of products of {a:?} and {b:?} to {c:?}");
            BlasCode::NotSupported.because(why)
        })?;
        Ok(Self { scalar, sums })
    }

    /// One product.
    pub(super) fn multiply(
        self,
        sizes: &Sizes,
        [a, b]: [(Format, &[u8]); 2],
        c: (Format, &mut [u8]),
        factors: [Complex64; 2],
    ) {
        match self.sums {
            Sums::Single => Self::with::<f32>(sizes, [a, b], c, factors),
            Sums::Double => Self::with::<f64>(sizes, [a, b], c, factors),
            Sums::ComplexSingle => Self::with::<Complex32>(sizes, [a, b], c, factors),
            Sums::ComplexDouble => Self::with::<Complex64>(sizes, [a, b], c, factors),
        }
    }

    fn with<T: Number>(
        sizes: &Sizes,
        [a, b]: [(Format, &[u8]); 2],
        (format, bytes): (Format, &mut [u8]),
        [alpha, beta]: [Complex64; 2],
    ) {
        let (a, b) = (a.0.widen::<T>(a.1), b.0.widen::<T>(b.1));
        let mut c = format.widen::<T>(bytes);
        multiply_one(sizes, [&a, &b], &mut c, (T::narrow(alpha), T::narrow(beta)), threads());
        format.narrow(&c, bytes);
    }
}

/// A scalar of a type that is known when the function is called.
#[derive(Clone, Copy)]
pub(super) enum Factor {
    Host(Complex64),
    Device(usize, Format),
}

impl Factor {
    pub(super) fn new(call: &mut Call, name: &str, address: u64, format: Format) -> Answer<Self> {
        if address == 0 {
            return Err(BlasCode::InvalidValue.because(format!("{name} is null")));
        }
        if call.settings.on_device {
            return Ok(Self::Device(call.bytes(address, format.size(), Region::READ)?, format));
        }
        // SAFETY: the caller's number of the host, of so many bytes.
        let bytes = unsafe { In::<u8>::of(address).elements(format.size()) }.to_vec()?;
        Ok(Self::Host(format.read(&bytes)))
    }

    pub(super) fn value(self, memory: &[&mut [u8]]) -> Complex64 {
        match self {
            Self::Host(value) => value,
            Self::Device(region, format) => format.read(memory[region]),
        }
    }

    pub(super) fn is_zero(self) -> bool {
        matches!(self, Self::Host(value) if value == Complex64::new(0.0, 0.0))
    }
}

/// A matrix, or equally distant ones: where, its type, from a column to the next, and from a matrix to the next.
type Typed = (u64, Format, Integer, Integer);

/// Calls [`product`]: of the same matrices with or without distances.
macro_rules! gemm_ex {
    ($name:ident $strided:ident, $int:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(B) + beta C`, of types as they are said.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                Atype: u32,
                lda: $int,
                B: u64,
                Btype: u32,
                ldb: $int,
                beta: u64,
                C: u64,
                Ctype: u32,
                ldc: $int,
                computeType: u32,
                _algo: c_int,
            ) {
                let matrices = [
                    (A, Format::of_c("Atype", Atype)?, lda.into(), 0),
                    (B, Format::of_c("Btype", Btype)?, ldb.into(), 0),
                    (C, Format::of_c("Ctype", Ctype)?, ldc.into(), 0),
                ];
                let sizes = Sizes::new([transa, transb], [m.into(), n.into(), k.into()])?;
                product((stringify!($name), handle), sizes, [alpha, beta], matrices, 1, computeType)
            }

            /// The same of matrices that are equally far from each other.
            fn $strided(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                Atype: u32,
                lda: $int,
                strideA: i64,
                B: u64,
                Btype: u32,
                ldb: $int,
                strideB: i64,
                beta: u64,
                C: u64,
                Ctype: u32,
                ldc: $int,
                strideC: i64,
                batchCount: $int,
                computeType: u32,
                _algo: c_int,
            ) {
                let matrices = [
                    (A, Format::of_c("Atype", Atype)?, lda.into(), strideA),
                    (B, Format::of_c("Btype", Btype)?, ldb.into(), strideB),
                    (C, Format::of_c("Ctype", Ctype)?, ldc.into(), strideC),
                ];
                let sizes = Sizes::new([transa, transb], [m.into(), n.into(), k.into()])?;
                let count = size("batchCount", batchCount.into())?;
                product((stringify!($strided), handle), sizes, [alpha, beta], matrices, count, computeType)
            }
        }
    };
}
gemm_ex! { cublasGemmEx cublasGemmStridedBatchedEx, c_int }
gemm_ex! { cublasGemmEx_64 cublasGemmStridedBatchedEx_64, i64 }

/// Products in half precision, whose scalars are in it, too.
macro_rules! half_gemm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(B) + beta C` in half precision.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                B: u64,
                ldb: $int,
                beta: u64,
                C: u64,
                ldc: $int,
            ) {
                let matrices = [(A, lda), (B, ldb), (C, ldc)].map(|(at, leading)| (at, Format::Half, leading.into(), 0));
                let sizes = Sizes::new([transa, transb], [m.into(), n.into(), k.into()])?;
                product((stringify!($name), handle), sizes, [alpha, beta], matrices, 1, 64)
            }
        }
    };
}
for_types! { half_gemm: f16: cublasHgemm cublasHgemm_64 }

pub(super) fn product(
    (function, handle): Of,
    mut sizes: Sizes,
    [alpha, beta]: [u64; 2],
    matrices: [Typed; 3],
    count: usize,
    compute: u32,
) -> Answer {
    let mut call = Call::new(function, handle)?;
    let formats = matrices.map(|matrix| matrix.1);
    let compute = Compute::of_c(compute, formats)?;
    let alpha = Factor::new(&mut call, "alpha", alpha, compute.scalar)?;
    let beta = Factor::new(&mut call, "beta", beta, compute.scalar)?;
    if alpha.is_zero() {
        sizes.k = 0;
    }
    let [shape_a, shape_b] = sizes.shapes();
    let access = if beta.is_zero() { Region::WRITTEN } else { Region::READ | Region::WRITTEN };
    let of_each = [
        ("lda", shape_a, Region::READ),
        ("ldb", shape_b, Region::READ),
        ("ldc", [sizes.m, sizes.n], access),
    ];
    let mut first = None;
    for ((address, format, leading, distance), (name, shape, access)) in
        matrices.into_iter().zip(of_each)
    {
        let region =
            call.typed(address, format.size(), shape, (name, leading), (count, distance), access)?;
        first.get_or_insert(region);
    }
    let first = first.unwrap_or_default();
    call.submit(move |memory| {
        let factors = [alpha.value(memory), beta.value(memory)];
        let [a, b, c, ..] = &mut memory[first..] else { return };
        let bytes = [sizes.m * sizes.k, sizes.k * sizes.n, sizes.m * sizes.n];
        let bytes: [usize; 3] = std::array::from_fn(|i| bytes[i] * formats[i].size());
        for i in 0..count {
            let part = |i: usize, size: usize| i * size..(i + 1) * size;
            let (a, b) = (&a[part(i, bytes[0])], &b[part(i, bytes[1])]);
            let c = (formats[2], &mut c[part(i, bytes[2])]);
            compute.multiply(&sizes, [(formats[0], a), (formats[1], b)], c, factors);
        }
    })
}
