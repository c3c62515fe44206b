//! Executes `cp.async`, `cp.async.bulk` and `cp.reduce.async.bulk` (PTX ISA 9.7.9.25). The copies
//! are made immediately, which a program that waits for them cannot observe.

use super::atomic::apply;
use super::context::Context;
use super::memory::{LOAD, STORE, space_at};
use super::outcome::{Done, bad_operand};
use super::warp::{Warp, lanes};
use crate::code::{AsyncCopy, Located};
use texunit_forms::Count;

/// Operands of an asynchronous copy in each lane.
pub(super) struct Operands {
    /// Number of bytes that are written, and number of bytes that are read; the remaining bytes are
    /// written as zeros.
    pub(super) size: [u64; 32],
    pub(super) read: [u64; 32],
    /// Mask of the CTAs of the cluster that receive the data.
    pub(super) ranks: Option<[u64; 32]>,
    /// Mask of the bytes that are written in each 16 bytes.
    pub(super) bytes: [u64; 32],
    pub(super) from: [u64; 32],
    pub(super) to: [u64; 32],
}

impl Operands {
    /// The destination addresses of a lane, one for each receiving CTA.
    fn targets(&self, context: &Context<'_>, lane: usize) -> Vec<u64> {
        let to = self.to[lane];
        let ranks = self.ranks.map(|ranks| lanes(ranks[lane] as u32 & 0xffff));
        match ranks {
            Some(ranks) => ranks.map(|rank| context.map_shared(to, 0, rank as u32)).collect(),
            None => vec![to],
        }
    }

    fn writes(&self, lane: usize, at: u64) -> bool {
        self.bytes[lane] >> (at % 16) & 1 == 1
    }
}

impl Context<'_> {
    /// The addresses that a memory operand has in the lanes.
    pub(super) fn place_of(&mut self, warp: &Warp, at: &Located) -> [u64; 32] {
        self.address(warp, at.base, at.offset);
        self.addresses
    }

    pub(super) fn copy_operands(&mut self, warp: &Warp, op: &AsyncCopy) -> Operands {
        let operand = |slot| {
            let mut out = [0; 32];
            warp.read(&self.launch.constants, slot, &mut out);
            out
        };
        let size = operand(op.size);
        let mut read = if op.read.is_none() { size } else { operand(op.read) };
        lanes(warp.p(op.ignore)).for_each(|lane| read[lane] = 0);
        let bytes = if op.bytes.is_none() { [u64::MAX; 32] } else { operand(op.bytes) };
        let ranks = (!op.ranks.is_none()).then(|| operand(op.ranks));
        let (from, to) = (self.place_of(warp, &op.from), self.place_of(warp, &op.to));
        Operands { size, read, ranks, bytes, from, to }
    }

    /// Executes a copy, lane by lane.
    pub(super) fn async_copy(&mut self, warp: &mut Warp, op: &AsyncCopy, mask: u32) -> Done {
        let (all, grain) = (self.copy_operands(warp, op), u64::from(op.grain));
        for lane in lanes(mask) {
            let (from, to, size) = (all.from[lane], all.to[lane], all.size[lane]);
            for (place, address, kind) in
                [(op.from.mem_space, from, LOAD), (op.to.mem_space, to, STORE)]
            {
                if !address.is_multiple_of(grain) {
                    let at = space_at(place, address);
                    return self.misaligned(warp, lane, at, op.grain.into(), kind);
                }
            }
            let bytes = |n| Count(n, "byte");
            if !size.is_multiple_of(grain) {
                let what = format!("{}: sizes are multiples of {grain}", bytes(size));
                return bad_operand(lane, format!("a bulk copy of {what}"));
            }
            if all.read[lane] > size {
                let (size, read) = (bytes(size), bytes(all.read[lane]));
                return bad_operand(lane, format!("cp.async of {size} cannot read {read}"));
            }
            match op.reduce {
                None => self.copy_bytes(warp, op, lane, &all)?,
                Some(_) => self.reduce_elements(warp, op, lane, (from, to, size))?,
            }
        }
        Ok(())
    }

    fn copy_bytes(&mut self, warp: &mut Warp, op: &AsyncCopy, lane: usize, all: &Operands) -> Done {
        let (targets, total) = (all.targets(self, lane), op.grain.into());
        let unit = u64::from(op.grain.min(8));
        for at in (0..all.size[lane]).step_by(unit as usize) {
            let mut load = |from: u64, size: u8| {
                let from = all.from[lane].wrapping_add(from);
                self.load_one(warp, lane, (op.from.mem_space, from), (size, total))
            };
            let value = match all.read[lane].saturating_sub(at) {
                0 => 0,
                left if left >= unit => load(at, unit as u8)?,
                left => (0..left).try_fold(0, |value, byte| {
                    load(at + byte, 1).map(|loaded| value | loaded << (8 * byte))
                })?,
            };
            let is_whole = (at..at + unit).all(|at| all.writes(lane, at));
            for to in targets.iter().map(|to| to.wrapping_add(at)) {
                if is_whole {
                    self.store_one(warp, lane, (op.to.mem_space, to), (unit as u8, total), value)?;
                    continue;
                }
                for byte in (0..unit).filter(|byte| all.writes(lane, at + byte)) {
                    let (to, value) = (to.wrapping_add(byte), value >> (8 * byte) & 0xff);
                    self.store_one(warp, lane, (op.to.mem_space, to), (1, total), value)?;
                }
            }
        }
        Ok(())
    }

    fn reduce_elements(
        &mut self,
        warp: &mut Warp,
        op: &AsyncCopy,
        lane: usize,
        (from, to, size): (u64, u64, u64),
    ) -> Done {
        let Some((reduce, ty)) = op.reduce else { return Ok(()) };
        let bytes = ty.bytes();
        for at in (0..size).step_by(bytes as usize) {
            let from = from.wrapping_add(at);
            let b = self.load_one(warp, lane, (op.from.mem_space, from), (bytes as u8, bytes))?;
            let place = (op.to.mem_space, to.wrapping_add(at));
            self.update(warp, place, lane, (0, bytes, bytes), |old, is_global| {
                apply(reduce, ty, old, (b, 0), is_global)
            })?;
        }
        Ok(())
    }

    /// Copies the shadow of the copied bytes. The result of a reduction is uninitialised where one
    /// of its operands is.
    pub(super) fn copy_shadow(&mut self, warp: &mut Warp, op: &AsyncCopy, mask: u32) {
        let all = self.copy_operands(warp, op);
        for lane in lanes(mask) {
            let targets = all.targets(self, lane);
            // If the size is larger, the instruction itself faults.
            let size = all.size[lane].min(self.most_in_bulk());
            for at in (0..size).filter(|&at| all.writes(lane, at)) {
                let mut value = 0;
                if at < all.read[lane] {
                    let from = space_at(op.from.mem_space, all.from[lane].wrapping_add(at));
                    value = self.shadow_at(warp, lane, from, 1);
                }
                for to in &targets {
                    let to = space_at(op.to.mem_space, to.wrapping_add(at));
                    let old =
                        if op.reduce.is_some() { self.shadow_at(warp, lane, to, 1) } else { 0 };
                    self.put_shadow(warp, lane, to, (1, value | old));
                }
            }
        }
    }

    /// Maximum size of a copy, one end of which is in shared memory.
    pub(super) fn most_in_bulk(&self) -> u64 {
        self.launch.shared_len as u64
    }
}
