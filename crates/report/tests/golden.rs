//! What the three forms look like, byte for byte.

#![allow(clippy::unwrap_used)]

use texunit_report::{Format, human, json, render, short, summary};
use texunit_syntax::{Diagnostic, SourceFile, Span, parse};

const SOURCE: &str = ".version 8.8
.target sm_75
.address_size 64
.entry k()
{
\tmov.b64 {%r1, %r2, %rd1;
\tmov.u32 %r1, 1
\tret;
}
";

#[test]
fn human_shows_source_labels_and_help() {
    let source = SourceFile::new("k.ptx", SOURCE);
    let parsed = parse(&source);
    let expected = "\
error[E0026]: expected `}`, found `;`
 --> k.ptx:6:25
  |
6 |     mov.b64 {%r1, %r2, %rd1;
  |             - opened here  ^ expected `}`
  |
  = help: close it with `}`

error[E0020]: missing `;` after the instruction
 --> k.ptx:7:15
  |
7 |     mov.u32 %r1, 1
  |                  ^ `;` expected after this
  |
  = help: end the statement with `;`

";
    assert_eq!(human(&source, &parsed.diagnostics, false), expected);
}

#[test]
fn human_in_colour_is_the_same_text() {
    let source = SourceFile::new("k.ptx", SOURCE);
    let parsed = parse(&source);
    let coloured = human(&source, &parsed.diagnostics, true);
    assert!(coloured.contains("\x1b[1m"));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some(at) = rest.find('\x1b') {
        plain += &rest[..at];
        rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
    }
    plain += rest;
    assert_eq!(plain, human(&source, &parsed.diagnostics, false));
}

#[test]
fn short_is_one_line_each() {
    let source = SourceFile::new("k.ptx", SOURCE);
    let parsed = parse(&source);
    let expected = "\
k.ptx:6:25: error[E0026]: expected `}`, found `;`
k.ptx:7:15: error[E0020]: missing `;` after the instruction
";
    assert_eq!(short(&source, &parsed.diagnostics), expected);
}

#[test]
fn json_is_one_object_a_line() {
    let source = SourceFile::new("dir/\"k\".ptx", SOURCE);
    let parsed = parse(&source);
    let text = json(&source, &parsed.diagnostics);
    let expected = concat!(
        r#"{"file":"dir/\"k\".ptx","line":6,"column":25,"end_line":6,"end_column":26,"#,
        r#""severity":"error","code":"E0026","message":"expected `}`, found `;`","#,
        r#""label":"expected `}`","notes":[{"line":6,"column":10,"message":"opened here"}],"#,
        r#""help":"close it with `}`"}"#,
        "\n",
        r#"{"file":"dir/\"k\".ptx","line":7,"column":15,"end_line":7,"end_column":16,"#,
        r#""severity":"error","code":"E0020","message":"missing `;` after the instruction","#,
        r#""label":"`;` expected after this","notes":[],"help":"end the statement with `;`"}"#,
        "\n"
    );
    assert_eq!(text, expected);
    for line in text.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(value["file"], "dir/\"k\".ptx");
    }
}

#[test]
fn summary_counts() {
    let error = Diagnostic::error("E0001", Span::default(), "e");
    let warning = Diagnostic::warning("W0001", Span::default(), "w");
    let shown = |list: &[&Diagnostic]| {
        summary(&list.iter().map(|&d| d.clone()).collect::<Vec<_>>()).unwrap_or_default()
    };
    assert_eq!(summary(&[]), None);
    assert_eq!(shown(&[&error]), "1 error");
    assert_eq!(shown(&[&error, &warning]), "1 error, 1 warning");
    assert_eq!(shown(&[&warning, &warning]), "2 warnings");
    assert_eq!(shown(&[&error, &error, &error]), "3 errors");
}

#[test]
fn formats_choose_their_form() {
    let source = SourceFile::new("k.ptx", SOURCE);
    let diagnostics = parse(&source).diagnostics;
    let shown = |format| render(format, &source, &diagnostics);
    assert_eq!(shown(Format::Human { color: false }), human(&source, &diagnostics, false));
    assert_eq!(shown(Format::Human { color: true }), human(&source, &diagnostics, true));
    assert_eq!(shown(Format::Short), short(&source, &diagnostics));
    assert_eq!(shown(Format::Json), json(&source, &diagnostics));
}

#[test]
fn far_notes_have_their_own_excerpt() {
    let text = format!("first\n{}last\n", "\n".repeat(5000));
    let source = SourceFile::new("k.ptx", text.clone());
    let last = text.len() - 5;
    let diagnostic = Diagnostic::error("E0001", Span::new(last, last + 4), "message")
        .label("here")
        .note(Span::new(0, 5), "there");
    let expected = "\
error[E0001]: message
    --> k.ptx:5002:1
     |
5002 | last
     | ^^^^ here
     |
    ::: k.ptx:1:1
     |
   1 | first
     | ----- there

";
    assert_eq!(human(&source, &[diagnostic], false), expected);
}

#[test]
fn a_warning_at_the_end_of_an_empty_text() {
    let source = SourceFile::new("<stdin>", "");
    let diagnostic =
        Diagnostic::warning("W0001", Span::new(0, 0), "nothing").help("write something");
    let expected = "\
warning[W0001]: nothing
 --> <stdin>:1:1
  |
1 |
  | ^
  |
  = help: write something

";
    assert_eq!(human(&source, &[diagnostic], false), expected);
}

#[test]
fn long_lines_are_cut() {
    let text = format!("{}bad{}", " ".repeat(100_000), "x".repeat(1_000_000));
    let source = SourceFile::new("k.ptx", text);
    let diagnostic =
        Diagnostic::error("E0001", Span::new(100_000, 100_003), "message").label("here");
    let shown = human(&source, &[diagnostic], false);
    assert!(shown.contains("k.ptx:1:100001"), "{shown}");
    assert!(shown.len() < 2000, "{}", shown.len());
}

#[test]
fn spans_over_many_lines_are_cut() {
    let source = SourceFile::new("k.ptx", "line\n".repeat(1000));
    let diagnostic = Diagnostic::error("E0001", Span::new(5, 4000), "message");
    let shown = human(&source, &[diagnostic], false);
    assert!(shown.contains("k.ptx:2:1") && shown.lines().count() < 8, "{shown}");
}

#[test]
fn notes_are_limited() {
    let source = SourceFile::new("k.ptx", "line\n".repeat(1000));
    let mut diagnostic = Diagnostic::error("E0001", Span::new(0, 4), "message");
    for i in 0..100 {
        diagnostic = diagnostic.note(Span::new(i * 5, i * 5 + 4), format!("note {i}"));
    }
    let shown = human(&source, &[diagnostic], false);
    assert!(shown.contains("note 7") && !shown.contains("note 8"), "{shown}");
    assert!(shown.contains("= note: and 92 other places"), "{shown}");
}

/// Every mistake of the parser's own tests, in every form.
#[test]
fn all_syntax_errors_can_be_shown() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/check/syntax");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for cut in [bytes.len(), bytes.len() / 2, bytes.len() / 3, 7] {
            let source = SourceFile::from_bytes("file.ptx", &bytes[..cut]);
            let diagnostics = parse(&source).diagnostics;
            for diagnostic in &diagnostics {
                let one = std::slice::from_ref(diagnostic);
                let shown = human(&source, one, true);
                assert!(shown.contains(diagnostic.code) && shown.len() < 20_000, "{shown}");
                let place = source.location(diagnostic.primary.span.start);
                let place = format!("file.ptx:{}:{}: ", place.line, place.column);
                assert!(short(&source, one).starts_with(&place));
                let object: serde_json::Value = serde_json::from_str(&json(&source, one)).unwrap();
                assert_eq!(object["message"], diagnostic.message.as_str());
                count += 1;
            }
        }
    }
    assert!(count > 500, "only {count}");
}

#[test]
fn nothing_of_the_text_reaches_the_terminal_as_a_command() {
    let text = "a\x1b[31mb\u{202e}c\x07\n";
    let source = SourceFile::new("evil\x1b[2J\n.ptx", text);
    let diagnostic = Diagnostic::error("E0001", Span::new(0, 5), text).label(text).help(text);
    for format in [Format::Human { color: false }, Format::Short, Format::Json] {
        let shown = render(format, &source, std::slice::from_ref(&diagnostic));
        assert!(!shown.contains(['\x1b', '\x07']), "{shown:?}");
    }
    assert_eq!(short(&source, &[diagnostic]).lines().count(), 1);
}

#[test]
fn spans_outside_of_the_text_do_no_harm() {
    let source = SourceFile::new("k.ptx", "aä\n");
    for start in 0..8 {
        for end in start..9 {
            let diagnostic = Diagnostic::error("E0001", Span::new(start, end), "message")
                .note(Span::new(end, end + 3), "note");
            let one = std::slice::from_ref(&diagnostic);
            for color in [false, true] {
                assert!(human(&source, one, color).contains("message"));
            }
            assert!(json(&source, one).contains("message"));
        }
    }
}
