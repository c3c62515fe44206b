//! Functions that load texunit's runtime with the first call of one of them.
//!
//! The runtime cannot be loaded while the dynamic linker tells of a file that has one inside, and it must not be loaded before
//! the program: its functions would stand before those of the program's libraries. So the functions inside the file jump to
//! functions of this library, one for each that the runtime exports. Each jumps to the address in its *slot*: at first that of
//! code behind the jump, which has the runtime loaded into the program's name space, for nobody else (`RTLD_LOCAL`), and writes
//! the slots; from then on that of the runtime's function.

use crate::file::{self, Runtime};
use crate::{BASE, LinkMap, search};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_long};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Functions of one runtime, more than any exports.
const MOST: usize = 1024;
/// Both runtimes.
const ALL: usize = 2 * MOST;
/// What the dynamic linker ends a process with that lacks a library.
const NOT_LOADED: i32 = 127;

/// Where each function jumps to.
static SLOTS: [AtomicUsize; ALL] = [const { AtomicUsize::new(0) }; ALL];

/// The functions of a runtime by name, each with its number here, and their addresses in its file.
pub(crate) type Functions = BTreeMap<String, (usize, usize)>;

/// Those that are known.
static KNOWN: Mutex<BTreeMap<Runtime, Functions>> = Mutex::new(BTreeMap::new());

