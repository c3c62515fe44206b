//! Lowers `mov` with its vector forms, `selp`, `cvta` and `isspacep`.

use super::arithmetic::row_of;
use super::builder::{Builder, is_wide, mask_of};
use crate::code::{Op, Slot};
use texunit_alu::Kind;
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{Modifiers, Opcode, ScalarType, Space, SpecialReg as R};
use texunit_memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, SpaceKind};

impl<'a> Builder<'a> {
    /// Copies between registers, truncating and extending as their kinds require, under the
    /// instruction's guard.
    pub(super) fn copy(&mut self, d: Slot, a: Slot, keep: u64, count: bool) {
        if d.is_none() {
            return;
        }
        let op = match (d.is_predicate(), d.is_wide(), a.is_predicate(), a.is_wide()) {
            (true, _, true, _) => Op::Logic { table: 0b1110, d, a, b: Slot::FALSE },
            (false, false, false, false) if keep >= u64::from(u32::MAX) => Op::Mov { d, a },
            (false, true, false, true) => Op::Mov { d, a },
            _ => self.masked(d, a, keep),
        };
        self.push(op, self.guard, count);
    }

    /// Copies the bits `keep` of a value, or 0 and 1 for a predicate.
    pub(super) fn masked(&mut self, d: Slot, a: Slot, keep: u64) -> Op {
        let keep = if d.is_wide() { keep } else { keep & u64::from(u32::MAX) };
        if a.is_predicate() {
            let (one, zero) = (self.constant(keep & 1, d.is_wide()), self.constant(0, d.is_wide()));
            return Op::Select { d, a: one, b: zero, p: a };
        }
        let kind = match (d.is_wide(), a.is_wide()) {
            (true, true) if keep == u64::MAX => return Op::Mov { d, a },
            (true, true) => Kind::And64,
            (true, false) => return Op::inner(Kind::U32ToU64, d, &[a]),
            (false, false) => Kind::And,
            (false, true) => {
                let ty = if keep == mask_of(8) { ScalarType::U8 } else { ScalarType::U16 };
                let types = vec![ty, ScalarType::U64];
                let mods = Modifiers { types, ..Modifiers::default() };
                return match row_of(Opcode::Cvt, &mods).filter(|_| keep < u64::from(u32::MAX)) {
                    Some(row) => Op::Compute { row, d, s: [a; 4] },
                    None => Op::inner(Kind::Low, d, &[a]),
                };
            }
        };
        let mask = self.constant(keep, d.is_wide());
        Op::inner(kind, d, &[a, mask])
    }

    /// Emits operations: the first one counts as the instruction.
    fn emit_all(&mut self, ops: Vec<Op>) -> Option<()> {
        for (i, op) in ops.into_iter().enumerate() {
            self.push(op, self.guard, i == 0);
        }
        Some(())
    }

