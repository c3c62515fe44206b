//! A test case to reduce: the text of a module, and the job that launches it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texunit_syntax::ast::{Block, Item, Statement};
use texunit_syntax::{SourceFile, parse};
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

/// A PTX module, and how it is launched.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The text of the PTX module.
    pub ptx: Arc<str>,
    /// The job file that launches the module, if there is one. It refers to its files by the names
    /// in `files`.
    pub job: Option<Table>,
    /// Contents of the files that the job refers to, by name.
    pub files: BTreeMap<String, Arc<[u8]>>,
    /// The paths of all files that were read for the case.
    pub read: Arc<[PathBuf]>,
}

/// The name that a case's job has for its PTX file.
pub(crate) const PTX: &str = "kernel.ptx";

impl Case {
    /// A case without a job.
    pub fn of_ptx(text: &str) -> Self {
        Self { ptx: text.into(), job: None, files: BTreeMap::new(), read: Arc::default() }
    }

    /// A case with a job of a folder, and the files of the folder that the job names. The error
    /// names a file that cannot be read.
    pub fn of_job(mut job: Table, ptx: &str, folder: &Path) -> Result<Self, String> {
        let mut files = Files::default();
        job.insert("ptx".to_owned(), Value::from(PTX));
        name_parameters(&mut job, ptx);
        for (key, value) in &mut job {
            if key != "ptx" {
                take_files(value, folder, &mut files)?;
            }
        }
        Ok(Self { ptx: ptx.into(), job: Some(job), files: files.named, read: files.read.into() })
    }

    /// The job as the text of a TOML file.
    pub fn job_text(&self) -> String {
        // Serialising cannot fail, because the table has plain values only.
        self.job.as_ref().map(|job| toml::to_string(job).unwrap_or_default()).unwrap_or_default()
    }

    /// The files that the reduced job still refers to.
    pub fn used_files(&self) -> impl Iterator<Item = (&String, &Arc<[u8]>)> {
        let text = self.job_text();
        self.files.iter().filter(move |(name, _)| text.contains(name.as_str()))
    }

    /// The names of all files that the results of this job may refer to.
    pub fn result_files(&self) -> impl Iterator<Item = &str> {
        [PTX, "job.toml"].into_iter().chain(self.files.keys().map(String::as_str))
    }

    /// A case with the same files, but with neither PTX nor job.
    fn without(&self) -> Self {
        Self { files: self.files.clone(), read: Arc::clone(&self.read), ..Self::of_ptx("") }
    }

    pub(crate) fn with_ptx(&self, text: String) -> Self {
        Self { ptx: text.into(), job: self.job.clone(), ..self.without() }
    }

    pub(crate) fn with_job(&self, job: Table) -> Self {
        Self { ptx: Arc::clone(&self.ptx), job: Some(job), ..self.without() }
    }
}

/// Replaces parameter numbers in the job by names, since numbers change when a parameter is
/// removed.
fn name_parameters(job: &mut Table, ptx: &str) {
    let source = SourceFile::new("kernel.ptx", ptx);
    let parsed = parse(&source);
    let kernel = job.get("kernel").and_then(Value::as_str).unwrap_or_default().to_owned();
    let found = parsed.module.items.iter().find_map(|item| match item {
        Item::Function(f) if f.is_entry && f.name.text == kernel => Some(&f.params),
        _ => None,
    });
    let Some(params) = found else { return };
    let name = |key: &str| -> Option<String> {
        let (number, member) = key.split_once('+').map_or((key, None), |(n, m)| (n, Some(m)));
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let name = params.get(number.parse::<usize>().ok().filter(|_| digits)?)?.name.text;
        Some(member.map_or_else(|| name.to_owned(), |member| format!("{name}+{member}")))
    };
    let Some(Value::Table(table)) = job.get_mut("params") else { return };
    let old = std::mem::take(table);
    table.extend(old.into_iter().map(|(key, value)| (name(&key).unwrap_or(key), value)));
    job.iter_mut().for_each(|(_, value)| name_references(value, &name));
}

/// Replaces parameter numbers by names where a value of the job refers to the object of another
/// parameter.
fn name_references(value: &mut Value, name: &impl Fn(&str) -> Option<String>) {
    let Value::Table(table) = value else { return };
    for (key, inner) in table {
        match inner {
            Value::String(other)
                if matches!(key.as_str(), "use" | "buffer" | "texture" | "surface") =>
            {
                if let Some(name) = name(other) {
                    *other = name;
                }
            }
            _ => name_references(inner, name),
        }
    }
}

/// The files that were read for a job.
#[derive(Default)]
struct Files {
    named: BTreeMap<String, Arc<[u8]>>,
    read: Vec<PathBuf>,
}

