//! Names inside a body: nested scopes, and registers that exist once they are named.

use texunit_isa::ScalarType;
use texunit_syntax::{Span, ast};

use crate::ir::{FrameVarId, LabelId, ParamId, Reg, RegId, VarId};
use crate::names::{Map, splits};

/// A `.reg` declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RegDecl {
    pub(crate) ty: ScalarType,
    pub(crate) vector: u8,
}

/// A name in a body.
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
    /// Its declaration was wrong: no more is said about it.
    Broken,
}

/// One pair of braces.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    pub(crate) names: Map<&'a str, (Local<'a>, Span)>,
    /// `%r<10>`: how many, and what.
    pub(crate) ranges: Map<&'a str, (u64, RegDecl, Span)>,
    /// Lengths of the prefixes in `ranges`, as bits: a name of many digits splits in many ways, and
    /// nearly none of them is worth a look.
    lengths: u64,
    /// Of names that end with a number, by what stands before it: the smallest number.
    pub(crate) numbered: Map<&'a str, (u64, Span)>,
    /// Registers that have been named. None of them is another thing in `names`.
    registers: Map<&'a str, Register>,
}

impl<'a> Scope<'a> {
    /// Declares a numbered group.
    pub(crate) fn insert_range(&mut self, prefix: &'a str, range: (u64, RegDecl, Span)) {
        self.lengths |= length_bit(prefix);
        self.ranges.insert(prefix, range);
    }

    /// The numbered group with this prefix.
    fn range(&self, prefix: &str) -> Option<&(u64, RegDecl, Span)> {
        (self.lengths & length_bit(prefix) != 0).then(|| self.ranges.get(prefix)).flatten()
    }

    /// The registers of a numbered group that has this name in it.
    fn in_range(&self, name: &str) -> Option<RegDecl> {
        splits(name).find_map(|(prefix, number)| {
            let &(count, decl, _) = self.range(prefix)?;
            (number < count).then_some(decl)
        })
    }

    /// Where the group of registers is declared that has this name in it.
    pub(crate) fn range_of(&self, name: &str) -> Option<Span> {
        splits(name).find_map(|(prefix, number)| {
            let &(count, _, span) = self.range(prefix)?;
            (number < count).then_some(span)
        })
    }
}

fn length_bit(prefix: &str) -> u64 {
    1 << prefix.len().min(63)
}

/// A register that was looked up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register {
    pub(crate) id: RegId,
    pub(crate) decl: RegDecl,
}

/// What a name in a body is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found<'a> {
    Register(Register),
    Other(Local<'a>),
    /// A name at module scope or a special register.
    Outside,
}

/// All scopes around a place, the function's own first.
#[derive(Default)]
pub(crate) struct Scopes<'a> {
    pub(crate) stack: Vec<Scope<'a>>,
    pub(crate) registers: Vec<Reg>,
}

impl<'a> Scopes<'a> {
    /// Finds a name, innermost scope first.
    pub(crate) fn find(&mut self, name: &'a str) -> Option<Found<'a>> {
        for scope in self.stack.iter_mut().rev() {
            if let Some(&register) = scope.registers.get(name) {
                return Some(Found::Register(register));
            }
            let decl = match scope.names.get(name) {
                Some(&(Local::Reg(decl), _)) => decl,
                // A label does not hide a register of a numbered group.
                Some(&(other @ Local::Label(_), _)) => match scope.in_range(name) {
                    Some(decl) => decl,
                    None => return Some(Found::Other(other)),
                },
                Some(&(other, _)) => return Some(Found::Other(other)),
                None => match scope.in_range(name) {
                    Some(decl) => decl,
                    None => continue,
                },
            };
            let register = Register { id: add_register(&mut self.registers, name, decl), decl };
            scope.registers.insert(name, register);
            return Some(Found::Register(register));
        }
        None
    }

    /// A register without a name.
    pub(crate) fn anonymous(&mut self, decl: RegDecl) -> RegId {
        add_register(&mut self.registers, "", decl)
    }

    /// Declares a name in the innermost scope; the place of the first one if it is taken.
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
        if !matches!(local, Local::Label(_)) {
            for (prefix, number) in splits(name) {
                let entry = scope.numbered.entry(prefix).or_insert((number, span));
                if number < entry.0 {
                    *entry = (number, span);
                }
            }
        }
        scope.registers.remove(name);
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
