//! Tests the output formats, for people and JSON, byte for byte.

use texunit_report::{Format, Run, Settings, human, json, short, summary};
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
help: end the statement with `;`
  |
7 |     mov.u32 %r1, 1;
  |                   +

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
        r#""label":"expected `}`","notes":[{"line":6,"column":10,"end_line":6,"end_column":11,"#,
        r#""message":"opened here"}],"help":"close it with `}`","fix":[]}"#,
        "\n",
        r#"{"file":"dir/\"k\".ptx","line":7,"column":15,"end_line":7,"end_column":16,"#,
        r#""severity":"error","code":"E0020","message":"missing `;` after the instruction","#,
        r#""label":"`;` expected after this","notes":[],"help":"end the statement with `;`","#,
        r#""fix":[{"line":7,"column":16,"end_line":7,"end_column":16,"text":";"}]}"#,
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

/// The output of a run over some files.
fn run(format: Format, quiet: bool, files: &[(&str, Vec<Diagnostic>)]) -> String {
    let settings = Settings {
        format,
        quiet,
        most_shown: 3,
        version: "1.0.0",
        home: "https://example.org",
        rule: &|_| None,
    };
    let mut out = Vec::new();
    let mut run = Run::new(&mut out, settings);
    for (text, diagnostics) in files {
        run.file(&SourceFile::new("k.ptx", *text), diagnostics);
    }
    run.finish().unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn runs_have_the_forms_of_their_files() {
    let source = SourceFile::new("k.ptx", SOURCE);
    let diagnostics = parse(&source).diagnostics;
    let files = [(SOURCE, diagnostics.clone()), (SOURCE, diagnostics.clone())];
    let totals = "2 files: 4 errors\n";
    for color in [false, true] {
        let one = human(&source, &diagnostics, color);
        assert_eq!(run(Format::Human { color }, false, &files), format!("{one}{one}{totals}"));
        assert_eq!(run(Format::Human { color }, true, &files), format!("{one}{one}"));
    }
    let one = short(&source, &diagnostics);
    assert_eq!(run(Format::Short, false, &files), format!("{one}{one}"));
    let one = json(&source, &diagnostics);
    let totals = "{\"files\":2,\"errors\":4,\"warnings\":0}\n";
    assert_eq!(run(Format::Json, false, &files), format!("{one}{one}{totals}"));
    assert_eq!(run(Format::Human { color: false }, false, &[]), "0 files: no errors\n");
}

#[test]
fn people_see_the_first_errors_of_a_file() {
    let at = |i: usize| Span::new(2 * i, 2 * i + 1);
    let mut list: Vec<Diagnostic> =
        (0..5).map(|i| Diagnostic::warning("W0101", at(i), format!("warning {i}"))).collect();
    list.extend((5..7).map(|i| Diagnostic::error("E0110", at(i), format!("error {i}"))));
    let files = [("a\nb\nc\nd\ne\nf\ng\n", list.clone())];
    let shown = |text: &str| -> Vec<String> {
        let head =
            |l: &&str| l.starts_with("error") || l.starts_with("warning") || !l.contains('|');
        let titles = text.lines().filter(head).filter(|l| !l.contains("-->") && !l.is_empty());
        titles.map(str::to_owned).collect()
    };
    let format = Format::Human { color: false };
    assert_eq!(
        shown(&run(format, false, &files)),
        [
            "warning[W0101]: warning 0",
            "error[E0110]: error 5",
            "error[E0110]: error 6",
            "k.ptx: 4 warnings more, not shown",
            "1 file: 2 errors, 5 warnings"
        ]
    );
    assert_eq!(
        shown(&run(format, true, &files)),
        ["error[E0110]: error 5", "error[E0110]: error 6"]
    );
    assert_eq!(run(Format::Json, false, &files).lines().count(), 8);
    assert_eq!(run(Format::Json, true, &files).lines().count(), 3);
}

/// After a write error, files are still counted.
#[test]
fn a_stream_that_cannot_be_written_to() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let written = self.0.min(bytes.len());
            self.0 -= written;
            if written == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(written) }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let source = SourceFile::new("k.ptx", SOURCE);
    let diagnostics = parse(&source).diagnostics;
    for format in [Format::Human { color: true }, Format::Short, Format::Json, Format::Sarif] {
        for room in 0..200 {
            let rule = |_: &str| None;
            let settings = Settings {
                format,
                quiet: false,
                most_shown: 9,
                version: "1",
                home: "",
                rule: &rule,
            };
            let mut run = Run::new(Full(room), settings);
            for _ in 0..3 {
                run.file(&source, &diagnostics);
            }
            assert_eq!((run.totals().files, run.totals().errors), (3, 6));
            let enough = format == Format::Short && room >= 3 * short(&source, &diagnostics).len();
            let error = run.finish().map_err(|e| e.kind());
            assert_eq!(error.is_ok(), enough, "{format:?} {room}");
        }
    }
}

