use super::*;

fn value(reading: Reading, code: u32) -> f32 {
    f32::from_bits(reading.point(code))
}

const SNORM8: Reading = Reading::Snorm { bits: 8 };
const SNORM16: Reading = Reading::Snorm { bits: 16 };

#[test]
fn every_format_can_be_read_somehow_and_all_its_channels_alike_filter() {
    for f in Format::all() {
        let reads = [(false, false), (true, false), (true, true)].map(|(n, s)| readings(f, n, s));
        assert!(reads.iter().any(Option::is_some), "{f}");
        for readings in reads.into_iter().flatten() {
            let filters = readings[0].can_filter();
            let own = &readings[..f.channels().into()];
            assert!(own.iter().all(|r| r.can_filter() == filters && *r != Reading::Missing), "{f}");
        }
        assert_eq!(f.is_normalized_kind(), reads[0].is_none(), "{f}");
    }
}

/// Section 2: f32(c/(2^m-1)); the lowest signed code equals the next one.
#[test]
fn fractions() {
    for bits in [2, 8, 10, 16, 24] {
        let max = mask(bits);
        let step = (max / 70_000).max(1);
        for code in (0..=max).step_by(step as usize).chain([max]) {
            // The quotient in f64 is never within half an ulp of a tie of f32.
            let exact = f64::from(code) / f64::from(max);
            assert_eq!(value(Reading::Unorm { bits }, code), exact as f32);
        }
    }
    for (reading, bits) in [(SNORM8, 8), (SNORM16, 16)] {
        let max = mask(bits - 1) as i32;
        for code in -max - 1..=max {
            let exact = f64::from(code.max(-max)) / f64::from(max);
            assert_eq!(value(reading, code as u32 & mask(bits)), exact as f32);
        }
        assert_eq!(reading.point(0), 0);
    }
}

/// Section 8: |k| * 258, plus 1 from |k| = 64 up (65 if negative), over 32767.
#[test]
fn gather_of_snorm8() {
    for k in -128_i32..128 {
        let extra = if k >= 64 || k <= -65 { 1 } else { 0 };
        let wide = (k.abs() * 258 + extra).min(32_767) * k.signum();
        let expected = (wide as f32 / 32_767.0).to_bits();
        assert_eq!(SNORM8.gather(k as u32 & 0xff), expected, "{k}");
    }
}

#[test]
fn border_of_channels_that_a_format_lacks() {
    let two = readings(Format::from_name("u8x2").unwrap(), false, false).unwrap();
    assert_eq!(border_codes(two, [0x1234_89ab; 4]), [0xab, 0xab, 0, 0]);
}
