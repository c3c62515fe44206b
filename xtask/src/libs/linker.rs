//! The linker: this machine's C compiler, or zig for a C library that is older than its own.

use crate::dist::zig::{self, Zig};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What makes shared libraries in a folder.
pub(super) struct Linker<'a> {
    pub(super) zig: Option<&'a Zig>,
    /// Where the libraries go, and where they find each other.
    pub(super) to: &'a Path,
}

/// A shared library to be made.
pub(super) struct Shared<'a> {
    pub(super) soname: &'a str,
    /// Version of its symbols, if they have one.
    pub(super) version: Option<&'a str>,
    /// Patterns of the symbols that are exported.
    pub(super) exported: &'a str,
    /// Other names of symbols.
    pub(super) aliases: &'a [(String, String)],
    /// Libraries in the folder that it needs.
    pub(super) needs: &'a [&'a str],
    /// Where these are when it is loaded, and those that it loads itself; nowhere if empty.
    pub(super) found: &'a str,
    /// A function of it that the dynamic linker calls at the end of the process.
    pub(super) end: Option<&'a str>,
}

impl Linker<'_> {
    /// A C compiler.
    pub(super) fn cc(&self) -> Command {
        self.zig.map_or_else(|| Command::new("cc"), Zig::cc)
    }

    /// Makes a shared library of a static one.
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

    /// Makes a shared library of source files that need nothing of the system.
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
        // Under another name until it is complete: a program may be running with it.
        let made = to.join(format!("{soname}.new"));
        let mut command = self.cc();
        command.args(["-shared", "-fPIC", "-o"]).arg(&made);
        command.arg(format!("-Wl,-soname,{soname}"));
        command.arg(joined("-Wl,--version-script=", &scripts[0]));
        command.args(["-Wl,-z,relro,-z,now", "-Wl,-s"]);
        // What is called at the end of the process, and threads that run, have to be there though a program calls `dlclose`.
        command.arg("-Wl,-z,nodelete");
        let aliases = shared.aliases.iter();
        if self.zig.is_none() {
            command.args(aliases.map(|(name, symbol)| format!("-Wl,--defsym={name}={symbol}")));
        } else if !shared.aliases.is_empty() {
            // It knows no --defsym, but scripts for the linker.
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
        std::fs::rename(&made, &file).map_err(|e| format!("{}: {e}", file.display()))?;
        for script in scripts {
            removed(&script)?;
        }
        Ok(file)
    }
}

pub(super) fn finish(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed")) }
}

pub(super) fn written(path: PathBuf, text: &str) -> Result<PathBuf, String> {
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

pub(super) fn removed(path: &Path) -> Result<(), String> {
    std::fs::remove_file(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut all = OsString::from(option);
    all.push(path);
    all
}
