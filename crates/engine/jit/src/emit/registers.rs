//! Allocation of processor registers: steps ask for sources and temporaries, and define their
//! results in the register cache; values are loaded, evicted and stored.

use super::Emitter;
use super::asm::with_index;
use super::backend::Backend;
use super::live::NEVER;
use super::register_cache::{Key, Kind, MASK_0, Nans, REGISTERS, Reg, RegState, kind_of};
use super::vector::{V, register_file};
use crate::operand::VReg;
use iced_x86::{Code as C, Instruction as I, Register as R};

impl Key {
    /// All lane groups of a register.
    pub(super) fn all<B: Backend>(vreg: VReg) -> impl Iterator<Item = Self> {
        let narrow = (32 / B::LANES) as u8;
        let parts = match vreg {
            VReg::B32(_) => narrow,
            VReg::B64(_) => 2 * narrow,
            VReg::Predicate(_) => B::PREDICATE_PARTS,
        };
        (0..parts).map(move |part| Self::of(vreg, part))
    }
}

impl<B: Backend> Emitter<'_, B> {
    /// Allocates an empty vector register for the current step.
    pub(super) fn temporary(&mut self) -> Reg {
        self.take(0, B::VECTORS)
    }

    /// Allocates an empty mask register for the current step.
    pub(super) fn temporary_mask(&mut self) -> Reg {
        self.take(MASK_0, B::MASKS)
    }

    fn take(&mut self, from: u8, count: u8) -> Reg {
        let all = &self.cache.held[usize::from(from)..usize::from(from + count)];
        let free = all.iter().position(|h| h.key.is_none() && !h.pinned);
        let reg = free.map_or_else(|| self.evict(from, count), |i| Reg(from + i as u8));
        *self.cache.of(reg) = RegState { pinned: true, ..RegState::default() };
        reg
    }

    /// Frees a register: inputs that are not read again are evicted first, then values of lane
    /// groups that are not needed soon, then values that can be reloaded, then the value whose next
    /// use is farthest.
    fn evict(&mut self, from: u8, count: u8) -> Reg {
        let cost = |held: &RegState| match held.key.and_then(Key::vreg) {
            None if held.key.is_some_and(|key| self.back.is_past(key)) => (3, 0),
            None => (1, u32::MAX - held.used),
            Some(vreg) => match held.key.and_then(|key| self.delay(key)) {
                Some(delay) => (0, self.next_use(vreg).saturating_add(delay)),
                None => (2, 0),
            },
        };
        let candidates = (from..from + count).map(Reg).filter(|&r| !self.cache.get(r).pinned);
        let Some(reg) = candidates.max_by_key(|&r| cost(&self.cache.get(r))) else {
            self.asm.out_of_registers();
            return Reg(from);
        };
        match self.cache.get(reg) {
            RegState { key: Some(key), dirty: true, kind, .. }
                if self.defers_nans(key) && kind.nans == Nans::Any =>
            {
                if !self.cache.is_unsettled(key) {
                    self.cache.unsettled.push(key);
                }
                B::store(self, reg, key);
            }
            _ => self.write_back(reg),
        }
        reg
    }

    /// [`Backend::delay`] of the first lane group that needs the value.
    fn delay(&self, key: Key) -> Option<u32> {
        self.cache.rows(key).filter_map(|row| self.back.delay(row)).min()
    }

    /// Whether eviction may leave a value [`Nans::Any`] in the register file. A value that outlives
    /// the block may not, because it would be stored twice.
    fn defers_nans(&self, key: Key) -> bool {
        let dies = |vreg| !self.region.blocks[self.block].kept.contains(&vreg);
        self.cache.defers_nans && key.vreg().is_some_and(dies)
    }

    /// The next step of the block that reads or writes a register.
    fn next_use(&self, vreg: VReg) -> u32 {
        self.facts.numbers.get(vreg).map_or(NEVER, |i| self.next[i])
    }

    /// Stores a value to the register file if it is dirty.
    pub(super) fn write_back(&mut self, reg: Reg) {
        let held = self.cache.get(reg);
        let (Some(key), true) = (held.key, held.dirty) else { return };
        self.canonical(reg);
        self.cache.of(reg).dirty = false;
        self.cache.unsettled.retain(|&other| other != key);
        self.cache.rows(key).for_each(|row| B::store(self, reg, row));
    }

    /// Makes NaNs in the register file canonical.
    pub(super) fn settle(&mut self) {
        self.settle_all_but(|_| false);
    }

    /// Makes NaNs in the register file canonical, except of values that the predicate selects.
    pub(super) fn settle_all_but(&mut self, is_exempt: impl Fn(Key) -> bool) {
        let defers = std::mem::replace(&mut self.cache.defers_nans, false);
        for key in self.cache.unsettled.clone() {
            if !is_exempt(key) && self.cache.is_unsettled(key) {
                let reg = self.hold(key);
                self.cache.of(reg).dirty = true;
                self.write_back(reg);
                self.cache.release(reg);
            }
        }
        self.cache.defers_nans = defers;
    }

    /// Stores all dirty values.
    pub(super) fn write_all_back(&mut self) {
        let dirty: Vec<Reg> = self.cache.dirty().map(|(reg, ..)| reg).collect();
        self.canonical_all(&dirty);
        for i in 0..REGISTERS as u8 {
            self.write_back(Reg(i));
        }
        self.settle();
    }

    /// Replaces NaNs that stand for the canonical NaN by the canonical NaN.
    pub(super) fn canonical(&mut self, reg: Reg) {
        if self.cache.kind(reg).nans == Nans::Any {
            self.cache.of(reg).kind.nans = Nans::Canonical;
            B::canonical(self, reg);
        }
    }

    /// [`Self::canonical`] for several registers.
    pub(super) fn canonical_all(&mut self, regs: &[Reg]) {
        let mut regs = regs.to_vec();
        regs.retain(|&reg| self.cache.kind(reg).nans == Nans::Any);
        regs.iter().for_each(|&reg| self.cache.of(reg).kind.nans = Nans::Canonical);
        B::canonical_all(self, &regs);
    }

    /// The processor register that holds a value, which is loaded if necessary. The caller must not
    /// change it.
    pub(super) fn hold(&mut self, key: Key) -> Reg {
        if let Some(reg) = self.cache.find(key) {
            return reg;
        }
        let masks = matches!(key, Key::Predicate(..)) && B::MASKS != 0;
        let reg = if masks { self.temporary_mask() } else { self.temporary() };
        self.load(reg, self.cache.cached(key));
        reg
    }

    /// Loads a value, which the register then holds.
    pub(super) fn load(&mut self, reg: Reg, key: Key) {
        self.fetch(reg, key);
        self.cache.set(reg, key, self.kind_in_memory(key), false);
    }

    /// Loads a value from the register file. If all lanes have one value, takes it from a live
    /// lane, because other lanes may have exited before it was computed.
    pub(super) fn fetch(&mut self, reg: Reg, key: Key) {
        let Some(vreg) = key.vreg().filter(|_| key.is_same()) else {
            return B::load(self, reg, key);
        };
        let parts = self.cache.rows(key);
        let mut lanes = 0;
        parts.for_each(|row| lanes |= (u64::MAX >> (64 - B::LANES)) << (B::LANES * row.part()));
        self.asm.put(I::with2(C::Mov_r32_imm32, R::EAX, lanes as u32));
        self.asm.put(I::with2(C::And_r32_rm32, R::EAX, R::R8D));
        let file = register_file::<B>(Key::of(vreg, 0));
        if let VReg::Predicate(_) = vreg {
            self.asm.put(I::with2(C::And_r32_rm32, R::EAX, file));
            self.asm.put(I::with1(C::Neg_rm32, R::EAX));
            self.asm.put(I::with2(C::Sbb_r32_rm32, R::EAX, R::EAX));
            return B::spread_general(self, false, reg);
        }
        self.asm.put(I::with2(C::Tzcnt_r32_rm32, R::EAX, R::EAX));
        // No lane is live in the remaining lane groups: any value will do.
        self.asm.put(I::with2(C::And_rm32_imm8, R::EAX, 31));
        self.two(V::Spread32, reg, with_index(file, R::RAX, 4));
    }

    /// The properties of a value in the register file, or of an input or constant.
    pub(super) fn kind_in_memory(&self, key: Key) -> Kind {
        let kind = kind_of(key);
        if self.cache.is_unsettled(key) { Kind { nans: Nans::Any, ..kind } } else { kind }
    }

    /// Makes a temporary the new value of a register.
    pub(super) fn define(&mut self, key: Key, reg: Reg, kind: Kind) {
        if let Some(vreg) = key.vreg().filter(|_| key.is_same()) {
            let count = Key::all::<B>(vreg).count() as u8;
            return self.cache.define_same(vreg, count, reg, true);
        }
        for held in &mut self.cache.held {
            if held.key == Some(key) {
                // The register stays pinned: other lane groups of the step may still read it as a
                // source.
                (held.key, held.dirty) = (None, false);
            }
        }
        self.cache.change(reg, key, kind);
    }
}
