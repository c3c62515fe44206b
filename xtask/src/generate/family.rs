//! Random modules of families whose texts are rules of grammar.txt: uses of array elements and of
//! numbered names, calls, pragmas and sections, declarations and module properties.

use super::Question;
use super::grammar::{Variables, expand, yes};
use super::mutation::mutated;
use super::pools::draw;
use super::setup::{Setup, machine};
use texunit_testkit::Random;

/// A question whose lines are random uses of array elements (`name[2]`, `name[%r1+2]`), in
/// instructions that accept them and in others, and of numbered names (`name<4>`), in every state
/// space and scope.
pub(super) fn array(setup: Setup, most: usize, random: &mut Random) -> Question {
    // Array parameters of kernels, and call parameters in a body, need version 2.0 and target
    // sm_20.
    let parameters = yes(setup.version >= 20 && setup.target >= 20);
    let variables = [("parameters", parameters), ("textures", yes(setup.version >= 15))].into();
    let mut text = |rule| expand(rule, &variables, random);
    let mut prefix = setup.prefix_with(&text("array_variables"), &text("array_kernel_parameters"));
    prefix += &text("array_locals");
    let lines = (0..most).map(|_| text("array_line")).collect();
    Question { prefix, ..setup.question(lines) }
}

/// A question whose lines are random calls, and accesses to the parameters of a function and of its
/// calls, in one function, which is a kernel in one of three cases.
pub(super) fn call(mut setup: Setup, most: usize, random: &mut Random) -> Question {
    // The ABI of functions needs version 2.0 and target sm_20.
    setup.version = setup.version.max(30);
    let variables = [("variadic", yes(setup.target >= 30))].into();
    let mut text = |rule| expand(rule, &variables, random);
    let mut prefix = setup.prefix_with(&text("call_functions"), &text("call_kernel_parameters"));
    let result = text("call_result");
    if !result.is_empty() {
        prefix = prefix.replace(".entry k(", &format!(".visible .func ({result}) k("));
    }
    prefix += &text("call_locals");
    let lines = (0..most).map(|_| text("call_line")).collect();
    Question { prefix, ..setup.question(lines) }
}

/// A question about a module with pragmas and sections with arbitrary lines.
pub(super) fn directive(setup: Setup, random: &mut Random) -> Question {
    let variables = [("head", setup.head())].into();
    setup.whole(expand("directive_module", &variables, random))
}

/// A question about a module with random declarations and properties: headers, variables of every
/// state space, type and shape, initialisers, fields of opaque references, linkage, parameters,
/// functions, directives, limits.
pub(super) fn declaration(mut setup: Setup, random: &mut Random) -> Question {
    let mut head = setup.head();
    if random.chance(6) {
        head = draw("heads", random).to_owned();
        setup.arch = machine(setup.release, 75, random).to_string();
    }
    let counted = random.chance(8);
    let module = if counted {
        limit(random)
    } else {
        expand("declaration_module", &Variables::new(), random)
    };
    let text = head + &module;
    let text = if !counted && random.chance(10) { mutated(&text, 1, random) } else { text };
    Question { assemble: counted, ..setup.whole(text) }
}

/// A kernel with about as many references as the limit of a kernel allows.
fn limit(random: &mut Random) -> String {
    let (ty, most, before, used) = random.of(&[
        ("texref", 256, "", "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [NAME, {%r1}];\n"),
        ("texref", 128, "", "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [NAME, {%r1}];\n"),
        (
            "samplerref",
            32,
            ".global .texref t;\n",
            "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [t, NAME, {%r1}];\n",
        ),
        ("surfref", 32, "", "suld.b.1d.b32.trap %r0, [NAME, {%r1}];\n"),
        ("surfref", 16, "", "suld.b.1d.b32.trap %r0, [NAME, {%r1}];\n"),
    ]);
    let n = random.of(&[1, most - 1, most, most + 1, 2 * most]);
    let each =
        |text: &str| -> String { (0..n).map(|i| text.replace("NAME", &format!("x{i}"))).collect() };
    let (declared, used) = (each(&format!(".global .{ty} NAME;\n")), each(used));
    format!("{before}{declared}.entry k()\n{{\n.reg .b32 %r<4>; .reg .f32 %f<4>;\n{used}ret;\n}}\n")
}
