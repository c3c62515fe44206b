//! The core, one shared library with the code of everything, and the files before it: libraries whose functions are a jump each, the
//! program, and the module for Python. So the code is linked, shipped and loaded once, whichever of them a process uses.
//!
//! What the core exports is named `texunit_core_...` and has the version of texunit, as its soname has: libraries of two
//! releases in one process have a core each. A function keeps its name in the file before it; there it cannot be taken for the one
//! that is jumped to, as the C library's functions would be, which are called `texunit_...` themselves.

use super::linker::{Linker, Shared, finish, removed, written};
use super::names::{self, List};
use super::weak;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The soname of the core.
pub(crate) const CORE: &str = concat!("libtexunit_core.so.", env!("CARGO_PKG_VERSION"));
/// The driver.
pub(crate) const DRIVER: &str = "libcuda.so.1";
/// NVML.
pub(crate) const NVML: &str = "libnvidia-ml.so.1";
/// The library for C.
pub(crate) const FOR_C: &str = "libtexunit.so.1";
/// The same as an archive of objects.
pub(crate) const ARCHIVE_FOR_C: &str = "libtexunit.a";
/// The module for Python, which is in the folder above the core's.
pub(crate) const MODULE: &str = "_texunit.abi3.so";
/// The program, which is in a folder beside the core's.
pub(crate) const PROGRAM: &str = "texunit";

/// Functions of the driver.
const DRIVER_FUNCTIONS: List = List { file: "crates/cuda/cuda/data/driver-api.txt", major: None };
/// The declarations of the library for C.
const HEADER: &str = "crates/faces/capi/include/texunit.h";
/// What all names of the core begin with.
pub(super) const PREFIX: &str = "texunit_core_";
/// What `texunit compare` knows texunit's driver by (`texunit_cuda::marker`): its only variable.
const MARKER: &str = "texunit_driver";

/// What is one section each of the library for C as an archive.
const SECTIONS: [&str; 8] =
    [".text", ".rodata", ".data.rel.ro", ".data", ".bss", ".tdata", ".tbss", ".gcc_except_table"];

/// What the core has for each file before it.
pub(super) struct Entries {
    driver: Vec<String>,
    nvml: Vec<String>,
    for_c: Vec<String>,
}

/// Links the core of an archive.
pub(super) fn link(linker: &Linker<'_>, archive: &Path) -> Result<Entries, String> {
    let workspace = crate::workspace();
    let header = workspace.join(HEADER);
    let header =
        std::fs::read_to_string(&header).map_err(|e| format!("{}: {e}", header.display()))?;
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
            // The core's own names are exported as they are, and the marker is in the driver alone.
            if !name.starts_with(PREFIX) && name != MARKER {
                symbols.push(name.clone());
                entries.driver.push(name);
            }
        }
    }
    let variants = DRIVER_FUNCTIONS.variants(&workspace)?;
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
        needs: &[],
        found: "",
        end: Some("texunit_core_fini"),
    };
    let core = linker.link(&shared, archive)?;
    weak::mark(&core, |name| name.starts_with("Py") || name.starts_with("_Py"))?;
    Ok(entries)
}

/// Makes the driver.
pub(super) fn driver(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    let mut text = jumps(&entries.driver)?;
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(text, ".section .rodata\n.global {MARKER}\n.type {MARKER}, %object");
    let _ = writeln!(text, "{MARKER}: .asciz \"{version}\"\n.size {MARKER}, . - {MARKER}");
    thin(linker, (DRIVER, None, CORE), "cu*; texunit_*;", &text)
}

/// Makes NVML.
pub(super) fn nvml(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    thin(linker, (NVML, None, CORE), "nvml*;", &jumps(&entries.nvml)?)
}

/// Makes the library for C.
pub(super) fn for_c(linker: &Linker<'_>, entries: &Entries) -> Result<PathBuf, String> {
    thin(linker, (FOR_C, None, CORE), "texunit_*;", &jumps(&entries.for_c)?)
}

