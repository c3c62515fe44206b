//! Checks of handles: names of textures, samplers and surfaces, or registers.

use texunit_isa::ScalarType;
use texunit_isa::requirement::Requirement;
use texunit_syntax::ast::{self, OperandKind};

use crate::body::value::{Area, Value};
use crate::instruction::site::Site;
use crate::ir::{Base, Operand};
use crate::types::fits;

impl<'a> Site<'_, '_, 'a> {
    /// Checks a handle: the name of a texref, samplerref or surfref, or a 64-bit register, which
    /// has the requirement `indirect`.
    pub(crate) fn handle(
        &mut self,
        operand: &ast::Operand<'a>,
        kinds: &[ScalarType],
        indirect: Option<Requirement>,
    ) -> Option<Operand> {
        let kind = kinds.first().copied().unwrap_or(ScalarType::Texref);
        let operand = match &operand.kind {
            OperandKind::Address(address) if address.offset.is_none() => &*address.base,
            OperandKind::Bracket(items) if items.len() == 1 => &items[0],
            _ => operand,
        };
        let value = match &operand.kind {
            OperandKind::Name { component: None, .. } => self.value(operand)?,
            _ => {
                let message = format!("a .{kind} is named without offset or index");
                let help = "write its name, or a 64-bit register with its handle";
                return self.cx.refuse("E0300", operand.span, message, help);
            }
        };
        match value {
            Value::Named { base, area: Area::Opaque(ty), is_array: false, .. }
                if kinds.contains(&ty) =>
            {
                Some(Operand::Handle(base))
            }
            Value::Reg { id, ty } if fits(ScalarType::U64, ty) => {
                if let Some(requirement) = indirect {
                    self.cx.require(requirement, operand.span);
                }
                Some(Operand::Handle(Base::Reg(id)))
            }
            value => {
                let what = match value {
                    Value::Named { area: Area::Opaque(_), is_array: true, .. } => {
                        "an array".to_string()
                    }
                    Value::Named { area: Area::Opaque(ty), .. } => format!("a .{ty}"),
                    other => other.describe(),
                };
                let message = format!("a .{kind} or a 64-bit register is needed, not {what}");
                let help = format!("declare .global .{kind}, or pass the handle as a .u64");
                self.cx.refuse("E0300", operand.span, message, help)
            }
        }
    }
}
