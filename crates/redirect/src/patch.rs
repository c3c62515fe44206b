//! Writing a jump over the first instructions of a function.

use std::ffi::c_void;

/// Instructions that jump to an address, with a register that a call may change.
#[cfg(target_arch = "x86_64")]
fn code(target: usize) -> Vec<u8> {
    // movabs r11, target; jmp r11
    let mut code = vec![0x49, 0xbb];
    code.extend(target.to_le_bytes());
    code.extend([0x41, 0xff, 0xe3]);
    code
}

/// Instructions that jump to an address, with a register that a call may change.
#[cfg(target_arch = "aarch64")]
fn code(target: usize) -> Vec<u8> {
    // ldr x16, .+8; br x16
    let mut code = vec![0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6];
    code.extend(target.to_le_bytes());
    code
}

/// Makes a function at an address, with `room` bytes, jump to another.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) fn jump(address: usize, room: usize, target: usize) -> Result<(), String> {
    let code = code(target);
    if room < code.len() {
        return Err("it is too short".to_owned());
    }
    // SAFETY: a question without pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let first = address & !(page - 1);
    let length = (address + code.len()).next_multiple_of(page) - first;
    let pages = std::ptr::with_exposed_provenance_mut::<c_void>(first);
    let protect = |access| {
        // SAFETY: the pages are those of the file's code that hold the function.
        match unsafe { libc::mprotect(pages, length, access) } {
            0 => Ok(()),
            _ => Err(format!("its code cannot be changed: {}", std::io::Error::last_os_error())),
        }
    };
    protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
    let place = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: see the invariant of the crate; the pages can be written now.
    unsafe { place.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
    protect(libc::PROT_READ | libc::PROT_EXEC)?;
    clear_cache(address, code.len());
    Ok(())
}

/// Other machines have no CUDA.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub(crate) fn jump(_: usize, _: usize, _: usize) -> Result<(), String> {
    Err("this is done on x86-64 and aarch64 only".to_owned())
}

/// Makes the processor read changed code: by itself on x86.
#[cfg(target_arch = "x86_64")]
fn clear_cache(_: usize, _: usize) {}

/// Makes the processor read changed code.
#[cfg(target_arch = "aarch64")]
fn clear_cache(address: usize, length: usize) {
    unsafe extern "C" {
        fn __clear_cache(start: *mut c_void, end: *mut c_void);
    }
    let at = |address| std::ptr::with_exposed_provenance_mut::<c_void>(address);
    // SAFETY: the range was just written.
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

    #[test]
    fn a_function_becomes_another() {
        let first: extern "C" fn(u32) -> u32 = std::hint::black_box(first);
        let (address, target) = (first as usize, second as extern "C" fn(u32) -> u32 as usize);
        assert_ne!(first(7), 8);
        assert!(jump(address, 8, target).is_err());
        jump(address, 32, target).unwrap();
        assert_eq!(std::hint::black_box(first)(7), 8);
    }
}
