//! Reads ELF files: finds the CUDA runtime, nvrtc or nvJitLink linked into a file, by its symbol
//! table, and the functions that a library exports.

use object::elf::ProgramHeader64;
use object::read::elf::{ElfFile64, ProgramHeader, Sym};
use object::{Endianness, Object, ObjectSection, ReadCache, elf, pod};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::ops::Range;
use std::path::Path;

/// The texunit runtimes, which differ in the layout of their structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Runtime {
    /// `libcudart.so.12`
    Cuda12,
    /// `libcudart.so.13`
    Cuda13,
}

impl Runtime {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cuda12 => "libcudart.so.12",
            Self::Cuda13 => "libcudart.so.13",
        }
    }
}

/// A function of the runtime that is linked into a file.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Address in the file, before relocation.
    pub(crate) address: usize,
    /// Bytes up to the next symbol: the function and the padding after it.
    pub(crate) room: usize,
}

/// A runtime that is linked into a file.
#[derive(Debug)]
pub(crate) struct StaticRuntime {
    /// The texunit runtime whose structures have the layout of the linked one's.
    pub(crate) runtime: Runtime,
    pub(crate) functions: Vec<Function>,
    /// Functions that every CUDA runtime has, but the file's symbol table lacks.
    pub(crate) missing: Vec<&'static str>,
}

/// NVIDIA's libraries that are linked statically into a file.
#[derive(Debug, Default)]
pub(crate) struct LinkedLibraries {
    pub(crate) runtime: Option<StaticRuntime>,
    /// Whether nvrtc is linked into the file.
    pub(crate) nvrtc: bool,
    /// Whether nvJitLink is linked into the file.
    pub(crate) nvjitlink: bool,
}

/// Functions that every CUDA runtime of a major version has, each with those major versions.
const NEEDED: &str = include_str!("../data/needed.txt");

/// The functions that a runtime of this version has.
pub(crate) fn needed(runtime: Runtime) -> impl Iterator<Item = &'static str> {
    let major = runtime.name().trim_start_matches("libcudart.so.");
    NEEDED.lines().filter_map(move |line| {
        let (name, versions) = line.split_once(' ').filter(|_| !line.starts_with('#'))?;
        versions.split(',').any(|version| version == major).then_some(name)
    })
}

struct Symbol<'a> {
    name: &'a [u8],
    address: usize,
}

/// The symbols that a symbol table defines, given the names of its sections: `entries` and `names`.
/// Each section is read at once and not name by name, because a file may have many thousands of
/// symbols, and all libraries of a program are read.
fn defined<'a>(
    file: &ElfFile64<'a, Endianness, &'a ReadCache<File>>,
    entries: &str,
    names: &str,
) -> Option<Vec<Symbol<'a>>> {
    let data = |name: &str| file.section_by_name(name)?.data().ok();
    let (entries, names) = (data(entries)?, data(names)?);
    let count = entries.len() / size_of::<elf::Sym64<Endianness>>();
    let (entries, _) = pod::slice_from_bytes::<elf::Sym64<Endianness>>(entries, count).ok()?;
    let endian = file.endian();
    let symbol = move |entry: &elf::Sym64<Endianness>| {
        let name = names.get(entry.st_name(endian) as usize..)?;
        let name = name.split(|&byte| byte == 0).next()?;
        let is_defined = entry.st_shndx(endian) != elf::SHN_UNDEF;
        is_defined.then(|| Symbol { name, address: entry.st_value(endian) as usize })
    };
    Some(entries.iter().filter_map(symbol).collect())
}

/// Finds the libraries linked into a file by its symbol table. A file that cannot be read counts as
/// having none.
pub(crate) fn linked_into(path: &Path) -> LinkedLibraries {
    let look = || -> Option<LinkedLibraries> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        let mut symbols = defined(&file, ".symtab", ".strtab")?;
        // A symbol outside executable segments is not a function, whatever its type.
        let code = code(&file);
        symbols.retain(|symbol| code.iter().any(|range| range.contains(&symbol.address)));
        let has = |name: &[u8]| symbols.iter().any(|symbol| symbol.name.starts_with(name));
        let (nvrtc, nvjitlink) = (has(b"nvrtcCompileProgram"), has(b"__nvJitLinkCreate_"));
        Some(LinkedLibraries { runtime: runtime_of(&symbols), nvrtc, nvjitlink })
    };
    look().unwrap_or_default()
}

