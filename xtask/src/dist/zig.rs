//! Tools from PyPI that build the archive and the wheel, in an environment of their own: zig links
//! for the C library of an older system, maturin generates the wheel's metadata, wheel packs it,
//! and auditwheel checks it.

use crate::files;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest supported C library: that of the tag `manylinux_2_28` (Debian 10, RHEL 8, Ubuntu
/// 18.10).
pub(crate) const GLIBC: (u32, u32) = (2, 28);

/// The pinned releases of the tools. Either all of them are installed, or none.
const PACKAGES: [&str; 5] = [
    "maturin==1.16.0",
    "wheel==0.48.0",
    "auditwheel==6.8.2",
    "cargo-zigbuild==0.24.0",
    "ziglang==0.17.1",
];
/// The number of first [`PACKAGES`] that a light package needs.
const LIGHT: usize = 2;

/// The installed tools.
#[derive(Clone, Debug)]
pub(crate) struct Zig {
    /// The folder of the tools' programs in their Python environment.
    bin: PathBuf,
    /// The folder for the caches of the tools.
    cache: PathBuf,
}

impl Zig {
    /// Returns the tools in a folder, with `light` without zig, and installs them first if their
    /// releases differ from [`PACKAGES`].
    pub(crate) fn get(folder: &Path, light: bool) -> Result<Self, String> {
        let environment = folder.join(if light { "light" } else { "environment" });
        let packages = if light { &PACKAGES[..LIGHT] } else { &PACKAGES };
        let zig = Self { bin: environment.join("bin"), cache: folder.join("cache") };
        let installed = environment.join("installed.txt");
        let wanted = packages.join("\n");
        if std::fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
            return Ok(zig);
        }
        let why = |e: String| {
            let all = packages.join(", ");
            format!("{all} cannot be installed from PyPI, which `dist` needs: {e}")
        };
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv", "--clear"]).arg(&environment);
        files::quiet(&mut venv).map_err(why)?;
        let mut pip = zig.tool("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        files::quiet(&mut pip).map_err(why)?;
        files::write(&installed, wanted)?;
        Ok(zig)
    }

    /// A command that runs a tool, with the tools and Cargo in its PATH.
    pub(crate) fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path));
        // PATH stays unchanged if joining fails, because then it was not a list of folders before.
        if let Ok(path) = std::env::join_paths(path) {
            command.env("PATH", path);
        }
        command.env("CARGO_ZIGBUILD_CACHE_DIR", self.cache.join("cargo-zigbuild"));
        command.env("ZIG_GLOBAL_CACHE_DIR", self.cache.join("zig"));
        command
    }

    /// A command that runs Cargo with zig as the linker; `arguments` begin with a Cargo command.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.tool("cargo-zigbuild");
        let (first, rest) = arguments.split_first().unwrap_or((&"build", &[]));
        command.arg(if *first == "build" { "zigbuild" } else { first }).args(rest);
        command.args(["--target", &format!("{}.{}.{}", triple(), GLIBC.0, GLIBC.1)]);
        command
    }

    /// A command that runs zig as a C compiler with the arguments of `cc`.
    pub(crate) fn cc(&self) -> Command {
        let mut command = self.tool("cargo-zigbuild");
        let arch = std::env::consts::ARCH;
        let target = format!("{arch}-linux-gnu.{}.{}", GLIBC.0, GLIBC.1);
        command.args(["zig", "cc", "--", "-target", &target]);
        command
    }
}

/// The target triple of the build, which is also the name of Cargo's folder for it.
pub(crate) fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The path of the system's unwinder, which is linked in place of zig's own. An exception that a
/// program throws in a host function passes through texunit's frames, so that both must use the
/// same unwinder.
pub(crate) fn unwinder() -> Result<PathBuf, String> {
    let mut command = Command::new("cc");
    command.arg("-print-file-name=libgcc_s.so.1");
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // cc prints the name unchanged if it does not find the file.
    if path.is_absolute() { Ok(path) } else { Err("cc knows no libgcc_s.so.1".to_owned()) }
}
