//! Level 2: a matrix and vectors.

use super::for_types;
use crate::call::{Call, Integer, operation, second, size};
use crate::code::{Answer, BlasCode};
use crate::level3::{Other, add_half, solve, whole};
use crate::number::Number;
use crate::view::{Operation, View, multiply};
use num_complex::{Complex32, Complex64};
use texunit_client::library_api;
use texunit_client::work::Region;

const CHANGED: u64 = Region::READ | Region::WRITTEN;
/// Half of a matrix is used, and what is in the other does not matter.
const HALF: u64 = Region::READ | Region::MAY_BE_UNDEFINED;

/// A vector: where it is, and the step from a number to the next.
type Vector = (u64, Integer);
/// A matrix: where it is, and the step from a column to the next.
type Matrix = (u64, Integer);
/// A function, and the handle that it is called with.
type Of = (&'static str, usize);

/// Access to what is multiplied by `beta` and added to: it is not read if that is 0.
fn access(beta_is_zero: bool) -> u64 {
    if beta_is_zero { Region::WRITTEN } else { CHANGED }
}

macro_rules! gemv {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `y = alpha op(A) x + beta y`.
            fn $name(
                handle: usize,
                trans: u32,
                m: $int,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                x: u64,
                incx: $int,
                beta: u64,
                y: u64,
                incy: $int,
            ) {
                gemv::<$type>(
                    (stringify!($name), handle),
                    operation("trans", trans)?,
                    [m.into(), n.into()],
                    [alpha, beta],
                    (A, lda.into()),
                    [(x, incx.into()), (y, incy.into())],
                )
            }
        }
    };
}
for_types! { gemv:
    f32: cublasSgemv_v2 cublasSgemv_v2_64, f64: cublasDgemv_v2 cublasDgemv_v2_64,
    Complex32: cublasCgemv_v2 cublasCgemv_v2_64, Complex64: cublasZgemv_v2 cublasZgemv_v2_64,
}

fn gemv<T: Number>(
    (function, handle): Of,
    trans: Operation,
    [m, n]: [Integer; 2],
    [alpha, beta]: [u64; 2],
    a: Matrix,
    [x, y]: [Vector; 2],
) -> Answer {
    let mut call = Call::new(function, handle)?;
    let [m, n] = [size("m", m)?, size("n", n)?];
    let [rows, columns] = if trans == Operation::None { [m, n] } else { [n, m] };
    call.matrix::<T>(a.0, [m, n], ("lda", a.1), Region::READ)?;
    call.vector::<T>(x.0, columns, x.1, Region::READ)?;
    // What is written comes last, when it is known whether it is read.
    let [alpha, beta] = [call.scalar::<T>("alpha", alpha)?, call.scalar::<T>("beta", beta)?];
    let y = call.vector::<T>(y.0, rows, y.1, access(beta.is_zero()))?;
    call.submit(move |memory| {
        let factors = (alpha.value(memory), beta.value(memory));
        let (before, after) = memory.split_at_mut(y);
        let ([a, x, ..], Some(y)) = (before, after.first_mut()) else { return };
        let a = View::new(T::of(a), m, n).after(trans);
        multiply(T::of(y), (a, View::new(T::of(x), columns, 1)), factors, 1);
    })
}

