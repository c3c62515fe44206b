//! Reading of opcodes and modifiers, with a cache: a module has thousands of instructions but only
//! a few hundred distinct spellings such as `add.s32`.

use std::rc::Rc;
use std::sync::Arc;

use texunit_isa::gate::{gates, variants};
use texunit_isa::{ModifierError, Opcode, read_modifiers};
use texunit_syntax::{Diagnostic, SourceFile, Span, ast};

use crate::body::Body;
use crate::context::ReadModifiers;
use crate::options::Ptxas;

impl<'a> Body<'_, 'a> {
    /// Reads opcode and modifiers; `None` after an error was reported.
    pub(crate) fn read(&mut self, i: &'a ast::Instruction<'a>) -> Option<Rc<ReadModifiers>> {
        let text = text_of(self.cx.source, i);
        if let Some(words) = text.and_then(|text| self.cx.modifiers.get(text)) {
            return Some(words.clone());
        }
        let Some(opcode) = Opcode::from_name(i.opcode.text) else { return self.unknown_opcode(i) };
        let words: Vec<&str> = i.modifiers.iter().map(|m| m.text).collect();
        let ignored = words.contains(&"oob") && self.cx.release == Ptxas::V11_8;
        let words = match found(opcode, &words) {
            Ok(found) if !(ignored && self.cx.options.ptxas_compat()) => found,
            Ok(found) => self.without_ignored(i, opcode, &words).unwrap_or(found),
            Err(error) => match self.without_ignored(i, opcode, &words) {
                Some(found) => return Some(found),
                None => return self.modifier_error(i, opcode, error),
            },
        };
        if let Some(text) = text {
            self.cx.modifiers.insert(text, words.clone());
        }
        Some(words)
    }

    /// If ptxas's verdicts were requested, ignores a meaningless modifier, or reads a `testp`
    /// without a property, as ptxas does.
    fn without_ignored(
        &mut self,
        i: &ast::Instruction<'a>,
        opcode: Opcode,
        words: &[&str],
    ) -> Option<Rc<ReadModifiers>> {
        if !self.cx.options.ptxas_compat() {
            return None;
        }
        if let (Opcode::Testp, [ty @ ("f32" | "f64")]) = (opcode, words) {
            self.report_miscompiled(
                Diagnostic::error("E0204", i.opcode.span, "testp lacks a modifier")
                    .help("write .finite, .infinite, .number, .notanumber, .normal or .subnormal"),
            );
            return found(opcode, &["number", ty]).ok();
        }
        let early = self.cx.release == Ptxas::V11_8;
        use Opcode::*;
        // For opcodes with forms for 16-bit floats, ptxas has special rules for types.
        let loose = match opcode {
            Mul => !words.iter().any(|word| ["lo", "hi", "wide"].contains(word)),
            Abs | Fma | Max | Min | Neg => !early,
            Add | Atom | Cos | Cvt | Ex2 | Lg2 | Multimem | Rcp | Red | Rsqrt | Set | Setp
            | Sin | Sqrt | Sub | Tanh => true,
            _ => false,
        };
        let ignored = |word: &str| word == "pred" && loose || word == "oob" && early;
        let modifier = i.modifiers.iter().find(|m| ignored(m.text))?;
        let rest: Vec<&str> = words.iter().copied().filter(|word| !ignored(word)).collect();
        let found = found(opcode, &rest).ok()?;
        let message = format!(".{} does not fit {opcode}", modifier.text);
        self.report_miscompiled(
            Diagnostic::error("E0201", modifier.span, message).help("remove it"),
        );
        Some(found)
    }
}

/// Reads an opcode and its modifiers, which are not in the cache.
fn found(opcode: Opcode, words: &[&str]) -> Result<Rc<ReadModifiers>, ModifierError> {
    let (mods, forms) = read_modifiers(opcode, words)?;
    let (gates, variants) = (gates(opcode, words).collect(), variants(opcode, words).collect());
    Ok(Rc::new(ReadModifiers { opcode, mods: Arc::new(mods), forms, gates, variants }))
}

/// The text from opcode to last modifier, if the syntax tree was parsed from `source`.
fn text_of<'a>(source: &'a SourceFile, i: &ast::Instruction<'a>) -> Option<&'a str> {
    let last = i.modifiers.last().unwrap_or(&i.opcode);
    let text = source.snippet(Span { start: i.opcode.span.start, end: last.span.end });
    let here = text.as_bytes().as_ptr_range().start
        == i.opcode.text.as_bytes().as_ptr_range().start
        && text.as_bytes().as_ptr_range().end == last.text.as_bytes().as_ptr_range().end;
    here.then_some(text)
}
