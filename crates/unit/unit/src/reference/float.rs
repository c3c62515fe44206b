//! Sums of float texels in exact integer arithmetic: docs/numerics.md, section 2, "The adder".

use super::fixed::decompose;
use super::weights::{Group, Scale, Weighted};
use texunit_texel::{Reading, f16_to_f32, srgb_table};

/// Parameters of the adder for a type of float texels.
pub(crate) struct FloatRules {
    /// Number of bits, below the exponent of the largest texel in a group, that a texel keeps.
    pub(crate) texel_bits: i32,
    /// Significant bits of the result.
    pub(crate) precision: u32,
    /// The smallest possible exponent of the result's lowest bit.
    min_exponent: i32,
    /// Whether subnormal texels and results count as zero.
    flush: bool,
    /// The bits of a NaN result.
    pub(crate) nan: u32,
    widen: fn(u32) -> u32,
    /// The binary exponent of a code as the adder computes it; `None` for zeros.
    exponent: fn(f32, u32) -> Option<i32>,
}

#[rustfmt::skip]
pub(crate) static SINGLE: FloatRules = FloatRules { texel_bits: 27, precision: 24, min_exponent: -149, flush: true,  nan: 0x7fff_ffff, widen: |code| code, exponent: ilogb };
#[rustfmt::skip]
pub(crate) static HALF: FloatRules =   FloatRules { texel_bits: 14, precision: 11, min_exponent: -24,  flush: false, nan: 0x7fff_e000, widen: |code| f16_to_f32(code as u16), exponent: ilogb };
/// Rule 5.2 of docs/numerics.md: the adder for sRGB codes, which are decoded by a table. Each block
/// of eight codes has the exponent of its last entry.
#[rustfmt::skip]
pub(crate) static SRGB: FloatRules =   FloatRules { texel_bits: 7,  precision: 11, min_exponent: -24,  flush: false, nan: 0,           widen: |code| Reading::Srgb.point(code), exponent: srgb_exponent };

/// The adder's rules for a channel; `None` for channels that are summed as integers.
pub(crate) fn rules(reading: Reading) -> Option<&'static FloatRules> {
    match reading {
        Reading::F32 => Some(&SINGLE),
        Reading::F16 => Some(&HALF),
        Reading::Srgb => Some(&SRGB),
        _ => None,
    }
}

fn ilogb(x: f32, _: u32) -> Option<i32> {
    let (significand, power) = decompose(x);
    (significand > 0).then(|| significand.ilog2() as i32 + power)
}

fn srgb_exponent(_: f32, code: u32) -> Option<i32> {
    Some(srgb_table()[code as usize & 0xff | 7].ilog2() as i32 - 16)
}

impl FloatRules {
    /// The exponent of the accumulator's lowest bit, for a group whose largest texel has the given
    /// exponent. The accumulator's own exponent is a multiple of four.
    pub(crate) fn unit(&self, exponent: i32, scale: Scale) -> i32 {
        4 * (exponent + 3).div_euclid(4) - self.texel_bits - 3 + scale as i32
    }
}

/// The accumulator of the adder after a step. Its value is `sum` * 2^`unit`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accumulator {
    pub(crate) sum: i128,
    /// The exponent of the sum's lowest bit; `None` before the first group that has a nonzero texel
    /// with a weight.
    pub(crate) unit: Option<i32>,
}

