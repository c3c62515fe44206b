//! Collects the licences of crates that are linked into the program and the libraries, which the
//! packages must contain.

use crate::files::{self, at};
use crate::metadata::Metadata;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The workspace's packages that are linked into the program and the libraries.
pub(crate) const LINKED: [&str; 11] = [
    "texunit",
    "texunit-capi",
    "texunit-cublas",
    "texunit-cuda",
    "texunit-cudart",
    "texunit-cufft",
    "texunit-curand",
    "texunit-nvml",
    "texunit-python",
    "texunit-redirect",
    "texunit-shims",
];

const HEAD: &str = "\
texunit is licensed under MIT or Apache-2.0. Its program and libraries contain the crates below, each under the
licence that is named there, the standard library of Rust (MIT or Apache-2.0), and parts of LLVM's compiler-rt and
libunwind (Apache-2.0 WITH LLVM-exception). The texts of the licences, each once, come after the list.
";

/// The text with the licences of all linked crates.
pub(super) fn text() -> Result<String, String> {
    let metadata = Metadata::read()?;
    let mut crates = metadata.linked(&LINKED)?;
    crates.retain(|package| !package.is_own);
    crates.sort_by_key(|package| (&package.name, &package.version));
    let (mut list, mut texts) = (String::new(), BTreeMap::<String, BTreeSet<String>>::new());
    for package in crates {
        let name = format!("{} {}", package.name, package.version);
        let _ = writeln!(list, "{name}: {}", package.licence);
        for file in licence_files(&package.folder)? {
            let text = at(&file, std::fs::read(&file))?;
            let text = String::from_utf8_lossy(&text).trim().replace("\r\n", "\n");
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut all = format!("{HEAD}\n{list}");
    for (text, names) in &texts {
        let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        let _ = writeln!(all, "\n{}\n{names}\n\n{text}", "-".repeat(80));
    }
    Ok(all)
}

/// The licence files in the folder of a crate.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        path.is_file()
            && ["LICEN", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|n| name.starts_with(n))
    };
    let mut found = files::entries(folder)?;
    found.retain(is_one);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_is_not() {
        let metadata = Metadata::read().expect("Cargo's answer");
        let crates = metadata.linked(&LINKED).expect("the packages");
        let has = |name: &str| crates.iter().any(|package| !package.is_own && package.name == name);
        assert!(["clap", "serde", "libc", "exr", "rustfft", "gemm", "statrs"].into_iter().all(has));
        // `serde_derive` is a derive macro and `proptest` a dependency of tests only, so that
        // neither is linked.
        assert!(!has("serde_derive") && !has("proptest"));
        assert!(crates.iter().all(|package| !package.licence.is_empty()));
    }
}
