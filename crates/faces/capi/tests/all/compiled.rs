//! Compiles the C and C++ programs of examples/c and docs/c.md with warnings as errors, links them
//! with the library as users get it, and runs them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use texunit_testkit::{TempDir, skipped};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// The folder with `libtexunit.so` and `libtexunit.a`, which xtask builds once.
static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    // The path of this test is target/PROFILE/deps/NAME.
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    let to = target.join("capi");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut xtask = Command::new(cargo);
    xtask.current_dir(root()).env("CARGO_TARGET_DIR", &target);
    xtask.args(["run", "--quiet", "--locked", "-p", "xtask", "--", "libs", "--no-program"]);
    xtask.args(["--only", "libtexunit.so.1", "--to"]).arg(&to);
    if cfg!(debug_assertions) {
        xtask.arg("--debug");
    }
    assert!(xtask.status().unwrap().success(), "the library cannot be built");
    to
});

/// Whether a compiler is installed; if not, prints that the test is skipped.
fn has(compiler: &str) -> bool {
    let found = Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success());
    if !found {
        skipped(&format!("there is no {compiler}"));
    }
    found && cfg!(target_os = "linux")
}

/// Link options for the shared library.
fn shared() -> Vec<String> {
    let lib = LIBRARY.display();
    vec![format!("-L{lib}"), format!("-Wl,-rpath,{lib}"), "-ltexunit".to_owned()]
}

fn archived() -> Vec<String> {
    let archive = LIBRARY.join("libtexunit.a").display().to_string();
    let libraries = ["-lgcc_s", "-lpthread", "-ldl", "-lm"];
    std::iter::once(archive).chain(libraries.map(str::to_owned)).collect()
}

/// Compiles and runs a file. Returns its output.
fn run(compiler: &str, standard: &str, source: &Path, link: &[String]) -> String {
    let folder = TempDir::new("capi-program");
    let program = folder.join("program");
    let mut cc = Command::new(compiler);
    cc.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-o"])
        .arg(&program);
    cc.arg(source).arg("-I").arg(root().join("crates/faces/capi/include")).args(link);
    // Designated initialisers omit members on purpose.
    cc.arg("-Wno-missing-field-initializers");
    let output = cc.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{compiler} {}: {said}", source.display());
    let output = Command::new(&program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{}: {said}", source.display());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn examples_print_what_they_say() {
    if !has("gcc") {
        return;
    }
    let folder = root().join("examples/c");
    let first = run("gcc", "-std=c11", &folder.join("first.c"), &shared());
    assert_eq!(first, "1.5\n");
    let tour = run("gcc", "-std=c11", &folder.join("tour.c"), &shared());
    let wanted = folder.join("tour.txt");
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write(&wanted, &tour).unwrap();
    }
    assert_eq!(tour, std::fs::read_to_string(wanted).unwrap());
    assert_eq!(run("gcc", "-std=c11", &folder.join("tour.c"), &archived()), tour);
    assert_eq!(run("gcc", "-std=c99", &folder.join("first.c"), &archived()), "1.5\n");
}

#[test]
fn the_header_is_cpp_too() {
    if !has("g++") {
        return;
    }
    let source = root().join("examples/c/first.cpp");
    for standard in ["-std=c++17", "-std=c++20"] {
        let said = run("g++", standard, &source, &shared());
        assert!(said.starts_with("1.5\n") && said.contains("tex.2d.v4.f32.f32"), "{said}");
    }
    let all = TempDir::new("capi-cpp");
    let file = all.file("all.cpp", include_str!("all.cpp"));
    assert_eq!(run("g++", "-std=c++17", &file, &shared()), "done\n");
}

/// The programs in docs/c.md: code blocks in C and C++, each with its output if the next block
/// contains it.
#[test]
fn programs_of_the_page() {
    if !has("gcc") || !has("g++") {
        return;
    }
    let page = std::fs::read_to_string(root().join("docs/c.md")).unwrap();
    let parts: Vec<&str> = page.split("\n```").collect();
    let mut programs = 0;
    // Every other part is a code block.
    for (n, block) in parts.iter().enumerate().skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        let (compiler, standard, name) = match language {
            "c" => ("gcc", "-std=c11", "page.c"),
            "cpp" => ("g++", "-std=c++17", "page.cpp"),
            _ => continue,
        };
        assert!(text.contains("int main("), "not a whole program: {text}");
        let folder = TempDir::new("capi-page");
        let said = run(compiler, standard, &folder.file(name, text), &shared());
        let wanted = parts.get(n + 2).and_then(|block| block.split_once('\n'));
        let (_, wanted) = wanted.filter(|block| block.0 == "text").expect("what it prints");
        assert_eq!(said.trim_end(), wanted.trim_end());
        programs += 1;
    }
    assert!(programs >= 2, "{programs}");
}

/// `libtexunit.so` exports the interface and nothing else.
#[test]
fn only_the_interface_is_exported() {
    if !has("nm") {
        return;
    }
    let library = LIBRARY.join("libtexunit.so.1");
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let names: Vec<&str> = text.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    let header =
        std::fs::read_to_string(root().join("crates/faces/capi/include/texunit.h")).unwrap();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert!(header.contains(&format!("{name}(")), "{name} is not in the header");
    }
}
