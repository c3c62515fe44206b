//! Random declarations and module properties: headers, variables of every state space, type and
//! shape, initialisers, fields of opaque references, linkage, parameters, functions, directives,
//! limits.

use super::Question;
use super::mutation::mutated;
use super::setup::Setup;
use texunit_testkit::Random;

const LINKAGE: &[&str] = &[".visible ", ".extern ", ".weak ", ".common "];
const SPACES: &[&str] =
    &[".global", ".shared", ".const", ".local", ".param", ".reg", ".tex", ".sreg"];
#[rustfmt::skip]
const TYPES: &[&str] = &[
    ".u8", ".u16", ".u32", ".u64", ".s8", ".s16", ".s32", ".s64", ".b8", ".b16", ".b32", ".b64", ".f16", ".f32", ".f64", ".f16x2", ".b128",
    ".pred", ".bf16", ".bf16x2", ".tf32", ".e4m3", ".u16x2", ".u4",
];
const OPAQUE: &[&str] = &[".texref", ".samplerref", ".surfref"];
const ALIGNS: &[&str] = &["1", "2", "4", "8", "16", "32", "128", "0", "3", "-4", "1024", "4.0"];
const SHAPES: &[&str] = &[
    "",
    "[4]",
    "[2][2]",
    "[]",
    "[][2]",
    "[2][]",
    "[0]",
    "[-1]",
    "[1+2]",
    "[1.0]",
    "<4>",
    "<0>",
    "[4294967296]",
    "[x]",
];
#[rustfmt::skip]
const VALUES: &[&str] = &[
    "0", "1", "-1", "255", "65536", "4294967296", "1.0", "0f3F800000", "0d3FF0000000000000", "{1,2}", "{{1,2},{3,4}}", "{1,2,3,4,5}", "{}", "{1.0,2}",
    "prior", "prior+4", "{prior,prior}", "generic(prior)", "0xff(prior)", "f", "nobody", "(1+2)*3", "1/0", "WARP_SZ", "tex_b", "\"abc\"", "{1,}", "{{1},{2}}",
];
#[rustfmt::skip]
const FIELDS: &[&str] = &[
    "width", "height", "depth", "channel_data_type", "channel_order", "normalized_coords", "filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2",
    "array_size", "num_mipmap_levels", "num_samples", "force_unnormalized_coords", "memory_layout", "Width", "border", "addr_mode_3",
];
const FIELD_VALUES: &[&str] = &[
    "0",
    "1",
    "64",
    "-1",
    "1.5",
    "nearest",
    "linear",
    "wrap",
    "mirror",
    "clamp_ogl",
    "clamp_to_edge",
    "clamp_to_border",
    "(1+2)",
    "4294967296",
    "point",
    "1U",
];
#[rustfmt::skip]
const DIRECTIVES: &[&str] = &[
    ".maxntid 32", ".maxntid 32,1,1", ".maxntid 2048", ".maxntid 1,2,3,4", ".maxntid 0", ".reqntid 64", ".reqntid 64,2", ".minnctapersm 2", ".maxnctapersm 4", ".maxnreg 32",
    ".maxnreg 0", ".maxnreg 1000", ".noreturn", ".pragma \"nounroll\";", ".reqnctapercluster 2", ".explicitcluster", ".maxclusterrank 4", ".blocksareclusters",
    ".maxntid x", ".maxntid", ".maxntid 32 .reqntid 32", ".maxntid 32 .maxntid 64", ".minnctapersm 2 .maxntid 32", ".abi_preserve 4",
];
#[rustfmt::skip]
const HEADS: &[&str] = &[
    ".version 6.0\n.target sm_50\n", ".version 9.9\n.target sm_75\n", ".version 8.8\n", ".target sm_75\n", ".target sm_75\n.version 7.0\n", "",
    ".version 7.0\n.target sm_75\n.target sm_80\n", ".version 7.0\n.version 7.0\n.target sm_75\n", ".version 7.0 \n .target sm_75, debug\n", ".version 7.0\n.target sm_75 debug\n",
    ".version 7\n.target sm_75\n", ".version 7.00\n.target sm_75\n", ".version 7.0.1\n.target sm_75\n", ".version 7.0;\n.target sm_75;\n", ".version 07.0\n.target sm_75\n",
    ".version 7.0\n.target compute_75\n", ".version 7.0\n.target sm_75, sm_80\n", ".version 7.0\n.target sm_99\n", ".version 7.0\n.target sm_75a\n", ".version 8.0\n.target sm_90a\n",
    ".version 7.0\n.target texmode_unified\n", ".version 7.0\n.target sm_75, map_f64_to_f32\n", ".version 1.0\n.target sm_10, map_f64_to_f32\n", ".version 7.0\n.target sm_75, texmode_raw\n",
    ".version 7.0\n.target sm_75, texmode_unified, texmode_independent\n", ".version 7.0\n.target sm_75\n.address_size 32\n", ".version 7.0\n.target sm_75\n.address_size 16\n",
    ".version 7.0\n.target sm_75\n.address_size 64\n.address_size 64\n", ".version 2.2\n.target sm_20\n.address_size 64\n", ".version 7.0\n.target sm_75\n.address_size\n",
    ".version 7.0\n.target sm_30\n", ".version 3.0\n.target sm_75\n", ".version 8.0\n.target sm_100\n", ".version 8.8\n.target sm_120f\n", ".version 8.6\n.target sm_100a\n", ".version 8.8\n.target sm_103\n",
];
/// Statements that use the names of declarations; they follow the declarations of a kernel.
#[rustfmt::skip]
const USES: &[&str] = &[
    "mov.u64 %rd1, x;", "mov.u32 %r1, x;", "mov.u64 %rd1, x+4;", "ld.global.u32 %r1, [x];", "ld.shared.u32 %r1, [x];", "ld.u32 %r1, [x];", "ld.param.u32 %r1, [x];", "ld.const.u32 %r1, [x];",
    "ld.local.u32 %r1, [x];", "st.global.u32 [x], %r1;", "cvta.global.u64 %rd1, x;", "cvta.shared.u64 %rd1, x;", "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [x, {%f0,%f1}];",
    "tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [tex_b, {%f0,%f1}];", "suld.b.1d.b32.trap %r1, [x, {%r1}];", "txq.width.b32 %r1, [x];", "suq.width.b32 %r1, [x];", "call f;", "call (%r1), f, (%r2);",
    "add.u32 %r1, %r1, x;", "mov.b32 %r1, %x0;", "call x;", "bra x;", "ld.global.u32 %r1, [x0];", "ld.global.u32 %r1, [x[1]];", "mov.u64 %rd1, f;", "mov.u64 %rd1, k;", "ld.param.u64 %rd1, [p];",
];

