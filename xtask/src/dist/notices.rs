//! The licences of what is linked into the program and the libraries and is not texunit's: their texts go with it.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that are linked, each with all that it needs.
const LINKED: [&str; 6] = [
    "texunit",
    "texunit-capi",
    "texunit-cuda",
    "texunit-cudart",
    "texunit-python",
    "texunit-redirect",
];

const HEAD: &str = "\
texunit is licensed under MIT or Apache-2.0. Its program and libraries contain the crates below, each under the
licence that is named there, the standard library of Rust (MIT or Apache-2.0), and parts of LLVM's compiler-rt and
libunwind (Apache-2.0 WITH LLVM-exception). The texts of the licences, each once, come after the list.
";

/// The text of all of them.
pub(super) fn text(workspace: &Path) -> Result<String, String> {
    let of_workspace = metadata(workspace)?;
    let crates = linked(&of_workspace, &LINKED)?;
    let (mut list, mut texts) = (String::new(), BTreeMap::<String, BTreeSet<&str>>::new());
    for (name, krate) in &crates {
        let _ = writeln!(list, "{name}: {}", krate.licence);
        for file in licence_files(&krate.folder)? {
            let text = super::at(&file, std::fs::read(&file))?;
            let text = String::from_utf8_lossy(&text).trim().replace("\r\n", "\n");
            texts.entry(text).or_default().insert(name);
        }
    }
    let mut all = format!("{HEAD}\n{list}");
    for (text, names) in &texts {
        let names = names.iter().copied().collect::<Vec<_>>().join(", ");
        let _ = writeln!(all, "\n{}\n{names}\n\n{text}", "-".repeat(80));
    }
    Ok(all)
}

/// A crate of someone else's.
struct Crate {
    licence: String,
    folder: PathBuf,
}

fn metadata(workspace: &Path) -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked", "--quiet"]);
    command.args(["--filter-platform", &super::zig::triple(), "--manifest-path"]);
    command.arg(workspace.join("Cargo.toml"));
    let printed = super::call(&mut command)?;
    serde_json::from_str(&printed).map_err(|e| format!("cargo metadata: {e}"))
}

/// The crates that these packages are linked with, by name and version; not what only runs while they are built.
fn linked(metadata: &Value, packages: &[&str]) -> Result<BTreeMap<String, Crate>, String> {
    let by_id = |list: &Value| -> BTreeMap<String, Value> {
        let rows = list.as_array().into_iter().flatten();
        rows.filter_map(|row| Some((row["id"].as_str()?.to_owned(), row.clone()))).collect()
    };
    let (all, nodes) = (by_id(&metadata["packages"]), by_id(&metadata["resolve"]["nodes"]));
    let is_wanted = |package: &Value| packages.iter().any(|name| package["name"] == *name);
    let mut open: Vec<&str> =
        all.iter().filter(|(_, p)| is_wanted(p)).map(|(id, _)| id.as_str()).collect();
    if open.len() != packages.len() {
        return Err(format!("cargo metadata does not know all of {}", packages.join(", ")));
    }
    let (mut seen, mut found) = (BTreeSet::new(), BTreeMap::new());
    while let Some(id) = open.pop() {
        let Some(package) = all.get(id).filter(|_| seen.insert(id)) else { continue };
        if is_macro(package) {
            continue;
        }
        let text = |key: &str| package[key].as_str().unwrap_or_default();
        if !package["source"].is_null() {
            let folder = Path::new(text("manifest_path")).parent().unwrap_or(Path::new("."));
            let krate = Crate { licence: text("license").to_owned(), folder: folder.to_owned() };
            found.insert(format!("{} {}", text("name"), text("version")), krate);
        }
        let needed = nodes.get(id).and_then(|node| node["deps"].as_array()).into_iter().flatten();
        open.extend(needed.filter(|dep| is_normal(dep)).filter_map(|dep| dep["pkg"].as_str()));
    }
    Ok(found)
}

fn is_macro(package: &Value) -> bool {
    let targets = package["targets"].as_array().into_iter().flatten();
    targets.flat_map(|t| t["kind"].as_array().into_iter().flatten()).any(|k| k == "proc-macro")
}

fn is_normal(dependency: &Value) -> bool {
    let kinds = dependency["dep_kinds"].as_array().into_iter().flatten();
    kinds.into_iter().any(|kind| kind["kind"].is_null())
}

/// The files of a crate with a licence's text.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = super::at(folder, std::fs::read_dir(folder))?;
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file()
            && ["LICEN", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|n| name.starts_with(n))
    };
    let mut files: Vec<_> = entries.flatten().map(|e| e.path()).filter(is_one).collect();
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_is_not() {
        let metadata = metadata(&crate::workspace()).expect("Cargo's word");
        let crates = linked(&metadata, &LINKED).expect("the packages");
        let has = |name: &str| crates.keys().any(|key| key.split(' ').next() == Some(name));
        assert!(has("clap") && has("serde") && has("libc") && has("exr"), "{:?}", crates.keys());
        // A derive macro, what only tests need, and our own.
        assert!(!has("serde_derive") && !has("proptest") && !has("texunit-unit"));
        assert!(crates.values().all(|krate| !krate.licence.is_empty()));
    }
}
