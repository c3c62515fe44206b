//! Random modifiers and operands for generated instructions: right ones, similar ones, or any.

use super::pools::{draw, pool};
use super::setup::REGISTERS;
use texunit_isa::Form;
use texunit_testkit::Random;

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
    draw("wild", random).to_owned()
}

/// A random constant of this type.
pub(super) fn constant(ty: &str, random: &mut Random) -> String {
    let list = match ty {
        "f32" => pool("floats"),
        "f64" => pool("doubles"),
        "b32" if random.chance(15) => pool("floats"),
        "b64" if random.chance(15) => pool("doubles"),
        _ => pool("integers"),
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
