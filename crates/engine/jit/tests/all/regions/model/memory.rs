//! Accesses of memory.

use super::{BASES, FRAME, Fixed, GLOBAL, World, ones};
use texunit_jit::Source;
use texunit_jit::region::{Access, Action, Atomic, Change, Space};

impl World {
    fn address(&self, fixed: &Fixed, access: &Access, lane: usize) -> u64 {
        match access.base {
            None => access.offset,
            Some(base) => {
                let narrow = matches!(
                    base,
                    Source::B32(_)
                        | Source::Constant(_)
                        | Source::PerLane(_)
                        | Source::Uniform(_)
                        | Source::Bytes32(_)
                        | Source::Lane
                );
                let sum = self.source(fixed, base, lane).wrapping_add(access.offset);
                if narrow { sum as u32 as u64 } else { sum }
            }
        }
    }

    /// The memory and the offset of an access by a lane; `None` if the access faults.
    fn place(&self, fixed: &Fixed, access: &Access, lane: usize) -> Option<(usize, u64)> {
        let address = self.address(fixed, access, lane);
        let total = u64::from(access.size) * u64::from(access.count);
        let inside = |at: u64, len: usize| at.checked_add(total).is_some_and(|e| e <= len as u64);
        match access.space {
            Space::Frame => return Some((0, FRAME.start + address)),
            Space::Param => return Some((0, address)),
            _ if !address.is_multiple_of(total) => return None,
            Space::Global => {
                for (i, base) in BASES.into_iter().enumerate() {
                    if inside(address.wrapping_sub(base), GLOBAL) {
                        return Some((i, address - base));
                    }
                }
            }
            Space::Shared if inside(address, self.shared.len()) => return Some((0, address)),
            Space::Local if inside(address, FRAME.end as usize) => return Some((0, address)),
            _ => {}
        }
        None
    }

    fn load(
        &self,
        fixed: &Fixed,
        space: Space,
        (i, at): (usize, u64),
        size: u8,
        lane: usize,
    ) -> u64 {
        let mut value = [0; 8];
        for (k, byte) in value.iter_mut().enumerate().take(size.into()) {
            let at = at as usize + k;
            *byte = match space {
                Space::Global => self.global[i].load(at as u64, 1).expect("inside") as u8,
                Space::Shared => self.shared[at],
                Space::Local | Space::Frame => self.local[at / 4][lane].to_le_bytes()[at % 4],
                Space::Param => fixed.bytes[at],
            };
        }
        u64::from_le_bytes(value)
    }

    fn store(&mut self, space: Space, (i, at): (usize, u64), size: u8, lane: usize, value: u64) {
        for (k, byte) in value.to_le_bytes().into_iter().enumerate().take(size.into()) {
            let at = at as usize + k;
            match space {
                Space::Global => {
                    self.global[i].store(at as u64, 1, byte.into()).expect("inside");
                }
                Space::Shared => self.shared[at] = byte,
                Space::Local | Space::Frame => {
                    let mut word = self.local[at / 4][lane].to_le_bytes();
                    word[at % 4] = byte;
                    self.local[at / 4][lane] = u32::from_le_bytes(word);
                }
                Space::Param => panic!("parameters are not stored to"),
            }
        }
    }

    pub(super) fn atomic(&mut self, fixed: &Fixed, op: &Atomic, mask: u32) {
        let access = &op.access;
        if ones(mask).any(|lane| self.place(fixed, access, lane).is_none()) {
            ones(mask).for_each(|lane| op.to.into_iter().for_each(|to| self.put(to, lane, 0)));
            return;
        }
        let bits = 8 * u32::from(access.size);
        let cut = u64::MAX >> (64 - bits);
        for lane in ones(mask) {
            let Some(place) = self.place(fixed, access, lane) else { continue };
            let old = self.load(fixed, access.space, place, access.size, lane);
            let b = self.source(fixed, op.b, lane) & cut;
            let c = op.c.map_or(0, |c| self.source(fixed, c, lane)) & cut;
            let new = match op.change {
                Change::Reduce(op) => Self::reduce(op, bits, old, b),
                Change::Exchange => b,
                Change::Compare if old == b => c,
                Change::Compare => old,
                Change::Inc => {
                    if old >= b {
                        0
                    } else {
                        old + 1
                    }
                }
                Change::Dec => {
                    if old == 0 || old > b {
                        b
                    } else {
                        old - 1
                    }
                }
                Change::AddFloat if access.size == 4 => {
                    let flush = |x: u64| {
                        let tiny = access.space == Space::Global && x & 0x7f80_0000 == 0;
                        if tiny { x & 0x8000_0000 } else { x }
                    };
                    let sum = f32::from_bits(flush(old) as u32) + f32::from_bits(flush(b) as u32);
                    if sum.is_nan() { 0x7fff_ffff } else { flush(sum.to_bits().into()) }
                }
                Change::AddFloat => {
                    let sum = f64::from_bits(old) + f64::from_bits(b);
                    let global = access.space == Space::Global;
                    let order = if global { [b, old] } else { [old, b] };
                    let nan = order.into_iter().find(|x| f64::from_bits(*x).is_nan());
                    match nan {
                        _ if !sum.is_nan() => sum.to_bits(),
                        Some(nan) if global => nan,
                        Some(nan) => nan | 1 << 51,
                        None => 0xfff8 << 48,
                    }
                }
            };
            self.store(access.space, place, access.size, lane, new & cut);
            if let Some(to) = op.to {
                self.put(to, lane, old);
            }
        }
    }

    pub(super) fn accesses(&mut self, fixed: &Fixed, action: &Action, mask: u32) {
        let before = self.clone();
        let access = match action {
            Action::Load(load) => load.access,
            Action::Store(store) => store.access,
            _ => return,
        };
        if ones(mask).any(|lane| before.place(fixed, &access, lane).is_none()) {
            // A faulting load gives 0, so that nothing depends on the old values.
            if let Action::Load(load) = action {
                let to = || load.to.iter().flatten();
                ones(mask).for_each(|lane| to().for_each(|&to| self.put(to, lane, 0)));
            }
            return;
        }
        for lane in ones(mask) {
            let Some((i, at)) = before.place(fixed, &access, lane) else { continue };
            for k in 0..usize::from(access.count) {
                let place = (i, at + k as u64 * u64::from(access.size));
                match action {
                    Action::Load(load) => {
                        let Some(to) = load.to[k] else { continue };
                        let value = self.load(fixed, access.space, place, access.size, lane);
                        let unused = 64 - 8 * u32::from(access.size);
                        let signed = ((value << unused) as i64 >> unused) as u64;
                        let value = if load.signed { signed } else { value };
                        self.put(to, lane, value & load.keep);
                    }
                    Action::Store(store) => {
                        let value = before.source(fixed, store.from[k], lane);
                        self.store(access.space, place, access.size, lane, value);
                    }
                    _ => {}
                }
            }
        }
    }
}
