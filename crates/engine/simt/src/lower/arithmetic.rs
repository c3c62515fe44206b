//! Lowers arithmetic, logic, conversions and comparisons to operations of the ALU table. Operands
//! are converted to the register widths that the operation requires.

use super::builder::{Builder, is_wide, mask_of};
use crate::code::{CompareTo, Op, Rare, Slot};
use texunit_alu::{self as alu, Alu, Approximate, Kind, L32, ResultKind, Row};
use texunit_check::ir::{Instruction, Operand};
use texunit_isa::{AtomOp, Modifiers, Opcode, ScalarType};

/// The ALU operation of an instruction with two sources.
pub(super) fn row_of(opcode: Opcode, mods: &Modifiers) -> Option<&'static Row> {
    alu::find(opcode, mods, 2, Approximate::Card)
}

impl<'a> Builder<'a> {
    /// Lowers any instruction that has an ALU operation or that [`alu::with_data`] supports.
    pub(super) fn arithmetic(&mut self, inst: &'a Instruction) -> Option<()> {
        let ops = &inst.operands;
        if inst.opcode == Opcode::Lop3 && inst.mods.bool_op.is_some() {
            return self.lop3_bool(inst);
        }
        let sources = ops.len().saturating_sub(1);
        let row = alu::find(inst.opcode, &inst.mods, sources, self.approximate);
        let row = row.filter(|_| inst.opcode != Opcode::Cvt || self.fits(inst));
        let d = match inst.opcode {
            Opcode::Cvt => self.relaxed_destination(ops.first()?)?,
            _ => self.destination(ops.first()?)?,
        };
        // The result of any instruction but `cvt` is zero-extended to the register's width.
        let keep = if inst.opcode == Opcode::Cvt { self.keep(&ops[0]) } else { u64::MAX };
        if matches!(inst.opcode, Opcode::Div | Opcode::Rem)
            && inst.mods.ty().is_some_and(ScalarType::is_integer)
        {
            let divisor = self.source(ops.get(2)?, inst.mods.ty().is_some_and(is_wide))?;
            self.finisher(Op::CountZero { divisor });
        }
        match row {
            Some(row) => self.apply(row, d, keep, &ops[1..], &inst.mods)?,
            None => {
                let alu = alu::with_data(inst.opcode, &inst.mods)?;
                self.rare(alu, d, keep, &ops[1..], &inst.mods)?;
            }
        }
        if inst.opcode == Opcode::Cvt {
            self.fill_high(&ops[0], inst.mods.ty().is_some_and(ScalarType::is_signed));
        }
        Some(())
    }

    /// Whether the registers of a `cvt` are as wide as its types.
    fn fits(&self, inst: &Instruction) -> bool {
        let fits = |(operand, ty): (&Operand, &ScalarType)| match operand {
            Operand::Reg(r) => (self.bits(*r) >= 64) == is_wide(*ty),
            _ => true,
        };
        inst.operands.iter().zip(&inst.mods.types).all(fits)
    }

    /// A source operand in a slot of this width; a missing one reads as zero.
    pub(super) fn source_at(&mut self, ops: &[Operand], i: usize, wide: bool) -> Option<Slot> {
        match ops.get(i) {
            None => Some(self.constant(0, wide)),
            Some(operand) => self.of_width(operand, wide),
        }
    }

    /// Emits an ALU operation with the sources `ops`.
    pub(super) fn apply(
        &mut self,
        row: &'static Row,
        d: Slot,
        keep: u64,
        ops: &[Operand],
        mods: &Modifiers,
    ) -> Option<()> {
        let shape = row.shape();
        match row.function() {
            Alu::Lop3 => {
                let mut source = |i| self.source_at(ops, i, false);
                let s = [source(0)?, source(1)?, source(2)?];
                let Some(Operand::Imm(table)) = ops.get(3) else { return None };
                let (to, cut) = self.result(d, false, keep);
                self.emit(Op::Lop3 { d: to, s, table: *table as u8 });
                self.cut(d, to, keep, cut);
            }
            Alu::Predicate(table) => self.logic(table, d, ops)?,
            Alu::Carry(_) => self.rare(row.function(), d, keep, ops, mods)?,
            _ if matches!(shape.result, ResultKind::Predicate | ResultKind::Predicates) => {
                return None;
            }
            _ => {
                let mut s = [Slot::NONE; 4];
                for (i, (slot, wide)) in s.iter_mut().zip(shape.from).enumerate() {
                    *slot = self.source_at(ops, i, wide)?;
                }
                let (to, cut) = self.result(d, shape.is_wide(), keep);
                self.emit(Op::Compute { row, d: to, s });
                self.cut(d, to, keep, cut);
            }
        }
        Some(())
    }

