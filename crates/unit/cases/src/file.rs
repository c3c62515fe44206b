//! Case files: finds them in a folder, reads them, looks cases up by address, and writes them.

use crate::error::{CaseError, Result, Within};
use crate::fetch::{BuiltFetch, FetchCase};
use crate::raw::{self, RawCase, RawFetch, RawSurface, mistake};
use crate::resource::ResourceSpec;
use crate::surface::{BuiltSurface, SurfaceCase};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use texunit_forms::Count;
use texunit_spec::write::Entries;
use texunit_spec::{Context, Problem, Table};
use toml::Value;
use toml::de::DeTable;

/// Maximum size in bytes of a file and of its decompressed text.
const MAX_FILE: u64 = 64 << 20;

/// A case: a resource, an instruction, and operands of many accesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name of the case in messages.
    pub name: String,
    /// Rules of docs/numerics.md that the case covers: `1.4`, `3`.
    pub rules: Vec<String>,
    /// Source of the expected results.
    pub provenance: String,
    /// Remarks for readers of the file.
    pub note: Option<String>,
    /// The fetches or surface accesses of the case.
    pub access: Access,
}

/// The kind of access of a case.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Access {
    Fetch(FetchCase),
    Surface(SurfaceCase),
}

/// A case with its texture or surface, ready to run.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Built {
    Fetch(BuiltFetch),
    Surface(BuiltSurface),
}

/// A case file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFile {
    /// The cases of the file: fetch cases first, then surface cases, each in the order of the file.
    pub cases: Vec<Case>,
    /// Notes on outdated names of keys and values.
    pub notes: Vec<Problem>,
}

impl Case {
    /// The resource that the case accesses.
    pub fn resource(&self) -> &Arc<ResourceSpec> {
        match &self.access {
            Access::Fetch(fetch) => &fetch.resource,
            Access::Surface(surface) => &surface.resource,
        }
    }

    /// Makes the texture or surface of the case.
    pub fn build(&self) -> Result<Built> {
        match &self.access {
            Access::Fetch(fetch) => fetch.build().map(Built::Fetch),
            Access::Surface(surface) => surface.build().map(Built::Surface),
        }
        .within(&self.name)
    }

    /// The case with the reference's results as the expected ones; `None` if the reference refuses
    /// it.
    pub fn answered(&self) -> Result<Option<Self>> {
        let mut case = self.clone();
        match (self.build()?, &mut case.access) {
            (Built::Fetch(built), Access::Fetch(fetch)) => match built.reference() {
                Ok(answers) => fetch.record(&answers),
                Err(_) => return Ok(None),
            },
            (Built::Surface(built), Access::Surface(surface)) => match built.run() {
                Ok(run) => surface.record(run),
                Err(_) => return Ok(None),
            },
            _ => {}
        }
        Ok(Some(case))
    }

    /// The case without the surface accesses with these indices.
    #[must_use]
    pub fn without(&self, accesses: &[usize]) -> Self {
        let mut case = self.clone();
        if let Access::Surface(surface) = &mut case.access {
            let mut number = 0..;
            surface.accesses.retain(|_| number.next().is_none_or(|n| !accesses.contains(&n)));
        }
        case
    }

    /// Number of fetches or surface accesses of the case.
    pub fn count(&self) -> usize {
        match &self.access {
            Access::Fetch(fetch) => fetch.operands.len(),
            Access::Surface(surface) => surface.accesses.len(),
        }
    }
}

impl CaseFile {
    /// Finds a case by its index, from 1, or by its name.
    pub fn find(&self, which: &str) -> Option<&Case> {
        let named = self.cases.iter().find(|case| case.name == which);
        let number = || which.parse::<usize>().ok()?.checked_sub(1);
        named.or_else(|| self.cases.get(number()?))
    }
}

/// Extensions of case files.
const ENDINGS: [&str; 2] = [".toml", ".toml.gz"];

/// The name of a case file without its extension; `None` for other files.
pub fn stem(path: &Path) -> Option<&str> {
    let name = path.file_name()?.to_str()?;
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

/// Whether a path has the extension of a case file.
pub fn is_case_file(path: &Path) -> bool {
    stem(path).is_some()
}

/// The case files in a folder and its subfolders down to `depth`, sorted by name.
pub fn find_files(folder: &Path, depth: usize) -> io::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            if depth > 0 {
                files.extend(find_files(&path, depth - 1)?);
            }
        } else if is_case_file(&path) {
            files.push(path);
        }
    }
    Ok(files)
}

