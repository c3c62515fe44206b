//! Checks of version and target requirements of modifiers, and of forms that only some PTX versions
//! have.

use texunit_isa::requirement::Requirement;
use texunit_isa::texture::requirement_of;
use texunit_isa::{ClampMode, Opcode, Property, ScalarType, Space};
use texunit_syntax::{Diagnostic, ast};

use crate::body::Body;
use crate::context::ReadModifiers;
use crate::message::mnemonic;
use crate::options::Ptxas;

impl<'a> Body<'_, 'a> {
    /// Checks the requirements of the modifiers and of the form of a texture or surface
    /// instruction. Only the highest version and the highest target are reported. Requirements of
    /// operands are checked elsewhere.
    pub(crate) fn require_words(&mut self, i: &ast::Instruction<'a>, words: &ReadModifiers) {
        let of_form = words.forms.first().and_then(|form| requirement_of(form, &words.mods));
        // `max_by_key` returns the last of equal requirements, which is the most specific.
        let all = || words.gates.iter().copied().chain(of_form);
        let version = all().max_by_key(|g| g.version);
        let target = all().max_by_key(|g| g.target);
        let span = i.opcode.span;
        if let (Some(version), Some(target)) = (version, target) {
            let name = |of: Requirement| match of_form == Some(of) {
                true => form_name(i, words.opcode),
                false => of.feature.to_owned(),
            };
            self.cx.require_named(&name(version), version.version, 0, span);
            self.cx.require_named(&name(target), 0, target.target, span);
        }
        if target.is_some_and(|t| self.cx.target < t.target) || self.cx.target == 0 {
            return;
        }
        let absent = words.variants.iter().find(|v| !v.has(&self.cx.module.target));
        let Some(variant) = absent else { return };
        let first = variant.targets.split(' ').next().unwrap_or_default();
        let said = format!("the module says .target {}", self.cx.module.target);
        let message = format!(".target sm_{first} is needed for {}", variant.feature);
        let names: Vec<String> = variant.targets.split(' ').map(|t| format!("sm_{t}")).collect();
        let help = format!("architectures that have it: {}", names.join(", "));
        self.report(Diagnostic::error("E0231", span, message).label(said).help(help));
    }

    /// Reports an instruction form that the module's version or target does not support, or no
    /// longer supports.
    pub(crate) fn past(&mut self, i: &ast::Instruction<'a>, read: &ReadModifiers) {
        let (mods, span) = (&read.mods, i.opcode.span);
        let has = |property| read.forms.iter().any(|form| form.has(property));
        if has(Property::EndedUnrounded) && self.cx.target >= 20 && self.cx.has_version(32) {
            let message = "mad.f32 lacks a rounding modifier";
            self.cx.wrong("E0204", span, message, "write mad.rn.f32 or fma.rn.f32");
        }
        let bits = mods.ty().map_or(0, |t| t.bits()) * u32::from(mods.vector);
        let wide = read.opcode.moves_256_bits();
        if wide && bits > 128 {
            self.cx.require_named("256-bit loads and stores", 88, 100, span);
        }
        let tiny = |t: &ScalarType| matches!(t, ScalarType::E4m3x2 | ScalarType::E5m2x2);
        let early = self.cx.release == Ptxas::V11_8 || !self.cx.has_version(81);
        if early && mods.types.iter().any(tiny) {
            self.cx.require_named("8-bit floats before PTX ISA version 8.1", 78, 90, span);
        }
        if has(Property::LateFlush) && self.cx.release == Ptxas::V13_5 {
            self.cx.require_named("cvt.ftz.f32.bf16", 78, 90, span);
        }
        let global = matches!(mods.space, None | Some(Space::Global));
        let single = mods.ty() == Some(ScalarType::B128);
        if bits > 128 && (single || !(wide && global)) {
            let message = format!("{} moves more than 128 bits", mnemonic(i));
            self.cx.wrong("E0213", span, message, "use two instructions, or .v2");
        }
        // ptxas 12.9 accepts one-sided fences in any version.
        if has(Property::OneSidedFence) && self.cx.release != Ptxas::V12_9 {
            self.cx.require_named("one-sided memory fences", 86, 90, span);
        }
        if has(Property::OnlyLatest) && self.cx.release != Ptxas::V13_5 {
            let message = format!("{} is for ptxas 13.5 and later", mnemonic(i));
            self.cx.wrong("E0201", span, message, "write fence.proxy.async");
        }
        if has(Property::VectorsOfEight) && self.cx.release < Ptxas::V12_9 {
            let message = format!("{}: .v8 is for ptxas 12.9 and later", mnemonic(i));
            self.cx.wrong("E0201", span, message, "use two instructions with .v4");
        }
        let says = |word| i.modifiers.iter().any(|m| m.text == word);
        if has(Property::MmioOfSystem)
            && self.cx.release == Ptxas::V13_5
            && says("mmio")
            && says("gpu")
        {
            let message = format!("{} has the scope of a GPU", mnemonic(i));
            self.cx.wrong("E0201", span, message, "write .sys, which .mmio needs");
        }
        if mods.ftz {
            self.cx.require_named(".ftz", 14, 0, span);
        }
        let (late, unaligned) = (has(Property::LateAligned), has(Property::Unaligned));
        if (late || unaligned) && !says("aligned") {
            let message = format!("{} lacks .aligned", mnemonic(i));
            let error = Diagnostic::error("E0204", span, message).help("write .sync.aligned");
            if late && self.cx.has_version(63) || unaligned && self.cx.release == Ptxas::V13_5 {
                self.report(error);
            } else if unaligned {
                self.report_miscompiled(error);
            }
        }
        let orders: Vec<_> =
            i.modifiers.iter().filter(|m| matches!(m.text, "row" | "col")).collect();
        if let ([a, b], true) = (&orders[..], has(Property::RowByColumn))
            && (a.text, b.text) != ("row", "col")
        {
            let wrong = if a.text == "row" { b } else { a };
            let message = format!("{} takes the rows of A and the columns of B", mnemonic(i));
            self.cx.wrong("E0201", wrong.span, message, "write .row.col");
        }
        if has(Property::OrderHasScope) {
            self.order_and_scope(i, has(Property::LateRelaxed));
        }
        if has(Property::EndedWithSync) && self.cx.target >= 70 && self.cx.has_version(64) {
            let name = read.opcode;
            let message = format!("{name} without .sync ended with sm_70 and PTX ISA version 6.4");
            let help = format!("write {name}.sync and a mask of threads as last operand");
            self.cx.wrong("E0204", span, message, &help);
        }
    }

    /// Checks that a memory order and its scope are given together. `late_relaxed`: `.relaxed` was
    /// introduced in PTX ISA 8.6.
    fn order_and_scope(&mut self, i: &ast::Instruction<'a>, late_relaxed: bool) {
        let among = |words: &[&str]| i.modifiers.iter().find(|m| words.contains(&m.text));
        let order = among(&["relaxed", "acquire", "release"]);
        let scope = among(&["cta", "cluster", "gpu", "sys"]);
        let lacking = match (order, scope) {
            (Some(order), None) => Some((order, "a scope", ".cta or .cluster after it")),
            (None, Some(scope)) => Some((scope, "an order", "an order such as .release before it")),
            _ => None,
        };
        if let Some((word, what, help)) = lacking {
            let message = format!("{} with .{} lacks {what}", i.opcode.text, word.text);
            self.cx.wrong("E0204", word.span, message, format!("write {help}"));
        }
        if late_relaxed && order.is_some_and(|o| o.text == "relaxed") {
            let feature = "relaxed operations on an mbarrier";
            self.cx.require_named(feature, 86, 90, i.opcode.span);
        }
    }
}

/// The opcode and the modifiers that select the form: without vector sizes, hints and clamp modes,
/// and without types that do not matter.
fn form_name(i: &ast::Instruction, opcode: Opcode) -> String {
    let typed = !matches!(opcode, Opcode::Tex | Opcode::Tld4 | Opcode::Suld | Opcode::Sust);
    let mut name = opcode.name().to_owned();
    for word in &i.modifiers {
        let hint = matches!(word.text, "ca" | "cg" | "cs" | "cv" | "wb" | "wt" | "uni");
        let vector = word.text.starts_with('v') && word.text.len() == 2;
        let clamp = ClampMode::from_name(word.text).is_some();
        let ty = !typed && ScalarType::from_name(word.text).is_some();
        if !(hint || vector || clamp || ty) {
            name.push('.');
            name += word.text;
        }
    }
    name
}
