//! Random registers by type.

use super::setup::REGISTERS;
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
