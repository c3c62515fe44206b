//! Random instructions of every form of the instruction table: random words for its modifiers,
//! operands of right and wrong kinds.

use texunit_isa::{Braces, Form, OperandRule, OperandType, Role, Shape, forms};

use super::Question;
use super::grammar::{Variables, expand};
use super::operand::{
    any_register, bits, braces, constant, dest, good, guard, modifiers, near, source, wild,
};
use super::pools::{draw, pool};
use super::setup::Setup;
use texunit_testkit::Random;

/// Operand shapes of instructions that other families generate.
const ELSEWHERE: &[Shape] = &[
    Shape::Texture,
    Shape::Gather,
    Shape::TextureQuery,
    Shape::SurfaceQuery,
    Shape::IsType,
    Shape::SurfaceLoad,
    Shape::SurfaceStore,
    Shape::SurfaceReduce,
    // The checker does not examine these operands, so that there is nothing to compare.
    Shape::Unchecked,
];

/// A question whose lines are random instructions in one kernel.
pub(super) fn question(
    setup: Setup,
    family: &'static str,
    most: usize,
    random: &mut Random,
) -> Question {
    let forms: Vec<&Form> = forms().iter().filter(|f| !ELSEWHERE.contains(&f.shape)).collect();
    let lines = (0..most)
        .map(|_| match random.chance(5) {
            true => draw("right", random).to_owned(),
            false => line(random.of(&forms), random),
        })
        .collect();
    setup.question(family, lines)
}

fn line(form: &Form, random: &mut Random) -> String {
    let words = modifiers(form, (25, 17), pool("modifiers"), random);
    let mut operands = match form.shape {
        Shape::Mov => mov(&words, random),
        Shape::Branch => {
            vec![random.of(&["here", "here", "here", "%r0", "k", "nowhere", "0"]).to_owned()]
        }
        Shape::IndexedBranch => vec![source("u32", random), wild(random)],
        Shape::Call => vec![random.of(&["k", "nobody", "%rd0", "gi", "(%r0)"]).to_owned()],
        Shape::Video => video(&words, random),
        _ => listed(form, &words, random),
    };
    if random.chance(3) && !operands.is_empty() {
        operands.remove(random.below(operands.len()));
    }
    if random.chance(2) {
        operands.push(source("b32", random));
    }
    let dotted: String = words.iter().map(|w| format!(".{w}")).collect();
    let space = if operands.is_empty() { "" } else { " " };
    let (guard, opcode) = (guard(random), form.row.opcode.name());
    format!("{guard}{opcode}{dotted}{space}{};", operands.join(", "))
}

fn types<'w>(words: &[&'w str]) -> Vec<&'w str> {
    words
        .iter()
        .copied()
        .filter(|w| bits(w) > 0 && !w.starts_with('v') && !w.ends_with('d'))
        .collect()
}

fn type_of<'w>(ty: OperandType, words: &[&'w str]) -> &'w str {
    let types = types(words);
    let word = |n: u8| types.get(usize::from(n)).or(types.last()).copied().unwrap_or("b32");
    match ty {
        OperandType::Word(n) => word(n),
        OperandType::Wide(n) => match word(n) {
            "u16" => "u32",
            "s16" => "s32",
            "u32" => "u64",
            "s32" => "s64",
            other => other,
        },
        OperandType::Fixed(ty) => ty.name(),
        OperandType::None => "b64",
    }
}

fn listed(form: &Form, words: &[&str], random: &mut Random) -> Vec<String> {
    let mut operands = Vec::new();
    for rule in &form.operands {
        if !rule.optional || random.chance(40) {
            operands.push(by_rule(rule, words, random));
        }
    }
    operands
}