/// Rank-1 updates: `A = alpha x y^T + A`.
macro_rules! update {
    ($name:ident, $int:ty, $type:ty, $then:expr) => {
        library_api! { (BlasCode)
            /// `A = alpha x op(y) + A`.
            fn $name(
                handle: usize,
                m: $int,
                n: $int,
                alpha: u64,
                x: u64,
                incx: $int,
                y: u64,
                incy: $int,
                A: u64,
                lda: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                call.vector::<$type>(x, m, incx.into(), Region::READ)?;
                call.vector::<$type>(y, n, incy.into(), Region::READ)?;
                call.matrix::<$type>(A, [m, n], ("lda", lda.into()), CHANGED)?;
                let alpha = call.scalar::<$type>("alpha", alpha)?;
                call.submit(move |memory| {
                    let alpha = alpha.value(memory);
                    let [x, y, a, ..] = memory else { return };
                    let x = View::new(Number::of(x), m, 1);
                    let y = View::new(Number::of(y), n, 1).after($then);
                    multiply::<$type>(Number::of(a), (x, y), (alpha, num_traits::One::one()), 1);
                })
            }
        }
    };
}
macro_rules! ger {
    ($name:ident, $int:ty, $type:ty) => {
        update! { $name, $int, $type, Operation::Transpose }
    };
}
macro_rules! gerc {
    ($name:ident, $int:ty, $type:ty) => {
        update! { $name, $int, $type, Operation::Conjugate }
    };
}
for_types! { ger:
    f32: cublasSger_v2 cublasSger_v2_64, f64: cublasDger_v2 cublasDger_v2_64,
    Complex32: cublasCgeru_v2 cublasCgeru_v2_64, Complex64: cublasZgeru_v2 cublasZgeru_v2_64,
}
for_types! { gerc: Complex32: cublasCgerc_v2 cublasCgerc_v2_64, Complex64: cublasZgerc_v2 cublasZgerc_v2_64 }

/// Products with a matrix of which one half is given.
macro_rules! half_product {
    ($name:ident, $int:ty, $type:ty, $other:expr) => {
        library_api! { (BlasCode)
            /// `y = alpha A x + beta y`, where A is symmetric or Hermitian.
            fn $name(
                handle: usize,
                uplo: u32,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                x: u64,
                incx: $int,
                beta: u64,
                y: u64,
                incy: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (upper, n) = (second("uplo", uplo, ["lower", "upper"])?, size("n", n.into())?);
                call.matrix::<$type>(A, [n, n], ("lda", lda.into()), HALF)?;
                call.vector::<$type>(x, n, incx.into(), Region::READ)?;
                let alpha = call.scalar::<$type>("alpha", alpha)?;
                let beta = call.scalar::<$type>("beta", beta)?;
                let y = call.vector::<$type>(y, n, incy.into(), access(beta.is_zero()))?;
                call.submit(move |memory| {
                    let factors = (alpha.value(memory), beta.value(memory));
                    let (before, after) = memory.split_at_mut(y);
                    let ([a, x, ..], Some(y)) = (before, after.first_mut()) else { return };
                    let a = whole::<$type>(Number::of(a), n, upper, $other);
                    let factors_of = (View::new(&a, n, n), View::new(Number::of(x), n, 1));
                    multiply::<$type>(Number::of(y), factors_of, factors, 1);
                })
            }
        }
    };
}
macro_rules! symv {
    ($name:ident, $int:ty, $type:ty) => {
        half_product! { $name, $int, $type, Other::Symmetric }
    };
}
macro_rules! hemv {
    ($name:ident, $int:ty, $type:ty) => {
        half_product! { $name, $int, $type, Other::Hermitian }
    };
}
for_types! { symv:
    f32: cublasSsymv_v2 cublasSsymv_v2_64, f64: cublasDsymv_v2 cublasDsymv_v2_64,
    Complex32: cublasCsymv_v2 cublasCsymv_v2_64, Complex64: cublasZsymv_v2 cublasZsymv_v2_64,
}
for_types! { hemv: Complex32: cublasChemv_v2 cublasChemv_v2_64, Complex64: cublasZhemv_v2 cublasZhemv_v2_64 }

