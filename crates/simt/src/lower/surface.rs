//! suld, sust, sured.

use super::builder::{Builder, is_wide, mask_of};
use super::texture::geometry;
use crate::code::{Op, SurfaceAccess};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{AtomOp, ClampMode, Modifiers, Opcode, ScalarType};
use texunit_unit as unit;

/// What is done, with elements of this type.
fn kind_of(opcode: Opcode, m: &Modifiers, elements: usize) -> Option<unit::SurfaceKind> {
    let ty = m.ty()?;
    let bytes = ty.bytes() as usize * elements;
    if !matches!(elements, 1 | 2 | 4) || ty.bytes() > 8 || bytes > 16 {
        return None;
    }
    let (element_size, vector) = (ty.bytes() as u8, elements as u8);
    Some(match opcode {
        Opcode::Suld if !m.formatted => unit::SurfaceKind::Load { element_size, vector },
        Opcode::Sust if m.formatted && element_size == 4 => {
            unit::SurfaceKind::StoreFormatted { vector }
        }
        Opcode::Sust if !m.formatted => unit::SurfaceKind::Store { element_size, vector },
        Opcode::Sured if vector == 1 => {
            let (op, ty) = (reduce_op(m.atom?)?, reduce_type(ty)?);
            unit::SurfaceKind::Reduce { op, ty, formatted: m.formatted }
        }
        _ => return None,
    })
}

fn reduce_op(op: AtomOp) -> Option<unit::ReduceOp> {
    Some(match op {
        AtomOp::Add => unit::ReduceOp::Add,
        AtomOp::Min => unit::ReduceOp::Min,
        AtomOp::Max => unit::ReduceOp::Max,
        AtomOp::And => unit::ReduceOp::And,
        AtomOp::Or => unit::ReduceOp::Or,
        _ => return None,
    })
}

fn reduce_type(ty: ScalarType) -> Option<unit::ReduceType> {
    Some(match ty {
        ScalarType::U32 => unit::ReduceType::U32,
        ScalarType::S32 => unit::ReduceType::S32,
        ScalarType::U64 => unit::ReduceType::U64,
        ScalarType::S64 => unit::ReduceType::S64,
        ScalarType::B32 => unit::ReduceType::B32,
        ScalarType::B64 => unit::ReduceType::B64,
        _ => return None,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn surface(&mut self, inst: &'a Instruction) -> Option<()> {
        let load = inst.opcode == Opcode::Suld;
        let (handle, c, data) = match &inst.operands[..] {
            [Operand::Vector(d), handle, Operand::Vector(c)] if load => (handle, c, d),
            [handle, Operand::Vector(c), Operand::Vector(d)] if !load => (handle, c, d),
            _ => return None,
        };
        let m = &inst.mods;
        let ty = m.ty()?;
        let form = unit::SurfaceForm {
            kind: kind_of(inst.opcode, m, data.len())?,
            geometry: geometry(m.geometry?),
            clamp: match m.clamp? {
                ClampMode::Trap => unit::ClampMode::Trap,
                ClampMode::Clamp => unit::ClampMode::Clamp,
                ClampMode::Zero => unit::ClampMode::Zero,
            },
        };
        let surface = self.handle(handle)?;
        let coords = self.leading(c, form.geometry.coordinates())?;
        let mut parts = Vec::new();
        let mut register_mask = u64::MAX;
        for operand in data {
            let slot = if load {
                register_mask = register_mask.min(self.keep_element(operand));
                self.destination(operand)?
            } else {
                self.source(operand, is_wide(ty))?
            };
            if !slot.is_none() && slot.is_predicate() {
                return None;
            }
            parts.push(slot);
        }
        let mask = mask_of(ty.bits());
        let (site, span) = (self.site(), inst.span);
        let op = SurfaceAccess { site, form, surface, coords, parts, mask, register_mask, span };
        let op = Box::new(op);
        self.emit(if load { Op::SurfaceLoad(op) } else { Op::SurfaceStore(op) });
        Some(())
    }
}
