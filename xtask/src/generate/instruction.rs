//! Random instructions of every form of the instruction table: random words for its modifiers, and
//! operands of right and wrong kinds, by the rules of grammar.txt.

use super::Question;
use super::grammar::{Variables, expand, pool, yes};
use super::setup::{Setup, bits};
use texunit_isa::{Braces, Form, OperandRule, OperandType, Role, Shape, columns, forms};
use texunit_testkit::Random;

/// Shapes of texture and surface instructions.
const TEXTURE: [Shape; 8] = [
    Shape::Texture,
    Shape::Gather,
    Shape::TextureQuery,
    Shape::SurfaceQuery,
    Shape::IsType,
    Shape::SurfaceLoad,
    Shape::SurfaceStore,
    Shape::SurfaceReduce,
];

/// The forms of texture and surface instructions, or all others.
fn forms_of(texture: bool) -> Vec<&'static Form> {
    forms().iter().filter(|f| TEXTURE.contains(&f.shape) == texture).collect()
}

/// A random instruction of a form, with `optional` percent of the optional modifiers, and wrong
/// modifiers from the pool `others`.
fn line(
    form: &Form,
    (others, optional): (&str, u32),
    variables: &Variables,
    random: &mut Random,
) -> String {
    let words = modifiers(form, (pool(others), optional), random);
    let operands = operands(form, &words, variables, random);
    let dotted: String = words.iter().map(|w| format!(".{w}")).collect();
    let space = if operands.is_empty() { "" } else { " " };
    let guard = expand("guard", variables, random);
    format!("{guard}{}{dotted}{space}{operands};", form.row.opcode.name())
}

