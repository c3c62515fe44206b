//! Random pragmas by version and position, and sections with arbitrary lines.

use super::Question;
use super::pools::draw;
use super::setup::Setup;
use texunit_testkit::Random;

fn pragma(random: &mut Random) -> String {
    let mut strings = format!("\"{}\"", draw("pragmas", random));
    if random.chance(15) {
        strings += &format!(", \"{}\"", draw("pragmas", random));
    }
    format!(".pragma {strings};\n")
}

fn section(random: &mut Random) -> String {
    let mut text = format!(".section {} {{\n", draw("sections", random));
    for _ in 0..random.of(&[0, 1, 1, 2, 3, 4]) {
        text += draw("section_lines", random);
        text.push('\n');
    }
    text + "}\n"
}

/// A question about a module with one or two pragmas or sections.
pub(super) fn question(setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let [mut before, mut head, mut body, mut after] = [const { String::new() }; 4];
    for _ in 0..random.of(&[1, 1, 1, 2]) {
        match random.below(10) {
            0 => before += &pragma(random),
            1 => head += &pragma(random),
            2..=5 => body += &pragma(random),
            6 => before += &section(random),
            _ => after += &section(random),
        }
    }
    let text = format!(
        "{}{before}.visible .entry k(.param .u64 p)\n{head}{{\n.reg .b32 %r<4>;\n.reg .b64 %d;\nld.param.b64 %d, [p];\n{body}\
         ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%d];\nst.global.b32 [%d], %r1;\nret;\n}}\n{after}",
        setup.head()
    );
    setup.whole(family, text)
}
