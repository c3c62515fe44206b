//! Checks that every form of the instruction table is executed, or is refused with its name before
//! the launch.

use std::collections::{BTreeMap, BTreeSet};
use texunit_isa::{
    Braces, Class, Form, Limit, OperandRule, OperandType, Property, Role, ScalarType, Shape, forms,
};
use texunit_simt::{Program, Symbols, lower};
use texunit_syntax::SourceFile;

/// Forms with these modifiers are marked as unsupported.
fn refuses(form: &Form) -> bool {
    form.slots.iter().any(|s| s.class == Class::Unexecuted && !s.optional)
}

/// Enumerates all combinations of modifiers. Of hints only the first one is used, or none if they
/// are optional.
fn choices(form: &Form) -> Vec<Vec<&'static str>> {
    let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
    for slot in &form.slots {
        let hint = slot.class == Class::Hint;
        let mut words: Vec<Option<&'static str>> = Vec::new();
        if slot.optional {
            words.push(None);
        }
        if !(slot.optional && hint) {
            words.extend(slot.words.iter().take(if hint { 1 } else { 99 }).map(|w| Some(*w)));
        }
        all = all
            .iter()
            .flat_map(|begun| words.iter().map(|word| begun.iter().copied().chain(*word).collect()))
            .collect();
    }
    all
}

fn types(words: &[&str]) -> Vec<ScalarType> {
    words.iter().filter_map(|w| ScalarType::from_name(w)).collect()
}

fn bits_of(rule: &OperandRule, words: &[&str]) -> u32 {
    let types = types(words);
    // Few instructions have 8-bit registers.
    let bits = |ty: &ScalarType| match ty {
        ScalarType::E2m1x2 => 8,
        ty if rule.exact => ty.bits(),
        ty => ty.bits().max(16),
    };
    match rule.ty {
        OperandType::Word(n) => match types.get(usize::from(n)) {
            Some(ScalarType::Pred) => 1,
            ty => ty.map_or(32, bits),
        },
        OperandType::Wide(n) => types.get(usize::from(n)).map_or(32, |t| 2 * t.bits()),
        OperandType::Fixed(ty) => ty.bits(),
        OperandType::None => 64,
    }
}

fn register(bits: u32, n: usize) -> String {
    let name = match bits {
        1 => "p",
        8 => "b",
        16 => "h",
        32 => "r",
        64 => "d",
        _ => "q",
    };
    format!("%{name}{}", n % 9)
}

fn operand(rule: &OperandRule, words: &[&str], n: usize) -> String {
    let bits = bits_of(rule, words);
    let lanes = words.iter().find_map(|w| w.strip_prefix(['v', 'x'])?.parse::<usize>().ok());
    let lanes = match rule.braces {
        Braces::Exactly(n) => Some(usize::from(n)),
        _ => lanes,
    };
    match rule.role {
        Role::RelaxedDest | Role::RelaxedSource if lanes.is_some() => {
            let list: Vec<String> = (0..lanes.unwrap()).map(|k| register(bits, n + k)).collect();
            format!("{{{}}}", list.join(", "))
        }
        // An arrival at a barrier of another CTA has no result.
        Role::Dest if words[0].starts_with("arrive") && words.contains(&"shared::cluster") => {
            "_".to_owned()
        }
        Role::DestWithPredicate => format!("{}|%p7", register(bits, n)),
        Role::PredicatePair => "%p1".to_owned(),
        Role::Condition => "%p2".to_owned(),
        Role::Memory if words.iter().any(|w| w.starts_with("param")) => "[place]".to_owned(),
        Role::Memory => "[%d8]".to_owned(),
        Role::Constant => match rule.limit {
            Some(Limit::Between { first, .. }) => first.to_string(),
            Some(Limit::Power(_, most)) => most.to_string(),
            _ => "16".to_owned(),
        },
        _ => register(bits, n),
    }
}

fn instruction(form: &Form, words: &[&str]) -> String {
    let mut text = form.row.opcode.name().to_owned();
    for word in words {
        text += ".";
        text += word;
    }
    let operands: Vec<String> = match form.shape {
        Shape::Mov => {
            let bits = types(words).first().map_or(32, |t| t.bits());
            vec![register(bits, 0), register(bits, 1)]
        }
        _ => form.operands.iter().enumerate().map(|(n, r)| operand(r, words, n)).collect(),
    };
    format!("{text} {};", operands.join(", "))
}

fn module(target: &str, instructions: &[String]) -> String {
    let mut text = format!("{target}\n.address_size 64\n");
    for (n, i) in instructions.iter().enumerate() {
        let quad = if i.contains("%q") { ".reg .b128 %q<9>; " } else { "" };
        text += &format!(
            ".visible .entry k{n}(.param .align 16 .b8 place[64]) {{ .reg .pred %p<9>; .reg .b8 %b<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; {quad}{i} ret; }}\n"
        );
    }
    text
}

