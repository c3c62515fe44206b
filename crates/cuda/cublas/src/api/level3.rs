//! Level 3: matrices of which one half says everything, equations, sums and diagonals.

use super::for_types;
use crate::call::{Call, operation, second, size};
use crate::code::BlasCode;
use crate::level3::{Other, add_half, solve, transposed, whole};
use crate::number::Number;
use crate::view::{Operation, View, multiply};
use num_complex::{Complex32, Complex64};
use num_traits::Zero;
use texunit_client::library_api;
use texunit_client::work::{Region, threads};

const CHANGED: u64 = Region::READ | Region::WRITTEN;
/// Half of a matrix is used, and what is in the other does not matter.
const HALF: u64 = Region::READ | Region::MAY_BE_UNDEFINED;

macro_rules! half_product {
    ($name:ident, $int:ty, $type:ty, $other:expr) => {
        library_api! { (BlasCode)
            /// `C = alpha A B + beta C`, or `B A` (`side`), where A is symmetric or Hermitian.
            fn $name(
                handle: usize,
                side: u32,
                uplo: u32,
                m: $int,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                B: u64,
                ldb: $int,
                beta: u64,
                C: u64,
                ldc: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (right, upper) = (second("side", side, ["left", "right"])?, second("uplo", uplo, ["lower", "upper"])?);
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                let order = if right { n } else { m };
                call.matrix::<$type>(A, [order, order], ("lda", lda.into()), HALF)?;
                call.matrix::<$type>(B, [m, n], ("ldb", ldb.into()), Region::READ)?;
                let [alpha, beta] = [call.scalar::<$type>("alpha", alpha)?, call.scalar::<$type>("beta", beta)?];
                let access = if beta.is_zero() { Region::WRITTEN } else { CHANGED };
                let c = call.matrix::<$type>(C, [m, n], ("ldc", ldc.into()), access)?;
                call.submit(move |memory| {
                    let factors = (alpha.value(memory), beta.value(memory));
                    let (before, after) = memory.split_at_mut(c);
                    let ([a, b, ..], Some(c)) = (before, after.first_mut()) else { return };
                    let a = whole::<$type>(Number::of(a), order, upper, $other);
                    let (a, b) = (View::new(&a, order, order), View::new(Number::of(b), m, n));
                    multiply::<$type>(Number::of(c), if right { (b, a) } else { (a, b) }, factors, threads());
                })
            }
        }
    };
}
macro_rules! symm {
    ($name:ident, $int:ty, $type:ty) => {
        half_product! { $name, $int, $type, Other::Symmetric }
    };
}
macro_rules! hemm {
    ($name:ident, $int:ty, $type:ty) => {
        half_product! { $name, $int, $type, Other::Hermitian }
    };
}
for_types! { symm:
    f32: cublasSsymm_v2 cublasSsymm_v2_64, f64: cublasDsymm_v2 cublasDsymm_v2_64,
    Complex32: cublasCsymm_v2 cublasCsymm_v2_64, Complex64: cublasZsymm_v2 cublasZsymm_v2_64,
}
for_types! { hemm: Complex32: cublasChemm_v2 cublasChemm_v2_64, Complex64: cublasZhemm_v2 cublasZhemm_v2_64 }

