//! `texunit explain-code`: explains a code, with an example.

use crate::args::OutputFormat;
use crate::codes::{self, example};
use crate::rules::{self, Rule};
use clap::Args;
use serde_json::json;
use texunit_check::examples::Example;
use texunit_syntax::codes::Code;

/// Arguments of `texunit explain-code`.
#[derive(Clone, Debug, Args)]
pub struct ExplainCodeArgs {
    /// Codes, such as E0110, kinds of faults, such as out-of-bounds, groups of codes, such as E01,
    /// or rules of docs/numerics.md, such as 1.8; all codes are listed if none is given.
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
    /// Output format: text, or one JSON object per line for each code.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Maximum length of a line.
const WIDTH: usize = 90;

/// Runs the command; returns the exit code.
pub fn run(args: &ExplainCodeArgs) -> u8 {
    let (mut out, mut err) = (String::new(), String::new());
    let json = args.format == OutputFormat::Json;
    if args.codes.is_empty() {
        for code in codes::all() {
            out += &if json { object(code) } else { format!("{:15} {}\n", code.code, code.title) };
        }
    }
    let mut known = 0;
    for name in &args.codes {
        match (answer(name, json), json) {
            (Some(text), _) => {
                out += if known > 0 && !json { "\n" } else { "" };
                out += &text;
                known += 1;
            }
            (None, true) => out += &format!("{}\n", unknown_object(name)),
            (None, false) => err += &unknown(name),
        }
    }
    let printed = crate::out::print(&out);
    // Standard error may be closed.
    let _ = crate::out::stderr_text(&err, false);
    crate::exit(printed, known == args.codes.len())
}

/// The explanation of a code, a group of codes or a rule.
fn answer(name: &str, json: bool) -> Option<String> {
    if let Some(code) = codes::find(name) {
        return Some(if json { object(code) } else { text(code) });
    }
    let group = codes::group(name);
    if !group.is_empty() {
        let line = |code: &&Code| format!("{:15} {}\n", code.code, code.title);
        let lines = |code: &&Code| if json { object(code) } else { line(code) };
        return Some(group.iter().map(lines).collect());
    }
    rules::find(name).map(|rule| if json { rule_object(&rule) } else { rule_text(&rule) })
}

/// The message and advice for an unknown code.
fn no_such(name: &str) -> (String, String) {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!("unknown rule `{}`", texunit_report::visible(name));
        let chapter = name.split('.').next().unwrap_or_default();
        let all = rules::numbers();
        let of: Vec<String> =
            all.into_iter().filter(|n| n.split('.').next() == Some(chapter)).collect();
        let help = match (of.first(), of.last()) {
            (Some(first), Some(last)) => {
                format!("section {first} of docs/numerics.md ends with rule {last}")
            }
            _ => "docs/numerics.md has sections 1 to 13".to_owned(),
        };
        return (message, help);
    }
    let message = format!("unknown code `{}`", texunit_report::visible(name));
    let help = match (codes::nearest(name), codes::range(name)) {
        #[cfg(not(feature = "sass"))]
        _ if name.to_ascii_uppercase().starts_with("E06") => crate::missing::machine_codes(),
        (Some(_), Some((kind, first, last, group))) => format!(
            "{kind} are {first} to {last}; `texunit explain-code {group}` lists the last group"
        ),
        (Some(near), None) => format!("did you mean `{near}`?"),
        (None, _) => "`texunit explain-code` lists all codes".to_owned(),
    };
    (message, help)
}

fn rule_object(rule: &Rule) -> String {
    let object = json!({
        "code": rule.number,
        "kind": "rule",
        "title": rule.title,
        "explanation": rule.paragraphs.join("\n"),
        "known": rule.known,
        "example": null,
    });
    format!("{object}\n")
}

fn rule_text(rule: &Rule) -> String {
    let mut text = format!("rule {}: {}\n", rule.number, rule.title);
    for paragraph in &rule.paragraphs {
        // A section is printed as on the page; a rule is one line of it.
        text += "\n";
        text +=
            &if paragraph.contains('\n') { format!("{paragraph}\n") } else { wrapped(paragraph) };
    }
    let known: std::collections::BTreeSet<&str> = rule.known.iter().copied().collect();
    for mark in known {
        let known = format!("How it is known: {mark} ({})", rules::meaning(mark));
        text += &format!("\n{}", wrapped(&known));
    }
    text + "\ndocs/numerics.md has all rules.\n"
}

fn unknown(name: &str) -> String {
    let (message, help) = no_such(name);
    format!("error: {message}\n  = help: {help}\n")
}

fn unknown_object(name: &str) -> serde_json::Value {
    let (message, help) = no_such(name);
    json!({ "code": name, "error": message, "help": help, "nearest": codes::nearest(name) })
}

fn object(code: &Code) -> String {
    let example = example(code.code).map(|example| {
        json!({
            "place": Some(codes::place(example)).filter(|place| !place.is_empty()),
            "wrong": example.wrong,
            "right": example.right,
            "wrong_module": example.wrong_module(),
            "right_module": example.right_module(),
        })
    });
    let object = json!({
        "code": code.code,
        "kind": kind(code),
        "title": code.title,
        "explanation": code.explanation,
        "example": example,
    });
    format!("{object}\n")
}

/// The kind of a code, as a phrase.
fn kind(code: &Code) -> &'static str {
    match code.code.as_bytes()[0] {
        b'E' => "error",
        b'W' => "warning",
        b'J' => "job",
        _ => "fault",
    }
}

fn text(code: &Code) -> String {
    let mut text = format!("{}: {}\n\n{}", code.code, code.title, wrapped(code.explanation));
    match (example(code.code), codes::without_example(code.code)) {
        (Some(example), _) => text += &examples(example),
        (None, Some(why)) => text += &format!("\nThere is no example: {why}.\n"),
        (None, None) => {}
    }
    text
}

fn examples(example: &Example) -> String {
    let place = codes::place(example);
    let place = if place.is_empty() { String::new() } else { format!(", {place}") };
    let indented = |text: &str| -> String {
        let line = |line: &str| match line.is_empty() {
            true => "\n".to_owned(),
            false => format!("    {}\n", line.replace('\t', "    ")),
        };
        text.lines().map(line).collect()
    };
    let (wrong, right) = (indented(example.wrong), indented(example.right));
    format!("\nWrong{place}:\n\n{wrong}\nRight:\n\n{right}")
}

/// Wraps lines to [`WIDTH`] characters, unless a word is longer.
fn wrapped(text: &str) -> String {
    let (mut result, mut column) = (String::new(), 0);
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            result.push('\n');
            column = 0;
        } else if column > 0 {
            result.push(' ');
            column += 1;
        }
        result += word;
        column += length;
    }
    result + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped() {
        assert_eq!(wrapped("a b"), "a b\n");
        let text = wrapped(&"word ".repeat(100));
        assert!(text.lines().all(|l| l.len() <= WIDTH) && text.lines().count() == 6, "{text}");
        assert_eq!(wrapped(&"x".repeat(200)).lines().count(), 1);
    }
}
