//! Tests that the log keeps one finding for each kind and pair of lines, and limits how many it
//! reports.

use texunit_checks::rules::{self, CheckRule};
use texunit_checks::{End, Finding, Log, Options, summary};
use texunit_report::{CodeLocation, Severity};
use texunit_syntax::{SourceFile, Span};

/// An end of a finding at a line and column.
fn end(line: usize, column: usize) -> End {
    let text = SourceFile::new("k.ptx", format!("{}\n", "x".repeat(79)).repeat(100));
    let at = 80 * (line - 1) + column;
    let span = Span::new(at, at + 1);
    let place = CodeLocation::of_text(&text, span);
    End { cta: [0; 3], thread: [32, 0, 0], kernel: "k".to_owned(), place, span, node: None }
}

fn found(rule: &'static CheckRule, at: (usize, usize), with: (usize, usize)) -> Finding {
    let finding = Finding::of_process(rule, "races".to_owned(), Vec::new());
    let other = Some(("is stored here".to_owned(), end(with.0, with.1)));
    Finding { at: Some(end(at.0, at.1)), other, count: 10, places: 1, launch: 1, ..finding }
}

#[test]
fn places_of_two_lines_are_one_finding() {
    let log = Log::new(Options::default());
    for column in 0..44 {
        log.found(found(rules::RACE_WRITE_AFTER_WRITE, (3, column), (5, 0)));
        log.found(found(rules::RACE_WRITE_AFTER_WRITE, (3, column), (5, column)));
    }
    // For two stores, either end may come first; for a load and a store, the order matters.
    log.found(found(rules::RACE_WRITE_AFTER_WRITE, (5, 1), (3, 1)));
    log.found(found(rules::RACE_READ_AFTER_WRITE, (3, 0), (5, 0)));
    log.found(found(rules::RACE_READ_AFTER_WRITE, (5, 0), (3, 0)));
    log.found(found(rules::RACE_WRITE_AFTER_WRITE, (3, 0), (3, 7)));
    let all = log.findings();
    let rows: Vec<_> = all.iter().map(|f| (f.code(), f.lines(), f.count, f.places)).collect();
    let waw = "race-write-after-write";
    assert_eq!(rows[0], (waw, "k.ptx:3 with line 5".to_owned(), 890, 45));
    assert_eq!((rows.len(), &rows[3]), (4, &(waw, "k.ptx:3".to_owned(), 10, 1)));
    let text = texunit_checks::text(&all[0], None, false);
    assert!(
        text.contains("at 45 places in PTX, 890 times, first by CTA (0, 0, 0), thread (32, 0, 0)"),
        "{text}"
    );
    let end = summary(&log).unwrap_or_default();
    assert!(end.starts_with("checks: 4 findings (4 errors), 920 times in all\n"), "{end}");
    assert!(end.contains("race-write-after-write  k.ptx:3 with line 5    890  error"), "{end}");
}

/// A load before and after a store, with a missing barrier.
#[test]
fn both_ways_round_are_one_finding() {
    let (raw, war) = (rules::RACE_READ_AFTER_WRITE, rules::RACE_WRITE_AFTER_READ);
    let log = Log::new(Options::default());
    log.found(found(war, (3, 0), (5, 0)));
    log.found(found(raw, (5, 0), (3, 0)));
    log.found(found(war, (3, 1), (5, 1)));
    // With store and load exchanged, it is a different finding.
    log.found(found(war, (5, 0), (3, 0)));
    let all = log.findings();
    assert_eq!(all.len(), 2);
    let kinds: Vec<_> = all[0].kinds().map(|f| (f.code(), f.lines(), f.count)).collect();
    let (load, store) = ("k.ptx:5 with line 3".to_owned(), "k.ptx:3 with line 5".to_owned());
    assert_eq!(kinds, [(raw.code, load, 30), (war.code, store, 20)]);
    let text = texunit_checks::text(&all[0], None, false);
    let also = "the other way round, too (`race-write-after-read`, 20 times): races";
    assert!(text.contains(also), "{text}");
    let notes = serde_json::json!(all[0].event(1))["notes"].to_string();
    assert!(notes.contains("`race-write-after-read`"), "{notes}");
    let table = summary(&log).unwrap_or_default();
    let row = "race-read-after-write, race-write-after-read  k.ptx:5 with line 3     30  error";
    assert!(table.contains(row), "{table}");
    // A reported finding keeps its kind.
    let log = Log::new(Options::default());
    log.found(found(war, (3, 0), (5, 0)));
    assert_eq!(log.news().len(), 1);
    log.found(found(raw, (5, 0), (3, 0)));
    let news = log.news();
    assert!(!news[0].is_first && news[0].finding.rule == war && news[0].finding.count == 20);
}

#[test]
fn no_kind_is_hidden() {
    let of = |max_findings| {
        let log = Log::new(Options { max_findings, ..Options::default() });
        for line in 1..50 {
            log.found(found(rules::RACE_WRITE_AFTER_WRITE, (line, 0), (line, 0)));
        }
        log.found(found(rules::SYNC_BARRIER_MISSED, (60, 0), (61, 0)));
        log.found(found(rules::SYNC_BARRIER_MISSED, (62, 0), (63, 0)));
        log
    };
    let codes = |log: &Log| log.findings().iter().map(Finding::code).collect::<Vec<_>>();
    let log = of(Some(2));
    let waw = "race-write-after-write";
    assert_eq!(codes(&log), [waw, waw, "sync-barrier-missed"]);
    let more = log.more();
    assert_eq!((more.errors, more.warnings, more.notes), (47, 1, 0));
    let news = log.news();
    assert_eq!(news.iter().map(|news| news.number).collect::<Vec<_>>(), [1, 2, 3]);
    // The table lists every kind, whatever the limit.
    for most in [Some(0), Some(2), None] {
        let log = of(most);
        let text = summary(&log).unwrap_or_default();
        assert!(
            text.contains("sync-barrier-missed") && text.contains("\n   and 10 more"),
            "{text}"
        );
        assert_eq!(codes(&log).is_empty(), most == Some(0));
    }
}

#[test]
fn what_makes_a_launch_fail() {
    let fails = |fail_on, rule| {
        let log = Log::new(Options { fail_on, ..Options::default() });
        log.found(found(rule, (1, 0), (2, 0)));
        log.fails()
    };
    assert!(fails(Severity::Warning, rules::SYNC_BARRIER_MISSED));
    assert!(!fails(Severity::Error, rules::SYNC_BARRIER_MISSED));
    assert!(fails(Severity::Error, rules::RACE_WRITE_AFTER_WRITE));
    let note = |fail_on| {
        let log = Log::new(Options { fail_on, ..Options::default() });
        let finding = found(rules::TEXTURE_OUTSIDE, (1, 0), (2, 0));
        log.found(Finding { severity: Severity::Note, ..finding });
        (log.fails(), log.has_findings())
    };
    assert_eq!([note(Severity::Warning), note(Severity::Note)], [(false, true), (true, true)]);
    assert!(!Log::new(Options::default()).fails());
}
