//! Names inside a body: nested scopes, and registers that are created when they are first named.

use std::borrow::Cow;

use texunit_isa::ScalarType;
use texunit_syntax::{Span, ast, numbered};

use crate::ir::{FrameVar, FrameVarId, LabelId, ParamId, Reg, RegId, VarId, Variable};
use crate::names::{Map, usual};

/// The contents of a `.reg` declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegDecl {
    pub(crate) ty: ScalarType,
    pub(crate) vector: u8,
}

/// The meaning of a name that is declared in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Local<'a> {
    Reg(RegDecl),
    Frame(FrameVarId),
    Static(VarId),
    Param(ParamId),
    Return(ParamId),
    Label(LabelId),
    BranchTargets(&'a ast::BranchTargets<'a>),
    CallTargets(&'a ast::BranchTargets<'a>),
    Prototype(&'a ast::CallPrototype<'a>),
    /// The declaration was invalid; uses of the name are not reported.
    Broken,
}

/// The contents of a numbered group `%r<10>` or `l<2>`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbered {
    Reg(RegDecl),
    /// Variables in memory, by the index of their pattern in `Body::patterns`.
    Variable(usize),
    /// The declaration of the group was invalid.
    Broken,
}

/// The variables of a numbered group `l<2>` without their names; each is created when first named.
#[derive(Clone)]
pub(crate) enum Pattern {
    Frame(FrameVar, Span),
    Static(Box<Variable>),
}

/// The names declared in a scope, a pair of braces.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    pub(crate) names: Map<&'a str, (Local<'a>, Span)>,
    /// Numbered groups such as `%r<10>`, by prefix: count, contents, declaration.
    pub(crate) ranges: Map<&'a str, (u64, Numbered, Span)>,
    /// For each prefix of declared names that end with a number, the smallest number.
    pub(crate) numbered: Map<&'a str, (u64, Span)>,
    /// Cached meanings of names: registers, and names in numbered groups such as `%r<10>`.
    members: Map<Cow<'a, str>, Resolved<'a>>,
}

impl<'a> Scope<'a> {
    /// The numbered group that contains a name (`%r<10>` for `%r1`), and the group's declaration.
    pub(crate) fn range_of(&self, name: &str) -> Option<(Numbered, Span)> {
        let (prefix, number) = numbered(name)?;
        let &(count, group, span) = self.ranges.get(prefix)?;
        (number < count).then_some((group, span))
    }

    /// Caches the meaning of a name, also under its canonical spelling.
    fn keep(&mut self, name: &'a str, found: Resolved<'a>) {
        self.members.insert(name.into(), found);
        if let Some(usual) = usual(name) {
            self.members.insert(usual.into(), found);
        }
    }
}

/// A register to which a name refers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register {
    pub(crate) id: RegId,
    pub(crate) decl: RegDecl,
}

/// The meaning of a name in a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolved<'a> {
    Register(Register),
    Other(Local<'a>),
    /// A variable of a group `l<2>` that is named for the first time: the index of the group's
    /// scope, and of its pattern.
    Member(usize, usize),
    /// A name that is not declared in the body: of module scope, or a special register.
    Outside,
}

/// The scopes around a position, outermost first.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
    pub(crate) stack: Vec<Scope<'a>>,
    pub(crate) registers: Vec<Reg>,
}

impl<'a> Scopes<'a> {
    /// Resolves a name, from the innermost scope outwards.
    pub(crate) fn find(&mut self, name: &'a str) -> Option<Resolved<'a>> {
        for (depth, scope) in self.stack.iter_mut().enumerate().rev() {
            if let Some(&found) = scope.members.get(name) {
                return Some(found);
            }
            let named = scope.names.get(name).map(|(local, _)| *local);
            let group = match (named, scope.range_of(name)) {
                (Some(Local::Reg(decl)), _) => Numbered::Reg(decl),
                // A label `r1` does not hide the register `r1` of a group `r<10>`.
                (None | Some(Local::Label(_)), Some((group, _))) => group,
                (Some(other), _) => return Some(Resolved::Other(other)),
                (None, None) => continue,
            };
            if let Some(&found) = usual(name).and_then(|usual| scope.members.get(&*usual)) {
                scope.members.insert(name.into(), found);
                return Some(found);
            }
            let decl = match group {
                Numbered::Reg(decl) => decl,
                Numbered::Variable(pattern) => return Some(Resolved::Member(depth, pattern)),
                Numbered::Broken => return Some(Resolved::Other(Local::Broken)),
            };
            let register = Register { id: add_register(&mut self.registers, name, decl), decl };
            scope.keep(name, Resolved::Register(register));
            return Some(Resolved::Register(register));
        }
        None
    }

    /// Caches the variable that was created for a [`Resolved::Member`].
    pub(crate) fn made(&mut self, depth: usize, name: &'a str, local: Local<'a>) -> Resolved<'a> {
        self.stack[depth].keep(name, Resolved::Other(local));
        Resolved::Other(local)
    }

    /// Creates a register without a name, for a parameter of a prototype.
    pub(crate) fn anonymous(&mut self, decl: RegDecl) -> RegId {
        add_register(&mut self.registers, "", decl)
    }

    /// Declares a name in the innermost scope; returns the first declaration if the name is already
    /// declared.
    pub(crate) fn define(
        &mut self,
        name: &'a str,
        local: Local<'a>,
        span: Span,
    ) -> Result<(), Span> {
        let Some(scope) = self.stack.last_mut() else { return Ok(()) };
        if let Some(&(_, first)) = scope.names.get(name) {
            return Err(first);
        }
        scope.names.insert(name, (local, span));
        if let Some((prefix, number)) = numbered(name)
            && usual(name).is_none()
            && !matches!(local, Local::Label(_))
        {
            let entry = scope.numbered.entry(prefix).or_insert((number, span));
            *entry = (*entry).min((number, span));
        }
        scope.members.remove(name);
        Ok(())
    }
}

fn add_register(registers: &mut Vec<Reg>, name: &str, decl: RegDecl) -> RegId {
    let id = RegId(registers.len() as u32);
    for lane in 0..decl.vector {
        let suffix = ["", ".y", ".z", ".w", ".4", ".5", ".6", ".7"][usize::from(lane)];
        registers.push(Reg {
            name: [name, suffix].concat(),
            ty: decl.ty,
            vector: if lane == 0 { decl.vector } else { 1 },
        });
    }
    id
}
