//! The instruction at a cursor, complete or not, and the forms in the instruction table that it
//! matches or can become.

use super::cursor::CursorContext;
use texunit_isa::gate::gates;
use texunit_isa::{Class, Form, Modifiers, Opcode, forms_of, read_modifiers, slots, texture};
use texunit_syntax::scan::{Token, TokenKind};

/// The opcode and modifiers of an instruction in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// Index of the opcode among the statement's tokens.
    pub(crate) at: usize,
    /// The opcode, if texunit knows its name.
    pub(crate) opcode: Option<Opcode>,
    /// The modifiers: words directly after the opcode.
    pub(crate) modifiers: Vec<Token>,
}

impl Instruction {
    /// Parses a cursor's statement, if it is in a body and begins like an instruction.
    pub(crate) fn read(text: &str, place: &CursorContext) -> Option<Self> {
        let tokens = &place.statement;
        let is = |at: usize, b: u8| tokens.get(at).is_some_and(|t| t.kind == TokenKind::Other(b));
        let mut at = 0;
        if is(0, b'@') {
            at = if is(1, b'!') { 3 } else { 2 };
        }
        let opcode = tokens.get(at).filter(|t| place.in_body && t.kind == TokenKind::Ident)?;
        let words = tokens[at + 1..].iter();
        let modifiers = words.take_while(|t| t.kind == TokenKind::Word && !t.first_on_line);
        Some(Self {
            at,
            opcode: Opcode::from_name(opcode.text(text)),
            modifiers: modifiers.copied().collect(),
        })
    }

    /// The index in `modifiers` of token number `word` of the statement, if that is a modifier.
    pub(crate) fn modifier(&self, word: usize) -> Option<usize> {
        word.checked_sub(self.at + 1).filter(|&i| i < self.modifiers.len())
    }

    /// The text of each modifier.
    pub(crate) fn words<'a>(&self, text: &'a str) -> Vec<&'a str> {
        self.modifiers.iter().map(|t| t.text(text)).collect()
    }
}

/// The rows of the instruction table that match an instruction, and further details.
pub(crate) struct Matching {
    /// The instruction forms that match; if there are none, the forms that would match with more
    /// modifiers; if there are none either, all forms of the opcode.
    pub(crate) forms: Vec<&'static Form>,
    /// Effect and requirements of a texture or surface instruction, in sentences.
    pub(crate) details: Vec<String>,
}

/// Finds the forms that match an opcode with modifiers.
pub(crate) fn matching(opcode: Opcode, words: &[&str]) -> Matching {
    if let Ok((mods, forms)) = read_modifiers(opcode, words) {
        let details = details(forms[0], &mods, words);
        return Matching { forms, details };
    }
    let begun: Vec<_> = forms_of(opcode).iter().filter(|f| slots(f, words).is_some()).collect();
    let forms = if begun.is_empty() { forms_of(opcode).iter().collect() } else { begun };
    Matching { forms, details: Vec::new() }
}

fn details(form: &Form, mods: &Modifiers, words: &[&str]) -> Vec<String> {
    let (mut found, opcode) = (Vec::new(), form.row.opcode);
    if let Some(row) = mods.geometry.and_then(|g| texture::fetch_of(opcode, mods.mip, g)) {
        found.push(row.doc.to_string());
    }
    if let Some(geometry) = mods.geometry {
        found.push(format!("Coordinates: {}", texture::geometry(geometry).doc));
    }
    let Some(own) = texture::requirement_of(form, mods) else { return found };
    for requirement in [own].into_iter().chain(gates(opcode, words)) {
        let needs = needs(requirement.version, requirement.target);
        let mut feature = requirement.feature.chars();
        let first = feature.next().map(|c| c.to_ascii_uppercase());
        found.extend(first.map(|c| format!("{c}{} needs {needs}.", feature.as_str())));
    }
    found
}

/// A requirement as text, from a `.version` times ten and the number of a `.target`.
pub(crate) fn needs(version: u32, target: u32) -> String {
    let version = format!("`.version {}.{}`", version / 10, version % 10);
    match target {
        0 => version,
        target => format!("{version} and `.target sm_{target}`"),
    }
}

/// A modifier that completion can offer at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) word: &'static str,
    /// The class of the modifier.
    pub(crate) class: Class,
    /// Sort key among the candidates: the smallest is offered first.
    pub(crate) rank: usize,
}

/// The modifiers that are valid between the modifiers `before` and `after`, so that some form of
/// the opcode still matches. Modifiers that come next in the documented order are first.
pub(crate) fn candidates(opcode: Opcode, before: &[&str], after: &[&str]) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut words = Vec::with_capacity(before.len() + after.len() + 1);
    for form in forms_of(opcode) {
        words.clear();
        words.extend_from_slice(before);
        words.extend_from_slice(after);
        let (Some(all), Some(filled)) = (slots(form, &words), slots(form, before)) else {
            continue;
        };
        let last = filled.iter().max().map_or(0, |s| s + 1);
        for (i, slot) in form.slots.iter().enumerate().filter(|(i, _)| !all.contains(i)) {
            for &word in &slot.words {
                words.clear();
                words.extend_from_slice(before);
                words.push(word);
                words.extend_from_slice(after);
                if slots(form, &words).is_none_or(|s| s[before.len()] != i) {
                    continue;
                }
                // Modifiers of skipped slots are offered last; ptxas accepts any order.
                let rank = if i >= last { i - last } else { form.slots.len() + i };
                match found.iter_mut().find(|c| c.word == word && c.class == slot.class) {
                    Some(known) => known.rank = known.rank.min(rank),
                    None => found.push(Candidate { word, class: slot.class, rank }),
                }
            }
        }
    }
    found.sort_by_key(|c| c.rank);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_an_instruction() {
        assert_eq!(matching(Opcode::Tld4, &["r", "2d", "v4", "f32", "f32"]).forms.len(), 1);
        let all = forms_of(Opcode::Tex).len();
        assert_eq!(matching(Opcode::Tex, &[]).forms.len(), all);
        assert_eq!(matching(Opcode::Tex, &["wrong"]).forms.len(), all);
        assert!(matching(Opcode::Tex, &["2d", "v2"]).forms.len() < all);
        let cube = matching(Opcode::Tex, &["cube", "v4", "f32", "f32"]);
        assert!(cube.details.iter().any(|d| d.contains("`.version 3.0`")), "{:?}", cube.details);
    }
}
