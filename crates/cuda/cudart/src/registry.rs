//! Registry of the fatbins, kernels and variables that the program's generated code registers
//! before `main`, by the addresses of their host counterparts. Fatbins are loaded at the first use.

use crate::call::check;
use crate::codes::{INVALID_DEVICE_FUNCTION, INVALID_SYMBOL};
use crate::driver::{self, CUkernel, CUlibrary, ask};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut, with_exposed_provenance_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CUdeviceptr, CUresult, FIRST_HANDLE, Refusal, lock};

/// A registered fatbin; its key is the address of its wrapper.
#[derive(Debug, Default)]
struct Binary {
    /// The loaded library, or the error of loading it; `None` before the first use.
    library: Option<Answer<CUlibrary>>,
    /// Managed variables: name, and address of the host pointer to each.
    managed: Vec<(CString, usize)>,
}

/// A kernel or variable of a fatbin.
#[derive(Debug)]
struct Symbol {
    /// Key of the fatbin.
    binary: usize,
    /// Name in the PTX.
    name: CString,
}

#[derive(Debug, Default)]
struct Registry {
    binaries: BTreeMap<usize, Binary>,
    /// Kernels, with their handles once they have been resolved.
    kernels: HashMap<usize, (Symbol, Option<CUkernel>)>,
    variables: HashMap<usize, Symbol>,
}

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

/// Whether the host pointers to managed variables must be written, because variables are new or
/// contexts were reset.
static STALE: AtomicBool = AtomicBool::new(false);

/// The process that has loaded a fatbin last; 0 before.
static LOADED_BY: AtomicU32 = AtomicU32::new(0);

fn with<T>(work: impl FnOnce(&mut Registry) -> T) -> T {
    work(&mut lock(&REGISTRY))
}

/// Adds a fatbin by the address of its wrapper.
///
/// # Safety
/// The wrapper and its fatbin are valid until the fatbin is removed.
pub(crate) unsafe fn add_binary(wrapper: usize) {
    with(|all| {
        all.binaries.entry(wrapper).or_default();
    });
}

/// Removes a fatbin, when the program or a shared library is unloaded.
pub(crate) fn remove_binary(wrapper: usize) {
    // A forked process must not take locks here, as a thread of its parent may have held them; its
    // resources end with it.
    if ![0, std::process::id()].contains(&LOADED_BY.load(Ordering::Relaxed)) {
        return;
    }
    let binary = with(|all| {
        all.kernels.retain(|_, (symbol, _)| symbol.binary != wrapper);
        all.variables.retain(|_, symbol| symbol.binary != wrapper);
        all.binaries.remove(&wrapper)
    });
    if let Some(Binary { library: Some(Ok(library)), .. }) = binary {
        // An error is ignored, as the program is ending.
        let _ = driver::cuLibraryUnload(library);
    }
}

/// Adds a kernel of a fatbin by the address of its host stub.
pub(crate) fn add_kernel(binary: usize, host: usize, name: CString) {
    with(|all| all.kernels.insert(host, (Symbol { binary, name }, None)));
}

/// Adds a variable of a fatbin by the address of its host counterpart.
pub(crate) fn add_variable(binary: usize, host: usize, name: CString) {
    with(|all| all.variables.insert(host, Symbol { binary, name }));
}

/// Adds a managed variable with the address of its host pointer.
///
/// # Safety
/// The host pointer may be written until the fatbin is removed.
pub(crate) unsafe fn add_managed(binary: usize, place: usize, name: CString) {
    with(|all| {
        all.binaries.entry(binary).or_default().managed.push((name, place));
        STALE.store(true, Ordering::Release);
    });
}

impl Registry {
    /// The library of a fatbin, which is loaded if necessary.
    fn library(&mut self, binary: usize) -> Answer<CUlibrary> {
        // The fatbin is not registered completely, or has been removed.
        let entry = self.binaries.get_mut(&binary).ok_or(INVALID_DEVICE_FUNCTION.because(
            "the fatbin of this part of the program is not registered: it is not complete yet, or unloaded already",
        ))?;
        let library = entry.library.get_or_insert_with(|| {
            LOADED_BY.store(std::process::id(), Ordering::Relaxed);
            let (load, code) = (driver::cuLibraryLoadData, with_exposed_provenance_mut(binary));
            // SAFETY: the program's wrapper is valid until it is unregistered.
            ask(|library| unsafe {
                load(library, code, null(), null_mut(), 0, null(), null_mut(), 0)
            })
        });
        library.clone()
    }

    fn kernel(&mut self, host: usize) -> Option<Answer<CUkernel>> {
        let binary = match self.kernels.get(&host)? {
            (_, Some(kernel)) => return Some(Ok(*kernel)),
            (symbol, None) => symbol.binary,
        };
        let library = match self.library(binary) {
            Ok(library) => library,
            Err(refusal) => return Some(Err(refusal)),
        };
        let (symbol, known) = self.kernels.get_mut(&host)?;
        let name = symbol.name.as_ptr();
        // SAFETY: both pointers are to local variables.
        let found = ask(|kernel| unsafe { driver::cuLibraryGetKernel(kernel, library, name) });
        *known = found.as_ref().ok().copied();
        Some(found.map_err(|refusal| match refusal.code {
            CUresult::NOT_FOUND => refusal.with_code(INVALID_DEVICE_FUNCTION),
            _ => refusal,
        }))
    }

