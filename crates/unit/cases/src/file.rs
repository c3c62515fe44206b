//! Case files as a whole: read, found by address, written.

use crate::error::{CaseError, Within};
use crate::fetch::{BuiltFetch, FetchCase};
use crate::raw::RawFile;
use crate::resource::ResourceSpec;
use crate::surface::{BuiltSurface, SurfaceCase};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// One case: a resource, an instruction, many sets of operands.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// What messages call it.
    pub name: String,
    /// Rules of docs/numerics.md that it proves: `1.4`, `3`.
    pub rules: Vec<String>,
    /// Where its answers come from.
    pub provenance: String,
    /// What is worth knowing about it.
    pub note: Option<String>,
    /// What is done.
    pub access: Access,
}

/// What a case does.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Access {
    Fetch(FetchCase),
    Surface(SurfaceCase),
}

/// A case, made.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Built {
    Fetch(BuiltFetch),
    Surface(BuiltSurface),
}

/// A case file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFile {
    /// The fetch cases, then the surface cases, each in the order of the file.
    pub cases: Vec<Case>,
}

impl Case {
    /// What it accesses.
    pub fn resource(&self) -> &Arc<ResourceSpec> {
        match &self.access {
            Access::Fetch(fetch) => &fetch.resource,
            Access::Surface(surface) => &surface.resource,
        }
    }

    /// Makes the texture or surface.
    pub fn build(&self) -> Result<Built, CaseError> {
        match &self.access {
            Access::Fetch(fetch) => fetch.build().map(Built::Fetch),
            Access::Surface(surface) => surface.build().map(Built::Surface),
        }
        .within(&self.name)
    }

    /// The same case with the reference's answers in the place of what it expects; `None` if the
    /// reference has none.
    pub fn answered(&self) -> Result<Option<Self>, CaseError> {
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

    /// Number of fetches or accesses.
    pub fn count(&self) -> usize {
        match &self.access {
            Access::Fetch(fetch) => fetch.operands.len(),
            Access::Surface(surface) => surface.accesses.len(),
        }
    }
}

impl CaseFile {
    /// A case by its number, from 1, or by its name.
    pub fn find(&self, which: &str) -> Option<&Case> {
        let named = self.cases.iter().find(|case| case.name == which);
        let number = || which.parse::<usize>().ok()?.checked_sub(1);
        named.or_else(|| self.cases.get(number()?))
    }
}

/// Reads a case file.
pub fn load(path: impl AsRef<Path>) -> Result<CaseFile, CaseError> {
    let path = path.as_ref();
    read_text(path).map_err(CaseError::new).and_then(|text| parse(&text)).within(path.display())
}

/// The text of a regular file. Asked before opening: a device may have no end, and a pipe waits
/// for its writer.
fn read_text(path: &Path) -> Result<String, String> {
    let there = std::fs::metadata(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        _ => e.to_string(),
    })?;
    if !there.is_file() {
        let what = if there.is_dir() { "a folder" } else { "a device or a pipe" };
        return Err(format!("expected a case file, but it is {what}"));
    }
    if there.len() > MAX_FILE {
        return Err(format!("the file has {} bytes, but at most {MAX_FILE} are read", there.len()));
    }
    // Files of the system that wait for more have no length.
    if there.len() == 0 {
        return Err("the file is empty".to_owned());
    }
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    String::from_utf8(bytes).map_err(|_| "expected a text file, but it is not UTF-8".to_owned())
}

/// Reads `FILE#N` or `FILE#N:K`: case N of a file, by number from 1 or by name, and, if it is said,
/// its fetch or access K, from 0. Without `#N`, the only case of the file.
pub fn load_address(address: &str) -> Result<(Case, Option<usize>), CaseError> {
    let (path, which) = match address.rsplit_once('#') {
        Some((path, which)) => (path, Some(which)),
        None => (address, None),
    };
    let file = load(path)?;
    let Some(which) = which else {
        return match <[Case; 1]>::try_from(file.cases) {
            Ok([case]) => Ok((case, None)),
            Err(cases) => {
                let n = cases.len();
                Err(CaseError::new(format!("it has {n} cases: say which (`{path}#1`)")))
            }
        }
        .within(path);
    };
    if let Some(case) = file.find(which) {
        return Ok((case.clone(), None));
    }
    let nothing = || {
        let n = file.cases.len();
        CaseError::new(format!("unknown case `{which}`; there are {n} cases, numbered from 1"))
    };
    let (which, fetch) = which
        .rsplit_once(':')
        .and_then(|(which, fetch)| Some((which, fetch.parse::<usize>().ok()?)))
        .ok_or_else(nothing)
        .within(path)?;
    let case = file.find(which).ok_or_else(nothing).within(path)?;
    if fetch >= case.count() {
        let n = case.count();
        return Err(CaseError::new(format!(
            "it has {n} fetches, from 0 on; {fetch} is not one of them"
        )))
        .within(&case.name)
        .within(path);
    }
    Ok((case.clone(), Some(fetch)))
}

