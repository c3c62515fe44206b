//! Lowers `mov` with its vector forms, `selp`, `cvta` and `isspacep`.

use super::builder::{Builder, is_wide, mask_of};
use crate::code::{Op, Slot};
use texunit_alu::{Kind, Row};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{Opcode, ScalarType, Space, SpecialReg as R};
use texunit_memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind};

impl<'a> Builder<'a> {
    pub(super) fn moves(&mut self, inst: &'a Instruction) -> Option<()> {
        match inst.opcode {
            Opcode::Mov => self.mov(inst),
            Opcode::Selp => self.selp(inst),
            Opcode::Cvta => self.cvta(inst),
            _ => self.isspacep(inst),
        }
    }

    /// Copies between registers, truncating and extending as their kinds require, under the
    /// instruction's guard.
    pub(super) fn copy(&mut self, d: Slot, a: Slot, keep: u64, count: bool) {
        if d.is_none() {
            return;
        }
        let op = match (d.is_predicate(), d.is_wide(), a.is_predicate(), a.is_wide()) {
            (true, _, true, _) => Op::Logic { f: |a, b| a | b, d, a, b: Slot::FALSE },
            (false, false, false, false) if keep >= u64::from(u32::MAX) => Op::Mov { d, a },
            (false, true, false, true) => Op::Mov { d, a },
            _ => self.kept(d, a, keep),
        };
        if count { self.emit(op) } else { self.finisher(op) }
    }

    /// Copies the bits `keep` of a value; between narrow registers this is a bitwise and.
    pub(super) fn kept(&mut self, d: Slot, a: Slot, keep: u64) -> Op {
        let is_narrow = |slot: Slot| !slot.is_wide() && !slot.is_predicate();
        if !is_narrow(d) || !is_narrow(a) {
            return Op::Convert { d, a, mask: keep };
        }
        let mask = self.constant(keep & u64::from(u32::MAX), false);
        Op::Compute { row: Row::inner(Kind::And), d, s: [a, mask, mask, mask] }
    }

    fn mov(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let ty = inst.mods.ty()?;
        if ty.bits() > 64 {
            return self.mov_quad(d, a);
        }
        match (d, a) {
            (Operand::Vector(to), Operand::Vector(from)) => self.mov_vector(to, from, ty),
            (Operand::Vector(parts), _) => self.unpack(parts, a, ty),
            (_, Operand::Vector(parts)) => self.pack(d, parts, ty),
            // Special registers that most kernels read at their start are written directly to the
            // destination.
            (Operand::Reg(r), Operand::Special(reg, component))
                if self.bits(*r) == 32
                    && matches!(reg, R::Tid | R::Ntid | R::Ctaid | R::Nctaid) =>
            {
                let d = self.register(*r);
                self.emit(Op::Special { d, reg: *reg, component: *component });
                Some(())
            }
            _ => {
                let to = self.destination(d)?;
                let from = match ty {
                    ScalarType::Pred => self.predicate(a)?,
                    _ => self.source(a, is_wide(ty) && to.is_wide())?,
                };
                if to.is_predicate() != from.is_predicate() && !to.is_none() {
                    return None;
                }
                // The value of a register fits into one of the same width; others are truncated.
                let same = matches!(a, Operand::Reg(_)) && to.is_wide() == from.is_wide();
                let keep = if same { u64::MAX } else { self.keep(d) };
                self.copy(to, from, keep, true);
                // A read of the clock usually belongs to a waiting loop, so other warps run first.
                if let Operand::Special(R::Globaltimer | R::GlobaltimerLo | R::GlobaltimerHi, _) = a
                {
                    self.finisher(Op::Yield);
                }
                Some(())
            }
        }
    }

    /// Lowers `mov.v4` element by element, as if all sources were read first.
    fn mov_vector(&mut self, to: &'a [Operand], from: &'a [Operand], ty: ScalarType) -> Option<()> {
        let slots: Option<Vec<Slot>> = to.iter().map(|d| self.destination(d)).collect();
        let slots = slots.filter(|slots| slots.len() == from.len())?;
        let mut copies = Vec::with_capacity(slots.len());
        for (i, (d, a)) in to.iter().zip(from).enumerate() {
            let mut slot = self.source(a, is_wide(ty))?;
            if slots[..i].contains(&slot) {
                slot = self.kept_apart(slot);
            }
            // The value of a register fits into one of the same width; others are truncated.
            let keep = if matches!(a, Operand::Reg(_)) { u64::MAX } else { self.keep(d) };
            copies.push((slots[i], slot, keep));
        }
        copies.retain(|(d, ..)| !d.is_none());
        if copies.is_empty() {
            self.emit(Op::Nop);
        }
        for (i, (d, a, keep)) in copies.into_iter().enumerate() {
            self.copy(d, a, keep, i == 0);
        }
        Some(())
    }

