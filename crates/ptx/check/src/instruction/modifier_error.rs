//! Messages for opcodes and modifiers that match no form in the instruction table.

use texunit_isa::describe::distance;
use texunit_isa::{Class, ModifierError, Opcode, ScalarType};
use texunit_syntax::{Diagnostic, ast};

use crate::body::Body;
use crate::instruction::surface::no_reduction;
use crate::message::{cap, fixes};

impl<'a> Body<'_, 'a> {
    pub(crate) fn unknown_opcode<T>(&mut self, i: &ast::Instruction<'a>) -> Option<T> {
        let text = i.opcode.text;
        let message = format!("{text} is not an instruction");
        if self.cx.diagnostics.len() > cap::MAX_ERRORS {
            // After too many errors the message is not shown, so no suggestion is searched for.
            return self.cx.refuse("E0200", i.opcode.span, message, "");
        }
        let near = Opcode::ALL.iter().map(|o| o.name()).min_by_key(|name| distance(name, text));
        let help = match near {
            Some(name) if distance(name, text) <= 1 + text.len() / 4 => {
                format!("did you mean {name}?")
            }
            _ => "check the spelling".into(),
        };
        let diagnostic = Diagnostic::error("E0200", i.opcode.span, message).help(help);
        let mut close = Opcode::ALL.iter().map(|o| o.name()).filter(|n| distance(n, text) <= 1);
        // The opcode differs by one letter from an instruction, and from no other instruction.
        let diagnostic = match (close.next(), close.next()) {
            (Some(name), None) if text.len() > 3 => diagnostic.fix(i.opcode.span, name),
            _ => diagnostic,
        };
        self.cx.refuse_with(diagnostic)
    }

    pub(crate) fn modifier_error<T>(
        &mut self,
        i: &ast::Instruction<'a>,
        opcode: Opcode,
        error: ModifierError,
    ) -> Option<T> {
        let word = |index: usize| i.modifiers.get(index).copied().unwrap_or(i.opcode);
        let diagnostic = match error {
            ModifierError::Unexpected { index, expected } => {
                let modifier = word(index);
                let message = format!(".{} does not fit {opcode}", so_far(i, index, modifier.text));
                let help = no_reduction(opcode, modifier.text)
                    .or_else(|| elsewhere(opcode, modifier.text));
                let help = help.map_or_else(|| hint(&expected, opcode), str::to_owned);
                Diagnostic::error("E0201", modifier.span, message).help(help)
            }
            ModifierError::Duplicate { index, first } => {
                let modifier = word(index);
                let message = format!(".{} is written twice", modifier.text);
                let diagnostic = Diagnostic::error("E0202", modifier.span, message)
                    .note(word(first).span, "first here")
                    .help("remove one of them");
                fixes::remove_modifier(self.cx.source, modifier.span, diagnostic)
            }
            ModifierError::Misplaced { index } => {
                let modifier = word(index);
                let message = format!(".{} must follow {opcode} directly", modifier.text);
                let diagnostic = Diagnostic::error("E0203", modifier.span, message)
                    .help(format!("write {opcode}.{}", modifier.text));
                match fixes::with_dot(self.cx.source, modifier.span) {
                    Some(span) => diagnostic
                        .fix(fixes::behind(i.opcode.span), format!(".{}", modifier.text))
                        .fix(span, ""),
                    None => diagnostic,
                }
            }
            ModifierError::Missing { expected, class } => {
                let what = match class {
                    Class::Type => "type",
                    Class::Rounding => "rounding modifier",
                    Class::Clamp => "clamp modifier",
                    Class::Geometry => "geometry",
                    Class::Vector => "vector size",
                    Class::Compare => "comparison",
                    _ => "modifier",
                };
                let span = i.modifiers.last().map_or(i.opcode.span, |m| i.opcode.span.to(m.span));
                let diagnostic =
                    Diagnostic::error("E0204", span, format!("{opcode} lacks a {what}"))
                        .help(hint(&expected, opcode));
                let typed = |m: &&ast::Ident| ScalarType::from_name(m.text).is_some();
                match (class, expected.as_slice(), i.modifiers.iter().find(typed)) {
                    // `.trap` is the default clamp mode of the PTX ISA.
                    (Class::Clamp, _, _) => diagnostic.fix(fixes::behind(span), ".trap"),
                    (Class::Vector, [one], Some(first)) => {
                        diagnostic.fix(fixes::before(first.span), format!("{one}."))
                    }
                    (_, ["b"], _) => diagnostic.fix(fixes::behind(i.opcode.span), ".b"),
                    _ => diagnostic,
                }
            }
        };
        self.cx.refuse_with(diagnostic)
    }
}

/// The advice for a word that belongs to another instruction, language or API.
fn elsewhere(opcode: Opcode, word: &str) -> Option<&'static str> {
    use Opcode::{Suld, Sust, Tex};
    Some(match (opcode, word) {
        // Three elements need a vector of four, whose last element is unused.
        (_, "v3") => "vectors have 2 or 4 elements: write .v4",
        (Tex, "v1") => "a fetch gives 4 components: write .v4",
        (_, "v1") => "remove .v1: without a vector size there is one element",
        (Suld, "wb" | "wt") => "loads have the cache operators .ca, .cg, .cs and .cv",
        (Sust, "ca" | "cv") => "stores have the cache operators .wb, .cg, .cs and .wt",
        (Tex, "lod") => "write .level, with the level of detail behind the brackets",
        (Tex, "bias") => "there is no bias: add it to the level of detail and write .level",
        (Tex, "gather") => "write tld4 with the component: tld4.r.2d.v4.f32.f32",
        (Tex, "fetch") => "a fetch of texels is tex with .s32 as the last type",
        _ => return None,
    })
}

fn so_far(i: &ast::Instruction, index: usize, word: &str) -> String {
    let before = i.modifiers.get(..index).unwrap_or(&[]);
    if before.is_empty() {
        return word.to_string();
    }
    format!("{word} (after .{})", before[before.len() - 1].text)
}

fn hint(expected: &[&str], opcode: Opcode) -> String {
    match expected {
        [] => format!("remove it: {opcode} takes no more modifiers here"),
        words => {
            let words: Vec<String> = words.iter().map(|w| format!(".{w}")).collect();
            format!("write {}", words.join(", "))
        }
    }
}
