//! Formats findings as text.

use crate::finding::Finding;
use crate::log::Log;
use std::collections::HashSet;
use texunit_evidence::Counts;
use texunit_forms::Count;
use texunit_report::{Located, grouped};

/// Formats a finding as a diagnostic; `source` is the module's text with its line table.
pub fn text(finding: &Finding, source: Option<Located<'_>>, color: bool) -> String {
    let diagnostic = finding.diagnostic();
    match (source, &finding.at) {
        (Some(source), Some(_)) => texunit_report::human(source, &[diagnostic], color),
        (None, Some(at)) => {
            let place = format!("{}: {}", at.who(), at.place.with_ptx());
            texunit_report::plain(&diagnostic.remark(place), color)
        }
        (_, None) => texunit_report::plain(&diagnostic, color),
    }
}

/// The summary at the end of a run: counts, and a table of findings that were not reported
/// individually; `None` if there is nothing to report.
pub fn summary(log: &Log) -> Option<String> {
    let (mut counts, all) = (Counts::default(), log.all());
    all.iter().for_each(|finding| counts.add(finding.severity, 1));
    let times = all.iter().fold(0_u64, |sum, finding| sum.saturating_add(finding.count));
    let (more, n) = (log.more().total(), all.len() as u64);
    let mut parts = Vec::new();
    if n > 0 {
        let all = Count(grouped(times), "time");
        let all = if times > n { format!(", {all} in all") } else { String::new() };
        parts.push(format!("{} ({}){all}", Count(grouped(n), "finding"), counts.words()));
    }
    if more > 0 {
        parts.push(format!("{} not shown (--max-findings)", grouped(more)));
    }
    if log.suppressed() > 0 {
        parts.push(format!("{} suppressed", grouped(log.suppressed())));
    }
    (!parts.is_empty()).then(|| format!("checks: {}", parts.join(", ")) + &table(all))
}

/// Maximum number of rows in the table, besides the first one of each kind.
const MAX_ROWS: usize = 40;

/// A table with a row for each finding, the most severe first: kind, lines, count, severity.
fn table(mut all: Vec<Finding>) -> String {
    if all.is_empty() {
        return String::new();
    }
    all.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let (mut kinds, mut left) = (HashSet::new(), 0_u64);
    let mut rows = vec![["kind", "line", "times", "severity"].map(str::to_owned)];
    for finding in &all {
        let codes: Vec<&str> = finding.kinds().map(Finding::code).collect();
        let is_first = codes.iter().fold(false, |is_first, code| kinds.insert(*code) | is_first);
        if rows.len() > MAX_ROWS && !is_first {
            left += 1;
            continue;
        }
        let severity = finding.severity.name().to_owned();
        rows.push([codes.join(", "), finding.lines(), grouped(finding.count), severity]);
    }
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let [kind, line, times] = [0, 1, 2].map(width);
    let row = |[a, b, c, d]: &[String; 4]| format!("\n   {a:kind$}  {b:line$}  {c:>times$}  {d}");
    let rest = (left > 0).then(|| format!("\n   and {} more", grouped(left)));
    rows.iter().map(row).chain(rest).collect()
}