/// Words for the modifiers of a form; sometimes one too many, one too few, another one, or another
/// order.
fn modifiers(
    form: &Form,
    (others, optional): (&[&'static str], u32),
    random: &mut Random,
) -> Vec<&'static str> {
    let mut words = Vec::new();
    for slot in &form.slots {
        if !slot.optional || random.chance(optional) {
            words.push(random.of(&slot.words));
        }
    }
    let n = words.len();
    match random.below(100) {
        0..=2 if n > 0 => drop(words.remove(random.below(n))),
        3..=4 if n > 0 => words.push(words[random.below(n)]),
        5..=9 if n > 0 => words[random.below(n)] = random.of(others),
        10..=12 => words.insert(random.below(n + 1), random.of(others)),
        13..=17 if n > 1 => {
            let at = random.below(n - 1);
            words.swap(at, at + 1);
        }
        _ => {}
    }
    words
}

/// A question whose lines are random texture and surface instructions in one kernel.
pub(super) fn textures(setup: Setup, most: usize, random: &mut Random) -> Question {
    let forms = forms_of(true);
    let mut opcodes: Vec<&str> = forms.iter().map(|f| f.row.opcode.name()).collect();
    opcodes.dedup();
    // `tex` and `tld4` are drawn more often, because they have the most forms.
    opcodes.extend(["tex", "tex", "tex", "tld4"]);
    let variables = [("independent", yes(setup.independent()))].into();
    let mut one = || {
        let opcode = random.of(&opcodes);
        let rows: Vec<_> = forms.iter().filter(|f| f.row.opcode.name() == opcode).collect();
        let form = random.of(&rows);
        line(form, ("texture_modifiers", 40), &variables, random)
    };
    setup.question((0..most).map(|_| one()).collect())
}

/// A question whose lines are other random instructions in one kernel.
pub(super) fn ordinary(setup: Setup, most: usize, random: &mut Random) -> Question {
    let forms = forms_of(false);
    let mut one = || line(random.of(&forms), ("modifiers", 25), &Variables::new(), random);
    setup.question((0..most).map(|_| one()).collect())
}

/// The text of the operands: for each operand of the table the rule with the name of its role, or
/// the rule with the name of the form's shape.
fn operands(
    form: &Form,
    words: &[&'static str],
    variables: &Variables,
    random: &mut Random,
) -> String {
    let mut variables = variables.clone();
    variables.extend(properties(words));
    if form.shape != Shape::Listed {
        return expand(&format!("{:?}", form.shape), &variables, random);
    }
    let mut operands = Vec::new();
    for rule in &form.operands {
        if !random.chance(if rule.optional { 60 } else { 1 }) {
            operands.push(by_rule(rule, words, &mut variables, random));
        }
    }
    if random.chance(2) {
        operands.push(expand("source", &variables, random));
    }
    operands.join(", ")
}

fn by_rule(
    rule: &OperandRule,
    words: &[&'static str],
    variables: &mut Variables,
    random: &mut Random,
) -> String {
    let types = types(words);
    let word = |n: u8| types.get(usize::from(n)).or(types.last()).copied().unwrap_or("b32");
    let ty = match rule.ty {
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
    };
    variables.insert("ty", ty.to_owned());
    let registers = match rule.braces {
        Braces::Exactly(n) => Some(usize::from(n)),
        Braces::Columns { times, of } => {
            words.iter().find_map(|w| columns(w)).map(|n| n * times / of)
        }
        _ => None,
    };
    if let Some(n) = registers {
        variables.extend([("vector", yes(n <= 128)), ("lanes", n.to_string())]);
    }
    if rule.role == Role::Tensor {
        let rows = words.iter().any(|w| matches!(*w, "tile::gather4" | "tile::scatter4"));
        let axes = words.iter().find_map(|w| w.strip_suffix('d')?.parse::<usize>().ok());
        variables.insert("axes", if rows { 5 } else { axes.unwrap_or(1) }.to_string());
    }
    expand(&format!("{:?}", rule.role), variables, random)
}

fn types<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let is_type = |w: &&str| bits(w) > 0 && !w.starts_with('v') && !w.ends_with('d');
    words.iter().copied().filter(is_type).collect()
}

/// The variables that grammar.txt describes, for an instruction with these modifiers.
pub(super) fn properties(words: &[&'static str]) -> Variables {
    let has = |all: &[&str]| all.iter().any(|word| words.contains(word));
    let first = |all: &[&str], usual| {
        words.iter().copied().find(|w| all.contains(w)).unwrap_or(usual).to_owned()
    };
    let lanes = words.iter().find_map(|w| w.strip_prefix('v')?.parse::<usize>().ok());
    let types = types(words);
    let ty = |n: usize, usual| types.get(n).copied().unwrap_or(usual);
    let part = |n: u32| match bits(ty(0, "b32")) / n {
        bits @ (8 | 16 | 32 | 64) => format!("b{bits}"),
        _ => "b16".to_owned(),
    };
    let (one, two) = (has(&["1d", "a1d"]), has(&["2d", "a2d"]));
    let size = if has(&["1d"]) { 1 } else { 4 - 2 * usize::from(has(&["2d", "a1d"])) };
    let per_axes = |others: usize| if one { 1 } else { others }.to_string();
    let numbers = ["u32", "s32", "f32", "f16", "f16x2"];
    let coord = words.iter().rfind(|w| numbers.contains(w)).is_some_and(|w| *w == "s32");
    [
        ("ty", ty(0, "b32").to_owned()),
        ("second", ty(1, "u32").to_owned()),
        ("third", ty(2, "u32").to_owned()),
        ("half", part(2)),
        ("quarter", part(4)),
        ("vector", yes(lanes.is_some_and(|n| n <= 8))),
        ("lanes", lanes.unwrap_or(1).min(8).to_string()),
        ("size", size.to_string()),
        ("rest", (size - 1).to_string()),
        ("gradient_size", per_axes(if two { 2 } else { size })),
        ("offset_size", per_axes(if has(&["3d"]) { 4 } else { 2 })),
        ("coord", if coord { "s32" } else { "f32" }.to_owned()),
        ("layered", yes(has(&["a1d", "a2d", "acube", "2dms", "a2dms"]))),
        ("level", yes(has(&["level"]))),
        ("grad", yes(has(&["grad"]))),
        ("result", first(&["u32", "s32", "f32", "f16x2", "f16"], "f32")),
        ("data", first(&["b8", "b16", "b32", "b64", "u32", "s32", "u64", "s64"], "b32")),
    ]
    .into()
}
