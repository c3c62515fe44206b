//! Libraries that have NVIDIA's runtime inside and no symbols of it, by which its functions could be found: all
//! that can be done is to say so when they are loaded.

use crate::file::{self, Symbol};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSection, ReadCache};
use std::fs::File;
use std::path::Path;

/// What the runtime says of a driver that is too old (`cudaGetErrorString`): a text that its users do not have.
const TEXT: &[u8] = b"CUDA driver version is insufficient for CUDA runtime version";
/// The driver, which the runtime loads by its name.
const DRIVER: &[u8] = b"libcuda.so.1";
/// Section of constants.
const CONSTANTS: &str = ".rodata";

/// Whether a file of which no table names the functions of a runtime has one inside. texunit's own libraries, and NVIDIA's
/// shared runtime, export the functions.
pub(crate) fn hides_runtime(path: &Path) -> bool {
    let look = || -> Option<bool> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let elf = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        // It loads the driver when it is first called, which few libraries do: only those are read.
        let (mut loads, mut exports) = (false, false);
        for symbol in file::symbols(&elf, ".dynsym", ".dynstr")? {
            let Symbol { name, is_defined, .. } = symbol;
            loads |= !is_defined && name == b"dlopen";
            exports |= is_defined && matches!(name, b"cudaMalloc" | b"cuInit");
        }
        if !loads || exports {
            return Some(false);
        }
        let constants = elf.section_by_name(CONSTANTS)?.data().ok()?;
        let has = |wanted: &[u8]| constants.split(|&byte| byte == 0).any(|text| text == wanted);
        Some(has(TEXT) && has(DRIVER))
    };
    look().unwrap_or_default()
}

/// What the user should know of such a library.
pub(crate) fn warning(path: &Path) -> String {
    format!(
        "warning: {} has NVIDIA's CUDA runtime inside and no symbols of it (it is stripped), so that texunit \
         cannot replace it: that runtime works on NVIDIA's driver only, and its calls will fail",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::path::PathBuf;
    use std::process::Command;

    #[test]
    fn other_files_hide_nothing() {
        let own = std::env::current_exe().unwrap();
        for path in [Path::new(file!()), Path::new("/nowhere"), &own] {
            assert!(!hides_runtime(path));
        }
    }

    /// A library with what the runtime has that can be seen, and more.
    fn library(folder: &Path, name: &str, more: &str, options: &[&str]) -> PathBuf {
        let (source, library) = (folder.join(format!("{name}.c")), folder.join(name));
        let text = std::str::from_utf8(TEXT).unwrap();
        let code = format!(
            "#include <dlfcn.h>\nconst char *name(void) {{ return \"libcuda.so.1\"; }}\n#ifndef QUIET\n\
             void *load(void) {{ return dlopen(name(), RTLD_NOW); }}\n#endif\nconst char *text(void) {{ return \"{text}\"; }}\n{more}\n"
        );
        std::fs::write(&source, code).unwrap();
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).args(options);
        assert!(compiler.status().unwrap().success(), "the linker of Rust programs is a compiler");
        library
    }

    #[test]
    fn a_stripped_library_with_the_runtime_inside_is_found() {
        let folder = texunit_testkit::TempDir::new("stripped");
        let library = |name, more, options: &[_]| library(&folder, name, more, options);
        let hidden = library("hidden.so", "", &["-s"]);
        assert!(hides_runtime(&hidden));
        let said = warning(&hidden);
        assert!(said.contains("hidden.so has NVIDIA's CUDA runtime inside"), "{said}");
        // Nor does a table help that does not name the runtime (`strip -x`).
        assert!(hides_runtime(&library("others.so", "", &[])));
        // The shared runtime and the driver are what is called.
        assert!(!hides_runtime(&library(
            "runtime.so",
            "int cudaMalloc(void) { return 0; }",
            &["-s"]
        )));
        assert!(!hides_runtime(&library("driver.so", "int cuInit(void) { return 0; }", &["-s"])));
        // The text alone, as a library has it that names errors and loads no driver.
        assert!(!hides_runtime(&library("named.so", "", &["-s", "-DQUIET"])));
    }
}
