//! Loops over the elements of all lanes, specialised by size.

#![allow(clippy::needless_range_loop, reason = "a lane indexes several arrays at once")]

use super::{ActiveLanes, Registers, Sink, Source};
use crate::code::{Access, Constants, Slot};
use crate::exec::decoded::each;
use crate::exec::warp::{lanes, narrow};

/// Writes the lanes' values to a register. If all lanes get the same value, it is computed once.
#[inline(always)]
fn fill<T: Copy>(to: &mut [T; 32], active: ActiveLanes, same: bool, value: impl Fn(usize) -> T) {
    let all = active.mask == active.live;
    if same {
        let value = value(active.mask.trailing_zeros() as usize & 31);
        match all {
            true => *to = [value; 32],
            false => each::merge(to, &[value; 32], active.mask),
        }
    } else if all {
        for lane in 0..32 {
            to[lane] = value(lane);
        }
    } else {
        for lane in lanes(active.mask) {
            to[lane] = value(lane);
        }
    }
}

/// Loads the elements of one register.
#[inline(never)]
fn load_part<S: Source, const N: usize, const SIGNED: bool>(
    source: &S,
    (registers, d): (&mut Registers<'_>, Slot),
    (offset, keep): (u32, u64),
    active: ActiveLanes,
) {
    let same = S::COMMON && active.same;
    let element = |lane: usize| {
        let value = source.element::<N>(lane, offset);
        let sign = 64 - 8 * N as u32;
        let value = if SIGNED { ((value << sign) as i64 >> sign) as u64 } else { value };
        value & keep
    };
    if d.is_wide() {
        return fill(&mut registers.wide[d.index()], active, same, element);
    }
    let to = &mut registers.narrow[d.index()];
    let whole = N == 4 && keep as u32 == u32::MAX && !same;
    if !(whole && source.row(to, offset, active)) {
        fill(to, active, same, |lane| element(lane) as u32);
    }
}

/// Loads the elements of all lanes.
#[inline(always)]
pub(in crate::exec) fn load<S: Source>(
    source: &S,
    mut registers: Registers<'_>,
    access: &Access,
    active: ActiveLanes,
) {
    let part = match (access.size, access.signed) {
        (1, false) => load_part::<S, 1, false>,
        (1, true) => load_part::<S, 1, true>,
        (2, false) => load_part::<S, 2, false>,
        (2, true) => load_part::<S, 2, true>,
        (4, false) => load_part::<S, 4, false>,
        (4, true) => load_part::<S, 4, true>,
        _ => load_part::<S, 8, false>,
    };
    for (k, &d) in access.parts.iter().enumerate() {
        if !d.is_none() {
            let offset = k as u32 * u32::from(access.size);
            part(source, (&mut registers, d), (offset, access.mask), active);
        }
    }
}

/// Stores the elements of one operand.
#[inline(never)]
fn store_part<S: Sink, const N: usize>(
    sink: &mut S,
    (registers, constants): (&Registers<'_>, &Constants),
    (from, offset): (Slot, u32),
    active: ActiveLanes,
) {
    if from.is_wide() {
        let row = if from.is_constant() { &constants.wide[..] } else { &*registers.wide };
        let row = &row[from.index()];
        return put_all(active, |lane| sink.put::<N>(lane, offset, row[lane]));
    }
    let row = narrow(registers.narrow, constants, from);
    if !(N == 4 && sink.put_row(row, offset, active)) {
        put_all(active, |lane| sink.put::<N>(lane, offset, row[lane].into()));
    }
}

#[inline(always)]
fn put_all(active: ActiveLanes, mut put: impl FnMut(usize)) {
    if active.mask == u32::MAX {
        (0..32).for_each(put);
    } else {
        lanes(active.mask).for_each(&mut put);
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
    let part = match access.size {
        1 => store_part::<S, 1>,
        2 => store_part::<S, 2>,
        4 => store_part::<S, 4>,
        _ => store_part::<S, 8>,
    };
    for (k, &source) in access.parts.iter().enumerate() {
        part(sink, from, (source, k as u32 * u32::from(access.size)), active);
    }
}
