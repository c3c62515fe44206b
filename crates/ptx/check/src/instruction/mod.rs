//! The check of an instruction: reads opcode and modifiers, and selects the check of its operands.

mod address;
mod after_brackets;
mod call;
mod coordinates;
mod data;
mod handle;
mod listed;
mod modifier_error;
mod modifiers;
mod mov;
mod operand;
mod query;
mod rules;
mod site;
mod surface;
mod tensor;
mod texture;
mod tuple;
mod video;

use std::sync::Arc;
use texunit_forms::Count;

use texunit_isa::{Braces, Form, Property, Role, Shape, VideoOperands};
use texunit_syntax::ast::{self, OperandKind};

use crate::body::Body;
use crate::context::scope::Resolved;
use crate::instruction::site::Site;
use crate::ir::{Instruction, Operands};
use crate::message::fixes;
use crate::message::mnemonic;

impl<'a> Body<'_, 'a> {
    /// Checks an instruction; `None` after an error was reported.
    pub(crate) fn instruction(&mut self, i: &'a ast::Instruction<'a>) -> Option<Instruction> {
        let guard = self.guard(i.guard.as_ref());
        let read = self.read(i)?;
        let opcode = read.opcode;
        let mut mods = read.mods.clone();
        self.require_words(i, &read);
        self.past(i, &read);
        let Some(form) = self.select(&read.forms, i) else {
            return self.wrong_count(i, &read.forms);
        };
        self.miscompiled = false;
        let (operands, video) = Site { body: self, i, mods: &read.mods, form }.operands()?;
        self.cx.has_routine |= form.has(Property::Routine);
        if video.is_some() {
            Arc::make_mut(&mut mods).video = video;
        }
        if self.miscompiled {
            Arc::make_mut(&mut mods).unexecuted = Some("a form that ptxas miscompiles");
        }
        Some(Instruction { opcode, mods, guard: guard.ok()?, operands, span: i.span })
    }

    /// The first form that matches the number of operands and whose version and target requirements
    /// are met; reports an error if there is none.
    fn select(
        &mut self,
        forms: &[&'static Form],
        i: &ast::Instruction<'a>,
    ) -> Option<&'static Form> {
        let takes = |form: &&&'static Form| {
            let (min, max) = range(form);
            form.shape != Shape::Listed || (min..=max).contains(&i.operands.len())
        };
        let mut fitting = forms.iter().filter(takes).copied();
        let mut first = fitting.next()?;
        if fitting.clone().next().is_some() && !self.has_brackets_of(first, i) {
            first = fitting.clone().find(|form| self.has_brackets_of(form, i)).unwrap_or(first);
        }
        let has = |form: &&Form| {
            self.cx.has_version(form.row.version) && self.cx.target >= form.row.target
        };
        if let Some(form) = std::iter::once(first).chain(fitting).find(has) {
            return Some(form);
        }
        use Shape::{IndexedBranch, Listed, Mov};
        if matches!(first.shape, Listed | Mov | IndexedBranch) {
            let row = first.row;
            self.cx.require_named(row.doc, row.version, row.target, i.opcode.span);
        }
        Some(first)
    }

    /// Whether the operands in braces and in brackets are those of the form. This distinguishes
    /// forms with the same number of operands: a matrix in registers, or in memory.
    fn has_brackets_of(&mut self, form: &Form, i: &ast::Instruction<'a>) -> bool {
        form.operands.iter().zip(&i.operands).all(|(rule, operand)| {
            let memory = matches!(operand.kind, OperandKind::Address(_) | OperandKind::Bracket(_));
            let vector = match &operand.kind {
                OperandKind::Vector(_) => true,
                OperandKind::Name { name, component: None } => {
                    matches!(self.find(name.text), Some(Resolved::Register(r)) if r.decl.vector > 1)
                }
                _ => false,
            };
            matches!(rule.braces, Braces::Exactly(_) | Braces::Columns { .. }) == vector
                && matches!(rule.role, Role::Memory | Role::Tensor) == memory
        })
    }

    fn wrong_count<T>(&mut self, i: &ast::Instruction<'a>, forms: &[&'static Form]) -> Option<T> {
        let n = i.operands.len();
        let wanted = forms
            .iter()
            .map(|f| range(f))
            .fold((usize::MAX, 0), |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let wanted = if wanted.0 == wanted.1 {
            Count(wanted.0, "operand").to_string()
        } else {
            format!("{} to {} operands", wanted.0, wanted.1)
        };
        let span = match i.operands.first() {
            Some(first) => first.span.to(i.operands[i.operands.len() - 1].span),
            None => i.opcode.span,
        };
        let name = mnemonic(i);
        let help = fixes::usage(&name, forms);
        self.cx.refuse("E0210", span, format!("{name} takes {wanted}, not {n}"), help)
    }
}

impl Site<'_, '_, '_> {
    /// Checks the operands; also returns the selectors and signs of a video instruction.
    fn operands(&mut self) -> Option<(Operands, Option<VideoOperands>)> {
        let operands = match self.form.shape {
            Shape::Listed => Operands::Listed(self.listed()?),
            Shape::Mov => Operands::Listed(self.mov()?),
            Shape::Branch => Operands::Listed(self.branch()?),
            Shape::IndexedBranch => Operands::Listed(self.indexed_branch()?),
            Shape::Call => Operands::Listed(self.call()?),
            Shape::IsType => Operands::Listed(self.is_type()?),
            Shape::Video => {
                let (list, video) = self.video()?;
                return Some((Operands::Listed(list), Some(video)));
            }
            Shape::Texture | Shape::Gather => Operands::Fetch(Box::new(self.texture()?)),
            Shape::TextureQuery => Operands::Query(Box::new(self.texture_query()?)),
            Shape::SurfaceQuery => Operands::Query(Box::new(self.surface_query()?)),
            Shape::SurfaceLoad => Operands::Surface(Box::new(self.surface_load()?)),
            Shape::SurfaceStore | Shape::SurfaceReduce => {
                Operands::Surface(Box::new(self.surface_store()?))
            }
        };
        Some((operands, None))
    }
}

/// Minimum and maximum number of operands of a form.
fn range(form: &Form) -> (usize, usize) {
    let optional = form.operands.iter().filter(|o| o.optional).count();
    (form.operands.len() - optional, form.operands.len())
}
