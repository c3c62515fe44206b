//! Memory pools of Python packages (CuPy, PyTorch and others). A pool allocates large blocks and
//! places arrays in them, so that an access beyond an array stays within an allocation and cannot
//! be detected. This module recognises such allocations and tells the user how to turn the pool
//! off.

use super::*;
use std::sync::atomic::AtomicU8;
use texunit_evidence::Finding;

/// Maximum number of frames in which a pool's functions are searched; the innermost, about 25 of
/// them if little is inlined, are functions of texunit.
const MAX_LOOKED_AT: usize = 40;

/// A package with a memory pool.
#[derive(Debug, PartialEq)]
pub(super) struct Pool {
    name: &'static str,
    /// Substrings of the names of files whose functions allocate for the pool.
    files: &'static [&'static str],
    /// The setting that turns the pool off.
    switch: &'static str,
    /// An environment variable that turns the pool off, whatever its value is.
    variable: Option<&'static str>,
}

static POOLS: [Pool; 2] = [
    Pool {
        name: "CuPy",
        files: &["/cupy/cuda/memory."],
        switch: "`cupy.cuda.set_allocator(None)`",
        variable: None,
    },
    Pool {
        name: "PyTorch",
        files: &["/libc10_cuda.", "/libtorch_cuda."],
        switch: "PYTORCH_NO_CUDA_MEMORY_CACHING=1",
        variable: Some("PYTORCH_NO_CUDA_MEMORY_CACHING"),
    },
];

/// The index of the pool whose functions are in the given file.
fn of_file(file: &str) -> Option<usize> {
    POOLS.iter().position(|pool| pool.files.iter().any(|part| file.contains(part)))
}

impl Pool {
    /// Whether `texunit run` has turned the pool off.
    fn is_turned_off(&self) -> bool {
        let off = std::env::var("TEXUNIT_POOLS_OFF").unwrap_or_default();
        off.split(',').any(|name| name.eq_ignore_ascii_case(self.name))
    }

    /// Whether the pool is on, so that arrays share allocations.
    fn is_on(&self) -> bool {
        match self.variable {
            None => !self.is_turned_off(),
            Some(variable) => std::env::var_os(variable).is_none(),
        }
    }

    fn news(&self) -> Option<(String, Option<Finding>)> {
        if self.is_on() {
            let message = format!(
                "memory of the program is a block of {}'s memory pool, which has arrays in it and room behind them: an access \
                 past the end of an array is not found within a block",
                self.name
            );
            let help = format!(
                "`texunit run --check memory` turns the pool off, as {} does, and each array is an allocation of its own",
                self.switch
            );
            let text = format!("{message}; {help}");
            let finding = Finding {
                kind: texunit_report::POOL.code.to_owned(),
                check: Some("memory".to_owned()),
                severity: texunit_report::Severity::Note,
                message,
                help: Some(help),
                object: Some(format!("pool of {}", self.name)),
                ..Finding::default()
            };
            return Some((text, Some(finding)));
        }
        let text = || {
            format!(
                "{}'s memory pool is turned off (--check), so that each array is an allocation of its own; --keep-pools \
                 leaves it on",
                self.name
            )
        };
        self.is_turned_off().then(|| (text(), None))
    }
}

/// Pools that have allocated memory, and pools about which the user has been told; one bit each.
static ASKED: AtomicU8 = AtomicU8::new(0);
static TOLD: AtomicU8 = AtomicU8::new(0);

/// Records an allocation if it was made by a pool. Only device memory of `cuMemAlloc` is shared by
/// several arrays; pinned memory and memory of the driver's own pools has the size of one array.
pub(crate) fn allocated(number: u64, is_block: bool) {
    let Some(pool) = asking() else { return };
    ASKED.fetch_or(u8::from(is_block) << pool, Relaxed);
    traces().pools.insert(number, (&POOLS[pool], is_block));
}

/// The number of the pool that makes the current allocation.
fn asking() -> Option<usize> {
    if !is_any_loaded() {
        return None;
    }
    let (mut found, mut left) = (None, MAX_LOOKED_AT);
    backtrace::trace(|frame| {
        found = module(frame.ip().addr()).and_then(|(file, _)| of_file(&file));
        left -= 1;
        found.is_none() && left > 0
    });
    found
}

/// Whether the process has loaded a library of a package with a pool. The search is repeated if
/// libraries have been loaded since the last search.
fn is_any_loaded() -> bool {
    static FOUND: AtomicBool = AtomicBool::new(false);
    static LOADED: AtomicU64 = AtomicU64::new(0);
    unsafe extern "C" fn is_pool(
        info: *mut libc::dl_phdr_info,
        _: usize,
        known: *mut c_void,
    ) -> c_int {
        // SAFETY: the dynamic linker's structure, whose name is a C string or null, and the
        // caller's counters.
        let (file, loaded, [before, now]) = unsafe {
            let file = (*info).dlpi_name;
            let file = if file.is_null() { c"" } else { CStr::from_ptr(file) };
            (file.to_string_lossy(), (*info).dlpi_adds, &mut *known.cast::<[u64; 2]>())
        };
        *now = loaded;
        match of_file(&file) {
            Some(_) => 2,
            None => c_int::from(loaded == *before),
        }
    }
    if FOUND.load(Relaxed) {
        return true;
    }
    let mut loaded = [LOADED.load(Relaxed), 0];
    // SAFETY: the callback gets its argument, which is valid during the call.
    let found = unsafe { libc::dl_iterate_phdr(Some(is_pool), (&raw mut loaded).cast()) };
    LOADED.store(loaded[1], Relaxed);
    FOUND.store(found == 2, Relaxed);
    found == 2
}

/// What to tell the user, once for each pool: that its memory may be used, with a finding for the
/// report, or that the pool was turned off.
pub(crate) fn news() -> Vec<(String, Option<Finding>)> {
    let news = ASKED.load(Relaxed) & !TOLD.load(Relaxed);
    if news == 0 {
        return Vec::new();
    }
    let news = news & !TOLD.fetch_or(news, Relaxed);
    let new = POOLS.iter().enumerate().filter(|(i, _)| news >> i & 1 == 1);
    new.filter_map(|(_, pool)| pool.news()).collect()
}

impl Traces {
    /// The line of a report about an allocation that is a pool's block.
    pub(super) fn block(&self, number: u64) -> Option<String> {
        let (pool, _) =
            self.pools.get(&number).filter(|(pool, is_block)| *is_block && pool.is_on())?;
        let Pool { name, switch, .. } = pool;
        Some(format!(
            "allocation {number} is a block of {name}'s memory pool, which {switch} turns off"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_known_by_their_files() {
        let packages = "/home/u/.venv/lib/python3.12/site-packages";
        let of = |file: &str| of_file(&format!("{packages}/{file}"));
        assert_eq!(of("cupy/cuda/memory.cpython-312-x86_64-linux-gnu.so"), Some(0));
        assert_eq!(of("torch/lib/libc10_cuda.so"), Some(1));
        assert_eq!(of("torch/lib/libtorch_python.so"), None);
        assert_eq!(of_file("/home/u/cupy/cuda/a.out"), None);
        assert!(!is_any_loaded() && asking().is_none());
    }
}