/// Address ranges of a file's executable segments.
fn code<'a>(file: &ElfFile64<'a, Endianness, &'a ReadCache<File>>) -> Vec<Range<usize>> {
    let flags = |segment: &ProgramHeader64<Endianness>| segment.p_flags(file.endian());
    let of_code = file.elf_program_headers().iter().filter(|segment| {
        segment.p_type(file.endian()) == elf::PT_LOAD && flags(segment).contains(elf::PF_X)
    });
    let range = |segment: &ProgramHeader64<Endianness>| {
        let start = segment.p_vaddr(file.endian()) as usize;
        start..start.saturating_add(segment.p_filesz(file.endian()) as usize)
    };
    of_code.map(range).collect()
}

/// The CUDA runtime that a file's symbols belong to, if they are those of one.
fn runtime_of(symbols: &[Symbol<'_>]) -> Option<StaticRuntime> {
    let of_runtime = |name: &[u8]| name.starts_with(b"cuda") || name.starts_with(b"__cuda");
    let functions = symbols.iter().filter(|symbol| of_runtime(symbol.name));
    let names: BTreeSet<&[u8]> = functions.clone().map(|symbol| symbol.name).collect();
    // Runtimes of CUDA 12 have `cudaGetDeviceProperties` and `cudaGetDeviceProperties_v2`; older
    // runtimes have only the former, and texture references.
    let is_old = names.contains(b"cudaBindTexture".as_slice());
    let is_12 = is_old || names.contains(b"cudaGetDeviceProperties_v2".as_slice());
    let runtime = if is_12 { Runtime::Cuda12 } else { Runtime::Cuda13 };
    let (there, missing): (Vec<&str>, Vec<&str>) =
        needed(runtime).partition(|name| names.contains(name.as_bytes()));
    // A file with only a few of the runtime's functions does not contain the runtime: programs, and
    // libraries that interpose CUDA functions, define some functions of that name themselves.
    if there.len() < missing.len() {
        return None;
    }
    // Runtimes before CUDA 12 have at least the functions for kernel registration and launches in
    // common with texunit's.
    let is_needed =
        |name: &&str| !is_old || name.starts_with("__cuda") || *name == "cudaLaunchKernel";
    let mut places: Vec<usize> = symbols.iter().map(|symbol| symbol.address).collect();
    places.sort_unstable();
    let functions = functions.map(|symbol| {
        let next = places.partition_point(|&place| place <= symbol.address);
        Function {
            name: String::from_utf8_lossy(symbol.name).into_owned(),
            address: symbol.address,
            room: places.get(next).map_or(0, |next| next - symbol.address),
        }
    });
    let missing = missing.into_iter().filter(is_needed).collect();
    Some(StaticRuntime { runtime, functions: functions.collect(), missing })
}

/// Loaded addresses of the functions that a library exports, by name.
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
    use super::*;

    #[test]
    fn other_files_have_nothing_inside() {
        for path in [Path::new(file!()), Path::new("/nowhere"), &std::env::current_exe().unwrap()] {
            let linked = linked_into(path);
            assert!(linked.runtime.is_none() && !linked.nvrtc && !linked.nvjitlink);
        }
    }

    /// Symbols of a file that contains a runtime.
    fn named<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Symbol<'a>> {
        let symbol =
            |(name, i): (&'a str, usize)| Symbol { name: name.as_bytes(), address: 4096 + 32 * i };
        names.zip(0..).map(symbol).collect()
    }

    #[test]
    fn a_runtime_is_whole_or_says_what_it_lacks() {
        for runtime in [Runtime::Cuda12, Runtime::Cuda13] {
            let all: Vec<&str> = needed(runtime).chain(["main"]).collect();
            assert!(all.len() > 380, "{}", all.len());
            let inside = runtime_of(&named(all.iter().copied())).unwrap();
            assert_eq!((inside.runtime, inside.missing.len()), (runtime, 0));
            assert_eq!(inside.functions.len(), all.len() - 1);
            assert!(
                inside.functions.iter().all(|function| function.room >= 32 || function.room == 0)
            );
            // A symbol table that lacks one of the runtime's functions.
            for name in ["cudaMalloc", "__cudaRegisterFatBinary", "cudaStreamQuery_ptsz"] {
                let rest = all.iter().copied().filter(|&other| other != name);
                assert_eq!(runtime_of(&named(rest)).unwrap().missing, [name]);
            }
        }
        // A library that interposes allocations only.
        let few = ["cudaMalloc", "cudaFree", "cudaLaunchKernel", "cudaCheck"];
        assert!(runtime_of(&named(few.into_iter())).is_none());
    }
}
