//! Level 3: matrix products, single or in batches, of one type or of mixed types (`cublasGemmEx`).
//! Half, bfloat and byte matrices are multiplied in a wider type, and the result is rounded once.

use crate::api::*;
use crate::product::Product;
use half::f16;

/// Arguments of a product as the function received them.
struct Gemm {
    /// Name of the function, and the handle.
    of: (&'static str, usize),
    operations: [u32; 2],
    /// The sizes m, n and k of the product.
    sizes: [Integer; 3],
    /// Addresses of alpha and beta.
    factors: [u64; 2],
    /// A, B and C: element type, address, and leading dimension.
    matrices: [(Format, u64, Integer); 3],
    /// Distances of the matrices of each operand, unless these are given by arrays of addresses in
    /// device memory; and the number of matrices.
    batch: (Option<[i64; 3]>, Integer),
    /// `cublasComputeType_t`; `None` to compute in the type of the matrices.
    compute: Option<u32>,
}

/// The batch of a single product.
const ONE: (Option<[i64; 3]>, Integer) = (Some([0; 3]), 1);

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
        let (distances, count) = (self.batch.0, size("batchCount", self.batch.1)?);
        let operand = |i: usize, shape, name| -> Answer<Operand> {
            let (format, address, leading) = self.matrices[i];
            let matrix = Operand::matrix(format, address, shape, (name, leading))?;
            Ok(distances.map_or(matrix.listed(), |distances| matrix.each(distances[i])))
        };
        let operands = [operand(0, a, "lda")?, operand(1, b, "ldb")?, operand(2, [m, n], "ldc")?];
        let formats = operands.map(|operand| operand.format);
        let scalar = match self.compute {
            None => formats[2],
            Some(number) => Format::of_scalars(number, formats)?,
        };
        let mut factors = Factor::both(&mut call, self.factors, scalar)?;
        if k == 0 {
            // With an empty sum, A and B are not read.
            factors[0] = Factor::ZERO;
        }
        let product = Product { count, scalar, ..Product::new(operations, operands) };
        product.submit(call, factors)
    }
}

/// Defines a product function. For each matrix: the parameters for its type and its distance, if
/// the function has them. Then the parameters for the number of matrices and the compute type, and
/// the element types, the batch, and the compute type as expressions of the parameters.
macro_rules! product {
    (
        $doc:literal $name:ident($int:ty)
        [$($a_type:ident)?, $($a_stride:ident)?]
        [$($b_type:ident)?, $($b_stride:ident)?]
        [$($c_type:ident)?, $($c_stride:ident)?]
        [$($count:ident)?] [$($compute_type:ident)?]
        => $formats:expr, $batch:expr, $compute:expr
    ) => {
        library_api! { (BlasCode)
            #[doc = $doc]
            fn $name(
                handle: usize, transa: u32, transb: u32, m: $int, n: $int, k: $int, alpha: u64,
                A: u64, $($a_type: u32,)? lda: $int, $($a_stride: i64,)?
                B: u64, $($b_type: u32,)? ldb: $int, $($b_stride: i64,)?
                beta: u64,
                C: u64, $($c_type: u32,)? ldc: $int, $($c_stride: i64,)?
                $($count: $int,)? $($compute_type: u32, _algo: c_int,)?
            ) {
                HANDLES.get(handle)?;
                let [a, b, c] = $formats;
                Gemm {
                    of: (stringify!($name), handle),
                    operations: [transa, transb],
                    sizes: [m.into(), n.into(), k.into()],
                    factors: [alpha, beta],
                    matrices: [(a, A, lda.into()), (b, B, ldb.into()), (c, C, ldc.into())],
                    batch: $batch,
                    compute: $compute,
                }
                .submit()
            }
        }
    };
}

