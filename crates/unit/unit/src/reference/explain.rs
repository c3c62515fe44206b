//! The text of a trace, with one line per step. The numbers in it are computed by the functions
//! that implement the rules of docs/numerics.md.

use super::Fetch;
use super::float::{self, FloatRules, SRGB};
use super::level::{self, Levels, RequestedLevel};
use super::number;
use super::sum::{self, IntegerSum};
use super::trace::{Footprint, Step, TexelTrace};
use super::weights::{Group, Scale};
use crate::fixed_level::bias_field;
use crate::request::{FetchKind, Lod};
use texunit_texel::{Reading, WIDE, sign_extend};

pub(super) fn step(rule: &'static str, text: impl Into<String>) -> Step {
    Step { rule, text: text.into() }
}

/// A group of texels with its name in the explanation.
pub(super) struct NamedGroup<'a> {
    pub(super) name: &'a str,
    pub(super) group: Group<'a>,
}

/// The name of a group, such as `level 0, slice 1`.
pub(super) fn group_name(footprint: &Footprint, z: u8) -> String {
    let mut name = format!("level {}", footprint.level);
    if footprint.tap.1 > 1 {
        name += &format!(", tap {}", footprint.tap.0);
    }
    if footprint.axes.len() == 3 {
        name += &format!(", slice {}", footprint.axes[2].index + i64::from(z));
    }
    name
}

/// Sections 3 and 4 of docs/numerics.md: adds the steps from the requested level to those that are
/// read.
pub(super) fn level(fetch: &Fetch, wanted: RequestedLevel, levels: &Levels, steps: &mut Vec<Step>) {
    let (effective, bias) = (&fetch.effective, fetch.sampler.level_bias);
    if !fetch.resource().is_mipmapped() {
        steps.push(step("3.7", "the texture has one level"));
        return;
    }
    match wanted {
        RequestedLevel::Base => steps.push(step("3.1", "no level is named: level 0, without bias")),
        RequestedLevel::Whole(level) => steps.push(step("1.9", format!("integer level {level}"))),
        RequestedLevel::Lowest => {
            steps.push(step("4.7", "gradients of length 0: the lowest level"))
        }
        RequestedLevel::Highest => {
            steps.push(step("4.9", "gradients too large: the highest level"))
        }
        RequestedLevel::At(q) => {
            // The steps from the gradients to the level are in the trace already.
            let graded = fetch.form.kind == FetchKind::Sample(Lod::Gradient);
            if !graded {
                steps.push(step("3.2", format!("level in 1/256, cut: {}", in_256ths(q))));
            }
            if let Some(s) = level::sharpening(effective) {
                let (p, d) = s.low;
                steps.push(step(
                    "3.6",
                    format!(
                        "sharpened by anisotropy {}: with bias {}, low {p}/{d} and rate {}/{}, {}",
                        effective.max_anisotropy,
                        number::float(bias),
                        s.rate.0,
                        s.rate.1,
                        in_256ths(s.level(q, bias, effective.mip_filter))
                    ),
                ));
            } else if bias != 0.0 {
                let cut = bias_field(bias, (0, 1));
                let rule = if graded { "4.8" } else { "3.2" };
                let (sum, near) = (in_256ths(q + cut), q.abs().max(cut.abs()) <= FAR);
                let sum =
                    if near { format!("{q} + {cut} = {sum}") } else { format!("the sum is {sum}") };
                steps.push(step(rule, format!("bias {}: {sum}", number::float(bias))));
            }
        }
    }
    if matches!(wanted, RequestedLevel::Whole(_)) {
        return;
    }
    let [min, max] = effective.level_clamp;
    steps.push(step("3.3", format!("clamped to {min}..{max}: q = {}", levels.q)));
    let text = match levels.reads {
        [(level, 256), _] => format!("level {level} alone"),
        [(low, share), (high, rest)] => {
            format!("{share}/256 of level {low}, {rest}/256 of level {high}")
        }
    };
    steps.push(step("3.4", text));
}

/// A limit beyond all levels (in 1/256) that an `.s32` operand can express.
const FAR: i64 = 1 << 39;

