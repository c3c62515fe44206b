//! `--interpreted`: instructions of a launch that were interpreted in the middle of compiled code.

use crate::launch_report::Report;
use serde_json::{Value, json};
use texunit_forms::Count;
use texunit_report::CodeLocation;

/// Maximum number of instructions listed.
const MAX: usize = 20;

/// An instruction and the number of its executions.
struct InterpretedOp<'a> {
    place: CodeLocation,
    instruction: &'a str,
    count: u64,
}

/// The instructions, the most frequent first.
fn rows(report: &Report) -> impl Iterator<Item = InterpretedOp<'_>> {
    let all = report.stats.iter().flat_map(|stats| stats.interpreted.0.iter().take(MAX));
    let located = report.located();
    all.filter_map(move |&(span, count)| {
        let located = located?;
        let instruction = located.text.snippet(span).trim();
        Some(InterpretedOp { place: located.place_of(span), instruction, count })
    })
}

/// A table, or a message if it is empty.
pub fn text(report: &Report) -> String {
    let mut text = String::from("interpreted in the middle of machine code:");
    for InterpretedOp { place, instruction, count } in rows(report) {
        text += &format!("\n{count:>12}  {instruction}  {}", place.with_ptx());
    }
    let all = report.stats.as_ref().map_or(&[][..], |stats| &stats.interpreted.0);
    match all.len() {
        0 => text + " nothing\n",
        n if n > MAX => {
            let rest: u64 = all[MAX..].iter().map(|(_, count)| count).sum();
            text + &format!("\n{rest:>12}  {}\n", Count(n - MAX, "other instruction"))
        }
        _ => text + "\n",
    }
}

/// The report as JSON.
pub fn json(report: &Report) -> Vec<Value> {
    rows(report)
        .map(|InterpretedOp { place, instruction, count }| {
            json!({
                "line": place.ptx.line,
                "column": place.ptx.column,
                "frames": place.frames,
                "instruction": instruction,
                "count": count,
            })
        })
        .collect()
}
