//! What stands in ELF files.

use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol, ReadCache};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// A runtime of texunit's, by its structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Runtime {
    /// `libcudart.so.12`
    Cuda12,
    /// `libcudart.so.13`
    Cuda13,
}

impl Runtime {
    /// File name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cuda12 => "libcudart.so.12",
            Self::Cuda13 => "libcudart.so.13",
        }
    }

    /// The runtime that a library is, by its name.
    pub(crate) fn of_library(path: &Path) -> Option<Self> {
        let name = path.file_name()?;
        [Self::Cuda12, Self::Cuda13].into_iter().find(|runtime| name == runtime.name())
    }
}

/// A function of the runtime inside a file.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// As the file has it.
    pub(crate) address: usize,
    /// Bytes up to the next symbol: the function, and what fills the room behind it.
    pub(crate) room: usize,
}

/// The runtime inside a file.
#[derive(Debug)]
pub(crate) struct Inside {
    /// Which of ours has the same structures.
    pub(crate) runtime: Runtime,
    pub(crate) functions: Vec<Function>,
}

/// The runtime inside a file, if there is one. A file that cannot be read is none of ours.
pub(crate) fn runtime_inside(path: &Path) -> Result<Option<Inside>, String> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let cache = ReadCache::new(file);
    let Ok(file) = ElfFile64::<Endianness, _>::parse(&cache) else { return Ok(None) };
    let mut functions = Vec::new();
    let mut is_12 = false;
    for symbol in file.symbols().filter(ObjectSymbol::is_definition) {
        let Ok(name) = symbol.name_bytes() else { continue };
        if name.starts_with(b"cuda") || name.starts_with(b"__cuda") {
            // Runtimes before 13 have it, beside one with the structure of CUDA 11.
            is_12 |= name == b"cudaGetDeviceProperties_v2";
            functions.push(Function {
                name: String::from_utf8_lossy(name).into_owned(),
                address: symbol.address() as usize,
                room: 0,
            });
        }
    }
    // Names like these are the program's own, or imported ones, unless the whole runtime is there.
    if !functions.iter().any(|function| function.name == "cudaMalloc") {
        return Ok(None);
    }
    let mut places: Vec<usize> = file.symbols().map(|symbol| symbol.address() as usize).collect();
    places.sort_unstable();
    for function in &mut functions {
        let next = places.partition_point(|&place| place <= function.address);
        function.room = places.get(next).map_or(0, |next| next - function.address);
    }
    let runtime = if is_12 { Runtime::Cuda12 } else { Runtime::Cuda13 };
    Ok(Some(Inside { runtime, functions }))
}

/// The functions that a library exports, by name, where it was loaded.
pub(crate) fn exported(path: &Path, loaded: usize) -> Result<BTreeMap<String, usize>, String> {
    let file = File::open(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let cache = ReadCache::new(file);
    let file = ElfFile64::<Endianness, _>::parse(&cache);
    let file = file.map_err(|e| format!("{}: {e}", path.display()))?;
    let symbols = file.dynamic_symbols().filter(ObjectSymbol::is_definition);
    let named = symbols.filter_map(|symbol| {
        Some((symbol.name().ok()?.to_owned(), loaded.wrapping_add(symbol.address() as usize)))
    });
    Ok(named.collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn libraries_have_names() {
        let of = |path: &str| Runtime::of_library(Path::new(path));
        assert_eq!(of("/a/libcudart.so.12"), Some(Runtime::Cuda12));
        assert_eq!(of("/a/libcudart.so.13"), Some(Runtime::Cuda13));
        assert_eq!(of("/a/libcudart.so.11.0"), None);
    }

    #[test]
    fn other_files_have_no_runtime_inside() {
        for path in [Path::new(file!()), Path::new("/nowhere"), &std::env::current_exe().unwrap()] {
            assert!(runtime_inside(path).unwrap().is_none());
        }
    }
}
