//! Patches loaded code: overwrites the first instructions of a function with a jump to its
//! replacement.

use std::ffi::c_void;

/// The machine code before and after the target's address in a jump: `movabs r11, target; jmp r11`.
#[cfg(target_arch = "x86_64")]
const AROUND_TARGET: [&[u8]; 2] = [&[0x49, 0xbb], &[0x41, 0xff, 0xe3]];
/// The machine code before and after the target's address in a jump: `ldr x16, .+8; br x16`.
#[cfg(target_arch = "aarch64")]
const AROUND_TARGET: [&[u8]; 2] = [&[0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6], &[]];

/// Instructions that jump to an address, through a register that calls need not preserve.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn code(target: usize) -> Vec<u8> {
    [AROUND_TARGET[0], &target.to_le_bytes(), AROUND_TARGET[1]].concat()
}

/// A jump that is to overwrite the start of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jump {
    /// Address of the function that is overwritten.
    pub(crate) at: usize,
    /// Number of bytes of the function, which the jump must not exceed.
    pub(crate) room: usize,
    /// Address of the replacement, to which the jump leads.
    pub(crate) target: usize,
}

/// Overwrites the start of functions in the loaded code of one file with jumps to their
/// replacements.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn write(jumps: &[Jump]) -> Result<(), String> {
    let length = code(0).len();
    if jumps.iter().any(|jump| jump.room < length) {
        return Err("a function is too short".to_owned());
    }
    let starts = || jumps.iter().map(|jump| jump.at);
    let (Some(first), Some(last)) = (starts().min(), starts().max()) else { return Ok(()) };
    // SAFETY: `sysconf` takes no pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let first = first & !(page - 1);
    let size = (last + length).next_multiple_of(page) - first;
    let pages = std::ptr::with_exposed_provenance_mut::<c_void>(first);
    let protect = |access| {
        // SAFETY: the pages are those of the file's code from the first function to the last, as a
        // file's code is one contiguous mapping.
        match unsafe { libc::mprotect(pages, size, access) } {
            0 => Ok(()),
            _ => Err(format!("its code cannot be changed: {}", std::io::Error::last_os_error())),
        }
    };
    // The pages are never writable and executable at once. None of their code runs meanwhile, by
    // the invariant of the crate.
    protect(libc::PROT_READ | libc::PROT_WRITE)?;
    for jump in jumps {
        let code = code(jump.target);
        let place = std::ptr::with_exposed_provenance_mut::<u8>(jump.at);
        // SAFETY: by the invariant of the crate; the pages are writable now.
        unsafe { place.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        clear_cache(jump.at, code.len());
    }
    protect(libc::PROT_READ | libc::PROT_EXEC)
}

/// Fails: CUDA exists on x86-64 and 64-bit ARM only.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn write(_: &[Jump]) -> Result<(), String> {
    Err("this is done on x86-64 and aarch64 only".to_owned())
}

/// Makes changed code visible to instruction fetch, which x86 does by itself.
#[cfg(target_arch = "x86_64")]
fn clear_cache(_: usize, _: usize) {}

/// Makes changed code visible to instruction fetch.
#[cfg(target_arch = "aarch64")]
fn clear_cache(address: usize, length: usize) {
    unsafe extern "C" {
        fn __clear_cache(start: *mut c_void, end: *mut c_void);
    }
    let at = |address| std::ptr::with_exposed_provenance_mut::<c_void>(address);
    // SAFETY: the range has just been written.
    unsafe { __clear_cache(at(address), at(address + length)) }
}

#[cfg(all(test, any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[inline(never)]
    extern "C" fn first(x: u32) -> u32 {
        let mut y = std::hint::black_box(x);
        for _ in 0..std::hint::black_box(3) {
            y = std::hint::black_box(y.wrapping_mul(3).rotate_left(y & 7));
        }
        y
    }

    #[inline(never)]
    extern "C" fn second(x: u32) -> u32 {
        std::hint::black_box(x) + 1
    }

    /// A new page of code for the test, as the test's own code cannot be executed while it is
    /// written.
    fn page_with(code: &[u8]) -> usize {
        // SAFETY: a new mapping at an address that the system chooses.
        let page = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert_ne!(page, libc::MAP_FAILED);
        // SAFETY: the page is new, writable, and longer than the code.
        unsafe { page.cast::<u8>().copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        clear_cache(page.expose_provenance(), code.len());
        // SAFETY: the page belongs to this test.
        assert_eq!(unsafe { libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC) }, 0);
        page.expose_provenance()
    }

    /// Access rights of the page at an address, as the system shows them: `r-xp`.
    fn access(address: usize) -> String {
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let hex = |text: &str| usize::from_str_radix(text, 16).unwrap();
        let line = maps.lines().find(|line| {
            let (from, rest) = line.split_once('-').unwrap();
            (hex(from)..hex(rest.split(' ').next().unwrap())).contains(&address)
        });
        line.unwrap().split(' ').nth(1).unwrap().to_owned()
    }

    #[test]
    fn a_function_becomes_another() {
        let (one, two) = (first as extern "C" fn(u32) -> u32, second as extern "C" fn(u32) -> u32);
        let at = page_with(&code(one as usize));
        // SAFETY: the page contains code that jumps to a function of this type.
        let function: extern "C" fn(u32) -> u32 =
            unsafe { std::mem::transmute(std::ptr::with_exposed_provenance::<c_void>(at)) };
        assert_eq!(function(7), first(7));
        assert_ne!(function(7), 8);
        let target = two as usize;
        assert!(write(&[Jump { at, room: 8, target }]).is_err());
        assert_eq!(function(7), first(7));
        write(&[Jump { at, room: 32, target }]).unwrap();
        assert_eq!(std::hint::black_box(function)(7), 8);
        assert_eq!(access(at), "r-xp");
    }
}
