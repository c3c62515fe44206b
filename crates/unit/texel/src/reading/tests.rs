use super::*;

fn format(name: &str) -> Format {
    Format::from_name(name).unwrap()
}

fn value(reading: Reading, code: u32) -> f32 {
    f32::from_bits(reading.point(code))
}

const UNORM8: Reading = Reading::Unorm { bits: 8 };
const SNORM8: Reading = Reading::Snorm { bits: 8 };
const UNORM16: Reading = Reading::Unorm { bits: 16 };
const SNORM16: Reading = Reading::Snorm { bits: 16 };

/// Rows of docs/numerics.md 8.1 with sections 2, 5 and 11: how formats are read as elements and as
/// normalized floats, without the sRGB flag.
#[test]
fn which_reads_there_are() {
    use Reading::{F16, F32, Missing, One, Sint, Uint, Unorm};
    let z = Missing;
    let ten = Unorm { bits: 10 };
    let bc = |r| Some([r, r, r, UNORM8]);
    #[rustfmt::skip]
    let rows = [
        ("u8",         Some([Uint { bits: 8 }, z, z, z]),                        Some([UNORM8, z, z, z])),
        ("s8x2",       Some([Sint { bits: 8 }, Sint { bits: 8 }, z, z]),         Some([SNORM8, SNORM8, z, z])),
        ("u16x4",      Some([Uint { bits: 16 }; 4]),                             Some([UNORM16; 4])),
        ("s16",        Some([Sint { bits: 16 }, z, z, z]),                       Some([SNORM16, z, z, z])),
        ("u32x4",      Some([Uint { bits: 32 }; 4]),                             None),
        ("s32",        Some([Sint { bits: 32 }, z, z, z]),                       None),
        ("f16x2",      Some([F16, F16, z, z]),                                   None),
        ("f32x4",      Some([F32; 4]),                                           None),
        ("unorm8x4",   None,                                                     Some([UNORM8; 4])),
        ("snorm16x2",  None,                                                     Some([SNORM16, SNORM16, z, z])),
        ("rgb10a2",    Some([ten, ten, ten, Unorm { bits: 2 }]),                 None),
        ("bc1",        None,                                                     bc(UNORM8)),
        ("bc3_srgb",   None,                                                     None),
        ("bc4",        None,                                                     Some([UNORM16, z, z, One])),
        ("bc4_snorm",  None,                                                     Some([SNORM16, z, z, One])),
        ("bc5",        None,                                                     Some([UNORM16, UNORM16, z, One])),
        ("bc5_snorm",  None,                                                     Some([SNORM16, SNORM16, z, One])),
        ("bc6h",       Some([F16, F16, F16, One]),                               None),
        ("bc6h_snorm", Some([F16, F16, F16, One]),                               None),
        ("bc7",        None,                                                     bc(UNORM8)),
        ("depth16",    Some([UNORM16, z, z, z]),                                 Some([UNORM16, z, z, z])),
        ("depth24",    Some([Unorm { bits: 24 }, z, z, z]),                      Some([Unorm { bits: 24 }, z, z, z])),
        ("depth32f",   Some([F32, z, z, z]),                                     Some([F32, z, z, z])),
    ];
    for (name, element, normalized) in rows {
        assert_eq!(readings(format(name), false, false), element, "{name}");
        assert_eq!(readings(format(name), true, false), normalized, "{name}");
    }
}

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

/// Section 5: the sRGB flag affects x, y, z of four channels, or x of one or two; for blocks, both
/// the sRGB kinds and the plain kinds.
#[test]
fn what_the_srgb_flag_acts_on() {
    use Reading::{Missing, Srgb};
    let srgb = |name| readings(format(name), true, true);
    assert_eq!(srgb("u8x4"), Some([Srgb, Srgb, Srgb, UNORM8]));
    assert_eq!(srgb("unorm8x2"), Some([Srgb, UNORM8, Missing, Missing]));
    assert_eq!(srgb("u8"), Some([Srgb, Missing, Missing, Missing]));
    assert_eq!(srgb("bc7_srgb"), Some([Srgb, Srgb, Srgb, UNORM8]));
    for f in Format::all().filter(|f| !f.is_srgb_block()) {
        let has_srgb_kind = ["bc1", "bc2", "bc3", "bc7"].contains(&f.name());
        let acts = f.plain_channel() == Some(Channel::U8) || has_srgb_kind;
        assert_eq!(readings(f, true, true) == readings(f, true, false), !acts, "{f}");
        assert_eq!(readings(f, false, true), readings(f, false, false), "{f}");
    }
}

