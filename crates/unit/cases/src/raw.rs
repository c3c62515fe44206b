//! The keys of a case as they are in a file; described in tests/fetch/README.md.

use crate::error::{CaseError, Result};
use texunit_spec::write::Entries;
use texunit_spec::{Context, Problem, SamplerSpec, Table, TomlValue, codes, keys, read_mode};
use texunit_unit::{ReadMode, Sampler};

/// The keys that fetch cases and surface cases have in common.
#[derive(Debug, Default)]
pub(crate) struct RawCase {
    pub name: String,
    pub rules: Vec<String>,
    pub provenance: Option<String>,
    pub note: Option<String>,
    pub resource: String,
    pub op: String,
    pub error: Option<String>,
}

/// The keys of a fetch case.
#[derive(Debug, Default)]
pub(crate) struct RawFetch {
    pub read_mode: ReadMode,
    pub normalized_coords: bool,
    pub sampler: Sampler,
    pub offset: Option<Vec<i32>>,
    pub offsets: Option<String>,
    pub coords: Option<String>,
    pub lod: Option<String>,
    pub dpdx: Option<String>,
    pub dpdy: Option<String>,
    pub compare: Option<String>,
    pub components: Option<u8>,
    pub expected: Option<String>,
    pub resident: Option<String>,
    pub hash: Option<String>,
}

/// The keys of a surface case.
#[derive(Debug, Default)]
pub(crate) struct RawSurface {
    pub accesses: Option<String>,
    pub values: Option<String>,
    pub warp: bool,
    pub after: Option<String>,
}

pub(crate) fn string(value: TomlValue<'_>) -> Option<String> {
    value.shared_string("a string")
}

/// Reads the value of `key`, a list of strings; an empty list if the key is missing.
pub(crate) fn strings(table: &Table<'_>, key: &'static str) -> Vec<String> {
    let items = table.get(key).and_then(|v| v.array("a list of strings")).unwrap_or_default();
    items.into_iter().filter_map(string).collect()
}

impl RawCase {
    pub(crate) fn read(table: &Table<'_>) -> Self {
        let need = |key, what| table.need(key, what).and_then(string).unwrap_or_default();
        let text = |key: &'static str| table.get(key).and_then(string);
        Self {
            name: need("name", "what messages call the case"),
            rules: strings(table, "rules"),
            provenance: text("provenance"),
            note: text("note"),
            resource: need("resource", "the name of a resource"),
            op: need("op", "the name of an instruction"),
            error: text("error"),
        }
    }
}

impl RawFetch {
    pub(crate) fn read(table: &Table<'_>) -> Self {
        let text = |key: &'static str| table.get(key).and_then(string);
        let sampler = table.get("sampler").and_then(|v| {
            let table = v.table()?;
            let spec = SamplerSpec::read(&table);
            table.finish();
            Some(spec)
        });
        let components = table.get("components").and_then(|v| v.number(0, u8::MAX.into()));
        Self {
            read_mode: read_mode(table).unwrap_or(ReadMode::Element),
            normalized_coords: flag(table, keys::NORMALIZED_COORDS),
            sampler: sampler.unwrap_or_default().build(),
            offset: table.get("offset").and_then(|v| offsets(&v)),
            offsets: text("offsets"),
            coords: text("coords"),
            lod: text("lod"),
            dpdx: text("dpdx"),
            dpdy: text("dpdy"),
            compare: text("compare"),
            components: components.map(|n| n as u8),
            expected: text("expected"),
            resident: text("resident"),
            hash: text("hash"),
        }
    }
}

impl RawSurface {
    pub(crate) fn read(table: &Table<'_>) -> Self {
        let text = |key: &'static str| table.get(key).and_then(string);
        Self {
            accesses: text("accesses"),
            values: text("values"),
            warp: flag(table, keys::Key::from("warp")),
            after: text("after"),
        }
    }
}

fn flag(table: &Table<'_>, key: keys::Key) -> bool {
    table.get(key).and_then(|v| v.boolean()).unwrap_or(false)
}

fn offsets(value: &TomlValue<'_>) -> Option<Vec<i32>> {
    let number = |item: TomlValue<'_>| {
        let wide = item.integer("a whole number")?;
        let number = i32::try_from(wide).ok();
        if number.is_none() {
            item.problem(codes::VALUE, format!("{wide} has more than 32 bits"));
        }
        number
    };
    value.array("a list of whole numbers")?.into_iter().map(number).collect()
}

/// Returns the first mistake so far as an error, with its key below `path`.
pub(crate) fn mistake(context: &Context, path: &str) -> Result<()> {
    let problems = context.problems.take();
    // Other mistakes are reported before a missing key, because the key may be there under a
    // misspelt name, which is a mistake of its own.
    let order = |problem: &Problem| (problem.code == codes::MISSING_KEY, problem.span.start);
    let Some(first) = problems.into_iter().min_by_key(order) else { return Ok(()) };
    let message = match first.help {
        Some(help) => format!("{}: {help}", first.message),
        None => first.message,
    };
    let key = first.key.strip_prefix(path).unwrap_or(&first.key).trim_start_matches('.');
    let error = CaseError::new(message);
    Err(if key.is_empty() { error } else { error.within(key) })
}

/// Appends a TOML table with its heading and its entries to `out`.
pub(crate) fn item(out: &mut String, heading: &str, entries: &Entries) {
    use std::fmt::Write;
    let _ = write!(out, "\n[[{heading}]]\n");
    for (key, value) in entries {
        let _ = writeln!(out, "{key} = {value}");
    }
}
