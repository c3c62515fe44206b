//! Level 3: matrix products, single or in batches, of one type or of mixed types (`cublasGemmEx`).
//! Half, bfloat and byte matrices are multiplied in a wider type, and the result is rounded once.

use crate::api::*;
use crate::product::Product;

/// Arguments of a matrix product as the program passed them.
struct Gemm {
    /// Name of the cuBLAS function that the program called, and the `cublasHandle_t` that it
    /// passed.
    of: (&'static str, usize),
    operations: [u32; 2],
    /// The sizes m, n and k of the product.
    sizes: [Integer; 3],
    /// Addresses of alpha and beta.
    factors: [u64; 2],
    /// A, B and C: element type, address, and leading dimension.
    matrices: [(Format, u64, Integer); 3],
    /// For a batch: the distance between successive matrices of A, B and C (`None` if arrays in
    /// device memory have the matrices' addresses), and the number of matrices of each.
    batch: (Option<[i64; 3]>, Integer),
    /// `cublasComputeType_t`; `None` to compute in the type of the matrices.
    compute: Option<u32>,
}

/// The value of [`Gemm::batch`] for a single product.
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
            // If k is 0, each element is an empty sum, for which A and B are not read.
            factors[0] = Factor::ZERO;
        }
        let product = Product { count, scalar, ..Product::new(operations, operands) };
        product.submit(call, factors)
    }
}

/// The number of products, and the distances of their matrices if the function has distances.
fn batch(distances: Option<[i64; 3]>, count: impl Into<Integer>) -> (Option<[i64; 3]>, Integer) {
    (distances, count.into())
}

/// Defines a function for matrix products, with 32-bit integers and, under the name that ends in
/// `_64`, with 64-bit integers. For each of A, B and C it is given the names of the parameters for
/// the type and for the distance in a batch, if the function has them; then the parameters for the
/// number of matrices and the compute type; and then, as expressions of the parameters, the element
/// types, the batch, and the compute type.
macro_rules! product {
    ($doc:tt $name:ident $($more:tt)*) => {
        product! { @ $doc $name c_int $($more)* }
        pastey::paste! { product! { @ $doc [<$name _64>] i64 $($more)* } }
    };
    (
        @ $doc:tt $name:ident $int:ident
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

/// Defines the products of an element type ([`element!`]): of single matrices, and of batches, if
/// the start of their names is given.
macro_rules! gemm {
    ($($($letter:ident)+: $one:ident $batched:tt;)*) => {
        $($(gemm! { @ $letter $one $batched })+)*
    };
    (@ $letter:ident $one:ident [$($batched:ident)?]) => { pastey::paste! {
        product! { "`C = alpha op(A) op(B) + beta C`."
            [<cublas $letter $one>] [,] [,] [,] [] [] =>
            [<element!($letter) as Element>::FORMAT; 3], ONE, None
        }
        $(product! { "Batched `C = alpha op(A) op(B) + beta C`, with matrices at equal distances."
            [<cublas $letter $batched StridedBatched>]
            [,strideA] [,strideB] [,strideC] [batchCount] [] =>
            [<element!($letter) as Element>::FORMAT; 3],
            batch(Some([strideA, strideB, strideC]), batchCount), None
        }
        product! { "Batched `C = alpha op(A) op(B) + beta C`, with arrays of addresses in device \
memory. The arrays are read during the call, after preceding work of the stream."
            [<cublas $letter $batched Batched>] [,] [,] [,] [batchCount] [] =>
            [<element!($letter) as Element>::FORMAT; 3], batch(None, batchCount), None
        })?
    } };
}
gemm! { S D C Z: gemm_v2 [gemm]; H: gemm [gemm]; C: gemm3m [gemm3m]; Z: gemm3m []; }

fn formats(types: [u32; 3]) -> Answer<[Format; 3]> {
    let [a, b, c] = types;
    Ok([Format::of_c("Atype", a)?, Format::of_c("Btype", b)?, Format::of_c("Ctype", c)?])
}

product! { "`C = alpha op(A) op(B) + beta C` with explicit types."
    cublasGemmEx [Atype,] [Btype,] [Ctype,] [] [computeType] =>
    formats([Atype, Btype, Ctype])?, ONE, Some(computeType)
}
product! { "Batched product with explicit types, with matrices at equal distances."
    cublasGemmStridedBatchedEx
    [Atype, strideA] [Btype, strideB] [Ctype, strideC] [batchCount] [computeType] =>
    formats([Atype, Btype, Ctype])?,
    batch(Some([strideA, strideB, strideC]), batchCount), Some(computeType)
}
product! { "Batched product with explicit types, with arrays of addresses in device memory."
    cublasGemmBatchedEx [Atype,] [Btype,] [Ctype,] [batchCount] [computeType] =>
    formats([Atype, Btype, Ctype])?, batch(None, batchCount), Some(computeType)
}
