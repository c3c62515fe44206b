//! Level 3 except general products: functions of symmetric, Hermitian and triangular matrices, of
//! which one triangle is stored, sums of matrices, and products with diagonal matrices.

use super::gemm::shapes;
use crate::api::*;
use crate::level3::{OtherTriangle, add_half, completed, solve, transposed};
use crate::view::{View, multiply};

/// Access flags of a matrix of which one triangle is read; the other triangle may be uninitialised.
const HALF: u64 = Region::READ | Region::MAY_BE_UNDEFINED;

fn is_right(side: u32) -> Answer<bool> {
    second("side", side, ["left", "right"])
}

fn is_upper(uplo: u32) -> Answer<bool> {
    second("uplo", uplo, ["lower", "upper"])
}

/// `C = alpha A B + beta C`, or `B A`, for the operands A, B and C, where one triangle of A is
/// stored.
pub(super) fn half_product<T: Number>(
    mut call: Call,
    [side, uplo]: [u32; 2],
    other: OtherTriangle,
    factors: [u64; 2],
    [a, b, c]: [Operand; 3],
) -> Answer {
    let (right, upper) = (is_right(side)?, is_upper(uplo)?);
    let [alpha, beta] = Factor::both(&mut call, factors, T::FORMAT)?;
    let a = a.add(&mut call, 1, HALF)?;
    let b = b.add(&mut call, 1, Region::READ)?;
    let c = c.add(&mut call, 1, changed(beta))?;
    call.submit(move |memory| {
        let factors = (alpha.value(memory), beta.value(memory));
        c.change::<T>(memory, 0, |to, memory| {
            let (a, b) = (a.read::<T>(memory, 0), b.read::<T>(memory, 0));
            let full = completed(a.all(), a.view().rows, upper, other);
            let (a, b) = (View::new(&full, a.view().rows, a.view().rows), b.view());
            multiply((to, c.steps()), if right { (b, a) } else { (a, b) }, factors, threads());
        });
    })
}

/// `C = alpha op(A) op(A)^T + beta C`, of which one triangle is computed, for the operands A and C;
/// with the conjugate transpose, if C is Hermitian.
pub(super) fn half_update<T: Number>(
    mut call: Call,
    uplo: u32,
    trans: Operation,
    other: OtherTriangle,
    [alpha, beta]: [Factor; 2],
    [a, c]: [Operand; 2],
) -> Answer {
    let upper = is_upper(uplo)?;
    let hermitian = other == OtherTriangle::Hermitian;
    let then = if hermitian { Operation::Conjugate } else { Operation::Transpose };
    let a = a.add(&mut call, 1, Region::READ)?;
    let c = c.add(&mut call, 1, CHANGED | Region::MAY_BE_UNDEFINED)?;
    call.submit(move |memory| {
        let (alpha, beta) = (alpha.value::<T>(memory), beta.value(memory));
        c.change::<T>(memory, 0, |to, memory| {
            let a = a.read(memory, 0);
            let factors = match trans {
                Operation::None => (a.view(), a.view().after(then)),
                _ => (a.view().after(then), a.view()),
            };
            let n = c.rows;
            let mut product = vec![T::zero(); n * n];
            multiply((&mut product, [1, n]), factors, (alpha, T::zero()), threads());
            add_half(to, &product, n, upper, beta, hermitian);
        });
    })
}

/// `C = alpha op(A) B`, or `B op(A)`, for the operands A, B and C, where A is triangular; or the
/// solution C of `op(A) C = alpha B`. C may be B. `modes` are side, uplo, trans and diag.
pub(super) fn triangular<T: Number>(
    mut call: Call,
    [side, uplo, trans, diag]: [u32; 4],
    alpha: Factor,
    [a, b, c]: [Operand; 3],
    solves: bool,
) -> Answer {
    let (right, upper) = (is_right(side)?, is_upper(uplo)?);
    let (trans, unit) = (operation("trans", trans)?, second("diag", diag, ["non-unit", "unit"])?);
    let order = a.rows;
    let a = a.add(&mut call, 1, HALF)?;
    let b = b.add(&mut call, 1, Region::READ)?;
    let c = c.add(&mut call, 1, Region::WRITTEN)?;
    call.submit(move |memory| {
        let alpha = alpha.value::<T>(memory);
        c.change::<T>(memory, 0, |to, memory| {
            if alpha.is_zero() {
                to.fill(T::zero());
                return;
            }
            let (a, b) = (a.read::<T>(memory, 0), b.read::<T>(memory, 0));
            let full = completed(a.all(), order, upper, OtherTriangle::Zeros { unit });
            let a = View::new(&full, order, order).after(trans);
            if !solves {
                let factors = if right { (b.view(), a) } else { (a, b.view()) };
                multiply((to, c.steps()), factors, (alpha, T::zero()), threads());
                return;
            }
            for (to, &number) in to.iter_mut().zip(b.all()) {
                *to = number * alpha;
            }
            let lower = upper == (trans != Operation::None);
            if right {
                // `X op(A) = B` is solved in transposed form, with the matrix on the left.
                let mut turned = transposed(to, c.rows, c.columns);
                solve(a.transposed(), !lower, &mut turned, c.rows, threads());
                to.copy_from_slice(&transposed(&turned, c.columns, c.rows));
            } else {
                solve(a, lower, to, c.columns, threads());
            }
        });
    })
}

