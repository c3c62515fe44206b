//! Checks of the operands of txq, suq and istypep.

use texunit_isa::requirement::{INDIRECT, Requirement};
use texunit_isa::texture::{QUERY_LEVEL, handles};
use texunit_isa::{Attribute, ScalarType};
use texunit_syntax::ast::{self, OperandKind};
use texunit_syntax::{Diagnostic, Span};

use crate::body::value::{Area, Value};
use crate::context::scope::Resolved;
use crate::instruction::after_brackets::ANY_SIZE;
use crate::instruction::site::Site;
use crate::ir::{Operand, QueryOperands, RegId};
use crate::types::fits;

impl<'a> Site<'_, '_, 'a> {
    pub(crate) fn texture_query(&mut self) -> Option<QueryOperands> {
        let help = "write a destination and [texture], and after .level the level";
        match self.mods.mip {
            Some(_) => self.takes::<3>(help).map(drop)?,
            None => self.takes::<2>(help).map(drop)?,
        }
        let dest = self.dest(ScalarType::B32, &self.i.operands[0]);
        let independent = self.cx.module.independent;
        let kinds = handles(self.form, independent);
        // With `texmode_independent`, a handle in a register has no version requirement in queries.
        let requirement = (!independent).then_some(INDIRECT);
        let unchecked = independent && self.mods.query == Some(Attribute::MemoryLayout);
        let handle = match unchecked {
            true => self.unchecked_handle(&self.i.operands[1], kinds),
            false => self.query_handle(&self.i.operands[1], kinds, requirement),
        };
        let (destination, handle) = (dest?, handle?);
        let level = match self.i.operands.get(2) {
            Some(level) => Some(self.level(level, &QUERY_LEVEL, ANY_SIZE)?),
            None => None,
        };
        Some(QueryOperands { destination, handle, level })
    }

    /// Whether an operand is the name of a variable in memory.
    fn is_variable(&mut self, operand: &ast::Operand<'a>) -> bool {
        match self.value(operand) {
            Some(Value::Named { area: Area::Opaque(_), .. }) => false,
            Some(Value::Named { ty: Some(ty), .. }) => fits(ScalarType::U64, ty),
            Some(Value::Special(special, _)) => special.types.contains(&ScalarType::U64),
            _ => false,
        }
    }

    /// Checks the handle of `txq.memory_layout` with `texmode_independent`: ptxas accepts any
    /// address.
    fn unchecked_handle(
        &mut self,
        operand: &ast::Operand<'a>,
        kinds: &[ScalarType],
    ) -> Option<Operand> {
        let taken = match &operand.kind {
            OperandKind::Address(address) => match (&address.base.kind, &address.offset) {
                (OperandKind::Constant(_), _) => true,
                (OperandKind::Name { name, component: None }, offset) => {
                    match self.find(name.text) {
                        Some(Resolved::Register(r)) => {
                            offset.is_some() && fits(ScalarType::U64, r.decl.ty)
                        }
                        _ => offset.is_none() && self.is_variable(&address.base),
                    }
                }
                _ => false,
            },
            _ => false,
        };
        if !taken {
            return self.query_handle(operand, kinds, None);
        }
        let diagnostic = Diagnostic::error("E0300", operand.span, "this is not a reference")
            .label("ptxas accepts any address here")
            .help("write the name of a reference, or a 64-bit register with its handle");
        self.report_miscompiled(diagnostic);
        Some(Operand::Discard)
    }

    fn query_handle(
        &mut self,
        operand: &ast::Operand<'a>,
        kinds: &[ScalarType],
        indirect: Option<Requirement>,
    ) -> Option<Operand> {
        if !matches!(operand.kind, OperandKind::Address(_) | OperandKind::Bracket(_)) {
            let help = "write [name]";
            let message = "the queried reference needs brackets";
            return self.cx.refuse("E0301", operand.span, message, help);
        }
        self.handle(operand, kinds, indirect)
    }

    pub(crate) fn is_type(&mut self) -> Option<Vec<Operand>> {
        let [to, from] = self.takes("write a predicate and a 64-bit register")?;
        let dest = self.dest(ScalarType::Pred, to);
        if let Some(id) = self.handle_with_offset(from) {
            self.not_a_handle(from.span, "a register with an offset");
            return Some(vec![dest?, Operand::Reg(id)]);
        }
        let from = match self.value(from)? {
            Value::Reg { id, ty } if fits(ScalarType::U64, ty) => Operand::Reg(id),
            Value::Const(c) if c.bits_for(ScalarType::U64) == Some(0) => Operand::Imm(0),
            Value::Const(c) if c.is_int() => {
                self.not_a_handle(from.span, "a number");
                Operand::Imm(0)
            }
            value => {
                let message = format!("istypep needs a 64-bit register, not {}", value.describe());
                let help = "put the address into a .u64 register with mov.u64";
                return self.cx.refuse("E0314", from.span, message, help);
            }
        };
        Some(vec![dest?, from])
    }

    /// The register of `register+number`, which ptxas accepts as a handle.
    fn handle_with_offset(&mut self, operand: &ast::Operand<'a>) -> Option<RegId> {
        let OperandKind::Offset(name, _) = &operand.kind else { return None };
        match self.lookup(name)? {
            Resolved::Register(r) if fits(ScalarType::U64, r.decl.ty) => Some(r.id),
            _ => None,
        }
    }

    /// Reports an operand that ptxas accepts as a handle, but which is not a handle.
    fn not_a_handle(&mut self, span: Span, what: &str) {
        let message = format!("istypep needs a 64-bit register, not {what}");
        let diagnostic = Diagnostic::error("E0314", span, message)
            .label("ptxas accepts this; it is the handle of nothing")
            .help("put the address into a .u64 register with mov.u64");
        self.report_miscompiled(diagnostic);
    }

    pub(crate) fn surface_query(&mut self) -> Option<QueryOperands> {
        let [to, from] = self.takes("write a destination and [surface]")?;
        let dest = self.dest(ScalarType::B32, to);
        let kinds = handles(self.form, self.cx.module.independent);
        let handle = self.query_handle(from, kinds, Some(INDIRECT));
        Some(QueryOperands { destination: dest?, handle: handle?, level: None })
    }
}
