//! Random control flow: labels, branches, scopes, calls of every kind, lists of targets,
//! prototypes, predicates.

use std::fmt::Write as _;

use super::Question;
use super::mutation::mutated;
use super::pools::draw;
use super::register::any_register;
use super::setup::Setup;
use texunit_testkit::Random;

/// A question about a random module of this family.
pub(super) fn question(setup: Setup, random: &mut Random) -> Question {
    let mut text = setup.head();
    let functions: Vec<_> = (0..random.below(4) + 1)
        .filter_map(|_| draw("functions", random).split_once(" => "))
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    for (function, _) in &functions {
        if !seen.contains(function) || random.chance(3) {
            text += function;
            text.push('\n');
            seen.push(function);
        }
    }
    text += ".entry k(.param .u32 a)\n{\n";
    text +=
        ".reg .b32 %r<6>; .reg .b64 %rd<6>; .reg .f32 %f<6>; .reg .pred %p<6>; .reg .u16 %h<4>;\n";
    for label in 0..3 {
        let _ = writeln!(text, "L{label}:");
        for _ in 0..random.below(4) {
            let statement = match random.below(10) {
                0..=3 => random.of(&functions).1,
                4 => draw("indirect", random),
                _ => draw("statements", random),
            };
            let statement = match random.below(12) {
                0 => statement.replacen("%r1", &any_register(random), 1),
                1 => statement.replacen("pa", "pb", 1),
                2 => statement.replacen(
                    ".b32",
                    random.of(&[".u32", ".f32", ".b64", ".s16", ".b8"]),
                    1,
                ),
                _ => statement.to_owned(),
            };
            text += &statement;
            text.push('\n');
        }
    }
    text += "ret;\n}\n";
    let strength = random.of(&[0, 0, 0, 1, 1, 2]);
    let text = mutated(&text, strength, random);
    setup.whole(text)
}
