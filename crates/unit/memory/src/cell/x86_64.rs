//! x86-64 implementation: an access is a `mov`; an atomic is an instruction with the prefix `lock`.

use super::{Atom, Cell};
use std::arch::asm;

macro_rules! cells {
    ($($number:ty, $wide:ty: $load:literal, $store:literal, $class:ident;)*) => {
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
                    asm!($store, to = in(reg) to, value = in($class) value,
                        options(nostack, preserves_flags));
                }
            }
        })*
    };
}
cells! {
    u8, u32: "movzx {value:e}, byte ptr [{from}]", "mov byte ptr [{to}], {value}", reg_byte;
    u16, u32: "movzx {value:e}, word ptr [{from}]", "mov word ptr [{to}], {value:x}", reg;
    u32, u32: "mov {value:e}, dword ptr [{from}]", "mov dword ptr [{to}], {value:e}", reg;
    u64, u64: "mov {value}, qword ptr [{from}]", "mov qword ptr [{to}], {value}", reg;
}

macro_rules! atoms {
    ($($number:ty, $a:tt: $cas:literal, $add:literal;)*) => {
        $(impl Atom for $number {
            #[inline(always)]
            unsafe fn compare_exchange(at: *mut u8, old: Self, new: Self) -> Self {
                let now: Self;
                // SAFETY: as the caller promises.
                unsafe {
                    asm!($cas, at = in(reg) at, new = in(reg) new, inout($a) old => now, options(nostack));
                }
                now
            }

            #[inline(always)]
            unsafe fn add(at: *mut u8, mut value: Self) -> Self {
                // SAFETY: as the caller promises.
                unsafe { asm!($add, at = in(reg) at, value = inout(reg) value, options(nostack)) };
                value
            }
        })*
    };
}
atoms! {
    u16, "ax": "lock cmpxchg word ptr [{at}], {new:x}", "lock xadd word ptr [{at}], {value:x}";
    u32, "eax": "lock cmpxchg dword ptr [{at}], {new:e}", "lock xadd dword ptr [{at}], {value:e}";
    u64, "rax": "lock cmpxchg qword ptr [{at}], {new}", "lock xadd qword ptr [{at}], {value}";
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
            "movups {a}, [{from}]",
            "movups {b}, [{from} + 16]",
            "movups {c}, [{from} + 32]",
            "movups {d}, [{from} + 48]",
            "movups [{to}], {a}",
            "movups [{to} + 16], {b}",
            "movups [{to} + 32], {c}",
            "movups [{to} + 48], {d}",
            from = in(reg) from,
            to = in(reg) to,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags),
        );
    }
}

/// Size in bytes of copies for which [`copy_words`] is faster than [`copy_line`]: whole cache lines
/// are written without being read first.
pub(super) const LONG: usize = 8 << 10;

/// Copies words of 8 bytes. An aligned one is never torn.
///
/// # Safety
/// The arguments satisfy the safety contract of [`super::copy`], with `count` words.
#[inline(always)]
pub(super) unsafe fn copy_words(from: *const u8, to: *mut u8, count: usize) {
    // SAFETY: as the caller promises; by the calling convention the direction is upwards.
    unsafe {
        asm!(
            "rep movsq",
            inout("rcx") count => _,
            inout("rsi") from => _,
            inout("rdi") to => _,
            options(nostack, preserves_flags),
        );
    }
}