/// Reads the text of a case file.
pub fn parse(text: &str) -> Result<CaseFile, CaseError> {
    let raw: RawFile =
        toml::from_str(text).map_err(|e| CaseError::new(e.to_string().trim_end()))?;
    let lookup = |text: &str| match text.strip_prefix('@') {
        None => Ok(text.to_owned()),
        Some(name) => raw
            .words
            .get(name)
            .cloned()
            .ok_or_else(|| CaseError::new(format!("`[words]` has no `{name}`"))),
    };
    let mut resources = HashMap::new();
    for resource in &raw.resource {
        let spec = ResourceSpec::from_raw(resource, &lookup)
            .within(format!("resource `{}`", resource.name))?;
        if resources.insert(resource.name.as_str(), Arc::new(spec)).is_some() {
            return Err(CaseError::new(format!("two resources are called `{}`", resource.name)));
        }
    }
    let find = |name: &str| {
        resources
            .get(name)
            .cloned()
            .ok_or_else(|| CaseError::new(format!("unknown resource `{name}`")))
    };
    let mut cases = Vec::new();
    for fetch in &raw.fetch {
        let access = find(&fetch.resource)
            .and_then(|resource| FetchCase::from_raw(fetch, resource, &lookup))
            .map(Access::Fetch)
            .within(&fetch.name)?;
        let (name, note) = (fetch.name.clone(), fetch.note.clone());
        let (rules, provenance) = shared(&raw, &fetch.rules, fetch.provenance.as_ref());
        cases.push(Case { name, rules, provenance, note, access });
    }
    for surface in &raw.surface {
        let access = find(&surface.resource)
            .and_then(|resource| SurfaceCase::from_raw(surface, resource, &lookup))
            .map(Access::Surface)
            .within(&surface.name)?;
        let (name, note) = (surface.name.clone(), surface.note.clone());
        let (rules, provenance) = shared(&raw, &surface.rules, surface.provenance.as_ref());
        cases.push(Case { name, rules, provenance, note, access });
    }
    Ok(CaseFile { cases })
}

/// A case's rules and provenance, or those of the file.
fn shared(raw: &RawFile, rules: &[String], provenance: Option<&String>) -> (Vec<String>, String) {
    let rules = if rules.is_empty() { &raw.rules } else { rules };
    (rules.to_vec(), provenance.unwrap_or(&raw.provenance).clone())
}

/// The text of a file of these cases. Resources and long strings that cases share are written
/// once.
pub fn to_toml(cases: &[Case]) -> String {
    let mut raw = RawFile {
        provenance: cases.first().map_or("none", |case| &case.provenance).to_owned(),
        ..RawFile::default()
    };
    let mut names: BTreeMap<String, Arc<ResourceSpec>> = BTreeMap::new();
    for case in cases {
        let resource = resource_name(&mut names, &mut raw, case.resource());
        let (name, rules) = (case.name.clone(), case.rules.clone());
        let provenance = (case.provenance != raw.provenance).then(|| case.provenance.clone());
        let note = case.note.clone();
        match &case.access {
            Access::Fetch(fetch) => {
                let raw_fetch = fetch.to_raw();
                raw.fetch.push(crate::raw::RawFetch {
                    name,
                    rules,
                    provenance,
                    note,
                    resource,
                    ..raw_fetch
                });
            }
            Access::Surface(surface) => {
                let raw_surface = surface.to_raw();
                raw.surface.push(crate::raw::RawSurface {
                    name,
                    rules,
                    provenance,
                    note,
                    resource,
                    ..raw_surface
                });
            }
        }
    }
    toml::to_string(&raw).expect("the keys are strings, numbers and lists")
}

/// The name of a resource in the new file: its own, or another if that is taken by a different
/// one.
fn resource_name(
    names: &mut BTreeMap<String, Arc<ResourceSpec>>,
    raw: &mut RawFile,
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
    let named = ResourceSpec { name: name.clone(), ..(**spec).clone() };
    raw.resource.push(named.to_raw());
    names.insert(name.clone(), Arc::new(named));
    name
}
