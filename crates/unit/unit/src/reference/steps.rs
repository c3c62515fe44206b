//! Runs `tests/steps.txt`: the steps of a fetch that the rules of docs/numerics.md describe.
//!
//! A line is `STEP PARAMETERS / ARGUMENTS = RESULTS` or `STEP / ARGUMENTS = RESULTS`, with a result
//! for each argument, which may be several numbers. `TEXUNIT_BLESS=1` writes the results.

#![allow(clippy::unwrap_used)]
use super::anisotropy::{self, Anisotropy, anisotropy, largest_ratio};
use super::coordinate::{self as at, Neighbours};
use super::cube;
use super::explain::in_256ths;
use super::fixed::Fixed;
use super::float::{HALF, SINGLE, round_to_float};
use super::float10::{Float10, SignedFloat10};
use super::gradient::{self, Gradient};
use super::level::{RequestedLevel, Sharpening, levels};
use super::number as shown;
use super::result::compare;
use super::weights::{of_missing_corner, round_half_up};
use crate::fixed_level::{bias_field, clamp_interval, cut_to_256ths};
use crate::sampler::{AddressMode, CompareFunction, Filter};
use texunit_texel::Reading;

/// A number: factors and divisors, each of which may be a power of two.
pub(super) fn number(text: &str) -> f32 {
    let factor = |text: &str| match text.strip_prefix("2^") {
        Some(power) => 2.0_f64.powi(power.parse().unwrap()),
        None => text.parse().unwrap(),
    };
    let mut quotients = text.split('/').map(|text| text.split('*').map(factor).product());
    let first: f64 = quotients.next().unwrap();
    quotients.fold(first, |a, b: f64| a / b) as f32
}

pub(super) fn hexadecimal(text: &str) -> Option<u32> {
    text.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16).unwrap())
}

/// A float as a number or as its bits.
fn float(text: &str) -> f32 {
    hexadecimal(text).map_or_else(|| number(text), f32::from_bits)
}

fn integer(text: &str) -> i64 {
    hexadecimal(text).map_or_else(|| text.parse().unwrap(), i64::from)
}

/// The reading of a channel by its name, such as `f16` or `unorm8`.
pub(super) fn reading(name: &str) -> Reading {
    let (kind, bits) = name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
    let bits = bits.parse().unwrap_or(0);
    match kind {
        "f" => [Reading::F16, Reading::F32][bits as usize / 32],
        "unorm" => Reading::Unorm { bits },
        "snorm" => Reading::Snorm { bits },
        "uint" => Reading::Uint { bits },
        "sint" => Reading::Sint { bits },
        "srgb" => Reading::Srgb,
        "missing" => Reading::Missing,
        "one" => Reading::One,
        _ => panic!("`{name}` is no reading"),
    }
}

fn ten(x: f32) -> SignedFloat10 {
    SignedFloat10::from_f32(x)
}

fn joined<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(",")
}

