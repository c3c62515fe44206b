//! Random declarations and module properties: headers, variables of every state space, type and
//! shape, initialisers, fields of opaque references, linkage, parameters, functions, directives,
//! limits.

use super::Question;
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
    let module = if counted { limit(random) } else { body(random) };
    let text = head + &module;
    let text = if !counted && random.chance(10) { mutated(&text, 1, random) } else { text };
    Question { assemble: counted, ..setup.whole(family, text) }
}

/// A random variable declaration, which is usually valid.
fn variable(name: &str, random: &mut Random) -> String {
    let mut text = String::new();
    if random.chance(8) {
        text += draw("linkage", random);
    }
    text += match random.below(10) {
        0..=5 => ".global",
        6 => ".shared",
        7 => ".const",
        8 => ".global",
        _ => draw("spaces", random),
    };
    if random.chance(15) {
        let plain = random.chance(60);
        text += &format!(" .align {}", if plain { "16" } else { draw("aligns", random) });
    }
    if random.chance(4) {
        text += random.of(&[" .v2", " .v4", " .v3", " .v8", " .v4.f32", " .ptr"]);
    }
    let opaque = random.chance(25);
    let ty = match opaque {
        true => draw("opaque", random),
        false if random.chance(60) => random.of(&[".u32", ".b32", ".f32", ".u64", ".b8"]),
        false => draw("types", random),
    };
    text += &format!(" {ty} {name}");
    if random.chance(25) {
        let plain = random.chance(60);
        text += if plain { random.of(&["[4]", "[2][2]", "[16]"]) } else { draw("shapes", random) };
    }
    if random.chance(if opaque { 60 } else { 25 }) {
        let value = match opaque && random.chance(92) {
            true => fields(random),
            false if random.chance(50) => random.of(&["0", "1", "7", "{1}", "{1,2}"]).to_owned(),
            false => draw("values", random).to_owned(),
        };
        text += &format!(" = {value}");
    }
    if random.chance(1) {
        text += &format!(", y{}", draw("shapes", random));
    }
    text + ";\n"
}

fn fields(random: &mut Random) -> String {
    let list: Vec<String> = (0..random.below(4))
        .map(|_| {
            let field = draw("fields", random);
            let value = match field {
                "filter_mode" if random.chance(85) => random.of(&["nearest", "linear", "0"]),
                _ if field.starts_with("addr_mode") && random.chance(85) => {
                    random.of(&["wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"])
                }
                _ if random.chance(75) => random.of(&["0", "1", "64", "-1", "0x10"]),
                _ => draw("field_values", random),
            };
            format!("{field} = {value}")
        })
        .collect();
    format!("{{{}}}", list.join(", "))
}

fn parameter(space: &str, random: &mut Random) -> String {
    let name = random.of(&["p", "q", "x", "tex_b"]);
    match random.below(30) {
        0 => format!("{space} {} {name}", draw("opaque", random)),
        1 => format!("{space} .u64 .ptr .global .align 8 {name}"),
        2 => format!("{space} .u64 .ptr {} {name}", draw("opaque", random)),
        3 => format!(
            "{space} .align {} .b8 {name}[{}]",
            draw("aligns", random),
            random.of(&["4", "16", "", "5000", "0"])
        ),
        4 => format!("{space} .v4 .f32 {name}"),
        5 => format!("{space} .b32 {name}{}", draw("shapes", random)),
        6 => format!("{space} .u32 {name} = 3"),
        7 => format!("{} .u32 {name}", draw("spaces", random)),
        8 => format!(
            "{space} .u64 .ptr .{} {name}",
            random.of(&["shared", "const", "local", "global", "generic", "param"])
        ),
        9 => format!("{space} {} {name}", draw("types", random)),
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
    let linkage = if random.chance(20) { draw("linkage", random) } else { "" };
    let rest = match random.below(6) {
        0 => ";".to_owned(),
        1 => format!(" {} ;", draw("directives", random)),
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
    let linkage = if random.chance(6) { draw("linkage", random) } else { ".visible " };
    let parameters = parameters(if random.chance(98) { ".param" } else { ".reg" }, random);
    let directive = if random.chance(12) { draw("directives", random) } else { "" };
    text += &format!(
        "{linkage}.entry k({parameters}) {directive}\n{{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f32 %f<4>;\n"
    );
    if random.chance(10) {
        text += &variable("x", random);
    }
    for _ in 0..random.of(&[0, 0, 0, 1, 1]) {
        text += draw("uses", random);
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
