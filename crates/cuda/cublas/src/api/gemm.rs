//! Level 3: matrix products, single or in batches, of one type or of mixed types (`cublasGemmEx`).
//! Half, bfloat and byte matrices are multiplied in a wider type, and the result is rounded once.

use super::for_types;
use crate::call::{Call, Integer, operation, size};
use crate::code::{Answer, BlasCode};
use crate::format::{Compute, Format};
use crate::handle;
use crate::number::Element;
use crate::operand::{Factor, Operand, sizes};
use crate::product::{Epilogue, Product};
use crate::view::Operation;
use half::f16;
use num_complex::{Complex32, Complex64};
use std::ffi::c_int;
use texunit_client::library_api;

/// Arguments of a product as the function received them.
struct Gemm {
    /// Name of the function, and the handle.
    of: (&'static str, usize),
    operations: [u32; 2],
    /// m, n and k.
    sizes: [Integer; 3],
    /// Addresses of alpha and beta.
    factors: [u64; 2],
    /// A, B and C: element type, address, and leading dimension.
    matrices: [(Format, u64, Integer); 3],
    batch: Batch,
    /// `cublasComputeType_t`; `None` to compute in the type of the matrices.
    compute: Option<u32>,
}

enum Batch {
    One,
    /// Matrices at equal distances, with the distance of each operand and the number of matrices.
    Strided([i64; 3], Integer),
    /// Matrices given by arrays of addresses in device memory.
    Listed(Integer),
}

/// Rows and columns of A and B as stored.
pub(super) fn shapes([a, b]: [Operation; 2], [m, n, k]: [usize; 3]) -> [[usize; 2]; 2] {
    let of = |operation, rows, columns| match operation {
        Operation::None => [rows, columns],
        _ => [columns, rows],
    };
    [of(a, m, k), of(b, k, n)]
}

impl Gemm {
    fn submit(self) -> Answer {
        let mut call = Call::new(self.of.0, self.of.1)?;
        let [transa, transb] = self.operations;
        let operations = [operation("transa", transa)?, operation("transb", transb)?];
        let [m, n, k] = self.sizes;
        let [m, n, k] = sizes([("m", m), ("n", n), ("k", k)])?;
        let [a, b] = shapes(operations, [m, n, k]);
        let (distances, count) = match self.batch {
            Batch::One => (Some([0; 3]), 1),
            Batch::Strided(distances, count) => (Some(distances), size("batchCount", count)?),
            Batch::Listed(count) => (None, size("batchCount", count)?),
        };
        let operand = |i: usize, shape, name| -> Answer<Operand> {
            let (format, address, leading) = self.matrices[i];
            let matrix = Operand::matrix(format, address, shape, (name, leading))?;
            Ok(distances.map_or(matrix.listed(), |distances| matrix.each(distances[i])))
        };
        let operands = [operand(0, a, "lda")?, operand(1, b, "ldb")?, operand(2, [m, n], "ldc")?];
        let formats = operands.map(|operand| operand.format);
        let compute = match self.compute {
            None => Compute::of(formats[2]),
            Some(number) => Compute::of_c(number, formats)?,
        };
        let [alpha, beta] = self.factors;
        let mut alpha = Factor::new(&mut call, "alpha", alpha, compute.scalar)?;
        let beta = Factor::new(&mut call, "beta", beta, compute.scalar)?;
        if k == 0 {
            // With an empty sum, A and B are not read.
            alpha = Factor::ZERO;
        }
        let product = Product {
            operations,
            operands,
            added: None,
            count,
            compute,
            epilogue: Epilogue::default(),
        };
        product.submit(call, [alpha, beta])
    }
}

macro_rules! gemm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(B) + beta C`.
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
                let format = <$type as Element>::FORMAT;
                let matrices = [
                    (format, A, lda.into()),
                    (format, B, ldb.into()),
                    (format, C, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::One,
                    compute: None,
                }
                .submit()
            }
        }
    };
}
for_types! { gemm:
    f32: cublasSgemm_v2 cublasSgemm_v2_64, f64: cublasDgemm_v2 cublasDgemm_v2_64,
    Complex32: cublasCgemm_v2 cublasCgemm_v2_64, Complex64: cublasZgemm_v2 cublasZgemm_v2_64,
    Complex32: cublasCgemm3m cublasCgemm3m_64, Complex64: cublasZgemm3m cublasZgemm3m_64,
    f16: cublasHgemm cublasHgemm_64,
}

macro_rules! strided {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// Batched `C = alpha op(A) op(B) + beta C`, with matrices at equal distances.
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
                strideA: i64,
                B: u64,
                ldb: $int,
                strideB: i64,
                beta: u64,
                C: u64,
                ldc: $int,
                strideC: i64,
                batchCount: $int,
            ) {
                let format = <$type as Element>::FORMAT;
                let matrices = [
                    (format, A, lda.into()),
                    (format, B, ldb.into()),
                    (format, C, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::Strided([strideA, strideB, strideC], batchCount.into()),
                    compute: None,
                }
                .submit()
            }
        }
    };
}
for_types! { strided:
    f32: cublasSgemmStridedBatched cublasSgemmStridedBatched_64,
    f64: cublasDgemmStridedBatched cublasDgemmStridedBatched_64,
    Complex32: cublasCgemmStridedBatched cublasCgemmStridedBatched_64,
    Complex64: cublasZgemmStridedBatched cublasZgemmStridedBatched_64,
    Complex32: cublasCgemm3mStridedBatched cublasCgemm3mStridedBatched_64,
    f16: cublasHgemmStridedBatched cublasHgemmStridedBatched_64,
}

macro_rules! batched {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// Batched `C = alpha op(A) op(B) + beta C`, with arrays of addresses in device memory.
            /// The arrays are read during the call, after preceding work of the stream.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                Aarray: u64,
                lda: $int,
                Barray: u64,
                ldb: $int,
                beta: u64,
                Carray: u64,
                ldc: $int,
                batchCount: $int,
            ) {
                let format = <$type as Element>::FORMAT;
                let matrices = [
                    (format, Aarray, lda.into()),
                    (format, Barray, ldb.into()),
                    (format, Carray, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::Listed(batchCount.into()),
                    compute: None,
                }
                .submit()
            }
        }
    };
}
for_types! { batched:
    f32: cublasSgemmBatched cublasSgemmBatched_64, f64: cublasDgemmBatched cublasDgemmBatched_64,
    Complex32: cublasCgemmBatched cublasCgemmBatched_64, Complex64: cublasZgemmBatched cublasZgemmBatched_64,
    Complex32: cublasCgemm3mBatched cublasCgemm3mBatched_64, f16: cublasHgemmBatched cublasHgemmBatched_64,
}

macro_rules! gemm_ex {
    ($name:ident, $int:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(B) + beta C` with explicit types.
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
                handle::get(handle)?;
                let matrices = [
                    (Format::of_c("Atype", Atype)?, A, lda.into()),
                    (Format::of_c("Btype", Btype)?, B, ldb.into()),
                    (Format::of_c("Ctype", Ctype)?, C, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::One,
                    compute: Some(computeType),
                }
                .submit()
            }
        }
    };
}

