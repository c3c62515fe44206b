//! Prepares the data for the template of the page.

use super::inputs::Inputs;
use super::recordings::Recording;
use super::sources::{self, COLUMNS, Source};
use minijinja::{Environment, context};
use serde::Serialize;
use serde_json::Value;
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

/// A kernel's launches.
#[derive(Clone, Debug, Default, Serialize)]
struct Launches {
    function: String,
    place: String,
    launches: String,
    threads: String,
    milliseconds: String,
    instructions: String,
    fetches: String,
    surfaces: String,
    /// Width of the bar in percent.
    bar: u32,
    #[serde(skip)]
    time: f64,
    #[serde(skip)]
    count: u64,
}

/// A finding or fault.
#[derive(Debug, Serialize)]
struct Finding {
    level: String,
    kind: String,
    message: String,
    help: String,
    notes: Vec<String>,
    who: String,
    count: u64,
    frames: Vec<SourcePosition>,
}

/// A position with the text of its line.
#[derive(Debug, Serialize)]
struct SourcePosition {
    name: String,
    text: String,
    /// The number of its source, if that is on the page.
    source: Option<usize>,
    line: u64,
}

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
struct KernelFidelity {
    function: String,
    specified: u64,
    measured: u64,
    assumed: u64,
    not_card: u64,
    rows: Vec<Unsure>,
}

/// An instruction form that is not specified.
#[derive(Debug, Serialize)]
struct Unsure {
    class: String,
    opcode: String,
    line: u64,
    count: u64,
    reaches: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
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
    let page = page(found, title, 0, &mut pictures)?;
    Ok((page, pictures))
}

