//! Lowers `tex` and `tld4`: forms, and operands as registers and constants.

use super::builder::Builder;
use crate::code::{Fetch, MoreOperands, Op, Slot};
use texunit_check::ir::{FetchOperands, Instruction, Lod, Operand};
use texunit_isa::{Component, Coordinates, Geometry, MipMode, Modifiers, Opcode, ScalarType};
use texunit_unit as unit;

/// The form of a fetch, as far as the modifiers determine it.
fn form_of(opcode: Opcode, m: &Modifiers) -> Option<unit::FetchForm> {
    let [result, coord] = m.types[..] else { return None };
    let kind = match opcode {
        Opcode::Tld4 => unit::FetchKind::Gather(match m.component? {
            Component::R => 0,
            Component::G => 1,
            Component::B => 2,
            Component::A => 3,
        }),
        _ => unit::FetchKind::Sample(match m.mip {
            None => unit::Lod::Implicit,
            Some(MipMode::Base) => unit::Lod::Base,
            Some(MipMode::Level) => unit::Lod::Level,
            Some(MipMode::Grad) => unit::Lod::Gradient,
        }),
    };
    let coord = match coord {
        ScalarType::F32 => unit::CoordType::F32,
        ScalarType::S32 => unit::CoordType::S32,
        _ => return None,
    };
    let result = match result {
        ScalarType::F32 => unit::ResultType::F32,
        ScalarType::S32 => unit::ResultType::S32,
        ScalarType::U32 => unit::ResultType::U32,
        ScalarType::F16 => unit::ResultType::F16,
        ScalarType::F16x2 => unit::ResultType::F16x2,
        _ => return None,
    };
    // For gradients the hardware has a single instruction, which reads the bits of integer
    // coordinates as floats.
    let coord = match kind {
        unit::FetchKind::Sample(unit::Lod::Gradient) => unit::CoordType::F32,
        _ => coord,
    };
    let geometry = m.geometry?;
    Some(unit::FetchForm { kind, geometry, coord, result, offset: false, compare: false })
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
        let sampler = match &operands.sampler {
            Some(handle) => Some(self.handle(handle)?),
            None => None,
        };
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
        let resident = match &operands.resident {
            Some(p) => self.wanted(p)?,
            None => Slot::NONE,
        };
        if !resident.is_none() && !resident.is_predicate() {
            return None;
        }
        let (site, span) = (self.site(), inst.span);
        let mut op = Fetch {
            site,
            form,
            texture,
            sampler,
            coords,
            more,
            parts,
            block: None,
            components,
            resident,
            span,
        };
        op.find_block();
        self.emit(Op::Fetch(Box::new(op)));
        Some(())
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
    fn more(
        &mut self,
        geometry: Geometry,
        operands: &'a FetchOperands,
    ) -> Option<Option<MoreOperands>> {
        let FetchOperands { lod, offset, compare, .. } = operands;
        let explicit = matches!(lod, Lod::Level(_) | Lod::Gradient { .. });
        if !explicit && offset.is_none() && compare.is_none() {
            return Some(None);
        }
        let zero = self.constant(0, false);
        let mut more = MoreOperands {
            level: zero,
            dpdx: [zero; 3],
            dpdy: [zero; 3],
            offset: [zero; 3],
            compare: zero,
        };
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
}
