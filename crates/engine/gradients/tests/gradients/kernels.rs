//! Random kernels with `tex.grad`: all kinds of texture operands, destinations that are partly
//! unread, guards, predicates, offsets.

use std::fmt::Write;
use texunit_testkit::Random;

/// The 4-byte units of a thread's operands: four coordinates, three offsets, twice three
/// derivatives, the texture, and the participating lanes.
pub(crate) const WORDS: usize = 16;
/// The 4-byte units of a result: four components and the predicate, padded.
pub(crate) const ANSWERS: usize = 8;

/// How a kernel refers to texture and sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handles {
    /// By kernel parameters.
    Parameter,
    /// By handles in memory, which differ between lanes.
    Memory,
    /// By a `.texref`.
    Reference,
}

/// The random properties of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) geometry: &'static str,
    pub(crate) handles: Handles,
    /// Whether the module uses `.texmode_independent`.
    pub(crate) independent: bool,
    pub(crate) offset: bool,
    pub(crate) result: &'static str,
    pub(crate) text: String,
}

/// The number of coordinates including the array index, and the number of axes.
pub(crate) fn counts(geometry: &str) -> (usize, usize) {
    match geometry {
        "1d" => (1, 1),
        "a1d" => (2, 1),
        "2d" => (2, 2),
        "a2d" => (3, 2),
        _ => (3, 3),
    }
}

fn tuple(prefix: &str, count: usize) -> String {
    let names: Vec<_> = (0..count.next_power_of_two()).map(|n| format!("%{prefix}{n}")).collect();
    format!("{{{}}}", names.join(", "))
}

/// The kernel `fetch(texture, sampler, handles, in, out)`.
pub(crate) fn kernel(random: &mut Random, geometry: &'static str) -> Shape {
    let handles = random.of(&[Handles::Parameter, Handles::Memory, Handles::Reference]);
    let independent = random.one_in(3);
    let target = if independent { "sm_61, texmode_independent" } else { "sm_61" };
    let result = random.of(&["f32", "f32", "s32", "u32", "f16", "f16x2"]);
    let offset = geometry != "cube" && random.one_in(3);
    let mut shape = Shape { geometry, handles, independent, offset, result, text: String::new() };
    let text = &mut shape.text;
    let _ = writeln!(text, ".version 7.8\n.target {target}\n.address_size 64");
    if handles == Handles::Reference {
        text.push_str(".global .texref picture;\n");
        if independent {
            text.push_str(".global .samplerref smooth;\n");
        }
    }
    text.push_str(PROLOGUE);
    if handles == Handles::Memory {
        text.push_str(FROM_MEMORY);
    }
    let fetch = fetch(&shape, random);
    shape.text += &fetch;
    shape.text += "DONE:\n    ret;\n}\n";
    shape
}

const PROLOGUE: &str = include_str!("start.ptx");

const FROM_MEMORY: &str = "\
    mad.wide.u32 %at, %which, 16, %list;
    ld.global.v2.b64 {%texture, %sampler}, [%at];
";

/// The instruction, and the stores of its results.
fn fetch(shape: &Shape, random: &mut Random) -> String {
    let (coords, axes) = counts(shape.geometry);
    let (prefix, parts) = match shape.result {
        "f16" => ("h", 4),
        "f16x2" => ("r", 2),
        _ => ("r", 4),
    };
    let vector = if shape.result == "f16x2" { "v2" } else { "v4" };
    let dropped = random.below(1 << parts) & random.below(1 << parts);
    let stored = random.below(1 << parts) | random.below(1 << parts);
    // Pairs of f16 cannot be dropped, and at least one component must remain.
    let all = parts == 2 || dropped == (1 << parts) - 1;
    let some = |n: usize| all || dropped >> n & 1 == 0;
    let names: Vec<_> = (0..parts)
        .map(|n| if some(n) { format!("%{prefix}{n}") } else { "_".to_owned() })
        .collect();
    let predicate = random.one_in(2);
    let mut text = String::new();
    let guard = match random.below(4) {
        0 => "@%go ",
        1 => "@!%go ",
        2 => {
            text.push_str("    @%go bra DONE;\n");
            ""
        }
        _ => "",
    };
    let handle = match (shape.handles, shape.independent) {
        (Handles::Reference, true) => "picture, smooth",
        (Handles::Reference, false) => "picture",
        (_, true) => "%texture, %sampler",
        (_, false) => "%texture",
    };
    let _ = write!(
        text,
        "    {guard}tex.grad.{}.{vector}.{}.f32 {{{}}}{}, [{handle}, {}], {}, {}",
        shape.geometry,
        shape.result,
        names.join(", "),
        if predicate { "|%p" } else { "" },
        tuple("c", coords),
        tuple("x", axes),
        tuple("y", axes),
    );
    if shape.offset {
        let _ = write!(text, ", {}", tuple("e", axes));
    }
    text.push_str(";\n");
    for n in (0..parts).filter(|n| stored >> n & 1 == 1) {
        if prefix == "h" {
            let _ = writeln!(text, "    cvt.u32.u16 %r{n}, %h{n};");
        }
        let _ = writeln!(text, "    st.global.b32 [%out+{}], %r{n};", 4 * n);
    }
    if predicate && !random.one_in(4) {
        text.push_str("    selp.b32 %r0, 1, 2, %p;\n    st.global.b32 [%out+16], %r0;\n");
    }
    text
}
