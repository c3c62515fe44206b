//! Random declarations and module properties: headers, variables of every state space, type and
//! shape, initialisers, fields of opaque references, linkage, parameters, functions, directives,
//! limits.

use super::Question;
use super::grammar::{Variables, expand};
use super::mutation::mutated;
use super::pools::draw;
use super::setup::Setup;
use texunit_testkit::Random;

/// A question about a random module of this family.
pub(super) fn question(mut setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let mut head = setup.head();
    if random.chance(6) {
        head = draw("heads", random).to_owned();
        setup.arch = super::setup::machine(setup.release, 75, random);
    }
    let counted = random.chance(8);
    let module = if counted {
        limit(random)
    } else {
        expand("declaration_module", &Variables::new(), random)
    };
    let text = head + &module;
    let text = if !counted && random.chance(10) { mutated(&text, 1, random) } else { text };
    Question { assemble: counted, ..setup.whole(family, text) }
}

/// A kernel with about as many references as the limit of a kernel allows.
fn limit(random: &mut Random) -> String {
    let (ty, most) = random.of(&[
        ("texref", 256),
        ("samplerref", 32),
        ("surfref", 32),
        ("surfref", 16),
        ("texref", 128),
    ]);
    let n = random.of(&[1, most - 1, most, most + 1, 2 * most]);
    let mut text = String::new();
    if ty == "samplerref" {
        text += ".global .texref t;\n";
    }
    for i in 0..n {
        text += &format!(".global .{ty} x{i};\n");
    }
    text += ".entry k()\n{\n.reg .b32 %r<4>; .reg .f32 %f<4>;\n";
    for i in 0..n {
        text += &match ty {
            "surfref" => format!("suld.b.1d.b32.trap %r0, [x{i}, {{%r1}}];\n"),
            "samplerref" => format!("tex.1d.v4.f32.s32 {{%f0,%f1,%f2,%f3}}, [t, x{i}, {{%r1}}];\n"),
            _ => format!("tex.1d.v4.f32.s32 {{%f0,%f1,%f2,%f3}}, [x{i}, {{%r1}}];\n"),
        };
    }
    text + "ret;\n}\n"
}
