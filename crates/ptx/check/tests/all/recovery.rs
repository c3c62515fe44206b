//! One mistake, one error: tokens are taken away from correct programs, and the errors counted.
//! `SHOW=1` prints those that give more than one.

#![allow(clippy::unwrap_used, clippy::print_stderr)] // the worst are shown on demand

#[path = "../common/mod.rs"]
mod common;

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::Path;

use common::ptx_files;
use texunit_check::{Options, check_source};
use texunit_syntax::{Diagnostic, SourceFile};

/// Programs are cut to this length, at the end of an item, so that a broken one checks fast.
const LONGEST: usize = 12_000;
/// Mutants of one program.
const MUTANTS: usize = 600;

fn programs() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut all = Vec::new();
    for path in ptx_files(&root.join("examples")) {
        let mut text = fs::read_to_string(&path).unwrap();
        if text.len() > LONGEST {
            let Some(end) = text[..LONGEST].rfind("\n}\n") else { continue };
            text.truncate(end + 3);
        }
        if errors(&text).is_empty() {
            all.push((path.file_name().unwrap().to_string_lossy().into_owned(), text));
        }
    }
    assert!(all.len() > 5, "only {} programs", all.len());
    all
}

fn errors(text: &str) -> Vec<Diagnostic> {
    let source = SourceFile::new("mutant.ptx", text);
    let mut all = check_source(&source, &Options::default());
    all.retain(Diagnostic::is_error);
    all
}

/// Words, numbers and punctuation; comments are left away.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%');
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        if text[at..].starts_with("//") {
            at += text[at..].find('\n').unwrap_or(text.len() - at);
            continue;
        }
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        at += 1;
        if is_word(bytes[start]) || bytes[start] == b'.' {
            at += bytes[at..].iter().take_while(|&&b| is_word(b)).count();
        }
        tokens.push(start..at);
    }
    tokens
}

/// How many mutants have no, one, two, more errors.
fn measure(name: &str, mutate: impl Fn(&str, Range<usize>) -> String) -> [usize; 4] {
    let show = std::env::var_os("SHOW").is_some();
    let mut counts = [0; 4];
    let mut classes: BTreeMap<String, usize> = BTreeMap::new();
    for (file, text) in programs() {
        let tokens = tokens(&text);
        let step = tokens.len().div_ceil(MUTANTS).max(1);
        for token in tokens.into_iter().step_by(step) {
            let mutant = mutate(&text, token.clone());
            let found = errors(&mutant);
            counts[found.len().min(3)] += 1;
            if show && found.len() > 1 {
                let codes: Vec<_> = found.iter().map(|d| d.code).take(4).collect();
                let class = format!("{} {codes:?}", &text[token.clone()]);
                *classes.entry(class).or_default() += 1;
                let line = text[..token.start].matches('\n').count() + 1;
                let messages: Vec<_> = found.iter().map(|d| d.message.as_str()).take(4).collect();
                eprintln!("{name} {file}:{line} `{}` {codes:?} {messages:?}", &text[token]);
            }
        }
    }
    if show {
        let mut classes: Vec<_> = classes.into_iter().map(|(class, n)| (n, class)).collect();
        classes.sort();
        classes.iter().rev().take(40).for_each(|(n, class)| eprintln!("{n:5} {class}"));
    }
    eprintln!("{name}: {counts:?} mutants with 0, 1, 2, more errors");
    counts
}

/// At most so many of a thousand mutants may have more than one error.
fn assert_few(counts: [usize; 4], two: usize, more: usize) {
    let all: usize = counts.iter().sum();
    assert!(all > 1000, "{all} mutants");
    assert!((counts[2] + counts[3]) * 1000 <= all * (two + more), "{counts:?}");
    assert!(counts[3] * 1000 <= all * more, "{counts:?}");
}

#[test]
fn a_token_too_few() {
    let counts = measure("deleted", |text, token| {
        let mut mutant = text.to_owned();
        mutant.replace_range(token, "");
        mutant
    });
    assert_few(counts, 8, 4);
}

#[test]
fn a_token_twice() {
    let counts = measure("doubled", |text, token| {
        let mut mutant = text.to_owned();
        let copy = format!(" {}", &text[token.clone()]);
        mutant.insert_str(token.end, &copy);
        mutant
    });
    assert_few(counts, 8, 4);
}

#[test]
fn a_letter_too_many() {
    let counts = measure("misspelt", |text, token| {
        let mut mutant = text.to_owned();
        mutant.insert(token.end, 'q');
        mutant
    });
    assert_few(counts, 8, 4);
}

#[test]
fn a_line_too_few() {
    let counts = measure("without a line", |text, token| {
        let start = text[..token.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[token.end..].find('\n').map_or(text.len(), |at| token.end + at + 1);
        let mut mutant = text.to_owned();
        mutant.replace_range(start..end, "");
        mutant
    });
    assert_few(counts, 8, 8);
}

#[test]
fn two_mistakes_give_two_errors() {
    let (mut pairs, mut both) = (0, 0);
    for (file, text) in programs() {
        let tokens = tokens(&text);
        let step = tokens.len().div_ceil(60).max(1);
        let without = |tokens: &[&Range<usize>]| {
            let mut mutant = text.clone();
            tokens.iter().rev().for_each(|t| mutant.replace_range((*t).clone(), ""));
            mutant
        };
        let single: Vec<(&Range<usize>, &str)> = tokens
            .iter()
            .step_by(step)
            .filter_map(|t| match errors(&without(&[t])).as_slice() {
                [one] => Some((t, one.code)),
                _ => None,
            })
            .collect();
        for (first, second) in single.iter().zip(single.iter().skip(7)) {
            let found = errors(&without(&[first.0, second.0]));
            let has = |code: &str| found.iter().any(|d| d.code == code);
            pairs += 1;
            if found.len() >= 2 && has(first.1) && has(second.1) {
                both += 1;
            } else if std::env::var_os("SHOW").is_some() {
                let place = |t: &Range<usize>| text[..t.start].matches('\n').count() + 1;
                let (a, b) = (place(first.0), place(second.0));
                let codes: Vec<_> = found.iter().map(|d| d.code).collect();
                eprintln!("{file}:{a} {} and :{b} {}: {codes:?}", first.1, second.1);
            }
        }
    }
    eprintln!("both of {both} pairs, of {pairs}");
    assert!(pairs > 300 && both * 100 >= pairs * 80, "{both} of {pairs}");
}

#[test]
fn a_wrong_bracket_or_mark() {
    #[rustfmt::skip]
    let swaps = [
        ("{", "["), ("}", "]"), ("[", "{"), ("]", "}"), ("(", "["), (")", "]"), ("<", "["), (">", "]"),
        (",", ";"), (";", ","), (":", ";"), ("@", "!"), ("+", "-"), (".", ","),
    ];
    let counts = measure("swapped", |text, token| {
        let mut mutant = text.to_owned();
        let found = swaps.iter().find(|(from, _)| *from == &text[token.clone()]);
        if let Some((_, to)) = found {
            mutant.replace_range(token, to);
        }
        mutant
    });
    assert_few(counts, 20, 10);
}
