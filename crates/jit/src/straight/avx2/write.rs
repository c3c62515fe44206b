//! What is written: values, their stores, and the lanes that keep what they hold.

use super::predicate::Mask;
use super::values::{Key, Kind, RESTING, SCRATCH};
use super::{Emitter, Operand, Ymm};
use crate::block::Place;
use iced_x86::{Code as C, Instruction as I};

impl Emitter<'_> {
    /// Gives NaNs that stand for the canonical one its bits.
    pub(super) fn canonical(&mut self, y: Ymm) {
        if self.values.kind(y).any_nan {
            self.values.of(y).kind.any_nan = false;
            self.fix_nans(y);
        }
    }

    /// Writes a narrow register.
    pub(super) fn put_narrow(&mut self, to: u32, value: Ymm, kind: Kind, guard: Option<Mask>) {
        let key = Key::Narrow(to);
        let Some(guard) = guard else { return self.define(key, value, kind) };
        if kind.any_nan {
            self.fix_nans(value);
        }
        let old = self.hold(key);
        self.canonical(old);
        self.merge(old, value, guard);
        let was = self.values.of(old);
        (was.dirty, was.kind.normal) = (true, was.kind.normal && kind.normal);
    }

    /// Writes a half of a wide register.
    pub(super) fn put_wide(&mut self, to: u32, half: usize, value: Ymm, guard: Option<Mask>) {
        let key = Key::Wide(to, half);
        let Some(guard) = guard else { return self.define(key, value, Kind::BITS) };
        let guard = self.of_half(guard, half);
        let old = self.hold(key);
        self.merge(old, value, guard);
        self.values.of(old).dirty = true;
    }

    /// Takes a value in the lanes of a mask.
    fn merge(&mut self, old: Ymm, value: Ymm, mask: Mask) {
        let (first, second) = if mask.not { (value, old) } else { (old, value) };
        self.blend(old, first, second, mask.y);
    }

    /// Makes a temporary the value of a register.
    pub(super) fn define(&mut self, key: Key, y: Ymm, kind: Kind) {
        if self.values.look(key).is_some() {
            // A source of the step may be read again by its other half.
            let old = self.hold(key);
            let held = self.values.of(old);
            (held.key, held.dirty) = (None, false);
        }
        self.values.set(y, key, kind, true);
    }

    /// Stores a value and leaves it where it is: in lanes that take no part, with what the file has.
    pub(super) fn write_back(&mut self, key: Key, y: Ymm) {
        if let Key::Predicate(i) = key {
            return self.park(i, y);
        }
        self.canonical(y);
        self.values.of(y).dirty = false;
        let home = self.home(key);
        if self.some {
            let mut rest = RESTING;
            if let Key::Wide(_, half) = key {
                rest = SCRATCH;
                self.spread(rest, RESTING, half);
            }
            self.blend(y, y, Operand::Memory(home), rest);
        }
        // Not a masked store: what follows would have to wait for it.
        self.asm.put(I::with2(C::VEX_Vmovdqu_ymmm256_ymm, home, y.y()));
    }

    /// Stores what is held of a register.
    pub(super) fn store(&mut self, place: Place) {
        let keys = match place {
            Place::Narrow(i) => [Key::Narrow(i); 2],
            Place::Wide(i) => [Key::Wide(i, 0), Key::Wide(i, 1)],
            Place::Predicate(i) => [Key::Predicate(i); 2],
        };
        for key in keys {
            if self.values.look(key).is_some_and(|held| held.dirty) {
                let y = self.hold(key);
                self.write_back(key, y);
            }
        }
    }
}
