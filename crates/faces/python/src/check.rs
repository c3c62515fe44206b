//! The function `texunit.check`, which checks PTX and returns diagnostics.

use crate::error::value_error;
use crate::launch::diagnostics;
use pyo3::prelude::*;
use texunit_check::{Levels, Options, Ptxas, Verdicts, check_with_sources, parse_version};
use texunit_syntax::{SourceFile, handed_comments, has_handed};

/// The output of `texunit check` for a text, as JSON.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "they are those of texunit.check")]
pub(crate) fn _check(
    py: Python<'_>,
    ptx: &str,
    name: &str,
    target: Option<&str>,
    version: Option<&str>,
    arch: Option<&str>,
    ptxas: Option<&str>,
    allow: Vec<String>,
    deny: Vec<String>,
) -> PyResult<String> {
    let architecture = |name: Option<&str>| name.map(str::parse).transpose().map_err(value_error);
    let verdicts = match ptxas {
        None => Verdicts::Texunit,
        Some("oldest") => Verdicts::Ptxas(None),
        Some(release) => Verdicts::Ptxas(Some(release.parse::<Ptxas>().map_err(value_error)?)),
    };
    let options = Options {
        verdicts,
        target: architecture(target)?,
        version: version.map(parse_version).transpose().map_err(value_error)?,
        arch: architecture(arch)?,
    };
    let levels = Levels::new(&allow, &deny).map_err(value_error)?;
    py.detach(|| {
        let source = SourceFile::new(name, ptx);
        let (mut all, sources) = check_with_sources(&source, &options);
        levels.apply(&mut all);
        Ok(diagnostics((&source, &*sources).into(), &all).to_string())
    })
}

/// Appends the source texts that the PTX was compiled from, by file name, unless it contains them
/// already (`texunit run` appends them too).
#[pyfunction]
pub(crate) fn _with_sources(ptx: String, sources: Vec<(String, String)>) -> String {
    if has_handed(&ptx) {
        return ptx;
    }
    ptx + &handed_comments(sources.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}
