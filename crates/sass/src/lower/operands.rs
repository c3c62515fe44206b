//! The operands of a `tex.grad` by what they are.

use texunit_check::ir::{Base, Instruction, Operand, RegId};
use texunit_isa::{Geometry, ScalarType};

pub(super) struct Operands<'a> {
    pub(super) geometry: Geometry,
    pub(super) result: ScalarType,
    /// Coordinates are integers, which the assembler takes for the bits of floats.
    pub(super) integers: bool,
    pub(super) dest: &'a [Operand],
    /// `p` of `d|p`, or [`Operand::Discard`].
    pub(super) resident: &'a Operand,
    pub(super) texture: Base,
    pub(super) sampler: Option<Base>,
    pub(super) array: Option<&'a Operand>,
    /// s, t, r.
    pub(super) coords: &'a [Operand],
    pub(super) dpdx: &'a [Operand],
    pub(super) dpdy: &'a [Operand],
    pub(super) offset: Option<&'a [Operand]>,
    pub(super) compare: Option<&'a Operand>,
}

impl<'a> Operands<'a> {
    pub(super) fn read(i: &'a Instruction) -> Option<Self> {
        let [
            Operand::Vector(dest),
            resident,
            Operand::Handle(texture),
            sampler,
            Operand::Vector(coords),
            Operand::Vector(dpdx),
            Operand::Vector(dpdy),
            rest @ ..,
        ] = i.operands.as_slice()
        else {
            return None;
        };
        let (offset, rest) = match rest {
            [Operand::Vector(offset), rest @ ..] => (Some(offset), rest),
            rest => (None, rest),
        };
        let [result, coord] = i.mods.types[..] else { return None };
        let geometry = i.mods.geometry?;
        let (is_array, dims) = match geometry {
            Geometry::D1 => (false, 1),
            Geometry::A1d => (true, 1),
            Geometry::D2 => (false, 2),
            Geometry::A2d => (true, 2),
            Geometry::D3 | Geometry::Cube => (false, 3),
            Geometry::Acube => (true, 3),
            Geometry::D2ms | Geometry::A2dms => return None,
        };
        let first = usize::from(is_array);
        Some(Self {
            geometry,
            result,
            integers: coord == ScalarType::S32,
            dest,
            resident,
            texture: *texture,
            sampler: match sampler {
                Operand::Handle(base) => Some(*base),
                _ => None,
            },
            array: if is_array { Some(coords.first()?) } else { None },
            coords: coords.get(first..first + dims)?,
            dpdx: dpdx.get(..dims)?,
            dpdy: dpdy.get(..dims)?,
            offset: match offset {
                Some(offset) => Some(offset.get(..dims)?),
                None => None,
            },
            compare: rest.first(),
        })
    }

    /// Whether a register of the result has two components.
    pub(super) fn is_paired(&self) -> bool {
        self.result == ScalarType::F16x2
    }

    /// Whether the result is of halves.
    pub(super) fn is_half(&self) -> bool {
        matches!(self.result, ScalarType::F16 | ScalarType::F16x2)
    }
}

/// The register that an operand is.
pub(super) fn register(operand: &Operand) -> Option<RegId> {
    match operand {
        Operand::Reg(reg) => Some(*reg),
        _ => None,
    }
}