/// Sums float texels: the adder adds one step's group of texels after another, and the total is
/// rounded once.
pub(crate) fn sum(groups: &[Group<'_>], scale: Scale, rules: &FloatRules) -> u32 {
    let read = || groups.iter().flat_map(|g| g.texels).filter(|t| t.read);
    let values = || read().map(|t| texel_value(t.code, rules));
    if !values().all(f32::is_finite) {
        return plain_sum(values(), rules);
    }
    if values().all(|x| x.to_bits() == 0x8000_0000) {
        return 0x8000_0000;
    }
    let last = accumulate(groups, scale, rules).pop().unwrap_or_default();
    last.unit.map_or(0, |unit| round_to_float(last.sum, unit - 8 - scale as i32, rules))
}

/// The accumulator of the adder after each step. Its unit becomes the largest of its present unit
/// and the units of the step's groups, and its previous value and the sum of each group are floored
/// to it.
pub(crate) fn accumulate(groups: &[Group], scale: Scale, rules: &FloatRules) -> Vec<Accumulator> {
    let mut now = Accumulator::default();
    let steps = groups.chunk_by(|a, b| a.step == b.step);
    let add = |step: &[Group<'_>]| {
        let exponents = || step.iter().filter_map(|g| Some((g, exponent(g.texels, rules)?)));
        let units = exponents().map(|(_, e)| rules.unit(e, scale));
        if let Some(unit) = units.chain(now.unit).max() {
            let before = floor_to(now.sum, now.unit.unwrap_or(unit), unit);
            let of_group = |(g, e): (&Group<'_>, i32)| {
                let lowest = e - rules.texel_bits;
                let number = |code| truncate(texel_value(code, rules), lowest);
                floor_to(g.total(number), lowest, unit)
            };
            now = Accumulator {
                sum: before + exponents().map(of_group).sum::<i128>(),
                unit: Some(unit),
            };
        }
        now
    };
    steps.map(add).collect()
}

/// Whether all texels that are read are finite.
pub(crate) fn is_finite(groups: &[Group<'_>], rules: &FloatRules) -> bool {
    let read = groups.iter().flat_map(|g| g.texels).filter(|t| t.read);
    read.map(|t| texel_value(t.code, rules)).all(f32::is_finite)
}

/// The exponent of a group's largest texel that has a weight (E in docs/numerics.md); `None` if all
/// such texels are zero.
pub(crate) fn exponent(texels: &[Weighted], rules: &FloatRules) -> Option<i32> {
    let counting = texels.iter().filter(|t| t.weight > 0);
    counting.filter_map(|t| (rules.exponent)(texel_value(t.code, rules), t.code)).max()
}

/// The value of a texel as the filter reads it. A subnormal f32 is a zero of its sign.
pub(crate) fn texel_value(code: u32, rules: &FloatRules) -> f32 {
    let x = f32::from_bits((rules.widen)(code));
    if rules.flush && x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

/// The result if an infinity or NaN is read: the sum of all infinities and NaNs. Finite texels and
/// weights do not matter.
fn plain_sum(values: impl Iterator<Item = f32>, rules: &FloatRules) -> u32 {
    let total: f32 = values.filter(|x| !x.is_finite()).sum();
    if total.is_nan() { rules.nan } else { total.to_bits() }
}

/// The float x as an integer in units of 2^unit, rounded toward zero.
fn truncate(x: f32, unit: i32) -> i128 {
    let (significand, power) = decompose(x);
    let (significand, shift) = (i128::from(significand), power - unit);
    let magnitude =
        if shift >= 0 { significand << shift } else { significand >> (-shift).min(127) };
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

/// The number `sum` * 2^`from` as an integer in units of 2^`to`, rounded toward minus infinity.
fn floor_to(sum: i128, from: i32, to: i32) -> i128 {
    let shift = from - to;
    if shift >= 0 { sum << shift } else { sum >> (-shift).min(127) }
}

/// Rounds `total` * 2^`power` once to the precision of the rules, ties away from zero. The result
/// is encoded as an f32.
pub(crate) fn round_to_float(total: i128, power: i32, rules: &FloatRules) -> u32 {
    let magnitude = total.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let top = magnitude.ilog2() as i32 + power;
    let unit = (top - (rules.precision as i32 - 1)).max(rules.min_exponent);
    let shift = unit - power;
    let rounded = match shift {
        ..=0 => magnitude << -shift,
        1..=126 => (magnitude + (1 << (shift - 1))) >> shift,
        _ => 0,
    };
    // The product of at most 24 bits and a power of two is exact in f64, and exact in f32 as well.
    let value = (rounded as f64 * 2.0_f64.powi(unit)) as f32;
    let value = if total < 0 { -value } else { value };
    if rules.flush && value.is_subnormal() {
        0.0_f32.copysign(value).to_bits()
    } else {
        value.to_bits()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_unit_counts_in_fours_and_levels_are_added_in_order() {
        assert_eq!([-4, -3, 0, 1, 4, 5].map(|e| SINGLE.unit(e, 0) + 30), [-4, 0, 0, 4, 4, 8]);
        let one = |x: f32| [Weighted { code: x.to_bits(), weight: 128, read: true }];
        let (small, large) = (one(1.0 + f32::EPSILON), one(256.0));
        let levels = |first: &[Weighted], second: &[Weighted]| {
            let groups = [Group { texels: first, step: 0 }, Group { texels: second, step: 1 }];
            accumulate(&groups, 0, &SINGLE).into_iter().map(|a| a.unit.unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(levels(&small, &large), [-30, -22]);
        assert_eq!(levels(&large, &small), [-22, -22]);
        let nothing = one(0.0);
        let groups = [Group { texels: &nothing, step: 0 }, Group { texels: &small, step: 1 }];
        assert_eq!(accumulate(&groups, 0, &SINGLE)[0].unit, None, "zeros change nothing");
    }

    /// Replays tests/fetch/card/sums-adder.json.gz. Each row has levels of slices of texels, and
    /// the hardware's result.
    #[test]
    fn sums_of_the_card() {
        type Texel = (String, u32, u32);
        type Row = (String, Vec<Vec<Vec<Texel>>>, String, String);
        #[derive(serde::Deserialize)]
        struct Sums {
            sums: Vec<Row>,
        }
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/fetch/card/sums-adder.json.gz");
        let file = std::fs::File::open(path).unwrap();
        let all: Sums = serde_json::from_reader(flate2::read::GzDecoder::new(file)).unwrap();
        assert!(all.sums.len() > 1000);
        let number = |digits: &str| u32::from_str_radix(digits, 16).unwrap();
        for (kind, levels, wanted, _) in &all.sums {
            let rules = match kind.as_str() {
                "f32" => &SINGLE,
                "f16" => &HALF,
                _ => &SRGB,
            };
            let made = levels.iter().map(|slices| {
                let slice = |texels: &Vec<Texel>| {
                    let texel = |(code, weight, read): &Texel| Weighted {
                        code: number(code),
                        weight: *weight,
                        read: *read == 1,
                    };
                    texels.iter().map(texel).collect::<Vec<_>>()
                };
                slices.iter().map(slice).collect::<Vec<_>>()
            });
            let made: Vec<_> = made.collect();
            let groups = made
                .iter()
                .zip(0..)
                .flat_map(|(slices, step)| slices.iter().map(move |texels| Group { texels, step }));
            let groups: Vec<_> = groups.collect();
            assert_eq!(super::sum(&groups, 0, rules), number(wanted), "{kind} {levels:?}");
        }
    }
}
