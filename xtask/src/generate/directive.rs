//! Random pragmas by version and position, and sections with arbitrary lines.

use super::Question;
use super::grammar::{Variables, expand};
use super::setup::Setup;
use texunit_testkit::Random;

/// A question about a module with one or two pragmas or sections.
pub(super) fn question(setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let [mut before, mut head, mut body, mut after] = [const { String::new() }; 4];
    for _ in 0..random.of(&[1, 1, 1, 2]) {
        let (to, rule) = match random.below(10) {
            0 => (&mut before, "pragma"),
            1 => (&mut head, "pragma"),
            2..=5 => (&mut body, "pragma"),
            6 => (&mut before, "section"),
            _ => (&mut after, "section"),
        };
        *to += &expand(rule, &Variables::new(), random);
    }
    let text = format!(
        "{}{before}.visible .entry k(.param .u64 p)\n{head}{{\n.reg .b32 %r<4>;\n.reg .b64 %d;\nld.param.b64 %d, [p];\n{body}\
         ld.global.v4.b32 {{%r0, %r1, %r2, %r3}}, [%d];\nst.global.b32 [%d], %r1;\nret;\n}}\n{after}",
        setup.head()
    );
    setup.whole(family, text)
}