    fn refresh_managed(&mut self) -> Answer {
        let wanted: Vec<usize> = self.binaries.keys().copied().collect();
        for binary in wanted {
            let managed = self.binaries.get(&binary).map(|entry| entry.managed.clone());
            let Some(managed) = managed.filter(|managed| !managed.is_empty()) else { continue };
            let library = self.library(binary)?;
            for (name, place) in managed {
                // SAFETY: the out-pointer is to a local variable; the size pointer is null.
                let address = ask(|address| unsafe {
                    driver::cuLibraryGetManaged(address, null_mut(), library, name.as_ptr())
                })?;
                // SAFETY: the program's host pointer, registered for this purpose.
                unsafe { *pointer(place) = address };
            }
        }
        Ok(())
    }

    /// Fatbin and name of a variable. The program may name a managed variable by its device
    /// address.
    fn variable(&self, host: usize) -> Option<(usize, CString)> {
        if let Some(symbol) = self.variables.get(&host) {
            return Some((symbol.binary, symbol.name.clone()));
        }
        self.binaries.iter().find_map(|(binary, entry)| {
            let (name, _) = entry.managed.iter().find(|(_, place)| {
                // SAFETY: the program's host pointer, registered for this purpose.
                *place == host || unsafe { *pointer(*place) } as usize == host
            })?;
            Some((*binary, name.clone()))
        })
    }
}

/// The program's host pointer to a managed variable.
fn pointer(place: usize) -> *mut CUdeviceptr {
    with_exposed_provenance_mut(place)
}

/// The kernel of a host stub.
///
/// `cudaErrorInvalidDeviceFunction` if the address is not that of a stub; the driver's error if the
/// fatbin cannot be loaded.
pub(crate) fn kernel(host: usize) -> Answer<CUkernel> {
    with(|all| all.kernel(host)).unwrap_or_else(|| {
        Err(INVALID_DEVICE_FUNCTION.because(format!(
            "func {host:#x} is not a `__global__` function that the program has registered"
        )))
    })
}

/// The refusal of a value that is neither the host stub of a kernel nor a handle of one.
pub(crate) fn unknown(func: usize) -> Refusal {
    INVALID_DEVICE_FUNCTION.because(format!(
        "func {func:#x} is not a `__global__` function that the program has registered, nor a handle of one"
    ))
}

/// Whether a value is in the range of the driver's handles, so that it may be of a kernel whose
/// library has been unloaded.
pub(crate) fn was_handle(func: usize) -> bool {
    func >> 40 == FIRST_HANDLE >> 40
}

/// The host stub through which a kernel was resolved, if any.
pub(crate) fn host_of(kernel: CUkernel) -> Option<usize> {
    with(|all| {
        all.kernels.iter().find(|(_, (_, found))| *found == Some(kernel)).map(|(host, _)| *host)
    })
}

/// As [`kernel`], except that an address which is not that of a stub is returned as a driver
/// handle.
pub(crate) fn kernel_or_handle(function: usize) -> Answer<CUkernel> {
    match with(|all| all.kernel(function)) {
        Some(kernel) => kernel,
        None if function == 0 => Err(INVALID_DEVICE_FUNCTION.because("func is null")),
        None => Ok(function),
    }
}

/// Address and size in the current context of the variable whose host counterpart is at `host`.
///
/// `cudaErrorInvalidSymbol` if there is none.
pub(crate) fn symbol(host: *const c_void) -> Answer<(CUdeviceptr, usize)> {
    let (library, name) = with(|all| {
        let (binary, name) = all.variable(host as usize).ok_or_else(|| {
            INVALID_SYMBOL.because(format!(
                "symbol {host:p} is not a `__device__`, `__constant__` or `__managed__` variable of the program (it is \
                 given by its name, not by a text)"
            ))
        })?;
        Ok((all.library(binary)?, name))
    })?;
    let (mut address, mut size) = (0, 0);
    // SAFETY: the out-pointers are to local variables.
    let code = unsafe {
        driver::cuLibraryGetGlobal(&raw mut address, &raw mut size, library, name.as_ptr())
    };
    match code {
        CUresult::NOT_FOUND => Err(texunit_client::driver::refusal(INVALID_SYMBOL)),
        code => check(code).map(|()| (address, size)),
    }
}

/// Writes the host pointers to managed variables, in the current context. On failure, the next call
/// tries again, so that no program uses an unwritten pointer.
pub(crate) fn refresh_managed() -> Answer {
    if !STALE.load(Ordering::Acquire) {
        return Ok(());
    }
    with(|all| {
        // Another thread may have written them while this one waited for the lock.
        if STALE.load(Ordering::Acquire) {
            all.refresh_managed()?;
            STALE.store(false, Ordering::Release);
        }
        Ok(())
    })
}

/// Marks the host pointers to managed variables as stale, because contexts were reset.
pub(crate) fn contexts_were_reset() {
    with(|_| STALE.store(true, Ordering::Release));
}
