//! Loops over the elements of all lanes.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::{ActiveLanes, Registers, Sink, Source};
use crate::code::{Access, Constants, Slot};
use crate::exec::decoded::each;
use crate::exec::warp::{lanes, narrow};
use texunit_alu::{L32, L64};

/// Loads 4-byte elements into a register of 32 bits.
#[inline(never)]
fn load_words<S: Source>(
    source: &S,
    to: &mut L32,
    (offset, keep): (u32, u32),
    active: ActiveLanes,
) {
    let same = S::COMMON && active.same;
    if !same && keep == u32::MAX && source.row(to, offset, active) {
        return;
    }
    let word = |lane: usize| source.element(lane, offset, 4) as u32 & keep;
    if same {
        put(to, &[word(active.mask.trailing_zeros() as usize & 31); 32], active);
    } else if active.mask == active.live {
        for lane in 0..32 {
            to[lane] = word(lane);
        }
    } else {
        for lane in lanes(active.mask) {
            to[lane] = word(lane);
        }
    }
}

/// Writes the active lanes of a register.
#[inline(always)]
fn put<T: Copy>(to: &mut [T; 32], values: &[T; 32], active: ActiveLanes) {
    if active.mask == active.live { *to = *values } else { each::merge(to, values, active.mask) }
}

/// Loads elements of any size.
#[inline(never)]
fn load_elements<S: Source>(
    source: &S,
    (access, offset): (&Access, u32),
    to: &mut L64,
    active: ActiveLanes,
) {
    let sign = if access.signed { 1 << (8 * access.size - 1) } else { 0 };
    let element = |lane: usize| {
        let value = source.element(lane, offset, access.size);
        (value ^ sign).wrapping_sub(sign) & access.mask
    };
    if S::COMMON && active.same {
        *to = [element(active.mask.trailing_zeros() as usize & 31); 32];
    } else {
        for lane in lanes(active.mask) {
            to[lane] = element(lane);
        }
    }
}

/// Loads the elements of all lanes.
#[inline(always)]
pub(in crate::exec) fn load<S: Source>(
    source: &S,
    registers: Registers<'_>,
    access: &Access,
    active: ActiveLanes,
) {
    let Registers { narrow, wide } = registers;
    for (k, &d) in access.parts.iter().enumerate() {
        let offset = k as u32 * u32::from(access.size);
        if d.is_none() {
            continue;
        }
        if access.size == 4 && !d.is_wide() {
            let keep = access.mask as u32;
            load_words(source, &mut narrow[d.index()], (offset, keep), active);
        } else {
            let mut values = [0; 32];
            load_elements(source, (access, offset), &mut values, active);
            if d.is_wide() {
                put(&mut wide[d.index()], &values, active);
            } else {
                put(&mut narrow[d.index()], &values.map(|v| v as u32), active);
            }
        }
    }
}

/// Stores the elements of one operand.
#[inline(never)]
fn store_part<S: Sink>(
    sink: &mut S,
    (registers, constants): (&Registers<'_>, &Constants),
    (from, offset, size): (Slot, u32, u8),
    active: ActiveLanes,
) {
    if from.is_wide() {
        let row = if from.is_constant() { &constants.wide[..] } else { &*registers.wide };
        let row = &row[from.index()];
        for lane in lanes(active.mask) {
            sink.put(lane, offset, size, row[lane]);
        }
        return;
    }
    let row = narrow(registers.narrow, constants, from);
    if size != 4 {
        for lane in lanes(active.mask) {
            sink.put(lane, offset, size, row[lane].into());
        }
    } else if !sink.put_row(row, offset, active) {
        for lane in lanes(active.mask) {
            sink.put(lane, offset, 4, row[lane].into());
        }
    }
}

/// Stores the elements of all lanes, in lane order.
#[inline(always)]
pub(in crate::exec) fn store<S: Sink>(
    sink: &mut S,
    from: (&Registers<'_>, &Constants),
    access: &Access,
    active: ActiveLanes,
) {
    for (k, &source) in access.parts.iter().enumerate() {
        let size = access.size;
        store_part(sink, from, (source, k as u32 * u32::from(size), size), active);
    }
}
