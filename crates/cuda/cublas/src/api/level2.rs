//! Level 2: functions of a matrix and vectors. A vector is treated as a matrix of one column, so
//! that these functions use those of level 3.

use super::gemm::shapes;
use super::level3::{half_product, half_update, triangular};
use super::{Real, Same, for_types};
use crate::call::{Call, operation};
use crate::code::BlasCode;
use crate::level3::OtherTriangle;
use crate::number::Element;
use crate::operand::{Factor, Operand, sizes};
use crate::product::Product;
use crate::view::Operation;
use num_complex::{Complex32, Complex64};
use texunit_client::library_api;

macro_rules! gemv {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `y = alpha op(A) x + beta y`.
            fn $name(
                handle: usize, trans: u32, m: $int, n: $int, alpha: u64, A: u64, lda: $int, x: u64,
                incx: $int, beta: u64, y: u64, incy: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let trans = operation("trans", trans)?;
                let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
                let [[rows, columns], _] = shapes([trans, Operation::None], [m, 1, n]);
                let operands = [
                    Operand::matrix(<$type>::FORMAT, A, [m, n], ("lda", lda.into()))?,
                    Operand::stepped::<$type>(x, columns, ("incx", incx.into()))?,
                    Operand::stepped::<$type>(y, rows, ("incy", incy.into()))?,
                ];
                let alpha = Factor::new(&mut call, "alpha", alpha, <$type>::FORMAT)?;
                let beta = Factor::new(&mut call, "beta", beta, <$type>::FORMAT)?;
                Product::new([trans, Operation::None], operands).submit(call, [alpha, beta])
            }
        }
    };
}
for_types! { gemv:
    f32: cublasSgemv_v2 cublasSgemv_v2_64, f64: cublasDgemv_v2 cublasDgemv_v2_64,
    Complex32: cublasCgemv_v2 cublasCgemv_v2_64, Complex64: cublasZgemv_v2 cublasZgemv_v2_64,
}

/// Rank-1 updates.
macro_rules! ger {
    ($name:ident, $int:ty, $type:ty, $then:expr) => {
        library_api! { (BlasCode)
            /// `A = alpha x op(y) + A`.
            fn $name(
                handle: usize, m: $int, n: $int, alpha: u64, x: u64, incx: $int, y: u64, incy: $int,
                A: u64, lda: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
                let operands = [
                    Operand::stepped::<$type>(x, m, ("incx", incx.into()))?,
                    Operand::stepped::<$type>(y, n, ("incy", incy.into()))?,
                    Operand::matrix(<$type>::FORMAT, A, [m, n], ("lda", lda.into()))?,
                ];
                let alpha = Factor::new(&mut call, "alpha", alpha, <$type>::FORMAT)?;
                Product::new([Operation::None, $then], operands).submit(call, [alpha, Factor::ONE])
            }
        }
    };
}
for_types! { ger(Operation::Transpose):
    f32: cublasSger_v2 cublasSger_v2_64, f64: cublasDger_v2 cublasDger_v2_64,
    Complex32: cublasCgeru_v2 cublasCgeru_v2_64, Complex64: cublasZgeru_v2 cublasZgeru_v2_64,
}
for_types! { ger(Operation::Conjugate):
    Complex32: cublasCgerc_v2 cublasCgerc_v2_64, Complex64: cublasZgerc_v2 cublasZgerc_v2_64,
}

