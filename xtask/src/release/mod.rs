//! `release`: builds the files of a release after checks of versions and changelog.
//!
//! It publishes nothing: .github/workflows/release.yml drafts a release with the files.

mod sbom;

use crate::dist;
use crate::files::{self, at, call};
use crate::metadata::Metadata;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The version that all packages must have.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Manifests of npm packages, which have the version too.
const MANIFESTS: [&str; 2] = ["editors/vscode/package.json", "web/package.json"];
/// The name of the file of checksums, which has the format of `sha256sum`.
const SUMS: &str = "SHA256SUMS";

/// The arguments of `release`.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Do not ask for a tag at this commit and a clean tree
    #[arg(long)]
    dry_run: bool,
    /// Take the files of `dist --light` from target/dist/light, where they are made if they are
    /// missing
    #[arg(long, requires = "dry_run")]
    light: bool,
    /// Tag of the release
    #[arg(long, default_value = concat!("v", env!("CARGO_PKG_VERSION")))]
    tag: String,
    /// Form of the report
    #[arg(long, default_value = "text", value_parser = ["text", "json"])]
    format: String,
}

/// A condition for a release: its name, and the reason if it is not met.
struct Check(&'static str, Result<(), String>);

/// A file of the release.
struct File {
    name: String,
    bytes: usize,
    /// The SHA-256 checksum of the file in hexadecimal.
    sum: String,
}

/// Builds the files if all conditions are met, and prints a report. Exit code: 0 for success, 1 for
/// failure.
pub(crate) fn run(request: &Request) -> ExitCode {
    crate::exit_code(release(request))
}

fn release(request: &Request) -> Result<bool, String> {
    let root = crate::workspace();
    let metadata = Metadata::read()?;
    let versions = metadata.own().map(|package| (package.name.clone(), package.version.clone()));
    let mut checks = vec![
        Check("tag", tag(&request.tag)),
        Check("versions", same_versions(&root, versions.collect())),
        Check("changelog", changelog(&root)),
    ];
    if !request.dry_run {
        checks.push(Check("commit", commit(&root, &request.tag)));
    }
    let is_good = checks.iter().all(|check| check.1.is_ok());
    let folder = dist::folder(request.light);
    let files = if is_good { files(request, &metadata, &folder)? } else { Vec::new() };
    let published = metadata.published()?;
    let crates: Vec<&str> = published.iter().map(|package| &*package.name).collect();
    let report = Report { request, checks, folder, files, crates };
    match request.format.as_str() {
        "json" => println!("{:#}", report.json()),
        _ => print!("{}", report.text()),
    }
    Ok(is_good)
}

fn tag(tag: &str) -> Result<(), String> {
    match tag.strip_prefix('v') {
        Some(VERSION) => Ok(()),
        _ => Err(format!("{tag} is not v{VERSION}, the version of the workspace")),
    }
}

/// Returns an error that names all manifests with another version.
fn same_versions(root: &Path, mut versions: Vec<(String, String)>) -> Result<(), String> {
    for manifest in MANIFESTS {
        let text = files::read(&root.join(manifest))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("{manifest}: {e}"))?;
        versions.push((manifest.into(), value["version"].as_str().unwrap_or_default().to_owned()));
    }
    versions.retain(|(_, version)| version != VERSION);
    let others: Vec<_> = versions.iter().map(|(name, v)| format!("{name} has {v}")).collect();
    if others.is_empty() { Ok(()) } else { Err(others.join(", ")) }
}

/// Returns an error unless the changelog has a heading for the version, `## 0.1.0` or `## [0.1.0]`.
fn changelog(root: &Path) -> Result<(), String> {
    let text = files::read(&root.join("CHANGELOG.md"))?;
    let is_entry = |line: &str| {
        let heading = line.strip_prefix("## ").and_then(|rest| rest.split(' ').next());
        heading.is_some_and(|word| word.trim_matches(['[', ']']) == VERSION)
    };
    match text.lines().any(is_entry) {
        true => Ok(()),
        false => Err(format!("CHANGELOG.md has no entry `## {VERSION}`")),
    }
}

/// Returns an error unless the working tree is clean and HEAD has the tag.
fn commit(root: &Path, tag: &str) -> Result<(), String> {
    let git = |arguments: &[&str]| call(Command::new("git").current_dir(root).args(arguments));
    if !git(&["status", "--porcelain"])?.is_empty() {
        return Err("the working tree has changes that are not committed".to_owned());
    }
    match git(&["tag", "--points-at", "HEAD"])?.lines().any(|line| line == tag) {
        true => Ok(()),
        false => Err(format!("HEAD has no tag {tag}")),
    }
}

/// The archive and the wheel in a folder.
fn packages(folder: &Path) -> Vec<PathBuf> {
    let is_package = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let ending = name.strip_prefix(&format!("texunit-{VERSION}-"));
        ending.is_some_and(|ending| ending.ends_with(".tar.gz") || ending.ends_with(".whl"))
    };
    let mut found = files::entries(folder).unwrap_or_default();
    found.retain(is_package);
    found
}

