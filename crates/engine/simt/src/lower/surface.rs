//! Lowers `suld`, `sust` and `sured`.

use super::builder::{Builder, is_wide, mask_of};
use crate::code::{Op, SurfaceAccess};
use texunit_check::ir::Instruction;
use texunit_isa::{Modifiers, Opcode, ReduceType};
use texunit_unit as unit;

/// Kind of the access, with its element type.
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
            let (op, ty) = (m.reduce?, ReduceType::from_name(ty.name())?);
            unit::SurfaceKind::Reduce { op, ty, formatted: m.formatted }
        }
        _ => return None,
    })
}

impl<'a> Builder<'a> {
    pub(super) fn surface(&mut self, inst: &'a Instruction) -> Option<()> {
        let load = inst.opcode == Opcode::Suld;
        let operands = inst.operands.surface()?;
        let data = if load { &operands.destination } else { &operands.source };
        let m = &inst.mods;
        let ty = m.ty()?;
        let form = unit::SurfaceForm {
            kind: kind_of(inst.opcode, m, data.len())?,
            geometry: m.geometry?,
            clamp: m.clamp?,
        };
        let surface = self.handle(&operands.surface)?;
        let coords = self.coordinates(form.geometry, &operands.coords)?;
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
        let site = self.site();
        let op = SurfaceAccess { site, form, surface, coords, parts, mask, register_mask };
        let op = Box::new(op);
        self.emit(if load { Op::SurfaceLoad(op) } else { Op::SurfaceStore(op) });
        Some(())
    }
}
