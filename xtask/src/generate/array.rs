//! Elements of arrays: `name[2]`, `name[%r1+2]`, in the instructions that take them and in others.

use std::fmt::Write as _;

use super::Question;
use super::operand::{any_register, braces, dest, good, guard, source, wild};
use super::setup::Setup;
use texunit_testkit::Random;

/// Arrays with their space and type.
const ARRAYS: &[(&str, &str, &str)] = &[
    ("a1", "global", "b8"),
    ("a2", "global", "u16"),
    ("a4", "global", "u32"),
    ("a8", "global", "u64"),
    ("ad", "global", "f64"),
    ("av", "global", "f32"),
    ("am", "global", "s32"),
    ("ai", "global", "u32"),
    ("s4", "shared", "u32"),
    ("s8", "shared", "u64"),
    ("se", "shared", "b8"),
    ("c4", "const", "u32"),
    ("c8", "const", "u64"),
    ("l4", "local", "b32"),
    ("l8", "local", "f64"),
];

/// Arrays of the parameters, of versions that have them.
const PARAMETERS: &[(&str, &str, &str)] =
    &[("p4", "param", "u32"), ("pb", "param", "b8"), ("q4", "param", "u32")];

/// Names of things that are not arrays.
const OTHERS: &[&str] =
    &["gi", "gv", "cf", "lo", "px", "%r1", "%rd1", "%vf", "%tid", "k", "here", "nobody", "tex_a"];

const VARIABLES: &str = "\
.global .align 4 .b8 a1[64];\n.global .u16 a2[3];\n.global .u32 a4[16];\n.global .u64 a8[16];\n.global .f64 ad[4];\n\
.global .align 16 .v4 .f32 av[4];\n.global .s32 am[3][5];\n.global .u32 ai[2] = {1, 2};\n.global .u32 gi;\n.global .v2 .u32 gv;\n\
.shared .u32 s4[16];\n.shared .u64 s8[4];\n.extern .shared .b8 se[];\n.const .u32 c4[8];\n.const .u64 c8[8];\n.const .f32 cf;\n";

/// Instructions of one kernel.
pub(super) fn question(
    setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    // Arrays among the parameters, and parameters of calls in a body.
    let parameters = setup.version >= 20 && setup.target >= 20;
    let mut variables = VARIABLES.to_owned();
    if setup.version >= 15 {
        variables += ".global .texref tex_a;\n.global .texref ta[3];\n";
    }
    let params = match parameters {
        true => ".param .u64 px, .param .u32 p4[4], .param .align 8 .b8 pb[16]",
        false => ".param .u64 px",
    };
    let mut prefix = setup.prefix_with(&variables, params);
    prefix += ".local .b32 l4[8];\n.local .f64 l8[2];\n.local .b32 lo;\n";
    if parameters {
        let _ = writeln!(prefix, ".param .u32 q4[4];");
    }
    let arrays: Vec<_> =
        ARRAYS.iter().chain(PARAMETERS.iter().filter(|_| parameters)).copied().collect();
    let lines = (0..most).map(|_| line(&arrays, random)).collect();
    Question { prefix, ..setup.question(family, lines) }
}

/// The subscript, without its brackets.
fn subscript(random: &mut Random) -> String {
    let register = match random.below(10) {
        0..=5 => good(random.of(&["u32", "s32", "b32", "u64", "s64", "u16", "s16"]), random),
        6..=7 => any_register(random),
        8 => random
            .of(&["%laneid", "%clock", "%clock64", "%envreg3", "%tid", "%tid.x", "%vf", "%pm1"])
            .to_owned(),
        _ => random.of(&["a4", "gi", "c4", "k", "here", "nobody", "%r9", "tex_a"]).to_owned(),
    };
    let constant = random.of(&[
        "0",
        "1",
        "2",
        "-1",
        "15",
        "16",
        "1000000",
        "2+1",
        "(1<<2)",
        "-(2)",
        "WARP_SZ",
        "1U",
        "~0",
        "0x100000001",
        "0x8000000000000000",
        "(1?2:3)",
        "(.s64)3",
    ]);
    match random.below(20) {
        0..=5 => constant.to_owned(),
        6..=11 => register,
        12..=16 => format!("{register}+{constant}"),
        17 => format!("{register}{}", random.of(&["-1", "*2", "+%r2", "+1.0", "+", "+_", ".x"])),
        18 => random.of(&["1.0", "-%r1", "!%p1", "", "_", "2+%r1", "{%r1}", "(%r1)"]).to_owned(),
        _ => wild(random),
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

fn line(arrays: &[(&str, &str, &str)], random: &mut Random) -> String {
    let (name, space, ty) = random.of(arrays);
    let name = if random.chance(6) { random.of(OTHERS) } else { name };
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
