//! Which mask register holds which predicate.

use super::asm::{Mask, at};
use super::{Emitter, Frame};
use crate::block::{Place, Predicate};
use iced_x86::{Code as C, Instruction as I, MemoryOperand, Register as R};

/// Lanes that take part, where not all live ones do.
pub(super) const LANES: Mask = Mask(7);
/// Mask registers for predicates and temporaries: k1 to k6. k0 masks nothing.
const HOLDING: usize = 6;

/// A mask register.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    predicate: Option<u32>,
    /// Whether neither the file nor the room has its value.
    dirty: bool,
    /// Whether the step uses it.
    pinned: bool,
    used: usize,
}

/// The mask registers that hold predicates.
#[derive(Debug, Default)]
pub(super) struct Masks {
    held: [Held; HOLDING],
    /// Predicates whose values of this half are in their rooms.
    roomed: Vec<u32>,
    clock: usize,
}

impl Masks {
    fn of(&mut self, k: Mask) -> &mut Held {
        &mut self.held[usize::from(k.0) - 1]
    }

    fn is_pinned(&self, predicate: u32) -> bool {
        self.held.iter().any(|h| h.predicate == Some(predicate) && h.pinned)
    }

    pub(super) fn unpin(&mut self) {
        self.held.iter_mut().for_each(|h| h.pinned = false);
    }

    /// Frees what holds a predicate that nobody reads.
    pub(super) fn forget(&mut self, predicate: u32) {
        for held in &mut self.held {
            if held.predicate == Some(predicate) {
                *held = Held { pinned: held.pinned, ..Held::default() };
            }
        }
    }
}

impl Emitter<'_> {
    /// A mask register for the step, holding nothing.
    pub(super) fn temporary_mask(&mut self) -> Mask {
        let free = self.masks.held.iter().position(|h| h.predicate.is_none() && !h.pinned);
        let i = free.unwrap_or_else(|| {
            let held = self.masks.held.iter().enumerate().filter(|(_, h)| !h.pinned);
            let Some((i, _)) = held.min_by_key(|(_, h)| h.used) else {
                self.asm.out_of_registers();
                return 0;
            };
            self.park(i);
            i
        });
        self.masks.held[i] = Held { pinned: true, ..Held::default() };
        Mask(i as u8 + 1)
    }

    /// A temporary is not needed any more.
    pub(super) fn release_mask(&mut self, k: Mask) {
        if k != LANES && self.masks.of(k).predicate.is_none() {
            self.masks.of(k).pinned = false;
        }
    }

    /// Where the room of a predicate is.
    fn room(&self, predicate: u32, half: usize) -> MemoryOperand {
        let room = self.rooms.get(&predicate).copied().unwrap_or(0);
        at(R::RDI, Frame::room(room, half))
    }

    /// Puts a predicate into its room, if it has changed.
    fn park(&mut self, i: usize) {
        if let Held { predicate: Some(predicate), dirty: true, .. } = self.masks.held[i] {
            let to = self.room(predicate, self.half);
            self.asm.put(I::with2(C::VEX_Kmovw_m16_kr, to, Mask(i as u8 + 1).k()));
            self.masks.held[i].dirty = false;
            self.masks.roomed.push(predicate);
        }
    }

    /// Puts all predicates that have changed into their rooms.
    pub(super) fn park_predicates(&mut self) {
        (0..HOLDING).for_each(|i| self.park(i));
    }

    /// A predicate's lanes of this half, in a register that is not to be changed.
    pub(super) fn predicate(&mut self, predicate: Predicate) -> Mask {
        match predicate {
            Predicate::If(i) => self.held_predicate(i),
            Predicate::Unless(i) => {
                let pinned = self.masks.is_pinned(i);
                let (k, not) = (self.held_predicate(i), self.temporary_mask());
                self.asm.put(I::with2(C::VEX_Knotw_kr_kr, not.k(), k.k()));
                self.masks.of(k).pinned = pinned;
                not
            }
            Predicate::Always => self.constant_mask(C::VEX_Kxnorw_kr_kr_kr),
            Predicate::Never => self.constant_mask(C::VEX_Kxorw_kr_kr_kr),
        }
    }

    fn constant_mask(&mut self, code: C) -> Mask {
        let k = self.temporary_mask();
        self.asm.put(I::with3(code, k.k(), k.k(), k.k()));
        k
    }

    fn held_predicate(&mut self, predicate: u32) -> Mask {
        self.masks.clock += 1;
        let clock = self.masks.clock;
        let i = self.masks.held.iter().position(|h| h.predicate == Some(predicate));
        let k = i.map_or_else(
            || {
                let k = self.temporary_mask();
                let from = if self.masks.roomed.contains(&predicate) {
                    self.room(predicate, self.half)
                } else {
                    at(R::RCX, predicate as usize * 4 + 2 * self.half)
                };
                self.asm.put(I::with2(C::VEX_Kmovw_kr_km16, k.k(), from));
                k
            },
            |i| Mask(i as u8 + 1),
        );
        let held = self.masks.of(k);
        (held.predicate, held.pinned, held.used) = (Some(predicate), true, clock);
        k
    }

    /// Writes a predicate; `value` is a temporary.
    pub(super) fn put_predicate(&mut self, to: u32, value: Mask, guard: Option<Mask>) {
        if let Some(guard) = guard {
            let pinned = self.masks.is_pinned(to);
            let (old, kept) = (self.held_predicate(to), self.temporary_mask());
            let (guard, value) = (guard.k(), value.k());
            self.asm.put(I::with3(C::VEX_Kandnw_kr_kr_kr, kept.k(), guard, old.k()));
            self.asm.put(I::with3(C::VEX_Kandw_kr_kr_kr, value, value, guard));
            self.asm.put(I::with3(C::VEX_Korw_kr_kr_kr, value, value, kept.k()));
            self.masks.of(old).pinned = pinned;
            self.release_mask(kept);
        }
        self.masks.forget(to);
        self.changed.insert(to);
        self.masks.clock += 1;
        let used = self.masks.clock;
        *self.masks.of(value) = Held { predicate: Some(to), dirty: true, pinned: true, used };
    }

    /// The mask of a part of wide lanes.
    pub(super) fn of_part(&mut self, mask: Mask, part: usize) -> Mask {
        if part == 0 {
            return mask;
        }
        let k = self.temporary_mask();
        self.asm.put(I::with3(C::VEX_Kshiftrw_kr_kr_imm8, k.k(), mask.k(), 8));
        k
    }

    /// Stores the predicates that are kept, both halves at once: who reads a whole word must not wait
    /// for two stores. Lanes that do not take part keep what they have.
    pub(super) fn store_predicates(&mut self) {
        for predicate in std::mem::take(&mut self.changed) {
            if !self.block.kept.contains(&Place::Predicate(predicate)) {
                continue;
            }
            let k = self.held_predicate(predicate);
            self.masks.unpin();
            let (low, file) = (self.room(predicate, 0), at(R::RCX, predicate as usize * 4));
            self.asm.put(I::with2(C::VEX_Kmovw_r32_kr, R::EAX, k.k()));
            self.asm.put(I::with2(C::Shl_rm32_imm8, R::EAX, 16));
            self.asm.put(I::with2(C::Movzx_r32_rm16, R::R11D, low));
            self.asm.put(I::with2(C::Or_r32_rm32, R::EAX, R::R11D));
            self.asm.put(I::with2(C::Xor_r32_rm32, R::EAX, file));
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
            self.asm.put(I::with2(C::Xor_rm32_r32, file, R::EAX));
        }
    }
}
