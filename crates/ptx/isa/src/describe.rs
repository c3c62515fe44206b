//! Descriptions of instructions, generated from the instruction and texture tables for `texunit
//! isa`, docs/isa.md and hover texts. Descriptions are structured data, which each of the three
//! formats in its own way.

mod texture;

use crate::form::{Class, OperandRule, OperandType, Property, Role, Shape};
use crate::requirement::{Requirement, requirement};
use crate::table::forms_of;
use crate::texture::{OPTIONS, TextureOption};
use crate::{Fidelity, Form, Opcode, fidelities};
use texunit_forms::sort_by_key;

/// The description of an instruction, or of some of its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The opcode.
    pub name: &'static str,
    /// Section of the PTX ISA that documents the instruction.
    pub section: &'static str,
    /// What the instruction does, in one sentence.
    pub summary: &'static str,
    /// The forms of the instruction.
    pub forms: Vec<FormText>,
    /// The operands of the instruction.
    pub operands: Vec<OperandText>,
    /// Optional modifiers and operands with their requirements.
    pub options: Vec<&'static TextureOption>,
}

/// The description of an instruction form: an opcode with certain modifiers and operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormText {
    /// Opcode and modifiers: `(a|b)` is a choice, `{.a}` is optional.
    pub syntax: String,
    /// Operands; if the texturing mode matters, the operands in unified mode.
    pub operands: String,
    /// Operands with `texmode_independent`, if they differ from [`Self::operands`].
    pub independent: Option<String>,
    /// The required version and target.
    pub requirement: Requirement,
    /// Section of the PTX ISA that documents the form.
    pub section: &'static str,
    /// What an instruction of the form does, for the documentation.
    pub doc: &'static str,
    /// The fidelity classes (specified, measured, assumed ...) of all modifier combinations.
    pub fidelity: Vec<Fidelity>,
}

/// The description of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandText {
    /// Name of the operand in the forms, with the geometry if the operand depends on it: `c`, `c of
    /// .2d`.
    pub name: String,
    /// What may be written as the operand, such as `a .pred register`.
    pub shape: String,
    /// The meaning of the operand.
    pub doc: String,
}

/// The error for a name that cannot be described.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The unknown opcode or modifier in the name of an instruction, such as `tld5`.
    pub word: String,
    /// The most similar opcode or modifier, if one is similar.
    pub suggestion: Option<String>,
}

/// The opcodes in summaries.txt, each with a sentence that covers all forms of the opcode.
fn summaries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = include_str!("describe/summaries.txt").lines().skip(2);
    rows.filter_map(|row| row.split_once(' ')).map(|(name, text)| (name, text.trim_start()))
}

/// What all forms of an opcode do, in one sentence.
pub fn summary(opcode: Opcode) -> &'static str {
    summaries().find(|row| row.0 == opcode.name()).map_or("", |row| row.1)
}

/// The descriptions of all instructions, ordered by name.
pub fn instructions() -> Vec<Description> {
    let mut list: Vec<_> = Opcode::ALL.iter().copied().map(of_opcode).collect();
    sort_by_key(&mut list, |d| d.name);
    list
}

/// Describes an opcode (`tex`), or the forms of the opcode that have all modifiers of `name`
/// (`tex.level.2d`).
///
/// # Errors
///
/// The opcode does not exist, or none of its forms has all of the modifiers.
pub fn describe(name: &str) -> Result<Description, Unknown> {
    let mut words = name.split('.');
    let opcode = words.next().unwrap_or_default();
    let Some(found) = Opcode::from_name(opcode) else {
        let names = Opcode::ALL.iter().map(|o| o.name());
        return Err(unknown(opcode, names));
    };
    let words: Vec<&str> = words.collect();
    let all: Vec<&'static str> =
        forms_of(found).iter().flat_map(|f| f.slots.iter().flat_map(|s| s.words.clone())).collect();
    if let Some(word) = words.iter().find(|word| !all.contains(word)) {
        return Err(unknown(word, all.into_iter()));
    }
    let mut description = of_opcode(found);
    if !words.is_empty() {
        texture::select(found, &words, &mut description);
        if description.forms.is_empty() {
            let word = words.join(".");
            return Err(Unknown { word, suggestion: Some(opcode.to_owned()) });
        }
    }
    Ok(description)
}

fn of_opcode(opcode: Opcode) -> Description {
    Description {
        name: opcode.name(),
        section: forms_of(opcode)[0].row.section,
        summary: summary(opcode),
        forms: texture::forms(opcode),
        operands: texture::operands(opcode),
        options: OPTIONS.iter().filter(|o| o.opcodes.contains(&opcode)).collect(),
    }
}

fn of_form(form: &Form) -> FormText {
    FormText {
        syntax: syntax(form),
        operands: operands(form, true),
        independent: None,
        requirement: requirement(form.row.doc, form.row.version, form.row.target),
        section: form.row.section,
        doc: form.row.doc,
        fidelity: fidelities(form),
    }
}