/// Defines the products of one element type: of single matrices, and of batches.
macro_rules! gemm {
    ($int:ty: $($type:ty: $one:ident $strided:ident $batched:ident,)*) => {$(
        product! { "`C = alpha op(A) op(B) + beta C`."
            $one($int) [,] [,] [,] [] [] => [<$type>::FORMAT; 3], ONE, None
        }
        product! { "Batched `C = alpha op(A) op(B) + beta C`, with matrices at equal distances."
            $strided($int) [,strideA] [,strideB] [,strideC] [batchCount] [] => [<$type>::FORMAT; 3],
            (Some([strideA, strideB, strideC]), batchCount.into()), None
        }
        product! { "Batched `C = alpha op(A) op(B) + beta C`, with arrays of addresses in device \
memory. The arrays are read during the call, after preceding work of the stream."
            $batched($int) [,] [,] [,] [batchCount] [] => [<$type>::FORMAT; 3],
            (None, batchCount.into()), None
        }
    )*};
}
gemm! { c_int:
    f32: cublasSgemm_v2 cublasSgemmStridedBatched cublasSgemmBatched,
    f64: cublasDgemm_v2 cublasDgemmStridedBatched cublasDgemmBatched,
    Complex32: cublasCgemm_v2 cublasCgemmStridedBatched cublasCgemmBatched,
    Complex64: cublasZgemm_v2 cublasZgemmStridedBatched cublasZgemmBatched,
    Complex32: cublasCgemm3m cublasCgemm3mStridedBatched cublasCgemm3mBatched,
    f16: cublasHgemm cublasHgemmStridedBatched cublasHgemmBatched,
}
gemm! { i64:
    f32: cublasSgemm_v2_64 cublasSgemmStridedBatched_64 cublasSgemmBatched_64,
    f64: cublasDgemm_v2_64 cublasDgemmStridedBatched_64 cublasDgemmBatched_64,
    Complex32: cublasCgemm_v2_64 cublasCgemmStridedBatched_64 cublasCgemmBatched_64,
    Complex64: cublasZgemm_v2_64 cublasZgemmStridedBatched_64 cublasZgemmBatched_64,
    Complex32: cublasCgemm3m_64 cublasCgemm3mStridedBatched_64 cublasCgemm3mBatched_64,
    f16: cublasHgemm_64 cublasHgemmStridedBatched_64 cublasHgemmBatched_64,
}
product! { "`C = alpha op(A) op(B) + beta C`."
    cublasZgemm3m(c_int) [,] [,] [,] [] [] => [Complex64::FORMAT; 3], ONE, None
}
product! { "`C = alpha op(A) op(B) + beta C`."
    cublasZgemm3m_64(i64) [,] [,] [,] [] [] => [Complex64::FORMAT; 3], ONE, None
}

fn formats(types: [u32; 3]) -> Answer<[Format; 3]> {
    let [a, b, c] = types;
    Ok([Format::of_c("Atype", a)?, Format::of_c("Btype", b)?, Format::of_c("Ctype", c)?])
}

macro_rules! gemm_ex {
    ($int:ty: $one:ident $strided:ident $batched:ident) => {
        product! { "`C = alpha op(A) op(B) + beta C` with explicit types."
            $one($int) [Atype,] [Btype,] [Ctype,] [] [computeType] =>
            formats([Atype, Btype, Ctype])?, ONE, Some(computeType)
        }
        product! { "Batched product with explicit types, with matrices at equal distances."
            $strided($int) [Atype, strideA] [Btype, strideB] [Ctype, strideC] [batchCount] [computeType] =>
            formats([Atype, Btype, Ctype])?,
            (Some([strideA, strideB, strideC]), batchCount.into()), Some(computeType)
        }
        product! { "Batched product with explicit types, with arrays of addresses in device memory."
            $batched($int) [Atype,] [Btype,] [Ctype,] [batchCount] [computeType] =>
            formats([Atype, Btype, Ctype])?, (None, batchCount.into()), Some(computeType)
        }
    };
}
gemm_ex! { c_int: cublasGemmEx cublasGemmStridedBatchedEx cublasGemmBatchedEx }
gemm_ex! { i64: cublasGemmEx_64 cublasGemmStridedBatchedEx_64 cublasGemmBatchedEx_64 }
