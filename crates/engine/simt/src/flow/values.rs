//! Registers whose values do not change during the lifetime of a warp: kernel parameters, and
//! results computed from them, from special registers of the CTA and from thread numbers, each with
//! its [`Variation`] among the lanes. The values do not depend on the active mask, because each
//! lane would compute the same result at any time.

use super::visit::each_slot;
use super::{FunctionCode, Registers};
use crate::code::{MemSpace, Op, Slot, of_cta};
use texunit_alu::{Alu, Row, Temporaries};
use texunit_flow::{Access, Cfg, Variation, forward};
use texunit_isa::SpecialReg;
use texunit_jit::region::Action;
use texunit_jit::{Op as Primitive, Source, VReg};

/// The known value of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// The value is not known to be constant.
    Other,
    /// The value is the kernel parameter at this offset.
    Param(u32),
    /// The value is the result of the instruction with this number; with its variation among the
    /// lanes of a warp.
    Of(u32, Variation),
}

/// The known values of the 32-bit and 64-bit registers.
#[derive(Clone, Debug)]
pub(crate) struct Values {
    registers: Registers,
    values: Vec<Value>,
    /// Whether the threads of each warp are consecutive in x.
    in_line: bool,
}

impl Values {
    fn number(&self, slot: Slot) -> Option<usize> {
        self.registers.number(slot).filter(|&number| number < self.values.len())
    }

    fn get(&self, slot: Slot) -> Value {
        self.number(slot).map_or(Value::Other, |number| self.values[number])
    }

    /// The offset of the kernel parameter that a register holds.
    pub(crate) fn param(&self, slot: Slot) -> Option<u32> {
        match self.get(slot) {
            Value::Param(offset) => Some(offset),
            _ => None,
        }
    }

    /// All registers that hold kernel parameters, with the parameters' offsets.
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

    /// 32-bit registers whose values increase by a constant from lane to lane, with that constant
    /// (the stride), which is 0 if all lanes have the same value.
    pub(crate) fn strides(&self) -> impl Iterator<Item = (u32, u32)> {
        let narrow = self.values.iter().take(self.registers.narrow).zip(0..);
        narrow.filter_map(|(value, i)| Some((i, stride(*value)?)))
    }

    /// The constant stride of a 32-bit register's value from lane to lane.
    pub(crate) fn stride(&self, slot: Slot) -> Option<u32> {
        stride(self.get(slot)).filter(|_| !slot.is_wide())
    }

    /// The variation of an operand among the lanes, or `None` if its value is not known to be
    /// constant.
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

    /// The variation of an arithmetic result among the lanes; `None` if it is not known to be
    /// constant.
    fn computed(&self, code: &FunctionCode<'_>, row: &Row, s: &[Slot; 4]) -> Option<Variation> {
        // The results of other operations depend on more than their sources.
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
        let steps = row.lowered(&sources, Temporaries::default(), VReg::B32(0).into())?;
        let [Action::Compute { op, from, .. }] = steps[..] else { return None };
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

    /// The variation of a special register among the lanes, if its value is constant.
    fn special(&self, reg: SpecialReg, component: u8) -> Option<Variation> {
        match (reg, component) {
            (SpecialReg::Tid, 0) => self.in_line.then_some(Variation::TID),
            // `in_line` holds for blocks of a single row and for blocks whose rows are whole warps;
            // y and z are then uniform in a warp.
            (SpecialReg::Tid, 1 | 2) => self.in_line.then_some(Variation::Uniform),
            _ => of_cta(reg, component).map(|_| Variation::Uniform),
        }
    }

    /// Updates the known values by an instruction, given its number.
    pub(crate) fn step(&mut self, code: &FunctionCode<'_>, at: usize) {
        let (inst, at) = (&code.insts[at], at as u32);
        let of = |variation: Option<Variation>| variation.map(|variation| Value::Of(at, variation));
        let (value, wide) = match &inst.op {
            Op::Load(of)
                if of.at.mem_space == MemSpace::KernelParam
                    && of.at.base.is_none()
                    && of.parts.len() == 1 =>
            {
                let whole = match of.size {
                    8 => of.mask == u64::MAX,
                    4 => of.mask as u32 == u32::MAX,
                    _ => false,
                };
                let offset = u32::try_from(of.at.offset).ok().filter(|_| whole);
                (offset.map(Value::Param), of.size == 8)
            }
            Op::Mov { a, .. } if a.is_constant() => (of(Some(Variation::Uniform)), a.is_wide()),
            Op::Mov { a, .. } => (Some(self.get(*a)), a.is_wide()),
            Op::Special { d, reg, component } if !d.is_wide() && !d.is_predicate() => {
                (of(self.special(*reg, *component)), false)
            }
            Op::Compute { row, d, s } if !d.is_none() => {
                (of(self.computed(code, row, s)), d.is_wide())
            }
            _ => (None, false),
        };
        let value = value.unwrap_or(Value::Other);
        let is_known = each_slot(&inst.op, &mut |access, slot| {
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

    /// Merges the values at the end of another predecessor. Returns whether any value changed.
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
        Value::Of(_, Variation::Uniform) => Some(0),
        Value::Of(_, Variation::Affine { stride, .. }) => Some(stride as u32),
        _ => None,
    }
}

/// Computes the known register values at the start of each block.
pub(super) fn find(of: &FunctionCode<'_>, cfg: &Cfg, in_line: bool) -> Option<Vec<Option<Values>>> {
    let registers = of.registers;
    let values = vec![Value::Other; registers.narrow + registers.wide];
    let unknown = Values { registers, values, in_line };
    let step = |block, values: &mut Values| {
        cfg.range(block).for_each(|i| values.step(of, i));
    };
    forward(cfg, unknown, step, Values::join)
}