    /// Emits an operation with carries or with an immediate of its own.
    fn rare(
        &mut self,
        alu: Alu,
        d: Slot,
        keep: u64,
        ops: &[Operand],
        mods: &Modifiers,
    ) -> Option<()> {
        let wide = mods.types.iter().copied().any(is_wide);
        let mut s = [self.constant(0, wide); 4];
        for (slot, operand) in s.iter_mut().zip(ops) {
            *slot = self.source(operand, wide)?;
        }
        self.emit(Op::Rare(Box::new(Rare { alu, d, s, mask: keep, write_carry: mods.cc })))
    }

    /// The register that an operation of this width may write for destination `d`, and whether the
    /// result must then be truncated or moved.
    fn result(&mut self, d: Slot, wide: bool, keep: u64) -> (Slot, bool) {
        if !d.is_none() && d.is_wide() == wide {
            let cut = !wide && keep < u64::from(u32::MAX);
            return (d, cut);
        }
        (self.temporary(wide), true)
    }

    /// Truncates or moves a result into its register, if necessary.
    fn cut(&mut self, d: Slot, from: Slot, keep: u64, cut: bool) {
        if cut && !d.is_none() {
            let op = self.masked(d, from, keep);
            self.finisher(op);
        }
    }

    fn logic(&mut self, table: u8, d: Slot, ops: &[Operand]) -> Option<()> {
        let a = self.predicate(ops.first()?)?;
        let b = ops.get(1).map_or(Some(Slot::FALSE), |b| self.predicate(b))?;
        if !d.is_none() {
            self.emit(Op::Logic { table, d, a, b });
        }
        Some(())
    }

