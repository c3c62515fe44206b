//! Reading of opcodes and modifiers, with a cache: a module has thousands of instructions but only
//! a few hundred distinct spellings such as `add.s32`.

use std::rc::Rc;
use std::sync::Arc;

use texunit_isa::gate::gates;
use texunit_isa::variant::variants;
use texunit_isa::{Modifiers, Opcode, known_by_name_only, read_modifiers};
use texunit_syntax::{Diagnostic, SourceFile, Span, ast};

use crate::body::Body;
use crate::context::read::ReadModifiers;

impl<'a> Body<'_, 'a> {
    /// Reads opcode and modifiers; `None` after an error was reported.
    pub(crate) fn read(&mut self, i: &'a ast::Instruction<'a>) -> Option<Rc<ReadModifiers>> {
        let text = text_of(self.cx.source, i);
        if let Some(words) = text.and_then(|text| self.cx.modifiers.get(text)) {
            return Some(words.clone());
        }
        let Some(opcode) = Opcode::from_name(i.opcode.text) else {
            return self.unknown_opcode(i);
        };
        let words: Vec<&str> = i.modifiers.iter().map(|m| m.text).collect();
        let (mods, forms) = if known_by_name_only(opcode, &words) {
            (Modifiers::default(), Vec::new())
        } else {
            match read_modifiers(opcode, &words) {
                Ok(read) => read,
                Err(error) => match self.without_pred(i, opcode, &words) {
                    Some(found) => return Some(found),
                    None => return self.modifier_error(i, opcode, error),
                },
            }
        };
        let gates = gates(opcode, &words).collect();
        let variants = variants(opcode, &words).collect();
        let words = Rc::new(ReadModifiers { opcode, mods: Arc::new(mods), forms, gates, variants });
        if let Some(text) = text {
            self.cx.modifiers.insert(text, words.clone());
        }
        Some(words)
    }
}

impl<'a> Body<'_, 'a> {
    /// Reads a `testp` without a property, which ptxas accepts.
    fn without_class(&mut self, i: &ast::Instruction<'a>, ty: &str) -> Option<Rc<ReadModifiers>> {
        let opcode = Opcode::Testp;
        let (mods, forms) = read_modifiers(opcode, &["number", ty]).ok()?;
        self.report_miscompiled(
            Diagnostic::error("E0204", i.opcode.span, "testp lacks a modifier")
                .help("write .finite, .infinite, .number, .notanumber, .normal or .subnormal"),
        );
        let (gates, variants) = (Vec::new(), Vec::new());
        Some(Rc::new(ReadModifiers { opcode, mods: Arc::new(mods), forms, gates, variants }))
    }

    /// Ignores a `.pred` without a meaning, as ptxas does, if its verdicts were requested.
    fn without_pred(
        &mut self,
        i: &ast::Instruction<'a>,
        opcode: Opcode,
        words: &[&str],
    ) -> Option<Rc<ReadModifiers>> {
        if !self.cx.options.ptxas_compat() {
            return None;
        }
        if let (Opcode::Testp, [ty @ ("f32" | "f64")]) = (opcode, words) {
            return self.without_class(i, ty);
        }
        if !words.contains(&"pred") {
            return None;
        }
        let rest: Vec<&str> = words.iter().copied().filter(|w| *w != "pred").collect();
        let (mods, forms) = read_modifiers(opcode, &rest).ok()?;
        let span = i.modifiers.iter().find(|m| m.text == "pred").map_or(i.opcode.span, |m| m.span);
        self.report_miscompiled(
            Diagnostic::error("E0201", span, format!(".pred does not fit {opcode}"))
                .help("remove it"),
        );
        let gates = gates(opcode, &rest).collect();
        let variants = variants(opcode, &rest).collect();
        Some(Rc::new(ReadModifiers { opcode, mods: Arc::new(mods), forms, gates, variants }))
    }
}

/// The text from the opcode to the last modifier, if the tree was parsed from this source.
fn text_of<'a>(source: &'a SourceFile, i: &ast::Instruction<'a>) -> Option<&'a str> {
    let last = i.modifiers.last().unwrap_or(&i.opcode);
    let text = source.snippet(Span { start: i.opcode.span.start, end: last.span.end });
    let here = text.as_bytes().as_ptr_range().start
        == i.opcode.text.as_bytes().as_ptr_range().start
        && text.as_bytes().as_ptr_range().end == last.text.as_bytes().as_ptr_range().end;
    here.then_some(text)
}
