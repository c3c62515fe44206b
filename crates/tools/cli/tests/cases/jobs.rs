//! Launches the jobs of tests/jobs, and compares the files that they write with the expected ones.
//!
//! A file has cases; `ptx`, `job`, `words` and `options` before the first apply to all that have
//! none of their own. `ptx` is the text of a module with a kernel `k`, `job` the rest of the job.
//! `words` replaces words in both, and in the texts of other words; `each.WORD` repeats the case
//! with every text of a list. `FILES` and `CLI` are tests/jobs/files and tests/cli. `out` has the
//! files that are written, `warns` the messages of a launch, and `fails` those of one that fails,
//! which writes nothing.

use crate::Trials;
use libtest_mimic::Failed;
use std::path::{Path, PathBuf};
use texunit::launch_args::LaunchArgs;
use texunit_testkit::TempDir;
use toml::{Table, Value};

pub(crate) fn add(trials: &mut Trials) {
    for file in ["binding", "resources", "surfaces"] {
        add_file(trials, file);
    }
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests").canonicalize().unwrap()
}

/// Adds a test for every case of a file.
fn add_file(trials: &mut Trials, file: &str) {
    let path = tests().join(format!("jobs/{file}.toml"));
    let all: Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    for case in all["case"].as_array().unwrap() {
        let mut case = case.as_table().unwrap().clone();
        for (key, value) in all.iter().filter(|(key, _)| *key != "case") {
            match (case.get_mut(key), value) {
                (Some(Value::Table(own)), Value::Table(more)) => {
                    let more = more.iter().filter(|(word, _)| !own.contains_key(*word));
                    let more: Vec<_> =
                        more.map(|(word, with)| (word.clone(), with.clone())).collect();
                    own.extend(more);
                }
                (Some(_), _) => {}
                (None, _) => drop(case.insert(key.clone(), value.clone())),
            }
        }
        let name = format!("{file}: {}", case["name"].as_str().unwrap());
        trials.add(name, move || run(&case));
    }
}

fn table<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = (&'t String, &'t Value)> {
    table.get(key).and_then(Value::as_table).into_iter().flatten()
}

fn list<'t>(table: &'t Table, key: &str) -> impl Iterator<Item = &'t str> {
    let list = table.get(key).and_then(Value::as_array).into_iter().flatten();
    list.map(|text| text.as_str().unwrap())
}

/// Launches the job of a case with every text of `each`.
fn run(case: &Table) -> Result<(), Failed> {
    let Some((word, texts)) = table(case, "each").next() else { return launch(case, ("", "")) };
    texts.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).try_for_each(|text| {
        launch(case, (word, text))
            .map_err(|why| format!("{text}: {}", why.message().unwrap_or_default()).into())
    })
}

fn launch(case: &Table, (each, with): (&str, &str)) -> Result<(), Failed> {
    let (cli, files) = (tests().join("cli"), tests().join("jobs/files"));
    let fixed = [("CLI", cli.to_str().unwrap()), ("FILES", files.to_str().unwrap()), (each, with)];
    let words = table(case, "words").map(|(word, text)| (word.as_str(), text.as_str().unwrap()));
    let words: Vec<_> = words.chain(fixed).filter(|(word, _)| !word.is_empty()).collect();
    // Texts of words have words themselves, but no deeper than this.
    let replaced = |text: &str| {
        (0..3).fold(text.to_owned(), |text, _| {
            words.iter().fold(text, |text, (word, with)| replace(&text, word, with))
        })
    };
    let folder = TempDir::new("jobs");
    let mut job = replaced(case["job"].as_str().unwrap());
    if let Some(ptx) = case.get("ptx") {
        folder.file("k.ptx", replaced(ptx.as_str().unwrap()));
        job = format!("ptx = 'k.ptx'\nkernel = 'k'\n{job}");
    }
    let (job, out) = (folder.file("job.toml", job), folder.join("out"));
    let options: Vec<&str> = ["--threads", "1", "--max-steps", "10000"]
        .into_iter()
        .chain(list(case, "options"))
        .collect();
    let report = texunit::run::launch(&LaunchArgs::parse(&job, &out, &options).unwrap());
    let said = texunit::human::render(&report, false, false).1;
    let messages = list(case, "fails").chain(list(case, "warns"));
    if let Some(text) = messages.into_iter().find(|text| !said.contains(text)) {
        return Err(format!("no `{text}` in {said}").into());
    }
    if case.contains_key("warns") {
        assert!(texunit::human::render(&report, true, false).1.is_empty(), "not with --quiet");
    }
    if report.succeeded() == case.contains_key("fails") {
        return Err(format!("succeeded: {}, {said}", report.succeeded()).into());
    }
    if case.contains_key("fails") && out.exists() {
        return Err("a failed launch has written files".into());
    }
    table(case, "out").try_for_each(|(file, expected)| {
        compare(&out.join(replaced(file)), expected.as_table().unwrap())
    })
}

/// Replaces a word that no letter, digit or `_` precedes or follows.
fn replace(text: &str, word: &str, with: &str) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let is_whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        result += before;
        result += if is_whole { with } else { word };
        rest = after;
    }
    result + rest
}

/// Compares the bytes of a file; `shape` is that of an array or picture.
fn compare(path: &Path, expected: &Table) -> Result<(), Failed> {
    let shape: Vec<u64> = expected
        .get("shape")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .map(|n| n.as_integer().unwrap() as u64)
        .collect();
    let found = match path.extension().and_then(|e| e.to_str()) {
        Some("npy") => {
            let array = texunit_files::read_array(path).unwrap();
            if !shape.is_empty() && array.shape != shape {
                return Err(format!("{}: {:?}", path.display(), array.shape).into());
            }
            array.bytes
        }
        Some("png") => {
            let name = if shape.len() == 3 { "u8x4" } else { "u8" };
            let request = texunit_files::TexelRequest {
                format: texunit_device::Format::from_name(name).unwrap(),
                dims: Some(2),
                extent: Some([shape[1] as u32, shape[0] as u32, 1]),
            };
            texunit_files::read_texels(path, &request).unwrap().bytes
        }
        _ => std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?,
    };
    let numbers = |key: &str| expected.get(key).and_then(Value::as_array).into_iter().flatten();
    let whole = |value: &Value| value.as_integer().unwrap() as u32;
    let float = |value: &Value| value.as_float().or(value.as_integer().map(|n| n as f64)).unwrap();
    let mut bytes: Vec<u8> = numbers("u8").map(|value| whole(value) as u8).collect();
    bytes.extend(numbers("u32").flat_map(|value| whole(value).to_le_bytes()));
    bytes.extend(numbers("f32").flat_map(|value| (float(value) as f32).to_le_bytes()));
    let is_right = match expected.contains_key("is_beginning") {
        true => found.starts_with(&bytes),
        false => found == bytes,
    };
    if is_right {
        Ok(())
    } else {
        Err(format!("{}: {found:?} instead of {bytes:?}", path.display()).into())
    }
}