    /// Lowers `lop3.BoolOp`: `d|p, a, b, c, table, q`; p = (d != 0) op q.
    fn lop3_bool(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, p, sources @ .., q] = &inst.operands[..] else { return None };
        let row = row_of(inst.opcode, &inst.mods)?;
        let c = self.predicate(q)?;
        let p = self.destination(p)?;
        let d = match self.destination(d)? {
            d if d.is_none() => self.narrow.temporary(),
            d => d,
        };
        self.apply(row, d, u64::from(u32::MAX), sources, &inst.mods)?;
        let zero = self.constant(0, false);
        let to = CompareTo { p, q: Slot::NONE, op: inst.mods.bool_op?, c };
        self.finisher(Op::Compare { row: Row::inner(Kind::Ne), a: d, b: zero, to });
        Some(())
    }

    /// Lowers `setp`, `set` and `testp`.
    pub(super) fn comparison(&mut self, inst: &'a Instruction) -> Option<()> {
        let row = row_of(inst.opcode, &inst.mods)?;
        let ops = &inst.operands;
        let pair = row.shape().result == ResultKind::Predicates;
        let (p, q, sources) = match inst.opcode {
            Opcode::Setp => {
                (self.destination(ops.first()?)?, self.destination(ops.get(1)?)?, &ops[2..])
            }
            Opcode::Testp => (self.destination(ops.first()?)?, Slot::NONE, &ops[1..]),
            _ => {
                let q = if pair { self.predicates.temporary() } else { Slot::NONE };
                (self.predicates.temporary(), q, &ops[1..])
            }
        };
        let mut to = CompareTo { q, ..CompareTo::only(p) };
        if let (Some(op), Some(c)) = (inst.mods.bool_op, sources.get(2)) {
            (to.op, to.c) = (op, self.predicate(c)?);
        }
        let wide = row.shape().from[0];
        let (a, b) = (self.source_at(sources, 0, wide)?, self.source_at(sources, 1, wide)?);
        let compare = match row.shape().result {
            ResultKind::Predicate => Op::Compare { row, a, b, to },
            ResultKind::Predicates => Op::ComparePair { row, a, b, to },
            _ => return None,
        };
        self.emit(compare);
        if inst.opcode == Opcode::Set {
            self.set(inst, p, pair.then_some(q))?;
        }
        Some(())
    }

    /// Writes the destination of `set`: 1.0 or all ones where the comparison holds.
    fn set(&mut self, inst: &Instruction, p: Slot, high: Option<Slot>) -> Option<()> {
        let ty = inst.mods.ty()?;
        let d = self.destination(inst.operands.first()?)?;
        if d.is_none() {
            return Some(());
        }
        let one = match ty {
            ScalarType::F32 => 0x3f80_0000,
            ScalarType::F16 => 0x3c00,
            ScalarType::Bf16 => 0x3f80,
            ScalarType::F16x2 => 0x3c00_3c00,
            ScalarType::Bf16x2 => 0x3f80_3f80,
            _ => mask_of(ty.bits().min(32)),
        };
        let zero = self.constant(0, false);
        match high {
            None => {
                let a = self.constant(one, false);
                self.finisher(Op::Select { d, a, b: zero, p });
            }
            Some(high) => {
                let both = self.constant(one, false);
                let low_only = self.constant(one & 0xffff, false);
                let high_only = self.constant(one & 0xffff_0000, false);
                let (x, y) = (self.narrow.temporary(), self.narrow.temporary());
                self.helper(Op::Select { d: x, a: both, b: high_only, p });
                self.helper(Op::Select { d: y, a: low_only, b: zero, p });
                self.finisher(Op::Select { d, a: x, b: y, p: high });
            }
        }
        Some(())
    }

    /// Lowers `redux` of f32 to an integer reduction of keys, which have the same order as the
    /// numbers, followed by the conversion back. Without `.NaN`, a number wins against a NaN; with
    /// `.NaN`, a NaN wins.
    pub(super) fn redux_float(&mut self, inst: &'a Instruction) -> Option<()> {
        let [d, a, members] = &inst.operands[..] else { return None };
        let (op, mods) = (inst.mods.redux?, &inst.mods);
        let keys = match (mods.abs, op == AtomOp::Max, mods.nan) {
            (false, false, false) | (false, true, true) => &KEYS[0],
            (true, false, false) | (true, true, true) => &KEYS[1],
            (false, ..) => &KEYS[2],
            (true, ..) => &KEYS[3],
        };
        let (d, a, members) = (self.destination(d)?, self.narrow(a)?, self.narrow(members)?);
        let (key, least) = (self.narrow.temporary(), self.narrow.temporary());
        let ty = ScalarType::S32;
        self.helper(Op::Compute { row: keys, d: key, s: [a; 4] });
        self.unguarded(|b| b.emit(Op::Redux { op, ty, d: least, a: key, members }));
        if !d.is_none() {
            self.finisher(Op::Compute { row: &KEYS[4], d, s: [least; 4] });
        }
        Some(())
    }
}

const SIGN: u32 = 1 << 31;
/// Upper bound of the keys of numbers.
const KEY_MAX: u32 = SIGN - 1;

/// Converts numbers to signed integers with the same order; NaNs become `nan`. `keep` masks out the
/// sign for magnitudes.
fn keys(d: &mut L32, a: &L32, keep: u32, nan: u32) {
    for (d, a) in d.iter_mut().zip(a) {
        let x = a & keep;
        let key = if x & SIGN == 0 { x } else { x ^ KEY_MAX };
        *d = if f32::from_bits(x).is_nan() { nan } else { key };
    }
}

/// Key conversions of numbers and of magnitudes, first with NaNs above all numbers, then with NaNs
/// below. Last, the conversion back.
pub(crate) static KEYS: [Row; 5] = [
    Row::helper("KeyNanMax", |d, a, _, _| keys(d, a, u32::MAX, KEY_MAX)),
    Row::helper("KeyAbsNanMax", |d, a, _, _| keys(d, a, SIGN - 1, KEY_MAX)),
    Row::helper("KeyNanMin", |d, a, _, _| keys(d, a, u32::MAX, SIGN)),
    Row::helper("KeyAbsNanMin", |d, a, _, _| keys(d, a, SIGN - 1, SIGN)),
    Row::helper("FromKey", |d, a, _, _| {
        for (d, key) in d.iter_mut().zip(a) {
            let x = if key & SIGN == 0 { *key } else { key ^ KEY_MAX };
            *d = if f32::from_bits(x).is_nan() { KEY_MAX } else { x };
        }
    }),
];
