//! Level 1: plane rotations.

use super::level1::vectors;
use crate::api::*;
use crate::level1;

blas! {
    /// `x = c x + s y`, `y = c y - conj(s) x`.
    fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int, c: u64, s: u64) {
        vectors::<T>(&mut call, n.into(), &[(x, incx.into(), CHANGED), (y, incy.into(), CHANGED)])?;
        let c = Factor::new(&mut call, "c", c, <T as Number>::Real::FORMAT)?;
        let s = Factor::new(&mut call, "s", s, Sine::FORMAT)?;
        call.submit(move |memory| {
            let (c, s) = (c.value(memory), s.value(memory));
            let [x, y, ..] = memory else { return };
            level1::rotate::<T>(Number::of(x), Number::of(y), c, s);
        })
    }
    [type Sine = T;] S D C Z: rot_v2;
    [type Sine = <T as Number>::Real;] Cs Zd: rot_v2;
}

blas! {
    /// Applies a modified rotation, given by the five numbers (flag and matrix) that `rotmg`
    /// computes.
    fn(call, n: Int, x: u64, incx: Int, y: u64, incy: Int, param: u64) {
        vectors::<T>(&mut call, n.into(), &[(x, incx.into(), CHANGED), (y, incy.into(), CHANGED)])?;
        let parameters = parameters::<T>(&mut call, param)?;
        call.submit(move |memory| {
            let parameters = parameters.map(|scalar| scalar.value(memory));
            let [x, y, ..] = memory else { return };
            level1::rotate_modified::<T>(Number::of(x), Number::of(y), parameters);
        })
    }
    [] S D: rotm_v2;
}

/// The addresses of the five numbers of a modified rotation, given the first address; zeros if it
/// is null.
fn adjacent<T>(first: u64) -> [u64; 5] {
    let at =
        |i: usize| if first == 0 { 0 } else { first.wrapping_add((i * size_of::<T>()) as u64) };
    std::array::from_fn(at)
}

/// Adds the five numbers of a modified rotation to the call.
fn parameters<T: Element>(call: &mut Call, first: u64) -> Answer<[Factor; 5]> {
    let mut all = [Factor::ZERO; 5];
    for (one, at) in all.iter_mut().zip(adjacent::<T>(first)) {
        *one = Factor::new(call, "param", at, T::FORMAT)?;
    }
    Ok(all)
}

/// Constructs rotations of elements of a type, with a real cosine.
macro_rules! rotg {
    ($($name:ident: $type:ty),*) => {
        library_api! { (BlasCode) $(
            /// Constructs the rotation that maps `b` to zero: `a` becomes the other component, and
            /// `b`, for real numbers, an encoding of the rotation.
            fn $name(handle: usize, a: u64, b: u64, c: u64, s: u64) {
                let (format, real) = (<$type>::FORMAT, <$type as Number>::Real::FORMAT);
                let places = [
                    Scalar { name: "a", address: a, format, access: CHANGED },
                    Scalar { name: "b", address: b, format, access: CHANGED },
                    Scalar { name: "c", address: c, format: real, access: Region::WRITTEN },
                    Scalar { name: "s", address: s, format, access: Region::WRITTEN },
                ];
                let make = if format == real { level1::rotation } else { level1::complex_rotation };
                on_scalars(Call::new(stringify!($name), handle)?, places, move |[a, b, ..]| make(a, b))
            }
        )* }
    };
}
rotg! {
    cublasSrotg_v2: f32, cublasDrotg_v2: f64,
    cublasCrotg_v2: Complex32, cublasZrotg_v2: Complex64
}

/// Constructs modified rotations.
macro_rules! rotmg {
    ($($name:ident: $type:ty),*) => {
        library_api! { (BlasCode) $(
            /// Constructs the modified rotation that maps `y1` to zero: a flag and four numbers.
            fn $name(handle: usize, d1: u64, d2: u64, x1: u64, y1: u64, param: u64) {
                let format = <$type>::FORMAT;
                let place = |name, address, access| Scalar { name, address, format, access };
                // `rotmg` writes only some of the five numbers, so that the memory of the others
                // must keep its values.
                let kept = CHANGED | Region::MAY_BE_UNDEFINED;
                let [flag, h11, h21, h12, h22] =
                    adjacent::<$type>(param).map(|at| place("param", at, kept));
                let [d1, d2, x1] = [("d1", d1), ("d2", d2), ("x1", x1)]
                    .map(|(name, at)| place(name, at, CHANGED));
                let y1 = place("y1", y1, Region::READ);
                let places = [d1, d2, x1, y1, flag, h11, h21, h12, h22];
                on_scalars(Call::new(stringify!($name), handle)?, places, |given| {
                    level1::modified_rotation(given.map(|number| number.re)).map(Into::into)
                })
            }
        )* }
    };
}
rotmg! { cublasSrotmg_v2: f32, cublasDrotmg_v2: f64 }

/// A scalar in host or device memory, by the handle's pointer mode.
struct Scalar {
    name: &'static str,
    address: u64,
    format: Format,
    access: u64,
}

/// Reads scalars, and writes the results: immediately in host memory, in stream order in device
/// memory.
fn on_scalars<const N: usize>(
    mut call: Call,
    places: [Scalar; N],
    make: impl Fn([Complex64; N]) -> [Complex64; N] + Send + Sync + 'static,
) -> Answer {
    if let Some(place) = places.iter().find(|place| place.address == 0) {
        bail!(BlasCode::InvalidValue, "{} is null", place.name);
    }
    let mut given = [Complex64::ZERO; N];
    if call.settings.on_device {
        let first = call.regions();
        for place in &places {
            call.bytes(place.address, place.format.size(), place.access)?;
        }
        return call.submit(move |memory| {
            let mut given = given;
            for ((place, given), bytes) in places.iter().zip(&mut given).zip(&memory[first..]) {
                *given = place.format.read(bytes);
            }
            let made = make(given);
            for ((place, &made), bytes) in places.iter().zip(&made).zip(&mut memory[first..]) {
                place.format.write(made, bytes);
            }
        });
    }
    for (place, given) in places.iter().zip(&mut given) {
        // SAFETY: the caller's scalar is in host memory and has this many bytes.
        let bytes =
            unsafe { In::<u8>::of(place.address).elements(place.format.size()) }.to_vec()?;
        *given = place.format.read(&bytes);
    }
    let made = make(given);
    for (place, &made) in places.iter().zip(&made) {
        if place.access & Region::WRITTEN != 0 {
            let mut bytes = vec![0; place.format.size()];
            place.format.write(made, &mut bytes);
            // SAFETY: the caller's scalar is in host memory and has this many bytes.
            unsafe { Out::<u8>::of(place.address).elements(bytes.len()) }.set_all(bytes)?;
        }
    }
    Ok(())
}