/// Reads a case file with [`read_text`].
pub fn load(path: impl AsRef<Path>) -> Result<CaseFile> {
    let path = path.as_ref();
    read_text(path).and_then(|text| parse(&text).within(path.display()))
}

/// The text of a regular file, decompressed if its name ends in `.gz`.
pub fn read_text(path: &Path) -> Result<String> {
    text_of(path).within(path.display())
}

/// Reads a file. Its type and size are tested before it is opened, because a device may be endless
/// and a pipe waits for its writer.
fn text_of(path: &Path) -> Result<String, String> {
    let there = std::fs::metadata(path).map_err(|e| match e.kind() {
        io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => e.to_string(),
    })?;
    if !there.is_file() {
        let what = if there.is_dir() { "a folder" } else { "a device or a pipe" };
        return Err(format!("expected a case file, but it is {what}"));
    }
    if there.len() > MAX_FILE {
        let size = Count(there.len(), "byte");
        return Err(format!("the file has {size}, but at most {MAX_FILE} are read"));
    }
    // Regular files whose reading could block, such as those of /proc, have length 0.
    if there.len() == 0 {
        return Err("the file is empty".to_owned());
    }
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    let limit = MAX_FILE + 1;
    let read = match path.extension().is_some_and(|e| e == "gz") {
        true => MultiGzDecoder::new(file).take(limit).read_to_end(&mut bytes),
        false => file.take(limit).read_to_end(&mut bytes),
    };
    read.map_err(|e| e.to_string())?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("the text has more than {MAX_FILE} bytes, which are not read"));
    }
    String::from_utf8(bytes).map_err(|_| "expected a text file, but it is not UTF-8".to_owned())
}

/// Compresses text for a `.gz` file that [`read_text`] reads. The result depends only on the text.
pub fn compress(text: &str) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    out.write_all(text.as_bytes()).and_then(|()| out.finish()).expect("a vector takes all bytes")
}

/// What an address such as `FILE#N:K` refers to: a case, and one of its fetches or accesses.
#[derive(Clone, Debug, PartialEq)]
pub struct Addressed {
    /// The case that the address names.
    pub case: Case,
    /// Index of the fetch or access in the case, from 0, if the address has an index.
    pub number: Option<usize>,
    /// Notes on outdated names of keys and values in the file.
    pub notes: Vec<Problem>,
}

/// Resolves `FILE#N` or `FILE#N:K`: case N of a file, by index from 1 or by name, and its fetch or
/// access K, from 0. Without `#N`, the file must have a single case.
pub fn load_address(address: &str) -> Result<Addressed> {
    let (path, which) = match address.rsplit_once('#') {
        Some((path, which)) => (path, Some(which)),
        None => (address, None),
    };
    let file = load(path)?;
    let notes = file.notes.clone();
    let Some(which) = which else {
        let several = |cases: Vec<Case>| {
            let all = Count(cases.len(), "case");
            CaseError::new(format!("it has {all}: say which (`{path}#1`)")).within(path)
        };
        let [case] = <[Case; 1]>::try_from(file.cases).map_err(several)?;
        return Ok(Addressed { case, number: None, notes });
    };
    if let Some(case) = file.find(which) {
        return Ok(Addressed { case: case.clone(), number: None, notes });
    }
    let nothing = || {
        let all = Count(file.cases.len(), "case");
        let are = all.are();
        CaseError::new(format!("unknown case `{which}`; there {are} {all}, numbered from 1"))
    };
    let (which, fetch) = which
        .rsplit_once(':')
        .and_then(|(which, fetch)| Some((which, fetch.parse::<usize>().ok()?)))
        .ok_or_else(nothing)
        .within(path)?;
    let case = file.find(which).ok_or_else(nothing).within(path)?;
    if fetch >= case.count() {
        let all = Count(case.count(), "fetch");
        let message = format!("it has {all}, from 0 on; {fetch} is not one of them");
        return Err(CaseError::new(message).within(&case.name).within(path));
    }
    Ok(Addressed { case: case.clone(), number: Some(fetch), notes })
}

