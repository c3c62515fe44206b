//! Writes the folder of `texunit compare --all --record`. docs/compare.md describes its files.

use super::unit::{Answer, Unit};
use super::{Comparison, Source, print};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use texunit_cases::{Case, compress, parse, stem, to_toml};
use texunit_files::write_atomically;
use texunit_gpu::compare::{Outcome, cuda_version};

/// Writes the folder, and adds the result to the comparison.
pub(super) fn write(
    folder: &Path,
    seed: u64,
    sources: &[Source],
    answers: &[(&Unit, &Answer)],
    comparison: &mut Comparison,
) {
    let files = files(seed, sources, answers);
    comparison.recorded = Some((folder.to_owned(), files.iter().map(|file| file.cases).sum()));
    let summary = format!("{:#}\n", summary(comparison));
    let texts = [("summary.json", summary), ("README.md", readme(seed, comparison))];
    let texts = texts.map(|(name, text)| (PathBuf::from(name), text.into_bytes()));
    for (name, bytes) in files.into_iter().map(|file| (file.name, file.bytes)).chain(texts) {
        let path = folder.join(name);
        let written = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .map_err(|e| format!("cannot make the folder of `{}`: {e}", path.display()))
            .and_then(|()| {
                write_atomically(&path, &bytes).map_err(|e| format!("cannot write {e}"))
            });
        if let Err(error) = written {
            comparison.errors.push(error);
            comparison.recorded = None;
            return;
        }
    }
}

struct File {
    name: PathBuf,
    bytes: Vec<u8>,
    /// Number of recorded cases.
    cases: usize,
}

/// The name of the file for the cases of a source.
fn of_cases(name: &Path) -> PathBuf {
    let stem = stem(name).unwrap_or_default();
    Path::new("cases").join(name.with_file_name(format!("{stem}.toml.gz")))
}

/// The names of the files that depend on the sources.
pub(super) fn names(sources: &[Source]) -> BTreeSet<PathBuf> {
    sources.iter().map(|source| of_cases(&source.name)).collect()
}

fn files(seed: u64, sources: &[Source], answers: &[(&Unit, &Answer)]) -> Vec<File> {
    let mut cases: BTreeMap<PathBuf, Vec<Case>> = BTreeMap::new();
    let mut random = "seed\tindex\tfetches\tdiffering\thash\n".to_owned();
    let mut faults = "file\tcase\tanswer\n".to_owned();
    let mut jobs = Vec::new();
    for (unit, answer) in answers {
        let compared = &answer.compared;
        let name = match unit {
            Unit::Case { file, .. } => {
                let source = sources.iter().find(|source| source.path == *file);
                of_cases(source.map_or(file, |source| &source.name))
            }
            Unit::Random { index, .. } => {
                if let (Some(hash), Some((count, differing))) =
                    (answer.more["hash"].as_str(), counts(&compared.outcome))
                {
                    // The result is ignored, because writing to a `String` cannot fail.
                    let _ = writeln!(random, "{seed}\t{index}\t{count}\t{differing}\t{hash}");
                }
                PathBuf::from("random.toml.gz")
            }
            Unit::Fault { .. } => {
                let said = answer.more["fault"].as_str().filter(|said| !said.is_empty());
                let said = said.unwrap_or(match &compared.outcome {
                    Outcome::Differs { .. } => "no fault",
                    Outcome::Failed { reason } | Outcome::Skipped { reason } => reason,
                    Outcome::Equal { .. } => "a fault",
                });
                let _ = writeln!(faults, "{}\t{}\t{said}", compared.file, compared.name);
                continue;
            }
            Unit::Job { .. } => {
                jobs.push(print::with(json!(compared), "left", answer.more["left"].clone()));
                continue;
            }
        };
        // A worker's output is parsed like any case file.
        let more = answer.cases.as_ref().and_then(|text| parse(text).ok());
        if let Some(more) = more {
            cases.entry(name).or_default().extend(more.cases);
        }
    }
    let jobs: String = jobs.iter().map(|job| format!("{job}\n")).collect();
    let text = |name: &str, bytes| File { name: PathBuf::from(name), bytes, cases: 0 };
    let mut files = vec![
        text("random.tsv.gz", compress(&random)),
        text("faults.tsv", faults.into_bytes()),
        text("jobs.jsonl.gz", compress(&jobs)),
    ];
    files.extend(cases.into_iter().map(|(name, all)| File {
        name,
        bytes: compress(&to_toml(&all)),
        cases: all.len(),
    }));
    files
}

/// Number of fetches or accesses, and of those that differ.
fn counts(outcome: &Outcome) -> Option<(usize, usize)> {
    match outcome {
        Outcome::Equal { count } => Some((*count, 0)),
        Outcome::Differs { count, differing, .. } => Some((*count, *differing)),
        _ => None,
    }
}

/// The comparison without the data in other files.
fn summary(comparison: &Comparison) -> Value {
    let mut summary = print::json(comparison);
    summary["texunit"] = json!(env!("CARGO_PKG_VERSION"));
    if let Some(cases) = summary["cases"].as_array_mut() {
        cases.retain(|case| case["outcome"] != "equal");
    }
    summary
}

fn readme(seed: u64, comparison: &Comparison) -> String {
    let card = comparison.card.as_ref();
    let card = card.map_or_else(String::new, |card| {
        let (major, minor) = card.capability;
        let cuda = cuda_version(card.driver_version);
        format!("{} (sm_{major}{minor}), driver for CUDA {cuda}", card.name)
    });
    let asked = comparison.asked.as_ref().map(print::workload_text).unwrap_or_default();
    let date = chrono::Utc::now().format("%Y-%m-%d");
    format!(
        "# What a card answered\n\n{card}; {date}; texunit {}, seed {seed}.\n\n\
         Written by `texunit compare --all --record`; docs/compare.md of texunit describes the files. \
         `texunit cases run` compares `cases` and `random.toml.gz` with what texunit answers now.\n\n\
         ```text\n{asked}\n\n{}```\n",
        env!("CARGO_PKG_VERSION"),
        print::human(comparison)
    )
}
