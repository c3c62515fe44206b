//! Strips the symbol table of release builds, which is a quarter of the file, unless they have line
//! tables for profilers. A profile cannot do this, because Cargo ignores `strip` for packages whose
//! `opt-level` it sets.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("PROFILE", "release") && is("DEBUG", "false") {
        println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    }
}
