//! Links shared libraries with this machine's C compiler, or with zig for an older C library.

use crate::dist::zig::{self, Zig};
use crate::files::{self, finish};
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
