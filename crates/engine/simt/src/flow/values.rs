//! Values of registers that stay what they are as long as a warp lives: parameters of the kernel, and what is computed from
//! these, from words of the CTA and from thread numbers, with how it differs from lane to lane ([`Variation`]). It does not
//! matter which lanes have come to an instruction when: each would compute the same.

use super::visit::each_slot;
use super::{FunctionCode, Registers};
use crate::code::{Op, Place, Slot, of_cta};
use texunit_alu::{Alu, FinalStep, Row, Temporaries};
use texunit_flow::{Access, Cfg, Variation, forward};
use texunit_isa::SpecialReg;
use texunit_jit::{Op as Primitive, Source};

/// A value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// Another one, or an unknown one.
    Other,
    /// The parameter at an offset.
    Param(u32),
    /// What the instruction of a number computes, and how it differs between the lanes of a warp.
    Of(u32, Variation),
}

/// The values of registers of 32 and 64 bits.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    registers: Registers,
    values: Vec<Value>,
    /// Whether the threads of a warp are beside each other in x.
    in_line: bool,
}

impl Values {
    fn number(&self, slot: Slot) -> Option<usize> {
        self.registers.number(slot).filter(|&number| number < self.values.len())
    }

    fn get(&self, slot: Slot) -> Value {
        self.number(slot).map_or(Value::Other, |number| self.values[number])
    }

    /// The offset of the parameter that a register holds.
    pub(crate) fn param(&self, slot: Slot) -> Option<u32> {
        match self.get(slot) {
            Value::Param(offset) => Some(offset),
            _ => None,
        }
    }

    /// All registers that hold parameters, with the offsets of these.
    pub(crate) fn params(&self) -> impl Iterator<Item = (Slot, u32)> {
        let slot = |i: usize| match i.checked_sub(self.registers.narrow) {
            Some(wide) => Slot::wide(wide as u32),
            None => Slot::narrow(i as u32),
        };
        self.values.iter().enumerate().filter_map(move |(i, value)| match *value {
            Value::Param(offset) => Some((slot(i), offset)),
            _ => None,
        })
    }

    /// Registers of 32 bits with the same difference between all lanes, and the difference.
    pub(crate) fn strides(&self) -> impl Iterator<Item = (u32, u32)> {
        let narrow = self.values.iter().take(self.registers.narrow).zip(0..);
        narrow.filter_map(|(value, i)| Some((i, stride(*value)?)))
    }

    /// The difference between the lanes of a register of 32 bits.
    pub(crate) fn stride(&self, slot: Slot) -> Option<u32> {
        stride(self.get(slot)).filter(|_| !slot.is_wide())
    }

    /// How an operand differs between the lanes. None: it is not known to stay what it is.
    fn variation(&self, slot: Slot) -> Option<Variation> {
        if slot.is_constant() {
            return Some(Variation::Uniform);
        }
        match self.get(slot) {
            Value::Other => None,
            Value::Param(_) => Some(Variation::Uniform),
            Value::Of(_, variation) => Some(variation),
        }
    }

    /// How the result of an operation differs between the lanes.
    fn computed(&self, code: &FunctionCode<'_>, row: &Row, s: &[Slot; 4]) -> Option<Variation> {
        // Others depend on more than their sources.
        if !matches!(row.function(), Alu::Narrow(_) | Alu::Wide(_) | Alu::Composed) {
            return None;
        }
        let mut all = [Variation::Uniform; 4];
        for (of, &slot) in all.iter_mut().zip(s).filter(|(_, slot)| !slot.is_none()) {
            *of = self.variation(slot)?;
        }
        if all.iter().all(|of| !of.varies()) {
            return Some(Variation::Uniform);
        }
        let sources = [0, 1, 2].map(Source::B32);
        let steps = row.lowered(&sources, Temporaries::default())?;
        let (FinalStep::Compute(op, from), []) = (steps.last, &steps.before[..]) else {
            return None;
        };
        let [a, b, c] = from.map(|source| match source {
            Source::B32(i) => all[i as usize],
            Source::Literal(_) => Variation::Uniform,
            _ => Variation::Varying,
        });
        let [number_a, number_b, _] = from.map(|source| match source {
            Source::B32(i) => code.number(s[i as usize]),
            Source::Literal(number) => Some(number as i32),
            _ => None,
        });
        let product = || if a.varies() { a.times(number_b) } else { b.times(number_a) };
        let result = match op {
            Primitive::Add => a.plus(b),
            Primitive::Sub => a.minus(b),
            Primitive::Mul => product(),
            Primitive::MulAdd if !a.varies() && !b.varies() => c,
            Primitive::MulAdd => product().plus(c),
            Primitive::ShiftLeft if !b.varies() => {
                a.times(number_b.map(|by| 1_i32.checked_shl(by as u32).unwrap_or(0)))
            }
            _ => return None,
        };
        (result != Variation::Varying).then_some(result)
    }