macro_rules! strided_ex {
    ($name:ident, $int:ty) => {
        library_api! { (BlasCode)
            /// Batched product with explicit types, with matrices at equal distances.
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
                handle::get(handle)?;
                let matrices = [
                    (Format::of_c("Atype", Atype)?, A, lda.into()),
                    (Format::of_c("Btype", Btype)?, B, ldb.into()),
                    (Format::of_c("Ctype", Ctype)?, C, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::Strided([strideA, strideB, strideC], batchCount.into()),
                    compute: Some(computeType),
                }
                .submit()
            }
        }
    };
}

macro_rules! batched_ex {
    ($name:ident, $int:ty) => {
        library_api! { (BlasCode)
            /// Batched product with explicit types, with arrays of addresses in device memory.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                k: $int,
                alpha: u64,
                Aarray: u64,
                Atype: u32,
                lda: $int,
                Barray: u64,
                Btype: u32,
                ldb: $int,
                beta: u64,
                Carray: u64,
                Ctype: u32,
                ldc: $int,
                batchCount: $int,
                computeType: u32,
                _algo: c_int,
            ) {
                handle::get(handle)?;
                let matrices = [
                    (Format::of_c("Atype", Atype)?, Aarray, lda.into()),
                    (Format::of_c("Btype", Btype)?, Barray, ldb.into()),
                    (Format::of_c("Ctype", Ctype)?, Carray, ldc.into()),
                ];
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices,
                    batch: Batch::Listed(batchCount.into()),
                    compute: Some(computeType),
                }
                .submit()
            }
        }
    };
}
gemm_ex! { cublasGemmEx, c_int }
gemm_ex! { cublasGemmEx_64, i64 }
strided_ex! { cublasGemmStridedBatchedEx, c_int }
strided_ex! { cublasGemmStridedBatchedEx_64, i64 }
batched_ex! { cublasGemmBatchedEx, c_int }
batched_ex! { cublasGemmBatchedEx_64, i64 }
