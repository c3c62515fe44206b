//! What the manifests switch off to save time has nothing in it.

use std::path::Path;

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(std::fs::read_to_string(&path).expect("UTF-8"));
        }
    }
}

/// The first block in doc comments that rustdoc would run.
fn example(text: &str) -> Option<&str> {
    let mut open = false;
    text.lines().find(|line| {
        let text = line.trim_start();
        let Some(text) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            return false;
        };
        let Some(kind) = text.trim_start().strip_prefix("```") else { return false };
        open = !open;
        open && ["", "rust", "no_run", "should_panic"].contains(&kind.trim())
    })
}

#[test]
fn crates_without_tests_of_a_kind_say_so_and_have_none() {
    let crates = crate::workspace().join("crates");
    let mut judged = 0;
    for entry in std::fs::read_dir(&crates).expect("crates").flatten() {
        let manifest = entry.path().join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        let lib = text.split("[lib]").nth(1).unwrap_or("");
        let lib = lib.split("\n[").next().unwrap_or("");
        let off = |word: &str| lib.lines().any(|l| l.trim() == format!("{word} = false"));
        let mut files = Vec::new();
        sources(&entry.path().join("src"), &mut files);
        if off("test") {
            judged += 1;
            assert!(!files.iter().any(|f| f.contains("#[test]")), "{}", manifest.display());
        }
        if off("doctest") {
            judged += 1;
            let found = files.iter().find_map(|f| example(f));
            assert_eq!(found, None, "{}", manifest.display());
        }
    }
    assert!(judged > 20, "{judged} settings");
}

/// The wheel has the version of the program in it.
#[test]
fn the_python_package_has_the_version_of_the_workspace() {
    let manifest = crate::workspace().join("python/Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let version = format!("\nversion = \"{}\"\n", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&version), "{} lacks{version}", manifest.display());
}
