//! What the program's own code registers before `main`: its fatbins, and the kernels and variables in
//! them, by the address of their host counterpart. Fatbins are loaded when they are first needed.

use crate::call::check;
use crate::codes::{INVALID_DEVICE_FUNCTION, INVALID_SYMBOL};
use crate::driver::{self, CUkernel, CUlibrary, ask};
use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use texunit_cuda_abi::args::Answer;
use texunit_cuda_abi::{CUdeviceptr, CUresult};

/// A fatbin, under the address of its wrapper.
#[derive(Debug, Default)]
struct Binary {
    /// The library it was loaded as, or why it was not.
    library: Option<Answer<CUlibrary>>,
    /// Its managed variables: their names, and where the program looks for their addresses.
    managed: Vec<(CString, usize)>,
}

/// Something of a fatbin that the host knows by an address.
#[derive(Debug)]
struct Symbol {
    /// The fatbin.
    binary: usize,
    /// Its name in the PTX.
    name: CString,
}

#[derive(Debug, Default)]
struct Registry {
    binaries: BTreeMap<usize, Binary>,
    kernels: HashMap<usize, Symbol>,
    /// Kernels that were found already.
    found: HashMap<usize, CUkernel>,
    variables: HashMap<usize, Symbol>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

/// Whether managed variables must be given their addresses: they are new, or the contexts were reset.
static STALE: AtomicBool = AtomicBool::new(false);

/// The process that has loaded a fatbin last; 0 if there is none.
static LOADED_BY: AtomicU32 = AtomicU32::new(0);

fn with<T>(work: impl FnOnce(&mut Registry) -> T) -> T {
    let mut registry: MutexGuard<'_, Option<Registry>> =
        REGISTRY.lock().unwrap_or_else(PoisonError::into_inner);
    work(registry.get_or_insert_default())
}

/// A fatbin of the program, by the address of its wrapper.
///
/// # Safety
/// The wrapper leads to its fatbin until it is removed.
pub(crate) unsafe fn add_binary(wrapper: usize) {
    with(|all| {
        all.binaries.entry(wrapper).or_default();
    });
}

/// A fatbin goes, as the program or a shared library of it ends.
pub(crate) fn remove_binary(wrapper: usize) {
    // A process that was forked off ends: whoever held a lock in its parent is not there, and all of it goes anyway.
    if ![0, std::process::id()].contains(&LOADED_BY.load(Ordering::Relaxed)) {
        return;
    }
    let binary = with(|all| {
        all.kernels.retain(|_, symbol| symbol.binary != wrapper);
        all.variables.retain(|_, symbol| symbol.binary != wrapper);
        let Registry { kernels, found, .. } = all;
        found.retain(|host, _| kernels.contains_key(host));
        all.binaries.remove(&wrapper)
    });
    if let Some(Binary { library: Some(Ok(library)), .. }) = binary {
        // Nobody is there to be told.
        let _ = driver::cuLibraryUnload(library);
    }
}

/// A kernel of a fatbin, by the address of its host function.
pub(crate) fn add_kernel(binary: usize, host: usize, name: CString) {
    with(|all| all.kernels.insert(host, Symbol { binary, name }));
}

/// A variable of a fatbin, by the address of its host counterpart.
pub(crate) fn add_variable(binary: usize, host: usize, name: CString) {
    with(|all| all.variables.insert(host, Symbol { binary, name }));
}

/// A managed variable, and where the program looks for its address.
///
/// # Safety
/// There is an address, which is ours to write until the binary is removed.
pub(crate) unsafe fn add_managed(binary: usize, place: usize, name: CString) {
    with(|all| {
        all.binaries.entry(binary).or_default().managed.push((name, place));
        STALE.store(true, Ordering::Release);
    });
}

impl Registry {
    /// The library of a fatbin, loaded if it is not.
    fn library(&mut self, binary: usize) -> Answer<CUlibrary> {
        // Its registration is not complete, or it is gone.
        let entry = self.binaries.get_mut(&binary).ok_or(INVALID_DEVICE_FUNCTION.because(
            "the fatbin of this part of the program is not registered: it is not complete yet, or unloaded already",
        ))?;
        let library = entry.library.get_or_insert_with(|| {
            LOADED_BY.store(std::process::id(), Ordering::Relaxed);
            // SAFETY: the program's wrapper, which stays until it is unregistered.
            ask(|library| unsafe {
                let code = std::ptr::with_exposed_provenance_mut::<c_void>(binary);
                driver::cuLibraryLoadData(
                    library,
                    code,
                    null(),
                    null_mut(),
                    0,
                    null(),
                    null_mut(),
                    0,
                )
            })
        });
        library.clone()
    }