/// The forms that the checker refuses, and the unsupported ones with their messages.
fn ask(target: &str, instructions: &[String]) -> (Vec<String>, BTreeMap<String, String>) {
    let (mut good, mut bad) = (instructions.to_vec(), Vec::new());
    loop {
        let source = SourceFile::new("forms.ptx", module(target, &good));
        let parsed = texunit_syntax::parse(&source);
        let checked = texunit_check::check(&source, &parsed.module);
        let errors = parsed.diagnostics.iter().chain(&checked.diagnostics);
        let line = |at: u32| source.location(at).line as usize;
        let wrong: BTreeSet<usize> =
            errors.filter(|d| d.is_error()).map(|d| line(d.primary.span.start)).collect();
        if wrong.is_empty() {
            let program = lower(checked.module, Symbols::default(), source);
            return (bad, refused(&program, &good));
        }
        // The number of reported errors is limited.
        let all = std::mem::take(&mut good);
        for (n, instruction) in all.into_iter().enumerate() {
            let list = if wrong.contains(&(n + 4)) { &mut bad } else { &mut good };
            list.push(instruction);
        }
    }
}

fn refused(program: &Program, instructions: &[String]) -> BTreeMap<String, String> {
    let why = |n: usize| {
        let id = program.kernel(&format!("k{n}")).unwrap();
        let told = program.unsupported(id);
        let first = told.first()?;
        Some(format!("{} {}", first.code, first.help.clone().unwrap_or_default()))
    };
    let all = instructions.iter().enumerate();
    all.filter_map(|(n, i)| Some((i.clone(), why(n)?))).collect()
}

/// `cvt` between bf16 and bytes accepts only registers of 8 bits.
fn in_narrow_registers(instruction: String) -> String {
    let has = |words: &[&str]| words.iter().any(|word| instruction.contains(word));
    match instruction.starts_with("cvt.") {
        true if has(&[".bf16.s8 ", ".bf16.u8 "]) => instruction.replace("%h1", "%b1"),
        true if has(&[".s8.bf16 ", ".u8.bf16 "]) => instruction.replace("%h0", "%b0"),
        _ => instruction,
    }
}

/// The refused instructions with the reasons.
type Reason = (fn(&str) -> bool, &'static str);

/// Whether the matrix orders are others than the form accepts, or whether a `wmma` form lacks a
/// modifier that was mandatory before PTX ISA 6.3.
fn is_refused(form: &Form, words: &[&str]) -> bool {
    let orders: Vec<&&str> = words.iter().filter(|w| ["row", "col"].contains(*w)).collect();
    let others = orders.len() == 2 && orders != [&"row", &"col"];
    form.has(Property::RowByColumn) && others
        || form.has(Property::LateAligned) && !words.contains(&"aligned")
}

/// Combinations of modifiers that the table allows but PTX does not, or that need operands of
/// another kind.
const NOT_IN_PTX: &[Reason] = &[
    (|i| i.contains(".param"), "parameters of calls are not in every kernel"),
    (|i| i.contains("v4.") && i.contains("64 "), "32 bytes in global memory only"),
    (|i| i.contains(".v") && i.contains("b128"), "more than 16 bytes"),
    (|i| i.starts_with("mad.") && i.contains("f32"), "without a rounding until sm_13"),
    (|i| i.starts_with("mov.v"), "operands are vectors"),
];

#[test]
fn every_form_of_the_table_is_executed() {
    let mut left: Vec<String> = Vec::new();
    for form in forms().iter().filter(|f| matches!(f.shape, Shape::Listed | Shape::Mov)) {
        if !refuses(form) {
            let words = choices(form).into_iter().filter(|words| !is_refused(form, words));
            left.extend(words.map(|words| in_narrow_registers(instruction(form, &words))));
        }
    }
    left.sort();
    left.dedup();
    let all = left.len();
    let mut refused = BTreeMap::new();
    for target in [
        ".version 9.4\n.target sm_107a",
        ".version 9.0\n.target sm_103a",
        ".version 6.3\n.target sm_60",
    ] {
        let mut bad = Vec::new();
        for some in left.chunks(2000) {
            let (wrong, not) = ask(target, some);
            bad.extend(wrong);
            refused.extend(not);
        }
        left = bad;
    }
    let unexplained: Vec<&String> =
        left.iter().filter(|i| !NOT_IN_PTX.iter().any(|(fits, _)| fits(i))).collect();
    assert!(unexplained.is_empty(), "{unexplained:#?}");
    assert!(refused.is_empty(), "{refused:#?}");
    assert!(all > 9000 && left.len() < 400, "{all} forms, {} of them wrong", left.len());
}