/// Products with a symmetric or Hermitian matrix of which one triangle is stored.
macro_rules! symv {
    ($name:ident, $int:ty, $type:ty, $other:expr) => {
        library_api! { (BlasCode)
            /// `y = alpha A x + beta y`, where A is symmetric or Hermitian.
            fn $name(
                handle: usize, uplo: u32, n: $int, alpha: u64, A: u64, lda: $int, x: u64,
                incx: $int, beta: u64, y: u64, incy: $int,
            ) {
                let call = Call::new(stringify!($name), handle)?;
                let [n] = sizes([("n", n.into())])?;
                let operands = [
                    Operand::matrix(<$type>::FORMAT, A, [n, n], ("lda", lda.into()))?,
                    Operand::stepped::<$type>(x, n, ("incx", incx.into()))?,
                    Operand::stepped::<$type>(y, n, ("incy", incy.into()))?,
                ];
                half_product::<$type>(call, [0, uplo], $other, [alpha, beta], operands)
            }
        }
    };
}
for_types! { symv(OtherTriangle::Symmetric):
    f32: cublasSsymv_v2 cublasSsymv_v2_64, f64: cublasDsymv_v2 cublasDsymv_v2_64,
    Complex32: cublasCsymv_v2 cublasCsymv_v2_64, Complex64: cublasZsymv_v2 cublasZsymv_v2_64,
}
for_types! { symv(OtherTriangle::Hermitian):
    Complex32: cublasChemv_v2 cublasChemv_v2_64, Complex64: cublasZhemv_v2 cublasZhemv_v2_64,
}

/// Rank-1 updates of one triangle, with a scalar of type `$factor`.
macro_rules! syr {
    ($name:ident, $int:ty, $type:ty, $factor:ident, $other:expr) => {
        library_api! { (BlasCode)
            /// `A = alpha x op(x) + A`, one triangle of it.
            fn $name(handle: usize, uplo: u32, n: $int, alpha: u64, x: u64, incx: $int, A: u64, lda: $int) {
                let mut call = Call::new(stringify!($name), handle)?;
                let [n] = sizes([("n", n.into())])?;
                let operands = [
                    Operand::stepped::<$type>(x, n, ("incx", incx.into()))?,
                    Operand::matrix(<$type>::FORMAT, A, [n, n], ("lda", lda.into()))?,
                ];
                let alpha = Factor::new(&mut call, "alpha", alpha, <$factor<$type>>::FORMAT)?;
                half_update::<$type>(call, uplo, Operation::None, $other, [alpha, Factor::ONE], operands)
            }
        }
    };
}
for_types! { syr(Same, OtherTriangle::Symmetric):
    f32: cublasSsyr_v2 cublasSsyr_v2_64, f64: cublasDsyr_v2 cublasDsyr_v2_64,
    Complex32: cublasCsyr_v2 cublasCsyr_v2_64, Complex64: cublasZsyr_v2 cublasZsyr_v2_64,
}
for_types! { syr(Real, OtherTriangle::Hermitian):
    Complex32: cublasCher_v2 cublasCher_v2_64, Complex64: cublasZher_v2 cublasZher_v2_64,
}

/// Products with a triangular matrix, and solutions of triangular systems.
macro_rules! trmv {
    ($name:ident, $int:ty, $type:ty, $solves:expr) => {
        library_api! { (BlasCode)
            /// `x = op(A) x`, or the solution `x` of `op(A) x = b`, where A is triangular.
            fn $name(handle: usize, uplo: u32, trans: u32, diag: u32, n: $int, A: u64, lda: $int, x: u64, incx: $int) {
                let call = Call::new(stringify!($name), handle)?;
                let [n] = sizes([("n", n.into())])?;
                let a = Operand::matrix(<$type>::FORMAT, A, [n, n], ("lda", lda.into()))?;
                let x = Operand::stepped::<$type>(x, n, ("incx", incx.into()))?;
                triangular::<$type>(call, [0, uplo, trans, diag], Factor::ONE, [a, x, x], $solves)
            }
        }
    };
}
for_types! { trmv(false):
    f32: cublasStrmv_v2 cublasStrmv_v2_64, f64: cublasDtrmv_v2 cublasDtrmv_v2_64,
    Complex32: cublasCtrmv_v2 cublasCtrmv_v2_64, Complex64: cublasZtrmv_v2 cublasZtrmv_v2_64,
}
for_types! { trmv(true):
    f32: cublasStrsv_v2 cublasStrsv_v2_64, f64: cublasDtrsv_v2 cublasDtrsv_v2_64,
    Complex32: cublasCtrsv_v2 cublasCtrsv_v2_64, Complex64: cublasZtrsv_v2 cublasZtrsv_v2_64,
}