/// A level in 1/256 as text. Levels of infinite operands are clamped at an arbitrary value, so that
/// they are described as infinite.
pub(super) fn in_256ths(q: i64) -> String {
    match q {
        q if q < -FAR => "below -2^39".to_owned(),
        q if q > FAR => "above 2^39".to_owned(),
        q => q.to_string(),
    }
}

/// Rule 1.9 of docs/numerics.md: the step of a fetch with integer coordinates outside the extent.
pub(super) fn outside() -> Step {
    step("1.9", "outside the extent: 0")
}

/// Rule 9.2 of docs/numerics.md: the explanation's line for the depth comparison of one texel.
pub(super) fn compared(passes: bool) -> Step {
    step("9.2", if passes { "the compare passes: 1" } else { "the compare fails: 0" })
}

/// Rule 9.2 of docs/numerics.md: the step that filters a depth compare. `weight` is that of the
/// texels that pass, in units of 2^-(8 + scale).
pub(super) fn passing(weight: u32, scale: Scale) -> Step {
    let share = f64::from(weight) / f64::from(1_u32 << scale);
    step("9.2", format!("texels that pass the compare weigh {share} of 256"))
}

/// Rule 2.6 of docs/numerics.md: the step that converts an f32 result to f16.
pub(super) fn half(bits: u32, half: u32) -> Step {
    let value = number::float(f32::from_bits(bits));
    step("2.6", format!("rounded to f16, ties to even: {value} gives 0x{half:04x}"))
}

/// Section 2, "Point-sampled values" of docs/numerics.md: the steps that convert the code of a
/// point-sampled texel.
pub(super) fn point(reading: Reading, code: u32) -> Vec<Step> {
    let value = number::float(f32::from_bits(reading.point(code)));
    let text = match reading {
        Reading::Missing => return Vec::new(),
        Reading::One => "the format has no alpha: 1".to_owned(),
        Reading::Uint { .. } => format!("integer {code}"),
        Reading::Sint { bits } => format!("integer {}", sign_extend(bits, code)),
        Reading::Unorm { bits: 10 } if code & WIDE != 0 => {
            format!("{} / 1023 = {value}", code >> 6 & 0x3ff)
        }
        Reading::Unorm { .. } if code & WIDE != 0 => {
            format!("{} / 65535 = {value}", code & 0xffff)
        }
        Reading::Unorm { bits } => format!("{code} / {} = {value}", (1_u64 << bits) - 1),
        Reading::Snorm { bits } => {
            let max = (1_i64 << (bits - 1)) - 1;
            format!("max({}, -{max}) / {max} = {value}", sign_extend(bits, code))
        }
        Reading::Srgb => {
            let table = sum::srgb_value(code);
            return vec![step("5.1", format!("sRGB code {code}: {table} / 65536 = {value}"))];
        }
        Reading::F16 => format!("f16 0x{code:04x} = {value}"),
        Reading::F32 => format!("f32 0x{code:08x} = {value}"),
    };
    vec![step("2", text)]
}

/// Rule 8.3 of docs/numerics.md: the steps that convert one gathered texel.
pub(super) fn gathered(
    component: usize,
    texel: &TexelTrace,
    value: u32,
    reading: Reading,
) -> Vec<Step> {
    if let Some(passes) = texel.compared {
        return vec![compared(passes)];
    }
    let (name, code) = (["r", "g", "b", "a"][component], texel.codes[component] & !WIDE);
    let [x, y, _] = texel.index;
    let value = if reading.can_filter() {
        number::float(f32::from_bits(value))
    } else {
        (value as i32).to_string()
    };
    if texel.made_of.is_some() {
        let text = format!("{name} of the corner ({x}, {y}), 86, 85 and 85 of 256: {value}");
        return vec![step("8.7", text)];
    }
    vec![step("8.3", format!("{name} of texel ({x}, {y}), code 0x{code:x}: {value}"))]
}

