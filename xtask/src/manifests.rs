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

/// The text below a heading of a manifest.
fn section<'t>(text: &'t str, name: &str) -> &'t str {
    let heading = format!("[{name}]\n");
    let rest = text.split(&heading).nth(1).unwrap_or_default();
    rest.split("\n[").next().unwrap_or_default()
}

/// What is published can be packaged, and nothing that it needs is not published: `.ci/full package` does it.
#[test]
fn what_is_published_has_all_that_a_registry_wants() {
    let workspace = crate::workspace();
    let root = std::fs::read_to_string(workspace.join("Cargo.toml")).expect("a manifest");
    let mut published = Vec::new();
    let mut manifests = Vec::new();
    for entry in std::fs::read_dir(workspace.join("crates")).expect("crates").flatten() {
        let text = std::fs::read_to_string(entry.path().join("Cargo.toml")).expect("a manifest");
        let name = text.lines().find_map(|l| l.strip_prefix("name = \"")).expect("a name");
        let name = name.trim_end_matches('"').to_owned();
        if !section(&text, "package").contains("publish = false") {
            published.push(name.clone());
            manifests.push((name, entry.path(), text));
        }
    }
    assert!(published.len() > 10, "{published:?}");
    let shared = section(&root, "workspace.dependencies");
    let version = format!("version = \"{}\"", env!("CARGO_PKG_VERSION"));
    for (name, folder, text) in &manifests {
        let package = section(text, "package");
        for key in [
            "description = \"",
            "readme.workspace",
            "keywords = [",
            "categories = [",
            "license.workspace",
        ] {
            assert!(package.contains(key), "{name} lacks {key}");
        }
        let keywords = package.lines().find(|l| l.starts_with("keywords")).expect("seen above");
        assert!(keywords.matches(", ").count() < 5, "{name}: a registry takes five keywords");
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            let same = std::fs::read(workspace.join(licence)).expect("a licence");
            assert_eq!(std::fs::read(folder.join(licence)).ok(), Some(same), "{name}: {licence}");
        }
        // Dependencies of tests are left out of a package.
        for line in section(text, "dependencies").lines() {
            let own = line.split(['.', ' ']).next().unwrap_or_default();
            if own.starts_with("texunit-") {
                assert!(
                    published.iter().any(|p| p == own),
                    "{name} needs {own}, which is not published"
                );
                let row = shared.lines().find(|l| l.starts_with(&format!("{own} =")));
                assert!(row.is_some_and(|l| l.contains(&version)), "{own} has no {version}");
            }
        }
    }
}
