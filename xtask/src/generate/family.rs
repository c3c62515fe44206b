//! Random modules of families, most of whose texts are rules of grammar.txt: uses of array elements
//! and of numbered names, calls, pragmas and sections, declarations and module properties, items,
//! constants, control flow.

use super::Question;
use super::grammar::{Variables, draw, expand, yes};
use super::mutation::mutated;
use super::setup::{Setup, any_register, machine};
use std::fmt::Write as _;
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
    setup.of_module(expand("directive_module", &variables, random))
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
    Question { assemble: counted, ..setup.of_module(text) }
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
    Question { prefix, lines, suffix, ..setup.of_module(String::new()) }
}

/// A question whose lines are random texts of a rule, in one kernel that follows `before`.
pub(super) fn lines_of(
    rule: &str,
    before: &str,
    setup: Setup,
    most: usize,
    random: &mut Random,
) -> Question {
    let lines = (0..most).map(|_| expand(rule, &Variables::new(), random)).collect();
    let question = setup.question(lines);
    let prefix = question.prefix.replacen(".entry", &format!("{before}.entry"), 1);
    Question { prefix, ..question }
}

/// A question whose lines are blocks that declare names of every kind, which the module may
/// declare too, and use them.
pub(super) fn names(setup: Setup, most: usize, random: &mut Random) -> Question {
    let before = expand("name_items", &Variables::new(), random);
    lines_of("name_line", &before, setup, most, random)
}

/// A question about a module with random control flow: labels, branches, scopes, calls of every
/// kind, lists of targets, prototypes, predicates.
pub(super) fn control(setup: Setup, random: &mut Random) -> Question {
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
    setup.of_module(mutated(&text, strength, random))
}