/// Makes the library for C as an archive of one object: of the core's code what its functions reach. Nothing else is seen of it, and
/// an archive of objects that Cargo makes has all of Rust's standard library.
pub(super) fn archive_for_c(
    linker: &Linker<'_>,
    core: &Path,
    entries: &Entries,
) -> Result<PathBuf, String> {
    let names = written(linker.to.join("libtexunit.txt"), &(entries.for_c.join("\n") + "\n"))?;
    // A section for each function would be a sixth of the file.
    let sections = SECTIONS.map(|name| format!("{name} : {{ *({name} {name}.*) }}\n")).concat();
    let script = format!("SECTIONS {{\n{sections}}}\n");
    let script = written(linker.to.join("libtexunit.ld"), &script)?;
    let object = linker.to.join("libtexunit.o");
    let mut cc = Command::new("cc");
    cc.args(["-r", "-nostdlib", "-Wl,--gc-sections", "-T"]).arg(&script).arg("-o").arg(&object);
    cc.args(entries.for_c.iter().map(|name| format!("-Wl,-u,{name}"))).arg(core);
    finish(&mut cc)?;
    let mut objcopy = Command::new("objcopy");
    // Of the standard library's objects, places for debuggers and what they were compiled from, which would be half of it.
    objcopy.args(["--strip-unneeded", "--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    objcopy.arg("--keep-global-symbols").arg(&names).arg(&object);
    finish(&mut objcopy)?;
    let archive = linker.to.join(ARCHIVE_FOR_C);
    if archive.exists() {
        removed(&archive)?;
    }
    finish(Command::new("ar").arg("rcs").arg(&archive).arg(&object))?;
    for file in [&object, &names, &script] {
        removed(file)?;
    }
    Ok(archive)
}

/// The source, in assembly, of functions that jump to those of the core.
fn jumps(functions: &[String]) -> Result<String, String> {
    jumps_to(functions.iter().map(|name| (name.as_str(), name.as_str())))
}

/// The same of functions that have another name there.
pub(super) fn jumps_to<'a>(
    functions: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<String, String> {
    let jump = match std::env::consts::ARCH {
        "x86_64" => "jmp *SYMBOL@GOTPCREL(%rip)",
        // The register that a linker's own jumps may use, too.
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

/// Makes a library of jumps, with the version of its symbols if they have one, into another one.
pub(super) fn thin(
    linker: &Linker<'_>,
    (soname, version, into): (&str, Option<&str>, &str),
    exported: &str,
    text: &str,
) -> Result<PathBuf, String> {
    let source = written(linker.to.join(format!("{soname}.s")), text)?;
    let shared = Shared {
        soname,
        version,
        exported,
        aliases: &[],
        needs: &[into],
        found: "$ORIGIN",
        end: None,
    };
    let file = linker.assemble(&shared, &source)?;
    removed(&source)?;
    Ok(file)
}

/// Makes the program and the module for Python, for a core that has both.
pub(super) fn program_and_module(linker: &Linker<'_>) -> Result<[PathBuf; 2], String> {
    let sources = crate::workspace().join("crates/dist/core/src");
    let module = Shared {
        soname: MODULE,
        version: None,
        exported: "PyInit_*;",
        aliases: &[],
        needs: &[CORE],
        found: "$ORIGIN/lib",
        end: None,
    };
    let module = linker.assemble(&module, &sources.join("module.c"))?;
    let program = linker.to.join(PROGRAM);
    before_core(linker, &program, "$ORIGIN/../lib:$ORIGIN", &[])?;
    Ok([program, module])
}

/// Makes a program that stands for one of NVIDIA's, whose code is in a core that has it, in the folder below the core's.
pub(super) fn shim(linker: &Linker<'_>, name: &str, program: &Path) -> Result<(), String> {
    before_core(linker, program, "$ORIGIN/..", &[&format!("-DSHIM=\"{name}\"")])
}

/// Compiles the program that loads the core, which it finds in `folders`.
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
