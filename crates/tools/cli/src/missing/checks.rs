//! `--check` in a build without checks.

use crate::run::Failure;
use clap::Args;
use serde_json::Value;
use texunit_device::Observer;
use texunit_report::Located;

/// Options of `texunit launch`.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckOptions {
    /// Not in this build.
    #[arg(long, value_name = "LIST", hide = true, value_parser = list)]
    pub check: Option<Never>,
}

/// The type of `--check`'s value. It has none: the parser of a build without checks refuses all words.
#[derive(Clone, Copy, Debug)]
pub enum Never {}

fn list(_: &str) -> Result<Never, String> {
    Err(super::option())
}

impl CheckOptions {
    /// Nothing is checked.
    pub(crate) fn log(&self, _kernels: &[String]) -> Result<Option<Log>, Box<Failure>> {
        Ok(None)
    }

    /// Uninitialised data is not followed.
    pub(crate) fn follows_init(&self) -> bool {
        false
    }

    /// There are no findings to be suppressed.
    pub(crate) fn gen_suppressions(&self) -> bool {
        false
    }
}

/// Findings, of which there are none.
#[derive(Debug)]
pub enum Log {}

impl Log {
    /// Whether there are findings.
    pub fn has_findings(&self) -> bool {
        match *self {}
    }

    /// How many are suppressed.
    pub fn suppressed(&self) -> u64 {
        match *self {}
    }

    /// How many are counted only.
    pub fn more(&self) -> u64 {
        match *self {}
    }
}

pub(crate) fn observer<'a>(log: &'a Log, _kernel: &str) -> Option<Box<dyn Observer + 'a>> {
    match *log {}
}

pub(crate) fn launched(log: &Log, _ended_well: bool) {
    match *log {}
}

pub(crate) fn text(log: &Log, _: Option<Located<'_>>, _with_suppressions: bool, _: bool) -> String {
    match *log {}
}

pub(crate) fn summary(log: &Log) -> String {
    match *log {}
}

pub(crate) fn json(log: &Log, _with_suppressions: bool) -> Vec<Value> {
    match *log {}
}