/// Opcode and modifiers of a form with all choices: `(a|b)`, `{.a}`.
fn syntax(form: &Form) -> String {
    let mut text = form.row.opcode.name().to_owned();
    for slot in &form.slots {
        let words: Vec<String> = slot.words.iter().map(|w| format!(".{w}")).collect();
        text += &match (slot.optional, words.as_slice()) {
            (true, words) => format!("{{{}}}", words.join("|")),
            (false, [word]) => word.clone(),
            (false, _) => format!(".({})", slot.words.join("|")),
        };
    }
    text
}

/// The operands of a form as they are written: `d, a{, c}`; if `typed`, an operand whose type
/// differs from the instruction's has its type: `d, a, c (.pred)`.
pub fn operands(form: &Form, typed: bool) -> String {
    let types = form.slots.iter().filter(|s| s.class == Class::Type).count();
    match form.shape {
        Shape::Listed => {}
        Shape::Mov => return "d, a".into(),
        Shape::Branch => return "label".into(),
        Shape::IndexedBranch => return "index, targets".into(),
        Shape::Call => return "{(results),} function{, (arguments)}{, prototype}".into(),
        Shape::Texture | Shape::Gather => {
            return "d{|p}, [texture{, sampler}, coordinates]{, offset}{, depth}".into();
        }
        Shape::TextureQuery => return "d, [texture or sampler]{, level}".into(),
        Shape::SurfaceQuery => return "d, [surface]".into(),
        Shape::IsType => return "p, a".into(),
        Shape::SurfaceLoad => return "d, [surface, coordinates]".into(),
        Shape::SurfaceStore | Shape::SurfaceReduce => {
            return "[surface, coordinates], value".into();
        }
        Shape::Video => return "d{.part}, a{.part}, b{.part}{, c}".into(),
    }
    // Sources are named `a`, `b` and so on without `d`, which is the destination.
    let mut sources = ('a'..='z').filter(|c| *c != 'd');
    let operands = form.operands.iter().enumerate();
    operands
        .map(|(index, rule)| {
            let name = match rule.role {
                Role::Dest | Role::RelaxedDest => "d".to_owned(),
                Role::DestWithPredicate => "d{|p}".to_owned(),
                Role::PredicatePair if form.has(Property::OnePredicate) => "p".to_owned(),
                Role::PredicatePair => "p{|q}".to_owned(),
                Role::Memory => "[address]".to_owned(),
                Role::Tensor => "[map, coordinates]".to_owned(),
                _ => sources.next().unwrap_or('z').to_string(),
            };
            let text = if typed { name + &kind(rule, types) } else { name };
            match (index, rule.optional) {
                (0, false) => text,
                (0, true) => format!("{{{text}}}"),
                (_, false) => format!(", {text}"),
                (_, true) => format!("{{, {text}}}"),
            }
        })
        .collect()
}

/// The type of an operand, if it differs from the type of the instruction; otherwise empty.
fn kind(rule: &OperandRule, types: usize) -> String {
    let constant = if rule.role == Role::Constant { " constant" } else { "" };
    let ty = match rule.ty {
        OperandType::Fixed(ty) => format!(" .{ty}"),
        OperandType::Word(n) if types > 1 => format!(" of type {}", n + 1),
        OperandType::Wide(_) => " of twice the width".into(),
        _ if rule.role == Role::Condition => " .pred".into(),
        _ => String::new(),
    };
    match (ty.is_empty(), constant.is_empty()) {
        (true, true) => String::new(),
        _ => format!(" ({})", format!("{ty}{constant}").trim()),
    }
}

fn unknown<'n>(word: &str, known: impl Iterator<Item = &'n str>) -> Unknown {
    let near = known
        .map(|name| (distance(name, word), name))
        .min()
        .filter(|(distance, _)| *distance <= 1 + word.len() / 3);
    Unknown { word: word.to_owned(), suggestion: near.map(|(_, name)| name.to_owned()) }
}

/// Edit distance between two words (insertions, deletions, replacements); only the first 40 letters
/// of `b` are compared.
pub fn distance(a: &str, b: &str) -> usize {
    let end = b.char_indices().nth(40).map_or(b.len(), |(at, _)| at);
    strsim::levenshtein(a, &b[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each opcode has a summary that covers all of its forms, not the description of its first
    /// form.
    #[test]
    fn every_instruction_has_a_sentence() {
        assert!(summaries().is_sorted_by(|a, b| a.0 < b.0));
        let all = instructions();
        for d in &all {
            assert!(d.summary.ends_with('.') && d.summary.len() > 8, "{}: {}", d.name, d.summary);
            assert!(d.section.starts_with("9.7."), "{}", d.name);
        }
        for (name, _) in summaries() {
            assert!(all.iter().any(|d| d.name == name), "{name}");
        }
        assert!(Opcode::ALL.iter().all(|opcode| describe(opcode.name()).is_ok()));
        assert_eq!(all.len(), Opcode::ALL.len());
    }
}
