//! Release builds of the program have no table of symbols, a quarter of the file, unless they have line tables for
//! profilers. A profile cannot say it: Cargo ignores `strip` for packages whose `opt-level` it names.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("PROFILE", "release") && is("DEBUG", "false") {
        println!("cargo:rustc-link-arg-bins=-Wl,--strip-all");
    }
}
