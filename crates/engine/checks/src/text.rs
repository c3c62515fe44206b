//! Findings as people read them.

use crate::finding::Finding;
use crate::log::Log;
use texunit_report::Located;

/// A finding as a diagnostic; `source` is the text of its module, with what its instructions come from.
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

/// What is said when all is over: how much was found, and what of it was not told one by one; `None`: nothing was.
pub fn summary(log: &Log) -> Option<String> {
    let findings = log.findings();
    let times = findings.iter().fold(log.more(), |sum, f| sum.saturating_add(f.count));
    let mut parts = Vec::new();
    if times > 0 {
        let places = match findings.len() as u64 {
            0 => String::new(),
            n => format!(" at {}", count(n, "place")),
        };
        parts.push(count(times, "finding") + &places);
    }
    if log.more() > 0 {
        parts.push(format!("{} of them not shown (--max-findings)", log.more()));
    }
    if log.suppressed() > 0 {
        parts.push(format!("{} suppressed", log.suppressed()));
    }
    (!parts.is_empty()).then(|| format!("checks: {}", parts.join(", ")))
}

/// `1 finding`, `2 findings`
fn count(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
