//! Level 1: functions of vectors.

use super::{Real, Same, for_types};
use crate::call::{Call, Integer, size};
use crate::code::{Answer, BlasCode};
use crate::level1;
use crate::number::{Element, Number};
use crate::operand::{Factor, Operand};
use num_complex::{Complex32, Complex64};
use texunit_client::library_api;
use texunit_client::work::Region;

/// A vector: its address, and the increment between elements.
type Vector = (u64, Integer);

const CHANGED: u64 = Region::READ | Region::WRITTEN;

/// Number of elements; 0 if `n` is negative.
fn count(n: Integer) -> usize {
    size("n", n.max(0)).unwrap_or_default()
}

/// Adds a vector as a region of the call.
pub(super) fn vector<T: Number>(
    call: &mut Call,
    address: u64,
    n: usize,
    step: Integer,
    access: u64,
) -> Answer {
    Operand::vector(T::FORMAT, address, n, step)?.add(call, 1, access).map(drop)
}

macro_rules! axpy {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// `y = alpha x + y`.
            fn $name(handle: usize, n: $int, alpha: u64, x: u64, incx: $int, y: u64, incy: $int) {
                axpy::<$type>((stringify!($name), handle), n.into(), alpha, (x, incx.into()), (y, incy.into()))
            }
        }
    };
}
for_types! { axpy:
    f32: cublasSaxpy_v2 cublasSaxpy_v2_64, f64: cublasDaxpy_v2 cublasDaxpy_v2_64,
    Complex32: cublasCaxpy_v2 cublasCaxpy_v2_64, Complex64: cublasZaxpy_v2 cublasZaxpy_v2_64,
}

fn axpy<T: Number>(
    (function, handle): (&'static str, usize),
    n: Integer,
    alpha: u64,
    x: Vector,
    y: Vector,
) -> Answer {
    let mut call = Call::new(function, handle)?;
    vector::<T>(&mut call, x.0, count(n), x.1, Region::READ)?;
    vector::<T>(&mut call, y.0, count(n), y.1, CHANGED)?;
    let alpha = Factor::new(&mut call, "alpha", alpha, T::FORMAT)?;
    call.submit(move |memory| {
        let alpha = alpha.value::<T>(memory);
        let [x, y, ..] = memory else { return };
        for (x, y) in T::of(x).iter().zip(T::of(y)) {
            *y += alpha * *x;
        }
    })
}

macro_rules! copy {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// Copies a vector: `y = x`.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, y: u64, incy: $int) {
                let mut call = Call::new(stringify!($name), handle)?;
                vector::<$type>(&mut call, x, count(n.into()), incx.into(), Region::READ)?;
                vector::<$type>(&mut call, y, count(n.into()), incy.into(), Region::WRITTEN)?;
                call.submit(|memory| {
                    let [x, y, ..] = memory else { return };
                    y.copy_from_slice(x);
                })
            }
        }
    };
}
for_types! { copy:
    f32: cublasScopy_v2 cublasScopy_v2_64, f64: cublasDcopy_v2 cublasDcopy_v2_64,
    Complex32: cublasCcopy_v2 cublasCcopy_v2_64, Complex64: cublasZcopy_v2 cublasZcopy_v2_64,
}

macro_rules! swap {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// Swaps `x` and `y`.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, y: u64, incy: $int) {
                let mut call = Call::new(stringify!($name), handle)?;
                vector::<$type>(&mut call, x, count(n.into()), incx.into(), CHANGED)?;
                vector::<$type>(&mut call, y, count(n.into()), incy.into(), CHANGED)?;
                call.submit(|memory| {
                    let [x, y, ..] = memory else { return };
                    x.swap_with_slice(y);
                })
            }
        }
    };
}
for_types! { swap:
    f32: cublasSswap_v2 cublasSswap_v2_64, f64: cublasDswap_v2 cublasDswap_v2_64,
    Complex32: cublasCswap_v2 cublasCswap_v2_64, Complex64: cublasZswap_v2 cublasZswap_v2_64,
}

/// Scaling by a scalar of type `$factor`.
macro_rules! scal {
    ($name:ident, $int:ty, $type:ty, $factor:ident) => {
        library_api! { (BlasCode)
            /// Scales a vector: `x = alpha x`.
            fn $name(handle: usize, n: $int, alpha: u64, x: u64, incx: $int) {
                let of = (stringify!($name), handle);
                scal::<$type, $factor<$type>>(of, n.into(), alpha, (x, incx.into()))
            }
        }
    };
}
for_types! { scal(Same):
    f32: cublasSscal_v2 cublasSscal_v2_64, f64: cublasDscal_v2 cublasDscal_v2_64,
    Complex32: cublasCscal_v2 cublasCscal_v2_64, Complex64: cublasZscal_v2 cublasZscal_v2_64,
}
for_types! { scal(Real):
    Complex32: cublasCsscal_v2 cublasCsscal_v2_64, Complex64: cublasZdscal_v2 cublasZdscal_v2_64,
}

