//! Reads the input files of `texunit report`, and recognises their kinds by their contents.

use super::recordings::{self, Recording};
use serde_json::Value;
use std::path::{Path, PathBuf};
use texunit_coverage::{Coverage, lcov};
use texunit_profile::Profile;

/// Maximum size of a file in bytes.
const LARGEST: u64 = 1 << 30;
/// Maximum depth of folders with recorded launches, and maximum number of launches.
const DEPTH: u32 = 4;
const MAX_RECORDINGS: usize = 1000;

/// Everything that was read.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// Name and kind of each file.
    pub(super) files: Vec<(String, &'static str)>,
    /// JSON reports of `run --report`.
    pub(super) reports: Vec<Value>,
    pub(super) profile: Profile,
    pub(super) coverage: Coverage,
    pub(super) recordings: Vec<Recording>,
}

/// Files with their errors.
type FileErrors = Vec<(PathBuf, String)>;

/// Reads files and folders.
///
/// # Errors
/// Files of other kinds, and incomplete ones.
pub(super) fn read(paths: &[PathBuf]) -> Result<Inputs, FileErrors> {
    let (mut found, mut wrong) = (Inputs::default(), Vec::new());
    for path in paths {
        let read = if path.is_dir() { folder(path, &mut found) } else { file(path, &mut found) };
        match read {
            Ok(kind) => found.files.push((path.display().to_string(), kind)),
            Err(why) => wrong.push((path.clone(), why)),
        }
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong) }
}

fn file(path: &Path, found: &mut Inputs) -> Result<&'static str, String> {
    if path.metadata().map_err(|error| error.to_string())?.len() > LARGEST {
        return Err("the file has more than 1 GiB".to_owned());
    }
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let begin = text.trim_start();
    if begin.is_empty() {
        return Err("the file is empty".to_owned());
    }
    if begin.starts_with('{') {
        return json(&text, found);
    }
    if begin.starts_with("TN:") || begin.starts_with("SF:") {
        let coverage = lcov::parse(&text)?;
        if text.lines().rfind(|line| !line.trim().is_empty()).map(str::trim)
            != Some("end_of_record")
        {
            return Err(
                "the tracefile is truncated: it does not end with `end_of_record`".to_owned()
            );
        }
        found.coverage.add(&coverage);
        return Ok("coverage");
    }
    if texunit_job::load::is_job(path) {
        return recording(path, found);
    }
    Err(UNKNOWN.to_owned())
}

const UNKNOWN: &str = "expected a report (`run --report FILE.json`), a profile (`--profile`), a tracefile of lcov (`--coverage`) \
     or a folder of recorded launches (`--record`)";

fn json(text: &str, found: &mut Inputs) -> Result<&'static str, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| match error.is_eof() {
        true => format!("the JSON is truncated: {error}"),
        false => format!("it is not JSON: {error}"),
    })?;
    if value["format"].as_str() == Some("texunit-profile") {
        found.profile.add(&Profile::parse(text)?);
        return Ok("profile");
    }
    let is_report =
        ["run", "kernels", "findings", "processes"].iter().all(|key| !value[key].is_null());
    if is_report && value["texunit"].is_string() {
        without_nulls(&mut value);
        found.reports.push(value);
        return Ok("report");
    }
    Err(UNKNOWN.to_owned())
}

/// Removes what is null, which the page shows like what is absent.
fn without_nulls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|_, value| !value.is_null());
            fields.values_mut().for_each(without_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

fn folder(path: &Path, found: &mut Inputs) -> Result<&'static str, String> {
    let mut jobs = Vec::new();
    collect(path, DEPTH, &mut jobs);
    jobs.sort();
    if jobs.is_empty() {
        return Err("no recorded launch (job.toml) is in the folder".to_owned());
    }
    for job in &jobs {
        recording(job, found).map_err(|why| format!("{}: {why}", job.display()))?;
    }
    Ok("recorded launches")
}

fn collect(folder: &Path, depth: u32, jobs: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let (path, kind) = (entry.path(), entry.file_type());
        if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) && depth > 0 {
            collect(&path, depth - 1, jobs);
        } else if entry.file_name() == "job.toml" && jobs.len() < MAX_RECORDINGS {
            jobs.push(path);
        }
    }
}

fn recording(job: &Path, found: &mut Inputs) -> Result<&'static str, String> {
    found.recordings.push(recordings::read(job)?);
    Ok("recorded launch")
}
