//! The pkg-config file of the C library.

use super::{Built, HEADERS};
use crate::files::{self, at, call};
use crate::libs::{ARCHIVE_FOR_C, FOR_C};
use std::path::Path;
use std::process::Command;

/// Installs headers, libraries and `lib/pkgconfig/texunit.pc` into a folder that has `lib`. A wheel
/// cannot contain links, which `-ltexunit` needs, and omits the static library, which is as large
/// as everything else.
pub(super) fn install(built: &Built, folder: &Path, is_wheel: bool) -> Result<(), String> {
    let (include, lib) = (folder.join("include"), folder.join("lib"));
    let pkgconfig = lib.join("pkgconfig");
    files::folder(&include)?;
    files::folder(&pkgconfig)?;
    let headers = crate::workspace().join("crates/faces/capi/include");
    HEADERS.iter().try_for_each(|header| files::copy_into(header, &headers, &include))?;
    let libraries: &[&str] = if is_wheel { &[FOR_C] } else { &[FOR_C, ARCHIVE_FOR_C] };
    libraries.iter().try_for_each(|library| files::copy_into(library, &built.files, &lib))?;
    files::write(&pkgconfig.join("texunit.pc"), text(is_wheel))
}

fn text(is_wheel: bool) -> String {
    let name = if is_wheel { format!("-l:{FOR_C}") } else { "-ltexunit".to_owned() };
    format!(
        "prefix=${{pcfiledir}}/../..\n\
         libdir=${{prefix}}/lib\n\
         includedir=${{prefix}}/include\n\
         \n\
         Name: texunit\n\
         Description: NVIDIA's texture and surface unit in software, bit for bit\n\
         URL: https://github.com/texunit/texunit\n\
         Version: {}\n\
         Libs: -L${{libdir}} {name}\n\
         Libs.private: -lgcc_s -lpthread -ldl -lm\n\
         Cflags: -I${{includedir}}\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// Compiles examples/c/first.c with the flags that pkg-config prints, and runs it. Without
/// pkg-config the flags are read from the file.
pub(super) fn try_out(folder: &Path, place: &Path) -> Result<(), String> {
    let lib = at(folder, folder.join("lib").canonicalize())?;
    let mut asked = Command::new("pkg-config");
    asked.args(["--cflags", "--libs", "texunit"]).env("PKG_CONFIG_PATH", lib.join("pkgconfig"));
    let flags = match asked.output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).into_owned()
        }
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("pkg-config does not find texunit: {why}"));
        }
        Err(_) => {
            eprintln!("SKIPPED: pkg-config, which is not installed; its file is read instead");
            let text = files::read(&lib.join("pkgconfig/texunit.pc"))?;
            let said = |key: &str| {
                text.lines()
                    .find_map(|line| line.strip_prefix(key))
                    .unwrap_or_default()
                    .replace("${libdir}", &lib.to_string_lossy())
                    .replace("${includedir}", &folder.join("include").to_string_lossy())
            };
            format!("{} {}", said("Cflags:"), said("Libs:"))
        }
    };
    compile_and_run(place, flags.split_whitespace(), &lib)?;
    // Links the static library as docs/c.md describes it, which needs no libraries at run time.
    let include = format!("-I{}", folder.join("include").display());
    let archive = lib.join(ARCHIVE_FOR_C).display().to_string();
    let system = ["-lgcc_s", "-lpthread", "-ldl", "-lm"];
    compile_and_run(place, [include.as_str(), &archive].into_iter().chain(system), place)
}

/// Compiles and runs a minimal C program with the given link options and library folder.
fn compile_and_run<'a>(
    place: &Path,
    flags: impl Iterator<Item = &'a str>,
    libraries: &Path,
) -> Result<(), String> {
    let program = place.join("first");
    let source = crate::workspace().join("examples/c/first.c");
    let mut cc = Command::new("cc");
    call(cc.arg("-o").arg(&program).arg(&source).args(flags))?;
    let mut run = super::clean(&program);
    let said = call(run.env("LD_LIBRARY_PATH", libraries))?;
    if said != "1.5\n" { Err(format!("{} says {said:?}", source.display())) } else { Ok(()) }
}
