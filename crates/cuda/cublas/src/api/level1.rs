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
    [] S D C Z: axpy_v2;
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
    [] S D C Z: copy_v2;
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
    [] S D C Z: swap_v2;
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
    [type Scalar = Same<T>;] S D C Z: scal_v2;
    [type Scalar = Real<T>;] Cs Zd: scal_v2;
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
    [const CONJUGATES: bool = false;] S D: dot_v2, C Z: dotu_v2;
    [const CONJUGATES: bool = true;] C Z: dotc_v2;
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
    [use crate::level1::norm as reduce;] S D Sc Dz: nrm2_v2;
    [use crate::level1::sum as reduce;] S D Sc Dz: asum_v2;
    [fn reduce(x: &[T]) -> Int { level1::extreme(x, false) as Int }] Is Id Ic Iz: amax_v2;
    [fn reduce(x: &[T]) -> Int { level1::extreme(x, true) as Int }] Is Id Ic Iz: amin_v2;
}