/// Updates of one half: with factors of type `$factor`.
macro_rules! half_update {
    ($name:ident, $int:ty, $type:ty, $factor:ty, $of:expr, $then:expr, $hermitian:expr) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) op(A)^T + beta C`, one half of it; of Hermitian matrices with the conjugate.
            fn $name(
                handle: usize,
                uplo: u32,
                trans: u32,
                n: $int,
                k: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                beta: u64,
                C: u64,
                ldc: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (upper, trans) = (second("uplo", uplo, ["lower", "upper"])?, operation("trans", trans)?);
                let [n, k] = [size("n", n.into())?, size("k", k.into())?];
                let shape = if trans == Operation::None { [n, k] } else { [k, n] };
                call.matrix::<$type>(A, shape, ("lda", lda.into()), Region::READ)?;
                call.matrix::<$type>(C, [n, n], ("ldc", ldc.into()), CHANGED | Region::MAY_BE_UNDEFINED)?;
                let [alpha, beta] = [call.scalar::<$factor>("alpha", alpha)?, call.scalar::<$factor>("beta", beta)?];
                call.submit(move |memory| {
                    let (alpha, beta): ($type, $type) = ($of(alpha.value(memory)), $of(beta.value(memory)));
                    let [a, c, ..] = memory else { return };
                    let a = View::new(Number::of(a), shape[0], shape[1]);
                    let (a, other) = match trans {
                        Operation::None => (a, a.after($then)),
                        _ => (a.after($then), a),
                    };
                    let mut product = vec![Zero::zero(); n * n];
                    multiply::<$type>(&mut product, (a, other), (alpha, Zero::zero()), threads());
                    add_half(Number::of(c), &product, n, upper, beta, $hermitian);
                })
            }
        }
    };
}
macro_rules! syrk {
    ($name:ident, $int:ty, $type:ty) => {
        half_update! { $name, $int, $type, $type, |factor| factor, Operation::Transpose, false }
    };
}
macro_rules! herk {
    ($name:ident, $int:ty, $type:ty) => {
        half_update! {
            $name, $int, $type, <$type as Number>::Real, <$type as Number>::of_real, Operation::Conjugate, true
        }
    };
}
for_types! { syrk:
    f32: cublasSsyrk_v2 cublasSsyrk_v2_64, f64: cublasDsyrk_v2 cublasDsyrk_v2_64,
    Complex32: cublasCsyrk_v2 cublasCsyrk_v2_64, Complex64: cublasZsyrk_v2 cublasZsyrk_v2_64,
}
for_types! { herk: Complex32: cublasCherk_v2 cublasCherk_v2_64, Complex64: cublasZherk_v2 cublasZherk_v2_64 }

macro_rules! trsm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// Solves `op(A) X = alpha B`, or `X op(A) = alpha B` (`side`); X is in the place of B.
            fn $name(
                handle: usize,
                side: u32,
                uplo: u32,
                trans: u32,
                diag: u32,
                m: $int,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                B: u64,
                ldb: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (right, upper) = (second("side", side, ["left", "right"])?, second("uplo", uplo, ["lower", "upper"])?);
                let (trans, unit) = (operation("trans", trans)?, second("diag", diag, ["non-unit", "unit"])?);
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                let order = if right { n } else { m };
                call.matrix::<$type>(A, [order, order], ("lda", lda.into()), HALF)?;
                call.matrix::<$type>(B, [m, n], ("ldb", ldb.into()), CHANGED)?;
                let alpha = call.scalar::<$type>("alpha", alpha)?;
                call.submit(move |memory| {
                    let alpha = alpha.value(memory);
                    let [a, b, ..] = memory else { return };
                    let a = whole::<$type>(Number::of(a), order, upper, Other::Zeros { unit });
                    let a = View::new(&a, order, order).after(trans);
                    let lower = upper == (trans != Operation::None);
                    let b = <$type as Number>::of(b);
                    b.iter_mut().for_each(|number| *number *= alpha);
                    if b.is_empty() {
                        return;
                    }
                    if right {
                        // The transposed equation has the matrix on the left.
                        let mut other = transposed(b, m, n);
                        solve(a.transposed(), !lower, &mut other, m, threads());
                        b.copy_from_slice(&transposed(&other, n, m));
                    } else {
                        solve(a, lower, b, n, threads());
                    }
                })
            }
        }
    };
}
for_types! { trsm:
    f32: cublasStrsm_v2 cublasStrsm_v2_64, f64: cublasDtrsm_v2 cublasDtrsm_v2_64,
    Complex32: cublasCtrsm_v2 cublasCtrsm_v2_64, Complex64: cublasZtrsm_v2 cublasZtrsm_v2_64,
}

macro_rules! trmm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) B`, or `alpha B op(A)` (`side`), where A is triangular; C may be B.
            fn $name(
                handle: usize,
                side: u32,
                uplo: u32,
                trans: u32,
                diag: u32,
                m: $int,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                B: u64,
                ldb: $int,
                C: u64,
                ldc: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let (right, upper) = (second("side", side, ["left", "right"])?, second("uplo", uplo, ["lower", "upper"])?);
                let (trans, unit) = (operation("trans", trans)?, second("diag", diag, ["non-unit", "unit"])?);
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                let order = if right { n } else { m };
                call.matrix::<$type>(A, [order, order], ("lda", lda.into()), HALF)?;
                call.matrix::<$type>(B, [m, n], ("ldb", ldb.into()), Region::READ)?;
                call.matrix::<$type>(C, [m, n], ("ldc", ldc.into()), Region::WRITTEN)?;
                let alpha = call.scalar::<$type>("alpha", alpha)?;
                call.submit(move |memory| {
                    let alpha = alpha.value(memory);
                    let [a, b, c, ..] = memory else { return };
                    let a = whole::<$type>(Number::of(a), order, upper, Other::Zeros { unit });
                    let a = View::new(&a, order, order).after(trans);
                    let b = View::new(Number::of(b), m, n);
                    let factors = (alpha, Zero::zero());
                    multiply::<$type>(Number::of(c), if right { (b, a) } else { (a, b) }, factors, threads());
                })
            }
        }
    };
}
for_types! { trmm:
    f32: cublasStrmm_v2 cublasStrmm_v2_64, f64: cublasDtrmm_v2 cublasDtrmm_v2_64,
    Complex32: cublasCtrmm_v2 cublasCtrmm_v2_64, Complex64: cublasZtrmm_v2 cublasZtrmm_v2_64,
}

