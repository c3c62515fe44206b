//! Bodies: declarations, labels, nested scopes, and the walk over the statements.

use std::collections::HashSet;
use texunit_isa::{ScalarType, TypeKind};
use texunit_syntax::ast::{self, Space, Statement};
use texunit_syntax::{Diagnostic, Span};

use crate::context::Checker;
use crate::instruction::mnemonic;
use crate::ir::{FrameVar, FrameVarId, Function, Guard, Instruction, LabelId};
use crate::scope::{Found, Local, RegDecl, Scope, Scopes};

/// Local memory of a thread.
const MAX_FRAME: u64 = 512 << 10;

/// A body under construction.
pub(crate) struct Body<'c, 'a> {
    pub(crate) cx: &'c mut Checker<'a>,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) function: Function,
    instructions: Vec<Instruction>,
    frame_bytes: u64,
    /// Targets of all indexed branches so far.
    pub(crate) targets: usize,
    /// Unknown names that were reported.
    reported: HashSet<&'a str>,
}

impl<'c, 'a> Body<'c, 'a> {
    pub(crate) fn new(cx: &'c mut Checker<'a>, scopes: Scopes<'a>, function: Function) -> Self {
        Self {
            cx,
            scopes,
            function,
            instructions: Vec::new(),
            frame_bytes: 0,
            targets: 0,
            reported: HashSet::new(),
        }
    }

    pub(crate) fn run(mut self, block: &'a ast::Block<'a>) -> Function {
        // Parameters and the outermost declarations share one scope.
        self.statements(block);
        self.function.regs = self.scopes.registers;
        self.function.body = Some(self.instructions);
        self.function
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.cx.report(diagnostic);
    }

    fn block(&mut self, block: &'a ast::Block<'a>) {
        self.scopes.stack.push(Scope::default());
        self.statements(block);
        self.scopes.stack.pop();
    }

    fn statements(&mut self, block: &'a ast::Block<'a>) {
        for statement in &block.statements {
            if let Statement::Label(name) = statement {
                let id = LabelId(self.function.labels.len() as u32);
                self.function.labels.push((name.text.to_string(), usize::MAX));
                self.define(name, Local::Label(id));
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Label(name) => {
                    if let Some(Found::Other(Local::Label(id))) = self.scopes.find(name.text) {
                        self.function.labels[id.0 as usize].1 = self.instructions.len();
                    }
                }
                Statement::Instruction(i) => {
                    if let Some(checked) = self.instruction(i) {
                        self.instructions.push(checked);
                    }
                }
                Statement::Variable(v) => self.variable(v),
                Statement::Block(b) => self.block(b),
                Statement::CallPrototype(p) => {
                    self.check_prototype(p);
                    self.define(&p.label, Local::Prototype(p));
                }
                Statement::BranchTargets(t) => self.define(&t.label, Local::BranchTargets(t)),
                Statement::CallTargets(t) => self.define(&t.label, Local::CallTargets(t)),
                Statement::Directive(_) => {}
            }
        }
    }

    fn define(&mut self, name: &ast::Ident<'a>, local: Local<'a>) {
        self.cx.define_local(&mut self.scopes, name, local);
    }

    fn variable(&mut self, v: &'a ast::Variable<'a>) {
        match v.space {
            Space::Reg => self.register(v),
            Space::Local | Space::Param => {
                let local = self.frame_variable(v).map_or(Local::Broken, Local::Frame);
                self.define(&v.name, local);
            }
            Space::Global | Space::Const | Space::Shared | Space::Tex => {
                let name = format!("{}.{}", self.function.name, v.name.text);
                let local = match self.cx.static_variable(v, name, false) {
                    Some(variable) => Local::Static(self.cx.add_variable(variable)),
                    None => Local::Broken,
                };
                self.define(&v.name, local);
            }
        }
    }

    fn register(&mut self, v: &'a ast::Variable<'a>) {
        let Some(ty) = self.cx.scalar_type(&v.ty) else {
            return self.define(&v.name, Local::Broken);
        };
        let wrong = match ty {
            _ if ty.kind() == TypeKind::Opaque => true,
            ScalarType::Bf16 | ScalarType::Bf16x2 | ScalarType::Tf32 => true,
            ScalarType::E4m3 | ScalarType::E5m2 | ScalarType::E4m3x2 | ScalarType::E5m2x2 => true,
            ScalarType::U16x2 | ScalarType::S16x2 => true,
            _ => v.vector > 1 && (ty == ScalarType::Pred || ty.bits() * u32::from(v.vector) > 128),
        };
        if wrong || v.initializer.is_some() || !v.dimensions.is_empty() {
            self.report(
                Diagnostic::error("E0131", v.span, format!("there is no such register: .{ty}"))
                    .help(format!("declare {} registers", crate::types::register_for(ty))),
            );
            return self.define(&v.name, Local::Broken);
        }
        let decl = RegDecl { ty, vector: v.vector.max(1) };
        let Some((count, _)) = v.count else {
            let covered = self.scopes.stack.last().and_then(|s| s.range_of(v.name.text));
            match covered {
                Some(first) => self.cx.duplicate(&v.name, first),
                None => self.define(&v.name, Local::Reg(decl)),
            }
            return;
        };
        let name = v.name;
        let Some(scope) = self.scopes.stack.last_mut() else { return };
        let first = scope.ranges.get(name.text).map(|r| r.2);
        match first {
            Some(first) => self.cx.duplicate(&name, first),
            None => {
                scope.ranges.insert(name.text, (count, decl, name.span));
            }
        }
    }