    /// How a special register differs between the lanes, if it stays what it is.
    fn special(&self, reg: SpecialReg, component: u8) -> Option<Variation> {
        match (reg, component) {
            (SpecialReg::Tid, 0) => self.in_line.then_some(Variation::TID),
            // Of a block whose rows are whole warps, or of one row.
            (SpecialReg::Tid, 1 | 2) => self.in_line.then_some(Variation::Uniform),
            _ => of_cta(reg, component).map(|_| Variation::Uniform),
        }
    }

    /// From what registers hold before an instruction, of this number, to what they hold behind it.
    pub(crate) fn step(&mut self, code: &FunctionCode<'_>, at: usize) {
        let (inst, at) = (&code.insts[at], at as u32);
        let of = |variation: Option<Variation>| variation.map(|variation| Value::Of(at, variation));
        let (value, wide) = match &inst.op {
            Op::Load(of)
                if of.place == Place::KernelParam && of.base.is_none() && of.parts.len() == 1 =>
            {
                let whole = match of.size {
                    8 => of.mask == u64::MAX,
                    4 => of.mask as u32 == u32::MAX,
                    _ => false,
                };
                let offset = u32::try_from(of.offset).ok().filter(|_| whole);
                (offset.map(Value::Param), of.size == 8)
            }
            Op::MovWide { a, .. } | Op::MovNarrow { a, .. } => (Some(self.get(*a)), a.is_wide()),
            Op::Special { d, reg, component } if !d.is_wide() && !d.is_predicate() => {
                (of(self.special(*reg, *component)), false)
            }
            Op::Compute { row, d, s } if !d.is_none() => {
                (of(self.computed(code, row, s)), d.is_wide())
            }
            _ => (None, false),
        };
        let value = value.unwrap_or(Value::Other);
        let is_known = each_slot(&inst.op, |access, slot| {
            if access == Access::Def
                && let Some(number) = self.number(slot)
            {
                let value = if slot.is_wide() == wide { value } else { Value::Other };
                let held = &mut self.values[number];
                let same = inst.guard == Slot::TRUE || *held == value;
                *held = if same { value } else { Value::Other };
            }
        });
        if !is_known {
            self.values.fill(Value::Other);
        }
    }

    /// Adds what registers hold on another path. Whether that changes anything.
    fn join(&mut self, other: &Self) -> bool {
        let mut changes = false;
        for (here, &there) in self.values.iter_mut().zip(&other.values) {
            if *here != there && *here != Value::Other {
                (*here, changes) = (Value::Other, true);
            }
        }
        changes
    }
}

fn stride(value: Value) -> Option<u32> {
    match value {
        Value::Of(_, Variation::Affine { stride, .. }) => Some(stride as u32),
        _ => None,
    }
}

/// What registers hold where each block begins.
pub(super) fn find(
    code: &FunctionCode<'_>,
    cfg: &Cfg,
    in_line: bool,
) -> Option<Vec<Option<Values>>> {
    let registers = code.registers;
    let values = vec![Value::Other; registers.narrow + registers.wide];
    let unknown = Values { registers, values, in_line };
    let step = |block, values: &mut Values| {
        cfg.range(block).for_each(|i| values.step(code, i));
    };
    forward(cfg, unknown, step, Values::join)
}
