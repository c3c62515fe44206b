//! Programs that have NVIDIA's runtime linked into them (`-cudart static`, nvcc's default).
//!
//! That runtime works on NVIDIA's driver only. `texunit run` loads this library before such a program
//! (`LD_PRELOAD`) and sets `TEXUNIT_REDIRECT`: then, before the program's own code runs, each function of
//! the runtime inside it is made to jump to the function of the same name here. The functions are found
//! by the program's table of symbols, so a program without one (`strip`) cannot be helped.

use crate::call::say;
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol, ReadCache, elf};
use std::ffi::{CString, c_void};
use std::fs::File;

/// Set by `texunit run` for programs that want it.
const VARIABLE: &str = "TEXUNIT_REDIRECT";

/// The dynamic linker calls this before the program begins.
#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;

extern "C" fn start() {
    if std::env::var_os(VARIABLE).is_none() {
        return;
    }
    // Programs that this one starts are others: they have symbols of their own, or none.
    if let Err(why) = redirect() {
        say(format_args!(
            "the CUDA runtime inside this program cannot be replaced: {why}; link it with -cudart shared"
        ));
    }
}

/// A function of the runtime inside the program.
struct Found {
    address: usize,
    /// Bytes up to the next symbol: the function, and what fills the room behind it.
    room: usize,
    name: String,
}

fn redirect() -> Result<(), String> {
    let found = functions()?;
    if found.is_empty() {
        return Ok(());
    }
    let own = own_library()?;
    for function in &found {
        let Ok(name) = CString::new(function.name.as_str()) else { continue };
        // SAFETY: a handle of this library, and a name that ends with a zero byte.
        let target = unsafe { libc::dlsym(own, name.as_ptr()) };
        if !target.is_null() {
            write_jump(function, target.expose_provenance())?;
        }
    }
    Ok(())
}

/// The functions of the program that have names of the runtime API.
fn functions() -> Result<Vec<Found>, String> {
    let program = "/proc/self/exe";
    let cache = ReadCache::new(File::open(program).map_err(|e| format!("{program}: {e}"))?);
    let Ok(file) = ElfFile64::<Endianness, _>::parse(&cache) else { return Ok(Vec::new()) };
    let base = base(&file).ok_or("its program headers are not understood")?;
    let mut places: Vec<u64> = file.symbols().map(|symbol| symbol.address()).collect();
    places.sort_unstable();
    let mut found = Vec::new();
    for symbol in file.symbols().filter(|symbol| symbol.is_definition()) {
        let Ok(name) = symbol.name() else { continue };
        if name.starts_with("cuda") || name.starts_with("__cuda") {
            let address = symbol.address();
            let next = places.get(places.partition_point(|&place| place <= address));
            found.push(Found {
                address: base.wrapping_add(address) as usize,
                room: next.map_or(symbol.size(), |next| next - address) as usize,
                name: name.to_owned(),
            });
        }
    }
    if found.is_empty() && file.section_by_name(".symtab").is_none() {
        return Err("it has no table of symbols (it is stripped)".to_owned());
    }
    Ok(found)
}

/// What is added to addresses of the file: where the program was loaded.
fn base<'data>(file: &ElfFile64<'data, Endianness, &'data ReadCache<File>>) -> Option<u64> {
    let endian = file.endian();
    let headers = file.elf_header().program_headers(endian, file.data()).ok()?;
    let own = headers.iter().find(|header| header.p_type(endian) == elf::PT_PHDR)?;
    // SAFETY: it reads a number that the kernel of the system gave the process.
    let loaded = unsafe { libc::getauxval(libc::AT_PHDR) };
    Some(loaded.wrapping_sub(own.p_vaddr(endian)))
}

/// A handle of this library for `dlsym`.
fn own_library() -> Result<*mut c_void, String> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here = (start as extern "C" fn()) as *const c_void;
    // SAFETY: the pointer is to our own variable, and the name it gets is one for `dlopen`.
    let handle = unsafe {
        if libc::dladdr(here, &raw mut info) == 0 || info.dli_fname.is_null() {
            return Err("this library does not find itself".to_owned());
        }
        libc::dlopen(info.dli_fname, libc::RTLD_NOW | libc::RTLD_NOLOAD)
    };
    if handle.is_null() { Err("this library does not find itself".to_owned()) } else { Ok(handle) }
}

/// Instructions that jump to an address, with registers that a call may change.
#[cfg(target_arch = "x86_64")]
fn jump(target: usize) -> Vec<u8> {
    // movabs r11, target; jmp r11
    let mut code = vec![0x49, 0xbb];
    code.extend(target.to_le_bytes());
    code.extend([0x41, 0xff, 0xe3]);
    code
}

/// Instructions that jump to an address, with registers that a call may change.
#[cfg(target_arch = "aarch64")]
fn jump(target: usize) -> Vec<u8> {
    // ldr x16, .+8; br x16
    let mut code = vec![0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6];
    code.extend(target.to_le_bytes());
    code
}

/// Other machines have no CUDA.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn jump(_: usize) -> Vec<u8> {
    vec![0; usize::MAX.count_ones() as usize]
}

/// Makes the first instructions of a function a jump.
fn write_jump(function: &Found, target: usize) -> Result<(), String> {
    let code = jump(target);
    if function.room < code.len() {
        return Err(format!("its function {} is too short", function.name));
    }
    // SAFETY: a question without arguments that are pointers.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let first = function.address & !(page - 1);
    let length = (function.address + code.len()).next_multiple_of(page) - first;
    let pages = std::ptr::with_exposed_provenance_mut::<c_void>(first);
    let protect = |access| {
        // SAFETY: the pages are those of the program's code that hold the function.
        match unsafe { libc::mprotect(pages, length, access) } {
            0 => Ok(()),
            _ => Err(format!("its code cannot be changed: {}", std::io::Error::last_os_error())),
        }
    };
    protect(libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC)?;
    let place = std::ptr::with_exposed_provenance_mut::<u8>(function.address);
    // SAFETY: the function is as long as that, its pages can be written, and no code of the program
    // runs yet.
    unsafe { place.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
    protect(libc::PROT_READ | libc::PROT_EXEC)?;
    clear_cache(function.address, code.len());
    Ok(())
}

/// Makes the processor read changed code: by itself on x86.
#[cfg(not(target_arch = "aarch64"))]
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
