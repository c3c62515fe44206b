//! aarch64 implementation: an access is an `ldr` or `str`; an atomic is a loop of `ldxr` and
//! `stxr`, which every such processor has.

use super::{Atom, Cell};
use std::arch::asm;

macro_rules! cells {
    ($($number:ty, $wide:ty: $load:literal, $store:literal;)*) => {
        $(impl Cell for $number {
            #[inline(always)]
            unsafe fn load(from: *const u8) -> Self {
                let value: $wide;
                // SAFETY: as the caller promises.
                unsafe {
                    asm!($load, value = lateout(reg) value, from = in(reg) from,
                        options(readonly, nostack, preserves_flags));
                }
                value as Self
            }

            #[inline(always)]
            unsafe fn store(to: *mut u8, value: Self) {
                // SAFETY: as the caller promises.
                unsafe {
                    asm!($store, to = in(reg) to, value = in(reg) <$wide>::from(value),
                        options(nostack, preserves_flags));
                }
            }
        })*
    };
}
cells! {
    u8, u32: "ldrb {value:w}, [{from}]", "strb {value:w}, [{to}]";
    u16, u32: "ldrh {value:w}, [{from}]", "strh {value:w}, [{to}]";
    u32, u32: "ldr {value:w}, [{from}]", "str {value:w}, [{to}]";
    u64, u64: "ldr {value}, [{from}]", "str {value}, [{to}]";
}

macro_rules! atoms {
    ($($number:ty, $wide:ty: $load:literal, $compare:literal, $store:literal;)*) => {
        $(impl Atom for $number {
            #[inline(always)]
            unsafe fn compare_exchange(at: *mut u8, old: Self, new: Self) -> Self {
                let now: $wide;
                // SAFETY: as the caller promises.
                unsafe {
                    asm!(
                        "2:",
                        $load,
                        $compare,
                        "b.ne 3f",
                        $store,
                        "cbnz {failed:w}, 2b",
                        "3:",
                        at = in(reg) at,
                        now = out(reg) now,
                        old = in(reg) <$wide>::from(old),
                        new = in(reg) <$wide>::from(new),
                        failed = out(reg) _,
                        options(nostack),
                    );
                }
                now as Self
            }

            #[inline(always)]
            unsafe fn add(at: *mut u8, value: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { Self::update(at, |old| old.wrapping_add(value)) }
            }
        })*
    };
}
atoms! {
    u16, u32: "ldxrh {now:w}, [{at}]", "cmp {now:w}, {old:w}", "stxrh {failed:w}, {new:w}, [{at}]";
    u32, u32: "ldxr {now:w}, [{at}]", "cmp {now:w}, {old:w}", "stxr {failed:w}, {new:w}, [{at}]";
    u64, u64: "ldxr {now}, [{at}]", "cmp {now}, {old}", "stxr {failed:w}, {new}, [{at}]";
}

/// Copies 64 bytes in four pieces. An aligned 8-byte word is never torn.
///
/// # Safety
/// The arguments satisfy the safety contract of [`super::copy`].
#[inline(always)]
pub(super) unsafe fn copy_line(from: *const u8, to: *mut u8, _: bool) {
    // SAFETY: as the caller promises; only the named registers change.
    unsafe {
        asm!(
            "ldp {a:q}, {b:q}, [{from}]",
            "ldp {c:q}, {d:q}, [{from}, #32]",
            "stp {a:q}, {b:q}, [{to}]",
            "stp {c:q}, {d:q}, [{to}, #32]",
            from = in(reg) from,
            to = in(reg) to,
            a = out(vreg) _,
            b = out(vreg) _,
            c = out(vreg) _,
            d = out(vreg) _,
            options(nostack, preserves_flags),
        );
    }
}
