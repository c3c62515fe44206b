//! Makes undefined symbols of a shared library weak: those of Python in the core, which is also
//! loaded by programs without Python.

use crate::files::{self, at};
use object::Endianness;
use object::elf::{FileHeader64, SHN_UNDEF, STB_GLOBAL, STB_WEAK};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use std::path::Path;

/// Marks undefined symbols whose names `is_weak` selects as weak, so that the dynamic linker
/// resolves missing ones to 0 instead of rejecting the library. Rust cannot express this, and
/// another crate declares the symbols.
pub(super) fn mark(library: &Path, is_weak: impl Fn(&str) -> bool) -> Result<(), String> {
    let mut bytes = at(library, std::fs::read(library))?;
    for place in at(library, undefined(&bytes, is_weak))? {
        if let Some(info) = bytes.get_mut(place).filter(|info| **info >> 4 == STB_GLOBAL.0) {
            *info = (STB_WEAK.0 << 4) | (*info & 0xf);
        }
    }
    files::write(library, bytes)
}

/// File offsets of the binding of the undefined symbols whose names satisfy `is_wanted`.
fn undefined(bytes: &[u8], is_wanted: impl Fn(&str) -> bool) -> object::Result<Vec<usize>> {
    /// Offset of the `st_info` byte in a symbol table entry.
    const INFO: usize = 4;
    let header = FileHeader64::<Endianness>::parse(bytes)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, bytes)?;
    let symbols = sections.symbols(endian, bytes, object::elf::SHT_DYNSYM)?;
    let table = sections.section(symbols.section())?;
    let start = usize::try_from(table.sh_offset(endian)).unwrap_or(usize::MAX);
    let mut places = Vec::new();
    for (n, symbol) in symbols.iter().enumerate() {
        let name = String::from_utf8_lossy(symbol.name(endian, symbols.strings())?);
        if symbol.st_shndx(endian) == SHN_UNDEF && is_wanted(&name) {
            let size = size_of::<object::elf::Sym64<Endianness>>();
            places.push(start.saturating_add(n * size + INFO));
        }
    }
    Ok(places)
}
