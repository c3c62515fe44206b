//! Links shared libraries with this machine's C compiler, or with zig for an older C library.
//! Marks undefined symbols as weak: those of Python in the core, which is also loaded by programs
//! without Python.

use crate::dist::zig::{self, Zig};
use crate::files::{self, at, finish};
use object::Endianness;
use object::elf::{FileHeader64, SHN_UNDEF, STB_GLOBAL, STB_WEAK};
use object::read::elf::{FileHeader, SectionHeader, Sym};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A linker, and the folder that it writes libraries to.
pub(super) struct Linker<'a> {
    pub(super) zig: Option<&'a Zig>,
    /// The folder of the linked libraries, in which they find each other.
    pub(super) to: &'a Path,
}

/// A shared library to link.
#[derive(Default)]
pub(super) struct Shared<'a> {
    pub(super) soname: &'a str,
    /// The version that exported symbols get, if any.
    pub(super) version: Option<&'a str>,
    /// Patterns for the names of exported symbols.
    pub(super) exported: &'a str,
    /// Aliases of symbols: alias and symbol.
    pub(super) aliases: &'a [(String, String)],
    /// Libraries in the same folder that the library depends on.
    pub(super) needs: &'a [&'a str],
    /// The search path for these libraries, and for those that the library loads itself; may be
    /// empty.
    pub(super) found: &'a str,
    /// The function that the dynamic linker calls at the end of the process.
    pub(super) end: Option<&'a str>,
}

impl Linker<'_> {
    /// A command that runs the C compiler.
    pub(super) fn cc(&self) -> Command {
        self.zig.map_or_else(|| Command::new("cc"), Zig::cc)
    }

    /// Links a shared library from a static one.
    pub(super) fn link(&self, shared: &Shared<'_>, archive: &Path) -> Result<PathBuf, String> {
        let mut after = vec![OsString::from("-Wl,--gc-sections"), "-Wl,--whole-archive".into()];
        after.extend([archive.as_os_str().to_owned(), "-Wl,--no-whole-archive".into()]);
        let mut system = Vec::new();
        if self.zig.is_some() {
            system.push(zig::unwinder()?.into_os_string());
        }
        system.extend(["-lgcc_s", "-lpthread", "-ldl", "-lm", "-lc"].map(OsString::from));
        self.make(shared, &after, &system)
    }

    /// Links a shared library from source files without dependencies.
    pub(super) fn assemble(&self, shared: &Shared<'_>, file: &Path) -> Result<PathBuf, String> {
        self.make(shared, &["-nostdlib".into(), file.as_os_str().to_owned()], &[])
    }

    fn make(
        &self,
        shared: &Shared<'_>,
        inputs: &[OsString],
        system: &[OsString],
    ) -> Result<PathBuf, String> {
        let (to, soname) = (self.to, shared.soname);
        let version = shared.version.map(|v| format!("{v} ")).unwrap_or_default();
        let text = format!("{version}{{ global: {} local: *; }};\n", shared.exported);
        let mut scripts = vec![written(to.join(format!("{soname}.map")), &text)?];
        // The library is written under another name and renamed, because a program may be using the
        // old file.
        let made = to.join(format!("{soname}.new"));
        let mut command = self.cc();
        command.args(["-shared", "-fPIC", "-o"]).arg(&made);
        command.arg(format!("-Wl,-soname,{soname}"));
        command.arg(joined("-Wl,--version-script=", &scripts[0]));
        command.args(["-Wl,-z,relro,-z,now", "-Wl,-s"]);
        // The library stays loaded after `dlclose`, because its exit function and its threads need
        // it.
        command.arg("-Wl,-z,nodelete");
        let aliases = shared.aliases.iter();
        if self.zig.is_none() {
            command.args(aliases.map(|(name, symbol)| format!("-Wl,--defsym={name}={symbol}")));
        } else if !shared.aliases.is_empty() {
            // Aliases are defined by a linker script, because zig does not support `--defsym`.
            let text: String =
                aliases.map(|(name, symbol)| format!("{name} = {symbol};\n")).collect();
            let script = written(to.join(format!("{soname}.ld")), &text)?;
            command.arg(joined("-Wl,-T,", &script));
            scripts.push(script);
        }
        if let Some(function) = shared.end {
            let text = format!(
                ".section .note.GNU-stack, \"\", %progbits\n.section .fini_array, \"aw\", %fini_array\n.balign 8\n\
                 .quad {function}\n"
            );
            let source = written(to.join(format!("{soname}.end.s")), &text)?;
            command.arg(&source);
            scripts.push(source);
        }
        command.args(inputs);
        if !shared.found.is_empty() {
            command.arg(format!("-Wl,-rpath,{}", shared.found));
        }
        if !shared.needs.is_empty() {
            command.arg("-Wl,--no-as-needed");
            command.args(shared.needs.iter().map(|name| to.join(name)));
        }
        finish(command.args(system))?;
        let file = to.join(soname);
        files::rename(&made, &file)?;
        scripts.iter().try_for_each(|script| files::remove(script))?;
        Ok(file)
    }
}

pub(super) fn written(path: PathBuf, text: &str) -> Result<PathBuf, String> {
    files::write(&path, text)?;
    Ok(path)
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut all = OsString::from(option);
    all.push(path);
    all
}

/// Marks undefined symbols whose names `is_weak` selects as weak, so that the dynamic linker
/// resolves missing ones to 0 instead of rejecting the library. Rust cannot express this, and
/// another crate declares the symbols.
pub(super) fn mark_weak(library: &Path, is_weak: impl Fn(&str) -> bool) -> Result<(), String> {
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
