//! sRGB conversion of the texture unit, which uses a table instead of the formula (docs/numerics.md
//! 5).

/// The decoded values of the 256 sRGB codes of 8 bits, in units of 1/65536, measured on an RTX 3060
/// and published by the pantheonsim project.
#[rustfmt::skip]
static TABLE: [u32; 256] = [
        0,    20,    40,    60,    80,   100,   120,   140,   160,   180,   200,   220,   240,   264,   288,   312,
      340,   368,   396,   428,   460,   492,   524,   560,   600,   636,   676,   720,   760,   804,   852,   896,
      944,  1000,  1048,  1104,  1160,  1216,  1272,  1328,  1392,  1456,  1520,  1584,  1648,  1720,  1792,  1864,
     1936,  2016,  2096,  2176,  2256,  2336,  2416,  2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,
     3360,  3456,  3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,  4864,  4992,  5120,
     5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,  6400,  6560,  6688,  6848,  7008,  7168,  7328,  7488,
     7680,  7808,  8000,  8192,  8320,  8512,  8704,  8896,  9088,  9280,  9472,  9664,  9856, 10048, 10240, 10432,
    10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288, 12544, 12736, 12992, 13184, 13440, 13696, 13888,
    14144, 14400, 14656, 14848, 15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664, 18048,
    18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864, 21120, 21504, 21760, 22144, 22400, 22784,
    23040, 23296, 23680, 24064, 24320, 24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256, 32512, 33024, 33280, 33792, 34048,
    34560, 35072, 35328, 35840, 36096, 36608, 37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960,
    41216, 41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336, 46848, 47360, 47872, 48384,
    48896, 49408, 49920, 50432, 50944, 51456, 51968, 52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576,
    57088, 57600, 58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000, 64512, 65024, 65536,
];

/// The decoded value of each 8-bit code, in 1/65536.
pub fn srgb_table() -> &'static [u32; 256] {
    &TABLE
}

/// The decoded value of a code, as f32 bits; exact.
pub(crate) fn decode(code: u32) -> u32 {
    (TABLE[code as usize & 0xff] as f32 / 65536.0).to_bits()
}

/// Encodes a component of a border colour, given as f32 bits, with the sRGB formula in f32, where
/// each step is rounded (docs/numerics.md 5.3).
pub(crate) fn encode_border(bits: u32) -> u32 {
    const EXPONENT: f32 = 0.41666;
    let x = f32::from_bits(bits);
    let x = if x.is_nan() { 0.0 } else { x.clamp(0.0, 1.0) };
    let encoded = if x < 0.003_130_8 {
        12.92 * x
    } else {
        // The power is computed in f64 and rounded; this is correctly rounded, because no f32
        // operand gives a result near a tie.
        let power = f64::from(x).powf(f64::from(EXPONENT)) as f32;
        1.055 * power - 0.055
    };
    (encoded * 255.0).round_ties_even() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_rises_near_the_formula_and_encoding_inverts_it_but_for_few() {
        assert!(TABLE.windows(2).all(|w| w[0] < w[1]));
        for (code, &value) in (0..).zip(&TABLE) {
            let c = f64::from(code) / 255.0;
            let linear = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            let value = f64::from(value) / 65536.0;
            assert!((linear - value).abs() <= linear / 128.0 + 1e-6, "{code}");
            assert!(encode_border(decode(code)).abs_diff(code) <= 1, "{code}");
        }
    }
}