    fn frame_variable(&mut self, v: &'a ast::Variable<'a>) -> Option<FrameVarId> {
        let ty = self.cx.scalar_type(&v.ty)?;
        if ty.kind() == TypeKind::Opaque {
            self.cx.opaque_allowed(v, ty, false);
            return None;
        }
        if ty == ScalarType::Pred || v.initializer.is_some() || v.linkage.is_some() {
            self.report(
                Diagnostic::error("E0130", v.span, format!("{} cannot be declared like this", v.name.text))
                    .help("a .local or .param variable of a body has a type in memory, no initial value and no linkage"),
            );
            return None;
        }
        let layout = self.cx.layout(v)?;
        let count = v.count.map_or(1, |(n, _)| n);
        let size = layout.size.saturating_mul(count);
        self.frame_bytes = self.frame_bytes.saturating_add(size);
        if self.frame_bytes > MAX_FRAME {
            self.cx.too_large(v.span, self.frame_bytes, MAX_FRAME);
            self.frame_bytes = 0;
            return None;
        }
        let id = FrameVarId(self.function.frame.len() as u32);
        self.function.frame.push(FrameVar {
            name: v.name.text.to_string(),
            is_param: v.space == Space::Param,
            ty: layout.ty,
            size: size as u32,
            align: layout.align as u32,
        });
        Some(id)
    }

    /// The guard of an instruction; `Err` if it is wrong.
    pub(crate) fn guard(&mut self, guard: Option<&ast::Guard<'a>>) -> Result<Option<Guard>, ()> {
        let Some(guard) = guard else { return Ok(None) };
        match self.lookup(&guard.register) {
            Some(Found::Register(r)) if r.decl.ty == ScalarType::Pred => {
                Ok(Some(Guard { reg: r.id, negated: guard.negated }))
            }
            Some(Found::Register(r)) => {
                self.report(
                    Diagnostic::error("E0219", guard.span, "a guard must be a predicate")
                        .label(format!("{} is a .{} register", guard.register.text, r.decl.ty))
                        .help("compare it into a .pred register with setp first"),
                );
                Err(())
            }
            Some(Found::Other(_) | Found::Outside) => {
                self.report(
                    Diagnostic::error("E0219", guard.span, "a guard must be a predicate")
                        .help("write @ and the name of a .pred register"),
                );
                Err(())
            }
            None => Err(()),
        }
    }

    /// What a name in the body is; unknown ones are reported once. Names at module scope are not
    /// found here.
    pub(crate) fn lookup(&mut self, name: &ast::Ident<'a>) -> Option<Found<'a>> {
        let found = self.scopes.find(name.text);
        let outside =
            self.cx.globals.contains_key(name.text) || crate::special::lookup(name.text).is_some();
        if found.is_none() && outside {
            return Some(Found::Outside);
        }
        if found.is_none() {
            self.unknown(name);
        }
        match found {
            Some(Found::Other(Local::Broken)) => None,
            other => other,
        }
    }

    /// Reports a name that nothing has, once.
    pub(crate) fn unknown(&mut self, name: &ast::Ident<'a>) {
        if !self.reported.insert(name.text) {
            return;
        }
        match self.cx.later.get(name.text) {
            Some(_) => {
                let _ = self.cx.global(name);
            }
            None => self.report(crate::variable::unknown(name)),
        }
    }

    /// Reports a mistake about the kind of an operand.
    pub(crate) fn wrong(&mut self, code: &'static str, span: Span, message: String, help: &str) {
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    /// The operands of an instruction that takes two.
    pub(crate) fn two_operands(
        &mut self,
        i: &'a ast::Instruction<'a>,
        help: &str,
    ) -> Option<&'a [ast::Operand<'a>; 2]> {
        let found = i.operands.as_slice().try_into().ok();
        if found.is_none() {
            let message = format!("{} takes 2 operands, not {}", mnemonic(i), i.operands.len());
            self.wrong("E0210", i.opcode.span, message, help);
        }
        found
    }
}
