//! Random modifiers and operands for generated instructions: right ones, similar ones, or any.

use super::setup::REGISTERS;
use texunit_isa::Form;
use texunit_testkit::Random;

/// Operands of every kind other than plain registers, for instructions where they are mostly
/// invalid.
#[rustfmt::skip]
const WILD: &[&str] = &[
    "0", "1", "-1", "7", "31", "64", "255", "65536", "4294967295", "4294967296", "-2147483649", "0x7fffffffffffffff", "18446744073709551615",
    "1U", "0U", "0x10U", "1.0", "-0.5", "1e3", "0f3F800000", "0d3FF0000000000000", "(1+2)", "(1.0*2.0)", "-(3)", "~1", "!0", "(1?2:3)", "(7>3)",
    "WARP_SZ", "%tid.x", "%tid", "%ntid.y", "%laneid", "%clock", "%clock64", "%lanemask_lt", "%gridid", "%smid", "%envreg3", "%pm0", "%warpid",
    "gi", "ga", "sh", "cf", "lo", "pa", "pb", "gi+4", "ga[4]", "sh+0", "tex_a", "surf_a", "k", "here", "nobody", "_",
    "%vf", "%vr", "%wf", "%ws", "%vf.x", "%vr.w", "%ws.y", "%vs.r", "%r0.x", "!%p0", "!%r0", "-%r0", "-%f1", "%r0|%p1", "%p0|%p1",
    "{%r0,%r1}", "{%f0,%f1,%f2,%f3}", "{%hb0,%hb1}", "{%rd0,%rd1}", "{%r0}", "{1,2}", "{%r0,%r1,%r2}", "{_,%r1}",
    "[%rd0]", "[gi]", "[%r0]", "[0]", "(%r0)", "%r9", "%", "\"x\"",
];

/// Integer constants; the lists that follow have those of the other types.
const INTEGERS: &[&str] =
    &["0", "1", "-1", "2", "5", "16", "31", "32", "63", "0xff", "-128", "1U", "(2+3)", "WARP_SZ"];
const FLOATS: &[&str] = &["0.0", "1.0", "-2.5", "1e10", "0f3F800000", "0f7FC00000"];
const DOUBLES: &[&str] = &["0.0", "1.0", "-2.5", "1e300", "0d3FF0000000000000"];

/// Width of a type in bits; 0 for a word that is not a type.
pub(super) fn bits(ty: &str) -> u32 {
    match ty {
        "pred" => 1,
        "f16x2" | "bf16x2" | "u16x2" | "s16x2" | "tf32" => 32,
        "e4m3x2" | "e5m2x2" => 16,
        "texref" | "samplerref" | "surfref" => 64,
        _ => ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().unwrap_or(0),
    }
}

/// A random register whose type satisfies `fits`, or any register if none does.
fn register_that(random: &mut Random, fits: impl Fn(&str) -> bool) -> String {
    let fitting: Vec<&str> =
        REGISTERS.iter().filter(|(ty, ..)| fits(ty)).map(|(_, name, _)| *name).collect();
    let name = if fitting.is_empty() { "%r" } else { random.of(&fitting) };
    format!("{name}{}", random.below(6))
}

/// A random register of this type, or an untyped one of the same width.
pub(super) fn good(ty: &str, random: &mut Random) -> String {
    let plain = random.chance(40);
    let width = bits(ty);
    let exact = REGISTERS.iter().any(|(t, ..)| *t == ty);
    register_that(random, |t| match exact && !plain {
        true => t == ty,
        false => t == ty || t.starts_with('b') && bits(t) == width,
    })
}

/// A random register of any type with this type's width.
pub(super) fn near(ty: &str, random: &mut Random) -> String {
    register_that(random, |t| bits(t) == bits(ty))
}

/// A random register of any type.
pub(super) fn any_register(random: &mut Random) -> String {
    register_that(random, |_| true)
}

/// A random operand of any kind.
pub(super) fn wild(random: &mut Random) -> String {
    random.of(WILD).to_owned()
}

/// A random constant of this type.
pub(super) fn constant(ty: &str, random: &mut Random) -> String {
    let list = match ty {
        "f32" => FLOATS,
        "f64" => DOUBLES,
        "b32" if random.chance(15) => FLOATS,
        "b64" if random.chance(15) => DOUBLES,
        _ => INTEGERS,
    };
    random.of(list).to_owned()
}

/// A random destination operand, which usually has this type.
pub(super) fn dest(ty: &str, random: &mut Random) -> String {
    match random.below(100) {
        0..=79 => good(ty, random),
        80..=91 => near(ty, random),
        92..=96 => any_register(random),
        _ => wild(random),
    }
}

/// A random source operand, which usually has this type.
pub(super) fn source(ty: &str, random: &mut Random) -> String {
    match random.below(100) {
        0..=61 => good(ty, random),
        62..=79 => constant(ty, random),
        80..=90 => near(ty, random),
        91..=95 => any_register(random),
        _ => wild(random),
    }
}

/// A vector operand `{a,b,c}` of `n` operands.
pub(super) fn braces(n: usize, mut one: impl FnMut() -> String) -> String {
    let list: Vec<String> = (0..n).map(|_| one()).collect();
    format!("{{{}}}", list.join(","))
}

/// A random predicate of an instruction; empty in most cases.
pub(super) fn guard(random: &mut Random) -> &'static str {
    match random.below(100) {
        0..=3 => "@%p1 ",
        4..=6 => "@!%p0 ",
        7 => random.of(&["@%r0 ", "@!%f1 ", "@here ", "@%p ", "@!!%p0 ", "@%p9 "]),
        _ => "",
    }
}

/// Words for the modifiers of a form, with `optional` percent of the optional ones; sometimes one
/// too many, one too few, another of `others`, or, for the draws below `swapped`, another order.
pub(super) fn modifiers(
    form: &Form,
    (optional, swapped): (u32, usize),
    others: &[&'static str],
    random: &mut Random,
) -> Vec<&'static str> {
    let mut words = Vec::new();
    for slot in &form.slots {
        if !slot.optional || random.chance(optional) {
            words.push(random.of(&slot.words));
        }
    }
    let n = words.len();
    match random.below(100) {
        0..=2 if n > 0 => {
            words.remove(random.below(n));
        }
        3..=4 if n > 0 => words.push(words[random.below(n)]),
        5..=9 if n > 0 => words[random.below(n)] = random.of(others),
        10..=12 => words.insert(random.below(n + 1), random.of(others)),
        draw if (13..swapped).contains(&draw) && n > 1 => {
            let at = random.below(n - 1);
            words.swap(at, at + 1);
        }
        _ => {}
    }
    words
}
