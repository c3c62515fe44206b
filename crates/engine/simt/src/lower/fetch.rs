//! Lowers `tex`, `tld4`, `suld`, `sust` and `sured`: forms, and operands as registers and
//! constants.

use super::builder::{Builder, is_wide, mask_of};
use crate::code::{Fetch, MoreOperands, Op, Slot, SurfaceAccess};
use texunit_check::ir::{FetchOperands, Instruction, Lod, Operand};
use texunit_isa::{Coordinates, Geometry, MipMode, Modifiers, Opcode, ReduceType, ScalarType};
use texunit_unit as unit;

/// The form of a fetch, as far as the modifiers determine it.
fn form_of(opcode: Opcode, m: &Modifiers) -> Option<unit::FetchForm> {
    let [result, coord] = &m.types[..] else { return None };
    let kind = match opcode {
        Opcode::Tld4 => unit::FetchKind::Gather(m.component? as u8),
        _ => unit::FetchKind::Sample(unit::Lod::from_name(m.mip.map_or("", MipMode::name))?),
    };
    let coord = unit::CoordType::from_name(coord.name())?;
    let registers = if *result == ScalarType::F16x2 { 2 } else { 4 };
    let result = unit::ResultType::from_name(&format!("v{registers}.{}", result.name()))?;
    // For gradients the hardware has a single instruction, which reads the bits of integer
    // coordinates as floats.
    let coord = match kind {
        unit::FetchKind::Sample(unit::Lod::Gradient) => unit::CoordType::F32,
        _ => coord,
    };
    let geometry = m.geometry?;
    Some(unit::FetchForm { kind, geometry, coord, result, offset: false, compare: false })
}

/// Kind of the access, with its element type.
fn surface_kind(opcode: Opcode, m: &Modifiers, elements: usize) -> Option<unit::SurfaceKind> {
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
    pub(super) fn fetch(&mut self, inst: &'a Instruction) -> Option<()> {
        let operands = inst.operands.fetch()?;
        let mut form = form_of(inst.opcode, &inst.mods)?;
        (form.offset, form.compare) = (operands.offset.is_some(), operands.compare.is_some());
        let d = &operands.destination;
        if d.len() != usize::from(form.result.registers()) {
            return None;
        }
        let texture = self.handle(&operands.texture)?;
        let sampler = operands.sampler.as_ref();
        let sampler = sampler.map_or(Some(None), |handle| self.handle(handle).map(Some))?;
        let coords = self.coordinates(form.geometry, &operands.coords)?;
        let more = self.more(form.geometry, operands)?;
        let mut parts = [Slot::NONE; 4];
        let mut components = 0;
        for (i, operand) in d.iter().enumerate() {
            parts[i] = self.wanted(operand)?;
            if !parts[i].is_none() {
                if parts[i].is_wide() || parts[i].is_predicate() {
                    return None;
                }
                components |= 1 << i;
            }
        }
        let resident = operands.resident.as_ref().map_or(Some(Slot::NONE), |p| self.wanted(p));
        let resident = resident.filter(|slot| slot.is_none() || slot.is_predicate())?;
        let mut op = Fetch {
            site: self.site(),
            form,
            texture,
            sampler,
            coords,
            more,
            parts,
            block: None,
            components,
            resident,
            span: inst.span,
        };
        op.find_block();
        self.emit(Op::Fetch(Box::new(op)))
    }

    /// The coordinate registers of a geometry; `Slot::NONE` for components that it does not have.
    pub(super) fn coordinates(
        &mut self,
        geometry: Geometry,
        operands: &'a Coordinates<Option<Operand>>,
    ) -> Option<Coordinates<Slot>> {
        let mut slots = Coordinates::at([Slot::NONE; 3], Slot::NONE);
        for &element in geometry.elements() {
            *slots.get_mut(element) = self.narrow(operands.get(element).as_ref()?)?;
        }
        Some(slots)
    }

    /// The elements of a vector operand; missing elements are zero.
    fn vector(&mut self, vector: &'a [Operand], count: usize) -> Option<[Slot; 3]> {
        let mut slots = [self.constant(0, false); 3];
        for (slot, operand) in slots.iter_mut().zip(vector.get(..count)?) {
            *slot = self.narrow(operand)?;
        }
        Some(slots)
    }

    /// The operands for level or gradients, offset and reference; none if the form has none of
    /// them.
    fn more(&mut self, geometry: Geometry, of: &'a FetchOperands) -> Option<Option<MoreOperands>> {
        let FetchOperands { lod, offset, compare, .. } = of;
        let explicit = matches!(lod, Lod::Level(_) | Lod::Gradient { .. });
        if !explicit && offset.is_none() && compare.is_none() {
            return Some(None);
        }
        let level = self.constant(0, false);
        let none = [level; 3];
        let mut more = MoreOperands { level, dpdx: none, dpdy: none, offset: none, compare: level };
        match lod {
            Lod::Implicit | Lod::Base => {}
            Lod::Level(level) => more.level = self.narrow(level)?,
            Lod::Gradient { dx, dy } => {
                more.dpdx = self.vector(dx, geometry.gradients())?;
                more.dpdy = self.vector(dy, geometry.gradients())?;
            }
        }
        if let Some(offset) = offset {
            more.offset = self.vector(offset, geometry.axes())?;
        }
        if let Some(compare) = compare {
            more.compare = self.narrow(compare)?;
        }
        Some(Some(more))
    }

    pub(super) fn surface(&mut self, inst: &'a Instruction) -> Option<()> {
        let load = inst.opcode == Opcode::Suld;
        let operands = inst.operands.surface()?;
        let data = if load { &operands.destination } else { &operands.source };
        let m = &inst.mods;
        let ty = m.ty()?;
        let form = unit::SurfaceForm {
            kind: surface_kind(inst.opcode, m, data.len())?,
            geometry: m.geometry?,
            clamp: m.clamp?,
        };
        let surface = self.handle(&operands.surface)?;
        let coords = self.coordinates(form.geometry, &operands.coords)?;
        let mut parts = Vec::new();
        let mut register_mask = u64::MAX;
        for operand in data {
            let slot = if load {
                register_mask = register_mask.min(self.keep(operand));
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
        self.emit(if load { Op::SurfaceLoad(op) } else { Op::SurfaceStore(op) })
    }
}
