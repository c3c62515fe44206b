//! Random uses of array elements (`name[2]`, `name[%r1+2]`), in instructions that accept them and
//! in others, and of numbered names (`name<4>`), in every state space and scope.

use std::fmt::Write as _;

use super::Question;
use super::operand::{any_register, braces, dest, good, guard, source, wild};
use super::pools::{draw, pool};
use super::setup::Setup;
use texunit_testkit::Random;

const VARIABLES: &str = "\
.global .align 4 .b8 a1[64];\n.global .u16 a2[3];\n.global .u32 a4[16];\n.global .u64 a8[16];\n.global .f64 ad[4];\n\
.global .align 16 .v4 .f32 av[4];\n.global .s32 am[3][5];\n.global .u32 ai[2] = {1, 2};\n.global .u32 gi;\n.global .v2 .u32 gv;\n\
.shared .u32 s4[16];\n.shared .u64 s8[4];\n.extern .shared .b8 se[];\n.const .u32 c4[8];\n.const .u64 c8[8];\n.const .f32 cf;\n";

const NUMBERED_OF_MODULE: &str =
    ".global .u32 gn<4>;\n.const .f64 cn<2>;\n.shared .align 8 .b8 sn<12>;\n";
const NUMBERED_OF_BODY: &str = ".local .b32 ln<4>;\n.shared .u64 bn<3>;\n.global .f32 hn<2>;\n";

/// A question whose lines are random instructions in one kernel.
pub(super) fn question(
    setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    // Array parameters of kernels, and call parameters in a body, need version 2.0 and target
    // sm_20.
    let parameters = setup.version >= 20 && setup.target >= 20;
    let mut variables = VARIABLES.to_owned() + NUMBERED_OF_MODULE;
    if setup.version >= 15 {
        variables += ".global .texref tex_a;\n.global .texref ta[3];\n";
    }
    let params = match parameters {
        true => ".param .u64 px, .param .u32 p4[4], .param .align 8 .b8 pb[16]",
        false => ".param .u64 px",
    };
    let mut prefix = setup.prefix_with(&variables, params);
    prefix += NUMBERED_OF_BODY;
    prefix += ".local .b32 l4[8];\n.local .f64 l8[2];\n.local .b32 lo;\n";
    if parameters {
        let _ = writeln!(prefix, ".param .u32 q4[4];");
    }
    let arrays = pool("arrays").iter();
    let arrays: Vec<_> =
        arrays.chain(pool("array_parameters").iter().filter(|_| parameters)).copied().collect();
    let lines = (0..most).map(|_| match random.below(4) {
        0 => numbered(random),
        _ => line(&arrays, random),
    });
    let lines = lines.collect();
    Question { prefix, ..setup.question(family, lines) }
}

/// A random subscript without its brackets.
fn subscript(random: &mut Random) -> String {
    let register = match random.below(10) {
        0..=5 => good(random.of(&["u32", "s32", "b32", "u64", "s64", "u16", "s16"]), random),
        6..=7 => any_register(random),
        8 => random
            .of(&["%laneid", "%clock", "%clock64", "%envreg3", "%tid", "%tid.x", "%vf", "%pm1"])
            .to_owned(),
        _ => random.of(&["a4", "gi", "c4", "k", "here", "nobody", "%r9", "tex_a"]).to_owned(),
    };
    let constant = draw("subscripts", random);
    match random.below(20) {
        0..=5 => constant.to_owned(),
        6..=11 => register,
        12..=16 => format!("{register}+{constant}"),
        17 => format!("{register}{}", random.of(&["-1", "*2", "+%r2", "+1.0", "+", "+_", ".x"])),
        18 => random.of(&["1.0", "-%r1", "!%p1", "", "_", "2+%r1", "{%r1}", "(%r1)"]).to_owned(),
        _ => wild(random),
    }
}

/// A random use of a numbered name, or a scope with declarations and a use.
fn numbered(random: &mut Random) -> String {
    let [name, space, ty] = declared(draw("numbered", random));
    let number = random.of(&["0", "1", "1", "2", "3", "11", "12", "", "x", "0[1]", "1+4", "_"]);
    if random.chance(30) {
        return access(space, ty, &format!("{name}{number}"), random);
    }
    let spaces = ["reg", "local", "local", "shared", "shared", "param", "param", "global", "const"];
    let types = ["u32", "u32", "b64", "f32", "b8", "f16x2", "pred", "texref", "b128"];
    let declaration = |name: &str, random: &mut Random| {
        let space = random.of(&spaces);
        let count = random.of(&["<2>", "<2>", "<3>", "<12>", "<1>", "<0>", "<WARP_SZ>", "1", ""]);
        let more = match random.below(30) {
            0 => "[4]",
            1 => " = 1",
            2 => ", gn<2>, v",
            3 => "<1>",
            _ => "",
        };
        let before = random.of(&["", "", "", "", "", "", ".align 8 ", ".v2 ", ".align 3 "]);
        let linkage = match random.below(40) {
            0 => random.of(&[".extern ", ".visible ", ".weak ", ".common "]),
            _ => "",
        };
        (space, format!("{linkage}.{space} {before}.{} {name}{count}{more};", random.of(&types)))
    };
    let name = random.of(&["w", "w", "w", "%w", "gn", "w1", "ln", "$w"]);
    let (space, mut text) = declaration(name, random);
    if random.chance(30) {
        let again = random.of(&["w", "w1", "w0", "%w", "ln"]);
        text += " ";
        text += &declaration(again, random).1;
    }
    if random.chance(8) {
        text += random.of(&[" w1:", " gn1:", " w1: .callprototype _ ();"]);
    }
    let ty = random.of(&["u32", "u32", "b64", "f32", "b8"]);
    let used = access(space, ty, &format!("{name}{number}"), random);
    format!("{{ {text} {used} }}")
}

