//! The table of clients, tests/clients/clients.toml, whose head describes the keys.

use crate::files;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A package that uses CUDA, with a test suite.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) what: String,
    pub(crate) absent: Option<String>,
    pub(crate) source: Option<Source>,
    pub(crate) compiled: Option<String>,
    #[serde(default)]
    pub(crate) tests: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) pytest: Vec<String>,
    /// Seconds, as `test_limit`.
    #[serde(default)]
    pub(crate) limit: u32,
    #[serde(default)]
    pub(crate) test_limit: u32,
}

/// A source archive on PyPI.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(crate) package: String,
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
}

/// All clients, in the order of the table.
pub(crate) static CLIENTS: LazyLock<Vec<Client>> =
    LazyLock::new(|| files::rows(include_str!("../../../tests/clients/clients.toml")));
