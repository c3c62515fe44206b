//! Lowers `txq`, `suq` and `istypep`, and the handle operands of all texture and surface
//! instructions.

use super::builder::Builder;
use crate::code::{Access, CompareTo, Handle, HandleSource, Op, Query, Slot};
use crate::launch::{SAMPLER_BIT, SURFACE_BIT, TEXTURE_BIT};
use texunit_alu::{Kind, Row};
use texunit_check::ir::{Base, Instruction, Operand, Storage};
use texunit_isa::{Opcode, ScalarType};

impl<'a> Builder<'a> {
    pub(super) fn site(&mut self) -> usize {
        self.pools.sites += 1;
        self.pools.sites - 1
    }

    /// A handle operand as a register or constant.
    pub(super) fn handle(&mut self, operand: &'a Operand) -> Option<Handle> {
        let base = match operand {
            Operand::Handle(base) => *base,
            Operand::Reg(r) => Base::Reg(*r),
            _ => return None,
        };
        Some(match base {
            Base::Reg(r) => {
                let slot = Some(self.register(r)).filter(|slot| slot.is_wide())?;
                Handle { slot, name: None, source: HandleSource::Register }
            }
            Base::Variable(v) => {
                let variable = self.input.module.variables.get(v.0 as usize)?;
                let Storage::Opaque(ty) = variable.storage else { return None };
                let name = Some(format!("{ty} `{}`", variable.name));
                let source = HandleSource::Reference(variable.name.clone());
                let slot = self.variable_address(v, 0, true)?;
                Handle { slot, name, source }
            }
            Base::Param(p) => {
                let param = self.function.params.get(p.0 as usize)?;
                let name = Some(format!("parameter `{}`", param.name));
                let slot = match self.frame_offset(base) {
                    None => self.kernel_param(p)?,
                    Some(at) => {
                        let d = self.wide.temporary();
                        self.helper(Op::Load(Box::new(Access::of_frame(at, 8, d))));
                        d
                    }
                };
                let source = HandleSource::Parameter(param.name.clone());
                Handle { slot, name, source }
            }
            _ => return None,
        })
    }

    /// The register of a 32-bit result, or `Slot::NONE` if it is never read.
    pub(super) fn wanted(&mut self, operand: &Operand) -> Option<Slot> {
        let slot = self.destination(operand)?;
        Some(match operand {
            Operand::Reg(r) if self.is_read.get(r.0 as usize) == Some(&true) => slot,
            _ => Slot::NONE,
        })
    }

    pub(super) fn query(&mut self, inst: &'a Instruction) -> Option<()> {
        let operands = inst.operands.query()?;
        let handle = self.handle(&operands.handle)?;
        let level = operands.level.as_ref();
        let level = level.map_or(Some(Slot::NONE), |level| self.narrow(level))?;
        let d = self.destination(&operands.destination)?;
        if !d.is_none() && (d.is_wide() || d.is_predicate()) {
            return None;
        }
        let attribute = inst.mods.query?;
        let of_surface = inst.opcode == Opcode::Suq;
        self.emit(Op::Query(Box::new(Query { attribute, handle, of_surface, level, d })))
    }

    pub(super) fn is_type(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let bit = match inst.mods.ty()? {
            ScalarType::Texref => TEXTURE_BIT,
            ScalarType::Samplerref => SAMPLER_BIT,
            ScalarType::Surfref => SURFACE_BIT,
            _ => return None,
        };
        let a = self.wide(a)?;
        let d = self.destination(d)?;
        let mask = self.constant(bit, true);
        let (a, b) = (self.prepared(Kind::And64, &[a, mask]), self.constant(0, true));
        self.emit(Op::Compare { row: Row::inner(Kind::Ne64), a, b, to: CompareTo::only(d) })
    }
}
