//! Checks of a tensor map and the coordinates of a tensor, in brackets.

use texunit_forms::Count;
use texunit_isa::ScalarType;
use texunit_syntax::ast::{self, OperandKind};

use crate::body::value::{Area, Value};
use crate::instruction::site::Site;
use crate::ir::Operand;
use crate::types::fits;

impl<'a> Site<'_, '_, 'a> {
    /// Checks `[map, {coordinates}]`; returns the address of the map and the coordinate vector.
    pub(crate) fn tensor(&mut self, operand: &ast::Operand<'a>) -> Option<(Operand, Operand)> {
        let parts = match &operand.kind {
            OperandKind::Bracket(items) => items.as_slice(),
            _ => &[],
        };
        let [map, coordinates] = parts else {
            let help = "write [map, {coordinates}]";
            return self.deny("E0217", operand.span, "needs a tensor map and coordinates", help);
        };
        Some((self.tensor_map(map)?, self.tensor_coordinates(coordinates)?))
    }

    /// Checks the address of a tensor map: ptxas accepts a register of any type.
    fn tensor_map(&mut self, operand: &ast::Operand<'a>) -> Option<Operand> {
        let named = matches!(operand.kind, OperandKind::Name { component: None, .. });
        match self.value(operand)? {
            Value::Reg { id, .. } if named => Some(Operand::Reg(id)),
            Value::Named { base, offset, area: Area::Global | Area::Opaque(_), .. } if named => {
                Some(Operand::AddressOf(base, offset))
            }
            value => {
                let message = format!("{} is not the address of a tensor map", value.describe());
                let help = "write a register, or the name of a .global variable";
                self.cx.refuse("E0217", operand.span, message, help)
            }
        }
    }

    fn tensor_coordinates(&mut self, operand: &ast::Operand<'a>) -> Option<Operand> {
        let axes = (1..=5).find(|n| self.says(&format!("{n}d"))).unwrap_or(1);
        let rows = ["tile::gather4", "tile::scatter4"];
        let count = if rows.iter().any(|row| self.says(row)) { 5 } else { axes };
        let items = match self.value(operand)?.in_braces(operand.span) {
            Value::Vector(items) => items,
            value => {
                let message = format!("needs coordinates in braces, not {}", value.describe());
                return self.deny("E0213", operand.span, message, "write { and } around them");
            }
        };
        if items.len() != count {
            let message = format!("has {}, not {}", Count(count, "coordinate"), items.len());
            let help = "write a coordinate for each dimension of the tensor";
            return self.deny("E0213", operand.span, message, help);
        }
        let typed = self.data_vector(ScalarType::S32, &items, false)?;
        let sized = items.iter().any(|(value, _)| !matches!(value, Value::Const(_)));
        let accepted = match typed.counts_as(false) {
            Some(ty) => ty != ScalarType::F16x2 && fits(ScalarType::S32, ty),
            None => sized,
        };
        let mut list = Vec::with_capacity(count);
        for (value, span) in items {
            list.push(match value {
                Value::Reg { id, ty } if ty.bits() == 32 && accepted => Operand::Reg(id),
                Value::Const(value) if value.is_int() || accepted => {
                    Operand::Imm(value.bits_for(ScalarType::B32).unwrap_or(0))
                }
                value if accepted && !matches!(value, Value::Discard) => {
                    self.only_in_vector(ScalarType::S32, &value, span, false)?
                }
                value => return self.mismatch(ScalarType::S32, &value, span),
            });
        }
        Some(Operand::Vector(list))
    }
}
