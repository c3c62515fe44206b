//! Random items of a module (variables with initial values, functions with directives, pairs of
//! declarations of one name), and constants and their expressions as operands of instructions.

use super::Question;
use super::grammar::{Variables, expand};
use super::setup::Setup;
use texunit_testkit::Random;

/// Declarations to which the items refer.
const PRIOR: &str = "\
.global .u32 prior;
.global .align 8 .u64 many[4];
.shared .u32 shared0;
.const .u32 const0;
.func g0() { ret; }
.func fa() { ret; }
.func (.reg .b32 v) g1(.reg .b32 a) { mov.b32 v, a; ret; }
.entry e0() { ret; }
";

/// A question whose lines are random items of one module.
pub(super) fn items(setup: Setup, most: usize, random: &mut Random) -> Question {
    let mut prefix = setup.head() + PRIOR;
    if setup.version >= 15 {
        prefix += ".global .texref texture0;\n";
    }
    let lines = (0..most)
        .map(|n| expand("item_line", &Variables::new(), random).replace('#', &n.to_string()))
        .collect();
    let suffix = ".global .u32 later;\n.section .debug_str { info0: .b8 1 }\n".to_owned();
    Question { prefix, lines, suffix, ..setup.whole(String::new()) }
}

/// A question whose lines are random texts of a rule, in one kernel that follows `before`.
fn lines_of(rule: &str, before: &str, setup: Setup, most: usize, random: &mut Random) -> Question {
    let lines = (0..most).map(|_| expand(rule, &Variables::new(), random)).collect();
    let question = setup.question(lines);
    let prefix = question.prefix.replacen(".entry", &format!("{before}.entry"), 1);
    Question { prefix, ..question }
}

/// A question whose lines are random instructions with constants, in one kernel.
pub(super) fn constants(setup: Setup, most: usize, random: &mut Random) -> Question {
    lines_of("constant_line", ".func g0();\n", setup, most, random)
}

/// A question whose lines are blocks that declare names of every kind, which the module may
/// declare too, and use them.
pub(super) fn names(setup: Setup, most: usize, random: &mut Random) -> Question {
    let before = expand("name_items", &Variables::new(), random);
    lines_of("name_line", &before, setup, most, random)
}

/// A question whose lines are instructions with white space, comments and punctuation in random
/// places.
pub(super) fn spellings(setup: Setup, most: usize, random: &mut Random) -> Question {
    lines_of("spelling_line", ".func g0();\n", setup, most, random)
}
