//! What the tables say about an instruction, in words: for `texunit isa`, docs/isa.md and hover
//! texts. Structured, so that each of them lays it out in its own way.

mod summaries;
mod texture;

use crate::form::{Class, OperandRule, OperandType, Property, Role, Shape};
use crate::table::forms_of;
use crate::{Fidelity, Form, Opcode, fidelities};

/// An instruction, or those of its forms that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The opcode.
    pub name: &'static str,
    /// Section of the PTX ISA.
    pub section: &'static str,
    /// What it does, one sentence.
    pub summary: &'static str,
    /// Its forms.
    pub forms: Vec<FormText>,
    /// What its operands are.
    pub operands: Vec<OperandText>,
    /// What may be written or left out, with what it needs.
    pub options: Vec<OptionText>,
}

/// A form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormText {
    /// Opcode and modifiers: `(a|b)` one of them, `{.a}` may be left out.
    pub syntax: String,
    /// Operands; in unified mode, where the texturing mode matters.
    pub operands: String,
    /// Operands with `texmode_independent`, where they differ.
    pub independent: Option<String>,
    /// The `.version` it needs: major, minor.
    pub version: (u32, u32),
    /// Number of the `.target` it needs; 0: any.
    pub target: u32,
    /// Section of the PTX ISA.
    pub section: &'static str,
    /// What it computes.
    pub doc: &'static str,
    /// How well that is known, of all choices of words.
    pub fidelity: Vec<Fidelity>,
}

/// An operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperandText {
    /// Its name in the forms, or what it is of: `c`, `c of .2d`.
    pub name: String,
    /// What may be written.
    pub shape: String,
    /// What it means.
    pub doc: String,
}

/// Something that may be written or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionText {
    /// How it is written.
    pub syntax: &'static str,
    /// The `.version` it needs: major, minor.
    pub version: (u32, u32),
    /// Number of the `.target` it needs; 0: any.
    pub target: u32,
    /// What it does.
    pub doc: &'static str,
}

/// Why nothing can be said about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The part of the name that is not known.
    pub word: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

impl FormText {
    /// `PTX ISA 3.1, sm_20`
    pub fn requirement(&self) -> String {
        requirement(self.version, self.target)
    }
}

impl OptionText {
    /// `PTX ISA 4.3, sm_30`
    pub fn requirement(&self) -> String {
        requirement(self.version, self.target)
    }
}

fn requirement((major, minor): (u32, u32), target: u32) -> String {
    match target {
        0 => format!("PTX ISA {major}.{minor}"),
        target => format!("PTX ISA {major}.{minor}, sm_{target}"),
    }
}

/// The instructions that have rows, by name.
pub fn instructions() -> Vec<Description> {
    let mut list: Vec<_> = Opcode::ALL
        .iter()
        .filter(|opcode| !forms_of(**opcode).is_empty())
        .map(|opcode| of_opcode(*opcode))
        .collect();
    list.sort_by_key(|d| d.name);
    list
}

/// What there is to say about an opcode (`tex`), or about those of its forms that have all of the
/// modifiers behind it (`tex.level.2d`).
///
/// # Errors
///
/// A name that no opcode has, or modifiers that none of its forms has, with the nearest one.
pub fn describe(name: &str) -> Result<Description, Unknown> {
    let mut words = name.split('.');
    let opcode = words.next().unwrap_or_default();
    let Some(found) = Opcode::from_name(opcode) else {
        let names = Opcode::ALL.iter().map(|o| o.name());
        return Err(unknown(opcode, names));
    };
    let words: Vec<&str> = words.collect();
    if forms_of(found).is_empty() && !words.is_empty() {
        return Err(Unknown { word: words[0].to_owned(), suggestion: Some(opcode.to_owned()) });
    }
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
    if let Some(description) = texture::describe(opcode) {
        return description;
    }
    let forms: Vec<FormText> = forms_of(opcode).iter().map(of_form).collect();
    let (section, doc) = match forms_of(opcode).first() {
        Some(first) => (first.row.section, first.row.doc),
        None => summaries::without_forms(opcode.name()).unwrap_or_default(),
    };
    Description {
        name: opcode.name(),
        section,
        summary: summaries::summary(opcode.name()).unwrap_or(doc),
        forms,
        operands: Vec::new(),
        options: Vec::new(),
    }
}

fn of_form(form: &Form) -> FormText {
    FormText {
        syntax: syntax(form),
        operands: operands(form),
        independent: None,
        version: form.version(),
        target: form.row.target,
        section: form.row.section,
        doc: form.row.doc,
        fidelity: fidelities(form),
    }
}

/// Opcode and modifiers with all words.
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

/// The operands of a form as they are written, with their types where those are not the
/// instruction's: `d, a, c (.pred)`.
pub fn operands(form: &Form) -> String {
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
        Shape::Unchecked => return "…".into(),
    }
    let mut sources = 'a'..='z';
    let list: Vec<String> = form
        .operands
        .iter()
        .map(|rule| {
            let name = match rule.role {
                Role::Dest | Role::RelaxedDest => "d".to_owned(),
                Role::DestWithPredicate => "d{|p}".to_owned(),
                Role::PredicatePair if form.has(Property::OnePredicate) => "p".to_owned(),
                Role::PredicatePair => "p{|q}".to_owned(),
                Role::Memory => "[address]".to_owned(),
                _ => sources.next().unwrap_or('z').to_string(),
            };
            let text = format!("{name}{}", kind(rule, types));
            if rule.optional { format!("{{{text}}}") } else { text }
        })
        .collect();
    list.join(", ")
}

/// The type of an operand, where it is not that of the instruction.
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

/// Insertions, deletions and replacements of letters from one word to another, of which the second
/// is cut after 40.
pub fn distance(a: &str, b: &str) -> usize {
    let end = b.char_indices().nth(40).map_or(b.len(), |(at, _)| at);
    strsim::levenshtein(a, &b[..end])
}
