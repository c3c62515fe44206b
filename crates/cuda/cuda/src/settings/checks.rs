//! Settings of the checks, from environment variables that `texunit run` sets.

use super::*;
use texunit_checks::{Checks, InitWhen};

#[derive(Clone, Debug, Default)]
pub(crate) struct CheckSettings {
    pub(crate) checks: Checks,
    /// When uninitialised memory is reported (`TEXUNIT_INIT`: `use` or `load`).
    pub(crate) init: InitWhen,
    /// Maximum number of reported findings (`TEXUNIT_MAX_FINDINGS`).
    pub(crate) max_findings: Option<u64>,
    /// `TEXUNIT_SUPPRESSIONS`: files, separated by colons.
    pub(crate) suppressions: Vec<PathBuf>,
    /// Whether each finding is printed with a suppression for it (`TEXUNIT_GEN_SUPPRESSIONS=1`).
    pub(crate) gen_suppressions: bool,
    /// `TEXUNIT_CHECK_KERNEL`: a kernel name with `*` as wildcard.
    pub(crate) kernel: Option<String>,
}

impl CheckSettings {
    /// Whether a check is enabled.
    pub(crate) fn has(&self, check: Check) -> bool {
        self.checks.has(check)
    }
}

/// Reads the settings from environment variables; `None` if no check is enabled.
pub(super) fn wanted(reader: &mut Reader<'_>) -> Option<CheckSettings> {
    let list = reader.set("TEXUNIT_CHECK")?;
    let checks = match Checks::parse(&list) {
        Ok(checks) => checks,
        Err(error) => {
            reader.complaints.push(format!("TEXUNIT_CHECK: {error}; nothing is checked"));
            return None;
        }
    };
    let init = reader.set("TEXUNIT_INIT").map(|when| InitWhen::parse(when.trim()));
    let init = init.transpose().unwrap_or_else(|error| {
        reader.complaints.push(format!("TEXUNIT_INIT: {error}; uses are reported"));
        None
    });
    let not_number = ", which is not a number; all findings are reported";
    let max_findings = reader.parsed("TEXUNIT_MAX_FINDINGS", not_number, |most| most.parse().ok());
    let files = reader.set("TEXUNIT_SUPPRESSIONS");
    let files =
        files.iter().flat_map(std::env::split_paths).filter(|file| !file.as_os_str().is_empty());
    Some(CheckSettings {
        checks,
        init: init.unwrap_or_default(),
        max_findings,
        suppressions: files.collect(),
        gen_suppressions: reader.is_on("TEXUNIT_GEN_SUPPRESSIONS"),
        kernel: reader.set("TEXUNIT_CHECK_KERNEL"),
    })
}
