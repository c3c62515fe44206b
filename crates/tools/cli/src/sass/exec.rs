//! `texunit sass exec`: executes one TXD on a state that a file describes.

use super::args::ExecArgs;
use super::{Output, color, finding, instruction, wrong};
use crate::args::OutputFormat;
use crate::codes::{NOT_EXECUTED, STATE_FILE};
use serde_json::{Map, Value, json};
use texunit_job::InText;
use texunit_report::visible;
use texunit_sass::Txd;
use texunit_sass::parse::parse;
use texunit_sass::txd::{BINDLESS, INDEX, MASK, PS, PT, RA, RD, RZ};
use texunit_syntax::{Diagnostic, SourceFile, Span};
use texunit_txd::exec::{Outcome, State, execute};
use texunit_txd::state_file::{self, StateFile};

/// Maximum size of a state file in bytes: a list of numbers takes a hundred times its size while it
/// is parsed.
const MAX_FILE: usize = 16 << 20;

/// Runs the instruction and reports what it wrote.
pub(super) fn run(args: &ExecArgs) -> Output {
    let path = args.state.display().to_string();
    let bytes = match texunit_files::read_bytes(&args.state) {
        Ok(bytes) => bytes,
        Err(error) => return wrong(&visible(&error.to_string())),
    };
    if bytes.len() > MAX_FILE {
        return wrong(&visible(&format!("{path}: a state file has at most {MAX_FILE} bytes")));
    }
    let Ok(text) = String::from_utf8(bytes) else {
        return wrong(&visible(&format!("{path}: the file is not UTF-8 text")));
    };
    let StateFile { mut state, notes } = match state_file::read(&text) {
        Ok(file) => file,
        Err(found) => {
            let Some(span) = found.span.clone() else {
                return wrong(&visible(&format!("{path}: {found}")));
            };
            let span = Span::new(span.start, span.end);
            let found = Diagnostic::error(STATE_FILE, span, found.message);
            return mistakes(args, &SourceFile::new(path, text), &[found]);
        }
    };
    let file = SourceFile::new(path, text);
    let notes: Vec<Diagnostic> = notes.iter().map(InText::diagnostic).collect();
    let text = args.text.join(" ");
    let (txd, diagnostics) = instruction(&text, state.arch, false);
    let source = SourceFile::new("<text>", text.as_str());
    let Some(txd) = txd else { return mistakes(args, &source, &diagnostics) };
    match execute(&txd, &mut state) {
        Err(found) => {
            let field = if txd.has(&BINDLESS) { &RA } else { &INDEX };
            let span = parse(&text).map(|parsed| parsed.places.of(field)).unwrap_or_default();
            let found = Diagnostic::error(NOT_EXECUTED, span, found.to_string());
            mistakes(args, &source, &[found.label("the handle of header and sampler")])
        }
        Ok(outcome) => {
            let (out, err) = match args.format {
                OutputFormat::Human => {
                    (human(&txd, &state, outcome), texunit_report::human(&file, &notes, color()))
                }
                OutputFormat::Json => {
                    let mut object = json(&txd, &state, outcome);
                    object["warnings"] = notes.iter().map(|note| placed(&file, note)).collect();
                    (format!("{object}\n"), String::new())
                }
            };
            Output { out, err, right: true }
        }
    }
}

/// The errors in the file or the instruction.
fn mistakes(args: &ExecArgs, source: &SourceFile, found: &[Diagnostic]) -> Output {
    let (out, err) = match args.format {
        OutputFormat::Human => (String::new(), texunit_report::human(source, found, color())),
        OutputFormat::Json => {
            let all = found.iter().map(|diagnostic| placed(source, diagnostic));
            (format!("{}\n", json!({ "diagnostics": all.collect::<Vec<_>>() })), String::new())
        }
    };
    Output { out, err, right: false }
}

/// A diagnostic with its file and line.
fn placed(source: &SourceFile, diagnostic: &Diagnostic) -> Value {
    let mut object = finding(source, diagnostic);
    object["file"] = source.name().into();
    object["line"] = source.location(diagnostic.primary.span.start).line.into();
    object
}

/// Numbers of the registers that are written.
fn written(txd: &Txd) -> Vec<usize> {
    let first = txd.get(&RD);
    let count = if first == RZ { 0 } else { txd.get(&MASK).count_ones().into() };
    (first..first + count).map(|n| n as usize).collect()
}

/// A line for each run of lanes with equal values.
fn human(txd: &Txd, state: &State, outcome: Outcome) -> String {
    let mut out = String::new();
    for number in written(txd) {
        let register = &state.registers[number];
        let lanes: Vec<usize> = texunit_unit::lanes(outcome.lanes).collect();
        for run in lanes.chunk_by(|&a, &b| b == a + 1 && register[a] == register[b]) {
            let (first, last) = (run[0], run[run.len() - 1]);
            let lanes = if first == last { format!("{first}") } else { format!("{first}-{last}") };
            let bits = register[first];
            let value = f32::from_bits(bits);
            out += &format!("{:5} lanes {lanes:6} {bits:#010x}  {value:?}\n", format!("R{number}"));
        }
    }
    if txd.get(&PS) != PT {
        let number = txd.get(&PS);
        out += &format!(
            "P{number}    lanes {:#010x} of {:#010x}\n",
            state.predicates[number as usize] & outcome.lanes,
            outcome.lanes
        );
    }
    for (what, lanes) in [
        ("took part", outcome.lanes),
        ("zeros: invalid texture or of another type", outcome.invalid),
        ("a tile is not resident", outcome.missing),
    ] {
        if lanes != 0 || what == "took part" {
            out += &format!("{what}: {lanes:#010x}\n");
        }
    }
    out
}

fn json(txd: &Txd, state: &State, outcome: Outcome) -> Value {
    let mut registers = Map::new();
    for number in written(txd) {
        let lane = |lane: usize| {
            let bits = state.registers[number][lane];
            json!({ "lane": lane, "bits": format!("{bits:#010x}"), "f32": f32::from_bits(bits) })
        };
        let lanes: Vec<Value> = texunit_unit::lanes(outcome.lanes).map(lane).collect();
        registers.insert(format!("R{number}"), lanes.into());
    }
    let mut predicates = Map::new();
    if let Some(bits) = state.predicates.get(txd.get(&PS) as usize) {
        predicates.insert(format!("P{}", txd.get(&PS)), format!("{bits:#010x}").into());
    }
    json!({
        "lanes": format!("{:#010x}", outcome.lanes),
        "invalid": format!("{:#010x}", outcome.invalid),
        "missing": format!("{:#010x}", outcome.missing),
        "registers": registers,
        "predicates": predicates,
    })
}
