//! Level 2: functions of a matrix and vectors. A vector is treated as a matrix of one column, so
//! that functions of level 2 use those of level 3.

use super::gemm::shapes;
use super::level3::{half_product, half_update, triangular};
use crate::api::*;
use crate::level3::OtherTriangle;
use crate::product::Product;

blas! {
    /// `y = alpha op(A) x + beta y`.
    fn(
        call, trans: u32, m: Int, n: Int, alpha: u64, A: u64, lda: Int, x: u64,
        incx: Int, beta: u64, y: u64, incy: Int,
    ) {
        let trans = operation("trans", trans)?;
        let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
        let [[rows, columns], _] = shapes([trans, Operation::None], [m, 1, n]);
        let operands = [
            Operand::matrix(T::FORMAT, A, [m, n], ("lda", lda.into()))?,
            Operand::stepped::<T>(x, columns, ("incx", incx.into()))?,
            Operand::stepped::<T>(y, rows, ("incy", incy.into()))?,
        ];
        let factors = Factor::both(&mut call, [alpha, beta], T::FORMAT)?;
        Product::new([trans, Operation::None], operands).submit(call, factors)
    }
    [] S D C Z: gemv_v2;
}

blas! {
    /// `A = alpha x op(y) + A`.
    fn(call, m: Int, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int, A: u64, lda: Int) {
        let [m, n] = sizes([("m", m.into()), ("n", n.into())])?;
        let operands = [
            Operand::stepped::<T>(x, m, ("incx", incx.into()))?,
            Operand::stepped::<T>(y, n, ("incy", incy.into()))?,
            Operand::matrix(T::FORMAT, A, [m, n], ("lda", lda.into()))?,
        ];
        let alpha = Factor::new(&mut call, "alpha", alpha, T::FORMAT)?;
        Product::new([Operation::None, THEN], operands).submit(call, [alpha, Factor::ONE])
    }
    [const THEN: Operation = Operation::Transpose;] S D: ger_v2, C Z: geru_v2;
    [const THEN: Operation = Operation::Conjugate;] C Z: gerc_v2;
}

blas! {
    /// `y = alpha A x + beta y`, where A is symmetric or Hermitian.
    fn(
        call, uplo: u32, n: Int, alpha: u64, A: u64, lda: Int, x: u64,
        incx: Int, beta: u64, y: u64, incy: Int,
    ) {
        let [n] = sizes([("n", n.into())])?;
        let operands = [
            Operand::matrix(T::FORMAT, A, [n, n], ("lda", lda.into()))?,
            Operand::stepped::<T>(x, n, ("incx", incx.into()))?,
            Operand::stepped::<T>(y, n, ("incy", incy.into()))?,
        ];
        half_product::<T>(call, [0, uplo], OTHER, [alpha, beta], operands)
    }
    [const OTHER: OtherTriangle = OtherTriangle::Symmetric;] S D C Z: symv_v2;
    [const OTHER: OtherTriangle = OtherTriangle::Hermitian;] C Z: hemv_v2;
}

blas! {
    /// `A = alpha x op(x) + A`, of which one triangle is computed.
    fn(call, uplo: u32, n: Int, alpha: u64, x: u64, incx: Int, A: u64, lda: Int) {
        let [n] = sizes([("n", n.into())])?;
        let operands = [
            Operand::stepped::<T>(x, n, ("incx", incx.into()))?,
            Operand::matrix(T::FORMAT, A, [n, n], ("lda", lda.into()))?,
        ];
        let alpha = Factor::new(&mut call, "alpha", alpha, Scalar::FORMAT)?;
        half_update::<T>(call, uplo, Operation::None, OTHER, [alpha, Factor::ONE], operands)
    }
    [type Scalar = Same<T>; const OTHER: OtherTriangle = OtherTriangle::Symmetric;] S D C Z: syr_v2;
    [type Scalar = Real<T>; const OTHER: OtherTriangle = OtherTriangle::Hermitian;] C Z: her_v2;
}

blas! {
    /// `x = op(A) x`, or the solution `x` of `op(A) x = b`, where A is triangular.
    fn(call, uplo: u32, trans: u32, diag: u32, n: Int, A: u64, lda: Int, x: u64, incx: Int) {
        let [n] = sizes([("n", n.into())])?;
        let a = Operand::matrix(T::FORMAT, A, [n, n], ("lda", lda.into()))?;
        let x = Operand::stepped::<T>(x, n, ("incx", incx.into()))?;
        triangular::<T>(call, [0, uplo, trans, diag], Factor::ONE, [a, x, x], SOLVES)
    }
    [const SOLVES: bool = false;] S D C Z: trmv_v2;
    [const SOLVES: bool = true;] S D C Z: trsv_v2;
}