    pub(super) fn mov(&mut self, inst: &'a Instruction) -> Option<()> {
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
                self.emit(Op::Special { d, reg: *reg, component: *component })
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
            // A register that is about to be overwritten is copied.
            if slots[..i].contains(&slot) {
                let d = self.temporary(slot.is_wide());
                self.helper(Op::Mov { d, a: slot });
                slot = d;
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

    /// Lowers `mov.b128` as two copies of 64 bits.
    fn mov_quad(&mut self, d: &'a Operand, a: &'a Operand) -> Option<()> {
        let ((Operand::Vector(parts), _) | (_, Operand::Vector(parts))) = (d, a) else {
            let (to, from) = (self.quad(d)?, self.quad(a)?);
            let ops = to.iter().zip(from).map(|(&to, from)| self.unpack_ops(&[to], from, 64));
            let ops: Vec<_> = ops.collect::<Option<_>>()?;
            return self.emit_all(ops.concat());
        };
        // The elements of each half.
        let half = parts.len() / 2;
        let bits = if matches!(parts.len(), 2 | 4) { 64 / half as u32 } else { return None };
        let mut ops = Vec::new();
        if matches!(d, Operand::Vector(_)) {
            let from = self.quad(a)?;
            let to: Option<Vec<Slot>> = parts.iter().map(|p| self.destination(p)).collect();
            for (to, from) in to?.chunks(half).zip(from) {
                ops.extend(self.unpack_ops(to, from, bits)?);
            }
        } else {
            let to = self.quad(d)?;
            let from: Option<Vec<Slot>> = parts.iter().map(|p| self.source(p, half == 1)).collect();
            for (from, to) in from?.chunks(half).zip(to) {
                ops.extend(self.pack_ops(to, from, bits)?);
            }
        }
        self.emit_all(ops)
    }

    fn pack(&mut self, d: &'a Operand, parts: &'a [Operand], ty: ScalarType) -> Option<()> {
        let d = self.destination(d)?;
        let bits = ty.bits() / parts.len().max(1) as u32;
        if d.is_none() || ty.bits() > 64 || parts.len() > 8 || bits < 8 {
            return None;
        }
        let parts: Option<Vec<Slot>> = parts.iter().map(|p| self.source(p, bits > 32)).collect();
        let ops = self.pack_ops(d, &parts?, bits)?;
        self.emit_all(ops)
    }

    fn unpack(&mut self, parts: &'a [Operand], a: &'a Operand, ty: ScalarType) -> Option<()> {
        let bits = ty.bits() / parts.len().max(1) as u32;
        if ty.bits() > 64 || parts.len() > 8 || bits < 8 {
            return None;
        }
        let a = self.source(a, is_wide(ty))?;
        let parts: Option<Vec<Slot>> = parts.iter().map(|p| self.destination(p)).collect();
        let ops = self.unpack_ops(&parts?, a, bits)?;
        self.emit_all(ops)
    }

    /// Packs elements of `bits` bits into a register, the lowest first: in pairs, then the pairs.
    pub(super) fn pack_ops(&mut self, d: Slot, parts: &[Slot], bits: u32) -> Option<Vec<Op>> {
        let (kind, wide) = match bits {
            _ if d.is_none() => return Some(vec![Op::Nop]),
            _ if parts.len() == 1 => return Some(vec![self.masked(d, parts[0], mask_of(bits))]),
            8 => (Kind::PackBytes, false),
            16 => (Kind::PackHalves, false),
            32 => (Kind::PackWords, true),
            _ => return None,
        };
        let is_last = parts.len() == 2;
        let (mut ops, mut pairs) = (Vec::new(), Vec::new());
        for pair in parts.chunks(2) {
            let &[a, b] = pair else { return None };
            let to = if is_last { d } else { self.temporary(wide) };
            pairs.push(to);
            ops.push(Op::inner(kind, to, &[a, b]));
        }
        if !is_last {
            ops.extend(self.pack_ops(d, &pairs, 2 * bits)?);
        }
        Some(ops)
    }

    /// Unpacks elements of `bits` bits from a register: the halves first, then the elements of
    /// each half. The elements are in narrower registers than the source, which they do not
    /// overwrite therefore.
    pub(super) fn unpack_ops(&mut self, parts: &[Slot], a: Slot, bits: u32) -> Option<Vec<Op>> {
        if let &[part] = parts {
            let op = if part.is_none() { Op::Nop } else { self.masked(part, a, mask_of(bits)) };
            return Some(vec![op]);
        }
        let (low, high) = parts.split_at(parts.len() / 2);
        let half = bits * low.len() as u32;
        let mut ops = Vec::new();
        for (parts, kind) in [(low, Kind::Low), (high, Kind::High)] {
            if parts.iter().all(|part| part.is_none()) {
                continue;
            }
            let to = if let &[part] = parts { part } else { self.narrow.temporary() };
            ops.push(match (half, kind) {
                (32, kind) => Op::inner(kind, to, &[a]),
                (_, Kind::Low) => self.masked(to, a, mask_of(half)),
                _ => {
                    let by = self.constant(half.into(), false);
                    Op::inner(Kind::ShrU, to, &[a, by])
                }
            });
            if parts.len() > 1 {
                ops.extend(self.unpack_ops(parts, to, bits)?);
            }
        }
        if ops.is_empty() {
            ops.push(Op::Nop);
        }
        Some(ops)
    }

    pub(super) fn selp(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a, b, p] = &inst.operands[..] else { return None };
        let p = self.predicate(p)?;
        let d = self.destination(d)?;
        if d.is_none() {
            return Some(());
        }
        if d.is_predicate() {
            return None;
        }
        let (a, b) = (self.of_width(a, d.is_wide())?, self.of_width(b, d.is_wide())?);
        self.emit(Op::Select { d, a, b, p })
    }

    pub(super) fn cvta(&mut self, inst: &'a Instruction) -> Option<()> {
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

    pub(super) fn isspacep(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a] = &inst.operands[..] else { return None };
        let space = SpaceKind::from_name(&format!(".{}", inst.mods.space?.name()))?;
        let d = self.destination(d)?;
        let a = self.wide(a)?;
        self.emit(Op::IsSpace { d, a, space })
    }
}
