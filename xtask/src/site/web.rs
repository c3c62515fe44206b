//! Builds the playground: two WebAssembly builds of `crates/faces/web`, and the page of `web/`.

use super::{call, output};
use crate::files;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
/// Maximum size in bytes of a build compressed by gzip, which every file server and browser
/// supports; brotli compresses more.
const MAX_COMPRESSED: usize = 3_000_000;
/// The WebAssembly builds: folder, and compiler flags.
const BUILDS: [(&str, &str); 2] = [("simd", "-C target-feature=+simd128"), ("plain", "")];
pub(super) fn build(out: &Path) -> Result<(), String> {
    node()?;
    target()?;
    packages()?;
    clear(out)?;
    bindgen_is_built()?;
    for (name, flags) in BUILDS {
        wasm(out, name, flags)?;
    }
    let web = crate::workspace().join("web");
    let examples = crate::workspace().join("examples");
    call(Command::new("node").arg("build.mjs").arg(out).arg(examples).current_dir(web), NODE)
}

const NODE: &str =
    "install Node.js 20 or later (https://nodejs.org, or your system's package `nodejs`)";

fn node() -> Result<(), String> {
    let version = output(Command::new("node").arg("--version"));
    let version = version.ok_or_else(|| format!("`node` is not installed: {NODE}"))?;
    match version.trim().trim_start_matches('v').split('.').next().and_then(|n| n.parse().ok()) {
        Some(20_u32..) => Ok(()),
        _ => Err(format!("Node.js {} is too old: {NODE}", version.trim())),
    }
}

/// Installs the standard library for WebAssembly with rustup, if it is missing.
fn target() -> Result<(), String> {
    let root = output(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default();
    if Path::new(root.trim()).join("lib/rustlib").join(TARGET).is_dir() {
        return Ok(());
    }
    let missing = format!("the target {TARGET} is needed: `rustup target add {TARGET}`");
    call(Command::new("rustup").args(["target", "add", TARGET]), &missing).map_err(|_| missing)
}

/// Installs the packages of `web/package-lock.json`.
fn packages() -> Result<(), String> {
    let web = crate::workspace().join("web");
    let modified = |path: &str| fs::metadata(web.join(path)).and_then(|m| m.modified()).ok();
    if modified("node_modules/.package-lock.json") >= modified("package-lock.json") {
        return Ok(());
    }
    // Install scripts are disabled, because the packages need none.
    let install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    call(Command::new("npm").args(install).current_dir(web), NODE)
}

/// Removes the playground's files of an earlier build; other parts of the site stay.
fn clear(out: &Path) -> Result<(), String> {
    files::folder(out)?;
    let is_own = |path: &&PathBuf| {
        path.is_file() || ["simd", "plain", "examples"].iter().any(|name| path.ends_with(name))
    };
    files::entries(out)?.iter().filter(is_own).try_for_each(|path| files::remove(path))
}

/// Builds the wasm-bindgen command in the release of the workspace: `web/bindgen`, a workspace of
/// its own.
fn bindgen_is_built() -> Result<(), String> {
    let root = crate::workspace();
    let mut command = files::cargo();
    command
        .args(["build", "--locked", "--quiet", "--manifest-path"])
        .arg(root.join("web/bindgen/Cargo.toml"));
    command.arg("--target-dir").arg(root.join("target/site-tools"));
    // The flags of xtask's own build must not apply to the command.
    call(
        command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS"),
        "it comes with Rust",
    )
}

fn wasm(out: &Path, name: &str, flags: &str) -> Result<(), String> {
    let root = crate::workspace();
    // Each build has a target folder of its own, so that the builds do not invalidate each other.
    let built = root.join("target/web").join(name);
    println!("building the WebAssembly `{name}`");
    let mut command = files::cargo();
    command.args(["rustc", "--locked", "--quiet", "-p", "texunit-web", "--lib"]);
    command
        .args(["--crate-type", "cdylib", "--profile", "web", "--target", TARGET, "--target-dir"])
        .arg(&built);
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").env("RUSTFLAGS", flags).current_dir(&root);
    call(&mut command, "it comes with Rust")?;
    let module = built.join(TARGET).join("web/texunit_web.wasm");
    let folder = out.join(name);
    let bindgen = root.join("target/site-tools/debug/texunit-bindgen");
    call(Command::new(bindgen).arg(module).arg(&folder).arg("texunit"), "it has just been built")?;
    let module = folder.join("texunit_bg.wasm");
    let mut types = files::entries(&folder)?;
    types.retain(|path| path.extension().is_some_and(|ending| ending == "ts"));
    types.iter().try_for_each(|path| files::remove(path))?;
    let bytes = files::at(&module, fs::read(&module))?;
    size(name, bytes.len(), gzipped(&bytes)?)
}

/// The compressed size of a file, as a server sends it.
fn gzipped(bytes: &[u8]) -> Result<usize, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let made = encoder.write_all(bytes).and_then(|()| encoder.finish());
    made.map(|made| made.len()).map_err(|e| e.to_string())
}

/// Prints the size of a build, and returns an error if it is too large.
fn size(name: &str, plain: usize, compressed: usize) -> Result<(), String> {
    println!("{name}: {plain} bytes, {compressed} with gzip -9");
    if compressed <= MAX_COMPRESSED {
        return Ok(());
    }
    Err(format!(
        "the build `{name}` has {compressed} bytes after gzip -9, and the limit is {MAX_COMPRESSED}: \
         profile `web` of Cargo.toml keeps it small, and the names in target/web/*/wasm32-unknown-unknown/web/texunit_web.wasm \
         show which functions are large"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use texunit_testkit::Random;

    #[test]
    fn large_builds_are_refused() {
        assert!(size("plain", 1, MAX_COMPRESSED).is_ok());
        let error = size("plain", 1, MAX_COMPRESSED + 1).unwrap_err();
        assert!(error.contains("`plain`") && error.contains("3000001"), "{error}");
        let mut random = Random::new(1);
        let noise: Vec<u8> = (0..100_000).map(|_| random.u32() as u8).collect();
        assert!(gzipped(&vec![0; noise.len()]).unwrap() < 1000);
        assert!(gzipped(&noise).unwrap() > 10_000);
    }
}
