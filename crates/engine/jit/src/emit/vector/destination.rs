//! Destinations of steps: results are written in the lanes whose guard is true.

use crate::emit::Emitter;
use crate::emit::backend::Backend;
use crate::emit::register_cache::{Key, Kind, Nans, Reg};
use crate::emit::vector::source::narrow_key;
use crate::emit::vector::{Operand, V};
use crate::operand::{Predicate, Source, VReg};

impl<B: Backend> Emitter<'_, B> {
    /// Writes a lane group of a register; `value` is a temporary register.
    pub(in crate::emit) fn write(&mut self, key: Key, value: Reg, kind: Kind, guard: Predicate) {
        let (i, not) = match guard {
            Predicate::Always => return self.define(key, value, kind),
            Predicate::Never => return self.release(value),
            Predicate::If(i) => (i, false),
            Predicate::Unless(i) => (i, true),
        };
        let mut old = self.hold(key);
        if self.cache.cached(key) != key {
            // Other lane groups keep the old value.
            old = self.copied(false, old);
        }
        let (wide, part) = match key {
            Key::B64(_, part) => (true, part),
            Key::B32(_, part) | Key::Predicate(_, part) | Key::Other(_, _, part) => (false, part),
        };
        let before = self.cache.kind(old);
        let joined = before.or(kind).unwrap_or_else(|| {
            // The NaNs of the inactive lanes' old value are significant, so that those of the new
            // value must be canonical.
            self.canonical(old);
            if kind.nans == Nans::Any {
                B::canonical(self, value);
            }
            before.bits_or(kind)
        });
        let mask = self.mask(i, wide, part);
        let (a, b) = if not { (value, old) } else { (old, value) };
        B::blend(self, wide, (old, a), b, mask);
        self.cache.change(old, key, joined);
        self.release(value);
    }

    /// The register of a source as a temporary, if the step is the last that reads the value.
    pub(super) fn last_use(&mut self, source: Source, a: Operand, part: u8) -> Option<Reg> {
        let (key, vreg) = (narrow_key(source, part)?, source.vreg()?);
        let Operand::Register(reg) = a else { return None };
        let step = &self.region.blocks[self.block].steps[self.step];
        // If one register holds the value of all lane groups, other groups may still read it.
        let is_same = key.is_same();
        if self.cache.get(reg).key != Some(key) || step.guard != Predicate::Always || is_same {
            return None;
        }
        let after = self.facts.uses[self.block].after.get(self.step)?;
        let dies = after.iter().any(|after| after.vreg == vreg && !after.lives);
        let dies = dies || step.writes(vreg);
        if dies {
            self.cache.forget_keys(|other| other == key);
        }
        dies.then_some(reg)
    }

    /// The mask of a predicate for a lane group of lanes of 32 or 64 bits, which may be a
    /// condition.
    pub(in crate::emit) fn mask(&mut self, predicate: u32, wide: bool, part: u8) -> Reg {
        let eighth = if wide { part / 2 } else { part };
        let mask = self.hold(Key::Predicate(predicate, eighth % B::PREDICATE_PARTS));
        B::mask_of(self, mask, wide, part)
    }

    /// Writes a 32-bit temporary to a lane group of a register of 32 or 64 bits, sign-extended if
    /// requested and masked by the bits to keep.
    pub(in crate::emit) fn write_masked(
        &mut self,
        to: VReg,
        part: u8,
        value: Reg,
        (signed, keep): (bool, u64),
        guard: Predicate,
    ) -> Option<()> {
        match to {
            VReg::B32(i) => {
                self.keep_bits(value, keep as u32);
                self.write(Key::B32(i, part), value, Kind::BITS, guard);
            }
            VReg::B64(i) => {
                for half in 0..2 {
                    let d = self.extended_half(value, half, signed);
                    self.keep_wide(d, keep);
                    self.write(Key::B64(i, 2 * part + half), d, Kind::BITS, guard);
                }
                self.release(value);
            }
            VReg::Predicate(_) => return None,
        }
        Some(())
    }

    /// Writes a 64-bit value, whose halves are temporaries, to a lane group of a register of 32 or
    /// 64 bits.
    pub(in crate::emit) fn write_double(
        &mut self,
        to: VReg,
        part: u8,
        [low, high]: [Reg; 2],
        keep: u64,
        guard: Predicate,
    ) -> Option<()> {
        let VReg::B64(i) = to else {
            B::low_halves(self, low, [low, high]);
            return self.write_masked(to, part, low, (false, keep), guard);
        };
        for (half, value) in [low, high].into_iter().enumerate() {
            self.keep_wide(value, keep);
            self.write(Key::B64(i, 2 * part + half as u8), value, Kind::BITS, guard);
        }
        Some(())
    }

    /// Clears all bits of 32-bit lanes but those to keep.
    pub(in crate::emit) fn keep_bits(&mut self, value: Reg, keep: u32) {
        if keep != u32::MAX {
            let keep = self.number(keep);
            self.three(V::And32, value, value, keep);
        }
    }

    /// Clears all bits of 64-bit lanes but those to keep.
    pub(in crate::emit) fn keep_wide(&mut self, value: Reg, keep: u64) {
        if keep != u64::MAX {
            let keep = self.wide_number(keep);
            self.three(V::And64, value, value, keep);
        }
    }
}