/// A random instruction that contains the address of a variable, or a register.
fn access(space: &str, ty: &str, name: &str, random: &mut Random) -> String {
    if space == "reg" && random.chance(80) {
        return format!("mov.{ty} {name}, {};", source(ty, random));
    }
    match random.below(12) {
        0..=4 => format!("ld.{space}.{ty} {}, [{name}];", dest(ty, random)),
        5..=8 => format!("st.{space}.{ty} [{name}], {};", good(ty, random)),
        9 => format!("mov.u64 %rd1, {name};"),
        10 => format!("cvta.{space}.u64 %rd1, {name};"),
        _ => random.of(&["add.u64 %rd1, %rd2, @;", "bra @;"]).replace('@', name),
    }
}

fn element(name: &str, random: &mut Random) -> String {
    let subscript = subscript(random);
    match random.below(40) {
        0 => format!("{name}[{subscript}][1]"),
        1 => format!("{name}[{subscript}]+4"),
        2 => format!("{name} [ {subscript} ]"),
        3 => format!("[{name}[{subscript}]]"),
        4 => name.to_owned(),
        _ => format!("{name}[{subscript}]"),
    }
}

/// Name, state space and type of a pool's declaration.
fn declared(text: &'static str) -> [&'static str; 3] {
    let mut words = text.split(' ');
    std::array::from_fn(|_| words.next().unwrap_or_default())
}

fn line(arrays: &[&'static str], random: &mut Random) -> String {
    let [name, space, ty] = declared(random.of(arrays));
    let name = if random.chance(6) { draw("no_arrays", random) } else { name };
    let space = match random.below(20) {
        0..=14 => format!(".{space}"),
        15..=17 => String::new(),
        _ => format!(".{}", random.of(&["global", "shared", "local", "const", "param"])),
    };
    let ty = match random.chance(80) {
        true => ty,
        false => random.of(&["u8", "s16", "u32", "b32", "s64", "f32", "f64", "b64"]),
    };
    let element = element(name, random);
    let lanes = if random.chance(12) { random.of(&[2, 4]) } else { 1 };
    let vector = if lanes > 1 { format!(".v{lanes}") } else { String::new() };
    let several = |random: &mut Random, store: bool| match (lanes, store) {
        (1, false) => dest(ty, random),
        (1, true) => source(ty, random),
        _ => braces(lanes, || good(ty, random)),
    };
    let order = random.of(&["", "", "", "", ".volatile", ".relaxed.gpu", ".weak", ".ca"]);
    let address = random.of(&["u64", "u64", "u64", "b64", "s64", "u32", "b32", "f64", "u16"]);
    let text = match random.below(40) {
        0..=12 => format!("ld{order}{space}{vector}.{ty} {}, {element};", several(random, false)),
        13..=20 => format!("st{order}{space}{vector}.{ty} {element}, {};", several(random, true)),
        21..=22 => format!("ldu{space}{vector}.{ty} {}, {element};", several(random, false)),
        23..=28 => format!("mov.{address} {}, {element};", dest(address, random)),
        29..=31 => format!("cvta{space}.{address} {}, {element};", dest(address, random)),
        32 => format!("cvta.to{space}.u64 %rd1, {element};"),
        33 => {
            format!("atom{space}.add.{ty} {}, {element}, {};", dest(ty, random), source(ty, random))
        }
        34 => format!("red{space}.add.{ty} {element}, {};", source(ty, random)),
        35 => format!("prefetch{space}.L1 {element};"),
        36 => format!("isspacep{space} %p1, {element};"),
        37 => format!("add.u64 %rd1, %rd2, {element};"),
        38 => format!("st{space}.u64 [%rd1], {element};"),
        _ => random
            .of(&[
                "setp.eq.u64 %p1, %rd1, @;",
                "cvt.u32.u64 %r1, @;",
                "selp.u64 %rd1, @, %rd2, %p1;",
                "mov.b64 %bd1, {@, %r1};",
                "tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [@, {%r1}];",
                "call k, (@);",
                "bra @;",
                "add.u32 @, %r1, %r2;",
            ])
            .replace('@', &element),
    };
    format!("{}{text}", guard(random))
}
