//! Prepares the data for the template of the page.

use super::inputs::Inputs;
use super::recordings::Recording;
use super::sources::{self, COLUMNS, Source};
use minijinja::{Environment, UndefinedBehavior, context};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use texunit_forms::Count;
use texunit_report::grouped;
use texunit_report::place::function_name;

/// The template; its extension enables escaping.
const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// Maximum total size of texture previews.
const MAX_PICTURES: usize = 1 << 20;
/// Initial maximum number of source lines, findings and instructions; reduced if the page becomes
/// too large.
const MAX_ROWS: usize = 12_000;
const MAX_FINDINGS: usize = 1000;
const MAX_INSTRUCTIONS: usize = 2000;
/// Maximum number of attempts to make the page smaller.
const TRIES: usize = 5;

/// The summary of a kernel's profile.
#[derive(Debug, Serialize)]
struct Summary {
    function: String,
    launches: String,
    cells: Vec<String>,
    classes: Vec<(String, u32)>,
}

/// The fidelity of a kernel's instructions.
#[derive(Debug, Default, Serialize)]
struct KernelFidelity<'a> {
    function: String,
    specified: u64,
    measured: u64,
    assumed: u64,
    not_card: u64,
    /// The instruction forms that are not specified.
    rows: Vec<&'a Value>,
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// Renders the page; returns it with remarks about what was left out.
pub(super) fn render(
    found: &mut Inputs,
    title: Option<&str>,
    most: usize,
) -> Result<(String, Vec<String>), minijinja::Error> {
    let mut pictures = Vec::new();
    limit_pictures(&mut found.recordings, &mut pictures);
    let mut rows = MAX_ROWS;
    for _ in 0..TRIES {
        let mut notes = pictures.clone();
        let page = page(found, title, rows, &mut notes)?;
        if page.len() <= most {
            return Ok((page, notes));
        }
        rows /= 3;
    }
    Ok((page(found, title, 0, &mut pictures)?, pictures))
}

fn page(
    found: &Inputs,
    title: Option<&str>,
    rows: usize,
    notes: &mut Vec<String>,
) -> Result<String, minijinja::Error> {
    let sources = sources::all(found, rows, notes);
    let kernels = kernels(found);
    let findings = findings(found, notes);
    let fidelity = fidelity(found, rows.min(MAX_INSTRUCTIONS), notes);
    let mut environment = Environment::new();
    environment.set_formatter(|out, state, value| match value.as_str() {
        // minijinja also escapes `/`, which paths contain often.
        Some(text) if !value.is_safe() => Ok(out.write_str(&escaped(text))?),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    add_filters(&mut environment);
    environment.add_template("page.html", PAGE)?;
    let columns: Vec<_> = COLUMNS.iter().map(|(letter, name, _)| (*letter, *name)).collect();
    environment.get_template("page.html")?.render(context! {
        title,
        version => env!("CARGO_PKG_VERSION"),
        style => minijinja::Value::from_safe_string(STYLE.to_owned()),
        files => shown(&found.files),
        columns => shown(&columns),
        has_coverage => !found.coverage.is_empty(),
        has_profile => !found.profile.is_empty(),
        reports => shown(&found.reports),
        by_time => shown(&sorted(&kernels, "milliseconds")),
        by_count => shown(&sorted(&kernels, "thread_instructions")),
        findings => shown(&findings),
        profiles => shown(&summaries(found)),
        sources => shown(&sources),
        links => shown(&links(&sources)),
        recorded => shown(&found.recordings),
        fidelity => shown(&fidelity),
        notes => shown(notes),
    })
}

/// Filters for fields of the JSON files; they show nothing for absent ones.
fn add_filters(environment: &mut Environment<'_>) {
    environment.add_filter("grouped", |n: Option<u64>| n.map_or_else(String::new, grouped));
    environment.add_filter("fixed", |n: Option<f64>, digits: usize| {
        n.map_or_else(String::new, |n| format!("{n:.digits$}"))
    });
    environment
        .add_filter("ms", |n: Option<f64>| n.map_or_else(String::new, |n| format!("{n:.1} ms")));
    environment
        .add_filter("function", |name: Option<&str>| function_name(name.unwrap_or_default()));
    environment.add_filter("percent", |n: Option<f64>, most: Option<f64>| {
        let share = n.unwrap_or(0.0) / most.unwrap_or(0.0) * 100.0;
        if share.is_finite() { share.ceil() as u32 } else { 0 }
    });
}

/// Escapes a text for HTML, including quotation marks.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // HTML allows no other control characters.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn shown<T: Serialize + ?Sized>(value: &T) -> minijinja::Value {
    minijinja::value::Serde(value).into()
}

/// The kernels of all reports; those of the profiles if there are no reports.
fn kernels(found: &Inputs) -> Vec<Value> {
    let mut all: Vec<Value> =
        found.reports.iter().flat_map(|report| items(report, "kernels")).cloned().collect();
    if all.is_empty() {
        all.extend(found.profile.kernels.iter().map(|((name, _), kernel)| {
            let totals = kernel.totals();
            json!({
                "name": name,
                "launches": kernel.launches,
                "thread_instructions": totals.thread_instructions,
                "fetches": totals.texture.fetches,
                "surface_accesses": totals.surface.threads,
            })
        }));
    }
    all
}

/// Sorts kernels by a number, the largest first.
fn sorted<'a>(kernels: &'a [Value], key: &str) -> Vec<&'a Value> {
    let number = |kernel: &Value| kernel[key].as_f64().unwrap_or(0.0);
    let mut all: Vec<&Value> = kernels.iter().collect();
    all.sort_by(|a, b| number(b).total_cmp(&number(a)));
    all
}

