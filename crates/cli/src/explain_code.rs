//! `texunit explain-code`: the long form of a code, with an example.

use crate::args::OutputFormat;
use crate::codes::{self, example};
use clap::Args;
use serde_json::json;
use std::io::Write;
use texunit_check::examples::Example;
use texunit_syntax::codes::Code;

/// Arguments of `texunit explain-code`.
#[derive(Clone, Debug, Args)]
pub struct ExplainCodeArgs {
    /// Codes, such as E0110; all are listed if none is given.
    #[arg(value_name = "CODE")]
    pub codes: Vec<String>,
    /// What is printed: text, or one JSON object a line for each code.
    #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
    pub format: OutputFormat,
}

/// Longest line of text.
const WIDTH: usize = 90;

/// Runs the command; the exit code.
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
        match codes::find(name) {
            Some(code) if json => out += &object(code),
            Some(code) => out += &(if known > 0 { "\n" } else { "" }.to_owned() + &text(code)),
            None if json => out += &format!("{}\n", unknown_object(name)),
            None => err += &unknown(name),
        }
        known += usize::from(codes::find(name).is_some());
    }
    let mut stdout = std::io::stdout();
    let printed = stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush());
    // Nobody listens if this fails.
    let _ = std::io::stderr().write_all(err.as_bytes());
    crate::exit(printed, known == args.codes.len())
}

/// What is said about a code that there is not: the message, and help.
fn no_such(name: &str) -> (String, String) {
    let message = format!("there is no code `{}`", texunit_report::visible(name));
    let help = match codes::nearest(name) {
        Some(near) => format!("the nearest one is `{near}`"),
        None => "`texunit explain-code` lists all codes".to_owned(),
    };
    (message, help)
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

/// What the code is printed for.
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

/// In lines of at most [`WIDTH`] characters, unless a word is longer.
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
