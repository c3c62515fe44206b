//! tex and tld4: what is in the brackets and what follows them, in the unit's order.

use super::builder::Builder;
use super::texture::geometry;
use crate::code::{Fetch, MoreOperands, Op, Slot};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{Component, MipMode, Modifiers, Opcode, ScalarType};
use texunit_unit as unit;

/// The form as far as the modifiers say it.
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
    // ptxas takes the bits of integer coordinates for floats (the same machine word for both).
    if kind == unit::FetchKind::Sample(unit::Lod::Gradient) && coord == unit::CoordType::S32 {
        return None;
    }
    let geometry = geometry(m.geometry?);
    Some(unit::FetchForm { kind, geometry, coord, result, offset: false, compare: false })
}

/// The operands after the brackets, by what they are.
struct After<'a> {
    level: Option<&'a Operand>,
    gradients: Option<(&'a [Operand], &'a [Operand])>,
    offset: Option<&'a [Operand]>,
    compare: Option<&'a Operand>,
}

impl<'a> After<'a> {
    /// Level or gradients as the kind demands, then a vector is the offset, and a scalar the
    /// reference of a compare.
    fn new(kind: unit::FetchKind, mut rest: &'a [Operand]) -> Option<Self> {
        let mut after = Self { level: None, gradients: None, offset: None, compare: None };
        match (kind, rest) {
            (unit::FetchKind::Sample(unit::Lod::Level), [level, others @ ..]) => {
                (after.level, rest) = (Some(level), others);
            }
            (
                unit::FetchKind::Sample(unit::Lod::Gradient),
                [Operand::Vector(x), Operand::Vector(y), others @ ..],
            ) => (after.gradients, rest) = (Some((&x[..], &y[..])), others),
            (unit::FetchKind::Sample(unit::Lod::Level | unit::Lod::Gradient), _) => return None,
            _ => {}
        }
        if let [Operand::Vector(offset), others @ ..] = rest {
            (after.offset, rest) = (Some(&offset[..]), others);
        }
        if let [compare, others @ ..] = rest {
            (after.compare, rest) = (Some(compare), others);
        }
        rest.is_empty().then_some(after)
    }

    fn is_empty(&self) -> bool {
        let Self { level, gradients, offset, compare } = self;
        level.is_none() && gradients.is_none() && offset.is_none() && compare.is_none()
    }
}

impl<'a> Builder<'a> {
    pub(super) fn fetch(&mut self, inst: &'a Instruction) -> Option<()> {
        let [Operand::Vector(d), resident, texture, sampler, Operand::Vector(c), rest @ ..] =
            &inst.operands[..]
        else {
            return None;
        };
        let mut form = form_of(inst.opcode, &inst.mods)?;
        let after = After::new(form.kind, rest)?;
        (form.offset, form.compare) = (after.offset.is_some(), after.compare.is_some());
        if d.len() != usize::from(form.result.registers()) {
            return None;
        }
        let texture = self.handle(texture)?;
        let sampler = match sampler {
            Operand::Discard => None,
            handle => Some(self.handle(handle)?),
        };
        let coords = self.leading(c, form.geometry.coordinates())?;
        let more = if after.is_empty() { None } else { Some(self.more(&after, form.geometry)?) };
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
        let resident = self.wanted(resident)?;
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

    /// The first `count` elements of a vector as written; what it has more is padding. The rest
    /// of the result are zeros.
    pub(super) fn leading<const N: usize>(
        &mut self,
        vector: &'a [Operand],
        count: usize,
    ) -> Option<[Slot; N]> {
        let mut slots = [self.constant(0, false); N];
        for (slot, operand) in slots.iter_mut().zip(vector.get(..count)?) {
            *slot = self.narrow(operand)?;
        }
        Some(slots)
    }

    fn more(&mut self, after: &After<'a>, geometry: unit::Geometry) -> Option<MoreOperands> {
        let zero = self.constant(0, false);
        let mut more = MoreOperands {
            level: zero,
            dpdx: [zero; 3],
            dpdy: [zero; 3],
            offset: [zero; 3],
            compare: zero,
        };
        if let Some(level) = after.level {
            more.level = self.narrow(level)?;
        }
        if let Some((x, y)) = after.gradients {
            more.dpdx = self.leading(x, geometry.gradients())?;
            more.dpdy = self.leading(y, geometry.gradients())?;
        }
        if let Some(offset) = after.offset {
            more.offset = self.leading(offset, geometry.axes())?;
        }
        if let Some(compare) = after.compare {
            more.compare = self.narrow(compare)?;
        }
        Some(more)
    }
}
