//! Tests of the manifests: targets that they disable to save time contain no tests, and no crate
//! depends on one of a higher layer.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The paths and texts of all source files of the crates.
pub(crate) fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    crates().iter().for_each(|(folder, _)| sources_below(&folder.join("src"), &mut found));
    found
}

fn sources_below(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources_below(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            found.push((path, text));
        }
    }
}

/// The first code block in doc comments that rustdoc would run.
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

/// The folder of each crate below `crates/`, and the text of its manifest.
fn crates() -> Vec<(PathBuf, String)> {
    let below = |folder: PathBuf| std::fs::read_dir(folder).expect("a folder").flatten();
    let parts = below(crate::workspace().join("crates")).map(|part| part.path());
    let folders = parts.flat_map(below).map(|entry| entry.path());
    let read = |folder: PathBuf| {
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).expect("a manifest");
        (folder, manifest)
    };
    folders.map(read).collect()
}

/// The layers, which are the folders of `crates/`, each with the other layers that its crates may
/// depend on. `support` is for builds and tests only.
const PARTS: [(&str, &[&str]); 10] = [
    ("support", &[]),
    ("unit", &["support"]),
    // Crates of ptx may use only `unit/forms`, which has names of geometries and operations for
    // both layers, but no code for texels.
    ("ptx", &["support", "unit/forms"]),
    ("maxwell", &["support", "unit", "ptx"]),
    ("engine", &["support", "unit", "ptx", "maxwell"]),
    // Crates of observe observe kernels; those of engine do not depend on them.
    ("observe", &["support", "unit", "ptx", "maxwell", "engine"]),
    ("cuda", &["support", "unit", "ptx", "maxwell", "engine", "observe"]),
    ("faces", &["support", "unit", "ptx", "maxwell", "engine", "observe", "cuda"]),
    ("tools", &["support", "unit", "ptx", "maxwell", "engine", "observe", "cuda"]),
    // The crate of dist is the core, which contains the crates of all other layers.
    ("dist", &["support", "cuda", "faces", "tools"]),
];

/// No crate depends on a crate of a higher layer. Dependencies of tests are exempt.
#[test]
fn no_crate_uses_one_of_a_part_above_its_own() {
    let crates = crates();
    // The layer and folder of each package, by the package's name.
    let places: BTreeMap<&str, (String, String)> = crates
        .iter()
        .map(|(folder, text)| {
            let name = |path: &Path| {
                path.file_name().expect("below crates").to_string_lossy().into_owned()
            };
            let part = name(folder.parent().expect("below crates"));
            (package(text), (part, name(folder)))
        })
        .collect();
    let mut seen = 0;
    for (user, (part, _)) in &places {
        let (_, allowed) =
            PARTS.iter().find(|(name, _)| name == part).expect("a part of the house");
        let text = &crates.iter().find(|(_, text)| package(text) == *user).expect("listed").1;
        for used in section(text, "dependencies").lines() {
            let used = used.split(['.', ' ']).next().unwrap_or_default();
            let Some((owner, folder)) = places.get(used) else { continue };
            seen += 1;
            let one = format!("{owner}/{folder}");
            let may = owner == part || allowed.iter().any(|a| a == owner || *a == one);
            assert!(may, "{user}, which is in {part}, may not use {used} of {owner}");
        }
    }
    assert!(seen > 100, "{seen} dependencies");
    for (part, _) in PARTS {
        assert!(places.values().any(|(p, _)| p == part), "no crate in {part}");
    }
}

/// The name of the package that a manifest describes.
fn package(text: &str) -> &str {
    let name = text.lines().find_map(|l| l.strip_prefix("name = \"")).expect("a name");
    name.trim_end_matches('"')
}

#[test]
fn crates_without_tests_of_a_kind_say_so_and_have_none() {
    let mut judged = 0;
    for (folder, text) in crates() {
        let lib = text.split("[lib]").nth(1).unwrap_or("");
        let lib = lib.split("\n[").next().unwrap_or("");
        let off = |word: &str| lib.lines().any(|l| l.trim() == format!("{word} = false"));
        let mut files = Vec::new();
        sources_below(&folder.join("src"), &mut files);
        if off("test") {
            judged += 1;
            assert!(
                !files.iter().any(|(_, text)| text.contains("#[test]")),
                "{}",
                folder.display()
            );
        }
        if off("doctest") {
            judged += 1;
            let found = files.iter().find_map(|(_, text)| example(text));
            assert_eq!(found, None, "{}", folder.display());
        }
    }
    assert!(judged > 20, "{judged} settings");
}

/// The text of a manifest's section.
fn section<'t>(text: &'t str, name: &str) -> &'t str {
    let heading = format!("[{name}]\n");
    let rest = text.split(&heading).nth(1).unwrap_or_default();
    rest.split("\n[").next().unwrap_or_default()
}

/// Published crates have the metadata that a registry requires, and depend on published crates
/// only: `.ci/full package` packages them.
#[test]
fn what_is_published_has_all_that_a_registry_wants() {
    let workspace = crate::workspace();
    let root = std::fs::read_to_string(workspace.join("Cargo.toml")).expect("a manifest");
    let mut published = Vec::new();
    let mut manifests = Vec::new();
    for (folder, text) in crates() {
        let name = package(&text).to_owned();
        if !section(&text, "package").contains("publish = false") {
            published.push(name.clone());
            manifests.push((name, folder, text));
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
        // Only `[dependencies]` is examined, because published packages omit the dependencies of
        // tests.
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

/// Each published crate has an example for new users. Examples that the build of all tests has left
/// beside this test are run, unless their source has changed since.
#[test]
fn published_crates_have_examples_that_run() {
    let own = std::env::current_exe().expect("the path of this program");
    let built = own.ancestors().nth(2).expect("the folder of the profile").join("examples");
    let modified = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let mut ran = 0;
    for (folder, text) in crates() {
        if section(&text, "package").contains("publish = false") {
            continue;
        }
        let listed = std::fs::read_dir(folder.join("examples")).into_iter().flatten().flatten();
        let mut sources: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
        // The benchmark is not run, because it needs arguments and time.
        sources.retain(|source| !source.ends_with("sample_rate.rs"));
        assert!(!sources.is_empty(), "{} has no example", package(&text));
        for source in sources {
            let program = built.join(source.file_stem().expect("a name"));
            // An example is run only if its program is newer than its source. A missing program has
            // the time `None`, which is less than any time.
            if modified(&program) < modified(&source) {
                continue;
            }
            let output = std::process::Command::new(&program).output().expect("an example runs");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: {said}", program.display());
            assert!(!output.stdout.is_empty(), "{} prints nothing", program.display());
            ran += 1;
        }
    }
    if ran == 0 {
        eprintln!("SKIPPED: examples, which `cargo test --workspace` builds");
    }
}