/// A question about a random module of this family.
pub(super) fn question(mut setup: Setup, family: &'static str, random: &mut Random) -> Question {
    let mut head = setup.head();
    if random.chance(6) {
        head = random.of(HEADS).to_owned();
        setup.arch = super::setup::machine(setup.release, 75, random);
    }
    let counted = random.chance(8);
    let module = if counted { limit(random) } else { body(random) };
    let text = head + &module;
    let text = if !counted && random.chance(10) { mutated(&text, 1, random) } else { text };
    Question { assemble: counted, ..setup.whole(family, text) }
}

/// A random variable declaration, which is usually valid.
fn variable(name: &str, random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(8) {
        text += random.of(LINKAGE);
    }
    text += match random.below(10) {
        0..=5 => ".global",
        6 => ".shared",
        7 => ".const",
        8 => ".global",
        _ => random.of(SPACES),
    };
    if random.chance(15) {
        let plain = random.chance(60);
        text += &format!(" .align {}", if plain { "16" } else { random.of(ALIGNS) });
    }
    if random.chance(4) {
        text += random.of(&[" .v2", " .v4", " .v3", " .v8", " .v4.f32", " .ptr"]);
    }
    let opaque = random.chance(25);
    let ty = match opaque {
        true => random.of(OPAQUE),
        false if random.chance(60) => random.of(&[".u32", ".b32", ".f32", ".u64", ".b8"]),
        false => random.of(TYPES),
    };
    text += &format!(" {ty} {name}");
    if random.chance(25) {
        let plain = random.chance(60);
        text += if plain { random.of(&["[4]", "[2][2]", "[16]"]) } else { random.of(SHAPES) };
    }
    if random.chance(if opaque { 60 } else { 25 }) {
        let value = match opaque && random.chance(92) {
            true => fields(random),
            false if random.chance(50) => random.of(&["0", "1", "7", "{1}", "{1,2}"]).to_owned(),
            false => random.of(VALUES).to_owned(),
        };
        text += &format!(" = {value}");
    }
    if random.chance(1) {
        text += &format!(", y{}", random.of(SHAPES));
    }
    text + ";\n"
}

