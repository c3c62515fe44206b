//! One instruction: opcode, modifiers, and which check its operands go to.

use std::sync::Arc;

use texunit_isa::describe::distance;
use texunit_isa::floor::Floor;
use texunit_isa::{Class, Form, ModifierError, Modifiers, Opcode, ScalarType, Shape};
use texunit_syntax::{Diagnostic, ast};

use crate::body::Body;
use crate::correct;
use crate::ir::{Instruction, Operands};
use crate::options::Ptxas;
use crate::words::Words;

impl<'a> Body<'_, 'a> {
    /// Checks an instruction; `None` after a mistake was reported.
    pub(crate) fn instruction(&mut self, i: &'a ast::Instruction<'a>) -> Option<Instruction> {
        let guard = self.guard(i.guard.as_ref());
        let words = self.words(i)?;
        let opcode = words.opcode;
        let mut mods = words.mods.clone();
        self.require_words(i, &words);
        if words.forms.is_empty() {
            let operands = Operands::Listed(Vec::new());
            return Some(Instruction { opcode, mods, guard: guard.ok()?, operands, span: i.span });
        }
        self.past(i, &mods);
        let form = self.select(&words.forms, i);
        self.cx.miscompiled = false;
        let operands = self.operands(i, &mods, form, &words.forms)?;
        if let Some(video) = self.cx.video.take() {
            Arc::make_mut(&mut mods).video = Some(video);
        }
        if self.cx.miscompiled {
            Arc::make_mut(&mut mods).unexecuted = Some("a form that ptxas miscompiles");
        }
        Some(Instruction { opcode, mods, guard: guard.ok()?, operands, span: i.span })
    }

    /// Demands what the words ask for. One message each for version and target: the highest says
    /// it all.
    fn require_words(&mut self, i: &ast::Instruction<'a>, words: &Words) {
        // The last of equal ones is the more special.
        let version = words.gates.iter().max_by_key(|g| g.version);
        let target = words.gates.iter().max_by_key(|g| g.target);
        let span = i.opcode.span;
        if let (Some(version), Some(target)) = (version, target) {
            self.cx.require_named(version.feature, version.version, 0, span);
            self.cx.require_named(target.feature, 0, target.target, span);
        }
        let short = |target: &&Floor| self.cx.target < target.target;
        if target.is_some_and(|t| short(&t)) || self.cx.target == 0 {
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

    fn operands(
        &mut self,
        i: &'a ast::Instruction<'a>,
        mods: &Modifiers,
        form: Option<&'static Form>,
        forms: &[&'static Form],
    ) -> Option<Operands> {
        let Some(form) = form else {
            self.wrong_count(i, forms);
            return None;
        };
        match form.shape {
            Shape::Listed => self.listed(i, mods, form).map(Operands::Listed),
            Shape::Mov => self.mov(i, mods).map(Operands::Listed),
            Shape::Branch => self.branch(i).map(Operands::Listed),
            Shape::IndexedBranch => self.indexed_branch(i).map(Operands::Listed),
            Shape::Call => self.call(i).map(Operands::Listed),
            Shape::Texture | Shape::Gather => {
                self.texture(i, mods, form).map(|fetch| Operands::Fetch(Box::new(fetch)))
            }
            Shape::TextureQuery => {
                self.texture_query(i, mods, form).map(|query| Operands::Query(Box::new(query)))
            }
            Shape::SurfaceQuery => {
                self.surface_query(i, mods, form).map(|query| Operands::Query(Box::new(query)))
            }
            Shape::IsType => self.is_type(i, form).map(Operands::Listed),
            Shape::SurfaceLoad => {
                self.surface_load(i, mods, form).map(|load| Operands::Surface(Box::new(load)))
            }
            Shape::SurfaceStore | Shape::SurfaceReduce => {
                self.surface_store(i, mods, form).map(|store| Operands::Surface(Box::new(store)))
            }
            Shape::Video => self.video(i, mods).map(Operands::Listed),
            Shape::Unchecked => Some(Operands::Listed(Vec::new())),
        }
    }

    /// The first of the rows that takes this many operands and that version and target have; if
    /// they have none of them, says so.
    fn select(
        &mut self,
        forms: &[&'static Form],
        i: &ast::Instruction<'a>,
    ) -> Option<&'static Form> {
        let takes = |form: &&&'static Form| {
            let (least, most) = range(form);
            form.shape != Shape::Listed || (least..=most).contains(&count(i))
        };
        let mut fitting = forms.iter().filter(takes).copied();
        let first = fitting.next()?;
        let has = |form: &Form| {
            self.cx.has_version(form.row.version) && self.cx.target >= form.row.target
        };
        if has(first) {
            return Some(first);
        }
        if let Some(other) = fitting.find(|form| has(form)) {
            return Some(other);
        }
        use Shape::{IndexedBranch, Listed, Mov, Unchecked};
        if matches!(first.shape, Listed | Mov | IndexedBranch | Unchecked) {
            let row = first.row;
            let (version, target) = (row.version, row.target);
            let floor = texunit_isa::floor::Floor { feature: row.doc, version, target };
            self.cx.require(floor, i.opcode.span);
        }
        Some(first)
    }

    /// Forms that the table has and this version or target does not, or not any more.
    fn past(&mut self, i: &ast::Instruction<'a>, mods: &Modifiers) {
        let opcode = i.opcode.text;
        let single = mods.ty() == Some(ScalarType::F32) && mods.rounding.is_none();
        if opcode == "mad" && single && self.cx.target >= 20 {
            let message = "mad.f32 lacks a rounding modifier".into();
            self.wrong("E0204", i.opcode.span, message, "write mad.rn.f32 or fma.rn.f32");
        }
        let bits = mods.ty().map_or(0, |t| t.bits()) * u32::from(mods.vector);
        if matches!(opcode, "ld" | "st") && bits > 128 {
            self.cx.require(texunit_isa::floor::WIDE, i.opcode.span);
        }
        let tiny = |t: &ScalarType| matches!(t, ScalarType::E4m3x2 | ScalarType::E5m2x2);
        let early = self.cx.release == Ptxas::V11_8 || !self.cx.has_version(81);
        if early && mods.types.iter().any(tiny) {
            let feature = "8-bit floats before PTX ISA version 8.1";
            let floor = texunit_isa::floor::Floor { feature, version: 78, target: 90 };
            self.cx.require(floor, i.opcode.span);
        }
        let flushed = i.modifiers.iter().any(|m| m.text == "ftz");
        let wider = mods.types[..] == [ScalarType::F32, ScalarType::Bf16] && opcode == "cvt";
        if flushed && wider && self.cx.release == Ptxas::V13_5 {
            let feature = "cvt.ftz.f32.bf16";
            self.cx.require(Floor { feature, version: 78, target: 90 }, i.opcode.span);
        }
        let global = matches!(mods.space, None | Some(texunit_isa::Space::Global));
        let single = mods.ty() == Some(ScalarType::B128);
        if bits > 128 && (single || !(matches!(opcode, "ld" | "st") && global)) {
            let message = format!("{} moves more than 128 bits", mnemonic(i));
            self.wrong("E0213", i.opcode.span, message, "use two instructions, or .v2");
        }
        if opcode == "fence"
            && i.modifiers.first().is_some_and(|m| matches!(m.text, "acquire" | "release"))
        {
            self.one_sided_fence(i);
        }
        if opcode == Opcode::Mbarrier.name() {
            self.order_of_barrier(i);
        }
        let without = matches!(opcode, "shfl" | "vote") && !mods.sync;
        if without && self.cx.target >= 70 && self.cx.has_version(64) {
            let message =
                format!("{opcode} without .sync ended with sm_70 and PTX ISA version 6.4");
            let help = format!("write {opcode}.sync and a mask of threads as last operand");
            self.wrong("E0204", i.opcode.span, message, &help);
        }
    }

    /// An order and its scope stand together. `.relaxed` came late to all but transactions.
    fn order_of_barrier(&mut self, i: &ast::Instruction<'a>) {
        let among = |words: &[&str]| i.modifiers.iter().find(|m| words.contains(&m.text));
        let order = among(&["relaxed", "acquire", "release"]);
        let scope = among(&["cta", "cluster"]);
        let lacking = match (order, scope) {
            (Some(order), None) => Some((order, "a scope", ".cta or .cluster after it")),
            (None, Some(scope)) => Some((scope, "an order", "an order such as .release before it")),
            _ => None,
        };
        if let Some((word, what, help)) = lacking {
            let message = format!("mbarrier with .{} lacks {what}", word.text);
            self.wrong("E0204", word.span, message, &format!("write {help}"));
        }
        let transaction =
            i.modifiers.first().is_some_and(|m| matches!(m.text, "expect_tx" | "complete_tx"));
        if order.is_some_and(|o| o.text == "relaxed") && !transaction {
            let feature = "relaxed operations on an mbarrier";
            self.cx.require(Floor { feature, version: 86, target: 90 }, i.opcode.span);
        }
    }

    /// `fence.acquire` and `fence.release` came with PTX ISA 8.6; ptxas 12.9 takes them in any
    /// version and the releases before it in none.
    fn one_sided_fence(&mut self, i: &ast::Instruction<'a>) {
        let (version, target) = match self.cx.release {
            Ptxas::V12_9 => return,
            Ptxas::V13_5 => (60, 90),
            Ptxas::V11_8 | Ptxas::V12_4 => (86, 90),
        };
        let feature = "one-sided memory fences";
        self.cx.require(texunit_isa::floor::Floor { feature, version, target }, i.opcode.span);
    }

    pub(crate) fn unknown_opcode(&mut self, i: &ast::Instruction<'a>) {
        let text = i.opcode.text;
        if self.cx.diagnostics.len() > crate::most::MAX_ERRORS {
            // Not shown, so the search is not worth its time.
            return self.wrong("E0200", i.opcode.span, format!("{text} is not an instruction"), "");
        }
        let near = Opcode::ALL.iter().map(|o| o.name()).min_by_key(|name| distance(name, text));
        let help = match near {
            Some(name) if distance(name, text) <= 1 + text.len() / 4 => {
                format!("did you mean {name}?")
            }
            _ => "check the spelling".into(),
        };
        let message = format!("{text} is not an instruction");
        let diagnostic = Diagnostic::error("E0200", i.opcode.span, message).help(help);
        let mut close = Opcode::ALL.iter().map(|o| o.name()).filter(|n| distance(n, text) <= 1);
        // One letter off, and no other instruction is.
        let diagnostic = match (close.next(), close.next()) {
            (Some(name), None) if text.len() > 3 => diagnostic.fix(i.opcode.span, name),
            _ => diagnostic,
        };
        self.report(diagnostic);
    }

    pub(crate) fn modifier_error(
        &mut self,
        i: &ast::Instruction<'a>,
        opcode: Opcode,
        error: ModifierError,
    ) {
        let word = |index: usize| i.modifiers.get(index).copied().unwrap_or(i.opcode);
        let diagnostic = match error {
            ModifierError::Unexpected { index, expected } => {
                let modifier = word(index);
                let message = format!(".{} does not fit {opcode}", so_far(i, index, modifier.text));
                let help = crate::surface::no_reduction(opcode, modifier.text);
                let help = help.or_else(|| {
                    // Of three elements the fourth is left.
                    (modifier.text == "v3").then_some("vectors have 2 or 4 elements: write .v4")
                });
                let help = help.map_or_else(|| hint(&expected, opcode), str::to_owned);
                Diagnostic::error("E0201", modifier.span, message).help(help)
            }
            ModifierError::Duplicate { index, first } => {
                let modifier = word(index);
                let diagnostic = Diagnostic::error(
                    "E0202",
                    modifier.span,
                    format!(".{} is written twice", modifier.text),
                )
                .note(word(first).span, "first here")
                .help("remove one of them");
                correct::remove_modifier(self.cx.source, modifier.span, diagnostic)
            }
            ModifierError::Misplaced { index } => {
                let modifier = word(index);
                let diagnostic = Diagnostic::error(
                    "E0203",
                    modifier.span,
                    format!(".{} must follow {opcode} directly", modifier.text),
                )
                .help(format!("write {opcode}.{}", modifier.text));
                match correct::with_dot(self.cx.source, modifier.span) {
                    Some(span) => diagnostic
                        .fix(correct::behind(i.opcode.span), format!(".{}", modifier.text))
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
                    // What the ISA takes for granted where nothing is said.
                    (Class::Clamp, _, _) => diagnostic.fix(correct::behind(span), ".trap"),
                    (Class::Vector, [one], Some(first)) => {
                        diagnostic.fix(correct::before(first.span), format!("{one}."))
                    }
                    (_, ["b"], _) => diagnostic.fix(correct::behind(i.opcode.span), ".b"),
                    _ => diagnostic,
                }
            }
        };
        self.report(diagnostic);
    }

    fn wrong_count(&mut self, i: &ast::Instruction<'a>, forms: &[&'static Form]) {
        let n = count(i);
        let wanted = forms
            .iter()
            .map(|f| range(f))
            .fold((usize::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let wanted = if wanted.0 == wanted.1 {
            plural(wanted.0, "operand")
        } else {
            format!("{} to {} operands", wanted.0, wanted.1)
        };
        let span = match i.operands.first() {
            Some(first) => first.span.to(i.operands[i.operands.len() - 1].span),
            None => i.opcode.span,
        };
        let name = mnemonic(i);
        let help = correct::usage(&name, forms);
        self.wrong("E0210", span, format!("{name} takes {wanted}, not {n}"), &help);
    }
}

/// The instruction's words, as in messages: `add.f32`.
pub(crate) fn mnemonic(i: &ast::Instruction) -> String {
    let mut text = i.opcode.text.to_string();
    for word in &i.modifiers {
        text.push('.');
        text += word.text;
    }
    text
}

fn so_far(i: &ast::Instruction, index: usize, word: &str) -> String {
    let before = i.modifiers.get(..index).unwrap_or(&[]);
    if before.is_empty() {
        return word.to_string();
    }
    let mut text = word.to_string();
    text += &format!(" (after .{})", before[before.len() - 1].text);
    text
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

fn count(i: &ast::Instruction) -> usize {
    i.operands.len()
}

/// Fewest and most operands of a row.
fn range(form: &Form) -> (usize, usize) {
    let optional = form.operands.iter().filter(|o| o.optional).count();
    (form.operands.len() - optional, form.operands.len())
}

/// `1 element`, `2 elements`.
pub(crate) fn plural(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}