fn level_text(level: RequestedLevel) -> String {
    match level {
        RequestedLevel::At(q) => q.to_string(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn neighbours(x: f32, n: u32, mode: AddressMode) -> String {
    let Neighbours { index, upper, exact } = at::neighbours(at::limit(at::number(x), n, mode));
    assert!((exact * 256.0 - f64::from(upper)).abs() <= 0.5, "{exact} {upper}");
    joined([index, upper.into()])
}

/// Level, ratio, R and direction for gradients in texels.
fn footprint(dpdx: [f32; 2], dpdy: [f32; 2], largest: u32) -> String {
    let Gradient::Slope(slope) = gradient::flat(dpdx, dpdy, [1, 1]) else { panic!("not in 2D") };
    let got = anisotropy(&slope, largest);
    let rest = joined([got.ratio, got.taps, got.direction[0], got.direction[1]]);
    format!("{},{rest}", level_text(got.level))
}

/// Taps, K, step and weights for R and direction, of one of the levels.
fn taps(of: &[&str], is_coarse: bool, rest: u32) -> String {
    let (taps, direction) = (integer(of[0]), [integer(of[1]), integer(of[2])]);
    let (area, level) = (Float10::ZERO, RequestedLevel::At(0));
    let all = Anisotropy { area, ratio: taps, level, taps, direction };
    let level = all.of_level(is_coarse, rest);
    // The line of taps is centred.
    let ends = [0, level.count - 1].map(|number| level.tap_offset(number));
    assert_eq!(ends[1], level.step.map(|s| s * i64::from(level.count - 1)));
    assert_eq!(ends[0], ends[1].map(|way| -way));
    let weights = joined((0..level.count).map(|number| level.weight(number)));
    format!("{},{},{};{weights}", level.count, level.scale, joined(level.step))
}

fn sharpened(of: &[&str], q: i64, bias: f32) -> i64 {
    let (low, rate) = match of[0] {
        "2" => ((128, 3), (3, 2)),
        "4" => ((384, 7), (7, 4)),
        _ => ((64, 1), (2, 1)),
    };
    Sharpening { low, rate }.level(q, bias, Filter::from_name(of[1]))
}

fn answer(step: &str, of: &[&str], text: &str) -> String {
    let words: Vec<&str> = text.split(',').collect();
    let x = |n: usize| float(words[n]);
    let i = |n: usize| integer(words[n]);
    let (int, whole) = (|| i(0) as i32, || i(0) as u32);
    let mode = || AddressMode::from_name(of[0]).unwrap();
    let size = |n: usize| integer(of[n]) as u32;
    let three = |n: usize| [x(n), x(n + 1), x(n + 2)];
    let terms = || [0, 2, 4].map(|n| (i(n), i(n + 1) as i32));
    let texels = || [ten(x(0)), ten(x(1)), ten(x(2))];
    match step {
        "fixed" => Fixed::from_f32(x(0)).floor().to_string(),
        "number" => at::number(x(0)).floor().to_string(),
        "bits" => at::fraction_bits(whole()).to_string(),
        "point" => {
            let scaled = at::scale_normalized(at::number(x(0)), size(0), AddressMode::Clamp);
            at::point_index(scaled).to_string()
        }
        "scaled" => at::scale_normalized(at::number(x(0)), size(1), mode()).to_f64().to_string(),
        "near" => neighbours(x(0), size(1), mode()),
        "address" => at::address(i(0), size(1), mode()).map_or("none".into(), |k| k.to_string()),
        "tex_offset" => at::tex_offset(int()).to_string(),
        "gather_offset" => at::gather_offset(int()).to_string(),
        "row_offset" => joined(at::row_offset(int())),
        "beyond" => at::beyond(mode(), words[0] == "linear").to_string(),
        "integer" => {
            let k = at::integer(whole(), i(1));
            at::inside(k, size(0)).map_or("none".into(), |k| k.to_string())
        }
        "layer" => at::layer(whole(), size(0)).to_string(),
        "sample" => at::sample(whole(), size(0)).to_string(),
        "halves" => round_half_up(i(0).into(), i(1).into()).to_string(),
        "corner" => joined(of_missing_corner(whole())),
        "cut" => cut_to_256ths(x(0)).to_string(),
        "bias" => bias_field(x(0), (integer(of[0]), integer(of[1]))).to_string(),
        "clamp" => joined(clamp_interval(x(0), x(1), size(0) as usize)),
        "in_256ths" => in_256ths(cut_to_256ths(x(0))),
        "float" => shown::float(x(0)),
        "real" => shown::real(text.parse().unwrap()),
        "mip" => {
            let reads = levels(i(0), Filter::from_name(of[0])).reads;
            joined(reads.map(|(level, share)| format!("{share}*{level}")))
        }
        "sharpened" => sharpened(of, i(0), x(1)).to_string(),
        "ten" => ten(x(0)).to_f64().to_string(),
        "round" => {
            let rules = if of[0] == "f16" { &HALF } else { &SINGLE };
            format!("{:#x}", round_to_float(i(0).into(), i(1) as i32, rules))
        }
        "compare" => {
            let (function, reading) = (CompareFunction::from_name(of[0]).unwrap(), reading(of[1]));
            let code = if reading == Reading::F32 { x(1).to_bits() } else { i(1) as u32 };
            compare(function, reading, x(0).to_bits(), code).to_string()
        }
        "log" => format!("{:?}", ten(x(0)).magnitude.log2_256()),
        "plus" => ten(x(0)).plus(ten(x(1))).to_f64().to_string(),
        "sum" => Float10::cut_sum(terms().map(|(m, e)| (m as u32, e))).to_f64().to_string(),
        "signed_sum" => SignedFloat10::cut_signed_sum(terms()).to_f64().to_string(),
        "difference" => SignedFloat10::difference(x(0), x(1)).to_f64().to_string(),
        "grow" => gradient::scaled(ten(x(0)), size(0)).to_f64().to_string(),
        "length" => gradient::length(texels()).to_f64().to_string(),
        "diagonal" => gradient::diagonal(texels()).to_f64().to_string(),
        "quad" => {
            gradient::quad_difference(x(0), x(1)).map_or("none".into(), |d| d.to_f64().to_string())
        }
        "flat" => {
            level_text(gradient::flat([x(0), x(1)], [x(2), x(3)], [size(0), size(1)]).level())
        }
        "solid" => {
            let (point, d) = ([x(0), 0.0, 0.0], [x(1), 0.0, 0.0]);
            level_text(gradient::solid(point, d, [0.0; 3], [size(0); 3]).level())
        }
        "maximum" => largest_ratio(whole()).to_string(),
        "footprint" => footprint([x(0), x(1)], [x(2), x(3)], size(0)),
        "weights" => {
            let (count, interior, end, scale) = anisotropy::weights(i(0));
            joined([count, interior, end, scale])
        }
        "taps" => taps(of, words[0] == "coarse", i(1) as u32),
        "face" => {
            let p = cube::face_point(three(0));
            let axes = joined([p.sc, p.tc, p.ma]);
            format!("{}:{axes}:{},{}", p.face, p.s.to_f64(), p.t.to_f64())
        }
        "pulled" => {
            let axes = [(i(0), i(1) as u32), (i(2), i(3) as u32)];
            joined(cube::pulled(axes, size(0)).map(|(k, weight)| format!("{k},{weight}")))
        }
        "around" => level_text(cube::gradient(three(0), three(3), three(6), size(0)).0.level()),
        _ => panic!("`{step}` is no step"),
    }
}

#[test]
fn steps() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/steps.txt");
    let file = std::fs::read_to_string(path).unwrap();
    let mut now = String::new();
    for line in file.lines() {
        let asked = line.split(" = ").next().unwrap();
        now += &match asked.split_once(" / ") {
            Some((step, arguments)) if !line.starts_with('#') => {
                let words: Vec<&str> = step.split(' ').collect();
                let answers = arguments.split(' ').map(|text| answer(words[0], &words[1..], text));
                format!("{asked} = {}\n", answers.collect::<Vec<_>>().join(" "))
            }
            _ => format!("{line}\n"),
        };
    }
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(path, &now).unwrap();
    }
    assert!(now == file, "tests/steps.txt differs; TEXUNIT_BLESS=1 writes what it is now");
}