fn by_rule(rule: &OperandRule, words: &[&str], random: &mut Random) -> String {
    let ty = type_of(rule.ty, words);
    let relaxed = |random: &mut Random| match random.below(10) {
        0..=5 => good(ty, random),
        6..=7 => near(ty, random),
        8 => any_register(random),
        _ => wild(random),
    };
    match rule.role {
        Role::Dest => dest(ty, random),
        Role::Source => source(ty, random),
        Role::RelaxedDest | Role::RelaxedSource => {
            let lanes = words.iter().find_map(|w| w.strip_prefix('v')?.parse::<usize>().ok());
            let lanes = match rule.braces {
                Braces::Exactly(n) => Some(usize::from(n)),
                _ => lanes,
            };
            let lanes = lanes.filter(|n| *n <= 8);
            match lanes {
                Some(n) if random.chance(90) => braces(n, || relaxed(random)),
                _ if rule.role == Role::RelaxedSource => source(ty, random),
                _ if random.chance(4) => braces(random.below(4) + 1, || good(ty, random)),
                _ => relaxed(random),
            }
        }
        Role::DestWithPredicate => match random.below(10) {
            0..=4 => dest(ty, random),
            5..=8 => format!("{}|{}", dest(ty, random), dest("pred", random)),
            _ => format!("{}|_", dest(ty, random)),
        },
        Role::PredicatePair => match random.below(10) {
            0..=5 => dest("pred", random),
            6..=8 => format!("{}|{}", dest("pred", random), dest("pred", random)),
            _ => random.of(&["_|%p0", "%p0|_", "_", "_|_"]).to_owned(),
        },
        Role::Condition => match random.below(10) {
            0..=6 => good("pred", random),
            7..=8 => format!("!{}", good("pred", random)),
            _ => source("pred", random),
        },
        Role::Memory => expand("memory", &Variables::new(), random),
        Role::Address => match random.below(10) {
            0..=4 => good(ty, random),
            5..=7 => {
                random.of(&["gi", "ga", "sh", "lo", "cf", "pa", "gi+4", "ga+8", "tex_a"]).to_owned()
            }
            _ => source(ty, random),
        },
        Role::Constant => match random.below(10) {
            0..=7 => constant("u32", random),
            _ => source(ty, random),
        },
    }
}

fn mov(words: &[&str], random: &mut Random) -> Vec<String> {
    let ty = types(words).first().copied().unwrap_or("b32");
    if words.iter().any(|w| matches!(*w, "v2" | "v4")) {
        let n = if words.contains(&"v2") { 2 } else { 4 };
        let one = |random: &mut Random| match random.below(10) {
            0..=5 => braces(n, || good(ty, random)),
            6..=8 => {
                random.of(&["%vf", "%vr", "%wf", "%ws", "%vs", "%wd", "%tid", "%ntid"]).to_owned()
            }
            _ => wild(random),
        };
        return vec![one(random), one(random)];
    }
    let half = |random: &mut Random| {
        let n = random.of(&[2, 2, 4, 3, 1]);
        let part = match bits(ty) / n {
            8 => "b8",
            16 => "b16",
            32 => "b32",
            64 => "b64",
            _ => "b16",
        };
        let mut list = Vec::new();
        for _ in 0..n {
            list.push(if random.chance(90) { dest(part, random) } else { source(part, random) });
        }
        format!("{{{}}}", list.join(","))
    };
    match random.below(10) {
        0 => vec![half(random), good(ty, random)],
        1 => vec![good(ty, random), half(random)],
        2..=4 => vec![dest(ty, random), wild(random)],
        _ => vec![dest(ty, random), source(ty, random)],
    }
}

/// The operands of a video instruction: `d.h1, a.b0, -b, c`.
fn video(words: &[&str], random: &mut Random) -> Vec<String> {
    let types = types(words);
    let ty = |n: usize| types.get(n).copied().unwrap_or("u32");
    let parts = [
        "", "", "", "", ".b0", ".b3", ".h0", ".h1", ".h10", ".h32", ".h3", ".b3210", ".b7610",
        ".b20", ".h01", ".b4",
    ];
    let mut list = vec![format!("{}{}", dest(ty(0), random), random.of(&parts))];
    for n in [1, 2, 0] {
        let minus = if random.chance(6) { "-" } else { "" };
        list.push(format!("{minus}{}{}", source(ty(n), random), random.of(&parts)));
    }
    if random.chance(40) {
        list.pop();
    }
    list
}