/// Updates of one half of a matrix, with a factor of type `$factor`.
macro_rules! half_update {
    ($name:ident, $int:ty, $type:ty, $factor:ty, $of:expr, $then:expr, $hermitian:expr) => {
        library_api! { (BlasCode)
            /// `A = alpha x op(x) + A`, one half of it.
            fn $name(handle: usize, uplo: u32, n: $int, alpha: u64, x: u64, incx: $int, A: u64, lda: $int) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (upper, n) = (second("uplo", uplo, ["lower", "upper"])?, size("n", n.into())?);
                call.vector::<$type>(x, n, incx.into(), Region::READ)?;
                call.matrix::<$type>(A, [n, n], ("lda", lda.into()), CHANGED | Region::MAY_BE_UNDEFINED)?;
                let alpha = call.scalar::<$factor>("alpha", alpha)?;
                call.submit(move |memory| {
                    let (alpha, one): ($type, $type) = ($of(alpha.value(memory)), num_traits::One::one());
                    let [x, a, ..] = memory else { return };
                    let x = View::new(Number::of(x), n, 1);
                    let mut product = vec![num_traits::Zero::zero(); n * n];
                    multiply::<$type>(&mut product, (x, x.after($then)), (alpha, num_traits::Zero::zero()), 1);
                    add_half(Number::of(a), &product, n, upper, one, $hermitian);
                })
            }
        }
    };
}
macro_rules! syr {
    ($name:ident, $int:ty, $type:ty) => {
        half_update! { $name, $int, $type, $type, |alpha| alpha, Operation::Transpose, false }
    };
}
macro_rules! her {
    ($name:ident, $int:ty, $type:ty) => {
        half_update! {
            $name, $int, $type, <$type as Number>::Real, <$type as Number>::of_real, Operation::Conjugate, true
        }
    };
}
for_types! { syr:
    f32: cublasSsyr_v2 cublasSsyr_v2_64, f64: cublasDsyr_v2 cublasDsyr_v2_64,
    Complex32: cublasCsyr_v2 cublasCsyr_v2_64, Complex64: cublasZsyr_v2 cublasZsyr_v2_64,
}
for_types! { her: Complex32: cublasCher_v2 cublasCher_v2_64, Complex64: cublasZher_v2 cublasZher_v2_64 }

/// Products with a triangular matrix, and equations.
macro_rules! triangular {
    ($name:ident, $int:ty, $type:ty, $solves:expr) => {
        library_api! { (BlasCode)
            /// `x = op(A) x`, or the solution of `op(A) x = b`, where A is triangular.
            fn $name(handle: usize, uplo: u32, trans: u32, diag: u32, n: $int, A: u64, lda: $int, x: u64, incx: $int) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (upper, n) = (second("uplo", uplo, ["lower", "upper"])?, size("n", n.into())?);
                let (trans, unit) = (operation("trans", trans)?, second("diag", diag, ["non-unit", "unit"])?);
                call.matrix::<$type>(A, [n, n], ("lda", lda.into()), HALF)?;
                call.vector::<$type>(x, n, incx.into(), CHANGED)?;
                call.submit(move |memory| {
                    let [a, x, ..] = memory else { return };
                    let a = whole::<$type>(Number::of(a), n, upper, Other::Zeros { unit });
                    let a = View::new(&a, n, n).after(trans);
                    let x = <$type as Number>::of(x);
                    if n == 0 {
                        return;
                    }
                    if $solves {
                        solve(a, upper == (trans != Operation::None), x, 1, 1);
                    } else {
                        let from = x.to_vec();
                        let factors = (num_traits::One::one(), num_traits::Zero::zero());
                        multiply(x, (a, View::new(&from, n, 1)), factors, 1);
                    }
                })
            }
        }
    };
}
macro_rules! trmv {
    ($name:ident, $int:ty, $type:ty) => {
        triangular! { $name, $int, $type, false }
    };
}
macro_rules! trsv {
    ($name:ident, $int:ty, $type:ty) => {
        triangular! { $name, $int, $type, true }
    };
}
for_types! { trmv:
    f32: cublasStrmv_v2 cublasStrmv_v2_64, f64: cublasDtrmv_v2 cublasDtrmv_v2_64,
    Complex32: cublasCtrmv_v2 cublasCtrmv_v2_64, Complex64: cublasZtrmv_v2 cublasZtrmv_v2_64,
}
for_types! { trsv:
    f32: cublasStrsv_v2 cublasStrsv_v2_64, f64: cublasDtrsv_v2 cublasDtrsv_v2_64,
    Complex32: cublasCtrsv_v2 cublasCtrsv_v2_64, Complex64: cublasZtrsv_v2 cublasZtrsv_v2_64,
}