/// Reads the files that a value of the job refers to, and replaces their paths by the names of
/// [`Case::files`].
fn take_files(value: &mut Value, folder: &Path, files: &mut Files) -> Result<(), String> {
    match value {
        Value::Table(table) => {
            for (key, inner) in table {
                match (key.as_str(), &mut *inner) {
                    // The file of an output is written by the launch; only the expected output is
                    // read.
                    ("output", Value::Table(output)) => take_expected(output, folder, files)?,
                    ("output", Value::Array(list)) => {
                        for output in list.iter_mut().filter_map(Value::as_table_mut) {
                            take_expected(output, folder, files)?;
                        }
                    }
                    ("file", Value::String(name)) => take_file(name, folder, files)?,
                    ("files", Value::Array(list)) => {
                        for item in list {
                            if let Value::String(name) = item {
                                take_file(name, folder, files)?;
                            }
                        }
                    }
                    _ => take_files(inner, folder, files)?,
                }
            }
        }
        Value::Array(list) => {
            for item in list.iter_mut().filter(|item| item.is_table() || item.is_array()) {
                take_files(item, folder, files)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Reads the file that an output is compared with.
fn take_expected(output: &mut Table, folder: &Path, files: &mut Files) -> Result<(), String> {
    match output.get_mut("expect") {
        Some(Value::String(name)) => take_file(name, folder, files),
        _ => Ok(()),
    }
}

fn take_file(name: &mut String, folder: &Path, files: &mut Files) -> Result<(), String> {
    let path = folder.join(&*name);
    let bytes = texunit_files::read_bytes(&path).map_err(|e| e.to_string())?;
    let last = path.file_name().map_or_else(|| "data".into(), |n| n.to_string_lossy().into_owned());
    // Adds a number to the name, because files in different folders may have the same name.
    let mut own = last.clone();
    let mut number = 1;
    while own == PTX || own == "job.toml" || files.named.get(&own).is_some_and(|b| **b != *bytes) {
        number += 1;
        own = format!("{number}-{last}");
    }
    files.named.insert(own.clone(), bytes.into());
    files.read.push(path);
    *name = own;
    Ok(())
}

/// The table of a job that was parsed successfully. Integers that exceed TOML's range become
/// strings, which jobs also accept as numbers.
pub fn read_job_table(text: &str) -> Option<Table> {
    Some(plain_table(DeTable::parse(text).ok()?.get_ref()))
}

fn plain_table(table: &DeTable<'_>) -> Table {
    table.iter().map(|(k, v)| (k.get_ref().to_string(), plain(v.get_ref()))).collect()
}

fn plain(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(s) => Value::from(s.to_string()),
        DeValue::Integer(i) => match i128::from_str_radix(i.as_str(), i.radix()) {
            Ok(v) => i64::try_from(v).map_or_else(|_| Value::from(v.to_string()), Value::from),
            Err(_) => Value::from(i.to_string()),
        },
        DeValue::Float(f) => {
            let text = f.as_str().replace('_', "");
            text.parse::<f64>().map_or_else(|_| Value::from(text), Value::from)
        }
        DeValue::Boolean(b) => Value::from(*b),
        DeValue::Datetime(d) => Value::from(d.to_string()),
        DeValue::Array(a) => Value::Array(a.iter().map(|v| plain(v.get_ref())).collect()),
        DeValue::Table(t) => Value::Table(plain_table(t)),
    }
}

/// The size of a module, as the number of statements in bodies (instructions, labels,
/// declarations), variables and functions.
pub fn statements(ptx: &str) -> usize {
    let source = SourceFile::new("kernel.ptx", ptx);
    let parsed = parse(&source);
    let item = |item: &Item<'_>| match item {
        Item::Variable(_) | Item::Alias(_) => 1,
        Item::Function(f) => 1 + f.body.as_ref().map_or(0, in_block),
        Item::Version(_) | Item::Target(_) | Item::AddressSize(_) | Item::Directive(_) => 0,
    };
    // Parts that could not be parsed count too, one each.
    parsed.module.items.iter().map(item).sum::<usize>() + parsed.lost.len()
}

fn in_block(block: &Block<'_>) -> usize {
    let one = |statement: &Statement<'_>| match statement {
        Statement::Block(inner) => in_block(inner),
        _ => 1,
    };
    block.statements.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_64_bits_stay() {
        let table =
            read_job_table("a = 18446744073709551615\nb = 0x10\nc = 1.5\nd = [nan]").unwrap();
        assert_eq!(table["a"].as_str(), Some("18446744073709551615"));
        assert_eq!(table["b"].as_integer(), Some(16));
        assert_eq!(table["c"].as_float(), Some(1.5));
        assert!(table["d"][0].as_float().unwrap().is_nan());
    }

    #[test]
    fn files_of_two_folders() {
        let dir = texunit_testkit::TempDir::new("reduce-files");
        for (folder, bytes) in [("a", [1_u8]), ("b", [2])] {
            std::fs::create_dir(dir.join(folder)).unwrap();
            std::fs::write(dir.join(folder).join("x.raw"), bytes).unwrap();
        }
        let text = "ptx = \"k.ptx\"\n[params.0.buffer]\nfile = \"a/x.raw\"\n[params.1.buffer]\nfile = \"b/x.raw\"\n[params.1.output]\nfile = \"x.raw\"";
        let case = Case::of_job(read_job_table(text).unwrap(), "", &dir).unwrap();
        let job = case.job.as_ref().unwrap();
        assert_eq!(job["params"]["0"]["buffer"]["file"].as_str(), Some("x.raw"));
        assert_eq!(job["params"]["1"]["buffer"]["file"].as_str(), Some("2-x.raw"));
        assert_eq!(job["params"]["1"]["output"]["file"].as_str(), Some("x.raw"));
        assert_eq!(*case.files["2-x.raw"], [2]);
        let missing = Case::of_job(read_job_table("[g]\nfile = \"none\"").unwrap(), "", &dir);
        assert!(missing.unwrap_err().contains("none"));
    }

    #[test]
    fn statements_of_blocks_count() {
        let text = ".version 8.8\n.target sm_75\n.address_size 64\n.global .u32 g;\n\
                    .entry k() { .reg .u32 %a; { L: mov.u32 %a, 1; } ret; }";
        assert_eq!(statements(text), 6);
    }
}
