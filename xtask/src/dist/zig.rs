//! Tools from PyPI that make the archive and the wheel, in an environment of their own: zig links for the C library of
//! an older system than this one, maturin knows what the wheel says of itself, wheel packs it, auditwheel judges it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest C library that what is made runs with: that of the tag `manylinux_2_28` (Debian 10, RHEL 8, Ubuntu 18.10).
pub(crate) const GLIBC: (u32, u32) = (2, 28);

/// The tested releases; either all of them are installed, or none.
const PACKAGES: [&str; 5] = [
    "maturin==1.16.0",
    "wheel==0.48.0",
    "auditwheel==6.8.2",
    "cargo-zigbuild==0.24.0",
    "ziglang==0.17.1",
];
/// How many of them a light package is made with.
const LIGHT: usize = 2;

/// Where they are.
#[derive(Clone, Debug)]
pub(crate) struct Zig {
    /// The environment's programs.
    bin: PathBuf,
    /// The tools' caches.
    cache: PathBuf,
}

impl Zig {
    /// The tools in a folder, or those but zig. They are installed there first if they differ from [`PACKAGES`].
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
            format!(
                "{} cannot be installed from PyPI, which `dist` needs: {e}",
                packages.join(", ")
            )
        };
        let python = Path::new("python3");
        crate::tools::run(Command::new(python).args(["-m", "venv", "--clear"]).arg(&environment))
            .map_err(why)?;
        let mut pip = zig.tool("python3");
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
        crate::tools::run(&mut pip).map_err(why)?;
        std::fs::write(&installed, wanted).map_err(|e| format!("{}: {e}", installed.display()))?;
        Ok(zig)
    }

    /// A program of the environment, which finds the others and Cargo.
    pub(crate) fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path));
        // What cannot be joined was not a list of folders before, either.
        if let Ok(path) = std::env::join_paths(path) {
            command.env("PATH", path);
        }
        command.env("CARGO_ZIGBUILD_CACHE_DIR", self.cache.join("cargo-zigbuild"));
        command.env("ZIG_GLOBAL_CACHE_DIR", self.cache.join("zig"));
        command
    }

    /// Cargo with zig as the linker: `arguments` begin with a command of Cargo's.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = self.tool("cargo-zigbuild");
        let (first, rest) = arguments.split_first().unwrap_or((&"build", &[]));
        command.arg(if *first == "build" { "zigbuild" } else { first }).args(rest);
        command.args(["--target", &format!("{}.{}.{}", triple(), GLIBC.0, GLIBC.1)]);
        command
    }

    /// zig as a C compiler, with the arguments of one that Rust would call.
    pub(crate) fn cc(&self) -> Command {
        let mut command = self.tool("cargo-zigbuild");
        let arch = std::env::consts::ARCH;
        let target = format!("{arch}-linux-gnu.{}.{}", GLIBC.0, GLIBC.1);
        command.args(["zig", "cc", "--", "-target", &target]);
        command
    }
}

/// Cargo's name of the machine that all of it is built for, which is also the folder below its target folder.
pub(crate) fn triple() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

/// The system's unwinder, for which zig would link one of its own: an exception that a program throws in a host function
/// passes through our frames, and both sides have to know the same one.
pub(crate) fn unwinder() -> Result<PathBuf, String> {
    let mut command = Command::new("cc");
    command.arg("-print-file-name=libgcc_s.so.1");
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let path = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    // It prints unchanged what it does not find.
    if path.is_absolute() { Ok(path) } else { Err("cc knows no libgcc_s.so.1".to_owned()) }
}