    /// Copies a register's value to a temporary, because the register is about to be overwritten.
    fn kept_apart(&mut self, slot: Slot) -> Slot {
        let wide = slot.is_wide();
        let d = if wide { self.temporary_wide() } else { self.temporary_narrow() };
        self.helper(Op::Mov { d, a: slot });
        d
    }

    /// Lowers `mov.b128` as two copies of 64 bits.
    fn mov_quad(&mut self, d: &'a Operand, a: &'a Operand) -> Option<()> {
        let ops: Vec<Op> = match (d, a) {
            (Operand::Vector(parts), _) => {
                let from = self.quad(a)?;
                let to: Option<Vec<Slot>> = parts.iter().map(|p| self.destination(p)).collect();
                match &to?[..] {
                    [low, high] => halves([*low, *high], from),
                    [a, b, c, d] => vec![
                        Op::Unpack { parts: Box::new([*a, *b]), a: from[0], bits: 32 },
                        Op::Unpack { parts: Box::new([*c, *d]), a: from[1], bits: 32 },
                    ],
                    _ => return None,
                }
            }
            (_, Operand::Vector(parts)) => {
                let to = self.quad(d)?;
                let wide = parts.len() == 2;
                let from: Option<Vec<Slot>> = parts.iter().map(|p| self.source(p, wide)).collect();
                match &from?[..] {
                    [low, high] => halves(to, [*low, *high]),
                    [a, b, c, d] => vec![
                        Op::Pack { d: to[0], parts: Box::new([*a, *b]), bits: 32 },
                        Op::Pack { d: to[1], parts: Box::new([*c, *d]), bits: 32 },
                    ],
                    _ => return None,
                }
            }
            _ => halves(self.quad(d)?, self.quad(a)?),
        };
        for (i, op) in ops.into_iter().enumerate() {
            if i == 0 { self.emit(op) } else { self.finisher(op) }
        }
        Some(())
    }

    fn pack(&mut self, d: &'a Operand, parts: &'a [Operand], ty: ScalarType) -> Option<()> {
        let d = self.destination(d)?;
        let bits = ty.bits() / parts.len().max(1) as u32;
        if d.is_none() || ty.bits() > 64 || parts.len() > 8 || bits < 8 {
            return None;
        }
        let parts: Option<Box<[Slot]>> = parts.iter().map(|p| self.source(p, bits > 32)).collect();
        self.emit(Op::Pack { d, parts: parts?, bits: bits as u8 });
        Some(())
    }

    fn unpack(&mut self, parts: &'a [Operand], a: &'a Operand, ty: ScalarType) -> Option<()> {
        let bits = ty.bits() / parts.len().max(1) as u32;
        if ty.bits() > 64 || parts.len() > 8 || bits < 8 {
            return None;
        }
        let a = self.source(a, is_wide(ty))?;
        let parts: Option<Box<[Slot]>> = parts.iter().map(|p| self.destination(p)).collect();
        self.emit(Op::Unpack { parts: parts?, a, bits: bits as u8 });
        Some(())
    }

    fn selp(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a, b, p] = &inst.operands[..] else { return None };
        let p = self.predicate(p)?;
        let d = self.destination(d)?;
        if d.is_none() {
            return Some(());
        }
        let (a, b) = match d.is_wide() {
            true => (self.wide(a)?, self.wide(b)?),
            false if d.is_predicate() => return None,
            false => (self.narrow(a)?, self.narrow(b)?),
        };
        self.emit(Op::Select { d, a, b, p });
        Some(())
    }

    fn cvta(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let window = match inst.mods.space? {
            Space::Global | Space::Const => 0,
            Space::Shared => SHARED_WINDOW,
            Space::Local => LOCAL_WINDOW,
            Space::Param => PARAM_WINDOW,
        };
        let to = self.destination(d)?;
        let a = self.source(a, to.is_wide())?;
        if window == 0 {
            let keep = self.keep(d);
            self.copy(to, a, keep, true);
        } else if !to.is_none() {
            self.emit(Op::Cvta { d: to, a, window, to: inst.mods.to });
        }
        Some(())
    }

    fn isspacep(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let space = match inst.mods.space? {
            Space::Global => SpaceKind::Global,
            Space::Const => SpaceKind::Const,
            Space::Shared => SpaceKind::Shared,
            Space::Local => SpaceKind::Local,
            Space::Param => SpaceKind::Param,
        };
        let d = self.destination(d)?;
        let a = self.wide(a)?;
        self.emit(Op::IsSpace { d, a, space });
        Some(())
    }

    /// Mask of the bits of an element that a register keeps.
    pub(super) fn keep_element(&self, operand: &Operand) -> u64 {
        match operand {
            Operand::Reg(r) => mask_of(self.bits(*r)),
            _ => u64::MAX,
        }
    }
}

/// Copies of 64-bit halves; copies without a destination become no-ops.
fn halves(to: [Slot; 2], from: [Slot; 2]) -> Vec<Op> {
    let one = |d: Slot, a: Slot| if d.is_none() { Op::Nop } else { Op::Mov { d, a } };
    vec![one(to[0], from[0]), one(to[1], from[1])]
}
