//! The trampoline through which compiled code calls host functions. The code passes the frame,
//! whose scratch registers hold sources and result, and the number of the function.

#![allow(unsafe_code, reason = "the code hands in the address of its frame")]

use crate::frame::{Frame, Trampoline};
use crate::ir::{LaneValues, Notification, Routine};
use crate::waiting::{Passed, WaitingWarps};
use crate::{B32, B64};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The bit that the code adds to the number of an instruction at which all warps wait
/// (`emit::yield_point`).
pub(crate) const POINT: u32 = 1 << 31;

/// The number with which compiled code calls [`crate::diverged::FrameDivergence::next_side`].
pub(crate) const NEXT_SIDE: u32 = 1 << 30;

/// Bits of the result of [`pass`]: whether all warps resume, and whether their turns have ended.
/// The higher bits are the number of instructions that each warp has executed.
pub(crate) const RESUMES: u64 = 1;
pub(crate) const ENDS_TURNS: u64 = 2;
pub(crate) const STEPS: u32 = 2;

/// The trampoline's address, which the code calls.
pub(crate) const CALL: Trampoline = call;

/// Calls a routine by number, or the runtime with [`POINT`] and the instruction of a yield point,
/// or makes the next side of diverged lanes active and returns its code address, which is 0 if the
/// warp has to exit. Sources of a routine are in the first four scratch registers of the frame, and
/// its result goes to the fifth; 32-bit lanes occupy the first half, the mask of a predicate the
/// first word. Routines return 0.
///
/// # Safety
///
/// The frame belongs to a running function that has a routine of this number, and its scratch
/// registers are not accessed otherwise during the call.
unsafe extern "sysv64" fn call(frame: *mut Frame, number: u32) -> u64 {
    if number & POINT != 0 {
        // SAFETY: the frame is valid, and the code does not access it until this function returns.
        return pass(unsafe { &mut *frame }, number & !POINT);
    }
    if number == NEXT_SIDE {
        // SAFETY: the frame is valid, and the code does not access it until this function returns.
        let frame = unsafe { &mut *frame };
        return frame.divergence.next_side(&mut frame.warp).unwrap_or(0);
    }
    // SAFETY: `Function::with` has stored the address of the function's routines there; they live
    // while it runs.
    let routine = unsafe { &*(*frame).inputs.routines.add(number as usize) };
    // SAFETY: the frame is valid, and no reference to it is created.
    let rows = unsafe { (&raw mut (*frame).scratch).cast::<B64>() };
    // SAFETY: the code has written all lanes of each register that the routine reads, and does not
    // write them until this function returns. The registers are aligned like the frame, and all bit
    // patterns are valid numbers.
    let (wide, narrow) = (|i| unsafe { &*rows.add(i) }, |i| unsafe { &*rows.add(i).cast::<B32>() });
    let (mut n, mut w) = ([0; 32], [0; 32]);
    match routine {
        Routine::B32(f) => f(&mut n, narrow(0), narrow(1), narrow(2)),
        Routine::Narrow(f) => f(&mut n, wide(0)),
        Routine::TestWide(f) => n[0] = f(wide(0), wide(1)),
        Routine::B64(f) => f(&mut w, wide(0), wide(1), wide(2)),
        Routine::Closure(f) => f(&mut w, [wide(0), wide(1), wide(2), wide(3)]),
        Routine::Notify(notification) => {
            let row = |i| match notification.narrow[i] {
                true => LaneValues::B32(narrow(i)),
                false => LaneValues::B64(wide(i)),
            };
            // SAFETY: the frame is valid, and the registers are its scratch registers.
            unsafe { notify(frame, notification, [row(0), row(1), row(2), row(3)]) };
            return 0;
        }
    }
    let is_wide = matches!(routine, Routine::B64(_) | Routine::Closure(_));
    // SAFETY: the fifth scratch register is there for the result, and nothing refers to it.
    unsafe {
        if is_wide {
            rows.add(4).write(w);
        } else {
            rows.add(4).cast::<B32>().write(n);
        }
    }
    0
}

/// Notifies the listener, if there is one.
///
/// # Safety
///
/// As [`call`]; `rows` are scratch registers of the frame.
unsafe fn notify(frame: *mut Frame, notification: &Notification, rows: [LaneValues<'_>; 4]) {
    // SAFETY: the frame is valid by this function's contract.
    let (listener, warp, lanes) =
        unsafe { ((*frame).listener, (*frame).warp.index, (*frame).notified) };
    let rows = &rows[..usize::from(notification.sources.min(4))];
    if let (Some(mut listener), true) = (listener, lanes != 0) {
        // SAFETY: `Running::listen` made this pointer from a unique reference that lives while the
        // function runs. Nothing else uses the reference meanwhile, and the listener cannot reach
        // the frame.
        unsafe { listener.as_mut() }.notify(notification.number, warp, lanes, rows);
    }
}

/// Lets the runtime execute the instruction at which all warps of the table wait. Returns 0 if the
/// warps cannot resume.
fn pass(frame: &mut Frame, at: u32) -> u64 {
    let all = frame.batch.all as usize;
    let Some(mut runtime) = frame.runtime else { return 0 };
    let narrow = frame.narrow[..all].as_mut_ptr().cast::<&mut [B32]>();
    // SAFETY: `WarpTable::add` has stored these pointers, which were references to different slices
    // that are borrowed while the table lives. Compiled code does not run meanwhile.
    let narrow = unsafe { std::slice::from_raw_parts_mut(narrow, all) };
    let mut warps = WaitingWarps { slots: &mut frame.slots[..all], narrow };
    // SAFETY: `WarpTable::wait_at_yield_points` made this pointer from a unique reference that
    // lives while the table does. The runtime cannot reach the frame.
    let runtime = unsafe { runtime.as_mut() };
    // A panic cannot unwind through compiled code.
    let passed = match catch_unwind(AssertUnwindSafe(|| runtime.execute(at, &mut warps))) {
        Ok(passed) => passed,
        Err(panic) => {
            frame.panic = Some(panic);
            None
        }
    };
    let Some(Passed { warps, steps, ends_turns }) = passed else { return 0 };
    frame.batch.passed = at;
    if warps == all {
        return u64::from(steps) << STEPS | if ends_turns { ENDS_TURNS } else { 0 } | RESUMES;
    }
    frame.batch.passed_warps = warps as u32;
    for slot in &mut frame.slots[..warps] {
        slot.steps += u64::from(steps);
        if ends_turns {
            slot.atomics_left = slot.atomics;
        }
    }
    0
}
