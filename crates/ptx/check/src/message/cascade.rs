//! Suppression of follow-up errors: errors that are only a consequence of other errors, and
//! repeated errors for names such as `%r1`, `%r2`.
//!
//! An error that remains after the shown errors have been corrected is reported by the next check.

use std::collections::{HashMap, HashSet};
use texunit_forms::sort_by_key;

use texunit_syntax::{Diagnostic, Parsed, SourceFile, Span, ast};

/// Codes of errors for undefined names.
const UNKNOWN: &[&str] = &["E0110", "E0112", "E0113", "E0114", "E0160", "E0241", "E0242"];
/// Codes of errors that may be a consequence of a wrong header.
const HEADER: &[&str] = &["E0102", "E0230", "E0231", "E0302", "E0303"];
/// Codes of syntax errors in the header.
const BROKEN_HEADER: &[&str] = &["E0001", "E0002", "E0003", "E0004", "E0005", "E0006", "E0007"];
/// Codes of errors that may follow from unbalanced braces, which move names to other scopes.
const SCOPES: &[&str] = &["E0110", "E0111", "E0112", "E0113", "E0114", "E0130", "E0241", "E0242"];
/// Codes of syntax errors that change scopes.
const BROKEN_SCOPES: &[&str] = &["E0011", "E0024", "E0025", "E0050", "E0052", "E0053", "E0061"];
/// Codes of syntax errors inside a word, which stays in the tree with an arbitrary value.
const BROKEN_WORDS: &[&str] = &["E0010", "E0012", "E0013", "E0014", "E0015", "E0017"];
/// Maximum number of names in the help text of the error for undeclared registers `%r1`, `%r2`, ...
const LISTED: usize = 4;

/// Removes diagnostics that are consequences of other errors.
pub(crate) fn drop_follow_ups(
    source: &SourceFile,
    parsed: &mut Parsed<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let broken_target = diagnostics.iter().any(|d| d.code == "E0102");
    diagnostics.retain(|d| !broken_target || !matches!(d.code, "E0302" | "E0303"));
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        of_unknown_instructions(parsed, diagnostics, source);
        of_syntax_errors(source, parsed, diagnostics);
    }
    one_of_each_group(source, &parsed.module, diagnostics);
}

/// A stray word, or a label without its colon, is parsed as an unknown instruction without `;`; of
/// the two errors, the error for the unknown instruction is kept.
fn of_unknown_instructions(
    parsed: &mut Parsed<'_>,
    diagnostics: &mut Vec<Diagnostic>,
    source: &SourceFile,
) {
    let unknown: HashSet<Span> =
        diagnostics.iter().filter(|d| d.code == "E0200").map(|d| d.primary.span).collect();
    let mut labels = HashSet::new();
    parsed.diagnostics.retain(|d| {
        let dropped = d.code == "E0020" && unknown.contains(&d.primary.span);
        if dropped {
            labels.insert(source.snippet(d.primary.span));
        }
        !dropped
    });
    diagnostics.retain(|d| d.code != "E0114" || !labels.contains(source.snippet(d.primary.span)));
}

fn of_syntax_errors(source: &SourceFile, parsed: &Parsed<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let has = |codes: &[&str]| parsed.diagnostics.iter().any(|d| codes.contains(&d.code));
    let header = has(BROKEN_HEADER);
    let scopes = has(BROKEN_SCOPES);
    let mut lost = parsed.lost.clone();
    let mut words = HashSet::new();
    let mut nameless = false;
    for d in &parsed.diagnostics {
        let line = source.line_span(source.location(d.primary.span.start).line);
        if BROKEN_WORDS.contains(&d.code) {
            lost.push(line);
            words.insert(line);
        }
        // If a declaration lacks its name, any undefined name may be the declared one.
        nameless |= matches!(d.code, "E0022" | "E0036")
            && source.snippet(line).trim_start().starts_with('.');
    }
    let of_function = |s: &Span| source.snippet(*s).contains(".func");
    let signatures = parsed.lost.iter().any(of_function);
    let lost = names(source, &lost);
    diagnostics.retain(|d| {
        let span = d.primary.span;
        let line = || source.line_span(source.location(span.start).line);
        let made_up = d.code == "E0101"
            || header && HEADER.contains(&d.code)
            || scopes && SCOPES.contains(&d.code)
            || nameless && d.code == "E0110"
            || signatures && matches!(d.code, "E0115" | "E0240")
            || !words.is_empty() && words.contains(&line());
        let of_lost = || stems(source.snippet(span)).any(|stem| lost.contains(stem));
        !made_up && (!UNKNOWN.contains(&d.code) || !of_lost())
    });
}

/// The name, and the name without its trailing digits: `%r12` may belong to `%r<20>`.
fn stems(name: &str) -> impl Iterator<Item = &str> {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    (0..=digits.min(19)).map(move |n| &name[..name.len() - n])
}

/// Every word in the ranges `places` that could be a name, with and without trailing digits.
fn names<'a>(source: &'a SourceFile, places: &[Span]) -> HashSet<&'a str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let mut names = HashSet::new();
    // The ranges may overlap; each byte is processed once.
    let mut done = 0;
    let mut sorted = places.to_vec();
    sort_by_key(&mut sorted, |&place| place);
    for place in sorted {
        let start = place.start.max(done);
        if start < place.end {
            let text = source.snippet(Span { start, end: place.end });
            for word in text.split(|c| !is_part(c)).filter(|word| !word.is_empty()) {
                names.insert(word);
                names.insert(word.trim_end_matches(|c: char| c.is_ascii_digit()));
            }
            done = place.end;
        }
    }
    names.remove("");
    names
}

/// Of undeclared registers `%r1`, `%r2`, ... of a function, only the first is reported; the help
/// text names the other registers. An undefined label is reported once.
fn one_of_each_group(
    source: &SourceFile,
    module: &ast::Module<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let functions: Vec<u32> = module
        .items
        .iter()
        .filter_map(|item| match item {
            ast::Item::Function(f) => Some(f.span.start),
            _ => None,
        })
        .collect();
    let mut first: HashMap<(usize, &str), usize> = HashMap::new();
    let mut others: HashMap<usize, Vec<&str>> = HashMap::new();
    let mut index = 0;
    diagnostics.retain(|d| {
        let place = d.primary.span;
        let name = source.snippet(place);
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let key = match d.code {
            "E0110" if name.starts_with('%') && stem.len() < name.len() => stem,
            "E0114" => name,
            _ => {
                index += 1;
                return true;
            }
        };
        let function = functions.partition_point(|&start| start <= place.start);
        if let Some(&kept) = first.get(&(function, key)) {
            if key != name {
                others.entry(kept).or_default().push(name);
            }
            return false;
        }
        first.insert((function, key), index);
        index += 1;
        true
    });
    for (index, names) in others {
        let Some(help) = diagnostics.get_mut(index).and_then(|d| d.help.as_mut()) else { continue };
        let listed = names[..names.len().min(LISTED)].join(", ");
        let more = match names.len() - names.len().min(LISTED) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        *help += &format!("; the same goes for {listed}{more}");
    }
}