fn scal<T: Number, A: Element>(
    (function, handle): (&'static str, usize),
    n: Integer,
    alpha: u64,
    x: Vector,
) -> Answer {
    let mut call = Call::new(function, handle)?;
    vector::<T>(&mut call, x.0, count(n), x.1, CHANGED)?;
    let alpha = Factor::new(&mut call, "alpha", alpha, A::FORMAT)?;
    call.submit(move |memory| {
        let alpha: T = alpha.value(memory);
        let [x, ..] = memory else { return };
        T::of(x).iter_mut().for_each(|x| *x *= alpha);
    })
}

macro_rules! dot {
    ($name:ident, $int:ty, $type:ty, $conjugates:expr) => {
        library_api! { (BlasCode)
            /// Dot product.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, y: u64, incy: $int, result: u64) {
                let mut call = Call::new(stringify!($name), handle)?;
                vector::<$type>(&mut call, x, count(n.into()), incx.into(), Region::READ)?;
                vector::<$type>(&mut call, y, count(n.into()), incy.into(), Region::READ)?;
                call.submit_for(result, |memory| {
                    let [x, y, ..] = memory else { return num_traits::Zero::zero() };
                    level1::dot::<$type>(Number::of(x), Number::of(y), $conjugates)
                })
            }
        }
    };
}
for_types! { dot(false):
    f32: cublasSdot_v2 cublasSdot_v2_64, f64: cublasDdot_v2 cublasDdot_v2_64,
    Complex32: cublasCdotu_v2 cublasCdotu_v2_64, Complex64: cublasZdotu_v2 cublasZdotu_v2_64,
}
for_types! { dot(true):
    Complex32: cublasCdotc_v2 cublasCdotc_v2_64, Complex64: cublasZdotc_v2 cublasZdotc_v2_64,
}

/// Defines a function that reduces one vector to a number by `$of`.
macro_rules! of_vector {
    ($name:ident, $int:ty, $type:ty, $of:expr) => {
        library_api! { (BlasCode)
            /// Reduces a vector to a number; a vector with a nonpositive increment counts as empty.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, result: u64) {
                let mut call = Call::new(stringify!($name), handle)?;
                let n = if incx > 0 { count(n.into()) } else { 0 };
                vector::<$type>(&mut call, x, n, incx.into(), Region::READ)?;
                call.submit_for(result, |memory| {
                    let bytes = memory.first_mut().map(|bytes| &mut **bytes).unwrap_or_default();
                    $of(&*<$type as Number>::of(bytes))
                })
            }
        }
    };
}
/// Defines a function that returns the index of the first element of maximum or (`$smallest`)
/// minimum absolute value, counted from 1.
macro_rules! extreme {
    ($name:ident, $int:ty, $type:ty, $smallest:literal) => {
        of_vector! { $name, $int, $type, |x: &[$type]| level1::extreme(x, $smallest) as $int }
    };
}
for_types! { of_vector(level1::norm):
    f32: cublasSnrm2_v2 cublasSnrm2_v2_64, f64: cublasDnrm2_v2 cublasDnrm2_v2_64,
    Complex32: cublasScnrm2_v2 cublasScnrm2_v2_64, Complex64: cublasDznrm2_v2 cublasDznrm2_v2_64,
}
for_types! { of_vector(level1::sum):
    f32: cublasSasum_v2 cublasSasum_v2_64, f64: cublasDasum_v2 cublasDasum_v2_64,
    Complex32: cublasScasum_v2 cublasScasum_v2_64, Complex64: cublasDzasum_v2 cublasDzasum_v2_64,
}
for_types! { extreme(false):
    f32: cublasIsamax_v2 cublasIsamax_v2_64, f64: cublasIdamax_v2 cublasIdamax_v2_64,
    Complex32: cublasIcamax_v2 cublasIcamax_v2_64, Complex64: cublasIzamax_v2 cublasIzamax_v2_64,
}
for_types! { extreme(true):
    f32: cublasIsamin_v2 cublasIsamin_v2_64, f64: cublasIdamin_v2 cublasIdamin_v2_64,
    Complex32: cublasIcamin_v2 cublasIcamin_v2_64, Complex64: cublasIzamin_v2 cublasIzamin_v2_64,
}
