//! Level 1: rotations of the plane.

use super::for_types;
use crate::call::{Call, Scalar};
use crate::code::{Answer, BlasCode};
use crate::level1;
use crate::number::Number;
use num_complex::{Complex32, Complex64};
use texunit_client::library_api;
use texunit_client::work::Region;

const CHANGED: u64 = Region::READ | Region::WRITTEN;

/// A rotation with a sine of type `$sine`.
macro_rules! rotation {
    ($name:ident, $int:ty, $type:ty, $sine:ty, $of:expr) => {
        library_api! { (BlasCode)
            /// `x = c x + s y`, `y = c y - conj(s) x`.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, y: u64, incy: $int, c: u64, s: u64) {
                let mut call = Call::new(stringify!($name), handle)?;
                let n = usize::try_from(n).unwrap_or_default();
                call.vector::<$type>(x, n, incx.into(), CHANGED)?;
                call.vector::<$type>(y, n, incy.into(), CHANGED)?;
                let c = call.scalar::<<$type as Number>::Real>("c", c)?;
                let s = call.scalar::<$sine>("s", s)?;
                call.submit(move |memory| {
                    let (c, s) = (c.value(memory), s.value(memory));
                    let [x, y, ..] = memory else { return };
                    level1::rotate::<$type>(Number::of(x), Number::of(y), c, $of(s));
                })
            }
        }
    };
}
/// With a sine of the same type.
macro_rules! rot {
    ($name:ident, $int:ty, $type:ty) => {
        rotation! { $name, $int, $type, $type, |s| s }
    };
}
/// Of complex numbers, with a real sine.
macro_rules! real_rot {
    ($name:ident, $int:ty, $type:ty) => {
        rotation! { $name, $int, $type, <$type as Number>::Real, <$type as Number>::of_real }
    };
}
for_types! { rot:
    f32: cublasSrot_v2 cublasSrot_v2_64, f64: cublasDrot_v2 cublasDrot_v2_64,
    Complex32: cublasCrot_v2 cublasCrot_v2_64, Complex64: cublasZrot_v2 cublasZrot_v2_64,
}
for_types! { real_rot:
    Complex32: cublasCsrot_v2 cublasCsrot_v2_64, Complex64: cublasZdrot_v2 cublasZdrot_v2_64,
}

macro_rules! rotm {
    ($name:ident, $int:ty, $type:ty) => {
        library_api! { (BlasCode)
            /// A modified rotation, by the five numbers of `rotmg`.
            fn $name(handle: usize, n: $int, x: u64, incx: $int, y: u64, incy: $int, param: u64) {
                let mut call = Call::new(stringify!($name), handle)?;
                let n = usize::try_from(n).unwrap_or_default();
                call.vector::<$type>(x, n, incx.into(), CHANGED)?;
                call.vector::<$type>(y, n, incy.into(), CHANGED)?;
                let parameters = parameters::<$type>(&mut call, param)?;
                call.submit(move |memory| {
                    let parameters = parameters.map(|scalar| scalar.value(memory));
                    let [x, y, ..] = memory else { return };
                    level1::rotate_modified::<$type>(Number::of(x), Number::of(y), parameters);
                })
            }
        }
    };
}
for_types! { rotm: f32: cublasSrotm_v2 cublasSrotm_v2_64, f64: cublasDrotm_v2 cublasDrotm_v2_64 }

/// Five scalars beside each other.
fn parameters<T: Number>(call: &mut Call, first: u64) -> Answer<[Scalar<T>; 5]> {
    let mut all = [Scalar::Host(T::zero()); 5];
    for (i, one) in all.iter_mut().enumerate() {
        let at = if first == 0 { 0 } else { first.wrapping_add((i * size_of::<T>()) as u64) };
        *one = call.scalar("param", at)?;
    }
    Ok(all)
}
