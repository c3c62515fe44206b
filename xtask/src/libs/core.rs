//! Links the core, a shared library with all code, and the thin files in front of it: libraries
//! whose functions are single jumps into the core, the program, and the Python module. All code is
//! thus linked, shipped and loaded only once, whichever of them a process uses.
//!
//! Exported names of the core begin with `texunit_core_` and have texunit's version, as has its
//! soname: libraries of two releases in one process use different cores. A function keeps its
//! public name in the thin library. The core needs other names, because a function of the C library
//! called `texunit_...` would otherwise be bound to the thin one that jumps to it.

use super::linker::{Linker, Shared, mark_weak, written};
use super::names::{self, List};
use crate::files::{self, finish};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The soname of the core.
pub(crate) const CORE: &str = concat!("libtexunit_core.so.", env!("CARGO_PKG_VERSION"));
/// The soname of the driver.
pub(crate) const DRIVER: &str = "libcuda.so.1";
/// The soname of NVML.
pub(crate) const NVML: &str = "libnvidia-ml.so.1";
/// The soname of the C library.
pub(crate) const FOR_C: &str = "libtexunit.so.1";
/// The file name of the C library as a static archive.
pub(crate) const ARCHIVE_FOR_C: &str = "libtexunit.a";
/// The file name of the Python module, which is in the parent folder of the core.
pub(crate) const MODULE: &str = "_texunit.abi3.so";
/// The file name of the program, which is in a folder beside that of the core.
pub(crate) const PROGRAM: &str = "texunit";

/// The list of the driver's functions.
const DRIVER_FUNCTIONS: List =
    List { file: Cow::Borrowed("crates/cuda/cuda/data/driver-api.txt"), major: None };
/// The header with the declarations of the C library's functions.
const HEADER: &str = "crates/faces/capi/include/texunit.h";
/// The prefix of names that the core exports.
pub(super) const PREFIX: &str = "texunit_core_";
/// The symbol by which `texunit compare` recognises texunit's driver (`texunit_cuda::marker`).
const MARKER: &str = "texunit_driver";

/// The sections that the static archive keeps. Each is merged from the sections of its functions
/// and variables.
const SECTIONS: [&str; 8] =
    [".text", ".rodata", ".data.rel.ro", ".data", ".bss", ".tdata", ".tbss", ".gcc_except_table"];

/// The names of the core's functions that each thin library jumps to.
pub(super) struct Entries {
    driver: Vec<String>,
    nvml: Vec<String>,
    for_c: Vec<String>,
}

/// Links the core from a static archive.
pub(super) fn link(linker: &Linker<'_>, archive: &Path) -> Result<Entries, String> {
    let header = files::read(&crate::workspace().join(HEADER))?;
    let mut entries = Entries { driver: Vec::new(), nvml: Vec::new(), for_c: Vec::new() };
    let mut symbols = Vec::new();
    for name in names::of_archive(archive)? {
        let is_for_c = name.starts_with("texunit_") && header.contains(&format!("{name}("));
        if is_for_c || name.starts_with("PyInit_") {
            symbols.push(name.clone());
            entries.for_c.extend(is_for_c.then_some(name));
        } else if name.starts_with("nvml") {
            symbols.push(name.clone());
            entries.nvml.push(name);
        } else if name.starts_with("cu") || name.starts_with("texunit_") {
            // Names with the core's prefix are exported unchanged, and the marker belongs to the
            // driver only.
            if !name.starts_with(PREFIX) && name != MARKER {
                symbols.push(name.clone());
                entries.driver.push(name);
            }
        }
    }
    let variants = DRIVER_FUNCTIONS.variants()?;
    let own = symbols.iter().map(|name| (format!("{PREFIX}{name}"), name.clone()));
    let others = variants.iter().map(|(name, symbol)| (format!("{PREFIX}{name}"), symbol.clone()));
    let aliases: Vec<_> = own.chain(others).collect();
    entries.driver.extend(variants.into_iter().map(|(name, _)| name));
    let version = format!("TEXUNIT_{}", env!("CARGO_PKG_VERSION"));
    let shared = Shared {
        soname: CORE,
        version: Some(&version),
        exported: &format!("{PREFIX}*;"),
        aliases: &aliases,
        end: Some("texunit_core_fini"),
        ..Shared::default()
    };
    let core = linker.link(&shared, archive)?;
    mark_weak(&core, |name| name.starts_with("Py") || name.starts_with("_Py"))?;
    Ok(entries)
}

/// Links the driver, a thin library in front of the core.
pub(super) fn driver(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    let mut text = jumps(&entries.driver)?;
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, ".section .rodata\n.global {MARKER}\n.type {MARKER}, %object");
    let _ = writeln!(text, "{MARKER}: .asciz \"{version}\"\n.size {MARKER}, . - {MARKER}");
    thin(linker, (DRIVER, None, CORE), "cu*; texunit_*;", &text)
}

/// Links NVML, a thin library in front of the core.
pub(super) fn nvml(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    thin(linker, (NVML, None, CORE), "nvml*;", &jumps(&entries.nvml)?)
}

/// Links the C library, a thin library in front of the core.
pub(super) fn for_c(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    thin(linker, (FOR_C, None, CORE), "texunit_*;", &jumps(&entries.for_c)?)
}