fn known<T>(work: impl FnOnce(&mut BTreeMap<Runtime, Functions>) -> T) -> T {
    work(&mut KNOWN.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The addresses here of the functions of a runtime, by name, or why there are none.
pub(crate) fn functions(runtime: Runtime) -> Result<BTreeMap<String, usize>, String> {
    known(|known| {
        if !known.contains_key(&runtime) {
            let path = super::beside_this(runtime.name());
            let path = path.ok_or_else(|| format!("texunit's {} is not found", runtime.name()))?;
            let exported = file::exported(&path, 0)?;
            if exported.len() > MOST {
                return Err(format!("texunit's {} has too many functions", runtime.name()));
            }
            let first = first(runtime);
            for number in first..first + exported.len() {
                SLOTS[number].store(code(number) + LOADING, Ordering::Relaxed);
            }
            let numbered = exported.into_iter().zip(first..);
            let numbered = numbered.map(|((name, at), number)| (name, (number, at)));
            known.insert(runtime, numbered.collect());
        }
        let functions = known[&runtime].iter();
        Ok(functions.map(|(name, &(number, _))| (name.clone(), code(number))).collect())
    })
}

/// The number of the first function of a runtime.
fn first(runtime: Runtime) -> usize {
    match runtime {
        Runtime::Cuda12 => 0,
        Runtime::Cuda13 => MOST,
    }
}

/// Loads the runtime of a function, and writes its slots; the function's address. No lock is held meanwhile: others may hold that
/// of the dynamic linker, which tells of the files that it loads.
extern "C" fn load(number: usize) -> usize {
    let runtime = if number < MOST { Runtime::Cuda12 } else { Runtime::Cuda13 };
    let address = loaded(runtime).unwrap_or_else(|why| {
        super::say(format_args!("texunit's {} cannot be loaded: {why}", runtime.name()));
        // The program's call has no answer that says so, whichever it is.
        // SAFETY: it ends the process.
        unsafe { libc::_exit(NOT_LOADED) }
    });
    known(|known| {
        for &(number, at) in known.get(&runtime).into_iter().flat_map(BTreeMap::values) {
            SLOTS[number].store(address.wrapping_add(at), Ordering::Relaxed);
        }
    });
    SLOTS[number].load(Ordering::Relaxed)
}

/// What is added to the addresses of a runtime's file, once it is loaded.
fn loaded(runtime: Runtime) -> Result<usize, String> {
    unsafe extern "C" {
        fn dlmopen(space: c_long, file: *const c_char, mode: libc::c_int) -> *mut LinkMap;
    }
    let path = super::beside_this(runtime.name()).and_then(|path| search::as_c(&path));
    let path = path.ok_or("its path is not known")?;
    // SAFETY: a C string.
    let map = unsafe { dlmopen(BASE, path.as_ptr(), libc::RTLD_NOW) };
    // SAFETY: null, or the dynamic linker's structure for a file that is never closed.
    if let Some(map) = unsafe { map.as_ref() } {
        return Ok(map.address);
    }
    // SAFETY: a text of the dynamic linker's, or null.
    let why = unsafe { libc::dlerror() };
    // SAFETY: as above.
    Err(if why.is_null() {
        String::new()
    } else {
        unsafe { CStr::from_ptr(why) }.to_string_lossy().into()
    })
}

/// The code of a function.
fn code(number: usize) -> usize {
    unsafe extern "C" {
        #[link_name = "texunit_redirect_functions"]
        static FUNCTIONS: [[u8; LENGTH]; ALL];
    }
    (&raw const FUNCTIONS).expose_provenance() + number * LENGTH
}

/// Bytes from one function to the next, and those of its jump.
#[cfg(target_arch = "x86_64")]
const LENGTH: usize = 16;
#[cfg(target_arch = "x86_64")]
const LOADING: usize = 6;
#[cfg(target_arch = "aarch64")]
const LENGTH: usize = 32;
#[cfg(target_arch = "aarch64")]
const LOADING: usize = 12;

// Each jumps by its slot; behind that it hands its number to code that keeps the arguments of the call, which is made when all is
// there.
#[cfg(target_arch = "x86_64")]
std::arch::global_asm!(
    ".pushsection .text.texunit_redirect_functions,\"ax\",@progbits",
    ".global texunit_redirect_functions",
    ".hidden texunit_redirect_functions",
    ".balign 16",
    "texunit_redirect_functions:",
    ".set texunit_number, 0",
    ".rept {all}",
    "jmp *{slots}+8*texunit_number(%rip)",
    ".byte 0x68", // push
    ".long texunit_number",
    "jmp texunit_redirect_load",
    ".balign 16",
    ".set texunit_number, texunit_number+1",
    ".endr",
    "texunit_redirect_load:",
    "push %rax",
    "push %rdi",
    "push %rsi",
    "push %rdx",
    "push %rcx",
    "push %r8",
    "push %r9",
    "sub $136, %rsp",
    "movups %xmm0, (%rsp)",
    "movups %xmm1, 16(%rsp)",
    "movups %xmm2, 32(%rsp)",
    "movups %xmm3, 48(%rsp)",
    "movups %xmm4, 64(%rsp)",
    "movups %xmm5, 80(%rsp)",
    "movups %xmm6, 96(%rsp)",
    "movups %xmm7, 112(%rsp)",
    "mov 192(%rsp), %rdi",
    "call {load}",
    "mov %rax, %r11",
    "movups (%rsp), %xmm0",
    "movups 16(%rsp), %xmm1",
    "movups 32(%rsp), %xmm2",
    "movups 48(%rsp), %xmm3",
    "movups 64(%rsp), %xmm4",
    "movups 80(%rsp), %xmm5",
    "movups 96(%rsp), %xmm6",
    "movups 112(%rsp), %xmm7",
    "add $136, %rsp",
    "pop %r9",
    "pop %r8",
    "pop %rcx",
    "pop %rdx",
    "pop %rsi",
    "pop %rdi",
    "pop %rax",
    "add $8, %rsp",
    "jmp *%r11",
    ".popsection",
    all = const ALL,
    slots = sym SLOTS,
    load = sym load,
    options(att_syntax)
);

#[cfg(target_arch = "aarch64")]
std::arch::global_asm!(
    ".pushsection .text.texunit_redirect_functions,\"ax\",@progbits",
    ".global texunit_redirect_functions",
    ".hidden texunit_redirect_functions",
    ".balign 32",
    "texunit_redirect_functions:",
    ".set texunit_number, 0",
    ".rept {all}",
    "adrp x16, {slots}+8*texunit_number",
    "ldr x17, [x16, :lo12:{slots}+8*texunit_number]",
    "br x17",
    "movz x16, #texunit_number",
    "b texunit_redirect_load",
    ".balign 32",
    ".set texunit_number, texunit_number+1",
    ".endr",
    "texunit_redirect_load:",
    "stp x29, x30, [sp, #-224]!",
    "mov x29, sp",
    "stp x0, x1, [sp, #16]",
    "stp x2, x3, [sp, #32]",
    "stp x4, x5, [sp, #48]",
    "stp x6, x7, [sp, #64]",
    "str x8, [sp, #80]",
    "stp q0, q1, [sp, #96]",
    "stp q2, q3, [sp, #128]",
    "stp q4, q5, [sp, #160]",
    "stp q6, q7, [sp, #192]",
    "mov x0, x16",
    "bl {load}",
    "mov x17, x0",
    "ldp x0, x1, [sp, #16]",
    "ldp x2, x3, [sp, #32]",
    "ldp x4, x5, [sp, #48]",
    "ldp x6, x7, [sp, #64]",
    "ldr x8, [sp, #80]",
    "ldp q0, q1, [sp, #96]",
    "ldp q2, q3, [sp, #128]",
    "ldp q4, q5, [sp, #160]",
    "ldp q6, q7, [sp, #192]",
    "ldp x29, x30, [sp], #224",
    "br x17",
    ".popsection",
    all = const ALL,
    slots = sym SLOTS,
    load = sym load,
);

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn sum(
        a: u64,
        b: u64,
        c: u64,
        d: u64,
        e: u64,
        f: u64,
        x: f64,
        y: f64,
        g: u64,
        h: u64,
    ) -> f64 {
        let all = [a, b, c, d, e, f, g, h];
        all.iter().rev().fold(x * 1000.0 + y, |sum, &value| sum * 10.0 + value as f64)
    }

    type Sum = extern "C" fn(u64, u64, u64, u64, u64, u64, f64, f64, u64, u64) -> f64;

    /// The last function, which no runtime has: its slot leads where it is told to.
    #[test]
    fn a_function_jumps_by_its_slot() {
        let (number, target) = (ALL - 1, sum as Sum);
        SLOTS[number].store(target as usize, Ordering::Relaxed);
        // SAFETY: code that jumps to a function of this type.
        let function = unsafe { std::mem::transmute::<usize, Sum>(code(number)) };
        let function = std::hint::black_box(function);
        let wanted = sum(1, 2, 3, 4, 5, 6, 7.0, 8.0, 9, 1);
        assert_eq!(function(1, 2, 3, 4, 5, 6, 7.0, 8.0, 9, 1).to_bits(), wanted.to_bits());
    }
}