#[test]
fn integers_and_floats_read_as_they_are() {
    assert_eq!(Reading::Uint { bits: 8 }.point(0x180), 0x80);
    assert_eq!(Reading::Uint { bits: 16 }.point(0x1_ffff), 0xffff);
    assert_eq!(Reading::Uint { bits: 32 }.point(0xffff_ffff), 0xffff_ffff);
    assert_eq!(Reading::Sint { bits: 8 }.point(0x80), 0xffff_ff80);
    assert_eq!(Reading::Sint { bits: 16 }.point(0x8000), 0xffff_8000);
    assert_eq!(Reading::Sint { bits: 32 }.point(0x8000_0000), 0x8000_0000);
    assert_eq!(Reading::F16.point(0x7c01), 0x7f80_2000, "the payload is kept");
    assert_eq!(Reading::F16.point(0x0001), 0x3380_0000);
    assert_eq!(Reading::F32.point(0x7f80_0001), 0x7f80_0001);
    assert_eq!(Reading::F32.point(1), 1, "subnormals are not flushed");
    assert_eq!((Reading::Missing.point(7), value(Reading::One, 7)), (0, 1.0));
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
    assert_eq!(value(Reading::Srgb, 255), 1.0);
    assert_eq!(value(Reading::Srgb, 128), 14_144.0 / 65_536.0);
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
fn gather_of_others() {
    for (code, expected) in [
        (0x7f80_0001, 0x7fff_ffff),
        (0xffc0_0000, 0x7fff_ffff),
        (0x007f_ffff, 0),
        (0x8000_0001, 0x8000_0000),
        (0x0080_0000, 0x0080_0000),
        (0xff80_0000, 0xff80_0000),
    ] {
        assert_eq!(Reading::F32.gather(code), expected, "{code:#x}");
    }
    for (code, expected) in
        [(0x7c01, 0x7fff_e000), (0xfe00, 0x7fff_e000), (0x7c00, 0x7f80_0000), (0x8001, 0xb380_0000)]
    {
        assert_eq!(Reading::F16.gather(code), expected, "{code:#x}");
    }
    let same = [UNORM8, UNORM16, SNORM16, Reading::Srgb, Reading::Unorm { bits: 2 }];
    for reading in same.into_iter().chain([Reading::Sint { bits: 8 }, Reading::Uint { bits: 16 }]) {
        for code in 0..4 {
            assert_eq!(reading.gather(code * 63), reading.point(code * 63), "{reading:?}");
        }
    }
    let ten = Reading::Unorm { bits: 10 };
    assert_eq!(ten.gather(1), (64.0_f32 / 65_535.0).to_bits());
    assert_eq!(ten.gather(1023), ONE);
    assert_eq!((Reading::Missing.gather(1), Reading::One.gather(0)), (0, ONE));
}

/// Section 6: border colours of normalized formats.
#[test]
fn border_of_fractions() {
    let code = |reading: Reading, x: f32| reading.border_code(x.to_bits());
    #[rustfmt::skip]
    let rows = [
        (UNORM8, 0.5, 127), (UNORM8, 1.0, 255), (UNORM8, 7.0, 255), (UNORM8, f32::INFINITY, 255),
        (UNORM8, -0.5, 0), (UNORM8, f32::NAN, 0), (UNORM8, 1e-30, 0),
        (SNORM8, 1.0, 127), (SNORM8, -1.0, 0x81), (SNORM8, f32::NEG_INFINITY, 0x81),
        (SNORM8, f32::NAN, 0), (SNORM8, -0.5, 0xc1), (SNORM8, 0.5, 63),
        (UNORM16, 1.0, 0xffff), (SNORM16, -1.0, 0x8001),
        (Reading::Unorm { bits: 10 }, 0.5, WIDE | 0x7fff), (Reading::Unorm { bits: 2 }, 1.0, WIDE | 0xffff),
        (Reading::Unorm { bits: 24 }, 1.0, 0x00ff_ffff), (Reading::Unorm { bits: 24 }, 0.5, 0x0080_0000),
        (Reading::Srgb, 0.5, 188), (Reading::Srgb, -1.0, 0),
    ];
    for (reading, x, expected) in rows {
        assert_eq!(code(reading, x), expected, "{reading:?} {x}");
    }
}

#[test]
fn border_of_integers_and_floats() {
    let bits = 0x1234_89ab;
    assert_eq!(Reading::Uint { bits: 8 }.border_code(bits), 0xab);
    assert_eq!(Reading::Sint { bits: 8 }.border_code(bits), 0xab, "extended when it is read");
    assert_eq!(Reading::Uint { bits: 16 }.border_code(bits), 0x89ab);
    assert_eq!(Reading::Sint { bits: 32 }.border_code(bits), bits);
    assert_eq!(Reading::F32.border_code(0x7f80_0001), 0x7f80_0001);
    assert_eq!(Reading::F16.border_code(0x7f80_0001), 0x7c01);
    assert_eq!(Reading::F16.border_code(0x477f_f000), 0x7bff);
    let two = readings(format("u8x2"), false, false).unwrap();
    assert_eq!(border_codes(two, [bits; 4]), [0xab, 0xab, 0, 0]);
}
