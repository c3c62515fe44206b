//! How a run is written down.

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// texunit's own, in JSON: everything that is known. `report.schema.json` describes it.
    Json,
    /// SARIF 2.1.0: findings, for viewers and code scanning.
    Sarif,
    /// JUnit XML: a test case for each kernel.
    Junit,
    /// Annotations of GitHub Actions, one line a finding.
    Github,
}

impl Format {
    /// Their names.
    pub const ALL: [(&'static str, Format); 4] = [
        ("json", Format::Json),
        ("sarif", Format::Sarif),
        ("junit", Format::Junit),
        ("github", Format::Github),
    ];
}