/// The operands of a product with a square matrix on the left or right (`side`): the square matrix,
/// and two matrices of `m` rows and `n` columns, each given by address and leading dimension.
fn sided<T: Number>(
    side: u32,
    [m, n]: [i64; 2],
    [a, b, c]: [(u64, i64); 3],
) -> Answer<[Operand; 3]> {
    let [m, n] = sizes([("m", m), ("n", n)])?;
    let order = if is_right(side)? { n } else { m };
    let operand =
        |(address, leading), size, name| Operand::matrix(T::FORMAT, address, size, (name, leading));
    Ok([operand(a, [order; 2], "lda")?, operand(b, [m, n], "ldb")?, operand(c, [m, n], "ldc")?])
}

blas! {
    /// `C = alpha A B + beta C`, or `B A` (`side`), where A is symmetric or Hermitian.
    fn(
        call, side: u32, uplo: u32, m: Int, n: Int, alpha: u64, A: u64,
        lda: Int, B: u64, ldb: Int, beta: u64, C: u64, ldc: Int,
    ) {
        let matrices = [(A, lda.into()), (B, ldb.into()), (C, ldc.into())];
        let operands = sided::<T>(side, [m.into(), n.into()], matrices)?;
        half_product::<T>(call, [side, uplo], OTHER, [alpha, beta], operands)
    }
    [const OTHER: OtherTriangle = OtherTriangle::Symmetric;] S D C Z: symm_v2;
    [const OTHER: OtherTriangle = OtherTriangle::Hermitian;] C Z: hemm_v2;
}

blas! {
    /// `C = alpha op(A) op(A)^T + beta C`, of which one triangle is computed; with the conjugate
    /// transpose for Hermitian matrices.
    fn(
        call, uplo: u32, trans: u32, n: Int, k: Int, alpha: u64, A: u64,
        lda: Int, beta: u64, C: u64, ldc: Int,
    ) {
        let trans = operation("trans", trans)?;
        let [n, k] = sizes([("n", n.into()), ("k", k.into())])?;
        let [shape, _] = shapes([trans, Operation::None], [n, n, k]);
        let operands = [
            Operand::matrix(T::FORMAT, A, shape, ("lda", lda.into()))?,
            Operand::matrix(T::FORMAT, C, [n, n], ("ldc", ldc.into()))?,
        ];
        let factors = Factor::both(&mut call, [alpha, beta], Scalar::FORMAT)?;
        half_update::<T>(call, uplo, trans, OTHER, factors, operands)
    }
    [type Scalar = Same<T>; const OTHER: OtherTriangle = OtherTriangle::Symmetric;]
    S D C Z: syrk_v2;
    [type Scalar = Real<T>; const OTHER: OtherTriangle = OtherTriangle::Hermitian;] C Z: herk_v2;
}

blas! {
    /// Solves `op(A) X = alpha B`, or `X op(A) = alpha B` (`side`); X overwrites B.
    fn(
        call, side: u32, uplo: u32, trans: u32, diag: u32, m: Int, n: Int,
        alpha: u64, A: u64, lda: Int, B: u64, ldb: Int,
    ) {
        let matrices = [(A, lda.into()), (B, ldb.into()), (B, ldb.into())];
        let operands = sided::<T>(side, [m.into(), n.into()], matrices)?;
        let alpha = Factor::new(&mut call, "alpha", alpha, T::FORMAT)?;
        triangular::<T>(call, [side, uplo, trans, diag], alpha, operands, true)
    }
    [] S D C Z: trsm_v2;
}

