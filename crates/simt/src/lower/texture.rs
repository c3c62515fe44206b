//! tex, suld.b, sust.b, txq, suq, istypep.

use super::builder::{Builder, is_wide, mask_of};
use crate::code::{Access, Fetch, Handle, Op, Place, Query, Slot, SurfaceAccess};
use crate::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_check::ir::{Base, Instruction, Operand, Storage};
use texunit_isa::{ClampMode, Geometry, MipMode, Opcode, ScalarType};
use texunit_unit as unit;

/// Geometry in the unit's words and how many coordinates it has, for those that are executed.
fn geometry(g: Geometry) -> Option<(unit::Geometry, usize)> {
    match g {
        Geometry::D1 => Some((unit::Geometry::D1, 1)),
        Geometry::D2 => Some((unit::Geometry::D2, 2)),
        Geometry::D3 => Some((unit::Geometry::D3, 3)),
        _ => None,
    }
}

/// An attribute in the unit's words.
#[rustfmt::skip]
fn attribute(query: texunit_isa::Query) -> unit::Attribute {
    use texunit_isa::Query as Q;
    use unit::Attribute as A;
    match query {
        Q::Width => A::Width,
        Q::Height => A::Height,
        Q::Depth => A::Depth,
        Q::ChannelDataType => A::ChannelDataType,
        Q::ChannelOrder => A::ChannelOrder,
        Q::NormalizedCoords => A::NormalizedCoords,
        Q::ArraySize => A::ArraySize,
        Q::NumMipmapLevels => A::NumMipmapLevels,
        Q::NumSamples => A::NumSamples,
        Q::ForceUnnormalizedCoords => A::ForceUnnormalizedCoords,
        Q::FilterMode => A::FilterMode,
        Q::AddrMode0 => A::AddressMode(0),
        Q::AddrMode1 => A::AddressMode(1),
        Q::AddrMode2 => A::AddressMode(2),
        Q::MemoryLayout => A::MemoryLayout,
    }
}

impl<'a> Builder<'a> {
    pub(super) fn texture(&mut self, inst: &'a Instruction) -> Option<()> {
        match inst.opcode {
            Opcode::Tex => self.fetch(inst),
            Opcode::Suld | Opcode::Sust => self.surface(inst),
            Opcode::Txq | Opcode::Suq => self.query(inst),
            Opcode::Istypep => self.is_type(inst),
            _ => None,
        }
    }

    fn site(&mut self) -> usize {
        self.pools.sites += 1;
        self.pools.sites - 1
    }

    /// A handle operand as a register or constant.
    fn handle(&mut self, operand: &'a Operand) -> Option<Handle> {
        let base = match operand {
            Operand::Handle(base) => *base,
            Operand::Reg(r) => Base::Reg(*r),
            _ => return None,
        };
        Some(match base {
            Base::Reg(_) => {
                let Base::Reg(r) = base else { return None };
                Handle { slot: self.register(r), name: None }
            }
            Base::Variable(v) => {
                let variable = self.module.variables.get(v.0 as usize)?;
                let Storage::Opaque(ty) = variable.storage else { return None };
                let name = Some(format!("{ty} `{}`", variable.name));
                Handle { slot: self.variable_address(v, 0, true)?, name }
            }
            Base::Param(p) => {
                let param = self.function.params.get(p.0 as usize)?;
                let name = Some(format!("parameter `{}`", param.name));
                let slot = match self.frame_offset(base) {
                    None => self.kernel_param(p)?,
                    Some(at) => self.frame_value(at),
                };
                Handle { slot, name }
            }
            _ => return None,
        })
    }

    /// Eight bytes of the frame, read into a temporary.
    fn frame_value(&mut self, at: u32) -> Slot {
        let d = self.temporary_wide();
        let access = Access {
            place: Place::Frame,
            size: 8,
            signed: false,
            parts: vec![d],
            mask: u64::MAX,
            base: Slot::NONE,
            offset: u64::from(at),
            constant: false,
        };
        self.helper(Op::Load(Box::new(access)));
        d
    }