    fn kernel(&mut self, host: usize) -> Option<Answer<CUkernel>> {
        if let Some(kernel) = self.found.get(&host) {
            return Some(Ok(*kernel));
        }
        let binary = self.kernels.get(&host)?.binary;
        let library = match self.library(binary) {
            Ok(library) => library,
            Err(refusal) => return Some(Err(refusal)),
        };
        let name = self.kernels.get(&host)?.name.as_ptr();
        // SAFETY: both pointers are to memory of our own.
        let found = ask(|kernel| unsafe { driver::cuLibraryGetKernel(kernel, library, name) });
        if let Ok(kernel) = found {
            self.found.insert(host, kernel);
        }
        Some(found.map_err(|refusal| match refusal.code {
            CUresult::NOT_FOUND => refusal.with_code(INVALID_DEVICE_FUNCTION),
            _ => refusal,
        }))
    }

    fn refresh_managed(&mut self) -> Answer {
        let wanted: Vec<usize> = self.binaries.keys().copied().collect();
        for binary in wanted {
            let managed = self.binaries.get(&binary).map(|entry| entry.managed.clone());
            let managed = managed.unwrap_or_default();
            if managed.is_empty() {
                continue;
            }
            let library = self.library(binary)?;
            for (name, place) in managed {
                // SAFETY: the pointers are to our own variables; the size is not asked for.
                let address = ask(|address| unsafe {
                    let no_size = std::ptr::null_mut();
                    driver::cuLibraryGetManaged(address, no_size, library, name.as_ptr())
                })?;
                // SAFETY: the program's variable, registered for this.
                unsafe { *pointer(place) = address };
            }
        }
        Ok(())
    }

    /// Fatbin and name of a variable: of a managed one, the program gives its device address.
    fn variable(&self, host: usize) -> Option<(usize, CString)> {
        if let Some(symbol) = self.variables.get(&host) {
            return Some((symbol.binary, symbol.name.clone()));
        }
        self.binaries.iter().find_map(|(binary, entry)| {
            let (name, _) = entry.managed.iter().find(|(_, place)| {
                // SAFETY: the program's variable, registered for this.
                *place == host || unsafe { *pointer(*place) } as usize == host
            })?;
            Some((*binary, name.clone()))
        })
    }
}

/// The program's pointer to a managed variable.
fn pointer(place: usize) -> *mut CUdeviceptr {
    std::ptr::with_exposed_provenance_mut(place)
}

/// The kernel of a host function.
///
/// `cudaErrorInvalidDeviceFunction` if there is none of this address. Of a fatbin that cannot be
/// loaded, the driver's code.
pub(crate) fn kernel(host: usize) -> Answer<CUkernel> {
    with(|all| all.kernel(host)).unwrap_or_else(|| {
        Err(INVALID_DEVICE_FUNCTION.because(format!(
            "func {host:#x} is not a `__global__` function that the program has registered"
        )))
    })
}

/// The address of the host stub (`__global__` function of the host program) that a kernel was looked up by, if one was.
pub(crate) fn host_of(kernel: CUkernel) -> Option<usize> {
    with(|all| all.found.iter().find(|(_, found)| **found == kernel).map(|(&host, _)| host))
}

/// As [`kernel`], but what is no host function is a handle of the driver already.
pub(crate) fn kernel_or_handle(function: usize) -> Answer<CUkernel> {
    match with(|all| all.kernel(function)) {
        Some(kernel) => kernel,
        None if function == 0 => Err(INVALID_DEVICE_FUNCTION.because("func is null")),
        None => Ok(function),
    }
}

/// Address and size of the variable whose host counterpart is at `host`, in the current context.
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
        CUresult::NOT_FOUND => Err(texunit_client::told::driver(INVALID_SYMBOL)),
        code => check(code).map(|()| (address, size)),
    }
}

/// Writes the addresses of managed variables where the program looks for them, in the current context. If
/// that fails, the next call tries again: no program goes on with a variable that is nowhere.
pub(crate) fn refresh_managed() -> Answer {
    if !STALE.load(Ordering::Acquire) {
        return Ok(());
    }
    with(|all| {
        // Another thread may have done it while this one waited.
        if STALE.load(Ordering::Acquire) {
            all.refresh_managed()?;
            STALE.store(false, Ordering::Release);
        }
        Ok(())
    })
}

/// The contexts were reset: managed variables are at other addresses now.
pub(crate) fn contexts_were_reset() {
    with(|_| STALE.store(true, Ordering::Release));
}
