//! Half precision conversions of the texture unit, on bits. They preserve NaN payloads, which
//! library conversions do not guarantee.

/// Widens an f16 to f32 exactly. Subnormals are preserved, and so are NaN payloads, whether
/// signalling or not (docs/numerics.md 2, "point-sampled values": 0x7c01 gives 0x7f802000).
pub fn f16_to_f32(code: u16) -> u32 {
    let sign = u32::from(code & 0x8000) << 16;
    let exponent = u32::from(code >> 10 & 0x1f);
    let fraction = u32::from(code & 0x3ff);
    match (exponent, fraction) {
        (0, 0) => sign,
        (0, _) => {
            // A subnormal is fraction * 2^-24: move its leading one to the hidden bit.
            let shift = fraction.leading_zeros() - 21;
            sign | (113 - shift) << 23 | (fraction << shift & 0x3ff) << 13
        }
        (0x1f, _) => sign | 0x7f80_0000 | fraction << 13,
        _ => sign | (exponent + 112) << 23 | fraction << 13,
    }
}

/// Rounds an f32 to f16, to nearest, ties to even; overflow gives infinity. A NaN becomes quiet and
/// keeps the top of its payload (`cvt.rn.f16.f32`).
pub fn f32_to_f16(bits: u32) -> u16 {
    half::f16::from_f32(f32::from_bits(bits)).to_bits()
}

/// Rounds an f64 to f16 once, to nearest even. (`half` converts through f32 on some processors, and
/// so rounds twice.)
pub fn f64_to_f16(value: f64) -> u16 {
    let near = value as f32;
    let mut bits = near.to_bits();
    if near.is_finite() && f64::from(near) != value {
        // Round to odd: truncate, and set the last bit if anything was cut off.
        bits -= u32::from(f64::from(near).abs() > value.abs());
        bits |= 1;
    }
    f32_to_f16(bits)
}

/// Converts an f32 to f16 toward zero, as border colours and formatted surface stores do
/// (docs/numerics.md 6): overflow gives 65504, infinity stays; a NaN keeps its top ten payload
/// bits, or has payload 1 if those are all zero.
pub fn f32_to_f16_toward_zero(bits: u32) -> u16 {
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    let exponent = magnitude >> 23;
    let fraction = magnitude & 0x007f_ffff;
    let value = match exponent {
        255 if fraction == 0 => 0x7c00,
        255 => 0x7c00 | (fraction >> 13).max(1),
        143..=254 => 0x7bff,
        113..=142 => (exponent - 112) << 10 | fraction >> 13,
        // Subnormal: 2^-14 > |x| >= 2^-24, in units of 2^-24.
        103..=112 => (0x0080_0000 | fraction) >> (126 - exponent),
        _ => 0,
    };
    sign | value as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widening_agrees_with_the_library_except_for_signalling_nans() {
        for code in 0..=u16::MAX {
            let ours = f16_to_f32(code);
            let library = half::f16::from_bits(code).to_f32().to_bits();
            if half::f16::from_bits(code).is_nan() {
                assert_eq!(ours | 0x0040_0000, library | 0x0040_0000, "{code:#x}");
                assert_eq!(ours >> 13 & 0x3ff, u32::from(code & 0x3ff));
            } else {
                assert_eq!(ours, library, "{code:#x}");
            }
        }
        assert_eq!(f16_to_f32(0x7c01), 0x7f80_2000);
    }

    #[test]
    fn toward_zero_is_the_largest_half_not_above() {
        // Every finite f16, and the floats just below and above it.
        for code in 0..0x7c00_u16 {
            let exact = f16_to_f32(code);
            for sign in [0, 0x8000_u16] {
                let wide = u32::from(sign) << 16;
                assert_eq!(f32_to_f16_toward_zero(exact | wide), code | sign);
                assert_eq!(f32_to_f16_toward_zero((exact + 1) | wide), code | sign);
                if code > 0 {
                    assert_eq!(f32_to_f16_toward_zero((exact - 1) | wide), (code - 1) | sign);
                }
            }
        }
    }

    #[test]
    fn f64_is_rounded_once() {
        let half = |v: f64| half::f16::from_bits(f64_to_f16(v)).to_f64();
        // Just above a tie of f16, by less than f32 can represent.
        let (tie, little) = (1.0 + 2_f64.powi(-11), 2_f64.powi(-40));
        assert_eq!([tie + little, tie, tie - little].map(half), [1.0 + 2_f64.powi(-10), 1.0, 1.0]);
        assert_eq!(half(-tie - little), -1.0 - 2_f64.powi(-10));
        assert_eq!([65_519.999_999, 1e-300].map(half), [65504.0, 0.0]);
        assert_eq!([65520.0, 1e300].map(half), [f64::INFINITY; 2]);
        assert!(half(f64::NAN).is_nan());
    }
}