/// Parses the text of a case file.
pub fn parse(text: &str) -> Result<CaseFile> {
    let document = DeTable::parse(text).map_err(|e| CaseError::new(e.to_string().trim_end()))?;
    let context = Context::of_test(None);
    let root = Table::root(document.get_ref(), &context);
    let mut words = BTreeMap::new();
    for (name, value) in root.get("words").and_then(|v| v.table()).iter().flat_map(Table::entries) {
        words.extend(value.string("a string of digits").map(|text| (name.value, text.value)));
    }
    mistake(&context, "")?;
    let context = Context::of_test(Some(words));
    let root = Table::root(document.get_ref(), &context);
    root.get("words");
    let needed = root.need("provenance", "where the answers come from");
    let provenance = needed.and_then(raw::string).unwrap_or_default();
    let rules = raw::strings(&root, "rules");
    let tables = |key: &'static str| {
        let items = root.get(key).and_then(|v| v.array("an array of tables")).unwrap_or_default();
        items.into_iter().filter_map(|item| item.table()).collect::<Vec<_>>()
    };
    let (resources, fetches, surfaces) = (tables("resource"), tables("fetch"), tables("surface"));
    root.finish();
    mistake(&context, "")?;
    let mut known: HashMap<String, Arc<ResourceSpec>> = HashMap::new();
    for table in &resources {
        let name = table.get("name").and_then(raw::string).unwrap_or_default();
        let spec = ResourceSpec::read(table);
        let within = format!("resource `{name}`");
        mistake(&context, &table.path).within(&within)?;
        let spec =
            spec.unwrap_or_else(|| Err(CaseError::new("it has mistakes"))).within(&within)?;
        if known.insert(name.clone(), Arc::new(spec)).is_some() {
            return Err(CaseError::new(format!("two resources are called `{name}`")));
        }
    }
    let find = |name: &str| {
        known.get(name).cloned().ok_or_else(|| CaseError::new(format!("unknown resource `{name}`")))
    };
    let mut cases = Vec::new();
    type Make<'a> = &'a dyn Fn(&RawCase, Arc<ResourceSpec>) -> Result<Access>;
    let mut add = |table: &Table, make: Make| -> Result<()> {
        let case = RawCase::read(table);
        table.finish();
        let access = mistake(&context, &table.path)
            .and_then(|()| find(&case.resource))
            .and_then(|resource| make(&case, resource))
            .within(&case.name)?;
        let RawCase { name, note, .. } = case;
        let rules = if case.rules.is_empty() { rules.clone() } else { case.rules };
        let provenance = case.provenance.unwrap_or_else(|| provenance.clone());
        cases.push(Case { name, rules, provenance, note, access });
        Ok(())
    };
    for table in &fetches {
        let raw = RawFetch::read(table);
        add(table, &|case, of| FetchCase::from_raw(case, &raw, of).map(Access::Fetch))?;
    }
    for table in &surfaces {
        let raw = RawSurface::read(table);
        add(table, &|case, of| SurfaceCase::from_raw(case, &raw, of).map(Access::Surface))?;
    }
    Ok(CaseFile { cases, notes: context.take_notes() })
}

/// Writes cases as the text of a case file. Resources and long strings that cases share are written
/// once.
pub fn to_toml(cases: &[Case]) -> String {
    let provenance = cases.first().map_or("none", |case| &case.provenance);
    let mut names: BTreeMap<String, Arc<ResourceSpec>> = BTreeMap::new();
    let (mut resources, mut fetches, mut surfaces) = Default::default();
    for case in cases {
        let resource = resource_name(&mut names, &mut resources, case.resource());
        let mut entries: Entries = vec![("name", case.name.as_str().into())];
        if !case.rules.is_empty() {
            entries.push(("rules", case.rules.clone().into()));
        }
        if case.provenance != provenance {
            entries.push(("provenance", case.provenance.as_str().into()));
        }
        entries.extend(case.note.as_ref().map(|note| ("note", note.as_str().into())));
        entries.push(("resource", resource.into()));
        let (out, heading, more) = match &case.access {
            Access::Fetch(fetch) => (&mut fetches, "fetch", fetch.entries()),
            Access::Surface(surface) => (&mut surfaces, "surface", surface.entries()),
        };
        entries.extend(more);
        raw::item(out, heading, &entries);
    }
    format!("provenance = {}\n{resources}{fetches}{surfaces}", Value::from(provenance))
}

/// The name of a resource in a case file that is being written: the resource's own name, or a new
/// name if a different resource has that name.
fn resource_name(
    names: &mut BTreeMap<String, Arc<ResourceSpec>>,
    out: &mut String,
    spec: &Arc<ResourceSpec>,
) -> String {
    let mut name = spec.name.clone();
    for n in 2.. {
        match names.get(&name) {
            Some(known)
                if ResourceSpec { name: spec.name.clone(), ..(**known).clone() } == **spec =>
            {
                return name;
            }
            Some(_) => name = format!("{}-{n}", spec.name),
            None => break,
        }
    }
    raw::item(out, "resource", &spec.entries(&name));
    names.insert(name.clone(), Arc::clone(spec));
    name
}
