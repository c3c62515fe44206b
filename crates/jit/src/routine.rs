//! Functions of rows that code of regions calls.

#![allow(unsafe_code, reason = "the code hands in the address of its frame")]

use crate::emit::Frame;
use crate::region::Routine;
use crate::{Narrow, Wide};

/// What code calls: a routine by its number, with sources in the first four scratch rows and the result in
/// the fifth. Rows of 32 bits lie in the first half of theirs; lanes for a predicate in the first word.
pub(crate) type Caller = unsafe extern "sysv64" fn(*mut Frame, u32);

/// See [`Caller`].
///
/// # Safety
///
/// The frame is that of a running function that has a routine of this number, and nobody else uses its
/// scratch rows meanwhile.
pub(crate) unsafe extern "sysv64" fn call(frame: *mut Frame, number: u32) {
    // SAFETY: `Running::run` has put the address of the function's routines there, which live as long as it runs.
    let routine = unsafe { &*(*frame).routines.add(number as usize) };
    // SAFETY: no reference is made; the frame is there.
    let rows = unsafe { (&raw mut (*frame).scratch).cast::<Wide>() };
    let (mut n, mut w) = ([0; 32], [0; 32]);
    // SAFETY: the code has written all lanes of each row that its routine reads, and leaves them alone until this
    // returns; rows are aligned as the frame is, and any bits are numbers.
    let (wide, narrow) =
        (|i| unsafe { &*rows.add(i) }, |i| unsafe { &*rows.add(i).cast::<Narrow>() });
    let is_narrow = match routine {
        Routine::Narrow(f) => {
            f(&mut n, narrow(0), narrow(1), narrow(2));
            true
        }
        Routine::Narrow4(f) => {
            f(&mut n, narrow(0), narrow(1), narrow(2), narrow(3));
            true
        }
        Routine::Cut(f) => {
            f(&mut n, wide(0));
            true
        }
        Routine::Test(f) => {
            n[0] = f(narrow(0), narrow(1));
            true
        }
        Routine::TestWide(f) => {
            n[0] = f(wide(0), wide(1));
            true
        }
        Routine::Wide(f) => {
            f(&mut w, wide(0), wide(1), wide(2));
            false
        }
        Routine::Wide4(f) => {
            f(&mut w, wide(0), wide(1), wide(2), wide(3));
            false
        }
        Routine::Widen(f) => {
            f(&mut w, narrow(0), narrow(1), wide(2));
            false
        }
        Routine::Data(f) => {
            f(&mut w, [wide(0), wide(1), wide(2), wide(3)]);
            false
        }
    };
    // SAFETY: the fifth row is there for it.
    unsafe {
        if is_narrow {
            rows.add(4).cast::<Narrow>().write(n);
        } else {
            rows.add(4).write(w);
        }
    }
}