/// Builds the C library as a static archive with one object: the code that its functions reach,
/// with all other symbols hidden. Cargo's own archive would contain the whole standard library.
pub(super) fn archive_for_c(
    linker: &Linker<'_>,
    core: &Path,
    entries: &Entries,
) -> Result<PathBuf, String> {
    let names = written(linker.to.join("libtexunit.txt"), &(entries.for_c.join("\n") + "\n"))?;
    // Sections are merged, because separate ones for each function would take a sixth of the file.
    let sections = SECTIONS.map(|name| format!("{name} : {{ *({name} {name}.*) }}\n")).concat();
    let script = format!("SECTIONS {{\n{sections}}}\n");
    let script = written(linker.to.join("libtexunit.ld"), &script)?;
    let object = linker.to.join("libtexunit.o");
    let mut cc = Command::new("cc");
    cc.args(["-r", "-nostdlib", "-Wl,--gc-sections", "-T"]).arg(&script).arg("-o").arg(&object);
    cc.args(entries.for_c.iter().map(|name| format!("-Wl,-u,{name}"))).arg(core);
    finish(&mut cc)?;
    let mut objcopy = Command::new("objcopy");
    // Debug information and the bitcode of the standard library are removed, because they would be
    // half of the file.
    objcopy.args(["--strip-unneeded", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    objcopy.arg("--keep-global-symbols").arg(&names).arg(&object);
    finish(&mut objcopy)?;
    let archive = linker.to.join(ARCHIVE_FOR_C);
    files::remove(&archive)?;
    finish(Command::new("ar").arg("rcs").arg(&archive).arg(&object))?;
    [&object, &names, &script].into_iter().try_for_each(|file| files::remove(file))?;
    Ok(archive)
}

/// The assembly source of functions that jump to those of the core.
fn jumps(functions: &[String]) -> Result<String, String> {
    jumps_to(functions.iter().map(|name| (name.as_str(), name.as_str())))
}

/// The assembly source of functions that jump to core functions with other names, given as pairs of
/// both names.
pub(super) fn jumps_to<'a>(
    functions: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<String, String> {
    let jump = match std::env::consts::ARCH {
        "x86_64" => "jmp *SYMBOL@GOTPCREL(%rip)",
        // The jump uses the register that a linker's own trampolines may clobber, so that callers
        // keep no value in it.
        "aarch64" => "adrp x16, :got:SYMBOL; ldr x16, [x16, :got_lo12:SYMBOL]; br x16",
        other => return Err(format!("libraries for {other} are not known: jumps in {}", file!())),
    };
    let mut text = String::from(".section .note.GNU-stack, \"\", %progbits\n.text\n");
    for (name, symbol) in functions {
        let jump = jump.replace("SYMBOL", &format!("{PREFIX}{symbol}"));
        let _ = writeln!(text, ".global {name}\n.type {name}, %function\n.balign 8\n{name}:");
        let _ = writeln!(text, "{jump}\n.size {name}, . - {name}");
    }
    Ok(text)
}

/// Links a library of jumps into another library, with symbol versions if given.
pub(super) fn thin(
    linker: &Linker<'_>,
    (soname, version, into): (&str, Option<&str>, &str),
    exported: &str,
    text: &str,
) -> Result<PathBuf, String> {
    let source = written(linker.to.join(format!("{soname}.s")), text)?;
    let shared =
        Shared { soname, version, exported, needs: &[into], found: "$ORIGIN", ..Shared::default() };
    let file = linker.assemble(&shared, &source)?;
    files::remove(&source)?;
    Ok(file)
}

/// Links the program and the Python module in front of a core that contains both.
pub(super) fn program_and_module(linker: &Linker<'_>) -> Result<[PathBuf; 2], String> {
    let sources = crate::workspace().join("crates/dist/core/src");
    let module = Shared {
        soname: MODULE,
        exported: "PyInit_*;",
        needs: &[CORE],
        found: "$ORIGIN/lib",
        ..Shared::default()
    };
    let module = linker.assemble(&module, &sources.join("module.c"))?;
    let program = linker.to.join(PROGRAM);
    before_core(linker, &program, "$ORIGIN/../lib:$ORIGIN", &[])?;
    Ok([program, module])
}

/// Links a replacement for a program of NVIDIA, in the folder below that of a core with its code.
pub(super) fn shim(linker: &Linker<'_>, name: &str, program: &Path) -> Result<(), String> {
    before_core(linker, program, "$ORIGIN/..", &[&format!("-DSHIM=\"{name}\"")])
}

/// Compiles a program that loads the core from `folders`.
fn before_core(
    linker: &Linker<'_>,
    program: &Path,
    folders: &str,
    options: &[&str],
) -> Result<(), String> {
    let mut cc = linker.cc();
    cc.args(["-O2", &format!("-DCORE=\"{CORE}\"")]).args(options).arg("-o").arg(program);
    cc.arg(crate::workspace().join("crates/dist/core/src/program.c"));
    cc.arg(format!("-Wl,-rpath,{folders}"));
    finish(cc.args(["-Wl,-z,relro,-z,now", "-Wl,-s", "-ldl"]))
}
