//! How a run is written down.

mod github;
mod json;
mod junit;
mod sarif;

use crate::event::{Finding, Running};
use crate::run::Run;
use std::path::Path;
use texunit_report::Place;
use texunit_report::place::{function_name, shown_file};

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// texunit's own, in JSON: everything that is known. `schemas/report.schema.json` describes it.
    Json,
    /// SARIF 2.1.0: findings, for viewers and code scanning.
    Sarif,
    /// JUnit XML: a test suite for each process, a test case for each kernel.
    Junit,
    /// Annotations of GitHub Actions, one line a finding.
    Github,
}

impl Format {
    /// All of them, by their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("json", Self::Json),
        ("sarif", Self::Sarif),
        ("junit", Self::Junit),
        ("github", Self::Github),
    ];

    /// The one of a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, format)| format)
    }

    /// The one that the ending of a file's name stands for: `.sarif` and `.sarif.json`, `.xml` for JUnit, and JSON for all
    /// others.
    pub fn of(path: &Path) -> Self {
        Self::of_ending(path).unwrap_or(Self::Json)
    }

    /// As [`Self::of`], but only what the ending says.
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

    /// Writes a run down.
    pub fn render(self, run: &Run) -> String {
        match self {
            Self::Json => format!("{:#}\n", json::report(run)),
            Self::Sarif => format!("{:#}\n", sarif::document(run)),
            Self::Junit => junit::document(run),
            Self::Github => github::annotations(run),
        }
    }
}

/// Where something is, as it is shown: the file from the current folder on, line, column.
fn position(place: &Place) -> (String, u32, Option<u32>) {
    (shown_file(place.file()), place.line(), place.column())
}

/// What a finding says, on several lines: what, who, where, what to do.
fn paragraph(finding: &Finding) -> String {
    let ([bx, by, bz], [tx, ty, tz]) = (finding.block, finding.thread);
    let kernel = function_name(&finding.kernel);
    let mut text = finding.message.clone();
    text += &format!("\nkernel {kernel}, block ({bx}, {by}, {bz}), thread ({tx}, {ty}, {tz})");
    if let Some(place) = &finding.place {
        for frame in &place.frames {
            text += &format!("\nat {frame}");
        }
        text += &format!("\nat {} of the PTX: {}", place.ptx, place.ptx.text.trim());
    }
    for note in &finding.notes {
        text += &format!("\n{note}");
    }
    if finding.count > 1 {
        text += &format!("\n{} times in all", finding.count);
    }
    match &finding.help {
        Some(help) => text + "\nhelp: " + help,
        None => text,
    }
}

/// `fill(int*) was running when the process ended, for 12.3 s or longer; 3 of 8 CTAs had ended`
fn was_running(running: &Running) -> String {
    let ctas = running.grid.iter().fold(1_u64, |product, &n| product.saturating_mul(n.into()));
    format!(
        "{} was running when the process ended, for {:.1} s or longer; {} of {ctas} CTAs had ended",
        function_name(&running.kernel),
        running.milliseconds / 1000.0,
        running.ctas,
    )
}

/// What went wrong with the run itself.
fn outcome(run: &Run) -> Option<String> {
    if let Some(seconds) = run.timed_out {
        return Some(format!("the run was ended after {seconds} s (--timeout)"));
    }
    run.signal.map(|signal| format!("the program was ended by signal {signal}"))
}