/// Makes all files of the release.
fn files(request: &Request, metadata: &Metadata, folder: &Path) -> Result<Vec<File>, String> {
    let mut paths = if request.light { packages(folder) } else { Vec::new() };
    if paths.is_empty() {
        paths = dist::make(&dist::Request { light: request.light })?;
    }
    let bill = folder.join(format!("texunit-{VERSION}.cdx.json"));
    files::write(&bill, format!("{:#}\n", sbom::document(metadata)?))?;
    paths.push(bill);
    sums(folder, &paths)
}

/// Writes the file of checksums; returns the files that it lists, with their checksums.
fn sums(folder: &Path, paths: &[PathBuf]) -> Result<Vec<File>, String> {
    let (mut files, mut text) = (Vec::new(), String::new());
    for path in paths {
        let bytes = at(path, std::fs::read(path))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let hex = |sum: String, byte: &u8| sum + &format!("{byte:02x}");
        let sum = Sha256::digest(&bytes).iter().fold(String::new(), hex);
        let _ = writeln!(text, "{sum}  {name}");
        files.push(File { name, bytes: bytes.len(), sum });
    }
    files::write(&folder.join(SUMS), text)?;
    Ok(files)
}

/// The report of a release: the checks, the files in their folder, and the crates to publish.
struct Report<'a> {
    request: &'a Request,
    checks: Vec<Check>,
    folder: PathBuf,
    files: Vec<File>,
    crates: Vec<&'a str>,
}

impl Report<'_> {
    fn json(&self) -> Value {
        let check = |Check(name, outcome): &Check| {
            let problem = outcome.as_ref().err();
            json!({ "name": name, "passed": problem.is_none(), "problem": problem })
        };
        let file = |f: &File| json!({ "name": f.name, "bytes": f.bytes, "sha256": f.sum });
        json!({
            "version": VERSION,
            "tag": self.request.tag,
            "dry_run": self.request.dry_run,
            "checks": self.checks.iter().map(check).collect::<Vec<_>>(),
            "folder": self.folder,
            "files": self.files.iter().map(file).collect::<Vec<_>>(),
            "crates": self.crates,
        })
    }

    fn text(&self) -> String {
        let dry = if self.request.dry_run { " (dry run)" } else { "" };
        let mut text = format!("texunit {VERSION}, tag {}{dry}\n", self.request.tag);
        for Check(name, outcome) in &self.checks {
            let _ = match outcome {
                Ok(()) => writeln!(text, "  passed  {name}"),
                Err(problem) => writeln!(text, "  FAILED  {name}: {problem}"),
            };
        }
        if !self.files.is_empty() {
            let _ = writeln!(text, "files in {}, with {SUMS}:", self.folder.display());
        }
        for File { name, bytes, sum } in &self.files {
            let _ = writeln!(text, "  {sum}  {bytes:>9}  {name}");
        }
        text + &format!("crates for `cargo publish`, in order: {}\n", self.crates.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsed;
    use texunit_testkit::TempDir;

    #[test]
    fn versions_tag_and_changelog_agree() {
        assert_eq!(tag(&format!("v{VERSION}")), Ok(()));
        assert!(tag(VERSION).is_err() && tag("v99.0.0").is_err());
        let folder = TempDir::new("release");
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        for (text, is_there) in [
            (format!("# Changelog\n\n## [{VERSION}] - 2026-12-01\n"), true),
            (format!("## {VERSION}\n"), true),
            ("## [Unreleased]\n".to_owned(), false),
            (format!("## {VERSION}1\n"), false),
        ] {
            write("CHANGELOG.md", &text);
            assert_eq!(changelog(&folder).is_ok(), is_there, "{text}");
        }
        MANIFESTS.iter().for_each(|name| write(name, &format!(r#"{{"version":"{VERSION}"}}"#)));
        assert_eq!(same_versions(&folder, Vec::new()), Ok(()));
        write(MANIFESTS[1], r#"{"version":"9.9.9"}"#);
        let wrong = same_versions(&folder, vec![("texunit".into(), "8.8.8".into())]);
        assert_eq!(wrong, Err(format!("texunit has 8.8.8, {} has 9.9.9", MANIFESTS[1])));
    }

    #[test]
    fn files_have_checksums_of_sha256sum() {
        let folder = TempDir::new("sums");
        let names = [format!("texunit-{VERSION}-x86_64-linux.tar.gz"), "other.tar.gz".to_owned()];
        names.iter().for_each(|name| std::fs::write(folder.join(name), "abc").unwrap());
        let paths = packages(&folder);
        assert_eq!(paths, [folder.join(&names[0])]);
        let files = sums(&folder, &paths).unwrap();
        let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let text = std::fs::read_to_string(folder.join(SUMS)).unwrap();
        assert_eq!(text, format!("{sum}  {}\n", names[0]));
        let checks = vec![Check("tag", Ok(())), Check("changelog", Err("no entry".into()))];
        let (request, folder) = (&parsed("--dry-run").unwrap(), folder.path().to_owned());
        let report = Report { request, checks, folder, files, crates: vec!["texunit-forms"] };
        assert_eq!(report.json()["files"][0]["sha256"], sum);
        assert_eq!(report.json()["checks"][1]["problem"], "no entry");
        let text = report.text();
        assert!(text.contains("FAILED  changelog: no entry") && text.contains(sum), "{text}");
    }
}
