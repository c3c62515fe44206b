//! Runs the programs of tests/cuda/commands/runs.toml, whose head describes the table.

use crate::checked::{lacks, marked};
use crate::commands::{SHARED, STATIC, contains, program, same};
use crate::process::{Ended, run};
use crate::program::Variant;
use crate::tools::Setup;
use libtest_mimic::{Failed, Trial};
use toml::{Table, Value};

/// A test for every program of the table.
pub(crate) fn trials(setup: &Setup) -> Vec<Trial> {
    let table = setup.cases().join("commands/runs.toml");
    let table: Table = std::fs::read_to_string(table).unwrap().parse().unwrap();
    let skipped = !setup.has(&["nvcc"]);
    let trial = |case: &Value| {
        let (setup, case) = (setup.clone(), case.as_table().unwrap().clone());
        let name = text(&case, "name").unwrap().to_owned();
        Trial::test(name, move || runs(&setup, &case)).with_ignored_flag(skipped)
    };
    table["program"].as_array().unwrap().iter().map(trial).collect()
}

fn text<'t>(table: &'t Table, key: &str) -> Option<&'t str> {
    table.get(key).and_then(Value::as_str)
}

fn texts(list: Option<&Value>) -> Vec<&str> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.map(|text| text.as_str().unwrap()).collect()
}

/// All runs of a program, with every runtime.
fn runs(setup: &Setup, case: &Table) -> Result<(), Failed> {
    let variants = texts(case.get("variants"));
    let all = [("shared", SHARED), ("static", STATIC)].into_iter();
    for (_, variant) in
        all.filter(|(name, _)| variants.contains(name) || variants.is_empty() && *name == "shared")
    {
        runs_of(setup, case, variant)?;
    }
    Ok(())
}

fn runs_of(setup: &Setup, case: &Table, variant: Variant) -> Result<(), Failed> {
    let source = text(case, "source").unwrap();
    let program = program(setup, source, variant, &texts(case.get("flags")))?;
    for row in case["run"].as_array().unwrap() {
        let row = row.as_table().unwrap();
        let options = texts(row.get("options").or(case.get("options")));
        let ended = |options: &[&str], arguments: &[&str]| -> Result<Ended, Failed> {
            let mut command = setup.run();
            let set = row.get("environment").and_then(Value::as_table).into_iter().flatten();
            command.envs(set.map(|(name, value)| (name, value.as_str().unwrap())));
            Ok(run(command.args(options).arg(&program).args(arguments), &program)?)
        };
        let arguments = texts(row.get("arguments"));
        let stdout = match case.contains_key("as_plain") {
            true => Some(ended(&[], &arguments)?.stdout),
            false => text(row, "stdout").or(text(case, "stdout")).map(str::to_owned),
        };
        let found = ended(&options, &arguments)?;
        let exit = row.get("exit").map_or(0, |code| code.as_integer().unwrap());
        same(found.status.code().map(i64::from), Some(exit), &found)?;
        if let Some(stdout) = &stdout {
            same(&found.stdout, stdout, &found)?;
        }
        if text(row, "stderr") == Some("") {
            same(&*found.stderr, "", &found)?;
        }
        let listed = |key: &str| {
            texts(row.get(key)).into_iter().map(move |text| placed(setup, source, text))
        };
        listed("stderr").try_for_each(|text| contains(&found, &text?))?;
        listed("lacks").try_for_each(|text| lacks(&found, &text?))?;
        for (key, times) in [("once", 1), ("twice", 2)] {
            for text in listed(key) {
                same(found.stderr.matches(&text?).count(), times, &found)?;
            }
        }
        let mut lines = found.stderr.lines();
        let first = lines.find(|line| line.trim_start().starts_with("-->")).unwrap_or_default();
        for text in listed("first") {
            same(first.contains(&text?), true, &found)?;
        }
        if row.contains_key("marks") {
            marked(setup, source, &found)?;
        }
        if let Some(errors) = row.get("errors").and_then(Value::as_integer) {
            same(found.stderr.matches("error[").count() as i64, errors, &found)?;
        }
        for arguments in row.get("quiet").and_then(Value::as_array).into_iter().flatten() {
            let quiet = ended(&options, &texts(Some(arguments)))?;
            same((quiet.status.code(), &*quiet.stderr), (Some(0), ""), &quiet)?;
        }
    }
    Ok(())
}

/// A text with the file and number of a line in place of `AT(end of the line)`.
fn placed(setup: &Setup, source: &str, text: &str) -> Result<String, Failed> {
    let Some((end, rest)) = text.strip_prefix("AT(").and_then(|text| text.split_once(')')) else {
        return Ok(text.to_owned());
    };
    let lines = std::fs::read_to_string(setup.cases().join("commands").join(source))?;
    let line = lines.lines().position(|line| line.ends_with(end)).ok_or("the case has no line")?;
    Ok(format!("{source}:{}{rest}", line + 1))
}