macro_rules! geam {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = alpha op(A) + beta op(B)`; of a factor 0, the matrix is not read.
            fn $name(
                handle: usize,
                transa: u32,
                transb: u32,
                m: $int,
                n: $int,
                alpha: u64,
                A: u64,
                lda: $int,
                beta: u64,
                B: u64,
                ldb: $int,
                C: u64,
                ldc: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let operations = [operation("transa", transa)?, operation("transb", transb)?];
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                let factors = [call.scalar::<$type>("alpha", alpha)?, call.scalar::<$type>("beta", beta)?];
                let mut first = None;
                let mut shapes = [[0; 2]; 2];
                let given = [(A, lda, "lda"), (B, ldb, "ldb")];
                for (i, (address, leading, name)) in given.into_iter().enumerate() {
                    let shape = if operations[i] == Operation::None { [m, n] } else { [n, m] };
                    shapes[i] = if factors[i].is_zero() { [0, 0] } else { shape };
                    let leading = if factors[i].is_zero() { 1 } else { leading.into() };
                    let region = call.matrix::<$type>(address, shapes[i], (name, leading), Region::READ)?;
                    first.get_or_insert(region);
                }
                call.matrix::<$type>(C, [m, n], ("ldc", ldc.into()), Region::WRITTEN)?;
                let first = first.unwrap_or_default();
                call.submit(move |memory| {
                    let factors = factors.map(|factor| factor.value(memory));
                    let [a, b, c, ..] = &mut memory[first..] else { return };
                    let of = |bytes, i: usize| {
                        View::<$type>::new(Number::of(bytes), shapes[i][0], shapes[i][1]).after(operations[i])
                    };
                    let (a, b) = (of(a, 0), of(b, 1));
                    for (i, c) in <$type as Number>::of(c).iter_mut().enumerate() {
                        let (row, column) = (i % m, i / m);
                        let term = |of: &View<'_, $type>, factor: $type| match of.rows {
                            0 => Zero::zero(),
                            _ => factor * of.at(row, column),
                        };
                        *c = term(&a, factors[0]) + term(&b, factors[1]);
                    }
                })
            }
        }
    };
}
for_types! { geam:
    f32: cublasSgeam cublasSgeam_64, f64: cublasDgeam cublasDgeam_64,
    Complex32: cublasCgeam cublasCgeam_64, Complex64: cublasZgeam cublasZgeam_64,
}

macro_rules! dgmm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `C = diag(x) A`, or `A diag(x)` (`mode`).
            fn $name(
                handle: usize,
                mode: u32,
                m: $int,
                n: $int,
                A: u64,
                lda: $int,
                x: u64,
                incx: $int,
                C: u64,
                ldc: $int,
            ) {
                let mut call = Call::new(stringify!($name), handle)?;
                let right = second("mode", mode, ["left", "right"])?;
                let [m, n] = [size("m", m.into())?, size("n", n.into())?];
                call.matrix::<$type>(A, [m, n], ("lda", lda.into()), Region::READ)?;
                call.vector::<$type>(x, if right { n } else { m }, incx.into(), Region::READ)?;
                call.matrix::<$type>(C, [m, n], ("ldc", ldc.into()), Region::WRITTEN)?;
                call.submit(move |memory| {
                    let [a, x, c, ..] = memory else { return };
                    let (a, x) = (<$type as Number>::of(a), <$type as Number>::of(x));
                    for ((i, c), &a) in <$type as Number>::of(c).iter_mut().enumerate().zip(&*a) {
                        *c = a * x[if right { i / m } else { i % m }];
                    }
                })
            }
        }
    };
}
for_types! { dgmm:
    f32: cublasSdgmm cublasSdgmm_64, f64: cublasDdgmm cublasDdgmm_64,
    Complex32: cublasCdgmm cublasCdgmm_64, Complex64: cublasZdgmm cublasZdgmm_64,
}