#[test]
fn fixes_are_shown_as_the_lines_that_they_make() {
    let text = "\tmov.u32 %r1, 1\n\tadd.u32 %r1 %r2 7;\n\tret;;\n";
    let source = SourceFile::new("k.ptx", text);
    let at = |what: &str| text.find(what).unwrap();
    let list = [
        Diagnostic::error("E0020", Span::new(14, 15), "missing `;`")
            .help("end the statement with `;`")
            .fix(Span::new(15, 15), ";"),
        Diagnostic::error("E0021", Span::new(at("add"), at("7;")), "missing commas")
            .fix(Span::new(at(" %r2"), at(" %r2")), ",")
            .fix(Span::new(at(" 7"), at("7;") + 1), ", 8"),
        Diagnostic::error("E0027", Span::new(at(";;") + 1, at(";;") + 2), "`;` too many")
            .help("leave it away")
            .fix(Span::new(at(";;") + 1, at(";;") + 2), ""),
    ];
    let expected = std::fs::read_to_string("tests/all/fixes.txt").unwrap();
    let shown = human(&source, &list, false);
    if std::env::var_os("TEXUNIT_BLESS").is_some() {
        std::fs::write("tests/all/fixes.txt", &shown).unwrap();
    } else {
        assert_eq!(shown, expected);
    }
    let object: serde_json::Value = serde_json::from_str(&json(&source, &list[1..2])).unwrap();
    let change = |column: u32, end: u32, text: &str| {
        serde_json::json!({
            "line": 2, "column": column, "end_line": 2, "end_column": end, "text": text,
        })
    };
    assert_eq!(object["fix"], serde_json::json!([change(13, 13, ","), change(17, 19, ", 8")]));
}

/// Fixes that do not fit the text or are too large are omitted; the help text remains.
#[test]
fn impossible_fixes_do_no_harm() {
    let text = "a\u{e4}\nb\n".to_owned() + &"c\n".repeat(100);
    let source = SourceFile::new("k.ptx", text);
    let long = "x".repeat(10_000);
    for (start, end, fix) in [
        (2, 3, "x"),
        (200, 300, "x"),
        (5, 2, "x"),
        (0, 190, "x"),
        (0, 1, &long[..]),
        (0, 1, "\x1b[2J"),
        (u32::MAX - 1, u32::MAX, ""),
    ] {
        let span = Span { start, end };
        let one = [Diagnostic::error("E0001", Span::new(0, 1), "m").help("do it").fix(span, fix)];
        let shown = human(&source, &one, true);
        assert!(shown.contains("do it") && !shown.contains("\x1b[2J"), "{shown}");
        assert!(shown.len() < 1000, "{shown}");
        assert_eq!(json(&source, &one).lines().count(), 1);
        run(Format::Sarif, false, &[(source.text(), one.to_vec())]);
    }
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

/// Two characters of six bytes precede the mark.
#[test]
fn columns_count_bytes_in_every_form() {
    let text = "\u{e4}\u{1f600} bad\nbad\n";
    let source = SourceFile::new("k.ptx", text);
    let at = text.find("bad").unwrap();
    let one = [Diagnostic::error("E0010", Span::new(at, at + 3), "message").label("here")];
    let expected = "\
error[E0010]: message
 --> k.ptx:1:8
  |
1 | \u{e4}\u{1f600} bad
  |     ^^^ here

";
    assert_eq!(human(&source, &one, false), expected);
    assert_eq!(short(&source, &one), "k.ptx:1:8: error[E0010]: message\n");
    assert!(json(&source, &one).contains("\"line\":1,\"column\":8,"));
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

/// Every error of the parser's own tests, in every format.
#[test]
fn all_syntax_errors_can_be_shown() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/check/syntax");
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
    let one = std::slice::from_ref(&diagnostic);
    for shown in [human(&source, one, false), short(&source, one), json(&source, one)] {
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