fn page(
    found: &Inputs,
    title: Option<&str>,
    rows: usize,
    notes: &mut Vec<String>,
) -> Result<String, minijinja::Error> {
    let sources = sources::all(found, rows, notes);
    let by_time = launches(found, |kernel| kernel.time);
    let by_count = launches(found, |kernel| kernel.count as f64);
    let findings = findings(found, &sources, notes);
    let fidelity = fidelity(found, rows.min(MAX_INSTRUCTIONS), notes);
    let mut environment = Environment::new();
    environment.set_formatter(|out, state, value| match value.as_str() {
        // minijinja also escapes `/`, which paths contain often.
        Some(text) if !value.is_safe() => Ok(out.write_str(&escaped(text))?),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_template("page.html", PAGE)?;
    let columns: Vec<_> = COLUMNS.iter().map(|(letter, name, _)| (*letter, *name)).collect();
    environment.get_template("page.html")?.render(context! {
        title => title.map_or_else(|| default_title(found), str::to_owned),
        version => env!("CARGO_PKG_VERSION"),
        style => minijinja::Value::from_safe_string(STYLE.to_owned()),
        files => shown(&found.files),
        columns => shown(&columns),
        has_coverage => !found.coverage.is_empty(),
        has_profile => !found.profile.is_empty(),
        has_reports => !found.reports.is_empty(),
        by_time => shown(&by_time),
        by_count => shown(&by_count),
        findings => shown(&findings),
        profiles => shown(&summaries(found)),
        sources => shown(&sources),
        recorded => shown(&found.recordings),
        fidelity => shown(&fidelity),
        runs => shown(&runs(found)),
        notes => shown(notes),
    })
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

fn default_title(found: &Inputs) -> String {
    let commands = found.reports.iter().map(command).filter(|command| !command.is_empty());
    let all: Vec<String> = commands.collect();
    if all.is_empty() { "Report of texunit".to_owned() } else { all.join("; ") }
}

fn command(report: &Value) -> String {
    let words = items(&report["run"], "command").filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(" ")
}

/// The kernels of all reports, sorted by `by`; those of the profiles if there are no reports.
fn launches(found: &Inputs, by: fn(&Launches) -> f64) -> Vec<Launches> {
    let number = |value: &Value, key: &str| grouped(value[key].as_u64().unwrap_or(0));
    let of_report = |kernel: &Value| {
        let time = kernel["milliseconds"].as_f64().unwrap_or(0.0);
        let place = &kernel["place"]["frames"][0];
        Launches {
            function: function_name(&text(&kernel["name"])),
            place: match place["file"].as_str() {
                Some(file) => format!("{file}:{}", place["line"]),
                None => String::new(),
            },
            launches: number(kernel, "launches"),
            threads: number(kernel, "threads"),
            milliseconds: format!("{time:.3}"),
            instructions: number(kernel, "thread_instructions"),
            fetches: number(kernel, "fetches"),
            surfaces: number(kernel, "surface_accesses"),
            bar: 0,
            time,
            count: kernel["thread_instructions"].as_u64().unwrap_or(0),
        }
    };
    let mut all: Vec<Launches> =
        found.reports.iter().flat_map(|report| items(report, "kernels")).map(of_report).collect();
    if all.is_empty() {
        all.extend(found.profile.kernels.iter().map(|((name, _), kernel)| {
            let totals = kernel.totals();
            Launches {
                function: function_name(name),
                launches: grouped(kernel.launches),
                instructions: grouped(totals.thread_instructions),
                fetches: grouped(totals.texture.fetches),
                surfaces: grouped(totals.surface.threads),
                count: totals.thread_instructions,
                ..Launches::default()
            }
        }));
    }
    all.sort_by(|a, b| by(b).total_cmp(&by(a)));
    let most = all.first().map_or(0.0, by);
    for kernel in &mut all {
        kernel.bar = if most > 0.0 { (by(kernel) / most * 100.0).ceil() as u32 } else { 0 };
    }
    all
}

fn findings(found: &Inputs, sources: &[Source], notes: &mut Vec<String>) -> Vec<Finding> {
    let by_name: BTreeMap<&str, usize> = sources.iter().map(|s| (&*s.name, s.id)).collect();
    let place = |file: &Value, line: &Value, function: &Value, line_text: &Value| {
        let (file, line) = (text(file), line.as_u64().unwrap_or(0));
        let function = function.as_str().map_or_else(String::new, |name| format!(" in {name}"));
        let name = format!("{file}:{line}{function}");
        let shown = by_name.get(&*file).filter(|&&id| sources[id].has(line));
        SourcePosition {
            name,
            text: text(line_text).trim().to_owned(),
            source: shown.copied(),
            line,
        }
    };
    let one = |value: &Value| {
        let frames = items(&value["place"], "frames");
        let mut frames: Vec<SourcePosition> =
            frames.map(|f| place(&f["file"], &f["line"], &f["function"], &f["text"])).collect();
        let ptx = &value["place"]["ptx"];
        if ptx.is_object() {
            frames.push(place(&ptx["file"], &ptx["line"], &ptx["function"], &ptx["text"]));
        }
        let three = |key: &str| {
            let numbers: Vec<String> = items(value, key).map(ToString::to_string).collect();
            numbers.join(", ")
        };
        let function = text(&value["function"]);
        let who = match function.is_empty() {
            true => String::new(),
            false => format!("{function}, CTA ({}), thread ({})", three("block"), three("thread")),
        };
        Finding {
            level: text(&value["level"]),
            kind: text(&value["kind"]),
            message: text(&value["message"]),
            help: text(&value["help"]),
            notes: items(value, "notes").map(text).collect(),
            who,
            count: value["count"].as_u64().unwrap_or(1),
            frames,
        }
    };
    let values = found.reports.iter().flat_map(|r| items(r, "faults").chain(items(r, "findings")));
    let mut all: Vec<Finding> = values.map(one).collect();
    let rank = |level: &str| ["error", "warning", "note"].iter().position(|&l| l == level);
    all.sort_by_key(|finding| rank(&finding.level).unwrap_or(0));
    if all.len() > MAX_FINDINGS {
        notes.push(format!("left out: {}", Count(all.len() - MAX_FINDINGS, "finding")));
        all.truncate(MAX_FINDINGS);
    }
    all
}

impl Source {
    /// Whether a line is shown.
    fn has(&self, line: u64) -> bool {
        self.rows.binary_search_by_key(&line, |row| u64::from(row.line)).is_ok()
            || self.rows.iter().any(|row| u64::from(row.line) == line)
    }
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

fn fidelity(found: &Inputs, mut room: usize, notes: &mut Vec<String>) -> Vec<KernelFidelity> {
    let mut kernels: BTreeMap<String, KernelFidelity> = BTreeMap::new();
    let mut left_out = 0;
    for row in found.reports.iter().flat_map(|report| items(&report["fidelity"], "instructions")) {
        let function = function_name(&text(&row["kernel"]));
        let known = kernels.entry(function.clone()).or_default();
        known.function = function;
        let count = row["count"].as_u64().unwrap_or(0);
        let class = text(&row["class"]);
        *match &*class {
            "measured" => &mut known.measured,
            "assumed" => &mut known.assumed,
            "not_card" => &mut known.not_card,
            _ => &mut known.specified,
        } += count;
        if class == "specified" {
            continue;
        }
        if room == 0 {
            left_out += 1;
            continue;
        }
        room -= 1;
        let register = row["register"].as_str().map_or_else(String::new, |r| format!(" of {r}"));
        let reaches = items(row, "reaches").filter_map(Value::as_str);
        known.rows.push(Unsure {
            class,
            opcode: text(&row["opcode"]) + &register,
            line: row["line"].as_u64().unwrap_or(0),
            count,
            reaches: reaches.collect::<Vec<_>>().join(", "),
        });
    }
    if left_out > 0 {
        notes.push(format!("left out: {} of the fidelity", Count(left_out, "row")));
    }
    kernels.into_values().collect()
}

/// Properties of each run, as names and values.
fn runs(found: &Inputs) -> Vec<Vec<(&'static str, String)>> {
    let one = |report: &Value| {
        let run = &report["run"];
        let devices: Vec<String> = items(report, "devices").map(text).collect();
        let shown = |value: &Value| match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let time =
            |value: &Value| value.as_f64().map_or_else(String::new, |ms| format!("{ms:.1} ms"));
        let all = [
            ("command", command(report)),
            ("texunit", text(&report["texunit"])),
            ("devices", devices.join(", ")),
            ("exit code", shown(&run["exit_code"])),
            ("signal", shown(&run["signal"])),
            ("not executed", shown(&run["not_executed"])),
            ("evidence lost", shown(&run["evidence_lost"])),
            ("schedule", shown(&run["schedule"])),
            ("wall time", time(&run["milliseconds"])),
            ("CPU time", time(&run["cpu_milliseconds"])),
            ("launches", shown(&report["launches"])),
            ("processes", items(report, "processes").count().to_string()),
            ("refused calls", items(report, "api_errors").count().to_string()),
            ("allocations that were not freed", items(report, "allocations").count().to_string()),
            ("instructions measured on", shown(&report["fidelity"]["measured_on"])),
        ];
        all.into_iter().filter(|(_, value)| !value.is_empty()).collect()
    };
    found.reports.iter().map(one).collect()
}