/// Section 2, "Sums" of docs/numerics.md: the steps that sum a channel.
pub(super) fn sum(reading: Reading, groups: &[NamedGroup], scale: Scale, result: u32) -> Vec<Step> {
    let plain: Vec<Group<'_>> = groups.iter().map(|n| n.group).collect();
    if let Some(rules) = float::rules(reading) {
        return float(groups, &plain, scale, rules, result);
    }
    let total = sum::total(reading, &plain);
    match (reading, sum::integer_sum(reading, total, scale)) {
        (Reading::Missing, _) => Vec::new(),
        (Reading::One, _) => point(reading, 0),
        (_, Some(sum)) => integer(reading, sum, scale),
        (_, None) => integer_sum(reading, total, scale, result),
    }
}

/// The steps of a sum of integer codes, for integer formats and for depth of 24 bits.
fn integer_sum(reading: Reading, total: i64, scale: Scale, result: u32) -> Vec<Step> {
    let all = 256_u32 << scale;
    let text = match reading {
        Reading::Sint { bits: 32 } => format!("floor(S / {all}) = {}", result as i32),
        Reading::Sint { .. } => format!("rhu(S / {all}) = {}", result as i32),
        Reading::Uint { bits: 32 } => format!("floor(S / {all}) = {result}"),
        Reading::Uint { .. } => format!("rhu(S / {all}) = {result}"),
        _ => {
            let value = number::float(f32::from_bits(result));
            format!("S / 2^{} cut to 24 bits, and a unit more: {value}", 32 + scale)
        }
    };
    vec![step("2", format!("S = sum of weight * code = {total}")), step("2", text)]
}

fn integer(reading: Reading, sum: IntegerSum, scale: Scale) -> Vec<Step> {
    let IntegerSum { total, k, max } = sum;
    let all = 256_u32 << scale;
    let what = match reading {
        Reading::Unorm { bits: 8 } => "weight * 257 * code",
        Reading::Unorm { bits: 2 | 10 } => "weight * code widened to 16 bits",
        _ => "weight * code",
    };
    let rounding = match (reading, scale) {
        (Reading::Unorm { .. }, _) => format!("rhu(S / {all})"),
        (Reading::Snorm { bits: 8 }, 0) => {
            "max(S + ((257 * (S >> 4) + 1024) >> 11), -32767)".to_owned()
        }
        (Reading::Snorm { bits: 8 }, k) => {
            format!("max(((2048 * S >> {k}) + 257 * (S >> {}) + 1024) >> 11, -32767)", 4 + k)
        }
        _ => format!("max(rhu(S / {all}), -32767)"),
    };
    let value = number::float(f32::from_bits(sum.bits()));
    vec![
        step("2", format!("S = sum of {what} = {total}")),
        step("2", format!("K = {rounding} = {k}")),
        step("2", format!("f32({k} / {max}) = {value}")),
    ]
}

fn float(
    groups: &[NamedGroup<'_>],
    plain: &[Group<'_>],
    scale: Scale,
    rules: &FloatRules,
    result: u32,
) -> Vec<Step> {
    let value = number::float(f32::from_bits(result));
    if !float::is_finite(plain, rules) {
        return vec![step("2.4", format!("a texel is not finite: plain arithmetic, {value}"))];
    }
    let rule = if std::ptr::eq(rules, &SRGB) { "5.2" } else { "2" };
    let sums = float::accumulate(plain, scale, rules);
    if sums.last().is_none_or(|sum| sum.unit.is_none()) {
        return vec![step("2.3", format!("all texels are zeros: {value}"))];
    }
    let mut steps = Vec::new();
    let taken = groups.chunk_by(|a, b| a.group.step == b.group.step);
    for (taken, sum) in taken.zip(sums) {
        for NamedGroup { name, group } in taken {
            steps.push(match float::exponent(group.texels, rules) {
                None => step(rule, format!("{name}: all texels are zeros")),
                Some(e) => {
                    let unit = e - rules.texel_bits;
                    step(rule, format!("{name}: texels cut to multiples of 2^{unit}"))
                }
            });
        }
        if let Some(unit) = sum.unit {
            let power = unit - 8 - scale as i32;
            let sum = number::real(sum.sum as f64 * 2.0_f64.powi(power));
            steps.push(step(rule, format!("added in units of 2^{unit}, floored: {sum}")));
        }
    }
    let bits = rules.precision;
    steps.push(step(rule, format!("rounded to {bits} bits, ties away from zero: {value}")));
    steps
}
