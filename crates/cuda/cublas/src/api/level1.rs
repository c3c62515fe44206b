//! Level 1: functions of vectors.

use crate::api::*;
use crate::level1;

/// Adds vectors of `n` elements as regions of the call: address, increment, and access flags of
/// each. A negative `n` counts as 0.
pub(super) fn vectors<T: Number>(
    call: &mut Call,
    n: Integer,
    all: &[(u64, Integer, u64)],
) -> Answer {
    let n = usize::try_from(n).unwrap_or_default();
    all.iter().try_for_each(|&(address, step, access)| {
        Operand::vector(T::FORMAT, address, n, step)?.add(call, 1, access).map(drop)
    })
}

blas! {
    /// `y = alpha x + y`.
    fn(call, n: Int, alpha: u64, x: u64, incx: Int, y: u64, incy: Int) {
        let all = [(x, incx.into(), Region::READ), (y, incy.into(), CHANGED)];
        vectors::<T>(&mut call, n.into(), &all)?;
        let alpha = Factor::new(&mut call, "alpha", alpha, T::FORMAT)?;
        call.submit(move |memory| {
            let alpha = alpha.value::<T>(memory);
            let [x, y, ..] = memory else { return };
            for (x, y) in T::of(x).iter().zip(T::of(y)) {
                *y += alpha * *x;
            }
        })
    }
    []
    f32: cublasSaxpy_v2 cublasSaxpy_v2_64, f64: cublasDaxpy_v2 cublasDaxpy_v2_64,
    Complex32: cublasCaxpy_v2 cublasCaxpy_v2_64, Complex64: cublasZaxpy_v2 cublasZaxpy_v2_64;
}

blas! {
    /// Copies a vector: `y = x`.
    fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int) {
        let all = [(x, incx.into(), Region::READ), (y, incy.into(), Region::WRITTEN)];
        vectors::<T>(&mut call, n.into(), &all)?;
        call.submit(|memory| {
            let [x, y, ..] = memory else { return };
            y.copy_from_slice(x);
        })
    }
    []
    f32: cublasScopy_v2 cublasScopy_v2_64, f64: cublasDcopy_v2 cublasDcopy_v2_64,
    Complex32: cublasCcopy_v2 cublasCcopy_v2_64, Complex64: cublasZcopy_v2 cublasZcopy_v2_64;
}

blas! {
    /// Swaps `x` and `y`.
    fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int) {
        vectors::<T>(&mut call, n.into(), &[(x, incx.into(), CHANGED), (y, incy.into(), CHANGED)])?;
        call.submit(|memory| {
            let [x, y, ..] = memory else { return };
            x.swap_with_slice(y);
        })
    }
    []
    f32: cublasSswap_v2 cublasSswap_v2_64, f64: cublasDswap_v2 cublasDswap_v2_64,
    Complex32: cublasCswap_v2 cublasCswap_v2_64, Complex64: cublasZswap_v2 cublasZswap_v2_64;
}

blas! {
    /// Scales a vector: `x = alpha x`.
    fn(call, n: Int, alpha: u64, x: u64, incx: Int) {
        vectors::<T>(&mut call, n.into(), &[(x, incx.into(), CHANGED)])?;
        let alpha = Factor::new(&mut call, "alpha", alpha, Scalar::FORMAT)?;
        call.submit(move |memory| {
            let alpha: T = alpha.value(memory);
            let [x, ..] = memory else { return };
            T::of(x).iter_mut().for_each(|x| *x *= alpha);
        })
    }
    [type Scalar = Same<T>;]
    f32: cublasSscal_v2 cublasSscal_v2_64, f64: cublasDscal_v2 cublasDscal_v2_64,
    Complex32: cublasCscal_v2 cublasCscal_v2_64, Complex64: cublasZscal_v2 cublasZscal_v2_64;
    [type Scalar = Real<T>;]
    Complex32: cublasCsscal_v2 cublasCsscal_v2_64, Complex64: cublasZdscal_v2 cublasZdscal_v2_64;
}

blas! {
    /// Dot product.
    fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int, result: u64) {
        let all = [(x, incx.into(), Region::READ), (y, incy.into(), Region::READ)];
        vectors::<T>(&mut call, n.into(), &all)?;
        call.submit_for(result, |memory| {
            let [x, y, ..] = memory else { return num_traits::Zero::zero() };
            level1::dot::<T>(Number::of(x), Number::of(y), CONJUGATES)
        })
    }
    [const CONJUGATES: bool = false;]
    f32: cublasSdot_v2 cublasSdot_v2_64, f64: cublasDdot_v2 cublasDdot_v2_64,
    Complex32: cublasCdotu_v2 cublasCdotu_v2_64, Complex64: cublasZdotu_v2 cublasZdotu_v2_64;
    [const CONJUGATES: bool = true;]
    Complex32: cublasCdotc_v2 cublasCdotc_v2_64, Complex64: cublasZdotc_v2 cublasZdotc_v2_64;
}

blas! {
    /// Reduces a vector to a number; a vector with a nonpositive increment counts as empty.
    fn(call, n: Int, x: u64, incx: Int, result: u64) {
        let n = if incx > 0 { n.into() } else { 0 };
        vectors::<T>(&mut call, n, &[(x, incx.into(), Region::READ)])?;
        call.submit_for(result, |memory| {
            let bytes = memory.first_mut().map(|bytes| &mut **bytes).unwrap_or_default();
            reduce(&*T::of(bytes))
        })
    }
    [use crate::level1::norm as reduce;]
    f32: cublasSnrm2_v2 cublasSnrm2_v2_64, f64: cublasDnrm2_v2 cublasDnrm2_v2_64,
    Complex32: cublasScnrm2_v2 cublasScnrm2_v2_64, Complex64: cublasDznrm2_v2 cublasDznrm2_v2_64;
    [use crate::level1::sum as reduce;]
    f32: cublasSasum_v2 cublasSasum_v2_64, f64: cublasDasum_v2 cublasDasum_v2_64,
    Complex32: cublasScasum_v2 cublasScasum_v2_64, Complex64: cublasDzasum_v2 cublasDzasum_v2_64;
    [fn reduce(x: &[T]) -> Int { level1::extreme(x, false) as Int }]
    f32: cublasIsamax_v2 cublasIsamax_v2_64, f64: cublasIdamax_v2 cublasIdamax_v2_64,
    Complex32: cublasIcamax_v2 cublasIcamax_v2_64, Complex64: cublasIzamax_v2 cublasIzamax_v2_64;
    [fn reduce(x: &[T]) -> Int { level1::extreme(x, true) as Int }]
    f32: cublasIsamin_v2 cublasIsamin_v2_64, f64: cublasIdamin_v2 cublasIdamin_v2_64,
    Complex32: cublasIcamin_v2 cublasIcamin_v2_64, Complex64: cublasIzamin_v2 cublasIzamin_v2_64;
}