blas! {
    /// `C = alpha op(A) B`, or `alpha B op(A)` (`side`), where A is triangular; C may be B.
    fn(
        call, side: u32, uplo: u32, trans: u32, diag: u32, m: Int, n: Int,
        alpha: u64, A: u64, lda: Int, B: u64, ldb: Int, C: u64, ldc: Int,
    ) {
        let matrices = [(A, lda.into()), (B, ldb.into()), (C, ldc.into())];
        let operands = sided::<T>(side, [m.into(), n.into()], matrices)?;
        let alpha = Factor::new(&mut call, "alpha", alpha, T::FORMAT)?;
        triangular::<T>(call, [side, uplo, trans, diag], alpha, operands, false)
    }
    [] S D C Z: trmm_v2;
}

/// `C = alpha op(A) + beta op(B)`; a matrix whose scalar is 0 is not read.
fn sum<T: Number>(
    mut call: Call,
    operations: [Operation; 2],
    factors: [Factor; 2],
    [a, b, c]: [Operand; 3],
) -> Answer {
    let mut add = |of: Operand, factor: Factor| match factor.is_zero() {
        true => Ok(None),
        false => of.add(&mut call, 1, Region::READ).map(Some),
    };
    let terms = [add(a, factors[0])?, add(b, factors[1])?];
    let c = c.add(&mut call, 1, Region::WRITTEN)?;
    call.submit(move |memory| {
        c.change::<T>(memory, 0, |to, memory| {
            to.fill(T::zero());
            for ((term, operation), factor) in terms.iter().zip(operations).zip(factors) {
                let Some(term) = term else { continue };
                let (numbers, factor) = (term.read::<T>(memory, 0), factor.value::<T>(memory));
                let view = numbers.view().after(operation);
                for (row, column, number) in c.places(to) {
                    *number += factor * view.at(row, column);
                }
            }
        });
    })
}

blas! {
    /// `C = alpha op(A) + beta op(B)`.
    fn(
        call, transa: u32, transb: u32, m: Int, n: Int, alpha: u64, A: u64,
        lda: Int, beta: u64, B: u64, ldb: Int, C: u64, ldc: Int,
    ) {
        let operations = [operation("transa", transa)?, operation("transb", transb)?];
        let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
        let factors = Factor::both(&mut call, [alpha, beta], T::FORMAT)?;
        let [[a, _], [b, _]] = operations.map(|of| shapes([of, of], [m, 0, n]));
        let operands = [
            Operand::matrix(T::FORMAT, A, a, ("lda", lda.into()))?,
            Operand::matrix(T::FORMAT, B, b, ("ldb", ldb.into()))?,
            Operand::matrix(T::FORMAT, C, [m, n], ("ldc", ldc.into()))?,
        ];
        sum::<T>(call, operations, factors, operands)
    }
    [] S D C Z: geam;
}

/// `C = diag(x) A`, or (`right`) `A diag(x)`, for the operands A, x and C.
fn scale<T: Number>(mut call: Call, right: bool, [a, x, c]: [Operand; 3]) -> Answer {
    let a = a.add(&mut call, 1, Region::READ)?;
    let x = x.add(&mut call, 1, Region::READ)?;
    let c = c.add(&mut call, 1, Region::WRITTEN)?;
    call.submit(move |memory| {
        c.change::<T>(memory, 0, |to, memory| {
            let (a, x) = (a.read::<T>(memory, 0), x.read::<T>(memory, 0));
            for ((row, column, number), &a) in c.places(to).zip(a.all()) {
                *number = a * x.all()[if right { column } else { row }];
            }
        });
    })
}

blas! {
    /// `C = diag(x) A`, or `A diag(x)` (`mode`).
    fn(call, mode: u32, m: Int, n: Int, A: u64, lda: Int, x: u64, incx: Int, C: u64, ldc: Int) {
        let right = second("mode", mode, ["left", "right"])?;
        let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
        let operands = [
            Operand::matrix(T::FORMAT, A, [m, n], ("lda", lda.into()))?,
            Operand::vector(T::FORMAT, x, if right { n } else { m }, incx.into())?,
            Operand::matrix(T::FORMAT, C, [m, n], ("ldc", ldc.into()))?,
        ];
        scale::<T>(call, right, operands)
    }
    [] S D C Z: dgmm;
}