fn fields(random: &mut Random) -> String {
    let list: Vec<String> = (0..random.below(4))
        .map(|_| {
            let field = random.of(FIELDS);
            let value = match field {
                "filter_mode" if random.chance(85) => random.of(&["nearest", "linear", "0"]),
                _ if field.starts_with("addr_mode") && random.chance(85) => {
                    random.of(&["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"])
                }
                _ if random.chance(75) => random.of(&["0", "1", "64", "-1", "0x10"]),
                _ => random.of(FIELD_VALUES),
            };
            format!("{field} = {value}")
        })
        .collect();
    format!("{{{}}}", list.join(", "))
}

fn parameter(space: &str, random: &mut Random) -> String {
    let name = random.of(&["p", "q", "x", "tex_b"]);
    match random.below(30) {
        0 => format!("{space} {} {name}", random.of(OPAQUE)),
        1 => format!("{space} .u64 .ptr .global .align 8 {name}"),
        2 => format!("{space} .u64 .ptr {} {name}", random.of(OPAQUE)),
        3 => format!(
            "{space} .align {} .b8 {name}[{}]",
            random.of(ALIGNS),
            random.of(&["4", "16", "", "5000", "0"])
        ),
        4 => format!("{space} .v4 .f32 {name}"),
        5 => format!("{space} .b32 {name}{}", random.of(SHAPES)),
        6 => format!("{space} .u32 {name} = 3"),
        7 => format!("{} .u32 {name}", random.of(SPACES)),
        8 => format!(
            "{space} .u64 .ptr .{} {name}",
            random.of(&["shared", "const", "local", "global", "generic", "param"])
        ),
        9 => format!("{space} {} {name}", random.of(TYPES)),
        10..=12 => format!("{space} .align 8 .b8 {name}[16]"),
        _ => format!("{space} {} {name}", random.of(&[".u32", ".u64", ".f32", ".b64", ".s32"])),
    }
}

fn parameters(space: &str, random: &mut Random) -> String {
    let list: Vec<String> =
        (0..random.of(&[0, 0, 1, 1, 1, 2, 3])).map(|_| parameter(space, random)).collect();
    list.join(", ")
}

fn function(random: &mut Random) -> String {
    let space = random.of(&[".param", ".param", ".param", ".reg"]);
    let returns =
        if random.chance(30) { format!("({}) ", parameters(space, random)) } else { String::new() };
    let parameters =
        if random.chance(90) { format!("({})", parameters(space, random)) } else { String::new() };
    let linkage = if random.chance(20) { random.of(LINKAGE) } else { "" };
    let rest = match random.below(6) {
        0 => ";".to_owned(),
        1 => format!(" {} ;", random.of(DIRECTIVES)),
        _ => " { ret; }".to_owned(),
    };
    format!("{linkage}.func {returns}f{parameters}{rest}\n")
}

fn body(random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(40) {
        text += random.of(&[
            ".global .u32 prior;\n",
            ".global .b8 prior[16];\n",
            ".shared .u32 prior;\n",
            ".const .u64 prior;\n",
        ]);
    }
    if random.chance(25) {
        text += ".global .texref tex_b;\n";
    }
    for _ in 0..random.of(&[0, 0, 0, 1, 1, 2]) {
        text += &function(random);
    }
    for _ in 0..random.of(&[0, 1, 1, 1, 2]) {
        text += &variable("x", random);
    }
    if random.chance(4) {
        text += random.of(&[
            ".alias g, f;\n",
            ".file 1 \"a.cu\"\n",
            ".pragma \"nounroll\";\n",
            ".section .debug_str { .b8 1 }\n",
            ";\n",
            ".weak .entry z() { ret; }\n",
            ".entry k;\n",
            ".entry k();\n",
        ]);
    }
    let linkage = if random.chance(6) { random.of(LINKAGE) } else { ".visible " };
    let parameters = parameters(if random.chance(98) { ".param" } else { ".reg" }, random);
    let directive = if random.chance(12) { random.of(DIRECTIVES) } else { "" };
    text += &format!(
        "{linkage}.entry k({parameters}) {directive}\n{{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
    );
    if random.chance(10) {
        text += &variable("x", random);
    }
    for _ in 0..random.of(&[0, 0, 0, 1, 1]) {
        text += random.of(USES);
        text.push('\n');
    }
    text + "ret;\n}\n"
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
