//! What stands in ELF files.

use object::read::elf::{ElfFile64, Sym};
use object::{Endianness, Object, ObjectSection, ReadCache, elf, pod};
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

/// A symbol that is defined in a file.
struct Defined<'a> {
    name: &'a [u8],
    address: usize,
}

/// The symbols that a table defines, of which sections hold the entries and the names. Each section is
/// read at once: a file may have many thousands of symbols.
fn defined<'a>(
    file: &ElfFile64<'a, Endianness, &'a ReadCache<File>>,
    entries: &str,
    names: &str,
) -> Option<Vec<Defined<'a>>> {
    let data = |name: &str| file.section_by_name(name)?.data().ok();
    let (entries, names) = (data(entries)?, data(names)?);
    let count = entries.len() / size_of::<elf::Sym64<Endianness>>();
    let (entries, _) = pod::slice_from_bytes::<elf::Sym64<Endianness>>(entries, count).ok()?;
    let endian = file.endian();
    let symbol = |entry: &elf::Sym64<Endianness>| {
        let name = names.get(entry.st_name(endian) as usize..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        let is_defined = entry.st_shndx(endian) != elf::SHN_UNDEF;
        is_defined.then(|| Defined { name, address: entry.st_value(endian) as usize })
    };
    Some(entries.iter().filter_map(symbol).collect())
}

/// The runtime inside a file, if there is one. A file that cannot be read is none of ours.
pub(crate) fn runtime_inside(path: &Path) -> Option<Inside> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
    let symbols = defined(&file, ".symtab", ".strtab")?;
    let of_runtime = |name: &[u8]| name.starts_with(b"cuda") || name.starts_with(b"__cuda");
    // Names like these are the program's own, unless the whole runtime is there.
    if !symbols.iter().any(|symbol| symbol.name == b"cudaMalloc") {
        return None;
    }
    let mut places: Vec<usize> = symbols.iter().map(|symbol| symbol.address).collect();
    places.sort_unstable();
    let functions = symbols.iter().filter(|symbol| of_runtime(symbol.name)).map(|symbol| {
        let next = places.partition_point(|&place| place <= symbol.address);
        Function {
            name: String::from_utf8_lossy(symbol.name).into_owned(),
            address: symbol.address,
            room: places.get(next).map_or(0, |next| next - symbol.address),
        }
    });
    // That of CUDA 12 has the second version beside one with the structure of CUDA 11; older ones have that
    // only, and texture references.
    let of_12 = [b"cudaGetDeviceProperties_v2".as_slice(), b"cudaBindTexture"];
    let is_12 = symbols.iter().any(|symbol| of_12.contains(&symbol.name));
    let runtime = if is_12 { Runtime::Cuda12 } else { Runtime::Cuda13 };
    Some(Inside { runtime, functions: functions.collect() })
}

/// The functions that a library exports, by name, where it was loaded.
pub(crate) fn exported(path: &Path, loaded: usize) -> Result<BTreeMap<String, usize>, String> {
    let cannot = |why: &str| format!("{}: {why}", path.display());
    let cache = ReadCache::new(File::open(path).map_err(|e| cannot(&e.to_string()))?);
    let file = ElfFile64::<Endianness, _>::parse(&cache).map_err(|e| cannot(&e.to_string()))?;
    let symbols = defined(&file, ".dynsym", ".dynstr").ok_or_else(|| cannot("no symbols"))?;
    let named = symbols.iter().map(|symbol| {
        (String::from_utf8_lossy(symbol.name).into_owned(), loaded.wrapping_add(symbol.address))
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
            assert!(runtime_inside(path).is_none());
        }
    }
}