/// The faults and findings of all reports, errors first.
fn findings<'a>(found: &'a Inputs, notes: &mut Vec<String>) -> Vec<&'a Value> {
    let values = found.reports.iter().flat_map(|r| items(r, "faults").chain(items(r, "findings")));
    let mut all: Vec<&Value> = values.collect();
    let rank = |level: &Value| ["error", "warning", "note"].iter().position(|&l| level == l);
    all.sort_by_key(|finding| rank(&finding["level"]).unwrap_or(0));
    if all.len() > MAX_FINDINGS {
        notes.push(format!("left out: {}", Count(all.len() - MAX_FINDINGS, "finding")));
        all.truncate(MAX_FINDINGS);
    }
    all
}

/// The source's number for each line that is on the page, by the names of files.
fn links(sources: &[Source]) -> BTreeMap<&str, BTreeMap<u32, usize>> {
    let lines = |source: &Source| source.rows.iter().map(|row| (row.line, source.id)).collect();
    sources.iter().map(|source| (&*source.name, lines(source))).collect()
}

fn ratio(a: u64, b: u64) -> String {
    if b == 0 { String::new() } else { format!("{:.1}", a as f64 / b as f64) }
}

fn count(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

/// The summaries of the profile; their columns match the template's header.
fn summaries(found: &Inputs) -> Vec<Summary> {
    let one = |((name, _), kernel): (&texunit_profile::Key, &texunit_profile::Kernel)| {
        let t = kernel.totals();
        let (load, store) = (&t.global_load, &t.global_store);
        let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
        for instruction in kernel.instructions.values() {
            *classes.entry(instruction.class.name()).or_default() +=
                instruction.counts.thread_instructions;
        }
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        let share =
            |n: u64| (n as f64 / t.thread_instructions.max(1) as f64 * 100.0).round() as u32;
        let cells = vec![
            grouped(t.warp_instructions),
            grouped(t.thread_instructions),
            ratio(t.thread_instructions, t.warp_instructions),
            count(t.divergent_branches),
            ratio(load.sectors + store.sectors, load.requests + store.requests),
            ratio(load.ideal_sectors + store.ideal_sectors, load.requests + store.requests),
            count(t.shared_load.bank_conflicts + t.shared_store.bank_conflicts),
            count(t.global_atomic.threads + t.shared_atomic.threads),
            count(t.local_load.sectors + t.local_store.sectors),
            count(t.texture.fetches),
            ratio(t.texture.texels, t.texture.fetches),
            ratio(t.texture.sectors, t.texture.requests),
            count(t.texture.distinct_bytes),
        ];
        Summary {
            function: function_name(name),
            launches: grouped(kernel.launches),
            cells,
            classes: classes
                .into_iter()
                .map(|(name, n)| (name.to_owned(), share(n)))
                .filter(|(_, n)| *n > 0)
                .take(4)
                .collect(),
        }
    };
    let mut all: Vec<_> = found.profile.kernels.iter().collect();
    all.sort_by_key(|(_, kernel)| std::cmp::Reverse(kernel.totals().thread_instructions));
    all.into_iter().map(one).collect()
}

/// Leaves out pictures beyond the maximum size of all.
fn limit_pictures(recordings: &mut [Recording], notes: &mut Vec<String>) {
    let (mut room, mut left_out) = (MAX_PICTURES, 0);
    for texture in recordings.iter_mut().flat_map(|recording| &mut recording.textures) {
        let size = texture.picture.as_ref().map_or(0, |picture| picture.data.len());
        if size > room {
            left_out += 1;
            texture.picture = None;
        } else {
            room -= size;
        }
    }
    if left_out > 0 {
        notes.push(format!("left out: pictures of {}", Count(left_out, "texture")));
    }
}

fn fidelity<'a>(
    found: &'a Inputs,
    mut room: usize,
    notes: &mut Vec<String>,
) -> Vec<KernelFidelity<'a>> {
    let mut kernels: BTreeMap<String, KernelFidelity<'_>> = BTreeMap::new();
    let mut left_out = 0;
    for row in found.reports.iter().flat_map(|report| items(&report["fidelity"], "instructions")) {
        let function = function_name(row["kernel"].as_str().unwrap_or_default());
        let known = kernels.entry(function.clone()).or_default();
        known.function = function;
        let class = row["class"].as_str().unwrap_or_default();
        *match class {
            "measured" => &mut known.measured,
            "assumed" => &mut known.assumed,
            "not_card" => &mut known.not_card,
            _ => &mut known.specified,
        } += row["count"].as_u64().unwrap_or(0);
        if class == "specified" {
            continue;
        }
        if room == 0 {
            left_out += 1;
            continue;
        }
        room -= 1;
        known.rows.push(row);
    }
    if left_out > 0 {
        notes.push(format!("left out: {} of the fidelity", Count(left_out, "row")));
    }
    kernels.into_values().collect()
}
