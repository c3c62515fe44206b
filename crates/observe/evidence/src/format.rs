//! The formats of reports.

mod github;
mod joined;
mod json;
mod junit;
mod sarif;

use crate::event::{Finding, Running};
use crate::run::Run;
use std::path::{Component, Path};
use texunit_forms::Count;
use texunit_report::place::{function_name, shown_file};
use texunit_report::{grouped, in_json};

texunit_forms::words! {
    /// The file format of a report.
    Format {
        /// texunit's own JSON with all data, described by `schemas/report.schema.json`.
        Json = "json",
        /// SARIF 2.1.0: findings, for viewers and code scanning.
        Sarif = "sarif",
        /// JUnit XML: a test suite for each process, a test case for each kernel.
        Junit = "junit",
        /// Annotations of GitHub Actions, one line for each finding.
        Github = "github",
    }
}

impl Format {
    /// The format for a file name: SARIF for `.sarif` and `.sarif.json`, JUnit for `.xml`, JSON
    /// otherwise.
    pub fn of(path: &Path) -> Self {
        Self::of_ending(path).unwrap_or(Self::Json)
    }

    /// The format for a file name, or `None` if no format has the name's extension.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let endings = [
            (".sarif", Self::Sarif),
            (".sarif.json", Self::Sarif),
            (".json", Self::Json),
            (".xml", Self::Junit),
            (".github", Self::Github),
        ];
        endings.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, format)| format)
    }

    /// Formats a run as a report.
    pub fn render(self, run: &Run) -> String {
        match self {
            Self::Json => in_json(&format!("{:#}\n", json::report(run))).into_owned(),
            Self::Sarif => in_json(&format!("{:#}\n", sarif::document(run))).into_owned(),
            Self::Junit => junit::document(run),
            Self::Github => github::annotations(run),
        }
    }
}

/// A file relative to the repository, as GitHub and SARIF viewers expect it: relative to GitHub's
/// workspace folder, or to the current folder.
fn repository_file(file: &str) -> String {
    let workspace = std::env::var_os("GITHUB_WORKSPACE").filter(|folder| !folder.is_empty());
    let below = workspace.and_then(|folder| below(Path::new(&folder), file));
    below.unwrap_or_else(|| shown_file(file))
}

/// The path of a file relative to a folder that contains it; symbolic links are resolved if
/// necessary.
fn below(folder: &Path, file: &str) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    let plain = file.strip_prefix(folder).ok().map(Path::to_owned);
    let real = || {
        file.canonicalize().ok()?.strip_prefix(folder.canonicalize().ok()?).ok().map(Path::to_owned)
    };
    // `a/../b` lies in the folder only if links do not lead elsewhere.
    let plain =
        plain.filter(|path| path.components().all(|part| matches!(part, Component::Normal(_))));
    let path = plain.or_else(real)?;
    path.to_str().map(str::to_owned).filter(|path| !path.is_empty())
}

/// Formats a finding as several lines: message, thread, position, advice.
fn paragraph(finding: &Finding) -> String {
    let ([bx, by, bz], [tx, ty, tz]) = (finding.block, finding.thread);
    let kernel = function_name(&finding.kernel);
    let line =
        |text: Option<&str>| text.map_or_else(String::new, |text| format!(": {}", text.trim()));
    let mut text = finding.message.clone();
    if !kernel.is_empty() {
        text += &format!("\nkernel {kernel}, CTA ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})");
    }
    if let Some(place) = &finding.place {
        for frame in &place.frames {
            text += &format!("\nat {frame}{}", line(frame.text.as_deref()));
        }
        text += &format!("\nat {} of the PTX: {}", place.ptx, place.ptx.text.trim());
    }
    for related in &finding.related {
        let (place, own) = (&related.place, line(related.place.text()));
        text += &format!("\n{}: {}{own}", related.text, place.with_ptx());
    }
    if let Some(object) = &finding.object {
        text += &format!("\nin {object}");
    }
    for note in &finding.notes {
        text += &format!("\n{note}");
    }
    if finding.count > 1 {
        let times = grouped(finding.count);
        text += "\n";
        if finding.places > 1 {
            text += &format!("at {} in PTX, ", Count(grouped(finding.places), "place"));
        }
        text += &format!("{} in all", Count(times, "time"));
    }
    match &finding.help {
        Some(help) => text + "\nhelp: " + help,
        None => text,
    }
}

/// A running launch as text: `fill(int*) was running when the process ended, for 12.3 s or longer;
/// 3 of 8 CTAs had ended`
fn was_running(running: &Running) -> String {
    let ctas = running.grid.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
    format!(
        "{} was running when the process ended, for {:.1} s or longer; {} of {} had ended",
        function_name(&running.kernel),
        running.milliseconds / 1000.0,
        running.ctas,
        Count(ctas, "CTA"),
    )
}

/// The failures of the run as a whole as text: a timeout, a signal, lost events and the like.
fn outcome(run: &Run) -> Vec<String> {
    let ended = if let Some(seconds) = run.timed_out {
        Some(format!("the run was stopped after {seconds} s (--timeout)"))
    } else if let Some(signal) = run.signal {
        Some(format!("the program was ended by signal {signal}"))
    } else {
        let why = run.not_executed.as_ref();
        why.map(|why| format!("no kernel of the program was executed: {why}"))
    };
    ended.into_iter().chain(run.lost.as_ref().map(ToString::to_string)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_repository() {
        let folder = texunit_testkit::TempDir::new("workspace");
        let root = folder.join("repository");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.cu"), "").unwrap();
        let name = |file: &str| below(&root, root.join(file).to_str().unwrap());
        assert_eq!(name("src/a.cu").as_deref(), Some("src/a.cu"));
        // Compilers print paths with `..` in source positions.
        assert_eq!(name("src/../src/a.cu").as_deref(), Some("src/a.cu"));
        assert_eq!(name("src/gone.cu").as_deref(), Some("src/gone.cu"));
        assert_eq!([name("../b.cu"), name("src/../../b.cu"), name("")], [None, None, None]);
        assert_eq!(below(&root, "/usr/include/a.h"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&root, folder.join("link")).unwrap();
            let linked = folder.join("link/src/a.cu");
            assert_eq!(below(&root, linked.to_str().unwrap()).as_deref(), Some("src/a.cu"));
        }
    }
}
