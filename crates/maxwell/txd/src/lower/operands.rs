//! Extracts the operands of a `tex.grad` that determine the machine code.

use texunit_check::ir::{Base, Instruction, Lod, Operand, RegId};
use texunit_isa::{Geometry, ScalarType};

pub(super) struct Operands<'a> {
    pub(super) geometry: Geometry,
    pub(super) result: ScalarType,
    /// Whether coordinates are integers, whose bits the assembler interprets as floats.
    pub(super) integers: bool,
    pub(super) dest: &'a [Operand],
    /// The predicate `p` of a destination `d|p`.
    pub(super) resident: Option<&'a Operand>,
    pub(super) texture: Base,
    pub(super) sampler: Option<Base>,
    pub(super) array: Option<&'a Operand>,
    /// The coordinates s, t, r, as many as the geometry has.
    pub(super) coords: Vec<&'a Operand>,
    pub(super) dpdx: &'a [Operand],
    pub(super) dpdy: &'a [Operand],
    pub(super) offset: Option<&'a [Operand]>,
    pub(super) compare: Option<&'a Operand>,
}

impl<'a> Operands<'a> {
    /// The operands of a `tex.grad`; `None` for another instruction, or one that lacks operands.
    pub(super) fn read(i: &'a Instruction) -> Option<Self> {
        let fetch = i.operands.fetch()?;
        let (Lod::Gradient { dx, dy }, Operand::Handle(texture)) = (&fetch.lod, &fetch.texture)
        else {
            return None;
        };
        let [result, coord] = i.mods.types[..] else { return None };
        let geometry = i.mods.geometry?;
        let array = if geometry.is_array() { Some(fetch.coords.layer.as_ref()?) } else { None };
        let count = geometry.gradients();
        let coords: Vec<&Operand> = fetch.coords.point.iter().take(count).flatten().collect();
        let offset = fetch.offset.as_deref();
        let complete = coords.len() == count && dx.len() == count && dy.len() == count;
        let fits = offset.is_none_or(|offset| offset.len() == geometry.axes());
        if !complete || !fits || geometry.is_multisample() {
            return None;
        }
        Some(Self {
            geometry,
            result,
            integers: coord == ScalarType::S32,
            dest: &fetch.destination,
            resident: fetch.resident.as_ref(),
            texture: *texture,
            sampler: match fetch.sampler {
                Some(Operand::Handle(base)) => Some(base),
                _ => None,
            },
            array,
            coords,
            dpdx: dx,
            dpdy: dy,
            offset,
            compare: fetch.compare.as_ref(),
        })
    }

    /// Whether each result register has two components.
    pub(super) fn is_paired(&self) -> bool {
        self.result == ScalarType::F16x2
    }

    /// Whether the results have half precision.
    pub(super) fn is_half(&self) -> bool {
        matches!(self.result, ScalarType::F16 | ScalarType::F16x2)
    }
}

/// The register that an operand is, if it is one.
pub(super) fn register(operand: &Operand) -> Option<RegId> {
    match operand {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}
