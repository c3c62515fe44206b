//! Which loads of a CTA have brought undefined bytes.

use std::collections::HashMap;
use texunit_simt::SpaceKind;
use texunit_simt::observe::{At, Origin, Register, Undefined};

/// Loads of a CTA that are remembered; of others it is not said where a value came from.
const MOST: usize = 1 << 14;

/// What a load has brought.
#[derive(Clone, Debug)]
pub(super) struct Brought {
    lanes: u32,
    /// The later, the higher.
    number: u64,
    pub(super) space: SpaceKind,
    pub(super) addresses: [u64; 32],
    pub(super) bits: [u64; 32],
    pub(super) size: u32,
}

impl Brought {
    /// What an event tells of memory.
    pub(super) fn of(at: &At, what: &Undefined<'_>) -> Option<Self> {
        let (space, addresses) = what.memory?;
        let (addresses, bits) = (*addresses, *what.bits);
        Some(Self { lanes: at.lanes, number: 0, space, addresses, bits, size: what.size.min(8) })
    }
}

/// By warp, operation and register.
#[derive(Debug, Default)]
pub(super) struct Origins {
    loads: HashMap<(u32, u32, Register), Brought>,
    number: u64,
}

impl Origins {
    pub(super) fn clear(&mut self) {
        if !self.loads.is_empty() {
            self.loads.clear();
        }
    }

    /// A load has brought undefined bytes.
    pub(super) fn note(&mut self, at: &At, what: &Undefined<'_>) {
        let Some((register, brought)) = what.register.zip(Brought::of(at, what)) else { return };
        let key = (at.warp, at.op, register);
        if self.loads.len() >= MOST && !self.loads.contains_key(&key) {
            return;
        }
        self.number += 1;
        let number = self.number;
        match self.loads.get_mut(&key) {
            Some(known) if known.space == brought.space => {
                for lane in (0..32).filter(|lane| at.lanes >> lane & 1 == 1) {
                    known.addresses[lane] = brought.addresses[lane];
                    known.bits[lane] = brought.bits[lane];
                }
                known.lanes |= at.lanes;
                known.number = number;
            }
            _ => {
                self.loads.insert(key, Brought { number, ..brought });
            }
        }
    }

    /// Of some origins the load that has brought undefined bytes to a lane last.
    pub(super) fn latest(&self, warp: u32, lane: usize, all: &[Origin]) -> Option<(u32, &Brought)> {
        let brought = all.iter().filter_map(|origin| match *origin {
            Origin::Memory(op, register) => Some((op, self.loads.get(&(warp, op, register))?)),
            _ => None,
        });
        let there = brought.filter(|(_, brought)| brought.lanes >> lane & 1 == 1);
        there.max_by_key(|(_, brought)| brought.number)
    }
}
