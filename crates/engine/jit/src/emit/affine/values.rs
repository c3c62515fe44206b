//! Which registers hold affine or uniform values at a step of a block. The affine analysis walks
//! the block's steps and updates this state.

use super::{Addend, Affine};
use crate::emit::input::parameter;
use crate::ir::{Action, Step};
use crate::op::Op;
use crate::operand::{Predicate, Source, VReg};
use std::collections::HashMap;

/// The affine and uniform values that registers are known to have at a step.
#[derive(Default)]
pub(super) struct Registers {
    /// Registers that have an affine address or an index plus a uniform value, each with the number
    /// of its definition.
    pub(super) products: HashMap<VReg, (usize, Affine)>,
    /// 64-bit registers that have the same value in all lanes, and the value.
    pub(super) same: HashMap<u32, Source>,
}

/// A register that a step sets to an affine value.
pub(super) struct AffineResult {
    pub(super) vreg: VReg,
    pub(super) value: Affine,
    pub(super) product: Option<usize>,
}

const ZERO: Source = Source::Literal(0);

impl Registers {
    /// The known values at the beginning of a block where the registers `params` hold kernel
    /// parameters.
    pub(super) fn new(params: &[(VReg, u32)]) -> Self {
        let wide = params.iter().filter_map(|&(vreg, at)| match vreg {
            VReg::B64(register) => Some((register, Source::Bytes64(at))),
            _ => None,
        });
        Self { same: wide.collect(), ..Self::default() }
    }

    /// Forgets all that is known of a register, because a step writes it.
    pub(super) fn forget(&mut self, vreg: VReg) {
        self.products.remove(&vreg);
        match vreg {
            VReg::B32(index) => {
                self.products.retain(|_, (_, value)| value.index != index);
            }
            VReg::B64(register) => {
                self.same.remove(&register);
            }
            VReg::Predicate(_) => {}
        }
    }

    /// The input or literal that a source has in all lanes.
    fn uniform_source(&self, source: Source) -> Option<Source> {
        match source {
            Source::Literal(_) | Source::Bytes64(_) | Source::WideConstant(_) => Some(source),
            Source::B64(i) => self.same.get(&i).copied(),
            _ => None,
        }
    }

    /// The 64-bit register that a step sets to a uniform value, and the value.
    pub(super) fn same(&self, step: &Step) -> Option<(u32, Source)> {
        if step.guard != Predicate::Always {
            return None;
        }
        match &step.action {
            Action::Compute { op: Op::CopyWide, to: VReg::B64(to), from } => {
                Some((*to, self.uniform_source(from[0])?))
            }
            Action::Load(load) => match parameter(load)? {
                (VReg::B64(to), source) => Some((to, source)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The definition and the affine value of an operand that is a scaled index without a base.
    fn product(&self, source: Source) -> Option<(usize, Affine)> {
        let Source::B64(i) = source else { return None };
        self.products.get(&VReg::B64(i)).copied().filter(|(_, value)| value.add == ZERO)
    }

    /// A 32-bit register as an index, with its definition if it is itself a sum.
    fn index(&self, index: u32) -> (Option<usize>, Affine) {
        match self.products.get(&VReg::B32(index)) {
            Some(&(d, value)) => (Some(d), value),
            None => {
                let value =
                    Affine { add: ZERO, index, addend: Addend::NONE, signed: false, shift: 0 };
                (None, value)
            }
        }
    }

    /// A 32-bit register times a power of two, and the definition of the register.
    fn scaled(&self, from: &[Source; 3], signed: bool) -> Option<(Option<usize>, Affine)> {
        let (index, scale) = match (from[0], from[1]) {
            (Source::B32(index), Source::Literal(scale))
            | (Source::Literal(scale), Source::B32(index)) => (index, scale),
            _ => return None,
        };
        let (product, value) = self.index(index);
        let small = scale.is_power_of_two() && scale <= 16;
        let shift = scale.trailing_zeros() as u8;
        small.then_some((product, Affine { signed, shift, ..value }))
    }

    /// The affine address or index that a step computes, if any.
    pub(super) fn value(&self, step: &Step) -> Option<AffineResult> {
        let Action::Compute { op, to: vreg, from } = step.action else { return None };
        if step.guard != Predicate::Always {
            return None;
        }
        let new = |(product, value)| AffineResult { vreg, value, product };
        Some(match op {
            Op::Add | Op::Sub => {
                let (index, addend) = Addend::of(op, &from)?;
                if vreg == VReg::B32(index) {
                    return None;
                }
                let (product, value) = self.index(index);
                // A sum of the register that the step overwrites is not known afterwards.
                let sum = value.addend.and(addend).filter(|_| vreg != VReg::B32(value.index));
                match sum {
                    Some(addend) => new((product, Affine { addend, ..value })),
                    None => new((None, Affine { index, addend, ..value })),
                }
            }
            Op::ExtendU | Op::ExtendS => {
                let Source::B32(index) = from[0] else { return None };
                let (product, value) = self.index(index);
                new((product, Affine { signed: op == Op::ExtendS, ..value }))
            }
            Op::ProductU | Op::ProductS => new(self.scaled(&from, op == Op::ProductS)?),
            Op::ProductAddU | Op::ProductAddS => {
                let add = self.uniform_source(from[2])?;
                let (product, value) = self.scaled(&from, op == Op::ProductAddS)?;
                new((product, Affine { add, ..value }))
            }
            Op::ShiftLeftWide => {
                let Source::Literal(shift @ 0..=4) = from[1] else { return None };
                let (product, of) = self.product(from[0]).filter(|(_, of)| of.shift == 0)?;
                new((Some(product), Affine { shift: shift as u8, ..of }))
            }
            Op::AddWide => {
                let either = |a, b| Some((self.product(a)?, self.uniform_source(b)?));
                let ((product, of), add) =
                    either(from[0], from[1]).or_else(|| either(from[1], from[0]))?;
                new((Some(product), Affine { add, ..of }))
            }
            _ => return None,
        })
    }
}
