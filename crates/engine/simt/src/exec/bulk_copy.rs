//! cp.async.bulk, cp.reduce.async.bulk (PTX ISA 9.7.9.25.4), which are made at once: no program that waits for them can tell.

use super::atomic::apply;
use super::context::Context;
use super::memory::{LOAD, STORE};
use super::outcome::{Executed, fault_at};
use super::warp::{Warp, lanes};
use crate::code::BulkCopy;
use crate::fault::FaultKind;
use texunit_forms::Count;

/// Sizes and addresses of bulk copies are multiples of 16 bytes.
const GRAIN: u64 = 16;

/// Operands of a bulk copy, of each lane.
pub(super) struct Operands {
    pub(super) size: [u64; 32],
    /// CTAs of the cluster that receive it, a bit each.
    pub(super) ranks: Option<[u64; 32]>,
    /// Which of 16 bytes are written, a bit each.
    pub(super) bytes: [u64; 32],
    pub(super) from: [u64; 32],
    pub(super) to: [u64; 32],
}

impl Operands {
    /// Where a lane writes what it reads.
    pub(super) fn targets(&self, context: &Context<'_>, lane: usize) -> Vec<u64> {
        let to = self.to[lane];
        let ranks = self.ranks.map(|ranks| lanes(ranks[lane] as u32 & 0xffff));
        match ranks {
            Some(ranks) => ranks.map(|rank| context.map_shared(to, 0, rank as u32)).collect(),
            None => vec![to],
        }
    }
}

impl Context<'_> {
    pub(super) fn bulk_operands(&mut self, warp: &Warp, op: &BulkCopy) -> Operands {
        let constants = &self.launch.constants;
        let read = |slot, out: &mut [u64; 32]| warp.read(constants, slot, out);
        let (mut size, mut bytes, mut ranks) = ([0; 32], [u64::MAX; 32], [0; 32]);
        read(op.size, &mut size);
        if !op.bytes.is_none() {
            read(op.bytes, &mut bytes);
        }
        if !op.ranks.is_none() {
            read(op.ranks, &mut ranks);
        }
        let ranks = (!op.ranks.is_none()).then_some(ranks);
        let (from, to) = (self.place_of(warp, &op.from), self.place_of(warp, &op.to));
        Operands { size, ranks, bytes, from, to }
    }

    /// The lanes come one after the other.
    pub(super) fn bulk_copy(&mut self, warp: &mut Warp, op: &BulkCopy, mask: u32) -> Executed {
        let all = self.bulk_operands(warp, op);
        for lane in lanes(mask) {
            let (from, to, size) = (all.from[lane], all.to[lane], all.size[lane]);
            for (place, address, kind) in [(op.from.place, from, LOAD), (op.to.place, to, STORE)] {
                if !address.is_multiple_of(GRAIN) {
                    let (space, at) = self.space(warp, place, address);
                    return self.misaligned(warp, lane, at, GRAIN as u32, space, kind);
                }
            }
            if !size.is_multiple_of(GRAIN) {
                let what = format!(
                    "a bulk copy of {}: sizes are multiples of {GRAIN}",
                    Count(size, "byte")
                );
                return fault_at(lane, FaultKind::BadOperand(what));
            }
            let targets = all.targets(self, lane);
            match op.reduce {
                None => {
                    self.copy_bytes(warp, op, (lane, all.bytes[lane]), (from, &targets, size))?
                }
                Some(_) => self.reduce_elements(warp, op, lane, (from, to, size))?,
            }
        }
        Ok(())
    }

    fn copy_bytes(
        &mut self,
        warp: &mut Warp,
        op: &BulkCopy,
        (lane, bytes): (usize, u64),
        (from, targets, size): (u64, &[u64], u64),
    ) -> Executed {
        let total = GRAIN as u32;
        for at in (0..size).step_by(8) {
            let value =
                self.load_one(warp, lane, op.from.place, from.wrapping_add(at), 8, total)?;
            let written = bytes >> (at % GRAIN) & 0xff;
            for to in targets.iter().map(|to| to.wrapping_add(at)) {
                if written == 0xff {
                    self.store_one(warp, lane, op.to.place, to, (8, total), value)?;
                    continue;
                }
                for byte in (0..8).filter(|byte| written >> byte & 1 == 1) {
                    let (to, value) = (to.wrapping_add(byte), value >> (8 * byte) & 0xff);
                    self.store_one(warp, lane, op.to.place, to, (1, total), value)?;
                }
            }
        }
        Ok(())
    }

    fn reduce_elements(
        &mut self,
        warp: &mut Warp,
        op: &BulkCopy,
        lane: usize,
        (from, to, size): (u64, u64, u64),
    ) -> Executed {
        let Some((reduce, ty)) = op.reduce else { return Ok(()) };
        let bytes = ty.bytes();
        for at in (0..size).step_by(bytes as usize) {
            let from = from.wrapping_add(at);
            let b = self.load_one(warp, lane, op.from.place, from, bytes as u8, bytes)?;
            let place = (op.to.place, to.wrapping_add(at));
            self.update(warp, place, lane, (0, bytes, bytes), |old, is_global| {
                apply(reduce, ty, old, (b, 0), is_global)
            })?;
        }
        Ok(())
    }

    /// The shadow of what is copied. A reduction leaves undefined what one of its operands is not.
    pub(super) fn bulk_shadow(&mut self, warp: &mut Warp, op: &BulkCopy, mask: u32) {
        let all = self.bulk_operands(warp, op);
        for lane in lanes(mask) {
            let targets = all.targets(self, lane);
            // More is a fault of the instruction itself.
            for at in 0..all.size[lane].min(self.most_in_bulk()) {
                if all.bytes[lane] >> (at % GRAIN) & 1 == 0 {
                    continue;
                }
                let from = self.space(warp, op.from.place, all.from[lane].wrapping_add(at));
                let value = self.shadow_at(warp, lane, from, 1);
                for to in &targets {
                    let to = self.space(warp, op.to.place, to.wrapping_add(at));
                    let old =
                        if op.reduce.is_some() { self.shadow_at(warp, lane, to, 1) } else { 0 };
                    self.put_shadow(warp, lane, to, (1, value | old));
                }
            }
        }
    }

    /// Most bytes that a bulk copy can have: one of its ends is shared memory.
    pub(super) fn most_in_bulk(&self) -> u64 {
        self.launch.shared_len as u64
    }
}