    fn fetch(&mut self, inst: &'a Instruction) -> Option<()> {
        let [Operand::Vector(d), Operand::Discard, texture, sampler, Operand::Vector(c)] =
            &inst.operands[..]
        else {
            return None;
        };
        let m = &inst.mods;
        let (geometry, dimensions) = geometry(m.geometry?)?;
        let [result, coord] = m.types[..] else { return None };
        if !matches!(m.mip, None | Some(MipMode::Base)) || d.len() != 4 || c.len() < dimensions {
            return None;
        }
        let coord = match coord {
            ScalarType::F32 => unit::CoordType::F32,
            ScalarType::S32 => unit::CoordType::S32,
            _ => return None,
        };
        let result = match result {
            ScalarType::F32 => unit::ResultType::F32,
            ScalarType::S32 => unit::ResultType::S32,
            ScalarType::U32 => unit::ResultType::U32,
            _ => return None,
        };
        let form = unit::FetchForm::sample(geometry, coord, result);
        let texture = self.handle(texture)?;
        let sampler = match sampler {
            Operand::Discard => None,
            handle => Some(self.handle(handle)?),
        };
        let zero = self.constant(0, false);
        let mut coords = [zero; 4];
        for (slot, operand) in coords.iter_mut().zip(&c[..dimensions]) {
            *slot = self.narrow(operand)?;
        }
        let mut parts = [Slot::NONE; 4];
        let mut components = 0;
        for (i, operand) in d.iter().enumerate() {
            let slot = self.destination(operand)?;
            let read = match operand {
                Operand::Reg(r) => self.reads.get(r.0 as usize).is_some_and(|&n| n > 0),
                _ => false,
            };
            if read && !slot.is_none() && !slot.is_wide() && !slot.is_predicate() {
                parts[i] = slot;
                components |= 1 << i;
            }
        }
        let site = self.site();
        let op = Fetch { site, form, texture, sampler, coords, parts, components };
        self.emit(Op::Fetch(Box::new(op)));
        Some(())
    }

    fn query(&mut self, inst: &'a Instruction) -> Option<()> {
        let (d, handle, level) = match &inst.operands[..] {
            [d, handle] => (d, handle, None),
            [d, handle, level] => (d, handle, Some(level)),
            _ => return None,
        };
        let handle = self.handle(handle)?;
        let level = match level {
            Some(level) => self.narrow(level)?,
            None => Slot::NONE,
        };
        let d = self.destination(d)?;
        if !d.is_none() && (d.is_wide() || d.is_predicate()) {
            return None;
        }
        let attribute = attribute(inst.mods.query?);
        let of_surface = inst.opcode == Opcode::Suq;
        self.emit(Op::Query(Box::new(Query { attribute, handle, of_surface, level, d })));
        Some(())
    }

    fn is_type(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let bit = match inst.mods.ty()? {
            ScalarType::Texref => TEXTURE_BIT,
            ScalarType::Samplerref => SAMPLER_BIT,
            ScalarType::Surfref => SURFACE_BIT,
            _ => return None,
        };
        let a = self.wide(a)?;
        let d = self.destination(d)?;
        self.emit(Op::IsType { d, a, bit });
        Some(())
    }

    fn surface(&mut self, inst: &'a Instruction) -> Option<()> {
        let load = inst.opcode == Opcode::Suld;
        let (handle, c, data) = match &inst.operands[..] {
            [Operand::Vector(d), handle, Operand::Vector(c)] if load => (handle, c, d),
            [handle, Operand::Vector(c), Operand::Vector(d)] if !load => (handle, c, d),
            _ => return None,
        };
        let m = &inst.mods;
        let (geometry, dimensions) = geometry(m.geometry?)?;
        let ty = m.ty()?;
        let bytes = ty.bytes() as usize * data.len();
        let fits = matches!(data.len(), 1 | 2 | 4) && ty.bytes() <= 8 && bytes <= 16;
        if m.formatted || !fits || c.len() < dimensions {
            return None;
        }
        let (element_size, vector) = (ty.bytes() as u8, data.len() as u8);
        let kind = if load {
            unit::SurfaceKind::Load { element_size, vector }
        } else {
            unit::SurfaceKind::Store { element_size, vector }
        };
        let form = unit::SurfaceForm {
            kind,
            geometry,
            clamp: match m.clamp {
                None | Some(ClampMode::Trap) => unit::ClampMode::Trap,
                Some(ClampMode::Clamp) => unit::ClampMode::Clamp,
                Some(ClampMode::Zero) => unit::ClampMode::Zero,
            },
        };
        let surface = self.handle(handle)?;
        let zero = self.constant(0, false);
        let mut coords = [zero; 3];
        for (slot, operand) in coords.iter_mut().zip(&c[..dimensions]) {
            *slot = self.narrow(operand)?;
        }
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
